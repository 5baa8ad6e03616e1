//! The papers' figures: each refers to what exists, an error is reported with file and line, and
//! pictures show what was measured.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use earlydrop_lab::plan::Cell;
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::store::{self, Store};
use earlydrop_papers::catalogue::{Catalogue, Pace, PaperEntry};
use earlydrop_papers::claims::{Selector, Standing};
use earlydrop_papers::figures::FigureFile;
use earlydrop_papers::pages::{
    Experiment, Experiments, PanelContent, Provenance, Study, check, front, markdown, page,
};
use earlydrop_report::figure::inline;
use tempfile::TempDir;

fn paper(key: &str) -> PaperEntry {
    Catalogue::read().unwrap().paper(key).unwrap().clone()
}

#[test]
fn every_figure_refers_to_what_exists() {
    for paper in Catalogue::read().unwrap().papers {
        check(&paper).unwrap_or_else(|problems| panic!("{problems}"));
        let (figures, key) = (&paper.figures, &paper.paper.key);
        assert!(!figures.proposes.is_empty(), "{key}");
        let is_drawn = figures.figures.len() >= 2;
        assert!(is_drawn || paper.is_today(), "{key}");
        for figure in &figures.figures {
            let drawn = !figure.panels.is_empty();
            assert_eq!(drawn, figure.left_out.is_empty(), "{}", figure.id);
            assert!(figure.id.starts_with(key), "{}", figure.id);
        }
    }
}

/// The message about the figures of CLRED's paper with one error.
fn message_for(from: &str, to: &str) -> String {
    let papers = Path::new(env!("CARGO_MANIFEST_DIR")).join("papers");
    let text = std::fs::read_to_string(papers.join("clred/figures.toml")).unwrap();
    assert!(text.contains(from), "{from}");
    let wrong = text.replacen(from, to, 1);
    let mut paper = paper("clred");
    let message = match FigureFile::parse("figures.toml", &wrong) {
        Err(problems) => problems.to_string(),
        Ok(figures) => {
            paper.figures = figures;
            check(&paper).unwrap_err().to_string()
        }
    };
    let line = text[..text.find(from).unwrap()].matches('\n').count() + 1;
    let place = format!("figures.toml:{line}:");
    assert!(message.contains(&place), "{place} is not in {message}");
    message
}

#[test]
fn an_error_is_reported_with_file_and_line() {
    for (from, to, help) in [
        (
            "scheme = \"clred\"",
            "scheme = \"clrd\"",
            "did you mean `clred`?",
        ),
        (
            "experiment = \"figure-5\"",
            "experiment = \"figure-55\"",
            "no experiment",
        ),
        (
            "scheme = \"dsred\"",
            "scheme = \"dsred\", minus = \"redd\"",
            "did you mean `red`?",
        ),
        (
            "series = \"average\"",
            "series = \"avrage\"",
            "did you mean `average`?",
        ),
        (
            "axis = \"flows.ftp.count\"",
            "axis = \"flows.count\"",
            "no swept field",
        ),
        (
            "claims = [\"clred.F5\"]",
            "claims = [\"clred.F55\"]",
            "no claim",
        ),
        (
            "measure = \"delay_mean\"",
            "measure = \"delay\"",
            "no metric",
        ),
        (
            "kind = \"time\"",
            "kind = \"tim\"",
            "did you mean \"time\"?",
        ),
        (
            "caption = \"The parameters.\"",
            "captoin = \"\"",
            "did you mean `caption`?",
        ),
    ] {
        let message = message_for(from, to);
        assert!(message.contains(help), "{to}: {message}");
    }
}

#[test]
fn a_claim_belongs_to_one_figure() {
    let mut paper = paper("clred");
    let figures = paper.figures.figures.as_mut_slice();
    let figure = figures.iter_mut().find(|figure| figure.id == "clred.F6");
    figure.unwrap().claims.clear();
    let message = check(&paper).unwrap_err().to_string();
    let expected = "clred.F6.a belongs to 0 figures";
    assert!(message.contains(expected), "{message}");
}

