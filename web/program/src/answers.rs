//! Answers as JSON.

use std::collections::BTreeMap;

use earlydrop::aqm::DropReason;
use earlydrop::red::Curve;
use earlydrop::registry::LinkFacts;
use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop::{AnyAqm, Explanation};
use earlydrop_lab::document::{Place, Problems};
use earlydrop_lab::metrics::{self, Felt, METRICS, Metric};
use earlydrop_lab::number::with_unit;
use earlydrop_lab::outcome::Outcome;
use earlydrop_lab::plan::{Cell, Plan};
use earlydrop_lab::scenario::{Feels, Scenario};
use earlydrop_lab::scheme_list::describe_all;
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::watch::Watch;
use earlydrop_sim::Run;
use earlydrop_sim::network::{Change, Link, LinkId};
use earlydrop_sim::paths::TransferPaths;
use earlydrop_sim::traffic::{Application, FlowId, Traffic};
use serde_json::{Map, Value, json};

use crate::session::KINDS;

/// The number of steps of a drawn curve.
const STEPS: u32 = 200;

/// So many transfers show which queues a network's traffic crosses.
const LOOKED_AT: usize = 5000;

/// All schemes, on a link of 10 Mbps.
pub(crate) fn schemes() -> String {
    let described = describe_all(&LinkFacts::at(BitsPerSec::from_mbps(10)));
    let described = described
        .ok()
        .and_then(|list| serde_json::to_string(&list).ok());
    described.unwrap_or_default()
}

/// A problem without a place.
pub(crate) fn problem(message: &str) -> String {
    json!({ "problems": [{ "message": message, "text": message }] }).to_string()
}

/// The problems of a scenario, each with its line, or with the field that was set.
pub(crate) fn problems(problems: &Problems) -> String {
    let list = problems.list.iter().map(|problem| {
        let text = problem.to_string();
        match &problem.place {
            Place::File(bytes) => {
                let (line, column) = problems.position(bytes.start);
                json!({ "message": problem.message, "help": problem.help, "text": text,
                    "file": problems.name, "line": line, "column": column })
            }
            Place::Argument(argument) => {
                json!({ "message": problem.message, "help": problem.help, "text": text,
                    "field": argument.to_string() })
            }
        }
    });
    json!({ "problems": list.collect::<Vec<_>>() }).to_string()
}

/// How many flows, or transfers of lists, of each group have their data cross each link, before any is
/// cut. Of more than [`LOOKED_AT`], the first ones.
fn crossing(run: &Run) -> BTreeMap<LinkId, BTreeMap<&str, u32>> {
    let mut paths = TransferPaths::new(run);
    let mut crossing: BTreeMap<LinkId, BTreeMap<&str, u32>> = BTreeMap::new();
    let transfers = run.flows.iter().zip(0..).flat_map(|(flow, index)| {
        let count = match &flow.traffic {
            Traffic::Tcp {
                application: Application::FlowList { transfers, .. },
                ..
            } => transfers.len() as u64,
            _ => 1,
        };
        (0..count).map(move |number| (flow, FlowId(index), number))
    });
    for (flow, id, number) in transfers.take(LOOKED_AT) {
        let path = paths.of(id, number, Nanos::ZERO);
        for link in path.map_or(Vec::new(), |path| path.links) {
            let groups = crossing.entry(link).or_default();
            *groups.entry(&*flow.group).or_default() += 1;
        }
    }
    crossing
}

/// Values that a link takes, each with the time from which it has it, in ns.
type Steps<T> = Vec<(u64, T)>;

/// The rates that a link changes to, and by how much the way over it and back is longer then, in ns.
fn moved(run: &Run, link: LinkId) -> (Steps<u64>, Steps<i64>) {
    let network = &run.network;
    let mut links = network.links();
    let ends = links.find_map(|(id, from, to, _)| (id == link).then_some((from, to)));
    let back = network.links();
    let mut back = back.filter(|(_, from, to, _)| ends == Some((*to, *from)));
    let back = back.next().map(|(_, _, _, link)| link);
    let mut rates = Vec::new();
    let mut moves = Vec::new();
    for (way, link) in [Some(network.get(link)), back].into_iter().enumerate() {
        let Some(link) = link else { continue };
        for (at, change) in &link.changes {
            match change {
                Change::Rate(rate) if way == 0 => rates.push((at.0, rate.0)),
                Change::Delay(delay) => {
                    moves.push((at.0, way, delay.0 as i64 - link.delay.0 as i64));
                }
                _ => {}
            }
        }
    }
    rates.sort_by_key(|(at, _)| *at);
    moves.sort_by_key(|(at, ..)| *at);
    let mut longer = [0; 2];
    let sums = moves.into_iter().map(|(at, way, by)| {
        longer[way] = by;
        (at, longer.iter().sum())
    });
    (rates, sums.collect())
}

