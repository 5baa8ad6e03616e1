//! The data of a report page, from a run's folder or from the trace of one cell.

use std::collections::BTreeSet;

use earlydrop::registry::{LinkFacts, SCHEMES, Spec, Value};

use super::data::{self, Data};
use super::judged::Judged;
use super::sizes::sizes;
use super::thresholds::thresholds;
use super::{links, ports};
use crate::answers::{answers, in_numbers};
use crate::derived;
use crate::figure::scheme_looks;
use crate::table::{View, share_text};
use crate::tune_answer::TuneAnswer;
use earlydrop_lab::baseline::{Comparison, Difference, SIGNIFICANT};
use earlydrop_lab::document::base_unit;
use earlydrop_lab::escape::CommandLine;
use earlydrop_lab::metrics::{self, Better, LINK_METRICS, LIVE_METRICS, METRICS, Metric, Number};
use earlydrop_lab::number;
use earlydrop_lab::plan::{Cell, DETAILED_POINTS, Hosts, Plan};
use earlydrop_lab::scenario::Scheme;
use earlydrop_lab::store::{Store, StoreError};
use earlydrop_lab::summary::{RankedMean, Summary};
use earlydrop_lab::trace::CellTrace;

/// The results in `store` as the data of a report page.
pub fn gather(
    plan: &Plan,
    store: &Store,
    summary: &Summary,
    view: &View,
) -> Result<Data, StoreError> {
    let scenario = plan.scenario();
    let about = |key| store.about(key).map(Option::unwrap_or_default);
    let first_seed = plan.seeds.first().copied().unwrap_or(1);
    let watched = WatchedLink::of(plan);
    let link = watched.as_ref().map_or("", |watched| &watched.name);
    let queues = store.queues()?;
    let judged = Judged::of(plan);
    let tuning = TuneAnswer::stored(store)?;
    let title = match scenario.title.as_str() {
        "" => about("source")?,
        title => title.to_string(),
    };
    Ok(Data {
        title: match &tuning {
            Some(answer) => format!("{title}, tuned for {}", answer.goal),
            None => title,
        },
        tuning,
        about: scenario.about.clone(),
        version: about("version")?,
        command: command(plan, store)?.to_string(),
        scenario: plan.toml(),
        link: link.to_string(),
        measured: [
            scenario.warm_up.as_secs_f64(),
            scenario.duration.as_secs_f64(),
        ],
        measured_text: format!("from {} to {}", scenario.warm_up, scenario.duration),
        seeds: plan.seeds.clone(),
        cells_planned: plan.cell_count(),
        metrics: viewed_metrics(view)
            .into_iter()
            .chain(judged.metrics())
            .collect(),
        scatter: judged.scatter(summary),
        schemes: described(&scenario.schemes, watched.as_ref()),
        axes: plan.axes.iter().map(axis).collect(),
        points: plan.points.iter().map(|p| p.coordinates.clone()).collect(),
        summary: judged.rows(summary),
        group_metrics: metrics::of_groups().map(metric).collect(),
        groups: summary.groups.iter().map(group).collect(),
        felt: judged.felt(),
        answers: answers(plan, summary),
        cells: judged.cells(plan, summary),
        flows: flows(plan, store, summary, first_seed)?,
        distributions: distributions(plan, store)?,
        sizes: sizes(plan, store)?,
        series: series(plan, store, summary, &links::congested(&queues))?,
        derived: derived::sentences(plan),
        warnings: plan.warnings(),
        link_metrics: LINK_METRICS.iter().map(metric).collect(),
        links: summary.links.iter().map(link_row).collect(),
        port_metrics: ports::metrics(),
        ports: ports::of_fabric(plan, store)?,
        baseline: view.comparison.as_ref().map(|one| baseline(one, &judged)),
        live: live(store, summary)?,
        ..Data::default()
    })
}

