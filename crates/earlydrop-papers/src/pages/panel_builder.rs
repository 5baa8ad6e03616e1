//! Builds the charts and tables of panels from stored runs.

use earlydrop_lab::metrics::{METRICS, Metric, index_of};
use earlydrop_lab::number::number;
use earlydrop_lab::outcome::Series;
use earlydrop_lab::plan::Cell;
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::store::StoreError;
use earlydrop_report::figure::{self, Bar, Bars, Chart, Curve, Level, Line, Point};
use earlydrop_report::run_report;

use super::coordinates::{Values, point, values, with};
use super::experiment::Experiment;
use super::panel_content::PanelContent;
use super::printed_table::PrintedTable;
use crate::claims::{ClaimReport, Selector};
use crate::figures::{AxisSpec, CurveSpec, GroupSpec, LevelSpec, NameRef, PanelKind, PanelSpec};

/// The data of a panel, before it is drawn.
pub(super) enum PanelData {
    Chart(Chart),
    Bars(Bars),
    Table(PrintedTable),
    Missing(String),
}

impl PanelData {
    pub(super) fn draw(self) -> PanelContent {
        match self {
            PanelData::Chart(chart) => PanelContent::Picture(chart.draw()),
            PanelData::Bars(bars) => PanelContent::Picture(bars.draw()),
            PanelData::Table(table) => PanelContent::Table(table),
            PanelData::Missing(why) => PanelContent::Missing(why),
        }
    }

    /// The vertical axis, and the range of the values over it.
    fn vertical_axis(&mut self) -> Option<(&mut figure::Axis, Option<(f64, f64)>)> {
        match self {
            PanelData::Chart(chart) => {
                let extent = chart.extent();
                Some((&mut chart.y, extent))
            }
            PanelData::Bars(bars) => {
                let extent = bars.extent();
                Some((&mut bars.y, extent))
            }
            PanelData::Table(_) | PanelData::Missing(_) => None,
        }
    }
}

/// Gives vertical axes with one label, in panels of one experiment, one range, so that they can
/// be compared.
pub(super) fn share_ranges(panels: &mut [(&str, PanelData)]) {
    let ends = panels.iter_mut().filter_map(|(experiment, panel)| {
        let (axis, extent) = panel.vertical_axis()?;
        Some((*experiment, axis.label.clone(), extent?))
    });
    let ends: Vec<(&str, String, (f64, f64))> = ends.collect();
    for (experiment, panel) in panels {
        let Some((axis, _)) = panel.vertical_axis() else {
            continue;
        };
        let alike = || {
            let all = ends.iter();
            let alike = all.filter(|(of, label, _)| of == experiment && *label == axis.label);
            alike.map(|(.., extent)| *extent)
        };
        if alike().count() < 2 {
            continue;
        }
        let low = alike().map(|(low, _)| low).fold(f64::MAX, f64::min);
        let high = alike().map(|(_, high)| high).fold(f64::MIN, f64::max);
        // An axis starts at zero unless all values are far above it.
        let low = if low > 0.0 && low < 0.6 * high {
            0.0
        } else {
            low
        };
        axis.low = Some(axis.low.map_or(low, |given| given.min(low)));
        axis.high = Some(axis.high.map_or(high, |given| given.max(high)));
    }
}

/// Builds a panel from the runs of its experiment.
pub(super) fn build(
    panel: &PanelSpec,
    experiment: &Experiment,
    reports: &[ClaimReport<'_>],
) -> Result<PanelData, StoreError> {
    let panel = PanelBuilder { panel, experiment };
    let curves = panel.panel.curves();
    match panel.panel.kind {
        PanelKind::Sweep => panel.sweep(curves),
        PanelKind::Time => panel.time(curves),
        PanelKind::Bars => panel.bars(curves, &panel.panel.groups),
        PanelKind::Distribution => panel.distribution(curves),
        PanelKind::DropFunction => Ok(panel.drop_function(curves)),
        PanelKind::Table => {
            PrintedTable::of(panel.panel, experiment, reports).map(PanelData::Table)
        }
    }
}

/// The metric of a selector, which has a title, a unit and a scale.
fn metric(selector: &Selector) -> Option<&'static Metric> {
    match selector {
        Selector::Metric(name) | Selector::Group(_, name) => METRICS.get(index_of(name)?),
        _ => None,
    }
}

