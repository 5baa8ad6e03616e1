//! What the receiver has beyond the number it expects, as it reported (RFC 6675,
//! section 3).
//!
//! Kept as few ranges in ascending order, which no acknowledgment has to allocate for
//! once the list is as long as it ever was.

use std::collections::VecDeque;

use super::Range;

/// Segments that arrived out of turn, and what was sent again meanwhile.
#[derive(Clone, Debug, Default)]
pub(super) struct Scoreboard {
    /// Ascending, none touching the next.
    ranges: Vec<Range>,
    /// Segments in `ranges`.
    sacked: u32,
    /// Holes below it were sent again (RFC 6675's HighRxt, plus one).
    pub(super) repaired: u32,
    /// Holes below it are lost.
    pub(super) lost_below: u32,
    /// Segments on their way, as far as can be told.
    pub(super) pipe: i32,
    /// Whether the last segment was sent again for want of anything else.
    pub(super) rescued: bool,
    /// Holes sent again, in that order, each with the number that was new then.
    resent: VecDeque<(u32, u32)>,
    /// Holes sent again and lost again.
    lost_again: VecDeque<u32>,
}

impl Scoreboard {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.ranges.clear();
        self.sacked = 0;
        self.lost_below = 0;
        self.pipe = 0;
        self.begin_repair(0);
    }

    /// Begins to send holes again, from `first` on.
    pub(super) fn begin_repair(&mut self, first: u32) {
        self.repaired = first;
        self.rescued = false;
        self.resent.clear();
        self.lost_again.clear();
    }

    /// Hole `number` was sent again, `new` being the next number never sent.
    pub(super) fn on_resent(&mut self, number: u32, new: u32) {
        self.repaired = self.repaired.max(number + 1);
        if self.lost_again.front() == Some(&number) {
            self.lost_again.pop_front();
        }
        self.resent.push_back((number, new));
    }

    /// A hole to be sent once more.
    pub(super) fn lost_again(&self) -> Option<u32> {
        self.lost_again.front().copied()
    }

    /// Looks for holes sent again before segments that arrived, `edge` being the
    /// [lost edge](Scoreboard::lost_edge): they are lost again. How many are new.
    pub(super) fn find_lost_again(&mut self, acknowledged: u32, edge: u32) -> u32 {
        let mut lost_again = core::mem::take(&mut self.lost_again);
        lost_again.retain(|&number| self.misses(acknowledged, number));
        let before = lost_again.len();
        while let Some(&(number, new)) = self.resent.front()
            && (new <= edge || number < acknowledged)
        {
            self.resent.pop_front();
            if self.misses(acknowledged, number) {
                lost_again.push_back(number);
            }
        }
        self.lost_again = lost_again;
        (self.lost_again.len() - before) as u32
    }

    fn misses(&self, acknowledged: u32, number: u32) -> bool {
        number >= acknowledged && self.hole(number, number + 1).is_some()
    }

    /// Segments known to have arrived out of turn.
    pub(super) fn sacked(&self) -> u32 {
        self.sacked
    }

    /// The number after the last segment known to have arrived.
    pub(super) fn highest(&self) -> u32 {
        self.ranges.last().map_or(0, |range| range.to)
    }

    /// Everything before `next` was acknowledged; how much of it was known already.
    pub(super) fn acknowledge(&mut self, next: u32) -> u32 {
        let whole = self.ranges.iter().take_while(|range| range.to <= next);
        let (count, mut known) = whole.fold((0, 0), |(count, known), range| {
            (count + 1, known + range.to - range.from)
        });
        self.ranges.drain(..count);
        if let Some(range) = self.ranges.first_mut()
            && range.from < next
        {
            known += next - range.from;
            range.from = next;
        }
        self.sacked -= known;
        known
    }

    /// `range` arrived; calls `new` with each number not known before, and says how
    /// many those are.
    pub(super) fn add(&mut self, range: Range, mut new: impl FnMut(u32)) -> u32 {
        let from = self.ranges.partition_point(|known| known.to < range.from);
        let mut to = from;
        let mut merged = range;
        let mut cursor = range.from;
        while let Some(known) = self.ranges.get(to)
            && known.from <= range.to
        {
            (cursor..known.from).for_each(&mut new);
            cursor = cursor.max(known.to);
            merged.from = merged.from.min(known.from);
            merged.to = merged.to.max(known.to);
            to += 1;
        }
        (cursor..range.to).for_each(&mut new);
        let known: u32 = self.ranges[from..to].iter().map(|r| r.to - r.from).sum();
        if from == to {
            self.ranges.insert(from, merged);
        } else {
            self.ranges[from] = merged;
            self.ranges.drain(from + 1..to);
        }
        let added = merged.to - merged.from - known;
        self.sacked += added;
        added
    }

    /// Numbers in `from..to` that are not known to have arrived.
    pub(super) fn holes(&self, from: u32, to: u32) -> u32 {
        let known = self.ranges.iter().map(|range| {
            let (start, end) = (range.from.max(from), range.to.min(to));
            end.saturating_sub(start)
        });
        to.saturating_sub(from) - known.sum::<u32>()
    }

    /// The first number from `from` on, below `below`, not known to have arrived.
    pub(super) fn hole(&self, from: u32, below: u32) -> Option<u32> {
        let after = self.ranges.partition_point(|range| range.to <= from);
        let hole = match self.ranges.get(after) {
            Some(range) if range.from <= from => range.to,
            _ => from,
        };
        (hole < below).then_some(hole)
    }

    /// The last number below `below` not known to have arrived.
    pub(super) fn last_hole(&self, below: u32) -> Option<u32> {
        let end = match self.ranges.last() {
            Some(range) if range.to >= below => range.from,
            _ => below,
        };
        end.checked_sub(1)
    }

    /// Holes below this number have at least `threshold` arrived segments beyond them,
    /// so they are lost (RFC 6675's IsLost); 0 when there are none.
    pub(super) fn lost_edge(&self, threshold: u32) -> u32 {
        let mut missing = threshold;
        for range in self.ranges.iter().rev() {
            let length = range.to - range.from;
            if length >= missing {
                return range.to - missing;
            }
            missing -= length;
        }
        0
    }

    /// RFC 6675's SetPipe: what was neither lost nor arrived, and what was sent again.
    pub(super) fn count_pipe(&mut self, acknowledged: u32, sent: u32) {
        let first = self.holes(self.lost_below.max(acknowledged), sent);
        let again = self.holes(acknowledged, self.repaired.max(acknowledged));
        self.pipe = (first + again) as i32 - self.lost_again.len() as i32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(ranges: &[(u32, u32)]) -> Scoreboard {
        let mut board = Scoreboard::default();
        for &(from, to) in ranges {
            board.add(Range { from, to }, |_| {});
        }
        board
    }

    #[test]
    fn ranges_merge_and_tell_what_is_new() {
        let mut board = board(&[(10, 12), (15, 16), (20, 25)]);
        let mut new = Vec::new();
        assert_eq!(
            board.add(Range { from: 11, to: 20 }, |number| new.push(number)),
            7
        );
        assert_eq!(new, [12, 13, 14, 16, 17, 18, 19]);
        assert_eq!(board.ranges, [Range { from: 10, to: 25 }]);
        assert_eq!(board.sacked(), 15);
        assert_eq!(board.acknowledge(12), 2);
        assert_eq!(board.acknowledge(30), 13);
        assert_eq!((board.sacked(), board.highest()), (0, 0));
    }

    #[test]
    fn holes_are_counted_and_found() {
        let board = board(&[(3, 5), (7, 8)]);
        assert_eq!(board.holes(1, 10), 6);
        assert_eq!(board.holes(4, 8), 2);
        let found = [1, 3, 5, 7, 8].map(|from| board.hole(from, 9));
        assert_eq!(found, [Some(1), Some(5), Some(5), Some(8), Some(8)]);
        assert_eq!(board.hole(7, 8), None);
        assert_eq!(
            (board.last_hole(8), board.last_hole(10)),
            (Some(6), Some(9))
        );
    }

    #[test]
    fn three_arrived_beyond_it_make_a_hole_lost() {
        assert_eq!(board(&[(3, 5)]).lost_edge(3), 0);
        assert_eq!(board(&[(3, 5), (7, 8)]).lost_edge(3), 3);
        assert_eq!(board(&[(3, 5), (7, 9)]).lost_edge(3), 4);
        assert_eq!(board(&[(3, 5), (7, 12)]).lost_edge(3), 9);
    }
}
