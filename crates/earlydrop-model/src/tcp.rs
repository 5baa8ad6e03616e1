//! What TCP sends where it is told of congestion with probability p.
//!
//! Padhye, Firoiu, Towsley, Kurose, SIGCOMM 1998, whose terms paper 003 takes over as its
//! formulas (24) to (27); the window of CUBIC by RFC 9438, section 5.1.

use earlydrop::units::Nanos;

use crate::signal::SignalRate;

/// How the window grows and shrinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Additive increase, multiplicative decrease.
    Reno,
    /// A cubic function of time, or Reno where that sends more.
    Cubic,
}

/// How a flow behaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tcp {
    /// How its window grows and shrinks.
    pub control: Control,
    /// b: by how many packets acknowledged the window grows as by one. 1 where it grows by
    /// what is acknowledged (RFC 3465), else the packets of an acknowledgment.
    pub packets_per_ack: f64,
    /// W_max: the receiver's window, in packets.
    pub max_window: f64,
    /// The shortest retransmission timer.
    pub min_rto: Nanos,
    /// Whether its packets can be marked.
    pub ecn: bool,
}

impl Default for Tcp {
    /// Reno as it is today: it grows by what is packets_per_ack, its timer runs 200 ms at least.
    fn default() -> Tcp {
        Tcp {
            control: Control::Reno,
            packets_per_ack: 1.0,
            max_window: 65_535.0,
            min_rto: Nanos::from_millis(200),
            ecn: false,
        }
    }
}

/// A flow in steady state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyState {
    /// B: packets sent a second, lost ones counted.
    pub rate: f64,
    /// gamma: the share of time spent waiting for the retransmission timer.
    pub timeout_share: f64,
    /// Packets sent a round trip while not waiting.
    pub window: f64,
}

/// The expected window at which a congestion signal comes, and the time since the last.
#[derive(Clone, Copy, Debug)]
struct Cycle {
    /// `E[W]`, packets.
    peak: f64,
    /// Packets sent.
    packets: f64,
    /// `E[CA]` in round trips.
    rounds: f64,
}

impl Tcp {
    /// `E[W_u]`: the window when a congestion signal comes, unless the receiver limits it.
    pub fn unconstrained_peak(&self, p: f64) -> f64 {
        let b = self.packets_per_ack;
        let c = (2.0 + b) / (3.0 * b);
        c + (8.0 * (1.0 - p) / (3.0 * b * p) + c * c).sqrt()
    }

    /// Formula (26) and the packets that go with it.
    fn reno_cycle(&self, p: f64) -> Cycle {
        let (b, free, most) = (
            self.packets_per_ack,
            self.unconstrained_peak(p),
            self.max_window,
        );
        let between = (1.0 - p) / p;
        let rounds = match free < most {
            true => b / 2.0 * free + 1.0,
            false => b / 8.0 * most + between / most + 2.0,
        };
        let peak = free.min(most);
        Cycle {
            peak,
            packets: between + peak,
            rounds,
        }
    }

    /// The same under CUBIC, at a round trip of `rtt` seconds; Reno's where that is faster.
    fn cycle(&self, p: f64, rtt: f64) -> Cycle {
        /// C and beta of RFC 9438.
        const GROWTH: f64 = 0.4;
        const CUT: f64 = 0.7;
        let reno = self.reno_cycle(p);
        if self.control == Control::Reno {
            return reno;
        }
        let factor = (GROWTH * (3.0 + CUT) / (4.0 * (1.0 - CUT))).powf(0.25);
        let average = (factor * (rtt / p).powf(0.75)).min(self.max_window);
        if average <= reno.packets / reno.rounds {
            return reno;
        }
        let peak = (average * 4.0 / (3.0 + CUT)).min(self.max_window);
        let packets = (1.0 - p) / p + peak;
        Cycle {
            peak,
            packets,
            rounds: packets / average,
        }
    }

    /// T_O: RFC 6298 with a deviation of a quarter of the round trip, in seconds.
    pub fn timeout(&self, rtt: f64) -> f64 {
        (2.0 * rtt).max(self.min_rto.as_secs_f64())
    }

    /// A flow told of congestion as `told` says, at a round trip of `rtt` seconds. Only what
    /// is lost can lead to a timeout, not what is marked.
    pub fn steady(&self, told: SignalRate, rtt: f64) -> SteadyState {
        let p = told.total();
        if p <= 0.0 {
            return SteadyState {
                rate: self.max_window / rtt,
                timeout_share: 0.0,
                window: self.max_window,
            };
        }
        if p >= 1.0 {
            return SteadyState {
                rate: 0.0,
                timeout_share: 1.0,
                window: 0.0,
            };
        }
        let cycle = self.cycle(p, rtt);
        let sending = cycle.rounds * rtt;
        let timeouts = timeout_probability(p, cycle.peak) * told.loss / p;
        let timeout_share = timeouts * expected_timeout(p, self.timeout(rtt));
        SteadyState {
            rate: (cycle.packets + timeouts / (1.0 - p)) / (sending + timeout_share),
            timeout_share: timeout_share / (sending + timeout_share),
            window: cycle.packets / cycle.rounds,
        }
    }
}

