//! Runs the papers' experiments and writes the pages.
//!
//! ```text
//! Catalogue::select --> Selection --run--> Reproduction --write_html, write_markdown--> files
//!                                  \--try_claims--> Trials
//! ```
//!
//! Each experiment has a folder with its store, so what was stopped continues with the next call,
//! and [`planned`] lists them for who has other machines to complete them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use earlydrop_lab::files::{FileError, Overwrite, Signature, create_folder, write_whole};
use earlydrop_lab::plan::{Cell, Source};
use earlydrop_lab::run::Progress;
use earlydrop_lab::store::{self, Store};
use earlydrop_lab::summary::Summary;
use earlydrop_report::laboratory;
use earlydrop_report::run_report::write_report;
use serde_json::Value;

use crate::catalogue::{Catalogue, Pace, PaperEntry, Selection};
use crate::claims::{Claim, ClaimReport, IdeaReport, conclude};
use crate::error::Error;
use crate::falsification::{StoredRuns, Trial, trials};
use crate::inference::{self, Bank, Inference};
use crate::multiverse::{self, Multiverse, Robustness};
use crate::pages::{
    Experiment, Experiments, Markdown, PICTURES, Provenance, Study, claims_csv, claims_csv_header,
    curves_page, findings_page, front, ideas_page, inference_file, inference_link, inference_links,
    inference_page, markdown, markdown_front, page,
};

/// How experiments are run, and where.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions<'a> {
    /// How much of each experiment is run.
    pub pace: Pace,
    /// The folder of results. Each pace has a folder in it.
    pub out: &'a Path,
    /// The number of runs at a time.
    pub threads: usize,
    /// Once it is set, no further run begins.
    pub stop: &'a AtomicBool,
    /// In how many universes each experiment is run, its own values included, to see which verdicts
    /// depend on what the papers do not print; `None` for its own only.
    pub universes: Option<usize>,
}

/// What happens while experiments run.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// An experiment begins.
    Begin {
        /// The paper's key.
        paper: &'a str,
        /// The experiment's name.
        experiment: &'a str,
    },
    /// Runs of the experiment have ended.
    Progress(Progress),
    /// The experiment has ended, or was stopped.
    End,
}

/// The papers after their experiments were run.
pub struct Reproduction<'a> {
    catalogue: &'a Catalogue,
    selection: &'a Selection<'a>,
    /// Every paper, in the catalogue's order. Papers outside the selection have what earlier
    /// calls ran.
    pub studies: Vec<Study<'a>>,
}

impl RunOptions<'_> {
    /// The folder of the results at this pace.
    fn folder(&self) -> PathBuf {
        self.out.join(match self.pace {
            Pace::Quick => "papers-quick",
            Pace::Full => "papers-full",
        })
    }

    /// The folder of the results with wrong schemes at this pace.
    fn wrong_folder(&self) -> PathBuf {
        self.out.join(match self.pace {
            Pace::Quick => "papers-quick-wrong",
            Pace::Full => "papers-full-wrong",
        })
    }

    /// The folder of the results of other universes at this pace.
    fn multiverse_folder(&self) -> PathBuf {
        self.out.join(match self.pace {
            Pace::Quick => "papers-quick-multiverse",
            Pace::Full => "papers-full-multiverse",
        })
    }

    /// The folder of the results of universes drawn for an inference, at this pace.
    fn inference_folder(&self) -> PathBuf {
        self.out.join(match self.pace {
            Pace::Quick => "papers-quick-inference",
            Pace::Full => "papers-full-inference",
        })
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Runs the experiments that a selection needs, and judges the claims of all papers.
///
/// What a store already has is not run again. Once [`RunOptions::stop`] is set, no further
/// experiment is opened, and claims are judged by those before.
pub fn run<'a>(
    catalogue: &'a Catalogue,
    selection: &'a Selection<'a>,
    options: &RunOptions<'_>,
    mut on_event: impl FnMut(Event<'_>),
) -> Result<Reproduction<'a>, Error> {
    let mut studies = Vec::new();
    for entry in &catalogue.papers {
        let experiments = experiments(entry, selection, options, &mut on_event)?;
        let mut study = Study::of(entry, options.pace, &experiments)?;
        study.robustness = robustness(entry, selection, options, &mut on_event)?;
        studies.push(study);
    }
    Ok(Reproduction {
        catalogue,
        selection,
        studies,
    })
}

