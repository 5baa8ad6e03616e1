//! From a scenario to a picture.

#![forbid(unsafe_code)]

pub mod document;
pub mod plan;
pub mod report;
pub mod scenario;
pub mod sweep;
