//! The folder `papers/`: every experiment plans and runs, and every claim refers to what its
//! experiment has.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use earlydrop::registry::{SCHEMES, Spec};
use earlydrop_lab::document::{Content, Node};
use earlydrop_lab::metrics;
use earlydrop_lab::plan::{Cell, Plan, Source};
use earlydrop_lab::scenario::Scheme;
use earlydrop_papers::catalogue::Catalogue;
use earlydrop_papers::claims::{Paper, Selector, Standing};

const CLAIMS: &str = "claims.toml";
/// Files of a folder that are no experiments.
const OTHERS: [&str; 7] = [
    CLAIMS,
    "sentences.toml",
    "choices.toml",
    "figures.toml",
    "ideas.toml",
    "findings.toml",
    "readings.toml",
];

pub(crate) fn folders() -> Vec<PathBuf> {
    let papers = Path::new(env!("CARGO_MANIFEST_DIR")).join("papers");
    let entries = fs::read_dir(papers).unwrap();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    assert_eq!(folders.len(), 7, "{folders:?}");
    folders
}

/// The experiments of a folder, in order of their names.
fn experiments(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    let is_scenario = |path: &PathBuf| path.extension().is_some_and(|e| e == "toml");
    files.retain(|path| is_scenario(path) && !OTHERS.contains(&&*name(path)));
    files.sort();
    assert!(files.len() >= 4, "{files:?}");
    files
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn plan(source: &Source) -> Plan {
    source
        .plan()
        .unwrap_or_else(|problems| panic!("{problems}"))
}

/// The claims of a folder as they are written.
pub(crate) fn claims_of(folder: &Path) -> Node {
    let text = fs::read_to_string(folder.join(CLAIMS)).unwrap();
    Node::parse(&text).unwrap_or_else(|problems| panic!("{}: {problems:?}", folder.display()))
}

pub(crate) fn list<'a>(table: &'a Node, key: &str) -> &'a [Node] {
    match table.at(&[key]).map(|node| &node.content) {
        Some(Content::List(items)) => items,
        Some(other) => panic!("`{key}` is no list: {other:?}"),
        None => &[],
    }
}

/// The names in a table with what stands under each.
fn entries(table: &Node) -> impl Iterator<Item = (&str, &Node)> {
    let Content::Table(entries) = &table.content else {
        panic!("no table: {}", table.to_toml());
    };
    entries.iter().map(|(key, node)| (key.name.as_str(), node))
}

fn text(table: &Node, key: &str) -> Option<String> {
    table.at(&[key])?.text()
}

/// How long an experiment must last at least: until all its flows have begun.
fn shortest(path: &Path) -> &'static str {
    const LATE: [(&str, &str); 4] = [
        ("rared/", "21 s"),
        ("sfred-nlred/open-sfred-short", "96 s"),
        ("today/change", "17 s"),
        ("today/mix", "56 s"),
    ];
    let path = path.to_string_lossy();
    let late = LATE.iter().find(|(file, _)| path.contains(file));
    late.map_or("3 s", |(_, duration)| duration)
}

#[test]
fn every_scheme_of_every_experiment_runs() {
    for path in folders().iter().flat_map(|folder| experiments(folder)) {
        let mut source = Source::open(&path).unwrap();
        source.set("duration", shortest(&path), "cut");
        source.set("warm_up", "1 s", "cut");
        source.set("measure.sample", "100 ms", "cut");
        let plan = plan(&source);
        for scheme in 0..plan.labels().len() {
            let (seed, point) = (0, 0);
            let cell = Cell {
                seed,
                point,
                scheme,
            };
            let prepared = plan.prepare(cell, plan.keeps_series(cell));
            let prepared = prepared.unwrap_or_else(|problem| panic!("{problem}"));
            let results = prepared.run.results().unwrap();
            let used = results.queue(prepared.watched).unwrap().utilisation;
            let what = format!("{}, {}", path.display(), plan.labels()[scheme]);
            // SFRED may keep few transfers from filling a link.
            assert!(used > 0.1, "{what}: the link is used at {used}");
        }
    }
}

/// The authors in a paper's name, as comments give them: "Hassan & Oluwatope".
fn authors(folder: &Path) -> String {
    let name = text(&claims_of(folder), "name").unwrap();
    let (authors, scheme) = name.split_once(", ").unwrap();
    assert!(!scheme.is_empty(), "{name}");
    authors.to_string()
}

