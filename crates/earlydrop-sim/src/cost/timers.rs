//! Retransmission timers that expire before a segment has left its host: how many copies wait there.
//!
//! A timer does not know whether the segment has been sent or still waits for the host's link. Its
//! expiries double up to the maximum of RTO (RFC 6298, 5.5). From then on c connections over links
//! that carry p segments a second add c / maximum - p copies a second to those that wait, without
//! limit where the link has no queue.

use super::flight::{Load, Sender, has_queue};
use crate::network::Network;

/// What timers add to the traffic of senders.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Repeats {
    /// Segments a second that are sent again although the last copy has not been acknowledged because
    /// it is still on its way.
    pub(super) per_second: f64,
    /// Copies that wait in hosts at the end, at most.
    pub(super) waiting: f64,
}

/// The repeats of `senders`, each with so many connections at once, within `seconds`.
pub(super) fn repeats<'a>(
    network: &Network,
    senders: impl Iterator<Item = (&'a Sender<'a>, f64)>,
    seconds: f64,
) -> Repeats {
    let mut loads = vec![Load::default(); network.links().len()];
    let mut early = 0.0;
    for (sender, connections) in senders {
        let bits = 8.0 * f64::from(sender.profile.segment_size.max(1));
        let maximum = sender.profile.timer.maximum;
        let maximum = maximum.max(sender.profile.timer.floor()).as_secs_f64();
        let mut copies = connections / maximum;
        let mut one_way = 0.0;
        for id in &sender.forward {
            let link = network.get(*id);
            let carried = link.mean_rate().0 as f64 / bits;
            one_way += 1.0 / carried;
            loads[id.0 as usize].add(copies, bits);
            copies = copies.min(carried);
        }
        if maximum < one_way + sender.rtt {
            early += connections / maximum;
        }
    }
    let links = network.links().zip(&loads);
    let unlimited = links.filter(|((_, _, _, link), _)| !has_queue(link));
    let excess = unlimited.map(|((_, _, _, link), load)| load.excess(link));
    let excess: f64 = excess.sum();
    Repeats {
        per_second: early.max(excess),
        waiting: excess * seconds,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use earlydrop::units::{BitsPerSec, Nanos};

    use crate::network::{Dumbbell, Link};
    use crate::run::Run;
    use crate::tcp::{Algorithm, Profile, Recovery, RtoParams};
    use crate::traffic::Flow;

    use super::super::BYTES_OF_PACKET;

    /// Two flows whose largest RTO is `maximum`, over access links of 10 Mbps.
    fn run(profile: Profile, maximum: Nanos) -> Run {
        let link = Link::new(BitsPerSec::from_mbps(10), Nanos::from_millis(1));
        let queue = "droptail:limit=20".parse().unwrap();
        let mut dumbbell = Dumbbell::new(link.clone().queue(queue), link);
        let profile = Arc::new(Profile {
            timer: RtoParams {
                initial: maximum,
                minimum: maximum,
                maximum,
                tick: maximum,
                ..profile.timer
            },
            ..profile
        });
        let mut flows = Vec::new();
        for _ in 0..2 {
            let (from, to) = dumbbell.pair(BitsPerSec::from_mbps(10), Nanos::from_millis(1));
            flows.push(Flow::bulk(from, to, &profile));
        }
        let mut run = Run::new(dumbbell.network, Nanos::from_secs(1));
        run.flows = flows;
        run
    }

    #[test]
    fn copies_of_a_segment_that_waits_in_its_host_are_within_the_estimate() {
        for profile in [
            Profile::modern(Algorithm::Reno),
            Profile::ns2(Recovery::NewReno),
        ] {
            let run = run(profile, Nanos::from_micros(10));
            let cost = run.cost();
            let packets = cost.flight_bytes / BYTES_OF_PACKET;
            let totals = run.results().unwrap().totals;
            let waiting = totals.in_flight.packets as f64;
            assert!(waiting > 50_000.0, "{waiting}");
            let expected = waiting..3.0 * waiting;
            assert!(expected.contains(&packets), "{packets} of {waiting}");
            let ratio = cost.events / totals.events as f64;
            assert!((1.0 / 3.0..3.0).contains(&ratio), "{ratio}");
        }
    }

    #[test]
    fn timers_that_senders_have_add_nothing() {
        for maximum in [Nanos::from_millis(200), Nanos::from_secs(60)] {
            let run = run(Profile::modern(Algorithm::Reno), maximum);
            assert!(run.cost().flight_bytes < 1e5);
        }
    }
}
