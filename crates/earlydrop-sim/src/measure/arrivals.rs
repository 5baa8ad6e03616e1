//! Time series of the packets and bytes that arrive at a queue, or depart from it, by group of flows.

use std::sync::Arc;

use earlydrop::counters::Tally;
use earlydrop::units::Nanos;

/// Packets of data of each group of flows, and their bytes, that arrived at a queue, dropped or
/// not, or that departed from it, in intervals from time zero on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupTraffic {
    /// Length of an interval.
    pub interval: Nanos,
    /// Each group's name and what arrived of it in each interval.
    pub groups: Vec<(Arc<str>, Vec<Tally>)>,
}

/// Packets of data that arrived at a queue, or departed from it, by interval, for flows that are
/// [counted together](TrafficByFlow::count_together), and for each other flow.
#[derive(Clone, Debug)]
pub(crate) struct TrafficByFlow {
    interval: Nanos,
    /// The end of the run. A hop's arithmetic may be far ahead of it.
    end: Nanos,
    series: Vec<Series>,
    /// The index in `series` of each flow, or [`NONE`].
    of_flow: Vec<u32>,
}

/// A flow of which nothing was counted.
const NONE: u32 = u32::MAX;

/// Counts from an interval on. Many connections live for a few intervals.
#[derive(Clone, Debug, Default)]
struct Series {
    first: usize,
    counts: Vec<Tally>,
}

impl Series {
    fn add(&mut self, interval: usize, size: u32) {
        if self.counts.is_empty() {
            self.first = interval;
        }
        // A hop that is computed ahead of another may count a later packet first.
        if interval < self.first {
            let before = std::iter::repeat_n(Tally::default(), self.first - interval);
            self.counts.splice(0..0, before);
            self.first = interval;
        }
        let at = interval - self.first;
        if self.counts.len() <= at {
            self.counts.resize(at + 1, Tally::default());
        }
        self.counts[at].add(size);
    }
}

impl TrafficByFlow {
    pub(crate) fn new(interval: Nanos, end: Nanos) -> TrafficByFlow {
        TrafficByFlow {
            interval,
            end,
            series: Vec::new(),
            of_flow: Vec::new(),
        }
    }

    /// Counts these flows, of one group, as one: of a group of thousands, nobody asks for the flows.
    pub(crate) fn count_together(&mut self, flows: &[u32]) {
        let series = self.series.len() as u32;
        self.series.push(Series::default());
        for flow in flows {
            *self.entry(*flow) = series;
        }
    }

    /// The place of a flow's index in `series`.
    fn entry(&mut self, flow: u32) -> &mut u32 {
        let flow = flow as usize;
        if self.of_flow.len() <= flow {
            self.of_flow.resize(flow + 1, NONE);
        }
        &mut self.of_flow[flow]
    }

    /// Counts a packet of `flow` at `at`, if that is before the end of the run.
    pub(crate) fn add(&mut self, flow: u32, at: Nanos, size: u32) {
        if at >= self.end {
            return;
        }
        let interval = (at.0 / self.interval.0) as usize;
        let next = self.series.len();
        let entry = self.entry(flow);
        if *entry == NONE {
            *entry = next as u32;
        }
        let series = *entry as usize;
        if series == next {
            self.series.push(Series::default());
        }
        self.series[series].add(interval, size);
    }

    /// Sums by group, given as name and flows. Intervals that end after `end` are left out.
    pub(crate) fn by_group(&self, groups: &[(Arc<str>, Vec<u32>)], end: Nanos) -> GroupTraffic {
        let intervals = (end.0 / self.interval.0) as usize;
        let sum = |(name, flows): &(Arc<str>, Vec<u32>)| {
            let mut arrived = vec![Tally::default(); intervals];
            let known = flows
                .iter()
                .filter_map(|flow| self.of_flow.get(*flow as usize));
            let mut series: Vec<u32> = known.copied().filter(|series| *series != NONE).collect();
            series.sort_unstable();
            series.dedup();
            for series in series {
                let Series { first, counts } = &self.series[series as usize];
                let all = arrived.iter_mut().skip(*first).zip(counts);
                all.for_each(|(sum, more)| *sum = sum.plus(*more));
            }
            (name.clone(), arrived)
        };
        GroupTraffic {
            interval: self.interval,
            groups: groups.iter().map(sum).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_counted_by_group_and_interval() {
        let counted = |together: &[u32]| {
            let mut arrivals = TrafficByFlow::new(Nanos(10), Nanos(35));
            arrivals.count_together(together);
            arrivals
        };
        // Whether or not flows of a group are counted together.
        for mut arrivals in [counted(&[]), counted(&[0, 2]), counted(&[1, 3])] {
            for (flow, at, size) in [
                (0, 0, 1),
                (2, 9, 2),
                (1, 10, 4),
                (0, 30, 16),
                (0, 29, 8),
                (0, u64::MAX, 32),
            ] {
                arrivals.add(flow, Nanos(at), size);
            }
            let groups: [(Arc<str>, Vec<u32>); 2] =
                [("a".into(), vec![0, 2]), ("b".into(), vec![1, 3])];
            let sums = arrivals.by_group(&groups, Nanos(30));
            let tallies =
                |list: [(u64, u64); 3]| list.map(|(packets, bytes)| Tally { packets, bytes });
            let expected = [
                ("a".into(), tallies([(2, 3), (0, 0), (1, 8)]).to_vec()),
                ("b".into(), tallies([(0, 0), (1, 4), (0, 0)]).to_vec()),
            ];
            assert_eq!(sums.groups, expected);
        }
    }
}
