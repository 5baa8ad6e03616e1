//! Builds the charts and tables of panels from stored runs.

use earlydrop_lab::metrics::{METRICS, Metric, index_of};
use earlydrop_lab::number::number;
use earlydrop_lab::outcome::Series;
use earlydrop_lab::plan::Cell;
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::store::StoreError;
use earlydrop_report::figure::{
    Bar, Key, Mark, Plot, PlotAxis, PlotPanel, Point, Size, bars, measured, scene, scheme_looks,
};
use earlydrop_report::run_report;

use super::coordinates::{Values, point, values, with};
use super::experiment::Experiment;
use super::panel_content::PanelContent;
use super::printed_table::PrintedTable;
use crate::claims::{ClaimReport, Selector};
use crate::figures::{AxisSpec, CurveSpec, GroupSpec, NameRef, PanelKind, PanelSpec};

/// The data of a panel, before it is drawn.
pub(super) enum PanelData {
    Plot(Plot),
    Table(PrintedTable),
    Missing(String),
}

impl PanelData {
    pub(super) fn draw(self) -> PanelContent {
        match self {
            PanelData::Plot(mut plot) => {
                plot.panels[0].y.start_at_zero();
                PanelContent::Picture(scene(&plot, &Size::PAGE))
            }
            PanelData::Table(table) => PanelContent::Table(table),
            PanelData::Missing(why) => PanelContent::Missing(why),
        }
    }

    fn vertical_axis(&mut self) -> Option<&mut PlotAxis> {
        match self {
            PanelData::Plot(plot) => Some(&mut plot.panels[0].y),
            PanelData::Table(_) | PanelData::Missing(_) => None,
        }
    }
}

