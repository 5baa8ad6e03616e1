//! The schemes at one point, compared by one number of each run.

use std::collections::HashMap;

use earlydrop_lab::metrics::{self, Better, METRICS, Metric};
use earlydrop_lab::plan::Plan;
use earlydrop_lab::rows::{CellRow, GroupRow};
use earlydrop_lab::scenario::Scenario;
use earlydrop_lab::statistics::{Mean, Standing, paired, standings};
use earlydrop_lab::summary::Summary;

use super::PointAnswer;
use crate::words::first_of;

/// The number of tied schemes that a sentence names.
pub(super) const NAMED_TIES: usize = 3;

/// The runs of all schemes at one point.
pub(super) struct Comparison<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) point: usize,
    labels: Vec<&'a str>,
    /// The runs of each scheme, in the order of the seeds.
    runs: Vec<Vec<&'a CellRow>>,
    /// The groups of flows of each run.
    groups: HashMap<(usize, &'a str), &'a GroupRow>,
}

/// One number of each run.
pub(super) struct Column {
    /// The factor to the unit of display, and that unit.
    scale: f64,
    unit: &'static str,
    less_is_better: bool,
    /// The seeds and values of each scheme.
    runs: Vec<Vec<(u64, f64)>>,
    /// Whether a value of each scheme is a lower bound.
    are_bounds: Vec<bool>,
}

/// The best of some schemes, and those that tie with it.
pub(super) struct Ranking {
    /// Best first.
    pub(super) best: Vec<usize>,
    /// The one with the worst mean, if it does not tie.
    pub(super) worst: Option<usize>,
    /// Whether every scheme ties.
    is_tie_of_all: bool,
}

