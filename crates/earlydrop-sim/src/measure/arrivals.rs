//! Time series of the bytes that arrive at a queue, or depart from it, by group of flows.

use std::sync::Arc;

use earlydrop::units::Nanos;

/// Bytes of data of each group of flows that arrived at a queue, dropped or not, or that departed
/// from it, in intervals from time zero on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupBytes {
    /// Length of an interval.
    pub interval: Nanos,
    /// Each group's name and its bytes in each interval.
    pub groups: Vec<(Arc<str>, Vec<u64>)>,
}

/// Bytes of data that arrived at a queue, or departed from it, by flow and interval.
#[derive(Clone, Debug)]
pub(crate) struct BytesByFlow {
    interval: Nanos,
    flows: Vec<Vec<u64>>,
}

impl BytesByFlow {
    pub(crate) fn new(interval: Nanos) -> BytesByFlow {
        BytesByFlow {
            interval,
            flows: Vec::new(),
        }
    }

    /// Counts a packet of `flow` at `at`.
    pub(crate) fn add(&mut self, flow: u32, at: Nanos, size: u32) {
        let (flow, interval) = (flow as usize, (at.0 / self.interval.0) as usize);
        if self.flows.len() <= flow {
            self.flows.resize_with(flow + 1, Vec::new);
        }
        let bytes = &mut self.flows[flow];
        if bytes.len() <= interval {
            bytes.resize(interval + 1, 0);
        }
        bytes[interval] += u64::from(size);
    }

    /// Sums by group, given as name and flows. Intervals that end after `end` are left out.
    pub(crate) fn by_group(&self, groups: &[(Arc<str>, Vec<u32>)], end: Nanos) -> GroupBytes {
        let intervals = (end.0 / self.interval.0) as usize;
        let sum = |(name, flows): &(Arc<str>, Vec<u32>)| {
            let mut bytes = vec![0; intervals];
            let known = flows
                .iter()
                .filter_map(|flow| self.flows.get(*flow as usize));
            for flow in known {
                let all = bytes.iter_mut().zip(flow);
                all.for_each(|(sum, bytes)| *sum += bytes);
            }
            (name.clone(), bytes)
        };
        GroupBytes {
            interval: self.interval,
            groups: groups.iter().map(sum).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_by_group_and_interval() {
        let mut arrivals = BytesByFlow::new(Nanos(10));
        for (flow, at, size) in [(0, 0, 1), (2, 9, 2), (1, 10, 4), (0, 29, 8), (0, 30, 16)] {
            arrivals.add(flow, Nanos(at), size);
        }
        let groups: [(Arc<str>, Vec<u32>); 2] =
            [("a".into(), vec![0, 2]), ("b".into(), vec![1, 3])];
        let sums = arrivals.by_group(&groups, Nanos(30));
        let expected = [("a".into(), vec![3, 0, 8]), ("b".into(), vec![0, 4, 0])];
        assert_eq!(sums.groups, expected);
    }
}
