//! What can be done with a history: the entry points of the core.

use crate::candidate;
use crate::decide::Answer;
use crate::driver::Compaction;
use crate::edit::Removal;
use crate::error::Error;
use crate::input;
use crate::local::{Exchange, Kept, Point, Scan};
use crate::message::{Block, Message, Place, Role, Snapshot};
use crate::options::{Language, Options, Settings};
use crate::outcome::Outcome;
use crate::pair::{Link, Pairing};
use crate::plan::Plan;
use crate::request::{Manner, Requests};

impl Snapshot<'_> {
    /// Prepares the requests to a decision model.
    ///
    /// # Errors
    /// `budget_exceeded` where the history does not fit, and what the host's own redaction fails with.
    pub fn compaction(
        &self,
        settings: &Settings,
        manner: &Manner<'_>,
    ) -> Result<Compaction, Error> {
        let pairing = Pairing::new(self);
        let plan = Plan::new(self, &pairing, &settings.options);
        let requests = Requests::new(self, &pairing, &plan, settings, manner)?;
        Ok(Compaction::new(plan, requests, manner.language))
    }

    /// Decides with the embedded model. `output` gives the text of the output at a place, or its [ends](crate::local::ends);
    /// it is asked for one after the other, and no text is kept. With `own_cuts` outputs are cut where the model suggests.
    ///
    /// # Errors
    /// What `output` fails with.
    pub fn decide_locally<E>(
        &self,
        settings: &Settings,
        language: Language,
        point: Point,
        own_cuts: bool,
        mut output: impl FnMut(Place) -> Result<Option<String>, E>,
    ) -> Result<Outcome, E> {
        let pairing = Pairing::new(self);
        let plan = Plan::new(self, &pairing, &settings.options);
        let mut answers = vec![None; plan.pairs.len()];
        let mut explanations = vec![None; plan.pairs.len()];
        if plan.candidates().next().is_some() {
            let segments = self.segments(point);
            let links = pairing.by_result();
            let mut scan = self.scan_texts(&segments, &settings.options, point);
            for (_, link) in &links {
                let text = output(link.pair.result_at)?.unwrap_or_default();
                self.scan_link(&mut scan, link, &segments, &text);
            }
            for ((position, _), features) in links.iter().zip(scan.finish(&settings.goal, point)) {
                if let Some(position) = *position
                    && let Some(pair) = plan.pairs.get(position)
                    && let Some(answer) = answers.get_mut(position)
                    && let Some(explanation) = explanations.get_mut(position)
                {
                    let score = features.score(
                        point,
                        settings.context_fill,
                        settings.options.keep_call_threshold,
                    );
                    let result = pair.original.is_none().then_some(score.keep_result);
                    let cut = own_cuts.then_some(score.explanation.cut);
                    *answer = Some(Answer {
                        cut,
                        ..Answer::new(score.keep_call, result)
                    });
                    *explanation = Some(score.explanation);
                }
            }
        }
        let mut outcome = Outcome::new(&plan, language, |position| {
            answers.get(position as usize).copied().flatten()
        });
        for (decision, explanation) in outcome.decisions.iter_mut().zip(explanations) {
            decision.explanation = decision.answer.and(explanation);
        }
        Ok(outcome)
    }

    /// The segment of each message: a new one begins at each user message that holds text, or, where the host says with
    /// which messages a task begins, at these alone.
    fn segments(&self, point: Point) -> Vec<u32> {
        let is_told =
            point != Point::Study && self.messages.iter().any(|message| message.starts_task);
        let mut segment = 0;
        let next = |(_, message, blocks): (u32, &Message, &[Block<'_>])| {
            let said = message.role == Role::User
                && blocks.iter().any(|block| matches!(block, Block::Text(_)));
            segment += u32::from(if is_told { message.starts_task } else { said });
            segment
        };
        self.each_message().map(next).collect()
    }

    fn scan_texts(&self, segments: &[u32], options: &Options, point: Point) -> Scan {
        let kept = Kept {
            head_chars: options.truncate_head_chars,
            tail_chars: options.truncate_tail_chars,
        };
        let mut scan = Scan::new(segments.last().copied().unwrap_or(0), kept, point);
        for ((_, message, blocks), segment) in self.each_message().zip(segments) {
            for block in blocks {
                if let Block::Text(text) = block {
                    scan.text(text, message.role == Role::User, *segment);
                }
            }
        }
        scan
    }

    fn scan_link(&self, scan: &mut Scan, link: &Link<'_>, segments: &[u32], output: &str) {
        let raw_input = link.pair.call.input.as_deref().unwrap_or_default();
        scan.exchange(&Exchange {
            name: self
                .tool(link.pair.call.tool)
                .map(|tool| &*tool.name)
                .unwrap_or_default(),
            raw_input,
            input: &input::leaves(raw_input),
            output,
            output_chars: candidate::chars(link.pair.result.output),
            segment: segments
                .get(link.pair.call_at.message as usize)
                .copied()
                .unwrap_or(0),
        });
    }

    /// What goes when the pairs at these positions are removed.
    pub fn removal(&self, options: &Options, positions: &[u32]) -> Removal {
        let plan = Plan::new(self, &Pairing::new(self), options);
        let mut removed = vec![false; plan.pairs.len()];
        for position in positions {
            if let Some(removed) = removed.get_mut(*position as usize) {
                *removed = true;
            }
        }
        Removal::new(&plan, &removed)
    }

    /// Decides with answers that are known already; `answer` gives those for the pair at a position, `t1` being 0.
    pub fn decide(
        &self,
        options: &Options,
        language: Language,
        answer: impl Fn(u32) -> Option<Answer>,
    ) -> Outcome {
        Outcome::new(
            &Plan::new(self, &Pairing::new(self), options),
            language,
            answer,
        )
    }
}
