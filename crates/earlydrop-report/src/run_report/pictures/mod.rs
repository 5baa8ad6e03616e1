//! The pictures of a report page as [`Plot`]s, for papers: same data, colours and scales.

mod curves;
mod distribution;
mod page;
mod rows;
mod scatter;
mod sizes;
mod sweep;
mod time;
mod time_panels;

use std::str::FromStr;

use earlydrop_lab::sweep::position;

use crate::figure::{Plot, PlotAxis};

use super::data::{Data, Metric};
use crate::words::capital;

pub(super) use page::PagePictures;

/// What a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// One metric against another, a symbol for each scheme.
    Scatter,
    /// A metric along a swept field, a line for each scheme.
    Sweep,
    /// Time series of one scheme, or of two.
    Time,
    /// The share of packets whose time in the queue is at most x.
    Cdf,
    /// The share of packets whose time in the queue is more than x, on a logarithmic axis.
    Tail,
    /// Slowdowns of transfers by their size.
    Sizes,
}

impl What {
    /// Every picture with its name.
    pub const ALL: [(&str, What); 6] = [
        ("scatter", What::Scatter),
        ("sweep", What::Sweep),
        ("time", What::Time),
        ("cdf", What::Cdf),
        ("tail", What::Tail),
        ("sizes", What::Sizes),
    ];
}

impl FromStr for What {
    type Err = PictureError;

    fn from_str(name: &str) -> Result<What, PictureError> {
        let found = What::ALL.iter().find(|(known, _)| *known == name);
        let names = What::ALL.iter().map(|(known, _)| *known);
        let found = found.ok_or_else(|| unknown("picture", name, names.collect()));
        found.map(|(_, what)| *what)
    }
}

/// What a picture is made of; the default is that of the page.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// The schemes' labels; empty: all.
    pub schemes: Vec<String>,
    /// The metrics' names: of the y axis; of a scatter, x and y.
    pub metrics: Vec<String>,
    /// Swept fields with the value at which the picture is taken.
    pub at: Vec<(String, String)>,
    /// The title; empty for none.
    pub title: String,
    /// The x axis's label, instead of the usual one.
    pub x_label: Option<String>,
    /// The y axis's label, instead of the usual one.
    pub y_label: Option<String>,
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// A name is unknown.
    #[error("{what} `{given}`: allowed: {allowed}")]
    Unknown {
        /// What it should name: "scheme".
        what: &'static str,
        /// The name.
        given: String,
        /// The known names.
        allowed: String,
    },
    /// The choice fits no picture of this kind.
    #[error("{0}")]
    Unfit(String),
    /// The run has not measured it.
    #[error("the run holds {0}")]
    Missing(String),
}

/// The picture of a run's data.
pub fn picture(data: &Data, what: What, choices: &Choices) -> Result<Plot, PictureError> {
    let schemes = schemes(data, choices)?;
    let point = point(data, choices)?;
    let view = View {
        data,
        schemes,
        point,
        choices,
    };
    let mut plot = match what {
        What::Scatter => scatter::scatter(&view),
        What::Sweep => sweep::sweep(&view),
        What::Cdf => distribution::distribution(&view, false),
        What::Tail => distribution::distribution(&view, true),
        What::Time => time::time(&view),
        What::Sizes => sizes::sizes(&view),
    }?;
    plot.title.clone_from(&choices.title);
    if let Some(label) = &choices.x_label {
        plot.x.label.clone_from(label);
    }
    if let (Some(label), Some(panel)) = (&choices.y_label, plot.panels.first_mut()) {
        panel.y.label.clone_from(label);
    }
    Ok(plot)
}

/// The part of the data that a picture shows.
struct View<'a> {
    data: &'a Data,
    /// The schemes' indices.
    schemes: Vec<usize>,
    point: usize,
    choices: &'a Choices,
}

impl<'a> View<'a> {
    fn label(&self, scheme: usize) -> &str {
        &self.data.schemes[scheme].label
    }

    /// The index of the scheme's look.
    fn look(&self, scheme: usize) -> usize {
        self.data.schemes[scheme].look
    }

