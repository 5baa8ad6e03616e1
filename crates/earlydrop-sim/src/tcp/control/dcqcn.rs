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
//! # Cards
//! ```text
//!                                          zhu       connectx        hpcc
//! N, us, between notifications              50              4           1
//! between two cuts, us                       0              4           4
//! g                                      1/256         5/1024       1/256
//! K, us                                     55              1           1
//! T, us                                     55            300         300
//! B, bytes                          10,000,000         32,767   not by bytes
//! F                                          5              2           2
//! R_AI, Mbps                                40              5   5 a 25 Gbps
//! R_HAI, Mbps                              400             50  50 a 25 Gbps
//! least rate, Mbps                          10              1       1,000
//! ```
//! `zhu` is the paper's. `connectx` is what the firmware of a ConnectX card starts from (NVIDIA, "DCQCN
//! CC Parameters", ConnectX-4 and later), `hpcc` the card in the simulator of HPCC's authors (Li et al.,
//! SIGCOMM 2019), which follows that firmware. Both differ from the paper in rules, too:
//! - A notification within 4 us of a cut takes effect at their end.
//! - Only a cut after a raise by time lowers R_T to R_C (`clamp_tgt_rate` 0,
//!   `clamp_tgt_rate_after_time_inc` 1).
//! - Hyper increase adds one R_HAI a raise. Without B, T_i alone counts.
//! - Their `rpg_threshold` of 1 is compared before a raise is counted, which is F = 2 here.
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
//! In the simulator of HPCC's authors alpha is updated every 1 us from a flow's first notification on,
//! whether there was one in it, and cuts are every 4 us from there on. Here both are counted from the
//! last notification and the last cut.
//!
//! # Validated against
//! The equations, step by step; convergence of two flows to equal rates.

mod card;

use earlydrop::units::{BitsPerSec, Nanos};

pub use card::{Card, Parameters, Step};

use super::events::{AckSample, CongestionEvent, Control, Signal, Windows};

