//! Linux's own queueing disciplines as a reference: arrivals, replay, fates and figures.

pub(crate) mod python;
pub(crate) mod replay;
pub(crate) mod traces;
