//! Findings: sentences about a part's measures, made of means, intervals and standings.

use std::collections::BTreeSet;

use earlydrop_lab::metrics::Better;
use earlydrop_lab::number::{percent, with_unit};
use earlydrop_lab::statistics::Class;
use earlydrop_lab::suite::{Measure, Part, Value};

use super::PartResult;
use crate::words::{capital, listed};

/// The columns of a table of standings.
pub const STANDINGS: [&str; 5] = [
    "scheme",
    "ahead of all",
    "equal to the best",
    "behind",
    "undecided",
];

/// What they mean.
pub const STANDINGS_MEAN: &str = "A comparison is a measure at a point of a sweep, paired by seed: of \
    what groups of flows feel, or of the link in parts that measure nothing else. \
    Ahead: all others are significantly worse (95% for all schemes together by Holm's procedure). \
    Equal: the interval of the difference from the best lies within 5% of it. Behind: significantly \
    worse than the best. Undecided: these seeds do not tell, more may.";

/// How a scheme stands over all comparisons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Its label.
    pub scheme: String,
    /// In so many comparisons it is significantly ahead of all others.
    pub best: usize,
    /// In so many it is among equals with the best.
    pub equal: usize,
    /// In so many it is significantly worse than the best.
    pub behind: usize,
    /// In so many the seeds do not tell.
    pub undecided: usize,
}

impl Tally {
    /// The comparisons: measures at points.
    pub fn comparisons(&self) -> usize {
        self.best + self.equal + self.behind + self.undecided
    }

    /// Those in which no scheme is shown to be better.
    pub fn ahead(&self) -> usize {
        self.best + self.equal
    }

    fn count(&mut self, class: Class) {
        *match class {
            Class::Best => &mut self.best,
            Class::Equal => &mut self.equal,
            Class::Behind => &mut self.behind,
            Class::Undecided => &mut self.undecided,
        } += 1;
    }
}

/// What was found about each measure of a part, a sentence or two each.
pub fn findings(result: &PartResult) -> Vec<String> {
    let measures = result.part.measures.iter();
    measures
        .filter_map(|measure| finding(result, measure))
        .collect()
}

/// The measures by which a part's schemes stand: what groups of flows feel, where it is measured.
fn weighed(part: &Part) -> impl Iterator<Item = &Measure> {
    // Ratios of groups are neither better nor worse.
    let is_felt = |measure: &Measure| {
        !matches!(measure, Measure::Of(_)) && measure.better() != Better::Neither
    };
    let any_is = part.measures.iter().any(is_felt);
    let measures = part.measures.iter();
    measures.filter(move |measure| !any_is || is_felt(measure))
}

/// The standings of all schemes over all parts, the most often ahead first.
pub fn tally(results: &[PartResult]) -> Vec<Tally> {
    let mut rows: Vec<Tally> = Vec::new();
    for result in results {
        let labels = result.plan.labels();
        for measure in weighed(result.part) {
            for value in measure.values(&result.plan, &result.rows, &result.summary) {
                let Some(class) = value.ranked.class else {
                    continue;
                };
                let label = labels[value.scheme];
                let known = rows.iter().position(|row| row.scheme == label);
                let row = known.unwrap_or_else(|| {
                    rows.push(Tally {
                        scheme: label.to_string(),
                        ..Tally::default()
                    });
                    rows.len() - 1
                });
                rows[row].count(class);
            }
        }
    }
    let share = |row: &Tally| row.ahead() as f64 / row.comparisons().max(1) as f64;
    rows.sort_by(|one, other| share(other).total_cmp(&share(one)));
    rows
}

/// "fq-codel is ahead of all others in 20 of 91 comparisons and equal to the best in 19; ared in 3
/// and 12; droptail is behind in 70. 31% are undecided with these seeds."
pub fn overall(results: &[PartResult]) -> String {
    let rows = tally(results);
    let Some(first) = rows.first() else {
        return "Nothing was compared.".to_string();
    };
    let mut sentence = format!(
        "{} is ahead of all others in {} of {} comparisons and equal to the best in {}",
        first.scheme,
        first.best,
        first.comparisons(),
        first.equal
    );
    if let Some(second) = rows.get(1) {
        sentence += &format!(
            "; {} in {} and {}",
            second.scheme, second.best, second.equal
        );
    }
    let last = rows.iter().max_by_key(|row| row.behind);
    if let Some(last) = last.filter(|last| last.behind > 0 && rows.len() > 1) {
        sentence += &format!("; most often behind is {} ({})", last.scheme, last.behind);
    }
    let sum = |of: fn(&Tally) -> usize| rows.iter().map(of).sum::<usize>() as f64;
    match sum(|row| row.undecided) / sum(Tally::comparisons).max(1.0) {
        0.0 => sentence + ".",
        share => format!(
            "{sentence}. {} of all standings are undecided with these seeds.",
            percent(share)
        ),
    }
}

