//! The far end of a script: the path's bottleneck and the receiver of `bench/linux/path.c`, in
//! segments.

use std::collections::VecDeque;

use earlydrop::packet::Ecn;
use earlydrop_sim::tcp::{SackBlock, Segment};

use super::script::Script;

/// The bottleneck: a drop-tail queue of packets, whose step marks.
pub(crate) struct Bottleneck {
    rate: u64,
    queue: usize,
    step: usize,
    overhead: u64,
    free_at: u64,
    departures: VecDeque<u64>,
}

impl Bottleneck {
    pub(crate) fn new(script: &Script) -> Bottleneck {
        Bottleneck {
            rate: script.number("rate"),
            queue: script.number("queue") as usize,
            step: script.number("step") as usize,
            overhead: script.number("overhead"),
            free_at: 0,
            departures: VecDeque::new(),
        }
    }

    /// When a packet of `bytes` that arrives now has left, in ns; `None`: it is dropped.
    pub(crate) fn pass(&mut self, now: u64, bytes: u64, ecn: &mut Ecn) -> Option<u64> {
        if self.rate == 0 {
            return Some(now);
        }
        while self.departures.front().is_some_and(|&at| at <= now) {
            self.departures.pop_front();
        }
        let waiting = self.departures.len();
        if self.queue > 0 && waiting >= self.queue {
            return None;
        }
        if self.step > 0 && waiting >= self.step && ecn.is_capable() {
            *ecn = Ecn::Ce;
        }
        let bits = (bytes + self.overhead) * 8;
        self.free_at = self.free_at.max(now) + bits * 1_000_000_000 / self.rate;
        self.departures.push_back(self.free_at);
        Some(self.free_at)
    }
}

/// An acknowledgment on its way back.
#[derive(Clone, Debug)]
pub(crate) struct ScriptedAck {
    /// The ordinal, from 1 for the SYN's.
    pub(crate) ordinal: u64,
    pub(crate) next: u32,
    pub(crate) ece: bool,
    /// When the segment was sent whose timestamp it echoes.
    pub(crate) echo: u64,
    pub(crate) echo_retransmitted: bool,
    pub(crate) blocks: Vec<SackBlock>,
}

/// The receiver: cumulative acknowledgments with SACK, the newest block first, and DSACK; at once
/// out of order and where a hole is filled or shrinks.
pub(crate) struct ScriptedReceiver {
    every: u64,
    pub(crate) timeout: u64,
    quick: u64,
    change: bool,
    sack: bool,
    most_blocks: usize,
    ecn: u64,
    expected: u32,
    last_ack_sent: u32,
    echo: (u64, bool),
    pending: u64,
    /// Distinguishes delayed acknowledgments that were sent otherwise meanwhile.
    pub(crate) generation: u64,
    acks: u64,
    ece_latched: bool,
    ce_state: bool,
    duplicate: Option<SackBlock>,
    /// Received out of order, the newest last.
    blocks: Vec<SackBlock>,
}

/// What the receiver does about a segment.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) acks: Vec<ScriptedAck>,
    /// Whether a delayed acknowledgment is to be armed, of this generation.
    pub(crate) delay: Option<u64>,
}

impl ScriptedReceiver {
    pub(crate) fn new(script: &Script) -> ScriptedReceiver {
        ScriptedReceiver {
            every: script.number("every"),
            timeout: script.number("timeout"),
            quick: script.number("quick"),
            change: script.number("change") > 0,
            sack: script.number("sack") > 0,
            most_blocks: if script.number("timestamps") > 0 {
                3
            } else {
                4
            },
            ecn: script.number("ecn"),
            expected: 1,
            last_ack_sent: 1,
            echo: (0, false),
            pending: 0,
            generation: 0,
            acks: 0,
            ece_latched: false,
            ce_state: false,
            duplicate: None,
            blocks: Vec::new(),
        }
    }

    /// The acknowledgment of the SYN sent at `sent`.
    pub(crate) fn on_syn(&mut self, sent: u64) -> ScriptedAck {
        self.echo = (sent, false);
        ScriptedAck {
            ordinal: 0,
            next: 1,
            ece: self.ecn > 0,
            echo: sent,
            echo_retransmitted: false,
            blocks: Vec::new(),
        }
    }

    fn ack(&mut self) -> ScriptedAck {
        let mut blocks = Vec::new();
        if self.sack {
            blocks.extend(self.duplicate);
            blocks.extend(self.blocks.iter().rev());
            blocks.truncate(self.most_blocks);
        }
        self.duplicate = None;
        self.pending = 0;
        self.generation += 1;
        self.last_ack_sent = self.expected;
        self.quick = self.quick.saturating_sub(1);
        self.acks += 1;
        ScriptedAck {
            ordinal: self.acks,
            next: self.expected,
            ece: match self.ecn {
                1 => self.ece_latched,
                2 => self.ce_state,
                _ => false,
            },
            echo: self.echo.0,
            echo_retransmitted: self.echo.1,
            blocks,
        }
    }

    /// Takes a segment sent at `sent`.
    pub(crate) fn on_segment(&mut self, segment: &Segment, sent: u64) -> Answer {
        let mut answer = Answer::default();
        let number = segment.number;
        let ce = segment.ecn == Ecn::Ce;
        let mut at_once = false;
        // RFC 7323, 4.3: TSval of the segment that covers Last.ACK.sent.
        if number <= self.last_ack_sent {
            self.echo = (sent, segment.retransmission);
        }
        self.ece_latched = ce || (self.ece_latched && !segment.cwr);
        if self.ecn == 2 && ce != self.ce_state {
            if self.pending > 0 {
                answer.acks.push(self.ack());
            }
            self.ce_state = ce;
            at_once = self.change;
        }
        at_once |= self.place(number);
        if at_once || self.quick > 0 || self.pending >= self.every {
            answer.acks.push(self.ack());
        } else if self.pending == 1 {
            answer.delay = Some(self.generation);
        }
        answer
    }

    /// Puts `number` where it belongs; returns whether it is acknowledged at once.
    fn place(&mut self, number: u32) -> bool {
        let block = SackBlock {
            from: number,
            to: number + 1,
        };
        let held = |known: &SackBlock| known.from <= number && number < known.to;
        if number < self.expected || self.blocks.iter().any(held) {
            self.duplicate = Some(block);
            return true;
        }
        if number > self.expected {
            self.add(block);
            return true;
        }
        let fills = !self.blocks.is_empty();
        self.expected = number + 1;
        while let Some(at) = self.blocks.iter().position(|b| b.from <= self.expected) {
            self.expected = self.expected.max(self.blocks.remove(at).to);
        }
        self.pending += 1;
        fills
    }

    fn add(&mut self, mut block: SackBlock) {
        self.blocks.retain(|known| {
            let touches = known.from <= block.to && block.from <= known.to;
            if touches {
                block.from = block.from.min(known.from);
                block.to = block.to.max(known.to);
            }
            !touches
        });
        self.blocks.push(block);
    }

    /// The delayed acknowledgment of `generation` is due.
    pub(crate) fn on_timer(&mut self, generation: u64) -> Option<ScriptedAck> {
        (generation == self.generation && self.pending > 0).then(|| self.ack())
    }
}
