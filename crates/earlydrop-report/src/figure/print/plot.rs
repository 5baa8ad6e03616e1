//! Layout of a printed picture: panels over a common x axis, and a legend below.

use super::super::downsample::kept_samples;
use super::super::scale::Scale;
use super::marks::{colour, dashes, symbol};
use super::scene::{FAINT, GRID, INK, Item, Scene, Stroke, WHITE, width_of};

/// A picture in the units of its data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// The title above it; may be empty.
    pub title: String,
    /// What it shows, in sentences.
    pub description: String,
    /// The x axis, which all panels share.
    pub x: PlotAxis,
    /// The panels from top to bottom.
    pub panels: Vec<PlotPanel>,
    /// The legend: a name, and its mark.
    pub legend: Vec<(String, Key)>,
}

/// One panel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotPanel {
    /// The y axis.
    pub y: PlotAxis,
    /// What is drawn, in order.
    pub marks: Vec<Mark>,
}

/// An axis: its label, and its range.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotAxis {
    /// The quantity with its unit.
    pub label: String,
    /// The smallest and the largest value.
    pub range: (f64, f64),
    /// Whether it is logarithmic.
    pub is_log: bool,
    /// Whether the range ends at it exactly, and not at a round number.
    pub is_exact: bool,
    /// Ticks with their text; empty: round numbers.
    pub ticks: Vec<(f64, String)>,
}

/// The mark of a legend's entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// The index of colour, dashes and symbol.
    pub look: usize,
    /// Whether it shows a line.
    pub has_line: bool,
    /// Whether it shows a symbol.
    pub has_symbol: bool,
    /// The dashes, where they are not those of `look`.
    pub dashes: Option<&'static [f64]>,
}

/// Something drawn in a panel, at places in the units of the axes.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A line; places that are not finite leave a gap.
    Line {
        /// The name in the legend.
        name: String,
        /// The places.
        points: Vec<(f64, f64)>,
        /// Its colour and dashes.
        key: Key,
        /// The width, of a line of usual width.
        weight: f64,
    },
    /// Symbols.
    Symbols {
        /// The name in the legend.
        name: String,
        /// The places.
        points: Vec<(f64, f64)>,
        /// The index of colour and symbol.
        look: usize,
        /// The size, of a symbol of usual size.
        size: f64,
        /// The opacity.
        opacity: f64,
    },
    /// A filled outline.
    Area {
        /// The corners.
        points: Vec<(f64, f64)>,
        /// The index of the colour.
        look: usize,
        /// The opacity.
        opacity: f64,
    },
    /// A dashed horizontal line with a name.
    Level {
        /// The place on the y axis.
        at: f64,
        /// The name.
        name: String,
    },
    /// A dashed vertical line.
    Vertical {
        /// The place on the x axis.
        at: f64,
    },
}

/// The size of a printed picture, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// The width.
    pub width: f64,
    /// The height; `None` for one that suits the width.
    pub height: Option<f64>,
    /// The font size.
    pub font: f64,
}

/// Where panels lie in the picture.
struct Layout {
    left: f64,
    right: f64,
    top: f64,
    /// The height of a panel, and the gap below it.
    panel: f64,
    gap: f64,
    bottom: f64,
    x: Scale,
    font: f64,
}

