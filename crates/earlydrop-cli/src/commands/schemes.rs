//! `earlydrop schemes`: the list of schemes, and the page of one.
//!
//! Everything comes from the registry and the schemes' manuals: a scheme that is added there appears
//! here.

mod curve;
mod parameters;

use std::io::{self, Write};

use earlydrop::manual;
use earlydrop::registry::{ConfigError, Descriptor, LinkFacts, Plan, SCHEMES, Settings, Spec};
use earlydrop_lab::escape::CommandLine;
use earlydrop_report::request;
use earlydrop_report::scheme_list::schemes;

use crate::draw::{Look, Style, Text, definition, indented};
use crate::failure::Failure;
use crate::markdown;
use crate::output::Output;

/// List the schemes, or print the manual, drop curve and parameters of one
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop schemes
  earlydrop schemes nlred
  earlydrop schemes red:as=linux --link 100Mbps
  earlydrop schemes --json")]
pub(crate) struct Schemes {
    /// A scheme, optionally with parameters
    #[arg(value_name = "NAME[:PARAMETER=VALUE,...]")]
    name: Option<String>,

    /// Write JSON: a list of schemes with parameters, presets, probes and drop curve
    #[arg(long)]
    json: bool,

    /// The link's rate, on which some defaults depend
    #[arg(long, value_name = "RATE", default_value = "10Mbps")]
    link: String,
}

/// `earlydrop schemes`.
pub(crate) fn run(args: &Schemes, out: &mut Output<'_>, style: &Style) -> Result<(), Failure> {
    if args.json {
        let described = schemes(args.name.as_deref(), &args.link)?;
        serde_json::to_writer_pretty(&mut *out, &described).map_err(io::Error::from)?;
        writeln!(out)?;
        return Ok(());
    }
    let link = LinkFacts::at(request::link(&args.link)?);
    let named = args.name.as_deref().map(str::parse::<Spec>).transpose()?;
    let lines = match named {
        Some(spec) => page(&ConfiguredScheme::new(spec, &link)?, style)?,
        None => list(&link, style)?,
    };
    Ok(out.lines(&lines, style)?)
}

/// A scheme with its parameters resolved for a link.
struct ConfiguredScheme {
    spec: Spec,
    settings: Settings,
    plan: Plan,
}

impl ConfiguredScheme {
    fn new(spec: Spec, link: &LinkFacts) -> Result<ConfiguredScheme, ConfigError> {
        let settings = spec.settings(link)?;
        let plan = spec.plan(link)?;
        Ok(ConfiguredScheme {
            spec,
            settings,
            plan,
        })
    }

    fn scheme(&self) -> &'static Descriptor {
        self.spec.descriptor()
    }

    /// The scheme that this one contains, if any.
    fn inner(&self) -> Result<Option<ConfiguredScheme>, ConfigError> {
        let scheme = self.scheme();
        if !scheme.nests || scheme.parameter("inner").is_none() {
            return Ok(None);
        }
        let inner = self.settings.inner("inner")?;
        ConfiguredScheme::new(inner, &self.settings.link()).map(Some)
    }
}

/// A family of schemes, derived from the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Curve,
    Adaptation,
    Policy,
    Delay,
    Single,
    Several,
}

impl Family {
    const ALL: [Family; 6] = [
        Family::Curve,
        Family::Adaptation,
        Family::Policy,
        Family::Delay,
        Family::Single,
        Family::Several,
    ];

    fn title(self) -> &'static str {
        match self {
            Family::Curve => "RED, and RED with other curves",
            Family::Adaptation => "RED with a max_p that adapts",
            Family::Policy => "RED that treats some flows differently",
            Family::Delay => "One queue with a target delay",
            Family::Single => "One queue, other rules",
            Family::Several => "Several queues",
        }
    }

    fn of(configured: &ConfiguredScheme) -> Family {
        let scheme = configured.scheme();
        let overrides = |name| {
            scheme
                .parameter(name)
                .is_some_and(|parameter| scheme.default_of(parameter).0 != parameter.default)
        };
        let aims_at_a_delay = || {
            scheme
                .parameter("target")
                .is_some_and(|target| target.kind.unit() == "time")
        };
        match &configured.plan {
            plan if plan.curve().is_some() && overrides("policy") => Family::Policy,
            plan if plan.curve().is_some() && overrides("adapt") => Family::Adaptation,
            plan if plan.curve().is_some() => Family::Curve,
            Plan::Single { .. } if aims_at_a_delay() => Family::Delay,
            Plan::Single { .. } => Family::Single,
            Plan::Fair { .. } | Plan::FairCodel { .. } | Plan::Cake { .. } | Plan::Dual { .. } => {
                Family::Several
            }
        }
    }
}

