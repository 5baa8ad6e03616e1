//! Plays a script with a sender of the profile `linux`.

use earlydrop::packet::Ecn;
use earlydrop::units::Nanos;
use earlydrop_sim::tcp::{
    Ack, Algorithm, Arrival, EcnMode, HyStartKind, Profile, Receiver, Recovery, Reduction, Reply,
    SackBlock, Segment, Sender,
};

use super::script::{Event, Line, Script};

/// Transmissions may be so many ns early or late: what packetdrill tolerates, and the phase of a
/// clock of 4 ms.
const SLACK: u64 = 10_000_000;

/// The checks of a script that was played.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) checks: usize,
    /// The checks that failed, in words.
    pub(crate) failed: Vec<String>,
}

fn ns(millis: f64) -> u64 {
    (millis * 1e6).round() as u64
}

fn profile(script: &Script) -> Profile {
    let mut profile = Profile::linux(match script.has("reno") {
        true => Algorithm::Reno,
        false => Algorithm::Cubic,
    });
    profile.slow_start_restart = script.has("restart");
    profile.ecn = match script.has("ecn") {
        true => EcnMode::Classic,
        false => EcnMode::Off,
    };
    if script.has("nosack") {
        (profile.recovery, profile.reduction) = (Recovery::NewReno, Reduction::AtOnce);
    }
    profile.initial_window = script.number("iw").unwrap_or(profile.initial_window);
    profile.initial_ssthresh = script.number("ssthresh");
    if let Some(leaves) = script.number("leaves") {
        (profile.hystart, profile.initial_ssthresh) = (HyStartKind::Off, Some(leaves));
    }
    profile
}

struct Player {
    profile: Profile,
    sender: Sender,
    receiver: Receiver,
    /// When the first data is handed over; later once a timer made the script wait.
    origin: u64,
    supplied: u32,
    /// All transmissions of data.
    sent: Vec<(u64, Segment)>,
    sacked: Vec<(u32, u32)>,
    /// The receiver's last acknowledgment.
    reply: Option<Reply>,
}

impl Player {
    /// A connection whose SYN took the script's round trip.
    fn new(script: &Script) -> Player {
        let profile = profile(script);
        let origin = ns(f64::from(script.number("rtt").expect("a round trip")));
        let mut player = Player {
            profile,
            sender: Sender::new(&profile, Nanos::ZERO),
            receiver: Receiver::new(1),
            origin,
            supplied: 1,
            sent: Vec::new(),
            sacked: Vec::new(),
            reply: None,
        };
        player.sender.supply(1);
        player.send(0);
        player.acknowledge(origin, 1, &[], false);
        player
    }

    fn send(&mut self, now: u64) {
        while let Some(segment) = self.sender.poll_transmit(&self.profile, Nanos(now)) {
            self.sent.push((now, segment));
        }
    }

    /// Lets timers expire that do so before `now`.
    fn wait(&mut self, now: u64) {
        while self.sender.deadline().0 < now {
            let at = self.sender.deadline();
            self.sender.on_timer(&self.profile, at);
            self.send(at.0);
        }
    }

    /// The last transmission of the segment that this acknowledgment answers: the first one that it
    /// acknowledges, or the last of the SACK block that is new.
    fn cause(&self, next: u32, blocks: &[(u32, u32)]) -> Option<(u64, Segment)> {
        let new = blocks.iter().find(|block| !self.sacked.contains(block));
        let number = match new {
            Some(block) if next <= self.sender.snd_una() => block.1 - 1,
            _ => self.sender.snd_una(),
        };
        let mut sent = self.sent.iter().rev();
        sent.find(|(_, segment)| segment.number == number).copied()
    }

    fn acknowledge(&mut self, now: u64, next: u32, blocks: &[(u32, u32)], ece: bool) {
        let cause = self.cause(next, blocks);
        let sacked: Vec<SackBlock> = blocks
            .iter()
            .map(|&(from, to)| SackBlock { from, to })
            .collect();
        let ack = Ack {
            next,
            echo: Nanos(cause.map_or(now, |(at, _)| at)),
            echo_retransmitted: cause.is_some_and(|(_, segment)| segment.retransmission),
            ece,
            sacked: &sacked,
            accecn: None,
        };
        self.sender.on_ack(&self.profile, &ack, Nanos(now));
        self.sacked = blocks.to_vec();
        self.send(now);
    }

