//! How an arrival moves the average.

use alloc::string::String;

use super::{Average, Idle, IdleTable};
use crate::explanation::{Why, numbers, rounded};
use crate::units::Nanos;

impl Average {
    /// Shows how a queue of `length` changes the average, as [`update`](Average::update) does,
    /// and changes it.
    pub(crate) fn explain_update(
        &mut self,
        why: &mut Why,
        now: Nanos,
        length: u64,
        unit: &'static str,
    ) {
        if self.idle_since != Nanos::NEVER {
            self.explain_idle(why, now, unit);
            if !matches!(self.idle, Idle::FloorPlusOne | Idle::None) {
                self.update(now, length);
                return;
            }
            // The arrival's own update follows the decay.
            self.end_idle(now);
        }
        let (w, before, q) = (self.weight, self.value(), length as f64);
        self.update(now, length);
        let whole = self.one < super::BYTE;
        let (equation, ideal, text) = if whole {
            let floor = libm::floor(before);
            (
                "avg = avg + w (q - floor(avg)), rounded as in Linux",
                before + w * (q - floor),
                numbers!("{} + {} * ({} - {})", before, w, q, floor),
            )
        } else {
            (
                "avg = (1 - w) avg + w q",
                (1.0 - w) * before + w * q,
                numbers!("(1 - {}) * {} + {} * {}", w, before, w, q),
            )
        };
        let text = rounded(text, ideal, self.value());
        why.given("the queue that the packet finds", ("q", unit), q);
        why.step(
            "the average queue",
            ("avg", unit),
            equation,
            text,
            self.value(),
        );
    }

    /// Shows the average as it is.
    pub(crate) fn explain_value(&self, why: &mut Why, says: &str, unit: &'static str) {
        why.given(says, ("avg", unit), self.value());
    }

    /// Shows how the average decays over the idle time that ends now.
    fn explain_idle(&self, why: &mut Why, now: Nanos, unit: &'static str) {
        let idle = now.since(self.idle_since);
        let mut after = self.clone();
        after.end_idle(now);
        let (w, before, value) = (self.weight, self.value(), after.value());
        let time = idle.as_secs_f64();
        why.step(
            "how long the queue was empty",
            ("idle", "s"),
            "idle = now - idle_since",
            numbers!(
                "{} - {}",
                now.0 as f64 / 1e9,
                self.idle_since.0 as f64 / 1e9
            ),
            time,
        );
        let m = time / self.packet_time;
        let says = "the average, decayed over the idle time";
        match self.idle {
            Idle::None => {}
            Idle::Halving => {
                let (equation, ideal, text) = self.halved(before, idle);
                let text = rounded(text, ideal, value);
                why.step(says, ("avg", unit), equation, text, value);
            }
            rule => {
                why.step(
                    "the packets that could have been sent meanwhile",
                    ("m", "packets"),
                    "m = idle / packet_time",
                    numbers!("{} / {}", time, self.packet_time),
                    m,
                );
                let (steps, equation) = match rule {
                    Idle::Exact => (m, "avg = (1 - w)^m avg"),
                    _ => (libm::floor(m), "avg = (1 - w)^floor(m) avg"),
                };
                let ideal = before * libm::pow(1.0 - w, steps);
                let text = numbers!("(1 - {})^{} * {}", w, steps, before);
                let text = rounded(text, ideal, value);
                why.step(says, ("avg", unit), equation, text, value);
            }
        }
    }

    /// Linux's decay: the equation, its value before rounding, and its numbers.
    fn halved(&self, before: f64, idle: Nanos) -> (&'static str, f64, String) {
        let table = IdleTable::new(self.weight, self.packet_time);
        let micros = (idle.0 / 1000).min(IdleTable::LAST << table.log);
        let halvings = f64::from(table.halvings(micros >> table.log));
        if halvings > 0.0 {
            return (
                "avg = avg / 2^n, n by Linux's table of idle times",
                before / libm::exp2(halvings),
                numbers!("{} / 2^{}", before, halvings),
            );
        }
        let (micros, log) = (micros as f64, f64::from(table.log));
        let lost = (before * micros / libm::exp2(log)).min(before / 2.0);
        (
            "avg = avg - min(avg idle_us / 2^log, avg / 2), before the first halving of Linux's table",
            before - lost,
            numbers!(
                "{} - min({} * {} / 2^{}, {} / 2)",
                before,
                before,
                micros,
                log,
                before
            ),
        )
    }
}
