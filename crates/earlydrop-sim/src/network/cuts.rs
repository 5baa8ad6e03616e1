//! Links that are cut and mended, and the time after which switches take other routes.

use std::collections::BTreeSet;

use earlydrop::units::Nanos;

use super::{LinkId, Network, Routes};

/// A time in which nothing crosses a link. Its transmitter goes on; what would arrive meanwhile is
/// lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// From this time on.
    pub from: Nanos,
    /// Up to this one; [`Nanos::NEVER`]: it is not mended.
    pub until: Nanos,
}

impl Cut {
    /// Whether it is cut at this time.
    pub(crate) fn has(self, at: Nanos) -> bool {
        self.from <= at && at < self.until
    }
}

/// More changes of routes than this are refused: a packet says in six bits which were before it.
pub(crate) const MAX_CHANGES: usize = 63;

/// When each of the times between two changes of routes begins; the first at zero.
#[derive(Clone, Debug)]
pub(crate) struct Begins(Vec<Nanos>);

impl Default for Begins {
    fn default() -> Begins {
        Begins(vec![Nanos::ZERO])
    }
}

impl Begins {
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// In which of them a time is.
    pub(crate) fn period(&self, at: Nanos) -> usize {
        self.0[1..].partition_point(|begin| *begin <= at)
    }
}

/// Times between two changes of what switches know of cut links.
#[derive(Clone, Debug)]
pub(crate) struct Periods {
    /// When each begins.
    pub(crate) begins: Begins,
    /// The links that switches leave out in each.
    left_out: Vec<BTreeSet<LinkId>>,
}

impl Periods {
    /// The routes of the network in each of them.
    pub(crate) fn routes(&self, network: &Network) -> Vec<Routes> {
        let left_out = self.left_out.iter();
        left_out
            .map(|left_out| Routes::without(network, left_out))
            .collect()
    }
}

impl Network {
    /// The times between two changes of routes; a single one where there is none.
    pub(crate) fn periods(&self) -> Periods {
        let mut known = Vec::new();
        for (id, .., link) in self.links() {
            for cut in &link.cuts {
                let Some(after) = self.reroute_after else {
                    continue;
                };
                known.push((Nanos(cut.from.0.saturating_add(after.0)), id, true));
                if cut.until != Nanos::NEVER {
                    known.push((Nanos(cut.until.0.saturating_add(after.0)), id, false));
                }
            }
        }
        known.sort();
        let mut periods = Periods {
            begins: Begins::default(),
            left_out: vec![BTreeSet::new()],
        };
        for (at, link, is_cut) in known {
            let mut left_out = periods.left_out.last().cloned().unwrap_or_default();
            match is_cut {
                true => left_out.insert(link),
                false => left_out.remove(&link),
            };
            let begins = &mut periods.begins.0;
            if begins.last() == Some(&at) {
                periods.left_out.pop();
            } else {
                begins.push(at);
            }
            periods.left_out.push(left_out);
        }
        periods
    }

    /// Whether packets of one flow take different routes: each its own, or others than before.
    pub(crate) fn changes_routes(&self) -> bool {
        self.spraying || self.reroute_after.is_some()
    }
}
