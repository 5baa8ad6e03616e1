//! What happens at a time.

use crate::packet::Packet;

/// A packet whose turn has come, or a task: two words either way, and so in registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event(Packet);

/// What happens beside packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// A flow has something to do.
    Wake(u32),
    /// What has left this port by now must be known.
    Drain(u32),
    /// The link change of this index is due.
    Change(u32),
    /// Flows' windows are sampled.
    Sample,
}

impl Event {
    /// A packet has come to its next step.
    #[inline]
    pub(super) fn come(packet: Packet) -> Event {
        Event(packet)
    }

    /// Whether it is a packet.
    #[inline(always)]
    pub(super) fn is_packet(self) -> bool {
        !self.0.is_other()
    }

    /// The packet, when it is one.
    #[inline]
    pub(super) fn packet(self) -> Packet {
        self.0
    }

    /// The task, when it is one.
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
    /// The event that is this task.
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
    fn tasks_and_packets_are_told_apart() {
        for task in [
            Task::Wake(7),
            Task::Drain(u32::MAX),
            Task::Change(0),
            Task::Sample,
        ] {
            assert_eq!(task.event().task(), Some(task));
        }
        let packet = Packet::new(Kind::Request, 3, u32::MAX, 40);
        assert_eq!(Event::come(packet).task(), None);
        assert_eq!(Event::come(packet).packet(), packet);
    }
}
