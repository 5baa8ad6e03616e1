//! The coupled pair of queues of RFC 9332: a low-latency queue and a Classic queue.
//!
//! # Reference
//! K. De Schepper, B. Briscoe, G. White, "Dual-Queue Coupled Active Queue Management
//! (AQM) for Low Latency, Low Loss, and Scalable Throughput (L4S)", RFC 9332, 2023,
//! appendices A and B. Equations and readings: the schemes [`dualpi2`](crate::schemes::dualpi2) and
//! [`dual_curvy_red`](crate::schemes::dual_curvy_red).

mod law;
mod why;

use alloc::format;

pub use law::{Curvy, DualLaw, PiControl};

use super::pool::{Chain, Pool};
use super::{Departure, Limit, Losses, Outcome, QueueDiscipline};
use crate::aqm::{Backlog, DropReason, Ticker, Verdict};
use crate::counters::Counters;
use crate::explanation::{below, numbers};
use crate::packet::{Packet, PacketInfo};
use crate::random::Pcg32;
use crate::trace::Trace;
use crate::units::{BitsPerSec, Nanos};

/// The parameters of a dual queue, explained in [`dualpi2`](crate::schemes::dualpi2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupling {
    /// The capacity of both queues together.
    pub limit: Limit,
    /// The law of p'.
    pub law: DualLaw,
    /// k, the coupling factor.
    pub factor: f64,
    /// The delay in the low-latency queue from which packets are marked.
    pub step: Nanos,
    /// Beyond `step`, the span over which marking rises to certainty; zero for a step.
    pub ramp: Nanos,
    /// `step` and `ramp` apply only with at least this many packets behind in the queue.
    pub least_behind: u32,
    /// The controller is ignored while both queues together hold fewer bytes.
    pub least_backlog: u64,
    /// The Classic queue's share of the link, in [0, 1], while both have packets.
    pub classic_share: f64,
    /// Drop in both queues at saturation; otherwise p' is capped where p_CL is 1.
    pub drop_on_overload: bool,
    /// Space congestion signals evenly rather than randomly.
    pub evenly: bool,
}

/// One of the two queues.
#[derive(Clone, Debug)]
struct Lane {
    chain: Chain,
    /// The sum of the likelihoods since the last signal; a signal subtracts 1.
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
    /// The delay the controller last saw, in seconds; the average Classic delay of Curvy RED.
    last_delay: f64,
    /// In bytes: above zero the Classic queue is next.
    credit: f64,
    /// p' and the two delays that the last update started from; `None` before the first with
    /// these parameters.
    last_update: Option<[f64; 3]>,
    random: Pcg32,
    counters: Counters,
}

impl<P: Packet> DualQueue<P> {
    /// The generator that it draws from. How far it has come shows what a call has drawn.
    pub fn random(&self) -> &Pcg32 {
        &self.random
    }

    /// Two empty queues.
    pub fn new(coupling: Coupling, random: Pcg32) -> DualQueue<P> {
        let lane = Lane {
            chain: Chain::EMPTY,
            carried: 0.0,
        };
        DualQueue {
            coupling,
            pool: Pool::of(coupling.limit),
            lanes: [lane.clone(), lane],
            ticker: Ticker::every(coupling.law.interval()),
            base: 0.0,
            last_delay: 0.0,
            credit: 0.0,
            last_update: None,
            random,
            counters: Counters::default(),
        }
    }

    /// Changes the parameters from the next packet on. Packets that wait stay, as does the
    /// controller's state.
    pub fn change(&mut self, now: Nanos, coupling: Coupling) {
        // A timer that has not started starts with the next packet.
        if self.ticker.next().is_some() {
            self.update(now);
        }
        self.pool.resize(coupling.limit);
        let old = core::mem::replace(&mut self.ticker, Ticker::every(coupling.law.interval()));
        self.ticker.continue_from(now, &old);
        let old = core::mem::replace(&mut self.coupling, coupling);
        self.last_update = None;
        match (coupling.law, old.law) {
            (DualLaw::CurvyRed(curvy), DualLaw::CurvyRed(_)) => {
                self.base = curvy.base(self.last_delay);
            }
            // Its average is the one that gives the present p'.
            (DualLaw::CurvyRed(curvy), DualLaw::Pi2(_)) => {
                self.last_delay = self.base * curvy.scale.as_secs_f64();
            }
            (DualLaw::Pi2(_), _) => {}
        }
        self.base = self.base.min(self.largest_base());
    }

    /// The largest p'.
    fn largest_base(&self) -> f64 {
        if self.coupling.drop_on_overload {
            1.0
        } else {
            (1.0 / self.coupling.factor).min(1.0)
        }
    }

    /// p_CL of a base probability.
    #[inline]
    fn coupled(&self, base: f64) -> f64 {
        self.coupling
            .law
            .coupled((self.coupling.factor * base).min(1.0))
    }

    /// p_CL at `now`: that of Curvy RED follows the delay of the Classic head, not the average.
    fn coupled_at(&self, now: Nanos) -> f64 {
        self.coupled(match self.coupling.law {
            DualLaw::Pi2(_) => self.base,
            DualLaw::CurvyRed(curvy) => curvy.base(self.classic_delay(now)),
        })
    }

