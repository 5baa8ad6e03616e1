//! How much of an experiment is run.

/// How much of an experiment is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Three seeds; of sweeps with more than three values the ends, the middle and those that
    /// claims and figures name.
    Quick,
    /// Every seed and every point.
    Full,
}
