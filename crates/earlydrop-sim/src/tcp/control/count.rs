//! Growth by whole segments, for a count of those acknowledged.

/// Segments acknowledged towards the next one of growth.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count(u16);

impl Count {
    /// `segments` more were acknowledged: by how many the window grows, when it does by
    /// one for `every` so many. What was counted for a larger `every` gives one at most.
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

    /// What was counted is forgotten.
    pub(super) fn clear(&mut self) {
        self.0 = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_on_and_gives_one_for_what_was_counted_for_more() {
        let mut count = Count::default();
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
