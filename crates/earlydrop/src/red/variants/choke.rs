//! CHOKe: choose and keep for responsive flows, choose and kill for others.
//!
//! # Reference
//! R. Pan, B. Prabhakar, K. Psounis, "CHOKe: A Stateless Active Queue Management
//! Scheme for Approximating Fair Bandwidth Allocation", IEEE INFOCOM 2000.
//!
//! # Equations
//! For avg > min, a waiting packet is drawn at random. If it is of the arriving packet's
//! flow, both are dropped. Otherwise RED decides.
//!
//! # Our readings
//! A matched packet is dropped even when ECN-capable: the rule is a penalty, not a
//! congestion signal. Both drops count as `policy`.
//!
//! # How other tools differ
//! | aspect | Linux `choke` | here | what it changes |
//! |---|---|---|---|
//! | avg <= min | no draw | no draw | |
//! | curve | RED, spacing as Linux red | any | |
//! | thresholds in | packets | packets, or `unit=bytes` | |
//! | above max | dropped; with ECN marked, unless harddrop | the curve's own; `mark_above_max` | |
//! | draw | a slot, up to three times if empty, then the head: `choke_peek_random` | a waiting packet, each equally likely | mean delay over 50,000 packets 93.3 ms, here 93.2: noise |
//! | average | in steps of the weight, rounded down | 2^-30 packets; `arithmetic=linux` | mean delay 0.5 ms longer |

use crate::aqm::{Backlog, Slot};
use crate::red::parameters::scheme;
use crate::registry::{Descriptor, Preset};
use crate::trace::{Case, Trace};

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "choke",
    "RED that drops an arriving packet and a random waiting one of the same flow",
    "Pan, Prabhakar, Psounis, IEEE INFOCOM 2000",
    &[("policy", "choke", "Pan, Prabhakar, Psounis 2000")],
    &[
        Preset {
            name: "paper",
            meaning: "Pan, Prabhakar, Psounis 2000, section III: thresholds 100 and 200, buffer 300",
            values: &[
                ("min", "100 packets"),
                ("max", "200 packets"),
                ("limit", "300 packets"),
            ],
        },
        Preset {
            name: "linux",
            meaning: "tc choke limit 1000 ecn: max a quarter of limit, min a third of max, weight 2^-6 for a burst of 138",
            values: &[
                ("limit", "1000 packets"),
                ("max", "250 packets"),
                ("min", "83 packets"),
                ("max_p", "0.02"),
                ("weight", "0.015625"),
                ("mean_packet", "1000 bytes"),
                ("mark_above_max", "on"),
                ("idle", "linux"),
                ("spacing", "drawn"),
                ("entry", "free"),
                ("arithmetic", "linux"),
            ],
        },
    ],
);

/// Draws a waiting packet; returns its slot if it is of the arriving packet's flow.
#[inline]
pub(crate) fn match_waiting(case: &mut Case<'_, impl Backlog, impl Trace>) -> Option<Slot> {
    let (slot, flow) = case.queue.draw(case.random)?;
    let (packet, trace) = (case.packet, &mut *case.trace);
    let says = "the flow of a packet drawn at random from the queue";
    trace.given(says, ("drawn", ""), flow.0 as f64);
    trace.given("the packet's flow", ("flow", ""), packet.flow.0 as f64);
    if flow != packet.flow {
        return None;
    }
    trace.source("Pan, Prabhakar, Psounis 2000");
    let reason = "the packet drawn is of the same flow, so both go";
    trace.by("CHOKe's comparison", || reason.into());
    Some(slot)
}

#[cfg(test)]
mod tests {
    use crate::aqm::DropReason;
    use crate::queue::{Outcome, QueueDiscipline};
    use crate::testing::{mbps, packet, queue};
    use crate::units::Nanos;

    #[test]
    fn a_match_costs_both_packets() {
        let mut queue = queue("choke:min=1,max=100,weight=1", mbps(10));
        for _ in 0..3 {
            queue.enqueue(Nanos::ZERO, packet(7));
        }
        // Average 1 at the second arrival and 2 at the third, all of one flow:
        // the first two are accepted (avg <= min), the third is dropped with one of them.
        assert_eq!(queue.packets(), 1);
        let dropped = queue.counters().dropped_for(DropReason::Policy);
        assert_eq!(dropped.packets, 2);
    }

    #[test]
    fn red_decides_on_packets_without_a_match() {
        let mut queue = queue("choke:min=1,max=100,weight=1,max_p=0.001", mbps(10));
        for flow in 0..20 {
            queue.enqueue(Nanos::ZERO, packet(flow));
        }
        assert_eq!(queue.counters().dropped_for(DropReason::Policy).packets, 0);
        assert_eq!(
            queue.enqueue(Nanos::ZERO, packet(99)),
            Outcome::Queued,
            "no packet of flow 99 waits"
        );
    }
}
