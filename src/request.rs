//! The requests to the decision model: views and batches of questions, owned and ready to send.

use crate::error::Error;
use crate::message::Snapshot;
use crate::options::{Language, Settings};
use crate::pair::Pairing;
use crate::plan::Plan;
use crate::question::{Asked, Ceiling, Limits, Prices};
use crate::token::{Half, cost};
use crate::view::{Material, Redaction, STAGES, views};

/// All requests of a compaction.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Requests {
    /// What is seen: one view, or several windows.
    pub windows: Vec<Window>,
    /// In the order they are sent.
    pub batches: Vec<Batch>,
    candidates: Vec<Candidate>,
    /// Shown names of the tools.
    tools: Vec<String>,
}

/// One view of the history.
#[derive(Debug)]
#[non_exhaustive]
pub struct Window {
    /// The view as compact JSON.
    pub json: String,
    /// Its estimated tokens.
    pub tokens: u64,
    /// Name of the stage it was shrunk to.
    pub stage: &'static str,
    level: usize,
}

/// One request: questions about neighbouring candidates beside the view of their window.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Batch {
    /// Index of the window.
    pub window: usize,
    first: usize,
    size: usize,
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// Position of its pair.
    position: u32,
    tool: usize,
    chars: u32,
    asks_result: bool,
}

/// What the requests depend on beside the history and the settings.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Manner<'a> {
    /// Language of questions and marker.
    pub language: Language,
    /// How credentials are hidden.
    pub redaction: Redaction<'a>,
    /// What the model allows.
    pub limits: Limits,
}

impl Default for Manner<'_> {
    fn default() -> Self {
        Self {
            language: Language::English,
            redaction: Redaction::BuiltIn,
            limits: Limits::default(),
        }
    }
}

impl Requests {
    /// Builds the views and packs the questions. Without candidates there is nothing to ask.
    ///
    /// # Errors
    /// `budget_exceeded` where no division into windows fits.
    pub(crate) fn new(
        snapshot: &Snapshot<'_>,
        pairing: &Pairing<'_>,
        plan: &Plan,
        settings: &Settings,
        manner: &Manner<'_>,
    ) -> Result<Self, Error> {
        if plan.candidates().next().is_none() {
            return Ok(Self::default());
        }
        let material = Material::new(snapshot, pairing, plan, settings, manner.redaction)?;
        let prices = Prices::new(manner.language);
        let none = snapshot.tools.len();
        let candidate = |(position, pair): (u32, &crate::plan::PlannedPair)| {
            let tool = material.tool(pair.tool).cost;
            let chars = pair.original.unwrap_or(pair.chars);
            let asks_result = pair.original.is_none();
            let candidate = Candidate {
                position,
                tool: pair.tool.map_or(none, |tool| tool as usize),
                chars,
                asks_result,
            };
            (candidate, prices.of(position + 1, tool, chars, asks_result))
        };
        let priced: Vec<(Candidate, Half)> = plan.candidates().map(candidate).collect();
        let ceiling = Ceiling::new(&plan.options, manner.limits);
        let dearest = priced.iter().map(|(_, price)| *price).max().unwrap_or(0);
        let budget = ceiling.view_tokens(&plan.options, dearest)?;
        let mut requests = Self {
            candidates: priced.iter().map(|(candidate, _)| *candidate).collect(),
            tools: (0..)
                .take(none + 1)
                .map(|tool| material.tool(Some(tool)).text.clone().into_owned())
                .collect(),
            ..Self::default()
        };
        for view in views(&material, budget, plan.options.max_windows)? {
            let range = view.candidates.start as usize..view.candidates.end as usize;
            let asked = priced.get(range.clone()).unwrap_or_default();
            let window = requests.windows.len();
            let mut first = range.start;
            for size in ceiling.batches(
                cost(&view.json),
                asked
                    .iter()
                    .map(|(candidate, price)| (*price, 1 + u32::from(candidate.asks_result))),
            ) {
                requests.batches.push(Batch {
                    window,
                    first,
                    size: size as usize,
                });
                first += size as usize;
            }
            let stage = STAGES.get(view.stage).copied().unwrap_or_default();
            requests.windows.push(Window {
                json: view.json,
                tokens: view.tokens,
                stage,
                level: view.stage,
            });
        }
        Ok(requests)
    }

    /// The window that was shrunk most: its stage stands for all.
    pub fn stage(&self) -> Option<&'static str> {
        self.windows
            .iter()
            .max_by_key(|window| window.level)
            .map(|window| window.stage)
    }

    /// Tokens of the largest view.
    pub fn state_tokens(&self) -> Option<u64> {
        self.windows.iter().map(|window| window.tokens).max()
    }

    /// The candidates of a batch as its questions name them, in order.
    pub fn asked(&self, batch: usize) -> impl Iterator<Item = Asked<'_>> {
        self.candidates_of(batch).iter().map(|candidate| Asked {
            name: candidate.position + 1,
            tool: self
                .tools
                .get(candidate.tool)
                .map(String::as_str)
                .unwrap_or_default(),
            chars: candidate.chars,
            asks_result: candidate.asks_result,
        })
    }

    /// The same as numbers: name, index of the tool in [`Requests::tools`], size, and 1 if the result question is asked.
    pub fn asked_numbers(&self, batch: usize) -> impl ExactSizeIterator<Item = [u32; 4]> {
        self.candidates_of(batch).iter().map(|candidate| {
            let tool = u32::try_from(candidate.tool).unwrap_or(u32::MAX);
            [
                candidate.position + 1,
                tool,
                candidate.chars,
                u32::from(candidate.asks_result),
            ]
        })
    }

    /// The tools as the view shows them.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(String::as_str)
    }

    /// Positions of the pairs of a batch, and whether the result question is asked.
    pub(crate) fn positions(&self, batch: usize) -> impl Iterator<Item = (u32, bool)> {
        self.candidates_of(batch)
            .iter()
            .map(|candidate| (candidate.position, candidate.asks_result))
    }

    fn candidates_of(&self, batch: usize) -> &[Candidate] {
        let range = self
            .batches
            .get(batch)
            .map_or(0..0, |batch| batch.first..batch.first + batch.size);
        self.candidates.get(range).unwrap_or_default()
    }
}
