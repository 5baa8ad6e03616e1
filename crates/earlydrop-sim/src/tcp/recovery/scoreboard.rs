//! The scoreboard: what SACK blocks reported received, and what was retransmitted meanwhile
//! (RFC 6675, sections 3 and 4).
//!
//! Received segments are stored as blocks in ascending order. Once the list is as long as it
//! ever gets, acknowledgments do not allocate.

use std::collections::VecDeque;

use crate::tcp::segment::SackBlock;
use crate::tcp::sequence::distance;

/// Segments received out of order, and holes retransmitted meanwhile.
#[derive(Clone, Debug, Default)]
pub(in crate::tcp) struct Scoreboard {
    /// Blocks received, ascending, none touching the next.
    blocks: Vec<SackBlock>,
    /// Segments in `blocks`.
    sacked: u32,
    /// Holes below it were retransmitted: HighRxt of RFC 6675, plus one.
    pub(in crate::tcp) high_rxt: u32,
    /// Holes below it are lost.
    pub(in crate::tcp) lost_below: u32,
    /// Estimate of the segments in flight: `pipe` of RFC 6675.
    pub(in crate::tcp) pipe: i32,
    /// Whether the rescue retransmission was sent (RFC 6675, NextSeg, rule 4).
    pub(in crate::tcp) rescue_sent: bool,
    /// Whether nothing is retransmitted until the next acknowledgment or timer.
    pub(in crate::tcp) holds_retransmissions: bool,
    /// Holes retransmitted, in that order, each with the next new number at that time.
    retransmitted: VecDeque<(u32, u32)>,
    /// Holes whose retransmission was lost, ascending: the first is what holds `snd_una` back, and
    /// the timer runs for it (RFC 6675, NextSeg, rule 1: "the smallest unSACKed sequence number").
    lost_retransmissions: VecDeque<u32>,
    /// Segments newly detected as lost, where they are noted one by one.
    #[allow(clippy::box_collection)] // A third of a list's size, in every scoreboard.
    newly_lost: Option<Box<Vec<u32>>>,
}

/// What has become of a retransmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) enum RetransmissionFate {
    /// It is lost.
    Lost,
    /// It may still arrive, and others sent after it may be lost.
    Pending,
    /// It was sent too late to tell; so were those after it.
    SentLater,
}

impl Scoreboard {
    /// An empty scoreboard, which notes losses one by one if `notes_losses` is set.
    pub(in crate::tcp) fn new(notes_losses: bool) -> Scoreboard {
        Scoreboard {
            newly_lost: notes_losses.then(Box::default),
            ..Scoreboard::default()
        }
    }

    /// Forgets everything, and keeps the memory.
    pub(in crate::tcp) fn clear(&mut self) {
        self.blocks.clear();
        self.sacked = 0;
        self.lost_below = 0;
        self.pipe = 0;
        if let Some(newly_lost) = &mut self.newly_lost {
            newly_lost.clear();
        }
        self.begin_repair(0);
    }

    /// Begins to retransmit holes, from `first` on.
    pub(in crate::tcp) fn begin_repair(&mut self, first: u32) {
        self.high_rxt = first;
        self.rescue_sent = false;
        self.retransmitted.clear();
        self.lost_retransmissions.clear();
    }

    /// Takes note that hole `number` was retransmitted when `new` was the next new number.
    pub(in crate::tcp) fn on_retransmitted(&mut self, number: u32, new: u32) {
        self.high_rxt = self.high_rxt.max(number + 1);
        if self.lost_retransmissions.front() == Some(&number) {
            self.lost_retransmissions.pop_front();
        } else {
            self.lost_retransmissions.retain(|&lost| lost != number);
        }
        self.retransmitted.push_back((number, new));
    }

    /// How many retransmissions are in flight.
    pub(in crate::tcp) fn retransmissions_in_flight(&self, snd_una: u32) -> u32 {
        let in_flight = |(number, _): &&(u32, u32)| self.is_hole(snd_una, *number);
        self.retransmitted.iter().filter(in_flight).count() as u32
    }

