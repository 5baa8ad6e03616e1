//! An estimate has the same text in tables, pages and pictures.

use earlydrop_lab::metrics::{METRICS, Number, index_of};
use earlydrop_lab::plan::{Plan, Source, TraceFiles};
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::summary::{RankedMean, SchemeSummary, Summary};

use super::gather::estimates;
use crate::side_by_side::{self, Comparison, Pair, quantities};
use crate::{latex, table};

const TEXTS: &str = include_str!("../../../earlydrop-model/src/number/texts.csv");

fn plan() -> Plan {
    let source = Source::new(
        "one.toml",
        "schemes = ['red']\nflows.bulk.count = 1",
        TraceFiles::default(),
    );
    source.unwrap().plan().unwrap()
}

/// A summary whose only value is this.
fn summary(metric: usize, mean: RankedMean) -> Summary {
    let mut values = vec![None; METRICS.len()];
    values[metric] = Some(mean);
    let row = SchemeSummary {
        scheme: 0,
        point: 0,
        seeds: 5,
        values,
        live: None,
    };
    Summary {
        rows: vec![row],
        groups: Vec::new(),
        links: Vec::new(),
        moving: Vec::new(),
        cells: Vec::new(),
        group_cells: Vec::new(),
    }
}

/// A live run's value beside a simulated one that was not measured.
fn comparison(name: &str, mean: Mean) -> Comparison {
    let pair = |live| Pair {
        simulated: None,
        live,
        difference: live,
    };
    let quantities = quantities().into_iter();
    let pairs = quantities.map(|one| pair((one.name == name).then_some(mean)));
    Comparison {
        scheme: 0,
        point: 0,
        live_runs: 5,
        doubtful: 0,
        pairs: pairs.collect(),
    }
}

#[test]
fn an_estimate_has_one_text_everywhere() {
    let (plan, name) = (plan(), "fairness");
    let metric = index_of(name).unwrap();
    assert_eq!(METRICS[metric].scale, 1.0);
    let mut seen = 0;
    for line in TEXTS.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [mean, half, "", text] = fields[..] else {
            continue;
        };
        let mean = Mean::new(mean.parse().unwrap(), half.parse().ok(), 5);
        let ranked = RankedMean {
            class: None,
            mean,
            standing: None,
            drift: None,
        };
        let summary = summary(metric, ranked);
        let table = &table::tables(&plan, &summary, Some(&[Number::OfLink(metric)]))[0];
        assert_eq!(table.rows[0][1].text, text, "the terminal");
        assert!(table.markdown().contains(&format!("| {text} |")), "{text}");
        let tex = text.replace('±', "\\pm");
        assert!(latex::tabular(table).contains(&tex), "{tex}");

        let data = estimates(&summary.rows[0].values, METRICS);
        assert_eq!(data[metric].as_ref().unwrap().text, text, "the page");

        let page = side_by_side::page(&plan, &[comparison(name, mean)], ["", ""]);
        let cell = format!(">{text}</td>");
        assert!(page.contains(&cell), "{cell} in {page}");
        let picture = format!("<title>red, live: {text} </title>");
        assert!(
            !mean.mean.is_finite() || page.contains(&picture),
            "{picture} in {page}"
        );
        seen += 1;
    }
    assert!(seen > 10, "{seen}");
}
