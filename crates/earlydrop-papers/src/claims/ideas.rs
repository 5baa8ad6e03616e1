//! Which of the papers' ideas still earn their place, and what a reading does: worked out
//! from the verdicts on claims, by rules that were written down before any run.

use std::fmt;

use super::comparisons::Comparison;
use super::paper::{Reader, Test};
use super::report::{Told, percent, together};
use super::verdict::Verdict;
use earlydrop_lab::document::{Content, Node, Problem, Problems};
use earlydrop_lab::statistics::Mean;

/// An idea, and what would count as earning its place.
#[derive(Clone, Debug)]
pub struct Idea {
    /// What it is called: "nlred".
    pub id: String,
    /// What it is, in a sentence.
    pub idea: String,
    /// Whose it is.
    pub from: String,
    /// What would count.
    pub rule: String,
    /// The claims that must be borne out: names as on the command line.
    pub needs: Vec<String>,
}

/// A reading of ours, and the other one.
#[derive(Clone, Debug)]
pub struct Reading {
    /// What is read.
    pub reading: String,
    /// How it is read here.
    pub taken: String,
    /// How else it could be.
    pub other: String,
    /// The claims that say what the other reading does.
    pub claims: Vec<String>,
}

/// Ideas and readings, as they are written.
#[derive(Clone, Debug)]
pub struct Today {
    /// The ideas.
    pub ideas: Vec<Idea>,
    /// The readings.
    pub readings: Vec<Reading>,
}

impl Today {
    /// Reads both files, each given by its name and its text.
    pub fn parse(ideas: (&str, &str), readings: (&str, &str)) -> Result<Today, Problems> {
        Ok(Today {
            ideas: entries(ideas, "ideas", |reader| Idea {
                id: reader.text("id"),
                idea: reader.text("idea"),
                from: reader.text("from"),
                rule: reader.text("rule"),
                needs: reader.texts("needs"),
            })?,
            readings: entries(readings, "readings", |reader| Reading {
                reading: reader.text("reading"),
                taken: reader.text("taken"),
                other: reader.text("other"),
                claims: reader.texts("claims"),
            })?,
        })
    }

    /// Every claim that an idea or a reading rests on, by name.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let ideas = self.ideas.iter().flat_map(|idea| &idea.needs);
        let readings = self.readings.iter().flat_map(|reading| &reading.claims);
        ideas.chain(readings).map(String::as_str)
    }
}

/// The tables of a list in a file.
fn entries<T>(
    (name, text): (&str, &str),
    list: &str,
    read: impl Fn(&mut Reader<'_>) -> T,
) -> Result<Vec<T>, Problems> {
    let wrong = |list| Problems {
        name: name.to_string(),
        text: text.to_string(),
        list,
    };
    let tree = Node::parse(text).map_err(wrong)?;
    let Some(Content::List(nodes)) = tree.at(&[list]).map(|node| &node.content) else {
        let message = format!("no [[{list}]]");
        return Err(wrong(vec![Problem::new(&tree.place, message, "")]));
    };
    let mut problems = Vec::new();
    let mut found = Vec::new();
    for node in nodes {
        found.push(read(&mut Reader::of(node, &mut problems)));
    }
    if problems.is_empty() {
        Ok(found)
    } else {
        Err(wrong(problems))
    }
}

/// What becomes of an idea.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// In every setting.
    Earns,
    /// In some, more than chance would give.
    InSome,
    /// In none, or in no more than chance would give.
    DoesNot,
    /// Not everything that it takes was run.
    Undecided,
}

impl fmt::Display for Conclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Conclusion::Earns => "earns its place",
            Conclusion::InSome => "earns its place in some settings",
            Conclusion::DoesNot => "does not earn its place",
            Conclusion::Undecided => "cannot be decided",
        })
    }
}

/// A point of an experiment, and whether everything tested there was borne out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The experiment with its folder: "today/senders".
    pub experiment: String,
    /// The point in words, empty where nothing is swept.
    pub place: String,
    /// Whether the idea earns its place here.
    pub earned: bool,
}

