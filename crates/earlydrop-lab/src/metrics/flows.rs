//! What several flows measured, merged.

use std::collections::HashMap;
use std::sync::Arc;

use earlydrop::units::{Bytes, Nanos};
use earlydrop_sim::measure::{Delays, Distribution, jain_index};
use earlydrop_sim::results::{
    Completion, FlowResult, GroupResult, IncastRound, Results, Unfinished,
};
use earlydrop_sim::traffic::FlowId;

use super::survival::Survival;
use crate::scenario::Criteria;

/// The merged measurements of all flows of a run, or of one group.
pub struct FlowAggregate {
    pub(super) result: GroupResult,
    /// Goodputs of the flows that want as much of the link as they can get.
    pub(super) elastic: Vec<f64>,
    /// Delays from host to host, and their distribution; `None` where none was measured.
    pub(super) delays: Option<(Delays, Distribution)>,
    /// Round trips as senders measured them; `None` where none was measured.
    pub(super) round_trips: Option<Delays>,
    /// Completion times of transfers in seconds.
    pub(super) completions: Survival,
    /// Mean completion times of those that began in the first and in the second half of the time
    /// measured.
    completion_halves: [Option<f64>; 2],
    /// Slowdowns of transfers.
    pub(super) slowdowns: Survival,
    /// Of transfers of at most [`SMALL`].
    pub(super) small_slowdowns: Survival,
    /// Of transfers of more than [`LARGE`].
    pub(super) large_slowdowns: Survival,
    /// Completion times of rounds of incasts in seconds.
    pub(super) rounds: Survival,
    /// Slowdowns of the rounds that ended.
    pub(super) round_slowdowns: Survival,
    /// Transfers by size.
    bins: Vec<SizeBin>,
    /// Bits of payload per second of the transfers that began.
    pub(super) offered: f64,
    /// By what they are judged.
    pub(super) criteria: Criteria,
    /// The time measured, in seconds.
    pub(super) span: f64,
}

impl FlowAggregate {
    /// All flows of a run.
    pub fn of(results: &Results, criteria: &Criteria) -> FlowAggregate {
        let transfers = Transfers {
            ended: results.completions.iter().collect(),
            going_on: results.unfinished.iter().collect(),
            rounds: results.rounds.iter().collect(),
            rounds_going_on: results.unfinished_rounds.iter().collect(),
        };
        let flows: Vec<&FlowResult> = results.flows.iter().collect();
        let measured = (results.together(), Some(results.delays()));
        FlowAggregate::merge(results, measured, &flows, &transfers, criteria)
    }

    /// The flows of each group.
    pub fn of_groups(results: &Results, criteria: &Criteria) -> Vec<(Arc<str>, FlowAggregate)> {
        let mut flows: HashMap<&str, Vec<&FlowResult>> = HashMap::new();
        for flow in &results.flows {
            flows.entry(&flow.group).or_default().push(flow);
        }
        let mut ended = by_group(results, &results.completions, |one| one.flow);
        let mut going_on = by_group(results, &results.unfinished, |one| one.flow);
        let mut rounds = by_group(results, &results.rounds, |one| one.flow);
        let mut rounds_going_on = by_group(results, &results.unfinished_rounds, |one| one.flow);
        let merge = |(name, result): (Arc<str>, GroupResult)| {
            let flows = flows.remove(&*name).unwrap_or_default();
            let transfers = Transfers {
                ended: ended.remove(&*name).unwrap_or_default(),
                going_on: going_on.remove(&*name).unwrap_or_default(),
                rounds: rounds.remove(&*name).unwrap_or_default(),
                rounds_going_on: rounds_going_on.remove(&*name).unwrap_or_default(),
            };
            let measured = (result, results.delays_of(&name).cloned());
            let merged = FlowAggregate::merge(results, measured, &flows, &transfers, criteria);
            (name, merged)
        };
        results.groups().into_iter().map(merge).collect()
    }

