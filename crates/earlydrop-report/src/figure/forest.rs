//! Effects with their intervals on either side of zero: to the right of it a claim is right,
//! to the left it is wrong.
//!
//! The axis is the same in every picture. Within one per cent of zero it is linear, beyond
//! that logarithmic, so that an effect of 2% and one of 200% can both be seen.

use super::svg::{Anchor, Drawing, Elements, place, width_of};

/// By how much something is right, with the interval of that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// As a share: 0.1 is ten per cent.
    pub mean: f64,
    /// Half the width of its interval.
    pub half: Option<f64>,
    /// Whether it is told apart from zero, on the right side.
    pub is_right: bool,
}

/// A claim in a forest.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What it is called.
    pub name: String,
    /// How it looks: "right", "partly", "wrong" or "open".
    pub look: &'static str,
    /// Over all comparisons.
    pub overall: Option<Effect>,
    /// Each comparison.
    pub single: Vec<Effect>,
    /// In words.
    pub words: String,
}

/// Effects beyond this are drawn at the end of the axis.
const FARTHEST: f64 = 10.0;
/// Up to this the axis is linear.
const NEAR: f64 = 0.01;
const WIDTH: f64 = 370.0;
const STRIP_HEIGHT: f64 = 22.0;

/// How far an effect lies along the axis, from -1 to 1.
fn share(effect: f64) -> f64 {
    let reach = 1.0 + (FARTHEST / NEAR).log10();
    let size = effect.abs() / NEAR;
    let along = if size <= 1.0 {
        size
    } else {
        1.0 + size.log10()
    };
    (along / reach).min(1.0).copysign(effect)
}

/// The axis from one end to the other.
struct Axis {
    left: f64,
    right: f64,
}

impl Axis {
    fn x_of(&self, effect: f64) -> f64 {
        let middle = (self.left + self.right) / 2.0;
        middle + share(effect) * (self.right - self.left) / 2.0
    }

    /// Faint lines and, where there is room for them, what they are.
    fn draw(&self, elements: &mut Elements, top: f64, bottom: f64, is_labelled: bool) {
        for effect in [-10.0, -1.0, -0.1, -0.01, 0.01, 0.1, 1.0, 10.0] {
            let x = self.x_of(effect);
            elements.line("grid", (x, top), (x, bottom));
            if is_labelled && [NEAR, 1.0].contains(&f64::abs(effect)) {
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

    fn mark(&self, elements: &mut Elements, row: &Row, y: f64) {
        for one in &row.single {
            let class = match one.is_right {
                true => "one right",
                false => "one hollow wrong",
            };
            let x = place(self.x_of(one.mean) - 2.4);
            let path = format!(
                "M{x} {}a2.4 2.4 0 1 0 4.8 0a2.4 2.4 0 1 0 -4.8 0Z",
                place(y - 4.0)
            );
            elements.path(class, &path);
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
        let corner = |dx: f64, dy: f64| format!("{} {}", place(x + dx), place(y + dy));
        let diamond = [
            corner(0.0, -4.0),
            corner(4.0, 0.0),
            corner(0.0, 4.0),
            corner(-4.0, 0.0),
        ];
        elements.path(row.look, &format!("M{}Z", diamond.join("L")));
    }
}

/// One claim's effects without numbers, for a line of a page. Above, each comparison, filled
/// where it bears the claim out; below, all together with the interval.
pub fn strip(row: &Row, width: u32) -> Drawing {
    let axis = Axis {
        left: 6.0,
        right: f64::from(width) - 6.0,
    };
    let mut elements = Elements::default();
    elements.titled(&row.words, |inside| {
        inside.rectangle("touch", (0.0, 0.0), (f64::from(width), STRIP_HEIGHT));
        axis.draw(inside, 0.0, STRIP_HEIGHT, false);
        axis.mark(inside, row, STRIP_HEIGHT / 2.0);
    });
    Drawing {
        width,
        height: STRIP_HEIGHT as u32,
        about: row.words.clone(),
        body: elements.0,
    }
}

/// The numbers of the axis under which strips of this width stand.
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
        about: "The axis: by how much a claim is right, in per cent".to_string(),
        body: elements.0,
    }
}

/// Many claims' effects, one below the other.
pub fn forest(rows: &[Row]) -> Drawing {
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
        label(axis.left, Anchor::Start, "the paper is wrong"),
        label(axis.right, Anchor::End, "the paper is right"),
    ] {
        elements.text("label", (x, 12.0), anchor, text);
    }
    axis.draw(&mut elements, top, bottom, true);
    for (index, row) in rows.iter().enumerate() {
        let y = top + step * (index as f64 + 0.5);
        elements.text("name", (4.0, y + 3.8), Anchor::Start, &row.name);
        elements.titled(&row.words, |inside| {
            inside.rectangle(
                "touch",
                (axis.left, y - step / 2.0),
                (axis.right, y + step / 2.0),
            );
            axis.mark(inside, row, y);
        });
    }
    Drawing {
        width: WIDTH as u32,
        height: (bottom + 8.0) as u32,
        about: "By how much each claim is right, with 95% intervals".to_string(),
        body: elements.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_is_even_and_keeps_order() {
        assert_eq!(share(0.0), 0.0);
        let reach = share(10.0);
        assert!((reach - 1.0).abs() < 1e-12);
        let effects = [-20.0, -1.0, -0.05, -0.005, 0.0, 0.005, 0.05, 1.0, 20.0];
        let places = effects.map(share);
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
        for (one, other) in effects.iter().zip(effects.iter().rev()) {
            assert_eq!(share(*one), -share(*other));
        }
        // From 1% to 10% is as far as from 10% to 100%, and as from nothing to 1%.
        let step = share(0.01);
        assert!((share(0.1) - 2.0 * step).abs() < 1e-12);
        assert!((share(1.0) - 3.0 * step).abs() < 1e-12);
    }
}