/// Quick runs of some experiments.
fn experiments(paper: &PaperEntry, names: &[&str], folder: &Path) -> Experiments {
    let run = |name: &&str| {
        let source = paper.source(name, Pace::Quick).unwrap().unwrap();
        let plan = source.plan().unwrap();
        let store = Store::create(&folder.join(name), &source, &plan).unwrap();
        store::run(&plan, &store, 2, &AtomicBool::new(false), |_| {}).unwrap();
        ((*name).to_string(), Experiment::new(plan, store))
    };
    names.iter().map(run).collect()
}

/// The pictures of a figure.
fn pictures(study: &Study<'_>, id: &str) -> Vec<String> {
    let mut figures = study.figures.iter();
    let figure = figures.find(|one| one.figure.id == id).unwrap();
    let picture = |panel: &PanelContent| match panel {
        PanelContent::Picture(drawing) => Some(inline(drawing)),
        _ => None,
    };
    figure.panels.iter().filter_map(picture).collect()
}

#[test]
fn pictures_show_what_was_measured() {
    let folder = TempDir::new().unwrap();
    let paper = paper("clred");
    let run = experiments(&paper, &["figure-5", "figure-6"], folder.path());
    let study = Study::of(&paper, Pace::Quick, &run).unwrap();

    // Along a sweep: every point of every scheme, in words.
    let sweep = &pictures(&study, "clred.F6")[0];
    let experiment = &run["figure-6"];
    let selector = Selector::Metric("delay_mean".to_string());
    let measured = experiment.measurements(&selector).unwrap();
    let sources = experiment.plan.axes[0].texts();
    for (name, label) in [("RED", "red"), ("CLRED", "clred")] {
        let scheme = measured.scheme(label).unwrap();
        for (point, count) in sources.iter().enumerate() {
            let mean = Mean::of(&measured.values(scheme, point).unwrap()).unwrap();
            let value = mean.with_interval(1e3);
            let words = format!("<title>{name}, sources {count}: {value} ms (3 seeds)</title>");
            assert!(sweep.contains(&words), "{words} is not in {sweep}");
        }
    }

    // Over time: the first seed's run.
    let trace = &pictures(&study, "clred.F5")[0];
    let experiment = &run["figure-5"];
    let (seed, point, scheme) = (0, 0, 1);
    let number = experiment.plan.number(Cell {
        seed,
        point,
        scheme,
    });
    let series = experiment.store.series_of(number, "average", None);
    let values = series.unwrap().unwrap().values;
    assert_eq!(experiment.plan.labels()[scheme], "clred");
    let most = values.iter().fold(f64::MIN, |most, value| most.max(*value));
    let words = format!("<title>CLRED: {} samples from ", values.len());
    let (_, rest) = trace.split_once(&words).unwrap();
    assert!(rest.contains(&format!(" to {}", earlydrop_lab::number::number(most))));

    the_pages_carry_the_claims(&study);
}

#[test]
fn a_curve_can_be_a_difference() {
    let folder = TempDir::new().unwrap();
    let paper = paper("restraint");
    let run = experiments(&paper, &["figure-4-5"], folder.path());
    let study = Study::of(&paper, Pace::Quick, &run).unwrap();
    let pictures = pictures(&study, "restraint.F4");
    let (throughput, difference) = (&pictures[1], &pictures[5]);
    let experiment = &run["figure-4-5"];
    let selector = Selector::Group("tcp".to_string(), "throughput".to_string());
    let measured = experiment.measurements(&selector).unwrap();
    let values = |label: &str| {
        let point = (experiment.plan.points.iter()).position(|point| point.coordinates == [0, 1]);
        let scheme = measured.scheme(label).unwrap();
        measured.values(scheme, point.unwrap()).unwrap()
    };
    // 8 transfers with 2 streams: seed by seed, so that the interval is that of the difference.
    let (own, red) = (values("restraint-printed"), values("red"));
    let less: Vec<f64> = own.iter().zip(red).map(|(own, red)| own - red).collect();
    let words = |values: &[f64]| {
        let value = Mean::of(values).unwrap().with_interval(1e-6);
        format!("<title>as printed, TCP transfers 8: {value} Mbps (3 seeds)</title>")
    };
    assert!(throughput.contains(&words(&own)), "{}", words(&own));
    assert!(difference.contains(&words(&less)), "{}", words(&less));
}

