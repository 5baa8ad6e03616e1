//! Network cards whose packets are lost: how many they send however few are carried.
//!
//! A loss does not change DCQCN's rate, only a mark of a packet that arrives does. While a queue
//! overflows before its first marks are echoed, most packets that would be marked are dropped, so
//! that cards stay near the rates of their links, and all of it is sent again.

use super::flight::Sender;
use crate::network::{Link, Network};
use crate::tcp::Algorithm;

/// What such cards send of what their links carry. By experiment with 128 to 400 of them at 40 Gbps,
/// into one link of that rate with 12 MB: nearly all of it in the first ten milliseconds, 0.22 to 0.40
/// over 40 to 200 ms.
const SHARE_OF_LINKS: f64 = 0.5;

/// What cards do at first over a link.
#[derive(Clone, Default)]
struct Start {
    /// The sum of the rates at which they start, in bits per second.
    rate: f64,
    /// What it takes until they are told to slow down, in seconds.
    untold: f64,
    /// Their longest segment, in bits.
    segment: f64,
}

/// The packets that cards send a second beyond what the queues before them carry.
pub(super) fn lost_per_second(network: &Network, senders: &[Sender<'_>]) -> f64 {
    let is_card = |sender: &&Sender<'_>| sender.profile.control == Algorithm::Dcqcn;
    // Where a switch pauses its links nothing is lost.
    if !network.pauses().is_empty() || !senders.iter().any(|sender| is_card(&sender)) {
        return 0.0;
    }
    let mut starts = vec![Start::default(); network.links().len()];
    for sender in senders.iter().filter(is_card) {
        // The first notification cuts the rate by half; the next comes so much later.
        let later = 2.0 * sender.profile.card.notify_every.as_secs_f64();
        for link in &sender.forward {
            let start = &mut starts[link.0 as usize];
            start.rate += line_rate(network, sender);
            start.untold = start.untold.max(sender.rtt + later);
            start.segment = start.segment.max(segment_bits(sender));
        }
    }
    let links = network.links().zip(&starts);
    let overflows = links.map(|((_, _, _, link), start)| {
        let excess = start.rate - link.mean_rate().0 as f64;
        excess > 0.0 && excess * start.untold > bits_of_queue(link, start.segment)
    });
    let overflows: Vec<bool> = overflows.collect();
    let loses = |sender: &&Sender<'_>| {
        let mut links = sender.forward.iter();
        links.any(|link| overflows[link.0 as usize])
    };
    let lost = senders.iter().filter(is_card).filter(loses);
    lost.map(|sender| SHARE_OF_LINKS * line_rate(network, sender) / segment_bits(sender))
        .sum()
}

fn segment_bits(sender: &Sender<'_>) -> f64 {
    8.0 * f64::from(sender.profile.segment_size.max(1))
}

/// The rate that a card starts at, in bits per second.
fn line_rate(network: &Network, sender: &Sender<'_>) -> f64 {
    let first = || Some(network.get(*sender.forward.first()?).rate);
    let rate = sender.profile.line_rate.or_else(first);
    rate.map_or(0.0, |rate| rate.0 as f64)
}

/// The bits that wait in front of a link at most; endless without a queue.
fn bits_of_queue(link: &Link, segment_bits: f64) -> f64 {
    let Some(spec) = &link.queue else {
        return f64::INFINITY;
    };
    let Ok(plan) = spec.plan(&link.facts()) else {
        return 0.0;
    };
    let limit = plan.limit();
    (f64::from(limit.packets) * segment_bits).min(8.0 * limit.bytes.0 as f64)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use earlydrop::units::{BitsPerSec, Nanos};

    use crate::network::{Dumbbell, Link};
    use crate::run::Run;
    use crate::tcp::Profile;
    use crate::traffic::Flow;

    /// Cards at 40 Gbps that start at once into one link of the same rate with 12 MB.
    fn cards(count: usize) -> Run {
        let link = Link::new(BitsPerSec::from_mbps(40_000), Nanos::from_micros(4));
        let queue = "red:min=4,max=187,max_p=0.01,limit=11236,ecn=on";
        let mut dumbbell = Dumbbell::new(link.clone().queue(queue.parse().unwrap()), link);
        let profile = Arc::new(Profile::roce());
        let mut flows = Vec::new();
        for _ in 0..count {
            let (from, to) = dumbbell.pair(BitsPerSec::from_mbps(40_000), Nanos(500));
            flows.push(Flow::bulk(from, to, &profile));
        }
        let mut run = Run::new(dumbbell.network, Nanos::from_millis(10));
        run.flows = flows;
        run
    }

    #[test]
    fn events_of_cards_are_estimated_with_and_without_losses() {
        for count in [2, 8, 128, 400] {
            let run = cards(count);
            let events = run.results().unwrap().totals.events as f64;
            let ratio = run.cost().events / events;
            assert!((1.0 / 3.0..3.0).contains(&ratio), "{count}: {ratio}");
            assert_eq!(run.cost().events_in_vain > 0.0, count > 100);
        }
    }
}
