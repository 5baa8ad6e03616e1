//! Why a queue in use cannot change to a plan.

use core::fmt;

/// Why a queue in use cannot change to a plan. The queue is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChangeError {
    /// The plan is one of another kind of queue.
    OtherQueue {
        /// The kind in use: "one queue", "a queue for each flow", "two coupled queues".
        now: &'static str,
        /// The kind in the plan.
        wanted: &'static str,
    },
    /// The plan hashes flows into another number of sub-queues.
    SubQueues {
        /// The number in use.
        now: u32,
        /// The number in the plan.
        wanted: u32,
    },
}

impl fmt::Display for ChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChangeError::OtherQueue { now, wanted } => write!(
                f,
                "{now} in use cannot become {wanted}; allowed: every scheme for {now}"
            ),
            ChangeError::SubQueues { now, wanted } => write!(
                f,
                "queues = {wanted}: the number of sub-queues in use cannot change; allowed: {now}"
            ),
        }
    }
}

impl core::error::Error for ChangeError {}
