//! Merges the measurements of both threads into the simulator's results.

use std::mem::take;
use std::sync::Arc;

use earlydrop::counters::Tally;
use earlydrop_sim::Run;
use earlydrop_sim::measure::Distribution;
use earlydrop_sim::results::{FlowResult, QueueResult, Results, Totals};

use super::bottleneck::is_measured;
use super::host_path::HostPath;
use super::meter::{Meter, MeteredFlow};
use super::topology::Topology;
use super::traffic::TrafficReport;

/// The results of a run whose paths have processed everything up to its end.
pub(crate) fn results(
    run: &Run,
    topology: &Topology,
    traffic: TrafficReport,
    paths: &mut [HostPath; 2],
) -> Results {
    let mut totals = totals(paths);
    (totals.transfers, totals.completed) = (traffic.transfers, traffic.completed);
    Results {
        measured: run.duration.since(run.measure.warm_up),
        queues: queues(run, topology, paths),
        flows: flows(run, &traffic, paths),
        group_delays: group_delays(paths),
        completions: traffic.completions,
        rounds: Vec::new(),
        // The hosts' connections are closed at the end.
        unfinished: Vec::new(),
        unfinished_rounds: Vec::new(),
        captures: Vec::new(),
        packets: Vec::new(),
        windows: traffic.windows,
        totals,
    }
}

/// The delays of each group: both ways have the same groups in the same order.
fn group_delays(paths: &mut [HostPath; 2]) -> Vec<(Arc<str>, Distribution)> {
    let [mut there, back] = paths
        .each_mut()
        .map(|path| take(&mut path.meter.delays).finish());
    for ((_, own), (_, other)) in there.iter_mut().zip(&back) {
        own.add(other);
    }
    there
}

/// Totals of all packets; a packet counts as sent when it is read from a device.
fn totals(paths: &[HostPath; 2]) -> Totals {
    let mut totals = Totals::default();
    for path in paths {
        plus(&mut totals.sent, path.meter.sent);
        plus(&mut totals.delivered, path.meter.delivered);
        plus(&mut totals.dropped, path.meter.dropped);
        plus(&mut totals.in_flight, path.in_flight());
    }
    totals
}

fn plus(sum: &mut Tally, more: Tally) {
    sum.packets += more.packets;
    sum.bytes += more.bytes;
}

fn queues(run: &Run, topology: &Topology, paths: &mut [HostPath; 2]) -> Vec<QueueResult> {
    let mut queues = Vec::new();
    for (link, path) in topology.links.into_iter().zip(paths) {
        if is_measured(run.network.get(link)) {
            let name = run.network.link_name(link);
            let Meter { queue, groups, .. } = &mut path.meter;
            queues.push(queue.result(link, &name, groups, run.duration));
        }
    }
    queues.sort_by_key(|queue| queue.link);
    queues
}

fn flows(run: &Run, traffic: &TrafficReport, paths: &mut [HostPath; 2]) -> Vec<FlowResult> {
    let seconds = run.duration.since(run.measure.warm_up).as_secs_f64();
    let mut results = Vec::with_capacity(run.flows.len());
    for (number, (flow, traffic)) in run.flows.iter().zip(&traffic.flows).enumerate() {
        let mut meters = paths.iter_mut().map(|path| path.meter.flows[number].take());
        let metered: Option<MeteredFlow> = meters.find_map(|metered| metered);
        let mut metered = metered.unwrap_or_default();
        results.push(FlowResult {
            goodput: 8.0 * traffic.goodput_bytes as f64 / seconds,
            sender: traffic.sender,
            smoothed_rtt: traffic.smoothed_rtt,
            left_out: traffic.left_out,
            lost: metered.lost,
            ..metered.meter.result(&flow.group, seconds)
        });
    }
    results
}
