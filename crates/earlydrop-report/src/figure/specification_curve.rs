//! Specification curves: a claim's effect in every universe, sorted, and which values of what a
//! paper does not print were chosen in each.
//!
//! U. Simonsohn, J. P. Simmons, L. D. Nelson, "Specification curve analysis", *Nature Human
//! Behaviour* 4 (2020), 1208-1214.

use earlydrop_lab::number::change;

use super::forest::{Effect, share};
use super::svg::{Anchor, Drawing, Elements, coordinate, width_of};

/// A claim's effect in every universe.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpecificationCurve {
    /// The universes, in any order.
    pub universes: Vec<Specification>,
    /// The choices, those that matter most first: name, and the names of their values.
    pub choices: Vec<(String, Vec<String>)>,
}

/// A universe: the value of each choice, and the effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Specification {
    /// The index of each choice's value, in the order of the choices.
    pub values: Vec<usize>,
    /// By how much the claim is right. Its look is the verdict's: "right", "partly", "wrong", "open"
    /// or "missing".
    pub effect: Effect,
    /// Whether the values are those of the experiment as run elsewhere.
    pub is_ours: bool,
}

const WIDTH: f64 = 720.0;
const RIGHT: f64 = 10.0;
const CURVE_TOP: f64 = 22.0;
const CURVE_HEIGHT: f64 = 150.0;
const ROW: f64 = 13.0;
const GAP: f64 = 7.0;

/// Draws a specification curve.
pub fn specification_curve(curve: &SpecificationCurve) -> Drawing {
    let mut universes: Vec<&Specification> = curve.universes.iter().collect();
    universes.sort_by(|one, other| one.effect.mean.total_cmp(&other.effect.mean));
    let names = curve.choices.iter().flat_map(|(choice, values)| {
        let values = values.iter().map(|value| width_of(value) + 14.0);
        values.chain([width_of(choice)])
    });
    let left = names.fold(60.0, f64::max) + 12.0;
    let step = (WIDTH - left - RIGHT) / universes.len().max(1) as f64;
    let x_of = |index: usize| left + step * (index as f64 + 0.5);
    let mut elements = Elements::default();
    draw_axis(&mut elements, left);
    for (index, universe) in universes.iter().enumerate() {
        draw_effect(&mut elements, universe, x_of(index));
    }
    let mut y = CURVE_TOP + CURVE_HEIGHT + 18.0;
    for (choice, (name, values)) in curve.choices.iter().enumerate() {
        elements.text("label", (4.0, y), Anchor::Start, name);
        for (value, text) in values.iter().enumerate() {
            y += ROW;
            elements.text("tick", (left - 8.0, y), Anchor::End, text);
            for (index, universe) in universes.iter().enumerate() {
                if universe.values.get(choice) == Some(&value) {
                    let (x, width) = (x_of(index), (step * 0.35).min(3.0));
                    let class = format!("one {}", universe.effect.look);
                    elements.rectangle(&class, (x - width, y - 8.0), (x + width, y - 1.0));
                }
            }
        }
        y += ROW + GAP;
    }
    Drawing {
        width: WIDTH as u32,
        height: (y - GAP) as u32,
        description: "The effect in every universe, sorted, and the values chosen in each"
            .to_string(),
        body: elements.0,
    }
}

/// The pixel row of an effect.
fn y_of(effect: f64) -> f64 {
    CURVE_TOP + CURVE_HEIGHT * (1.0 - share(effect)) / 2.0
}

fn draw_axis(elements: &mut Elements, left: f64) {
    for effect in [-10.0, -1.0, -0.1, -0.01, 0.01, 0.1, 1.0, 10.0] {
        let y = y_of(effect);
        elements.line("grid", (left, y), (WIDTH - RIGHT, y));
        let text = format!("{:+}%", effect * 100.0);
        elements.text("tick", (left - 6.0, y + 3.5), Anchor::End, &text);
    }
    let zero = y_of(0.0);
    elements.line("zero", (left, zero), (WIDTH - RIGHT, zero));
    elements.text(
        "label",
        (left, CURVE_TOP - 8.0),
        Anchor::Start,
        "for the claim",
    );
    let foot = CURVE_TOP + CURVE_HEIGHT + 4.0;
    elements.text(
        "label",
        (WIDTH - RIGHT, foot),
        Anchor::End,
        "against the claim",
    );
}

/// Draws a universe's effect with its interval; ours has a ring.
fn draw_effect(elements: &mut Elements, universe: &Specification, x: f64) {
    let Effect { mean, half, look } = universe.effect;
    let ours = if universe.is_ours { ", our values" } else { "" };
    let tooltip = format!("{}{ours}", change(mean, None));
    elements.with_tooltip(&tooltip, |group| {
        if let Some(half) = half {
            let class = format!("one {look}");
            group.line(&class, (x, y_of(mean - half)), (x, y_of(mean + half)));
        }
        let circle = |radius: f64| {
            let (left, y) = (coordinate(x - radius), coordinate(y_of(mean)));
            let (r, across) = (coordinate(radius), coordinate(2.0 * radius));
            format!("M{left} {y}a{r} {r} 0 1 0 {across} 0a{r} {r} 0 1 0 -{across} 0Z")
        };
        if universe.is_ours {
            group.path(&format!("one hollow {look}"), &circle(5.5));
        }
        group.path(look, &circle(2.6));
    });
}

#[cfg(test)]
mod tests {
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
            choices: vec![(
                "rate".to_string(),
                vec!["1 Mbps".to_string(), "2 Mbps".to_string()],
            )],
        });
        let place = |text: &str| drawing.body.find(text).unwrap();
        assert!(place("<title>-50.0%</title>") < place("<title>+50.0%, our values</title>"));
        // One mark for each universe, in the row of its value.
        assert_eq!(drawing.body.matches("<rect").count(), 2);
        assert!(place(">1 Mbps<") < place(">2 Mbps<"));
    }
}
