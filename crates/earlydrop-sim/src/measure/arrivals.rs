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

/// Packets of data that arrived at a queue, or departed from it, by flow and interval.
#[derive(Clone, Debug)]
pub(crate) struct TrafficByFlow {
    interval: Nanos,
    /// The end of the run. A hop's arithmetic may be far ahead of it.
    end: Nanos,
    flows: Vec<Vec<Tally>>,
}

impl TrafficByFlow {
    pub(crate) fn new(interval: Nanos, end: Nanos) -> TrafficByFlow {
        TrafficByFlow {
            interval,
            end,
            flows: Vec::new(),
        }
    }

    /// Counts a packet of `flow` at `at`, if that is before the end of the run.
    pub(crate) fn add(&mut self, flow: u32, at: Nanos, size: u32) {
        if at >= self.end {
            return;
        }
        let (flow, interval) = (flow as usize, (at.0 / self.interval.0) as usize);
        if self.flows.len() <= flow {
            self.flows.resize_with(flow + 1, Vec::new);
        }
        let arrived = &mut self.flows[flow];
        if arrived.len() <= interval {
            arrived.resize(interval + 1, Tally::default());
        }
        arrived[interval].add(size);
    }

    /// Sums by group, given as name and flows. Intervals that end after `end` are left out.
    pub(crate) fn by_group(&self, groups: &[(Arc<str>, Vec<u32>)], end: Nanos) -> GroupTraffic {
        let intervals = (end.0 / self.interval.0) as usize;
        let sum = |(name, flows): &(Arc<str>, Vec<u32>)| {
            let mut arrived = vec![Tally::default(); intervals];
            let known = flows
                .iter()
                .filter_map(|flow| self.flows.get(*flow as usize));
            for flow in known {
                let all = arrived.iter_mut().zip(flow);
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
        let mut arrivals = TrafficByFlow::new(Nanos(10), Nanos(35));
        for (flow, at, size) in [
            (0, 0, 1),
            (2, 9, 2),
            (1, 10, 4),
            (0, 29, 8),
            (0, 30, 16),
            (0, u64::MAX, 32),
        ] {
            arrivals.add(flow, Nanos(at), size);
        }
        let groups: [(Arc<str>, Vec<u32>); 2] =
            [("a".into(), vec![0, 2]), ("b".into(), vec![1, 3])];
        let sums = arrivals.by_group(&groups, Nanos(30));
        let tallies = |list: [(u64, u64); 3]| list.map(|(packets, bytes)| Tally { packets, bytes });
        let expected = [
            ("a".into(), tallies([(2, 3), (0, 0), (1, 8)]).to_vec()),
            ("b".into(), tallies([(0, 0), (1, 4), (0, 0)]).to_vec()),
        ];
        assert_eq!(sums.groups, expected);
    }
}
