//! What applications do over their connections.

use earlydrop::random::Pcg32;
use earlydrop::units::{Bytes, Nanos};

use crate::results::Completion;
use crate::spread::Spread;
use crate::traffic::Application;

/// A finite application over one connection.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub(super) application: Application,
    pub(super) random: Pcg32,
    pub(super) state: State,
    /// The first segment of the connection.
    pub(super) first: u32,
    /// The segment after the last of the transfer.
    pub(super) end: u32,
    /// Bytes on the wire of the transfer's last segment.
    pub(super) last_size: u32,
    /// The flow that its transfers are counted for.
    pub(super) counted_for: u32,
    /// Transfers begun.
    pub(super) begun: u32,
    /// The flow it works together with.
    pub(super) partner: Partner,
}

/// Another flow that a session works together with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Partner {
    None,
    /// The flow that brings its requests to the sending host.
    Asker(u32),
    /// The flow whose answer its transfers ask for.
    Answerer(u32),
}

/// Where an application is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum State {
    /// The next transfer, or request, starts then; never, when there is none.
    Pausing(Nanos),
    /// A request is on its way since `asked`, and will be repeated.
    Asking {
        asked: Nanos,
        repeat_at: Nanos,
        wait: Nanos,
    },
    /// `bytes` are being brought since `since`.
    Transferring { since: Nanos, bytes: u64 },
}

/// How long a client waits for a first answer: 1 s, then twice as long each time
/// (RFC 6298's first timeout).
pub(super) const FIRST_REPEAT: Nanos = Nanos::from_secs(1);

impl Session {
    pub(super) fn new(application: Application, random: Pcg32, counted_for: u32) -> Session {
        Session {
            application,
            random,
            state: State::Pausing(Nanos::NEVER),
            first: 0,
            end: 0,
            last_size: 0,
            counted_for,
            begun: 0,
            partner: Partner::None,
        }
    }

    pub(super) fn due(&self) -> Nanos {
        match self.state {
            State::Pausing(until) => until,
            State::Asking { repeat_at, .. } => repeat_at,
            State::Transferring { .. } => Nanos::NEVER,
        }
    }

    /// It starts, or goes on.
    pub(super) fn resume(&mut self, now: Nanos) {
        let over = matches!(self.application, Application::Transfer(_)) && self.begun > 0;
        if matches!(self.state, State::Pausing(_)) && !over {
            self.state = State::Pausing(now);
        }
    }

    /// Whether a transfer is over when its last byte has arrived, and not when that is
    /// acknowledged.
    pub(super) fn ends_at_receiver(&self) -> bool {
        matches!(self.application, Application::Requests { .. })
    }

    /// The transfer ended at `at`: what it was, and pauses until the next.
    pub(super) fn complete(&mut self, at: Nanos) -> Option<Completion> {
        let State::Transferring { since, bytes } = self.state else {
            return None;
        };
        let pause = match self.partner {
            Partner::Answerer(_) => None,
            _ => self.application.draw_pause(&mut self.random),
        };
        self.state = State::Pausing(pause.map_or(Nanos::NEVER, |pause| at + pause));
        Some(Completion {
            flow: crate::traffic::FlowId(self.counted_for),
            began: since,
            ended: at,
            bytes: Bytes(bytes),
        })
    }
}

/// A flow that starts transfers, each over a connection of its own.
#[derive(Clone, Debug)]
pub(super) struct Spawner {
    pub(super) every: Spread<Nanos>,
    pub(super) application: Application,
    pub(super) at_most: u32,
    pub(super) next_at: Nanos,
    pub(super) random: Pcg32,
    /// The flow all connections begin as.
    pub(super) template: super::flow::Flow,
    /// Connections made for it, and of them those that are free.
    pub(super) made: Vec<u32>,
    pub(super) spare: Vec<u32>,
    /// Starts that were left out because too many transfers were going on.
    pub(super) left_out: u64,
}
