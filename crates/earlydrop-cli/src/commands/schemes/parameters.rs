//! A scheme's parameters with their values, and those that do not count at present.

use earlydrop::registry::{Descriptor, Kind, Parameter, Settings, Value};

use super::{definitions, titled};
use crate::draw::{Look, Style, Table, Text, beside, indented};

/// Those that matter with these settings one by one, the rest by what they wait for.
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
        let said = beside(&name, column, room, |width| {
            about(settings, scheme, parameter, value, width, style)
        });
        lines.extend(indented(2, said));
    }
    if scheme.nests {
        let name = Text::new("inner.*", Look::Strong);
        let meaning = Text::from("any parameter of the scheme inside");
        lines.extend(indented(
            2,
            beside(&name, column, room, |width| meaning.wrapped(width)),
        ));
    }
    if !lists_choices(scheme) {
        let hint = Text::from("What the other names stand for: ");
        let hint = hint.then("earlydrop schemes red", Look::Code);
        lines.push(Text::default());
        lines.extend(indented(2, hint.wrapped(room)));
    }
    let mut lines = titled("Parameters", lines, style);
    lines.extend(waiting(settings, style));
    lines
}

/// Its value, what it is for, what is allowed and what it is otherwise.
fn about(
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
    let choices = choices(&parameter.kind);
    let chosen = choices
        .filter(|_| !lists_choices(scheme))
        .and_then(|choices| meaning_of(choices, value))
        .map_or(String::new(), |meaning| format!(": {meaning}"));
    let mut lines = Text::new(&value.to_string(), Look::Code)
        .then(&set_by, Look::Plain)
        .then(&chosen, Look::Plain)
        .wrapped(width);
    lines.extend(Text::from(parameter.meaning).wrapped(width));
    let usual = format!("default {default}, origin: {origin}");
    let allowed = match choices {
        Some(choices) if lists_choices(scheme) => {
            let choices = listed(choices, value, width.saturating_sub(2), style);
            lines.extend(indented(2, choices));
            usual
        }
        _ => format!("{}; {usual}", parameter.kind.allowed()),
    };
    lines.extend(Text::new(&allowed, Look::Faint).wrapped(width));
    lines
}

/// The RED family shares its choices: `red` says what their names stand for, once, as on
/// the page of all schemes.
fn lists_choices(scheme: &Descriptor) -> bool {
    scheme.parameter("curve").is_none() || scheme.name == "red"
}

/// What a name may be chosen from, each with what it means.
pub(super) fn choices(kind: &Kind) -> Option<&'static [(&'static str, &'static str)]> {
    match kind {
        Kind::Choice(choices) => Some(choices),
        Kind::OrAuto(kind) | Kind::OrNever(kind) => choices(kind),
        _ => None,
    }
}

fn meaning_of(choices: &'static [(&str, &str)], value: &Value) -> Option<&'static str> {
    let is_chosen = |name: &str| matches!(value, Value::Choice(chosen) if *chosen == name);
    let found = choices
        .iter()
        .find(|(name, meaning)| is_chosen(name) && name != meaning);
    found.map(|(_, meaning)| *meaning)
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

/// The parameters without effect at present, by what would give them one.
fn waiting(settings: &Settings, style: &Style) -> Vec<Text> {
    let mut waiting: Vec<(String, Vec<&str>)> = Vec::new();
    for (parameter, _) in settings.iter() {
        if settings.matters(parameter) {
            continue;
        }
        let Some(condition) = condition(parameter) else {
            continue;
        };
        match waiting.iter_mut().find(|(other, _)| *other == condition) {
            Some((_, names)) => names.push(parameter.name),
            None => waiting.push((condition, vec![parameter.name])),
        }
    }
    let terms = waiting.into_iter().map(|(condition, names)| {
        let condition = Text::new(&condition, Look::Code);
        (condition, Text::from(names.join(", ")))
    });
    let lines = definitions(terms.collect(), style);
    titled("Parameters that need another", lines, style)
}

/// What `parameter` needs to matter: "adapt=ared or rared".
pub(super) fn condition(parameter: &Parameter) -> Option<String> {
    let (other, values) = parameter.when?;
    Some(format!("{other}={}", values.join(" or ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use earlydrop::registry::{Link, Spec};
    use earlydrop::units::BitsPerSec;

    fn shown(spec: &str) -> String {
        let style = Style {
            colour: false,
            unicode: true,
            width: 200,
        };
        let spec: Spec = spec.parse().unwrap();
        let settings = spec.settings(&Link::at(BitsPerSec::from_mbps(10))).unwrap();
        let lines = section(&settings, spec.descriptor(), &style);
        let lines: Vec<String> = lines.iter().map(|line| line.paint(&style)).collect();
        lines.join("\n")
    }

    #[test]
    fn a_value_says_where_it_is_from() {
        let line = |spec: &str| {
            let text = shown(spec);
            let line = text.lines().find(|line| line.starts_with("  max_p "));
            line.unwrap()["  max_p".len()..].trim().to_string()
        };
        assert_eq!(line("red"), "0.1");
        assert_eq!(line("red:max_p=0.3"), "0.3 (given)");
        assert_eq!(line("red:as=linux"), "0.02 (as=linux)");
        assert!(shown("red:max_p=0.3").contains("in (0, 1]; default 0.1, origin: Floyd"));
    }

    #[test]
    fn what_does_not_matter_waits_for_what_would_make_it() {
        let waits = |spec: &str| {
            let text = shown(spec);
            let (_, waiting) = text.split_once("need another").unwrap();
            waiting.contains("feng_alpha")
        };
        assert!(waits("red"));
        assert!(!waits("red:adapt=feng"));
    }
}
