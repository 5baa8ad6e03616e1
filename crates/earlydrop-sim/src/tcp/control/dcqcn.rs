//! DCQCN: the sending rate of a network card, cut by congestion notifications and raised by time and
//! bytes.
//!
//! # Reference
//! Y. Zhu, H. Eran, D. Firestone, C. Guo, M. Lipshteyn, Y. Liron, J. Padhye, S. Raindel, M. H. Yahia,
//! M. Zhang, "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, sections 3.1 and
//! 5.3. What it takes from QCN is IEEE 802.1Qau's.
//!
//! # Equations
//! R_C is the rate at which segments leave, R_T the rate that it grows back to.
//! - The receiver sends a congestion notification (CNP) when a marked segment arrives, one in 50 us
//!   at most. On each `R_T = R_C`, `R_C = R_C (1 - alpha / 2)`, `alpha = (1 - g) alpha + g` (equation 1), and all
//!   counts below begin again.
//! - After K = 55 us without one, and after each K more: `alpha = (1 - g) alpha` (equation 2).
//! - The rate is raised every T = 55 us, and every B = 10 MB that leave; the two are counted by
//!   T_i and B_i. While `max(T_i, B_i) < F = 5`, fast recovery: `R_C = (R_T + R_C) / 2` (equation 3).
//!   After that, additive increase: `R_T = R_T + R_AI` before it (equation 4); and once
//!   `min(T_i, B_i) > F`, hyper increase: `R_T = R_T + (min(T_i, B_i) - F) R_HAI`.
//! - "There is no slow start in DCQCN. When a flow starts, it sends at full line rate".
//!
//! # Our readings
//! - The paper prints no R_HAI: it is 10 R_AI, as in IEEE 802.1Qau (50 and 5 Mbps).
//! - alpha is 1 at the start; a flow raises nothing before its first notification, as it is at the
//!   rate of its link.
//! - A timer that expires between two segments takes effect at the second: a network card computes
//!   the gap after a segment when it sends the segment.
//! - Losses do not change the rate. There is no window: what is in flight is limited by pauses
//!   (priority flow control), by losses and by what is acknowledged.
//!
//! # How other tools differ
//! The simulator of HPCC's authors (Li et al., SIGCOMM 2019), which follows a vendor's firmware, looks
//! for notifications every 4 us and updates alpha every 1 us. It raises by time alone, every 300 us,
//! with F = 1 and one R_HAI a raise, and its least rate is 1 Gbps.
//!
//! # Validated against
//! The equations, step by step; convergence of two flows to equal rates.

use earlydrop::units::{BitsPerSec, Nanos};

use super::events::{AckSample, CongestionEvent, Control, Signal, Windows};

/// DCQCN's parameters; the defaults are those of Zhu et al. 2015.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// g, the weight of a notification in alpha; above 0, at most 1; 1/256.
    pub gain: f64,
    /// K, the time without a notification after which alpha decays; 55 us.
    pub decay_every: Nanos,
    /// T, the time after which the rate is raised; 55 us.
    pub raise_every: Nanos,
    /// B, the bytes after which the rate is raised; 10 MB.
    pub raise_after: u64,
    /// F, the raises of fast recovery; 5.
    pub fast_recovery: u32,
    /// R_AI; 40 Mbps.
    pub additive: BitsPerSec,
    /// R_HAI; 400 Mbps.
    pub hyper: BitsPerSec,
    /// The least rate; 10 Mbps, IEEE 802.1Qau's rpgMinRate.
    pub least: BitsPerSec,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            gain: 1.0 / 256.0,
            decay_every: Nanos::from_micros(55),
            raise_every: Nanos::from_micros(55),
            raise_after: 10_000_000,
            fast_recovery: 5,
            additive: BitsPerSec::from_mbps(40),
            hyper: BitsPerSec::from_mbps(400),
            least: BitsPerSec::from_mbps(10),
        }
    }
}

