//! `earlydrop schemes`: what there is to compare, and everything known about one.
//!
//! All of it comes from the registry and the schemes' manuals: a scheme that is added
//! there appears here.

mod curve;
mod json;
mod parameters;

use std::io::{self, Write};

use earlydrop::manual;
use earlydrop::registry::{ConfigError, Descriptor, Link, Plan, SCHEMES, Settings, Spec};
use earlydrop::units::BitsPerSec;

use crate::draw::{Look, Style, Text, beside, indented, write_lines};
use crate::failure::Failure;
use crate::markdown;

/// List the schemes, or say everything about one
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop schemes
  earlydrop schemes nlred
  earlydrop schemes red:as=linux --link 100Mbps
  earlydrop schemes --json")]
pub(crate) struct Schemes {
    /// A scheme, with parameters where they are not to be the defaults
    #[arg(value_name = "NAME[:PARAMETER=VALUE,...]")]
    name: Option<String>,

    /// Write JSON: a list of schemes with parameters, presets, probes and drop curve
    #[arg(long)]
    json: bool,

    /// The link's rate, for what is worked out from it
    #[arg(long, value_name = "RATE", default_value = "10Mbps")]
    link: BitsPerSec,
}

/// Writes what `args` ask for.
pub(crate) fn run(args: &Schemes, out: &mut dyn Write, style: &Style) -> Result<(), Failure> {
    let link = Link::at(args.link);
    let named = args.name.as_deref().map(str::parse::<Spec>).transpose()?;
    if args.json {
        let specs = match named {
            Some(spec) => vec![spec],
            None => SCHEMES.iter().map(|scheme| Spec::of(scheme)).collect(),
        };
        let described: Result<Vec<_>, _> = specs
            .iter()
            .map(|spec| json::describe(spec, &link))
            .collect();
        serde_json::to_writer_pretty(&mut *out, &described?).map_err(io::Error::from)?;
        writeln!(out)?;
        return Ok(());
    }
    let lines = match named {
        Some(spec) => page(&Shown::new(spec, &link)?, style)?,
        None => list(&link, style)?,
    };
    Ok(write_lines(out, &lines, style)?)
}

/// A scheme with all that its parameters stand for.
struct Shown {
    spec: Spec,
    settings: Settings,
    plan: Plan,
}

impl Shown {
    fn new(spec: Spec, link: &Link) -> Result<Shown, ConfigError> {
        let settings = spec.settings(link)?;
        let plan = spec.plan(link)?;
        Ok(Shown {
            spec,
            settings,
            plan,
        })
    }

    fn scheme(&self) -> &'static Descriptor {
        self.spec.descriptor()
    }

    /// The scheme inside, where this one has one.
    fn inner(&self) -> Result<Option<Shown>, ConfigError> {
        let scheme = self.scheme();
        if !scheme.nests || scheme.parameter("inner").is_none() {
            return Ok(None);
        }
        let inner = self.settings.inner("inner")?;
        Shown::new(inner, &self.settings.link()).map(Some)
    }
}

/// What schemes have in common, as far as the registry tells.
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
            Family::Policy => "RED that treats some flows apart",
            Family::Delay => "One queue, held to a delay",
            Family::Single => "One queue, by other rules",
            Family::Several => "Several queues",
        }
    }

    fn of(shown: &Shown) -> Family {
        let scheme = shown.scheme();
        let own = |name| {
            scheme
                .parameter(name)
                .is_some_and(|parameter| scheme.default_of(parameter).0 != parameter.default)
        };
        let aims_at_a_delay = || {
            scheme
                .parameter("target")
                .is_some_and(|target| target.kind.unit() == "time")
        };
        match &shown.plan {
            plan if plan.curve().is_some() && own("policy") => Family::Policy,
            plan if plan.curve().is_some() && own("adapt") => Family::Adaptation,
            plan if plan.curve().is_some() => Family::Curve,
            Plan::Single { .. } if aims_at_a_delay() => Family::Delay,
            Plan::Single { .. } => Family::Single,
            Plan::Fair { .. } | Plan::FairCodel { .. } | Plan::Dual { .. } => Family::Several,
        }
    }
}

/// Every scheme by family, those with a curve with a small picture of it.
fn list(link: &Link, style: &Style) -> Result<Vec<Text>, ConfigError> {
    let shown: Result<Vec<Shown>, ConfigError> = SCHEMES
        .iter()
        .map(|scheme| Shown::new(Spec::of(scheme), link))
        .collect();
    let shown = shown?;
    let names = SCHEMES.iter().map(|scheme| scheme.name.len());
    let longest = names.max().unwrap_or(0);
    let mut lines = Vec::new();
    for family in Family::ALL {
        let members: Vec<&Shown> = shown.iter().filter(|s| Family::of(s) == family).collect();
        if members.is_empty() {
            continue;
        }
        lines.extend(Text::new(family.title(), Look::Strong).wrapped(style.width));
        for member in members {
            let mut term = Text::new(member.scheme().name, Look::Code);
            let mut column = longest + 2;
            if let Some(curve) = member.plan.curve() {
                term.pad(column);
                term.push(&curve::small(curve, style.unicode), Look::Series(1));
                column = term.width() + 2;
            }
            let summary = Text::from(member.scheme().summary);
            let room = style.width.saturating_sub(2);
            let member = beside(&term, column, room, |width| summary.wrapped(width));
            lines.extend(indented(2, member));
        }
        lines.push(Text::default());
    }
    let hint = Text::from("More about one, its drop curve and its parameters: ")
        .then("earlydrop schemes NAME", Look::Code);
    lines.extend(hint.wrapped(style.width));
    Ok(lines)
}