    /// The metric of this name.
    fn metric(&self, name: &str) -> Result<(usize, &'a Metric), PictureError> {
        let data: &'a Data = self.data;
        let mut metrics = data.metrics.iter().enumerate();
        let found = metrics.find(|(_, metric)| metric.name == name);
        found.ok_or_else(|| {
            let names = self.data.metrics.iter().map(|metric| &*metric.name);
            unknown("metric", name, names.collect())
        })
    }

    /// ", at network.rtt = 50 ms"; empty without a sweep.
    fn at(&self) -> String {
        let values = self.data.axes.iter().zip(&self.data.points[self.point]);
        let texts: Vec<String> = values
            .map(|(axis, index)| format!("{} = {}", axis.title, axis.values[*index]))
            .collect();
        match texts.as_slice() {
            [] => String::new(),
            texts => format!(", at {}", texts.join(", ")),
        }
    }
}

/// A name that is none of those known; the nearest comes first.
fn unknown(what: &'static str, given: &str, mut known: Vec<&str>) -> PictureError {
    if let Some(nearest) = earlydrop::registry::nearest(given, known.iter().copied()) {
        known.sort_by_key(|name| *name != nearest);
    }
    PictureError::Unknown {
        what,
        given: given.to_string(),
        allowed: known.join(", "),
    }
}

fn schemes(data: &Data, choices: &Choices) -> Result<Vec<usize>, PictureError> {
    if choices.schemes.is_empty() {
        return Ok((0..data.schemes.len()).collect());
    }
    let labels = || data.schemes.iter().map(|scheme| scheme.label.as_str());
    let index = |wanted: &String| {
        let found = labels().position(|label| label == wanted);
        found.ok_or_else(|| unknown("scheme", wanted, labels().collect()))
    };
    choices.schemes.iter().map(index).collect()
}

/// The first point that has the wanted values.
fn point(data: &Data, choices: &Choices) -> Result<usize, PictureError> {
    let mut wanted = Vec::new();
    for (field, value) in &choices.at {
        let axis = data.axes.iter().position(|axis| axis.field == *field);
        let axis = axis.ok_or_else(|| {
            let fields = data.axes.iter().map(|axis| axis.field.as_str());
            match data.axes.is_empty() {
                true => PictureError::Unfit(format!(
                    "{field}={value}: the run sweeps no field, so it has one point only"
                )),
                false => unknown("swept field", field, fields.collect()),
            }
        })?;
        let values = || data.axes[axis].values.iter().map(String::as_str);
        let index = position(values(), value);
        let index = index.ok_or_else(|| unknown("value", value, values().collect()))?;
        wanted.push((axis, index));
    }
    let mut points = data.points.iter();
    let found = points.position(|point| wanted.iter().all(|(axis, index)| point[*axis] == *index));
    found.ok_or_else(|| PictureError::Missing("no point with these values".to_string()))
}

/// "Queueing delay (ms)".
fn heading(metric: &Metric) -> String {
    let title = capital(&metric.title);
    match metric.unit {
        "" => title,
        unit => format!("{title} ({unit})"),
    }
}

/// Whether values need a logarithmic axis: all above zero and more than a factor of `ratio` apart.
fn spans_decades(values: &[f64], ratio: f64) -> bool {
    extent(values).is_some_and(|(low, high)| low > 0.0 && high / low > ratio)
}

/// The smallest and the largest finite value.
fn extent(values: &[f64]) -> Option<(f64, f64)> {
    crate::figure::extent(values.iter().copied())
}

/// An axis for these values, with some room around them.
fn axis(label: String, values: &[f64], is_log: bool) -> PlotAxis {
    let (low, high) = extent(values).unwrap_or((0.0, 1.0));
    let range = match is_log {
        true => {
            let room = (high / low).powf(0.04).max(1.04);
            (low / room, high * room)
        }
        false => (low, high),
    };
    PlotAxis {
        label,
        range,
        is_log,
        ..PlotAxis::default()
    }
}

#[cfg(test)]
mod tests;
