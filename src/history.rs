//! What can be done with a history: the entry points of the core.

use crate::decide::Answer;
use crate::driver::Compaction;
use crate::edit::Removal;
use crate::error::Error;
use crate::message::Snapshot;
use crate::options::{Language, Options, Settings};
use crate::outcome::Outcome;
use crate::pair::Pairing;
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