/// Every scheme by family, with a sparkline of its drop curve.
fn list(link: &LinkFacts, style: &Style) -> Result<Vec<Text>, ConfigError> {
    let schemes: Result<Vec<ConfiguredScheme>, ConfigError> = SCHEMES
        .iter()
        .map(|scheme| ConfiguredScheme::new(Spec::of(scheme), link))
        .collect();
    let schemes = schemes?;
    let names = SCHEMES.iter().map(|scheme| scheme.name.len());
    let longest = names.max().unwrap_or(0);
    let mut lines = Vec::new();
    for family in Family::ALL {
        let members: Vec<&ConfiguredScheme> = schemes
            .iter()
            .filter(|scheme| Family::of(scheme) == family)
            .collect();
        if members.is_empty() {
            continue;
        }
        lines.extend(Text::new(family.title(), Look::Strong).wrapped(style.width));
        for member in members {
            let mut name = Text::new(member.scheme().name, Look::Code);
            let mut column = longest + 2;
            if let Some(curve) = member.plan.curve() {
                name.pad(column);
                name.push(&curve::sparkline_of(curve, style.unicode), Look::Series(1));
                column = name.width() + 2;
            }
            let summary = Text::from(member.scheme().summary);
            let room = style.width.saturating_sub(2);
            let member = definition(&name, column, room, |width| summary.wrapped(width));
            lines.extend(indented(2, member));
        }
        lines.push(Text::default());
    }
    let hint = Text::from("Manual, drop curve and parameters of one: ")
        .then("earlydrop schemes NAME", Look::Code);
    lines.extend(hint.wrapped(style.width));
    Ok(lines)
}

/// The page of one scheme with the parameters given.
fn page(configured: &ConfiguredScheme, style: &Style) -> Result<Vec<Text>, ConfigError> {
    let manual = manual::of(configured.scheme().name).unwrap_or_default();
    let (title, sections) = manual.split_at(manual.find("\n# ").unwrap_or(manual.len()));
    let inner = configured.inner()?;
    let mut lines = head(configured, inner.as_ref(), title.trim(), style);
    let drawn = inner.as_ref().unwrap_or(configured);
    lines.extend(curve::section(drawn, style)?);
    if !sections.trim().is_empty() {
        lines.push(Text::default());
        lines.extend(markdown::render(sections, style));
    }
    lines.extend(parameters::section(
        &configured.settings,
        configured.scheme(),
        style,
    ));
    lines.extend(presets(configured.scheme(), style));
    lines.extend(probes(configured.scheme(), style));
    Ok(lines)
}

/// The title and a short table: name, summary, source.
fn head(
    configured: &ConfiguredScheme,
    inner: Option<&ConfiguredScheme>,
    title: &str,
    style: &Style,
) -> Vec<Text> {
    let scheme = configured.scheme();
    let title = if title.is_empty() { scheme.name } else { title };
    let mut facts = vec![
        ("name", Text::new(scheme.name, Look::Strong)),
        ("summary", Text::from(scheme.summary)),
        ("source", Text::from(scheme.source)),
    ];
    let spec = configured.spec.to_string();
    if spec != scheme.name {
        facts.push(("configured", Text::new(&spec, Look::Code)));
    }
    if let Some(inner) = inner {
        let more = CommandLine::new("schemes").word(inner.spec.to_string());
        let inner = Text::new(&inner.spec.to_string(), Look::Code);
        let more = inner
            .then("; more: ", Look::Plain)
            .then(&more.to_string(), Look::Code);
        facts.push(("inside", more));
    }
    let mut lines = markdown::inline(&title.replace('\n', " "), !style.colour)
        .all_in(Look::Strong)
        .wrapped(style.width);
    let facts = facts.into_iter().map(|(name, fact)| {
        let name = Text::new(name, Look::Faint);
        (name, fact)
    });
    lines.extend(definitions(facts.collect(), style));
    lines
}

fn presets(scheme: &Descriptor, style: &Style) -> Vec<Text> {
    let presets = scheme.presets.iter().map(|preset| {
        let mut text = Text::from(preset.meaning);
        let values = preset
            .values
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        let values: Vec<String> = values.collect();
        if !values.is_empty() {
            text = text.then(": ", Look::Plain);
            text = text.then(&values.join(", "), Look::Code);
        }
        (Text::new(preset.name, Look::Strong), text)
    });
    let example = scheme.presets.first().map(|preset| preset.name);
    let title = format!(
        "Presets, as in {}:as={}",
        scheme.name,
        example.unwrap_or("paper")
    );
    titled(&title, definitions(presets.collect(), style), style)
}

