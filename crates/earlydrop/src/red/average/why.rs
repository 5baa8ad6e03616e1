//! How an arrival moves the average.

use alloc::string::String;

use super::{Average, Idle, IdleTable};
use crate::explanation::{Why, numbers, rounded};
use crate::units::Nanos;

impl Average {
    /// Shows how a queue of `q` has changed the average from `before`.
    pub(super) fn show_update(&self, why: &mut Why, before: f64, q: f64) {
        let (w, unit) = (self.weight, why.unit);
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

    /// Shows how the average has decayed from `before` over an idle time.
    pub(super) fn show_idle(&self, why: &mut Why, [since, now]: [Nanos; 2], before: f64) {
        let idle = now.since(since);
        let (w, value, unit) = (self.weight, self.value(), why.unit);
        let time = idle.as_secs_f64();
        why.step(
            "how long the queue was empty",
            ("idle", "s"),
            "idle = now - idle_since",
            numbers!("{} - {}", now.0 as f64 / 1e9, since.0 as f64 / 1e9),
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
