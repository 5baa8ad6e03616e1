//! A paper with what its runs found: verdicts on its claims, and its figures drawn.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::draw;
use super::printed::Printed;
use super::written::Figure;
use crate::catalogue::{Reproduced, is_called};
use crate::claims::{Claim, Measured, Runs, Selector, Test, Told, Verdict, judge};
use earlydrop_lab::plan::Plan;
use earlydrop_lab::store::{Store, StoreError};
use earlydrop_report::figure::Drawing;

/// An experiment that was run.
pub struct Experiment {
    /// What was to be run.
    pub plan: Plan,
    /// What was found.
    pub store: Store,
    measured: RefCell<BTreeMap<String, Rc<Measured>>>,
}

impl Experiment {
    /// Of a plan whose cells are all in `store`.
    pub fn new(plan: Plan, store: Store) -> Experiment {
        Experiment {
            plan,
            store,
            measured: RefCell::default(),
        }
    }

    /// One number of every run; read once.
    pub fn measured(&self, selector: &Selector) -> Result<Rc<Measured>, StoreError> {
        let key = format!("{selector:?}");
        if let Some(known) = self.measured.borrow().get(&key) {
            return Ok(known.clone());
        }
        let measured = Rc::new(Runs::of(&self.plan, &self.store)?.measured(selector)?);
        self.measured.borrow_mut().insert(key, measured.clone());
        Ok(measured)
    }
}

/// Experiments of a paper by name, those that were run.
pub type Experiments = BTreeMap<String, Experiment>;

/// A part of a figure, drawn.
#[derive(Clone, Debug)]
pub enum Drawn {
    /// A picture.
    Picture(Drawing),
    /// Printed numbers beside ours.
    Table(Printed),
    /// Why there is none.
    Missing(String),
}

/// A figure, drawn.
#[derive(Debug)]
pub struct DrawnFigure<'a> {
    /// As it is written.
    pub figure: &'a Figure,
    /// Its parts.
    pub panels: Vec<Drawn>,
    /// The experiments that it shows, in order.
    pub experiments: Vec<&'a str>,
}

impl DrawnFigure<'_> {
    /// Whether a claim is a number of one of its tables.
    pub fn has(&self, claim: &str) -> bool {
        let mut panels = self.panels.iter();
        panels.any(|panel| matches!(panel, Drawn::Table(table) if table.has(claim)))
    }
}

/// A paper with what its runs found.
pub struct Study<'a> {
    /// The paper.
    pub paper: &'a Reproduced,
    /// Its claims, those that were run.
    pub told: Vec<Told<'a>>,
    /// Its figures in its own order, those of which something was run.
    pub figures: Vec<DrawnFigure<'a>>,
    /// The experiments that were run.
    pub experiments: Vec<String>,
}

impl<'a> Study<'a> {
    /// Of a paper, of which these experiments were run.
    pub fn of(paper: &'a Reproduced, experiments: &Experiments) -> Result<Study<'a>, StoreError> {
        let mut told = Vec::new();
        for claim in &paper.paper.claims {
            told.extend(tell(paper, claim, experiments)?);
        }
        let mut figures = Vec::new();
        for figure in &paper.figures.figures {
            let panels = || figure.panels.iter();
            let is_run = |name: &str| experiments.contains_key(name);
            if panels().len() == 0 || panels().any(|panel| is_run(&panel.experiment.name)) {
                figures.push(drawn(figure, experiments, &told)?);
            }
        }
        Ok(Study {
            paper,
            told,
            figures,
            experiments: experiments.keys().cloned().collect(),
        })
    }

    /// Figures of which nothing was run.
    pub fn not_run(&self) -> usize {
        self.paper.figures.figures.len() - self.figures.len()
    }

    /// The claims that are called so, or all where the paper is.
    pub fn told_of<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s Told<'a>> {
        let all = self.paper.is_called(name);
        let told = self.told.iter();
        told.filter(move |told| all || is_called(&told.claim.id, name))
    }

    /// The claims of a figure.
    pub fn of_figure(&self, figure: &Figure) -> Vec<&Told<'a>> {
        let told = self.told.iter();
        told.filter(|told| figure.has(&told.claim.id)).collect()
    }

    /// The claims of no figure.
    pub fn of_text(&self) -> Vec<&Told<'a>> {
        let figures = &self.paper.figures.figures;
        let told = self.told.iter();
        told.filter(|told| !figures.iter().any(|figure| figure.has(&told.claim.id)))
            .collect()
    }

    /// The figure that a claim belongs to.
    pub fn figure_of(&self, claim: &str) -> Option<&Figure> {
        let mut figures = self.paper.figures.figures.iter();
        figures.find(|figure| figure.has(claim))
    }

    /// How many claims have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        let told = self.told.iter();
        told.filter(|told| told.judged.verdict == verdict).count()
    }
}

/// What runs say of a claim; `None` where its experiment was not run.
fn tell<'a>(
    paper: &'a Reproduced,
    claim: &'a Claim,
    experiments: &Experiments,
) -> Result<Option<Told<'a>>, StoreError> {
    let measured = match experiments.get(&claim.experiment) {
        Some(experiment) => experiment.measured(&claim.metric)?,
        // Nothing can be run for these: what they lack is in the claims themselves.
        None if is_beyond_runs(paper, claim) => Rc::new(Measured::nothing()),
        None => return Ok(None),
    };
    Ok(Some(Told {
        paper,
        claim,
        judged: judge(claim, &measured),
        seeds: measured.seeds.len(),
    }))
}

fn is_beyond_runs(paper: &Reproduced, claim: &Claim) -> bool {
    matches!(claim.test, Test::Undecidable { .. }) && paper.text(&claim.experiment).is_none()
}

fn drawn<'a>(
    figure: &'a Figure,
    experiments: &Experiments,
    told: &[Told<'_>],
) -> Result<DrawnFigure<'a>, StoreError> {
    let mut built = Vec::new();
    for panel in &figure.panels {
        let name = panel.experiment.name.as_str();
        let panel = match experiments.get(name) {
            Some(experiment) => draw::build(panel, experiment, told)?,
            None => draw::Built::Missing(format!("{name} was not run")),
        };
        built.push((name, panel));
    }
    draw::share_ranges(&mut built);
    let mut names: Vec<&str> = Vec::new();
    for panel in &figure.panels {
        if !names.contains(&panel.experiment.name.as_str()) {
            names.push(&panel.experiment.name);
        }
    }
    Ok(DrawnFigure {
        figure,
        panels: built.into_iter().map(|(_, panel)| panel.draw()).collect(),
        experiments: names,
    })
}
