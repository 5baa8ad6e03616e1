//! Growth of `cwnd` by whole segments, for a count of segments acknowledged; compare Linux's
//! `tcp_cong_avoid_ai`.

/// Segments acknowledged since `cwnd` last grew (Linux, `snd_cwnd_cnt`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AckCounter(u16);

impl AckCounter {
    /// Counts `segments` acknowledged; returns by how many `cwnd` grows, which is one for `every`
    /// so many. What was counted for a larger `every` gives one at most.
    pub(super) fn add(&mut self, segments: u32, every: u32) -> u32 {
        let mut count = u32::from(self.0);
        let mut grown = 0;
        if count >= every {
            count = 0;
            grown = 1;
        }
        count += segments;
        self.0 = (count % every).try_into().unwrap_or(u16::MAX);
        grown + count / every
    }

    /// Sets the count to 0.
    pub(super) fn clear(&mut self) {
        self.0 = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_by_one_at_most_for_what_was_counted_towards_a_larger_divisor() {
        let mut count = AckCounter::default();
        assert_eq!(
            [count.add(4, 10), count.add(4, 10), count.add(4, 10)],
            [0, 0, 1]
        );
        assert_eq!(count.add(5, 10), 0);
        // Seven are counted, of which two would do three times over.
        assert_eq!(count.add(1, 2), 1);
        assert_eq!(count.add(9, 2), 5);
        count.clear();
        assert_eq!(count.add(1, 2), 0);
    }
}