/// DCQCN's state for one flow.
///
/// ```
/// use earlydrop::units::{BitsPerSec, Nanos};
/// use earlydrop_sim::tcp::control::Control;
/// use earlydrop_sim::tcp::control::dcqcn::{Dcqcn, Parameters};
///
/// let line = BitsPerSec::from_mbps(40_000);
/// let mut dcqcn = Dcqcn::new(line, 1000, Parameters::default());
/// // Segments of 1,000 bytes: 5 million a second.
/// assert_eq!(dcqcn.pacing_rate(), Some(5e6));
/// dcqcn.on_notification(Nanos::from_micros(10));
/// assert_eq!(dcqcn.pacing_rate(), Some(2.5e6));
/// // 55 us later, halfway back.
/// dcqcn.advance(Nanos::from_micros(65));
/// assert_eq!(dcqcn.pacing_rate(), Some(3.75e6));
/// ```
#[derive(Clone, Debug)]
pub struct Dcqcn {
    parameters: Parameters,
    /// The link's rate; like all rates here in bits a second.
    line: f64,
    segment_bits: f64,
    /// R_C.
    rate: f64,
    /// R_T.
    target: f64,
    alpha: f64,
    /// When alpha decays next; never before the first notification.
    decays_at: Nanos,
    /// When the rate is raised next by time; never before the first notification.
    raised_at: Nanos,
    /// Bytes sent since the last raise by bytes.
    sent: u64,
    /// T_i, raises by time since the last notification.
    by_time: u32,
    /// B_i, raises by bytes since then.
    by_bytes: u32,
}

impl Dcqcn {
    /// A flow that starts at the rate of its link, `line`, with segments of so many bytes on the
    /// wire.
    pub fn new(line: BitsPerSec, segment_size: u32, parameters: Parameters) -> Dcqcn {
        let line_rate = line.0 as f64;
        Dcqcn {
            parameters,
            line: line_rate,
            segment_bits: 8.0 * f64::from(segment_size),
            rate: line_rate,
            target: line_rate,
            alpha: 1.0,
            decays_at: Nanos::NEVER,
            raised_at: Nanos::NEVER,
            sent: 0,
            by_time: 0,
            by_bytes: 0,
        }
    }

    /// A congestion notification arrives (equation 1).
    pub fn on_notification(&mut self, now: Nanos) {
        self.advance(now);
        let Parameters { gain, least, .. } = self.parameters;
        self.target = self.rate;
        let cut = self.rate * (1.0 - self.alpha / 2.0);
        self.rate = cut.max(least.0 as f64).min(self.target);
        self.alpha = (1.0 - gain) * self.alpha + gain;
        (self.by_time, self.by_bytes, self.sent) = (0, 0, 0);
        self.decays_at = now + self.parameters.decay_every;
        self.raised_at = now + self.parameters.raise_every;
    }

    /// Raises the rate: fast recovery, additive or hyper increase (equations 3 and 4).
    fn raise(&mut self) {
        let Parameters {
            fast_recovery,
            additive,
            hyper,
            ..
        } = self.parameters;
        let (less, more) = match self.by_time < self.by_bytes {
            true => (self.by_time, self.by_bytes),
            false => (self.by_bytes, self.by_time),
        };
        if less > fast_recovery {
            self.target += f64::from(less - fast_recovery) * hyper.0 as f64;
        } else if more >= fast_recovery {
            self.target += additive.0 as f64;
        }
        self.target = self.target.min(self.line);
        self.rate = f64::midpoint(self.rate, self.target);
        if self.line - self.rate < 1.0 {
            self.rate = self.line;
        }
    }

    /// Lets the raises take effect that are due by `now`.
    fn raise_by_time(&mut self, now: Nanos) {
        while self.raised_at <= now {
            let every = self.parameters.raise_every;
            let mut periods = 1;
            if self.rate >= self.line {
                // No raise changes anything any more.
                periods = 1 + now.since(self.raised_at).0 / every.0;
            }
            self.by_time = self.by_time.saturating_add(periods as u32);
            self.raised_at += Nanos(every.0 * periods);
            self.raise();
        }
    }

    /// Lets alpha decay for each period that has ended by `now` (equation 2).
    fn decay(&mut self, now: Nanos) {
        if self.decays_at <= now {
            let every = self.parameters.decay_every;
            let periods = 1 + now.since(self.decays_at).0 / every.0;
            let exponent = periods.min(i32::MAX as u64) as i32;
            self.alpha *= (1.0 - self.parameters.gain).powi(exponent);
            self.decays_at += Nanos(every.0 * periods);
        }
    }
}

