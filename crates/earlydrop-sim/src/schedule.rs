//! When the datagrams of a flow are due.

use earlydrop::random::Pcg32;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use crate::fine_time::FineTime;
use crate::replay::{RecordedPacket, Replay};
use crate::traffic::Pattern;

/// The times at which the datagrams of one flow are due: constant, in bursts, or
/// as recorded.
#[derive(Clone, Debug)]
pub struct Schedule {
    size: Bytes,
    /// The time from one packet to the next.
    interval: FineTime,
    next_at: FineTime,
    /// Packets that remain of this burst.
    left: u32,
    /// Packets by which the bursts so far are longer than what was sent in them, below 0 where
    /// they are shorter.
    unsent: f64,
    pattern: Pattern,
    random: Pcg32,
    /// Where it is in a recording, if it follows one.
    replay: Option<Box<Replay>>,
}

impl Schedule {
    /// Packets of this size at this rate. None is due before the first
    /// [`resume`](Self::resume).
    pub fn new(size: Bytes, rate: BitsPerSec, pattern: Pattern, random: Pcg32) -> Schedule {
        let replay = match &pattern {
            Pattern::Replay { recording, repeats } => {
                Some(Box::new(Replay::new(recording.clone(), *repeats)))
            }
            Pattern::Constant | Pattern::OnOff { .. } => None,
        };
        Schedule {
            size,
            interval: FineTime::to_send(size, rate),
            next_at: Nanos::NEVER.into(),
            left: 0,
            unsent: 0.0,
            pattern,
            random,
            replay,
        }
    }

    /// The recorded packet that is due, if the schedule follows a recording.
    pub fn recorded(&self) -> Option<RecordedPacket> {
        self.replay.as_ref().map(|replay| replay.packet())
    }

    /// When the next packet is due, rounded up.
    pub fn due(&self) -> Nanos {
        self.next_at.nanos()
    }

    /// Changes the rate, from the packet after the one that is due.
    pub fn set_rate(&mut self, rate: BitsPerSec) {
        self.interval = FineTime::to_send(self.size, rate);
    }

    /// Starts a burst at `now`, when its first packet is due.
    pub fn resume(&mut self, now: Nanos) {
        self.next_at = now.into();
        if let Some(replay) = &mut self.replay {
            self.next_at = replay.begin(now).into();
        }
        self.begin_burst();
    }

    /// Draws the length of a burst, in packets.
    ///
    /// A burst has as many as fit its time, to the nearest, and the difference counts for the
    /// next one: so the mean rate is right however short bursts are. One without a packet is
    /// silent.
    fn begin_burst(&mut self) {
        let Pattern::OnOff { on, off } = &self.pattern else {
            self.left = u32::MAX;
            return;
        };
        loop {
            let time = on.draw(&mut self.random).as_secs_f64();
            let packets = self.unsent + time / self.interval.as_secs_f64();
            self.left = libm::round(packets) as u32;
            self.unsent = packets - f64::from(self.left);
            if self.left > 0 {
                return;
            }
            self.next_at = self.next_at.after(off.draw(&mut self.random));
        }
    }

    /// Moves to the next packet, once the one that is due was sent.
    pub fn advance(&mut self) {
        if let Some(replay) = &mut self.replay {
            self.next_at = replay.advance().into();
            return;
        }
        self.next_at += self.interval;
        if let Pattern::OnOff { off, .. } = &self.pattern {
            self.left -= 1;
            if self.left == 0 {
                self.next_at = self.next_at.after(off.draw(&mut self.random));
                self.begin_burst();
            }
        }
    }
}
