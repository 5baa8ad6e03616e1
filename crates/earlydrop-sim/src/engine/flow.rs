//! Flows as they run.

use std::collections::VecDeque;

use earlydrop::packet::Ecn;
use earlydrop::random::Pcg32;
use earlydrop::units::Nanos;

use super::plain::Counted;
use super::session::Session;
use crate::measure::FlowMeter;
use crate::packet::{Form, Packet};
use crate::schedule::Schedule;
use crate::tcp::{Profile, Receiver, Sender};
use crate::traffic::Step;

/// One flow: both of its ends, and what is measured of it.
///
/// What every packet needs stands in the first 320 bytes, in this order, its receiver's and
/// then its sender's; what few need, behind. With many flows these are all that a packet
/// brings into the caches, which read them in pairs of lines: 128 bytes.
#[derive(Clone, Debug)]
#[repr(C, align(128))]
pub(super) struct Flow {
    /// The time of the event that will look after it; later ones set before are stale.
    pub(super) wake_at: Nanos,
    /// When the wires that it keeps itself are free: the one from its sender, and the one
    /// to it.
    pub(super) own_free_at: [Nanos; 2],
    /// It has started and was not stopped.
    pub(super) open: bool,
    pub(super) class: u8,
    /// Whether `rare` has anything to say.
    pub(super) odd: bool,
    /// Whether its ends only answer what comes and run timers, whatever it is marked with,
    /// and `rare` has nothing to say.
    pub(super) plain: bool,
    /// Whether it was noted what its sender had done in the warm-up.
    pub(super) noted: bool,
    /// Whether its host takes its time before each packet.
    pub(super) lingers: bool,
    /// What its segments are like of which nothing is to be said but their number.
    pub(super) segment: Form,
    pub(super) meter: FlowMeter,
    pub(super) counted: Counted,
    pub(super) ends: Ends,
    pub(super) rare: Option<Box<Rare>>,
}

/// What a flow takes of memory is mostly this.
const _: () = assert!(size_of::<Flow>() <= 384);

/// Packets that could not be worked out ahead of time, each with when it comes.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    /// To the sender.
    pub(super) acks: VecDeque<(Nanos, Packet)>,
    /// To the receiver.
    pub(super) data: VecDeque<(Nanos, Packet)>,
}

/// What few flows have.
#[derive(Clone, Debug, Default)]
pub(super) struct Rare {
    /// Starts, stops and changes that are still to come.
    pub(super) steps: VecDeque<(Nanos, Step)>,
    pub(super) overhead: Option<Overhead>,
    /// Packets whose time is known, but not what their end will do before.
    pub(super) held: Held,
}

impl Rare {
    fn says_something(&self) -> bool {
        let Rare { steps, held, .. } = self;
        !(steps.is_empty() && held.acks.is_empty() && held.data.is_empty())
    }
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

impl Ends {
    /// Whether they do nothing of their own accord, but for the timers of retransmissions
    /// and of delayed acknowledgments.
    fn only_answer(&self) -> bool {
        matches!(self, Ends::Tcp(connection) if connection.session.is_none() && !connection.in_turn)
    }
}

/// A TCP connection, and what there is to send over it; in the order of [`Flow`].
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Connection {
    /// What it does beyond sending without end.
    pub(super) session: Option<Box<Session>>,
    /// Index of its profile.
    pub(super) profile: u32,
    /// Its receiver does nothing of its own accord.
    pub(super) passive: bool,
    /// Nothing is taken a quicker way: see [`Simulation::in_turn`](super::Simulation::in_turn).
    pub(super) in_turn: bool,
    pub(super) receiver: Receiver,
    pub(super) sender: Sender,
}

/// A source of datagrams.
#[derive(Clone, Debug)]
pub(super) struct Datagrams {
    pub(super) size: u32,
    pub(super) ecn: Ecn,
    pub(super) number: u32,
    pub(super) schedule: Schedule,
}

impl Flow {
    /// Asks the caches for what its receiver keeps elsewhere.
    #[inline]
    pub(super) fn look_ahead(&self) {
        if let Ends::Tcp(connection) = &self.ends {
            connection.receiver.look_ahead();
        }
    }

    /// A time before which it need not be looked after, quickly worked out.
    #[inline]
    pub(super) fn soonest(&self) -> Nanos {
        match &self.ends {
            Ends::Tcp(connection) if self.plain => connection
                .sender
                .deadline()
                .min(connection.receiver.deadline()),
            _ => Nanos::ZERO,
        }
    }

    /// When it must be looked after next.
    #[inline]
    pub(super) fn due(&self) -> Nanos {
        if self.plain {
            return self.soonest();
        }
        let mut due = match &self.ends {
            Ends::Tcp(connection) => {
                let sender = connection.sender_acts(self.open);
                sender.min(connection.receiver_acts())
            }
            Ends::Datagrams(source) if self.open => source.schedule.due(),
            Ends::Spawner(spawner) if self.open => spawner.next_at,
            _ => Nanos::NEVER,
        };
        if let Some(rare) = &self.rare {
            due = due.min(first_of(&rare.held.acks));
            due = due.min(first_of(&rare.held.data));
            due = due.min(first_of(&rare.steps));
        }
        due
    }