/// The command that repeats a stored run.
fn command(plan: &Plan, store: &Store) -> Result<CommandLine, StoreError> {
    let command = CommandLine::new(store.hosts()?.command());
    let command = command.path(&store.folder().join("scenario.toml"));
    Ok(command.given("--limits", plan.budget().needed_limits().as_ref()))
}

/// The trace of one cell as the data of a report page; `source` names the scenario, and `command`
/// traces the cell again.
pub fn of_trace(
    plan: &Plan,
    cell: Cell,
    trace: &CellTrace,
    source: &str,
    command: &CommandLine,
) -> Data {
    let scenario = plan.scenario();
    let scheme = &scenario.schemes[cell.scheme];
    let (number, seed) = (plan.number(cell), plan.seeds[cell.seed]);
    Data {
        is_trace: true,
        title: trace_title(plan, cell, source),
        about: scenario.about.clone(),
        version: earlydrop_lab::version(),
        command: command.to_string(),
        scenario: plan.toml(),
        link: trace.link.clone(),
        measured: [
            scenario.warm_up.as_secs_f64(),
            scenario.duration.as_secs_f64(),
        ],
        measured_text: format!("from {} to {}", scenario.warm_up, scenario.duration),
        seeds: vec![seed],
        cells_planned: 1,
        metrics: METRICS.iter().map(metric).collect(),
        points: vec![Vec::new()],
        summary: vec![data::SchemeSummary {
            scheme: 0,
            point: 0,
            seeds: 1,
            values: single_run(&trace.outcome.values),
        }],
        cells: vec![data::Cell {
            cell: number,
            scheme: 0,
            point: 0,
            seed,
            values: trace.outcome.values.clone(),
        }],
        flows: trace.outcome.flows.iter().map(traced_flow).collect(),
        distributions: vec![data::Distribution {
            scheme: 0,
            point: 0,
            what: "time in the queue",
            quantiles: pairs(&trace.outcome.sojourn),
        }],
        series: traced_series(plan, cell, trace),
        schemes: described(std::slice::from_ref(scheme), WatchedLink::of(plan).as_ref()),
        answers: in_numbers(plan, cell, &trace.outcome),
        ..Data::default()
    }
}

/// "A shared link: red, network.rtt = 50 ms, seed 3".
fn trace_title(plan: &Plan, cell: Cell, source: &str) -> String {
    let title = match plan.scenario().title.as_str() {
        "" => source,
        title => title,
    };
    let label = &plan.scenario().schemes[cell.scheme].label;
    let seed = plan.seeds[cell.seed];
    match plan.point_label(cell.point).as_str() {
        "" => format!("{title}: {label}, seed {seed}"),
        point => format!("{title}: {label}, {point}, seed {seed}"),
    }
}

/// Estimates without intervals, from the values of a single run.
fn single_run(values: &[Option<f64>]) -> Vec<Option<data::Estimate>> {
    let estimate = |(value, metric): (&Option<f64>, &Metric)| {
        Some(data::Estimate {
            text: number::number((*value)? * metric.scale),
            mean: (*value)?,
            half: None,
            best: false,
            similar: false,
            moving: false,
        })
    };
    values.iter().zip(METRICS).map(estimate).collect()
}

fn pairs(quantiles: &[(f64, f64)]) -> Vec<[f64; 2]> {
    quantiles
        .iter()
        .map(|(share, time)| [*share, *time])
        .collect()
}

fn traced_series(plan: &Plan, cell: Cell, trace: &CellTrace) -> Vec<data::Series> {
    let waits = |link: &str| {
        let mut queues = trace.outcome.queues.iter();
        queues.any(|queue| queue.link == link && links::packets_wait_at(queue))
    };
    let shown = trace.outcome.series.iter();
    let shown = shown.filter(|series| series.name == "window" || waits(&series.source));
    let series = shown.map(|series| data::Series {
        scheme: 0,
        point: 0,
        seed: plan.seeds[cell.seed],
        source: series.source.clone(),
        name: series.name.clone(),
        meaning: series_meaning(&series.name, plan, cell.scheme),
        interval: series.interval,
        values: series.values.clone(),
    });
    series.collect()
}

