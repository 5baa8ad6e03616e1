//! SFB: Stochastic Fair BLUE, a BLUE for each of many groups of flows.
//!
//! # Reference
//! W. Feng, D. D. Kandlur, D. Saha, K. G. Shin, "Stochastic Fair Blue: A Queue
//! Management Algorithm for Enforcing Fairness", INFOCOM 2001.
//!
//! # Equations
//! There are `levels` rows of `bins` bins, and a hash of the flow for each row. On an
//! arrival, for its bin in every row, n being the bin's packets in the queue:
//! - `n > bin_size`: `p <- min(1, p + d1)`, and the arrival is dropped;
//! - `n = 0`: `p <- max(0, p - d2)`.
//!
//! p_min is the smallest p of its bins. At 1 the flow does not respond and is limited to
//! `penalty_rate`; below 1 the arrival carries a congestion signal with probability p_min.
//!
//! Moving hash functions (section IV): the hashes are replaced every `rehash`, so that no
//! flow shares all its bins with an unresponsive one for ever. The next set of bins is
//! warmed up for `warmup` beforehand.
//!
//! # Our readings
//! - The set that warms up counts every packet, so that its counts are right when it takes
//!   over. Its probabilities are updated by flows at p_min = 1 only, as in the paper.
//! - A departure is subtracted from the bins of a set if the packet arrived after that set
//!   began. So packets need not carry a hash, and no bin is decremented that did not count
//!   the packet.
//! - The paper limits the rate of all flows at p_min = 1 together, but not how. Here it is a
//!   token bucket of `penalty_burst` packets that fills at `penalty_rate`.
//! - An arrival is dropped when any of its bins is full, as printed. Flows that share a bin
//!   with an unresponsive one lose packets until that flow is rate-limited.
//! - Drops by a full bin and by the rate limit count as `policy`.
//! - `full_bin=least` is Linux's rule: p rises from `n >= bin_size` on, and an arrival is
//!   dropped only if all its bins hold `bin_max`.
//! - The hashes are salted by the first arrival's random numbers, then by generation.
//!
//! # How other tools differ
//! | aspect | Linux | ns-2, ns-3 | here |
//! |---|---|---|---|
//! | rows and bins | 8 x 16 | none in their releases | 2 x 23 |
//! | d1, d2 | tc 1/2000, 1/20000; the kernel's own 1/1000, 1/6000 | | 0.005 both |
//! | set that warms up counts | packets of flows at p_min = 1 | | every packet |
//! | steps of p | 1/65535: tc's d1 and d2 are 33 and 3 of them | | any |
//! | ECN-capable packets above p_min = 1/2 | dropped with probability 2 p_min - 1: `sfb_enqueue` | | marked up to p_min = 1; `above_half=drop` |
//! | token bucket | refilled when empty, for at most 10 s: `sfb_rate_limit` | | filled continuously; `tokens=empty` |

mod change;
mod parameters;

use alloc::boxed::Box;
use alloc::vec;

use self::parameters::PARAMETERS;
use alloc::format;

use crate::aqm::{Aqm, Backlog, DropReason, Verdict, WaitingPackets};
use crate::explanation::{Why, below, numbers};
use crate::packet::{FlowKey, PacketInfo};
use crate::random::Pcg32;
use crate::registry::{ConfigError, Descriptor, Plan, Preset, Probe, Settings};
use crate::schemes::common::signal;
use crate::trace::{Case, Rule, Trace, by_rule};
use crate::units::Nanos;

