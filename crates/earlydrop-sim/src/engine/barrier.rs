//! Barriers: a client of an incast asks all its servers again once each has answered.
//!
//! A server is a flow whose session requests an answer, as any session of requests
//! (`application.rs`). Here its next request waits for the answers of all others.

use earlydrop::random::Pcg32;
use earlydrop::units::{Bytes, Nanos};

use super::Simulation;
use super::application::{Phase, Transfer};
use super::flow::Ends;
use crate::results::IncastRound;
use crate::spread::Spread;
use crate::traffic::FlowId;

/// A client and its servers.
#[derive(Clone, Debug)]
pub(super) struct Barrier {
    /// The flows of the servers.
    servers: Vec<u32>,
    think: Spread<Nanos>,
    random: Pcg32,
    /// Rounds to come after the one in progress; `None`: without end.
    rounds_left: Option<u32>,
    round: Answers,
}

/// The answers of the round in progress.
#[derive(Clone, Copy, Debug)]
struct Answers {
    count: u32,
    began: Nanos,
    bytes: u64,
    /// The longest that one of them takes in an empty network.
    longest: Nanos,
    /// The least time before the last link is busy with one of them.
    least_before: Nanos,
    /// How long the last link sends all of them.
    sent_in: Nanos,
}

impl Answers {
    const NONE: Answers = Answers {
        count: 0,
        began: Nanos::NEVER,
        bytes: 0,
        longest: Nanos::ZERO,
        least_before: Nanos::NEVER,
        sent_in: Nanos::ZERO,
    };

    /// Adds an answer that takes `ideal` in an empty network, of which its last link is busy for
    /// `sent_in`.
    fn add(&mut self, transfer: &Transfer, ideal: Nanos, sent_in: Nanos) {
        self.count += 1;
        self.began = self.began.min(transfer.began);
        self.bytes += transfer.bytes;
        self.longest = self.longest.max(ideal);
        self.least_before = self.least_before.min(ideal.since(sent_in));
        self.sent_in += sent_in;
    }
}

impl Barrier {
    /// A client of these servers that asks in so many rounds.
    pub(super) fn new(
        servers: Vec<u32>,
        think: Spread<Nanos>,
        rounds: Option<u32>,
        random: Pcg32,
    ) -> Barrier {
        Barrier {
            servers,
            think,
            random,
            rounds_left: rounds.map(|rounds| rounds.saturating_sub(1)),
            round: Answers::NONE,
        }
    }
}

impl Simulation {
    /// All of an answer has arrived at the client with this barrier. The last one of a round ends
    /// the round and schedules the next.
    pub(super) fn end_answer(&mut self, barrier: u32, index: u32, transfer: &Transfer) {
        let ideal = self.ideal_time(index, transfer.bytes);
        let sent_in = self.last_link_time(index, transfer.bytes);
        let barrier = &mut self.barriers[barrier as usize];
        barrier.round.add(transfer, ideal, sent_in);
        let round = barrier.round;
        if (round.count as usize) < barrier.servers.len() {
            return;
        }
        barrier.round = Answers::NONE;
        if round.began >= self.accounts.timing.from {
            self.rounds.push(IncastRound {
                flow: FlowId(barrier.servers[0]),
                began: round.began,
                ended: transfer.ended,
                answers: round.count,
                bytes: Bytes(round.bytes),
                ideal: round.longest.max(round.least_before + round.sent_in),
            });
        }
        match &mut barrier.rounds_left {
            Some(0) => return,
            Some(left) => *left -= 1,
            None => {}
        }
        let next = transfer.ended + barrier.think.draw(&mut barrier.random);
        for server in barrier.servers.clone() {
            if let Some(session) = self.session(server) {
                session.phase = Phase::Pausing(next);
            }
            self.ensure_wake(server);
        }
    }

    /// How long the last link to the client takes to send an answer of `bytes`.
    fn last_link_time(&self, index: u32, bytes: u64) -> Nanos {
        let Ends::Tcp(connection) = &self.flows[index as usize].ends else {
            return Nanos::ZERO;
        };
        let profile = &self.profiles[connection.profile as usize];
        let path = self.routes.empty_path(index);
        path.last_link_time(profile, Bytes(bytes))
    }
}
