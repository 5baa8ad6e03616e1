//! Why CoDel drops, marks or keeps a packet.

use alloc::format;
use alloc::string::String;

use super::{Codel, DequeueState, TICK, whole};
use crate::aqm::{Aqm, Backlog, Verdict};
use crate::explanation::{Explain, Why, above, amount, below, millis, numbers, rounded};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::units::Nanos;

impl Explain for Codel {
    fn why_departure<Q: Backlog>(
        &self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Option<Why> {
        // The state that the verdict leaves.
        let mut after = self.clone();
        let verdict = after.on_departure(now, packet, queue, random);
        let at = whole(now, self.in_ticks);
        let mut why = Why::new("RFC 8289, section 5");
        why.sojourn(at, whole(packet.arrived, self.in_ticks));
        why.given("the target", ("target", "ms"), millis(self.target));
        let sojourn = after.sojourn;
        let standing = self.why_standing(&mut why, at, sojourn, queue.bytes());
        let mut why = self.why_signal(why, at, standing, &after);
        let mut bare = self.clone();
        bare.ce_threshold = None;
        if verdict == Verdict::Mark
            && bare.on_departure(now, packet, queue, random) == Verdict::Keep
            && let Some(most) = self.ce_threshold
        {
            let most = millis(most);
            why.given("the fixed threshold", ("ce_threshold", "ms"), most);
            why.source = "Linux codel_impl.h, ce_threshold";
            let reason = format!("sojourn {} ms", above(millis(sojourn), most));
            why = why.by("marks above a fixed delay", reason);
        }
        Some(why)
    }
}

impl Codel {
    /// Follows `above_for_long`: whether the delay has been above target for an interval, and the
    /// reason.
    fn why_standing(&self, why: &mut Why, now: Nanos, sojourn: Nanos, left: u64) -> (bool, String) {
        if sojourn < self.target {
            let (sojourn, target) = (millis(sojourn), millis(self.target));
            return (false, format!("sojourn {} ms", below(sojourn, target)));
        }
        if left <= self.mtu {
            let says = "the bytes left behind it";
            why.given(says, ("backlog", "bytes"), left as f64);
            let left = amount(left as f64, "bytes");
            let mtu = amount(self.mtu as f64, "bytes");
            let reason = format!("{left} are left behind it, and up to {mtu} nothing is dropped");
            return (false, reason);
        }
        let Some(due) = self.first_above else {
            let reason = "the delay has just exceeded target; it must stay so for an interval";
            return (false, reason.into());
        };
        let interval = millis(self.interval);
        let since = due.0 as f64 - self.interval.0 as f64;
        let lasted = (now.0 as f64 - since) / 1e6;
        why.step(
            "how long the delay has been above target",
            ("above", "ms"),
            "above = now - since",
            numbers!("{} - {}", millis(now), since / 1e6),
            lasted,
        );
        why.given("the interval", ("interval", "ms"), interval);
        let (long, text) = match self.longer {
            true => (now > due, above(lasted, interval)),
            false => (now >= due, below(lasted, interval)),
        };
        (long, format!("above target for {text} ms"))
    }

    /// Follows `judge`.
    fn why_signal(
        &self,
        mut why: Why,
        now: Nanos,
        (standing, reason): (bool, String),
        after: &Codel,
    ) -> Why {
        match self.state {
            DequeueState::AfterFirstDrop => {
                why.by("the packet after the first drop leaves", reason)
            }
            DequeueState::Fresh if !self.dropping && standing => {
                self.explain_entry(&mut why, now, after);
                why.by("the first signal of a dropping state", reason)
            }
            DequeueState::Fresh if !self.dropping => why.by("no standing queue", reason),
            _ if !standing => why.by("the dropping state ends", reason),
            state => {
                let due = self.explain_due(&mut why, state == DequeueState::AfterDueDrop);
                let text = below(millis(now), millis(due));
                let reason = format!("{reason}; now and drop_next: {text} ms");
                if now < due {
                    return why.by("no signal is due yet in the dropping state", reason);
                }
                self.explain_next(&mut why, due, after);
                why.by("a signal is due in the dropping state", reason)
            }
        }
    }

    /// Shows the count and the next signal as a dropping state begins.
    fn explain_entry(&self, why: &mut Why, now: Nanos, after: &Codel) {
        match after.count {
            1 => why.given("the signals of this dropping state", ("count", ""), 1.0),
            count => why.step(
                "the count with which it goes on, soon after the last one",
                ("count", ""),
                "count = count - lastcount",
                numbers!("{} - {}", f64::from(self.count), f64::from(self.last_count)),
                f64::from(count),
            ),
        }
        after.explain_gap(why);
        why.step(
            "when the next signal is due",
            ("drop_next", "ms"),
            "drop_next = now + gap",
            numbers!("{} + {}", millis(now), millis(after.gap())),
            millis(now + after.gap()),
        );
    }

    /// Shows when a signal is due: an earlier drop of this dequeue may have moved it.
    fn explain_due(&self, why: &mut Why, moves: bool) -> Nanos {
        let count = f64::from(self.count);
        why.given("the signals of this dropping state", ("count", ""), count);
        if !moves {
            let due = self.drop_next;
            why.given("when a signal is due", ("drop_next", "ms"), millis(due));
            return due;
        }
        self.explain_gap(why);
        let due = self.drop_next + self.gap();
        why.step(
            "when a signal is due after the drop before",
            ("drop_next", "ms"),
            "drop_next = drop_next + gap",
            numbers!("{} + {}", millis(self.drop_next), millis(self.gap())),
            millis(due),
        );
        due
    }

    /// Shows the count and the due time of the signal after this one.
    fn explain_next(&self, why: &mut Why, due: Nanos, after: &Codel) {
        why.step(
            "the signals with this one",
            ("count", ""),
            "count = count + 1",
            numbers!("{} + 1", f64::from(self.count)),
            f64::from(after.count),
        );
        after.explain_gap(why);
        why.step(
            "when the next signal is due",
            ("drop_next", "ms"),
            "drop_next = drop_next + gap",
            numbers!("{} + {}", millis(due), millis(after.gap())),
            millis(due + after.gap()),
        );
    }

    /// Shows the time between two signals.
    fn explain_gap(&self, why: &mut Why) {
        let (gap, interval) = (millis(self.gap()), millis(self.interval));
        let count = f64::from(self.count.max(1));
        let (equation, text) = if self.newton {
            let tick = if self.in_ticks { TICK } else { 0 };
            let unit = (1_u64 << tick) as f64 / 1e6;
            let ticks = libm::round(gap / unit);
            (
                "gap = interval / sqrt(count), by a Newton step, in whole ticks",
                numbers!("{} * {}", ticks, unit),
            )
        } else {
            let text = numbers!("{} / sqrt({})", interval, count);
            let ideal = interval / libm::sqrt(count);
            ("gap = interval / sqrt(count)", rounded(text, ideal, gap))
        };
        let says = "the time to the next signal";
        why.step(says, ("gap", "ms"), equation, text, gap);
    }
}
