//! Findings: sentences about a part's measures, made of means, intervals and standings.

use std::collections::BTreeSet;

use earlydrop_lab::metrics::Better;
use earlydrop_lab::number::with_unit;
use earlydrop_lab::suite::{Measure, Value};

use super::PartResult;
use crate::table::point_label;
use crate::words::{capital, listed};

/// How often a scheme is best, or not significantly different from the best.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Its label.
    pub scheme: String,
    /// In so many comparisons it is best or similar to the best.
    pub best_or_similar: usize,
    /// Of so many: measures at points at which the schemes differ.
    pub comparisons: usize,
}

/// What was found about each measure of a part, a sentence or two each.
pub fn findings(result: &PartResult) -> Vec<String> {
    let measures = result.part.measures.iter();
    measures
        .filter_map(|measure| finding(result, measure))
        .collect()
}

/// The standings of all schemes over all parts, the most often best first.
pub fn tally(results: &[PartResult]) -> Vec<Tally> {
    let mut rows: Vec<Tally> = Vec::new();
    for result in results {
        let labels = result.plan.labels();
        for measure in result.part.measures {
            let values = measure.values(&result.plan, &result.rows, &result.summary);
            for value in values
                .iter()
                .filter(|value| value.ranked.standing.is_some())
            {
                let label = labels[value.scheme];
                let known = rows.iter().position(|row| row.scheme == label);
                let row = known.unwrap_or_else(|| {
                    rows.push(Tally {
                        scheme: label.to_string(),
                        best_or_similar: 0,
                        comparisons: 0,
                    });
                    rows.len() - 1
                });
                rows[row].comparisons += 1;
                rows[row].best_or_similar += usize::from(is_best_or_similar(value));
            }
        }
    }
    let share = |row: &Tally| row.best_or_similar as f64 / row.comparisons.max(1) as f64;
    rows.sort_by(|one, other| share(other).total_cmp(&share(one)));
    rows
}

/// "Most often among the best is fq-codel, in 39 of 91 comparisons, then ared (31); red is least
/// often (15). None is everywhere."
pub fn overall(results: &[PartResult]) -> String {
    let rows = tally(results);
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
        return "Nothing was compared.".to_string();
    };
    let mut sentence = format!(
        "Most often among the best is {}, in {} of {} comparisons",
        first.scheme, first.best_or_similar, first.comparisons
    );
    if let Some(second) = rows.get(1) {
        sentence += &format!(", then {} ({})", second.scheme, second.best_or_similar);
    }
    if rows.len() > 2 {
        sentence += &format!("; least often {} ({})", last.scheme, last.best_or_similar);
    }
    match first.best_or_similar == first.comparisons {
        true => sentence + ".",
        false => sentence + ". No scheme is everywhere.",
    }
}

fn is_best_or_similar(value: &Value) -> bool {
    value.ranked.is_best() || value.ranked.is_similar()
}

fn finding(result: &PartResult, measure: &Measure) -> Option<String> {
    let values = measure.values(&result.plan, &result.rows, &result.summary);
    if values.is_empty() {
        return Some(format!("{}: not measured.", capital(&measure.title())));
    }
    let points: BTreeSet<usize> = values.iter().map(|value| value.point).collect();
    let words = Words { result, measure };
    Some(match (measure.better(), points.len()) {
        (Better::Neither, _) => words.ranges(&values),
        (_, 1) => words.at_one_point(&values),
        (_, points) => words.over_points(&values, points),
    })
}

/// Writes about one measure of one part.
struct Words<'a> {
    result: &'a PartResult,
    measure: &'a Measure,
}

