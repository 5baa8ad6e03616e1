//! The throughput of a TCP flow at a given rate of congestion signals.
//!
//! Reno: Padhye, Firoiu, Towsley and Kurose, SIGCOMM 1998. Chandrayana, Sikdar and Kalyanaraman use
//! the same terms as formulas (24) to (27), to which the numbers below refer. CUBIC: the mean window
//! of RFC 9438, section 5.1. DCTCP: RFC 8257, section 3.3, in balance ([`dctcp_window`]).

use earlydrop::units::Nanos;

use crate::signal::SignalRate;
use crate::solve::falling_root_of_powers;

/// The congestion control algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Additive increase, multiplicative decrease.
    Reno,
    /// A cubic function of time, or Reno if that is faster (RFC 9438).
    Cubic,
    /// Reduced by the share of packets that is marked, and as Reno by losses (RFC 8257).
    Dctcp,
}

impl Control {
    /// Every algorithm.
    pub const ALL: &[Control] = &[Control::Reno, Control::Cubic, Control::Dctcp];

    /// The name in options and in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Control::Reno => "reno",
            Control::Cubic => "cubic",
            Control::Dctcp => "dctcp",
        }
    }

    /// The name in sentences.
    pub fn title(self) -> &'static str {
        match self {
            Control::Reno => "Reno",
            Control::Cubic => "CUBIC",
            Control::Dctcp => "DCTCP",
        }
    }

    /// Whether it needs packets that are ECN-capable: without marks DCTCP is Reno.
    pub fn needs_ecn(self) -> bool {
        self == Control::Dctcp
    }

    /// The smallest window that a mark leaves, in packets.
    fn least_marked(self) -> f64 {
        match self {
            Control::Reno | Control::Cubic => 1.0,
            Control::Dctcp => DCTCP_LEAST,
        }
    }
}

/// g, the weight of the newest window in DCTCP's alpha (RFC 8257, section 4.2).
pub(crate) const DCTCP_GAIN: f64 = 1.0 / 16.0;

/// The smallest `cwnd` that a mark leaves DCTCP, in packets.
const DCTCP_LEAST: f64 = 2.0;

/// The TCP of the flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tcp {
    /// The congestion control algorithm.
    pub control: Control,
    /// b: the packets that must be acknowledged for the window to grow as by one acknowledgment. 1
    /// with appropriate byte counting (RFC 3465); 2 with delayed acknowledgments otherwise.
    pub packets_per_ack: f64,
    /// W_max: the receiver's advertised window (rwnd), in packets.
    pub max_window: f64,
    /// The minimum of the retransmission timer (RTO).
    pub min_rto: Nanos,
    /// T_O: the time that a sender waits before its first retransmission in a row. `None`: the RTO of
    /// RFC 6298 at the round-trip time.
    pub timeout: Option<Nanos>,
    /// Whether packets are ECN-capable.
    pub ecn: bool,
}

impl Default for Tcp {
    /// Reno with appropriate byte counting (RFC 3465) and a minimum RTO of 200 ms, as in Linux.
    fn default() -> Tcp {
        Tcp {
            control: Control::Reno,
            packets_per_ack: 1.0,
            max_window: 65_535.0,
            min_rto: Nanos::from_millis(200),
            timeout: None,
            ecn: false,
        }
    }
}

/// The steady state of one flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyState {
    /// B: packets sent per second, including lost ones.
    pub rate: f64,
    /// gamma: the share of time spent in timeouts.
    pub timeout_share: f64,
    /// Packets sent per round trip outside of timeouts.
    pub window: f64,
}

/// One cycle of congestion avoidance, from one congestion signal to the next.
#[derive(Clone, Copy, Debug)]
struct Cycle {
    /// `E[W]`: the window at the signal, in packets.
    peak: f64,
    /// The packets sent in the cycle.
    packets: f64,
    /// `E[CA]`: the duration in round trips.
    rounds: f64,
}

impl Tcp {
    /// `E[W_u]`: the window at a congestion signal, in packets, without the receiver's limit.
    pub fn unconstrained_peak(&self, p: f64) -> f64 {
        let b = self.packets_per_ack;
        let c = (2.0 + b) / (3.0 * b);
        c + (8.0 * (1.0 - p) / (3.0 * b * p) + c * c).sqrt()
    }

    /// The cycle of Reno; its duration is formula (26).
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