    fn take(&mut self, line: &Line) {
        let now = self.origin + ns(line.at);
        self.wait(now);
        match &line.event {
            Event::Write(segments) => {
                self.supplied += segments;
                self.sender.supply(self.supplied);
                self.send(now);
            }
            Event::Acks(all, interval) => {
                for (index, next) in all.iter().enumerate() {
                    let at = now + ns(index as f64 * interval);
                    self.wait(at);
                    self.acknowledge(at, *next, &[], false);
                }
            }
            Event::Ack(next, blocks, ece) => self.acknowledge(now, *next, blocks, *ece),
            Event::Data(numbers) => self.receive(numbers, now),
            Event::Wait if line.sent.is_empty() => {}
            Event::Wait => self.wait_for(now),
        }
    }

    /// Waits for what a timer sends, but no longer than what is tolerated. Later times count from
    /// then, as packetdrill's do.
    fn wait_for(&mut self, now: u64) {
        let timer = self.sender.deadline().0;
        if timer <= now + SLACK {
            self.wait(timer + 1);
            self.origin += timer - now;
        }
    }

    /// The receiver takes segments.
    fn receive(&mut self, numbers: &[u32], now: u64) {
        for &number in numbers {
            let arrival = Arrival {
                number,
                ecn: Ecn::NotCapable,
                cwr: false,
                retransmission: false,
                sent: Nanos(now),
            };
            self.reply = self
                .receiver
                .on_segment(&self.profile, &arrival, Nanos(now));
        }
    }

    /// The receiver's last acknowledgment: the segment expected, and its blocks.
    fn reply(&self) -> (u32, Vec<(u32, u32)>) {
        let reply = self.reply.expect("an acknowledgment");
        let blocks = reply.sacked().iter().map(|block| (block.from, block.to));
        (reply.next, blocks.collect())
    }

    fn state(&self, name: &str) -> f64 {
        match name {
            "cwnd" => self.sender.cwnd(),
            "ssthresh" => self.sender.ssthresh(),
            "ect" => match self.sent.last().map(|(_, segment)| segment.ecn) {
                Some(Ecn::Ect0) => 0.0,
                Some(Ecn::Ect1) => 1.0,
                _ => f64::NAN,
            },
            _ => f64::from(self.sender.in_flight()),
        }
    }
}

impl Outcome {
    fn check(&mut self, holds: bool, text: impl FnOnce() -> String) {
        self.checks += 1;
        if !holds {
            self.failed.push(text());
        }
    }

    /// Compares what was sent with the lines, in order; `due` is when each line happened.
    fn check_sent(&mut self, player: &Player, lines: &[Line], due: &[u64]) {
        let mut sent = player.sent.iter().filter(|(_, segment)| !segment.syn);
        let lines = lines.iter().zip(due);
        for (line, &at) in lines.filter(|(line, _)| !line.sent.is_empty()) {
            let ours: Vec<_> = sent.by_ref().take(line.sent.len()).collect();
            let numbers = ours.iter().map(|(_, segment)| segment.number);
            let holds = numbers.eq(line.sent.iter().copied())
                && ours.iter().all(|(time, _)| time.abs_diff(at) <= SLACK);
            self.check(holds, || {
                let words = ours.iter().map(|(time, segment)| {
                    let late = *time as f64 - at as f64;
                    format!("{} {:+} ms", segment.number, late / 1e6)
                });
                format!(
                    "{}: here {}",
                    line.text,
                    words.collect::<Vec<_>>().join(", ")
                )
            });
        }
    }
}

/// Plays a script.
pub(crate) fn play(script: &Script) -> Outcome {
    let mut player = Player::new(script);
    let mut outcome = Outcome::default();
    let mut due = Vec::new();
    for line in &script.lines {
        due.push(player.origin + ns(line.at));
        player.take(line);
        for &(name, expected) in &line.state {
            let ours = player.state(name);
            outcome.check(ours == expected, || {
                format!("{}: here {name} {ours}", line.text)
            });
        }
        if let Some(expected) = &line.reply {
            let ours = player.reply();
            outcome.check(ours == *expected, || {
                format!("{}: here {ours:?}", line.text)
            });
        }
    }
    outcome.check_sent(&player, &script.lines, &due);
    outcome
}
