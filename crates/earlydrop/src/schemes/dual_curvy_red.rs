//! Dual Curvy RED: a low-latency and a Classic queue, coupled by a curve of the Classic delay (L4S).
//!
//! # Reference
//! K. De Schepper, B. Briscoe, G. White, "Dual-Queue Coupled Active Queue Management (AQM) for Low
//! Latency, Low Loss, and Scalable Throughput (L4S)", RFC 9332, 2023, appendix B. B. Briscoe,
//! "Insights from Curvy RED (Random Early Detection)", BT technical report TR-TUB8-2015-003, 2015.
//!
//! # Equations
//! ECT(1) and CE go to the low-latency queue L, the rest to the Classic queue C.
//! - For each packet that leaves C, with the time it waited: `Q_C += w (sojourn - Q_C)`, and
//!   `p' = Q_C / scale`, at most 1.
//! - C signals with `p_C = p'^(2 U)`: a packet that is not ECN-capable is dropped, ECT(0) marked.
//! - L marks with max(p'_L, p_CL), where `p_CL = min(1, k q_C / scale)^U` and q_C is how long the
//!   head of C has waited, not averaged: scalable senders smooth marks themselves. p'_L is 1 for a
//!   packet that waited longer than `step`; with a `ramp` it rises to 1 over that span.
//! - Saturated, `k p' >= 1`: C drops what it would mark; L drops with p_C and marks the others.
//!
//! So p_C is the square of p_CL / k when the delay is steady, which is the coupling of RFC 9332,
//! equation (1), for U = 1. Scheduling is that of `dualpi2`.
//!
//! # Our readings
//! - The defaults are those of the RFC's draft -01 and its port to ns-3, which give scales as powers
//!   of two: S_C = -1 is `scale=500 ms`, f_C = 5 is `weight=0.03125`. L's scale follows from k by
//!   the coupling p_C = (p_CL / k)^2.
//! - They compare p' with the largest of 2 U random numbers, which is below p' with probability
//!   p'^(2 U). Here one number is drawn for that; `spread=even` adds up instead.
//! - The average changes with Classic departures only, so an idle Classic queue keeps it.
//! - Everything else is read as in `dualpi2`: Classic packets that are ECN-capable are marked, and
//!   saturation is at k p' = 1.
//!
//! # How other tools differ
//! | aspect | ns-3 (a student project, draft -01) | here |
//! |---|---|---|
//! | native marking of L | from 5 packets of 1500 bytes on | a step in time; `ramp` |
//! | scheduler | L first | weighted round robin, as `dualpi2` |
//! | Classic ECN | dropped | marked |
//! | L's scale | twice the Classic one | the Classic one over k |

use crate::queue::{Curvy, DualLaw};
use crate::registry::{Descriptor, Extent, Kind, Parameter, Plan, Preset, Range};
use crate::schemes::dualpi2::{BUFFER, PARAMETERS, PROBES, coupling};

const DRAFT: &str = "draft-ietf-tsvwg-aqm-dualq-coupled-01, as ported to ns-3";

const CURVE: &[Parameter] = &[
    Parameter::new(
        "scale",
        "the Classic delay at which p' is 1",
        Kind::Time(Range::POSITIVE),
    )
    .with_default("500 ms", DRAFT),
    Parameter::new(
        "weight",
        "w, the weight of a packet's delay in the average Classic delay",
        Kind::Number(Range::POSITIVE_PROBABILITY, "ratio"),
    )
    .with_extent(Extent::Weight)
    .with_default("0.03125", DRAFT),
    Parameter::new(
        "curviness",
        "U, the exponent of the coupled probability; the Classic one's is 2 U",
        Kind::Count(Range::closed(1.0, 8.0), "ratio"),
    )
    .with_default("1", DRAFT),
];

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "dual-curvy-red",
    "L4S: a low-latency queue and a Classic one, coupled by a curve of the Classic delay",
    "De Schepper, Briscoe, White, RFC 9332, 2023, appendix B",
    &[BUFFER, CURVE, PARAMETERS],
    |settings| {
        Ok(Plan::Dual {
            coupling: coupling(
                settings,
                DualLaw::CurvyRed(Curvy {
                    scale: settings.time("scale"),
                    weight: settings.number("weight"),
                    curviness: settings.count("curviness"),
                }),
            ),
        })
    },
)
.with_defaults(&[
    ("limit", "10000 packets", "Linux sch_dualpi2"),
    ("spread", "chance", DRAFT),
])
.with_presets(&[Preset {
    name: "paper",
    meaning: "250 ms of buffer, the Classic signal certain at 500 ms, U = 1",
    values: &[
        ("limit", "250 ms"),
        ("scale", "500 ms"),
        ("weight", "0.03125"),
        ("curviness", "1"),
    ],
}])
.with_probes(PROBES);

