//! How WRED goes on under other parameters.

use super::Wred;
use crate::aqm::WaitingPackets;

impl Wred {
    /// Takes over the averages, and the gap of each class that has a profile in both. Where the
    /// classes differ, the packets that wait are counted anew.
    pub(super) fn take_over(&mut self, old: Wred, waiting: WaitingPackets<'_>) {
        let scale = self.config.rescaled(&old.config);
        for (class, average) in self.averages.iter_mut().enumerate() {
            let old = &old.averages[class.min(old.averages.len() - 1)];
            average.continue_from(old, scale);
        }
        let recounted = self.config.recounted(&old.config);
        let counted = old.per_class
            && self.config.in_bytes == old.config.in_bytes
            && self.classes == old.classes;
        for (profile, old) in self.profiles.iter_mut().zip(old.profiles) {
            profile.gap.continue_from(old.gap, recounted);
            profile.in_band = old.in_band;
            profile.waiting = if counted { old.waiting } else { 0 };
        }
        if self.per_class && !counted {
            for packet in waiting {
                let class = self.class_of(&packet);
                self.profiles[class].waiting += self.length_of(&packet);
            }
        }
    }
}
