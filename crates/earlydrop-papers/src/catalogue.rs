//! The papers that the crate carries: their experiments, claims and figures.

use std::collections::BTreeSet;
use std::path::PathBuf;

use earlydrop::registry::nearest;
use earlydrop_lab::document::{Node, Problems};
use earlydrop_lab::plan::Source;
use earlydrop_lab::sweep::Axis;

use crate::choices::ChoiceFile;
use crate::claims::{Claim, Idea, IdeasAndReadings, Paper, Sentence};
use crate::figures::FigureFile;
use crate::findings::Finding;
pub use crate::pace::Pace;

/// Folder, file and text of every TOML file in `papers/`.
static FILES: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/papers.rs"));

/// The file of a paper's claims.
const CLAIMS: &str = "claims.toml";
/// The file of a paper's figures.
const FIGURES: &str = "figures.toml";
/// The file of what a paper does not print.
const CHOICES: &str = "choices.toml";
/// The file of a paper's abstract and conclusions.
const SENTENCES: &str = "sentences.toml";
/// The file of ideas, and of the rules by which they are worth using.
const IDEAS: &str = "ideas.toml";
/// The file of what a reader should know.
const FINDINGS: &str = "findings.toml";

/// The papers' keys, in the order in which pages list them.
const KEYS: [&str; 7] = [
    "sfred-nlred",
    "clred",
    "restraint",
    "red-config",
    "rared",
    TODAY,
    CURVES,
];

/// The key of our hypotheses about what the papers' ideas are worth today.
const TODAY: &str = "today";
/// The key of our hypotheses about the drop curves, those of the papers and later ones.
const CURVES: &str = "curves";

/// The papers, and the ideas and readings that conclusions are drawn about.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Catalogue {
    /// The papers, in the order in which pages list them. The last two are no papers but our
    /// hypotheses: about the papers' ideas, and about drop curves.
    pub papers: Vec<PaperEntry>,
    /// The papers' ideas and our readings of the papers.
    pub ideas: IdeasAndReadings,
    /// What a reader of the papers should know.
    pub findings: Vec<Finding>,
}

/// A paper of the catalogue, with its claims, its figures and its experiments.
///
/// Its experiments are scenario files, which [`PaperEntry::source`] reads.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PaperEntry {
    /// The paper and its claims.
    pub paper: Paper,
    /// Its figures.
    pub figures: FigureFile,
    /// What it does not print, with the plausible values.
    pub choices: ChoiceFile,
    /// The sentences of its abstract and conclusions.
    pub sentences: Vec<Sentence>,
    /// The ideas that its own hypotheses decide about; empty for papers. Those about the papers'
    /// ideas are [`Catalogue::ideas`].
    pub ideas: Vec<Idea>,
    /// What its own hypotheses have shown; empty for papers. What a reader of the papers should
    /// know is [`Catalogue::findings`].
    pub findings: Vec<Finding>,
}

/// The seeds of a quick run.
const QUICK_SEEDS: usize = 3;
/// Sweeps of up to so many values are run whole in a quick run.
const SHORT_SWEEP: usize = 3;

/// The papers and claims that a name stands for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Selection<'a> {
    /// The papers with their selected claims, at least one claim each.
    pub papers: Vec<(&'a PaperEntry, Vec<&'a Claim>)>,
    /// Whether the name stands for our hypotheses about the papers' ideas, alone or among all.
    pub has_ideas: bool,
    name: String,
}

/// A name that is no paper's and no claim's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no paper and no claim is called {name}{} ({})", did_you_mean(.nearest), self.known())]
#[non_exhaustive]
pub struct UnknownName {
    /// The name.
    pub name: String,
    /// The paper's key or the claim's id that is closest, if one is close.
    pub nearest: Option<String>,
    /// The keys of all papers.
    pub papers: Vec<String>,
    /// The ids of the claims of the paper with whose key the name begins, as "clred.F99" does.
    pub claims: Vec<String>,
}

impl UnknownName {
    /// The names that there are: the claims of a known paper, else the papers.
    fn known(&self) -> String {
        match (self.claims.is_empty(), self.name.split_once('.')) {
            (false, Some((paper, _))) => format!("claims of {paper}: {}", self.claims.join(", ")),
            _ => format!("papers: {}", self.papers.join(", ")),
        }
    }
}

fn did_you_mean(nearest: &Option<String>) -> String {
    let nearest = nearest.as_ref();
    nearest.map_or(String::new(), |name| format!("; did you mean {name}?"))
}

