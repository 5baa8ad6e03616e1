//! Whether runs show what their scenario [expects](crate::expect).
//!
//! An expectation makes *comparisons*: of each of its schemes, at each point, with each other or
//! with a value. A comparison shows it where the 95% interval of the difference, paired by seed, lies
//! on its side of zero, and the contrary where it lies on the other. All must show it for it to hold:
//! an intersection-union test, whose level is that of one comparison (Berger 1982). It is
//! contradicted where one comparison shows the contrary after Holm's correction for their number.

use std::collections::HashMap;

use serde::Serialize;

use crate::expect::{Expectation, Number, Relation, Than};
use crate::metrics;
use crate::number;
use crate::plan::Plan;
use crate::rows::{CellRow, GroupRow};
use crate::statistics::{Mean, holm, p_value};
use crate::summary::Summary;

/// An expectation, judged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judgement {
    /// It in a sentence.
    pub says: String,
    /// What the runs say of it.
    pub verdict: Verdict,
    /// The number of comparisons that show it.
    pub shown: usize,
    /// The number of comparisons.
    pub comparisons: usize,
    /// The comparison that is furthest from showing it, in words; or why there is none.
    pub worst: Option<String>,
}

/// What runs say of an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every comparison shows it.
    Holds,
    /// A comparison shows the contrary.
    Contradicted,
    /// The seeds do not tell.
    Undecided,
    /// The runs do not compare what it is about.
    Unjudged,
}

impl Verdict {
    /// It in a word or two.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Contradicted => "contradicted",
            Verdict::Undecided => "undecided",
            Verdict::Unjudged => "not judged",
        }
    }
}

/// The judgement of each expectation of a plan.
pub fn judgements(plan: &Plan, summary: &Summary) -> Vec<Judgement> {
    let runs = Runs::of(plan, summary);
    let expectations = plan.expectations.iter();
    expectations.map(|one| runs.judge(one)).collect()
}

