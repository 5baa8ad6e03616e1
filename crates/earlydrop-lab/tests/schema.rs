//! The schema accepts what the reader accepts, and refuses what it can; the page about scenarios
//! is current.

use std::fs;
use std::path::{Path, PathBuf};

use earlydrop_lab::document::{Node, Shape};
use earlydrop_lab::plan::Source;
use earlydrop_lab::scenario::{SCENARIO, page, schema};
use jsonschema::Validator;
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn validator() -> Validator {
    jsonschema::draft202012::new(&schema()).unwrap()
}

fn json(toml: &str) -> Value {
    let tree = Node::parse(toml);
    tree.unwrap_or_else(|problems| panic!("{toml}\n{problems:?}"))
        .to_json()
}

fn errors(validator: &Validator, toml: &str) -> Vec<String> {
    let document = json(toml);
    let errors = validator.iter_errors(&document);
    errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

#[test]
fn the_schema_is_valid() {
    let schema = schema();
    assert!(jsonschema::draft202012::meta::is_valid(&schema));
    // Every field that its own reader checks has a schema of its own.
    for field in SCENARIO.fields {
        if matches!(field.shape, Shape::Open(_)) {
            let of_field = schema["properties"][field.name].as_object().unwrap();
            let says = |key: &String| !["description", "default"].contains(&key.as_str());
            assert!(of_field.keys().any(says), "{}", field.name);
        }
    }
}

#[test]
fn every_scenario_of_the_folder_is_accepted() {
    let validator = validator();
    for entry in fs::read_dir(root().join("scenarios")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!(errors(&validator, &text), [""; 0], "{}", path.display());
        }
    }
}

#[test]
fn what_the_reader_accepts_the_schema_accepts() {
    let validator = validator();
    for lines in [
        "",
        "duration = \"1e2 s\"\nwarm_up = 0",
        "duration = \" .5 s \"\nwarm_up = \"0\"\nflows.a.start = \"0..0.2 s\"",
        "seeds = [1, 2, \"3\"]\ntitle = 2026",
        "schemes = \"red:min=3\"",
        "schemes = [{ scheme = \"red\", name = \"mine\", min = \"3 packets\" }, \"pie\"]",
        "schemes = { red = {}, other = { scheme = \"red\", max = \"20 ms\", min = 3 } }",
        "schemes = [\"fq-red\", { scheme = \"fq-red\", name = \"b\", inner = \"red\" }]",
        "schemes = { fq-red = { \"inner.min\" = 3 }, b = \"fq-red:inner.min=4\" }",
        "schemes.codel.target = 0.005\nschemes.red.ecn = false",
        "schemes = [\"red\", \"codel\"]\nparameters = { min = \"10\", target = \"5 ms\" }",
        "schemes = [\"red\"]\nparameters.as = \"linux\"",
        "network = { loss = \"1%\", buffer = 50, access = \"auto\" }",
        "network.reverse.queue = \"none\"\nnetwork.delay = 0",
        "network.changes = [{ at = \"1 s\", state = \"down\" }, { at = \"2 s\", state = \"up\" }]",
        "tcp = \"cubic\"\nflows.a.tcp = { ecn = \"on\", handshake = true, max_burst = \"never\" }",
        "tcp.limited_transmit = \"off\"\ntcp.tick = \"10 ms\"",
        "flows.a = { kind = \"web\", size = \"pareto(1.2)12 kB\", pause = \"exponential 2 s\" }",
        "flows.a = { kind = \"web\", size = \"10 packets\", pause = 0 }",
        "flows.a = { stop = \"never\", steps = [{ at = \"3 s\", do = \"stop\" }] }",
        "sweep.\"network.rtt\" = [\"50 ms\", \"60 ms\"]",
        "sweep.network.rtt = { from = \"10 ms\", to = \"80 ms\", points = 3, scale = \"log\" }",
        "sweep.\"flows.a.count\" = { from = 1, to = 9, step = 4 }\nsweep.parameters.ecn = [true]",
        "sweep.tcp = [\"reno\", \"cubic\"]\nsweep.network.reverse.loss = [0, 0.1]",
        "sweep.flows.a.tcp.control = [\"reno\", \"cubic\"]\nsweep.duration = [\"9 s\", \"8 s\"]",
    ] {
        let text = match lines.contains("flows.a =") || lines.contains("\nflows.a") {
            true => lines.to_string(),
            false => format!("{lines}\n[flows.a]\n"),
        };
        let planned = Source::new("a.toml", &text, PathBuf::new()).and_then(|source| source.plan());
        assert!(planned.is_ok(), "{text}\n{}", planned.unwrap_err());
        assert_eq!(errors(&validator, &text), [""; 0], "{text}");
    }
}