/// Runs the selected papers in so many universes drawn at random, to infer what their authors ran.
///
/// What a store already has is not run again. Once [`RunOptions::stop`] is set, no further universe is
/// begun.
pub fn infer<'a>(
    selection: &Selection<'a>,
    universes: usize,
    options: &RunOptions<'_>,
    mut on_event: impl FnMut(Event<'_>),
) -> Result<Vec<(&'a PaperEntry, Bank)>, Error> {
    let folder = options.inference_folder();
    let inference = Inference {
        universes,
        pace: options.pace,
        folder: &folder,
    };
    let papers = selection.papers.iter().map(|(entry, _)| *entry);
    let mut banks = Vec::new();
    for entry in papers.filter(|entry| !entry.is_ours()) {
        let bank = inference::fill(entry, inference, |name, plan, store| {
            run_missing(entry, name, (plan, store), options, &mut on_event)?;
            Ok(!options.is_stopped())
        })?;
        banks.push((entry, bank));
    }
    Ok(banks)
}

/// How many universes of a bank are taken for the authors' to check an inference.
const TRUTHS: usize = 100;

/// Writes what the authors of a paper probably ran as a page, `inferred-PAPER.md`, with its picture;
/// returns the page.
pub fn write_inference(
    (entry, bank): (&PaperEntry, &Bank),
    folder: &Path,
    overwrite: Overwrite,
    provenance: &Provenance,
) -> Result<PathBuf, Error> {
    let check = inference::check(bank, TRUTHS);
    let page = inference_page(entry, bank, &check, provenance);
    let path = folder.join(inference_file(&entry.paper.key));
    write_page(&path, &page, overwrite)?;
    Ok(path)
}

/// Writes a page in Markdown, and its pictures into the folder [`PICTURES`] beside it.
fn write_page(path: &Path, page: &Markdown, overwrite: Overwrite) -> Result<(), Error> {
    let pictures = path.with_file_name(PICTURES);
    create_folder(&pictures)?;
    write_whole(path, &page.text, &Signature::MARKDOWN, overwrite)?;
    for (name, picture) in &page.pictures {
        write_whole(
            &pictures.join(name),
            picture,
            &Signature::PICTURE,
            overwrite,
        )?;
    }
    Ok(())
}

/// A run that a selection needs: an experiment, or one of its universes.
#[derive(Clone, Debug)]
pub struct PlannedRun {
    /// Which it is, in words.
    pub name: String,
    /// Its scenario.
    pub source: Source,
    /// The folder of its results.
    pub folder: PathBuf,
}

/// The runs that [`run`] completes for a selection, in its order. Runs that are complete in their
/// folders then are not run by it.
pub fn planned(
    catalogue: &Catalogue,
    selection: &Selection<'_>,
    options: &RunOptions<'_>,
) -> Result<Vec<PlannedRun>, Error> {
    let mut all = Vec::new();
    for entry in &catalogue.papers {
        let paper = &entry.paper.key;
        let needed = needed_experiments(entry, selection);
        let names = entry.experiments().into_iter();
        for name in names.filter(|name| needed.contains(name)) {
            if let Some(source) = entry.source(name, options.pace) {
                all.push(PlannedRun {
                    name: format!("{paper} {name}"),
                    source: source?,
                    folder: options.folder().join(paper).join(name),
                });
            }
        }
        if let Some(universes) = options.universes {
            let folder = options.multiverse_folder();
            let (claims, multiverse) = in_universes(entry, selection, options, universes, &folder);
            let runs = multiverse::planned(entry, &claims, multiverse)?.into_iter();
            all.extend(runs.map(|one| PlannedRun {
                name: format!("{paper} {}", one.name),
                source: one.source,
                folder: one.folder,
            }));
        }
    }
    Ok(all)
}

