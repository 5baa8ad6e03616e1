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

/// The groups of a run's flows by name, and the group of each flow. All queues count by the same.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    names: Vec<Arc<str>>,
    /// For each flow the index of its group in `names`, or [`NONE`].
    of_flow: Vec<u32>,
}

/// The group of a flow that has none.
const NONE: u32 = u32::MAX;

impl Groups {
    /// The groups of these flows, given as the name of each flow's group.
    pub fn of_flows(flows: &[Arc<str>]) -> Groups {
        let mut names = flows.to_vec();
        names.sort_unstable();
        names.dedup();
        let index = |name| names.binary_search(name).map_or(NONE, |index| index as u32);
        Groups {
            of_flow: flows.iter().map(index).collect(),
            names,
        }
    }

    /// Adds `connection`, which `flow` has opened, to the group of that flow.
    pub(crate) fn add_connection(&mut self, flow: u32, connection: u32) {
        if let Some(group) = self.of(flow) {
            let connection = connection as usize;
            if self.of_flow.len() <= connection {
                self.of_flow.resize(connection + 1, NONE);
            }
            self.of_flow[connection] = group as u32;
        }
    }

    /// The index of a flow's group, if it has one.
    #[inline]
    fn of(&self, flow: u32) -> Option<usize> {
        let group = self.of_flow.get(flow as usize).copied();
        group
            .filter(|group| *group != NONE)
            .map(|group| group as usize)
    }
}

/// Packets of data that arrived at a queue, or departed from it, by interval and group.
#[derive(Clone, Debug)]
pub(crate) struct TrafficByGroup {
    interval: Nanos,
    /// The end of the run. A hop's arithmetic may be far ahead of it.
    end: Nanos,
    /// The interval of the last packet.
    current: Interval,
    /// For each group the counts of intervals, up to the last that has any.
    counts: Vec<Vec<Tally>>,
}

/// An interval: its number, when it begins, and when it ends, or the run.
#[derive(Clone, Copy, Debug)]
struct Interval {
    number: usize,
    from: Nanos,
    until: Nanos,
}

impl TrafficByGroup {
    pub(crate) fn new(interval: Nanos, end: Nanos) -> TrafficByGroup {
        TrafficByGroup {
            interval,
            end,
            current: Interval {
                number: 0,
                from: Nanos::ZERO,
                until: interval.min(end),
            },
            counts: Vec::new(),
        }
    }

    /// Counts a packet of `flow` at `at`, if the flow has a group and `at` is before the end of the
    /// run.
    #[inline]
    pub(crate) fn add(&mut self, groups: &Groups, flow: u32, at: Nanos, size: u32) {
        let Interval {
            number,
            from,
            until,
        } = self.current;
        // Most packets are in the interval of the one before, which has a count.
        if at >= from
            && at < until
            && let Some(group) = groups.of_flow.get(flow as usize)
            && let Some(counts) = self.counts.get_mut(*group as usize)
            && let Some(count) = counts.get_mut(number)
        {
            return count.add(size);
        }
        self.add_in_another_interval(groups, flow, at, size);
    }

    #[inline(never)]
    fn add_in_another_interval(&mut self, groups: &Groups, flow: u32, at: Nanos, size: u32) {
        let Some(group) = groups.of(flow).filter(|_| at < self.end) else {
            return;
        };
        if self.counts.len() <= group {
            self.counts.resize(groups.names.len(), Vec::new());
        }
        let number = at.0 / self.interval.0;
        let from = Nanos(number * self.interval.0);
        let number = number as usize;
        self.current = Interval {
            number,
            from,
            until: (from + self.interval).min(self.end),
        };
        let counts = &mut self.counts[group];
        if counts.len() <= number {
            counts.resize(number + 1, Tally::default());
        }
        counts[number].add(size);
    }

    /// What was counted of each group. Intervals that end after `end` are left out.
    pub(crate) fn finish(mut self, groups: &Groups, end: Nanos) -> GroupTraffic {
        let intervals = (end.0 / self.interval.0) as usize;
        self.counts.resize(groups.names.len(), Vec::new());
        for counts in &mut self.counts {
            counts.resize(intervals, Tally::default());
        }
        GroupTraffic {
            interval: self.interval,
            groups: groups.names.iter().cloned().zip(self.counts).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_counted_by_group_and_interval() {
        let mut groups = Groups::of_flows(&["b", "a", "c", "b"].map(Arc::from));
        // Flow 4 sends requests and belongs to no group.
        groups.add_connection(1, 5);
        groups.add_connection(4, 6);
        let mut arrivals = TrafficByGroup::new(Nanos(10), Nanos(35));
        for (flow, at, size) in [
            (1, 0, 1),
            (5, 9, 2),
            (0, 10, 4),
            (1, 30, 16),
            (1, 29, 8),
            (3, 29, 64),
            (1, u64::MAX, 32),
            (4, 0, 128),
            (6, 0, 256),
            (7, 0, 512),
        ] {
            arrivals.add(&groups, flow, Nanos(at), size);
        }
        let counted = arrivals.finish(&groups, Nanos(30));
        let tallies = |list: [(u64, u64); 3]| list.map(|(packets, bytes)| Tally { packets, bytes });
        let expected = [
            ("a".into(), tallies([(2, 3), (0, 0), (1, 8)]).to_vec()),
            ("b".into(), tallies([(0, 0), (1, 4), (1, 64)]).to_vec()),
            ("c".into(), tallies([(0, 0); 3]).to_vec()),
        ];
        assert_eq!(counted.groups, expected);
    }
}
