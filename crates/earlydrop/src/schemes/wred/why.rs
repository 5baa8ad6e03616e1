//! Why WRED drops, marks or keeps a packet.

use alloc::format;

use super::Wred;
use crate::aqm::Backlog;
use crate::curve::ONE;
use crate::explanation::Why;
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::red::{explain_whole, first_in_band, outside, probability, source_of, spared};
use crate::trace::Rule;
use crate::units::Nanos;

impl Rule for Wred {
    fn why_arrival<Q: Backlog>(
        &self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Option<Why> {
        let class = self.class_of(packet);
        let profile = &self.profiles[class];
        let curve = &profile.curve;
        let (config, shape) = (&self.config, curve.shape());
        let law = match curve.last() > shape.max {
            true => "gentle",
            false => "red",
        };
        let unit = if config.in_bytes { "bytes" } else { "packets" };
        let mut why = Why::new(source_of(law));
        let says = format!("the packet's class, of {}", self.profiles.len());
        why.given(says, ("class", ""), class as f64);
        let length = self.waiting(class, queue);
        let mut average = self.averages[self.average_of(class)].clone();
        average.explain_update(&mut why, now, length, unit);
        let band = (curve.first(), curve.last());
        if average.in_steps() < profile.band.0 {
            return Some(outside(why, average.value(), band, unit));
        }
        if config.cautious && length <= 1 {
            return Some(spared(why, length, unit));
        }
        if config.cautious && !profile.in_band {
            return Some(first_in_band(why));
        }
        let steps = match config.as_linux {
            true => average.in_whole_units_above(profile.band.0),
            false => average.in_steps(),
        };
        let one = average.one() as f64;
        let avg = steps as f64 / one;
        if config.as_linux {
            explain_whole(&mut why, avg, profile.band.0 as f64 / one, unit);
        }
        if steps >= profile.band.1 {
            let why = outside(why, avg, band, unit);
            return Some(match self.action.mark_above_last {
                true => self.action.why_not_marked(why, packet, ONE),
                false => why,
            });
        }
        let line = curve.steps_on_line(steps - profile.band.0);
        let pb = line.unwrap_or_else(|| curve.steps_between(steps));
        let (equation, text) = curve.equation(law, avg, curve.strength());
        let says = format!("the initial probability: the curve of class {class} at the average");
        why.step(says, ("p_b", ""), equation, text, probability(pb));
        let shares = config.shares(pb, profile.gap.count(), packet);
        profile.gap.clone().is_over(shares, random, &mut why);
        Some(self.action.why_not_marked(why, packet, pb))
    }
}
