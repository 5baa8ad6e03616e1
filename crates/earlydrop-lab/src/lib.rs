//! From a scenario to a picture.

#![forbid(unsafe_code)]

pub mod claims;
pub mod document;
pub mod estimate;
pub mod figure;
pub mod gather;
pub mod json;
pub mod live;
pub mod metrics;
pub mod outcome;
pub mod papers;
pub mod plan;
pub mod report;
pub mod reproduce;
pub mod scenario;
pub mod side_by_side;
pub mod statistics;
pub mod store;
pub mod summary;
pub mod sweep;
pub mod table;
pub mod trace;
pub mod tune;
pub mod verify;
pub mod work;