impl Control for Dcqcn {
    /// No window limits what is in flight.
    fn cwnd(&self) -> f64 {
        f64::from(u32::MAX)
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn on_ack(&mut self, _ack: &AckSample) {}

    fn on_congestion(&mut self, congestion: &CongestionEvent) {
        if congestion.signal == Signal::Mark {
            self.on_notification(congestion.now);
        }
    }

    fn on_timeout(&mut self, _now: Nanos, _in_flight: u32, _again: bool) {}

    fn undo(&mut self, _before: &Windows) {}

    fn on_restart(&mut self, _now: Nanos, _initial_window: f64) {}

    fn advance(&mut self, now: Nanos) {
        self.decay(now);
        self.raise_by_time(now);
    }

    fn on_sent(&mut self) {
        if self.raised_at == Nanos::NEVER {
            return;
        }
        self.sent += (self.segment_bits / 8.0) as u64;
        if self.sent >= self.parameters.raise_after {
            self.sent -= self.parameters.raise_after;
            self.by_bytes = self.by_bytes.saturating_add(1);
            self.raise();
        }
    }

    fn paces(&self) -> bool {
        true
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.rate / self.segment_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{events, stays_sane};
    use super::*;
    use proptest::prelude::*;

    const LINE: BitsPerSec = BitsPerSec::from_mbps(40_000);

    fn dcqcn() -> Dcqcn {
        Dcqcn::new(LINE, 1000, Parameters::default())
    }

    /// 55 us, `periods` times.
    fn after(periods: u64) -> Nanos {
        Nanos::from_micros(55 * periods)
    }

    #[test]
    fn notifications_cut_by_half_of_alpha_which_rises() {
        let mut dcqcn = dcqcn();
        dcqcn.on_notification(Nanos::ZERO);
        assert_eq!((dcqcn.rate, dcqcn.target, dcqcn.alpha), (20e9, 40e9, 1.0));
        // alpha decays 100 times, once for each 55 us.
        dcqcn.on_notification(after(100));
        let decayed = (255.0_f64 / 256.0).powi(100);
        let alpha = decayed * 255.0 / 256.0 + 1.0 / 256.0;
        assert!((dcqcn.alpha - alpha).abs() < 1e-15);
        assert!((dcqcn.rate - dcqcn.target * (1.0 - decayed / 2.0)).abs() < 1.0);
    }

    #[test]
    fn the_rate_recovers_by_halves_then_in_steps_of_r_ai() {
        let mut dcqcn = dcqcn();
        dcqcn.on_notification(Nanos::ZERO);
        dcqcn.on_notification(Nanos(1));
        let (target, mut rate) = (20e9, 10e9);
        for period in 1..5 {
            dcqcn.advance(after(period) + Nanos(1));
            rate = (rate + target) / 2.0;
            assert_eq!((dcqcn.rate, dcqcn.target), (rate, target), "{period}");
        }
        // The fifth raise and all later ones are additive: no bytes were counted.
        for period in 5..50 {
            dcqcn.advance(after(period) + Nanos(1));
            let target = 20e9 + 40e6 * (period - 4) as f64;
            rate = (rate + target) / 2.0;
            assert_eq!((dcqcn.rate, dcqcn.target), (rate, target), "{period}");
        }
    }

    #[test]
    fn bytes_raise_too_and_both_counts_lead_to_hyper_increase() {
        let mut dcqcn = dcqcn();
        dcqcn.on_notification(Nanos::ZERO);
        dcqcn.on_notification(Nanos(1));
        for _ in 0..6 * 10_000 {
            dcqcn.on_sent();
        }
        // 4 of fast recovery, 2 additive.
        assert_eq!((dcqcn.by_bytes, dcqcn.target), (6, 20e9 + 80e6));
        dcqcn.advance(after(6) + Nanos(1));
        // 5 more additive ones; with the sixth both counts are above F.
        assert_eq!(dcqcn.target, 20e9 + 7.0 * 40e6 + 400e6);
        dcqcn.advance(after(7) + Nanos(1));
        assert_eq!(
            (dcqcn.by_time, dcqcn.target),
            (7, 20e9 + 7.0 * 40e6 + 800e6)
        );
    }

    #[test]
    fn a_long_silence_is_what_its_periods_are_one_by_one() {
        let (mut at_once, mut step_by_step) = (dcqcn(), dcqcn());
        for one in [&mut at_once, &mut step_by_step] {
            one.on_notification(Nanos::ZERO);
        }
        for period in 1..5000 {
            step_by_step.advance(after(period));
        }
        at_once.advance(after(4999));
        assert_eq!(at_once.rate, 40e9);
        assert_eq!(at_once.rate, step_by_step.rate);
        assert_eq!(at_once.by_time, step_by_step.by_time);
        assert!((at_once.alpha - step_by_step.alpha).abs() < 1e-12);
        at_once.advance(Nanos::from_secs(1_000_000_000));
        assert_eq!((at_once.rate, at_once.alpha), (40e9, 0.0));
    }

    proptest! {
        #[test]
        fn rates_stay_between_the_least_and_the_links(events in events()) {
            let mut dcqcn = dcqcn();
            stays_sane(&mut dcqcn, events);
            prop_assert!((10e6..=40e9).contains(&dcqcn.rate));
            prop_assert!((0.0..=1.0).contains(&dcqcn.alpha));
        }
    }
}
