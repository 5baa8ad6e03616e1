//! Forest plots: what was measured of claims, with intervals. Where a claim says that it lies is
//! shaded; colours tell what is significant.
//!
//! Every plot has the same axis: linear up to 1%, logarithmic beyond, so that an effect of 2%
//! and one of 200% are both visible.

use super::Size;
use super::marks::{symbol, verdict};
use super::scene::{GRID, INK, Scene, Stroke, WHITE, rectangle, width_of};

/// What a comparison measured: mostly a difference, above zero in the claim's direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// The mean as a share: 0.1 is 10%.
    pub mean: f64,
    /// Half the width of the 95% interval.
    pub half: Option<f64>,
    /// The CSS class of what it shows: "right", "wrong" or "open".
    pub look: &'static str,
}

/// A claim's row in a forest plot.
#[derive(Clone, Debug, PartialEq)]
pub struct ForestRow {
    /// The claim's name.
    pub name: String,
    /// The CSS class of its verdict: "right", "partly", "wrong", "open" or "missing".
    pub look: &'static str,
    /// The effect over all comparisons.
    pub overall: Option<Effect>,
    /// Where the claim says that effects lie.
    pub claimed: (f64, f64),
    /// The effect of each comparison.
    pub single: Vec<Effect>,
    /// The tooltip.
    pub tooltip: String,
}

/// The end of the axis, where larger effects are drawn.
const LARGEST: f64 = 10.0;
/// The axis is linear up to this effect and logarithmic beyond.
const LINEAR_TO: f64 = 0.01;
/// The sizes, in points: a telephone's width of 370 pixels.
const WIDTH: f64 = Size::PAGE.width;
const FONT: f64 = Size::PAGE.font;
/// The least room for a forest plot's axis.
const NARROWEST: f64 = 150.0;
const STRIP_HEIGHT: f64 = 16.5;
const DOT: f64 = 1.8;
/// How strongly what is claimed is shaded.
pub(super) const CLAIMED: f64 = 0.4;

/// The effects with a grid line.
pub(super) const GRID_LINES: [f64; 8] = [-10.0, -1.0, -0.1, -0.01, 0.01, 0.1, 1.0, 10.0];

/// The position of an effect along the axis, from -1 to 1.
pub(super) fn share(effect: f64) -> f64 {
    let reach = 1.0 + (LARGEST / LINEAR_TO).log10();
    let size = effect.abs() / LINEAR_TO;
    let along = if size <= 1.0 {
        size
    } else {
        1.0 + size.log10()
    };
    (along / reach).min(1.0).copysign(effect)
}

/// The axis between two columns.
struct Axis {
    left: f64,
    right: f64,
}

impl Axis {
    /// The column of an effect.
    fn x_of(&self, effect: f64) -> f64 {
        let middle = (self.left + self.right) / 2.0;
        middle + share(effect) * (self.right - self.left) / 2.0
    }

    /// Draws grid lines and, where `is_labelled`, their values.
    fn draw(&self, scene: &mut Scene, (top, bottom): (f64, f64), is_labelled: bool) {
        let mut label = |x: f64, text: &str| scene.text((x, top - 3.0), 0.5, FONT, text);
        if is_labelled {
            label(self.x_of(0.0), "0");
            for effect in [-1.0, -LINEAR_TO, LINEAR_TO, 1.0] {
                label(
                    self.x_of(effect),
                    &format!("{:+}%", (effect * 100.0).round()),
                );
            }
        }
        for effect in GRID_LINES {
            let x = self.x_of(effect);
            scene.line(vec![(x, top), (x, bottom)], Stroke::solid(GRID, 0.7));
        }
        let zero = self.x_of(0.0);
        scene.line(vec![(zero, top), (zero, bottom)], Stroke::solid(INK, 0.7));
    }

    /// Shades where the claim says that effects lie.
    fn shade(&self, scene: &mut Scene, (low, high): (f64, f64), (top, bottom): (f64, f64)) {
        if low > f64::NEG_INFINITY || high < f64::INFINITY {
            let area = rectangle([self.x_of(low), top, self.x_of(high), bottom]);
            scene.area(area, GRID, CLAIMED);
        }
    }