/// Builds the data of one panel.
struct PanelBuilder<'a> {
    panel: &'a PanelSpec,
    experiment: &'a Experiment,
}

impl<'a> PanelBuilder<'a> {
    /// The axis of a chart; `otherwise` is its label and its unit where the file gives none.
    fn axis(&self, axis: &AxisSpec, otherwise: (&str, &str)) -> figure::Axis {
        let or = |given: &str, otherwise: &str| match given {
            "" => otherwise.to_string(),
            given => given.to_string(),
        };
        let (label, unit) = (or(&axis.label, otherwise.0), or(&axis.unit, otherwise.1));
        figure::Axis {
            label: match unit.as_str() {
                "" => label,
                unit => format!("{label}, {unit}"),
            },
            low: axis.low,
            high: axis.high,
            log: axis.log,
            ticks: axis.ticks.clone(),
        }
    }

    fn y(&self) -> figure::Axis {
        let measure = self.panel.y.measure.as_ref();
        let metric = measure.and_then(|measure| metric(&measure.selector));
        let otherwise = metric.map_or(("", ""), |metric| (metric.title, metric.unit));
        self.axis(&self.panel.y, otherwise)
    }

    fn chart(&self, x: (&str, &str)) -> Chart {
        Chart {
            title: self.panel.title.clone(),
            x: self.axis(&self.panel.x, x),
            y: self.y(),
            curves: Vec::new(),
            levels: self.levels(),
            ..Chart::default()
        }
    }

    fn levels(&self) -> Vec<Level> {
        let lines = self.panel.lines.iter();
        let level = |line: &LevelSpec| Level {
            name: line.name.clone(),
            value: line.value,
        };
        lines.map(level).collect()
    }

    fn scheme(&self, reference: &NameRef) -> usize {
        let labels = self.experiment.plan.labels();
        let index = labels.iter().position(|label| *label == reference.name);
        index.unwrap_or(0)
    }

    fn sweep(&self, curves: &[CurveSpec]) -> Result<PanelData, StoreError> {
        let plan = &self.experiment.plan;
        let field = self.panel.x.field.name.as_str();
        let Some(axis) = plan.axes.iter().find(|axis| axis.field == field) else {
            return Ok(PanelData::Missing(format!("{field} was not swept")));
        };
        let times = self.panel.x.times;
        let numbers = axis.numbers().map(|(numbers, _)| numbers.into_iter());
        let numbers = numbers.map(|numbers| numbers.map(|number| number * times));
        let xs: Vec<(String, f64)> = match numbers {
            Some(numbers) => axis.texts().into_iter().zip(numbers).collect(),
            None => return Ok(PanelData::Missing(format!("{field} has no numbers"))),
        };
        let mut chart = self.chart((field, ""));
        for curve in curves {
            let values = values(&[&curve.at, &self.panel.at]);
            for (name, extra) in self.each(curve) {
                let mut values = values.clone();
                values.extend(extra.iter().map(|(field, value)| (*field, value.as_str())));
                let points = self.points(curve, &name, &values, (field, &xs))?;
                chart.curves.push(Curve {
                    tooltip: name.clone(),
                    name,
                    look: chart.curves.len(),
                    is_faint: false,
                    line: Line::Points(points),
                });
            }
        }
        Ok(PanelData::Chart(chart))
    }

