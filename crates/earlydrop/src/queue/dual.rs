//! Two queues, one of low latency, coupled by one controller.
//!
//! # Reference
//! K. De Schepper, B. Briscoe, G. White, "Dual-Queue Coupled Active Queue Management
//! (AQM) for Low Latency, Low Loss, and Scalable Throughput (L4S)", RFC 9332, 2023,
//! appendix A. The scheme's equations and readings are told in
//! [`dualpi2`](crate::schemes::dualpi2).

use super::pool::{Chain, Pool};
use super::{Departure, Limit, Losses, Outcome, QueueDiscipline};
use crate::aqm::{Backlog, DropReason, Ticker, Verdict};
use crate::counters::Counters;
use crate::packet::{Ecn, Packet, PacketInfo};
use crate::random::Pcg32;
use crate::units::{BitsPerSec, Nanos};

/// What a dual queue is made of; see [`dualpi2`](crate::schemes::dualpi2) for each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupling {
    /// What both queues hold together.
    pub limit: Limit,
    /// The delay the controller aims at.
    pub target: Nanos,
    /// Time between two updates of p'.
    pub update: Nanos,
    /// Integral gain, in Hz.
    pub alpha: f64,
    /// Proportional gain, in Hz.
    pub beta: f64,
    /// k, the coupling factor.
    pub factor: f64,
    /// The delay in the low-latency queue from which packets are marked.
    pub step: Nanos,
    /// Beyond `step`, the span over which marking rises to certainty; zero for a step.
    pub ramp: Nanos,
    /// The delay only counts while at least this many packets wait behind.
    pub least_behind: u32,
    /// The controller is not heeded while fewer bytes wait in both queues together.
    pub least_backlog: u64,
    /// The Classic queue's share of the link, in [0, 1], while both have packets.
    pub classic_share: f64,
    /// At saturation, drop in both queues; otherwise p' is held where p_CL is 1.
    pub drop_on_overload: bool,
    /// Spread signals evenly rather than by chance.
    pub evenly: bool,
}

/// RFC 9332, appendix A: `p' += alpha (delay - target) + beta (delay - delay before)`.
///
/// Delays in seconds, gains in Hz; not yet bounded.
fn pi_step(p: f64, coupling: &Coupling, delay: f64, before: f64) -> f64 {
    let target = coupling.target.as_secs_f64();
    p + coupling.alpha * (delay - target) + coupling.beta * (delay - before)
}

/// One of the two queues.
#[derive(Clone, Debug)]
struct Lane {
    chain: Chain,
    /// What is left of the likelihoods added up: a signal a whole one.
    carried: f64,
}

const LOW_LATENCY: usize = 0;
const CLASSIC: usize = 1;

/// The L4S and the Classic queue in front of one link.
#[derive(Clone, Debug)]
pub struct DualQueue<P> {
    coupling: Coupling,
    pool: Pool<P>,
    lanes: [Lane; 2],
    ticker: Ticker,
    /// p', the base probability.
    base: f64,
    /// The delay the controller last saw, in seconds.
    last_delay: f64,
    /// In bytes: above zero it is the Classic queue's turn.
    credit: f64,
    random: Pcg32,
    counters: Counters,
}

impl<P: Packet> DualQueue<P> {
    /// Two empty queues.
    pub fn new(coupling: Coupling, random: Pcg32) -> DualQueue<P> {
        let lane = Lane {
            chain: Chain::EMPTY,
            carried: 0.0,
        };
        DualQueue {
            coupling,
            pool: Pool::with_room_for(coupling.limit.packets),
            lanes: [lane.clone(), lane],
            ticker: Ticker::every(coupling.update),
            base: 0.0,
            last_delay: 0.0,
            credit: 0.0,
            random,
            counters: Counters::default(),
        }
    }

    /// p_CL = k p', at most 1.
    fn coupled(&self) -> f64 {
        (self.coupling.factor * self.base).min(1.0)
    }

    /// p_C = p'^2.
    fn squared(&self) -> f64 {
        self.base * self.base
    }

    /// Whether p_CL has reached its maximum, so that marks cannot say more.
    fn is_saturated(&self) -> bool {
        self.coupling.drop_on_overload && self.coupled() >= 1.0
    }

    /// Whether too little waits to heed the controller.
    fn is_quiet(&self) -> bool {
        self.bytes() < self.coupling.least_backlog
    }

