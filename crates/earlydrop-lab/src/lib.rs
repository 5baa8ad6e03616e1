//! From a scenario to a picture.

#![forbid(unsafe_code)]

pub mod report;
