//! One self-contained page of a run's results.

pub mod data;

pub use data::Data;
