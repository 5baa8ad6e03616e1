//! What was measured beside the value that a question asks for: a row for each scheme, a dot with its
//! interval for each point, and the side of the value where the answer is yes.

use earlydrop_lab::number::number;

use super::Size;
use super::marks::{symbol, verdict};
use super::measured::ends;
use super::scale::{Scale, extent, start};
use super::scene::{FAINT, GRID, INK, Scene, Stroke, WHITE, rectangle, width_of};

/// The measurements of a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Criterion {
    /// What is measured, with its unit.
    pub label: String,
    /// The value that is asked for.
    pub limit: f64,
    /// Whether smaller values are a yes; `None` where the value itself is.
    pub is_below: Option<bool>,
    /// The rows.
    pub rows: Vec<CriterionRow>,
}

/// The measurements of one scheme.
#[derive(Clone, Debug, PartialEq)]
pub struct CriterionRow {
    /// The scheme's name.
    pub name: String,
    /// A dot for each point, in their order from top to bottom.
    pub dots: Vec<CriterionDot>,
}

/// One measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct CriterionDot {
    /// The mean.
    pub mean: f64,
    /// Half the width of its 95% interval.
    pub half: Option<f64>,
    /// The CSS class of its answer: "right", "wrong" or "open".
    pub look: &'static str,
    /// The tooltip.
    pub tooltip: String,
}

const FONT: f64 = Size::PAGE.font;
/// The width of the axis, in points.
const AXIS: f64 = 300.0;
const DOT: f64 = 2.1;
/// The room above the rows, for the key and the value asked for, and below them.
const TOP: f64 = 25.0;
const BOTTOM: f64 = 25.0;
/// Values that are further apart than this factor are drawn along a logarithmic axis.
const FAR_APART: f64 = 30.0;

impl Criterion {
    /// The picture.
    pub fn scene(&self) -> Scene {
        let names = self.rows.iter().map(|row| width_of(&row.name, FONT));
        // A page without Helvetica takes a wider font.
        let left = 1.1 * names.fold(0.0, f64::max) + 9.0;
        let heights = self.rows.iter().map(row_height);
        let bottom = TOP + heights.sum::<f64>();
        let mut scene = Scene {
            width: left + AXIS + 12.0,
            height: bottom + BOTTOM,
            description: format!("{} under each scheme, with 95% intervals", self.label),
            font: FONT,
            ..Scene::default()
        };
        let axis = Axis {
            scale: self.scale(),
            left,
        };
        self.draw_axis(&mut scene, &axis, bottom);
        let mut top = TOP;
        for row in &self.rows {
            let bottom = top + row_height(row);
            let middle = (top + bottom) / 2.0;
            scene.text((3.0, middle + 0.35 * FONT), 0.0, FONT, &row.name);
            row.draw(&mut scene, &axis, (top, bottom));
            top = bottom;
        }
        scene
    }

    fn scale(&self) -> Scale {
        let dots = self.rows.iter().flat_map(|row| &row.dots);
        let ends = dots.flat_map(|dot| ends(dot.mean, dot.half));
        let all: Vec<f64> = ends.chain([self.limit]).collect();
        let positive = all.iter().copied().filter(|value| *value > 0.0);
        let means = self
            .rows
            .iter()
            .flat_map(|row| &row.dots)
            .map(|dot| dot.mean);
        let are_positive = self.limit > 0.0 && means.clone().all(|mean| mean > 0.0);
        match (
            extent(all.iter().copied()),
            extent(means.chain([self.limit])),
        ) {
            (_, Some((low, high))) if are_positive && high > FAR_APART * low => {
                // An interval that reaches zero does not stretch the axis.
                let least = positive.fold(high, f64::min).max(low / 2.0);
                Scale::log(least, all.iter().copied().fold(high, f64::max))
            }
            (Some((low, high)), _) => Scale::linear(start(low, high), high).rounded(5),
            _ => Scale::linear(0.0, 1.0),
        }
    }

    /// The ground where the answer is yes, grid lines, the value that is asked for, and the label.
    fn draw_axis(&self, scene: &mut Scene, axis: &Axis, bottom: f64) {
        let (limit, right) = (axis.x_of(self.limit), axis.left + AXIS);
        if let Some(is_below) = self.is_below {
            let ends = if is_below {
                [axis.left, limit]
            } else {
                [limit, right]
            };
            let ground = rectangle([ends[0], TOP, ends[1], bottom]);
            scene.area(ground, verdict("right"), 0.1);
        }
        for (value, text) in axis.scale.ticks(5) {
            let x = axis.x_of(value);
            scene.line(vec![(x, TOP), (x, bottom)], Stroke::solid(GRID, 0.7));
            scene.text((x, bottom + FONT + 1.5), 0.5, FONT, &text);
        }
        scene.line(vec![(limit, TOP), (limit, bottom)], Stroke::solid(INK, 1.0));
        scene.text(
            (axis.left + AXIS / 2.0, bottom + 2.4 * FONT),
            0.5,
            FONT,
            &self.label,
        );
        let asked = number(self.limit);
        let half = 0.55 * width_of(&asked, FONT);
        let place = limit.clamp(axis.left + half, right - half);
        scene.text((place, TOP - 2.5), 0.5, FONT, &asked);
        let key = [("yes", "right"), ("no", "wrong"), ("undecided", "open")];
        let mut x = axis.left + 3.0;
        for (text, look) in key {
            draw_dot(scene, (x, 0.35 * TOP), look, "");
            scene.text((x + 5.0, 0.35 * TOP + 0.35 * FONT), 0.0, FONT, text);
            x += 1.1 * width_of(text, FONT) + 16.0;
        }
    }
}