const ORIGIN: &str = "Feng, Kandlur, Saha, Shin 2001, section III";
const LINUX: &str = "Linux, sch_sfb";
/// The most levels there may be.
const MOST_LEVELS: usize = 16;

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "sfb",
    "a BLUE for each bin of hashed flows; limits the rate of unresponsive flows",
    "Feng, Kandlur, Saha, Shin 2001",
    &[PARAMETERS],
    |s| Ok(Plan::single(Sfb::from_settings(s)?, s.limit())),
)
.with_presets(&[
    Preset {
        name: "paper",
        meaning: "Feng et al. 2001: 2 x 23 bins of 13, buffer 200, others limited to 0.16 Mbps",
        values: &[
            ("levels", "2"),
            ("bins", "23"),
            ("bin_size", "13"),
            ("limit", "200 packets"),
            ("penalty_rate", "20"),
            ("penalty_burst", "1"),
            ("rehash", "20 s"),
            ("warmup", "20 s"),
        ],
    },
    Preset {
        name: "linux",
        meaning: "tc sfb without options: 8 x 16 bins of 20, d1 33/65535, d2 3/65535",
        values: &[
            ("levels", "8"),
            ("bins", "16"),
            ("bin_size", "20"),
            ("full_bin", "least"),
            ("bin_max", "25"),
            ("d1", "0.000503547722591"),
            ("d2", "0.0000457770656901"),
            ("tokens", "empty"),
            ("above_half", "drop"),
            ("limit", "1000 packets"),
        ],
    },
])
.with_probes(&[
    Probe::new("probability", "the largest probability of any bin in use"),
    Probe::new(
        "mean_probability",
        "the mean probability of the bins in use",
    ),
    Probe::new("fullest", "packets in the fullest bin in use"),
]);

/// The flows that share a hash in one row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Bin {
    /// Packets of these flows in the queue that arrived since the set began.
    waiting: u32,
    probability: f64,
}

/// SFB's parameters.
#[derive(Clone, Copy, Debug)]
struct Parameters {
    levels: usize,
    bins: u32,
    /// p rises when a bin holds more than this.
    rises_above: u32,
    /// An arrival is dropped when any, or every, bin of its flow holds this many.
    drops_at: u32,
    any_drops: bool,
    d1: f64,
    d2: f64,
    ecn: bool,
    penalty_rate: f64,
    penalty_burst: f64,
    filled_when_empty: bool,
    drops_above_half: bool,
    rehash: Nanos,
    warmup: Nanos,
}

/// Bins under one set of hashes.
#[derive(Clone, Debug)]
struct BinSet {
    /// Packets that arrived from this time on are counted; `NEVER` while not in use.
    since: Nanos,
    salt: u64,
    /// Row after row.
    bins: Box<[Bin]>,
}

impl Parameters {
    /// Shows the bin of the smallest probability, which was `before` until this arrival.
    fn show_bin(&self, why: &mut Why, bin: &Bin, before: f64) {
        let waiting = f64::from(bin.waiting);
        let says = "the packets in the bin of the smallest probability";
        why.given(says, ("n_min", "packets"), waiting);
        let (equation, text) = if bin.waiting > self.rises_above {
            (
                "p_min = min(1, p + d1), as the bin is full",
                numbers!("min(1, {} + {})", before, self.d1),
            )
        } else if bin.waiting == 0 {
            (
                "p_min = max(0, p - d2), as the bin is empty",
                numbers!("max(0, {} - {})", before, self.d2),
            )
        } else {
            ("p_min", numbers!("{}", before))
        };
        let says = "the smallest probability of the flow's bins";
        why.step(says, ("p_min", ""), equation, text, bin.probability);
    }
}

impl BinSet {
    /// Calls `change` with each row's bin of `flow`.
    #[inline]
    fn for_each(
        &mut self,
        parameters: &Parameters,
        flow: FlowKey,
        mut change: impl FnMut(&mut Bin),
    ) {
        let mut hash = flow.0;
        for row in self.bins.chunks_exact_mut(parameters.bins as usize) {
            hash = FlowKey(hash).hash(self.salt);
            let index = ((hash >> 32) * u64::from(parameters.bins)) >> 32;
            change(&mut row[index as usize]);
        }
    }

    /// Updates the bins of an arrival; returns the smallest probability of its bins, and the
    /// smallest and largest number of packets in one.
    #[inline]
    fn learn(
        &mut self,
        parameters: &Parameters,
        flow: FlowKey,
        trace: &mut impl Trace,
    ) -> (f64, u32, u32) {
        let (mut least_p, mut least, mut most) = (1.0_f64, u32::MAX, 0);
        self.for_each(parameters, flow, |bin| {
            let before = bin.probability;
            if bin.waiting > parameters.rises_above {
                bin.probability = (bin.probability + parameters.d1).min(1.0);
            } else if bin.waiting == 0 {
                bin.probability = (bin.probability - parameters.d2).max(0.0);
            }
            trace.note(|why| {
                // Shown is the first bin with the smallest probability.
                if why.steps.is_empty() || bin.probability < least_p {
                    why.steps.clear();
                    parameters.show_bin(why, bin, before);
                }
            });
            least_p = least_p.min(bin.probability);
            least = least.min(bin.waiting);
            most = most.max(bin.waiting);
        });
        (least_p, least, most)
    }
}

