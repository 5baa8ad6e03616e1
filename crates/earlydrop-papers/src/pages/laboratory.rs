//! Points of figures that open in the laboratory: the scenario as it was run, a point of its sweep,
//! the schemes that a panel shows there, the first seed, and when the schemes differ most.

use std::fmt::Write as _;

use earlydrop_lab::plan::Plan;
use earlydrop_lab::store::StoreError;
use earlydrop_report::figure::escape;
use earlydrop_report::laboratory::MOST_SCHEMES;

use super::coordinates::{point, values, with};
use super::experiment::Experiment;
use super::moments::Moments;
use crate::figures::{CurveSpec, PanelKind, PanelSpec};

/// A point of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct LabPoint {
    /// What a reader calls it: "20", or the panel's title.
    pub name: String,
    /// The experiment.
    pub experiment: String,
    /// The schemes' labels.
    pub schemes: Vec<String>,
    /// The index of the point in the experiment's plan.
    pub point: usize,
    /// The first seed.
    pub seed: u64,
    /// When the schemes' queues differ most, in seconds.
    pub time: f64,
}

/// The points of a panel, in rows with a name each, of a curve or of all.
pub(super) fn rows(
    panel: &PanelSpec,
    experiment: &Experiment,
) -> Result<Vec<(String, Vec<LabPoint>)>, StoreError> {
    if panel.kind == PanelKind::Table {
        return Ok(Vec::new());
    }
    let curves = panel.curves();
    let is_sweep = panel.kind == PanelKind::Sweep;
    let along = is_sweep.then_some(panel.x.field.name.as_str());
    let builder = Rows {
        panel,
        experiment,
        along,
        moments: experiment.moments()?,
    };
    // Schemes at the same points are shown side by side; otherwise each curve has its points.
    let at = curves.first().map(|curve| &curve.at);
    let is_common = curves.len() <= MOST_SCHEMES
        && curves
            .iter()
            .all(|curve| Some(&curve.at) == at && curve.each.name.is_empty());
    let rows = match is_common {
        true => vec![(
            String::new(),
            builder.points(&curves.iter().collect::<Vec<_>>()),
        )],
        false => curves
            .iter()
            .map(|curve| (curve.name.replace("{}", "…"), builder.points(&[curve])))
            .collect(),
    };
    Ok(rows
        .into_iter()
        .filter(|(_, points)| !points.is_empty())
        .collect())
}

struct Rows<'a> {
    panel: &'a PanelSpec,
    experiment: &'a Experiment,
    /// The swept field on the horizontal axis.
    along: Option<&'a str>,
    moments: &'a Moments,
}

impl Rows<'_> {
    /// The points of curves that have the same ones.
    fn points(&self, curves: &[&CurveSpec]) -> Vec<LabPoint> {
        let plan = &self.experiment.plan;
        let Some(first) = curves.first() else {
            return Vec::new();
        };
        let mut fixed = values(&[&first.at, &self.panel.at]);
        // A curve for each value of a field: the first one stands for all.
        let each = plan.axes.iter().find(|axis| axis.field == first.each.name);
        let value = each.and_then(|axis| axis.texts().into_iter().next());
        if let (Some(axis), Some(value)) = (each, &value) {
            fixed.push((axis.field.as_str(), value));
        }
        let (schemes, seed) = (schemes(plan, curves), plan.seeds[0]);
        let of = |name: String, index: usize| LabPoint {
            name,
            experiment: self.panel.experiment.name.clone(),
            time: self.moments.of_difference(&schemes, index),
            schemes: schemes.clone(),
            point: index,
            seed,
        };
        let Some(axis) = plan
            .axes
            .iter()
            .find(|axis| Some(axis.field.as_str()) == self.along)
        else {
            let index = point(plan, &fixed);
            return index
                .map(|index| of("here".to_string(), index))
                .into_iter()
                .collect();
        };
        let texts = axis.texts();
        let points = texts.iter().filter_map(|text| {
            let index = point(plan, &with(&fixed, &axis.field, text))?;
            Some(of(text.clone(), index))
        });
        points.collect()
    }
}

/// The labels of the curves' schemes, each once.
fn schemes(plan: &Plan, curves: &[&CurveSpec]) -> Vec<String> {
    let labels = plan.labels();
    let mut schemes: Vec<String> = Vec::new();
    for curve in curves {
        let known = labels.iter().find(|label| **label == curve.scheme.name);
        let label = known.or(labels.first()).map(ToString::to_string);
        schemes.extend(label.filter(|label| !schemes.contains(label)));
    }
    schemes
}

/// The rows of a panel as links. Their addresses are made by [`SCRIPT`] when they are looked at.
pub(super) fn links(rows: &[(String, Vec<LabPoint>)], along: &str) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "<details class=\"lab\"><summary>Watch a point in the laboratory, when the queues differ most</summary>\n",
    );
    for (name, points) in rows {
        let name = match (name.as_str(), along) {
            ("", "") => String::new(),
            ("", along) => format!("{along}: "),
            (name, "") => format!("{name}: "),
            (name, along) => format!("{name}, {along}: "),
        };
        let _ = write!(text, "<p>{}", escape(&name));
        for point in points {
            let _ = write!(
                text,
                "<a data-experiment=\"{}\" data-schemes=\"{}\" data-point=\"{}\" data-seed=\"{}\" data-t=\"{}\">{}</a> ",
                escape(&point.experiment),
                escape(&point.schemes.join("|")),
                point.point,
                point.seed,
                point.time,
                escape(&point.name)
            );
        }
        text.push_str("</p>\n");
    }
    text.push_str("</details>\n");
    text
}

/// A scenario that links refer to, as it was run.
pub(super) fn scenario(name: &str, toml: &str) -> String {
    format!(
        "<pre hidden data-scenario=\"{}\">{}</pre>\n",
        escape(name),
        escape(toml)
    )
}

/// Gives links their addresses when they are shown: a scenario stands in the page once.
pub(super) const SCRIPT: &str = r#"for (const details of document.querySelectorAll("details.lab")) {
  details.addEventListener("toggle", () => {
    for (const link of details.querySelectorAll("a[data-point]")) {
      const { experiment, schemes, point, seed, t } = link.dataset;
      const scenario = document.querySelector(`[data-scenario="${experiment}"]`).textContent;
      link.href = `../laboratory.html#${new URLSearchParams({ schemes, scenario, point, seed, t })}`;
    }
  });
}
"#;
