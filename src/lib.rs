//! No I/O, no clock, no randomness and no JavaScript: a pure core.

pub mod local;