impl Catalogue {
    /// Reads the files that the crate carries.
    pub fn read() -> Result<Catalogue, Problems> {
        let papers = KEYS.into_iter().map(PaperEntry::read);
        let papers = papers.collect::<Result<Vec<PaperEntry>, Problems>>()?;
        let [ideas, readings, findings] = [IDEAS, "readings.toml", FINDINGS];
        let claims = papers.iter().flat_map(|entry| &entry.paper.claims);
        let findings = Finding::parse(
            &path(TODAY, findings),
            text(TODAY, findings).unwrap_or_default(),
            &claims.collect::<Vec<&Claim>>(),
        )?;
        Ok(Catalogue {
            papers,
            findings,
            ideas: IdeasAndReadings::parse(
                (&path(TODAY, ideas), text(TODAY, ideas).unwrap_or_default()),
                (
                    &path(TODAY, readings),
                    text(TODAY, readings).unwrap_or_default(),
                ),
            )?,
        })
    }

    /// The paper with a key.
    pub fn paper(&self, key: &str) -> Option<&PaperEntry> {
        self.papers.iter().find(|entry| entry.paper.key == key)
    }

    /// The title of an experiment with its folder: "today/senders".
    pub(crate) fn title(&self, experiment: &str) -> String {
        let (key, name) = experiment.split_once('/').unwrap_or_default();
        let title = self.paper(key).and_then(|entry| entry.title(name));
        title.unwrap_or(experiment).to_string()
    }

    /// The papers and claims that `name` stands for: a paper's key, a claim's id, the beginning of
    /// ids ("clred.F5"), or "" for everything. The hypotheses about ideas rest on claims
    /// of other papers, which are selected with them.
    ///
    /// ```
    /// use earlydrop_papers::catalogue::Catalogue;
    ///
    /// let catalogue = Catalogue::read()?;
    /// let figure_5 = catalogue.select("clred.F5")?;
    /// assert_eq!(figure_5.papers[0].0.paper.name, "Hassan & Oluwatope, CLRED");
    /// assert!(catalogue.select("001").is_err());
    /// # Ok::<(), earlydrop_papers::Error>(())
    /// ```
    pub fn select(&self, name: &str) -> Result<Selection<'_>, UnknownName> {
        let has_ideas = (self.papers.iter()).any(|one| one.is_today() && one.is_named(name));
        let of_ideas = |claim: &Claim| {
            has_ideas && self.ideas.claim_names().any(|needed| claim.matches(needed))
        };
        let mut claims = self.papers.iter().flat_map(|entry| &entry.paper.claims);
        let is_an_id = claims.any(|claim| claim.id == name);
        let is_named = |claim: &Claim| match is_an_id {
            true => claim.id == name,
            false => claim.matches(name),
        };
        let select = |entry| {
            let all = PaperEntry::is_named(entry, name);
            let claims = entry.paper.claims.iter();
            let claims = claims.filter(|claim| all || is_named(claim) || of_ideas(claim));
            (entry, claims.collect::<Vec<&Claim>>())
        };
        let mut papers: Vec<_> = self.papers.iter().map(select).collect();
        papers.retain(|(_, claims)| !claims.is_empty());
        match papers.is_empty() {
            true => Err(self.unknown(name)),
            false => Ok(Selection {
                papers,
                has_ideas,
                name: name.to_string(),
            }),
        }
    }

    fn unknown(&self, name: &str) -> UnknownName {
        let keys = || self.papers.iter().map(|entry| entry.paper.key.as_str());
        let claims = self.papers.iter().flat_map(|entry| &entry.paper.claims);
        let all = keys().chain(claims.map(|claim| claim.id.as_str()));
        let paper = name.split_once('.').and_then(|(key, _)| self.paper(key));
        let of_paper = paper.into_iter().flat_map(|entry| &entry.paper.claims);
        UnknownName {
            name: name.to_string(),
            nearest: nearest(name, all).map(ToString::to_string),
            papers: keys().map(ToString::to_string).collect(),
            claims: of_paper.map(|claim| claim.id.clone()).collect(),
        }
    }
}

impl Selection<'_> {
    /// Whether a paper's own claims are selected, not only those that ideas of others rest on.
    pub(crate) fn asks_for(&self, entry: &PaperEntry) -> bool {
        let mut claims = entry.paper.claims.iter();
        self.asks_for_all_of(entry) || claims.any(|claim| claim.matches(&self.name))
    }

    /// The entries with ideas of their own that are selected as a whole.
    pub fn with_own_ideas(&self) -> impl Iterator<Item = &PaperEntry> {
        let entries = self.papers.iter().map(|(entry, _)| *entry);
        entries.filter(|entry| !entry.ideas.is_empty() && self.asks_for_all_of(entry))
    }

    /// Whether a paper is selected as a whole.
    pub(crate) fn asks_for_all_of(&self, entry: &PaperEntry) -> bool {
        entry.is_named(&self.name)
    }

    /// Whether a claim is selected.
    pub(crate) fn has(&self, id: &str) -> bool {
        let mut claims = self.papers.iter().flat_map(|(_, claims)| claims);
        claims.any(|claim| claim.id == id)
    }
}