fn probes(scheme: &Descriptor, style: &Style) -> Vec<Text> {
    let probes = scheme.probes.iter().map(|probe| {
        let name = Text::new(probe.name, Look::Strong);
        (name, Text::from(probe.meaning))
    });
    titled("Probes", definitions(probes.collect(), style), style)
}

/// Lines below a heading; nothing without lines.
fn titled(title: &str, lines: Vec<Text>, style: &Style) -> Vec<Text> {
    if lines.is_empty() {
        return lines;
    }
    let mut titled = vec![Text::default()];
    titled.extend(Text::new(title, Look::Strong).wrapped(style.width));
    titled.extend(lines);
    titled
}

/// Terms with their descriptions, one below the other.
pub(super) fn definitions(terms: Vec<(Text, Text)>, style: &Style) -> Vec<Text> {
    let longest = terms.iter().map(|(term, _)| term.width()).max();
    let column = longest.unwrap_or(0) + 2;
    let room = style.width.saturating_sub(2);
    terms
        .iter()
        .flat_map(|(term, description)| {
            let lines = definition(term, column, room, |width| description.wrapped(width));
            indented(2, lines)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use earlydrop::units::BitsPerSec;

    fn output(name: Option<&str>, json: bool, style: &Style) -> Result<String, Failure> {
        let args = Schemes {
            name: name.map(str::to_string),
            json,
            link: "10Mbps".to_string(),
        };
        let mut out = Vec::new();
        run(&args, &mut Output::new(&mut out), style)?;
        Ok(String::from_utf8(out).unwrap())
    }

    fn style(width: usize, colour: bool) -> Style {
        Style {
            colour,
            unicode: true,
            width,
        }
    }

    fn check_lines(text: &str, width: usize) {
        for line in text.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
            assert_eq!(line, line.trim_end());
        }
    }

    #[test]
    fn every_scheme_is_listed_once_under_a_family() {
        let text = output(None, false, &style(80, false)).unwrap();
        for scheme in SCHEMES {
            let named = |line: &&str| line.starts_with(&format!("  {} ", scheme.name));
            assert_eq!(text.lines().filter(named).count(), 1, "{}", scheme.name);
        }
        assert!(text.ends_with("earlydrop schemes NAME\n"));
    }

    #[test]
    fn families_are_derived_from_the_registry() {
        for (name, family) in [
            ("nlred", Family::Curve),
            ("ared", Family::Adaptation),
            ("choke", Family::Policy),
            ("codel", Family::Delay),
            ("droptail", Family::Single),
            ("dualpi2", Family::Several),
        ] {
            let link = LinkFacts::at(BitsPerSec::from_mbps(1));
            let scheme = ConfiguredScheme::new(Spec::new(name).unwrap(), &link);
            assert_eq!(Family::of(&scheme.unwrap()), family, "{name}");
        }
    }

    #[test]
    fn no_line_exceeds_the_width_or_ends_in_spaces() {
        for width in [20, 40, 80, 120] {
            check_lines(&output(None, false, &style(width, false)).unwrap(), width);
            for scheme in SCHEMES {
                let page = output(Some(scheme.name), false, &style(width, false));
                check_lines(&page.unwrap(), width);
            }
        }
    }

    #[test]
    fn colours_change_no_letter_but_the_backticks() {
        // Wide enough that the missing backticks change no line break.
        const WIDE: usize = 400;
        for name in [None, Some("red"), Some("fq-red:inner.min=7")] {
            let plain = output(name, false, &style(WIDE, false)).unwrap();
            assert!(!plain.contains('\u{1b}'));
            let coloured = output(name, false, &style(WIDE, true)).unwrap();
            assert!(coloured.contains("\u{1b}[1m"));
            let stripped = anstream::adapter::strip_str(&coloured).to_string();
            let letters = |text: &str| -> String {
                let seen = |letter: &char| !letter.is_whitespace() && !"`─".contains(*letter);
                text.chars().filter(seen).collect()
            };
            assert_eq!(letters(&stripped), letters(&plain));
        }
    }

    #[test]
    fn parameters_given_are_shown() {
        let text = output(Some("nlred:max_p=0.5"), false, &style(80, false)).unwrap();
        assert!(text.contains("nlred:max_p=0.5"), "{text}");
        assert!(text.contains("0.5 (given)"), "{text}");
        let inside = output(Some("fq-red:inner.min=7"), false, &style(80, false)).unwrap();
        assert!(inside.contains("red:min=7"), "{inside}");
    }

    #[test]
    fn errors_are_the_registrys() {
        let error = output(Some("nlrde"), true, &style(80, false)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no scheme is called 'nlrde'; did you mean 'nlred'?"
        );
        assert!(output(Some("red:max_p=2"), false, &style(80, false)).is_err());
    }
}
