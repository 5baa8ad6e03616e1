//! Flows while they run: both ends, their state, and what is measured of them.

use std::collections::VecDeque;

use earlydrop::packet::Ecn;
use earlydrop::random::Pcg32;
use earlydrop::units::Nanos;

use super::accounts::Accounts;
use super::application::Session;
use super::spawner::Spawner;
use crate::measure::FlowMeter;
use crate::network::MOST_AT_NIC;
use crate::packet::{Kind, Packet, Template};
use crate::schedule::Schedule;
use crate::tcp::{Profile, Receiver, Sender};
use crate::traffic::Step;

/// One flow: both of its ends, and what is measured of it.
///
/// What every packet needs is in the first 320 bytes, in this order, the receiver's part before
/// the sender's; the rest is rarely read. With many flows these are all that a packet brings into
/// the caches, which fetch lines in pairs: 128 bytes.
#[derive(Clone, Debug)]
#[repr(C, align(128))]
pub(super) struct Flow {
    /// The time of the pending wake event; wake events of any other time are stale.
    pub(super) wake_at: Nanos,
    pub(super) state: State,
    /// The class of its acknowledgments.
    pub(super) ack_class: u8,
    pub(super) counted: Counted,
    /// The index of its profile, if it is over TCP.
    pub(super) profile: u32,
    /// A new segment of it without number and time, for the fast path.
    pub(super) segment: Template,
    pub(super) meter: FlowMeter,
    pub(super) ends: Ends,
    pub(super) rare: Option<Box<Rare>>,
}

/// Most of the memory of a run.
const _: () = assert!(size_of::<Flow>() <= 384);

/// How many packets took the fast path. All packets of a kind have the same size, so their bytes
/// follow from their number. A flow numbers its segments with 32 bits, too.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    /// Segments sent.
    pub(super) sent: u32,
    /// Segments that arrived and were acknowledged.
    pub(super) acknowledged: u32,
    /// Acknowledgments that arrived.
    pub(super) acks: u32,
}

/// What decides how a flow's packets and timers are handled: read with every packet, a byte each.
///
/// `passive` and `has_overhead` follow from the description and stay; the others change.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// It has started and not been stopped.
    pub(super) open: bool,
    /// Which code handles its packets and timers.
    pub(super) path: Path,
    /// Its TCP receiver acts only when a segment arrives: it acknowledges each at once, and
    /// segments arrive in order of time. So a segment can be answered however far ahead it is
    /// computed.
    pub(super) passive: bool,
    /// Its host spends a random processing time before each packet: [`Rare::overhead`].
    pub(super) has_overhead: bool,
    /// The counts of its sender at the end of the warm-up are recorded.
    pub(super) has_baseline: bool,
    /// How many segments of its sender wait in its host's network card; `None` for a host without
    /// one.
    pub(super) at_nic: Option<u8>,
}

impl State {
    /// Records what the flow's sender did in the warm-up, before it first acts after that at `at`.
    #[inline(always)]
    pub(super) fn record_baseline(
        &mut self,
        accounts: &mut Accounts,
        (flow, sender): (u32, &Sender),
        at: Nanos,
    ) {
        if !self.has_baseline && accounts.timing.warmed_up_by(at) {
            self.has_baseline = true;
            accounts.set_baseline(flow, sender.counts());
        }
    }

    /// Whether its sender must wait until a segment of its own has left its host's network card.
    #[inline]
    pub(super) fn waits_for_nic(&self) -> bool {
        self.at_nic.is_some_and(|waiting| waiting >= MOST_AT_NIC)
    }
}

/// The code that handles a flow's packets and timers.
///
/// ```text
///           a step or a held packet            nothing pending any more
///   Fast ------------------------------> Pending ------------------------> Fast, if eligible
///   Slow                                                                   Slow, otherwise
/// ```
///
/// A flow is *eligible* for the fast path if its ends do nothing of their own accord except run
/// timers: a TCP connection without a finite application. In the reference engine none is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Path {
    /// Eligible, and nothing is pending: see [`fast_path`](super::fast_path).
    Fast,
    /// Not eligible, and nothing is pending.
    Slow,
    /// [`Rare`] holds steps to come or held packets.
    Pending,
}

/// Packets that could not be delivered ahead of time, each with its arrival time.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    /// To the sender.
    pub(super) acks: VecDeque<(Nanos, Packet)>,
    /// To the receiver.
    pub(super) data: VecDeque<(Nanos, Packet)>,
}

/// What few flows need.
#[derive(Clone, Debug, Default)]
pub(super) struct Rare {
    /// Starts, stops and changes to come.
    pub(super) steps: VecDeque<(Nanos, Step)>,
    pub(super) overhead: Option<Overhead>,
    /// Packets whose arrival time is known, but not what their end will do before.
    pub(super) held: Held,
}

