//! What the page of a search begins with: question, answer, trade-off, and what was tried. Markup
//! without scripts.

use super::{TuneAnswer, TunedScheme};
use crate::figure::{
    Key, Mark, Plot, PlotAxis, PlotPanel, Size, escape, extent, inline, scene, variables,
};
use crate::table::{Cell, Table};

/// The size of the picture, in points.
const PICTURE: Size = Size {
    width: 540.0,
    height: Some(300.0),
    font: 9.0,
};
/// The most settings of a scheme that the page lists.
const MOST_LISTED: usize = 100;
/// A picture reaches as far beyond what it must show, as a share of that.
const MARGIN: f64 = 0.06;
/// It reaches as far beyond a limit.
const BEYOND: f64 = 0.4;
/// How much worse than the worst original a picture of something to minimise reaches.
const WORST: f64 = 1.2;

/// The section with which the page begins.
pub fn lead(answer: &TuneAnswer) -> String {
    let (plot, left_out) = trade_off(answer);
    let lines = answer.lines();
    let paste = match lines.is_empty() {
        true => String::new(),
        false => format!(
            "<p>To paste into a scenario:</p>\n<pre><code>{}</code></pre>\n",
            escape(&lines.join("\n"))
        ),
    };
    let counts = answer.counts();
    let remarks = counts.iter().chain(answer.near_bounds());
    let remarks: String = remarks.map(|text| item(text)).collect();
    let listed: String = answer
        .schemes
        .iter()
        .map(|one| tried(answer, one))
        .collect();
    format!(
        "<style>:root{{{}}}\n:root[data-theme=\"dark\"]{{{dark}}}\n\
         @media (prefers-color-scheme:dark){{:root:not([data-theme]){{{dark}}}}}</style>\n\
         <section id=\"tuning\">\n<h2>Tuned for {}</h2>\n\
         <p class=\"about\">{}</p>\n\
         <p class=\"note\">Validated with {} seeds that the search has not used, next to the \
         original; means with 95% intervals, the change paired by seed.</p>\n{}{paste}\
         <h3>The trade-off</h3>\n<figure>{}</figure>\n<p class=\"note\">{}</p>\n\
         <h3>What was tried</h3>\n<ul>\n{remarks}</ul>\n{}{listed}\
         <p class=\"note\">Below is the report of the validation: original and tuned schemes with \
         the fresh seeds.</p>\n</section>\n",
        variables(false),
        escape(&answer.question()),
        escape(&answer.sentence()),
        answer.fresh_seeds,
        table(answer.validated()),
        inline(&scene(&plot, &PICTURE)),
        escape(&caption(left_out)),
        table(answer.searched()),
        dark = variables(true),
    )
}

fn item(text: &str) -> String {
    format!("<li>{}</li>\n", escape(text))
}

/// A table whose first row is its header; empty without other rows.
fn table(rows: Vec<Vec<String>>) -> String {
    let mut rows = rows.into_iter();
    let table = Table {
        title: String::new(),
        header: rows.next().unwrap_or_default(),
        rows: rows
            .map(|cells| cells.into_iter().map(Cell::plain).collect())
            .collect(),
    };
    match table.rows.is_empty() {
        true => String::new(),
        false => table.html("plain"),
    }
}

fn caption(left_out: usize) -> String {
    let outside = match left_out {
        0 => String::new(),
        1 => " One setting far from these is outside the picture.".to_string(),
        count => format!(" {count} settings far from these are outside the picture."),
    };
    format!(
        "Small symbols are the settings that were tried, faint where they miss a limit. The line is \
         their Pareto front: no other setting beats these in both. All of them are with the search's \
         seeds, which look a little too good. Large symbols are the original and the tuned schemes \
         with fresh seeds.{outside}"
    )
}

/// The settings of a scheme that were tried, the best first, folded.
fn tried(answer: &TuneAnswer, scheme: &TunedScheme) -> String {
    let header = ["settings", &answer.goal_axis, &answer.price_axis].map(String::from);
    let mut rows = vec![header.to_vec()];
    if !answer.limits.is_empty() {
        rows[0].push("within the limits".to_string());
    }
    for one in scheme.tried.iter().take(MOST_LISTED) {
        let number = |value: f64| earlydrop_lab::number::to_digits(value, 4);
        let mut row = vec![one.name().to_string(), number(one.at.1), number(one.at.0)];
        if !answer.limits.is_empty() {
            row.push(if one.is_within_limits { "yes" } else { "no" }.to_string());
        }
        rows.push(row);
    }
    let which = match scheme.count > MOST_LISTED {
        true => format!(
            "The best {MOST_LISTED} settings of {} that were tried",
            scheme.label
        ),
        false => format!("The settings of {} that were tried", scheme.label),
    };
    format!(
        "<details>\n<summary>{}</summary>\n{}</details>\n",
        escape(&which),
        table(rows)
    )
}