/// What a page needs to know of a cell.
pub(crate) fn description(plan: &Plan, cell: Cell, watch: &Watch) -> String {
    let scenario = &plan.points[cell.point].scenario;
    let scheme = &scenario.schemes[cell.scheme];
    let run = &watch.prepared().run;
    let link = run.network.get(watch.link());
    let flows = run.flows.iter().map(|flow| {
        let (kind, sender) = match &flow.traffic {
            Traffic::Tcp { profile, .. } => ("tcp", Some(profile.control.controller().name)),
            Traffic::Datagrams { .. } => ("datagrams", None),
        };
        let group = scenario.groups.iter().find(|one| one.name == flow.group);
        let is_elastic = group.is_some_and(|group| group.feels == Feels::Rate);
        json!({ "group": &*flow.group, "kind": kind, "sender": sender, "elastic": is_elastic })
    });
    let facts = facts(link);
    let spec = link.queue.as_ref().unwrap_or(&scheme.spec);
    let settings = spec.settings(&facts).ok();
    let parameters: Vec<Value> = settings
        .iter()
        .flat_map(|settings| {
            settings.iter().map(
                |(parameter, value)| json!({ "name": parameter.name, "value": value.to_string() }),
            )
        })
        .collect();
    let (rates, longer) = moved(run, watch.link());
    let reasons = DropReason::ALL.map(|reason| reason.name());
    let crossing = crossing(run);
    let queues = run.network.links().filter_map(|(id, from, to, link)| {
        let name = link.queue.as_ref()?.descriptor().name;
        let [from, to] = [from, to].map(|node| run.network.name(node));
        let is_compared = scenario.is_compared(id);
        let groups = crossing.get(&id).cloned().unwrap_or_default();
        Some(json!([from, to, name, is_compared, groups]))
    });
    let windows: Vec<u32> = watch.windows().iter().map(|flow| flow.0).collect();
    json!({
        "title": plan.scenario().title,
        "label": scheme.label,
        "scheme": spec.descriptor().name,
        "seed": plan.seeds[cell.seed],
        "duration_ns": run.duration.0,
        "rtt_ns": scenario.path.rtt.0,
        "link": {
            "name": run.network.link_name(watch.link()),
            "rate_bps": link.mean_rate().0,
            "rates": rates,
            "delay_ns": link.delay.0,
            "longer": longer,
            "packet_bytes": link.mean_packet.0,
        },
        "queues": queues.collect::<Vec<_>>(),
        "parameters": parameters,
        "kinds": KINDS,
        "reasons": reasons,
        "probes": watch.simulation().probe_names(watch.link()),
        "flows": flows.collect::<Vec<_>>(),
        "cwnd_flows": windows,
        "warnings": plan.warnings(),
        "schemes": plan.labels(),
        "toml": plan.toml(),
    })
    .to_string()
}

/// The drop curve of each sub-queue at the watched link by its parameters at a time, where they are
/// under a scheme of the RED family: what an adaptation has made of each is not in it.
fn curve_of_each(watch: &Watch, now: Nanos) -> Option<Curve> {
    let link = watch.prepared().run.network.get(watch.link());
    let changes = link.changes.iter().filter(|(at, _)| *at <= now);
    let changed = changes.filter_map(|(at, change)| match change {
        Change::Scheme(plan) => Some((*at, plan)),
        _ => None,
    });
    let last = changed.max_by_key(|(at, _)| *at);
    let first;
    let plan = match last {
        Some((_, plan)) => &**plan,
        None => {
            first = link.queue.as_ref()?.plan(&facts(link)).ok()?;
            &first
        }
    };
    match plan {
        earlydrop::Plan::Fair {
            aqm: AnyAqm::Red(red),
            ..
        } => Some(red.curve().clone()),
        _ => None,
    }
}

/// What a scheme may know of a link.
fn facts(link: &Link) -> LinkFacts {
    LinkFacts {
        rate: link.mean_rate(),
        mean_packet: link.mean_packet,
    }
}

/// The points of the drop curve as it is now: average and probability.
pub(crate) fn curve(watch: &Watch, now: Nanos) -> String {
    let curve = watch.simulation().curve(watch.link()).cloned();
    let curve = curve.or_else(|| curve_of_each(watch, now));
    let points = curve.map(|curve| curve.outline(curve.extent(), STEPS));
    json!({ "points": points }).to_string()
}

/// Why a packet was dropped, marked or kept.
pub(crate) fn explanation(explanation: &Explanation) -> String {
    let steps = explanation.steps.iter().map(|step| {
        json!({
            "says": step.says,
            "symbol": step.symbol,
            "equation": step.equation,
            "numbers": step.numbers,
            "value": step.value,
            "unit": step.unit,
        })
    });
    json!({
        "rule": explanation.rule,
        "source": explanation.source,
        "steps": steps.collect::<Vec<_>>(),
        "chance": explanation.chance,
        "random": explanation.random,
        "decision": explanation.decision,
        "text": explanation.to_string(),
    })
    .to_string()
}

/// What each group of flows feels, in words, and the metrics of a cell by name.
pub(crate) fn outcome(outcome: &Outcome, scenario: &Scenario) -> String {
    let values = METRICS.iter().zip(&outcome.values);
    let named: Map<String, Value> = values
        .map(|(metric, value)| (metric.name.to_string(), json!(value)))
        .collect();
    let of_groups: Vec<&Metric> = metrics::of_groups().collect();
    let felt = Felt::all(scenario).into_iter().flat_map(|felt| {
        let group = outcome.groups.iter().find(|(name, ..)| *name == felt.group);
        let figures = felt.metrics.iter().filter_map(|index| {
            let (metric, value) = (of_groups[*index], group?.2[*index]?);
            let label = format!("{}: {}", felt.group, metric.title);
            let number = Mean::new(value, None, 1).with_interval(metric.scale);
            Some(json!([label, with_unit(number, metric.unit)]))
        });
        figures.collect::<Vec<Value>>()
    });
    json!({ "felt": felt.collect::<Vec<_>>(), "metrics": named }).to_string()
}