    /// Whether windows follow the share of packets that is marked, as DCTCP's do where there are marks.
    pub(crate) fn follows_marks(&self, marks: f64) -> bool {
        self.control == Control::Dctcp && marks > 0.0
    }

    /// The cycle at a round-trip time of `rtt` seconds.
    fn cycle(&self, signals: SignalRate, rtt: f64) -> Cycle {
        let p = signals.total();
        match self.control {
            Control::Cubic => self.cubic_cycle(p, rtt),
            _ if self.follows_marks(signals.marks) => {
                let window = dctcp_window(signals, self.packets_per_ack).min(self.max_window);
                Cycle {
                    peak: window,
                    packets: 1.0 / p,
                    rounds: 1.0 / (p * window),
                }
            }
            Control::Reno | Control::Dctcp => self.reno_cycle(p),
        }
    }

    /// The cycle of CUBIC; Reno's if that is faster.
    fn cubic_cycle(&self, p: f64, rtt: f64) -> Cycle {
        /// C and beta of RFC 9438.
        const GROWTH: f64 = 0.4;
        const CUT: f64 = 0.7;
        let reno = self.reno_cycle(p);
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

    /// T_O in seconds: as given, or the RTO of RFC 6298 with RTTVAR = RTT/4.
    pub fn rto(&self, rtt: f64) -> f64 {
        let by_rtt = (2.0 * rtt).max(self.min_rto.as_secs_f64());
        self.timeout.map_or(by_rtt, Nanos::as_secs_f64)
    }

    /// The steady state of a flow at a round-trip time of `rtt` seconds. Losses can cause timeouts;
    /// marks cannot.
    pub fn steady(&self, signals: SignalRate, rtt: f64) -> SteadyState {
        let p = signals.total();
        if p <= 0.0 {
            return SteadyState {
                rate: self.max_window / rtt,
                timeout_share: 0.0,
                window: self.max_window,
            };
        }
        // Marks leave a packet or two in a round trip; losses leave nothing.
        if p >= 1.0 {
            let (window, timeout_share) = match signals.loss > 0.0 {
                true => (0.0, 1.0),
                false => (self.control.least_marked(), 0.0),
            };
            return SteadyState {
                rate: window / rtt,
                timeout_share,
                window,
            };
        }
        let cycle = self.cycle(signals, rtt);
        let sending = cycle.rounds * rtt;
        let timeouts = timeout_probability(p, cycle.peak) * signals.loss / p;
        let timeout_share = timeouts * expected_timeout(p, self.rto(rtt));
        SteadyState {
            rate: (cycle.packets + timeouts / (1.0 - p)) / (sending + timeout_share),
            timeout_share: timeout_share / (sending + timeout_share),
            window: cycle.packets / cycle.rounds,
        }
    }
}

/// DCTCP's mean window in packets, where packets are marked and lost at random; `b` packets must be
/// acknowledged for the window to grow as by one acknowledgment.
///
/// alpha is the share m that is marked, and a mark reduces W by alpha/2. The next mark that does so
/// is one of a later window: a round trip later, and until it comes `(1-m)/m` packets pass, which are
/// `(1-m)/(m W)` round trips. Losses at a rate l take 2/3 W^2 l a round trip, as from Reno. So growth and
/// reductions balance at
/// `1/b = W m/2 / (1 + (1-m)/(m W)) + 2/3 W^2 l`;
/// without losses W is (1 + sqrt(3 - 2m))/m for b = 1, where a mark in each round trip would give 2/m.
/// This W is the one before a reduction. The mean is a packet less: half of what grows back, and half
/// a packet that `cwnd` has beyond whole ones.
pub fn dctcp_window(signals: SignalRate, b: f64) -> f64 {
    let SignalRate { loss: l, marks: m } = signals;
    let reduced = |w: f64| w * m / 2.0 / (1.0 + (1.0 - m) / (m * w)) + 2.0 / 3.0 * w * w * l;
    let before = falling_root_of_powers(1e-3, 1e15, |w| 1.0 / b - reduced(w));
    (before - 1.0).max(before.min(DCTCP_LEAST))
}

/// Formula (24): the expected duration of consecutive timeouts with exponential backoff, in seconds;
/// `first` is the first RTO.
pub fn expected_timeout(p: f64, first: f64) -> f64 {
    let doubled = [1.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
    let f: f64 = doubled
        .iter()
        .rev()
        .fold(0.0, |sum, factor| sum * p + factor);
    first * f / (1.0 - p)
}

/// Q, formula (25): the probability that a loss at a window of `window` packets causes a timeout.
pub fn timeout_probability(p: f64, window: f64) -> f64 {
    if window <= 3.0 {
        return 1.0;
    }
    let success = 1.0 - p;
    // 1 - (1-p)^w without cancellation for small p.
    let any = |packets: f64| -(packets * (-p).ln_1p()).exp_m1();
    let q = (1.0 + success.powi(3) * any(window - 3.0)) * any(3.0) / any(window);
    q.min(1.0)
}

/// The bound of Mathis et al. 1997 on Reno's throughput: `sqrt(3/(2 b p))/RTT`, in packets per
/// second.
pub fn square_root_bound(p: f64, packets_per_ack: f64, rtt: f64) -> f64 {
    (1.5 / (packets_per_ack * p)).sqrt() / rtt
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn lost(loss: f64) -> SignalRate {
        SignalRate { loss, marks: 0.0 }
    }

    /// Equation (30) of Padhye and others, for b = 2 and an RTO of 1 s.
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
            let success = 1.0 - p;
            let all =
                (1.0 - success.powi(3)) * (1.0 + success.powi(3) * (1.0 - success.powf(w - 3.0)));
            (all / (1.0 - success.powf(w))).min(1.0)
        };
        let (w, rounds) = match free < most {
            true => (free, free + 1.0),
            false => (most, most / 4.0 + (1.0 - p) / (p * most) + 2.0),
        };
        let packets = (1.0 - p) / p + w + q(w) / (1.0 - p);
        packets / (rtt * rounds + q(w) * f / (1.0 - p))
    }

