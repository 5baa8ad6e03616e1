//! The adaptation: what moves the curve's strength over time.

use super::variants::ared::Floyd;
use super::variants::feng::Feng;
use super::variants::rared::RateRule;
use super::variants::restraint::Restraint;
use super::{Average, Curve};
use crate::units::Nanos;

/// The fourth part of the RED family.
#[derive(Clone, Debug)]
pub enum Adaptation {
    /// The strength stays.
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
    /// Whether [`on_average`](Adaptation::on_average) has anything to do.
    pub fn needs_arrivals(&self) -> bool {
        matches!(self, Adaptation::Feng(_) | Adaptation::Rate(..))
    }

    /// The average has been updated. Returns a strength for this one packet, where
    /// the rate rule asks for one.
    #[inline]
    pub fn on_average(&mut self, now: Nanos, average: &Average, curve: &mut Curve) -> Option<f64> {
        match self {
            Adaptation::None | Adaptation::Floyd(_) | Adaptation::Restraint(_) => None,
            Adaptation::Feng(feng) => {
                feng.on_average(average.value(), curve);
                None
            }
            Adaptation::Rate(rule, _) => {
                let shape = curve.shape();
                rule.on_average(now, average.value(), shape.max - shape.min)
            }
        }
    }

    /// Whether something periodic is due.
    #[inline(always)]
    pub fn is_due(&self, now: Nanos) -> bool {
        !matches!(self, Adaptation::None) && self.is_periodic_due(now)
    }

    #[inline]
    fn is_periodic_due(&self, now: Nanos) -> bool {
        match self {
            Adaptation::None | Adaptation::Feng(_) | Adaptation::Rate(_, None) => false,
            Adaptation::Floyd(floyd) | Adaptation::Rate(_, Some(floyd)) => floyd.ticker.is_due(now),
            Adaptation::Restraint(restraint) => restraint.ticker.is_due(now),
        }
    }

    /// Runs what is due by `now`, average and queue being as given all the while.
    pub fn catch_up(&mut self, now: Nanos, avg: f64, length: f64, curve: &mut Curve) {
        match self {
            Adaptation::None | Adaptation::Feng(_) | Adaptation::Rate(_, None) => {}
            Adaptation::Floyd(floyd) | Adaptation::Rate(_, Some(floyd)) => {
                floyd.catch_up(now, avg, curve);
            }
            Adaptation::Restraint(restraint) => restraint.catch_up(now, avg, length, curve),
        }
    }

    /// When something periodic is next due.
    pub fn next_deadline(&self) -> Option<Nanos> {
        match self {
            Adaptation::None | Adaptation::Feng(_) | Adaptation::Rate(_, None) => None,
            Adaptation::Floyd(floyd) | Adaptation::Rate(_, Some(floyd)) => floyd.ticker.next(),
            Adaptation::Restraint(restraint) => restraint.ticker.next(),
        }
    }
}