#[test]
fn errors_are_refused_by_both() {
    let validator = validator();
    for lines in [
        "durations = \"3 s\"",
        "duration = 3",
        "duration = \"3 sek\"",
        "duration = \"3 Mbps\"",
        "warm_up = \"-1 s\"",
        "seeds = 0",
        "seeds = []",
        "seeds = [1, 1]",
        "network.rate = \"10 Mpbs\"",
        "network.rate = 10",
        "network.loss = 2",
        "network.shape = \"ring\"",
        "network.bottlenecks = 3",
        "network.reverse.buffer = 3",
        "network.links = [{ from = \"a\", to = \"b\" }]",
        "network.changes = [{ when = \"3 s\" }]",
        "schemes = [\"redd\"]",
        "schemes = []",
        "schemes = { mine = {} }",
        "schemes = { red = { mni = 3 } }",
        "schemes = [{ scheme = \"codel\", min = 3 }]",
        "schemes = [{ scheme = \"red\", min = \"3 Mbps\" }]",
        "parameters = { mni = 3 }",
        "tcp = \"cubik\"",
        "tcp.growth = \"fast\"",
        "flows.b.kind = \"bulky\"",
        "flows.b.count = 1.5",
        "flows.b.on = \"3 s\"",
        "flows.b = { kind = \"web\", size = \"gaussian(1) 3 kB\" }",
        "flows.b = { kind = \"web\", size = \"3 s\" }",
        "flows.b.start = \"1..2 s\"",
        "flows.b.tcp.ecn = true",
        "measure.series = \"some\"",
        "sweep.\"network.rat\" = [\"1 Mbps\"]",
        "sweep.\"network.rate\" = [\"1 Mpbs\"]",
        "sweep.\"network.rate\" = []",
        "sweep.\"network.rate\" = { from = \"1 Mbps\", to = \"2 Mbps\", stpe = \"1 Mbps\" }",
        "sweep.seeds = [1, 2]",
        "sweep.title = [\"a\"]",
    ] {
        let text = format!("{lines}\n[flows.a]\n");
        let planned = Source::new("a.toml", &text, PathBuf::new()).and_then(|source| source.plan());
        assert!(planned.is_err(), "the reader accepts {text}");
        assert!(
            !validator.is_valid(&json(&text)),
            "the schema accepts {text}"
        );
    }
}

#[test]
fn the_page_of_scenarios_is_current() {
    let committed = fs::read_to_string(root().join("docs/reference/scenarios.md")).unwrap();
    assert!(
        committed == page(),
        "run: cargo run -p earlydrop-lab --example scenarios_page > docs/reference/scenarios.md"
    );
}

#[test]
fn the_page_has_whole_tables_and_examples_that_plan() {
    let page = page();
    for row in page.lines().filter(|line| line.starts_with('|')) {
        assert!(row.ends_with('|'), "{row}");
    }
    let examples: Vec<&str> = page.split("```toml\n").skip(1).collect();
    assert!(examples.len() >= 5);
    for example in examples {
        let text = example.split("```").next().unwrap();
        let planned = Source::new("page", text, PathBuf::new()).and_then(|source| source.plan());
        assert!(planned.is_ok(), "{text}\n{}", planned.unwrap_err());
    }
}
