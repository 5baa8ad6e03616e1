//! The adaptation: the rule that moves the curve's strength over time.

mod why;

use super::variants::ared::Floyd;
use super::variants::feng::Feng;
use super::variants::rared::RateRule;
use super::variants::restraint::Restraint;
use super::{Average, Curve};
use crate::aqm::Ticker;
use crate::trace::Trace;
use crate::units::Nanos;

/// The rule that moves the curve's strength: the fourth part of the RED family.
#[derive(Clone, Debug)]
pub enum Adaptation {
    /// The strength is constant.
    None,
    /// Self-configuring RED.
    Feng(Feng),
    /// Adaptive RED.
    Floyd(Floyd),
    /// Restraint on non-responsive flows.
    Restraint(Restraint),
    /// The rate rule of RARED, over Floyd's adaptation or none.
    Rate(RateRule, Option<Floyd>),
}

impl Adaptation {
    /// Goes on with the state of `old`; returns whether that is the same rule.
    pub(crate) fn continue_from(&mut self, now: Nanos, old: Adaptation) -> bool {
        match (self, old) {
            (Adaptation::Feng(new), Adaptation::Feng(old)) => new.continue_from(&old),
            (Adaptation::Floyd(new), Adaptation::Floyd(old)) => {
                new.ticker.continue_from(now, &old.ticker);
            }
            (Adaptation::Restraint(new), Adaptation::Restraint(old)) => {
                new.continue_from(now, &old);
            }
            (Adaptation::Rate(new, floyd), Adaptation::Rate(old, old_floyd)) => {
                new.continue_from(&old);
                match (floyd, old_floyd) {
                    (Some(new), Some(old)) => new.ticker.continue_from(now, &old.ticker),
                    (None, None) => {}
                    _ => return false,
                }
            }
            _ => return false,
        }
        true
    }

    /// Whether the adaptation moves at each arrival, and not at periodic steps only.
    pub fn needs_arrivals(&self) -> bool {
        matches!(self, Adaptation::Feng(_) | Adaptation::Rate(..))
    }

    /// Adapts to the updated average. Returns a strength for this packet only, where the
    /// rate rule sets one.
    #[inline]
    pub(crate) fn on_average(
        &mut self,
        now: Nanos,
        average: &Average,
        curve: &mut Curve,
        trace: &mut impl Trace,
    ) -> Option<f64> {
        trace.note(|why| self.show(why, curve));
        match self {
            Adaptation::None | Adaptation::Floyd(_) | Adaptation::Restraint(_) => None,
            Adaptation::Feng(feng) => {
                feng.on_average(average.value(), curve, trace);
                None
            }
            Adaptation::Rate(rule, _) => {
                let shape = curve.shape();
                rule.on_average(now, average.value(), shape.max - shape.min, trace)
            }
        }
    }

    /// Whether a periodic step is due.
    #[inline(always)]
    pub fn is_due(&self, now: Nanos) -> bool {
        !matches!(self, Adaptation::None) && self.is_periodic_due(now)
    }

    #[inline]
    fn is_periodic_due(&self, now: Nanos) -> bool {
        self.ticker().is_some_and(|ticker| ticker.is_due(now))
    }

    /// The periodic steps.
    #[inline]
    fn ticker(&self) -> Option<&Ticker> {
        match self {
            Adaptation::None | Adaptation::Feng(_) | Adaptation::Rate(_, None) => None,
            Adaptation::Floyd(floyd) | Adaptation::Rate(_, Some(floyd)) => Some(&floyd.ticker),
            Adaptation::Restraint(restraint) => Some(&restraint.ticker),
        }
    }

    /// Takes the steps due by `now`; average and queue have been as given since the last call.
    pub fn catch_up(&mut self, now: Nanos, avg: f64, length: f64, curve: &mut Curve) {
        match self {
            Adaptation::None | Adaptation::Feng(_) | Adaptation::Rate(_, None) => {}
            Adaptation::Floyd(floyd) | Adaptation::Rate(_, Some(floyd)) => {
                floyd.catch_up(now, avg, curve);
            }
            Adaptation::Restraint(restraint) => restraint.catch_up(now, avg, length, curve),
        }
    }

    /// When the next periodic step is due.
    pub fn next_deadline(&self) -> Option<Nanos> {
        self.ticker()?.next()
    }
}
