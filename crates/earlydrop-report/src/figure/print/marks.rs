//! Colours, dashes and symbols of printed pictures: those of the report page in light colours.

use super::scene::Rgb;

/// The colours, as `assets/report/theme.js` lists them for light pages.
const COLOURS: [Rgb; 7] = [
    [0x2a, 0x3f, 0xb5],
    [0xb3, 0x4a, 0x0c],
    [0x0b, 0x82, 0x90],
    [0x76, 0x10, 0x5f],
    [0xb4, 0x98, 0x2f],
    [0x7f, 0x95, 0xff],
    [0x1d, 0x2a, 0x1a],
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_those_of_the_page() {
        let theme = include_str!("../../../assets/report/theme.js");
        let (_, list) = theme.split_once("light: [").unwrap();
        let (list, _) = list.split_once(']').unwrap();
        let colours = COLOURS.map(|[r, g, b]| format!("\"#{r:02x}{g:02x}{b:02x}\""));
        assert_eq!(list, colours.join(", "));
        let (_, list) = theme.split_once("const DASHES = ").unwrap();
        let (list, _) = list.split_once(';').unwrap();
        let dashes: Vec<Vec<f64>> = DASHES.iter().map(|dash| dash.to_vec()).collect();
        let written: Vec<Vec<f64>> = serde_json::from_str(list).unwrap();
        assert_eq!(written, dashes);
    }
}