#[cfg(test)]
mod tests {
    use crate::packet::Ecn;
    use crate::queue::QueueDiscipline;
    use crate::testing::{TestPacket, mbps, packet, queue};
    use crate::units::Nanos;

    /// Classic packets wait 100 ms each: the share of them dropped, and of L packets marked that
    /// do not wait, out of 4000 each once the average has settled.
    fn signals(spec: &str) -> [f64; 2] {
        let mut queue = queue(spec, mbps(1000));
        let mut counts = [0_u32; 2];
        for ms in 0..4500_u64 {
            queue.enqueue(Nanos::from_millis(ms), packet(0));
            let Some(now) = (ms >= 100).then(|| Nanos::from_millis(ms)) else {
                continue;
            };
            let before = queue.counters().marked.packets;
            let ecn = Ecn::Ect1;
            queue.enqueue(now, TestPacket { ecn, ..packet(1) });
            // The first to leave is the L packet, which costs C nothing to wait for.
            let mut dropped = 0;
            while queue.packets() > 100 {
                queue.dequeue_with(now, &mut |_, _| dropped += 1);
            }
            if ms >= 500 {
                counts[0] += dropped;
                counts[1] += (queue.counters().marked.packets - before) as u32;
            }
        }
        counts.map(|count| f64::from(count) / 4000.0)
    }

    #[test]
    fn the_classic_probability_is_the_square_of_half_the_coupled_one() {
        // At 100 ms of 500: p' = 0.2, p_C = 0.04 and p_CL = 0.4.
        let [classic, coupled] = signals("dual-curvy-red:c_share=0.0001");
        assert!((classic - 0.04).abs() < 0.015, "{classic}");
        assert!((coupled - 0.4).abs() < 0.04, "{coupled}");
        // U = 2: 0.2^4 and 0.4^2.
        let [classic, coupled] = signals("dual-curvy-red:c_share=0.0001,curviness=2");
        assert!(classic < 0.006, "{classic}");
        assert!((coupled - 0.16).abs() < 0.03, "{coupled}");
    }

    #[test]
    fn the_average_moves_by_its_weight() {
        let mut queue = queue("dual-curvy-red:weight=0.25,spread=even", mbps(8));
        for _ in 0..3 {
            queue.enqueue(Nanos::ZERO, packet(0));
        }
        queue.dequeue(Nanos::from_millis(100));
        assert!((queue.probe("delay").unwrap() - 0.025).abs() < 1e-12);
        queue.dequeue(Nanos::from_millis(200));
        // 0.025 + 0.25 (0.2 - 0.025), over 0.5 s.
        assert!((queue.probe("p").unwrap() - 0.06875 / 0.5).abs() < 1e-12);
    }

    #[test]
    fn an_empty_classic_queue_couples_nothing() {
        let mut queue = queue("dual-curvy-red", mbps(8));
        for ms in 0..1000 {
            let ecn = Ecn::Ect1;
            let now = Nanos::from_millis(ms);
            queue.enqueue(now, TestPacket { ecn, ..packet(1) });
            queue.dequeue(now);
        }
        assert_eq!(queue.counters().marked.packets, 0);
    }
}