/// The selected claims of a paper, and how they are run in other universes.
fn in_universes<'a, 'f>(
    entry: &'a PaperEntry,
    selection: &Selection<'_>,
    options: &RunOptions<'_>,
    universes: usize,
    folder: &'f Path,
) -> (Vec<&'a Claim>, Multiverse<'f>) {
    let claims = entry.paper.claims.iter();
    let claims = claims.filter(|claim| selection.has(&claim.id)).collect();
    let multiverse = Multiverse {
        universes,
        pace: options.pace,
        folder,
    };
    (claims, multiverse)
}

/// Runs the experiments of a paper that the selection needs, and opens those that were run
/// before.
fn experiments(
    entry: &PaperEntry,
    selection: &Selection<'_>,
    options: &RunOptions<'_>,
    on_event: &mut impl FnMut(Event<'_>),
) -> Result<Experiments, Error> {
    let needed = needed_experiments(entry, selection);
    let mut experiments = Experiments::new();
    for name in entry.experiments() {
        if options.is_stopped() {
            break;
        }
        let Some(source) = entry.source(name, options.pace) else {
            continue;
        };
        let source = source?;
        let plan = source.plan()?;
        let folder = options.folder().join(&entry.paper.key).join(name);
        let store = if needed.contains(name) {
            let store = Store::create(&folder, &source, &plan)?;
            run_missing(entry, name, (&plan, &store), options, on_event)?;
            if !options.is_stopped() {
                write_report(&plan, &store, &Summary::of_store(&plan, &store)?)?;
            }
            store
        } else {
            match Store::existing(&folder, &plan)? {
                Some(store) if store.done()?.len() >= plan.cell_count() => store,
                _ => continue,
            }
        };
        experiments.insert(name.to_string(), Experiment::new(plan, store));
    }
    Ok(experiments)
}

/// Runs the experiments of the selected claims in other universes, where that is asked for.
fn robustness<'a>(
    entry: &'a PaperEntry,
    selection: &Selection<'_>,
    options: &RunOptions<'_>,
    on_event: &mut impl FnMut(Event<'_>),
) -> Result<Vec<Robustness<'a>>, Error> {
    let Some(universes) = options.universes else {
        return Ok(Vec::new());
    };
    let folder = options.multiverse_folder();
    let (claims, multiverse) = in_universes(entry, selection, options, universes, &folder);
    multiverse::run(entry, &claims, multiverse, |name, plan, store| {
        run_missing(entry, name, (plan, store), options, on_event)?;
        Ok(!options.is_stopped())
    })
}

/// The experiments that a selection needs: all of a paper that is selected as a whole, else
/// those of the selected claims.
fn needed_experiments<'a>(entry: &'a PaperEntry, selection: &Selection<'_>) -> BTreeSet<&'a str> {
    if selection.asks_for_all_of(entry) {
        return entry.experiments();
    }
    let claims = entry.paper.claims.iter();
    let selected = claims.filter(|claim| selection.has(&claim.id));
    selected.map(|claim| claim.experiment.as_str()).collect()
}

