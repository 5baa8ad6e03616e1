//! RED: random early detection, which drops by the average queue.
//!
//! # Reference
//! S. Floyd, V. Jacobson, "Random Early Detection Gateways for Congestion
//! Avoidance", IEEE/ACM Transactions on Networking 1(4), 1993.
//!
//! # Equations
//! - `Pb = max_p (avg - min)/(max - min)` for min <= avg < max; 0 below, 1 above.
//! - `Pa = Pb/(1 - count Pb)`, the spacing `uniform`.
//!
//! # Our readings
//! - The paper's pseudo-code counts the arriving packet before it divides; its text
//!   (section VIII) does not. Only the text gives gaps uniform on 1..1/Pb, so we follow the
//!   text.
//! - The average is in packets. Idle time decays it by the number of packets that could
//!   have been sent, whole or not.
//!
//! # How other tools differ
//!
//! | aspect | ns-2, ns-3 | Linux | DPDK | here |
//! |---|---|---|---|---|
//! | spacing | `wait`, 0.67 Pb at Pb = 0.02 | threshold drawn once a gap, 1.96 Pb | uniform on 2/Pb, 0.99 Pb | named, `uniform` by default |
//! | default max_p | 0.1; 0.02 in ns-3 | 0.02 | 1/10 | 0.1 |
//! | gentle | on | no | no | `gred`, or `curve=gentle` |
//! | slope above max when max_p adapts | of the first max_p | no such part | no such part | of the present max_p; `gentle_slope=initial` for theirs |
//! | average in | bytes in ns-2, packets in ns-3 | bytes | packets | packets, or `unit=bytes` |
//! | idle decay | floor(m) + 1 steps; ns-3 for a link rate configured separately, 1.5 Mbps | a table of halvings, 15.6 times too late after the first: `red_calc_qavg_from_idle_time` | floor(m) of 2^22 bytes each | (1-w)^m; `idle=linux` |
//! | idle time starts | when the last packet has left the queue | when the link has nothing to send: `red_dequeue` | when the queue is empty | when the queue is empty; with `idle=linux` as Linux |
//! | average kept to | 2^-53 of itself | the weight, rounded down: `red_calc_qavg_no_idle_time` | 2^-10 packets | 2^-30 packets, 2^-24 bytes; `arithmetic=linux` |
//! | first packet in the band | never dropped | never dropped: `red_action` | may be dropped | may be dropped; `entry=free` |
//! | gap after a full buffer | new | goes on: `red_enqueue` | goes on | new; `entry=free` |
//! | queue of one packet | never dropped early | dropped | dropped unless empty | dropped |
//! | ECN | off by default | off by default | no ECN | on |
//! | with ECN, above max | dropped, and from Pb = 0.1 on in ns-2 | marked, unless harddrop | | dropped; `mark_above_max=on` to mark |
//! | with ECN, other packets | dropped | dropped, unless nodrop | | dropped; `others=pass` to pass |
//!
//! Switches differ in both lines, and in a data centre this decides who wins:
//!
//! | preset | thresholds | max_p | above max | packets that cannot be marked |
//! |---|---|---|---|---|
//! | `sonic` | 1 and 2 MiB | 5% | marked | dropped as often as others are marked |
//! | `hpcc` | 32 and 128 us of the link | 20% | marked | pass |
//! | `dcqcn` | 5 and 200 kB | 1% | marked | dropped as often as others are marked |
//! | `dell` | 467 and 4671 kB | 50% | dropped | dropped as often as others are marked |
//! | `juniper` | 0 and 20% of 1.5 MB | 100% | marked | pass |
//!
//! `as=linux` is Linux 6.1's include/net/red.h and sch_red.c to the packet: given the kernel's
//! random numbers, the fates of 50,000 packets agree in each of twelve cases.
//!
//! # What `burst` does in Linux
//! tc computes the weight from `burst`, and a table of idle decay from the weight, `avpkt` and
//! `bandwidth`. It fills the table in clock ticks of 64 ns; the kernel reads it in microseconds, so
//! halvings come 15.6 times too late. Only the first, which is interpolated, comes in time:
//!
//! | what is left of the average | intended, weight 2^-5 | Linux | intended, 2^-10 | Linux |
//! |---|---|---|---|---|
//! | 1/2 | 17 ms | 16 ms | 0.57 s | 0.52 s |
//! | 1/4 | 35 ms | 0.82 s | 1.1 s | 26 s |
//! | 1/8 | 52 ms | 1.2 s | 1.7 s | 39 s |
//!
//! The first weight is that of the manual page's example (10 Mbps, packets of 1000 bytes, burst
//! 55), the second that of a burst of 200 between the same thresholds. A burst that follows a pause
//! therefore meets half the average of the burst before it: with weight 2^-10 and pauses of 0.25 to
//! 2.2 s, Linux dropped 8.03% of the packets, the intended decay 0.52%. `burst` is the time over
//! which the average forgets a busy link. It hardly says how soon an idle one is forgotten; a
//! smaller `burst` helps, by its larger weight.

