//! Translates a configuration for another tool and reports what changes.
//!
//! Two tools with the same `max_p` signal congestion at different rates, because they space drops
//! by different laws. [`translate`] keeps the law if the target supports it; otherwise it changes
//! `max_p` so that the long-run signal rate stays the same. [`word_for_word`] keeps all numbers.

use earlydrop::red::Spacing;
use earlydrop::registry::LinkFacts;

use super::{Configuration, Knob, ParseError, Tool, WithOrigin, differences, read, read_in};
use crate::number::number;
use crate::solve::falling_root;
use crate::spacing::long_run;

/// A configuration written for another tool.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The text in the target tool's language.
    pub text: String,
    /// The configuration that the target tool reads from the text.
    pub configuration: Configuration,
    /// The knobs whose values changed.
    pub lost: Vec<LostKnob>,
    /// What the translation changed on purpose, and why.
    pub notes: Vec<String>,
}

/// A knob whose value could not be kept.
#[derive(Clone, Debug, PartialEq)]
pub struct LostKnob {
    /// The knob.
    pub knob: Knob,
    /// The value before.
    pub from: String,
    /// The value after.
    pub to: String,
    /// The reason.
    pub why: &'static str,
}

/// Writes the configuration for `tool` so that it signals congestion equally often.
///
/// Keeps the spacing law if `tool` supports it, and adjusts `max_p` otherwise. Fails if the tool
/// accepts no value near the given ones.
pub fn translate(
    configuration: &Configuration,
    tool: &'static Tool,
    link: &LinkFacts,
) -> Result<Translation, ParseError> {
    let from = configuration.spacing.value;
    let mut wanted = to_translate(configuration, tool);
    let mut notes = Vec::new();
    let mut supported = tool.supported_spacings.iter().copied();
    let same_law = supported.find(|to| same_gaps(from, *to));
    let to = same_law.unwrap_or(tool.spacing);
    if !tool.supported_spacings.contains(&from) {
        wanted.spacing = WithOrigin::implied(to, tool.spacing_source);
    }
    for class in &mut wanted.classes {
        let was = class.max_p.value;
        if same_law.is_none() {
            class.max_p.value = equivalent_max_p(was, from, to);
            notes.push(format!(
                "max_p {} becomes {}: with the same max_p, {} signals {}",
                number(was),
                number(class.max_p.value),
                tool.name,
                ratio_in_words(long_run(to, was) / long_run(from, was)),
            ));
        } else if !same_gaps(to, tool.spacing) && tool != configuration.tool {
            notes.push(format!(
                "{} is configured for the same spacing; with its default spacing, max_p {} has the same long-run rate",
                tool.name,
                number(equivalent_max_p(was, from, tool.spacing)),
            ));
        }
    }
    notes.dedup();
    write(&wanted, tool, link, notes)
}

/// Words for a ratio of rates: "2.92 times as often", "1.96 times less often".
pub fn ratio_in_words(ratio: f64) -> String {
    match ratio < 1.0 {
        true => format!("{} times less often", number(1.0 / ratio)),
        false => format!("{} times as often", number(ratio)),
    }
}

/// Writes the configuration for `tool` with every number unchanged and the tool's default spacing.
pub fn word_for_word(
    configuration: &Configuration,
    tool: &'static Tool,
    link: &LinkFacts,
) -> Result<Translation, ParseError> {
    let mut wanted = to_translate(configuration, tool);
    wanted.spacing = WithOrigin::implied(tool.spacing, tool.spacing_source);
    write(&wanted, tool, link, Vec::new())
}

/// The max_p under the law `to` whose long-run signal rate is that of `max_p` under `from`.
pub fn equivalent_max_p(max_p: f64, from: Spacing, to: Spacing) -> f64 {
    if same_gaps(from, to) {
        return max_p;
    }
    let wanted = long_run(from, max_p);
    if long_run(to, 1.0) <= wanted {
        return 1.0;
    }
    // Searches ln(max_p), so that small values are as precise as large ones.
    let low = max_p.ln() - 3.0;
    let excess = |power: f64| wanted - long_run(to, power.exp().min(1.0));
    falling_root(low, 0.0, excess).exp().min(1.0)
}

/// Whether both laws give the same distribution of gaps. Linux draws one number per gap, which
/// has the distribution of Floyd and Jacobson's 1993 method 2.
fn same_gaps(a: Spacing, b: Spacing) -> bool {
    let law = |spacing| match spacing {
        Spacing::Drawn => Spacing::Uniform,
        other => other,
    };
    law(a) == law(b)
}

/// The configuration to translate, without a mean packet size that is only a default.
fn to_translate(configuration: &Configuration, tool: &Tool) -> Configuration {
    let mut wanted = configuration.clone();
    let packet = &wanted.mean_packet;
    if !packet.is_given() && !wanted.by_size.value && tool != configuration.tool {
        wanted.mean_packet = WithOrigin::implied(None, "not given");
    }
    wanted
}

/// The configuration in its own tool's language, and what the tool reads from that, beside the buffer
/// that the caller has stated; `None` where the tool takes no such values.
pub(crate) fn rewrite(
    configuration: &Configuration,
    link: &LinkFacts,
) -> Option<(String, Configuration)> {
    let tool = configuration.tool;
    let text = (tool.write?)(configuration, link);
    let context = configuration.context.of_one_object();
    let read = read_in(&text, Some(tool), link, &context).ok()?;
    Some((text, read))
}

/// Writes the text, reads it back and compares.
fn write(
    wanted: &Configuration,
    tool: &'static Tool,
    link: &LinkFacts,
    notes: Vec<String>,
) -> Result<Translation, ParseError> {
    let Some(write) = tool.write else {
        let message = format!("{} is read, not written", tool.title);
        return Err(ParseError::of_all(
            "",
            message,
            "see docs/reference/other-tools.md",
        ));
    };
    let text = write(wanted, link);
    let read = read(&text, Some(tool), link);
    // The span would point into the written text, which the caller does not have.
    let configuration = read.map_err(|error| ParseError {
        span: 0..0,
        ..error
    })?;
    let reason = |knob: Knob| {
        let limitation = tool
            .limitations
            .iter()
            .find(|(lacking, _)| *lacking == knob);
        limitation.map_or("rounded", |(_, why)| why)
    };
    // Equal gap distributions and values that were never given are not reported.
    let unreported = |knob: Knob| match knob {
        Knob::Spacing => same_gaps(wanted.spacing.value, configuration.spacing.value),
        Knob::Rate => wanted.rate.value.is_none() || configuration.rate.value.is_none(),
        Knob::Packet => wanted.mean_packet.value.is_none(),
        _ => false,
    };
    let lost = differences(wanted, &configuration, link).into_iter();
    let lost = lost
        .filter(|difference| !unreported(difference.knob))
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
