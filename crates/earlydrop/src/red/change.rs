//! How a scheme of the family goes on under other parameters.

use super::Red;
use crate::aqm::WaitingPackets;
use crate::units::Nanos;

impl Red {
    /// Takes over average, gap, the table of a policy of the same kind, and the state of an
    /// adaptation of the same kind, with the strength it has reached unless the configured one
    /// changes.
    pub(super) fn take_over(&mut self, now: Nanos, old: Red, waiting: WaitingPackets<'_>) {
        let same_unit = self.config.in_bytes == old.config.in_bytes;
        self.average
            .continue_from(&old.average, self.config.rescaled(&old.config));
        self.gap
            .continue_from(old.gap, self.config.recounted(&old.config));
        self.in_band = old.in_band;
        let law = |red: Option<&super::CurveLaw>| red.map(|law| law.name);
        let same_strength = law(self.law) == law(old.law)
            && self.curve.shape().strength == old.curve.shape().strength;
        let same_rule = same_unit && self.adaptation.continue_from(now, old.adaptation);
        if same_rule && same_strength {
            self.curve.set_strength(old.curve.strength());
        }
        self.policy.continue_from(old.policy, waiting);
    }
}