/// Stochastic Fair BLUE.
#[derive(Clone, Debug)]
pub struct Sfb {
    parameters: Parameters,
    sets: [BinSet; 2],
    /// The set in use; the other one is idle or warms up.
    active: usize,
    warming: bool,
    /// When the other set begins to warm up or takes over.
    next_change: Option<Nanos>,
    /// The number of sets so far.
    generation: u64,
    /// Drawn at the first arrival.
    secret: Option<u64>,
    /// Tokens of the penalty rate at `tokens_at`, in packets.
    tokens: f64,
    tokens_at: Nanos,
}

impl Sfb {
    pub(crate) fn from_settings(s: &Settings) -> Result<Sfb, ConfigError> {
        check(s)?;
        let bin_size = s.count("bin_size");
        let any_drops = s.choice("full_bin") == "any";
        let parameters = Parameters {
            levels: s.count("levels") as usize,
            bins: s.count("bins"),
            rises_above: if any_drops { bin_size } else { bin_size - 1 },
            drops_at: if any_drops {
                bin_size + 1
            } else {
                s.count("bin_max")
            },
            any_drops,
            d1: s.number("d1"),
            d2: s.number("d2"),
            ecn: s.flag("ecn"),
            penalty_rate: s.number("penalty_rate"),
            penalty_burst: s.number("penalty_burst"),
            filled_when_empty: s.choice("tokens") == "empty",
            drops_above_half: s.choice("above_half") == "drop",
            rehash: s.time("rehash"),
            warmup: s.time("warmup"),
        };
        let set = |since| BinSet {
            since,
            salt: 0,
            bins: vec![Bin::default(); parameters.levels * parameters.bins as usize].into(),
        };
        Ok(Sfb {
            parameters,
            sets: [set(Nanos::NEVER), set(Nanos::NEVER)],
            active: 0,
            warming: false,
            next_change: None,
            generation: 0,
            secret: None,
            tokens: parameters.penalty_burst,
            tokens_at: Nanos::ZERO,
        })
    }

    fn salt(&self, generation: u64) -> u64 {
        FlowKey(generation).hash(self.secret.unwrap_or(0))
    }

    #[cold]
    fn draw_secret(&mut self, now: Nanos, random: &mut Pcg32) {
        let high = u64::from(random.next_u32()) << 32;
        self.secret = Some(high | u64::from(random.next_u32()));
        let (active, other) = match self.warming {
            true => (self.generation.wrapping_sub(1), self.generation),
            false => (self.generation, self.generation),
        };
        self.sets[self.active].salt = self.salt(active);
        // Packets that came before, under another scheme, are not in the bins.
        self.sets[self.active].since = now;
        self.sets[1 - self.active].salt = self.salt(other);
    }

    /// Lets the other set begin to warm up or take over; returns the time to the next change.
    fn change_sets(&mut self, at: Nanos) -> Nanos {
        let other = 1 - self.active;
        self.warming = !self.warming;
        if self.warming {
            self.generation += 1;
            let salt = self.salt(self.generation);
            let set = &mut self.sets[other];
            (set.since, set.salt) = (at, salt);
            set.bins.fill(Bin::default());
            self.parameters.warmup
        } else {
            self.sets[self.active].since = Nanos::NEVER;
            self.active = other;
            self.parameters.rehash - self.parameters.warmup
        }
    }

    /// Makes the changes of sets due by `now`. Of a long calm only the last periods are run:
    /// without arrivals, earlier ones leave empty bins.
    fn catch_up(&mut self, now: Nanos) {
        let parameters = self.parameters;
        let mut next = self
            .next_change
            .unwrap_or(now + (parameters.rehash - parameters.warmup));
        let periods = now.since(next).0 / parameters.rehash.0;
        let skipped = periods.saturating_sub(2) & !1;
        next += Nanos(skipped * parameters.rehash.0);
        self.generation += skipped;
        while next <= now {
            next += self.change_sets(next);
        }
        self.next_change = Some(next);
    }

