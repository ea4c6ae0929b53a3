//! The embedded decision model.
