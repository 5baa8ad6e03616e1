//! Events: a packet that continues on its route, or a task of the engine; and when they are due.

use earlydrop::units::Nanos;

use crate::events::Events;
use crate::packet::Packet;

/// The streams of packets that senders send, and of those on their way.
const SENT: usize = 0;
const FORWARDED: usize = 1;

/// The clock, and the events to come.
#[derive(Clone, Debug)]
pub(super) struct Scheduler {
    /// The time reached.
    pub(super) now: Nanos,
    /// When the run ends.
    pub(super) end: Nanos,
    pub(super) events: Events<Event>,
}

impl Scheduler {
    /// At time zero of a run that ends at `end`.
    pub(super) fn new(end: Nanos) -> Scheduler {
        let (now, events) = (Nanos::ZERO, Events::new());
        Scheduler { now, end, events }
    }

    /// `packet` continues at its next hop at `at`.
    #[inline(always)]
    pub(super) fn resume(&mut self, at: Nanos, packet: Packet) {
        self.events.push(at, Event(packet));
    }

    /// [`resume`](Scheduler::resume) of a packet that its sender sends now. Over equal access links
    /// it is the latest of these.
    #[inline(always)]
    pub(super) fn resume_sent(&mut self, at: Nanos, packet: Packet) {
        self.events.push_in_stream(SENT, at, Event(packet));
    }

    /// [`resume`](Scheduler::resume) of a packet that is on its way, or of the answer to it. If all
    /// come from one queue, it is the latest of these.
    #[inline(always)]
    pub(super) fn resume_forwarded(&mut self, at: Nanos, packet: Packet) {
        self.events.push_in_stream(FORWARDED, at, Event(packet));
    }

    /// The packet that is so many places behind the next one of those on their way.
    #[inline(always)]
    pub(super) fn forwarded_behind(&self, places: u64) -> Option<Packet> {
        let event = self.events.in_stream(FORWARDED, places)?;
        Some(event.packet())
    }

    /// The flow of an event that is due soon, while more are pending than the caches hold.
    #[inline(always)]
    pub(super) fn flow_due_soon(&mut self) -> Option<u32> {
        let event = self.events.due_soon()?;
        match event.is_packet() {
            true => Some(event.packet().flow_index()),
            false => match event.task() {
                Some(Task::Wake(flow)) => Some(flow),
                _ => None,
            },
        }
    }

    /// Schedules a task for `at`.
    #[inline(always)]
    pub(super) fn schedule(&mut self, at: Nanos, task: Task) {
        self.events.push(at, task.event());
    }

    /// Packets that wait for their events.
    pub(super) fn waiting_packets(&self) -> impl Iterator<Item = Packet> {
        let packets = self.events.iter().filter(|event| event.task().is_none());
        packets.map(|event| event.packet())
    }
}

/// What is due at a time. A task is packed like a packet, so that an event is two words and stays
/// in registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event(Packet);

/// An event that is no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// A timer, a start or a stop of this flow is due.
    Wake(u32),
    /// What this port has sent by now must be known: its next departure may soon arrive.
    Drain(u32),
    /// The link change of this index is due.
    Change(u32),
    /// The congestion windows of sampled flows are due to be recorded.
    Sample,
    /// A frame that asks for a pause of a class arrives at a port, or one that ends it.
    Pause { port: u32, class: u8, pauses: bool },
}

/// Codes of [`Task::Pause`], in the lower four bits; the class is above them.
const PAUSES: u16 = 4;
const RESUMES: u16 = 5;

impl Event {
    /// Whether it is a packet.
    #[inline(always)]
    pub(super) fn is_packet(self) -> bool {
        !self.0.is_other()
    }

    /// The packet, if it is one.
    #[inline]
    pub(super) fn packet(self) -> Packet {
        self.0
    }

    /// The task, if it is one.
    #[inline]
    pub(super) fn task(self) -> Option<Task> {
        let (code, index) = self.0.as_other()?;
        Some(match code {
            0 => Task::Wake(index),
            1 => Task::Drain(index),
            2 => Task::Change(index),
            3 => Task::Sample,
            code => Task::Pause {
                port: index,
                class: (code >> 4) as u8,
                pauses: code & 15 == PAUSES,
            },
        })
    }
}

impl Task {
    /// The event of this task.
    #[inline]
    fn event(self) -> Event {
        let (code, index) = match self {
            Task::Wake(flow) => (0, flow),
            Task::Drain(port) => (1, port),
            Task::Change(change) => (2, change),
            Task::Sample => (3, 0),
            Task::Pause {
                port,
                class,
                pauses,
            } => {
                let code = if pauses { PAUSES } else { RESUMES };
                (u16::from(class) << 4 | code, port)
            }
        };
        Event(Packet::other(code, index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Kind;

    #[test]
    fn tasks_and_packets_are_distinguished() {
        for task in [
            Task::Wake(7),
            Task::Drain(u32::MAX),
            Task::Change(0),
            Task::Sample,
            Task::Pause {
                port: 3,
                class: 0,
                pauses: true,
            },
            Task::Pause {
                port: u32::MAX,
                class: 7,
                pauses: false,
            },
        ] {
            assert_eq!(task.event().task(), Some(task));
        }
        let packet = Packet::new(Kind::Request, 3, u32::MAX, 40);
        assert_eq!(Event(packet).task(), None);
        assert_eq!(Event(packet).packet(), packet);
    }
}