#[test]
fn every_experiment_names_its_paper_and_has_a_title() {
    for path in folders().iter().flat_map(|folder| experiments(folder)) {
        let text = fs::read_to_string(&path).unwrap();
        let folder = path.parent().unwrap();
        let names_its_paper = match name(folder).as_str() {
            "today" => text.starts_with("# Today, "),
            "curves" => text.starts_with("# Curves, "),
            _ => text.starts_with(&format!("# {}", authors(folder))),
        };
        assert!(names_its_paper, "{}: names no paper", path.display());
        let plan = plan(&Source::open(&path).unwrap());
        let scenario = plan.scenario();
        assert!(!scenario.title.is_empty() && !scenario.about.is_empty());
        assert!(plan.seeds.len() >= 10, "{}", path.display());
        let fits = |line: &str| line.chars().count() <= 100 && !line.contains('\t');
        assert!(text.lines().all(fits), "{}: a long line", path.display());
    }
}

#[test]
fn every_file_of_claims_is_read_whole() {
    for folder in folders() {
        let text = fs::read_to_string(folder.join(CLAIMS)).unwrap();
        let paper = Paper::parse(&folder.display().to_string(), &text);
        let paper = paper.unwrap_or_else(|problems| panic!("{problems}"));
        let table = claims_of(&folder);
        assert_eq!(paper.claims.len(), list(&table, "claims").len());
        assert_eq!(name(&folder), paper.key);
        assert!(self::text(&table, "summary").is_some());
    }
}

#[test]
fn every_claim_is_about_what_its_experiment_has() {
    let mut ids = BTreeSet::new();
    for folder in folders() {
        let table = claims_of(&folder);
        let paper = text(&table, "paper").unwrap();
        for claim in list(&table, "claims") {
            let id = text(claim, "id").unwrap();
            assert!(ids.insert(id.clone()), "two claims are called {id}");
            assert!(id.starts_with(&format!("{paper}.")), "{id}");
            for (key, value) in entries(claim) {
                let known = [
                    "id",
                    "beside",
                    "figure",
                    "claim",
                    "experiment",
                    "metric",
                    "added",
                    "changed",
                    "printed",
                    "test",
                    "wrong",
                ];
                assert!(known.contains(&key), "{id}: {key} = {}", value.to_toml());
            }
            check(&folder, &id, claim);
        }
        check_wrong(&table);
    }
    assert!(ids.len() >= 200, "{} claims", ids.len());
}

/// What a paper's claims run in place of their schemes are schemes, and what `[wrong]` names
/// are schemes that claims are about.
fn check_wrong(paper: &Node) {
    let claims = || list(paper, "claims").iter();
    let tests = || claims().filter_map(|claim| claim.at(&["test"]));
    let about: BTreeSet<String> = tests().flat_map(named_schemes).collect();
    let by_default: Vec<(&str, &Node)> = paper
        .at(&["wrong"])
        .map(entries)
        .into_iter()
        .flatten()
        .collect();
    for (name, _) in &by_default {
        assert!(about.contains(*name), "[wrong]: no claim is about {name}");
    }
    let own = claims().filter_map(|claim| text(claim, "wrong"));
    let wrong = by_default.iter().filter_map(|(_, node)| node.text());
    for scheme in own.chain(wrong) {
        let known = about.contains(&scheme) || scheme.parse::<Spec>().is_ok();
        assert!(known, "{scheme} is no scheme");
    }
}

#[test]
fn every_idea_and_every_reading_rests_on_claims() {
    let Catalogue { papers, ideas, .. } = Catalogue::read().unwrap();
    let claims = || papers.iter().flat_map(|paper| &paper.paper.claims);
    for name in ideas.claim_names() {
        assert!(claims().any(|claim| claim.matches(name)), "no claim {name}");
    }
    let of_papers = || claims().filter(|claim| claim.standing() == Standing::Paper);
    for name in ideas.ideas.iter().flat_map(|idea| &idea.claimed) {
        let is_known = of_papers().any(|claim| claim.matches(name));
        assert!(is_known, "no claim of a paper is called {name}");
    }
    // Every claim about a reading stands in the table of readings.
    let is_listed = |id: &str| ideas.claim_names().any(|name| id.starts_with(name));
    for claim in claims().filter(|claim| claim.id.contains(".reading.")) {
        assert!(is_listed(&claim.id), "{} is in no table", claim.id);
    }
}

