//! Events: a packet that continues on its route, or a task of the engine.

use crate::packet::Packet;

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
}

impl Event {
    /// `packet` continues at its next hop.
    #[inline]
    pub(super) fn resume(packet: Packet) -> Event {
        Event(packet)
    }

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
            _ => Task::Sample,
        })
    }
}

impl Task {
    /// The event of this task.
    #[inline]
    pub(super) fn event(self) -> Event {
        let (code, index) = match self {
            Task::Wake(flow) => (0, flow),
            Task::Drain(port) => (1, port),
            Task::Change(change) => (2, change),
            Task::Sample => (3, 0),
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
        ] {
            assert_eq!(task.event().task(), Some(task));
        }
        let packet = Packet::new(Kind::Request, 3, u32::MAX, 40);
        assert_eq!(Event::resume(packet).task(), None);
        assert_eq!(Event::resume(packet).packet(), packet);
    }
}
