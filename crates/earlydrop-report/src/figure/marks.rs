//! Colours, dashes and symbols of pictures, on paper and on pages in light and in dark.

use serde_json::{Value, json};

use super::scene::{FAINT, GRID, INK, Rgb, WHITE};
use super::svg::hex;

/// Seven colours that remain distinguishable with protanopia and deuteranopia: any two differ by at
/// least 12 in OKLab x 100. More than seven schemes also differ by dash; every scheme has its symbol.
/// Each on light and on dark pages. Which scheme has which: `scheme_looks.rs`.
pub(super) const COLOURS: [(Rgb, Rgb); 7] = [
    ([0x2a, 0x3f, 0xb5], [0x4d, 0x7c, 0xf5]),
    ([0xb3, 0x4a, 0x0c], [0xff, 0x8a, 0x1c]),
    ([0x0b, 0x82, 0x90], [0x22, 0xc7, 0x9f]),
    ([0x76, 0x10, 0x5f], [0xa0, 0x6f, 0x94]),
    ([0xb4, 0x98, 0x2f], [0xe9, 0xe1, 0x3a]),
    ([0x7f, 0x95, 0xff], [0xb9, 0xa4, 0xff]),
    ([0x1d, 0x2a, 0x1a], [0xd8, 0xf5, 0xf0]),
];

/// The other colours, on light and on dark pages: ink, axes, grid lines, the ground, and those of
/// verdicts.
const OTHERS: [(&str, Rgb, Rgb); 8] = [
    ("ink", INK, [0xe4, 0xe7, 0xeb]),
    ("axis", FAINT, [0x6b, 0x76, 0x86]),
    ("grid", GRID, [0x27, 0x2d, 0x36]),
    ("ground", WHITE, [0x14, 0x17, 0x1c]),
    ("right", [0x0b, 0x7a, 0x5f], [0x2f, 0xc7, 0x9a]),
    ("partly", [0xa6, 0x7c, 0x00], [0xe5, 0xb9, 0x3c]),
    ("wrong", [0xb3, 0x40, 0x0c], [0xff, 0x84, 0x50]),
    ("open", [0x7a, 0x84, 0x94], [0x8a, 0x94, 0xa3]),
];

/// Every colour: its name, and how it looks on light and on dark pages.
fn palette() -> impl Iterator<Item = (String, Rgb, Rgb)> {
    let others = OTHERS.map(|(name, light, dark)| (name.to_string(), light, dark));
    let series = COLOURS.into_iter().enumerate();
    let series = series.map(|(index, (light, dark))| (format!("c{index}"), light, dark));
    others.into_iter().chain(series)
}

/// The colours as CSS variables of a light or a dark page: `--ink:#1c222b;` and so on.
pub(crate) fn variables(is_dark: bool) -> String {
    let variable =
        |(name, light, dark)| format!("--{name}:{};", hex(if is_dark { dark } else { light }));
    palette().map(variable).collect()
}

/// The CSS variable of a colour.
pub(super) fn variable_of(colour: Rgb) -> Option<String> {
    let found = palette().find(|(_, light, _)| *light == colour);
    found.map(|(name, ..)| name)
}

/// The colour of a verdict's class: "right", "partly", "wrong"; of any other that of "open".
pub(super) fn verdict(class: &str) -> Rgb {
    let found = palette().find(|(name, ..)| name == class);
    found.map_or(OTHERS[7].1, |(_, light, _)| light)
}

/// Dashes and gaps for the first seven curves, the next seven, and so on.
pub(super) const DASHES: [&[f64]; 6] = [
    &[],
    &[7.0, 4.0],
    &[2.0, 3.0],
    &[9.0, 3.0, 2.0, 3.0],
    &[15.0, 5.0],
    &[12.0, 3.0, 2.0, 3.0, 2.0, 3.0],
];

/// The dashes of the second of two schemes.
pub const SECOND: &[f64] = &[5.0, 3.0];

/// The colour of the curve with this index.
pub(super) fn colour(look: usize) -> Rgb {
    COLOURS[look % COLOURS.len()].0
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
    // A small circle needs fewer corners: the edge is off by 3% of the radius at most.
    let count = if size < 2.0 { 12 } else { 24 };
    let corner = |step: u32| {
        let turn = std::f64::consts::TAU * f64::from(step) / f64::from(count);
        (x + size * turn.cos(), y + size * turn.sin())
    };
    (0..count).map(corner).collect()
}

/// Colours, dashes and symbols for a page's scripts. A symbol is the data of an SVG path in a box from
/// -1 to 1.
pub(crate) fn looks() -> Value {
    json!({
        "light": COLOURS.map(|(light, _)| hex(light)),
        "dark": COLOURS.map(|(_, dark)| hex(dark)),
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

    /// A colour as it is seen without the cones for red or green, in OKLab x 100 (Viénot, Brettel and
    /// Mollon 1999; Ottosson 2020).
    fn seen(colour: Rgb, lacks: Option<&str>) -> [f64; 3] {
        let linear = |part: u8| match f64::from(part) / 255.0 {
            low if low <= 0.04045 => low / 12.92,
            high => ((high + 0.055) / 1.055).powf(2.4),
        };
        let [r, g, b] = colour.map(linear);
        let [r, g, b] = match lacks {
            Some("red") => {
                let both = 0.11238 * r + 0.88762 * g;
                [both, both, 0.00401 * r - 0.00401 * g + b]
            }
            Some(_) => {
                let both = 0.29275 * r + 0.70725 * g;
                [both, both, -0.02234 * r + 0.02234 * g + b]
            }
            None => [r, g, b],
        };
        let l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b).cbrt();
        let m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b).cbrt();
        let s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b).cbrt();
        [
            0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
        ]
        .map(|part| 100.0 * part)
    }

    #[test]
    fn colours_remain_distinguishable_without_one_kind_of_cones() {
        let distance = |one: [f64; 3], other: [f64; 3]| {
            let parts = one.iter().zip(other);
            parts.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        };
        for lacks in [None, Some("red"), Some("green")] {
            let pages = [
                COLOURS.map(|(light, _)| light),
                COLOURS.map(|(_, dark)| dark),
            ];
            for colours in pages {
                for (at, one) in colours.iter().enumerate() {
                    for other in &colours[..at] {
                        let apart = distance(seen(*one, lacks), seen(*other, lacks));
                        assert!(apart >= 12.0, "{lacks:?}: {one:x?} and {other:x?}: {apart}");
                    }
                }
            }
        }
    }
}
