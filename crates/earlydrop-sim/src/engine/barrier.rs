//! Barriers: a client of an incast asks all its servers again once each has answered.
//!
//! A server is a flow whose session requests an answer, as any session of requests
//! (`transfers.rs`). Here its next request waits for the answers of all others.

use earlydrop::random::Pcg32;
use earlydrop::units::{Bytes, Nanos};

use super::application::Transfer;
use crate::results::IncastRound;
use crate::spread::Spread;
use crate::traffic::FlowId;

/// A client and its servers.
#[derive(Clone, Debug)]
pub(super) struct Barrier {
    /// The flows of the servers.
    pub(super) servers: Vec<u32>,
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
    /// Whether all of them have such times.
    is_known: bool,
}

impl Answers {
    const NONE: Answers = Answers {
        count: 0,
        began: Nanos::NEVER,
        bytes: 0,
        longest: Nanos::ZERO,
        least_before: Nanos::NEVER,
        sent_in: Nanos::ZERO,
        is_known: true,
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
        self.is_known &= ideal > Nanos::ZERO;
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

    /// All of an answer has arrived at the client; it takes `ideal` in an empty network, of which
    /// its last link is busy for `sent_in`. Returns the round, if this was its last answer.
    pub(super) fn end_answer(
        &mut self,
        transfer: &Transfer,
        ideal: Nanos,
        sent_in: Nanos,
    ) -> Option<IncastRound> {
        self.round.add(transfer, ideal, sent_in);
        if (self.round.count as usize) < self.servers.len() {
            return None;
        }
        let round = std::mem::replace(&mut self.round, Answers::NONE);
        Some(IncastRound {
            flow: FlowId(self.servers[0]),
            began: round.began,
            ended: transfer.ended,
            answers: round.count,
            bytes: Bytes(round.bytes),
            // None where one of its answers has none.
            ideal: match round.is_known {
                true => round.longest.max(round.least_before + round.sent_in),
                false => Nanos::ZERO,
            },
        })
    }

    /// When the round after one that ended at `ended` starts; `None` after the last.
    pub(super) fn next_round(&mut self, ended: Nanos) -> Option<Nanos> {
        match &mut self.rounds_left {
            Some(0) => return None,
            Some(left) => *left -= 1,
            None => {}
        }
        Some(ended + self.think.draw(&mut self.random))
    }
}
