//! What several flows measured, merged.

use std::collections::HashMap;
use std::sync::Arc;

use earlydrop::units::Nanos;
use earlydrop_sim::measure::Delays;
use earlydrop_sim::results::{FlowResult, GroupResult, Results};

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
    /// All flows of a run.
    pub fn of(results: &Results, deadline: Nanos) -> FlowAggregate {
        let all = results.completions.iter();
        FlowAggregate::merge(
            results,
            results.together(),
            &results.flows.iter().collect::<Vec<_>>(),
            all.map(|completion| completion.span()).collect(),
            deadline,
        )
    }

    /// The flows of each group.
    pub fn of_groups(results: &Results, deadline: Nanos) -> Vec<(Arc<str>, FlowAggregate)> {
        let mut flows: HashMap<&str, Vec<&FlowResult>> = HashMap::new();
        for flow in &results.flows {
            flows.entry(&flow.group).or_default().push(flow);
        }
        let mut spans: HashMap<&str, Vec<Nanos>> = HashMap::new();
        for completion in &results.completions {
            let group = &results.flow(completion.flow).group;
            spans.entry(group).or_default().push(completion.span());
        }
        let merge = |(name, result): (Arc<str>, GroupResult)| {
            let flows = flows.remove(&*name).unwrap_or_default();
            let spans = spans.remove(&*name).unwrap_or_default();
            let merged = FlowAggregate::merge(results, result, &flows, spans, deadline);
            (name, merged)
        };
        results.groups().into_iter().map(merge).collect()
    }

    /// Flows with their `result`, and with the `spans` of their transfers.
    fn merge(
        results: &Results,
        result: GroupResult,
        flows: &[&FlowResult],
        spans: Vec<Nanos>,
        deadline: Nanos,
    ) -> FlowAggregate {
        let mut completions: Vec<f64> = spans.iter().map(|span| span.as_secs_f64()).collect();
        completions.sort_by(f64::total_cmp);
        let flows = || flows.iter();
        FlowAggregate {
            result,
            delays: merged(flows().filter_map(|flow| flow.delays.as_ref())),
            round_trips: merged(flows().filter_map(|flow| flow.round_trips.as_ref())),
            completions,
            deadline: deadline.as_secs_f64(),
            span: results.measured.as_secs_f64(),
        }
    }

    /// The number of flows.
    pub fn flow_count(&self) -> usize {
        self.result.flows
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