/// Everything about one scheme, for the parameters given.
fn page(shown: &Shown, style: &Style) -> Result<Vec<Text>, ConfigError> {
    let manual = manual::of(shown.scheme().name).unwrap_or_default();
    let (title, sections) = manual.split_at(manual.find("\n# ").unwrap_or(manual.len()));
    let inner = shown.inner()?;
    let mut lines = head(shown, inner.as_ref(), title.trim(), style);
    let drawn = inner.as_ref().unwrap_or(shown);
    lines.extend(curve::section(drawn, style)?);
    if !sections.trim().is_empty() {
        lines.push(Text::default());
        lines.extend(markdown::render(sections, style));
    }
    lines.extend(parameters::section(&shown.settings, shown.scheme(), style));
    lines.extend(presets(shown.scheme(), style));
    lines.extend(probes(shown.scheme(), style));
    Ok(lines)
}

/// The title, and what the registry says in short.
fn head(shown: &Shown, inner: Option<&Shown>, title: &str, style: &Style) -> Vec<Text> {
    let scheme = shown.scheme();
    let title = if title.is_empty() { scheme.name } else { title };
    let mut facts = vec![
        ("name", Text::new(scheme.name, Look::Strong)),
        ("summary", Text::from(scheme.summary)),
        ("source", Text::from(scheme.source)),
    ];
    let spec = shown.spec.to_string();
    if spec != scheme.name {
        facts.push(("shown", Text::new(&spec, Look::Code)));
    }
    if let Some(inner) = inner {
        let more = format!("earlydrop schemes {}", inner.spec);
        let inner = Text::new(&inner.spec.to_string(), Look::Code);
        let more = inner.then("; more: ", Look::Plain).then(&more, Look::Code);
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
        let mut said = Text::from(preset.meaning);
        let values = preset
            .values
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        let values: Vec<String> = values.collect();
        if !values.is_empty() {
            said = said.then(": ", Look::Plain);
            said = said.then(&values.join(", "), Look::Code);
        }
        (Text::new(preset.name, Look::Strong), said)
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

/// A heading over these lines; nothing where there are none.
fn titled(title: &str, lines: Vec<Text>, style: &Style) -> Vec<Text> {
    if lines.is_empty() {
        return lines;
    }
    let mut titled = vec![Text::default()];
    titled.extend(Text::new(title, Look::Strong).wrapped(style.width));
    titled.extend(lines);
    titled
}

/// Terms, each with what is said about it, one below the other.
fn definitions(terms: Vec<(Text, Text)>, style: &Style) -> Vec<Text> {
    let longest = terms.iter().map(|(term, _)| term.width()).max();
    let column = longest.unwrap_or(0) + 2;
    let room = style.width.saturating_sub(2);
    terms
        .iter()
        .flat_map(|(term, said)| {
            let lines = beside(term, column, room, |width| said.wrapped(width));
            indented(2, lines)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: Option<&str>, json: bool, style: &Style) -> Result<String, Failure> {
        let args = Schemes {
            name: name.map(str::to_string),
            json,
            link: BitsPerSec::from_mbps(10),
        };
        let mut out = Vec::new();
        run(&args, &mut out, style)?;
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
        let text = shown(None, false, &style(80, false)).unwrap();
        for scheme in SCHEMES {
            let named = |line: &&str| line.starts_with(&format!("  {} ", scheme.name));
            assert_eq!(text.lines().filter(named).count(), 1, "{}", scheme.name);
        }
        assert!(text.ends_with("earlydrop schemes NAME\n"));
    }

    #[test]
    fn families_are_told_from_the_registry() {
        for (name, family) in [
            ("nlred", Family::Curve),
            ("ared", Family::Adaptation),
            ("choke", Family::Policy),
            ("codel", Family::Delay),
            ("droptail", Family::Single),
            ("dualpi2", Family::Several),
        ] {
            let shown = Shown::new(
                Spec::new(name).unwrap(),
                &Link::at(BitsPerSec::from_mbps(1)),
            );
            assert_eq!(Family::of(&shown.unwrap()), family, "{name}");
        }
    }

    #[test]
    fn nothing_runs_over_the_width_or_ends_in_spaces() {
        for width in [20, 40, 80, 120] {
            check_lines(&shown(None, false, &style(width, false)).unwrap(), width);
            for scheme in SCHEMES {
                let page = shown(Some(scheme.name), false, &style(width, false));
                check_lines(&page.unwrap(), width);
            }
        }
    }

    #[test]
    fn colours_change_no_letter_but_the_backticks() {
        // So wide that no line breaks elsewhere for want of backticks.
        const WIDE: usize = 400;
        for name in [None, Some("red"), Some("fq-red:inner.min=7")] {
            let plain = shown(name, false, &style(WIDE, false)).unwrap();
            assert!(!plain.contains('\u{1b}'));
            let coloured = shown(name, false, &style(WIDE, true)).unwrap();
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
        let text = shown(Some("nlred:max_p=0.5"), false, &style(80, false)).unwrap();
        assert!(text.contains("nlred:max_p=0.5"), "{text}");
        assert!(text.contains("0.5 (given)"), "{text}");
        let inside = shown(Some("fq-red:inner.min=7"), false, &style(80, false)).unwrap();
        assert!(inside.contains("red:min=7"), "{inside}");
    }

    #[test]
    fn what_is_wrong_is_said_by_the_registry() {
        let error = shown(Some("nlrde"), true, &style(80, false)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no scheme is called 'nlrde'; did you mean 'nlred'?"
        );
        assert!(shown(Some("red:max_p=2"), false, &style(80, false)).is_err());
    }
}