    /// Takes a token for a packet of an unresponsive flow; whether there was one.
    #[cold]
    fn pay(&mut self, now: Nanos, trace: &mut impl Trace) -> bool {
        let Parameters {
            penalty_rate: rate,
            penalty_burst: burst,
            filled_when_empty,
            ..
        } = self.parameters;
        if filled_when_empty {
            self.fill_as_linux(now, trace);
        } else {
            let (age, before) = (now.since(self.tokens_at).as_secs_f64(), self.tokens);
            self.tokens = (before + age * rate).min(burst);
            self.tokens_at = now;
            trace.step(
                TOKENS,
                ("tokens", "packets"),
                "tokens = min(burst, tokens + rate (now - last))",
                || numbers!("min({}, {} + {} * {})", burst, before, rate, age),
                self.tokens,
            );
        }
        trace.by("the rate limit at p_min = 1", || below(self.tokens, 1.0));
        let paid = self.tokens >= 1.0;
        if paid {
            self.tokens -= 1.0;
        }
        paid
    }

    /// Fills the bucket when it is found empty. Asked more often than once a token's time, it
    /// stays empty.
    fn fill_as_linux(&mut self, now: Nanos, trace: &mut impl Trace) {
        const LONGEST: f64 = 10.0;
        if self.tokens >= 1.0 {
            return trace.given(TOKENS, ("tokens", "packets"), self.tokens);
        }
        let age = now.since(self.tokens_at).as_secs_f64().min(LONGEST);
        let filled = libm::floor(age * self.parameters.penalty_rate);
        let burst = self.parameters.penalty_burst;
        self.tokens = filled.min(burst);
        self.tokens_at = now;
        trace.step(
            "the tokens, filled as there was none: whole ones for the time since",
            ("tokens", "packets"),
            "tokens = min(burst, floor(rate age))",
            || numbers!("min({}, {})", burst, filled),
            self.tokens,
        );
    }

    /// The signal to a packet for which `drawn` was below p_min.
    fn signal(
        &self,
        packet: &PacketInfo,
        p_min: f64,
        drawn: f64,
        trace: &mut impl Trace,
    ) -> Verdict {
        let (ecn, certain) = (self.parameters.ecn, 2.0 * p_min - 1.0);
        let unresponsive = self.parameters.drops_above_half && drawn < certain;
        trace.note(|why| {
            let may = ecn && packet.ecn.is_capable() && self.parameters.drops_above_half;
            if !may || certain <= 0.0 {
                return;
            }
            why.step(
                "below this a packet is dropped even if it could be marked",
                ("d", ""),
                "d = 2 p_min - 1",
                numbers!("2 * {} - 1", p_min),
                certain,
            );
            why.reason += &format!("; {}", below(drawn, certain));
        });
        signal(ecn && !unresponsive, packet)
    }

    /// Removes a packet from the bins of the sets that counted it.
    #[inline]
    fn subtract(&mut self, packet: &PacketInfo) {
        for set in &mut self.sets {
            if packet.arrived >= set.since {
                set.for_each(&self.parameters, packet.flow, |bin| {
                    bin.waiting = bin.waiting.saturating_sub(1);
                });
            }
        }
    }
}

fn check(s: &Settings) -> Result<(), ConfigError> {
    let (rehash, warmup) = (s.time("rehash"), s.time("warmup"));
    if rehash > Nanos::ZERO && warmup > rehash {
        return Err(s.contradiction(
            "warmup",
            alloc::format!("warmup = {warmup} is longer than rehash = {rehash}"),
            alloc::format!("nearest: warmup = {rehash}"),
        ));
    }
    let (bin_size, limit) = (s.number("bin_size"), s.packets("limit"));
    if bin_size > limit {
        return Err(s.contradiction(
            "bin_size",
            alloc::format!(
                "bin_size = {bin_size} packets lies above the buffer, limit = {limit} packets"
            ),
            alloc::format!("nearest: limit = {bin_size} packets, or bin_size = {limit}"),
        ));
    }
    Ok(())
}