/// Formula (24): how long a row of timeouts lasts, the first of `first` seconds.
pub fn expected_timeout(p: f64, first: f64) -> f64 {
    let doubled = [1.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
    let f: f64 = doubled
        .iter()
        .rev()
        .fold(0.0, |sum, factor| sum * p + factor);
    first * f / (1.0 - p)
}

/// Q, formula (25): the probability that a loss at a window of `window` leads to a timeout.
pub fn timeout_probability(p: f64, window: f64) -> f64 {
    if window <= 3.0 {
        return 1.0;
    }
    let kept = 1.0 - p;
    // 1 - (1-p)^w without cancellation for small p.
    let any = |packets: f64| -(packets * (-p).ln_1p()).exp_m1();
    let q = (1.0 + kept.powi(3) * any(window - 3.0)) * any(3.0) / any(window);
    q.min(1.0)
}

/// The bound of Mathis et al. 1997 on what Reno sends: `sqrt(3/(2 b p))/RTT`, packets a second.
pub fn square_root_bound(p: f64, packets_per_ack: f64, rtt: f64) -> f64 {
    (1.5 / (packets_per_ack * p)).sqrt() / rtt
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn lost(loss: f64) -> SignalRate {
        SignalRate { loss, marks: 0.0 }
    }

    /// Padhye and others, equation (30), written out for b = 2 and a timeout of 1 s.
    fn printed(p: f64, rtt: f64, most: f64) -> f64 {
        let free = 4.0 / 6.0 + (8.0 * (1.0 - p) / (6.0 * p) + (4.0_f64 / 6.0).powi(2)).sqrt();
        let f = 1.0
            + p
            + 2.0 * p.powi(2)
            + 4.0 * p.powi(3)
            + 8.0 * p.powi(4)
            + 16.0 * p.powi(5)
            + 32.0 * p.powi(6);
        let q = |w: f64| {
            let kept = 1.0 - p;
            let all = (1.0 - kept.powi(3)) * (1.0 + kept.powi(3) * (1.0 - kept.powf(w - 3.0)));
            (all / (1.0 - kept.powf(w))).min(1.0)
        };
        let (w, rounds) = match free < most {
            true => (free, free + 1.0),
            false => (most, most / 4.0 + (1.0 - p) / (p * most) + 2.0),
        };
        let packets = (1.0 - p) / p + w + q(w) / (1.0 - p);
        packets / (rtt * rounds + q(w) * f / (1.0 - p))
    }

    #[test]
    fn the_whole_formula_is_the_printed_one() {
        let tcp = Tcp {
            packets_per_ack: 2.0,
            max_window: 20.0,
            min_rto: Nanos::from_secs(1),
            ..Tcp::default()
        };
        for p in [0.001, 0.004, 0.01, 0.03, 0.1, 0.3, 0.6] {
            let found = tcp.steady(lost(p), 0.1).rate;
            assert!(
                (found / printed(p, 0.1, 20.0) - 1.0).abs() < 1e-9,
                "{p}: {found}"
            );
        }
    }

    #[test]
    fn sends_less_the_more_it_is_told_but_where_it_jumps() {
        for control in [Control::Reno, Control::Cubic] {
            let tcp = Tcp {
                control,
                ..Tcp::default()
            };
            let rates = (1..=400).map(|step| tcp.steady(lost(f64::from(step) / 401.0), 0.05).rate);
            assert!(rates.is_sorted_by(|a, b| a >= b), "{control:?}");
        }
        let bounded = Tcp {
            max_window: 20.0,
            ..Tcp::default()
        };
        let at = falling_to(&bounded, 20.0);
        let [before, after] = [at * (1.0 + 1e-9), at * (1.0 - 1e-9)];
        let rounds = [before, after].map(|p| bounded.reno_cycle(p).rounds);
        assert!(
            (rounds[0] - rounds[1]).abs() > 0.1,
            "formula (26) jumps: {rounds:?}"
        );
    }

    /// The p at which the free window is `window`.
    fn falling_to(tcp: &Tcp, window: f64) -> f64 {
        crate::solve::falling_root_of_powers(1e-9, 0.9, |p| tcp.unconstrained_peak(p) - window)
    }

    #[test]
    fn ends_are_what_they_must_be() {
        let tcp = Tcp {
            max_window: 50.0,
            ..Tcp::default()
        };
        assert_eq!(tcp.steady(lost(0.0), 0.1).rate, 500.0);
        assert_eq!(tcp.steady(lost(1.0), 0.1).rate, 0.0);
        assert_eq!(expected_timeout(0.0, 0.4), 0.4);
        assert_eq!(timeout_probability(0.01, 3.0), 1.0);
        // For small p about three over the window.
        let q = timeout_probability(1e-6, 30.0);
        assert!((q * 30.0 / 3.0 - 1.0).abs() < 1e-3, "{q}");
    }

    #[test]
    fn marks_bring_no_timeouts_and_few_losses_the_square_root() {
        let tcp = Tcp::default();
        let marked = tcp.steady(
            SignalRate {
                loss: 0.0,
                marks: 0.05,
            },
            0.1,
        );
        let dropped = tcp.steady(lost(0.05), 0.1);
        assert_eq!(marked.timeout_share, 0.0);
        assert!(dropped.timeout_share > 0.1 && dropped.rate < marked.rate);
        let rare = tcp.steady(lost(1e-6), 0.1).rate;
        assert!((rare / square_root_bound(1e-6, 1.0, 0.1) - 1.0).abs() < 0.01);
    }

    #[test]
    fn cubic_is_reno_on_short_paths_and_more_on_long_ones() {
        let rate = |control, rtt| {
            Tcp {
                control,
                ..Tcp::default()
            }
            .steady(lost(1e-4), rtt)
            .rate
        };
        assert_eq!(rate(Control::Cubic, 0.005), rate(Control::Reno, 0.005));
        // RFC 9438, section 5.1: 1.054 (RTT/p)^(3/4) packets on average, at beta 0.7 and C 0.4.
        let window = 1.054 * (0.2_f64 / 1e-4).powf(0.75);
        let found = rate(Control::Cubic, 0.2) * 0.2;
        assert!((found / window - 1.0).abs() < 0.03, "{found} {window}");
    }
}
