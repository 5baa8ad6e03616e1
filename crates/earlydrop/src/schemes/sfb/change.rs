//! How SFB goes on under other parameters.

use super::Sfb;
use crate::aqm::{Aqm, WaitingPackets};
use crate::units::Nanos;

impl Sfb {
    /// Takes over the hashes, the tokens and, where as many levels of as many bins are
    /// configured, the bins. New bins count the packets that wait.
    pub(super) fn take_over(&mut self, now: Nanos, old: Sfb, waiting: WaitingPackets<'_>) {
        let bins = |sfb: &Sfb| (sfb.parameters.levels, sfb.parameters.bins);
        let same_bins = bins(self) == bins(&old);
        (self.secret, self.generation) = (old.secret, old.generation);
        self.tokens = old.tokens.min(self.parameters.penalty_burst);
        self.tokens_at = old.tokens_at;
        let changes = self.parameters.rehash > Nanos::ZERO;
        if same_bins {
            (self.sets, self.active) = (old.sets, old.active);
            self.warming = old.warming && changes;
        } else if self.secret.is_some() {
            let salt = self.salt(self.generation);
            (self.sets[self.active].since, self.sets[self.active].salt) = (Nanos::ZERO, salt);
        }
        if !self.warming {
            self.sets[1 - self.active].since = Nanos::NEVER;
        }
        let (rehash, warmup) = (self.parameters.rehash, self.parameters.warmup);
        let latest = now
            + if self.warming {
                warmup
            } else {
                rehash - warmup
            };
        let next = old.next_change.map(|next| next.min(latest));
        self.next_change = next.filter(|_| changes);
        if !same_bins {
            waiting.for_each(|packet| self.on_accepted(packet.arrived, &packet));
        }
    }
}