/// The runs of a plan.
struct Runs<'a> {
    plan: &'a Plan,
    summary: &'a Summary,
    /// The runs of each scheme at each point.
    cells: HashMap<(&'a str, usize), Vec<&'a CellRow>>,
    /// The groups of flows of each run.
    groups: HashMap<(usize, &'a str), &'a GroupRow>,
}

/// A comparison of a scheme at a point.
struct Comparison {
    /// In words: "codel at network.rtt = 20 ms: 12.1 ± 0.4 ms, pie 10.2 ± 0.2 ms".
    words: String,
    /// The difference by seed, less than zero where it is as expected. For equal numbers, how far
    /// they are apart beyond what is allowed, either way.
    sides: Vec<Vec<f64>>,
    /// Whether nothing is shown by it: a bound on the wrong side, or something had not settled.
    is_open: bool,
}

impl<'a> Runs<'a> {
    fn of(plan: &'a Plan, summary: &'a Summary) -> Runs<'a> {
        let mut cells: HashMap<(&str, usize), Vec<&CellRow>> = HashMap::new();
        for cell in &summary.cells {
            let key = (cell.scheme.as_str(), cell.point);
            cells.entry(key).or_default().push(cell);
        }
        let groups = summary.group_cells.iter();
        Runs {
            plan,
            summary,
            cells,
            groups: groups
                .map(|row| ((row.cell, row.name.as_str()), row))
                .collect(),
        }
    }

    fn judge(&self, expectation: &Expectation) -> Judgement {
        let judgement = |verdict, shown, comparisons, worst| Judgement {
            says: expectation.says.clone(),
            verdict,
            shown,
            comparisons,
            worst,
        };
        if let Some(missing) = &expectation.missing {
            return judgement(Verdict::Unjudged, 0, 0, Some(missing.clone()));
        }
        let all = self.comparisons(expectation);
        if all.is_empty() {
            let why = "it was not measured".to_string();
            return judgement(Verdict::Unjudged, 0, 0, Some(why));
        }
        let shows =
            |one: &Comparison| !one.is_open && one.sides.iter().all(|side| is_below_zero(side));
        let shown = all.iter().filter(|one| shows(one)).count();
        // The contrary: one side is above zero.
        let contrary = |one: &Comparison| {
            let above = one.sides.iter().filter(|side| mean(side) > 0.0);
            let least = above.filter_map(|side| p_value(side)).reduce(f64::min);
            least.filter(|_| !one.is_open).unwrap_or(1.0)
        };
        let p_values: Vec<f64> = all.iter().map(contrary).collect();
        let verdict = match shown == all.len() {
            true => Verdict::Holds,
            false if holm(&p_values).contains(&true) => Verdict::Contradicted,
            false => Verdict::Undecided,
        };
        let open = all.iter().filter(|one| !shows(one));
        let worst = open.max_by(|one, other| one.distance().total_cmp(&other.distance()));
        let worst = worst.map(|one| one.words.clone());
        judgement(verdict, shown, all.len(), worst)
    }

    fn comparisons(&self, expectation: &Expectation) -> Vec<Comparison> {
        let labels = self.plan.labels();
        let is_about = |label: &&&str| {
            expectation.schemes.is_empty() || expectation.schemes.iter().any(|one| one == **label)
        };
        let subjects: Vec<&str> = labels.iter().filter(is_about).copied().collect();
        let others: Vec<Option<&str>> = match &expectation.than {
            Than::Value(..) => vec![None],
            Than::Schemes(names) => names.iter().map(|name| Some(name.as_str())).collect(),
            Than::Others => {
                let rest = labels.iter().filter(|label| !is_about(label));
                rest.map(|label| Some(*label)).collect()
            }
        };
        let mut all = Vec::new();
        for (index, point) in self.plan.points.iter().enumerate() {
            let mut axes = point.coordinates.iter().zip(&expectation.at);
            if !axes.all(|(value, chosen)| chosen.contains(value)) {
                continue;
            }
            for subject in &subjects {
                for other in others.iter().filter(|other| **other != Some(subject)) {
                    all.extend(self.comparison(expectation, index, subject, *other));
                }
            }
        }
        all
    }

    /// A scheme at a point beside another one, or beside the expectation's value.
    fn comparison(
        &self,
        expectation: &Expectation,
        point: usize,
        subject: &str,
        other: Option<&str>,
    ) -> Option<Comparison> {
        let number = &expectation.number;
        let own = self.values(number, subject, point);
        let beside: Vec<(u64, f64)> = match (&expectation.than, other) {
            (Than::Value(value, _), _) => own.iter().map(|(seed, _)| (*seed, *value)).collect(),
            (_, Some(other)) => self.values(number, other, point),
            (_, None) => return None,
        };
        let seeds: HashMap<u64, f64> = beside.into_iter().collect();
        let pairs = own
            .iter()
            .filter_map(|(seed, own)| Some((*own, *seeds.get(seed)?)));
        let pairs: Vec<(f64, f64)> = pairs.collect();
        if pairs.is_empty() {
            return None;
        }
        let side = |of: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
            pairs
                .iter()
                .map(|(own, other)| of(*own, expectation.times * other))
                .collect()
        };
        let (within, bounds) = (
            expectation.within,
            self.bounds(number, subject, other, point),
        );
        let (sides, is_open) = match expectation.relation {
            Relation::Less => (vec![side(&|own, other| own - other)], bounds.0),
            Relation::More => (vec![side(&|own, other| other - own)], bounds.1),
            Relation::Equal => {
                let above = side(&|own, other| own - other - within * other.abs());
                let below = side(&|own, other| other - own - within * other.abs());
                (vec![above, below], bounds.0 || bounds.1)
            }
        };
        let own = pairs.iter().map(|(own, _)| *own);
        let text = |values: Vec<f64>| Mean::of(&values).map(|mean| self.text(number, &mean));
        let mut words = format!("{subject}{}: {}", self.place(point), text(own.collect())?);
        match (other, &expectation.than) {
            (Some(other), _) => {
                let values = pairs.iter().map(|(_, other)| *other).collect();
                words += &format!(", {other} {}", text(values)?);
                if expectation.times != 1.0 {
                    words += &format!(" times {}", expectation.times);
                }
            }
            (None, Than::Value(_, written)) => {
                let than = match expectation.relation {
                    Relation::Less => "less than ",
                    Relation::More => "more than ",
                    Relation::Equal => "",
                };
                words += &format!(", expected {than}{written}");
            }
            (None, _) => {}
        }
        Some(Comparison {
            words,
            sides,
            is_open: is_open || self.moves(number, subject, other, point),
        })
    }

    /// A number of each run of a scheme at a point, with its seed.
    fn values(&self, number: &Number, scheme: &str, point: usize) -> Vec<(u64, f64)> {
        let runs = self.cells.get(&(scheme, point)).into_iter().flatten();
        let of_group = |cell: &CellRow, group: &str, index: usize| {
            let row = self.groups.get(&(cell.cell, group))?;
            Some((row.values[index]?, row.flows as f64))
        };
        let value = |cell: &CellRow| match number {
            Number::OfLink(index) => cell.values[*index],
            Number::OfGroup(index, group) => of_group(cell, group, *index).map(|(value, _)| value),
            Number::Ratio(one, other) => {
                let goodput = metrics::index_of_group("goodput")?;
                let (one, flows) = of_group(cell, one, goodput)?;
                let (other, others) = of_group(cell, other, goodput)?;
                (other > 0.0).then(|| one / flows / (other / others))
            }
        };
        runs.filter_map(|cell| Some((cell.seed, value(cell)?)))
            .collect()
    }

    /// Whether lower bounds keep a scheme's number from being shown smaller, or larger.
    fn bounds(
        &self,
        number: &Number,
        subject: &str,
        other: Option<&str>,
        point: usize,
    ) -> (bool, bool) {
        let is_bound = |scheme: &str| {
            let runs = self.cells.get(&(scheme, point)).into_iter().flatten();
            let is_bound = |cell: &&CellRow| {
                let value = |name: &str| match number {
                    Number::OfGroup(_, group) => {
                        let row = self.groups.get(&(cell.cell, group.as_str()))?;
                        row.values[metrics::index_of_group(name)?]
                    }
                    _ => cell.values[metrics::index_of(name)?],
                };
                number
                    .metric()
                    .is_some_and(|metric| metric.is_lower_bound(value))
            };
            runs.copied().any(|cell| is_bound(&cell))
        };
        (is_bound(subject), other.is_some_and(is_bound))
    }

    /// Whether what the number depends on had not settled under either scheme.
    fn moves(&self, number: &Number, subject: &str, other: Option<&str>, point: usize) -> bool {
        let labels = self.plan.labels();
        let goodput = metrics::index_of("goodput").map(|index| &metrics::METRICS[index]);
        let Some(metric) = number.metric().or(goodput) else {
            return false;
        };
        let groups: Vec<Option<&str>> = match number {
            Number::OfLink(_) => vec![None],
            Number::OfGroup(_, group) => vec![Some(group)],
            Number::Ratio(one, other) => vec![Some(one), Some(other)],
        };
        let is_here = |scheme: &str| scheme == subject || Some(scheme) == other;
        let mut moving = self.summary.moving.iter();
        moving.any(|one| {
            one.point == point
                && is_here(labels[one.scheme])
                && groups.iter().any(|group| one.concerns(*group, metric))
        })
    }

    fn text(&self, number: &Number, mean: &Mean) -> String {
        let (scale, unit) = number
            .metric()
            .map_or((1.0, ""), |one| (one.scale, one.unit));
        number::with_unit(mean.with_interval(scale), unit)
    }

    /// " at network.rtt = 20 ms"; empty without a sweep.
    fn place(&self, point: usize) -> String {
        let axes = self.plan.axes.iter();
        let values = axes.zip(&self.plan.points[point].coordinates);
        let parts = values.map(|(axis, index)| format!("{} = {}", axis.name(), axis.text(*index)));
        match parts.collect::<Vec<String>>().join(", ") {
            empty if empty.is_empty() => empty,
            place => format!(" at {place}"),
        }
    }
}

impl Comparison {
    /// How far it is from what is expected, in half-widths of its interval.
    fn distance(&self) -> f64 {
        let of_side = |side: &Vec<f64>| match Mean::of(side) {
            Some(Mean {
                mean,
                half: Some(half),
                ..
            }) => mean / half.max(f64::MIN_POSITIVE),
            _ => mean(side),
        };
        let farthest = self.sides.iter().map(of_side);
        farthest.fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Whether the 95% interval of a mean is below zero.
fn is_below_zero(values: &[f64]) -> bool {
    Mean::of(values).is_some_and(|mean| mean.mean < 0.0 && mean.excludes_zero())
}

fn mean(values: &[f64]) -> f64 {
    Mean::of(values).map_or(0.0, |mean| mean.mean)
}
