//! What a search of parameters found, in words and numbers for a page and a terminal.
//!
//! ```text
//! goal, results, validations --of--> TuneAnswer --keep, stored--> the run's store
//!                                               --lead--> head of report.html
//! ```

mod page;

use crate::figure::scheme_looks;
use earlydrop::registry::{Settings, Spec};
use earlydrop_lab::metrics::{METRICS, Metric};
use earlydrop_lab::number;
use earlydrop_lab::plan::{Plan, Source};
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::store::{Store, StoreError};
use earlydrop_lab::tune::{
    Candidate, Goal, Limit, LimitCheck, Score, SearchResult, Validation, line as line_of,
    pareto_front,
};
use serde::{Deserialize, Serialize};

pub use page::{lead, trade_off};

/// The key of the answer in the store's table `about`.
const KEY: &str = "tuning";

/// The most settings of a scheme that are kept, the best first.
const MOST_KEPT: usize = 1000;

/// A search and its validation. Numbers are in the metrics' units of display.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TuneAnswer {
    /// The goal: "least queueing delay, 99%".
    pub goal: String,
    /// The limits: "utilisation >= 95%".
    pub limits: Vec<String>,
    /// Whether the goal's metric is minimised; else it is maximised.
    pub minimises: bool,
    /// The goal's metric with its unit: "queueing delay, 99%, ms".
    pub goal_axis: String,
    /// The unit of the goal's metric: "ms"; may be empty.
    pub goal_unit: String,
    /// The metric that is traded off against the goal, with its unit.
    pub price_axis: String,
    /// Whether that metric is a share, and so at most 100%.
    pub price_is_share: bool,
    /// The limits of that metric: the bound, and the limit in words.
    pub bounds: Vec<(f64, String)>,
    /// The number of seeds of the validation, which the search has not used.
    pub fresh_seeds: usize,
    /// The schemes. The first is the best of those that meet the limits.
    pub schemes: Vec<TunedScheme>,
}

/// A scheme before and after the search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TunedScheme {
    /// Its name in the scenario.
    pub label: String,
    /// The colours and symbols of the original and of the best settings, which pictures of the
    /// validation's schemes have, too.
    pub looks: (usize, usize),
    /// The best settings as a line of `[schemes]`; `None` where none is better than the original.
    pub line: Option<String>,
    /// The goal's metric with fresh seeds, before.
    pub original: String,
    /// The goal's metric with fresh seeds, after; "nothing better" without a line.
    pub tuned: String,
    /// The relative change, paired by seed.
    pub change: String,
    /// The metric that is traded off, before and after.
    pub price: (String, String),
    /// For each limit the metric with fresh seeds, and whether it is met.
    pub limits: Vec<(String, bool)>,
    /// The searched parameters.
    pub searched: Vec<SearchedParameter>,
    /// Where the original is with fresh seeds: the metric that is traded off, and the goal's.
    pub before: Option<(f64, f64)>,
    /// Where the best settings are with fresh seeds.
    pub after: Option<(f64, f64)>,
    /// The Pareto front of the search.
    pub front: Vec<(f64, f64)>,
    /// What to know about found values near a bound, one sentence each.
    #[serde(default)]
    pub near_bounds: Vec<String>,
    /// The number of settings tried, the original among them.
    pub count: usize,
    /// The number of those whose means met every limit.
    pub within_limits: usize,
    /// The settings tried, the best first; of very many only the best.
    pub tried: Vec<TriedSettings>,
}

/// A parameter that was searched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchedParameter {
    /// Its name.
    pub name: String,
    /// The original value.
    pub original: String,
    /// The value found; `None` where no settings are better than the original.
    pub found: Option<String>,
    /// The bounds of the search: "1 packets to 10 packets".
    pub bounds: String,
}

/// Settings that a search tried.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TriedSettings {
    /// The parameters: "min=2 packets, max=7 packets"; empty for the original.
    pub settings: String,
    /// The metric that is traded off, and the goal's, as means over the search's seeds.
    pub at: (f64, f64),
    /// Whether the means met every limit.
    pub is_within_limits: bool,
}

