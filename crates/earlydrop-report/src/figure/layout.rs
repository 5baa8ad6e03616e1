//! Layout of a picture: panels over a common x axis, and a legend below or names beside.

use super::marks::{colour, dashes, symbol};
use super::names::spread;
use super::scale::Scale;
use super::scene::{FAINT, GRID, INK, Item, Scene, Stroke, WHITE, rectangle, width_of};
use super::thin::thin;
use super::{Key, Mark, Plot, PlotPanel, Size};

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

impl Layout {
    /// The top and the bottom of a panel.
    fn rows_of(&self, index: usize) -> (f64, f64) {
        let top = self.top + (self.panel + self.gap) * index as f64;
        (top, top + self.panel)
    }
}

/// The picture as parts in points.
pub fn scene(plot: &Plot, size: &Size) -> Scene {
    let font = size.font;
    let ticks = plot.panels.iter().map(|panel| panel.y.ticks(4));
    let ticks: Vec<Vec<(f64, String)>> = ticks.collect();
    let rows = match plot.has_names_at_ends {
        true => Vec::new(),
        false => legend_rows(plot, size),
    };
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
        let half = (width_of(&plot.title, 1.1 * font) / 2.0).min(size.width / 2.0);
        let middle = middle.clamp(half, size.width - half);
        scene.text((middle, 1.3 * font), 0.5, 1.1 * font, &plot.title);
    }
    for (index, panel) in plot.panels.iter().enumerate() {
        draw_panel(&mut scene, &layout, panel, index, &ticks[index]);
        if !plot.has_names_at_ends {
            draw_level_names(&mut scene, &layout, panel, index);
        }
    }
    draw_x_axis(&mut scene, &layout, plot);
    if let (true, Some(panel)) = (plot.has_names_at_ends, plot.panels.first()) {
        draw_end_names(&mut scene, &layout, panel, &plot.legend);
    }
    draw_vertical_names(&mut scene, &layout, plot, size.width);
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
    let title = if plot.title.is_empty() { 0.6 } else { 2.0 };
    let names = vertical_names(plot).count().min(NAME_ROWS) as f64;
    let top = (title + NAME_ROW * names) * font;
    let panel = match (size.height, plot.panels.len()) {
        (Some(height), _) => ((height - top - foot - gap * (count - 1.0)) / count).max(2.0 * font),
        (None, 0 | 1) => 0.56 * size.width,
        (None, 2) => 0.32 * size.width,
        (None, _) => 0.24 * size.width,
    };
    let x = plot.x.scale();
    let room = size.width - left;
    // The half of the last number that would lie outside of the picture.
    let over = ticks_x(plot, room).last().map_or(0.0, |(value, text)| {
        let share = x.share(*value).unwrap_or(0.0);
        (width_of(text, font) / 2.0 - (1.0 - share) * room).max(0.0)
    });
    Layout {
        left,
        right: size.width - over.max(end_room(plot, font)) - 0.5 * font,
        top,
        panel,
        gap,
        bottom: top + panel * count + gap * (count - 1.0),
        x,
        font,
    }
}