fn is_ahead(value: &Value) -> bool {
    matches!(value.ranked.class, Some(Class::Best | Class::Equal))
}

fn is_of(class: Class) -> impl Fn(&&Value) -> bool {
    move |value| value.ranked.class == Some(class)
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
        value.ranked.mean.with_unit(unit, scale)
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

    /// "Queueing delay: lowest under codel, 5.2 ms; equal within 5% under pie; undecided under red;
    /// highest under droptail, 98 ms."
    fn at_one_point(&self, values: &[Value]) -> String {
        let title = capital(&self.measure.title());
        let (best_word, worst_word) = self.extremes();
        let best = values.iter().find(|value| value.ranked.is_best());
        let (Some(first), Some(worst)) = (best, self.worst(values)) else {
            return self.ranges(values);
        };
        let (label, number) = (self.label(first), self.number(first));
        let mut sentence = format!("{title}: {best_word} under {label}, {number}");
        for (class, words) in [
            (Class::Equal, "equal within 5%"),
            (Class::Undecided, "undecided"),
        ] {
            let others = values.iter().filter(is_of(class));
            let others = others.filter(|value| value.scheme != first.scheme);
            let others: Vec<&str> = others.map(|value| self.label(value)).collect();
            if !others.is_empty() {
                let names = listed(others, "and");
                sentence.push_str(&format!("; {words} under {names}"));
            }
        }
        if worst.ranked.class == Some(Class::Behind) {
            let (label, number) = (self.label(worst), self.number(worst));
            sentence.push_str(&format!("; {worst_word} under {label}, {number}"));
        }
        sentence + "."
    }

    /// "Queueing delay: lowest, or within 5% of it, at 4 of 4 points under codel (5.1 to 9 ms), 1
    /// under pie; undecided at 1; highest under droptail, 98 ms at flows.bulk.count = 4."
    fn over_points(&self, values: &[Value], points: usize) -> String {
        let title = capital(&self.measure.title());
        let (best_word, worst_word) = self.extremes();
        let labels = self.result.plan.labels();
        let ahead = |scheme: usize| {
            let of_scheme = values.iter().filter(|value| value.scheme == scheme);
            of_scheme.filter(|value| is_ahead(value)).count()
        };
        let mut counts: Vec<(usize, usize)> = (0..labels.len())
            .map(|scheme| (ahead(scheme), scheme))
            .filter(|(count, _)| *count > 0)
            .collect();
        // Stable: schemes that are equally often ahead stay in their order.
        counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let undecided = values.iter().filter(is_of(Class::Undecided));
        let undecided: BTreeSet<usize> = undecided.map(|value| value.point).collect();
        let mut sentence = match counts.as_slice() {
            [] => format!("{title}: under which scheme it is {best_word} is undecided"),
            counts => {
                let texts = counts.iter().enumerate().map(|(index, (count, scheme))| {
                    let label = labels[*scheme];
                    match index {
                        0 => {
                            let own = values.iter().filter(|value| value.scheme == *scheme);
                            let range = self.range(own);
                            format!("at {count} of {points} points under {label} ({range})")
                        }
                        _ => format!("{count} under {label}"),
                    }
                });
                let texts: Vec<String> = texts.collect();
                format!(
                    "{title}: {best_word}, or within 5% of it, {}",
                    texts.join(", ")
                )
            }
        };
        if !undecided.is_empty() {
            sentence.push_str(&format!("; undecided at {}", undecided.len()));
        }
        let behind: Vec<Value> = values
            .iter()
            .filter(is_of(Class::Behind))
            .copied()
            .collect();
        if let Some(worst) = self.worst(&behind) {
            let (label, number) = (self.label(worst), self.number(worst));
            let at = self.result.plan.point_label(worst.point);
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
                match low == high {
                    true => with_unit(low, unit),
                    false => with_unit(format!("{low} to {high}"), unit),
                }
            }
        }
    }
}