impl PaperEntry {
    fn read(key: &'static str) -> Result<PaperEntry, Problems> {
        let claims = text(key, CLAIMS).unwrap_or_default();
        let paper = Paper::parse(&path(key, CLAIMS), claims)?;
        let figures = match text(key, FIGURES) {
            Some(text) => FigureFile::parse(&path(key, FIGURES), text)?,
            None => FigureFile::default(),
        };
        let choices = match text(key, CHOICES) {
            Some(text) => ChoiceFile::parse(&path(key, CHOICES), text, &paper.claims)?,
            None => ChoiceFile::default(),
        };
        let sentences = match text(key, SENTENCES) {
            Some(text) => Sentence::parse(&path(key, SENTENCES), text, &paper)?,
            None => Vec::new(),
        };
        // Today's are about all papers: they have readings, and findings have a page.
        let ideas = match text(key, IDEAS).filter(|_| key != TODAY) {
            Some(text) => Idea::parse_all(&path(key, IDEAS), text)?,
            None => Vec::new(),
        };
        let findings = match text(key, FINDINGS).filter(|_| key != TODAY) {
            Some(text) => {
                let claims: Vec<&Claim> = paper.claims.iter().collect();
                Finding::parse(&path(key, FINDINGS), text, &claims)?
            }
            None => Vec::new(),
        };
        Ok(PaperEntry {
            paper,
            figures,
            choices,
            sentences,
            ideas,
            findings,
        })
    }

    /// Whether this is no paper but our hypotheses about the papers' ideas today.
    pub fn is_today(&self) -> bool {
        self.paper.key == TODAY
    }

    /// Whether this is no paper but hypotheses of ours.
    pub fn is_ours(&self) -> bool {
        [TODAY, CURVES].contains(&self.paper.key.as_str())
    }

    /// Whether `name` is the paper's key, or "".
    fn is_named(&self, name: &str) -> bool {
        self.paper.key == name || name.is_empty()
    }

    /// The scenario of an experiment at a pace; `None` where there is no such file.
    pub fn source(&self, experiment: &str, pace: Pace) -> Option<Result<Source, Problems>> {
        let text = self.text(experiment)?;
        let name = path(&self.paper.key, &format!("{experiment}.toml"));
        let source = Source::new(&name, text, PathBuf::new());
        Some(source.map(|mut source| {
            if pace == Pace::Quick {
                self.shorten(experiment, &mut source);
            }
            source
        }))
    }

    /// The text of an experiment's scenario file; `None` where there is no such file.
    pub fn text(&self, experiment: &str) -> Option<&'static str> {
        text(&self.paper.key, &format!("{experiment}.toml"))
    }

    /// The title of an experiment, as its file has it.
    pub(crate) fn title(&self, experiment: &str) -> Option<&'static str> {
        let mut lines = self.text(experiment)?.lines();
        lines.find_map(|line| line.strip_prefix("title = \"")?.strip_suffix('"'))
    }

    /// Every experiment that a claim or a figure needs.
    pub fn experiments(&self) -> BTreeSet<&str> {
        let claims = self.paper.claims.iter();
        let of_claims = claims.map(|claim| claim.experiment.as_str());
        let all = of_claims.chain(self.figures.experiments());
        all.filter(|name| self.text(name).is_some()).collect()
    }

    /// Reduces an experiment to what a quick run needs.
    fn shorten(&self, experiment: &str, source: &mut Source) {
        source.set("seeds", &QUICK_SEEDS.to_string(), "--quick");
        let named = self.named_values(experiment);
        for axis in source.axes() {
            if axis.values.len() > SHORT_SWEEP {
                source.sweep(shorten_axis(axis, &named));
            }
        }
    }

    /// Values of an experiment's swept fields that claims and figures name.
    fn named_values(&self, experiment: &str) -> BTreeSet<String> {
        let claims = self.paper.claims.iter();
        let of_experiment = claims.filter(|claim| claim.experiment == experiment);
        let of_claims = of_experiment.flat_map(|claim| claim.test.named_values());
        let of_figures = self.figures.named_values(experiment);
        of_claims.chain(of_figures).collect()
    }
}

/// The name of a paper's file in messages.
fn path(folder: &str, file: &str) -> String {
    format!("papers/{folder}/{file}")
}

/// The text of a paper's file.
fn text(folder: &str, file: &str) -> Option<&'static str> {
    let mut files = FILES.iter();
    let entry = files.find(|(in_folder, name, _)| *in_folder == folder && *name == file);
    entry.map(|(_, _, text)| *text)
}

/// The ends, the middle and the named values of an axis.
fn shorten_axis(axis: Axis, named: &BTreeSet<String>) -> Axis {
    let last = axis.values.len() - 1;
    let is_needed = |index: usize, value: &Node| {
        let is_corner = [0, last / 2, last].contains(&index);
        is_corner || value.text().is_some_and(|text| named.contains(&text))
    };
    let values = axis.values.into_iter().enumerate();
    let values = values.filter(|(index, value)| is_needed(*index, value));
    Axis {
        title: axis.title,
        field: axis.field,
        values: values.map(|(_, value)| value).collect(),
    }
}
