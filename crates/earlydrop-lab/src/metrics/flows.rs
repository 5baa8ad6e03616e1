//! What several flows measured, merged.

use std::collections::HashMap;
use std::sync::Arc;

use earlydrop_sim::measure::{Delays, jain_index};
use earlydrop_sim::results::{Completion, FlowResult, GroupResult, IncastRound, Results};

use crate::scenario::Criteria;

/// The merged measurements of all flows of a run, or of one group.
pub struct FlowAggregate {
    pub(super) result: GroupResult,
    /// Goodputs of the flows that want as much of the link as they can get.
    pub(super) elastic: Vec<f64>,
    /// Delays from host to host; `None` where none was measured.
    pub(super) delays: Option<Delays>,
    /// Round trips as senders measured them; `None` where none was measured.
    pub(super) round_trips: Option<Delays>,
    /// Completion times of transfers in seconds, sorted.
    pub(super) completions: Vec<f64>,
    /// Slowdowns of transfers, sorted.
    pub(super) slowdowns: Vec<f64>,
    /// Completion times of rounds of incasts in seconds, sorted.
    pub(super) rounds: Vec<f64>,
    /// Slowdowns of those rounds, sorted.
    round_slowdowns: Vec<f64>,
    /// Transfers by size.
    bins: Vec<SizeBin>,
    /// By what they are judged.
    pub(super) criteria: Criteria,
    /// The time measured, in seconds.
    pub(super) span: f64,
}

impl FlowAggregate {
    /// All flows of a run.
    pub fn of(results: &Results, criteria: &Criteria) -> FlowAggregate {
        let all = results.completions.iter();
        FlowAggregate::merge(
            results,
            results.together(),
            &results.flows.iter().collect::<Vec<_>>(),
            all.collect(),
            results.rounds.iter().collect(),
            criteria,
        )
    }

    /// The flows of each group.
    pub fn of_groups(results: &Results, criteria: &Criteria) -> Vec<(Arc<str>, FlowAggregate)> {
        let mut flows: HashMap<&str, Vec<&FlowResult>> = HashMap::new();
        for flow in &results.flows {
            flows.entry(&flow.group).or_default().push(flow);
        }
        let mut completions: HashMap<&str, Vec<&Completion>> = HashMap::new();
        for completion in &results.completions {
            let group = &results.flow(completion.flow).group;
            completions.entry(group).or_default().push(completion);
        }
        let mut rounds: HashMap<&str, Vec<&IncastRound>> = HashMap::new();
        for round in &results.rounds {
            let group = &results.flow(round.flow).group;
            rounds.entry(group).or_default().push(round);
        }
        let merge = |(name, result): (Arc<str>, GroupResult)| {
            let flows = flows.remove(&*name).unwrap_or_default();
            let transfers = completions.remove(&*name).unwrap_or_default();
            let rounds = rounds.remove(&*name).unwrap_or_default();
            let merged = FlowAggregate::merge(results, result, &flows, transfers, rounds, criteria);
            (name, merged)
        };
        results.groups().into_iter().map(merge).collect()
    }

