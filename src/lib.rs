//! No I/O, no clock, no randomness and no JavaScript: a pure core.

mod candidate;
mod decide;
pub mod document;
mod driver;
mod edit;
mod error;
mod history;
mod input;
mod json;
pub mod local;
pub mod marker;
pub mod message;
pub mod options;
mod outcome;
mod pair;
mod plan;
pub mod question;
mod redact;
mod request;
mod table;
mod text;
pub mod token;
mod view;
#[cfg(target_arch = "wasm32")]
pub mod wasm;

pub use candidate::Exclusion;
pub use decide::{Action, Answer, Reason};
pub use driver::{Compaction, Input, Output};
pub use edit::Removal;
pub use error::{Code, Error};
pub use outcome::{Counts, Decision, Outcome, Why};
pub use plan::Plan;
pub use request::{Batch, Manner, Requests, Window};
pub use view::{Part, Redaction};
