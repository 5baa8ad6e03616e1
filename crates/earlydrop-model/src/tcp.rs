//! What TCP sends where it is told of congestion with probability p.
//!
//! Padhye, Firoiu, Towsley, Kurose, SIGCOMM 1998, whose terms paper 003 takes over as its
//! formulas (24) to (27); the window of CUBIC by RFC 9438, section 5.1.

use earlydrop::units::Nanos;

use crate::response::Told;

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
    pub acknowledged: f64,
    /// W_max: the receiver's window, in packets.
    pub largest_window: f64,
    /// The shortest retransmission timer.
    pub least_timeout: Nanos,
    /// Whether its packets can be marked.
    pub ecn: bool,
}

impl Default for Tcp {
    /// Reno as it is today: it grows by what is acknowledged, its timer runs 200 ms at least.
    fn default() -> Tcp {
        Tcp {
            control: Control::Reno,
            acknowledged: 1.0,
            largest_window: 65_535.0,
            least_timeout: Nanos::from_millis(200),
            ecn: false,
        }
    }
}

/// A flow in steady state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steady {
    /// B: packets sent a second, lost ones counted.
    pub rate: f64,
    /// gamma: the share of time spent waiting for the retransmission timer.
    pub waiting: f64,
    /// Packets sent a round trip while not waiting.
    pub window: f64,
}

/// The expected window at which a congestion signal comes, and the time since the last.
#[derive(Clone, Copy, Debug)]
struct Cycle {
    /// E[W], packets.
    peak: f64,
    /// Packets sent.
    packets: f64,
    /// E[CA] in round trips.
    rounds: f64,
}

impl Tcp {
    /// E[W_u]: the window when a congestion signal comes, unless the receiver limits it.
    pub fn free_peak(&self, p: f64) -> f64 {
        let b = self.acknowledged;
        let c = (2.0 + b) / (3.0 * b);
        c + (8.0 * (1.0 - p) / (3.0 * b * p) + c * c).sqrt()
    }

    /// Formula (26) and the packets that go with it.
    fn reno_cycle(&self, p: f64) -> Cycle {
        let (b, free, most) = (self.acknowledged, self.free_peak(p), self.largest_window);
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
        let average = (factor * (rtt / p).powf(0.75)).min(self.largest_window);
        if average <= reno.packets / reno.rounds {
            return reno;
        }
        let peak = (average * 4.0 / (3.0 + CUT)).min(self.largest_window);
        let packets = (1.0 - p) / p + peak;
        Cycle {
            peak,
            packets,
            rounds: packets / average,
        }
    }

    /// T_O: RFC 6298 with a deviation of a quarter of the round trip, in seconds.
    pub fn timeout(&self, rtt: f64) -> f64 {
        (2.0 * rtt).max(self.least_timeout.as_secs_f64())
    }

    /// A flow told of congestion as `told` says, at a round trip of `rtt` seconds. Only what
    /// is lost can lead to a timeout, not what is marked.
    pub fn steady(&self, told: Told, rtt: f64) -> Steady {
        let p = told.total();
        if p <= 0.0 {
            return Steady {
                rate: self.largest_window / rtt,
                waiting: 0.0,
                window: self.largest_window,
            };
        }
        if p >= 1.0 {
            return Steady {
                rate: 0.0,
                waiting: 1.0,
                window: 0.0,
            };
        }
        let cycle = self.cycle(p, rtt);
        let sending = cycle.rounds * rtt;
        let timeouts = timeout_probability(p, cycle.peak) * told.loss / p;
        let waiting = timeouts * expected_timeout(p, self.timeout(rtt));
        Steady {
            rate: (cycle.packets + timeouts / (1.0 - p)) / (sending + waiting),
            waiting: waiting / (sending + waiting),
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
pub fn square_root_bound(p: f64, acknowledged: f64, rtt: f64) -> f64 {
    (1.5 / (acknowledged * p)).sqrt() / rtt
}
