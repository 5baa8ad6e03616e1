//! Random traffic: bursts, departures, pauses, changes of the link's rate.

use earlydrop::packet::Ecn;
use earlydrop::queue::QueueDiscipline;
use earlydrop::random::Pcg32;
use earlydrop::units::{BitsPerSec, Nanos};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::ledger::{Audited, Tagged};

/// One step of the traffic.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    /// Packets of one kind arrive, each after a gap.
    Offer { packets: u32, gap: u64, kind: Kind },
    /// The link dequeues, each time after a gap, with packets left or not.
    Take { packets: u32, gap: u64 },
    /// Packets arrive and leave alternately.
    Flow { packets: u32, gap: u64, kind: Kind },
    /// A pause, then a poll.
    Poll { gap: u64 },
    /// The link changes to this many bits per second.
    Rate { gap: u64, rate: u64 },
}

/// The packets of one burst.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub(crate) seed: u64,
    pub(crate) flows: u32,
    pub(crate) largest: u32,
    /// The ECN field of all packets, or 4 for random ones.
    pub(crate) ecn: u8,
}

impl Kind {
    fn packet(&self, id: u64, random: &mut Pcg32) -> Tagged {
        let size = match random.below(50) {
            0 => 0,
            1 => 65_535,
            _ => 1 + random.below(self.largest),
        };
        let any = random.below(4) as u8;
        Tagged {
            id,
            flow: u64::from(random.below(self.flows)),
            size,
            ecn: Ecn::from_bits(if self.ecn > 3 { any } else { self.ecn }),
            class: random.below(5) as u8,
            marks: 0,
        }
    }
}

fn gaps() -> impl Strategy<Value = u64> {
    prop_oneof![
        3 => Just(0_u64),
        2 => 1..2000_u64,
        6 => 100_000..2_000_000_u64,
        2 => 2_000_000..200_000_000_u64,
        1 => 200_000_000..20_000_000_000_u64,
    ]
}

/// Times before a single poll or change of rate, up to hours.
fn pauses() -> impl Strategy<Value = u64> {
    prop_oneof![4 => gaps(), 1 => 3_600_000_000_000..20_000_000_000_000_u64]
}

fn kinds() -> impl Strategy<Value = Kind> {
    let flows = prop_oneof![Just(1_u32), 2..6_u32, 6..300_u32];
    let largest = prop_oneof![Just(1_u32), Just(100), Just(1500), Just(9000)];
    (any::<u64>(), flows, largest, 0..6_u8).prop_map(|(seed, flows, largest, ecn)| Kind {
        seed,
        flows,
        largest,
        ecn,
    })
}

fn acts() -> impl Strategy<Value = Act> {
    prop_oneof![
        5 => (1..70_u32, gaps(), kinds())
            .prop_map(|(packets, gap, kind)| Act::Offer { packets, gap, kind }),
        4 => (1..70_u32, gaps()).prop_map(|(packets, gap)| Act::Take { packets, gap }),
        3 => (1..150_u32, gaps(), kinds())
            .prop_map(|(packets, gap, kind)| Act::Flow { packets, gap, kind }),
        2 => pauses().prop_map(|gap| Act::Poll { gap }),
        1 => (pauses(), prop_oneof![Just(0), 1..10_000_u64, 1_000_000..10_000_000_000_u64])
            .prop_map(|(gap, rate)| Act::Rate { gap, rate }),
    ]
}

/// A runner with a fixed seed, so that a failure can be repeated.
pub(crate) fn fixed_runner(cases: u32) -> TestRunner {
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    TestRunner::new_with_rng(config, rng)
}

/// About twenty acts with at most a thousand packets.
pub(crate) fn traffic() -> impl Strategy<Value = Vec<Act>> {
    prop::collection::vec(acts(), 1..30)
}

/// What is done in addition to the traffic, without an effect on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aside {
    Nothing,
    /// Continue with a clone after every act.
    Clone,
    /// Poll in between, at deadlines and at other times.
    Poll,
    /// Change in between to the plan that is in use.
    Change,
}

/// Runs acts on a queue.
pub(crate) struct Driver {
    pub(crate) audited: Audited,
    pub(crate) now: Nanos,
    aside: Aside,
    next_id: u64,
    started: bool,
    /// The random numbers of the polls in between.
    random: Pcg32,
}

impl Driver {
    pub(crate) fn new(audited: Audited, aside: Aside) -> Driver {
        Driver {
            audited,
            now: Nanos::ZERO,
            aside,
            next_id: 0,
            started: false,
            random: Pcg32::new(99, 0),
        }
    }

    pub(crate) fn run(&mut self, acts: &[Act]) {
        for act in acts {
            self.act(act);
            self.audited.check_probes_and_memory();
            if self.aside == Aside::Clone {
                self.audited.queue = self.audited.queue.clone();
            }
        }
        // Empties the queue, so that every packet is accounted for.
        while self.audited.queue.packets() > 0 {
            self.audited.take(self.now);
        }
        self.audited.check_probes_and_memory();
    }

    /// Keeps `packets` queued for `gap`, then an empty queue for `gap`.
    pub(crate) fn stand(&mut self, packets: u32, kind: Kind, gap: u64) {
        self.act(&Act::Offer {
            packets,
            gap: 1000,
            kind,
        });
        self.act(&Act::Poll { gap });
        self.run(&[]);
        self.act(&Act::Poll { gap });
        self.run(&[]);
    }

    fn act(&mut self, act: &Act) {
        match *act {
            Act::Offer { packets, gap, kind } => self.offer(packets, gap, kind, false),
            Act::Flow { packets, gap, kind } => self.offer(packets, gap, kind, true),
            Act::Take { packets, gap } => {
                for _ in 0..packets {
                    self.pass(gap);
                    self.audited.take(self.now);
                }
            }
            Act::Poll { gap } => {
                self.pass(gap);
                self.audited.poll(self.now);
            }
            Act::Rate { gap, rate } => {
                self.pass(gap);
                self.audited.set_rate(self.now, BitsPerSec(rate));
            }
        }
        self.started = true;
    }

    fn offer(&mut self, packets: u32, gap: u64, kind: Kind, takes: bool) {
        let mut random = Pcg32::new(kind.seed, 1);
        for _ in 0..packets {
            self.pass(gap);
            let packet = kind.packet(self.next_id, &mut random);
            self.next_id += 1;
            self.audited.offer(self.now, packet);
            self.started = true;
            if takes && random.below(10) < 7 {
                self.audited.take(self.now);
            }
        }
    }

    /// Lets time pass, with polls in between for [`Aside::Poll`]. Timers start with the first
    /// call, so there is no poll before it.
    fn pass(&mut self, gap: u64) {
        let until = self.now + Nanos(gap);
        if self.aside == Aside::Change && self.random.below(4) == 0 {
            let plan = self.audited.plan.clone();
            let memory = self.audited.queue.memory();
            let changed = self.audited.change(self.now, &plan);
            assert_eq!(changed, Ok(()));
            assert_eq!(self.audited.queue.memory(), memory);
        }
        if self.aside == Aside::Poll && self.started {
            for _ in 0..self.random.below(4) {
                let left = (until - self.now).0 + 1;
                let step = u64::from(self.random.next_u32()) % left;
                let offset = self.audited.offset;
                let due = self.audited.queue.next_deadline().map(|due| due - offset);
                let due = due.filter(|due| *due >= self.now && *due <= until);
                let at_due = due.filter(|_| self.random.below(2) == 0);
                self.now = at_due.unwrap_or(self.now + Nanos(step));
                self.audited.poll(self.now);
            }
        }
        self.now = until;
    }
}
