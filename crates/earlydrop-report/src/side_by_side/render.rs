//! The comparison as tables, as Markdown and as JSON.

use std::path::Path;

use serde_json::{Map, Value, json as value};

use crate::table::{Cell, DOUBTFUL, Table, title};
use earlydrop_lab::plan::Plan;
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::version;

use super::{Pair, Quantity, Row, apart, quantities, reading};

/// A table for each quantity at each point: what stands above those of a point, and its
/// tables. A difference that is told apart is marked.
pub fn tables(plan: &Plan, rows: &[Row]) -> Vec<(String, Vec<(Quantity, Table)>)> {
    let at = |point: usize| {
        let of_point: Vec<&Row> = rows.iter().filter(|row| row.point == point).collect();
        let tables = quantities()
            .into_iter()
            .enumerate()
            .map(|(index, quantity)| {
                let table = of_quantity(plan, &of_point, index, &quantity);
                (quantity, table)
            });
        (title(plan, point), tables.collect())
    };
    (0..plan.points.len()).map(at).collect()
}

fn of_quantity(plan: &Plan, rows: &[&Row], index: usize, quantity: &Quantity) -> Table {
    let row = |row: &&Row| {
        let pair = &row.pairs[index];
        let plain = |mean: Option<Mean>| Cell {
            text: shown(mean, quantity),
            best: false,
        };
        let difference = Cell {
            text: signed(pair.difference, quantity),
            best: pair.is_apart(),
        };
        let name = Cell {
            text: name(plan, row),
            best: false,
        };
        vec![name, plain(pair.simulated), plain(pair.live), difference]
    };
    let header = ["scheme", "simulated", "live", "difference"];
    Table {
        title: quantity.heading(),
        header: header.map(String::from).into(),
        rows: rows.iter().map(row).collect(),
    }
}

/// A row's name, with a mark where some of its runs cannot be believed.
pub(super) fn name(plan: &Plan, row: &Row) -> String {
    let label = plan.labels()[row.scheme];
    match row.doubtful {
        0 => label.to_string(),
        _ => format!("{label}{DOUBTFUL}"),
    }
}

pub(super) fn shown(mean: Option<Mean>, quantity: &Quantity) -> String {
    let text = mean.map(|mean| mean.with_interval(quantity.scale));
    text.unwrap_or_else(|| "-".to_string())
}

/// A difference with its sign: "+0.5 ± 0.2".
fn signed(difference: Option<Mean>, quantity: &Quantity) -> String {
    let text = shown(difference, quantity);
    match difference {
        Some(mean) if mean.mean > 0.0 => format!("+{text}"),
        _ => text,
    }
}

/// The comparison in Markdown: a table for each point, the difference of each quantity in
/// brackets, in bold where it is told apart.
pub fn markdown(plan: &Plan, rows: &[Row]) -> String {
    let mut text = format!(
        "{} A cell is: simulated, live (difference). Bold: told apart.\n\n",
        reading(rows)
    );
    let seeds = plan.seeds.len();
    let scenario = plan.scenario();
    text.push_str(&format!(
        "{seeds} runs each of {}, of which the first {} are left out; earlydrop {}.\n",
        scenario.duration,
        scenario.warm_up,
        version()
    ));
    for point in 0..plan.points.len() {
        let of_point = rows.iter().filter(|row| row.point == point);
        let mut header = vec!["scheme".to_string()];
        header.extend(quantities().iter().map(Quantity::heading));
        let table = Table {
            title: title(plan, point),
            header,
            rows: of_point.map(|row| in_one_line(plan, row)).collect(),
        };
        text.push('\n');
        text.push_str(&table.markdown());
    }
    text
}

fn in_one_line(plan: &Plan, row: &Row) -> Vec<Cell> {
    let cell = |(pair, quantity): (&Pair, Quantity)| {
        let [simulated, live] = [pair.simulated, pair.live].map(|mean| shown(mean, &quantity));
        let difference = signed(pair.difference, &quantity);
        Cell {
            text: format!("{simulated}, {live} ({difference})"),
            best: pair.is_apart(),
        }
    };
    let name = Cell {
        text: name(plan, row),
        best: false,
    };
    let cells = row.pairs.iter().zip(quantities()).map(cell);
    [name].into_iter().chain(cells).collect()
}

/// The comparison as one JSON document; reports and page are at these paths.
pub fn json(plan: &Plan, rows: &[Row], reports: [&Path; 2], page: &Path) -> Value {
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
    let row = |row: &Row| {
        let pairs = row.pairs.iter().zip(&quantities).map(|(pair, quantity)| {
            let both = value!({
                "simulated": mean(pair.simulated),
                "live": mean(pair.live),
                "difference": mean(pair.difference),
                "told_apart": pair.is_apart(),
            });
            (quantity.name.to_string(), both)
        });
        let axes = plan.axes.iter().zip(&plan.points[row.point].coordinates);
        let point =
            axes.map(|(axis, index)| (axis.field.clone(), axis.texts()[*index].clone().into()));
        value!({
            "scheme": labels[row.scheme],
            "point": point.collect::<Map<String, Value>>(),
            "live_runs": row.live_runs,
            "not_trustworthy": row.doubtful,
            "quantities": pairs.collect::<Map<String, Value>>(),
        })
    };
    let (told, of) = apart(rows);
    value!({
        "earlydrop": version(),
        "title": plan.scenario().title,
        "seeds": plan.seeds,
        "simulated": reports[0],
        "live": reports[1],
        "page": page,
        "told_apart": told,
        "compared": of,
        "quantities": described.collect::<Map<String, Value>>(),
        "rows": rows.iter().map(row).collect::<Vec<Value>>(),
    })
}

/// In base units.
fn mean(mean: Option<Mean>) -> Value {
    match mean {
        Some(mean) => value!({ "mean": mean.mean, "half_width_95": mean.half }),
        None => Value::Null,
    }
}