/// An idea with what claims say of it.
#[derive(Clone, Debug)]
pub struct Concluded<'a> {
    /// The idea.
    pub idea: &'a Idea,
    /// What becomes of it.
    pub conclusion: Conclusion,
    /// Where it was asked.
    pub settings: Vec<Setting>,
    /// The claims that it rests on.
    pub needs: Vec<&'a Told<'a>>,
}

/// Of twenty settings so many may be borne out by chance: each is decided at 95%.
const ONE_IN: usize = 20;

/// What `told` comes to for an idea.
pub fn conclude<'a>(idea: &'a Idea, told: &'a [Told<'a>]) -> Concluded<'a> {
    let named = |name: &String| told.iter().any(|told| told.claim.is_called(name));
    let needs = called(told, &idea.needs);
    let mut settings: Vec<Setting> = Vec::new();
    for need in &needs {
        for comparison in &need.judged.comparisons {
            count(&mut settings, need, comparison);
        }
    }
    let all_there = idea.needs.iter().all(named)
        && (needs.iter()).all(|need| need.judged.verdict != Verdict::Undecided);
    let earned = settings.iter().filter(|setting| setting.earned).count();
    let conclusion = match earned {
        _ if !all_there || settings.is_empty() => Conclusion::Undecided,
        all if all == settings.len() => Conclusion::Earns,
        few if few * ONE_IN <= settings.len() => Conclusion::DoesNot,
        _ => Conclusion::InSome,
    };
    Concluded {
        idea,
        conclusion,
        settings,
        needs,
    }
}

/// The claims that are called by one of some names.
fn called<'a>(told: &'a [Told<'a>], names: &[String]) -> Vec<&'a Told<'a>> {
    let is_called = |told: &&Told<'_>| names.iter().any(|name| told.claim.is_called(name));
    told.iter().filter(is_called).collect()
}

/// Counts a comparison for the setting it was made in.
fn count(settings: &mut Vec<Setting>, told: &Told<'_>, comparison: &Comparison) {
    let earned = comparison.is_borne_out();
    let experiment = format!("{}/{}", told.paper.key, told.claim.experiment);
    let place = comparison.setting();
    let known = |setting: &&mut Setting| setting.experiment == experiment && setting.place == place;
    match settings.iter_mut().find(known) {
        Some(setting) => setting.earned &= earned,
        None => settings.push(Setting {
            experiment,
            place: place.to_string(),
            earned,
        }),
    }
}

impl Concluded<'_> {
    /// "earns its place in some settings, 4 of 30".
    pub fn in_short(&self) -> String {
        let earned = self
            .settings
            .iter()
            .filter(|setting| setting.earned)
            .count();
        match self.conclusion {
            Conclusion::Undecided => self.conclusion.to_string(),
            _ => format!("{}, {earned} of {}", self.conclusion, self.settings.len()),
        }
    }

    /// The settings where it does, an experiment at a time.
    fn places(&self) -> Vec<String> {
        let mut experiments: Vec<&str> = Vec::new();
        for setting in self.settings.iter().filter(|setting| setting.earned) {
            if !experiments.contains(&setting.experiment.as_str()) {
                experiments.push(&setting.experiment);
            }
        }
        let of = |experiment: &&str| {
            let here = self.settings.iter();
            let here = here.filter(|one| one.earned && one.experiment == **experiment);
            let places: Vec<&str> = here.map(|one| one.place.as_str()).collect();
            format!("`{experiment}` at {}", together(&places))
        };
        experiments.iter().map(of).collect()
    }
}

