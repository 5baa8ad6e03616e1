//! A picture as JSON, for programs that draw it themselves: places in the units of the data,
//! colours, dashes and symbols as they are drawn.

use serde_json::{Value, json};

use super::layout::scaled;
use super::marks::{colour, dashes, symbol};
use super::svg::hex;
use super::{Key, Mark, Plot, PlotAxis, PlotPanel, Size, scene};

/// The picture as it is drawn in this size, in points; a place that is not finite is `null`.
pub fn json(plot: &Plot, size: &Size) -> Value {
    let drawn = scene(plot, size);
    let wanted = if size.width > 210.0 { 6 } else { 4 };
    let mut document = parts(plot, wanted, 4);
    document["width"] = drawn.width.into();
    document["height"] = drawn.height.into();
    document["font"] = size.font.into();
    document
}

/// The picture without a size, for a page that fits it to its own; about this many ticks along each
/// axis.
pub(crate) fn parts(plot: &Plot, along_x: usize, along_y: usize) -> Value {
    json!({
        "title": plot.title,
        "description": plot.description,
        "x": axis(&plot.x, along_x),
        "panels": plot.panels.iter().map(|one| panel(one, along_y)).collect::<Vec<_>>(),
        "legend": plot.legend.iter().map(entry).collect::<Vec<_>>(),
    })
}

/// An axis without a size; about `wanted` ticks.
pub(crate) fn axis(axis: &PlotAxis, wanted: usize) -> Value {
    json!({
        "label": axis.label,
        "ends": axis.scale().ends(),
        "is_log": axis.is_log,
        "is_exact": axis.is_exact,
        "keeps_start": axis.keeps_start,
        "ticks": axis.ticks(wanted),
    })
}

fn panel(panel: &PlotPanel, wanted: usize) -> Value {
    json!({
        "y": axis(&panel.y, wanted),
        "marks": panel.marks.iter().map(mark).collect::<Vec<_>>(),
    })
}

fn mark(mark: &Mark) -> Value {
    match mark {
        Mark::Line {
            name,
            points,
            key,
            weight,
            ..
        } => json!({
            "kind": "line",
            "name": name,
            "points": points,
            "look": key.look,
            "colour": hex(colour(key.look)),
            "dashes": key_dashes(key),
            "width": 1.1 * weight,
        }),
        Mark::Symbols {
            name,
            points,
            look,
            size,
            opacity,
            ..
        } => json!({
            "kind": "symbols",
            "name": name,
            "points": points,
            "look": look,
            "colour": hex(colour(*look)),
            "outline": outline(*look),
            "size": size,
            "opacity": opacity,
        }),
        Mark::Area {
            points,
            look,
            opacity,
            ..
        } => json!({
            "kind": "area",
            "points": points,
            "look": look,
            "colour": hex(colour(*look)),
            "opacity": opacity,
        }),
        Mark::Level { at, name } => json!({ "kind": "level", "at": at, "name": name }),
        Mark::Vertical { at, .. } => json!({ "kind": "vertical", "at": at }),
    }
}

/// An entry of the legend; without a line or a symbol, that is `null`.
fn entry((name, key): &(String, Key)) -> Value {
    json!({
        "name": name,
        "look": key.look,
        "colour": hex(colour(key.look)),
        "dashes": key.has_line.then(|| key_dashes(key)),
        "outline": key.has_symbol.then(|| outline(key.look)),
    })
}

fn key_dashes(key: &Key) -> Vec<f64> {
    scaled(key.dashes.unwrap_or(dashes(key.look)))
}

/// The symbol's corners in a box from -1 to 1, y pointing up.
fn outline(look: usize) -> Vec<(f64, f64)> {
    let corners = symbol(look, (0.0, 0.0), 1.0).into_iter();
    corners.map(|(x, y)| (x, -y)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_in_its_units_and_looks_are_those_of_the_file() {
        let key = Key::line(1);
        let line = Mark::line("red", vec![(1.0, 3.0), (2.0, f64::NAN)], key);
        let axis = |range| PlotAxis {
            range,
            ..PlotAxis::default()
        };
        let plot = Plot {
            x: PlotAxis {
                is_log: true,
                ..axis((1.0, 100.0))
            },
            panels: vec![PlotPanel {
                y: axis((0.3, 9.7)),
                marks: vec![line],
            }],
            legend: vec![("red".into(), key)],
            ..Plot::default()
        };
        let size = Size {
            width: 252.0,
            height: None,
            font: 8.0,
        };
        let document = json(&plot, &size);
        assert_eq!(document["height"], scene(&plot, &size).height);
        let panel = &document["panels"][0];
        assert_eq!(panel["y"]["ends"], json!([0.0, 10.0]));
        assert_eq!(
            panel["marks"][0]["points"],
            json!([[1.0, 3.0], [2.0, null]])
        );
        assert_eq!(panel["marks"][0]["colour"], "#b34a0c");
        assert_eq!(document["x"]["ticks"][3], json!([10.0, "10"]));
        assert_eq!(document["legend"][0]["dashes"], json!([]));
        assert_eq!(document["legend"][0]["outline"], Value::Null);
    }
}