/// What SFB's tokens are, in explanations.
const TOKENS: &str = "the tokens of the flows that do not respond";

impl Rule for Sfb {
    #[inline]
    fn arrive<Q: Backlog, T: Trace>(&mut self, case: Case<'_, Q, T>) -> Verdict {
        let trace = case.trace;
        trace.source("Feng, Kandlur, Saha, Shin 2001, section III");
        if self.secret.is_none() {
            self.draw_secret(case.now, case.random);
        }
        let parameters = &self.parameters;
        let set = &mut self.sets[self.active];
        let (p_min, least, most) = set.learn(parameters, case.packet.flow, trace);
        let unresponsive = p_min >= 1.0;
        if unresponsive && self.warming {
            self.sets[1 - self.active].learn(parameters, case.packet.flow, &mut ());
        }
        let any_drops = parameters.any_drops;
        let (fullness, drops_at) = (if any_drops { most } else { least }, parameters.drops_at);
        trace.note(|why| {
            let which = if any_drops { "fullest" } else { "emptiest" };
            let bins = self.parameters.levels;
            let says = format!("the packets in the {which} of the flow's {bins} bins");
            why.given(says, ("n", "packets"), f64::from(fullness));
        });
        if fullness >= drops_at {
            let (fullness, full) = (f64::from(fullness), f64::from(drops_at));
            let says = "the packets at which a bin is full";
            trace.given(says, ("full", "packets"), full);
            trace.by("a full bin", || below(fullness, full));
            return Verdict::Drop(DropReason::Policy);
        }
        if unresponsive {
            return match self.pay(case.now, trace) {
                true => Verdict::Keep,
                false => Verdict::Drop(DropReason::Policy),
            };
        }
        if p_min <= 0.0 {
            trace.by("no signals at p_min = 0", || "p_min is 0".into());
            return Verdict::Keep;
        }
        let drawn = case.random.uniform();
        trace.note(|why| why.drawn("a random signal with p_min", drawn, p_min));
        match drawn < p_min {
            true => self.signal(case.packet, p_min, drawn, trace),
            false => Verdict::Keep,
        }
    }
}

impl Aqm for Sfb {
    by_rule!(on_arrival);

    #[inline]
    fn on_accepted(&mut self, _now: Nanos, packet: &PacketInfo) {
        for set in &mut self.sets {
            if packet.arrived >= set.since {
                set.for_each(&self.parameters, packet.flow, |bin| bin.waiting += 1);
            }
        }
    }

    #[inline]
    fn on_departure<Q: Backlog>(
        &mut self,
        _now: Nanos,
        packet: &PacketInfo,
        _queue: &Q,
        _random: &mut Pcg32,
    ) -> Verdict {
        self.subtract(packet);
        Verdict::Keep
    }

    fn on_evicted(&mut self, _now: Nanos, packet: &PacketInfo) {
        self.subtract(packet);
    }

    #[inline]
    fn poll<Q: Backlog>(&mut self, now: Nanos, _queue: &Q) {
        if self.parameters.rehash > Nanos::ZERO && self.next_change.is_none_or(|next| now >= next) {
            self.catch_up(now);
        }
    }

    fn next_deadline(&self) -> Option<Nanos> {
        self.next_change
    }

    fn continue_from(&mut self, now: Nanos, old: Self, waiting: WaitingPackets<'_>) {
        self.take_over(now, old, waiting);
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        let bins = &self.sets[self.active].bins;
        let largest = bins.iter().fold(0.0_f64, |p, bin| p.max(bin.probability));
        let sum: f64 = bins.iter().map(|bin| bin.probability).sum();
        let fullest = bins.iter().map(|bin| bin.waiting).max().unwrap_or(0);
        show("probability", largest);
        show("mean_probability", sum / bins.len() as f64);
        show("fullest", f64::from(fullest));
    }

    fn heap_bytes(&self) -> usize {
        let sizes = self.sets.iter().map(|set| size_of_val::<[Bin]>(&set.bins));
        sizes.sum()
    }
}

#[cfg(test)]
#[path = "sfb_tests.rs"]
mod tests;