impl TuneAnswer {
    /// What a search found for `goal`: each scheme's result with its validation by the runs of
    /// `plan`. `scenario` has the tuned schemes.
    pub fn of(
        goal: &Goal,
        mut results: Vec<(&SearchResult, &Validation)>,
        scenario: &Source,
        plan: &Plan,
    ) -> TuneAnswer {
        rank(goal, &mut results);
        let (metric, price) = (&METRICS[goal.metric], &METRICS[goal.price()]);
        let verb = if goal.minimise { "least" } else { "most" };
        let of_price = goal.limits.iter();
        let of_price = of_price.filter(|limit| limit.metric == goal.price());
        let bound = |limit: &Limit| (limit.bound * price.scale, limit.to_string());
        let schemes = results.into_iter().map(|(result, validation)| {
            let line = validation.variant.as_ref();
            TunedScheme {
                line: line.map(|variant| line_of(scenario, variant)),
                ..TunedScheme::of(goal, result, validation, plan)
            }
        });
        TuneAnswer {
            goal: format!("{verb} {}", metric.title),
            limits: goal.limits.iter().map(ToString::to_string).collect(),
            minimises: goal.minimise,
            goal_axis: with_unit(metric),
            goal_unit: metric.unit.to_string(),
            price_axis: with_unit(price),
            price_is_share: price.unit == "%",
            bounds: of_price.map(bound).collect(),
            fresh_seeds: plan.seeds.len(),
            schemes: schemes.collect(),
        }
    }

    /// Keeps it in the store of the validation, for every page of its results.
    pub fn keep(&self, store: &Store) -> Result<(), StoreError> {
        let text = serde_json::to_string(self).unwrap_or_default();
        store.set_about(KEY, &text)
    }

