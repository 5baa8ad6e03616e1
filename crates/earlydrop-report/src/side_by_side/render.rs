//! The comparison of simulated and live runs as tables, Markdown and JSON.

use std::path::Path;

use serde_json::{Map, Value, json as value};

use crate::table::{Cell, NOT_TRUSTWORTHY_MARK, Table};
use earlydrop_lab::plan::Plan;
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::version;

use super::{Comparison, Pair, Quantity, count_significant, legend, quantities};

/// For each point its label and a table for each quantity; significant differences are emphasised.
pub fn tables(plan: &Plan, rows: &[Comparison]) -> Vec<(String, Vec<(Quantity, Table)>)> {
    let at = |point: usize| {
        let of_point: Vec<&Comparison> = rows.iter().filter(|row| row.point == point).collect();
        let tables = quantities()
            .into_iter()
            .enumerate()
            .map(|(index, quantity)| {
                let table = quantity_table(plan, &of_point, index, &quantity);
                (quantity, table)
            });
        (plan.point_label(point), tables.collect())
    };
    (0..plan.points.len()).map(at).collect()
}

fn quantity_table(plan: &Plan, rows: &[&Comparison], index: usize, quantity: &Quantity) -> Table {
    let row = |row: &&Comparison| {
        let pair = &row.pairs[index];
        let plain = |mean: Option<Mean>| Cell::plain(estimate_text(mean, quantity));
        let difference = signed(pair.difference, quantity);
        let difference = Cell::difference(difference, pair.is_significant());
        let name = Cell::plain(scheme_label(plan, row));
        vec![name, plain(pair.simulated), plain(pair.live), difference]
    };
    let header = ["scheme", "simulated", "live", "difference"];
    Table {
        title: quantity.heading(),
        header: header.map(String::from).into(),
        rows: rows.iter().map(row).collect(),
    }
}

/// The scheme's label, marked where some of its live runs are not trustworthy.
pub(super) fn scheme_label(plan: &Plan, row: &Comparison) -> String {
    let label = plan.labels()[row.scheme];
    match row.doubtful {
        0 => label.to_string(),
        _ => format!("{label}{NOT_TRUSTWORTHY_MARK}"),
    }
}

/// "9.1 ± 0.2" in the quantity's unit; "-" where nothing was measured.
pub(super) fn estimate_text(mean: Option<Mean>, quantity: &Quantity) -> String {
    let text = mean.map(|mean| mean.with_interval(quantity.scale));
    text.unwrap_or_else(|| "-".to_string())
}

/// A difference with its sign: "+0.5 ± 0.2".
fn signed(difference: Option<Mean>, quantity: &Quantity) -> String {
    let text = difference.map(|mean| mean.difference(quantity.scale));
    text.unwrap_or_else(|| "-".to_string())
}

/// The comparison in Markdown: a table for each point, differences in parentheses, significant ones
/// in bold.
pub fn markdown(plan: &Plan, rows: &[Comparison]) -> String {
    let mut text = format!(
        "{} Cells: simulated, live (difference); bold: significant.\n\n",
        legend(rows)
    );
    let seeds = plan.seeds.len();
    let scenario = plan.scenario();
    text.push_str(&format!(
        "{seeds} runs each of {}, the first {} not measured.\n\n\
         Made by `earlydrop compare --live`, version {}.\n",
        scenario.duration,
        scenario.warm_up,
        version()
    ));
    for point in 0..plan.points.len() {
        let of_point = rows.iter().filter(|row| row.point == point);
        let mut header = vec!["scheme".to_string()];
        header.extend(quantities().iter().map(Quantity::heading));
        let table = Table {
            title: plan.point_label(point),
            header,
            rows: of_point.map(|row| cells(plan, row)).collect(),
        };
        text.push('\n');
        text.push_str(&table.markdown());
    }
    text
}

/// One row of the Markdown table.
fn cells(plan: &Plan, row: &Comparison) -> Vec<Cell> {
    let cell = |(pair, quantity): (&Pair, Quantity)| {
        let [simulated, live] =
            [pair.simulated, pair.live].map(|mean| estimate_text(mean, &quantity));
        let difference = signed(pair.difference, &quantity);
        let text = format!("{simulated}, {live} ({difference})");
        Cell::difference(text, pair.is_significant())
    };
    let name = Cell::plain(scheme_label(plan, row));
    let cells = row.pairs.iter().zip(quantities()).map(cell);
    [name].into_iter().chain(cells).collect()
}

/// The comparison as one JSON document in base units, with the paths of both reports and the page.
pub fn json(plan: &Plan, rows: &[Comparison], reports: [&Path; 2], page: &Path) -> Value {
    let quantities = quantities();
    let described = quantities.iter().map(|quantity| {
        let about = value!({
            "title": quantity.title,
            "unit": quantity.unit,
            "scale": quantity.scale,
            "meaning": quantity.meaning,
        });
        (quantity.name.to_string(), about)
    });
    let labels = plan.labels();
    let row = |row: &Comparison| {
        let pairs = row.pairs.iter().zip(&quantities).map(|(pair, quantity)| {
            let both = value!({
                "simulated": mean(pair.simulated),
                "live": mean(pair.live),
                "difference": mean(pair.difference),
                "significantly_different": pair.is_significant(),
            });
            (quantity.name.to_string(), both)
        });
        let axes = plan.axes.iter().zip(&plan.points[row.point].coordinates);
        let point = axes.map(|(axis, index)| (axis.field.clone(), axis.text(*index).into()));
        value!({
            "scheme": labels[row.scheme],
            "point": point.collect::<Map<String, Value>>(),
            "live_runs": row.live_runs,
            "not_trustworthy": row.doubtful,
            "quantities": pairs.collect::<Map<String, Value>>(),
        })
    };
    let (significant, of) = count_significant(rows);
    value!({
        "earlydrop": version(),
        "title": plan.scenario().title,
        "seeds": plan.seeds,
        "simulated": reports[0],
        "live": reports[1],
        "page": page,
        "significantly_different": significant,
        "compared": of,
        "quantities": described.collect::<Map<String, Value>>(),
        "rows": rows.iter().map(row).collect::<Vec<Value>>(),
    })
}

fn mean(mean: Option<Mean>) -> Value {
    match mean {
        Some(mean) => value!({ "mean": mean.mean, "half_width_95": mean.half }),
        None => Value::Null,
    }
}
