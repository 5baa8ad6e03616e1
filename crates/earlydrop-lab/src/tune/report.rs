//! The results of tuning as JSON, as a Pareto front, and as lines of a scenario.

use serde_json::{Value, json};

use super::{Candidate, Goal, SearchResult, Validation, front};
use crate::document::Node;
use crate::metrics::{Better, METRICS};
use crate::plan::{Source, Variant};
use crate::statistics::Mean;

/// The Pareto front of a search: pairs (price, goal) of the metrics [`Goal::price`] and
/// [`Goal::metric`] in base units, of the candidates with every seed that no other is better than in
/// both.
pub fn pareto_front(goal: &Goal, result: &SearchResult) -> Vec<(f64, f64)> {
    let sign = if goal.minimise { 1.0 } else { -1.0 };
    let price_sign = match METRICS[goal.price()].better {
        Better::More => -1.0,
        _ => 1.0,
    };
    let pair = |candidate: &Candidate| {
        let pair = (candidate.mean(goal.price())?, candidate.mean(goal.metric)?);
        Some((price_sign * pair.0, sign * pair.1))
    };
    let pairs: Vec<(f64, f64)> = result.refined().filter_map(pair).collect();
    let on_front = front(&pairs).into_iter().map(|index| pairs[index]);
    on_front
        .map(|(price, value)| (price_sign * price, sign * value))
        .collect()
}

/// The results and their validation as JSON, whose keys keep their names and their order.
pub fn json(goal: &Goal, results: &[SearchResult], validations: &[Validation]) -> Value {
    let schemes = results.iter().zip(validations);
    let schemes = schemes.map(|(result, validation)| scheme_json(goal, result, validation));
    let limits: Vec<String> = goal.limits.iter().map(ToString::to_string).collect();
    json!({
        "goal": METRICS[goal.metric].name,
        "minimise": goal.minimise,
        "limits": limits,
        "front_over": METRICS[goal.price()].name,
        "unit": METRICS[goal.metric].base_unit(),
        "schemes": schemes.collect::<Vec<_>>(),
    })
}

fn scheme_json(goal: &Goal, result: &SearchResult, validation: &Validation) -> Value {
    let searched = result.space.iter().map(
        |dimension| json!({ "parameter": dimension.parameter.name, "between": dimension.bounds() }),
    );
    let settings = validation.variant.iter();
    let settings = settings.flat_map(|variant| &variant.settings);
    let settings = settings.map(|(name, value)| (name.clone(), json!(value)));
    let near_bounds = validation.variant.as_ref();
    let near_bounds = near_bounds.map_or_else(Vec::new, |variant| result.near_bounds(variant));
    let limits = validation.limits.iter().zip(&goal.limits);
    let limits = limits.map(|(check, limit)| {
        json!({
            "limit": limit.to_string(),
            "mean": mean(&Some(check.mean)),
            "kept": check.met,
            "sure": check.significant,
        })
    });
    json!({
        "scheme": result.label,
        "tried": result.candidates.len(),
        "runs": result.runs,
        "within_limits": result.candidates.iter().filter(|one| is_within(goal, one)).count(),
        "searched": searched.collect::<Vec<_>>(),
        "settings": settings.collect::<serde_json::Map<_, _>>(),
        "near_bounds": near_bounds,
        "before": mean(&validation.before),
        "after": mean(&validation.after),
        "change": mean(&validation.change),
        "price_before": mean(&validation.price.0),
        "price_after": mean(&validation.price.1),
        "limits": limits.collect::<Vec<_>>(),
        "front": pareto_front(goal, result),
        "candidates": result.candidates.iter().map(|one| candidate(goal, one)).collect::<Vec<_>>(),
    })
}

/// Whether the candidate's means met every limit.
fn is_within(goal: &Goal, candidate: &Candidate) -> bool {
    candidate.score(goal, false).violation <= 0.0
}

/// A candidate with the seeds of the search.
fn candidate(goal: &Goal, candidate: &Candidate) -> Value {
    let settings = candidate.settings.iter();
    let settings = settings.map(|(name, value)| (name.clone(), json!(value)));
    json!({
        "settings": settings.collect::<serde_json::Map<_, _>>(),
        "goal": candidate.mean(goal.metric),
        "price": candidate.mean(goal.price()),
        "within_limits": is_within(goal, candidate),
        "seeds": candidate.seeds(),
    })
}

fn mean(mean: &Option<Mean>) -> Value {
    match mean {
        Some(mean) => json!({
            "mean": mean.mean,
            "half_width_95": mean.half,
            "seeds": mean.count,
        }),
        None => Value::Null,
    }
}

/// A variant as a line of `[schemes]`, with every parameter of the scheme in the scenario.
pub fn line(source: &Source, variant: &Variant) -> String {
    let mut scenario = source.clone();
    scenario.set_variants(std::slice::from_ref(variant));
    let entry = scenario.tree().at(&["schemes", &variant.label]);
    let table = entry.map(Node::to_toml);
    format!("\"{}\" = {}", variant.label, table.unwrap_or_default())
}
