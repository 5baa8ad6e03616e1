//! The papers' ideas, and which of them are worth using today.
//!
//! An idea rests on claims. A *setting* is a point of an experiment: a rate, a sender, a load. An
//! idea is **worth using** in a setting where every comparison made there supports its claim. The
//! rules were written down before any run.

use std::fmt;

use earlydrop_lab::document::Problems;
use serde::Deserialize;

use super::comparisons::Comparison;
use super::report::{ClaimReport, join_places};
use super::verdict::Verdict;
use crate::toml_file::TomlFile;

/// An idea of a paper, and the rule by which it is worth using.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Idea {
    /// The id: "nlred".
    pub id: String,
    /// The idea in a sentence.
    pub idea: String,
    /// The paper, by author and scheme.
    pub from: String,
    /// The rule, in words.
    pub rule: String,
    /// The claims that must be supported: ids, or what ids begin with.
    pub needs: Vec<String>,
    /// What its paper claims about it: ids, or what ids begin with.
    #[serde(default)]
    pub claimed: Vec<String>,
}

/// Our reading of a passage that is misprinted or silent, and another one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Reading {
    /// The passage.
    pub reading: String,
    /// How we read it.
    pub taken: String,
    /// The other reading.
    pub other: String,
    /// The claims about the effect of the other reading: ids, or what ids begin with.
    pub claims: Vec<String>,
}

/// The papers' ideas and our readings of the papers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct IdeasAndReadings {
    /// The ideas.
    pub ideas: Vec<Idea>,
    /// The readings.
    pub readings: Vec<Reading>,
}

/// A whole `ideas.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IdeasFile {
    ideas: Vec<Idea>,
}

/// A whole `readings.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadingsFile {
    readings: Vec<Reading>,
}

impl Idea {
    /// Reads an `ideas.toml`; `name` is the file's name in messages.
    pub fn parse_all(name: &str, text: &str) -> Result<Vec<Idea>, Problems> {
        let IdeasFile { ideas } = TomlFile { name, text }.read()?;
        Ok(ideas)
    }
}

impl IdeasAndReadings {
    /// Reads `ideas.toml` and `readings.toml`, each given as its name in messages and its text.
    pub fn parse(
        ideas: (&str, &str),
        readings: (&str, &str),
    ) -> Result<IdeasAndReadings, Problems> {
        let ideas = Idea::parse_all(ideas.0, ideas.1)?;
        let (name, text) = readings;
        let ReadingsFile { readings } = TomlFile { name, text }.read()?;
        Ok(IdeasAndReadings { ideas, readings })
    }

    /// The claims that ideas and readings rest on: ids, or what ids begin with.
    pub fn claim_names(&self) -> impl Iterator<Item = &str> {
        let ideas = self.ideas.iter().flat_map(|idea| &idea.needs);
        let readings = self.readings.iter().flat_map(|reading| &reading.claims);
        ideas.chain(readings).map(String::as_str)
    }
}

/// Whether an idea is worth using.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Conclusion {
    /// In every setting.
    WorthUsing,
    /// In some settings, more than chance would give.
    WorthUsingInSome,
    /// In no setting, or in no more than chance would give.
    NotWorthUsing,
    /// Not everything that the idea rests on was run in full.
    Undecided,
}

impl fmt::Display for Conclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Conclusion::WorthUsing => "worth using",
            Conclusion::WorthUsingInSome => "worth using in some settings",
            Conclusion::NotWorthUsing => "not worth using",
            Conclusion::Undecided => "cannot be decided",
        })
    }
}

/// A point of an experiment at which an idea was tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The experiment with its folder: "today/senders".
    pub experiment: String,
    /// The point in words; empty where nothing is swept.
    pub place: String,
    /// Whether every comparison at this point supports its claim.
    pub worth_using: bool,
}

/// An idea with the conclusion about it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct IdeaReport<'a> {
    /// The idea.
    pub idea: &'a Idea,
    /// The conclusion.
    pub conclusion: Conclusion,
    /// The settings in which the idea was tested.
    pub settings: Vec<Setting>,
    /// The reports on the claims that the idea rests on.
    pub needs: Vec<&'a ClaimReport<'a>>,
}

/// One setting in so many may be supported by chance: each is decided at 95%.
const ONE_IN: usize = 20;

/// Concludes from claims whether an idea is worth using.
pub fn conclude<'a>(idea: &'a Idea, reports: &'a [ClaimReport<'a>]) -> IdeaReport<'a> {
    let has_report = |name: &String| reports.iter().any(|report| report.claim.matches(name));
    let needs = matching(reports, &idea.needs);
    let mut settings: Vec<Setting> = Vec::new();
    for need in &needs {
        for comparison in &need.judgement.comparisons {
            add_comparison(&mut settings, need, comparison);
        }
    }
    let is_complete = idea.needs.iter().all(has_report)
        && (needs.iter()).all(|need| need.decided().is_some_and(|one| one != Verdict::Undecided));
    let supported = settings.iter().filter(|one| one.worth_using).count();
    let conclusion = match supported {
        _ if !is_complete || settings.is_empty() => Conclusion::Undecided,
        all if all == settings.len() => Conclusion::WorthUsing,
        few if few * ONE_IN <= settings.len() => Conclusion::NotWorthUsing,
        _ => Conclusion::WorthUsingInSome,
    };
    IdeaReport {
        idea,
        conclusion,
        settings,
        needs,
    }
}

