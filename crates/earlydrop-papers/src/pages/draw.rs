//! From runs to charts.

use crate::claims::{Selector, Told};
use earlydrop_lab::metrics::{METRICS, Metric, index_of};
use earlydrop_lab::outcome::Series;
use earlydrop_lab::plan::Cell;
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::store::StoreError;
use earlydrop_report::figure::{self, Bar, Bars, Chart, Curve as Drawn, Level, Line, Point};
use earlydrop_report::run_report;

use super::places::{Where, place, point, with};
use super::printed::Printed;
use super::study::{self, Experiment};
use super::written::{Axis, Curve, Kind, Named, Panel};

/// A panel that is still to be drawn.
pub(super) enum Built {
    Chart(Chart),
    Bars(Bars),
    Table(Printed),
    Missing(String),
}

impl Built {
    pub(super) fn draw(self) -> study::Drawn {
        match self {
            Built::Chart(chart) => study::Drawn::Picture(chart.draw()),
            Built::Bars(bars) => study::Drawn::Picture(bars.draw()),
            Built::Table(table) => study::Drawn::Table(table),
            Built::Missing(why) => study::Drawn::Missing(why),
        }
    }

    /// The upright axis, and what is drawn over it.
    fn upright(&mut self) -> Option<(&mut figure::Axis, Option<(f64, f64)>)> {
        match self {
            Built::Chart(chart) => {
                let extent = chart.extent();
                Some((&mut chart.y, extent))
            }
            Built::Bars(bars) => {
                let extent = bars.extent();
                Some((&mut bars.y, extent))
            }
            Built::Table(_) | Built::Missing(_) => None,
        }
    }
}

/// Gives upright axes of the same name in panels of the same experiment the same range, so
/// that they can be compared.
pub(super) fn share_ranges(panels: &mut [(&str, Built)]) {
    let ends = panels.iter_mut().filter_map(|(experiment, panel)| {
        let (axis, extent) = panel.upright()?;
        Some((*experiment, axis.label.clone(), extent?))
    });
    let ends: Vec<(&str, String, (f64, f64))> = ends.collect();
    for (experiment, panel) in panels {
        let Some((axis, _)) = panel.upright() else {
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
        // What is far above zero need not show it, and what is not does.
        let low = if low > 0.0 && low < 0.6 * high {
            0.0
        } else {
            low
        };
        axis.low = Some(axis.low.map_or(low, |asked| asked.min(low)));
        axis.high = Some(axis.high.map_or(high, |asked| asked.max(high)));
    }
}

/// Reads what a panel shows.
pub(super) fn build(
    panel: &Panel,
    experiment: &Experiment,
    told: &[Told<'_>],
) -> Result<Built, StoreError> {
    let panel = Shown { panel, experiment };
    match &panel.panel.kind {
        Kind::Sweep(curves) => panel.sweep(curves),
        Kind::Time(curves) => panel.time(curves),
        Kind::Bars { curves, groups } => panel.bars(curves, groups),
        Kind::Distribution(curves) => panel.distribution(curves),
        Kind::DropFunction(curves) => Ok(panel.drop_function(curves)),
        Kind::Table { rows, columns } => {
            Printed::of(panel.panel, experiment, (rows, columns), told).map(Built::Table)
        }
    }
}

/// How a metric is shown.
fn metric(selector: &Selector) -> Option<&'static Metric> {
    match selector {
        Selector::Metric(name) | Selector::Group(_, name) => METRICS.get(index_of(name)?),
        _ => None,
    }
}

struct Shown<'a> {
    panel: &'a Panel,
    experiment: &'a Experiment,
}

impl<'a> Shown<'a> {
    /// The axis as it is drawn; `otherwise` is what stands beside it where nothing is said.
    fn axis(&self, axis: &Axis, otherwise: (&str, &str)) -> figure::Axis {
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
        let level = |(name, value): &(String, f64)| Level {
            name: name.clone(),
            value: *value,
        };
        lines.map(level).collect()
    }

    fn scheme(&self, named: &Named) -> usize {
        let labels = self.experiment.plan.labels();
        let found = labels.iter().position(|label| *label == named.name);
        found.unwrap_or(0)
    }