/// The picture as parts in points.
pub fn scene(plot: &Plot, size: &Size) -> Scene {
    let font = size.font;
    let scales: Vec<Scale> = plot.panels.iter().map(|panel| scale(&panel.y)).collect();
    let pairs = plot.panels.iter().zip(&scales);
    let ticks: Vec<Vec<(f64, String)>> = pairs
        .map(|(panel, scale)| ticks(&panel.y, scale, 4))
        .collect();
    let rows = legend_rows(plot, size);
    // Below the panels: the ticks, the axis's label and the legend.
    let foot = 2.9 * font + 1.5 * font * rows.len() as f64;
    let layout = layout(plot, size, foot, &ticks);
    let first = plot.panels.first().map_or("", |panel| &panel.y.label);
    let mut scene = Scene {
        width: size.width,
        height: layout.bottom + foot,
        title: if plot.title.is_empty() {
            first
        } else {
            &plot.title
        }
        .to_string(),
        description: plot.description.clone(),
        font,
        items: Vec::new(),
    };
    if !plot.title.is_empty() {
        let middle = (layout.left + layout.right) / 2.0;
        scene.text((middle, 1.3 * font), 0.5, 1.1 * font, &plot.title);
    }
    for (index, panel) in plot.panels.iter().enumerate() {
        draw_panel(
            &mut scene,
            &layout,
            panel,
            index,
            (&scales[index], &ticks[index]),
        );
    }
    draw_x_axis(&mut scene, &layout, plot);
    draw_legend(&mut scene, plot, &rows, layout.bottom + 4.1 * font, font);
    scene
}

/// Places the panels in what titles, tick labels and the `foot` leave free.
fn layout(plot: &Plot, size: &Size, foot: f64, ticks: &[Vec<(f64, String)>]) -> Layout {
    let font = size.font;
    let widest = ticks.iter().flatten().map(|(_, text)| width_of(text, font));
    let left = widest.fold(0.0, f64::max) + 2.6 * font;
    let count = plot.panels.len().max(1) as f64;
    let gap = if plot.panels.len() > 1 {
        0.9 * font
    } else {
        0.0
    };
    let top = if plot.title.is_empty() {
        0.6 * font
    } else {
        2.0 * font
    };
    let panel = match (size.height, plot.panels.len()) {
        (Some(height), _) => ((height - top - foot - gap * (count - 1.0)) / count).max(2.0 * font),
        (None, 0 | 1) => 0.56 * size.width,
        (None, 2) => 0.32 * size.width,
        (None, _) => 0.24 * size.width,
    };
    let x = scale(&plot.x);
    let room = size.width - left;
    // The half of the last number that would lie outside of the picture.
    let over = ticks_x(plot, &x, room).last().map_or(0.0, |(value, text)| {
        let share = x.share(*value).unwrap_or(0.0);
        (width_of(text, font) / 2.0 - (1.0 - share) * room).max(0.0)
    });
    Layout {
        left,
        right: size.width - over - 0.5 * font,
        top,
        panel,
        gap,
        bottom: top + panel * count + gap * (count - 1.0),
        x,
        font,
    }
}

pub(super) fn scale(axis: &PlotAxis) -> Scale {
    let (low, high) = axis.range;
    match (axis.is_log, axis.is_exact) {
        (true, _) => Scale::log(low, high),
        (false, true) => Scale::linear(low, high),
        (false, false) => Scale::linear(low, high).rounded(4),
    }
}

pub(super) fn ticks(axis: &PlotAxis, scale: &Scale, wanted: usize) -> Vec<(f64, String)> {
    match axis.ticks.is_empty() {
        true => scale.ticks(wanted),
        false => axis.ticks.clone(),
    }
}

fn ticks_x(plot: &Plot, x: &Scale, room: f64) -> Vec<(f64, String)> {
    ticks(&plot.x, x, if room > 200.0 { 6 } else { 4 })
}

