//! The papers' figures: each is about what there is, a slip is told with file and line, and
//! what is drawn is what was measured.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use earlydrop_lab::plan::Cell;
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::store::{self, Store};
use earlydrop_papers::catalogue::{Pace, Reproduced, papers};
use earlydrop_papers::claims::Selector;
use earlydrop_papers::pages::{
    Drawn, Experiment, Experiments, Figures, Made, Study, check, front, markdown, page,
};
use tempfile::TempDir;

fn paper(name: &str) -> Reproduced {
    let mut papers = papers().unwrap().into_iter();
    papers.find(|paper| paper.is_called(name)).unwrap()
}

#[test]
fn every_figure_is_about_what_there_is() {
    for paper in papers().unwrap() {
        check(&paper).unwrap_or_else(|problems| panic!("{problems}"));
        let figures = &paper.figures;
        assert!(!figures.proposes.is_empty(), "{}", paper.key);
        let is_drawn = figures.figures.len() >= 2;
        assert!(is_drawn || paper.is_today(), "{}", paper.key);
        for figure in &figures.figures {
            let drawn = !figure.panels.is_empty();
            assert_eq!(drawn, figure.left_out.is_empty(), "{}", figure.id);
            assert!(figure.id.starts_with(&paper.paper.key), "{}", figure.id);
        }
    }
}

/// The figures of CLRED's paper with one slip, and what is told of it.
fn slip(from: &str, to: &str) -> String {
    let papers = Path::new(env!("CARGO_MANIFEST_DIR")).join("papers");
    let text = std::fs::read_to_string(papers.join("clred/figures.toml")).unwrap();
    assert!(text.contains(from), "{from}");
    let slipped = text.replacen(from, to, 1);
    let mut paper = paper("clred");
    let told = match Figures::parse("figures.toml", &slipped) {
        Err(problems) => problems.to_string(),
        Ok(figures) => {
            paper.figures = figures;
            check(&paper).unwrap_err().to_string()
        }
    };
    let line = text[..text.find(from).unwrap()].matches('\n').count() + 1;
    let place = format!("figures.toml:{line}:");
    assert!(told.contains(&place), "{place} is not in {told}");
    told
}

#[test]
fn a_slip_is_told_with_file_and_line() {
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
            "nearest: kind = \"time\"",
        ),
        (
            "caption = \"The parameters.\"",
            "captoin = \"\"",
            "did you mean `caption`?",
        ),
    ] {
        let told = slip(from, to);
        assert!(told.contains(help), "{to}: {told}");
    }
}

#[test]
fn a_claim_belongs_to_one_figure() {
    let mut paper = paper("clred");
    let figures = paper.figures.figures.as_mut_slice();
    let homeless = figures.iter_mut().find(|figure| figure.id == "clred.F6");
    homeless.unwrap().claims.clear();
    let told = check(&paper).unwrap_err().to_string();
    assert!(told.contains("clred.F6.a belongs to 0 figures"), "{told}");
}

/// What the quick runs of some experiments found.
fn experiments(paper: &Reproduced, names: &[&str], folder: &Path) -> Experiments {
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
    let figure = figures.find(|drawn| drawn.figure.id == id).unwrap();
    let picture = |drawn: &Drawn| match drawn {
        Drawn::Picture(drawing) => Some(drawing.inline()),
        _ => None,
    };
    figure.panels.iter().filter_map(picture).collect()
}

#[test]
fn what_is_drawn_is_what_was_measured() {
    let folder = TempDir::new().unwrap();
    let paper = paper("clred");
    let found = experiments(&paper, &["figure-5", "figure-6"], folder.path());
    let study = Study::of(&paper, &found).unwrap();

    // Along a sweep: every point of every scheme, in words.
    let sweep = &pictures(&study, "clred.F6")[0];
    let experiment = &found["figure-6"];
    let selector = Selector::Metric("delay_mean".to_string());
    let measured = experiment.measured(&selector).unwrap();
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
    let experiment = &found["figure-5"];
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
    assert!(rest.contains(&format!(" to {}", earlydrop_report::figure::number(most))));

    the_pages_carry_the_claims(&study);
}

/// Every claim that was run stands on the paper's page, the front page and in Markdown.
fn the_pages_carry_the_claims(study: &Study<'_>) {
    let made = Made {
        command: "earlydrop reproduce --quick".to_string(),
        version: "0".to_string(),
        is_quick: true,
    };
    let (html, text) = (page(study, &made), markdown(study, "", &made));
    let all = front(std::slice::from_ref(study), &[], &made);
    assert!(!study.told.is_empty());
    for told in &study.told {
        let (id, verdict) = (&told.claim.id, told.judged.verdict);
        assert!(html.contains(&format!("id=\"{id}\"")), "{id}");
        assert!(all.contains(&format!("report.html#{id}\"")), "{id}");
        let row = text
            .text
            .lines()
            .find(|line| line.starts_with(&format!("| {id} |")));
        assert!(row.unwrap().contains(&format!("**{verdict}**")), "{id}");
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
