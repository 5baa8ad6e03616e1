//! What several flows measured, merged.

use earlydrop::units::Nanos;
use earlydrop_sim::measure::Delays;
use earlydrop_sim::results::{GroupResult, Results};

/// The merged measurements of all flows of a run, or of one group.
pub struct FlowAggregate {
    pub(super) result: GroupResult,
    /// Delays from host to host; `None` where none was measured.
    pub(super) delays: Option<Delays>,
    /// Round trips as senders measured them; `None` where none was measured.
    pub(super) round_trips: Option<Delays>,
    /// Completion times of transfers in seconds, sorted.
    pub(super) completions: Vec<f64>,
    /// Transfers that take less are in time, in seconds.
    pub(super) deadline: f64,
    /// The time measured, in seconds.
    pub(super) span: f64,
}

impl FlowAggregate {
    /// All flows of a run, or those of one group.
    pub fn of(results: &Results, group: Option<&str>, deadline: Nanos) -> FlowAggregate {
        let is_member =
            |index: usize| group.is_none_or(|group| &*results.flows[index].group == group);
        let flows = || {
            let numbered = results.flows.iter().enumerate();
            numbered
                .filter(|(index, _)| is_member(*index))
                .map(|(_, flow)| flow)
        };
        let result = match group {
            Some(group) => results.groups().remove(group).unwrap_or_default(),
            None => results.together(),
        };
        let of_group = results.completions.iter();
        let of_group = of_group.filter(|completion| is_member(completion.flow.0 as usize));
        let mut completions: Vec<f64> = of_group.map(|c| c.span().as_secs_f64()).collect();
        completions.sort_by(f64::total_cmp);
        FlowAggregate {
            result,
            delays: merged(flows().filter_map(|flow| flow.delays.as_ref())),
            round_trips: merged(flows().filter_map(|flow| flow.round_trips.as_ref())),
            completions,
            deadline: deadline.as_secs_f64(),
            span: results.measured.as_secs_f64(),
        }
    }

    /// The completion time in seconds that this share of the transfers, pages or answers
    /// does not exceed; `None` where none was completed.
    pub fn completed_within(&self, share: f64) -> Option<f64> {
        of_sorted(&self.completions, share)
    }
}

/// Delays of several flows; `None` where none was measured.
fn merged<'a>(all: impl Iterator<Item = &'a Delays>) -> Option<Delays> {
    let mut merged = Delays::default();
    for delays in all {
        merged.add(delays);
    }
    (merged.count() > 0).then_some(merged)
}

/// The sample variance (divisor n - 1); `None` for fewer than two values.
pub(super) fn variance(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean).powi(2));
    (values.len() > 1).then(|| squares.sum::<f64>() / (count - 1.0))
}

/// The quantile of sorted values by nearest rank; `None` for no values.
fn of_sorted(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (share * sorted.len() as f64).ceil().max(1.0) as usize;
    sorted.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variance_of_a_few() {
        assert_eq!(variance(&[1.0]), None);
        assert_eq!(variance(&[1.0, 2.0, 3.0]), Some(1.0));
    }

    #[test]
    fn quantiles_of_a_few() {
        assert_eq!(of_sorted(&[], 0.5), None);
        assert_eq!(of_sorted(&[1.0, 2.0, 3.0, 4.0], 0.5), Some(2.0));
        assert_eq!(of_sorted(&[1.0, 2.0, 3.0, 4.0], 0.95), Some(4.0));
    }
}
