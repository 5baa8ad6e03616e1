//! Measured values with their confidence intervals: curves, and bars.

use super::{Key, Mark, Plot, PlotAxis, PlotPanel};

/// A measured value with its confidence interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The position on the x axis.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// Half the width of the interval; `None` with a single run.
    pub half: Option<f64>,
    /// What a page shows of it: "RED, 10 transfers: 9.53 ± 0.01 Mbps".
    pub tip: String,
}

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The height; `None` where nothing was measured.
    pub value: Option<f64>,
    /// Half the width of the interval; `None` with a single run.
    pub half: Option<f64>,
    /// What a page shows of it.
    pub tip: String,
}

/// The index of a colour that is nearly that of ink.
const DARK: usize = 6;
/// The width of a bar, of a group's, and of what a group's bars share.
const BAR: f64 = 0.25;
const BARS: f64 = 0.8;

/// The curve of these points: a band of intervals, a line, and a symbol for each.
pub fn measured(name: &str, look: usize, points: &[Point]) -> Vec<Mark> {
    let interval = |point: &Point| {
        let [low, high] = ends(point.y, point.half);
        (point.x, low, high)
    };
    let intervals: Vec<(f64, f64, f64)> = points.iter().map(interval).collect();
    let line = points.iter().map(|point| (point.x, point.y)).collect();
    let mut marks = vec![
        Mark::band(&intervals, look),
        Mark::line(name, line, Key::both(look)),
    ];
    for (point, (x, low, high)) in points.iter().zip(intervals) {
        if point.half.is_some() {
            marks.push(whisker(x, [low, high], look));
        }
        marks.push(Mark::Symbols {
            name: String::new(),
            points: vec![(point.x, point.y)],
            look,
            size: 0.7,
            opacity: 1.0,
            tip: point.tip.clone(),
        });
    }
    marks
}

/// A picture of bars that start at zero: in each group, one bar of every row. A row has a name, a
/// look, and a bar for each group.
pub fn bars(
    title: &str,
    y: PlotAxis,
    groups: &[String],
    rows: &[(String, usize, Vec<Bar>)],
) -> Plot {
    let width = (BARS / rows.len().max(1) as f64).min(BAR);
    let mut marks = Vec::new();
    for (row, (_, look, bars)) in rows.iter().enumerate() {
        for (group, bar) in bars.iter().enumerate() {
            let Some(value) = bar.value else { continue };
            let from_middle = row as f64 - 0.5 * (rows.len() as f64 - 1.0);
            let x = group as f64 + 0.5 + width * from_middle;
            let (left, right) = (x - 0.47 * width, x + 0.47 * width);
            marks.push(Mark::Area {
                points: vec![(left, 0.0), (left, value), (right, value), (right, 0.0)],
                look: *look,
                opacity: 0.82,
                tip: bar.tip.clone(),
            });
            if bar.half.is_some() {
                marks.push(whisker(x, ends(value, bar.half), DARK));
            }
        }
    }
    let at = |(index, name): (usize, &String)| (index as f64 + 0.5, name.clone());
    let key = |(name, look, _): &(String, usize, Vec<Bar>)| (name.clone(), Key::area(*look));
    let mut plot = Plot {
        title: title.to_string(),
        x: PlotAxis {
            range: (0.0, groups.len().max(1) as f64),
            is_exact: true,
            ticks: groups.iter().enumerate().map(at).collect(),
            ..PlotAxis::default()
        },
        panels: vec![PlotPanel { y, marks }],
        legend: rows.iter().map(key).collect(),
        ..Plot::default()
    };
    plot.describe();
    plot.fit();
    plot
}

/// The line of an interval.
fn whisker(x: f64, ends: [f64; 2], look: usize) -> Mark {
    Mark::line("", ends.map(|y| (x, y)).to_vec(), Key::line(look))
}

/// The ends of a confidence interval; the lower end of a value that is not negative is at least 0.
pub(super) fn ends(value: f64, half: Option<f64>) -> [f64; 2] {
    let half = half.unwrap_or(0.0);
    let floor = if value >= 0.0 { 0.0 } else { f64::MIN };
    [(value - half).max(floor), value + half]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_and_intervals_are_cut_off_at_zero() {
        let bar = |value: f64, half: f64| Bar {
            value: Some(value),
            half: Some(half),
            tip: format!("{value}"),
        };
        let rows = [("RED".to_string(), 1, vec![bar(8.0, 1.0), bar(2.0, 5.0)])];
        let groups = ["near".to_string(), "far".to_string()];
        let plot = bars("", PlotAxis::fitting("", None, None), &groups, &rows);
        assert_eq!(plot.panels[0].y.range, (0.0, 9.0));
        // Four times the value, four times the height.
        let areas = plot.panels[0].marks.iter().filter_map(|mark| match mark {
            Mark::Area { points, .. } => Some((points[0].1, points[1].1)),
            _ => None,
        });
        assert_eq!(areas.collect::<Vec<_>>(), [(0.0, 8.0), (0.0, 2.0)]);
    }

    #[test]
    fn a_curve_has_its_intervals_and_says_its_numbers() {
        let point = |x: f64, half| Point {
            x,
            y: x / 10.0,
            half,
            tip: format!("at {x}"),
        };
        let points = [
            point(0.0, None),
            point(50.0, Some(1.0)),
            point(100.0, Some(0.5)),
        ];
        let marks = measured("RED", 0, &points);
        let Mark::Area { points: band, .. } = &marks[0] else {
            panic!("{marks:?}");
        };
        assert_eq!((band[1], band[4]), ((50.0, 4.0), (50.0, 6.0)));
        let tips = marks.iter().filter_map(|mark| match mark {
            Mark::Symbols { tip, .. } => Some(tip.as_str()),
            _ => None,
        });
        assert_eq!(tips.collect::<Vec<_>>(), ["at 0", "at 50", "at 100"]);
    }
}