impl Words<'_> {
    fn label(&self, value: &Value) -> &str {
        self.result.plan.labels()[value.scheme]
    }

    /// "5.21 ± 0.12 ms".
    fn number(&self, value: &Value) -> String {
        let (unit, scale) = self.measure.unit();
        let number = value.ranked.mean.with_interval(scale);
        with_unit(number, unit)
    }

    /// The extreme words of the measure: "lowest" and "highest", the better one first.
    fn extremes(&self) -> (&'static str, &'static str) {
        match self.measure.better() {
            Better::Less => ("lowest", "highest"),
            _ => ("highest", "lowest"),
        }
    }

    fn worst<'v>(&self, values: &'v [Value]) -> Option<&'v Value> {
        let mean = |value: &&Value| value.ranked.mean.mean;
        let order = |one: &&Value, other: &&Value| mean(one).total_cmp(&mean(other));
        match self.measure.better() {
            Better::Less => values.iter().max_by(order),
            _ => values.iter().min_by(order),
        }
    }

    /// "Queueing delay: lowest under codel, 5.2 ms; not significantly different under pie; highest
    /// under droptail, 98 ms."
    fn at_one_point(&self, values: &[Value]) -> String {
        let title = capital(&self.measure.title());
        let (best_word, worst_word) = self.extremes();
        let best: Vec<&Value> = values
            .iter()
            .filter(|value| value.ranked.is_best())
            .collect();
        let (Some(first), Some(worst)) = (best.first(), self.worst(values)) else {
            let value = values
                .first()
                .map_or(String::new(), |value| self.number(value));
            return format!("{title}: no differences, {value}.");
        };
        let names = listed(best.iter().map(|value| self.label(value)), "and");
        let number = self.number(first);
        let mut sentence = format!("{title}: {best_word} under {names}, {number}");
        let similar = values.iter().filter(|value| value.ranked.is_similar());
        let similar: Vec<&str> = similar.map(|value| self.label(value)).collect();
        if !similar.is_empty() {
            let similar = listed(similar, "and");
            sentence.push_str(&format!("; not significantly different under {similar}"));
        }
        if !is_best_or_similar(worst) {
            let (label, number) = (self.label(worst), self.number(worst));
            sentence.push_str(&format!("; {worst_word} under {label}, {number}"));
        }
        sentence + "."
    }

    /// "Queueing delay: lowest, or not significantly different from it, at 4 of 4 points under
    /// codel (5.1 to 9 ms), 1 under pie; highest under droptail, 98 ms at flows.bulk.count = 4."
    fn over_points(&self, values: &[Value], points: usize) -> String {
        let title = capital(&self.measure.title());
        let (best_word, worst_word) = self.extremes();
        let labels = self.result.plan.labels();
        let mut counts: Vec<(usize, &str)> = labels
            .iter()
            .enumerate()
            .map(|(scheme, label)| {
                let of_scheme = values.iter().filter(|value| value.scheme == scheme);
                (
                    of_scheme.filter(|value| is_best_or_similar(value)).count(),
                    *label,
                )
            })
            .filter(|(count, _)| *count > 0)
            .collect();
        // Stable: schemes that are equally often best stay in their order.
        counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        if counts.is_empty() {
            return self.ranges(values);
        }
        if counts.len() == labels.len() && counts.iter().all(|(count, _)| *count == points) {
            return format!(
                "No significant differences at any point. {}",
                self.ranges(values)
            );
        }
        let counts = counts
            .iter()
            .enumerate()
            .map(|(index, (count, label))| match index {
                0 => {
                    let range = self.range(values.iter().filter(|v| labels[v.scheme] == *label));
                    format!("at {count} of {points} points under {label} ({range})")
                }
                _ => format!("{count} under {label}"),
            });
        let counts: Vec<String> = counts.collect();
        let mut sentence = format!(
            "{title}: {best_word}, or not significantly different from it, {}",
            counts.join(", ")
        );
        if let Some(worst) = self
            .worst(values)
            .filter(|worst| !is_best_or_similar(worst))
        {
            let (label, number) = (self.label(worst), self.number(worst));
            let at = point_label(&self.result.plan, worst.point);
            sentence.push_str(&format!("; {worst_word} under {label}, {number} at {at}"));
        }
        sentence + "."
    }

    /// "Goodput (tcp): 8.1 to 9.4 Mbps under red, ...".
    fn ranges(&self, values: &[Value]) -> String {
        let labels = self.result.plan.labels();
        let of_scheme = |(scheme, label): (usize, &&str)| {
            let own = values.iter().filter(|value| value.scheme == scheme);
            format!("{} under {label}", self.range(own))
        };
        let texts: Vec<String> = labels.iter().enumerate().map(of_scheme).collect();
        format!("{}: {}.", capital(&self.measure.title()), texts.join(", "))
    }

    /// "8.1 to 9.4 Mbps"; with its interval where there is one value.
    fn range<'v>(&self, values: impl Iterator<Item = &'v Value>) -> String {
        let (unit, scale) = self.measure.unit();
        let mut values: Vec<&Value> = values.collect();
        values.sort_by(|a, b| a.ranked.mean.mean.total_cmp(&b.ranked.mean.mean));
        match values.as_slice() {
            [] => "not measured".to_string(),
            [value] => self.number(value),
            [low, .., high] => {
                let [low, high] = [low, high].map(|value| value.ranked.mean.alone(scale));
                with_unit(format!("{low} to {high}"), unit)
            }
        }
    }
}
