//! The papers' experiments, carried in the program, and what they say of the claims.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::claims::{Claim, Paper, Today};
use crate::pages::Figures;
use earlydrop_lab::document::{Node, Problems};
use earlydrop_lab::plan::Source;
use earlydrop_lab::sweep::Axis;

/// Folder, file and text of everything in `papers/`.
static FILES: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/papers.rs"));

/// The file that holds a paper's claims.
const CLAIMS: &str = "claims.toml";
/// The file that says how its figures are drawn.
const FIGURES: &str = "figures.toml";

/// The papers by their keys, in the order in which pages list them.
const KEYS: [&str; 6] = [
    "sfred-nlred",
    "clred",
    "restraint",
    "red-config",
    "rared",
    TODAY,
];

/// The folder that asks what the papers' ideas are worth today.
const TODAY: &str = "today";

/// A paper with the folder of its experiments.
#[derive(Clone, Debug)]
pub struct Reproduced {
    /// Its key, which is also the folder of its experiments: "clred".
    pub key: &'static str,
    /// The paper and its claims.
    pub paper: Paper,
    /// Its figures.
    pub figures: Figures,
}

/// How much of the experiments is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Few seeds, and of long sweeps the ends, the middle and what claims name.
    Quick,
    /// Everything.
    Full,
}

/// With so many seeds a quick run is content.
const QUICK_SEEDS: usize = 3;
/// Sweeps of up to so many values are run whole even then.
const SHORT_SWEEP: usize = 3;

/// Every paper.
pub fn papers() -> Result<Vec<Reproduced>, Problems> {
    let read = |key: &'static str| {
        let claims = file_of(key, CLAIMS).unwrap_or_default();
        let paper = Paper::parse(&format!("papers/{key}/{CLAIMS}"), claims)?;
        let figures = match file_of(key, FIGURES) {
            Some(text) => Figures::parse(&format!("papers/{key}/{FIGURES}"), text)?,
            None => Figures::default(),
        };
        Ok(Reproduced {
            key,
            paper,
            figures,
        })
    };
    KEYS.into_iter().map(read).collect()
}

/// The text of a paper's file.
fn file_of(folder: &str, name: &str) -> Option<&'static str> {
    let mut files = FILES.iter();
    let found = files.find(|(in_folder, file, _)| *in_folder == folder && *file == name);
    found.map(|(_, _, text)| *text)
}

/// The ideas of the papers and the readings of them, as they are written.
pub fn today() -> Result<Today, Problems> {
    let read = |wanted: &str| {
        let mut files = FILES.iter();
        let found = files.find(|(folder, file, _)| *folder == TODAY && *file == wanted);
        let text = found.map_or("", |(_, _, text)| *text);
        (format!("papers/{TODAY}/{wanted}"), text)
    };
    let (ideas, readings) = (read("ideas.toml"), read("readings.toml"));
    Today::parse((&ideas.0, ideas.1), (&readings.0, readings.1))
}

/// The claims that a name asks for, by paper. The questions about ideas rest on claims of
/// other papers, which come along.
pub fn asked<'a>(
    papers: &'a [Reproduced],
    what: &str,
    today: &Today,
) -> Vec<(&'a Reproduced, Vec<&'a Claim>)> {
    let with_ideas = papers
        .iter()
        .any(|one| one.is_today() && one.is_called(what));
    let comes_along = |claim: &Claim| with_ideas && today.names().any(|name| claim.is_called(name));
    let of_paper = |paper: &'a Reproduced| {
        let all = paper.is_called(what);
        let claims = paper.paper.claims.iter();
        let wanted = claims.filter(|claim| all || claim.is_called(what) || comes_along(claim));
        (paper, wanted.collect::<Vec<_>>())
    };
    let mut asked: Vec<_> = papers.iter().map(of_paper).collect();
    asked.retain(|(_, claims)| !claims.is_empty());
    asked
}

impl Reproduced {
    /// Whether these are the questions about the papers' ideas, and no paper.
    pub fn is_today(&self) -> bool {
        self.key == TODAY
    }

    /// Whether its key or "" names it.
    pub fn is_called(&self, name: &str) -> bool {
        self.key == name || name.is_empty()
    }

    /// The scenario of an experiment at a pace; `None` where there is no such file.
    pub fn source(&self, name: &str, pace: Pace) -> Option<Result<Source, Problems>> {
        let file = format!("{name}.toml");
        let text = self.text(name)?;
        let source = Source::new(&format!("papers/{}/{file}", self.key), text, PathBuf::new());
        Some(source.map(|mut source| {
            if pace == Pace::Quick {
                self.shorten(name, &mut source);
            }
            source
        }))
    }

    /// An experiment as it is written; `None` where there is no such file.
    pub fn text(&self, experiment: &str) -> Option<&'static str> {
        file_of(self.key, &format!("{experiment}.toml"))
    }

    /// Every experiment that a claim or a figure needs, each once.
    pub fn experiments(&self) -> BTreeSet<&str> {
        let claims = self.paper.claims.iter();
        let of_claims = claims.map(|claim| claim.experiment.as_str());
        let all = of_claims.chain(self.figures.experiments());
        all.filter(|name| self.text(name).is_some()).collect()
    }

    fn shorten(&self, experiment: &str, source: &mut Source) {
        source.set("seeds", &QUICK_SEEDS.to_string(), "--quick");
        let named = self.named_values(experiment);
        for axis in source.axes() {
            if axis.values.len() > SHORT_SWEEP {
                source.sweep(shortened(axis, &named));
            }
        }
    }

    /// Values that claims and figures of an experiment name, which even a quick run needs.
    fn named_values(&self, experiment: &str) -> BTreeSet<String> {
        let claims = self.paper.claims.iter();
        let of_experiment = claims.filter(|claim| claim.experiment == experiment);
        let of_claims = of_experiment.flat_map(|claim| claim.test.named_values());
        let of_figures = self.figures.named_values(experiment);
        of_claims.chain(of_figures).collect()
    }

    /// The claims that are called so, or all where the paper is.
    pub fn claims<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Claim> {
        let all = self.is_called(name);
        let claims = self.paper.claims.iter();
        claims.filter(move |claim| all || claim.is_called(name))
    }
}

/// Whether a claim is called so, or belongs to a row of claims: "clred.F5.a" to "clred.F5".
pub(crate) fn is_called(id: &str, name: &str) -> bool {
    let rest = id.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The ends, the middle and what is named of an axis.
fn shortened(axis: Axis, named: &BTreeSet<String>) -> Axis {
    let last = axis.values.len() - 1;
    let kept = |index: usize, value: &Node| {
        let corner = [0, last / 2, last].contains(&index);
        corner || value.text().is_some_and(|text| named.contains(&text))
    };
    let values = axis.values.into_iter().enumerate();
    let values = values.filter(|(index, value)| kept(*index, value));
    Axis {
        field: axis.field,
        values: values.map(|(_, value)| value).collect(),
    }
}