    /// Flows with their `result`, their `transfers` and the `rounds` of incasts.
    fn merge(
        results: &Results,
        result: GroupResult,
        flows: &[&FlowResult],
        transfers: Vec<&Completion>,
        rounds: Vec<&IncastRound>,
        criteria: &Criteria,
    ) -> FlowAggregate {
        let seconds = |transfer: &&Completion| transfer.span().as_secs_f64();
        let completions = sorted(transfers.iter().map(seconds));
        let slowdowns = sorted(transfers.iter().filter_map(|transfer| transfer.slowdown()));
        let elastic = flows.iter().filter(|flow| criteria.is_elastic(&flow.group));
        let elastic = elastic.map(|flow| flow.goodput).collect();
        let flows = || flows.iter();
        FlowAggregate {
            result,
            elastic,
            delays: merged(flows().filter_map(|flow| flow.delays.as_ref())),
            round_trips: merged(flows().filter_map(|flow| flow.round_trips.as_ref())),
            completions,
            slowdowns,
            rounds: sorted(rounds.iter().map(|round| round.span().as_secs_f64())),
            round_slowdowns: sorted(rounds.iter().filter_map(|round| round.slowdown())),
            bins: SizeBin::all(&transfers),
            criteria: criteria.clone(),
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

    /// The share of packets that took longer than a receiver waits, or were lost; `None` where
    /// delays were not measured.
    pub(super) fn late_or_lost(&self) -> Option<f64> {
        let delays = self.delays.as_ref()?;
        let late = delays.distribution().above(self.criteria.playout);
        let late = late as f64 / delays.count() as f64;
        Some(self.result.loss + (1.0 - self.result.loss) * late)
    }

    /// Jain's index of the flows that want as much as they can get; `None` for fewer than two, and
    /// where they got nothing.
    pub(super) fn fairness(&self) -> Option<f64> {
        self.has_shares()
            .then(|| jain_index(self.elastic.iter().copied()))
    }

    /// The least goodput of these flows over their mean.
    pub(super) fn least_share(&self) -> Option<f64> {
        let least = self.elastic.iter().copied().fold(f64::INFINITY, f64::min);
        let mean = self.elastic.iter().sum::<f64>() / self.elastic.len() as f64;
        self.has_shares().then(|| least / mean)
    }

    fn has_shares(&self) -> bool {
        self.elastic.len() > 1 && self.elastic.iter().any(|goodput| *goodput > 0.0)
    }

    /// Its transfers by size.
    pub(crate) fn into_bins(self) -> Vec<SizeBin> {
        self.bins
    }

    /// The time in seconds within which this share of the rounds of incasts were completed.
    pub(super) fn rounds_within(&self, share: f64) -> Option<f64> {
        of_sorted(&self.rounds, share)
    }

    /// The slowdown that this share of the rounds of incasts does not exceed.
    pub(super) fn rounds_slowed_within(&self, share: f64) -> Option<f64> {
        of_sorted(&self.round_slowdowns, share)
    }

    /// The slowdown that this share of the transfers, pages or answers does not exceed.
    pub(super) fn slowed_within(&self, share: f64) -> Option<f64> {
        of_sorted(&self.slowdowns, share)
    }
}

/// Completion times and slowdowns of transfers of about one size.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeBin {
    /// The largest size, in bytes.
    pub up_to: f64,
    /// How many there are.
    pub transfers: u64,
    /// Completion times in seconds that 50%, 95%, 99% and 99.9% of them do not exceed.
    pub completion: [f64; 4],
    /// Slowdowns that these shares do not exceed.
    pub slowdown: [f64; 4],
}

impl SizeBin {
    /// The largest sizes of the bins, in bytes. Those of 100 kB and 10 MB are the literature's
    /// (pFabric, SIGCOMM 2013).
    const UP_TO: [f64; 6] = [1e3, 1e4, 1e5, 1e6, 1e7, 1e15];
    const SHARES: [f64; 4] = [0.5, 0.95, 0.99, 0.999];

    /// The bins that have transfers.
    fn all(transfers: &[&Completion]) -> Vec<SizeBin> {
        let mut bins = Vec::new();
        let mut above = 0.0;
        for up_to in SizeBin::UP_TO {
            let is_in = |t: &&&Completion| (above..up_to).contains(&(t.bytes.0 as f64 - 1.0));
            let members: Vec<&Completion> = transfers.iter().filter(is_in).copied().collect();
            above = up_to;
            let spans = sorted(members.iter().map(|transfer| transfer.span().as_secs_f64()));
            let slowdowns = sorted(members.iter().filter_map(|transfer| transfer.slowdown()));
            if !members.is_empty() {
                let of = |values: &[f64]| {
                    SizeBin::SHARES.map(|share| of_sorted(values, share).unwrap_or(f64::NAN))
                };
                bins.push(SizeBin {
                    up_to,
                    transfers: members.len() as u64,
                    completion: of(&spans),
                    slowdown: of(&slowdowns),
                });
            }
        }
        bins
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
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