impl<'a> Comparison<'a> {
    pub(super) fn at(plan: &'a Plan, summary: &'a Summary, point: usize) -> Comparison<'a> {
        let labels = plan.labels();
        let of_scheme = |label: &&str| -> Vec<&CellRow> {
            let cells = summary.cells.iter();
            let own = cells.filter(|cell| cell.point == point && cell.scheme == **label);
            let mut runs: Vec<&CellRow> = own.collect();
            runs.sort_by_key(|cell| cell.seed);
            runs
        };
        let groups = summary.group_cells.iter();
        Comparison {
            scenario: &plan.points[point].scenario,
            point,
            runs: labels.iter().map(of_scheme).collect(),
            labels,
            groups: groups
                .map(|row| ((row.cell, row.name.as_str()), row))
                .collect(),
        }
    }

    /// Every scheme with results.
    pub(super) fn schemes(&self) -> Vec<usize> {
        let all = 0..self.labels.len();
        all.filter(|scheme| !self.runs[*scheme].is_empty())
            .collect()
    }

    pub(super) fn label(&self, scheme: usize) -> &str {
        self.labels[scheme]
    }

    /// A metric of the link and all flows; `None` where no run has it.
    pub(super) fn of_link(&self, name: &str) -> Option<Column> {
        let index = metrics::index_of(name)?;
        let metric = &METRICS[index];
        let value = |cell: &CellRow, name: &str| cell.values[metrics::index_of(name)?];
        self.column(metric, metric.better, value)
    }

    /// A metric of a group, by its index among those of groups.
    pub(super) fn of_group(&self, group: &str, index: usize) -> Option<Column> {
        let metric = metrics::of_groups().nth(index)?;
        let groups = self.scenario.groups.iter();
        let known = groups.into_iter().find(|one| *one.name == *group)?;
        let better = metrics::better(metric, known, self.scenario);
        let value = |cell: &CellRow, name: &str| {
            self.group_value(cell, group, metrics::index_of_group(name)?)
        };
        self.column(metric, better, value)
    }

    /// The value of a group's metric in a run.
    pub(super) fn group_value(&self, cell: &CellRow, group: &str, index: usize) -> Option<f64> {
        self.groups.get(&(cell.cell, group))?.values[index]
    }

    fn column(
        &self,
        metric: &'static Metric,
        better: Better,
        value: impl Fn(&CellRow, &str) -> Option<f64>,
    ) -> Option<Column> {
        let is_bound = |cell: &&CellRow| metric.is_lower_bound(|name| value(cell, name));
        let column = Column {
            scale: metric.scale,
            unit: metric.unit,
            less_is_better: better != Better::More,
            runs: self.values(|cell| value(cell, metric.name)),
            are_bounds: (self.runs.iter())
                .map(|runs| runs.iter().any(is_bound))
                .collect(),
        };
        column.has_values().then_some(column)
    }

    /// The seeds and values of each scheme's runs.
    pub(super) fn values(&self, value: impl Fn(&CellRow) -> Option<f64>) -> Vec<Vec<(u64, f64)>> {
        let of_run = |cell: &&CellRow| Some((cell.seed, value(cell)?));
        let of_scheme = |runs: &Vec<&CellRow>| runs.iter().filter_map(of_run).collect();
        self.runs.iter().map(of_scheme).collect()
    }

    /// "rared, 11.2 ± 0.3 ms".
    pub(super) fn named(&self, scheme: usize, column: &Column) -> String {
        format!("{}, {}", self.label(scheme), column.text(scheme))
    }

    /// "pie, red and 2 more, 0%": schemes with one text between them.
    fn together(&self, schemes: &[usize], column: &Column) -> String {
        let names = schemes.iter().map(|scheme| self.label(*scheme).to_string());
        let text = column.text(schemes[0]);
        format!("{}, {text}", first_of(names, NAMED_TIES, "and"))
    }

    /// ". Not significantly different: pie (11.5 ± 0.4 ms) and 2 more"; empty without ties.
    fn ties(&self, ties: &[usize], column: &Column) -> String {
        if ties.is_empty() {
            return String::new();
        }
        let named = ties
            .iter()
            .map(|tie| format!("{} ({})", self.label(*tie), column.text(*tie)));
        let names = first_of(named, NAMED_TIES, "and");
        format!(". Not significantly different: {names}")
    }

    /// The best of `schemes`, with the ties, and the worst.
    pub(super) fn best_of(&self, schemes: &[usize], column: &Column) -> Option<PointAnswer> {
        let Ranking {
            best,
            worst,
            is_tie_of_all,
        } = column.rank(schemes)?;
        let (first, last) = (*best.first()?, *best.last()?);
        let has_intervals = column.mean(first)?.half.is_some();
        if column.mean(first)?.is_lower_bound {
            // No other can be behind what may be longer.
            let text = format!(
                "undecided, too few have ended: {}",
                self.named(first, column)
            );
            let best = Vec::new();
            return Some(PointAnswer { text, best });
        }
        let text = match (is_tie_of_all && has_intervals, has_intervals) {
            (true, _) if column.mean(first) == column.mean(last) => {
                format!("no difference: {} everywhere", column.text(first))
            }
            (true, _) => format!(
                "no significant difference: {} to {}",
                self.named(first, column).replacen(", ", " ", 1),
                self.named(last, column).replacen(", ", " ", 1)
            ),
            (false, true) => {
                let worst = worst.map(|worst| format!("; worst: {}", self.named(worst, column)));
                let text = column.text(first);
                let (equal, ties): (Vec<usize>, Vec<usize>) = best
                    .iter()
                    .partition(|scheme| column.text(**scheme) == text);
                self.together(&equal, column)
                    + &worst.unwrap_or_default()
                    + &self.ties(&ties, column)
            }
            (false, false) => format!(
                "{} in a single run each: the difference may be chance",
                self.named(first, column)
            ),
        };
        Some(PointAnswer { text, best })
    }
}

impl Column {
    /// Numbers of runs, of which smaller ones are better.
    pub(super) fn of(runs: Vec<Vec<(u64, f64)>>) -> Column {
        Column {
            scale: 1.0,
            unit: "",
            less_is_better: true,
            are_bounds: vec![false; runs.len()],
            runs,
        }
    }