#[test]
fn every_curve_has_a_rule_that_rests_on_its_claims_alone() {
    let catalogue = Catalogue::read().unwrap();
    let curves = catalogue.paper("curves").unwrap();
    assert!(curves.is_ours() && !curves.is_today());
    let claims = &curves.paper.claims;
    assert!(
        claims
            .iter()
            .all(|claim| claim.standing() == Standing::Ours)
    );
    for idea in &curves.ideas {
        let own = format!("curves.{}", idea.id);
        assert_eq!(idea.needs, [own.as_str()]);
        let rests_on: Vec<_> = claims.iter().filter(|claim| claim.matches(&own)).collect();
        assert!(rests_on.len() >= 2, "{own}: {}", rests_on.len());
    }
    let selection = catalogue.select("curves").unwrap();
    let with_ideas: Vec<_> = selection.with_own_ideas().collect();
    assert_eq!(with_ideas.len(), 1);
    assert!(!selection.has_ideas && !curves.findings.is_empty());
}

#[test]
fn claims_that_ideas_rest_on_are_selected_with_them() {
    let catalogue = Catalogue::read().unwrap();
    let ids = |what: &str| -> BTreeSet<String> {
        let selection = catalogue.select(what).unwrap();
        let claims = selection.papers.into_iter().flat_map(|(_, claims)| claims);
        claims.map(|claim| claim.id.clone()).collect()
    };
    let with_ideas = ids("today");
    assert!(with_ideas.contains("today.nlred.rates.delay"));
    assert!(with_ideas.contains("restraint.open.voice.tcp"));
    assert!(!with_ideas.contains("clred.F6.a"));
    assert!(ids("clred").iter().all(|id| id.starts_with("clred.")));
    // An id selects its claim alone, the beginning of ids all that begin so.
    assert_eq!(
        ids("clred.F6.a"),
        BTreeSet::from(["clred.F6.a".to_string()])
    );
    let figure = ids("clred.F6");
    assert!(figure.contains("clred.F6.a.printed") && figure.contains("clred.F6.b"));
    let all: usize = catalogue
        .papers
        .iter()
        .map(|paper| paper.paper.claims.len())
        .sum();
    assert_eq!(ids("").len(), all);
}

#[test]
fn an_unknown_paper_is_refused_with_the_list_of_keys() {
    let catalogue = Catalogue::read().unwrap();
    for name in ["001", "000.F2-3.a", "claired"] {
        let error = catalogue.select(name).unwrap_err();
        assert_eq!(error.papers.len(), 7);
        let keys = "(papers: sfred-nlred, clred, restraint, red-config, rared, today, curves)";
        assert!(error.to_string().ends_with(keys), "{error}");
    }
    let error = catalogue.select("clerd").unwrap_err();
    assert_eq!(error.nearest.as_deref(), Some("clred"));
}

/// Checks a claim against its experiment, where it names one.
fn check(folder: &Path, id: &str, claim: &Node) {
    let test = claim.at(&["test"]).unwrap();
    let kind = text(test, "kind").unwrap();
    let Some(experiment) = text(claim, "experiment") else {
        assert_eq!(kind, "undecidable", "{id} names no experiment");
        return;
    };
    let path = folder.join(format!("{experiment}.toml"));
    let source = Source::open(&path).unwrap_or_else(|error| panic!("{id}: {error}"));
    let plan = plan(&source);
    check_schemes(id, test, &plan);
    check_axes(id, test, &plan);
    check_metric(id, claim, test, &plan);
    if kind == "undecidable" {
        assert!(text(test, "missing").is_some_and(|missing| !missing.is_empty()));
    } else {
        let schemes = named_schemes(test);
        assert!(!schemes.is_empty(), "{id} is about no scheme");
    }
}

/// The schemes that a test names.
fn named_schemes(test: &Node) -> Vec<String> {
    let several = list(test, "than").iter().chain(list(test, "schemes"));
    let several = several.map(|name| name.text().unwrap());
    text(test, "scheme").into_iter().chain(several).collect()
}

fn check_schemes(id: &str, test: &Node, plan: &Plan) {
    let schemes = named_schemes(test);
    let unlike: BTreeSet<&String> = schemes.iter().collect();
    assert_eq!(unlike.len(), schemes.len(), "{id} names a scheme twice");
    let labels = plan.labels();
    for scheme in schemes {
        assert!(
            labels.contains(&scheme.as_str()),
            "{id}: no {scheme} among {labels:?}"
        );
    }
}

