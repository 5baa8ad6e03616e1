//! Reno's `cwnd` (RFC 5681), also as ns-2, ns-3 and Linux compute it.
//!
//! # Equations
//! ```text
//! slow start, cwnd < ssthresh   cwnd += min(segments acknowledged, L), L = 2    RFC 3465, 2.2
//! congestion avoidance          cwnd += segments acknowledged / cwnd            RFC 5681, 3.1
//! loss or mark                  cwnd = ssthresh = max(FlightSize / 2, 2)        RFC 5681, eq. 4
//! timeout                       ssthresh = max(FlightSize / 2, 2), cwnd = 1     RFC 5681, 3.1
//! timeout for the same segment  ssthresh stays, cwnd = 1                        RFC 5681, 3.1
//! ```
//!
//! # How other tools differ
//! | | here | ns-2 |
//! |---|---|---|
//! | growth | by segments, only when `cwnd` was used; with [`Growth::CountedAsLinux`] by whole ones, and without L | 1, or 1 / `cwnd`, for each acknowledgment |
//! | reduction | half of FlightSize; with `whole_cuts` a whole number; with [`Growth::CountedAsLinux`] half of `cwnd` | `ssthresh` is half of `cwnd` as a whole number, `cwnd` exactly half of it, or with [`whole_cuts`](crate::tcp::Profile::whole_cuts) a whole number too, at least 1; `rwnd` counts in place of `cwnd` when it is smaller |
//! | timeout again | `ssthresh` stays | `ssthresh` is reduced to 2 |
//!
//! # Validated against
//! - Linux 6.1, acknowledgment by acknowledgment: 32 of 32 scripts of `linux` senders without a
//!   difference in the time of any transmission, nor in `cwnd` and `ssthresh` outside recovery.
//! - ns-2 2.35 and ns-3 3.48: queue, losses, goodput and timeouts of whole runs.
//! - The geometry of the sawtooth, and `cwnd = sqrt(3 / 2p)` under periodic losses.

use earlydrop::units::Nanos;

use super::ack_counter::AckCounter;
use super::aimd::{ABC_LIMIT, three_quarters};
use super::events::{AckSample, CongestionEvent, Control, ControlSettings, Windows};
use crate::tcp::settings::{Growth, Rules};

/// The least `ssthresh`, segments (RFC 5681, 3.1, equation 4).
const MIN_SSTHRESH: f64 = 2.0;

/// Reno's state for one flow.
#[derive(Clone, Copy, Debug)]
pub struct Reno {
    /// Congestion window, segments.
    cwnd: f64,
    /// Slow-start threshold, segments.
    ssthresh: f64,
    /// With ns-2's rules `rwnd`, segments; 0 with the RFC's.
    ns2_rwnd: u32,
    /// Whether reductions leave whole segments.
    whole_cuts: bool,
    growth: Growth,
    counter: AckCounter,
}

impl Reno {
    /// The controller of a connection that begins.
    pub fn new(settings: &ControlSettings) -> Reno {
        let (ssthresh, ns2_rwnd) = match settings.rules {
            Rules::Standard => (f64::INFINITY, 0),
            Rules::Ns2 => (
                f64::from(settings.receiver_window),
                settings.receiver_window,
            ),
        };
        Reno {
            cwnd: f64::from(settings.initial_window),
            ssthresh: settings.initial_ssthresh.map_or(ssthresh, f64::from),
            ns2_rwnd,
            whole_cuts: settings.whole_cuts,
            growth: settings.growth,
            counter: AckCounter::default(),
        }
    }

    /// Grows `cwnd` by one acknowledgment with ns-2's rules, however much it covers. `false`
    /// means nothing was done: the rules are the RFC's.
    #[inline(always)]
    pub(crate) fn grow_as_ns2(&mut self) -> bool {
        if self.ns2_rwnd == 0 || self.growth != Growth::Segments {
            return false;
        }
        self.cwnd += if self.cwnd < self.ssthresh {
            1.0
        } else {
            1.0 / self.cwnd
        };
        true
    }

    /// Moves `cwnd` by `segments`: ns-2's recovery inflates and deflates it itself.
    pub(crate) fn shift(&mut self, segments: f64) {
        self.cwnd = (self.cwnd + segments).max(1.0);
    }

    /// ns-2's usable window: min(cwnd, rwnd).
    fn usable_window(&self) -> f64 {
        self.cwnd.min(f64::from(self.ns2_rwnd))
    }