    /// How long the Classic head has waited, in seconds.
    fn classic_delay(&self, now: Nanos) -> f64 {
        DualQueue::<P>::delay([self.head_arrival(CLASSIC), None], now)
    }

    /// p' for a packet of `lane`. Curvy RED's average moves with each Classic packet that leaves,
    /// and p' with it.
    fn move_base(&mut self, lane: usize, waited: Nanos, trace: &mut impl Trace) {
        match self.coupling.law {
            DualLaw::Pi2(pi) => trace.note(|why| self.show_base(why, &pi)),
            DualLaw::CurvyRed(curvy) => self.follow_delay(&curvy, lane, waited, trace),
        }
    }

    /// Moves Curvy RED's average with a packet of `lane`.
    fn follow_delay(&mut self, curvy: &Curvy, lane: usize, waited: Nanos, trace: &mut impl Trace) {
        let (before, waited) = (self.last_delay, waited.as_secs_f64());
        let says = "the average Classic delay before";
        trace.given(says, ("Q_C", "s"), before);
        if lane == CLASSIC {
            self.last_delay += curvy.weight * (waited - before);
            let weight = curvy.weight;
            trace.step(
                "the average Classic delay",
                ("Q_C", "s"),
                "Q_C = Q_C + w (sojourn - Q_C)",
                || numbers!("{} + {} * ({} - {})", before, weight, waited, before),
                self.last_delay,
            );
            self.base = curvy.base(self.last_delay).min(self.largest_base());
        }
        let (delay, most) = (self.last_delay, self.largest_base());
        trace.step(
            "the base probability",
            ("p'", ""),
            "p' = Q_C / scale, at most its largest",
            || numbers!("min({}, {} / {})", most, delay, curvy.scale.as_secs_f64()),
            self.base,
        );
    }

    /// Whether p_CL has reached its maximum, so that marks cannot signal more congestion.
    fn is_saturated(&self) -> bool {
        self.coupling.drop_on_overload && self.coupling.factor * self.base >= 1.0
    }

    /// Whether too few bytes are queued for the controller to apply.
    fn is_quiet(&self) -> bool {
        self.bytes() < self.coupling.least_backlog
    }

    fn head_arrival(&self, lane: usize) -> Option<Nanos> {
        self.pool.view(&self.lanes[lane].chain).head_arrival()
    }

    /// The longer waiting time of both heads at `now`, in seconds.
    fn delay(heads: [Option<Nanos>; 2], now: Nanos) -> f64 {
        let oldest = heads.into_iter().flatten().min();
        oldest.map_or(0.0, |arrived| (now - arrived).as_secs_f64())
    }

    /// Runs the controller's updates that are due.
    #[inline]
    fn update(&mut self, now: Nanos) {
        if let DualLaw::Pi2(pi) = &self.coupling.law
            && self.ticker.is_due(now)
        {
            let pi = *pi;
            self.catch_up(now, &pi);
        }
    }

    #[cold]
    fn catch_up(&mut self, now: Nanos, pi: &PiControl) {
        let heads = [LOW_LATENCY, CLASSIC].map(|lane| self.head_arrival(lane));
        let most = self.largest_base();
        let (base, last_delay) = (&mut self.base, &mut self.last_delay);
        let last_update = &mut self.last_update;
        let last = self.ticker.catch_up(now, |tick| {
            let before = (*base, *last_delay);
            let delay = Self::delay(heads, tick);
            *last_update = Some([before.0, delay, before.1]);
            *base = pi.step(*base, delay, *last_delay).clamp(0.0, most);
            *last_delay = delay;
            // The heads only grow older, so p' stays at its maximum once there.
            let stuck = *base == most && delay > pi.target.as_secs_f64();
            !stuck && before != (*base, *last_delay)
        });
        if let Some(last) = last {
            self.last_delay = Self::delay(heads, last);
        }
    }

    /// Whether a packet of `lane` carries a congestion signal by `rule`, each with `likelihood`.
    fn signals(
        &mut self,
        lane: usize,
        likelihood: f64,
        rule: &'static str,
        trace: &mut impl Trace,
    ) -> bool {
        if !self.coupling.evenly {
            return trace.chance(rule, &mut self.random, likelihood);
        }
        let carried = &mut self.lanes[lane].carried;
        let before = *carried;
        let sum = before + likelihood;
        trace.step(
            "the probabilities since the last signal, which comes at 1",
            ("sum", ""),
            "sum = sum + p",
            || numbers!("{} + {}", before, likelihood),
            sum,
        );
        trace.note(|why| why.chance = Some(likelihood.min(1.0)));
        trace.by(rule, || below(sum, 1.0));
        *carried = if sum >= 1.0 { sum - 1.0 } else { sum };
        sum >= 1.0
    }

