//! The comparisons that an expectation makes, from the runs of a plan.

use std::collections::HashMap;

use crate::expect::{Expectation, Relation, Than};
use crate::metrics::{self, Number};
use crate::number;
use crate::plan::Plan;
use crate::statistics::{Mean, p_value};
use crate::summary::Summary;
use crate::values;

/// The runs of a plan.
pub(super) struct Runs<'a> {
    plan: &'a Plan,
    summary: &'a Summary,
    runs: values::Runs<'a>,
}

/// A comparison of a scheme at a point.
pub(super) struct Comparison {
    /// The label of the scheme.
    pub(super) scheme: String,
    /// The index of the point.
    pub(super) point: usize,
    /// What was measured of the scheme.
    pub(super) own: Mean,
    /// It in words: "at network.rtt = 20 ms: 12.1 ± 0.4 ms".
    pub(super) measured: String,
    /// What it is beside: "expected less than 10 ms".
    beside: String,
    /// The difference by seed, less than zero where it is as expected. For equal numbers, how far
    /// they are apart beyond what is allowed, either way.
    sides: Vec<Vec<f64>>,
    /// Whether sides of zero are as expected: two numbers are within 5% of each other if they are
    /// apart by 5%, and equal if both are 0.
    may_touch: bool,
    /// Whether what it depends on had settled.
    settled: bool,
    /// Whether a lower bound stands on the side where it cannot show what is expected.
    bound_hides_it: bool,
    /// Whether one stands where it cannot show the contrary.
    bound_hides_contrary: bool,
}

