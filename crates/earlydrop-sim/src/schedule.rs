//! When datagrams are due.

use earlydrop::random::Pcg32;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use crate::traffic::Pattern;

/// When the datagrams of one flow are due, one after the other.
#[derive(Clone, Debug)]
pub struct Schedule {
    size: Bytes,
    /// From one packet to the next.
    interval: Nanos,
    next_at: Nanos,
    /// Packets left in this burst.
    left: u32,
    pattern: Pattern,
    random: Pcg32,
}

impl Schedule {
    /// Packets of this size at this rate; none is due before it [goes on](Self::resume).
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

    /// Packets come at this rate after the one that is due.
    pub fn set_rate(&mut self, rate: BitsPerSec) {
        self.interval = rate.transmission_time(self.size);
    }

    /// The first packet of a burst is due at `now`.
    pub fn resume(&mut self, now: Nanos) {
        self.next_at = now;
        self.begin_burst();
    }

    /// Begins a burst of as many packets as its time holds.
    fn begin_burst(&mut self) {
        self.left = match self.pattern {
            Pattern::Constant => u32::MAX,
            Pattern::OnOff { on, .. } => {
                let packets = on.draw(&mut self.random).0 as f64 / self.interval.0 as f64;
                (libm::round(packets) as u32).max(1)
            }
        };
    }

    /// The packet that is due was sent: works out when the next one is.
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