/// Runs the missing cells of an experiment.
fn run_missing(
    entry: &PaperEntry,
    experiment: &str,
    (plan, store): StoredRuns<'_>,
    options: &RunOptions<'_>,
    on_event: &mut impl FnMut(Event<'_>),
) -> Result<(), Error> {
    let missing = store::missing_cells(plan, store)?;
    run_cells(entry, experiment, (plan, store), missing, options, on_event)
}

/// Runs these cells of an experiment; they come with the progress before them.
fn run_cells(
    entry: &PaperEntry,
    experiment: &str,
    (plan, store): StoredRuns<'_>,
    (cells, progress): (Vec<Cell>, Progress),
    options: &RunOptions<'_>,
    on_event: &mut impl FnMut(Event<'_>),
) -> Result<(), Error> {
    let paper = entry.paper.key.as_str();
    on_event(Event::Begin { paper, experiment });
    on_event(Event::Progress(progress));
    let (threads, stop) = (options.threads, options.stop);
    let result = store::run_cells(plan, store, (cells, progress), threads, stop, |report| {
        on_event(Event::Progress(report.progress));
    });
    on_event(Event::End);
    result?;
    Ok(())
}

/// Tries whether the selected claims can fail: runs their experiments with a wrong scheme in
/// place of the one that each is about. Trials are in the order of the claims.
pub fn try_claims<'a>(
    selection: &Selection<'a>,
    options: &RunOptions<'_>,
    mut on_event: impl FnMut(Event<'_>),
) -> Result<Vec<Trial<'a>>, Error> {
    let mut all = Vec::new();
    for (entry, claims) in &selection.papers {
        all.extend(try_paper(entry, claims, options, &mut on_event)?);
    }
    Ok(all)
}

fn try_paper<'a>(
    entry: &'a PaperEntry,
    claims: &[&'a Claim],
    options: &RunOptions<'_>,
    on_event: &mut impl FnMut(Event<'_>),
) -> Result<Vec<Trial<'a>>, Error> {
    let experiments: BTreeSet<&str> = claims.iter().map(|c| c.experiment.as_str()).collect();
    let mut all = Vec::new();
    for name in experiments {
        if options.is_stopped() {
            break;
        }
        let place = Path::new(&entry.paper.key).join(name);
        let ours = match entry.source(name, options.pace) {
            Some(source) => {
                let plan = source?.plan()?;
                let store = Store::existing(&options.folder().join(&place), &plan)?;
                store.map(|store| (plan, store))
            }
            None => None,
        };
        let ours = ours.as_ref().map(|(plan, store)| (plan, store));
        let folder = options.wrong_folder().join(&place);
        let run = |stored: StoredRuns<'_>, cells: Vec<Cell>| {
            let progress = Progress::of(cells.len());
            run_cells(entry, name, stored, (cells, progress), options, on_event)
        };
        all.extend(trials(entry, name, options.pace, ours, &folder, run)?);
    }
    let index = |trial: &Trial<'_>| claims.iter().position(|claim| claim.id == trial.claim.id);
    all.retain(|trial| index(trial).is_some());
    all.sort_by_key(index);
    Ok(all)
}