impl Rare {
    fn is_pending(&self) -> bool {
        let Rare { steps, held, .. } = self;
        !(steps.is_empty() && held.acks.is_empty() && held.data.is_empty())
    }
}

/// A host's random processing time before each packet, as ns-2's `overhead_`.
#[derive(Clone, Debug)]
pub(super) struct Overhead {
    pub(super) most: Nanos,
    pub(super) last: Nanos,
    pub(super) random: Pcg32,
}

impl Overhead {
    /// When a packet leaves that could be sent at `now`: after a uniform time up to `most`, and
    /// not before the packet in front of it.
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
    /// Opens connections, which are flows of their own, and sends nothing itself.
    Spawner(Box<Spawner>),
}

impl Ends {
    /// Whether they do nothing of their own accord except run timers of retransmissions and
    /// delayed acknowledgments.
    fn are_eligible(&self) -> bool {
        matches!(self, Ends::Tcp(connection) if connection.session.is_none())
    }
}

/// A TCP connection, and its application; in the order of [`Flow`].
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Connection {
    /// The finite application. Without one, the sender has endless data.
    pub(super) session: Option<Box<Session>>,
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
    /// Prefetches what its receiver keeps elsewhere.
    #[inline]
    pub(super) fn prefetch_receiver(&self) {
        if let Ends::Tcp(connection) = &self.ends {
            connection.receiver.prefetch();
        }
    }

    /// A time before which nothing of it is due: exact on the fast path, else zero.
    #[inline]
    pub(super) fn earliest_wake(&self) -> Nanos {
        match &self.ends {
            Ends::Tcp(connection) if self.state.path == Path::Fast => connection
                .sender
                .deadline()
                .min(connection.receiver.deadline()),
            _ => Nanos::ZERO,
        }
    }

    /// When something of it is next due.
    #[inline]
    pub(super) fn next_wake(&self) -> Nanos {
        if self.state.path == Path::Fast {
            return self.earliest_wake();
        }
        let mut due = match &self.ends {
            Ends::Tcp(connection) => {
                let sender = connection.sender_acts(self.state.open);
                sender.min(connection.receiver_acts(self.state.passive))
            }
            Ends::Datagrams(source) if self.state.open => source.schedule.due(),
            Ends::Spawner(spawner) if self.state.open => spawner.next_at,
            _ => Nanos::NEVER,
        };
        if let Some(rare) = &self.rare {
            due = due.min(first_of(&rare.held.acks));
            due = due.min(first_of(&rare.held.data));
            due = due.min(first_of(&rare.steps));
        }
        due
    }

    /// Whether the sender does nothing of its own accord up to `at`, so that a packet that
    /// arrives then can be delivered now.
    #[inline]
    pub(super) fn sender_waits_until(&self, at: Nanos) -> bool {
        let Ends::Tcp(connection) = &self.ends else {
            return true;
        };
        at < connection.sender_acts(self.state.open)
            && (self.state.path != Path::Pending
                || self
                    .rare
                    .as_ref()
                    .is_none_or(|rare| rare.held.acks.is_empty() && at < first_of(&rare.steps)))
    }

    /// Whether the receiver does nothing of its own accord up to `at`, so that a packet that
    /// arrives then can be delivered now.
    #[inline]
    pub(super) fn receiver_waits_until(&self, at: Nanos) -> bool {
        let Ends::Tcp(connection) = &self.ends else {
            return true;
        };
        self.state.passive
            || at < connection.receiver.deadline()
                && self
                    .rare
                    .as_ref()
                    .is_none_or(|rare| rare.held.data.is_empty())
    }

    /// Takes the next held packet that can be delivered to its end, with its arrival time: one
    /// that arrives by `now`, or by `end` and before its end acts of its own accord.
    pub(super) fn release(&mut self, now: Nanos, end: Nanos) -> Option<(Nanos, Packet)> {
        let Ends::Tcp(connection) = &self.ends else {
            return None;
        };
        let Rare { held, steps, .. } = self.rare.as_deref_mut()?;
        let sender_acts = connection.sender_acts(self.state.open).min(first_of(steps));
        let receiver_acts = connection.receiver_acts(self.state.passive);
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

    /// Chooses the path anew, after something pending was done. `may_be_fast`: whether an eligible
    /// flow may take the fast path in this run.
    pub(super) fn choose_path(&mut self, may_be_fast: bool) {
        let Some(rare) = &self.rare else { return };
        self.state.path = if rare.is_pending() {
            Path::Pending
        } else if self.ends.are_eligible() && may_be_fast {
            Path::Fast
        } else {
            Path::Slow
        };
        // A flow that once held packets will again: that memory stays.
        let reuses = rare.held.acks.capacity() + rare.held.data.capacity() > 0;
        if !(rare.is_pending() || self.state.has_overhead || reuses) {
            self.rare = None;
        }
    }

    /// Applies the starts, stops and changes that are due; returns whether there were any.
    pub(super) fn apply_steps(&mut self, now: Nanos) -> bool {
        let mut any = false;
        while let Some(rare) = &mut self.rare
            && let Some(&(at, step)) = rare.steps.front()
            && at <= now
        {
            rare.steps.pop_front();
            any = true;
            match step {
                Step::Stop => self.state.open = false,
                Step::Resume => self.state.open = true,
                Step::Rate(_) => {}
            }
            match &mut self.ends {
                Ends::Tcp(connection) => connection.apply(step, now),
                Ends::Datagrams(source) => source.apply(step, now),
                Ends::Spawner(spawner) if step == Step::Resume => spawner.resume(now),
                Ends::Spawner(_) => {}
            }
        }
        any
    }

    /// When its session next does something of its own accord; never, if it is stopped or has
    /// none.
    pub(super) fn session_due(&self) -> Nanos {
        match &self.ends {
            Ends::Tcp(Connection {
                session: Some(session),
                ..
            }) if self.state.open => session.due(),
            _ => Nanos::NEVER,
        }
    }

    /// The datagram of the flow at `index` that is due, with the time when it leaves its host.
    pub(super) fn poll_datagram(&mut self, index: u32, now: Nanos) -> Option<(Packet, Nanos)> {
        let Ends::Datagrams(source) = &mut self.ends else {
            return None;
        };
        if !self.state.open || source.schedule.due() > now {
            return None;
        }
        let recorded = source.schedule.recorded();
        let (size, ecn) = recorded.map_or((source.size, source.ecn), |one| (one.size, one.ecn));
        let packet = Packet::new(Kind::Datagram, index, source.number, size)
            .stamped(now)
            .with_ecn(ecn)
            .with_class(self.segment.class());
        source.number = source.number.wrapping_add(1);
        source.schedule.advance();
        Some((packet, self.leaves_host_at(now)))
    }

    /// Packets held for either end.
    pub(super) fn held_packets(&self) -> impl Iterator<Item = &Packet> {
        let held = self.rare.iter().map(|rare| &rare.held);
        let lines = held.flat_map(|held| [&held.acks, &held.data]);
        lines.flatten().map(|(_, packet)| packet)
    }

    /// Payload of a full segment in bytes, or 1 for flows without segments.
    pub(super) fn payload(&self, profiles: &[Profile]) -> u32 {
        match &self.ends {
            Ends::Tcp(_) => profiles[self.profile as usize].payload(),
            _ => 1,
        }
    }

    /// When a packet that could be sent at `now` leaves its host.
    #[inline]
    pub(super) fn leaves_host_at(&mut self, now: Nanos) -> Nanos {
        leaves_host_at(self.state.has_overhead, &mut self.rare, now)
    }

    /// Its rare parts, with something pending to be put there.
    pub(super) fn rare(&mut self) -> &mut Rare {
        self.state.path = Path::Pending;
        self.rare.get_or_insert_default()
    }
}

/// [`Flow::leaves_host_at`] while the flow's ends are borrowed.
#[inline(always)]
pub(super) fn leaves_host_at(
    has_overhead: bool,
    rare: &mut Option<Box<Rare>>,
    now: Nanos,
) -> Nanos {
    match has_overhead {
        true => after_overhead(rare, now),
        false => now,
    }
}

#[inline(never)]
fn after_overhead(rare: &mut Option<Box<Rare>>, now: Nanos) -> Nanos {
    let overhead = rare.as_mut().and_then(|rare| rare.overhead.as_mut());
    overhead.map_or(now, |overhead| overhead.delay(now))
}

/// The time of the first entry, or never.
fn first_of<T>(line: &VecDeque<(Nanos, T)>) -> Nanos {
    line.front().map_or(Nanos::NEVER, |(at, _)| *at)
}

impl Connection {
    /// When the sending host next does something of its own accord; `open` is the flow's.
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
    fn receiver_acts(&self, passive: bool) -> Nanos {
        match passive {
            true => Nanos::NEVER,
            false => self.receiver.deadline(),
        }
    }

    /// Applies a start or a stop.
    fn apply(&mut self, step: Step, now: Nanos) {
        match (&mut self.session, step) {
            (Some(session), Step::Resume) => session.resume(now),
            (Some(_), _) | (None, Step::Rate(_)) => {}
            (None, Step::Resume) => self.sender.supply(u32::MAX),
            (None, Step::Stop) => self.sender.withdraw(),
        }
    }
}

impl Datagrams {
    /// Applies a start, a stop or a change of rate.
    pub(super) fn apply(&mut self, step: Step, now: Nanos) {
        match step {
            Step::Stop => {}
            Step::Rate(rate) => self.schedule.set_rate(rate),
            Step::Resume => self.schedule.resume(now),
        }
    }
}
