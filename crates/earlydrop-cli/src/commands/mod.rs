//! One file a command.

pub(crate) mod check;
pub(crate) mod export;
pub(crate) mod report;
pub(crate) mod reproduce;
pub(crate) mod run;
pub(crate) mod schemes;
pub(crate) mod trace;
