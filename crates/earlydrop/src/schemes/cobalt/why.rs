//! Why COBALT drops, marks or keeps a packet.

use alloc::format;
use alloc::string::String;

use super::Cobalt;
use crate::aqm::{Backlog, Verdict};
use crate::explanation::{Why, above, below, millis, numbers, rounded};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::trace::Rule;
use crate::units::Nanos;

const CODEL: &str = "Palmei et al. 2019, CoDel's half";
const BLUE: &str = "Palmei et al. 2019, BLUE's half";

impl Rule for Cobalt {
    fn why_departure<Q: Backlog>(
        &self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Option<Why> {
        let mut why = Why::new(CODEL);
        why.sojourn(now, packet.arrived);
        let mut after = self.clone();
        after.sojourn = now - packet.arrived;
        let reason = after.explain_delay(&mut why);
        let due = after.follow_delay(now);
        self.explain_schedule(&mut why, now, &after, due);
        let before = after.clone();
        let codel = after.signal(now, packet, due);
        let signals = codel != Verdict::Keep;
        if signals {
            before.explain_next(&mut why, &after);
        }
        let rule = match (signals, before.dropping) {
            (true, _) => "a signal is due in the dropping state",
            (false, true) => "no signal is due yet in the dropping state",
            (false, false) => "no standing queue",
        };
        let mut why = why.by(rule, reason);
        let last_leaves = queue.packets() == 0;
        if matches!(codel, Verdict::Drop(_)) {
            return Some(match last_leaves {
                true => why.overruled("the last packet of the queue is never dropped"),
                false => why,
            });
        }
        if self.p == 0.0 {
            return Some(why);
        }
        why.given("BLUE's probability, raised by overflow", ("p", ""), self.p);
        let drawn = random.uniform();
        if drawn < self.p {
            let reason = core::mem::take(&mut why.reason);
            why.source = BLUE;
            why = why.drawn("BLUE's random drop", drawn, self.p);
            why.reason = format!("{reason}; BLUE: {}", why.reason);
            return Some(match last_leaves {
                true => why.overruled("the last packet of the queue is never dropped"),
                false => why,
            });
        }
        let reason = format!("{}; BLUE: {}", why.reason, below(drawn, self.p));
        if signals {
            why.given("the random number drawn", ("u", ""), drawn);
            return Some(why.by(rule, reason));
        }
        why = why.drawn(rule, drawn, self.p);
        why.reason = reason;
        Some(why)
    }
}

impl Cobalt {
    /// Shows target and least wait, and compares the sojourn time with both.
    fn explain_delay(&self, why: &mut Why) -> String {
        why.given("the target", ("target", "ms"), millis(self.target));
        let sojourn = millis(self.sojourn);
        if self.sojourn > self.target && self.least_wait > Nanos::ZERO {
            let (says, least) = ("the least wait on this link", millis(self.least_wait));
            why.given(says, ("least", "ms"), least);
            return format!(
                "sojourn {} ms",
                above(sojourn, least.max(millis(self.target)))
            );
        }
        format!("sojourn {} ms", above(sojourn, millis(self.target)))
    }

    /// Shows the count and when a signal is due; `after` has followed the delay.
    fn explain_schedule(&self, why: &mut Why, now: Nanos, after: &Cobalt, due: bool) {
        let count = f64::from(self.count);
        why.given("CoDel's count before this packet", ("count", ""), count);
        why.given(
            match due {
                true => "a signal was due then",
                false => "a signal is due then, if the count is above 0",
            },
            ("drop_next", "ms"),
            millis(self.drop_next),
        );
        why.given("now", ("now", "ms"), millis(now));
        if after.dropping && !self.dropping {
            self.explain_gap(why);
            why.step(
                "the delay exceeds target: when the first signal is due",
                ("drop_next", "ms"),
                "drop_next = now + gap",
                numbers!("{} + {}", millis(now), millis(self.gap())),
                millis(after.drop_next),
            );
        }
    }

    /// Shows the count and the due time of the signal after this one.
    fn explain_next(&self, why: &mut Why, after: &Cobalt) {
        why.step(
            "the count with this signal",
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
            numbers!("{} + {}", millis(self.drop_next), millis(after.gap())),
            millis(after.drop_next),
        );
    }

    /// Shows the time between two signals.
    fn explain_gap(&self, why: &mut Why) {
        let (count, interval) = (f64::from(self.count.max(1)), millis(self.interval));
        let gap = millis(self.gap());
        if let Some(root) = self.root {
            let root = f64::from(root) / 4_294_967_296.0;
            why.given("1/sqrt(count), as CAKE computes it", ("root", ""), root);
            let text = rounded(numbers!("{} * {}", interval, root), interval * root, gap);
            let says = "the time to the next signal";
            why.step(says, ("gap", "ms"), "gap = interval root", text, gap);
            return;
        }
        let text = numbers!("{} / sqrt({})", interval, count);
        let text = rounded(text, interval / libm::sqrt(count), gap);
        let equation = "gap = interval / sqrt(count)";
        why.step(
            "the time to the next signal",
            ("gap", "ms"),
            equation,
            text,
            gap,
        );
    }
}
