//! When the datagrams of a flow are due.

use earlydrop::random::Pcg32;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use crate::traffic::Pattern;

/// The times at which the datagrams of one flow are due: constant, or in bursts.
#[derive(Clone, Debug)]
pub struct Schedule {
    size: Bytes,
    /// The time from one packet to the next.
    interval: Nanos,
    next_at: Nanos,
    /// Packets that remain of this burst.
    left: u32,
    pattern: Pattern,
    random: Pcg32,
}

impl Schedule {
    /// Packets of this size at this rate. None is due before the first
    /// [`resume`](Self::resume).
    pub fn new(size: Bytes, rate: BitsPerSec, pattern: Pattern, random: Pcg32) -> Schedule {
        Schedule {
            size,
            interval: rate.transmission_time(size),
            next_at: Nanos::NEVER,
            left: 0,
            pattern,
            random,
        }
    }

    /// When the next packet is due.
    pub fn due(&self) -> Nanos {
        self.next_at
    }

    /// Changes the rate, from the packet after the one that is due.
    pub fn set_rate(&mut self, rate: BitsPerSec) {
        self.interval = rate.transmission_time(self.size);
    }

    /// Starts a burst, whose first packet is due at `now`.
    pub fn resume(&mut self, now: Nanos) {
        self.next_at = now;
        self.begin_burst();
    }

    /// Draws the length of a burst, in packets: at least one.
    fn begin_burst(&mut self) {
        self.left = match self.pattern {
            Pattern::Constant => u32::MAX,
            Pattern::OnOff { on, .. } => {
                let packets = on.draw(&mut self.random).0 as f64 / self.interval.0 as f64;
                (libm::round(packets) as u32).max(1)
            }
        };
    }

    /// Moves to the next packet, once the one that is due was sent.
    pub fn advance(&mut self) {
        self.next_at += self.interval;
        if let Pattern::OnOff { off, .. } = self.pattern {
            self.left -= 1;
            if self.left == 0 {
                self.next_at += off.draw(&mut self.random);
                self.begin_burst();
            }
        }
    }
}