    fn head_arrival(&self, lane: usize) -> Option<Nanos> {
        self.pool.view(&self.lanes[lane].chain).head_arrival()
    }

    /// How long the longer-waiting of both heads has waited by `now`, in seconds.
    fn delay(heads: [Option<Nanos>; 2], now: Nanos) -> f64 {
        let oldest = heads.into_iter().flatten().min();
        oldest.map_or(0.0, |arrived| (now - arrived).as_secs_f64())
    }

    fn update(&mut self, now: Nanos) {
        if !self.ticker.is_due(now) {
            return;
        }
        let heads = [LOW_LATENCY, CLASSIC].map(|lane| self.head_arrival(lane));
        let coupling = self.coupling;
        let most = if coupling.drop_on_overload {
            1.0
        } else {
            (1.0 / coupling.factor).min(1.0)
        };
        let (base, last_delay) = (&mut self.base, &mut self.last_delay);
        let mut updated = false;
        self.ticker.catch_up(now, |tick| {
            updated = true;
            let before = (*base, *last_delay);
            let delay = Self::delay(heads, tick);
            *base = pi_step(*base, &coupling, delay, *last_delay).clamp(0.0, most);
            *last_delay = delay;
            // The heads only grow older: late, p' stays where it is largest.
            let stuck = *base == most && delay > coupling.target.as_secs_f64();
            !stuck && before != (*base, *last_delay)
        });
        if updated && let Some(next) = self.ticker.next() {
            self.last_delay = Self::delay(heads, next - self.ticker.interval());
        }
    }

    /// Whether a packet of `lane` is to be told, each with `likelihood`.
    fn tells(&mut self, lane: usize, likelihood: f64) -> bool {
        if !self.coupling.evenly {
            return self.random.chance(likelihood);
        }
        let carried = &mut self.lanes[lane].carried;
        *carried += likelihood;
        let tells = *carried >= 1.0;
        if tells {
            *carried -= 1.0;
        }
        tells
    }

    /// The low-latency queue's own marking probability for a packet that waited so long.
    fn native(&self, waited: Nanos) -> f64 {
        let Coupling { step, ramp, .. } = self.coupling;
        let behind = self.lanes[LOW_LATENCY].chain.packets();
        if behind < self.coupling.least_behind || waited <= step {
            return 0.0;
        }
        let over = (waited - step).as_secs_f64();
        (over / ramp.as_secs_f64()).min(1.0)
    }

    fn judge_low_latency(&mut self, waited: Nanos) -> Verdict {
        let quiet = self.is_quiet();
        if self.is_saturated() && !quiet {
            let squared = self.squared();
            return if self.tells(LOW_LATENCY, squared) {
                Verdict::Drop(DropReason::Dequeue)
            } else {
                Verdict::Mark
            };
        }
        let coupled = if quiet { 0.0 } else { self.coupled() };
        let likelihood = self.native(waited).max(coupled);
        if self.tells(LOW_LATENCY, likelihood) {
            Verdict::Mark
        } else {
            Verdict::Keep
        }
    }

    fn judge_classic(&mut self, ecn: Ecn) -> Verdict {
        let squared = self.squared();
        if self.is_quiet() || !self.tells(CLASSIC, squared) {
            Verdict::Keep
        } else if ecn.is_capable() && !self.is_saturated() {
            Verdict::Mark
        } else {
            Verdict::Drop(DropReason::Dequeue)
        }
    }

    /// Judges a packet just taken from `lane`.
    fn judge(&mut self, lane: usize, now: Nanos, info: &PacketInfo) -> Verdict {
        if lane == LOW_LATENCY {
            self.judge_low_latency(now - info.arrived)
        } else {
            self.judge_classic(info.ecn)
        }
    }

    /// Which queue is next, by weighted round robin; `None` when both are empty.
    fn turn(&mut self) -> Option<usize> {
        let [low_latency, classic] = &self.lanes;
        match (low_latency.chain.packets(), classic.chain.packets()) {
            (0, 0) => {
                self.credit = 0.0;
                None
            }
            (0, _) => Some(CLASSIC),
            (_, 0) => Some(LOW_LATENCY),
            _ if self.credit > 0.0 => Some(CLASSIC),
            _ => Some(LOW_LATENCY),
        }
    }

