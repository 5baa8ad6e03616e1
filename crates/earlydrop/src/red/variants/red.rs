//! RED: random early detection.
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
//! The paper's pseudo-code counts the arriving packet before it divides, its text
//! (section VIII) does not, and only the text gives gaps uniform on 1..1/Pb: the
//! text is followed. The average is in packets; idle time decays it by the packets
//! that could have been sent, whole or not.
//!
//! # How other tools differ
//!
//! | aspect | ns-2, ns-3 | Linux | DPDK | here |
//! |---|---|---|---|---|
//! | spacing | `wait`, 0.67 Pb at Pb = 0.02 | threshold drawn once a gap, 1.96 Pb | uniform on 2/Pb, 0.99 Pb | named, `uniform` by default |
//! | default max_p | 0.1; 0.02 in ns-3 | 0.02 | 1/10 | 0.1 |
//! | gentle | on | no | no | `gred`, or `curve=gentle` |
//! | slope above max when max_p adapts | of the first max_p | no such part | no such part | follows; `gentle_slope=initial` for theirs |
//! | average in | bytes in ns-2, packets in ns-3 | bytes | packets | packets, or `unit=bytes` |
//! | idle decay | floor(m) + 1 steps; ns-3 of a link configured apart, 1.5 Mbps | 256 halvings | floor(m) of 2^22 bytes each | (1-w)^m |
//! | first packet in the band | never dropped | never dropped | may be dropped | may be dropped |
//! | queue of one packet | never dropped early | dropped | dropped unless empty | dropped |
//! | ECN | off unless asked for | off unless asked for | no ECN | on |
//! | with ECN, above max | dropped, and from Pb = 0.1 on in ns-2 | marked, unless harddrop | | dropped; `mark_above_max=on` to mark |
//! | with ECN, other packets | dropped | dropped, unless nodrop | | dropped |

use crate::red::parameters::{AS_LINUX, AS_NS2, AS_NS3, scheme};
use crate::red::{CurveLaw, Pieces, linear_piece};
use crate::registry::{Descriptor, Preset};

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "red",
    "drops at random, the likelier the longer the average queue, all from max on",
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
            meaning: "ns-2 2.35, gentle_ false, the rest but the buffer at its defaults",
            values: AS_NS2,
        },
        Preset {
            name: "ns3",
            meaning: "ns-3's RedQueueDisc, Gentle false and the rest at its defaults",
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
    ],
);

/// RED's straight line.
pub const CURVE: CurveLaw = CurveLaw {
    name: "red",
    equation: "max_p (avg-min)/(max-min), all from max on",
    inverted: false,
    pieces: |shape| Pieces::new(&[linear_piece(shape)], shape.max),
};

#[cfg(test)]
mod tests {
    use crate::registry::{Link, Spec};
    use crate::testing::{curve, mbps};

    /// The largest W = 2^-n, n from 1, with burst + 1 - min <= (1 - (1-W)^burst)/W:
    /// what tc makes of a burst, min in packets.
    fn tc_weight(min: f64, burst: f64) -> f64 {
        let weights = (1..32).map(|n| libm::exp2(-f64::from(n)));
        let fits = |w: &f64| burst + 1.0 - min <= (1.0 - libm::pow(1.0 - w, burst)) / w;
        weights.into_iter().find(fits).unwrap()
    }

    #[test]
    fn weights_as_linux_are_those_tc_works_out() {
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
            let settings = spec.settings(&Link::at(mbps(10))).unwrap();
            assert_eq!(settings.number_or_auto("weight"), Some(expected));
        }
    }

    #[test]
    fn tools_defaults_mark_only_where_they_do() {
        for (spec, ecn) in [
            ("red:as=ns2", false),
            ("gred:as=ns2", false),
            ("gred:as=ns3", false),
            ("red:as=linux", true),
            ("gred:as=ns2,ecn=on", true),
        ] {
            let parsed: Spec = spec.parse().unwrap();
            let settings = parsed.settings(&Link::at(mbps(10))).unwrap();
            assert_eq!(settings.flag("ecn"), ecn, "{spec}");
        }
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
