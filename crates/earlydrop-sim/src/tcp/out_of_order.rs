//! The receiver's out-of-order queue: blocks of segments beyond the next number it expects.

use super::segment::SackBlock;
use crate::prefetch;

/// Blocks received out of order, the most recent first, none touching another.
///
/// Most receivers have at most one, which is stored in place.
#[derive(Clone, Debug, Default)]
pub(super) struct OutOfOrderQueue {
    /// The most recent block; empty when the queue is.
    latest: SackBlock,
    #[allow(clippy::box_collection)] // A third of a list's size, in every receiver.
    others: Option<Box<Vec<SackBlock>>>,
}

impl OutOfOrderQueue {
    /// Prefetches all but the most recent block.
    #[inline]
    pub(super) fn prefetch(&self) {
        if let Some(others) = &self.others {
            prefetch::prefetch(&**others);
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.latest.from == self.latest.to
    }

    /// The blocks, the most recent first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &SackBlock> {
        let latest = Some(&self.latest).filter(|_| !self.is_empty());
        latest.into_iter().chain(self.others())
    }

    fn others(&self) -> &[SackBlock] {
        self.others.as_ref().map_or(&[], |others| others)
    }

    pub(super) fn contains(&self, number: u32) -> bool {
        let within = |block: &SackBlock| block.from <= number && number < block.to;
        within(&self.latest) || self.others().iter().any(within)
    }

    /// Fast path: adds `number` if it follows the only block. `false` means nothing was done.
    #[inline]
    pub(super) fn extend(&mut self, number: u32) -> bool {
        let follows = number == self.latest.to && !self.is_empty() && self.others().is_empty();
        if follows {
            self.latest.to += 1;
        }
        follows
    }

    /// Adds `number`, which is new; returns the block it is now in.
    pub(super) fn add(&mut self, number: u32) -> SackBlock {
        let mut new = SackBlock {
            from: number,
            to: number + 1,
        };
        let mut absorbs = |block: &SackBlock| {
            let touches = block.to == new.from || block.from == new.to;
            if touches {
                new.from = new.from.min(block.from);
                new.to = new.to.max(block.to);
            }
            touches
        };
        let replaced = self.latest.from == self.latest.to || absorbs(&self.latest);
        if let Some(others) = &mut self.others {
            others.retain(|block| !absorbs(block));
        }
        if !replaced {
            self.others.get_or_insert_default().insert(0, self.latest);
        }
        self.latest = new;
        new
    }

    /// Removes the most recent block.
    pub(super) fn remove_latest(&mut self) {
        let others = self.others.as_mut().filter(|others| !others.is_empty());
        self.latest = others.map_or(SackBlock::default(), |others| others.remove(0));
    }

    /// Removes all blocks.
    pub(super) fn clear(&mut self) {
        self.latest = SackBlock::default();
        if let Some(others) = &mut self.others {
            others.clear();
        }
    }
}