    fn sweep(&self, curves: &[Curve]) -> Result<Built, StoreError> {
        let plan = &self.experiment.plan;
        let field = self.panel.x.field.name.as_str();
        let Some(axis) = plan.axes.iter().find(|axis| axis.field == field) else {
            return Ok(Built::Missing(format!("{field} was not swept")));
        };
        let numbers = axis.numbers().map(|(numbers, _)| numbers);
        let xs: Vec<(String, f64)> = match numbers {
            Some(numbers) => axis.texts().into_iter().zip(numbers).collect(),
            None => return Ok(Built::Missing(format!("{field} has no numbers"))),
        };
        let mut chart = self.chart((field, ""));
        for curve in curves {
            let place = place(&[&curve.at, &self.panel.at]);
            for (name, extra) in self.each(curve) {
                let mut place = place.clone();
                place.extend(extra.iter().map(|(field, value)| (*field, value.as_str())));
                let points = self.points(curve, &name, &place, (field, &xs))?;
                chart.curves.push(Drawn {
                    words: name.clone(),
                    name,
                    look: chart.curves.len(),
                    is_faint: false,
                    line: Line::Points(points),
                });
            }
        }
        Ok(Built::Chart(chart))
    }

    /// A curve's names, and where each is besides: one for each value of an axis.
    fn each(&self, curve: &'a Curve) -> Vec<(String, Vec<(&'a str, String)>)> {
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
        curve: &Curve,
        name: &str,
        place: &Where<'_>,
        (field, xs): (&str, &[(String, f64)]),
    ) -> Result<Vec<Point>, StoreError> {
        let Some(measure) = curve.measure.as_ref().or(self.panel.y.measure.as_ref()) else {
            return Ok(Vec::new());
        };
        let measured = self.experiment.measured(&measure.selector)?;
        let metric = metric(&measure.selector);
        let (scale, unit) = metric.map_or((1.0, self.panel.y.unit.as_str()), |metric| {
            (metric.scale, metric.unit)
        });
        let scheme = self.scheme(&curve.scheme);
        let point = |(text, x): &(String, f64)| {
            let at = point(&self.experiment.plan, &with(place, field, text))?;
            let mean = Mean::of(&measured.values(scheme, at)?)?;
            let value = mean.with_interval(scale);
            let label = match self.panel.x.label.as_str() {
                "" => field,
                label => label,
            };
            Some(Point {
                x: *x,
                y: mean.mean * scale,
                half: mean.half.map(|half| half * scale),
                words: format!(
                    "{name}, {label} {text}: {value} {unit} ({} seeds)",
                    mean.count
                ),
            })
        };
        Ok(xs.iter().filter_map(point).collect())
    }

    fn time(&self, curves: &[Curve]) -> Result<Built, StoreError> {
        let mut chart = self.chart(("time", "s"));
        let plan = &self.experiment.plan;
        for curve in curves {
            let place = place(&[&curve.at, &self.panel.at]);
            let Some(point) = point(plan, &place) else {
                return Ok(Built::Missing(format!("{} was not run there", curve.name)));
            };
            let (scheme, seed) = (self.scheme(&curve.scheme), 0);
            let cell = plan.number(Cell {
                seed,
                point,
                scheme,
            });
            let Some(mut series) = self.sampled(cell, curve, &curve.series)? else {
                let what = format!("{} of {} was not sampled", curve.series.name, curve.name);
                return Ok(Built::Missing(what));
            };
            if !curve.over.is_empty() {
                self.share(cell, curve, &mut series.values)?;
            }
            let times = self.panel.y.times;
            series.values.iter_mut().for_each(|value| *value *= times);
            chart.curves.push(trace(curve, series, chart.curves.len()));
        }
        Ok(Built::Chart(chart))
    }

    fn sampled(
        &self,
        cell: usize,
        curve: &Curve,
        series: &Named,
    ) -> Result<Option<Series>, StoreError> {
        let source = Some(curve.source.name.as_str()).filter(|source| !source.is_empty());
        let store = &self.experiment.store;
        store.series_of(cell, &series.name, source)
    }

    /// Makes samples shares of the sum of others; where that is nothing there is no share.
    fn share(&self, cell: usize, curve: &Curve, values: &mut [f64]) -> Result<(), StoreError> {
        let mut sums = vec![0.0; values.len()];
        for named in &curve.over {
            let other = self.sampled(cell, curve, named)?;
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

    fn bars(&self, curves: &[Curve], groups: &[(String, Named)]) -> Result<Built, StoreError> {
        let measure = self.panel.y.measure.as_ref();
        let Some(Selector::Metric(name)) = measure.map(|measure| &measure.selector) else {
            return Ok(Built::Missing("`y.measure` is no metric".to_string()));
        };
        let mut rows = Vec::new();
        for curve in curves {
            let mut bars = Vec::new();
            for (group_name, group) in groups {
                let selector = Selector::Group(group.name.clone(), name.clone());
                bars.push(self.bar(curve, group_name, &selector)?);
            }
            rows.push((curve.name.clone(), bars));
        }
        Ok(Built::Bars(Bars {
            title: self.panel.title.clone(),
            y: self.y(),
            groups: groups.iter().map(|(name, _)| name.clone()).collect(),
            rows,
            levels: self.levels(),
        }))
    }

    fn bar(&self, curve: &Curve, group: &str, selector: &Selector) -> Result<Bar, StoreError> {
        let plan = &self.experiment.plan;
        let measured = self.experiment.measured(selector)?;
        let place = place(&[&curve.at, &self.panel.at]);
        let values = point(plan, &place)
            .and_then(|point| measured.values(self.scheme(&curve.scheme), point));
        let mean = values.and_then(|values| Mean::of(&values));
        let (scale, unit) =
            metric(selector).map_or((1.0, ""), |metric| (metric.scale, metric.unit));
        Ok(Bar {
            value: mean.map(|mean| mean.mean * scale),
            half: mean.and_then(|mean| Some(mean.half? * scale)),
            words: match mean {
                Some(mean) => {
                    let value = mean.with_interval(scale);
                    let name = &curve.name;
                    format!("{name}, {group}: {value} {unit} ({} seeds)", mean.count)
                }
                None => String::new(),
            },
        })
    }

    fn distribution(&self, curves: &[Curve]) -> Result<Built, StoreError> {
        let mut chart = self.chart(("time", "s"));
        for curve in curves {
            let place = place(&[&curve.at, &self.panel.at]);
            let Some(point) = point(&self.experiment.plan, &place) else {
                return Ok(Built::Missing(format!("{} was not run there", curve.name)));
            };
            let scheme = curve.scheme.name.as_str();
            let store = &self.experiment.store;
            let quantiles = store.transfers(scheme, point, &curve.group.name)?;
            let places = quantiles.iter().map(|(share, time)| (*time, 100.0 * share));
            let within = |wanted: f64| {
                let found = quantiles.iter().find(|(share, _)| *share >= wanted);
                figure::number(found.map_or(f64::NAN, |(_, time)| *time))
            };
            chart.curves.push(Drawn {
                name: curve.name.clone(),
                look: chart.curves.len(),
                is_faint: false,
                words: format!(
                    "{}: half within {} s, 95% within {} s",
                    curve.name,
                    within(0.5),
                    within(0.95)
                ),
                line: Line::Path(places.collect()),
            });
        }
        Ok(Built::Chart(chart))
    }

    fn drop_function(&self, curves: &[Curve]) -> Built {
        let mut chart = self.chart(("average queue", "packets"));
        if chart.y.label.is_empty() {
            chart.y.label = "drop probability".to_string();
        }
        let outlines = run_report::curve_outlines(&self.experiment.plan);
        let of = |curve: &Curve| outlines[self.scheme(&curve.scheme)].as_slice();
        let ends = curves.iter().filter_map(|curve| of(curve).last());
        let end = ends.map(|[x, _]| *x).fold(0.0, f64::max);
        for curve in curves {
            let outline = of(curve);
            // What has come to its last value stays there.
            let rest = outline.last().map(|[_, y]| (end, *y));
            chart.curves.push(Drawn {
                name: curve.name.clone(),
                look: chart.curves.len(),
                is_faint: false,
                words: curve.name.clone(),
                line: Line::Path(outline.iter().map(|[x, y]| (*x, *y)).chain(rest).collect()),
            });
        }
        Built::Chart(chart)
    }
}

/// A curve of samples, with what they come to in words.
fn trace(curve: &Curve, series: Series, look: usize) -> Drawn {
    let finite = series.values.iter().filter(|value| value.is_finite());
    let (sum, count) = finite.clone().fold((0.0, 0_usize), |(sum, count), value| {
        (sum + value, count + 1)
    });
    let largest = finite
        .clone()
        .fold(f64::MIN, |most, value| most.max(*value));
    let smallest = finite.fold(f64::MAX, |least, value| least.min(*value));
    Drawn {
        name: curve.name.clone(),
        look,
        // The queue itself swings so much that nothing else could be seen.
        is_faint: curve.series.name == "queue",
        words: format!(
            "{}: {count} samples from {} to {}, on average {}",
            curve.name,
            figure::number(smallest),
            figure::number(largest),
            figure::number(sum / count.max(1) as f64)
        ),
        line: Line::Trace {
            start: 0.0,
            interval: series.interval,
            values: series.values,
        },
    }
}
