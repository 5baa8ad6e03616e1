//! Open sockets, by the numbers that epoll returns with their events.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// A socket and its role.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) socket: OwnedFd,
    pub(super) role: Role,
}

/// Role of a socket, with the state of its transfer in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Sends `left` bytes, then closes; `u64::MAX` sends without end.
    Sender {
        flow: u32,
        slot: u32,
        left: u64,
        ended: bool,
        /// Whether it sends a request for what the flow transfers.
        is_request: bool,
    },
    /// Receives what a sender sends; `counts` if that is the flow's data.
    Receiver { flow: u32, counts: bool },
    /// Answers requests: has `read` part of the next, and has `left` to send.
    Server { flow: u32, read: u64, left: u64 },
    /// Sends requests: has `left` to send, and is `awaiting` the rest of the response.
    Client { flow: u32, left: u64, awaiting: u64 },
    /// Receives datagrams.
    DatagramReceiver { flow: u32 },
}

impl Role {
    /// The flow whose data the socket sends.
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
    /// Numbers that become free when all current events are handled.
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

    /// Closes a socket.
    pub(super) fn remove(&mut self, number: usize) {
        if self.entries[number].take().is_some() {
            self.freed.push(number);
        }
    }

    /// Frees the numbers of closed sockets, once no event can refer to them.
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
