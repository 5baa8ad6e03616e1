//! One number of every run of an experiment, by scheme, point and seed.
//!
//! A *point* is a combination of values of the swept fields; a *row* is the points along which
//! one swept field changes and all others stay.

use std::collections::{HashMap, HashSet};

use earlydrop::units::Quantity;
use earlydrop_lab::plan::Plan;
use earlydrop_lab::statistics::Mean;

use super::claim::Restriction;
use super::missing::MissingData;

/// One number of every run of an experiment.
#[derive(Clone, Debug, Default)]
pub struct Measurements {
    /// The schemes' labels.
    pub schemes: Vec<String>,
    /// The swept fields, with their values as written.
    pub axes: Vec<(String, Vec<String>)>,
    /// The points: for each axis the index of its value.
    pub points: Vec<Vec<usize>>,
    /// The seeds that every scheme has run at every point.
    pub seeds: Vec<u64>,
    /// The runs that there are, by scheme, point and seed.
    pub(super) runs: HashSet<(usize, usize, u64)>,
    /// The numbers of runs that have one.
    pub(super) values: HashMap<(usize, usize, u64), f64>,
}

/// One number of a run that another simulator made.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOf {
    /// The scheme's label.
    pub scheme: String,
    /// The swept fields with their values as written.
    pub at: Vec<(String, String)>,
    /// The seed.
    pub seed: u64,
    /// The number.
    pub value: f64,
}

/// A scheme at a point.
pub(crate) type Place = (usize, usize);

/// The index of an item in a list, at whose end it is put where it is not there.
fn index_in<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    let known = list.iter().position(|one| *one == item);
    known.unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}

impl Measurements {
    /// The schemes and points of a plan, of which nothing is measured yet.
    pub(crate) fn of(plan: &Plan) -> Measurements {
        let labels = plan.labels().into_iter();
        let axes = plan.axes.iter();
        Measurements {
            schemes: labels.map(ToString::to_string).collect(),
            axes: axes
                .map(|axis| (axis.field.clone(), axis.texts()))
                .collect(),
            points: plan.points.iter().map(|p| p.coordinates.clone()).collect(),
            ..Measurements::default()
        }
    }

