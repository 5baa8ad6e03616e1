//! Tables and picture of `docs/papers/configuration-methods.md` are those of the links that were
//! simulated, and of the methods as they are.

#[path = "../../earlydrop-lab/examples/configuration_methods/links.rs"]
mod links;
#[path = "../../earlydrop-lab/examples/configuration_methods/tables.rs"]
mod tables;

use std::env;
use std::fs;
use std::path::PathBuf;

use earlydrop_model::methods::METHODS;
use earlydrop_report::figure::{Key, Mark, Plot, PlotAxis, PlotPanel, Size, scene, themed_file};

use links::{beside_drop_tail, share, windows};

const LINKS: &str = include_str!("../../../bench/reference/configuration-methods.csv");

/// A file of the book.
fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/papers")
        .join(name)
}

/// Compares a file with what it should be, or writes it.
fn compare(name: &str, fresh: &str) {
    let path = file(name);
    if env::var_os("EARLYDROP_WRITE_PAGES").is_some() {
        fs::write(&path, fresh).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    let hint = "EARLYDROP_WRITE_PAGES=1 cargo test -p earlydrop-report --test it methods_page";
    assert_eq!(committed, fresh, "{name}: {hint}");
}

/// The methods, their equations and their sources.
fn rules() -> String {
    let rows = METHODS.iter().map(|method| {
        let name = format!("`{}`", method.name);
        [name, method.rule.to_string(), method.source.to_string()].to_vec()
    });
    tables::table(&["method", "parameters", "source"], "|---", rows)
}

/// The page with this table below a heading.
fn with_table(page: &str, heading: &str, table: &str) -> String {
    let (before, rest) = page
        .split_once(&format!("\n{heading}\n"))
        .unwrap_or_else(|| panic!("no {heading}"));
    let is_row = |line: &&str| line.starts_with('|');
    let text: Vec<&str> = rest.lines().take_while(|line| !is_row(line)).collect();
    let below = rest.lines().skip(text.len()).skip_while(is_row);
    let below: String = below.map(|line| format!("{line}\n")).collect();
    format!("{before}\n{heading}\n{}\n{table}{below}", text.join("\n"))
}

#[test]
fn the_tables_of_the_page_are_those_of_the_links() {
    let page = fs::read_to_string(file("configuration-methods.md")).unwrap();
    let mut tables = tables::tables(LINKS);
    tables.push(("## The methods", rules()));
    let tables = tables.iter();
    let fresh = tables.fold(page, |page, (heading, table)| {
        with_table(&page, heading, table)
    });
    compare("configuration-methods.md", &fresh);
}

/// The methods that the picture shows, with the colours of their lines.
const SHOWN: [&str; 7] = [
    "configure",
    "paper",
    "morris",
    "floyd-1997",
    "floyd-2001",
    "linux",
    "fq-codel",
];

/// The share of links on which each method meets the goal, by packets a flow.
fn picture() -> Plot {
    let [links, _] = links::links(LINKS);
    let groups = windows();
    let by_size = &groups[..groups.len() - 1];
    let names = by_size.iter().enumerate();
    let ticks = names.map(|(place, (name, _))| (place as f64, name.clone()));
    let mut plot = Plot {
        title: "Links on which a method's advice meets the goal".to_string(),
        x: PlotAxis {
            ticks: ticks.collect(),
            ..PlotAxis::fitting("bandwidth-delay product over flows, packets", None, None)
        },
        has_names_at_ends: true,
        ..Plot::default()
    };
    let mut panel = PlotPanel {
        y: PlotAxis::fitting("links, %", Some(0.0), Some(100.0)),
        marks: Vec::new(),
    };
    for (look, method) in SHOWN.into_iter().enumerate() {
        let met = |(place, (_, is_in)): (usize, &links::Group)| {
            let own = beside_drop_tail(&links, method).filter(|(row, _)| is_in(row));
            let met = share(own.map(|(row, drop_tail)| row.meets_the_goal(drop_tail)));
            (place as f64, 100.0 * met.unwrap_or(f64::NAN))
        };
        let points = by_size.iter().enumerate().map(met).collect();
        let key = Key::both(look);
        panel.marks.push(Mark::line(method, points, key));
        plot.legend.push((method.to_string(), key));
    }
    plot.panels.push(panel);
    plot.describe();
    plot.fit();
    plot
}

#[test]
fn the_picture_of_the_page_is_that_of_the_links() {
    let svg = themed_file(&scene(&picture(), &Size::PAGE));
    compare("pictures/configuration-methods.svg", &svg);
}

#[test]
fn a_table_replaces_the_one_below_its_heading() {
    let page = "# A\n\n## B\n\nText.\n\n| old |\n|---|\n\n## C\n\n| other |\n";
    let fresh = with_table(page, "## B", "| new |\n|---|\n| 1 |\n");
    let wanted = "# A\n\n## B\n\nText.\n\n| new |\n|---|\n| 1 |\n\n## C\n\n| other |\n";
    assert_eq!(fresh, wanted);
}
