//! Drop-tail: every packet is accepted until the buffer is full.
//!
//! # Reference
//! A queue without active management; the baseline of Wang et al. 2008 (figure 11) and of
//! RFC 7928.
//!
//! # How other tools differ
//! | aspect | ns-2 `DropTail` | Linux `pfifo`, `bfifo` | here |
//! |---|---|---|---|
//! | limit in | packets, or bytes | packets, or bytes | either, or time at the link's rate |
//! | default limit | 50 packets | the interface's, 1000 | 1000 packets |
//! | drop at the front | optional | `pfifo_head_drop` | no |

use crate::aqm::Aqm;
use crate::registry::{Descriptor, LIMIT, Plan, Preset};
use crate::trace::Rule;

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "droptail",
    "a queue without active management: drops arrivals when the buffer is full",
    "no paper: a queue without active management",
    &[&[LIMIT]],
    |settings| Ok(Plan::single(DropTail, settings.limit())),
)
.with_presets(&[
    Preset {
        name: "ns2",
        meaning: "ns-2's default queue limit",
        values: &[("limit", "50 packets")],
    },
    Preset {
        name: "linux",
        meaning: "pfifo at an interface's default queue length",
        values: &[("limit", "1000 packets")],
    },
]);

/// A queue without active management.
#[derive(Clone, Copy, Debug, Default)]
pub struct DropTail;

impl Aqm for DropTail {}

impl Rule for DropTail {}

#[cfg(test)]
mod tests {
    use crate::aqm::DropReason;
    use crate::queue::{Outcome, QueueDiscipline};
    use crate::testing::{mbps, packet, queue};
    use crate::units::Nanos;

    #[test]
    fn holds_its_limit_and_keeps_order() {
        let mut queue = queue("droptail:limit=3", mbps(10));
        let outcomes = [1, 2, 3, 4].map(|flow| queue.enqueue(Nanos::ZERO, packet(flow)));
        assert_eq!(outcomes[2], Outcome::Queued);
        assert_eq!(outcomes[3], Outcome::Dropped(DropReason::Forced));
        let order = [(); 4].map(|()| queue.dequeue(Nanos::ZERO).map(|packet| packet.flow));
        assert_eq!(order, [Some(1), Some(2), Some(3), None]);
    }

    #[test]
    fn limits_in_bytes_count_bytes() {
        let mut queue = queue("droptail:limit=2500 bytes", mbps(10));
        assert_eq!(queue.enqueue(Nanos::ZERO, packet(1)), Outcome::Queued);
        assert_eq!(queue.enqueue(Nanos::ZERO, packet(1)), Outcome::Queued);
        assert_ne!(queue.enqueue(Nanos::ZERO, packet(1)), Outcome::Queued);
        assert_eq!(queue.bytes(), 2000);
    }
}