    /// Charges `lane` for `size` bytes sent while the other queue waited.
    fn charge(&mut self, lane: usize, size: u32) {
        let share = self.coupling.classic_share;
        self.credit += match lane {
            LOW_LATENCY => share * f64::from(size),
            _ => (share - 1.0) * f64::from(size),
        };
    }

    fn lose(&mut self, packet: P, reason: DropReason, losses: &mut impl Losses<P>) -> Outcome {
        self.counters.drop(reason, packet.size());
        losses.lost(packet, reason);
        Outcome::Dropped(reason)
    }
}

impl<P: Packet> QueueDiscipline<P> for DualQueue<P> {
    fn enqueue_with(&mut self, now: Nanos, packet: P, losses: &mut impl Losses<P>) -> Outcome {
        self.update(now);
        let size = packet.size();
        self.counters.arrived.add(size);
        let limit = self.coupling.limit;
        if !limit.has_room(self.packets(), self.bytes(), size) {
            return self.lose(packet, DropReason::Forced, losses);
        }
        let lane = if packet.ecn().is_l4s() {
            LOW_LATENCY
        } else {
            CLASSIC
        };
        self.pool.push(&mut self.lanes[lane].chain, packet, now);
        Outcome::Queued
    }

    fn dequeue_with(&mut self, now: Nanos, losses: &mut impl Losses<P>) -> Option<Departure<P>> {
        self.update(now);
        while let Some(lane) = self.turn() {
            let contended = self.lanes.iter().all(|lane| lane.chain.packets() > 0);
            let (mut packet, arrived) = self.pool.pop(&mut self.lanes[lane].chain)?;
            let info = PacketInfo::of(&packet, arrived);
            match self.judge(lane, now, &info) {
                Verdict::Keep => {}
                Verdict::Mark => {
                    packet.mark();
                    self.counters.marked.add(info.size);
                }
                Verdict::Drop(reason) | Verdict::DropBoth(_, reason) => {
                    self.lose(packet, reason, losses);
                    continue;
                }
            }
            if contended {
                self.charge(lane, info.size);
            }
            self.counters.departed.add(info.size);
            return Some(Departure { packet, arrived });
        }
        None
    }

    fn poll(&mut self, now: Nanos) {
        self.update(now);
    }

    fn next_deadline(&self) -> Option<Nanos> {
        self.ticker.next()
    }

    fn packets(&self) -> u32 {
        self.lanes.iter().map(|lane| lane.chain.packets()).sum()
    }

