//! Two loads of a link of 8 Mbps: flows that respond, and bursts with pauses between them.

use earlydrop::packet::{Ecn, FlowKey, Packet};
use earlydrop::queue::Outcome;
use earlydrop::random::Pcg32;
use earlydrop::units::Nanos;

/// A packet with an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) id: u32,
    pub(crate) flow: u32,
    pub(crate) size: u32,
    pub(crate) ecn: Ecn,
    /// Whether the queue has marked it.
    pub(crate) is_marked: bool,
}

impl Packet for Sent {
    fn size(&self) -> u32 {
        self.size
    }
    fn flow(&self) -> FlowKey {
        FlowKey(u64::from(self.flow))
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
        self.is_marked = true;
    }
    fn class(&self) -> u8 {
        (self.flow % 4) as u8
    }
}

/// What a dequeue has dropped, and what has left.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Dequeued {
    pub(crate) lost: Vec<Sent>,
    pub(crate) left: Option<Sent>,
}

const FLOWS: usize = 12;

/// Packets that arrive, and a link that sends what waits.
pub(crate) struct Load {
    random: Pcg32,
    now: Nanos,
    next_id: u32,
    /// Each flow's rate, in packets a second.
    rates: [f64; FLOWS],
    /// Bursts and pauses instead of a steady load.
    bursty: bool,
    /// Packets left of the burst, and its flow.
    burst: (u32, u32),
    /// When the link is free.
    free_at: Nanos,
    /// The link has found the queue empty since the last arrival.
    idle: bool,
}

impl Load {
    /// Flows that halve their rate at a drop or mark and raise it otherwise, and two that do not
    /// respond.
    pub(crate) fn steady(seed: u64) -> Load {
        Load {
            random: Pcg32::new(seed, 0),
            now: Nanos::ZERO,
            next_id: 0,
            rates: [120.0; FLOWS],
            bursty: false,
            burst: (0, 0),
            free_at: Nanos::ZERO,
            idle: true,
        }
    }

    /// Bursts of up to 400 packets at twice the link's rate, and pauses of up to four seconds.
    pub(crate) fn bursts(seed: u64) -> Load {
        Load {
            bursty: true,
            ..Load::steady(seed)
        }
    }

    /// Whether it is one of bursts.
    pub(crate) fn is_bursty(&self) -> bool {
        self.bursty
    }

    /// The next arrival.
    pub(crate) fn next(&mut self) -> (Nanos, Sent) {
        let (gap, flow) = match self.bursty {
            true => self.next_of_burst(),
            false => self.next_of_mix(),
        };
        self.now += Nanos(gap);
        self.next_id += 1;
        let size = match self.random.below(4) {
            0 => 40 + self.random.below(1461),
            _ => 1000,
        };
        // A flow is L4S, capable, or not; in bursts any packet may be any.
        let ecn = match self.bursty {
            true => self.random.below(4),
            false => flow % 3,
        };
        let packet = Sent {
            id: self.next_id,
            flow,
            size,
            ecn: Ecn::from_bits(ecn as u8),
            is_marked: false,
        };
        (self.now, packet)
    }

    fn next_of_mix(&mut self) -> (u64, u32) {
        let total: f64 = self.rates.iter().sum();
        let mut drawn = self.random.uniform() * total;
        let mut flow = 0;
        while flow + 1 < FLOWS && drawn >= self.rates[flow] {
            drawn -= self.rates[flow];
            flow += 1;
        }
        let gap = -(1.0 - self.random.uniform()).ln() / total;
        (1 + (gap * 1e9) as u64, flow as u32)
    }

    fn next_of_burst(&mut self) -> (u64, u32) {
        if self.burst.0 > 0 {
            self.burst.0 -= 1;
            let other = self.random.below(3) == 0;
            let flow = if other {
                self.random.below(40)
            } else {
                self.burst.1
            };
            return (u64::from(self.random.below(900_000)), flow);
        }
        self.burst = (self.random.below(400), self.random.below(5));
        let pause = match self.random.below(3) {
            0 => self.random.below(4_000_000_000),
            1 => self.random.below(300_000_000),
            _ => self.random.below(3_000_000),
        };
        (u64::from(pause), self.burst.1)
    }

    /// When the link next dequeues, if it does before `now`. It asks an empty queue once.
    pub(crate) fn departs_by(&self, now: Nanos, waiting: u32) -> Option<Nanos> {
        (self.free_at < now && (waiting > 0 || !self.idle)).then_some(self.free_at)
    }

    /// The link has dequeued at `at`.
    pub(crate) fn sent(&mut self, at: Nanos, dequeued: &Dequeued) {
        for packet in &dequeued.lost {
            self.respond(packet.flow);
        }
        match dequeued.left {
            Some(packet) => {
                self.free_at = at + Nanos(u64::from(packet.size) * 1000);
                if packet.is_marked {
                    self.respond(packet.flow);
                }
            }
            None => self.idle = true,
        }
    }

    /// A packet has been enqueued, or dropped.
    pub(crate) fn enqueued(&mut self, packet: Sent, outcome: Outcome) {
        if self.idle {
            self.free_at = self.free_at.max(self.now);
        }
        self.idle = false;
        if outcome != Outcome::Queued {
            self.respond(packet.flow);
        }
        if let Some(rate) = self.rates.get_mut(packet.flow as usize) {
            *rate = (*rate * 1.004).min(900.0);
        }
    }

    fn respond(&mut self, flow: u32) {
        let responds = flow >= 2;
        if let Some(rate) = self.rates.get_mut(flow as usize).filter(|_| responds) {
            *rate = (*rate / 2.0).max(8.0);
        }
    }
}
