//! A rule's recorder: a scheme decides and explains itself in one function.
//!
//! Each rule is generic over a [`Trace`]. With `()` it only decides: every call compiles to
//! nothing. With [`Why`] the same branches write their equations, numbers and sources.

use alloc::string::String;

use crate::aqm::{Aqm, Backlog, Verdict};
use crate::explanation::Why;
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::units::Nanos;

/// What a rule reports while it decides. Nothing is computed for `()`: text is made in closures,
/// and plain numbers that nobody reads are removed by the compiler.
pub(crate) trait Trace {
    /// Lets `write` add to the reasons.
    fn note(&mut self, write: impl FnOnce(&mut Why));

    /// Where the rule is published that is followed from here on.
    #[inline(always)]
    fn source(&mut self, source: &'static str) {
        self.note(|why| why.source = source);
    }

    /// Adds a number that follows from no other one shown: what it is, symbol and unit, value.
    #[inline(always)]
    fn given(&mut self, says: &'static str, of: (&'static str, &'static str), value: f64) {
        self.note(|why| why.given(says, of, value));
    }

    /// Adds a number with the equation it follows from.
    #[inline(always)]
    fn step(
        &mut self,
        says: &'static str,
        of: (&'static str, &'static str),
        equation: &'static str,
        numbers: impl FnOnce() -> String,
        value: f64,
    ) {
        self.note(|why| why.step(says, of, equation, numbers(), value));
    }

    /// States the law that decides and what it compares.
    #[inline(always)]
    fn by(&mut self, rule: &'static str, reason: impl FnOnce() -> String) {
        self.note(|why| why.by(rule, reason()));
    }

    /// Draws a number by `rule`: true with probability `p`, as [`Pcg32::chance`].
    #[inline(always)]
    fn chance(&mut self, rule: &'static str, random: &mut Pcg32, p: f64) -> bool {
        self.note(|why| why.drawn(rule, random.clone().uniform(), p));
        random.chance(p)
    }
}

impl Trace for () {
    #[inline(always)]
    fn note(&mut self, _write: impl FnOnce(&mut Why)) {}
}

impl Trace for Why {
    fn note(&mut self, write: impl FnOnce(&mut Why)) {
        write(self);
    }
}

/// A packet that a [`Rule`] judges.
pub(crate) struct Case<'a, Q, T> {
    pub(crate) now: Nanos,
    pub(crate) packet: &'a PacketInfo,
    /// The queue that it finds, or leaves behind.
    pub(crate) queue: &'a Q,
    pub(crate) random: &'a mut Pcg32,
    pub(crate) trace: &'a mut T,
}

impl<'a, Q: Backlog, T: Trace> Case<'a, Q, T> {
    #[inline(always)]
    pub(crate) fn new(
        now: Nanos,
        packet: &'a PacketInfo,
        queue: &'a Q,
        random: &'a mut Pcg32,
        trace: &'a mut T,
    ) -> Case<'a, Q, T> {
        Case {
            now,
            packet,
            queue,
            random,
            trace,
        }
    }
}

/// A scheme's rule, written once: [`Aqm::on_arrival`] and [`Aqm::on_departure`] follow it with the
/// trace `()`, explanations with [`Why`].
pub(crate) trait Rule: Aqm + Sized {
    /// [`Aqm::on_arrival`], traced. By default the scheme has no rule for arrivals.
    #[inline]
    fn arrive<Q: Backlog, T: Trace>(&mut self, case: Case<'_, Q, T>) -> Verdict {
        case.trace.note(|why| *why = Why::unjudged_arrival());
        self.on_arrival(case.now, case.packet, case.queue, case.random)
    }

    /// [`Aqm::on_departure`], traced. By default the scheme has no rule for departures.
    #[inline]
    fn depart<Q: Backlog, T: Trace>(&mut self, case: Case<'_, Q, T>) -> Verdict {
        case.trace
            .note(|why| *why = Why::unjudged_departure(case.now, case.packet));
        self.on_departure(case.now, case.packet, case.queue, case.random)
    }
}

/// [`Aqm::on_arrival`] or [`Aqm::on_departure`] by the scheme's [`Rule`], untraced.
macro_rules! by_rule {
    (on_arrival) => {
        $crate::trace::by_rule!(on_arrival, arrive);
    };
    (on_departure) => {
        $crate::trace::by_rule!(on_departure, depart);
    };
    ($call:ident, $rule:ident) => {
        #[inline]
        fn $call<Q: $crate::aqm::Backlog>(
            &mut self,
            now: $crate::units::Nanos,
            packet: &$crate::packet::PacketInfo,
            queue: &Q,
            random: &mut $crate::random::Pcg32,
        ) -> $crate::aqm::Verdict {
            let trace = &mut ();
            let case = $crate::trace::Case::new(now, packet, queue, random, trace);
            $crate::trace::Rule::$rule(self, case)
        }
    };
}
pub(crate) use by_rule;
