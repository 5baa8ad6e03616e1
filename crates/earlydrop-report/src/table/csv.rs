//! The summary as CSV.

use earlydrop_lab::escape::{CsvField, CsvWriter};
use earlydrop_lab::metrics::{self, LIVE_METRICS, METRICS, Metric, Number};
use earlydrop_lab::plan::Plan;
use earlydrop_lab::summary::{RankedMean, Summary};

/// The summary as CSV in base units: a line for each scheme, point, group of flows (all together
/// last, without a name) and metric, or these in their order. A metric of the link stands for each
/// group's, too.
pub fn csv(plan: &Plan, summary: &Summary, chosen: Option<&[Number]>) -> String {
    let fields = plan.axes.iter().map(|axis| CsvField::from(&axis.field));
    let fixed = [
        "group",
        "metric",
        "mean",
        "half_width_95",
        "seeds",
        "at_least",
        "best",
        "similar",
    ];
    let header = [CsvField::from("scheme")].into_iter().chain(fields);
    let header = header.chain(fixed.map(CsvField::from));
    let mut lines: Vec<Vec<CsvField<'_>>> = vec![header.collect()];
    let mut add =
        |scheme: usize, point: usize, group: &str, metric: &Metric, entry: &RankedMean| {
            let mean = entry.mean;
            let mut line = vec![CsvField::from(plan.labels()[scheme])];
            let coordinates = plan.axes.iter().zip(&plan.points[point].coordinates);
            line.extend(coordinates.map(|(axis, index)| axis.text(*index).into()));
            line.push(group.to_string().into());
            line.push(metric.name.into());
            line.push(mean.mean.into());
            line.push(mean.half.map_or(CsvField::Empty, CsvField::from));
            line.push(mean.count.into());
            line.push(mean.is_lower_bound.to_string().into());
            line.push(entry.is_best().to_string().into());
            line.push(entry.is_similar().to_string().into());
            lines.push(line);
        };
    let all: Vec<Number> = (0..METRICS.len()).map(Number::OfLink).collect();
    let chosen = chosen.unwrap_or(&all);
    for row in &summary.groups {
        for (index, (metric, entry)) in metrics::of_groups().zip(&row.values).enumerate() {
            let is_chosen = chosen.iter().any(|number| match number {
                Number::OfLink(of_link) => METRICS[*of_link].name == metric.name,
                Number::OfGroup(of_group, group) => (*of_group, group) == (index, &row.name),
                Number::Ratio(..) => false,
            });
            if let Some(entry) = entry.as_ref().filter(|_| is_chosen) {
                add(row.scheme, row.point, &row.name, metric, entry);
            }
        }
    }
    for row in &summary.rows {
        let live = row.live.iter().flat_map(|live| &live.values);
        let entries = chosen.iter().filter_map(|number| match number {
            Number::OfLink(index) => Some((&METRICS[*index], &row.values[*index])),
            Number::OfGroup(..) | Number::Ratio(..) => None,
        });
        for (metric, entry) in entries.chain(LIVE_METRICS.iter().zip(live)) {
            if let Some(entry) = entry {
                add(row.scheme, row.point, "", metric, entry);
            }
        }
    }
    let mut bytes = Vec::new();
    let mut writer = CsvWriter::new(&mut bytes);
    // Writing to memory cannot fail.
    let written = lines.into_iter().try_for_each(|line| writer.line(line));
    drop(written.and_then(|()| writer.finish()));
    String::from_utf8(bytes).unwrap_or_default()
}
