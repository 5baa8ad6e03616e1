//! What a receiver holds beyond the next number it expects, as ranges.

use super::Range;
use crate::prefetch;

/// Ranges, the most recent first, none of them touching another.
///
/// Most receivers have one at most: that needs no memory beside.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    /// The most recent; of no numbers, when nothing is held.
    latest: Range,
    #[allow(clippy::box_collection)] // A third of a list's size, in every receiver.
    others: Option<Box<Vec<Range>>>,
}

impl Held {
    /// Asks the caches for all but the most recent range.
    #[inline]
    pub(super) fn look_ahead(&self) {
        if let Some(others) = &self.others {
            prefetch::prefetch(&**others);
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.latest.from == self.latest.to
    }

    /// The ranges, the most recent first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Range> {
        let latest = Some(&self.latest).filter(|_| !self.is_empty());
        latest.into_iter().chain(self.others())
    }

    fn others(&self) -> &[Range] {
        self.others.as_ref().map_or(&[], |others| others)
    }

    pub(super) fn contains(&self, number: u32) -> bool {
        let within = |range: &Range| range.from <= number && number < range.to;
        within(&self.latest) || self.others().iter().any(within)
    }

    /// Takes in `number` where it follows the only range there is. `false`: this did nothing.
    #[inline]
    pub(super) fn extend(&mut self, number: u32) -> bool {
        let follows = number == self.latest.to && !self.is_empty() && self.others().is_empty();
        if follows {
            self.latest.to += 1;
        }
        follows
    }

    /// Takes in `number`, which was not held, and answers with the range it is now in.
    pub(super) fn add(&mut self, number: u32) -> Range {
        let mut new = Range {
            from: number,
            to: number + 1,
        };
        let mut absorbs = |range: &Range| {
            let touches = range.to == new.from || range.from == new.to;
            if touches {
                new.from = new.from.min(range.from);
                new.to = new.to.max(range.to);
            }
            touches
        };
        let replaced = self.latest.from == self.latest.to || absorbs(&self.latest);
        if let Some(others) = &mut self.others {
            others.retain(|range| !absorbs(range));
        }
        if !replaced {
            self.others.get_or_insert_default().insert(0, self.latest);
        }
        self.latest = new;
        new
    }

    /// Lets the most recent range go.
    pub(super) fn drop_latest(&mut self) {
        let others = self.others.as_mut().filter(|others| !others.is_empty());
        self.latest = others.map_or(Range::default(), |others| others.remove(0));
    }

    /// Lets all go.
    pub(super) fn clear(&mut self) {
        self.latest = Range::default();
        if let Some(others) = &mut self.others {
            others.clear();
        }
    }
}