fn ticks_x(plot: &Plot, room: f64) -> Vec<(f64, String)> {
    plot.x.ticks(if room > 170.0 { 6 } else { 4 })
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

fn draw_panel(
    scene: &mut Scene,
    layout: &Layout,
    panel: &PlotPanel,
    index: usize,
    ticks: &[(f64, String)],
) {
    let font = layout.font;
    let (top, bottom) = layout.rows_of(index);
    let scale = &panel.y.scale();
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
    let axis = Stroke::solid(FAINT, 0.6);
    scene.line(vec![(left, top), (left, bottom), (right, bottom)], axis);
    // A label that is longer than its panel would touch the next one.
    let room = (layout.panel + layout.gap) / width_of(&panel.y.label, font).max(1.0);
    let label = (1.1 * font, (top + bottom) / 2.0);
    scene.upward(label, font * room.min(1.0), &panel.y.label);
}

/// Writes the names of horizontal lines above their right ends.
fn draw_level_names(scene: &mut Scene, layout: &Layout, panel: &PlotPanel, index: usize) {
    let (font, right) = (layout.font, layout.right);
    let (scale, (_, bottom)) = (panel.y.scale(), layout.rows_of(index));
    for mark in &panel.marks {
        if let Mark::Level { at, name } = mark
            && let Some(share) = scale.share(*at).filter(|share| (0.0..=1.0).contains(share))
        {
            let y = bottom - share * layout.panel - 0.25 * font;
            let (size, end) = (0.9 * font, right - 2.0);
            let (start, above) = (end - width_of(name, size) - 1.0, y - 0.8 * size);
            let low = y + 0.15 * size;
            scene.area(rectangle([start, above, end, low]), WHITE, 0.8);
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
            tip,
            ..
        } => {
            let stroke = Stroke {
                colour: colour(key.look),
                width: 1.1 * weight,
                dashes: scaled(key.dashes.unwrap_or(dashes(key.look))),
            };
            for part in place(points, layout, y) {
                scene.tipped_line(thin(&part), stroke.clone(), tip);
            }
        }
        Mark::Symbols {
            points,
            look,
            size,
            opacity,
            tip,
            ..
        } => {
            for at in place(points, layout, y).into_iter().flatten() {
                let outline = symbol(*look, at, 0.36 * layout.font * size);
                scene.tipped_area(outline, (colour(*look), *opacity), None, tip);
            }
        }
        Mark::Area {
            points,
            look,
            opacity,
            tip,
        } => {
            let outline = place(points, layout, y).into_iter().flatten().collect();
            scene.tipped_area(outline, (colour(*look), *opacity), None, tip);
        }
        Mark::Level { at, .. } => {
            let (low, high) = layout.x.ends();
            guide(scene, layout, &[(low, *at), (high, *at)], y);
        }
        Mark::Vertical { at, .. } => {
            let (low, high) = y.0.ends();
            guide(scene, layout, &[(*at, low), (*at, high)], y);
        }
    }
}

/// Draws a thin dashed line.
fn guide(scene: &mut Scene, layout: &Layout, points: &[(f64, f64)], y: (&Scale, f64)) {
    for part in place(points, layout, y) {
        scene.line(part, thin_dashes());
    }
}

fn thin_dashes() -> Stroke {
    Stroke {
        colour: INK,
        width: 0.5,
        dashes: vec![1.5, 2.0],
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
    for (value, text) in ticks_x(plot, room) {
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
            draw_key(scene, key, (x, middle), font);
            scene.text((x + SAMPLE + 0.4 * font, y), 0.0, font, name);
        }
    }
}

/// Draws the sample of a legend's mark from its left end on.
fn draw_key(scene: &mut Scene, key: &Key, (x, y): (f64, f64), font: f64) {
    if key.has_line {
        let stroke = Stroke {
            colour: colour(key.look),
            width: 1.1,
            dashes: scaled(key.dashes.unwrap_or(dashes(key.look))),
        };
        scene.line(vec![(x, y), (x + SAMPLE, y)], stroke);
    }
    if key.has_symbol {
        let outline = symbol(key.look, (x + SAMPLE / 2.0, y), 0.36 * font);
        scene.area(outline, colour(key.look), 1.0);
    }
    if !key.has_line && !key.has_symbol {
        let half = 0.4 * font;
        let filled = rectangle([x + SAMPLE - 2.0 * half, y - half, x + SAMPLE, y + half]);
        scene.area(filled, colour(key.look), 1.0);
    }
}

/// The room for names at the right ends of lines.
fn end_room(plot: &Plot, font: f64) -> f64 {
    if !plot.has_names_at_ends {
        return 0.0;
    }
    let levels = plot.panels.iter().flat_map(|panel| levels(&panel.marks));
    let names = plot.legend.iter().map(|(name, _)| name.as_str());
    let widths = names
        .chain(levels.map(|(_, name)| name))
        .map(|name| width_of(name, font));
    // A page without Helvetica takes a wider font.
    SAMPLE + font + 1.15 * widths.fold(0.0, f64::max)
}

/// The horizontal lines among marks: their places and their names.
fn levels(marks: &[Mark]) -> impl Iterator<Item = (f64, &str)> {
    marks.iter().filter_map(|mark| match mark {
        Mark::Level { at, name } => Some((*at, name.as_str())),
        _ => None,
    })
}

/// Writes the names of lines and levels to the right of the first panel.
fn draw_end_names(scene: &mut Scene, layout: &Layout, panel: &PlotPanel, legend: &[(String, Key)]) {
    let font = layout.font;
    let ends = legend.iter().map(|(name, key)| {
        let end = panel.marks.iter().find_map(|mark| mark.end_of(name));
        (end.unwrap_or(0.0), name.as_str(), Some(key))
    });
    let levels = levels(&panel.marks).map(|(at, name)| (at, name, None));
    let names: Vec<(f64, &str, Option<&Key>)> = ends.chain(levels).collect();
    let (scale, (top, bottom)) = (panel.y.scale(), layout.rows_of(0));
    let row = |at: f64| bottom - layout.panel * scale.share(at).unwrap_or(0.0).clamp(0.0, 1.0);
    let wanted: Vec<f64> = names.iter().map(|(at, ..)| row(*at)).collect();
    let rows = spread(&wanted, (top + 1.5, bottom - 1.5), 1.2 * font);
    let left = layout.right + 0.6 * font;
    for (((_, name, key), wanted), y) in names.iter().zip(wanted).zip(rows) {
        if (y - wanted).abs() > 2.0 {
            let lead = vec![(layout.right + 0.7, wanted), (left - 0.7, y)];
            scene.line(lead, Stroke::solid(FAINT, 0.5));
        }
        match key {
            Some(key) => draw_key(scene, key, (left, y), font),
            None => scene.line(vec![(left, y), (left + SAMPLE, y)], thin_dashes()),
        }
        scene.text(
            (left + SAMPLE + 0.3 * font, y + 0.35 * font),
            0.0,
            font,
            name,
        );
    }
}

/// The height of a row of names above the first panel, of the font size, and the most rows.
const NAME_ROW: f64 = 1.1;
const NAME_ROWS: usize = 3;

/// The vertical lines that have a name: their places and their names.
fn vertical_names(plot: &Plot) -> impl Iterator<Item = (f64, &str)> {
    let marks = plot
        .panels
        .first()
        .into_iter()
        .flat_map(|panel| &panel.marks);
    marks.filter_map(|mark| match mark {
        Mark::Vertical { at, name } if !name.is_empty() => Some((*at, name.as_str())),
        _ => None,
    })
}

/// Writes the names of vertical lines above the first panel in alternating rows.
fn draw_vertical_names(scene: &mut Scene, layout: &Layout, plot: &Plot, width: f64) {
    let font = layout.font;
    for (index, (at, name)) in vertical_names(plot).enumerate() {
        let Some(share) = layout.x.share(at) else {
            continue;
        };
        let x = layout.left + share * (layout.right - layout.left);
        let half = 0.5 * width_of(name, font);
        let least = layout.left + half;
        let middle = x.clamp(least, (width - half).max(least));
        let y = layout.top - (0.3 + NAME_ROW * (index % NAME_ROWS) as f64) * font;
        scene.text((middle, y), 0.5, font, name);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Path, PlotAxis};
    use super::*;

    /// A picture of one line.
    fn picture(points: &[(f64, f64)]) -> Plot {
        let mut plot = Plot {
            x: PlotAxis {
                is_exact: true,
                ..PlotAxis::fitting("flows", None, None)
            },
            panels: vec![PlotPanel {
                y: PlotAxis::fitting("delay, ms", None, None),
                marks: vec![Mark::line("RED", points.to_vec(), Key::line(0))],
            }],
            legend: vec![("RED".to_string(), Key::line(0))],
            has_names_at_ends: true,
            ..Plot::default()
        };
        plot.fit();
        plot
    }

    /// The corners of each line in the first scheme's colour.
    fn lines(scene: &Scene) -> Vec<&[(f64, f64)]> {
        let line = |item: &'_ Item| match item {
            Item::Path(Path {
                stroke: Some(stroke),
                ..
            }) => stroke.colour == colour(0),
            _ => false,
        };
        let lines = scene.items.iter().filter(|item| line(item));
        lines
            .filter_map(|item| match item {
                Item::Path(path) => Some(path.points.as_slice()),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn values_lie_between_their_ticks_and_a_name_at_its_end() {
        let drawn = scene(
            &picture(&[(0.0, 0.0), (50.0, 5.0), (100.0, 10.0)]),
            &Size::PAGE,
        );
        let [line, sample] = lines(&drawn)[..] else {
            panic!("{drawn:?}");
        };
        let near = |one: f64, other: f64| assert!((one - other).abs() < 1e-9, "{one} {other}");
        near(line[1].0, (line[0].0 + line[2].0) / 2.0);
        near(line[1].1, (line[0].1 + line[2].1) / 2.0);
        assert!(sample[0].0 > line[2].0 && (sample[0].1 - line[2].1).abs() < 2.0);
    }

    #[test]
    fn empty_pictures_and_zeros_on_logarithmic_axes_are_drawn() {
        let mut log = picture(&[(0.0, 0.0), (50.0, 5.0), (100.0, 10.0)]);
        (log.x.is_log, log.panels[0].y.is_log) = (true, true);
        for plot in [Plot::default(), picture(&[]), log] {
            let drawn = super::super::inline(&scene(&plot, &Size::PAGE));
            assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
        }
    }
}