    /// Whether no retransmission of hole `number` is in flight.
    pub(in crate::tcp) fn awaits_retransmission(&self, number: u32) -> bool {
        self.retransmitted.iter().all(|(sent, _)| *sent != number)
    }

    /// Takes all losses back: what was not reported received is in flight, and not retransmitted.
    pub(in crate::tcp) fn unmark_losses(&mut self, snd_una: u32) {
        self.lost_below = 0;
        self.begin_repair(snd_una);
    }

    /// The first hole whose retransmission was lost.
    pub(in crate::tcp) fn lost_retransmission(&self) -> Option<u32> {
        self.lost_retransmissions.front().copied()
    }

    /// Detects lost retransmissions: as many segments sent after them were received as make the
    /// [lost edge](Scoreboard::lost_edge), which is `edge`. Returns how many are new.
    pub(in crate::tcp) fn detect_lost_retransmissions(&mut self, snd_una: u32, edge: u32) -> u32 {
        let mut lost = core::mem::take(&mut self.lost_retransmissions);
        lost.retain(|&number| self.is_hole(snd_una, number));
        let before = lost.len();
        while let Some(&(number, new)) = self.retransmitted.front()
            && (new <= edge || number < snd_una)
        {
            self.retransmitted.pop_front();
            if self.is_hole(snd_una, number) {
                self.note_lost_retransmission(number);
                insert_ascending(&mut lost, number);
            }
        }
        self.lost_retransmissions = lost;
        (self.lost_retransmissions.len() - before) as u32
    }

    /// Asks for each retransmission in flight what has become of it, in the order in which they
    /// were sent, up to the first sent too late to tell. Returns how many are newly lost.
    pub(in crate::tcp) fn judge_retransmissions(
        &mut self,
        snd_una: u32,
        mut fate: impl FnMut(u32) -> RetransmissionFate,
    ) -> u32 {
        if self.retransmitted.is_empty() && self.lost_retransmissions.is_empty() {
            return 0;
        }
        let mut lost = core::mem::take(&mut self.lost_retransmissions);
        lost.retain(|&number| self.is_hole(snd_una, number));
        let before = lost.len();
        let mut place = 0;
        while let Some(&(number, _)) = self.retransmitted.get(place) {
            if !self.is_hole(snd_una, number) {
                self.retransmitted.remove(place);
                continue;
            }
            match fate(number) {
                RetransmissionFate::SentLater => break,
                RetransmissionFate::Pending => place += 1,
                RetransmissionFate::Lost => {
                    self.retransmitted.remove(place);
                    self.note_lost_retransmission(number);
                    insert_ascending(&mut lost, number);
                }
            }
        }
        self.lost_retransmissions = lost;
        (self.lost_retransmissions.len() - before) as u32
    }

    /// Moves [`lost_below`](Scoreboard::lost_below) up to `edge`; returns how many holes are newly
    /// lost by that.
    pub(in crate::tcp) fn raise_lost_below(&mut self, snd_una: u32, edge: u32) -> u32 {
        let from = self.lost_below.max(snd_una);
        if let Some(mut newly_lost) = self.newly_lost.take() {
            let mut next = from;
            while let Some(number) = self.hole(next, edge) {
                newly_lost.push(number);
                next = number + 1;
            }
            self.newly_lost = Some(newly_lost);
        }
        self.lost_below = self.lost_below.max(edge);
        self.holes(from, edge)
    }

    /// The segments newly detected as lost, to be taken, if losses are noted and there are any.
    pub(in crate::tcp) fn newly_lost(&mut self) -> Option<&mut Vec<u32>> {
        let list = self.newly_lost.as_deref_mut();
        list.filter(|list| !list.is_empty())
    }

    fn note_lost_retransmission(&mut self, number: u32) {
        if let Some(newly_lost) = &mut self.newly_lost {
            newly_lost.push(number);
        }
    }

    /// Whether something is lost and not retransmitted since.
    pub(in crate::tcp) fn has_losses(&self, snd_una: u32) -> bool {
        let from = self.high_rxt.max(snd_una);
        !self.lost_retransmissions.is_empty() || self.hole(from, self.lost_below).is_some()
    }