/// The line through these points, cut where one has no place.
fn place(points: &[(f64, f64)], layout: &Layout, y: (&Scale, f64)) -> Vec<Vec<(f64, f64)>> {
    let mut parts = vec![Vec::new()];
    for (x, value) in points {
        match (layout.x.share(*x), y.0.share(*value)) {
            (Some(across), Some(up)) => {
                let place = (
                    layout.left + across * (layout.right - layout.left),
                    // Places far outside would lose their digits in a file.
                    y.1 + layout.panel * (1.0 - up).clamp(-20.0, 20.0),
                );
                if let Some(part) = parts.last_mut() {
                    part.push(place);
                }
            }
            _ => parts.push(Vec::new()),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Of the points in a column of a quarter of a point, those that decide how it looks.
fn thin(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let heights: Vec<f64> = points.iter().map(|(_, y)| *y).collect();
    let column = |index: usize| (points[index].0 * 4.0).floor();
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < points.len() {
        let same = (at..points.len()).take_while(|index| column(*index) == column(at));
        let end = at + same.count();
        kept.extend(
            kept_samples(&heights, at, end)
                .into_iter()
                .map(|index| points[index]),
        );
        at = end;
    }
    kept
}

fn draw_panel(
    scene: &mut Scene,
    layout: &Layout,
    panel: &PlotPanel,
    index: usize,
    (scale, ticks): (&Scale, &[(f64, String)]),
) {
    let font = layout.font;
    let top = layout.top + (layout.panel + layout.gap) * index as f64;
    let bottom = top + layout.panel;
    let (left, right) = (layout.left, layout.right);
    let mut free = f64::MAX;
    for (value, text) in ticks {
        let Some(share) = scale
            .share(*value)
            .filter(|share| (-1e-6..=1.000_001).contains(share))
        else {
            continue;
        };
        let y = bottom - share * layout.panel;
        scene.line(vec![(left, y), (right, y)], Stroke::solid(GRID, 0.5));
        if y < free {
            scene.text((left - 0.4 * font, y + 0.35 * font), 1.0, font, text);
            free = y - font;
        }
    }
    scene.items.push(Item::Clip([left, top, right, bottom]));
    let is_symbol = |mark: &&Mark| matches!(mark, Mark::Symbols { .. });
    for mark in panel.marks.iter().filter(|mark| !is_symbol(mark)) {
        draw_mark(scene, layout, mark, (scale, top));
    }
    scene.items.push(Item::EndClip);
    // A symbol at the end of an axis is whole.
    for mark in panel.marks.iter().filter(is_symbol) {
        draw_mark(scene, layout, mark, (scale, top));
    }
    draw_level_names(scene, layout, panel, (scale, bottom));
    let axis = Stroke::solid(FAINT, 0.6);
    scene.line(vec![(left, top), (left, bottom), (right, bottom)], axis);
    // A label that is longer than its panel would touch the next one.
    let room = (layout.panel + layout.gap) / width_of(&panel.y.label, font).max(1.0);
    let label = (1.1 * font, (top + bottom) / 2.0);
    scene.upward(label, font * room.min(1.0), &panel.y.label);
}

/// Writes the names of horizontal lines above their right ends.
fn draw_level_names(
    scene: &mut Scene,
    layout: &Layout,
    panel: &PlotPanel,
    (scale, bottom): (&Scale, f64),
) {
    let (font, right) = (layout.font, layout.right);
    for mark in &panel.marks {
        if let Mark::Level { at, name } = mark
            && let Some(share) = scale.share(*at).filter(|share| (0.0..=1.0).contains(share))
        {
            let y = bottom - share * layout.panel - 0.25 * font;
            let (size, end) = (0.9 * font, right - 2.0);
            let (start, above) = (end - width_of(name, size) - 1.0, y - 0.8 * size);
            let low = y + 0.15 * size;
            let box_behind = vec![(start, above), (end, above), (end, low), (start, low)];
            scene.area(box_behind, WHITE, 0.8);
            scene.text((end, y), 1.0, size, name);
        }
    }
}

fn draw_mark(scene: &mut Scene, layout: &Layout, mark: &Mark, y: (&Scale, f64)) {
    match mark {
        Mark::Line {
            points,
            key,
            weight,
            ..
        } => {
            let stroke = Stroke {
                colour: colour(key.look),
                width: 1.1 * weight,
                dashes: scaled(key.dashes.unwrap_or(dashes(key.look))),
            };
            for part in place(points, layout, y) {
                scene.line(thin(part), stroke.clone());
            }
        }
        Mark::Symbols {
            points,
            look,
            size,
            opacity,
            ..
        } => {
            for at in place(points, layout, y).into_iter().flatten() {
                let outline = symbol(*look, at, 0.36 * layout.font * size);
                scene.area(outline, colour(*look), *opacity);
            }
        }
        Mark::Area {
            points,
            look,
            opacity,
        } => {
            let outline = place(points, layout, y).into_iter().flatten().collect();
            scene.area(outline, colour(*look), *opacity);
        }
        Mark::Level { at, .. } => {
            let (low, high) = layout.x.ends();
            guide(scene, layout, &[(low, *at), (high, *at)], y);
        }
        Mark::Vertical { at } => {
            let (low, high) = y.0.ends();
            guide(scene, layout, &[(*at, low), (*at, high)], y);
        }
    }
}

/// Draws a thin dashed line.
fn guide(scene: &mut Scene, layout: &Layout, points: &[(f64, f64)], y: (&Scale, f64)) {
    let stroke = Stroke {
        colour: INK,
        width: 0.5,
        dashes: vec![1.5, 2.0],
    };
    for part in place(points, layout, y) {
        scene.line(part, stroke.clone());
    }
}

/// Dashes for a line of one point.
pub(super) fn scaled(dashes: &[f64]) -> Vec<f64> {
    dashes.iter().map(|length| 0.6 * length).collect()
}

fn draw_x_axis(scene: &mut Scene, layout: &Layout, plot: &Plot) {
    let (font, foot) = (layout.font, layout.bottom);
    let room = layout.right - layout.left;
    let mut free = f64::MIN;
    for (value, text) in ticks_x(plot, &layout.x, room) {
        let Some(share) = layout
            .x
            .share(value)
            .filter(|s| (-1e-6..=1.000_001).contains(s))
        else {
            continue;
        };
        let x = layout.left + share * room;
        scene.line(vec![(x, foot), (x, foot + 2.5)], Stroke::solid(FAINT, 0.6));
        let half = width_of(&text, font) / 2.0;
        // A number that would touch the previous one is left out; its tick stays.
        if x - half > free {
            scene.text((x, foot + 1.3 * font + 1.5), 0.5, font, &text);
            free = x + half + 0.4 * font;
        }
    }
    let middle = layout.left + room / 2.0;
    scene.text((middle, foot + 2.6 * font + 1.0), 0.5, font, &plot.x.label);
}

/// The width of a legend's sample of a line.
const SAMPLE: f64 = 16.0;

/// The indices of the legend's entries, row by row, each with its left end.
fn legend_rows(plot: &Plot, size: &Size) -> Vec<Vec<(usize, f64)>> {
    let mut rows: Vec<Vec<(usize, f64)>> = Vec::new();
    let mut used = f64::INFINITY;
    for (index, (name, _)) in plot.legend.iter().enumerate() {
        let width = SAMPLE + 0.4 * size.font + width_of(name, size.font) + 1.2 * size.font;
        if used + width > size.width - size.font {
            rows.push(Vec::new());
            used = 0.0;
        }
        if let Some(row) = rows.last_mut() {
            row.push((index, used));
        }
        used += width;
    }
    rows
}

fn draw_legend(scene: &mut Scene, plot: &Plot, rows: &[Vec<(usize, f64)>], top: f64, font: f64) {
    for (line, row) in rows.iter().enumerate() {
        let y = top + 1.5 * font * line as f64;
        for (index, left) in row {
            let (name, key) = &plot.legend[*index];
            let x = font + left;
            let middle = y - 0.33 * font;
            if key.has_line {
                let stroke = Stroke {
                    colour: colour(key.look),
                    width: 1.1,
                    dashes: scaled(key.dashes.unwrap_or(dashes(key.look))),
                };
                scene.line(vec![(x, middle), (x + SAMPLE, middle)], stroke);
            }
            if key.has_symbol {
                let outline = symbol(key.look, (x + SAMPLE / 2.0, middle), 0.36 * font);
                scene.area(outline, colour(key.look), 1.0);
            }
            scene.text((x + SAMPLE + 0.4 * font, y), 0.0, font, name);
        }
    }
}