    #[test]
    fn the_full_formula_is_the_printed_one() {
        let tcp = Tcp {
            packets_per_ack: 2.0,
            max_window: 20.0,
            min_rto: Nanos::from_secs(1),
            ..Tcp::default()
        };
        for p in [0.001, 0.004, 0.01, 0.03, 0.1, 0.3, 0.6] {
            let actual = tcp.steady(lost(p), 0.1).rate;
            assert!(
                (actual / printed(p, 0.1, 20.0) - 1.0).abs() < 1e-9,
                "{p}: {actual}"
            );
        }
    }

    #[test]
    fn throughput_falls_with_the_signal_rate() {
        for control in Control::ALL.iter().copied() {
            let tcp = Tcp {
                control,
                ..Tcp::default()
            };
            for loss in [1.0, 0.1, 0.0] {
                let rates = (1..=400).map(|step| {
                    let p = f64::from(step) / 401.0;
                    let (loss, marks) = (loss * p, (1.0 - loss) * p);
                    tcp.steady(SignalRate { loss, marks }, 0.05).rate
                });
                let falls = rates.is_sorted_by(|before, after| *after <= before * (1.0 + 1e-12));
                assert!(falls, "{control:?} {loss}");
            }
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

    /// The p at which the unconstrained peak is `window`.
    fn falling_to(tcp: &Tcp, window: f64) -> f64 {
        crate::solve::falling_root_of_powers(1e-9, 0.9, |p| tcp.unconstrained_peak(p) - window)
    }

    #[test]
    fn limits_are_exact() {
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
    fn marks_cause_no_timeouts_and_rare_losses_give_the_square_root() {
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
    fn dctcp_balances_growth_and_marks() {
        let tcp = Tcp {
            control: Control::Dctcp,
            ecn: true,
            ..Tcp::default()
        };
        let window = |marks, loss| tcp.steady(SignalRate { loss, marks }, 0.02).window;
        for marks in [1e-4_f64, 0.02, 0.1, 0.3] {
            let closed = (1.0 + (3.0 - 2.0 * marks).sqrt()) / marks - 1.0;
            assert!((window(marks, 0.0) / closed - 1.0).abs() < 1e-9, "{marks}");
        }
        assert_eq!(window(1.0, 0.0), 2.0);
        // Without marks it is Reno, and nearly so with very few.
        let reno = Tcp::default().steady(lost(1e-4), 0.02);
        assert_eq!(tcp.steady(lost(1e-4), 0.02), reno);
        assert!((window(1e-9, 1e-4) / reno.window - 1.0).abs() < 0.02);
    }

    #[test]
    fn cubic_is_reno_on_short_paths_and_faster_on_long_ones() {
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
        let actual = rate(Control::Cubic, 0.2) * 0.2;
        assert!((actual / window - 1.0).abs() < 0.03, "{actual} {window}");
    }
}