/// The height of a row: points lie below each other.
fn row_height(row: &CriterionRow) -> f64 {
    (9.0 + 2.0 * row.dots.len() as f64).clamp(13.0, 34.0)
}

/// The axis from a column on.
struct Axis {
    scale: Scale,
    left: f64,
}

impl Axis {
    fn x_of(&self, value: f64) -> f64 {
        let share = self.scale.share(value).unwrap_or(0.0);
        self.left + share.clamp(0.0, 1.0) * AXIS
    }
}

impl CriterionRow {
    fn draw(&self, scene: &mut Scene, axis: &Axis, (top, bottom): (f64, f64)) {
        let rule = vec![(axis.left, bottom), (axis.left + AXIS, bottom)];
        scene.line(rule, Stroke::solid(GRID, 0.7));
        let step = (bottom - top - 6.0) / self.dots.len() as f64;
        for (index, dot) in self.dots.iter().enumerate() {
            let y = top + 3.0 + (index as f64 + 0.5) * step;
            if dot.half.is_some() {
                let ends = ends(dot.mean, dot.half).map(|end| (axis.x_of(end), y));
                scene.line(ends.to_vec(), Stroke::solid(FAINT, 0.7));
            }
            draw_dot(scene, (axis.x_of(dot.mean), y), dot.look, &dot.tooltip);
        }
    }
}

/// A dot: a filled circle for a yes, a diamond for a no, a ring for what is undecided.
fn draw_dot(scene: &mut Scene, at: (f64, f64), look: &str, tip: &str) {
    let colour = verdict(look);
    let (outline, fill) = match look {
        "right" => (symbol(0, at, DOT), colour),
        "wrong" => (symbol(3, at, DOT), colour),
        _ => (symbol(0, at, DOT), WHITE),
    };
    scene.tipped_area(outline, (fill, 1.0), Some(Stroke::solid(colour, 0.9)), tip);
}

#[cfg(test)]
mod tests {
    use super::super::scene::Item;
    use super::*;

    fn criterion(means: &[f64]) -> Criterion {
        let dot = |mean: &f64| CriterionDot {
            mean: *mean,
            half: Some(0.1),
            look: "right",
            tooltip: String::new(),
        };
        Criterion {
            label: "delay, ms".to_string(),
            limit: 10.0,
            is_below: Some(true),
            rows: vec![CriterionRow {
                name: "red".to_string(),
                dots: means.iter().map(dot).collect(),
            }],
        }
    }

    #[test]
    fn the_axis_holds_every_mean_and_the_value_asked_for() {
        for means in [&[3.0, 5.0][..], &[0.5, 400.0], &[0.0], &[-3.0, 4.0], &[]] {
            let scale = criterion(means).scale();
            for value in means.iter().chain(&[10.0]) {
                let share = scale.share(*value).unwrap();
                assert!((-1e-9..=1.0 + 1e-9).contains(&share), "{means:?}: {value}");
            }
        }
    }

    #[test]
    fn the_value_asked_for_is_written_at_its_line() {
        let scene = criterion(&[3.0, 15.0]).scene();
        let line = scene.items.iter().find_map(|item| match item {
            Item::Path(path) if path.stroke.as_ref()?.colour == INK => Some(path.points[0].0),
            _ => None,
        });
        let texts = scene.items.iter().filter_map(|item| match item {
            Item::Text(text) if text.text == "10" && text.at.1 < TOP => Some(text.at.0),
            _ => None,
        });
        let [text] = texts.collect::<Vec<f64>>()[..] else {
            panic!("{scene:?}")
        };
        assert!((text - line.unwrap()).abs() < 0.01);
    }

    #[test]
    fn an_interval_of_what_is_not_negative_ends_at_zero() {
        let mut wide = criterion(&[4.0, 3.0]);
        wide.rows[0].dots[0].half = Some(8.0);
        assert_eq!(wide.scale().ends().0, 0.0);
    }

    #[test]
    fn a_row_grows_with_its_points() {
        let few = criterion(&[1.0]).scene().height;
        assert!(criterion(&[1.0; 9]).scene().height > few);
    }
}
