//! Colours, dashes and symbols of printed pictures: those of the report page in light colours.

use serde_json::{Value, json};

use super::scene::Rgb;
use super::svg::hex;

/// Seven colours that remain distinguishable with protanopia and deuteranopia: any two differ by at
/// least 12 in OKLab x 100. More than seven schemes also differ by dash; every scheme has its symbol.
const COLOURS: [Rgb; 7] = [
    [0x2a, 0x3f, 0xb5],
    [0xb3, 0x4a, 0x0c],
    [0x0b, 0x82, 0x90],
    [0x76, 0x10, 0x5f],
    [0xb4, 0x98, 0x2f],
    [0x7f, 0x95, 0xff],
    [0x1d, 0x2a, 0x1a],
];

/// The same on dark pages.
const DARK: [Rgb; 7] = [
    [0x4d, 0x7c, 0xf5],
    [0xff, 0x8a, 0x1c],
    [0x22, 0xc7, 0x9f],
    [0xa0, 0x6f, 0x94],
    [0xe9, 0xe1, 0x3a],
    [0xb9, 0xa4, 0xff],
    [0xd8, 0xf5, 0xf0],
];

/// Dashes and gaps for the first seven curves, the next seven, and so on.
const DASHES: [&[f64]; 5] = [
    &[],
    &[7.0, 4.0],
    &[2.0, 3.0],
    &[9.0, 3.0, 2.0, 3.0],
    &[15.0, 5.0],
];

/// The dashes of the second of two schemes.
pub const SECOND: &[f64] = &[5.0, 3.0];

/// The colour of the curve with this index.
pub(super) fn colour(look: usize) -> Rgb {
    COLOURS[look % COLOURS.len()]
}

/// The index of this colour among those of curves.
pub(super) fn series_of(colour: Rgb) -> Option<usize> {
    COLOURS.iter().position(|own| *own == colour)
}

/// The dashes of the curve with this index.
pub(super) fn dashes(look: usize) -> &'static [f64] {
    DASHES[look / COLOURS.len() % DASHES.len()]
}

/// Corners of symbols in a box from -1 to 1; without corners a circle.
const SYMBOLS: [&[(f64, f64)]; 8] = [
    &[],
    &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    &[(0.0, -1.0), (1.0, 0.8), (-1.0, 0.8)],
    &[(0.0, -1.15), (1.15, 0.0), (0.0, 1.15), (-1.15, 0.0)],
    &[(0.0, 1.0), (1.0, -0.8), (-1.0, -0.8)],
    &[
        (-0.4, -1.0),
        (0.4, -1.0),
        (0.4, -0.4),
        (1.0, -0.4),
        (1.0, 0.4),
        (0.4, 0.4),
        (0.4, 1.0),
        (-0.4, 1.0),
        (-0.4, 0.4),
        (-1.0, 0.4),
        (-1.0, -0.4),
        (-0.4, -0.4),
    ],
    &[
        (0.0, -1.1),
        (0.3, -0.35),
        (1.1, -0.3),
        (0.48, 0.2),
        (0.68, 1.0),
        (0.0, 0.55),
        (-0.68, 1.0),
        (-0.48, 0.2),
        (-1.1, -0.3),
        (-0.3, -0.35),
    ],
    &[
        (-1.0, -0.65),
        (-0.65, -1.0),
        (0.0, -0.35),
        (0.65, -1.0),
        (1.0, -0.65),
        (0.35, 0.0),
        (1.0, 0.65),
        (0.65, 1.0),
        (0.0, 0.35),
        (-0.65, 1.0),
        (-1.0, 0.65),
        (-0.35, 0.0),
    ],
];

/// The outline of the symbol with this index, around a place.
pub(super) fn symbol(look: usize, (x, y): (f64, f64), size: f64) -> Vec<(f64, f64)> {
    let corners = SYMBOLS[look % SYMBOLS.len()];
    if !corners.is_empty() {
        return corners
            .iter()
            .map(|(a, b)| (x + a * size, y + b * size))
            .collect();
    }
    let corner = |step: u32| {
        let turn = std::f64::consts::TAU * f64::from(step) / 24.0;
        (x + size * turn.cos(), y + size * turn.sin())
    };
    (0..24).map(corner).collect()
}

/// Colours, dashes and symbols for a page's scripts. A symbol is the data of an SVG path in a box from
/// -1 to 1.
pub(crate) fn looks() -> Value {
    json!({
        "light": COLOURS.map(hex),
        "dark": DARK.map(hex),
        "dashes": DASHES,
        "symbols": SYMBOLS.map(path),
    })
}

fn path(corners: &[(f64, f64)]) -> String {
    if corners.is_empty() {
        return "M-1,0A1,1,0,1,1,1,0A1,1,0,1,1,-1,0Z".to_string();
    }
    let corners = corners.iter().map(|(x, y)| format!("{x},{y}"));
    format!("M{}Z", corners.collect::<Vec<String>>().join("L"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_colours_and_symbols_of_paper() {
        let looks = looks();
        assert_eq!(looks["light"][1], "#b34a0c");
        assert_eq!(looks["light"][6], hex(colour(6)));
        assert_eq!(looks["dashes"][1], json!(dashes(7)));
        assert_eq!(looks["symbols"][2], "M0,-1L1,0.8L-1,0.8Z");
        let counts = ["light", "dark", "symbols"].map(|key| looks[key].as_array().unwrap().len());
        assert_eq!(counts, [COLOURS.len(), COLOURS.len(), SYMBOLS.len()]);
    }
}