    /// The answer of the search that these results validate; `None` for any other run.
    pub fn stored(store: &Store) -> Result<Option<TuneAnswer>, StoreError> {
        let text = store.about(KEY)?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// "least queueing delay, 99%, with utilisation >= 95%".
    pub fn question(&self) -> String {
        match self.limits.as_slice() {
            [] => self.goal.clone(),
            limits => format!("{}, with {}", self.goal, limits.join(" and ")),
        }
    }

    /// The best settings and what they measure, in a sentence.
    pub fn sentence(&self) -> String {
        let meets = |scheme: &&TunedScheme| scheme.limits.iter().all(|(_, is_met)| *is_met);
        let Some(best) = self.schemes.first().filter(meets) else {
            return "No settings met every limit with fresh seeds.".to_string();
        };
        let label = &best.label;
        let value = |text: &String| number::with_unit(text.clone(), &self.goal_unit);
        let limits = best.limits.iter().zip(&self.limits);
        let limits: String = limits
            .map(|((measured, _), limit)| format!("; {limit} is met with {measured}"))
            .collect();
        match &best.line {
            Some(_) => format!(
                "{label} with {} has {} instead of {}{limits}.",
                best.found(),
                value(&best.tuned),
                value(&best.original),
            ),
            None => format!(
                "No settings are better than those of {label}, which has {}{limits}.",
                value(&best.original)
            ),
        }
    }

    /// Whether nothing limits what the goal costs, so that tables show it.
    fn has_free_price(&self) -> bool {
        self.bounds.is_empty()
    }

    /// Original and tuned settings with fresh seeds, as a table whose first row is its header.
    pub fn validated(&self) -> Vec<Vec<String>> {
        let mut header = vec!["scheme".to_string()];
        let original = match self.goal_unit.as_str() {
            "" => "original".to_string(),
            unit => format!("original, {unit}"),
        };
        header.extend([original, "tuned".to_string(), "change".to_string()]);
        if self.has_free_price() {
            header.push(self.price_axis.clone());
        }
        header.extend(self.limits.iter().cloned());
        let row = |scheme: &TunedScheme| {
            let mut row = vec![
                scheme.label.clone(),
                scheme.original.clone(),
                scheme.tuned.clone(),
                scheme.change.clone(),
            ];
            let (before, after) = &scheme.price;
            if self.has_free_price() {
                row.push(match scheme.line {
                    Some(_) => format!("{after}, was {before}"),
                    None => before.clone(),
                });
            }
            row.extend(scheme.limits.iter().map(|(text, _)| text.clone()));
            row
        };
        [header]
            .into_iter()
            .chain(self.schemes.iter().map(row))
            .collect()
    }

    /// The searched parameters, as a table whose first row is its header.
    pub fn searched(&self) -> Vec<Vec<String>> {
        let header = ["scheme", "parameter", "original", "found", "searched"];
        let rows = self.schemes.iter().flat_map(|scheme| {
            scheme.searched.iter().map(|parameter| {
                let found = parameter.found.clone();
                vec![
                    scheme.label.clone(),
                    parameter.name.clone(),
                    parameter.original.clone(),
                    found.unwrap_or_else(|| "-".to_string()),
                    parameter.bounds.clone(),
                ]
            })
        });
        [header.map(String::from).to_vec()]
            .into_iter()
            .chain(rows)
            .collect()
    }

    /// What to know about found values near a bound, one sentence each.
    pub fn near_bounds(&self) -> impl Iterator<Item = &String> {
        self.schemes.iter().flat_map(|scheme| &scheme.near_bounds)
    }

    /// How many settings were tried, in a sentence for each scheme.
    pub fn counts(&self) -> Vec<String> {
        let count = |scheme: &TunedScheme| {
            let settings = if scheme.count == 1 {
                "setting"
            } else {
                "settings"
            };
            let within = match self.limits.is_empty() {
                true => String::new(),
                false => format!(", {} within the limits", scheme.within_limits),
            };
            format!(
                "{}: {} {settings} tried{within}",
                scheme.label, scheme.count
            )
        };
        self.schemes.iter().map(count).collect()
    }

    /// The tuned schemes as lines of a scenario, below the name of their table; empty where nothing
    /// better was found.
    pub fn lines(&self) -> Vec<String> {
        let lines = self.schemes.iter().filter_map(|scheme| scheme.line.clone());
        let lines: Vec<String> = lines.collect();
        match lines.is_empty() {
            true => lines,
            false => [vec!["[schemes]".to_string()], lines].concat(),
        }
    }
}

impl TriedSettings {
    /// The parameters, or "the original".
    pub fn name(&self) -> &str {
        match self.settings.as_str() {
            "" => "the original",
            settings => settings,
        }
    }
}

impl TunedScheme {
    /// All but the line to paste.
    fn of(goal: &Goal, result: &SearchResult, validation: &Validation, plan: &Plan) -> TunedScheme {
        let (metric, price) = (&METRICS[goal.metric], &METRICS[goal.price()]);
        let scales = (price.scale, metric.scale);
        let text = |mean: &Option<Mean>, scale: f64| {
            mean.map_or_else(|| "-".to_string(), |mean| mean.with_interval(scale))
        };
        let (before, after) = (validation.before, validation.after);
        let place = |price: Option<Mean>, goal: Option<Mean>| {
            Some((price?.mean * scales.0, goal?.mean * scales.1)).filter(is_place)
        };
        let front = pareto_front(goal, result).into_iter();
        let scored = scored(goal, result);
        let limits = validation.limits.iter().zip(&goal.limits);
        let labels = plan.labels();
        let names = plan.scenario().schemes.iter();
        let names = names.map(|scheme| scheme.spec.descriptor().name);
        let looks = scheme_looks(&names.collect::<Vec<&str>>());
        let look = |label: &str| Some(looks[labels.iter().position(|known| *known == label)?]);
        let original = look(&result.label).unwrap_or_default();
        let tuned = validation.variant.as_ref();
        TunedScheme {
            label: result.label.clone(),
            looks: (
                original,
                tuned
                    .and_then(|tuned| look(&tuned.label))
                    .unwrap_or(original),
            ),
            line: None,
            original: text(&before, scales.1),
            tuned: match validation.variant {
                Some(_) => text(&after, scales.1),
                None => "nothing better".to_string(),
            },
            change: change(validation),
            price: (
                text(&validation.price.0, scales.0),
                text(&validation.price.1, scales.0),
            ),
            limits: limits.map(|(check, limit)| checked(check, limit)).collect(),
            searched: searched(result, validation, plan),
            near_bounds: tuned.map_or_else(Vec::new, |tuned| result.near_bounds(tuned)),
            before: place(validation.price.0, before),
            after: place(validation.price.1, after),
            front: front
                .map(|(x, y)| (x * scales.0, y * scales.1))
                .filter(is_place)
                .collect(),
            count: result.candidates.len(),
            within_limits: scored.iter().filter(|(score, _)| is_within(score)).count(),
            tried: scored
                .iter()
                .take(MOST_KEPT)
                .filter_map(|(score, candidate)| tried(goal, score, candidate))
                .collect(),
        }
    }

