//! Forest plots: effect sizes of claims with their intervals. Effects above zero are for the claim,
//! those below zero against it; colours tell what is significant.
//!
//! Every plot has the same axis: linear up to 1%, logarithmic beyond, so that an effect of 2%
//! and one of 200% are both visible.

use super::svg::{Anchor, Drawing, Elements, coordinate, width_of};

/// The effect size of a comparison; above zero it supports the claim.
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
    /// The effect of each comparison.
    pub single: Vec<Effect>,
    /// The tooltip.
    pub tooltip: String,
}

/// The end of the axis, where larger effects are drawn.
const LARGEST: f64 = 10.0;
/// The axis is linear up to this effect and logarithmic beyond.
const LINEAR_TO: f64 = 0.01;
const WIDTH: f64 = 370.0;
const STRIP_HEIGHT: f64 = 22.0;

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

/// The axis between two pixel columns.
struct Axis {
    left: f64,
    right: f64,
}

impl Axis {
    /// The pixel column of an effect.
    fn x_of(&self, effect: f64) -> f64 {
        let middle = (self.left + self.right) / 2.0;
        middle + share(effect) * (self.right - self.left) / 2.0
    }

    /// Draws grid lines and, where `is_labelled`, their values.
    fn draw(&self, elements: &mut Elements, top: f64, bottom: f64, is_labelled: bool) {
        for effect in [-10.0, -1.0, -0.1, -0.01, 0.01, 0.1, 1.0, 10.0] {
            let x = self.x_of(effect);
            elements.line("grid", (x, top), (x, bottom));
            if is_labelled && [LINEAR_TO, 1.0].contains(&f64::abs(effect)) {
                let text = format!("{:+}%", (effect * 100.0).round());
                elements.text("tick", (x, top - 4.0), Anchor::Middle, &text);
            }
        }
        let zero = self.x_of(0.0);
        elements.line("zero", (zero, top), (zero, bottom));
        if is_labelled {
            elements.text("tick", (zero, top - 4.0), Anchor::Middle, "0");
        }
    }

    /// Draws a row's effects around pixel row `y`: single ones above, the overall one below.
    fn draw_effects(&self, elements: &mut Elements, row: &ForestRow, y: f64) {
        for one in &row.single {
            let hollow = if one.look == "right" { "" } else { "hollow " };
            let class = format!("one {hollow}{}", one.look);
            let x = coordinate(self.x_of(one.mean) - 2.4);
            let path = format!(
                "M{x} {}a2.4 2.4 0 1 0 4.8 0a2.4 2.4 0 1 0 -4.8 0Z",
                coordinate(y - 4.0)
            );
            elements.path(&class, &path);
        }
        let Some(overall) = row.overall else {
            return;
        };
        let class = format!("mean {}", row.look);
        let y = y + 4.0;
        if let Some(half) = overall.half {
            let ends = [-half, half].map(|half| (self.x_of(overall.mean + half), y));
            elements.line(&class, ends[0], ends[1]);
        }
        let x = self.x_of(overall.mean);
        let corner = |dx: f64, dy: f64| format!("{} {}", coordinate(x + dx), coordinate(y + dy));
        let diamond = [
            corner(0.0, -4.0),
            corner(4.0, 0.0),
            corner(0.0, 4.0),
            corner(-4.0, 0.0),
        ];
        elements.path(row.look, &format!("M{}Z", diamond.join("L")));
    }
}

/// One claim's effects without numbers, for a line of a page.
///
/// The upper half has a dot for each comparison, filled where it supports the claim, in the colour
/// of what is wrong where it contradicts the claim; the lower half has the overall effect with its interval.
pub fn strip(row: &ForestRow, width: u32) -> Drawing {
    let axis = Axis {
        left: 6.0,
        right: f64::from(width) - 6.0,
    };
    let mut elements = Elements::default();
    elements.with_tooltip(&row.tooltip, |group| {
        group.rectangle("touch", (0.0, 0.0), (f64::from(width), STRIP_HEIGHT));
        axis.draw(group, 0.0, STRIP_HEIGHT, false);
        axis.draw_effects(group, row, STRIP_HEIGHT / 2.0);
    });
    Drawing {
        width,
        height: STRIP_HEIGHT as u32,
        description: row.tooltip.clone(),
        body: elements.0,
    }
}

/// The numbered axis above a column of strips of this width.
pub fn strip_axis(width: u32) -> Drawing {
    let axis = Axis {
        left: 6.0,
        right: f64::from(width) - 6.0,
    };
    let mut elements = Elements::default();
    axis.draw(&mut elements, 14.0, 18.0, true);
    Drawing {
        width,
        height: 18,
        description: "The axis: by how much a claim is right, in per cent".to_string(),
        body: elements.0,
    }
}

/// A forest plot: one row for each claim.
pub fn forest(rows: &[ForestRow]) -> Drawing {
    let names = rows.iter().map(|row| width_of(&row.name));
    let left = names.fold(0.0, f64::max) + 12.0;
    let axis = Axis {
        left: left + 4.0,
        right: WIDTH - 18.0,
    };
    let mut elements = Elements::default();
    let (top, step) = (34.0, STRIP_HEIGHT);
    let bottom = top + step * rows.len() as f64;
    let label = |x: f64, anchor, text| (x, anchor, text);
    for (x, anchor, text) in [
        label(axis.left, Anchor::Start, "against the claim"),
        label(axis.right, Anchor::End, "for the claim"),
    ] {
        elements.text("label", (x, 12.0), anchor, text);
    }
    axis.draw(&mut elements, top, bottom, true);
    for (index, row) in rows.iter().enumerate() {
        let y = top + step * (index as f64 + 0.5);
        elements.text("name", (4.0, y + 3.8), Anchor::Start, &row.name);
        elements.with_tooltip(&row.tooltip, |group| {
            group.rectangle(
                "touch",
                (axis.left, y - step / 2.0),
                (axis.right, y + step / 2.0),
            );
            axis.draw_effects(group, row, y);
        });
    }
    Drawing {
        width: WIDTH as u32,
        height: (bottom + 8.0) as u32,
        description: "By how much each claim is right, with 95% intervals".to_string(),
        body: elements.0,
    }
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