    fn is_hole(&self, snd_una: u32, number: u32) -> bool {
        number >= snd_una && self.hole(number, number + 1).is_some()
    }

    /// Whether an ACK up to `next` leaves nothing to repair: nothing was received beyond, and no
    /// retransmission waits for its fate.
    pub(in crate::tcp) fn is_quiet(&self, next: u32) -> bool {
        let repairs = self.retransmitted.len() + self.lost_retransmissions.len();
        self.blocks.len() + repairs == 0 && self.lost_below <= next
    }

    /// Segments reported received beyond `snd_una`.
    pub(in crate::tcp) fn sacked(&self) -> u32 {
        self.sacked
    }

    /// The number after the highest segment reported received; 0 without one.
    pub(in crate::tcp) fn highest(&self) -> u32 {
        self.blocks.last().map_or(0, |block| block.to)
    }

    /// Removes everything below `next`, which was acknowledged; returns how many of those
    /// segments were reported received before.
    #[inline]
    pub(in crate::tcp) fn acknowledge(&mut self, next: u32) -> u32 {
        match self.blocks.first() {
            Some(block) if block.from < next => self.remove_below(next),
            _ => 0,
        }
    }

    fn remove_below(&mut self, next: u32) -> u32 {
        let whole = self.blocks.iter().take_while(|block| block.to <= next);
        let (count, mut known) = whole.fold((0, 0), |(count, known), block| {
            (count + 1, known + block.length())
        });
        self.blocks.drain(..count);
        if let Some(block) = self.blocks.first_mut()
            && block.from < next
        {
            known += distance(block.from, next);
            block.from = next;
        }
        self.sacked -= known;
        known
    }

    /// Adds a block that was received; calls `new` with each run `from`, `to` of numbers not reported
    /// before, and returns how many those are.
    pub(in crate::tcp) fn add(&mut self, block: SackBlock, mut new: impl FnMut(u32, u32)) -> u32 {
        let from = self.blocks.partition_point(|known| known.to < block.from);
        if let Some(known) = self.blocks.get(from)
            && known.from <= block.from
            && block.to <= known.to
        {
            return 0;
        }
        let mut to = from;
        let mut merged = block;
        let (mut cursor, mut added) = (block.from, 0);
        let mut add = |from: u32, to: u32| {
            if from < to {
                new(from, to);
                added += to - from;
            }
        };
        while let Some(known) = self.blocks.get(to)
            && known.from <= block.to
        {
            add(cursor, known.from);
            cursor = cursor.max(known.to);
            merged.from = merged.from.min(known.from);
            merged.to = merged.to.max(known.to);
            to += 1;
        }
        add(cursor, block.to);
        if from == to {
            self.blocks.insert(from, merged);
        } else {
            self.blocks[from] = merged;
            if to > from + 1 {
                self.blocks.drain(from + 1..to);
            }
        }
        self.sacked += added;
        added
    }

    /// How many numbers in `from..to` were not reported received.
    pub(in crate::tcp) fn holes(&self, from: u32, to: u32) -> u32 {
        if self.blocks.first().is_none_or(|block| to <= block.from) {
            return to.saturating_sub(from);
        }
        let known = self.blocks.iter().map(|block| {
            let (start, end) = (block.from.max(from), block.to.min(to));
            end.saturating_sub(start)
        });
        to.saturating_sub(from) - known.sum::<u32>()
    }

    /// The first number in `from..below` that was not reported received.
    pub(in crate::tcp) fn hole(&self, from: u32, below: u32) -> Option<u32> {
        let after = self.blocks.partition_point(|block| block.to <= from);
        let hole = match self.blocks.get(after) {
            Some(block) if block.from <= from => block.to,
            _ => from,
        };
        (hole < below).then_some(hole)
    }

    /// Calls `visit` with each run `from`, `to` of numbers within `from..to` that were not reported
    /// received.
    #[inline]
    pub(in crate::tcp) fn visit_holes(&self, from: u32, to: u32, mut visit: impl FnMut(u32, u32)) {
        let mut next = from;
        for block in self.blocks.iter().take_while(|block| block.from < to) {
            if next < block.from {
                visit(next, block.from);
            }
            next = next.max(block.to);
        }
        if next < to {
            visit(next, to);
        }
    }

