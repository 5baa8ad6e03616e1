//! What BBRv3 is for: short queues in deep buffers, fair shares, and rate under random loss.

use std::sync::Arc;

use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::network::{Dumbbell, Link};
use earlydrop_sim::tcp::{Algorithm, DelayedAcks, Profile};
use earlydrop_sim::traffic::Flow;

/// What some flows do to a link of 20 Mbps with round trips of 40 ms, from 20 s to 60 s on.
struct Outcome {
    /// Mean queue, packets; the bandwidth-delay product is 67.
    queue: f64,
    utilisation: f64,
    jain: f64,
    loss: f64,
    timeouts: u32,
}

/// `flows` endless transfers with a drop-tail buffer of `buffer` packets and a share `loss` of
/// random losses.
fn outcome(control: Algorithm, flows: u64, buffer: u32, loss: f64) -> Outcome {
    let link = Link::new(BitsPerSec::from_mbps(20), Nanos::from_millis(15));
    let queue = format!("droptail:limit={buffer} packets");
    let there = link.clone().queue(queue.parse().unwrap()).losing(loss);
    let mut dumbbell = Dumbbell::new(there, link);
    let profile = Arc::new(Profile::modern(control));
    let hosts: Vec<_> = (0..flows)
        .map(|_| dumbbell.pair(BitsPerSec::from_mbps(1000), Nanos::from_micros(2500)))
        .collect();
    let bottleneck = dumbbell.bottleneck;
    let mut run = Run::new(dumbbell.network, Nanos::from_secs(60)).seed(7);
    run.measure.warm_up = Nanos::from_secs(20);
    for (index, (from, to)) in hosts.into_iter().enumerate() {
        let start = Nanos::from_millis(1500 * index as u64);
        run.add(Flow::bulk(from, to, &profile).at(start));
    }
    let results = run.results().unwrap();
    let queue = results.queue(bottleneck).unwrap();
    let together = results.together();
    println!(
        "{control:?} x {flows}, buffer {buffer}, loss {loss}: queue {:.1}, used {:.3}, Jain {:.3}, \
         loss {:.4}, RTOs {}",
        queue.mean_packets, queue.utilisation, together.jain, together.loss, together.timeouts
    );
    Outcome {
        queue: queue.mean_packets,
        utilisation: queue.utilisation,
        jain: together.jain,
        loss: together.loss,
        timeouts: together.timeouts as u32,
    }
}

#[test]
fn the_queue_in_a_deep_buffer_is_a_part_of_the_bandwidth_delay_product() {
    let buffer = 1000;
    let v3 = outcome(Algorithm::Bbr3, 1, buffer, 0.0);
    assert!(v3.queue < 0.3 * 67.0, "{}", v3.queue);
    assert!(v3.utilisation > 0.95, "{}", v3.utilisation);
    let v3 = outcome(Algorithm::Bbr3, 4, buffer, 0.0);
    assert!(v3.queue < 0.15 * f64::from(buffer), "{}", v3.queue);
    assert!(v3.utilisation > 0.97, "{}", v3.utilisation);
    assert_eq!(v3.timeouts, 0);
    let cubic = outcome(Algorithm::Cubic, 4, buffer, 0.0);
    assert!(cubic.queue > 4.0 * v3.queue, "{}", cubic.queue);
}

#[test]
fn in_a_shallow_buffer_it_loses_far_less_than_version_1() {
    let (v1, v3) = (
        outcome(Algorithm::Bbr, 4, 20, 0.0),
        outcome(Algorithm::Bbr3, 4, 20, 0.0),
    );
    assert!(v3.loss < 0.5 * v1.loss, "{} {}", v3.loss, v1.loss);
    assert!(v3.utilisation > 0.9, "{}", v3.utilisation);
}

#[test]
fn two_flows_share_fairly() {
    for buffer in [67, 1000] {
        let pair = outcome(Algorithm::Bbr3, 2, buffer, 0.0);
        assert!(pair.jain > 0.9, "{}", pair.jain);
        assert!(pair.utilisation > 0.93, "{}", pair.utilisation);
    }
}

#[test]
fn one_per_cent_of_random_loss_leaves_most_of_the_rate() {
    // A round with losses lowers bw_shortterm to what was delivered in it, 1 % less, until the next
    // probe: (1 - 0.01)^N over the some 60 rounds of a cycle, and the pacing margin.
    let v3 = outcome(Algorithm::Bbr3, 1, 200, 0.01);
    assert!(v3.utilisation > 0.75, "{}", v3.utilisation);
    let reno = outcome(Algorithm::Reno, 1, 200, 0.01);
    assert!(reno.utilisation < 0.35, "{}", reno.utilisation);
}

/// An acknowledgment for 16 segments says when the last of them arrived: min_rtt does not include
/// how long the first one waited, and no rate sample is discarded as shorter.
#[test]
fn delayed_acknowledgments_do_not_slow_bbr() {
    for algorithm in [Algorithm::Bbr, Algorithm::Bbr3] {
        let link = Link::new(BitsPerSec::from_mbps(100), Nanos::from_millis(10));
        let there = link.clone().queue("droptail:limit=1000".parse().unwrap());
        let mut dumbbell = Dumbbell::new(there, link);
        let (from, to) = dumbbell.pair(BitsPerSec::from_mbps(1000), Nanos::from_millis(5));
        let mut profile = Profile::modern(algorithm);
        profile.delayed_acks = Some(DelayedAcks {
            every: 16,
            timeout: Nanos::from_millis(40),
        });
        let mut run = Run::new(dumbbell.network, Nanos::from_secs(15)).seed(11);
        run.measure.warm_up = Nanos::from_secs(5);
        run.add(Flow::bulk(from, to, &Arc::new(profile)));
        let goodput = run.results().unwrap().flows[0].goodput;
        assert!(goodput > 85e6, "{algorithm:?}: {goodput}");
    }
}