use crate::red::parameters::scheme;
use crate::red::presets::{
    AS_DCQCN, AS_DELL, AS_HPCC, AS_JUNIPER, AS_LINUX, AS_NS2, AS_NS3, AS_SONIC,
};
use crate::red::{CurveLaw, Pieces, Strength, linear_piece};
use crate::registry::{Descriptor, Preset};

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "red",
    "drops at random with a probability that rises with the average queue, and everything from max on",
    "Floyd and Jacobson, IEEE/ACM Transactions on Networking 1(4), 1993",
    &[],
    &[
        Preset {
            name: "paper",
            meaning: "Floyd and Jacobson 1993: thresholds 5 and 15, max_p 1/50, spacing by method 2",
            values: &[
                ("min", "5 packets"),
                ("max", "15 packets"),
                ("max_p", "0.02"),
                ("spacing", "uniform"),
            ],
        },
        Preset {
            name: "ns2",
            meaning: "ns-2 2.35 with gentle_ false and all else but the buffer at its defaults",
            values: AS_NS2,
        },
        Preset {
            name: "ns3",
            meaning: "ns-3's RedQueueDisc with Gentle false and all else at its defaults",
            values: AS_NS3,
        },
        Preset {
            name: "linux",
            meaning: "tc red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 ecn, as in its manual",
            values: AS_LINUX,
        },
        Preset {
            name: "dpdk",
            meaning: "rte_red: spacing uniform2, weight 2^-9, thresholds 32 and 64, idle time in units of 2^22 bytes, no ECN",
            values: &[
                ("spacing", "uniform2"),
                ("idle", "floor"),
                ("idle_packet", "4194304 bytes"),
                ("weight", "0.001953125"),
                ("min", "32 packets"),
                ("max", "64 packets"),
                ("max_p", "0.1"),
                ("ecn", "off"),
            ],
        },
        Preset {
            name: "sonic",
            meaning: "SONiC's AZURE_LOSSLESS: 1 and 2 MiB, 5%; marks above max, drops what cannot be marked",
            values: AS_SONIC,
        },
        Preset {
            name: "hpcc",
            meaning: "switches of Li et al. 2019 (HPCC) under DCQCN: 100 and 400 kB at 25 Gbps, in proportion to the rate, 20%; marks above max, drops nothing early",
            values: AS_HPCC,
        },
        Preset {
            name: "dcqcn",
            meaning: "Zhu et al. 2015 (DCQCN) at 40 Gbps: 5 and 200 kB, 1%; marks above max, drops what cannot be marked",
            values: AS_DCQCN,
        },
        Preset {
            name: "dell",
            meaning: "Dell OS 9's wred_teng_g with wred ecn: 467 and 4671 kB, 50%; drops everything above max",
            values: AS_DELL,
        },
        Preset {
            name: "juniper",
            meaning: "Juniper's validated design for RoCEv2 (dp0): from 0 to 100% marks between an empty and a fifth of 1.5 MB; drops nothing early",
            values: AS_JUNIPER,
        },
    ],
);

/// RED's straight line.
pub const CURVE: CurveLaw = CurveLaw {
    name: "red",
    equation: "max_p (avg-min)/(max-min), all from max on",
    source: "Floyd and Jacobson 1993, section IV",
    strength: Strength::MaxP,
    pieces: |shape| Pieces::new(&[linear_piece(shape)], shape.max),
};

#[cfg(test)]
mod tests {
    use alloc::format;

    use crate::aqm::DropReason;
    use crate::packet::Ecn;
    use crate::queue::{Outcome, QueueDiscipline};
    use crate::registry::{LinkFacts, Spec};
    use crate::testing::{TestPacket, curve, mbps, packet, queue};
    use crate::units::Nanos;