fn traced_flow(flow: &earlydrop_lab::outcome::FlowOutcome) -> data::Flow {
    let (lost, received) = (flow.lost as f64, flow.received as f64);
    data::Flow {
        scheme: 0,
        point: 0,
        group: flow.group.clone(),
        throughput: flow.throughput,
        goodput: flow.goodput,
        loss: if lost > 0.0 {
            lost / (lost + received)
        } else {
            0.0
        },
    }
}

/// The measured link of the plan's first cell, with what a scheme's defaults depend on.
struct WatchedLink {
    name: String,
    link: LinkFacts,
}

impl WatchedLink {
    fn of(plan: &Plan) -> Option<WatchedLink> {
        let prepared = plan.prepare(plan.cell(0)?, false).ok()?;
        let network = &prepared.run.network;
        let link = network.get(prepared.watched);
        Some(WatchedLink {
            name: network.link_name(prepared.watched),
            link: LinkFacts {
                rate: link.mean_rate(),
                mean_packet: link.mean_packet,
            },
        })
    }
}

/// All metrics; those of the view are shown at first.
fn viewed_metrics(view: &View) -> Vec<data::Metric> {
    let metrics = METRICS.iter().enumerate().map(|(index, one)| data::Metric {
        headline: match &view.metrics {
            Some(chosen) => chosen.contains(&Number::OfLink(index)),
            None => one.headline,
        },
        ..metric(one)
    });
    metrics.collect()
}

pub(super) fn metric(metric: &Metric) -> data::Metric {
    data::Metric {
        name: metric.name.into(),
        title: metric.title.into(),
        group: None,
        unit: metric.unit,
        scale: metric.scale,
        better: match metric.better {
            Better::Less => "less",
            Better::More => "more",
            Better::Neither => "",
        },
        meaning: metric.meaning,
        headline: metric.headline,
    }
}

fn described(schemes: &[Scheme], watched: Option<&WatchedLink>) -> Vec<data::Scheme> {
    let names = schemes.iter().map(|scheme| scheme.spec.descriptor().name);
    let looks = scheme_looks(&names.collect::<Vec<&str>>());
    let each = schemes.iter().zip(looks);
    each.map(|(scheme, look)| describe(scheme, look, watched))
        .collect()
}

fn describe(scheme: &Scheme, look: usize, watched: Option<&WatchedLink>) -> data::Scheme {
    let descriptor = scheme.spec.descriptor();
    let mut described = data::Scheme {
        label: scheme.label.clone(),
        look,
        spec: scheme.spec.to_string(),
        summary: descriptor.summary,
        source: descriptor.source,
        parameters: Vec::new(),
        curve: Vec::new(),
        thresholds: Vec::new(),
    };
    let Some(WatchedLink { link, .. }) = watched else {
        return described;
    };
    if let Ok(settings) = scheme.spec.settings(link) {
        let mattering = settings.iter().filter(|(p, _)| settings.matters(p));
        described.parameters = mattering
            .map(|(parameter, value)| data::Parameter {
                name: parameter.name,
                value: value.to_string(),
                origin: settings.origin_of(parameter),
                meaning: parameter.meaning,
            })
            .collect();
    }
    described.curve = outline(&scheme.spec, link);
    described.thresholds = thresholds(&scheme.spec, link);
    described
}

/// The drop curve of each scheme of a plan, as pairs of average queue in packets and probability;
/// empty for schemes without one.
pub fn curve_outlines(plan: &Plan) -> Vec<Vec<[f64; 2]>> {
    let watched = WatchedLink::of(plan);
    let schemes = plan.scenario().schemes.iter();
    let outline = |scheme: &Scheme| match &watched {
        Some(watched) => outline(&scheme.spec, &watched.link),
        None => Vec::new(),
    };
    schemes.map(outline).collect()
}