/// Gives vertical axes with one label, in panels of one experiment, one range, so that they can
/// be compared.
pub(super) fn share_ranges(panels: &mut [(&str, PanelData)]) {
    let ends = panels.iter_mut().filter_map(|(experiment, panel)| {
        let axis = panel.vertical_axis()?;
        Some((*experiment, axis.label.clone(), axis.range))
    });
    let ends: Vec<(&str, String, (f64, f64))> = ends.collect();
    for (experiment, panel) in panels {
        let Some(axis) = panel.vertical_axis() else {
            continue;
        };
        let alike = ends
            .iter()
            .filter(|(of, label, _)| of == experiment && *label == axis.label);
        axis.range = alike.fold(axis.range, |(low, high), (.., other)| {
            (low.min(other.0), high.max(other.1))
        });
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
    fn axis(&self, axis: &AxisSpec, otherwise: (&str, &str)) -> PlotAxis {
        let or = |given: &str, otherwise: &str| match given {
            "" => otherwise.to_string(),
            given => given.to_string(),
        };
        let (label, unit) = (or(&axis.label, otherwise.0), or(&axis.unit, otherwise.1));
        let label = match unit.as_str() {
            "" => label,
            unit => format!("{label}, {unit}"),
        };
        let ticks = axis.ticks.iter().map(|tick| (*tick, number(*tick)));
        PlotAxis {
            is_log: axis.log,
            ticks: ticks.collect(),
            ..PlotAxis::fitting(&label, axis.low, axis.high)
        }
    }

    fn y(&self) -> PlotAxis {
        let measure = self.panel.y.measure.as_ref();
        let metric = measure.and_then(|measure| metric(&measure.selector));
        let otherwise = metric.map_or(("", ""), |metric| (metric.title, metric.unit));
        self.axis(&self.panel.y, otherwise)
    }

    /// A chart of these curves, each with its name, its mark beside the name, and its marks.
    fn chart(&self, x: (&str, &str), curves: Vec<(String, Key, Vec<Mark>)>) -> PanelData {
        let mut chart = Plot {
            title: self.panel.title.clone(),
            x: PlotAxis {
                is_exact: true,
                ..self.axis(&self.panel.x, x)
            },
            has_names_at_ends: true,
            ..Plot::default()
        };
        let mut panel = PlotPanel {
            y: self.y(),
            marks: Vec::new(),
        };
        for (name, key, marks) in curves {
            chart.legend.push((name, key));
            panel.marks.extend(marks);
        }
        panel.marks.extend(self.levels());
        chart.panels.push(panel);
        chart.describe();
        chart.fit();
        PanelData::Plot(chart)
    }

    fn levels(&self) -> impl Iterator<Item = Mark> {
        let lines = self.panel.lines.iter();
        lines.map(|line| Mark::Level {
            name: line.name.clone(),
            at: line.value,
        })
    }

    fn scheme(&self, reference: &NameRef) -> usize {
        let labels = self.experiment.plan.labels();
        let index = labels.iter().position(|label| *label == reference.name);
        index.unwrap_or(0)
    }

    /// The looks of curves of these schemes. Where all are of one scheme, colours distinguish them,
    /// and the first has the scheme's.
    fn looks(&self, of: &[usize]) -> Vec<usize> {
        let schemes = &self.experiment.plan.scenario().schemes;
        let names = of
            .iter()
            .map(|scheme| schemes[*scheme].spec.descriptor().name);
        let names: Vec<&str> = names.collect();
        let looks = scheme_looks(&names);
        match looks.first() {
            Some(first) if names.iter().all(|name| *name == names[0]) => {
                (0..of.len()).map(|nth| first + nth).collect()
            }
            _ => looks,
        }
    }

    /// The looks of curves, each of its scheme.
    fn looks_of(&self, curves: &[CurveSpec]) -> Vec<usize> {
        let schemes = curves.iter().map(|curve| self.scheme(&curve.scheme));
        self.looks(&schemes.collect::<Vec<usize>>())
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
        let (mut drawn, mut schemes) = (Vec::new(), Vec::new());
        for curve in curves {
            let values = values(&[&curve.at, &self.panel.at]);
            for (name, extra) in self.each(curve) {
                let mut values = values.clone();
                values.extend(extra.iter().map(|(field, value)| (*field, value.as_str())));
                let points = self.points(curve, &name, &values, (field, &xs))?;
                drawn.push((name, points));
                schemes.push(self.scheme(&curve.scheme));
            }
        }
        let drawn = drawn.into_iter().zip(self.looks(&schemes));
        let drawn = drawn.map(|((name, points), look)| {
            let marks = measured(&name, look, &points);
            (name, Key::both(look), marks)
        });
        Ok(self.chart((field, ""), drawn.collect()))
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
                tip: format!(
                    "{name}, {label} {text}: {value} {unit} ({} seeds)",
                    mean.count
                ),
            })
        };
        Ok(xs.iter().filter_map(point).collect())
    }

    fn time(&self, curves: &[CurveSpec]) -> Result<PanelData, StoreError> {
        let mut drawn = Vec::new();
        let plan = &self.experiment.plan;
        for (curve, look) in curves.iter().zip(self.looks_of(curves)) {
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
            let key = Key::line(look);
            drawn.push((curve.name.clone(), key, vec![trace(curve, &series, key)]));
        }
        Ok(self.chart(("time", "s"), drawn))
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
        for (curve, look) in curves.iter().zip(self.looks_of(curves)) {
            let mut bars = Vec::new();
            for GroupSpec {
                name: group_name,
                group,
            } in groups
            {
                let selector = Selector::Group(group.name.clone(), name.clone());
                bars.push(self.bar(curve, group_name, &selector)?);
            }
            rows.push((curve.name.clone(), look, bars));
        }
        let groups: Vec<String> = groups.iter().map(|group| group.name.clone()).collect();
        let mut plot = bars(&self.panel.title, self.y(), &groups, &rows);
        plot.panels[0].marks.extend(self.levels());
        plot.fit();
        Ok(PanelData::Plot(plot))
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
            tip: match mean {
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
        let mut drawn = Vec::new();
        for (curve, look) in curves.iter().zip(self.looks_of(curves)) {
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
            let (key, half, most) = (Key::line(look), within(0.5), within(0.95));
            let tip = format!("{}: half within {half} s, 95% within {most} s", curve.name);
            let line = line(&curve.name, places.collect(), key, tip);
            drawn.push((curve.name.clone(), key, vec![line]));
        }
        Ok(self.chart(("time", "s"), drawn))
    }

    fn drop_function(&self, curves: &[CurveSpec]) -> PanelData {
        let outlines = run_report::curve_outlines(&self.experiment.plan);
        let of = |curve: &CurveSpec| outlines[self.scheme(&curve.scheme)].as_slice();
        let ends = curves.iter().filter_map(|curve| of(curve).last());
        let end = ends.map(|[x, _]| *x).fold(0.0, f64::max);
        let end = self.panel.x.high.unwrap_or(end);
        let mut drawn = Vec::new();
        for (curve, look) in curves.iter().zip(self.looks_of(curves)) {
            let outline = of(curve);
            let outline = &outline[..outline.partition_point(|[x, _]| *x <= end)];
            // A curve stays at its last value up to the end of the axis.
            let rest = outline.last().map(|[_, y]| (end, *y));
            let points = outline.iter().map(|[x, y]| (*x, *y)).chain(rest).collect();
            let key = Key::line(look);
            let line = line(&curve.name, points, key, curve.name.clone());
            drawn.push((curve.name.clone(), key, vec![line]));
        }
        let mut chart = self.chart(("average queue", "packets"), drawn);
        if let Some(axis) = chart.vertical_axis()
            && axis.label.is_empty()
        {
            axis.label = "drop probability".to_string();
        }
        chart
    }
}

/// A line that a page describes under the pointer.
fn line(name: &str, points: Vec<(f64, f64)>, key: Key, tip: String) -> Mark {
    Mark::Line {
        name: name.to_string(),
        points,
        key,
        weight: 1.4,
        tip,
    }
}

/// A curve of samples, with their number, range and mean in words.
fn trace(curve: &CurveSpec, series: &Series, key: Key) -> Mark {
    let finite = series.values.iter().filter(|value| value.is_finite());
    let (sum, count) = finite.clone().fold((0.0, 0_usize), |(sum, count), value| {
        (sum + value, count + 1)
    });
    let largest = finite
        .clone()
        .fold(f64::MIN, |most, value| most.max(*value));
    let smallest = finite.fold(f64::MAX, |least, value| least.min(*value));
    let tip = format!(
        "{}: {count} samples from {} to {}, on average {}",
        curve.name,
        number(smallest),
        number(largest),
        number(sum / count.max(1) as f64)
    );
    let values = series.values.iter().enumerate();
    let points = values.map(|(at, value)| (at as f64 * series.interval, *value));
    Mark::Line {
        name: curve.name.clone(),
        points: points.collect(),
        key,
        // The queue swings so much that it would hide the other curves.
        weight: if curve.series.name == "queue" {
            0.35
        } else {
            0.7
        },
        tip,
    }
}
