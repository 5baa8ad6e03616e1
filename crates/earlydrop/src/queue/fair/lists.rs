//! Sub-queues, and the lists of those that are served.

use crate::aqm::Aqm;
use crate::queue::pool::Chain;
use crate::units::Nanos;

/// No sub-queue: the end of a list.
pub(super) const NONE: u32 = u32::MAX;
pub(super) const NEW: usize = 0;
pub(super) const OLD: usize = 1;
/// The list of strict sub-queues, by priority: schedulers that have them know no new ones.
pub(super) const STRICT: usize = NEW;

#[derive(Clone, Debug)]
pub(super) struct SubQueue<A> {
    pub(super) aqm: A,
    pub(super) chain: Chain,
    /// Bytes it may still send in this round; negative after an overshoot.
    pub(super) credit: i64,
    /// The next in the same list.
    pub(super) next: u32,
    pub(super) listed: bool,
    /// Its scheme was notified of idleness since the last packet arrived.
    pub(super) idle: bool,
}

impl<A> SubQueue<A> {
    /// The same place under another scheme.
    pub(super) fn under<B>(&self, aqm: B) -> SubQueue<B> {
        SubQueue {
            aqm,
            chain: self.chain.clone(),
            credit: self.credit,
            next: self.next,
            listed: self.listed,
            idle: self.idle,
        }
    }
}

impl<A: Aqm> SubQueue<A> {
    pub(super) fn notify_if_empty(&mut self, now: Nanos, is_unnoticed: bool) {
        if self.chain.packets() == 0 && !is_unnoticed {
            self.aqm.on_empty(now);
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    pub(super) head: u32,
    pub(super) tail: u32,
}

impl List {
    pub(super) const EMPTY: List = List {
        head: NONE,
        tail: NONE,
    };
}
