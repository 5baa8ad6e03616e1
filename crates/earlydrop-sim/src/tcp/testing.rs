//! Benches for the tests: a sender fed with acknowledgments by hand, and a sender and a
//! receiver on a link that loses what it is told to lose.

use std::collections::VecDeque;
use std::fmt::Write;

use earlydrop::packet::Ecn;
use earlydrop::units::Nanos;

use super::{Ack, Arrival, Profile, Range, Receiver, Reply, Segment, Sender};

/// Writes segments: `7`, sent again `7*`, with CWR `7!`, ECN-capable or not as the
/// profile has it.
pub(super) fn written(segments: &[Segment]) -> String {
    let words = segments.iter().map(|segment| {
        let again = if segment.retransmission { "*" } else { "" };
        let cwr = if segment.cwr { "!" } else { "" };
        format!("{}{again}{cwr}", segment.number)
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A sender with endless data, and acknowledgments by hand, each a millisecond after
/// the one before.
pub(super) struct Bench {
    pub(super) profile: Profile,
    pub(super) sender: Sender,
    pub(super) now: Nanos,
}

impl Bench {
    pub(super) fn new(profile: Profile) -> Bench {
        assert_eq!(profile.validate(), Ok(()));
        let mut sender = Sender::new(&profile, Nanos::ZERO);
        sender.supply(u32::MAX);
        Bench {
            profile,
            sender,
            now: Nanos::ZERO,
        }
    }

    /// A connection without request, whose first `window` segments are on their way.
    pub(super) fn with_window(mut profile: Profile, window: u32) -> Bench {
        profile.handshake = super::Handshake::None;
        profile.initial_window = window;
        let mut bench = Bench::new(profile);
        let _ = bench.poll();
        bench
    }

    /// What is sent now.
    pub(super) fn poll_all(&mut self) -> Vec<Segment> {
        let (profile, now) = (self.profile, self.now);
        core::iter::from_fn(|| self.sender.poll_transmit(&profile, now)).collect()
    }

    pub(super) fn poll(&mut self) -> String {
        written(&self.poll_all())
    }

    fn take(&mut self, next: u32, ece: bool, ranges: &[(u32, u32)]) -> String {
        self.now += Nanos::from_millis(1);
        let sacked: Vec<Range> = ranges
            .iter()
            .map(|&(from, to)| Range { from, to })
            .collect();
        let ack = Ack {
            next,
            echo: self.now - Nanos::from_millis(100),
            echo_retransmitted: false,
            ece,
            sacked: &sacked,
        };
        self.sender.on_ack(&self.profile, &ack, self.now);
        self.poll()
    }

    /// An acknowledgment arrives; what is sent for it.
    pub(super) fn ack(&mut self, next: u32) -> String {
        self.take(next, false, &[])
    }

    pub(super) fn marked_ack(&mut self, next: u32) -> String {
        self.take(next, true, &[])
    }

    pub(super) fn sack(&mut self, next: u32, ranges: &[(u32, u32)]) -> String {
        self.take(next, false, ranges)
    }

    /// Waits for the deadline; what is sent then.
    pub(super) fn wait(&mut self) -> String {
        self.now = self.now.max(self.sender.deadline());
        self.sender.on_timer(&self.profile, self.now);
        self.poll()
    }
}

/// What is under way on the [`Link`], in the order of arrival.
struct Travelling<T> {
    at: Nanos,
    what: T,
}

/// A sender, a receiver, and a link of 50 ms each way that takes no time to send on.
pub(super) struct Link {
    pub(super) profile: Profile,
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    /// Copies to be lost: a number, and which of its copies.
    lost: Vec<(u32, u32)>,
    /// Copies of each number sent so far.
    copies: Vec<u32>,
    /// Numbers whose first copy is marked.
    pub(super) marks: Vec<u32>,
    segments: VecDeque<Travelling<(Segment, Nanos)>>,
    acks: VecDeque<Travelling<Reply>>,
    pub(super) now: Nanos,
    pub(super) trace: String,
}

impl Link {
    /// A connection with data up to `end`, losing copies given by number and occurrence.
    pub(super) fn new(profile: Profile, end: u32, lost: &[(u32, u32)]) -> Link {
        assert_eq!(profile.validate(), Ok(()));
        let mut sender = Sender::new(&profile, Nanos::ZERO);
        sender.supply(end);
        Link {
            profile,
            sender,
            receiver: Receiver::new(0),
            lost: lost.to_vec(),
            copies: vec![0; 4000],
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
            let copy = &mut self.copies[segment.number as usize];
            *copy += 1;
            let lost = self.lost.contains(&(segment.number, *copy));
            let word = written(&[segment]);
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
            self.segments.push_back(Travelling {
                at: self.now + Link::DELAY,
                what: (segment, self.now),
            });
        }
    }

    fn reply(&mut self, reply: Option<Reply>) {
        let at = self.now + Link::DELAY;
        let what = reply.into_iter();
        self.acks.extend(what.map(|what| Travelling { at, what }));
    }

    /// Goes on until `until` milliseconds, one line for each time at which something
    /// is sent.
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

    /// What acknowledgments and the timer let go now.
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