/// Every axis that a test names is swept, and takes the values that it names.
fn check_axes(id: &str, test: &Node, plan: &Plan) {
    let axis = |field: &str| {
        let found = plan.axes.iter().find(|axis| axis.field == field);
        found
            .unwrap_or_else(|| panic!("{id}: {field} is not swept"))
            .texts()
    };
    let has = |field: &str, value: &Node| {
        let (written, texts) = (value.text().unwrap(), axis(field));
        assert!(
            texts.contains(&written),
            "{id}: {field} is never {written}, only {texts:?}"
        );
    };
    for key in ["over", "with"] {
        text(test, key).map(|field| axis(&field));
    }
    if let Some(over) = text(test, "over") {
        let ends = ["from", "to"].map(|end| test.at(&[end]));
        ends.into_iter().flatten().for_each(|end| has(&over, end));
    }
    for (field, values) in test.at(&["at"]).map(entries).into_iter().flatten() {
        let Content::List(values) = &values.content else {
            panic!("{id}: {field} = {}", values.to_toml());
        };
        values.iter().for_each(|value| has(field, value));
    }
}

fn check_group(id: &str, groups: &[&str], name: &str, plan: &Plan) {
    let known = &plan.scenario().groups;
    for group in groups {
        assert!(known.iter().any(|g| &*g.name == *group), "{id}: {group}");
    }
    let mut of_groups = metrics::of_groups();
    assert!(of_groups.any(|metric| metric.name == name), "{id}: {name}");
}

fn check_metric(id: &str, claim: &Node, test: &Node, plan: &Plan) {
    let Some(metric) = text(claim, "metric") else {
        panic!("{id} has no metric");
    };
    let parts: Vec<&str> = metric.split(':').collect();
    match parts.as_slice() {
        [name] => assert!(metrics::index_of(name).is_some(), "{id}: {name}"),
        ["group", group, name] => check_group(id, &[group], name, plan),
        ["count" | "root", name] => assert!(metrics::index_of(name).is_some(), "{id}: {name}"),
        ["mathis", group] => check_group(id, &[group], "round_trip_mean", plan),
        ["groups" | "sum", one, other, name] => check_group(id, &[one, other], name, plan),
        ["series", name, _] => {
            assert!(metric.parse::<Selector>().is_ok(), "{id}: {metric}");
            check_series(id, &[name], test, plan);
        }
        ["detects", alarm, condition, _, within @ ..] => {
            assert!(metric.parse::<Selector>().is_ok(), "{id}: {metric}");
            let condition = condition.strip_suffix(" rise").unwrap_or(condition);
            let names = condition
                .split(" above ")
                .flat_map(|one| one.split(" and "));
            let names = names
                .chain([alarm.strip_suffix(" quickens").unwrap_or(alarm)])
                .chain(within.first().copied());
            check_series(id, &names.collect::<Vec<&str>>(), test, plan);
        }
        ["within", name, _, _] => {
            assert!(metric.parse::<Selector>().is_ok(), "{id}: {metric}");
            check_series(id, &[name], test, plan);
        }
        ["until", one, other, _, _] => {
            assert!(metric.parse::<Selector>().is_ok(), "{id}: {metric}");
            check_series(id, &[one, other], test, plan);
        }
        ["apart" | "rises", names @ ..] => check_series(id, names, test, plan),
        _ => panic!("{id}: {metric}"),
    }
}

/// Every run keeps these series.
fn check_series(id: &str, names: &[&str], test: &Node, plan: &Plan) {
    let every = (0..plan.seeds.len()).all(|seed| {
        let (point, scheme) = (0, 0);
        let cell = Cell {
            seed,
            point,
            scheme,
        };
        plan.keeps_series(cell)
    });
    assert!(every, "{id}: only some runs keep their series");
    let schemes = &plan.scenario().schemes;
    let about = schemes
        .iter()
        .filter(|scheme| named_schemes(test).contains(&scheme.label));
    for scheme in about {
        for name in names {
            let known = shows(scheme, name) || is_of_a_group(name, plan);
            assert!(known, "{id}: {} has no {name}", scheme.label);
        }
    }
}

fn is_of_a_group(name: &str, plan: &Plan) -> bool {
    let mut groups = plan.scenario().groups.iter();
    let name = name.strip_prefix("packet ").unwrap_or(name);
    let prefixes = ["arrivals of ", "departures of "];
    let group = prefixes.iter().find_map(|what| name.strip_prefix(what));
    group.is_some_and(|group| groups.any(|known| &*known.name == group))
}

/// Whether something can be sampled over time under a scheme.
fn shows(scheme: &Scheme, name: &str) -> bool {
    let spec = scheme.spec.to_string();
    let kind = spec.split(':').next().unwrap();
    let descriptor = SCHEMES.iter().find(|known| known.name == kind).unwrap();
    let of_queue = ["queue", "drops", "marks"].contains(&name);
    of_queue || descriptor.probes.iter().any(|probe| probe.name == name)
}
