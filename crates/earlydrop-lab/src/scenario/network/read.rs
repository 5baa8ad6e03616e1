//! The reader of `network`.

use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_sim::network::{Aggregation, Change, DelayTrace, Reorder, SharedBuffer, Trace};

use super::{LinkSpec, QueueChoice, Topology, cables, pauses, shapes};
use crate::document::{Entries, Problem};
use crate::scenario::Context;
use crate::scenario::schemes::from_config;
use crate::scenario::shared::Buffer;

/// Reads `network`.
pub(in crate::scenario) fn read(
    network: &Entries,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> Topology {
    let (shape, rtt) = shapes::read(network, context, problems);
    let shared_buffer = shared_buffer(network, problems);
    let given = network.length("buffer").map(|length| length.to_string());
    let (is_given, field) = match &given {
        Some(length) => (length != "auto", "buffer"),
        None => (false, "shared_buffer"),
    };
    // A switch that shares its memory has no other limit of a port.
    let length = given.or(shared_buffer.map(|shared| format!("{} bytes", shared.size.0)));
    let buffer = length.map(|length| Buffer {
        length,
        is_given,
        place: network.place_of(field).clone(),
    });
    let cables = cables::read(network, context, problems);
    let reroute_after = network.time_or_never("reroute");
    Topology {
        shape,
        access: network.rate_or_auto("access"),
        rtt,
        buffer,
        shared_buffer,
        pauses: pauses::read(network, problems),
        spraying: network.choice("ecmp") == "packet",
        // Of runs in which no cable is cut nothing need be known for it.
        reroute_after: reroute_after.filter(|_| cables.iter().any(|cable| cable.cut.is_some())),
        cables,
        watch: (network.text("watch"), network.place_of("watch").clone()),
        place: network.place_of("shape").clone(),
    }
}

/// The buffer that the ports of a switch share, if they do.
fn shared_buffer(network: &Entries, problems: &mut Vec<Problem>) -> Option<SharedBuffer> {
    let size = network.size_or_auto("shared_buffer");
    if size.is_none() && network.has("alpha") {
        let message = "`alpha` without a shared buffer";
        let help = "nearest: shared_buffer = \"9 MB\", or no `alpha`";
        problems.push(Problem::new(network.place_of("alpha"), message, help));
    }
    size.map(|size| SharedBuffer {
        size,
        alpha: network.number("alpha"),
    })
}

pub(super) fn link(
    entries: &Entries,
    queue: QueueChoice,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> LinkSpec {
    let changes = changes(entries, context, problems);
    let trace = trace(entries, &changes, context, problems);
    let rate = trace.as_ref().map(Trace::mean_rate);
    let delay_trace = delay_trace(entries, &changes, context, problems);
    LinkSpec {
        rate: rate
            .or(entries.rate_or_auto("rate"))
            .unwrap_or(BitsPerSec(0)),
        delay: delay_trace.as_ref().map(DelayTrace::least),
        queue,
        packet: entries.size_or_auto("packet"),
        loss: entries.number("loss"),
        reorder: reorder(entries, problems),
        changes,
        trace,
        delay_trace,
        aggregation: aggregation(entries, problems),
        slot: entries.time_or_auto("slot"),
        queue_place: entries.place().clone(),
    }
}

/// The recorded link that `trace` names, instead of a rate.
fn trace(
    entries: &Entries,
    changes: &[(Nanos, Change)],
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> Option<Trace> {
    let changes_rate = changes
        .iter()
        .any(|(_, change)| matches!(change, Change::Rate(_)));
    refuse_beside(entries, "trace", "rate", changes_rate, problems);
    let format = "a file in Mahimahi's format, or of `time,rate` lines";
    let read = |name: &str| context.files.trace(name);
    recording(entries, "trace", format, read, problems)
}

/// The recorded propagation delay that `delay_trace` names, instead of a delay.
fn delay_trace(
    entries: &Entries,
    changes: &[(Nanos, Change)],
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> Option<DelayTrace> {
    let changes_delay = changes
        .iter()
        .any(|(_, change)| matches!(change, Change::Delay(_)));
    refuse_beside(entries, "delay_trace", "delay", changes_delay, problems);
    let read = |name: &str| context.files.delay_trace(name);
    recording(
        entries,
        "delay_trace",
        "a file of `time,delay` lines",
        read,
        problems,
    )
}

/// Refuses what a recording stands in the place of: the field `of`, and changes of it.
fn refuse_beside(
    entries: &Entries,
    recording: &str,
    of: &str,
    is_changed: bool,
    problems: &mut Vec<Problem>,
) {
    if !entries.has(recording) {
        return;
    }
    let name = recording.replace('_', " ");
    let mut refuse = |field: &str, what: String| {
        let message = format!("a link with both a {name} and {what}");
        let place = entries.place_of(field);
        problems.push(Problem::new(place, message, "keep one of them"));
    };
    if entries.has(of) {
        refuse(of, format!("a {of}"));
    }
    if is_changed {
        refuse("changes", format!("changes of its {of}"));
    }
}

/// What the file holds that a field names, read by `read`.
fn recording<T>(
    entries: &Entries,
    field: &str,
    format: &str,
    read: impl Fn(&str) -> Result<T, String>,
    problems: &mut Vec<Problem>,
) -> Option<T> {
    if !entries.has(field) {
        return None;
    }
    let name = entries.text(field);
    let (problem, help) = if name.is_empty() {
        let help = format!("allowed: {format}; nearest: no `{field}`");
        (format!("`{field}` = \"\" names no file"), help)
    } else {
        match read(&name) {
            Ok(recording) => return Some(recording),
            Err(problem) => (problem, format!("allowed: {format}")),
        }
    };
    problems.push(Problem::new(entries.place_of(field), problem, help));
    None
}

/// The aggregates of a link; a table without fields is none.
fn aggregation(entries: &Entries, problems: &mut Vec<Problem>) -> Option<Aggregation> {
    for field in ["aggregation", "slot"] {
        if entries.has(field) && entries.has("trace") {
            let message = format!("a link with both a trace and `{field}`");
            let help = "keep one of them: a trace says when packets are sent";
            problems.push(Problem::new(entries.place_of(field), message, help));
        }
    }
    let aggregation = entries.table("aggregation");
    let fields = ["packets", "bytes", "airtime", "overhead"];
    if !fields.iter().any(|field| aggregation.has(field)) {
        return None;
    }
    let none = Aggregation::default();
    let bytes = aggregation.size_or_auto("bytes");
    Some(Aggregation {
        packets: aggregation.count_or_auto("packets").unwrap_or(none.packets),
        bytes: bytes.map_or(none.bytes, |bytes| bytes.0),
        airtime: aggregation.time_or_auto("airtime").unwrap_or(none.airtime),
        overhead: aggregation.time("overhead"),
    })
}

fn reorder(entries: &Entries, problems: &mut Vec<Problem>) -> Option<Reorder> {
    let reorder = entries.table("reorder");
    let share = reorder.number("share");
    if reorder.has("share") != reorder.has("delay") {
        let message = "reordering needs both a share of packets and a delay";
        let help = "allowed: reorder = { share = \"1%\", delay = \"5 ms\" }";
        problems.push(Problem::new(reorder.place(), message, help));
    }
    (share > 0.0).then(|| Reorder {
        share,
        delay: reorder.time("delay"),
    })
}

fn changes(
    entries: &Entries,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> Vec<(Nanos, Change)> {
    let mut changes = Vec::new();
    for change in entries.list("changes") {
        let at = change.time("at");
        context.check_in_time("network: a change", at);
        let before = changes.len();
        changes.extend(
            change
                .rate_or_auto("rate")
                .map(|rate| (at, Change::Rate(rate))),
        );
        changes.extend(
            change
                .time_or_auto("delay")
                .map(|delay| (at, Change::Delay(delay))),
        );
        match change.choice("state") {
            "up" => changes.push((at, Change::Up)),
            "down" => changes.push((at, Change::Down)),
            _ => {}
        }
        if changes.len() == before {
            let help = "allowed: a rate, a delay, state = \"up\" or state = \"down\"";
            problems.push(Problem::new(
                change.place(),
                "a change that changes nothing",
                help,
            ));
        }
    }
    changes
}

pub(super) fn queue(
    entries: &Entries,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> QueueChoice {
    queue_of(entries, "queue", context, problems)
}

/// The queue that a field of this name describes.
pub(super) fn queue_of(
    entries: &Entries,
    field: &str,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> QueueChoice {
    match entries.text(field).as_str() {
        "scheme" => QueueChoice::Scheme,
        "none" => QueueChoice::None,
        // Only of a host's own link: elsewhere, there is no scheme of this name.
        "nic" if field == "host_queue" => QueueChoice::Nic,
        text => match context.registry.parse(text) {
            Ok(spec) => QueueChoice::Fixed(spec),
            Err(error) => {
                problems.push(from_config(&error, entries.place_of(field)));
                QueueChoice::None
            }
        },
    }
}