    /// Half of what is in use, before bounds: of FlightSize (RFC 5681, equation 4), or of ns-2's
    /// window.
    fn half(&self, in_flight: u32) -> f64 {
        if self.ns2_rwnd == 0 && self.growth == Growth::CountedAsLinux {
            // `tcp_reno_ssthresh`: of cwnd, whether it is in use or not.
            f64::from(self.cwnd as u32 / 2)
        } else if self.ns2_rwnd == 0 && self.whole_cuts {
            f64::from(in_flight / 2)
        } else if self.ns2_rwnd == 0 {
            // cwnd may have a fraction of a segment, FlightSize has none. If every whole segment of
            // cwnd is in flight, cwnd is in full use, fraction included.
            let used = f64::from(in_flight);
            if used >= self.cwnd.floor() && used <= self.cwnd {
                self.cwnd / 2.0
            } else {
                used / 2.0
            }
        } else if self.whole_cuts {
            f64::from(self.usable_window() as u32 / 2)
        } else {
            self.usable_window() / 2.0
        }
    }

    /// Grows `cwnd` in congestion avoidance by whole segments.
    fn grow_by_count(&mut self, segments: u32) {
        let cwnd = (self.cwnd as u32).max(1);
        self.cwnd += f64::from(self.counter.add(segments, cwnd));
    }

    /// Grows `cwnd` as Linux: in slow start by all that was acknowledged; what is left of that at
    /// `ssthresh` is counted.
    fn grow_as_linux(&mut self, segments: u32) {
        let room = (self.ssthresh - self.cwnd).clamp(0.0, f64::from(segments)) as u32;
        self.cwnd += f64::from(room);
        if room < segments {
            self.grow_by_count(segments - room);
        }
    }

    /// Clears Linux's count, as `cwnd` is reduced.
    fn clear_count(&mut self) {
        if self.growth == Growth::CountedAsLinux {
            self.counter.clear();
        }
    }

    /// Sets `ssthresh` to `half`, at least 2 segments (RFC 5681, equation 4).
    fn set_ssthresh(&mut self, half: f64) {
        let half = if self.ns2_rwnd > 0 {
            f64::from(half as u32)
        } else {
            half
        };
        self.ssthresh = half.max(MIN_SSTHRESH);
    }
}

impl Control for Reno {
    #[inline]
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    #[inline]
    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    #[inline(always)]
    fn on_ack(&mut self, ack: &AckSample) {
        if ack.recovering {
            return;
        }
        let (slow_start, avoidance) = if self.ns2_rwnd > 0 {
            (1.0, 1.0)
        } else if ack.cwnd_limited {
            let slow_start = ack.segments.min(ABC_LIMIT);
            (f64::from(slow_start), f64::from(ack.segments))
        } else {
            return;
        };
        if self.growth == Growth::CountedAsLinux && self.ns2_rwnd == 0 {
            self.grow_as_linux(ack.segments);
        } else if self.cwnd < self.ssthresh {
            self.cwnd += slow_start;
        } else if self.growth == Growth::CountedAsNs3 {
            self.grow_by_count(ack.segments);
        } else {
            self.cwnd += avoidance / self.cwnd;
        }
    }

    fn on_congestion(&mut self, congestion: &CongestionEvent) {
        self.clear_count();
        let half = self.half(congestion.in_flight);
        self.set_ssthresh(half);
        self.cwnd = if self.ns2_rwnd > 0 {
            half.max(1.0)
        } else {
            self.ssthresh
        };
    }

    fn on_timeout(&mut self, _now: Nanos, in_flight: u32, again: bool) {
        self.clear_count();
        if self.ns2_rwnd > 0 || !again {
            self.set_ssthresh(self.half(in_flight));
        }
        self.cwnd = 1.0;
    }

    fn leave_after_timeout(&mut self, cwnd: f64) {
        self.cwnd = cwnd;
    }

    fn undo(&mut self, before: &Windows) {
        self.cwnd = self.cwnd.max(before.cwnd);
        self.ssthresh = self.ssthresh.max(before.ssthresh);
    }

    fn on_restart(&mut self, _now: Nanos, initial_window: f64) {
        if self.growth == Growth::CountedAsLinux {
            self.ssthresh = self.ssthresh.max(three_quarters(self.cwnd));
        }
        self.cwnd = self.cwnd.min(initial_window);
    }
}