    /// The curves that a description stands for, one for each value of its `each`: the name of
    /// each, and that value.
    fn each(&self, curve: &'a CurveSpec) -> Vec<(String, Vec<(&'a str, String)>)> {
        let field = curve.each.name.as_str();
        let mut axes = self.experiment.plan.axes.iter();
        let Some(axis) = axes.find(|axis| axis.field == field) else {
            return vec![(curve.name.clone(), Vec::new())];
        };
        let texts = axis.texts().into_iter();
        texts
            .map(|text| (curve.name.replace("{}", &text), vec![(field, text)]))
            .collect()
    }

    fn points(
        &self,
        curve: &CurveSpec,
        name: &str,
        at: &Values<'_>,
        (field, xs): (&str, &[(String, f64)]),
    ) -> Result<Vec<Point>, StoreError> {
        let Some(measure) = curve.measure.as_ref().or(self.panel.y.measure.as_ref()) else {
            return Ok(Vec::new());
        };
        let measured = self.experiment.measurements(&measure.selector)?;
        let metric = metric(&measure.selector);
        let (scale, unit) = metric.map_or((1.0, self.panel.y.unit.as_str()), |metric| {
            (metric.scale, metric.unit)
        });
        let scheme = self.scheme(&curve.scheme);
        let point = |(text, x): &(String, f64)| {
            let point = point(&self.experiment.plan, &with(at, field, text))?;
            let mut values = measured.values(scheme, point)?;
            if !curve.minus.name.is_empty() {
                let others = measured.values(self.scheme(&curve.minus), point)?;
                let pairs = values.iter_mut().zip(others);
                pairs.for_each(|(value, other)| *value -= other);
            }
            let mean = Mean::of(&values)?;
            let value = mean.with_interval(scale);
            let label = match self.panel.x.label.as_str() {
                "" => field,
                label => label,
            };
            Some(Point {
                x: *x,
                y: mean.mean * scale,
                half: mean.half.map(|half| half * scale),
                tooltip: format!(
                    "{name}, {label} {text}: {value} {unit} ({} seeds)",
                    mean.count
                ),
            })
        };
        Ok(xs.iter().filter_map(point).collect())
    }

    fn time(&self, curves: &[CurveSpec]) -> Result<PanelData, StoreError> {
        let mut chart = self.chart(("time", "s"));
        let plan = &self.experiment.plan;
        for curve in curves {
            let values = values(&[&curve.at, &self.panel.at]);
            let Some(point) = point(plan, &values) else {
                return Ok(PanelData::Missing(format!(
                    "{} was not run there",
                    curve.name
                )));
            };
            let (scheme, seed) = (self.scheme(&curve.scheme), 0);
            let cell = plan.number(Cell {
                seed,
                point,
                scheme,
            });
            let Some(mut series) = self.sampled(cell, curve, &curve.series)? else {
                let what = format!("{} of {} was not sampled", curve.series.name, curve.name);
                return Ok(PanelData::Missing(what));
            };
            if !curve.over.is_empty() {
                self.share(cell, curve, &mut series.values)?;
            }
            let times = self.panel.y.times;
            series.values.iter_mut().for_each(|value| *value *= times);
            chart.curves.push(trace(curve, series, chart.curves.len()));
        }
        Ok(PanelData::Chart(chart))
    }

    fn sampled(
        &self,
        cell: usize,
        curve: &CurveSpec,
        series: &NameRef,
    ) -> Result<Option<Series>, StoreError> {
        let source = Some(curve.source.name.as_str()).filter(|source| !source.is_empty());
        let store = &self.experiment.store;
        store.series_of(cell, &series.name, source)
    }

    /// Divides samples by the sum of other series; where that is zero they are not a number.
    fn share(&self, cell: usize, curve: &CurveSpec, values: &mut [f64]) -> Result<(), StoreError> {
        let mut sums = vec![0.0; values.len()];
        for reference in &curve.over {
            let other = self.sampled(cell, curve, reference)?;
            let others = other.map_or(Vec::new(), |series| series.values);
            for (sum, value) in sums.iter_mut().zip(others) {
                *sum += value;
            }
        }
        for (value, sum) in values.iter_mut().zip(sums) {
            *value = if sum > 0.0 { *value / sum } else { f64::NAN };
        }
        Ok(())
    }

    fn bars(&self, curves: &[CurveSpec], groups: &[GroupSpec]) -> Result<PanelData, StoreError> {
        let measure = self.panel.y.measure.as_ref();
        let Some(Selector::Metric(name)) = measure.map(|measure| &measure.selector) else {
            return Ok(PanelData::Missing("`y.measure` is no metric".to_string()));
        };
        let mut rows = Vec::new();
        for curve in curves {
            let mut bars = Vec::new();
            for GroupSpec {
                name: group_name,
                group,
            } in groups
            {
                let selector = Selector::Group(group.name.clone(), name.clone());
                bars.push(self.bar(curve, group_name, &selector)?);
            }
            rows.push((curve.name.clone(), bars));
        }
        Ok(PanelData::Bars(Bars {
            title: self.panel.title.clone(),
            y: self.y(),
            groups: groups.iter().map(|group| group.name.clone()).collect(),
            rows,
            levels: self.levels(),
        }))
    }

    fn bar(&self, curve: &CurveSpec, group: &str, selector: &Selector) -> Result<Bar, StoreError> {
        let plan = &self.experiment.plan;
        let measured = self.experiment.measurements(selector)?;
        let values = values(&[&curve.at, &self.panel.at]);
        let values = point(plan, &values)
            .and_then(|point| measured.values(self.scheme(&curve.scheme), point));
        let mean = values.and_then(|values| Mean::of(&values));
        let (scale, unit) =
            metric(selector).map_or((1.0, ""), |metric| (metric.scale, metric.unit));
        Ok(Bar {
            value: mean.map(|mean| mean.mean * scale),
            half: mean.and_then(|mean| Some(mean.half? * scale)),
            tooltip: match mean {
                Some(mean) => {
                    let value = mean.with_interval(scale);
                    let name = &curve.name;
                    format!("{name}, {group}: {value} {unit} ({} seeds)", mean.count)
                }
                None => String::new(),
            },
        })
    }

    fn distribution(&self, curves: &[CurveSpec]) -> Result<PanelData, StoreError> {
        let mut chart = self.chart(("time", "s"));
        for curve in curves {
            let values = values(&[&curve.at, &self.panel.at]);
            let Some(point) = point(&self.experiment.plan, &values) else {
                return Ok(PanelData::Missing(format!(
                    "{} was not run there",
                    curve.name
                )));
            };
            let scheme = curve.scheme.name.as_str();
            let store = &self.experiment.store;
            let quantiles = store.transfers(scheme, point, &curve.group.name)?;
            let places = quantiles.iter().map(|(share, time)| (*time, 100.0 * share));
            let within = |wanted: f64| {
                let quantile = quantiles.iter().find(|(share, _)| *share >= wanted);
                number(quantile.map_or(f64::NAN, |(_, time)| *time))
            };
            chart.curves.push(Curve {
                name: curve.name.clone(),
                look: chart.curves.len(),
                is_faint: false,
                tooltip: format!(
                    "{}: half within {} s, 95% within {} s",
                    curve.name,
                    within(0.5),
                    within(0.95)
                ),
                line: Line::Path(places.collect()),
            });
        }
        Ok(PanelData::Chart(chart))
    }

    fn drop_function(&self, curves: &[CurveSpec]) -> PanelData {
        let mut chart = self.chart(("average queue", "packets"));
        if chart.y.label.is_empty() {
            chart.y.label = "drop probability".to_string();
        }
        let outlines = run_report::curve_outlines(&self.experiment.plan);
        let of = |curve: &CurveSpec| outlines[self.scheme(&curve.scheme)].as_slice();
        let ends = curves.iter().filter_map(|curve| of(curve).last());
        let end = ends.map(|[x, _]| *x).fold(0.0, f64::max);
        let end = self.panel.x.high.unwrap_or(end);
        for curve in curves {
            let outline = of(curve);
            let drawn = outline.partition_point(|[x, _]| *x <= end);
            let outline = &outline[..drawn];
            // A curve stays at its last value up to the end of the axis.
            let rest = outline.last().map(|[_, y]| (end, *y));
            chart.curves.push(Curve {
                name: curve.name.clone(),
                look: chart.curves.len(),
                is_faint: false,
                tooltip: curve.name.clone(),
                line: Line::Path(outline.iter().map(|[x, y]| (*x, *y)).chain(rest).collect()),
            });
        }
        PanelData::Chart(chart)
    }
}

/// A curve of samples, with their number, range and mean in words.
fn trace(curve: &CurveSpec, series: Series, look: usize) -> Curve {
    let finite = series.values.iter().filter(|value| value.is_finite());
    let (sum, count) = finite.clone().fold((0.0, 0_usize), |(sum, count), value| {
        (sum + value, count + 1)
    });
    let largest = finite
        .clone()
        .fold(f64::MIN, |most, value| most.max(*value));
    let smallest = finite.fold(f64::MAX, |least, value| least.min(*value));
    Curve {
        name: curve.name.clone(),
        look,
        // The queue swings so much that it would hide the other curves.
        is_faint: curve.series.name == "queue",
        tooltip: format!(
            "{}: {count} samples from {} to {}, on average {}",
            curve.name,
            number(smallest),
            number(largest),
            number(sum / count.max(1) as f64)
        ),
        line: Line::Trace {
            start: 0.0,
            interval: series.interval,
            values: series.values,
        },
    }
}