    /// The last number below `below` that was not reported received.
    pub(in crate::tcp) fn last_hole(&self, below: u32) -> Option<u32> {
        let end = match self.blocks.last() {
            Some(block) if block.to >= below => block.from,
            _ => below,
        };
        end.checked_sub(1)
    }

    /// The lost edge: each hole below it has at least `threshold` received segments beyond it,
    /// so it is lost (RFC 6675, IsLost); 0 when there is none.
    pub(in crate::tcp) fn lost_edge(&self, threshold: u32) -> u32 {
        let mut missing = threshold;
        for block in self.blocks.iter().rev() {
            let length = block.length();
            if length >= missing {
                return block.to - missing;
            }
            missing -= length;
        }
        0
    }

    /// Sets `pipe` to what was neither lost nor received, plus what was retransmitted (RFC 6675,
    /// SetPipe).
    pub(in crate::tcp) fn count_pipe(&mut self, snd_una: u32, snd_max: u32) {
        let first = self.holes(self.lost_below.max(snd_una), snd_max);
        let retransmitted = self.holes(snd_una, self.high_rxt.max(snd_una));
        self.pipe = (first + retransmitted) as i32 - self.lost_retransmissions.len() as i32;
    }
}

/// Most are lost in the order of their numbers: they come last.
fn insert_ascending(numbers: &mut VecDeque<u32>, number: u32) {
    let place = numbers.partition_point(|&one| one < number);
    numbers.insert(place, number);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(blocks: &[(u32, u32)]) -> Scoreboard {
        let mut board = Scoreboard::default();
        for &(from, to) in blocks {
            board.add(SackBlock { from, to }, |_, _| {});
        }
        board
    }

    #[test]
    fn blocks_merge_and_report_what_is_new() {
        let mut board = board(&[(10, 12), (15, 16), (20, 25)]);
        let mut new = Vec::new();
        assert_eq!(
            board.add(SackBlock { from: 11, to: 20 }, |from, to| new
                .extend(from..to)),
            7
        );
        assert_eq!(new, [12, 13, 14, 16, 17, 18, 19]);
        assert_eq!(board.blocks, [SackBlock { from: 10, to: 25 }]);
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
        let mut visited = Vec::new();
        board.visit_holes(1, 9, |from, to| visited.extend(from..to));
        assert_eq!(visited, [1, 2, 5, 6, 8]);
        let holes = [1, 3, 5, 7, 8].map(|from| board.hole(from, 9));
        assert_eq!(holes, [Some(1), Some(5), Some(5), Some(8), Some(8)]);
        assert_eq!(board.hole(7, 8), None);
        assert_eq!(
            (board.last_hole(8), board.last_hole(10)),
            (Some(6), Some(9))
        );
    }

    #[test]
    fn the_lowest_lost_retransmission_comes_first() {
        let mut board = board(&[(3, 5), (7, 9), (12, 13)]);
        for number in [9, 1, 6] {
            board.on_retransmitted(number, 20);
        }
        let lost = board.judge_retransmissions(1, |_| RetransmissionFate::Lost);
        assert_eq!(lost, 3);
        for number in [1, 6, 9] {
            assert_eq!(board.lost_retransmission(), Some(number));
            board.on_retransmitted(number, 20);
        }
        assert_eq!(board.detect_lost_retransmissions(1, 20), 3);
        assert_eq!(board.lost_retransmission(), Some(1));
    }

    #[test]
    fn a_hole_is_lost_once_three_segments_beyond_it_are_received() {
        assert_eq!(board(&[(3, 5)]).lost_edge(3), 0);
        assert_eq!(board(&[(3, 5), (7, 8)]).lost_edge(3), 3);
        assert_eq!(board(&[(3, 5), (7, 9)]).lost_edge(3), 4);
        assert_eq!(board(&[(3, 5), (7, 12)]).lost_edge(3), 9);
    }
}
