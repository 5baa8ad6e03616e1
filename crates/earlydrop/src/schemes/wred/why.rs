//! The numbers by which WRED drops, marks or keeps a packet.

use alloc::format;

use super::{Profile, Wred};
use crate::curve::CurveLaw;
use crate::explanation::Why;
use crate::red::variants::{gred, red};
use crate::red::{probability, show_outside, show_whole};

impl Wred {
    /// Shows the packet's class, by the number of its profile.
    pub(super) fn show_class(&self, why: &mut Why, number: usize) {
        why.unit = self.config.unit();
        why.source = self.profiles[number].law().source;
        let capable = match number >= self.classes {
            true => ", with the thresholds of ECN-capable packets",
            false => "",
        };
        let says = format!("the packet's class, of {}{capable}", self.classes);
        why.given(says, ("class", ""), (number % self.classes) as f64);
    }
}

impl Profile {
    fn law(&self) -> &'static CurveLaw {
        match self.curve.last() > self.curve.shape().max {
            true => &gred::CURVE,
            false => &red::CURVE,
        }
    }

    /// The curve's first and last thresholds.
    pub(super) fn ends(&self) -> (f64, f64) {
        (self.curve.first(), self.curve.last())
    }

    /// Shows an average, in so many steps of 1/`one`, where it is rounded or above the last
    /// threshold.
    pub(super) fn show_average(&self, why: &mut Why, (steps, one): (u64, u64), as_linux: bool) {
        let (avg, first) = (steps as f64 / one as f64, self.band.0 as f64 / one as f64);
        if as_linux {
            show_whole(why, avg, first);
        }
        if steps >= self.band.1 {
            show_outside(why, avg, self.ends());
        }
    }

    /// Shows Pb at an average of so many steps of 1/`one`.
    pub(super) fn show_pb(&self, why: &mut Why, class: usize, (steps, one): (u64, u64), pb: u64) {
        let (avg, strength) = (steps as f64 / one as f64, self.curve.strength());
        let (equation, text) = self.curve.equation(self.law().name, avg, strength);
        let says = format!("the initial probability: the curve of class {class} at the average");
        why.step(says, ("p_b", ""), equation, text, probability(pb));
    }
}