/// DCQCN's state for one flow.
///
/// ```
/// use earlydrop::units::{BitsPerSec, Nanos};
/// use earlydrop_sim::tcp::control::Control;
/// use earlydrop_sim::tcp::control::dcqcn::{Card, Dcqcn};
///
/// let line = BitsPerSec::from_mbps(40_000);
/// let mut dcqcn = Dcqcn::new(line, 1000, Card::Zhu.parameters());
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
    /// R_AI and R_HAI.
    additive: f64,
    hyper: f64,
    segment_bits: f64,
    /// R_C.
    rate: f64,
    /// R_T.
    target: f64,
    alpha: f64,
    /// When the rate was cut last, and when it is cut for a notification that came too soon after.
    cut_at: Nanos,
    cuts_at: Nanos,
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
            additive: parameters.additive.of(line_rate),
            hyper: parameters.hyper.of(line_rate),
            line: line_rate,
            segment_bits: 8.0 * f64::from(segment_size),
            rate: line_rate,
            target: line_rate,
            alpha: 1.0,
            cut_at: Nanos::ZERO,
            cuts_at: Nanos::NEVER,
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
        let Parameters {
            gain,
            decay_every,
            cut_every,
            ..
        } = self.parameters;
        let is_first = self.decays_at == Nanos::NEVER;
        if is_first || self.cut_at + cut_every <= now {
            self.cut(now);
        } else {
            self.cuts_at = self.cut_at + cut_every;
        }
        self.alpha = (1.0 - gain) * self.alpha + gain;
        self.decays_at = now + decay_every;
    }

    /// Cuts the rate by alpha; all counts of raises begin again.
    fn cut(&mut self, now: Nanos) {
        let Parameters {
            least,
            is_firmware,
            raise_every,
            ..
        } = self.parameters;
        if !is_firmware || self.by_time > 0 || self.raised_at == Nanos::NEVER {
            self.target = self.rate;
        }
        let cut = self.rate * (1.0 - self.alpha / 2.0);
        self.rate = cut.max(least.0 as f64).min(self.rate);
        (self.by_time, self.by_bytes, self.sent) = (0, 0, 0);
        (self.cut_at, self.cuts_at) = (now, Nanos::NEVER);
        self.raised_at = now + raise_every;
    }

    /// Raises the rate: fast recovery, additive or hyper increase (equations 3 and 4).
    fn raise(&mut self) {
        let Parameters {
            fast_recovery,
            raise_after,
            is_firmware,
            ..
        } = self.parameters;
        let by_bytes = match raise_after {
            Some(_) => self.by_bytes,
            None => self.by_time,
        };
        let (less, more) = match self.by_time < by_bytes {
            true => (self.by_time, by_bytes),
            false => (by_bytes, self.by_time),
        };
        if less > fast_recovery {
            let steps = match is_firmware {
                true => 1,
                false => less - fast_recovery,
            };
            self.target += f64::from(steps) * self.hyper;
        } else if more >= fast_recovery {
            self.target += self.additive;
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
        if self.cuts_at <= now {
            let at = self.cuts_at;
            self.decay(at);
            self.raise_by_time(at);
            self.cut(at);
        }
        self.decay(now);
        self.raise_by_time(now);
    }

    fn on_sent(&mut self) {
        let Some(raise_after) = self.parameters.raise_after else {
            return;
        };
        if self.raised_at == Nanos::NEVER {
            return;
        }
        self.sent += (self.segment_bits / 8.0) as u64;
        if self.sent >= raise_after {
            self.sent -= raise_after;
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
        Dcqcn::new(LINE, 1000, Card::Zhu.parameters())
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

    #[test]
    fn hpccs_card_recovers_once_then_adds_one_step_then_large_ones() {
        let card = Card::Hpcc.parameters();
        let line = BitsPerSec::from_mbps(100_000);
        let mut dcqcn = Dcqcn::new(line, 1000, card);
        dcqcn.on_notification(Nanos::ZERO);
        assert_eq!((dcqcn.rate, dcqcn.target), (50e9, 100e9));
        // A cut is at most each 4 us, and only a raise by time before it lowers R_T. Notifications at
        // 1, 2 and 3 us keep alpha, of which each takes (1 - g) and adds g.
        for micros in 1..=3 {
            dcqcn.on_notification(Nanos::from_micros(micros));
        }
        assert_eq!(dcqcn.rate, 50e9);
        dcqcn.advance(Nanos::from_micros(4));
        let g = 1.0 / 256.0_f64;
        let kept = |periods: i32| (1.0 - g).powi(periods);
        // Each of the three came when a period without one had just ended.
        let mut alpha = 1.0;
        for _ in 1..=3 {
            alpha = (alpha * kept(1)) * (1.0 - g) + g;
        }
        alpha *= kept(1);
        assert!((dcqcn.rate - 50e9 * (1.0 - alpha / 2.0)).abs() < 1.0);
        assert_eq!(dcqcn.target, 100e9);
        // 300 us later the first raise, after which a cut lowers R_T.
        let cut = dcqcn.rate;
        let first = Nanos::from_micros(304);
        dcqcn.on_notification(first);
        let mut target = f64::midpoint(cut, 100e9);
        assert_eq!((dcqcn.target, dcqcn.by_time), (target, 0));
        // Fast recovery once, then R_AI, then R_HAI each time, in proportion to the link.
        for (raise, step) in [(1, 0.0), (2, 20e6), (3, 200e6), (4, 200e6)] {
            dcqcn.advance(first + Nanos::from_micros(300 * raise));
            target += step;
            assert_eq!(dcqcn.target, target, "{raise}");
        }
        assert_eq!(dcqcn.by_bytes, 0);
    }

    #[test]
    fn a_card_of_the_vendor_is_raised_by_bytes_too_and_keeps_its_target_then() {
        let mut dcqcn = Dcqcn::new(LINE, 1000, Card::ConnectX.parameters());
        dcqcn.on_notification(Nanos::ZERO);
        for _ in 0..33 {
            dcqcn.on_sent();
        }
        // 32,767 bytes have left: fast recovery.
        assert_eq!((dcqcn.by_bytes, dcqcn.rate), (1, 30e9));
        dcqcn.on_notification(Nanos::from_micros(100));
        assert_eq!(dcqcn.target, 40e9, "no raise by time has been");
        dcqcn.on_notification(Nanos::from_micros(500));
        assert!(dcqcn.target < 40e9, "one has been");
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