    /// Draws a row's effects around row `y`: single ones above, the overall one below.
    fn draw_effects(&self, scene: &mut Scene, row: &ForestRow, y: f64) {
        for one in &row.single {
            let outline = symbol(0, (self.x_of(one.mean), y - 3.0), DOT);
            draw_dot(scene, outline, one.look);
        }
        let Some(overall) = row.overall else {
            return;
        };
        let (colour, x, y) = (verdict(row.look), self.x_of(overall.mean), y + 3.0);
        if let Some(half) = overall.half {
            let ends = [-half, half].map(|half| (self.x_of(overall.mean + half), y));
            scene.line(ends.to_vec(), Stroke::solid(colour, 1.65));
        }
        scene.area(symbol(3, (x, y), 2.6), colour, 1.0);
    }

    /// A row with its effects around its middle, and what a page shows anywhere in it.
    fn draw_row(&self, scene: &mut Scene, row: &ForestRow, (top, bottom): (f64, f64)) {
        self.shade(scene, row.claimed, (top, bottom));
        self.draw_effects(scene, row, (top + bottom) / 2.0);
        let all = rectangle([self.left, top, self.right, bottom]);
        scene.tipped_area(all, (WHITE, 0.0), None, &row.tooltip);
    }
}

/// Draws the effect of one comparison: filled where it supports the claim.
fn draw_dot(scene: &mut Scene, outline: Vec<(f64, f64)>, look: &str) {
    let colour = verdict(look);
    let fill = if look == "right" { colour } else { WHITE };
    scene.tipped_area(outline, (fill, 1.0), Some(Stroke::solid(colour, 0.9)), "");
}

/// One claim's effects without numbers, for a line of a page of this width in points.
///
/// The upper half has a dot for each comparison, filled where it supports the claim, in the colour
/// of what is wrong where it contradicts the claim; the lower half has the overall effect with its interval.
pub fn strip(row: &ForestRow, width: f64) -> Scene {
    let (mut scene, axis) = strip_of(width, STRIP_HEIGHT, row.tooltip.clone());
    axis.draw(&mut scene, (0.0, STRIP_HEIGHT), false);
    axis.draw_row(&mut scene, row, (0.0, STRIP_HEIGHT));
    scene
}

/// The numbered axis above a column of strips of this width.
pub fn strip_axis(width: f64) -> Scene {
    let about = "The axis: by how much a claim is right, in per cent".to_string();
    let (mut scene, axis) = strip_of(width, 13.5, about);
    axis.draw(&mut scene, (10.5, 13.5), true);
    scene
}

fn strip_of(width: f64, height: f64, description: String) -> (Scene, Axis) {
    let scene = Scene {
        width,
        height,
        description,
        font: FONT,
        ..Scene::default()
    };
    let axis = Axis {
        left: 4.5,
        right: width - 4.5,
    };
    (scene, axis)
}

/// A forest plot: one row for each claim.
pub fn forest(rows: &[ForestRow]) -> Scene {
    let names = rows.iter().map(|row| width_of(&row.name, FONT));
    // A page without Helvetica takes a wider font.
    let left = 1.1 * names.fold(0.0, f64::max) + 9.0;
    let width = WIDTH.max(left + NARROWEST);
    let axis = Axis {
        left,
        right: width - 13.5,
    };
    let top = 25.5;
    let bottom = top + STRIP_HEIGHT * rows.len() as f64;
    let mut scene = Scene {
        width,
        height: bottom + 6.0,
        description: "What was measured of each claim, with 95% intervals".to_string(),
        font: FONT,
        ..Scene::default()
    };
    scene.text((axis.left, 9.0), 0.0, FONT, "shaded: as claimed");
    axis.draw(&mut scene, (top, bottom), true);
    for (index, row) in rows.iter().enumerate() {
        let y = top + STRIP_HEIGHT * index as f64;
        let middle = y + STRIP_HEIGHT / 2.0;
        scene.text((3.0, middle + 0.35 * FONT), 0.0, FONT, &row.name);
        axis.draw_row(&mut scene, row, (y, y + STRIP_HEIGHT));
    }
    scene
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_is_symmetric_and_monotonic() {
        assert_eq!(share(0.0), 0.0);
        let reach = share(10.0);
        assert!((reach - 1.0).abs() < 1e-12);
        let effects = [-20.0, -1.0, -0.05, -0.005, 0.0, 0.005, 0.05, 1.0, 20.0];
        let places = effects.map(share);
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
        for (one, other) in effects.iter().zip(effects.iter().rev()) {
            assert_eq!(share(*one), -share(*other));
        }
        // From 0 to 1%, from 1% to 10% and from 10% to 100% are equally long.
        let step = share(0.01);
        assert!((share(0.1) - 2.0 * step).abs() < 1e-12);
        assert!((share(1.0) - 3.0 * step).abs() < 1e-12);
    }
}
