//! DualPI2: a low-latency and a Classic queue, coupled by one controller (L4S).
//!
//! # Reference
//! K. De Schepper, B. Briscoe, G. White, "Dual-Queue Coupled Active Queue Management
//! (AQM) for Low Latency, Low Loss, and Scalable Throughput (L4S)", RFC 9332, 2023,
//! appendix A; PI2 is by De Schepper, Bondarenko, Tsang, Briscoe, ACM CoNEXT 2016.
//!
//! # Equations
//! ECT(1) and CE go to the low-latency queue L, the rest to the Classic queue C. Every
//! `update`, where delay is the longer of both heads' waiting times:
//! - `p' += alpha (delay - target) + beta (delay - delay before)`, within [0, 1];
//! - `p_CL = k p'` for L, `p_C = p'^2` for C.
//!
//! On departure:
//! - C, with p_C: a packet that is not ECN-capable is dropped, ECT(0) marked.
//! - L, with max(p'_L, p_CL): marked. p'_L is 1 for a packet that waited longer than `step`;
//!   with a `ramp` it rises to 1 over that span.
//! - Saturated, `p_CL >= 1`: C drops what it would mark; L drops with p_C and marks the
//!   others.
//!
//! L is served unless C's credit is above zero: with packets in both, a byte sent from L
//! gives C `c_share` of a byte, a byte sent from C costs it `1 - c_share`.
//!
//! # Our readings
//! - lq.time() is the waiting time of the packet just dequeued, as in Linux. The RFC calls it
//!   after the dequeue, so it could also mean the next packet.
//! - Signals are spread evenly as by the RFC's recur(), which adds up likelihoods. Here a sum
//!   of exactly 1 signals too, so a likelihood of 1 signals every packet.
//! - p_CL is capped at 1, and packets kept in saturation are all marked.
//! - The RFC leaves the scheduler open; Linux's weighted round robin with a tenth for C
//!   is the default. Dropped packets cost no credit. Credit starts at 0.
//! - At the limit an arrival to either queue is dropped, as in the RFC, counted as `forced`.
//!   Drops on departure count as `dequeue`.
//! - A timer updates p' from the first packet on, not arrivals.
//!
//! # How other tools differ
//! | aspect | RFC 9332, appendix A | Linux | here |
//! |---|---|---|---|
//! | native marking of L | ramp, 0.8 to 1.2 ms | step, 1 ms | step, 1 ms; `ramp` |
//! | L never marks | unless more than 1 packet is queued | `min_qlen_step`, off, at arrival | with 1 packet behind; `step_packets`, at departure |
//! | signals | evenly | randomly, two draws of p' for p'^2 | evenly; `spread=chance` |
//! | p' ignored below a backlog of | no rule | 2 MTUs in both queues | off; `least_backlog` |
//! | saturated at | p_CL >= 1 | p_CL > 1 | p_CL >= 1 |
//! | step in saturation | not tested | tested | all marked anyway |
//! | update, alpha, beta | 15 ms, 0.15, 3 | 16 ms, 0.16, 3.2 | Linux's |
//! | first credit | scheduler left open | C owes 0.8 MTU | none |
//! | limit | 250 ms at the highest rate | 10000 packets | 10000 packets |
//!
//! ns-3 has DualPI2 in branches only, which differ among themselves.

use crate::queue::{Coupling, DualLaw, PiControl};
use crate::registry::{
    Descriptor, Extent, Kind, LIMIT, Parameter, Plan, Preset, Probe, Range, Settings,
};

const RFC: &str = "RFC 9332, appendix A.1";
const LINUX: &str = "Linux sch_dualpi2";

/// The buffer.
pub(crate) const BUFFER: &[Parameter] = &[LIMIT];

/// The PI controller's.
const CONTROL: &[Parameter] = &[
    Parameter::new(
        "target",
        "target delay of the Classic queue",
        Kind::Time(Range::POSITIVE),
    )
    .with_default("15 ms", RFC),
    Parameter::new(
        "update",
        "time between two updates of p'",
        Kind::Time(Range::UPDATE_INTERVAL),
    )
    .with_extent(Extent::Period)
    .with_default("16 ms", LINUX),
    Parameter::new(
        "alpha",
        "integral gain, in Hz: p' per second of delay above target, each update",
        Kind::Number(Range::NOT_NEGATIVE, "Hz"),
    )
    .with_default("0.16", LINUX),
    Parameter::new(
        "beta",
        "proportional gain, in Hz: p' per second of delay change since the last update",
        Kind::Number(Range::NOT_NEGATIVE, "Hz"),
    )
    .with_default("3.2", LINUX),
];