fn outline(spec: &Spec, link: &LinkFacts) -> Vec<[f64; 2]> {
    let Ok(registered) = spec.plan(link) else {
        return Vec::new();
    };
    let Some(curve) = registered.curve() else {
        return Vec::new();
    };
    let points = curve.outline(curve.extent(), 60).into_iter();
    let packet = bytes_per_packet(spec, link);
    points.map(|(average, pb)| [average / packet, pb]).collect()
}

/// The mean packet size in bytes where the scheme's average is in bytes; 1 where it is in packets.
fn bytes_per_packet(spec: &Spec, link: &LinkFacts) -> f64 {
    let Ok(settings) = spec.settings(link) else {
        return 1.0;
    };
    let mut values = settings.iter();
    let unit = values.find(|(parameter, _)| parameter.name == "unit");
    match unit {
        Some((_, Value::Choice("bytes"))) => settings.link().mean_packet.0 as f64,
        _ => 1.0,
    }
}

fn axis(axis: &earlydrop_lab::sweep::Axis) -> data::Axis {
    let numbers = axis.numbers();
    data::Axis {
        field: axis.field.clone(),
        title: axis.name().to_string(),
        values: axis.texts(),
        unit: base_unit(numbers.as_ref().and_then(|(_, dimension)| *dimension)),
        numbers: numbers.map(|(numbers, _)| numbers),
    }
}

pub(super) fn estimates<'a>(
    values: &[Option<RankedMean>],
    metrics: impl IntoIterator<Item = &'a Metric>,
) -> Vec<Option<data::Estimate>> {
    let estimate = |(entry, metric): (&Option<RankedMean>, &Metric)| {
        entry.map(|entry| data::Estimate {
            text: entry.mean.with_interval(metric.scale),
            mean: entry.mean.mean,
            half: entry.mean.half,
            best: entry.is_best(),
            similar: entry.is_similar(),
            moving: entry.drift.is_some(),
        })
    };
    values.iter().zip(metrics).map(estimate).collect()
}

/// The timing quality of a run on real hosts.
fn live(store: &Store, summary: &Summary) -> Result<Option<data::LiveRuns>, StoreError> {
    if store.hosts()? == Hosts::Simulated {
        return Ok(None);
    }
    let rows = summary.rows.iter().filter_map(|row| {
        let live = row.live.as_ref()?;
        Some(data::TimingSummary {
            scheme: row.scheme,
            point: row.point,
            runs: row.seeds,
            doubtful: live.doubtful,
            values: estimates(&live.values, LIVE_METRICS),
        })
    });
    Ok(Some(data::LiveRuns {
        metrics: LIVE_METRICS.iter().map(metric).collect(),
        rows: rows.collect(),
    }))
}

fn link_row(row: &earlydrop_lab::summary::LinkSummary) -> data::LinkSummary {
    data::LinkSummary {
        scheme: row.scheme,
        point: row.point,
        link: row.link.clone(),
        values: estimates(&row.values, LINK_METRICS),
    }
}

/// The differences of a comparison, in the metrics that a page has.
fn baseline(comparison: &Comparison, judged: &Judged) -> data::Baseline {
    let numbers = comparison.numbers.iter().enumerate();
    let on_page = numbers.filter_map(|(column, number)| Some((column, judged.index_of(number)?)));
    let columns: Vec<(usize, usize)> = on_page.collect();
    let summary = |difference: Difference, number: &Number| data::Difference {
        text: difference.mean.difference(number.unit().1),
        share_text: difference.share.map(share_text),
        mean: difference.mean.mean,
        half: difference.mean.half,
        share: difference.share,
        significant: difference.significant,
    };
    let rows = comparison.rows.iter().map(|row| {
        let values = columns
            .iter()
            .map(|(column, _)| Some(summary(row.values[*column]?, &comparison.numbers[*column])));
        data::DifferenceSummary {
            scheme: row.scheme,
            point: row.point,
            values: values.collect(),
        }
    });
    data::Baseline {
        scheme: comparison.baseline,
        significance: SIGNIFICANT,
        rows: rows.collect(),
        metrics: columns.iter().map(|(_, metric)| *metric).collect(),
    }
}