    /// Flows with their result, the distribution of their delays, and their `transfers`.
    fn merge(
        results: &Results,
        (result, delays): (GroupResult, Option<Distribution>),
        flows: &[&FlowResult],
        transfers: &Transfers<'_>,
        criteria: &Criteria,
    ) -> FlowAggregate {
        let elastic = flows.iter().filter(|flow| criteria.is_elastic(&flow.group));
        let elastic = elastic.map(|flow| flow.goodput).collect();
        let flows = || flows.iter();
        let Transfers {
            ended,
            going_on,
            rounds,
            rounds_going_on,
        } = transfers;
        let lasted = rounds_going_on
            .iter()
            .map(|round| round.lasted.as_secs_f64());
        FlowAggregate {
            result,
            elastic,
            delays: merged(flows().filter_map(|flow| flow.delays.as_ref())).zip(delays),
            round_trips: merged(flows().filter_map(|flow| flow.round_trips.as_ref())),
            completions: spans(ended, going_on),
            completion_halves: [true, false].map(|is_first| {
                let is_in = |began: Nanos| (began < criteria.middle) == is_first;
                let ended = ended.iter().filter(|one| is_in(one.began)).copied();
                let going_on = going_on.iter().filter(|one| is_in(one.began)).copied();
                let (ended, going_on): (Vec<_>, Vec<_>) = (ended.collect(), going_on.collect());
                spans(&ended, &going_on).mean()
            }),
            slowdowns: slowdowns(ended, going_on, |_| true),
            small_slowdowns: slowdowns(ended, going_on, |bytes| bytes <= SMALL),
            large_slowdowns: slowdowns(ended, going_on, |bytes| bytes > LARGE),
            rounds: Survival::new(
                rounds.iter().map(|round| round.span().as_secs_f64()),
                lasted,
            ),
            // The least time of a round that goes on is not known.
            round_slowdowns: Survival::new(
                rounds.iter().filter_map(|round| round.slowdown()),
                std::iter::empty(),
            ),
            offered: offered(ended, going_on) / results.measured.as_secs_f64(),
            bins: SizeBin::all(ended, going_on),
            criteria: criteria.clone(),
            span: results.measured.as_secs_f64(),
        }
    }

    /// The number of flows.
    pub fn flow_count(&self) -> usize {
        self.result.flows
    }

    /// The completion time in seconds that this share of the transfers, pages or answers
    /// does not exceed; `None` where none began, or where too few ended to know.
    pub fn completed_within(&self, share: f64) -> Option<f64> {
        let is_known = self.completions.known()? >= share;
        self.completions.quantile(share).filter(|_| is_known)
    }

    /// How completion times drift.
    pub(super) fn completion_drift(&self) -> Option<f64> {
        let [first, second] = self.completion_halves;
        drift([first?, second?])
    }

    /// The share of packets that took longer than a receiver waits, or were lost; `None` where
    /// delays were not measured.
    pub(super) fn late_or_lost(&self) -> Option<f64> {
        let (_, delays) = self.delays.as_ref()?;
        let late = delays.above(self.criteria.playout) as f64 / delays.count() as f64;
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
}

/// Transfers or rounds by the group of their flow.
fn by_group<'a, T>(
    results: &'a Results,
    all: &'a [T],
    flow: fn(&T) -> FlowId,
) -> HashMap<&'a str, Vec<&'a T>> {
    let mut groups: HashMap<&str, Vec<&T>> = HashMap::new();
    for one in all {
        let group = &*results.flow(flow(one)).group;
        groups.entry(group).or_default().push(one);
    }
    groups
}

/// The transfers and rounds of several flows that began in the time measured.
struct Transfers<'a> {
    ended: Vec<&'a Completion>,
    going_on: Vec<&'a Unfinished>,
    rounds: Vec<&'a IncastRound>,
    rounds_going_on: Vec<&'a Unfinished>,
}