/// The reports on claims whose ids match one of `names`.
pub(crate) fn matching<'a>(
    reports: &'a [ClaimReport<'a>],
    names: &[String],
) -> Vec<&'a ClaimReport<'a>> {
    let matches = |report: &&ClaimReport<'_>| names.iter().any(|name| report.claim.matches(name));
    reports.iter().filter(matches).collect()
}

/// Adds a comparison to the setting in which it was made.
fn add_comparison(settings: &mut Vec<Setting>, report: &ClaimReport<'_>, comparison: &Comparison) {
    let supports = comparison.supports_claim();
    let experiment = format!("{}/{}", report.paper.key, report.claim.experiment);
    let place = comparison.setting();
    let is_same = |one: &&mut Setting| one.experiment == experiment && one.place == place;
    match settings.iter_mut().find(is_same) {
        Some(setting) => setting.worth_using &= supports,
        None => settings.push(Setting {
            experiment,
            place: place.to_string(),
            worth_using: supports,
        }),
    }
}

impl IdeaReport<'_> {
    /// The conclusion with its settings: "worth using in some settings, 4 of 30".
    pub fn summary(&self) -> String {
        let supported = self.supported();
        match self.conclusion {
            Conclusion::Undecided => self.conclusion.to_string(),
            _ => format!(
                "{}, {supported} of {}",
                self.conclusion,
                self.settings.len()
            ),
        }
    }

    /// The number of settings in which the idea is worth using.
    pub(crate) fn supported(&self) -> usize {
        self.settings.iter().filter(|one| one.worth_using).count()
    }

    /// The settings by their kind, which is an experiment: those in which the idea is worth using, in
    /// words, and how many there are.
    pub(crate) fn by_kind(&self) -> Vec<KindOfSetting> {
        let mut kinds: Vec<KindOfSetting> = Vec::new();
        for setting in &self.settings {
            let known = kinds
                .iter()
                .position(|one| one.experiment == setting.experiment);
            let index = known.unwrap_or_else(|| {
                kinds.push(KindOfSetting {
                    experiment: setting.experiment.clone(),
                    ..KindOfSetting::default()
                });
                kinds.len() - 1
            });
            kinds[index].all += 1;
            if setting.worth_using {
                kinds[index].worth_using.push(setting.place.clone());
            }
        }
        kinds
    }
}

/// The settings of an experiment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KindOfSetting {
    /// The experiment with its folder.
    pub(crate) experiment: String,
    /// The settings in which an idea is worth using, in words.
    pub(crate) worth_using: Vec<String>,
    /// The number of all.
    pub(crate) all: usize,
}

impl KindOfSetting {
    /// "14 of 26"; where in few of many, with the places: "2 of 26: n = 10, 20".
    pub(crate) fn words(&self) -> String {
        let places: Vec<String> = self.worth_using.iter().map(|one| short(one)).collect();
        let places: Vec<&str> = places.iter().map(String::as_str).collect();
        let count = format!("{} of {}", places.len(), self.all);
        match places.len() {
            1..=4 if places.len() < self.all && !places.contains(&"") => {
                format!("{count}: {}", join_places(&places))
            }
            _ => count,
        }
    }
}