impl<'a> Runs<'a> {
    pub(super) fn of(plan: &'a Plan, summary: &'a Summary) -> Runs<'a> {
        Runs {
            plan,
            summary,
            runs: values::Runs::of(&summary.cells, &summary.group_cells),
        }
    }

    /// The labels of the schemes that an expectation is about.
    pub(super) fn subjects(&self, expectation: &Expectation) -> Vec<&'a str> {
        let labels = self.plan.labels().into_iter();
        let is_about = |label: &&str| {
            expectation.schemes.is_empty() || expectation.schemes.iter().any(|one| one == label)
        };
        labels.filter(is_about).collect()
    }

    /// The comparisons that it makes: of each scheme at each point, with each other or a value.
    pub(super) fn comparisons(&self, expectation: &Expectation) -> Vec<Comparison> {
        let subjects = self.subjects(expectation);
        let others: Vec<Option<&str>> = match &expectation.than {
            Than::Value(..) => vec![None],
            Than::Schemes(names) => names.iter().map(|name| Some(name.as_str())).collect(),
            Than::Others => {
                let rest = self.plan.labels().into_iter();
                rest.filter(|label| !subjects.contains(label))
                    .map(Some)
                    .collect()
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
        let own = self.runs.values(number, subject, point);
        let beside: Vec<(u64, f64)> = match (&expectation.than, other) {
            (Than::Value(value, _), _) => own.iter().map(|(seed, _)| (*seed, *value)).collect(),
            (_, Some(other)) => self.runs.values(number, other, point),
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
        let within = expectation.within;
        let own_is_bound = self.runs.is_bound(number, subject, point);
        let other_is_bound = other.is_some_and(|other| self.runs.is_bound(number, other, point));
        let (sides, [hides_it, hides_contrary]) = match expectation.relation {
            Relation::Less => (
                vec![side(&|own, other| own - other)],
                [own_is_bound, other_is_bound],
            ),
            Relation::More => (
                vec![side(&|own, other| other - own)],
                [other_is_bound, own_is_bound],
            ),
            Relation::Equal => {
                let above = side(&|own, other| own - other - within * other.abs());
                let below = side(&|own, other| other - own - within * other.abs());
                (vec![above, below], [own_is_bound || other_is_bound; 2])
            }
        };
        let own = pairs.iter().map(|(own, _)| *own).collect::<Vec<f64>>();
        let own = Mean {
            is_lower_bound: own_is_bound,
            ..Mean::of(&own)?
        };
        let others = pairs.iter().map(|(_, other)| *other).collect::<Vec<f64>>();
        let others = Mean {
            is_lower_bound: other_is_bound,
            ..Mean::of(&others)?
        };
        let place = match self.place(point) {
            empty if empty.is_empty() => empty,
            place => format!("{place}: "),
        };
        Some(Comparison {
            scheme: subject.to_string(),
            point,
            own,
            measured: place + &self.text(number, &own),
            beside: self.beside(expectation, other, &others),
            sides,
            may_touch: expectation.relation == Relation::Equal,
            settled: !self.moves(number, subject, other, point),
            bound_hides_it: hides_it,
            bound_hides_contrary: hides_contrary,
        })
    }

    /// "expected less than 10 ms", "expected less than 5.1 ms, 0.5 times pie's 10.2 ± 0.2 ms",
    /// "expected within 2% of pie's 10.2 ± 0.2 ms".
    fn beside(&self, expectation: &Expectation, other: Option<&str>, mean: &Mean) -> String {
        let within = match (expectation.relation, expectation.within) {
            (Relation::Equal, within) if within > 0.0 => {
                let percent = number::to_digits(100.0 * within, 3);
                format!("within {percent}% of ")
            }
            (Relation::Equal, _) => String::new(),
            (Relation::Less, _) => "less than ".to_string(),
            (Relation::More, _) => "more than ".to_string(),
        };
        let expected = match (other, &expectation.than) {
            (_, Than::Value(_, written)) => written.clone(),
            (other, _) => {
                let other = other.unwrap_or_default();
                let text = self.text(&expectation.number, mean);
                match expectation.times {
                    1.0 => format!("{other}'s {text}"),
                    times => {
                        let (unit, scale) = expectation.number.unit();
                        let limit = times * mean.mean * scale;
                        let (factor, unit) = number::fitting_unit(limit, unit);
                        let limit = number::with_unit(number::to_digits(limit * factor, 3), unit);
                        format!("{limit}, {times} times {other}'s {text}")
                    }
                }
            }
        };
        format!("expected {within}{expected}")
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
        let (unit, scale) = number.unit();
        mean.with_unit(unit, scale)
    }

    /// "at network.rtt = 20 ms"; empty without a sweep.
    fn place(&self, point: usize) -> String {
        match self.plan.point_label(point) {
            empty if empty.is_empty() => empty,
            place => format!("at {place}"),
        }
    }
}

impl Comparison {
    /// Whether it shows what is expected.
    pub(super) fn shows(&self) -> bool {
        let can_show = self.settled && !self.bound_hides_it;
        can_show && self.sides.iter().all(|side| self.is_as_expected(side))
    }

    fn is_as_expected(&self, side: &[f64]) -> bool {
        let touches = side.len() > 1 && side.iter().all(|value| *value == 0.0);
        is_below_zero(side) || (self.may_touch && touches)
    }

    /// The p-value of the contrary: that one side is above zero.
    pub(super) fn p_of_contrary(&self) -> f64 {
        if !self.settled || self.bound_hides_contrary {
            return 1.0;
        }
        let above = self.sides.iter().filter(|side| mean(side) > 0.0);
        let least = above.filter_map(|side| p_value(side)).reduce(f64::min);
        least.unwrap_or(1.0)
    }

    /// "codel at network.rtt = 20 ms: 12.1 ± 0.4 ms, expected less than pie's 10.2 ± 0.2 ms".
    pub(super) fn beside_what_is_expected(&self) -> String {
        let colon = match self.measured.starts_with("at ") {
            true => "",
            false => ":",
        };
        format!("{}{colon} {}, {}", self.scheme, self.measured, self.beside)
    }

    /// What would tell whether it holds, where it and so many comparisons in all do not.
    pub(super) fn wants(&self, comparisons: usize) -> String {
        if !self.settled {
            return "it had not settled: a longer run would tell".to_string();
        }
        if self.bound_hides_it || self.bound_hides_contrary {
            return "flows had not ended: a longer drain would tell".to_string();
        }
        // The contrary must show beside all others; what is expected, by itself.
        let seeds = |side: &Vec<f64>| {
            let mean = Mean::of(side)?;
            mean.count_to_exclude_zero(if mean.mean > 0.0 { comparisons } else { 1 })
        };
        let open = self.sides.iter().filter(|side| !self.is_as_expected(side));
        let seeds = open.map(seeds);
        match seeds.reduce(|one, other| Some(one?.max(other?))).flatten() {
            Some(seeds) => format!("about {seeds} seeds would tell"),
            None if self.own.count < 2 => "more seeds would tell".to_string(),
            None => "it is at the limit: more than 1,000 seeds would tell".to_string(),
        }
    }

    /// How far it is from what is expected, in half-widths of its interval.
    pub(super) fn distance(&self) -> f64 {
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