    /// The numbers of runs that another simulator made, all of which have the same swept fields.
    /// Schemes, values and points are in the order in which they first come.
    pub fn of_runs<'a>(runs: impl IntoIterator<Item = &'a RunOf>) -> Measurements {
        let mut all = Measurements::default();
        let mut places = Vec::new();
        for run in runs {
            let scheme = index_in(&mut all.schemes, run.scheme.clone());
            all.axes.resize(run.at.len(), Default::default());
            let coordinates = run.at.iter().zip(&mut all.axes);
            let coordinates = coordinates.map(|((field, value), axis)| {
                axis.0.clone_from(field);
                index_in(&mut axis.1, value.clone())
            });
            let coordinates = coordinates.collect();
            let point = index_in(&mut all.points, coordinates);
            all.runs.insert((scheme, point, run.seed));
            all.values.insert((scheme, point, run.seed), run.value);
            index_in(&mut all.seeds, run.seed);
            index_in(&mut places, (scheme, point));
        }
        let planned = all.seeds.clone();
        all.keep_seeds_of(&places, &planned);
        all
    }

    /// These schemes at these points.
    pub(crate) fn places(&self, schemes: &[&str], points: &[usize]) -> Vec<Place> {
        let schemes = schemes.iter().filter_map(|label| self.scheme(label));
        schemes
            .flat_map(|scheme| points.iter().map(move |point| (scheme, *point)))
            .collect()
    }

    /// Measurements by a rule, for tests: of a scheme, at coordinates, with a seed.
    #[cfg(test)]
    pub(crate) fn by_rule(
        axes: Vec<(String, Vec<String>)>,
        points: Vec<Vec<usize>>,
        schemes: &[&str],
        seeds: u64,
        rule: impl Fn(usize, &[usize], u64) -> f64,
    ) -> Measurements {
        let mut values = HashMap::new();
        for scheme in 0..schemes.len() {
            for (point, at) in points.iter().enumerate() {
                for seed in 1..=seeds {
                    values.insert((scheme, point, seed), rule(scheme, at, seed));
                }
            }
        }
        Measurements {
            schemes: schemes.iter().map(|name| (*name).to_string()).collect(),
            axes,
            points,
            seeds: (1..=seeds).collect(),
            runs: values.keys().copied().collect(),
            values,
        }
    }

    /// Adds the runs of another store of the same points. Its schemes are known here by their labels.
    pub(crate) fn add(&mut self, other: &Measurements) {
        let index: Vec<Option<usize>> = other.schemes.iter().map(|one| self.scheme(one)).collect();
        let key =
            |&(scheme, point, seed): &(usize, usize, u64)| Some((index[scheme]?, point, seed));
        self.runs.extend(other.runs.iter().filter_map(key));
        let values = other.values.iter();
        (self.values).extend(values.filter_map(|(run, value)| Some((key(run)?, *value))));
    }

    /// Keeps those of the planned seeds with which each of these schemes has run at its point.
    pub(crate) fn keep_seeds_of(&mut self, places: &[Place], planned: &[u64]) {
        let has_run = |&(scheme, point): &Place, seed| self.runs.contains(&(scheme, point, seed));
        let seeds = planned.iter().copied();
        self.seeds = seeds
            .filter(|seed| places.iter().all(|place| has_run(place, *seed)))
            .collect();
    }

    /// Replaces a scheme's values by those of another: the measurements if the other had run
    /// under its label.
    pub(crate) fn with_swapped(mut self, scheme: usize, other: usize) -> Measurements {
        let of_other: Vec<_> = (self.values.iter())
            .filter(|((index, ..), _)| *index == other)
            .map(|((_, point, seed), value)| ((scheme, *point, *seed), *value))
            .collect();
        self.values.extend(of_other);
        self
    }

    /// Scales a scheme's values at a point to another mean. Each seed's deviation, as a share
    /// of the mean, stays. Values with a mean of zero all become `to`.
    pub(super) fn move_mean(&mut self, scheme: usize, point: usize, to: f64) {
        let Some(mean) = self.mean(scheme, point) else {
            return;
        };
        for seed in &self.seeds {
            if let Some(value) = self.values.get_mut(&(scheme, point, *seed)) {
                *value = if mean == 0.0 { to } else { *value * to / mean };
            }
        }
    }

    /// Moves a scheme's values at a point apart: those of every other seed up, and the rest down, by
    /// `distance`.
    pub(super) fn move_apart(&mut self, scheme: usize, point: usize, distance: f64) {
        for (index, seed) in self.seeds.iter().enumerate() {
            if let Some(value) = self.values.get_mut(&(scheme, point, *seed)) {
                *value += if index % 2 == 0 { distance } else { -distance };
            }
        }
    }

    /// The mean of a scheme's values at a point over the seeds.
    pub(super) fn mean(&self, scheme: usize, point: usize) -> Option<f64> {
        Mean::of(&self.values(scheme, point)?).map(|mean| mean.mean)
    }

    /// The index of a scheme.
    pub fn scheme(&self, label: &str) -> Option<usize> {
        self.schemes.iter().position(|scheme| scheme == label)
    }

    /// The index of a swept field.
    pub fn axis(&self, field: &str) -> Option<usize> {
        self.axes.iter().position(|(axis, _)| axis == field)
    }

    /// The values of a scheme at a point by seed; `None` where one is missing.
    pub fn values(&self, scheme: usize, point: usize) -> Option<Vec<f64>> {
        let value = |seed: &u64| self.values.get(&(scheme, point, *seed)).copied();
        self.seeds.iter().map(value).collect()
    }

    /// A point in words: "network.rtt = 50 ms".
    pub fn point_name(&self, point: usize) -> String {
        let coordinates = self.axes.iter().zip(&self.points[point]);
        let words =
            coordinates.map(|((field, values), index)| format!("{field} = {}", values[*index]));
        words.collect::<Vec<_>>().join(", ")
    }

    /// A row in words, without the field that changes along it.
    pub(super) fn row_name(&self, over: &str, row: &[usize]) -> String {
        let point = self.point_name(row[0]);
        let others = point
            .split(", ")
            .filter(|part| !part.starts_with(&format!("{over} = ")));
        others.collect::<Vec<_>>().join(", ")
    }

    /// The points in rows along an axis, in the order of its values.
    pub fn rows(&self, axis: usize) -> Vec<Vec<usize>> {
        let mut rows: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for (point, coordinates) in self.points.iter().enumerate() {
            let mut others = coordinates.clone();
            others.remove(axis);
            match rows.iter_mut().find(|(known, _)| *known == others) {
                Some((_, points)) => points.push(point),
                None => rows.push((others, vec![point])),
            }
        }
        let mut rows: Vec<Vec<usize>> = rows.into_iter().map(|(_, points)| points).collect();
        for row in &mut rows {
            row.sort_by_key(|point| self.points[*point][axis]);
        }
        rows
    }

    /// The index of a scheme that must be there.
    pub(super) fn require_scheme(&self, label: &str) -> Result<usize, MissingData> {
        let index = self.scheme(label);
        index.ok_or_else(|| MissingData::Scheme(label.to_string()))
    }

    /// The index of a swept field that must be there.
    pub(super) fn require_axis(&self, field: &str) -> Result<usize, MissingData> {
        let index = self.axis(field);
        index.ok_or_else(|| MissingData::Axis(field.to_string()))
    }

    /// The index of a value of a swept field that must be there.
    pub(super) fn require_axis_value(
        &self,
        field: &str,
        value: &str,
    ) -> Result<usize, MissingData> {
        let mut values = self.axes[self.require_axis(field)?].1.iter();
        let index = values.position(|known| is_same_value(known, value));
        index.ok_or_else(|| MissingData::AxisValue {
            field: field.to_string(),
            value: value.to_string(),
        })
    }

    /// The values of a scheme at a point by seed, at least one.
    pub(super) fn require_values(
        &self,
        scheme: usize,
        point: usize,
    ) -> Result<Vec<f64>, MissingData> {
        let values = self.values(scheme, point).filter(|v| !v.is_empty());
        values.ok_or_else(|| MissingData::Values {
            scheme: self.schemes[scheme].clone(),
            point: self.point_name(point),
        })
    }

    /// The mean of a scheme's values at a point, which must be there.
    pub(super) fn require_mean(&self, scheme: usize, point: usize) -> Result<f64, MissingData> {
        let mean = self.mean(scheme, point);
        mean.ok_or_else(|| MissingData::Mean(self.schemes[scheme].clone()))
    }

    /// The values of a scheme along a row: for each point, by seed.
    pub(super) fn values_along(
        &self,
        scheme: usize,
        row: &[usize],
    ) -> Result<Vec<Vec<f64>>, MissingData> {
        let of_points = row.iter().map(|point| self.require_values(scheme, *point));
        of_points.collect()
    }

    /// The numbers along a swept field.
    pub(super) fn axis_numbers(&self, field: &str) -> Result<Vec<f64>, MissingData> {
        let (_, texts) = &self.axes[self.require_axis(field)?];
        let number = |text: &String| text.parse::<Quantity>().map(|q| q.amount);
        let numbers: Result<Vec<f64>, _> = texts.iter().map(number).collect();
        numbers.map_err(|_| MissingData::NoNumbers(field.to_string()))
    }

    /// The points that a restriction leaves.
    pub(super) fn points_at(&self, at: &Restriction) -> Vec<usize> {
        let is_wanted = |point: &usize| {
            at.iter().all(|(field, wanted)| {
                self.axis(field).is_some_and(|axis| {
                    let index = self.points[*point][axis];
                    let value = &self.axes[axis].1[index];
                    wanted.iter().any(|wanted| is_same_value(wanted, value))
                })
            })
        };
        (0..self.points.len()).filter(is_wanted).collect()
    }

    /// The rows along a swept field, each with the points that a restriction leaves.
    pub(super) fn rows_at(
        &self,
        over: &str,
        at: &Restriction,
    ) -> Result<Vec<Vec<usize>>, MissingData> {
        let wanted = self.points_at(at);
        let mut rows = self.rows(self.require_axis(over)?);
        for row in &mut rows {
            row.retain(|point| wanted.contains(point));
        }
        rows.retain(|row| !row.is_empty());
        Ok(rows)
    }
}

