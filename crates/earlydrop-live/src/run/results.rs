//! From what both threads have seen to the simulator's kind of results.

use std::collections::BTreeMap;
use std::sync::Arc;

use earlydrop::counters::Tally;
use earlydrop_sim::Run;
use earlydrop_sim::measure::FlowMeter;
use earlydrop_sim::results::{FlowResult, QueueResult, Results, Totals};

use super::bottleneck::is_measured;
use super::layout::Layout;
use super::path::HostPath;
use super::traffic::TrafficReport;

/// The results of a run, whose `ways` have been worked out up to its end.
pub(crate) fn results(
    run: &Run,
    layout: &Layout,
    seen: TrafficReport,
    ways: &mut [HostPath; 2],
) -> Results {
    let mut totals = totals(ways);
    (totals.transfers, totals.completed) = (seen.transfers, seen.completed);
    Results {
        measured: run.duration.since(run.measure.warm_up),
        queues: queues(run, layout, ways),
        flows: flows(run, &seen, ways),
        completions: seen.completions,
        captures: Vec::new(),
        windows: seen.windows,
        totals,
    }
}

/// What became of all packets: hosts' are those that they have sent to the devices.
fn totals(ways: &[HostPath; 2]) -> Totals {
    let mut totals = Totals::default();
    for way in ways {
        plus(&mut totals.sent, way.meter.sent);
        plus(&mut totals.delivered, way.meter.delivered);
        plus(&mut totals.dropped, way.meter.dropped);
        plus(&mut totals.in_flight, way.in_flight());
    }
    totals
}

fn plus(sum: &mut Tally, more: Tally) {
    sum.packets += more.packets;
    sum.bytes += more.bytes;
}

fn queues(run: &Run, layout: &Layout, ways: &mut [HostPath; 2]) -> Vec<QueueResult> {
    let mut groups: BTreeMap<Arc<str>, Vec<u32>> = BTreeMap::new();
    for (number, flow) in run.flows.iter().enumerate() {
        let members = groups.entry(flow.group.clone()).or_default();
        members.push(number as u32);
    }
    let groups: Vec<(Arc<str>, Vec<u32>)> = groups.into_iter().collect();
    let mut queues = Vec::new();
    for (link, way) in layout.links.into_iter().zip(ways) {
        if is_measured(run.network.get(link)) {
            let name = run.network.link_name(link);
            let meter = &mut way.meter.queue;
            queues.push(meter.result(link, &name, &groups, run.duration));
        }
    }
    queues.sort_by_key(|queue| queue.link);
    queues
}

fn flows(run: &Run, seen: &TrafficReport, ways: &mut [HostPath; 2]) -> Vec<FlowResult> {
    let seconds = run.duration.since(run.measure.warm_up).as_secs_f64();
    let mut results = Vec::with_capacity(run.flows.len());
    for (number, (flow, seen)) in run.flows.iter().zip(&seen.flows).enumerate() {
        let mut meters = ways.iter_mut().map(|way| way.meter.flows[number].take());
        let meter: Option<FlowMeter> = meters.find_map(|meter| meter);
        let mut meter = meter.unwrap_or_default();
        results.push(FlowResult {
            goodput: 8.0 * seen.goodput_bytes as f64 / seconds,
            sender: seen.sender,
            smoothed_rtt: seen.smoothed_rtt,
            left_out: seen.left_out,
            ..meter.result(&flow.group, seconds)
        });
    }
    results
}