impl<'a> Reproduction<'a> {
    /// The reports on the selected claims.
    pub fn selected_reports(&self) -> Vec<ClaimReport<'a>> {
        let reports = self.studies.iter().flat_map(|study| &study.reports);
        let selected = reports.filter(|report| self.selection.has(&report.claim.id));
        selected.cloned().collect()
    }

    /// The robustness of a selected claim, where it was run in other universes.
    pub fn robustness_of(&self, claim: &Claim) -> Option<&Robustness<'a>> {
        self.studies
            .iter()
            .find_map(|study| study.robustness_of(claim))
    }

    /// The reports on the selected claims as JSON, each with its verdicts in other universes where
    /// it was run there.
    pub fn json(&self) -> Vec<Value> {
        let with_robustness = |report: &ClaimReport<'_>| {
            let mut value = report.json();
            if let Some(robustness) = self.robustness_of(report.claim) {
                value["multiverse"] = robustness.json();
            }
            value
        };
        self.selected_reports()
            .iter()
            .map(with_robustness)
            .collect()
    }

    /// The reports on all claims, those of earlier calls included.
    fn all_reports(&self) -> Vec<ClaimReport<'a>> {
        let reports = self.studies.iter().flat_map(|study| &study.reports);
        reports.cloned().collect()
    }

    /// The robustness of all claims that were run in other universes.
    fn all_robustness(&self) -> Vec<&Robustness<'a>> {
        let studies = self.studies.iter();
        studies.flat_map(|study| &study.robustness).collect()
    }

    /// The papers that were selected, without those that only ideas rest on.
    fn selected_studies(&self) -> Vec<&Study<'a>> {
        let studies = self.studies.iter();
        studies
            .filter(|study| self.selection.asks_for(study.paper))
            .collect()
    }

    /// Writes the page of each selected paper, and the front page, into the folder of the
    /// results; returns the papers' pages and the front page.
    pub fn write_html(
        &self,
        options: &RunOptions<'_>,
        provenance: &Provenance,
    ) -> Result<(Vec<PathBuf>, PathBuf), Error> {
        let folder = options.folder();
        let mut pages = Vec::new();
        for study in self.selected_studies() {
            let path = folder.join(&study.paper.paper.key).join("report.html");
            let text = page(study, provenance);
            write_whole(&path, &text, &Signature::PAGE, Overwrite::Own)?;
            pages.push(path);
        }
        // Points of figures open in it.
        let path = folder.join("laboratory.html");
        write_whole(&path, laboratory::PAGE, &Signature::PAGE, Overwrite::Own)?;
        let reports = self.all_reports();
        let ideas = self.catalogue.ideas.ideas.iter();
        let ideas: Vec<IdeaReport<'_>> = ideas.map(|idea| conclude(idea, &reports)).collect();
        self.write_claims(&folder, Overwrite::Own)?;
        let path = folder.join("index.html");
        let text = front(&self.studies, &ideas, provenance);
        write_whole(&path, &text, &Signature::PAGE, Overwrite::Own)?;
        Ok((pages, path))
    }

    /// Writes every claim with its verdict as a line of `claims.csv`.
    fn write_claims(&self, folder: &Path, overwrite: Overwrite) -> Result<(), Error> {
        let path = folder.join("claims.csv");
        let text = claims_csv(&self.all_reports(), &self.all_robustness());
        let text = text.map_err(|error| FileError::new(&path, error))?;
        let signature = Signature::header(&claims_csv_header());
        Ok(write_whole(&path, &text, &signature, overwrite)?)
    }

    /// Writes the page of each selected paper in Markdown into `folder`, with their pictures in
    /// [`PICTURES`] and a front page; returns the front page.
    pub fn write_markdown(
        &self,
        folder: &Path,
        overwrite: Overwrite,
        provenance: &Provenance,
    ) -> Result<PathBuf, Error> {
        create_folder(folder)?;
        let studies = self.selected_studies();
        // The page of an inference, which another command writes, may be in the folder.
        let is_inferred = |study: &Study<'_>| {
            let file = inference_file(&study.paper.paper.key);
            folder.join(file).exists()
        };
        for study in &studies {
            let before = match study.paper {
                today if today.is_today() => ideas_page(
                    self.catalogue,
                    &self.selected_reports(),
                    &self.all_robustness(),
                ),
                curves if !curves.ideas.is_empty() => {
                    curves_page(self.catalogue, curves, &self.selected_reports())
                }
                _ => String::new(),
            };
            let mut page = markdown(study, &before, provenance);
            let key = &study.paper.paper.key;
            if is_inferred(study) {
                page.text.push_str(&inference_link(key));
            }
            write_page(&folder.join(format!("{key}.md")), &page, overwrite)?;
        }
        // Findings are about all papers.
        if studies.len() == self.studies.len() {
            let reports = self.all_reports();
            let robustness = self.all_robustness();
            let text = findings_page(&self.catalogue.findings, &reports, &robustness, provenance);
            let path = folder.join("findings.md");
            write_whole(&path, &text, &Signature::MARKDOWN, overwrite)?;
        }
        self.write_claims(folder, overwrite)?;
        let path = folder.join("README.md");
        let mut text = markdown_front(&studies, provenance);
        let inferred = studies.iter().filter(|study| is_inferred(study));
        text.push_str(&inference_links(inferred.map(|study| &study.paper.paper)));
        write_whole(&path, &text, &Signature::MARKDOWN, overwrite)?;
        Ok(path)
    }
}
