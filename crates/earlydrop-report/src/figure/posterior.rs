//! What is left of each value of each choice after an inference: a bar for each, and a tick where it
//! was before.

use super::Size;
use super::marks::verdict;
use super::scene::{INK, Scene, Stroke, rectangle, width_of};

/// A choice with its values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marginal {
    /// The choice in words.
    pub name: String,
    /// Its values: name, and the part of the posterior that it has.
    pub values: Vec<(String, f64)>,
}

/// Sizes in points.
const WIDTH: f64 = 540.0;
const FONT: f64 = Size::PAGE.font;
const ROW: f64 = 10.5;
const GAP: f64 = 6.0;
const RIGHT: f64 = WIDTH - 36.0;

/// Draws the marginals of a posterior.
pub fn posterior(marginals: &[Marginal]) -> Scene {
    let names = marginals.iter().flat_map(|one| {
        let values = one
            .values
            .iter()
            .map(|(name, _)| width_of(name, FONT) + 10.5);
        values.chain([width_of(&one.name, FONT) - 60.0])
    });
    let left = names.fold(60.0, f64::max) + 9.0;
    let x_of = |part: f64| left + part * (RIGHT - left);
    let mut scene = Scene {
        width: WIDTH,
        description: "What part of the posterior each value has; the tick is what it had before"
            .to_string(),
        font: FONT,
        ..Scene::default()
    };
    let mut y = ROW;
    for Marginal { name, values } in marginals {
        scene.text((3.0, y), 0.0, FONT, name);
        let before = x_of(1.0 / values.len().max(1) as f64);
        for (value, part) in values {
            y += ROW;
            scene.text((left - 6.0, y), 1.0, FONT, value);
            let bar = rectangle([left, y - 6.5, x_of(*part), y - 0.5]);
            scene.area(bar, verdict("right"), 0.75);
            let tick = vec![(before, y - 7.5), (before, y + 0.5)];
            scene.line(tick, Stroke::solid(INK, 0.7));
            let words = format!("{:.0}%", 100.0 * part);
            scene.text(
                (x_of(part.max(1.0 / values.len() as f64)) + 4.0, y),
                0.0,
                FONT,
                &words,
            );
        }
        y += ROW + GAP;
    }
    scene.height = y - GAP;
    scene
}

#[cfg(test)]
mod tests {
    use super::super::inline;
    use super::*;

    #[test]
    fn each_value_has_its_part() {
        let marginal = Marginal {
            name: "round trip".to_string(),
            values: vec![("20 ms".to_string(), 0.9), ("200 ms".to_string(), 0.1)],
        };
        let drawing = inline(&posterior(&[marginal]));
        for text in ["round trip", "20 ms", "90%", "200 ms", "10%"] {
            assert!(
                drawing.contains(&format!(">{text}<")),
                "{text} in {drawing}"
            );
        }
    }
}
