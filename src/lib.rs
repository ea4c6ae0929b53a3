//! No I/O, no clock, no randomness and no JavaScript: a pure core.

mod error;
mod json;
mod redact;
pub mod local;
pub mod token;

pub use error::{Code, Error};
