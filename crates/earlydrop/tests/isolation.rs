//! How a host with many flows and a host with one share a link, under CAKE, FQ-PIE and others.

use crate::support::plan;
use earlydrop::packet::{Ecn, FlowKey, Packet};
use earlydrop::queue::{AnyQueue, QueueDiscipline};
use earlydrop::units::Nanos;

/// Flows of the first host; the second has one.
const MANY: u64 = 100;

#[derive(Clone, Copy)]
struct Routed(u64);

impl Packet for Routed {
    fn size(&self) -> u32 {
        1000
    }
    fn flow(&self) -> FlowKey {
        FlowKey(self.0)
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotCapable
    }
    fn mark(&mut self) {}
}

/// The share of the link that the host with one flow gets over 30 of 40 s at 1 packet a ms. Each
/// flow halves its window of packets in the queue at a loss and adds a packet a second.
fn share_of_one(spec: &str) -> f64 {
    let mut queue: AnyQueue<Routed> = plan(spec).queue(3);
    let flows = MANY as usize + 1;
    let mut window = vec![4.0_f64; flows];
    let mut waiting = vec![0_u32; flows];
    let (mut all, mut own) = (0_u32, 0_u32);
    for ms in 0..40_000_u64 {
        let now = Nanos::from_millis(ms);
        let mut lost = Vec::new();
        // The flow of this ms fills its window.
        let flow = (ms % flows as u64) as usize;
        for flow in [flow, flows - 1] {
            while f64::from(waiting[flow]) < window[flow] {
                waiting[flow] += 1;
                queue.enqueue_with(now, Routed(flow as u64), &mut |packet: Routed, _| {
                    lost.push(packet.0);
                });
            }
            window[flow] += 0.001;
        }
        let left = queue.dequeue_with(now, &mut |packet: Routed, _| lost.push(packet.0));
        for flow in lost {
            waiting[flow as usize] -= 1;
            window[flow as usize] = (window[flow as usize] / 2.0).max(2.0);
        }
        if let Some(left) = left {
            let flow = left.packet.0;
            waiting[flow as usize] -= 1;
            all += u32::from(ms >= 10_000);
            own += u32::from(ms >= 10_000 && flow == MANY);
        }
    }
    f64::from(own) / f64::from(all)
}

/// CAKE gives each source host half; what shares by flows gives the one flow 1 of 101 parts. So
/// does triple isolation where all flows go to one host, which then is the busier host of each.
#[test]
fn a_host_with_one_flow_against_a_host_with_a_hundred() {
    let by_flow = 1.0 / (MANY as f64 + 1.0);
    for (spec, wanted) in [
        ("cake:sources=100 1,isolation=triple-isolate", 0.5),
        ("cake:sources=100 1,isolation=dual-srchost", 0.5),
        (
            "cake:sources=100 1,destinations=101,isolation=dual-srchost",
            0.5,
        ),
        (
            "cake:sources=100 1,destinations=101,isolation=triple-isolate",
            by_flow,
        ),
        ("cake:sources=100 1,isolation=flows", by_flow),
        ("fq-pie", by_flow),
        ("fq-codel", by_flow),
        ("drr:inner=red,queues=128,limit=10240 packets", by_flow),
        ("sfq:limit=10240 packets", by_flow),
    ] {
        let share = share_of_one(spec);
        println!("{spec}: the host with one flow gets {:.1}%", 100.0 * share);
        assert!(
            (share - wanted).abs() < 0.04,
            "{spec}: {share} for {wanted}"
        );
    }
}