    /// The low-latency queue's native marking probability for a packet that waited `waited`.
    fn native(&self, waited: Nanos) -> f64 {
        let Coupling { step, ramp, .. } = self.coupling;
        let behind = self.lanes[LOW_LATENCY].chain.packets();
        if behind < self.coupling.least_behind || waited <= step {
            return 0.0;
        }
        let over = (waited - step).as_secs_f64();
        (over / ramp.as_secs_f64()).min(1.0)
    }

    /// The verdict on a packet just taken from the low-latency queue, not at saturation.
    fn judge_low_latency(&mut self, now: Nanos, waited: Nanos, trace: &mut impl Trace) -> Verdict {
        let quiet = self.is_quiet();
        let coupled = if quiet { 0.0 } else { self.coupled_at(now) };
        let native = self.native(waited);
        trace.note(|why| {
            let (equation, text) = self.coupled_equation(now, quiet);
            why.step(
                "the coupled probability",
                ("p_CL", ""),
                equation,
                text,
                coupled,
            );
            let (equation, text) = self.native_equation(waited, native);
            let says = "the queue's own probability, by the time waited";
            why.step(says, ("p'_L", ""), equation, text, native);
        });
        let likelihood = native.max(coupled);
        trace.step(
            "the probability of a mark",
            ("p_L", ""),
            "p_L = max(p'_L, p_CL)",
            || numbers!("max({}, {})", native, coupled),
            likelihood,
        );
        let rule = match native > coupled {
            true => "a mark by the time waited",
            false => "a mark by the coupled probability p_CL",
        };
        match self.signals(LOW_LATENCY, likelihood, rule, trace) {
            true => Verdict::Mark,
            false => Verdict::Keep,
        }
    }

    /// The verdict on a packet just taken from `lane`.
    fn judge(
        &mut self,
        lane: usize,
        now: Nanos,
        info: &PacketInfo,
        trace: &mut impl Trace,
    ) -> Verdict {
        let waited = now - info.arrived;
        trace.note(|why| why.sojourn(now, info.arrived));
        self.move_base(lane, waited, trace);
        let (least, saturated) = (self.coupling.least_backlog, self.is_saturated());
        if least > 0 {
            let says = "the bytes left in both queues";
            trace.given(says, ("backlog", "bytes"), self.bytes() as f64);
        }
        if lane == LOW_LATENCY && (self.is_quiet() || !saturated) {
            return self.judge_low_latency(now, waited, trace);
        }
        if self.is_quiet() {
            trace.by("no signal from short queues", || {
                format!("{} bytes", below(self.bytes() as f64, least as f64))
            });
            return Verdict::Keep;
        }
        let squared = self.coupling.law.squared(self.base);
        trace.note(|why| self.show_squared(why, squared));
        if lane == LOW_LATENCY {
            let rule = "saturation: p_C drops, the rest is marked";
            if self.signals(lane, squared, rule, trace) {
                return Verdict::Drop(DropReason::Dequeue);
            }
            trace.note(|why| why.overrule("at k p' >= 1 every other packet is marked"));
            return Verdict::Mark;
        }
        if !self.signals(lane, squared, "a signal in the Classic queue, p_C", trace) {
            return Verdict::Keep;
        }
        match info.ecn.is_capable() {
            true if !saturated => return Verdict::Mark,
            true => trace.note(|why| why.reason.push_str("; at k p' >= 1 nothing is marked")),
            false => {}
        }
        Verdict::Drop(DropReason::Dequeue)
    }

    /// The queue to serve next, by weighted round robin; `None` when both are empty.
    fn next_lane(&mut self) -> Option<usize> {
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
}

impl<P: Packet> QueueDiscipline<P> for DualQueue<P> {
    fn enqueue_with(&mut self, now: Nanos, packet: P, losses: &mut impl Losses<P>) -> Outcome {
        self.update(now);
        let size = packet.size();
        self.counters.arrived.add(size);
        let limit = self.coupling.limit;
        if !limit.has_room(self.packets(), self.bytes(), size) {
            return self.counters.lose(packet, DropReason::Forced, losses);
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
        while let Some(lane) = self.next_lane() {
            let contended = self.lanes.iter().all(|lane| lane.chain.packets() > 0);
            let (mut packet, arrived) = self.pool.pop(&mut self.lanes[lane].chain)?;
            let info = PacketInfo::of(&packet, arrived);
            match self.judge(lane, now, &info, &mut ()) {
                Verdict::Keep => {}
                Verdict::Mark => {
                    packet.mark();
                    self.counters.marked.add(info.size);
                }
                Verdict::Drop(reason) | Verdict::DropBoth(_, reason) => {
                    self.counters.lose(packet, reason, losses);
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
        match self.coupling.law {
            DualLaw::Pi2(_) => self.ticker.next(),
            DualLaw::CurvyRed(_) => None,
        }
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

    /// Updates p' only: nothing here depends on the rate.
    fn set_link_rate(&mut self, now: Nanos, _rate: BitsPerSec) {
        self.update(now);
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("p", self.base);
        show("p_c", self.coupling.law.squared(self.base));
        show("p_cl", self.coupled(self.base));
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
#[path = "dual_tests.rs"]
mod tests;
