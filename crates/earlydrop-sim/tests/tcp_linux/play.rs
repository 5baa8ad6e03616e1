//! Plays a script with the simulator's sender, and notes what the kernel's device notes.

use std::collections::BTreeMap;
use std::ops::Range;

use earlydrop::packet::Ecn;
use earlydrop::units::Nanos;
use earlydrop_sim::tcp::{
    Ack, Algorithm, EcnFeedback, EcnMode, HyStartKind, Profile, Segment, Sender,
};

use super::peer::{Answer, Bottleneck, ScriptedAck, ScriptedReceiver};
use super::script::{Action, Script};

/// Bytes of a SYN, of a full segment and of the handshake's third packet, with IP's header.
const SYN_BYTES: u64 = 60;
const SEGMENT_BYTES: u64 = 1500;
const BARE_ACK_BYTES: u64 = 52;

/// A transmission.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub(crate) at: u64,
    /// The ordinal among transmissions of data, from 1; 0 for the SYN.
    pub(crate) ordinal: u64,
    pub(crate) segment: Segment,
    /// `.` passed, `x` lost by the script, `d` dropped by the queue, `m` marked.
    pub(crate) fate: char,
}

/// The sender's state after an acknowledgment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    pub(crate) at: u64,
    pub(crate) snd_una: u32,
    pub(crate) cwnd: f64,
    pub(crate) ssthresh: f64,
    pub(crate) in_flight: u32,
    pub(crate) srtt: u64,
    pub(crate) rto: u64,
}

/// What happened, in order.
#[derive(Clone, Debug)]
pub(crate) enum Record {
    Sent(Sent),
    Arrived(u64, ScriptedAck),
    LostAck(u64, ScriptedAck),
    State(State),
}

/// Data that the application hands over: the time, and segments in all by then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Writes(pub(crate) Vec<(u64, u32)>);

impl Writes {
    /// Reads `SEGMENTS`, or `SEGMENTS@NS,SEGMENTS@NS`: so many more segments at each time.
    pub(crate) fn read(text: &str) -> Option<Writes> {
        let mut all = 0;
        let each = text.split(',').map(|one| {
            let (segments, at) = one.split_once('@').unwrap_or((one, "0"));
            all += segments.parse::<u32>().ok()?;
            Some((at.parse().ok()?, all))
        });
        Some(Writes(each.collect::<Option<_>>()?))
    }

    /// When the last data is handed over, ns.
    pub(crate) fn last_at(&self) -> u64 {
        self.0.last().map_or(0, |&(at, _)| at)
    }

    fn total(&self) -> u32 {
        self.0.last().map_or(0, |&(_, all)| all)
    }
}

/// The profile of a control's name with a script's ECN; `cubic-hystart` is CUBIC with Linux's
/// HyStart.
pub(crate) fn profile(control: &str, script: &Script) -> Option<Profile> {
    let algorithm = match control {
        "reno" => Algorithm::Reno,
        "cubic" | "cubic-hystart" => Algorithm::Cubic,
        "dctcp" => Algorithm::Dctcp,
        "bbr" => Algorithm::Bbr,
        _ => return None,
    };
    let mut profile = Profile::linux(algorithm);
    (profile.ecn, profile.ecn_feedback) = match script.number("ecn") {
        0 => (EcnMode::Off, None),
        1 => (EcnMode::Classic, Some(EcnFeedback::Classic)),
        _ => (EcnMode::Dctcp, Some(EcnFeedback::Dctcp)),
    };
    // The script's receiver acknowledges as the script says.
    profile.delayed_acks = None;
    profile.quick_acks = false;
    if control == "cubic" {
        profile.hystart = HyStartKind::Off;
    }
    profile.receiver_window = (script.number("window") / 1448).min(1 << 24) as u32;
    Some(profile)
}

enum Event {
    Segment(Segment, u64),
    Ack(ScriptedAck),
    DelayedAck(u64),
    Write(u32),
}

/// A script being played.
struct Player<'a> {
    script: &'a Script,
    profile: &'a Profile,
    sender: Sender,
    receiver: ScriptedReceiver,
    bottleneck: Bottleneck,
    now: u64,
    events: BTreeMap<(u64, u64), Event>,
    order: u64,
    transmissions: u64,
    log: Vec<Record>,
}

/// Plays `script` until all of `writes` is acknowledged, for as long as `time` at most.
pub(crate) fn play(
    script: &Script,
    profile: &Profile,
    writes: &Writes,
    time: Range<u64>,
) -> Vec<Record> {
    let mut player = Player {
        script,
        profile,
        sender: Sender::new(profile, Nanos(time.start)),
        receiver: ScriptedReceiver::new(script),
        bottleneck: Bottleneck::new(script),
        now: time.start,
        events: BTreeMap::new(),
        order: 0,
        transmissions: 0,
        log: Vec::new(),
    };
    for &(at, all) in &writes.0 {
        player.put(time.start + at, Event::Write(1 + all));
    }
    player.run(1 + writes.total(), time.end);
    player.log
}

