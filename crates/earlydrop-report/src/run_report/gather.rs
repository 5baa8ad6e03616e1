//! From a run's folder to what a report shows.

use earlydrop::registry::{Link, SCHEMES, Spec, Value};

use super::data::{self, Data};
use earlydrop_lab::document::base_unit;
use earlydrop_lab::metrics::{self, Better, LIVE_METRICS, METRICS, Metric};
use earlydrop_lab::plan::{Cell, Hosts, Plan};
use earlydrop_lab::scenario::Scheme;
use earlydrop_lab::store::{Store, StoreError};
use earlydrop_lab::summary::{RankedMean, Summary};
use earlydrop_lab::trace::CellTrace;

/// Everything a report of `plan` shows of what `store` holds.
pub fn gather(plan: &Plan, store: &Store, summary: &Summary) -> Result<Data, StoreError> {
    let scenario = plan.scenario();
    let about = |key| store.about(key).map(Option::unwrap_or_default);
    let first_seed = plan.seeds.first().copied().unwrap_or(1);
    let folder = store.folder().display();
    let command = store.hosts()?.command();
    let watched = Watched::of(plan);
    let link = watched.as_ref().map_or("", |watched| &watched.name);
    Ok(Data {
        title: match scenario.title.as_str() {
            "" => about("source")?,
            title => title.to_string(),
        },
        about: scenario.about.clone(),
        version: about("version")?,
        command: format!("earlydrop {command} {folder}/scenario.toml"),
        scenario: plan.toml(),
        link: link.to_string(),
        measured: [
            scenario.warm_up.as_secs_f64(),
            scenario.duration.as_secs_f64(),
        ],
        seeds: plan.seeds.clone(),
        cells_planned: plan.cell_count(),
        metrics: METRICS.iter().map(metric).collect(),
        schemes: scenario
            .schemes
            .iter()
            .map(|scheme| describe(scheme, watched.as_ref()))
            .collect(),
        axes: plan.axes.iter().map(axis).collect(),
        points: plan.points.iter().map(|p| p.coordinates.clone()).collect(),
        summary: summary.rows.iter().map(row).collect(),
        group_metrics: metrics::of_groups().map(metric).collect(),
        groups: summary.groups.iter().map(group).collect(),
        cells: cells(plan, summary),
        flows: flows(plan, store, summary, first_seed)?,
        distributions: distributions(plan, store)?,
        series: series(plan, store, summary, link)?,
        live: live(store, summary)?,
    })
}

