//! What a search found, as JSON and as a scenario's lines.

use serde_json::{Value, json};

use crate::metrics::METRICS;
use crate::plan::{Source, Variant};
use crate::statistics::Mean;

use super::{Checked, Found, Goal, front};

/// The settings of a search that no other beats in both the goal and its price: as many
/// pairs (price, goal), in the units they are stored in, in the order of the price.
pub fn front_of(goal: &Goal, found: &Found) -> Vec<(f64, f64)> {
    let sign = if goal.minimise { 1.0 } else { -1.0 };
    let price_sign = match METRICS[goal.price()].better {
        crate::metrics::Better::More => -1.0,
        _ => 1.0,
    };
    let pair = |tried: &super::Tried| {
        let pair = (tried.mean(goal.price())?, tried.mean(goal.metric)?);
        Some((price_sign * pair.0, sign * pair.1))
    };
    let pairs: Vec<(f64, f64)> = found.tried.iter().filter_map(pair).collect();
    let kept = front(&pairs).into_iter().map(|index| pairs[index]);
    kept.map(|(price, value)| (price_sign * price, sign * value))
        .collect()
}

/// What was searched, found and checked: the keys keep their names and their order.
pub fn json(goal: &Goal, found: &[Found], checked: &[Checked]) -> Value {
    let schemes = found.iter().zip(checked).map(|(found, checked)| {
        let searched = found
            .space
            .iter()
            .map(|dimension| json!({ "parameter": dimension.name, "between": dimension.bounds() }));
        let settings = checked.variant.iter().flat_map(|variant| &variant.settings);
        let settings = settings.map(|(name, value)| (name.clone(), json!(value)));
        let limits = checked
            .limits
            .iter()
            .zip(&goal.limits)
            .map(|(kept, limit)| {
                json!({
                    "limit": limit.to_string(),
                    "mean": mean(&Some(kept.mean)),
                    "kept": kept.kept,
                    "sure": kept.sure,
                })
            });
        json!({
            "scheme": found.label,
            "tried": found.tried.len(),
            "searched": searched.collect::<Vec<_>>(),
            "settings": settings.collect::<serde_json::Map<_, _>>(),
            "before": mean(&checked.before),
            "after": mean(&checked.after),
            "change": mean(&checked.change),
            "limits": limits.collect::<Vec<_>>(),
            "front": front_of(goal, found),
        })
    });
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

/// A variant as a line of `[schemes]`, with everything the scenario says of the scheme.
pub fn line(source: &Source, variant: &Variant) -> String {
    let mut one = source.clone();
    one.set_variants(std::slice::from_ref(variant));
    let entry = one.tree().at(&["schemes", &variant.label]);
    let table = entry.map(crate::document::Node::to_toml);
    format!("\"{}\" = {}", variant.label, table.unwrap_or_default())
}
