//! From one tool to another: the nearest equivalent_max_p, and what is lost.

use earlydrop::red::Spacing;
use earlydrop::registry::Link;

use super::token::digits;
use super::{Configuration, Knob, ParseError, Tool, WithOrigin, check, differences};
use crate::solve::falling_root;
use crate::spacing::long_run;

/// A configuration as another tool is knobs it.
#[derive(Clone, Debug)]
pub struct Translation {
    /// Ready to be pasted.
    pub text: String,
    /// What the other tool makes of the text.
    pub configuration: Configuration,
    /// What stands differently there.
    pub lost: Vec<LostKnob>,
    /// What was changed on purpose, and why.
    pub notes: Vec<String>,
}

/// What could not be carried over.
#[derive(Clone, Debug, PartialEq)]
pub struct LostKnob {
    /// The knob.
    pub knob: Knob,
    /// How it stood.
    pub from: String,
    /// How it stands now.
    pub to: String,
    /// Why.
    pub why: &'static str,
}

/// The nearest equivalent_max_p in `tool`, refused where that takes nothing near it: spaced alike where it can be knobs how, else with a
/// max_p at which it tells as often in the long run.
pub fn translate(
    configuration: &Configuration,
    tool: &'static Tool,
    link: &Link,
) -> Result<Translation, ParseError> {
    let from = configuration.spacing.value;
    let mut wanted = carried(configuration, tool);
    let mut notes = Vec::new();
    let alike = tool.spacings.iter().copied();
    let alike = alike.into_iter().find(|to| same_gaps(from, *to));
    let to = alike.unwrap_or(tool.spacing);
    if !tool.spacings.contains(&from) {
        wanted.spacing = WithOrigin::implied(to, tool.spacing_source);
    }
    for class in &mut wanted.classes {
        let was = class.max_p.value;
        if alike.is_none() {
            class.max_p.value = equivalent_max_p(was, from, to);
            notes.push(format!(
                "max_p {} becomes {}: at one and the same {} tells {}",
                digits(was, 3),
                digits(class.max_p.value, 3),
                tool.name,
                ratio_in_words(long_run(to, was) / long_run(from, was)),
            ));
        } else if !same_gaps(to, tool.spacing) && tool != configuration.tool {
            notes.push(format!(
                "{} is knobs to space drops as here; by its own way, a max_p of {} comes to as many",
                tool.name,
                digits(equivalent_max_p(was, from, tool.spacing), 3),
            ));
        }
    }
    notes.dedup();
    write(&wanted, tool, link, notes)
}

/// "2.92 times as often", "1.96 times more rarely".
pub fn ratio_in_words(ratio: f64) -> String {
    match ratio < 1.0 {
        true => format!("{} times more rarely", digits(1.0 / ratio, 3)),
        false => format!("{} times as often", digits(ratio, 3)),
    }
}

/// The same with every number as it is, spaced as `tool` does unless set.
pub fn word_for_word(
    configuration: &Configuration,
    tool: &'static Tool,
    link: &Link,
) -> Result<Translation, ParseError> {
    let mut wanted = carried(configuration, tool);
    wanted.spacing = WithOrigin::implied(tool.spacing, tool.spacing_source);
    write(&wanted, tool, link, Vec::new())
}

/// The max_p under `to` that tells as often in the long run as `max_p` does under `from`.
pub fn equivalent_max_p(max_p: f64, from: Spacing, to: Spacing) -> f64 {
    if same_gaps(from, to) {
        return max_p;
    }
    let wanted = long_run(from, max_p);
    if long_run(to, 1.0) <= wanted {
        return 1.0;
    }
    // As powers, so that small ones are found as exactly.
    let low = max_p.ln() - 3.0;
    let excess = |power: f64| wanted - long_run(to, power.exp().min(1.0));
    falling_root(low, 0.0, excess).exp().min(1.0)
}

/// Linux draws one number a gap, which gives the gaps of 1993.
fn same_gaps(a: Spacing, b: Spacing) -> bool {
    let law = |spacing| match spacing {
        Spacing::Drawn => Spacing::Uniform,
        other => other,
    };
    law(a) == law(b)
}

/// What is to be carried over: all but a packet that nobody knobs and nothing depends on.
fn carried(configuration: &Configuration, tool: &Tool) -> Configuration {
    let mut wanted = configuration.clone();
    let packet = &wanted.mean_packet;
    if !packet.is_given() && !wanted.by_size.value && tool != configuration.tool {
        wanted.mean_packet = WithOrigin::implied(None, "not given");
    }
    wanted
}

/// Writes it, and reads it again to see what became of it.
fn write(
    wanted: &Configuration,
    tool: &'static Tool,
    link: &Link,
    notes: Vec<String>,
) -> Result<Translation, ParseError> {
    let text = (tool.write)(wanted, link);
    let read = (tool.read)(&text, link).and_then(|configuration| {
        check(&configuration, &text, link)?;
        Ok(configuration)
    });
    // The place is one in a text that nobody has seen.
    let configuration = read.map_err(|error| ParseError {
        span: 0..0,
        ..error
    })?;
    let reason = |knob: Knob| {
        let found = tool.lacks.iter().find(|(lacking, _)| *lacking == knob);
        found.map_or("rounded", |(_, why)| why)
    };
    // Gaps alike are knobs alike; the link's own rate is not lost where nobody knobs it.
    let silent = |knob: Knob| match knob {
        Knob::Spacing => same_gaps(wanted.spacing.value, configuration.spacing.value),
        Knob::Rate => wanted.rate.value.is_none() || configuration.rate.value.is_none(),
        Knob::Packet => wanted.mean_packet.value.is_none(),
        _ => false,
    };
    let lost = differences(wanted, &configuration, link).into_iter();
    let lost = lost
        .filter(|difference| !silent(difference.knob))
        .map(|difference| LostKnob {
            why: reason(difference.knob),
            knob: difference.knob,
            from: difference.from,
            to: difference.to,
        });
    let lost = lost.collect();
    Ok(Translation {
        text,
        configuration,
        lost,
        notes,
    })
}
