//! The open connections, by numbers that the kernel hands back with their events.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// One end of something, and what it is there for.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) socket: OwnedFd,
    pub(super) role: Role,
}

/// What a socket is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Sends so much, and then ends; `u64::MAX` is without end.
    Sender {
        flow: u32,
        slot: u32,
        left: u64,
        ended: bool,
        /// It asks for what the flow brings.
        is_request: bool,
    },
    /// Takes what a sender sends, and counts it where it is the flow's data.
    Receiver { flow: u32, counts: bool },
    /// Answers requests: it has `read` so much of the next and has `left` to say.
    Server { flow: u32, read: u64, left: u64 },
    /// Asks, with so much `left` of the request, and `wants` so much of the answer.
    Client { flow: u32, left: u64, awaiting: u64 },
    /// Takes datagrams.
    DatagramReceiver { flow: u32 },
}

impl Role {
    /// The flow whose data it sends.
    pub(super) fn sends_for(&self) -> Option<u32> {
        match *self {
            Role::Sender {
                flow,
                is_request: false,
                ..
            }
            | Role::Server { flow, .. } => Some(flow),
            _ => None,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct SocketTable {
    entries: Vec<Option<Entry>>,
    free: Vec<usize>,
    /// Free, once no event can be about what had the number before.
    freed: Vec<usize>,
}

impl SocketTable {
    pub(super) fn add(&mut self, entry: Entry) -> usize {
        match self.free.pop() {
            Some(number) => {
                self.entries[number] = Some(entry);
                number
            }
            None => {
                self.entries.push(Some(entry));
                self.entries.len() - 1
            }
        }
    }

    /// Closes one.
    pub(super) fn remove(&mut self, number: usize) {
        if self.entries[number].take().is_some() {
            self.freed.push(number);
        }
    }

    /// All events that were known are done with.
    pub(super) fn release_freed(&mut self) {
        self.free.append(&mut self.freed);
    }

    pub(super) fn role(&self, number: usize) -> Option<Role> {
        Some(self.entries.get(number)?.as_ref()?.role)
    }

    pub(super) fn set_role(&mut self, number: usize, role: Role) {
        if let Some(Some(entry)) = self.entries.get_mut(number) {
            entry.role = role;
        }
    }

    pub(super) fn socket(&self, number: usize) -> Option<BorrowedFd<'_>> {
        Some(self.entries.get(number)?.as_ref()?.socket.as_fd())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().flatten()
    }
}
