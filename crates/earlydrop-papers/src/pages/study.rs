//! A paper with verdicts on its claims and the content of its figures.

use std::rc::Rc;

use earlydrop_lab::store::StoreError;

use super::experiment::Experiments;
use super::laboratory;
use super::panel_builder::{self, PanelData};
use super::panel_content::FigureContent;
use crate::catalogue::{Pace, PaperEntry};
use crate::claims::{
    Claim, ClaimCells, ClaimReport, Measurements, Sentence, Standing, Test, judge,
};
use crate::figures::FigureSpec;
use crate::multiverse::Robustness;

/// A paper with verdicts on its claims and the content of its figures.
pub struct Study<'a> {
    /// The paper.
    pub paper: &'a PaperEntry,
    /// The reports on its claims, those whose experiments were run.
    pub reports: Vec<ClaimReport<'a>>,
    /// Its figures in the paper's order, those of which an experiment was run.
    pub figures: Vec<FigureContent<'a>>,
    /// The experiments that were run.
    pub experiments: Vec<String>,
    /// Their scenarios as they were run, with all values.
    pub scenarios: Vec<(String, String)>,
    /// The verdicts in other universes, of the claims that were judged there.
    pub robustness: Vec<Robustness<'a>>,
}

impl<'a> Study<'a> {
    /// Judges the claims and builds the figures of a paper from these experiments, run at a pace.
    pub fn of(
        paper: &'a PaperEntry,
        pace: Pace,
        experiments: &Experiments,
    ) -> Result<Study<'a>, StoreError> {
        let mut reports = Vec::new();
        for claim in &paper.paper.claims {
            reports.extend(report(paper, claim, pace, experiments)?);
        }
        let mut figures = Vec::new();
        for figure in &paper.figures.figures {
            let panels = || figure.panels.iter();
            let is_run = |name: &str| experiments.contains_key(name);
            if panels().len() == 0 || panels().any(|panel| is_run(&panel.experiment.name)) {
                figures.push(content(figure, experiments, &reports)?);
            }
        }
        Ok(Study {
            paper,
            reports,
            figures,
            experiments: experiments.keys().cloned().collect(),
            scenarios: experiments
                .iter()
                .map(|(name, experiment)| (name.clone(), experiment.plan.toml()))
                .collect(),
            robustness: Vec::new(),
        })
    }

    /// A claim's id as the paper's own page has it, without the paper's key.
    pub(super) fn short_id<'b>(&self, id: &'b str) -> &'b str {
        let of_paper = id.strip_prefix(&*self.paper.paper.key);
        of_paper
            .and_then(|rest| rest.strip_prefix('.'))
            .unwrap_or(id)
    }

    /// The number of figures of which no experiment was run.
    pub fn not_run(&self) -> usize {
        self.paper.figures.figures.len() - self.figures.len()
    }

    /// The reports on a figure's claims.
    pub fn of_figure(&self, figure: &FigureSpec) -> Vec<&ClaimReport<'a>> {
        let reports = self.reports.iter();
        let of_figure = reports.filter(|report| figure.has(&report.claim.id));
        of_figure.collect()
    }

    /// The reports on claims that belong to no figure.
    pub fn without_figure(&self) -> Vec<&ClaimReport<'a>> {
        let figures = &self.paper.figures.figures;
        let has_figure = |claim: &Claim| figures.iter().any(|figure| figure.has(&claim.id));
        let reports = self.reports.iter();
        reports.filter(|report| !has_figure(report.claim)).collect()
    }

    /// The reports on the claims that judge a sentence, those that are counted.
    pub fn judging(&self, sentence: &Sentence) -> Vec<&ClaimReport<'a>> {
        let reports = self.reports.iter();
        let judging = reports.filter(|report| {
            report.claim.standing() != Standing::Beside && sentence.is_judged_by(&report.claim.id)
        });
        judging.collect()
    }

    /// The verdicts on a claim in other universes.
    pub fn robustness_of(&self, claim: &Claim) -> Option<&Robustness<'a>> {
        let mut all = self.robustness.iter();
        all.find(|one| one.claim.id == claim.id)
    }

    /// The figure that a claim belongs to.
    pub fn figure_of(&self, claim: &str) -> Option<&FigureSpec> {
        let mut figures = self.paper.figures.figures.iter();
        figures.find(|figure| figure.has(claim))
    }
}

/// Judges a claim; `None` where its experiment was not run.
fn report<'a>(
    paper: &'a PaperEntry,
    claim: &'a Claim,
    pace: Pace,
    experiments: &Experiments,
) -> Result<Option<ClaimReport<'a>>, StoreError> {
    let experiment = experiments.get(&claim.experiment);
    let measured = match experiment {
        Some(experiment) => experiment.measurements(&claim.metric)?,
        // There is nothing to run: the claim itself says what is missing.
        None if has_no_experiment(paper, claim) => Rc::new(Measurements::default()),
        None => return Ok(None),
    };
    Ok(Some(ClaimReport {
        paper: &paper.paper,
        claim,
        judgement: judge(claim, &measured),
        seeds: measured.seeds.len(),
        pace,
        cells: experiment.map_or(ClaimCells::default(), |experiment| {
            ClaimCells::of(claim, &experiment.plan, &measured)
        }),
    }))
}

fn has_no_experiment(paper: &PaperEntry, claim: &Claim) -> bool {
    matches!(claim.test, Test::Undecidable { .. }) && paper.text(&claim.experiment).is_none()
}

/// Builds the panels of a figure.
fn content<'a>(
    figure: &'a FigureSpec,
    experiments: &Experiments,
    reports: &[ClaimReport<'_>],
) -> Result<FigureContent<'a>, StoreError> {
    let mut panels = Vec::new();
    for panel in &figure.panels {
        let name = panel.experiment.name.as_str();
        let panel = match experiments.get(name) {
            Some(experiment) => panel_builder::build(panel, experiment, reports)?,
            None => PanelData::Missing(format!("{name} was not run")),
        };
        panels.push((name, panel));
    }
    panel_builder::share_ranges(&mut panels);
    let mut names: Vec<&str> = Vec::new();
    for panel in &figure.panels {
        if !names.contains(&panel.experiment.name.as_str()) {
            names.push(&panel.experiment.name);
        }
    }
    let points = figure.panels.iter().map(|panel| {
        let experiment = experiments.get(&panel.experiment.name);
        experiment.map_or(Ok(Vec::new()), |experiment| {
            laboratory::rows(panel, experiment)
        })
    });
    Ok(FigureContent {
        figure,
        points: points.collect::<Result<_, _>>()?,
        panels: panels.into_iter().map(|(_, panel)| panel.draw()).collect(),
        experiments: names,
    })
}