fn group(group: &earlydrop_lab::summary::GroupSummary) -> data::GroupSummary {
    data::GroupSummary {
        scheme: group.scheme,
        point: group.point,
        group: group.name.clone(),
        flows: group.flows,
        values: estimates(&group.values, metrics::of_groups()),
    }
}

pub(super) fn scheme_index(plan: &Plan, label: &str) -> usize {
    let labels = plan.labels();
    labels.iter().position(|known| *known == label).unwrap_or(0)
}

/// The scheme and the point of the cell with this number.
pub(super) fn scheme_and_point(
    plan: &Plan,
    summary: &Summary,
    number: usize,
) -> Option<(usize, usize)> {
    let at = summary.cells.binary_search_by_key(&number, |row| row.cell);
    let row = &summary.cells[at.ok()?];
    Some((scheme_index(plan, &row.scheme), row.point))
}

fn flows(
    plan: &Plan,
    store: &Store,
    summary: &Summary,
    seed: u64,
) -> Result<Vec<data::Flow>, StoreError> {
    let rows = store.flows(seed, DETAILED_POINTS)?;
    let flows = rows.into_iter().filter_map(|flow| {
        let (scheme, point) = scheme_and_point(plan, summary, flow.cell)?;
        Some(data::Flow {
            scheme,
            point,
            group: flow.group,
            throughput: flow.throughput,
            goodput: flow.goodput,
            loss: flow.loss,
        })
    });
    Ok(flows.collect())
}

fn distributions(plan: &Plan, store: &Store) -> Result<Vec<data::Distribution>, StoreError> {
    let distribution = |what| {
        move |((label, point), quantiles): ((String, usize), Vec<_>)| data::Distribution {
            scheme: scheme_index(plan, &label),
            point,
            what,
            quantiles: pairs(&quantiles),
        }
    };
    let sojourn = store
        .sojourn()?
        .into_iter()
        .map(distribution("time in the queue"));
    let late = store
        .lateness()?
        .into_iter()
        .map(distribution(data::LATENESS));
    let mut distributions: Vec<_> = sojourn.chain(late).collect();
    distributions.sort_by_key(|one| (one.scheme, one.point));
    Ok(distributions)
}

fn series(
    plan: &Plan,
    store: &Store,
    summary: &Summary,
    links: &BTreeSet<&str>,
) -> Result<Vec<data::Series>, StoreError> {
    let seed = plan.seeds.first().copied().unwrap_or(1);
    let series = store
        .series(seed, DETAILED_POINTS)?
        .into_iter()
        .filter_map(|(number, series)| {
            let (scheme, point) = scheme_and_point(plan, summary, number)?;
            let is_idle = series.name != "window" && !links.contains(series.source.as_str());
            if is_idle {
                return None;
            }
            Some(data::Series {
                scheme,
                point,
                seed,
                meaning: series_meaning(&series.name, plan, scheme),
                source: series.source,
                name: series.name,
                interval: series.interval,
                values: series.values,
            })
        });
    Ok(series.collect())
}

/// The definition of a time series of a scheme's runs, with its unit.
pub fn series_meaning(name: &str, plan: &Plan, scheme: usize) -> String {
    let known = match name {
        "queue" => Some("the queue's length, in packets"),
        "drops" => Some("packets dropped in an interval"),
        "marks" => Some("packets marked in an interval"),
        "window" => Some("the congestion window, in segments"),
        _ => None,
    };
    let own = plan.scenario().schemes[scheme].spec.descriptor();
    let probes = [own].into_iter().chain(SCHEMES.iter().copied());
    let mut probes = probes.flat_map(|scheme| scheme.probes);
    let probe = || probes.find(|probe| probe.name == name).map(|p| p.meaning);
    known.or_else(probe).unwrap_or(name).to_string()
}
