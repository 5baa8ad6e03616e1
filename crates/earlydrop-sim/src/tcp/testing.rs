//! Support for the tests: a sender with scripted acknowledgments, and a sender and a receiver
//! on a link that loses and marks given segments.

use std::collections::VecDeque;
use std::fmt::Write;

use earlydrop::packet::Ecn;
use earlydrop::units::Nanos;

use super::{
    AccEcn, Ack, Algorithm, Arrival, Handshake, LossDetection, Profile, Receiver, Reply, SackBlock,
    Segment, Sender,
};

/// Formats segments: `7`, a retransmission `7*`, with CWR `7!`.
pub(super) fn format_segments(segments: &[Segment]) -> String {
    let words = segments.iter().map(|segment| {
        let star = if segment.retransmission { "*" } else { "" };
        let cwr = if segment.cwr { "!" } else { "" };
        format!("{}{star}{cwr}", segment.number)
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A sender with endless data and scripted acknowledgments, each a millisecond after the one
/// before.
pub(super) struct Script {
    pub(super) profile: Profile,
    pub(super) sender: Sender,
    pub(super) now: Nanos,
    /// AccECN's fields of the ACK being processed.
    accecn: Option<AccEcn>,
}

impl Script {
    pub(super) fn new(profile: Profile) -> Script {
        assert_eq!(profile.validate(), Ok(()));
        let mut sender = Sender::new(&profile, Nanos::ZERO);
        sender.supply(u32::MAX);
        Script {
            profile,
            sender,
            now: Nanos::ZERO,
            accecn: None,
        }
    }

    /// A connection without a SYN, whose first `window` segments are in flight.
    pub(super) fn with_window(mut profile: Profile, window: u32) -> Script {
        profile.handshake = super::Handshake::None;
        profile.initial_window = window;
        let mut script = Script::new(profile);
        let _ = script.poll();
        script
    }

    /// The segments sent now.
    pub(super) fn poll_all(&mut self) -> Vec<Segment> {
        let (profile, now) = (self.profile, self.now);
        core::iter::from_fn(|| self.sender.poll_transmit(&profile, now)).collect()
    }

    pub(super) fn poll(&mut self) -> String {
        format_segments(&self.poll_all())
    }

    fn take_ack(&mut self, next: u32, ece: bool, blocks: &[(u32, u32)]) -> String {
        self.now += Nanos::from_millis(1);
        let sacked: Vec<SackBlock> = blocks
            .iter()
            .map(|&(from, to)| SackBlock { from, to })
            .collect();
        let ack = Ack {
            next,
            echo: self.now - Nanos::from_millis(100),
            echo_retransmitted: false,
            ece,
            sacked: &sacked,
            accecn: self.accecn,
        };
        self.sender.on_ack(&self.profile, &ack, self.now);
        self.poll()
    }

    /// Processes an ACK with these AccECN fields.
    pub(super) fn accecn_ack(
        &mut self,
        next: u32,
        accecn: AccEcn,
        blocks: &[(u32, u32)],
    ) -> String {
        self.accecn = Some(accecn);
        let sent = self.take_ack(next, false, blocks);
        self.accecn = None;
        sent
    }

    /// Processes an ACK; returns what is sent for it.
    pub(super) fn ack(&mut self, next: u32) -> String {
        self.take_ack(next, false, &[])
    }

    /// Processes an ACK with ECE.
    pub(super) fn ece_ack(&mut self, next: u32) -> String {
        self.take_ack(next, true, &[])
    }

    /// Processes an ACK with SACK blocks.
    pub(super) fn sack(&mut self, next: u32, blocks: &[(u32, u32)]) -> String {
        self.take_ack(next, false, blocks)
    }

    /// Waits for the deadline; returns what is sent then.
    pub(super) fn wait(&mut self) -> String {
        self.now = self.now.max(self.sender.deadline());
        self.sender.on_timer(&self.profile, self.now);
        self.poll()
    }
}

/// Reno with RACK-TLP, every segment acknowledged, in slow start from the first segment on.
pub(super) fn rack_profile() -> Profile {
    let profile = Profile {
        delayed_acks: None,
        handshake: Handshake::None,
        initial_ssthresh: Some(1000),
        ..Profile::modern(Algorithm::Reno)
    };
    assert_eq!(profile.loss_detection, LossDetection::Rack);
    profile
}

/// A sender whose acknowledgments are given with their times in ms.
pub(super) struct Steps {
    pub(super) profile: Profile,
    pub(super) sender: Sender,
    /// When each transmission was made: what an acknowledgment echoes.
    pub(super) sent: Vec<(u32, Nanos)>,
}

impl Steps {
    /// `window` segments are sent at 0 ms, of data up to `end`.
    pub(super) fn new(mut profile: Profile, window: u32, end: u32) -> (Steps, String) {
        profile.initial_window = window;
        let mut sender = Sender::new(&profile, Nanos::ZERO);
        sender.supply(end);
        let mut steps = Steps {
            profile,
            sender,
            sent: Vec::new(),
        };
        let first = steps.poll(Nanos::ZERO);
        (steps, first)
    }

    pub(super) fn poll(&mut self, now: Nanos) -> String {
        let mut segments = Vec::new();
        while let Some(segment) = self.sender.poll_transmit(&self.profile, now) {
            self.sent.push((segment.number, now));
            segments.push(segment);
        }
        format_segments(&segments)
    }

    /// An acknowledgment at `now` ms, caused by the last transmission of `cause`.
    pub(super) fn ack(&mut self, now: u64, cause: u32, next: u32, blocks: &[(u32, u32)]) -> String {
        let sent = self.sent.iter().rev().find(|(number, _)| *number == cause);
        self.ack_echoing(now, sent.unwrap().1, next, blocks)
    }

    pub(super) fn ack_echoing(
        &mut self,
        now: u64,
        echo: Nanos,
        next: u32,
        blocks: &[(u32, u32)],
    ) -> String {
        self.ack_at(Nanos::from_millis(now), echo, next, blocks)
    }

    pub(super) fn ack_at(
        &mut self,
        now: Nanos,
        echo: Nanos,
        next: u32,
        blocks: &[(u32, u32)],
    ) -> String {
        let blocks = blocks.iter().map(|&(from, to)| SackBlock { from, to });
        let sacked: Vec<SackBlock> = blocks.collect();
        assert!(now < self.sender.deadline(), "a timer comes first");
        let ack = Ack {
            next,
            echo,
            echo_retransmitted: false,
            ece: false,
            sacked: &sacked,
            accecn: None,
        };
        self.sender.on_ack(&self.profile, &ack, now);
        self.poll(now)
    }

    /// The next timer: when it expires, in ms rounded down, and what is sent then.
    pub(super) fn timer(&mut self) -> (u64, String) {
        let now = self.sender.deadline();
        self.sender.on_timer(&self.profile, now);
        (now.0 / 1_000_000, self.poll(now))
    }
}

/// Something in flight on the [`Link`], with its time of arrival.
struct InFlight<T> {
    at: Nanos,
    what: T,
}

/// A sender, a receiver, and a link of 50 ms each way with unlimited rate.
pub(super) struct Link {
    pub(super) profile: Profile,
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    /// Transmissions to lose: a number, and which of its transmissions, from 1.
    lost: Vec<(u32, u32)>,
    /// Transmissions of each number so far.
    transmissions: Vec<u32>,
    /// Numbers whose first transmission is marked.
    pub(super) marks: Vec<u32>,
    segments: VecDeque<InFlight<(Segment, Nanos)>>,
    acks: VecDeque<InFlight<Reply>>,
    pub(super) now: Nanos,
    pub(super) trace: String,
}

impl Link {
    /// A connection with data up to `end`, losing transmissions given by number and occurrence.
    pub(super) fn new(profile: Profile, end: u32, lost: &[(u32, u32)]) -> Link {
        assert_eq!(profile.validate(), Ok(()));
        let mut sender = Sender::new(&profile, Nanos::ZERO);
        sender.supply(end);
        Link {
            profile,
            sender,
            receiver: Receiver::new(0),
            lost: lost.to_vec(),
            transmissions: vec![0; 4000],
            marks: Vec::new(),
            segments: VecDeque::new(),
            acks: VecDeque::new(),
            now: Nanos::ZERO,
            trace: String::new(),
        }
    }

    const DELAY: Nanos = Nanos::from_millis(50);

    fn send(&mut self) {
        while let Some(segment) = self.sender.poll_transmit(&self.profile, self.now) {
            let count = &mut self.transmissions[segment.number as usize];
            *count += 1;
            let lost = self.lost.contains(&(segment.number, *count));
            let word = format_segments(&[segment]);
            let lost_mark = if lost { "x" } else { "" };
            write!(self.trace, " {word}{lost_mark}").unwrap();
            if lost {
                continue;
            }
            let mut segment = segment;
            let first = !segment.retransmission;
            if first && segment.ecn.is_capable() && self.marks.contains(&segment.number) {
                segment.ecn = Ecn::Ce;
            }
            self.segments.push_back(InFlight {
                at: self.now + Link::DELAY,
                what: (segment, self.now),
            });
        }
    }

    fn reply(&mut self, reply: Option<Reply>) {
        let at = self.now + Link::DELAY;
        let what = reply.into_iter();
        self.acks.extend(what.map(|what| InFlight { at, what }));
    }

    /// Runs until `until` milliseconds; returns the trace, one line for each time at which
    /// something is sent.
    pub(super) fn run(&mut self, until: u64) -> &str {
        self.burst();
        loop {
            let next = [
                self.segments.front().map_or(Nanos::NEVER, |next| next.at),
                self.acks.front().map_or(Nanos::NEVER, |next| next.at),
                self.sender.deadline(),
                self.receiver.deadline(),
            ];
            let next = next.into_iter().min().unwrap();
            if next > Nanos::from_millis(until) {
                return &self.trace;
            }
            self.now = next;
            self.arrive();
            self.burst();
        }
    }

    fn arrive(&mut self) {
        while self
            .segments
            .front()
            .is_some_and(|next| next.at <= self.now)
        {
            let (segment, sent) = self.segments.pop_front().unwrap().what;
            let arrival = Arrival::of(&segment, sent);
            let reply = self.receiver.on_segment(&self.profile, &arrival, self.now);
            self.reply(reply);
        }
        let reply = self.receiver.on_timer(&self.profile, self.now);
        self.reply(reply);
    }

    /// Takes the acknowledgments and the timer that are due now, and traces what is sent.
    fn burst(&mut self) {
        let before = self.trace.len();
        self.send();
        while self.acks.front().is_some_and(|next| next.at <= self.now) {
            let reply = self.acks.pop_front().unwrap().what;
            self.sender.on_ack(&self.profile, &reply.as_ack(), self.now);
            self.send();
        }
        self.sender.on_timer(&self.profile, self.now);
        self.send();
        if self.trace.len() > before {
            let time = format!("{:.0}:", self.now.as_secs_f64() * 1e3);
            self.trace.insert_str(before, &time);
            self.trace.push('\n');
        }
    }
}