    /// "target = 1.17 ms, interval = 6.43 ms".
    fn found(&self) -> String {
        let found = self.searched.iter().filter_map(|parameter| {
            let value = parameter.found.as_ref()?;
            Some(format!("{} = {value}", parameter.name))
        });
        found.collect::<Vec<_>>().join(", ")
    }
}

/// Puts the best that meets the limits first.
fn rank(goal: &Goal, results: &mut [(&SearchResult, &Validation)]) {
    let sign = if goal.minimise { 1.0 } else { -1.0 };
    let key = |validation: &Validation| {
        let value = validation
            .after
            .map_or(f64::INFINITY, |after| sign * after.mean);
        (!validation.keeps_limits(), value)
    };
    results.sort_by(|(_, a), (_, b)| {
        let (a, b) = (key(a), key(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
}

/// The change in the goal's metric as a share of the original's mean.
fn change(validation: &Validation) -> String {
    match (validation.change, validation.before) {
        (Some(change), Some(before)) if before.mean != 0.0 => {
            let share = |value: f64| value / before.mean.abs();
            number::change(share(change.mean), change.half.map(share))
        }
        _ => "-".to_string(),
    }
}

/// What was measured for a limit, and whether it is met.
fn checked(check: &LimitCheck, limit: &Limit) -> (String, bool) {
    let word = match (check.met, check.significant) {
        (true, true) => "",
        (true, false) => ", not significantly",
        (false, _) => ", not met",
    };
    (format!("{}{word}", check.text(limit)), check.met)
}

/// The parameters of a search with their original values and those found.
fn searched(result: &SearchResult, validation: &Validation, plan: &Plan) -> Vec<SearchedParameter> {
    let scenario = plan.scenario();
    let mut schemes = scenario.schemes.iter();
    let original: Option<Spec> = schemes
        .find(|scheme| scheme.label == result.label)
        .map(|scheme| scheme.spec.clone());
    let settings: Option<Settings> = original
        .zip(scenario.link())
        .and_then(|(spec, link)| spec.settings(&link).ok());
    let found = validation.variant.as_ref().map(|tuned| &tuned.settings);
    let parameter = |name: &str, bounds: String| SearchedParameter {
        name: name.to_string(),
        original: settings
            .as_ref()
            .map_or_else(String::new, |known| known.value(name).to_string()),
        found: found.and_then(|found| {
            let mut values = found.iter();
            values
                .find(|(known, _)| known == name)
                .map(|(_, value)| value.clone())
        }),
        bounds,
    };
    let space = result.space.iter();
    space
        .map(|dimension| parameter(dimension.parameter.name, dimension.bounds()))
        .collect()
}

/// The candidates that ran, those with most seeds first, and of these the best.
fn scored<'a>(goal: &Goal, result: &'a SearchResult) -> Vec<(Score, &'a Candidate)> {
    let candidates = result.candidates.iter();
    let scored = candidates.map(|candidate| (candidate.score(goal, false), candidate));
    let mut scored: Vec<(Score, &Candidate)> = scored.collect();
    scored.sort_by(|(a, one), (b, other)| {
        let seeds = other.seeds().cmp(&one.seeds());
        seeds.then(a.order(b))
    });
    scored
}

fn is_within(score: &Score) -> bool {
    score.violation <= 0.0
}

fn tried(goal: &Goal, score: &Score, candidate: &Candidate) -> Option<TriedSettings> {
    let (price, metric) = (goal.price(), goal.metric);
    let settings = candidate.settings.iter();
    let settings: Vec<String> = settings
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let at = (
        candidate.mean(price)? * METRICS[price].scale,
        candidate.mean(metric)? * METRICS[metric].scale,
    );
    is_place(&at).then(|| TriedSettings {
        settings: settings.join(", "),
        at,
        is_within_limits: is_within(score),
    })
}

/// Whether a picture has a place for it.
fn is_place((x, y): &(f64, f64)) -> bool {
    x.is_finite() && y.is_finite()
}

/// A metric with its unit: "queueing delay, 99%, ms".
fn with_unit(metric: &Metric) -> String {
    match metric.unit {
        "" => metric.title.to_string(),
        unit => format!("{}, {unit}", metric.title),
    }
}

#[cfg(test)]
mod tests;