impl Player<'_> {
    fn put(&mut self, at: u64, event: Event) {
        self.order += 1;
        self.events.insert((at, self.order), event);
    }

    fn run(&mut self, end: u32, until: u64) {
        while self.sender.snd_una() < end {
            let event = self.events.keys().next().map_or(u64::MAX, |&(at, _)| at);
            let timer = self.sender.deadline().0;
            self.now = event.min(timer);
            if self.now > until {
                break;
            }
            // The kernel's pacing timer runs before what arrives at the same time.
            if event >= timer {
                self.sender.on_timer(self.profile, Nanos(self.now));
                self.send();
            } else if let Some((_, event)) = self.events.pop_first() {
                self.take(event);
            }
        }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Write(end) => {
                self.sender.supply(end);
                self.send();
            }
            Event::Segment(segment, sent) if segment.syn => {
                let ack = self.receiver.on_syn(sent);
                self.answer(Answer {
                    acks: vec![ack],
                    delay: None,
                });
            }
            Event::Segment(segment, sent) => {
                let answer = self.receiver.on_segment(&segment, sent);
                self.answer(answer);
            }
            Event::DelayedAck(generation) => {
                let acks = self.receiver.on_timer(generation).into_iter().collect();
                self.answer(Answer { acks, delay: None });
            }
            Event::Ack(ack) => self.acknowledge(&ack),
        }
    }

    fn acknowledge(&mut self, scripted: &ScriptedAck) {
        self.log.push(Record::Arrived(self.now, scripted.clone()));
        if scripted.ordinal == 0 {
            // The handshake's third packet occupies the bottleneck.
            self.bottleneck
                .pass(self.now, BARE_ACK_BYTES, &mut Ecn::NotCapable.clone());
        }
        let ack = Ack {
            next: scripted.next,
            echo: Nanos(scripted.echo),
            echo_retransmitted: scripted.echo_retransmitted,
            ece: scripted.ece,
            sacked: &scripted.blocks,
            accecn: None,
        };
        self.sender.on_ack(self.profile, &ack, Nanos(self.now));
        self.send();
        self.log.push(Record::State(State {
            at: self.now,
            snd_una: self.sender.snd_una(),
            cwnd: self.sender.cwnd(),
            ssthresh: self.sender.ssthresh(),
            in_flight: self.sender.in_flight(),
            srtt: self.sender.srtt(self.profile).0,
            rto: self.sender.rto().0,
        }));
    }

    fn answer(&mut self, answer: Answer) {
        for ack in answer.acks {
            if self.script.listed(Action::LoseAck, ack.ordinal).is_some() {
                self.log.push(Record::LostAck(self.now, ack));
            } else {
                self.put(self.now + self.script.number("back"), Event::Ack(ack));
            }
        }
        if let Some(generation) = answer.delay {
            let at = self.now + self.receiver.timeout;
            self.put(at, Event::DelayedAck(generation));
        }
    }

    fn send(&mut self) {
        while let Some(segment) = self.sender.poll_transmit(self.profile, Nanos(self.now)) {
            self.transmit(segment);
        }
    }

    fn transmit(&mut self, segment: Segment) {
        let mut arriving = segment;
        let (mut ordinal, mut bytes) = (0, SYN_BYTES);
        if !segment.syn {
            self.transmissions += 1;
            (ordinal, bytes) = (self.transmissions, SEGMENT_BYTES);
        }
        let mut left = None;
        let mut fate = 'x';
        if self.script.listed(Action::Lose, ordinal).is_none() {
            left = self.bottleneck.pass(self.now, bytes, &mut arriving.ecn);
            let marks = self.script.listed(Action::Mark, ordinal).is_some();
            if marks && arriving.ecn.is_capable() {
                arriving.ecn = Ecn::Ce;
            }
            fate = match left {
                None => 'd',
                Some(_) if arriving.ecn != segment.ecn => 'm',
                Some(_) => '.',
            };
        }
        self.log.push(Record::Sent(Sent {
            at: self.now,
            ordinal,
            segment,
            fate,
        }));
        let Some(left) = left else { return };
        let late = self.script.listed(Action::Late, ordinal).unwrap_or(0);
        let at = left + self.script.number("there") + late;
        if self.script.listed(Action::Twice, ordinal).is_some() {
            self.put(at, Event::Segment(arriving, self.now));
        }
        self.put(at, Event::Segment(arriving, self.now));
    }
}
