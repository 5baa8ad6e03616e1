//! A scheme's parameters with their values, and those without effect.

use earlydrop::registry::{Descriptor, Parameter, Settings, Value};
use earlydrop_lab::scheme_list::condition;

use super::{definitions, titled};
use crate::draw::{Look, Style, Table, Text, definition, indented};

/// The parameters that have an effect one by one, the others grouped by their condition.
pub(super) fn section(settings: &Settings, scheme: &Descriptor, style: &Style) -> Vec<Text> {
    let used: Vec<(&Parameter, &Value)> = settings
        .iter()
        .filter(|(parameter, _)| settings.matters(parameter))
        .collect();
    let longest = used.iter().map(|(parameter, _)| parameter.name.len()).max();
    let column = longest.unwrap_or(0) + 2;
    let room = style.width.saturating_sub(2);
    let mut lines = Vec::new();
    for (parameter, value) in used {
        let name = Text::new(parameter.name, Look::Strong);
        let entry = definition(&name, column, room, |width| {
            description(settings, scheme, parameter, value, width, style)
        });
        lines.extend(indented(2, entry));
    }
    if scheme.nests {
        let name = Text::new("inner.*", Look::Strong);
        let meaning = Text::from("any parameter of the scheme inside");
        lines.extend(indented(
            2,
            definition(&name, column, room, |width| meaning.wrapped(width)),
        ));
    }
    if !lists_choices(scheme) {
        let hint = Text::from("Meaning of the other names: ");
        let hint = hint.then("earlydrop schemes red", Look::Code);
        lines.push(Text::default());
        lines.extend(indented(2, hint.wrapped(room)));
    }
    let mut lines = titled("Parameters", lines, style);
    lines.extend(without_effect(settings, style));
    lines
}

/// A parameter's value, meaning, allowed values and default.
fn description(
    settings: &Settings,
    scheme: &Descriptor,
    parameter: &'static Parameter,
    value: &Value,
    width: usize,
    style: &Style,
) -> Vec<Text> {
    let (default, origin) = scheme.default_of(parameter);
    let set_by = settings.origin_of(parameter);
    let set_by = match set_by == origin {
        true => String::new(),
        false => format!(" ({set_by})"),
    };
    let choices = parameter.kind.choices();
    let chosen = choices
        .filter(|_| !lists_choices(scheme))
        .and_then(|choices| meaning_of(choices, value))
        .map_or(String::new(), |meaning| format!(": {meaning}"));
    let mut lines = Text::new(&value.to_string(), Look::Code)
        .then(&set_by, Look::Plain)
        .then(&chosen, Look::Plain)
        .wrapped(width);
    lines.extend(Text::from(parameter.meaning).wrapped(width));
    let default = format!("default {default}, origin: {origin}");
    let allowed = match choices {
        Some(choices) if lists_choices(scheme) => {
            let choices = listed(choices, value, width.saturating_sub(2), style);
            lines.extend(indented(2, choices));
            default
        }
        _ => format!("{}; {default}", parameter.kind.allowed()),
    };
    lines.extend(Text::new(&allowed, Look::Faint).wrapped(width));
    lines
}

/// Whether the page explains the choices' names. Of the RED family, which shares its choices, only
/// `red` does.
fn lists_choices(scheme: &Descriptor) -> bool {
    scheme.parameter("curve").is_none() || scheme.name == "red"
}

fn meaning_of(choices: &'static [(&str, &str)], value: &Value) -> Option<&'static str> {
    let is_chosen = |name: &str| matches!(value, Value::Choice(chosen) if *chosen == name);
    let chosen = choices
        .iter()
        .find(|(name, meaning)| is_chosen(name) && name != meaning);
    chosen.map(|(_, meaning)| *meaning)
}

fn listed(choices: &[(&str, &str)], value: &Value, width: usize, style: &Style) -> Vec<Text> {
    let mut table = Table::default();
    for (name, meaning) in choices {
        let look = match value {
            Value::Choice(chosen) if chosen == name => Look::Strong,
            _ => Look::Plain,
        };
        table.row(vec![Text::new(name, look), Text::new(meaning, Look::Faint)]);
    }
    table.lines(width, style.unicode)
}

/// The parameters without effect, by the condition under which they would have one.
fn without_effect(settings: &Settings, style: &Style) -> Vec<Text> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (parameter, _) in settings.iter() {
        if settings.matters(parameter) {
            continue;
        }
        let Some(condition) = condition(parameter) else {
            continue;
        };
        match groups.iter_mut().find(|(other, _)| *other == condition) {
            Some((_, names)) => names.push(parameter.name),
            None => groups.push((condition, vec![parameter.name])),
        }
    }
    let terms = groups.into_iter().map(|(condition, names)| {
        let condition = Text::new(&condition, Look::Code);
        (condition, Text::from(names.join(", ")))
    });
    let lines = definitions(terms.collect(), style);
    titled(
        "Parameters without effect here, by the condition that they need",
        lines,
        style,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use earlydrop::registry::{LinkFacts, Spec};
    use earlydrop::units::BitsPerSec;

    fn output(spec: &str) -> String {
        let style = Style {
            colour: false,
            unicode: true,
            width: 200,
        };
        let spec: Spec = spec.parse().unwrap();
        let settings = spec
            .settings(&LinkFacts::at(BitsPerSec::from_mbps(10)))
            .unwrap();
        let lines = section(&settings, spec.descriptor(), &style);
        let lines: Vec<String> = lines.iter().map(|line| line.paint(&style)).collect();
        lines.join("\n")
    }

    #[test]
    fn a_value_says_where_it_is_from() {
        let line = |spec: &str| {
            let text = output(spec);
            let line = text.lines().find(|line| line.starts_with("  max_p "));
            line.unwrap()["  max_p".len()..].trim().to_string()
        };
        assert_eq!(line("red"), "0.1");
        assert_eq!(line("red:max_p=0.3"), "0.3 (given)");
        assert_eq!(line("red:as=linux"), "0.02 (as=linux)");
        assert!(output("red:max_p=0.3").contains("in (0, 1]; default 0.1, origin: Floyd"));
    }

    #[test]
    fn parameters_without_effect_are_listed_by_condition() {
        let is_without_effect = |spec: &str| {
            let text = output(spec);
            let (_, rest) = text.split_once("without effect").unwrap();
            rest.contains("feng_alpha")
        };
        assert!(is_without_effect("red"));
        assert!(!is_without_effect("red:adapt=feng"));
    }
}
