//! Flows as they run.

use std::collections::VecDeque;

use earlydrop::packet::Ecn;
use earlydrop::random::Pcg32;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use super::session::Session;
use crate::measure::FlowMeter;
use crate::tcp::{Profile, Receiver, Sender};
use crate::traffic::{Pattern, Step};

/// One flow: both of its ends, and what is measured of it.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// Where its routes begin in the table of all routes.
    pub(super) forward: u32,
    pub(super) backward: u32,
    /// The time of the event that will look after it; later ones set before are stale.
    pub(super) wake_at: Nanos,
    /// It has started and was not stopped.
    pub(super) open: bool,
    pub(super) class: u8,
    pub(super) ends: Ends,
    pub(super) meter: FlowMeter,
    pub(super) rare: Option<Box<Rare>>,
}

/// What few flows have.
#[derive(Clone, Debug, Default)]
pub(super) struct Rare {
    /// Starts, stops and changes that are still to come.
    pub(super) steps: VecDeque<(Nanos, Step)>,
    pub(super) overhead: Option<Overhead>,
}

/// A host that takes its time before each packet.
#[derive(Clone, Debug)]
pub(super) struct Overhead {
    pub(super) most: Nanos,
    pub(super) last: Nanos,
    pub(super) random: Pcg32,
}

impl Overhead {
    /// When a packet that could be sent at `now` is.
    pub(super) fn delay(&mut self, now: Nanos) -> Nanos {
        let wait = self.random.uniform() * self.most.0 as f64;
        self.last = self.last.max(now + Nanos(wait as u64));
        self.last
    }
}

/// The two ends of a flow.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // Most flows are the large one.
pub(super) enum Ends {
    Tcp(Connection),
    Datagrams(Datagrams),
    /// Starts other flows and sends nothing itself.
    Spawner(Box<super::session::Spawner>),
}

/// A TCP connection, and what there is to send over it.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    /// Index of its profile.
    pub(super) profile: u32,
    /// The first segment of the connection.
    pub(super) first: u32,
    /// The segment after the last of the transfer.
    pub(super) end: u32,
    /// Bytes on the wire of the transfer's last segment.
    pub(super) last_size: u32,
    /// Its receiver acts when its packets' arrival is worked out, ahead of time.
    pub(super) receives_ahead: bool,
    /// What it does beyond sending without end.
    pub(super) session: Option<Box<Session>>,
}

/// A source of datagrams.
#[derive(Clone, Debug)]
pub(super) struct Datagrams {
    pub(super) size: u32,
    pub(super) ecn: Ecn,
    /// From one packet to the next.
    pub(super) interval: Nanos,
    pub(super) next_at: Nanos,
    pub(super) number: u32,
    /// Packets left in this burst.
    pub(super) left: u32,
    pub(super) pattern: Pattern,
    pub(super) random: Pcg32,
}

impl Datagrams {
    pub(super) fn set_rate(&mut self, rate: BitsPerSec) {
        self.interval = rate.transmission_time(Bytes(u64::from(self.size)));
    }

    /// Begins a burst of as many packets as its time holds.
    pub(super) fn begin_burst(&mut self) {
        self.left = match self.pattern {
            Pattern::Constant => u32::MAX,
            Pattern::OnOff { on, .. } => {
                let packets = on.draw(&mut self.random).0 as f64 / self.interval.0 as f64;
                (libm::round(packets) as u32).max(1)
            }
        };
    }

    /// One packet was sent; works out when the next one is due.
    pub(super) fn advance(&mut self) {
        self.number = self.number.wrapping_add(1);
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

impl Flow {
    /// When it must be looked after next.
    #[inline]
    pub(super) fn due(&self) -> Nanos {
        let own = match &self.ends {
            Ends::Tcp(connection) => connection.due(self.open),
            Ends::Datagrams(source) if self.open => source.next_at,
            Ends::Spawner(spawner) if self.open => spawner.next_at,
            _ => Nanos::NEVER,
        };
        match &self.rare {
            Some(rare) => own.min(rare.steps.front().map_or(Nanos::NEVER, |(at, _)| *at)),
            None => own,
        }
    }

    /// Payload of a full segment, or 1 where there are none.
    pub(super) fn payload(&self, profiles: &[Profile]) -> u32 {
        match &self.ends {
            Ends::Tcp(connection) => profiles[connection.profile as usize].payload(),
            _ => 1,
        }
    }

    /// Rare things, made when first needed.
    pub(super) fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }
}

impl Connection {
    /// When an end, or the application of a flow that is `open`, has something to do.
    #[inline]
    fn due(&self, open: bool) -> Nanos {
        let mut due = self.sender.deadline();
        if !self.receives_ahead {
            due = due.min(self.receiver.deadline());
        }
        match &self.session {
            Some(session) if open => due.min(session.due()),
            _ => due,
        }
    }
}