/// A place whose fields have their last names only: "flows.bulk.count = 10" is "count = 10".
fn short(place: &str) -> String {
    let last = |part: &str| match part.split_once(" = ") {
        Some((field, value)) => {
            let name = field.rsplit('.').next().unwrap_or(field);
            format!("{name} = {value}")
        }
        None => part.to_string(),
    };
    let parts: Vec<String> = place.split(", ").map(last).collect();
    parts.join(", ")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::claims::cells::ClaimCells;
    use crate::claims::claim::Paper;
    use crate::claims::measurements::Measurements;
    use crate::claims::verdict::judge;

    /// Two claims at four points: with a load of n, "new" waits n and "old" 2.5.
    pub(crate) fn paper(second: &str) -> Paper {
        let text = format!(
            "paper = \"today\"\nname = \"\"\ntitle = \"\"\nauthors = \"\"\nyear = 2026\n\
             [[claims]]\nid = \"today.new.delay\"\nfigure = \"\"\nclaim = \"Does it wait less?\"\n\
             experiment = \"load\"\nmetric = \"delay_mean\"\n\
             test = {{ kind = \"less\", scheme = \"new\", than = [\"old\"] }}\n\
             [[claims]]\nid = \"today.new.cost\"\nfigure = \"\"\nclaim = \"At no cost?\"\n\
             experiment = \"load\"\nmetric = \"goodput\"\ntest = {second}\n"
        );
        Paper::parse("claims.toml", &text).unwrap()
    }

    pub(crate) fn reports(paper: &Paper) -> Vec<ClaimReport<'_>> {
        let loads = ["1", "2", "3", "4"].map(String::from);
        let points = (0..4).map(|load| vec![load]).collect();
        let axes = vec![("load".to_string(), loads.into())];
        let measured =
            Measurements::by_rule(axes, points, &["new", "old"], 3, |scheme, at, seed| {
                let noise = 1.0 + 0.001 * seed as f64;
                noise * if scheme == 0 { at[0] as f64 + 1.0 } else { 2.5 }
            });
        let claims = paper.claims.iter();
        let reports = claims.map(|claim| ClaimReport {
            paper,
            claim,
            judgement: judge(claim, &measured),
            seeds: 3,
            pace: crate::pace::Pace::Full,
            cells: ClaimCells::default(),
        });
        reports.collect()
    }

    fn idea(needs: &str) -> Idea {
        let text = format!(
            "[[ideas]]\nid = \"new\"\nidea = \"Wait less\"\nfrom = \"x\"\nrule = \"y\"\n\
             needs = [{needs}]\n"
        );
        let readings = "[[readings]]\nreading = \"a\"\ntaken = \"b\"\nother = \"c\"\n\
                        claims = [\"today.new.delay\"]\n";
        let file =
            IdeasAndReadings::parse(("ideas.toml", &text), ("readings.toml", readings)).unwrap();
        file.ideas[0].clone()
    }

    #[test]
    fn a_quick_run_concludes_nothing() {
        let paper =
            paper("{ kind = \"not-more\", scheme = \"new\", than = [\"old\"], tolerance = 9 }");
        let (idea, mut reports) = (idea("\"today.new\""), reports(&paper));
        assert_ne!(conclude(&idea, &reports).conclusion, Conclusion::Undecided);
        for report in &mut reports {
            report.pace = crate::pace::Pace::Quick;
        }
        assert_eq!(conclude(&idea, &reports).conclusion, Conclusion::Undecided);
    }

    #[test]
    fn an_idea_is_worth_using_where_every_comparison_supports_it() {
        use Conclusion::{NotWorthUsing, Undecided, WorthUsing, WorthUsingInSome};
        let never_worse =
            "{ kind = \"not-more\", scheme = \"new\", than = [\"old\"], tolerance = 9 }";
        let at_two_only = "{ kind = \"between\", scheme = \"new\", low = 1.9, high = 2.1 }";
        let at_four_only =
            "{ kind = \"more\", scheme = \"new\", than = [\"old\"], at = { load = [4] } }";
        let unknown = "{ kind = \"undecidable\", missing = \"time\" }";
        for (second, needs, wanted, loads) in [
            (never_worse, "\"today.new.cost\"", WorthUsing, "1, 2, 3, 4"),
            (never_worse, "\"today.new\"", WorthUsingInSome, "1, 2"),
            (at_two_only, "\"today.new\"", WorthUsingInSome, "2"),
            (at_four_only, "\"today.new\"", WorthUsingInSome, "1, 2"),
            (unknown, "\"today.new\"", Undecided, "1, 2"),
            (
                never_worse,
                "\"today.new\", \"today.other\"",
                Undecided,
                "1, 2",
            ),
            (at_two_only, "\"today.ne\"", Undecided, ""),
        ] {
            let (paper, idea) = (paper(second), idea(needs));
            let reports = reports(&paper);
            let report = conclude(&idea, &reports);
            assert_eq!(report.conclusion, wanted, "{second} {needs}");
            let kinds = report.by_kind();
            if needs == "\"today.ne\"" {
                assert!(kinds.is_empty(), "matches no claim");
                continue;
            }
            let count = loads.split(", ").filter(|load| !load.is_empty()).count();
            let words = match count {
                0 | 4 => format!("{count} of 4"),
                _ => format!("{count} of 4: load = {loads}"),
            };
            assert_eq!(kinds[0].words(), words, "{second} {needs}");
            assert_eq!(kinds[0].experiment, "today/load");
        }
        let never = "{ kind = \"less\", scheme = \"new\", than = [\"old\"], at = { load = [4] } }";
        let (paper, idea) = (paper(never), idea("\"today.new.cost\""));
        let reports = reports(&paper);
        assert_eq!(conclude(&idea, &reports).conclusion, NotWorthUsing);
    }

    #[test]
    fn a_missing_key_is_refused() {
        let lacking = (
            "ideas.toml",
            "[[ideas]]\nid = \"x\"\nidea = \"\"\nfrom = \"\"\n",
        );
        let problems = IdeasAndReadings::parse(lacking, ("readings.toml", "")).unwrap_err();
        assert!(
            problems.to_string().contains("`rule` is missing"),
            "{problems}"
        );
    }

    #[test]
    fn an_unknown_key_is_refused() {
        let ideas = ("ideas.toml", "[[ideas]]\nrules = \"\"\n");
        let problems = IdeasAndReadings::parse(ideas, ("readings.toml", "")).unwrap_err();
        let problems = problems.to_string();
        assert!(problems.starts_with("ideas.toml:2:1: "), "{problems}");
        assert!(problems.contains("did you mean `rule`?"), "{problems}");
    }
}