/// The picture of the goal over what it costs, and the number of settings outside it: those tried,
/// their Pareto fronts, and the original and tuned schemes with fresh seeds.
pub fn trade_off(answer: &TuneAnswer) -> (Plot, usize) {
    let (x, y) = ranges(answer);
    let is_inside = |at: &(f64, f64)| (x.0..=x.1).contains(&at.0) && (y.0..=y.1).contains(&at.1);
    let axis = |label: &str, range| PlotAxis {
        label: label.to_string(),
        range,
        is_exact: true,
        ..PlotAxis::default()
    };
    let mut panel = PlotPanel {
        y: axis(&answer.goal_axis, y),
        marks: Vec::new(),
    };
    let mut left_out = 0;
    let mut legend = Vec::new();
    for scheme in &answer.schemes {
        let outside = scheme.tried.iter().filter(|one| !is_inside(&one.at));
        left_out += outside.count();
        panel.marks.extend(of_search(scheme, &is_inside));
        legend.push((scheme.label.clone(), Key::symbol(scheme.looks.0)));
        if scheme.line.is_some() {
            legend.push((format!("{} tuned", scheme.label), Key::both(scheme.looks.1)));
        }
    }
    let bounds = answer.bounds.iter().cloned();
    let bounds = bounds.map(|(at, name)| Mark::Vertical { at, name });
    panel.marks.extend(bounds);
    panel
        .marks
        .extend(answer.schemes.iter().flat_map(validated));
    let mut plot = Plot {
        x: axis(&answer.price_axis, x),
        panels: vec![panel],
        legend,
        ..Plot::default()
    };
    plot.describe();
    (plot, left_out)
}

/// The ranges of both axes: around what is validated and the settings within the limits; without
/// limits, around the fronts. What is far worse than the originals would compress the rest.
fn ranges(answer: &TuneAnswer) -> ((f64, f64), (f64, f64)) {
    let schemes = || answer.schemes.iter();
    let originals = schemes().filter_map(|scheme| scheme.before);
    let worst = originals.map(|(_, y)| y).fold(f64::NEG_INFINITY, f64::max);
    let is_near = |at: &(f64, f64)| !answer.minimises || at.1 <= WORST * worst;
    let mut needed: Vec<(f64, f64)> = match answer.limits.is_empty() {
        true => schemes().flat_map(|scheme| scheme.front.clone()).collect(),
        false => {
            let tried = schemes().flat_map(|scheme| &scheme.tried);
            let within = tried.filter(|one| one.is_within_limits);
            within.map(|one| one.at).collect()
        }
    };
    needed.retain(is_near);
    needed.extend(
        schemes()
            .flat_map(|scheme| [scheme.before, scheme.after])
            .flatten(),
    );
    let (mut xs, ys): (Vec<f64>, Vec<f64>) = needed.into_iter().unzip();
    xs.extend(answer.bounds.iter().map(|(at, _)| *at));
    // Beyond a limit, too, so that what misses it is seen.
    let beyond = if answer.bounds.is_empty() {
        MARGIN
    } else {
        BEYOND
    };
    let (low, high) = around(&xs, beyond);
    let high = if answer.price_is_share {
        high.min(100.0)
    } else {
        high
    };
    ((low, high), around(&ys, MARGIN))
}

/// The range of an axis around these values, with a margin that is this share of it.
fn around(values: &[f64], margin: f64) -> (f64, f64) {
    let (low, high) = extent(values.iter().copied()).unwrap_or((0.0, 1.0));
    let margin = margin * (high - low).max(0.1 * high.abs()).max(f64::MIN_POSITIVE);
    match low >= 0.0 {
        true => ((low - margin).max(0.0), high + margin),
        false => (low - margin, high + margin),
    }
}

fn symbol(
    name: String,
    at: (f64, f64),
    look: usize,
    (size, opacity): (f64, f64),
    tip: String,
) -> Mark {
    Mark::Symbols {
        name,
        points: vec![at],
        look,
        size,
        opacity,
        tip,
    }
}

/// The settings of a scheme that were tried, and their front.
fn of_search(scheme: &TunedScheme, is_inside: &impl Fn(&(f64, f64)) -> bool) -> Vec<Mark> {
    let (label, look) = (&scheme.label, scheme.looks.1);
    let tried = scheme.tried.iter().filter(|one| is_inside(&one.at));
    let tried = tried.map(|one| {
        let opacity = if one.is_within_limits { 0.6 } else { 0.2 };
        let tip = format!("{label} with {}", one.name());
        symbol(format!("{label}, tried"), one.at, look, (0.4, opacity), tip)
    });
    let front = Mark::line(label, scheme.front.clone(), Key::line(look));
    tried.chain([front]).collect()
}

/// The original and the tuned scheme with fresh seeds.
fn validated(scheme: &TunedScheme) -> Vec<Mark> {
    let (label, looks) = (&scheme.label, scheme.looks);
    let before = scheme.before.map(|at| {
        let tip = format!("{label}: {}", scheme.original);
        symbol(label.clone(), at, looks.0, (1.3, 1.0), tip)
    });
    let after = scheme.after.filter(|_| scheme.line.is_some()).map(|at| {
        let name = format!("{label} tuned");
        let tip = format!("{name}: {}", scheme.tuned);
        symbol(name, at, looks.1, (1.3, 1.0), tip)
    });
    before.into_iter().chain(after).collect()
}