/// Those of the low-latency queue, of the scheduler and of signals, whatever controls p'.
pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter::new(
        "k",
        "coupling factor between p' and the marking of the low-latency queue",
        Kind::Number(Range::POSITIVE, "ratio"),
    )
    .with_default("2", RFC),
    Parameter::new(
        "step",
        "low-latency packets that waited longer are marked",
        Kind::Time(Range::NOT_NEGATIVE),
    )
    .with_default("1 ms", LINUX),
    Parameter::new(
        "ramp",
        "beyond step, the span over which the marking probability rises from 0 to 1",
        Kind::Time(Range::NOT_NEGATIVE),
    )
    .with_default("0 s", LINUX),
    // Th_len, a packet: "lq.len() > Th_len". A packet that waits for nobody is late only because the
    // one before takes longer than the step to send: below 12 Mbps for 1500 bytes and 1 ms.
    Parameter::new(
        "step_packets",
        "step and ramp apply only with at least this many packets behind in their queue",
        Kind::Count(Range::NOT_NEGATIVE, "packets"),
    )
    .with_default("1", RFC),
    Parameter::new(
        "least_backlog",
        "p' is ignored while both queues together hold fewer bytes",
        Kind::Bytes(Range::NOT_NEGATIVE),
    )
    .with_default("0 bytes", RFC),
    Parameter::new(
        "c_share",
        "the Classic queue's share of the link while both have packets",
        Kind::Number(Range::POSITIVE_PROBABILITY, "share"),
    )
    .with_default("0.1", "Linux sch_dualpi2, c_protection"),
    Parameter::new(
        "drop_on_overload",
        "drop in both queues on saturation; off caps p' at 1/k until the buffer is full",
        Kind::Flag,
    )
    .with_default("on", "RFC 9332, appendix A.2"),
    Parameter::new(
        "spread",
        "how congestion signals are spaced",
        Kind::Choice(&[
            (
                "even",
                "one as soon as the probabilities since the last add up to 1",
            ),
            ("chance", "each packet independently"),
        ]),
    )
    .with_default("even", RFC),
];

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "dualpi2",
    "L4S: a low-latency queue marked early and a Classic one, coupled by a PI controller",
    "De Schepper, Briscoe, White, RFC 9332, 2023",
    &[BUFFER, CONTROL, PARAMETERS],
    |settings| {
        Ok(Plan::Dual {
            coupling: coupling(
                settings,
                DualLaw::Pi2(PiControl {
                    target: settings.time("target"),
                    update: settings.time("update"),
                    alpha: settings.number("alpha"),
                    beta: settings.number("beta"),
                }),
            ),
        })
    },
)
.with_defaults(&[("limit", "10000 packets", LINUX)])
.with_presets(&[
    Preset {
        name: "paper",
        meaning: "RFC 9332, appendix A.1: gains for round trips of up to 100 ms, a ramp",
        values: &[
            ("limit", "250 ms"),
            ("update", "15 ms"),
            ("alpha", "0.15"),
            ("beta", "3"),
            ("step", "0.8 ms"),
            ("ramp", "0.4 ms"),
            ("step_packets", "2"),
        ],
    },
    Preset {
        name: "linux",
        meaning: "tc dualpi2 on Ethernet, an MTU of 1514 with its header",
        values: &[
            ("limit", "10000 packets"),
            ("step_packets", "0"),
            ("least_backlog", "3028 bytes"),
            ("spread", "chance"),
        ],
    },
])
.with_probes(PROBES);

/// What two coupled queues report.
pub(crate) const PROBES: &[Probe] = &[
    Probe::new("p", "p', the base probability"),
    Probe::new("p_c", "p_C = p'^2, the Classic queue's probability"),
    Probe::new(
        "p_cl",
        "p_CL = k p', the coupled probability of the low-latency queue",
    ),
    Probe::new("delay", "the delay at the last update, in s"),
    Probe::new("l_packets", "packets in the low-latency queue"),
    Probe::new("c_packets", "packets in the Classic queue"),
    Probe::new("credit", "the Classic queue's scheduling credit, in bytes"),
];

/// Reads [`BUFFER`] and [`PARAMETERS`]; `law` moves p'.
pub(crate) fn coupling(settings: &Settings, law: DualLaw) -> Coupling {
    let size = |name| settings.size_or_auto(name).unwrap_or_default();
    Coupling {
        limit: settings.limit(),
        law,
        factor: settings.number("k"),
        step: settings.time("step"),
        ramp: settings.time("ramp"),
        least_behind: settings.count("step_packets"),
        least_backlog: size("least_backlog").0,
        classic_share: settings.number("c_share"),
        drop_on_overload: settings.flag("drop_on_overload"),
        evenly: settings.choice("spread") == "even",
    }
}

#[cfg(test)]
mod tests {
    use crate::packet::Ecn;
    use crate::queue::QueueDiscipline;
    use crate::testing::{TestPacket, mbps, packet, queue};
    use crate::units::Nanos;

    /// At 1 packet a ms, 1.1 Classic packets come a ms, and every `l_every` ms one for
    /// the low-latency queue: the mean waits of both kinds over the last half, in ms.
    fn waits(spec: &str, l_every: u64) -> [f64; 2] {
        let mut queue = queue(spec, mbps(8));
        let (mut sums, mut counts) = ([0.0; 2], [0.0; 2]);
        for ms in 0..40_000 {
            let now = Nanos::from_millis(ms);
            let classic = 1 + u64::from(ms % 10 == 0);
            for _ in 0..classic {
                queue.enqueue(now, packet(0));
            }
            if ms % l_every == 0 {
                queue.enqueue(
                    now,
                    TestPacket {
                        ecn: Ecn::Ect1,
                        ..packet(1)
                    },
                );
            }
            let left = queue.dequeue_with(now, &mut |_, _| {});
            if let Some(left) = left.filter(|_| ms >= 20_000) {
                let kind = left.packet.flow as usize;
                sums[kind] += (now - left.arrived).as_secs_f64() * 1e3;
                counts[kind] += 1.0;
            }
        }
        [sums[0] / counts[0], sums[1] / counts[1]]
    }

    #[test]
    fn holds_the_classic_queue_at_target_and_the_other_near_empty() {
        for spec in ["dualpi2", "dualpi2:as=paper", "dualpi2:as=linux"] {
            let [classic, low_latency] = waits(spec, 10);
            assert!((classic - 15.0).abs() < 3.0, "{spec}: {classic} ms");
            assert!(low_latency < 1.0, "{spec}: {low_latency} ms");
        }
    }
}