/// What a report shows of one cell that was looked at closely: everything over time.
pub fn of_trace(plan: &Plan, cell: Cell, seen: &CellTrace, source: &str) -> Data {
    let scenario = plan.scenario();
    let scheme = describe(&scenario.schemes[cell.scheme], Watched::of(plan).as_ref());
    let point = crate::table::title(plan, cell.point);
    let of_point = if point.is_empty() {
        point
    } else {
        format!(", {point}")
    };
    let number = plan.number(cell);
    let seed = plan.seeds[cell.seed];
    let series = seen.outcome.series.iter().map(|series| data::Series {
        scheme: 0,
        point: 0,
        seed,
        source: series.source.clone(),
        name: series.name.clone(),
        meaning: series_meaning(&series.name, plan, cell.scheme),
        interval: series.interval,
        values: series.values.clone(),
    });
    let values = seen.outcome.values.iter().map(|value| {
        value.map(|mean| data::Estimate {
            mean,
            half: None,
            best: false,
        })
    });
    let title = match scenario.title.as_str() {
        "" => source,
        title => title,
    };
    Data {
        title: format!("{title}: {}{of_point}, seed {seed}", scheme.label),
        about: scenario.about.clone(),
        version: earlydrop_lab::version(),
        command: format!("earlydrop trace {source} --cell {number}"),
        scenario: plan.toml(),
        link: seen.link.clone(),
        measured: [
            scenario.warm_up.as_secs_f64(),
            scenario.duration.as_secs_f64(),
        ],
        seeds: vec![seed],
        cells_planned: 1,
        metrics: METRICS.iter().map(metric).collect(),
        points: vec![Vec::new()],
        summary: vec![data::Summary {
            scheme: 0,
            point: 0,
            seeds: 1,
            values: values.collect(),
        }],
        cells: vec![data::Cell {
            cell: number,
            scheme: 0,
            point: 0,
            seed,
            values: seen.outcome.values.clone(),
        }],
        flows: seen.outcome.flows.iter().map(traced_flow).collect(),
        distributions: vec![data::Distribution {
            scheme: 0,
            point: 0,
            what: "time in the queue",
            quantiles: seen.outcome.sojourn.iter().map(|(s, t)| [*s, *t]).collect(),
        }],
        series: series.collect(),
        schemes: vec![scheme],
        ..Data::default()
    }
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

/// The watched link: its name, and what a scheme must know of it.
struct Watched {
    name: String,
    link: Link,
}

impl Watched {
    /// As the plan's first cell has it.
    fn of(plan: &Plan) -> Option<Watched> {
        let prepared = plan.prepare(plan.cell(0)?, false).ok()?;
        let network = &prepared.run.network;
        let link = network.get(prepared.watched);
        Some(Watched {
            name: network.link_name(prepared.watched),
            link: Link {
                rate: link.mean_rate(),
                mean_packet: link.mean_packet,
            },
        })
    }
}

fn metric(metric: &Metric) -> data::Metric {
    data::Metric {
        name: metric.name,
        title: metric.title,
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

fn describe(scheme: &Scheme, watched: Option<&Watched>) -> data::Scheme {
    let descriptor = scheme.spec.descriptor();
    let mut described = data::Scheme {
        label: scheme.label.clone(),
        spec: scheme.spec.to_string(),
        summary: descriptor.summary,
        source: descriptor.source,
        parameters: Vec::new(),
        curve: Vec::new(),
    };
    let Some(Watched { link, .. }) = watched else {
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
    described
}

/// The drop curve of each scheme of a plan: average queue in packets against probability;
/// empty for schemes without one.
pub fn curve_outlines(plan: &Plan) -> Vec<Vec<[f64; 2]>> {
    let watched = Watched::of(plan);
    let schemes = plan.scenario().schemes.iter();
    let outline = |scheme: &Scheme| match &watched {
        Some(watched) => outline(&scheme.spec, &watched.link),
        None => Vec::new(),
    };
    schemes.map(outline).collect()
}

fn outline(spec: &Spec, link: &Link) -> Vec<[f64; 2]> {
    let Ok(registered) = spec.plan(link) else {
        return Vec::new();
    };
    let Some(curve) = registered.curve() else {
        return Vec::new();
    };
    let points = curve.outline(curve.extent(), 60).into_iter();
    let packet = bytes_a_packet(spec, link);
    points.map(|(average, pb)| [average / packet, pb]).collect()
}

/// What an average in bytes is divided by to be in packets; 1 where it is in packets.
fn bytes_a_packet(spec: &Spec, link: &Link) -> f64 {
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
        values: axis.texts(),
        unit: base_unit(numbers.as_ref().and_then(|(_, dimension)| *dimension)),
        numbers: numbers.map(|(numbers, _)| numbers),
    }
}

fn estimate(entry: &Option<RankedMean>) -> Option<data::Estimate> {
    entry.map(|entry| data::Estimate {
        mean: entry.mean.mean,
        half: entry.mean.half,
        best: entry.best,
    })
}

/// What only a run on real hosts has.
fn live(store: &Store, summary: &Summary) -> Result<Option<data::Live>, StoreError> {
    if store.hosts()? == Hosts::Simulated {
        return Ok(None);
    }
    let rows = summary.rows.iter().filter_map(|row| {
        let live = row.live.as_ref()?;
        Some(data::Exactness {
            scheme: row.scheme,
            point: row.point,
            runs: row.seeds,
            doubtful: live.doubtful,
            values: live.values.iter().map(estimate).collect(),
        })
    });
    Ok(Some(data::Live {
        metrics: LIVE_METRICS.iter().map(metric).collect(),
        rows: rows.collect(),
    }))
}

fn row(row: &earlydrop_lab::summary::SchemeSummary) -> data::Summary {
    data::Summary {
        scheme: row.scheme,
        point: row.point,
        seeds: row.seeds,
        values: row.values.iter().map(estimate).collect(),
    }
}

fn group(group: &earlydrop_lab::summary::GroupSummary) -> data::GroupSummary {
    data::GroupSummary {
        scheme: group.scheme,
        point: group.point,
        group: group.name.clone(),
        flows: group.flows,
        values: group.values.iter().map(estimate).collect(),
    }
}

fn scheme_index(plan: &Plan, label: &str) -> usize {
    let labels = plan.labels();
    labels.iter().position(|known| *known == label).unwrap_or(0)
}

fn cells(plan: &Plan, summary: &Summary) -> Vec<data::Cell> {
    let cell = |row: &earlydrop_lab::rows::CellRow| data::Cell {
        cell: row.cell,
        scheme: scheme_index(plan, &row.scheme),
        point: row.point,
        seed: row.seed,
        values: row.values.clone(),
    };
    summary.cells.iter().map(cell).collect()
}

/// The scheme and the point of a cell by its number.
fn place(plan: &Plan, summary: &Summary, number: usize) -> Option<(usize, usize)> {
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
    let flows = store.flows(seed)?.into_iter().filter_map(|flow| {
        let (scheme, point) = place(plan, summary, flow.cell)?;
        if point >= POINTS_IN_DEPTH {
            return None;
        }
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
    let named = |what| {
        move |((label, point), quantiles): (_, Vec<_>)| {
            let label: String = label;
            data::Distribution {
                scheme: scheme_index(plan, &label),
                point,
                what,
                quantiles: quantiles.into_iter().map(|(s, t)| [s, t]).collect(),
            }
        }
    };
    let sojourn = store.sojourn()?.into_iter().map(named("time in the queue"));
    let late = store.lateness()?.into_iter().map(named(data::LATENESS));
    let mut distributions: Vec<_> = sojourn.chain(late).collect();
    distributions.sort_by_key(|one| (one.scheme, one.point));
    Ok(distributions)
}

/// Beyond this many points, samples and single flows are left to `earlydrop trace`: the
/// page would become too large.
const POINTS_IN_DEPTH: usize = 4;

fn series(
    plan: &Plan,
    store: &Store,
    summary: &Summary,
    link: &str,
) -> Result<Vec<data::Series>, StoreError> {
    let seed = plan.seeds.first().copied().unwrap_or(1);
    let kept = store
        .series(seed)?
        .into_iter()
        .filter_map(|(number, series)| {
            let (scheme, point) = place(plan, summary, number)?;
            let of_other_links = series.name != "window" && series.source != link;
            if point >= POINTS_IN_DEPTH || of_other_links {
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
    Ok(kept.collect())
}

/// What a series is, with its unit.
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