/// The change from the first half to the second, as a share of their mean; `None` where that is
/// zero.
pub(super) fn drift([first, second]: [f64; 2]) -> Option<f64> {
    let mean = (first + second) / 2.0;
    (mean > 0.0).then(|| (second - first) / mean)
}

/// Bits of payload of transfers.
fn offered(ended: &[&Completion], going_on: &[&Unfinished]) -> f64 {
    let ended: u64 = ended.iter().map(|one| one.bytes.0).sum();
    let going_on: u64 = going_on.iter().map(|one| one.bytes.0).sum();
    8.0 * (ended + going_on) as f64
}

/// Completion times in seconds.
fn spans(ended: &[&Completion], going_on: &[&Unfinished]) -> Survival {
    let lasted = going_on.iter().map(|one| one.lasted.as_secs_f64());
    Survival::new(ended.iter().map(|one| one.span().as_secs_f64()), lasted)
}

/// Transfers of at most so much are small, those of more than [`LARGE`] large. pFabric (SIGCOMM 2013)
/// has 100 kB and 10 MB, of which runs of tens of milliseconds have few.
pub const SMALL: Bytes = Bytes(100_000);
/// See [`SMALL`].
pub const LARGE: Bytes = Bytes(1_000_000);

/// Slowdowns of the transfers of some sizes.
fn slowdowns(
    ended: &[&Completion],
    going_on: &[&Unfinished],
    is_meant: impl Fn(Bytes) -> bool,
) -> Survival {
    let going_on = going_on.iter().filter(|one| is_meant(one.bytes));
    let ended = ended.iter().filter(|one| is_meant(one.bytes));
    let exceeded = going_on.filter_map(|one| one.slowdown());
    Survival::new(ended.filter_map(|one| one.slowdown()), exceeded)
}

/// Completion times and slowdowns of transfers of about one size.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeBin {
    /// The largest size, in bytes.
    pub up_to: f64,
    /// How many ended.
    pub transfers: u64,
    /// How many did not.
    pub unfinished: u64,
    /// The share up to which the quantiles below are known: beyond, they are at least that.
    pub known: f64,
    /// Completion times in seconds that 50%, 95%, 99% and 99.9% of them do not exceed.
    pub completion: [f64; 4],
    /// Slowdowns that these shares do not exceed.
    pub slowdown: [f64; 4],
}

impl SizeBin {
    /// The largest sizes of the bins, in bytes. Those of 100 kB and 10 MB are the literature's
    /// (pFabric, SIGCOMM 2013).
    const UP_TO: [f64; 6] = [1e3, 1e4, 1e5, 1e6, 1e7, 1e15];
    /// The shares of transfers at which quantiles are taken.
    pub const SHARES: [f64; 4] = [0.5, 0.95, 0.99, 0.999];

    /// The bins that have transfers.
    fn all(ended: &[&Completion], going_on: &[&Unfinished]) -> Vec<SizeBin> {
        let mut bins = Vec::new();
        let mut above = 0.0;
        for up_to in SizeBin::UP_TO {
            let bin = above..up_to;
            let is_in = |bytes: Bytes| bin.contains(&(bytes.0 as f64 - 1.0));
            let ended = ended.iter().filter(|one| is_in(one.bytes)).copied();
            let going_on = going_on.iter().filter(|one| is_in(one.bytes)).copied();
            let (ended, going_on): (Vec<_>, Vec<_>) = (ended.collect(), going_on.collect());
            let spans = spans(&ended, &going_on);
            let of = |times: &Survival| {
                SizeBin::SHARES.map(|share| times.quantile(share).unwrap_or(f64::NAN))
            };
            bins.extend(spans.known().map(|known| SizeBin {
                up_to,
                transfers: ended.len() as u64,
                unfinished: going_on.len() as u64,
                known,
                completion: of(&spans),
                slowdown: of(&slowdowns(&ended, &going_on, |_| true)),
            }));
            above = up_to;
        }
        bins
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
