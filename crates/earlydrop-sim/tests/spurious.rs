//! What it costs when nothing is lost: segments that arrive late.

use std::sync::Arc;

use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::network::{Link, Network};
use earlydrop_sim::results::FlowResult;
use earlydrop_sim::tcp::{Algorithm, Profile};
use earlydrop_sim::traffic::Flow;

const fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

/// What a flow without end gets of 40 Mbps over `link`, whose way back takes as long.
fn over(link: Link, back: Nanos, profile: &Profile, seconds: u64) -> FlowResult {
    let mut network = Network::new();
    let (from, to) = (network.node("from"), network.node("to"));
    network.link(from, to, link.queue("droptail:limit=1000".parse().unwrap()));
    network.link(to, from, Link::new(BitsPerSec::from_mbps(1000), back));
    let mut run = Run::new(network, Nanos::from_secs(seconds));
    run.add(Flow::bulk(from, to, &Arc::new(*profile)));
    let mut results = run.results().unwrap();
    assert_eq!(results.totals.dropped.packets, 0);
    results.flows.remove(0)
}

/// A receive window of the path's product bounds cwnd, so that nothing is lost.
fn profile(preset: fn(Algorithm) -> Profile, window: u32) -> Profile {
    Profile {
        receiver_window: window,
        ..preset(Algorithm::Cubic)
    }
}

/// Goodput in Mbps with 1% of the segments up to 60 ms late, which is more than the reordering
/// window of a round trip of 40 ms.
#[test]
fn late_segments_cost_little_where_reductions_are_undone() {
    let goodput = |preset, undo| {
        let link = Link::new(BitsPerSec::from_mbps(40), ms(20)).reordering(0.01, ms(60));
        let profile = Profile {
            undo,
            ..profile(preset, 400)
        };
        let flow = over(link, ms(20), &profile, 30);
        flow.received as f64 * f64::from(profile.payload()) * 8.0 / 30e6
    };
    for preset in [Profile::modern, Profile::linux] {
        let figures = [goodput(preset, false), goodput(preset, true)];
        assert!(figures[0] < 8.0 && figures[1] > 38.0, "{figures:?}");
    }
}