/// What ideas come to, and what readings do, in Markdown.
pub fn ideas_page(today: &Today, told: &[Told<'_>]) -> String {
    let concluded: Vec<Concluded<'_>> = (today.ideas.iter())
        .map(|idea| conclude(idea, told))
        .collect();
    let mut page = "\n## Which ideas still earn their place\n\n\
         The rules were set before any run was looked at; the conclusions are worked out from \
         the answers. A setting is a point of an experiment: a rate, a sender, a load. *Better \
         by* is over all settings, as a share of what is compared with; below zero: worse.\n\n\
         | idea | from | conclusion |\n|---|---|---|\n"
        .to_string();
    for one in &concluded {
        let (idea, from) = (&one.idea.idea, &one.idea.from);
        page.push_str(&format!("| {idea} | {from} | **{}** |\n", one.in_short()));
    }
    concluded
        .iter()
        .for_each(|one| page.push_str(&section(one)));
    page.push_str(
        "\n## What readings do\n\n\
         Where a paper is misprinted or silent: what the other reading would have done, in the \
         direction that one would expect, and by how much. Below zero: the opposite.\n\n\
         | what is read | here | otherwise | then | so it is | by |\n|---|---|---|---|---|---|\n",
    );
    for reading in &today.readings {
        for told in called(told, &reading.claims) {
            page.push_str(&format!(
                "| {} | {} | {} | {} | {} | {} |\n",
                reading.reading,
                reading.taken,
                reading.other,
                told.claim.claim,
                answer(told),
                difference(told)
            ));
        }
    }
    page
}

/// An idea at length.
fn section(one: &Concluded<'_>) -> String {
    let Idea {
        idea, from, rule, ..
    } = one.idea;
    let mut text = format!(
        "\n### {idea}\n\nFrom {from}. What would count: {rule}\n\nIt **{}**.",
        one.in_short()
    );
    let places = one.places();
    if one.conclusion == Conclusion::InSome {
        text.push_str(&format!(" Where it does:\n\n- {}", places.join("\n- ")));
    }
    text.push_str(
        "\n\n| question | answer | better by | in single settings |\n|---|---|---|---|\n",
    );
    for need in &one.needs {
        text.push_str(&format!(
            "| {} ({}) | {} | {} | {} |\n",
            need.claim.claim,
            need.claim.id,
            answer(need),
            difference(need),
            range(need),
        ));
    }
    text
}

/// "yes", "in 12 of 24", "no".
fn answer(told: &Told<'_>) -> String {
    let all = &told.judged.comparisons;
    let borne_out = all.iter().filter(|one| one.is_borne_out()).count();
    match told.judged.verdict {
        Verdict::Holds => "yes".to_string(),
        Verdict::InPart => format!("in {borne_out} of {}", all.len()),
        Verdict::DoesNotHold => "no".to_string(),
        Verdict::Undecided => told.judged.verdict.to_string(),
    }
}

/// What is let pass in a claim's comparisons, which is no difference.
fn tolerance(told: &Told<'_>) -> f64 {
    match told.claim.test {
        Test::Ordering { tolerance, .. } => tolerance,
        _ => 0.0,
    }
}

/// From the worst to the best comparison: "-3.1% to +20.0%".
fn range(told: &Told<'_>) -> String {
    let means = told.judged.comparisons.iter().filter_map(Comparison::mean);
    let means: Vec<f64> = means.map(|mean| mean.mean - tolerance(told)).collect();
    let worst = means.iter().copied().reduce(f64::min);
    let best = means.iter().copied().reduce(f64::max);
    match (worst, best) {
        (Some(worst), Some(best)) => format!("{} to {}", percent(worst), percent(best)),
        _ => String::new(),
    }
}

/// By how much it is better, a tolerance taken off: "+12.3% (+10.0% to +14.6%)".
fn difference(told: &Told<'_>) -> String {
    let Some(Mean {
        mean,
        half: Some(half),
        ..
    }) = told.judged.effect
    else {
        return String::new();
    };
    let mean = mean - tolerance(told);
    let (low, high) = (percent(mean - half), percent(mean + half));
    format!("{} ({low} to {high})", percent(mean))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Reproduced;
    use crate::claims::{Measured, Paper, judge};

    /// Two claims at four points: with a load of n, "new" waits n and "old" 2.5.
    fn paper(second: &str) -> Reproduced {
        let text = format!(
            "paper = \"today\"\ntitle = \"\"\nauthors = \"\"\nyear = 2026\n\
             [[claims]]\nid = \"today.new.delay\"\nfigure = \"\"\nclaim = \"Does it wait less?\"\n\
             experiment = \"load\"\nmetric = \"delay_mean\"\n\
             test = {{ kind = \"less\", scheme = \"new\", than = [\"old\"] }}\n\
             [[claims]]\nid = \"today.new.cost\"\nfigure = \"\"\nclaim = \"At no cost?\"\n\
             experiment = \"load\"\nmetric = \"goodput\"\ntest = {second}\n"
        );
        let paper = Paper::parse("claims.toml", &text).unwrap();
        Reproduced {
            key: TODAY,
            paper,
            figures: crate::pages::Figures::default(),
        }
    }

    const TODAY: &str = "today";

    fn told(paper: &Reproduced) -> Vec<Told<'_>> {
        let loads = ["1", "2", "3", "4"].map(String::from);
        let points = (0..4).map(|load| vec![load]).collect();
        let axes = vec![("load".to_string(), loads.into())];
        let measured = Measured::made_up(axes, points, &["new", "old"], 3, |scheme, at, seed| {
            let noise = 1.0 + 0.001 * seed as f64;
            noise * if scheme == 0 { at[0] as f64 + 1.0 } else { 2.5 }
        });
        let claims = paper.paper.claims.iter();
        let told = claims.map(|claim| Told {
            paper,
            claim,
            judged: judge(claim, &measured),
            seeds: 3,
        });
        told.collect()
    }

    fn idea(needs: &str) -> Idea {
        let text = format!(
            "[[ideas]]\nid = \"new\"\nidea = \"Wait less\"\nfrom = \"x\"\nrule = \"y\"\n\
             needs = [{needs}]\n"
        );
        let readings = "[[readings]]\nreading = \"a\"\ntaken = \"b\"\nother = \"c\"\n\
                        claims = [\"today.new.delay\"]\n";
        let today = Today::parse(("ideas.toml", &text), ("readings.toml", readings)).unwrap();
        today.ideas[0].clone()
    }

    #[test]
    fn an_idea_earns_its_place_where_everything_asked_there_is_borne_out() {
        use Conclusion::{DoesNot, Earns, InSome, Undecided};
        let never_worse =
            "{ kind = \"not-more\", scheme = \"new\", than = [\"old\"], tolerance = 9 }";
        let at_two_only = "{ kind = \"between\", scheme = \"new\", low = 1.9, high = 2.1 }";
        let at_four_only =
            "{ kind = \"more\", scheme = \"new\", than = [\"old\"], at = { load = [4] } }";
        let unknown = "{ kind = \"undecidable\", missing = \"time\" }";
        for (second, needs, wanted, earned) in [
            (never_worse, "\"today.new.cost\"", Earns, "1, 2, 3, 4"),
            (never_worse, "\"today.new\"", InSome, "1, 2"),
            (at_two_only, "\"today.new\"", InSome, "2"),
            (at_four_only, "\"today.new\"", InSome, "1, 2"),
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
            let told = told(&paper);
            let concluded = conclude(&idea, &told);
            assert_eq!(concluded.conclusion, wanted, "{second} {needs}");
            let places = match earned {
                "" => Vec::new(),
                loads => vec![format!("`today/load` at load = {loads}")],
            };
            assert_eq!(concluded.places(), places, "{second} {needs}");
        }
        let never = "{ kind = \"less\", scheme = \"new\", than = [\"old\"], at = { load = [4] } }";
        let (paper, idea) = (paper(never), idea("\"today.new.cost\""));
        let told = told(&paper);
        assert_eq!(conclude(&idea, &told).conclusion, DoesNot);
    }

    #[test]
    fn what_is_better_by_how_much_has_no_tolerance_in_it() {
        let paper = paper(
            "{ kind = \"not-more\", scheme = \"new\", than = [\"old\"], tolerance = 0.5, at = { load = [2] } }",
        );
        let told = told(&paper);
        assert!(
            told[1].effect().starts_with("+70.0%"),
            "{}",
            told[1].effect()
        );
        assert!(
            difference(&told[1]).starts_with("+20.0%"),
            "{}",
            difference(&told[1])
        );
        assert_eq!(answer(&told[0]), "in 2 of 4");
        assert_eq!(range(&told[0]), "-60.0% to +60.0%");
    }

    #[test]
    fn what_a_file_lacks_is_said() {
        let lacking = ("ideas.toml", "[[ideas]]\nid = \"x\"\n");
        let problems = Today::parse(lacking, ("readings.toml", "")).unwrap_err();
        assert!(
            problems.to_string().contains("`rule` is missing"),
            "{problems}"
        );
    }
}
