//! The path behind a queue, and the lengths and times that depend on it: "0.5 BDP", "0.4 RTT", and
//! an automatic buffer.
//!
//! They are resolved for each queue, at the rate of its own link, before the scheme reads them.

use earlydrop::registry::{Kind, LinkFacts, Parameter, Spec};
use earlydrop::units::Nanos;
use earlydrop_model::PACKETS_PER_FLOW;
use earlydrop_model::configure::SMALL_BUFFER;

use crate::document::Relative;

/// What lengths and times in BDP and RTT refer to.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// The base round-trip time: the network's; in a graph, the longest of any group of flows.
    pub rtt: Nanos,
    /// The number of flows.
    pub flows: u64,
}

/// The automatic buffer, in bandwidth-delay products.
const AUTOMATIC_BUFFER: f64 = 3.0;

impl Path {
    /// The bandwidth-delay product at `link`, in packets.
    pub fn bdp(&self, link: &LinkFacts) -> f64 {
        self.rtt.as_secs_f64() * link.rate.packets_per_sec(link.mean_packet)
    }

    /// The automatic buffer at `link`, in packets: 3 BDP, or four packets a flow or fifty packets
    /// where that is more.
    pub fn buffer(&self, link: &LinkFacts) -> f64 {
        // A billionth less than a whole number is that number.
        let packets = AUTOMATIC_BUFFER * self.bdp(link) - 1e-9;
        let for_all = PACKETS_PER_FLOW * self.flows as f64;
        packets.max(for_all).max(SMALL_BUFFER).ceil()
    }

    /// `spec` at `link`, with every relative length and time replaced by packets and seconds.
    pub fn resolve(&self, spec: &Spec, link: &LinkFacts) -> Spec {
        let scheme = spec.descriptor();
        spec.replaced(|name, value| {
            let (is_inner, name) = match name.strip_prefix("inner.") {
                Some(inner) => (true, inner),
                None => (false, name),
            };
            let kind = scheme.parameter(name).map(|parameter| &parameter.kind);
            match value.parse().ok() {
                None => (name == "limit" && value == "auto")
                    .then(|| format!("{} packets", self.buffer(link))),
                Some(Relative::Bdp(number)) => {
                    let takes = is_inner || kind.is_some_and(takes_length);
                    takes.then(|| in_packets(name, number * self.bdp(link)))
                }
                Some(Relative::Rtt(number)) => {
                    let takes = is_inner || kind.is_some_and(|k| takes_length(k) || takes_time(k));
                    let time = number * self.rtt.as_secs_f64();
                    takes.then(|| Nanos::from_secs_f64(time).max(Nanos(1)).to_string())
                }
            }
        })
    }
}

/// Whole packets for a limit, at least one, and however many: the registry refuses more than a
/// queue holds; thousandths for a threshold.
fn in_packets(name: &str, packets: f64) -> String {
    let packets = match name {
        "limit" => packets.round().max(1.0),
        _ => (packets * 1e3).round() / 1e3,
    };
    format!("{packets} packets")
}

fn takes_length(kind: &Kind) -> bool {
    match kind {
        Kind::Length(_) => true,
        Kind::OrAuto(kind) => takes_length(kind),
        _ => false,
    }
}

fn takes_time(kind: &Kind) -> bool {
    match kind {
        Kind::Time(_) => true,
        Kind::OrAuto(kind) | Kind::OrNever(kind) => takes_time(kind),
        _ => false,
    }
}

/// The units of a path that a parameter takes besides its own; none for most.
pub(super) fn relative_units(parameter: &Parameter) -> &'static [&'static str] {
    match &parameter.kind {
        kind if takes_length(kind) => &["BDP", "RTT"],
        kind if takes_time(kind) => &["RTT"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use earlydrop::units::{BitsPerSec, Bytes};

    use super::*;

    fn resolved(spec: &str, mbps: u64, rtt: u64, flows: u64) -> String {
        let link = LinkFacts {
            rate: BitsPerSec::from_mbps(mbps),
            mean_packet: Bytes(1500),
        };
        let path = Path {
            rtt: Nanos::from_micros(rtt),
            flows,
        };
        path.resolve(&spec.parse().unwrap(), &link).to_string()
    }

    #[test]
    fn lengths_and_times_follow_the_path() {
        for (spec, mbps, rtt, flows, wanted) in [
            (
                "red:min=0.5 BDP,max=2 BDP",
                12,
                50_000,
                1,
                "red:min=25 packets,max=100 packets",
            ),
            ("red:min=0.1 BDP", 20, 50_000, 1, "red:min=8.333 packets"),
            (
                "droptail:limit=0.01 BDP",
                10,
                1_000,
                1,
                "droptail:limit=1 packets",
            ),
            (
                "red:min=auto,target_delay=0.4 RTT",
                20,
                50_000,
                1,
                "red:min=auto,target_delay=20 ms",
            ),
            (
                "codel:target=0.05 RTT,limit=1 RTT",
                10,
                600_000,
                1,
                "codel:target=30 ms,limit=600 ms",
            ),
            (
                "fq-red:inner.min=1 BDP",
                12,
                50_000,
                1,
                "fq-red:inner.min=50 packets",
            ),
            // A time is not a length, and a share is neither.
            ("codel:target=1 BDP", 12, 50_000, 1, "codel:target=1 BDP"),
            ("red:max_p=1 RTT", 12, 50_000, 1, "red:max_p=1 RTT"),
            ("pie:limit=auto", 20, 50_000, 24, "pie:limit=250 packets"),
            ("pie:limit=auto", 1000, 20_000, 24, "pie:limit=5000 packets"),
            ("pie:limit=auto", 1, 50_000, 5, "pie:limit=50 packets"),
            ("pie:limit=auto", 1, 50_000, 200, "pie:limit=800 packets"),
        ] {
            assert_eq!(resolved(spec, mbps, rtt, flows), wanted);
        }
    }
}
