//! How much a claim depends on each choice.

use super::design::Universe;

/// How much a claim's support depends on a choice.
///
/// Support is the share of a claim's comparisons that support it less the share of those that
/// contradict it, from -1 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Influence {
    /// The largest change of support when the choice alone takes another value than ours, with the
    /// value's index; `None` where no such universe was judged.
    pub alone: Option<(usize, f64)>,
    /// The share of the variance of support over all universes that lies between the choice's
    /// values, corrected for their number; 0 where support never changes.
    pub variance_share: f64,
}

/// The influence of a choice on support; `universes` are those judged, with their support.
pub(super) fn influence(choice: usize, universes: &[(&Universe, f64)]) -> Influence {
    let ours = universes
        .iter()
        .find(|(one, _)| one.0.iter().all(|value| *value == 0));
    let alone = universes.iter().filter_map(|(universe, support)| {
        let (changed, value) = universe.single_change()?;
        let change = support - ours?.1;
        (changed == choice).then_some((value, change))
    });
    Influence {
        alone: alone.max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs())),
        variance_share: variance_share(choice, universes),
    }
}

/// Kelley's epsilon squared of a one-way analysis of variance: (SSB - (k - 1) MSW) / SST, not below
/// zero, with k groups. Unlike SSB / SST it is about zero where the choice changes nothing, however
/// many values it has. T. L. Kelley, "An unbiased correlation ratio measure", *Proceedings of the
/// National Academy of Sciences* 21 (1935), 554-559.
fn variance_share(choice: usize, universes: &[(&Universe, f64)]) -> f64 {
    let all: Vec<f64> = universes.iter().map(|(_, support)| *support).collect();
    let values = universes
        .iter()
        .map(|(universe, _)| universe.0[choice])
        .max();
    let groups = (0..=values.unwrap_or(0)).map(|value| {
        let of_value = universes
            .iter()
            .filter(|(universe, _)| universe.0[choice] == value);
        of_value.map(|(_, support)| *support).collect::<Vec<f64>>()
    });
    let groups: Vec<Vec<f64>> = groups.filter(|group| !group.is_empty()).collect();
    let total = squares(&all);
    let within: f64 = groups.iter().map(|group| squares(group)).sum();
    let (count, groups) = (all.len() as f64, groups.len() as f64);
    if total <= 1e-12 || count <= groups {
        return 0.0;
    }
    let by_chance = (groups - 1.0) * within / (count - groups);
    ((total - within - by_chance) / total).max(0.0)
}

/// The sum of squared deviations from the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::super::design::design;
    use super::*;

    fn influences(support: impl Fn(&Universe) -> f64) -> Vec<Influence> {
        let universes = design(&[3, 3, 3], 27);
        let judged: Vec<(&Universe, f64)> =
            universes.iter().map(|one| (one, support(one))).collect();
        (0..3).map(|choice| influence(choice, &judged)).collect()
    }

    #[test]
    fn the_choice_that_decides_has_all_the_variance() {
        let found = influences(|universe| if universe.0[1] == 2 { -1.0 } else { 1.0 });
        assert!((found[1].variance_share - 1.0).abs() < 1e-12, "{found:?}");
        assert_eq!(found[1].alone, Some((2, -2.0)));
        assert_eq!(
            (found[0].variance_share, found[2].variance_share),
            (0.0, 0.0)
        );
    }

    #[test]
    fn what_never_changes_has_no_influence() {
        let found = influences(|_| 0.5);
        assert!(found.iter().all(|one| one.variance_share == 0.0));
        assert!(
            found
                .iter()
                .all(|one| one.alone.is_some_and(|(_, change)| change == 0.0))
        );
    }

    #[test]
    fn two_choices_that_only_matter_together_are_not_seen_alone() {
        let found = influences(|one| {
            if one.0[0] > 0 && one.0[1] > 0 {
                -1.0
            } else {
                1.0
            }
        });
        assert!(found[0].alone.is_some_and(|(_, change)| change == 0.0));
        assert!(found[0].variance_share > 0.2 && found[1].variance_share > 0.2);
        assert!(found[2].variance_share < 0.05);
    }
}