    /// Its values without their signs.
    pub(super) fn magnitudes(&self) -> Column {
        let of_scheme = |runs: &Vec<(u64, f64)>| {
            let runs = runs.iter().map(|(seed, value)| (*seed, value.abs()));
            runs.collect()
        };
        Column::of(self.runs.iter().map(of_scheme).collect())
    }

    fn has_values(&self) -> bool {
        self.runs.iter().any(|runs| !runs.is_empty())
    }

    pub(super) fn values(&self, scheme: usize) -> Vec<f64> {
        self.runs[scheme].iter().map(|(_, value)| *value).collect()
    }

    pub(super) fn mean(&self, scheme: usize) -> Option<Mean> {
        let mean = Mean::of(&self.values(scheme))?;
        Some(Mean {
            is_lower_bound: self.are_bounds[scheme],
            ..mean
        })
    }

    /// The means of `schemes`, in their order; `None` where one was not measured.
    pub(super) fn means(&self, schemes: &[usize]) -> Option<Vec<Mean>> {
        schemes.iter().map(|scheme| self.mean(*scheme)).collect()
    }

    /// The better one of two values.
    pub(super) fn better(&self, one: f64, other: f64) -> f64 {
        match self.less_is_better {
            true => one.min(other),
            false => one.max(other),
        }
    }

    /// "11.2 ± 0.3 ms".
    pub(super) fn text(&self, scheme: usize) -> String {
        match self.mean(scheme) {
            Some(mean) => self.text_of(&mean),
            None => "not measured".to_string(),
        }
    }

    /// "0.12 ± 0.01%".
    pub(super) fn text_of(&self, mean: &Mean) -> String {
        mean.with_unit(self.unit, self.scale)
    }

    /// The mean of one scheme's values minus another's, paired by seed.
    pub(super) fn difference(&self, one: usize, other: usize) -> Option<Mean> {
        let others = &self.runs[other];
        let pairs: (Vec<f64>, Vec<f64>) = self.runs[one]
            .iter()
            .filter_map(|(seed, value)| {
                let at = others.binary_search_by_key(seed, |(seed, _)| *seed).ok()?;
                Some((*value, others[at].1))
            })
            .unzip();
        paired(&pairs.0, &pairs.1)
    }

    /// By how much one scheme is worse than another, paired by seed; less than zero where it is
    /// better.
    pub(super) fn worse_by(&self, one: usize, other: usize) -> Option<Mean> {
        match self.less_is_better {
            true => self.difference(one, other),
            false => self.difference(other, one),
        }
    }

    /// Ranks `schemes`.
    pub(super) fn rank(&self, schemes: &[usize]) -> Option<Ranking> {
        let sign = if self.less_is_better { 1.0 } else { -1.0 };
        let values: Vec<Vec<f64>> = schemes.iter().map(|scheme| self.values(*scheme)).collect();
        let slices: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
        let standings = standings(&slices, self.less_is_better);
        let mut means: Vec<(usize, f64)> = values
            .iter()
            .enumerate()
            .filter_map(|(index, values)| Some((index, sign * Mean::of(values)?.mean)))
            .collect();
        means.sort_by(|one, other| one.1.total_cmp(&other.1));
        let least = means.first()?.1;
        let measured = means.len();
        let is_best = |(index, mean): &(usize, f64)| match standings[*index] {
            Some(standing) => standing != Standing::Worse,
            // Nothing was tested: with a single seed, or where all values are equal.
            None => *mean == least,
        };
        let worst = means.last().filter(|worst| !is_best(worst));
        let worst = worst.map(|(index, _)| schemes[*index]);
        let best = means.iter().filter(|one| is_best(one));
        let best: Vec<usize> = best.map(|(index, _)| schemes[*index]).collect();
        Some(Ranking {
            is_tie_of_all: best.len() == measured && measured > 1,
            best,
            worst,
        })
    }
}