    /// The largest W = 2^-n, n from 1, with burst + 1 - min <= (1 - (1-W)^burst)/W:
    /// the weight tc computes from a burst, min in packets.
    fn tc_weight(min: f64, burst: f64) -> f64 {
        let weights = (1..32).map(|n| libm::exp2(-f64::from(n)));
        let fits = |w: &f64| burst + 1.0 - min <= (1.0 - libm::pow(1.0 - w, burst)) / w;
        weights.into_iter().find(fits).unwrap()
    }

    #[test]
    fn weights_of_the_linux_presets_are_those_tc_computes() {
        // By hand for red: 26 exceeds 16 (1 - (15/16)^55) = 15.5, not
        // 32 (1 - (31/32)^55) = 26.4.
        for (spec, min, burst, weight) in [
            ("red:as=linux", 30.0, 55.0, "0.03125"),
            ("ared:as=linux", 30.0, 55.0, "0.03125"),
            ("choke:as=linux", 83.0, 138.0, "0.015625"),
            ("wred:as=linux", 20.0, 43.0, "0.015625"),
            ("wred:as=linux", 10.0, 36.0, "0.015625"),
        ] {
            let expected: f64 = weight.parse().unwrap();
            assert_eq!(tc_weight(min, burst), expected, "{spec}");
            let spec: Spec = spec.parse().unwrap();
            let settings = spec.settings(&LinkFacts::at(mbps(10))).unwrap();
            assert_eq!(settings.number_or_auto("weight"), Some(expected));
        }
    }

    #[test]
    fn presets_mark_only_where_the_tool_does() {
        for (spec, ecn) in [
            ("red:as=ns2", false),
            ("gred:as=ns2", false),
            ("gred:as=ns3", false),
            ("red:as=linux", true),
            ("gred:as=ns2,ecn=on", true),
        ] {
            let parsed: Spec = spec.parse().unwrap();
            let settings = parsed.settings(&LinkFacts::at(mbps(10))).unwrap();
            assert_eq!(settings.flag("ecn"), ecn, "{spec}");
        }
    }

    /// What becomes of a packet of 1,000 bytes that finds a queue of so many at 25 Gbps.
    fn fate(spec: &str, queued: u32, ecn: Ecn) -> Outcome {
        let mut queue = queue(&format!("{spec},limit=9 MB"), mbps(25_000));
        let packet = |ecn| TestPacket { ecn, ..packet(1) };
        let mut waiting = 0;
        while waiting < queued {
            let kept = queue.enqueue(Nanos::ZERO, packet(Ecn::Ect0));
            waiting += u32::from(!matches!(kept, Outcome::Dropped(_)));
        }
        queue.enqueue(Nanos::ZERO, packet(ecn))
    }

    #[test]
    fn switches_differ_above_max_and_in_what_cannot_be_marked() {
        use Outcome::{Dropped, Marked, Queued};
        let early = Dropped(DropReason::Early);
        // HPCC's thresholds are 100 and 400 kB at 25 Gbps. A queue of exactly max is above it.
        for (preset, max, capable, other) in [
            ("sonic", 2098, Marked, early),
            ("hpcc", 400, Marked, Queued),
            ("dcqcn", 200, Marked, early),
            ("juniper", 300, Marked, Queued),
        ] {
            let spec = format!("red:as={preset}");
            assert_eq!(fate(&spec, max, Ecn::Ect0), capable, "{preset}");
            assert_eq!(fate(&spec, max, Ecn::NotCapable), other, "{preset}");
            let passing = format!("{spec},others=pass");
            assert_eq!(fate(&passing, max, Ecn::NotCapable), Queued, "{preset}");
        }
        assert_eq!(fate("red:as=hpcc", 99, Ecn::Ect0), Queued);
        // Under Dell's nothing gets above max.
        let mut queue = queue("red:as=dell,limit=9 MB", mbps(25_000));
        for ecn in [Ecn::Ect0, Ecn::NotCapable].repeat(40_000) {
            queue.enqueue(Nanos::ZERO, TestPacket { ecn, ..packet(1) });
        }
        assert_eq!(queue.bytes(), 4_671_000);
        // A quarter, on average, of some 2,400 between the thresholds.
        let marked = queue.counters().marked.packets;
        assert!((400..800).contains(&marked), "{marked}");
    }

    #[test]
    fn curve_is_the_closed_form() {
        let pb = curve("red:min=10,max=30,max_p=0.1");
        assert_eq!(pb(9.999), 0.0);
        assert_eq!(pb(10.0), 0.0);
        assert!((pb(20.0) - 0.05).abs() < 1e-15);
        assert!((pb(29.999_999) - 0.1).abs() < 1e-8);
        assert_eq!(pb(30.0), 1.0);
    }
}