/// The numbers along the axes of a picture.
fn has_number(picture: &str, number: &str) -> bool {
    picture.contains(&format!(">{number}</text>"))
}

#[test]
fn a_drop_function_ends_with_its_axis_and_swept_values_take_a_factor() {
    let folder = TempDir::new().unwrap();
    let paper = paper("curves");
    let run = experiments(&paper, &["area", "rtt"], folder.path());
    let study = Study::of(&paper, Pace::Quick, &run).unwrap();
    // Up to the threshold, so without the jump to 1.
    for picture in pictures(&study, "curves.equal-area") {
        assert!(
            has_number(&picture, "15") && !has_number(&picture, "1.0"),
            "{picture}"
        );
    }
    // In milliseconds.
    let picture = &pictures(&study, "curves.rtt")[0];
    assert!(
        has_number(picture, "200") && !has_number(picture, "0.2"),
        "{picture}"
    );
}

/// Every claim that was run stands on the paper's page, the front page and in Markdown.
fn the_pages_carry_the_claims(study: &Study<'_>) {
    let provenance = Provenance {
        command: "earlydrop reproduce --quick".to_string(),
        version: "0".to_string(),
        is_quick: true,
    };
    let (html, text) = (page(study, &provenance), markdown(study, "", &provenance));
    let all = front(std::slice::from_ref(study), &[], &provenance);
    assert!(!study.reports.is_empty());
    for report in &study.reports {
        let (id, verdict) = (&report.claim.id, report.verdict());
        assert!(html.contains(&format!("id=\"{id}\"")), "{id}");
        if report.seeds > 0 {
            assert!(verdict.starts_with("first look, "), "{verdict}");
        }
        assert!(all.contains(&format!("report.html#{id}\"")), "{id}");
        let row_of = |id: &str| {
            // The page leaves the paper's key out.
            let (_, short) = id.split_once('.').unwrap();
            let begins = format!("| {short}: ");
            text.text.lines().find(|line| line.starts_with(&begins))
        };
        match row_of(id) {
            Some(row) => assert!(row.contains(&verdict), "{id}"),
            // A line of the hypotheses.
            None if report.claim.standing() == Standing::Ours => {
                let about = id.splitn(3, '.').last().unwrap_or_default();
                let has =
                    |line: &str| line.starts_with("- *") && line.contains(&format!("{about} "));
                assert!(text.text.lines().any(has), "{id}");
            }
            // A sign in the row of the claim that is counted.
            None => {
                let row = row_of(&report.claim.beside.name).expect(id);
                let last = id.rsplit('.').next().unwrap_or_default();
                assert!(row.contains(&format!("{last} ")), "{id}");
            }
        }
    }
    // What a quick run says looks like no verdict: no claim has the colour or the sign of one.
    for page in [&html, &all] {
        for class in ["right", "partly", "wrong"] {
            let marks = [
                format!("<a class=\"{class}\""),
                format!("verdict {class}\""),
            ];
            for mark in marks {
                let at = page.find(&mark);
                assert!(
                    at.is_none(),
                    "{mark} in {}",
                    &page[at.unwrap_or(0)..][..200]
                );
            }
        }
    }
    // A link within the page leads somewhere.
    for link in html.split("href=\"#").skip(1) {
        let target = link.split('"').next().unwrap();
        assert!(html.contains(&format!("id=\"{target}\"")), "#{target}");
    }
    for (name, picture) in &text.pictures {
        assert!(text.text.contains(&format!("(pictures/{name})")), "{name}");
        assert!(picture.starts_with("<svg xmlns"), "{name}");
    }
}
