//! Specification curves: a claim's effect in every universe, sorted, and which values of what a
//! paper does not print were chosen in each.
//!
//! U. Simonsohn, J. P. Simmons, L. D. Nelson, "Specification curve analysis", *Nature Human
//! Behaviour* 4 (2020), 1208-1214.

use earlydrop_lab::number::change;

use super::Size;
use super::forest::{CLAIMED, Effect, GRID_LINES, share};
use super::marks::{symbol, verdict};
use super::scene::{GRID, INK, Scene, Stroke, WHITE, rectangle, width_of};

/// A claim's effect in every universe.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpecificationCurve {
    /// The universes, in any order.
    pub universes: Vec<Specification>,
    /// Where the claim says that the effect lies.
    pub claimed: (f64, f64),
    /// The choices, those that matter most first: name, and the names of their values.
    pub choices: Vec<(String, Vec<String>)>,
}

/// A universe: the value of each choice, and the effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Specification {
    /// The index of each choice's value, in the order of the choices.
    pub values: Vec<usize>,
    /// What is measured. Its look is the verdict's: "right", "partly", "wrong", "open"
    /// or "missing".
    pub effect: Effect,
    /// Whether the values are those of the experiment as run elsewhere.
    pub is_ours: bool,
}

/// Sizes in points.
const WIDTH: f64 = 540.0;
const RIGHT: f64 = WIDTH - 7.5;
const FONT: f64 = Size::PAGE.font;
const CURVE_TOP: f64 = 16.5;
const CURVE_HEIGHT: f64 = 112.5;
const ROW: f64 = 9.75;
const GAP: f64 = 5.25;

/// Draws a specification curve.
pub fn specification_curve(curve: &SpecificationCurve) -> Scene {
    let mut universes: Vec<&Specification> = curve.universes.iter().collect();
    universes.sort_by(|one, other| one.effect.mean.total_cmp(&other.effect.mean));
    let names = curve.choices.iter().flat_map(|(choice, values)| {
        let values = values.iter().map(|value| width_of(value, FONT) + 10.5);
        values.chain([width_of(choice, FONT)])
    });
    let left = names.fold(45.0, f64::max) + 9.0;
    let step = (RIGHT - left) / universes.len().max(1) as f64;
    let x_of = |index: usize| left + step * (index as f64 + 0.5);
    let mut scene = Scene {
        width: WIDTH,
        description: "The effect in every universe, sorted, and the values chosen in each"
            .to_string(),
        font: FONT,
        ..Scene::default()
    };
    draw_axis(&mut scene, left, curve.claimed);
    for (index, universe) in universes.iter().enumerate() {
        draw_effect(&mut scene, universe, x_of(index));
    }
    let mut y = CURVE_TOP + CURVE_HEIGHT + 13.5;
    for (choice, (name, values)) in curve.choices.iter().enumerate() {
        scene.text((3.0, y), 0.0, FONT, name);
        for (value, text) in values.iter().enumerate() {
            y += ROW;
            scene.text((left - 6.0, y), 1.0, FONT, text);
            for (index, universe) in universes.iter().enumerate() {
                if universe.values.get(choice) == Some(&value) {
                    let (x, half) = (x_of(index), (step * 0.35).min(2.25));
                    let chosen = rectangle([x - half, y - 6.0, x + half, y - 0.75]);
                    scene.area(chosen, verdict(universe.effect.look), 1.0);
                }
            }
        }
        y += ROW + GAP;
    }
    scene.height = y - GAP;
    scene
}

/// The row of an effect.
fn y_of(effect: f64) -> f64 {
    CURVE_TOP + CURVE_HEIGHT * (1.0 - share(effect)) / 2.0
}

/// The axis, with what is claimed shaded.
fn draw_axis(scene: &mut Scene, left: f64, (low, high): (f64, f64)) {
    let claimed = rectangle([left, y_of(high), RIGHT, y_of(low)]);
    scene.area(claimed, GRID, CLAIMED);
    let mut line = |effect: f64, colour| {
        let y = y_of(effect);
        scene.line(vec![(left, y), (RIGHT, y)], Stroke::solid(colour, 0.7));
    };
    GRID_LINES.into_iter().for_each(|effect| line(effect, GRID));
    line(0.0, INK);
    for effect in GRID_LINES {
        let text = format!("{:+}%", effect * 100.0);
        scene.text((left - 4.5, y_of(effect) + 2.6), 1.0, FONT, &text);
    }
    scene.text((left, CURVE_TOP - 6.0), 0.0, FONT, "shaded: as claimed");
}

/// Draws a universe's effect with its interval; ours has a ring.
fn draw_effect(scene: &mut Scene, universe: &Specification, x: f64) {
    let Effect { mean, half, look } = universe.effect;
    let ours = if universe.is_ours { ", our values" } else { "" };
    let (tip, colour) = (format!("{}{ours}", change(mean, None)), verdict(look));
    let stroke = Stroke::solid(colour, 0.9);
    if let Some(half) = half {
        let ends = [mean - half, mean + half].map(|end| (x, y_of(end)));
        scene.tipped_line(ends.to_vec(), stroke.clone(), &tip);
    }
    let at = (x, y_of(mean));
    if universe.is_ours {
        scene.tipped_area(symbol(0, at, 4.1), (WHITE, 1.0), Some(stroke), &tip);
    }
    scene.tipped_area(symbol(0, at, 1.95), (colour, 1.0), None, &tip);
}

#[cfg(test)]
mod tests {
    use super::super::inline;
    use super::*;

    #[test]
    fn universes_are_sorted_by_effect_with_their_values_below() {
        let universe = |mean: f64, value: usize, look: &'static str| Specification {
            values: vec![value],
            effect: Effect {
                mean,
                half: Some(0.1),
                look,
            },
            is_ours: value == 0,
        };
        let drawing = specification_curve(&SpecificationCurve {
            universes: vec![universe(0.5, 0, "right"), universe(-0.5, 1, "wrong")],
            claimed: (0.0, f64::INFINITY),
            choices: vec![(
                "rate".to_string(),
                vec!["1 Mbps".to_string(), "2 Mbps".to_string()],
            )],
        });
        let drawing = inline(&drawing);
        let place = |text: &str| drawing.find(text).unwrap();
        assert!(place("<title>-50.0%</title>") < place("<title>+50.0%, our values</title>"));
        // One mark for each universe, in the row of its value.
        let mark = |look| format!("Z\" fill=\"var(--{look},");
        let count = |look| drawing.matches(&mark(look)).count();
        // A dot, and a mark below.
        assert_eq!([count("right"), count("wrong")], [2, 2], "{drawing}");
        assert!(place(">1 Mbps<") < place(">2 Mbps<"));
    }
}
