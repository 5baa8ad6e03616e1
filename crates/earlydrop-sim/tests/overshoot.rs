//! What becomes of a sender whose slow start has lost hundreds of segments at once.

use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::network::{Link, Network};
use earlydrop_sim::tcp::{Algorithm, Profile};
use earlydrop_sim::traffic::Flow;

/// Many retransmissions are lost, too. Those that `snd_una` waits for go first: otherwise the timer
/// expires again and again, and `ssthresh` falls to two segments.
#[test]
fn a_sender_repairs_what_slow_start_lost_with_one_timeout_at_most() {
    for delay in 36..46 {
        let mut network = Network::new();
        let (from, to) = (network.node("from"), network.node("to"));
        let link = Link::new(BitsPerSec::from_mbps(50), Nanos::from_millis(delay));
        network.duplex(from, to, link.queue("droptail:limit=200".parse().unwrap()));
        let mut run = Run::new(network, Nanos::from_secs(10));
        run.add(Flow::bulk(
            from,
            to,
            &Profile::modern(Algorithm::Cubic).into(),
        ));
        let results = run.results().unwrap();
        let (flow, link) = (&results.flows[0], &results.queues[0]);
        assert!(flow.lost > 200, "{flow:?}");
        assert!(flow.sender.timeouts <= 1, "{delay} ms: {flow:?}");
        assert!(link.utilisation > 0.7, "{delay} ms: {}", link.utilisation);
    }
}