    /// Whether the sender does nothing of its own accord up to `at`, so that what comes
    /// to it then can be worked out now.
    #[inline]
    pub(super) fn sender_waits_for(&self, at: Nanos) -> bool {
        let Ends::Tcp(connection) = &self.ends else {
            return true;
        };
        at < connection.sender_acts(self.open)
            && (!self.odd
                || self
                    .rare
                    .as_ref()
                    .is_none_or(|rare| rare.held.acks.is_empty() && at < first_of(&rare.steps)))
    }

    /// The same of the receiver.
    #[inline]
    pub(super) fn receiver_waits_for(&self, at: Nanos) -> bool {
        let Ends::Tcp(connection) = &self.ends else {
            return true;
        };
        connection.passive
            || at < connection.receiver_acts()
                && self
                    .rare
                    .as_ref()
                    .is_none_or(|rare| rare.held.data.is_empty())
    }

    /// The next held packet that can be handed to its end, and when it comes there: by
    /// `now`, or as far ahead as the end waits for it, but not after `end`.
    pub(super) fn release(&mut self, now: Nanos, end: Nanos) -> Option<(Nanos, Packet)> {
        let Ends::Tcp(connection) = &self.ends else {
            return None;
        };
        let Rare { held, steps, .. } = self.rare.as_deref_mut()?;
        let sender_acts = connection.sender_acts(self.open).min(first_of(steps));
        let receiver_acts = connection.receiver_acts();
        for (line, acts) in [
            (&mut held.acks, sender_acts),
            (&mut held.data, receiver_acts),
        ] {
            let may_go = |at: Nanos| at <= now || at < acts && at <= end;
            if line.front().is_some_and(|(at, _)| may_go(*at)) {
                return line.pop_front();
            }
        }
        None
    }

    /// Looks whether there is anything rare left. What was held once will be again: that
    /// memory stays.
    pub(super) fn look_over(&mut self) {
        let Some(rare) = &self.rare else { return };
        self.odd = rare.says_something();
        self.plain = !self.odd && self.ends.only_answer();
        let remembers = rare.held.acks.capacity() + rare.held.data.capacity() > 0;
        if !(self.odd || self.lingers || remembers) {
            self.rare = None;
        }
    }

    /// Packets held for either end.
    pub(super) fn held_packets(&self) -> impl Iterator<Item = &Packet> {
        let held = self.rare.iter().map(|rare| &rare.held);
        let lines = held.flat_map(|held| [&held.acks, &held.data]);
        lines.flatten().map(|(_, packet)| packet)
    }

    /// Payload of a full segment, or 1 where there are none.
    pub(super) fn payload(&self, profiles: &[Profile]) -> u32 {
        match &self.ends {
            Ends::Tcp(connection) => profiles[connection.profile as usize].payload(),
            _ => 1,
        }
    }

    /// When a packet that its host could send at `now` leaves it.
    #[inline]
    pub(super) fn leaves_host_at(&mut self, now: Nanos) -> Nanos {
        leaves_at(self.lingers, &mut self.rare, now)
    }

    /// Rare things, made when first needed.
    pub(super) fn rare(&mut self) -> &mut Rare {
        (self.odd, self.plain) = (true, false);
        self.rare.get_or_insert_default()
    }
}

/// [`Flow::leaves_host_at`] where a flow's ends are lent already.
#[inline(always)]
pub(super) fn leaves_at(lingers: bool, rare: &mut Option<Box<Rare>>, now: Nanos) -> Nanos {
    match lingers {
        true => linger(rare, now),
        false => now,
    }
}

/// When a packet leaves a host that takes its time, and could send it at `now`.
#[inline(never)]
fn linger(rare: &mut Option<Box<Rare>>, now: Nanos) -> Nanos {
    let overhead = rare.as_mut().and_then(|rare| rare.overhead.as_mut());
    overhead.map_or(now, |overhead| overhead.delay(now))
}

/// The time of the first in a row.
fn first_of<T>(row: &VecDeque<(Nanos, T)>) -> Nanos {
    row.front().map_or(Nanos::NEVER, |(at, _)| *at)
}

impl Connection {
    /// When the sending host, of a flow that is `open`, next does something of its own
    /// accord.
    #[inline]
    fn sender_acts(&self, open: bool) -> Nanos {
        let timer = self.sender.deadline();
        match &self.session {
            Some(session) if open => timer.min(session.due()),
            _ => timer,
        }
    }

    /// When the receiver next does something of its own accord.
    #[inline]
    fn receiver_acts(&self) -> Nanos {
        if self.passive {
            return Nanos::NEVER;
        }
        self.receiver.deadline()
    }
}