    fn bytes(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.chain.bytes()).sum()
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Only brings p' up to date: nothing here depends on the rate.
    fn set_link_rate(&mut self, now: Nanos, _rate: BitsPerSec) {
        self.update(now);
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("p", self.base);
        show("p_c", self.squared());
        show("p_cl", self.coupled());
        show("delay", self.last_delay);
        show(
            "l_packets",
            f64::from(self.lanes[LOW_LATENCY].chain.packets()),
        );
        show("c_packets", f64::from(self.lanes[CLASSIC].chain.packets()));
        show("credit", self.credit);
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + self.pool.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::Tally;
    use crate::testing::{TestPacket, packet};
    use crate::units::Bytes;
    use proptest::prelude::*;

    const L4S: TestPacket = sized(Ecn::Ect1, 1000);
    const CAPABLE: TestPacket = sized(Ecn::Ect0, 1000);
    const PLAIN: TestPacket = sized(Ecn::NotCapable, 1000);

    const fn sized(ecn: Ecn, size: u32) -> TestPacket {
        TestPacket { flow: 0, size, ecn }
    }

    fn coupling() -> Coupling {
        Coupling {
            limit: Limit::packets(2000),
            target: Nanos::from_millis(15),
            update: Nanos::from_millis(16),
            alpha: 0.16,
            beta: 3.2,
            factor: 2.0,
            step: Nanos::from_millis(1),
            ramp: Nanos::ZERO,
            least_behind: 0,
            least_backlog: 0,
            classic_share: 0.1,
            drop_on_overload: true,
            evenly: true,
        }
    }

    fn dual(coupling: Coupling) -> DualQueue<TestPacket> {
        DualQueue::new(coupling, Pcg32::new(1, 0))
    }

    /// Of 1,000 of `kind`, dequeued at once with p' held at `base`: marked, dropped.
    fn told(coupling: Coupling, base: f64, kind: TestPacket) -> (u64, u64) {
        let mut queue = dual(coupling);
        queue.base = base;
        for _ in 0..1000 {
            queue.enqueue(Nanos::ZERO, kind);
        }
        while queue.dequeue(Nanos::ZERO).is_some() {}
        let counters = queue.counters();
        let dropped = counters.dropped_for(DropReason::Dequeue).packets;
        (counters.marked.packets, dropped)
    }

    #[test]
    fn coupling_is_p_squared_against_twice_p() {
        // p' = 1/4: p_CL is 1/2, p_C is 1/16.
        assert_eq!(told(coupling(), 0.25, L4S), (500, 0));
        assert_eq!(told(coupling(), 0.25, CAPABLE), (62, 0));
        assert_eq!(told(coupling(), 0.25, PLAIN), (0, 62));
        let mut queue = dual(coupling());
        queue.base = 0.3;
        let probe = |name| queue.probe(name).unwrap();
        assert_eq!((probe("p_cl"), probe("p_c")), (0.6, 0.3 * 0.3));
    }

    #[test]
    fn by_chance_the_rates_are_the_same() {
        let by_chance = Coupling {
            evenly: false,
            ..coupling()
        };
        // Binomial: deviations 15.5 and 9.0; five of them fail by chance less than
        // once in a million.
        let (marked, _) = told(by_chance, 0.3, L4S);
        assert!(marked.abs_diff(600) < 78, "{marked}");
        let (_, dropped) = told(by_chance, 0.3, PLAIN);
        assert!(dropped.abs_diff(90) < 46 && dropped != 90, "{dropped}");
    }

    #[test]
    fn saturation_drops_in_both_and_marks_what_it_keeps() {
        // p' = 3/4: p_CL would be 3/2, p_C is 9/16.
        assert_eq!(told(coupling(), 0.75, L4S), (438, 562));
        assert_eq!(told(coupling(), 0.75, CAPABLE), (0, 562));
        assert_eq!(
            told(coupling(), 0.4999, CAPABLE).1,
            0,
            "just below it marks"
        );
    }

    #[test]
    fn without_drop_on_overload_p_stays_where_marks_can_follow() {
        let mut queue = dual(Coupling {
            drop_on_overload: false,
            ..coupling()
        });
        queue.enqueue(Nanos::ZERO, L4S);
        queue.poll(Nanos::from_secs(10));
        assert_eq!(queue.base, 0.5);
        let left = queue.dequeue(Nanos::from_secs(10));
        assert_eq!(left.map(|left| left.ecn), Some(Ecn::Ce));
    }

    #[test]
    fn low_latency_packets_are_marked_beyond_the_step() {
        for (micros, marked) in [(999, 0), (1000, 0), (1001, 1)] {
            let mut queue = dual(coupling());
            queue.enqueue(Nanos::ZERO, L4S);
            queue.enqueue(Nanos::ZERO, CAPABLE);
            for _ in 0..2 {
                queue.dequeue(Nanos::from_micros(micros));
            }
            assert_eq!(queue.counters().marked.packets, marked, "{micros} us");
        }
    }

    #[test]
    fn a_ramp_marks_in_proportion_and_spares_a_short_queue() {
        let ramp = Coupling {
            step: Nanos::from_micros(800),
            ramp: Nanos::from_micros(400),
            least_behind: 2,
            ..coupling()
        };
        let mut queue = dual(ramp);
        for _ in 0..1002 {
            queue.enqueue(Nanos::ZERO, L4S);
        }
        while queue.dequeue(Nanos::from_micros(900)).is_some() {}
        // A quarter of the 1,000 that left two or more behind.
        assert_eq!(queue.counters().marked.packets, 250);
    }

    #[test]
    fn the_controller_follows_the_hand_computed_trajectory() {
        let mut queue = dual(coupling());
        queue.enqueue(Nanos::ZERO, PLAIN);
        queue.poll(Nanos::from_millis(16));
        // 0.16 (16 - 15) ms + 3.2 (16 - 0) ms
        assert!((queue.base - (0.000_16 + 0.051_2)).abs() < 1e-12);
        queue.poll(Nanos::from_millis(32));
        // + 0.16 (32 - 15) ms + 3.2 (32 - 16) ms
        assert!((queue.base - (0.051_36 + 0.002_72 + 0.051_2)).abs() < 1e-12);
        assert_eq!(queue.next_deadline(), Some(Nanos::from_millis(48)));
        queue.poll(Nanos::from_secs(60));
        assert_eq!(queue.base, 1.0, "bounded");
        while queue.dequeue(Nanos::from_secs(60)).is_some() {}
        queue.poll(Nanos::from_secs(120));
        assert_eq!(queue.base, 0.0, "and back once the queue is empty");
    }

    #[test]
    fn the_classic_queue_keeps_a_tenth_of_the_bytes() {
        for (low_latency, classic) in [(1000, 1000), (1500, 100), (100, 1500)] {
            let mut queue = dual(coupling());
            let mut sent = [0_u64; 2];
            for _ in 0..20_000 {
                queue.enqueue(Nanos::ZERO, sized(Ecn::Ect1, low_latency));
                queue.enqueue(Nanos::ZERO, sized(Ecn::NotCapable, classic));
                let left = queue.dequeue(Nanos::ZERO).unwrap();
                sent[usize::from(left.ecn == Ecn::NotCapable)] += u64::from(left.size);
                if queue.packets() > 1990 {
                    break;
                }
            }
            let share = sent[1] as f64 / (sent[0] + sent[1]) as f64;
            assert!((share - 0.1).abs() < 0.02, "{share} of {sent:?}");
        }
    }

    #[test]
    fn credit_counts_only_while_both_wait_and_is_forgotten_when_neither_does() {
        let mut queue = dual(coupling());
        let mut credit_after = |arrivals: &[TestPacket]| {
            for arrival in arrivals {
                queue.enqueue(Nanos::ZERO, *arrival);
            }
            queue.dequeue(Nanos::ZERO);
            queue.credit
        };
        assert_eq!(credit_after(&[L4S]), 0.0, "alone");
        assert_eq!(credit_after(&[L4S, PLAIN]), 100.0, "a tenth of 1,000 bytes");
        assert_eq!(credit_after(&[]), 100.0, "alone again");
        assert_eq!(credit_after(&[]), 0.0, "found nothing");
    }

    #[test]
    fn a_quiet_queue_does_not_heed_the_controller() {
        let quiet = Coupling {
            least_backlog: 3000,
            ..coupling()
        };
        let mut queue = dual(quiet);
        queue.base = 0.49;
        for _ in 0..3 {
            queue.enqueue(Nanos::ZERO, L4S);
        }
        while queue.dequeue(Nanos::ZERO).is_some() {}
        assert_eq!(queue.counters().marked.packets, 0);
    }

    #[test]
    fn both_queues_share_one_limit() {
        let mut queue = dual(Coupling {
            limit: Limit::packets(3),
            ..coupling()
        });
        for kind in [L4S, L4S, PLAIN] {
            assert_eq!(queue.enqueue(Nanos::ZERO, kind), Outcome::Queued);
        }
        for kind in [L4S, PLAIN] {
            let outcome = queue.enqueue(Nanos::ZERO, kind);
            assert_eq!(outcome, Outcome::Dropped(DropReason::Forced));
        }
    }

    proptest! {
        #[test]
        fn nothing_is_lost_uncounted(
            steps in prop::collection::vec((0..4_u8, 1..1600_u32, 0..20_u64, any::<bool>()), 1..400),
            base in 0.0..1.0_f64,
        ) {
            let limit = Limit { packets: 20, bytes: Bytes(15_000) };
            let mut queue = dual(Coupling { limit, ..coupling() });
            queue.base = base;
            let mut now = Nanos::ZERO;
            for (ecn, size, ms, arrives) in steps {
                now += Nanos::from_millis(ms);
                if arrives {
                    let ecn = Ecn::from_bits(ecn);
                    queue.enqueue(now, TestPacket { ecn, size, ..packet(0) });
                } else {
                    queue.dequeue(now);
                }
                let (left, lost) = (queue.counters().departed, queue.counters().dropped());
                let total = Tally {
                    packets: left.packets + lost.packets + u64::from(queue.packets()),
                    bytes: left.bytes + lost.bytes + queue.bytes(),
                };
                prop_assert_eq!(queue.counters().arrived, total);
                prop_assert!(queue.packets() <= 20 && queue.bytes() <= 15_000);
                prop_assert!((0.0..=1.0).contains(&queue.base));
            }
        }
    }
}
