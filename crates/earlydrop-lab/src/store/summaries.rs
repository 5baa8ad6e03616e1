//! Summaries and comparisons as tables, column by column: a row for each mean.

use super::export::Keys;
use super::tables::{Column, ColumnType};
use super::{ColumnTable, Store, StoreError, Values};
use crate::baseline::Comparison;
use crate::metrics::{self, METRICS, Metric, Number};
use crate::plan::Plan;
use crate::statistics::Standing;
use crate::summary::{RankedMean, Summary};

impl Store {
    /// The means of these metrics, by their indices in [`METRICS`], in base units: a row for each
    /// scheme, point and metric of each group of flows, then of the link and all flows together.
    pub fn summary_columns(
        &self,
        plan: &Plan,
        summary: &Summary,
        chosen: &[usize],
    ) -> Result<ColumnTable, StoreError> {
        let labels = plan.labels();
        let mut rows = Rows::new(Keys::of(self)?);
        let (mut groups, mut means, mut halves) = (Vec::new(), Vec::new(), Vec::new());
        let (mut seeds, mut bounds, mut drifts) = (Vec::new(), Vec::new(), Vec::new());
        let mut standings = Vec::new();
        let mut add = |scheme: usize, point: usize, group: Option<&str>, index: usize, value| {
            let value: RankedMean = value;
            rows.add(labels[scheme], point, &METRICS[index]);
            groups.push(group.map(str::to_string));
            means.push(Some(value.mean.mean));
            halves.push(value.mean.half);
            seeds.push(Some(value.mean.count as i64));
            bounds.push(Some(i64::from(value.mean.is_lower_bound)));
            drifts.push(value.drift);
            standings.push(value.standing.and_then(standing_name));
        };
        for row in &summary.groups {
            for index in chosen {
                let of_group = metrics::index_of_group(METRICS[*index].name);
                if let Some(value) = of_group.and_then(|index| row.values[index]) {
                    add(row.scheme, row.point, Some(&row.name), *index, value);
                }
            }
        }
        for row in &summary.rows {
            for index in chosen {
                if let Some(value) = row.values[*index] {
                    add(row.scheme, row.point, None, *index, value);
                }
            }
        }
        Ok(rows.with([
            text(
                "group",
                "the group of flows; empty for the link and all flows together",
                groups,
            ),
            real("mean", "the mean over seeds, in the base unit", means),
            real("half_width", "the half-width of its 95% interval", halves),
            whole("seeds", "the number of seeds", seeds),
            whole(
                "at_least",
                "1 for a lower bound: too few transfers have ended",
                bounds,
            ),
            real(
                "drift",
                "how it still moved from the first half of the time measured to the second, as a \
                 share; empty where it had settled",
                drifts,
            ),
            text(
                "standing",
                "best: the best mean of the metric at this point; similar: not significantly \
                 different from it; empty otherwise",
                standings,
            ),
        ]))
    }

    /// The differences of a comparison in base units: a row for each scheme, point and metric that
    /// was measured with the same seeds.
    pub fn difference_columns(
        &self,
        plan: &Plan,
        comparison: &Comparison,
    ) -> Result<ColumnTable, StoreError> {
        let labels = plan.labels();
        let mut rows = Rows::new(Keys::of(self)?);
        let (mut means, mut halves, mut shares) = (Vec::new(), Vec::new(), Vec::new());
        let (mut p_values, mut significant) = (Vec::new(), Vec::new());
        for row in &comparison.rows {
            for (number, difference) in comparison.numbers.iter().zip(&row.values) {
                let Some(difference) = difference else {
                    continue;
                };
                rows.add_number(labels[row.scheme], row.point, number);
                means.push(Some(difference.mean.mean));
                halves.push(difference.mean.half);
                shares.push(difference.share);
                p_values.push(difference.p_value);
                significant.push(Some(i64::from(difference.significant)));
            }
        }
        Ok(rows.with([
            real(
                "difference",
                "the mean of the scheme's value less the baseline's, paired by seed, in the base \
                 unit",
                means,
            ),
            real("half_width", "the half-width of its 95% interval", halves),
            real("share", "it over the baseline's mean", shares),
            real("p_value", "of the paired t test by itself", p_values),
            whole(
                "significant",
                "1 where it is significant at 95% for the whole table, by Holm's procedure",
                significant,
            ),
        ]))
    }
}

fn standing_name(standing: Standing) -> Option<String> {
    match standing {
        Standing::Best => Some("best".to_string()),
        Standing::Similar => Some("similar".to_string()),
        Standing::Worse => None,
    }
}

/// The first columns of a table of means: scheme, point, swept fields, metric and unit.
struct Rows {
    keys: Keys,
    schemes: Vec<Option<String>>,
    points: Vec<Option<i64>>,
    metrics: Vec<Option<String>>,
    units: Vec<Option<String>>,
}

impl Rows {
    fn new(keys: Keys) -> Rows {
        Rows {
            keys,
            schemes: Vec::new(),
            points: Vec::new(),
            metrics: Vec::new(),
            units: Vec::new(),
        }
    }

    fn add_number(&mut self, scheme: &str, point: usize, number: &Number) {
        let unit = number.metric().map_or("", Metric::base_unit);
        self.add_named(scheme, point, (number.name(), unit));
    }

    fn add(&mut self, scheme: &str, point: usize, metric: &Metric) {
        self.add_named(scheme, point, (metric.name.to_string(), metric.base_unit()));
    }

    fn add_named(&mut self, scheme: &str, point: usize, (name, unit): (String, &str)) {
        self.schemes.push(Some(scheme.to_string()));
        self.points.push(Some(point as i64));
        self.metrics.push(Some(name));
        self.units.push(Some(unit.to_string()));
    }

    /// The table with further columns.
    fn with<const N: usize>(self, further: [(Column, Values); N]) -> ColumnTable {
        let of_points = self.keys.fields.iter().map(|field| {
            let mut values = Values::empty(field.column.kind);
            for point in self.points.iter().flatten() {
                values.push(field.at(*point));
            }
            (field.column.clone(), values)
        });
        let swept: Vec<(Column, Values)> = of_points.collect();
        let mut columns = vec![
            text("scheme", "the scheme's label", self.schemes),
            whole("point", "the point of the sweep, from 0", self.points),
        ];
        columns.extend(swept);
        columns.push(text("metric", "the metric's name", self.metrics));
        columns.push(text("unit", "the base unit", self.units));
        columns.extend(further);
        ColumnTable { columns }
    }
}

fn real(name: &str, meaning: &str, values: Vec<Option<f64>>) -> (Column, Values) {
    let column = Column::new(name, ColumnType::Real, meaning);
    (column, Values::Real(values))
}

fn whole(name: &str, meaning: &str, values: Vec<Option<i64>>) -> (Column, Values) {
    let column = Column::new(name, ColumnType::Whole, meaning);
    (column, Values::Whole(values))
}

fn text(name: &str, meaning: &str, values: Vec<Option<String>>) -> (Column, Values) {
    let column = Column::new(name, ColumnType::Text, meaning);
    (column, Values::Text(values))
}