/// Whether two texts are one value: "1" and "1.0", "50 ms" and "0.05 s".
pub(crate) fn is_same_value(one: &str, other: &str) -> bool {
    match (one.parse::<Quantity>(), other.parse::<Quantity>()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Verdict;
    use crate::claims::verdict::judge;
    use crate::claims::verdict_tests::claim;

    #[test]
    fn runs_of_another_simulator_are_judged_by_the_same_tests() {
        let run = |scheme: &str, load: &str, seed: u64, value: f64| RunOf {
            scheme: scheme.to_string(),
            at: vec![("load".to_string(), load.to_string())],
            seed,
            value: value + 0.01 * seed as f64,
        };
        let mut runs = Vec::new();
        for seed in 1..=4 {
            for (load, low, high) in [("10", 1.0, 2.0), ("20", 1.5, 3.0)] {
                runs.extend([run("low", load, seed, low), run("high", load, seed, high)]);
            }
        }
        // A seed that one of them lacks is left out.
        runs.push(run("low", "10", 5, 99.0));
        let measured = Measurements::of_runs(&runs);
        assert_eq!(measured.seeds, [1, 2, 3, 4]);
        assert_eq!((measured.schemes.len(), measured.points.len()), (2, 2));
        let test = "{ kind = \"less\", scheme = \"low\", than = [\"high\"], at = { load = [20] } }";
        let judgement = judge(&claim("", test), &measured);
        assert_eq!(judgement.verdict, Verdict::Holds);
        assert_eq!(judgement.comparisons.len(), 1);
    }
}
