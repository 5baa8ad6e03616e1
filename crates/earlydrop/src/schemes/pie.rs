//! PIE: a proportional-integral controller (enhanced) of the queueing delay.
//!
//! # Reference
//! R. Pan, P. Natarajan, F. Baker, G. White, RFC 8033, 2017.
//!
//! # Equations
//! Every T = 15 ms, d being the queueing delay and d_old that of T ago:
//! - `step = alpha (d - target) + beta (d - d_old)`, divided by 2048, 512, 128, 32, 8
//!   or 2 while p is below 1e-6, 1e-5, 1e-4, 1e-3, 0.01 or 0.1;
//! - at p >= 0.1 no step exceeds 0.02 (section 5.5);
//! - `p <- p + step`;
//! - with d = d_old = 0, `p <- 0.98 p`; p is kept within [0, 1];
//! - the burst allowance falls by T, and is reset to 150 ms once p = 0 and both delays are
//!   below target/2.
//!
//! An arrival carries a congestion signal with probability p, but not during the burst
//! allowance, nor with d below target/2 and p below 0.2, nor while the queue is at most two
//! mean packets. Above p = 0.1 it is dropped even if it could be marked.
//!
//! Derandomised (section 5.4): p is summed over arrivals. There is no drop while the sum is
//! below 0.85; from 8.5 on the next packet is dropped.
//!
//! # Our readings
//! - The delay is the waiting time of the packet at the head when p is updated, 0 for an
//!   empty queue. The RFC's time stamps are those of the last packet that left; the packet
//!   at the head also shows a stalled link.
//! - `delay=rate` is the estimate of section 5.2: the queue times the average duration of a
//!   measurement, over `dq_threshold`. A measurement ends with the packet that reaches the
//!   threshold. It is not scaled to the bytes that left, and its first packet's bytes count
//!   though its transmission time does not.
//! - The burst allowance is reset when p is updated, not at the next arrival. Its condition
//!   changes at updates only.
//! - The RFC's text decays p when both delays are 0. The pseudo-code of its second appendix,
//!   which DPDK and others follow, decays it when both are below target/2: `decay=half`.
//! - Linux adds 0.02 to p at each update with a delay above 250 ms. ns-3, DPDK and FreeBSD,
//!   which follow the RFC, do not: `high_delay` is off, and on in `as=linux`.
//! - A signal because the sum reached 8.5 resets the sum, as a random one does, whether it is
//!   a drop or a mark.
//! - Turning PIE off on a short queue (section 5.3) and byte mode are not implemented.
//!
//! # How other tools differ
//! | aspect | Linux | ns-3 | DPDK, FreeBSD | here |
//! |---|---|---|---|---|
//! | delay | of the last packet that left, in ticks of 64 ns: `pie_process_dequeue` | of the last packet that left | rate; FreeBSD either | of the head; `delay=rate`, `delay=departed` |
//! | rate estimate | bytes over time, weight 1/8 | bytes over time, weight 1/2 | time over 16 KB, weight 1/4 | time over 16 KB, weight 1/4 |
//! | derandomised | always | optional | DPDK always; FreeBSD unless turned off | `derandomise=on` |
//! | sum after 8.5 | 0 after a drop, kept after a mark: `pie_drop_early` | 0 after a drop, kept after a mark | DPDK kept; FreeBSD 0 after a drop | 0; `long_gap=kept` |
//! | p above 250 ms | 0.02 more | no rule | no rule | no rule; `high_delay=250 ms` |
//! | p is bounded by | the overflow of 64 bits, 256: `pie_calculate_probability` | 1 | 1 | 1; `wraps_at=256` |
//! | updates | a clock tick late: 16 ms at 1000 Hz, 20 ms at 250 Hz | on time | on time | on time; `interval` |
//! | burst allowance falls | with departures: `pie_process_dequeue` | with updates | with updates | with updates; `burst_falls=departures` |
//! | no signal with a queue | below 2 MTUs: `pie_drop_early` | up to 2 packets | DPDK up to a tenth of the buffer | up to 2 mean packets; `spared=below` |
//! | decay | 63/64 when both are 0 and nothing waits: `pie_calculate_probability` | 0.98 when both are 0 | DPDK 0.98 below target/2; FreeBSD 63/64 at 0 | 0.98 at 0; `decay=half`, `decay=linux` |
//! | ECN limit | p <= 0.1 | p < 0.1 | FreeBSD p < 0.1; DPDK no ECN | p < 0.1 |
//! | turned off on a short queue | no | optional | DPDK yes; FreeBSD optional | no |
//!
//! `as=linux` is Linux 6.1's sch_pie.c at 1000 Hz to the packet: given the kernel's random numbers
//! and the phase of its timer, all fates of 50,000 packets agree in each of four cases.

mod change;
mod parameters;

use self::parameters::BUFFER;
pub(crate) use self::parameters::PARAMETERS;
use alloc::format;

use crate::aqm::{Aqm, Backlog, Ticker, Verdict, WaitingPackets};
use crate::explanation::{Why, amount, below, numbers};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::registry::{ConfigError, Descriptor, Plan, Preset, Probe, Settings};
use crate::schemes::common::{check_target, signal};
use crate::schemes::departure_delay::{LastDeparture, RateEstimator, in_ticks};
use crate::schemes::pi_controller::{Gains, head_delay};
use crate::trace::{Case, Rule, Trace, by_rule};
use crate::units::Nanos;

const RFC: &str = "RFC 8033, section 4";

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "pie",
    "proportional-integral control of the queueing delay, with self-tuning gains",
    "Pan, Natarajan, Baker, White, RFC 8033",
    &[BUFFER, PARAMETERS],
    |s| Ok(Plan::single(Pie::from_settings(s)?, s.limit())),
)
.with_presets(&[
        Preset {
            name: "paper",
            meaning: "RFC 8033: target and interval 15 ms, burst 150 ms",
            values: &[
                ("target", "15 ms"),
                ("interval", "15 ms"),
                ("burst", "150 ms"),
            ],
        },
        Preset {
            name: "linux",
            meaning: "tc pie on Ethernet at 1000 Hz, whose updates are a tick late (at 250 Hz interval=20 ms): derandomised, an MTU of 1514 with its header, no ECN unless asked for",
            values: &[
                ("derandomise", "on"),
                ("long_gap", "kept"),
                ("high_delay", "250 ms"),
                ("delay", "departed"),
                ("decay", "linux"),
                ("wraps_at", "256"),
                ("spared", "below"),
                ("burst_falls", "departures"),
                ("interval", "16 ms"),
                ("mean_packet", "1514 bytes"),
                ("ecn", "off"),
                ("limit", "1000 packets"),
            ],
        },
        Preset {
            name: "ns3",
            meaning: "ns-3's PieQueueDisc: 25 packets of 1000 bytes, no ECN unless asked for",
            values: &[
                ("mean_packet", "1000 bytes"),
                ("ecn", "off"),
                ("limit", "25 packets"),
            ],
        },
    ])
.with_probes(&[
        Probe::new("probability", "p; 1 where it is above"),
        Probe::new(
            "qdelay",
            "the queueing delay at the last update, in seconds",
        ),
        Probe::new("burst", "what is left of the burst allowance, in seconds"),
    ]);

/// The factor that reduces the steps of a small probability (section 4.2).
fn autotune(probability: f64) -> f64 {
    const STEPS: [(f64, f64); 6] = [
        (1e-6, 1.0 / 2048.0),
        (1e-5, 1.0 / 512.0),
        (1e-4, 1.0 / 128.0),
        (1e-3, 1.0 / 32.0),
        (0.01, 1.0 / 8.0),
        (0.1, 1.0 / 2.0),
    ];
    let fitting = STEPS.iter().find(|(below, _)| probability < *below);
    fitting.map_or(1.0, |(_, factor)| *factor)
}

/// Sums of p between which chance decides, derandomised (section 5.4).
const LEAST_SUM: f64 = 0.85;
const LARGEST_SUM: f64 = 8.5;

/// At and above this p a short delay suppresses no signals (section 4.1).
const LARGE_P: f64 = 0.2;

/// Largest step once p is 0.1, and the step added above `high_delay`.
const LARGE_STEP: f64 = 0.02;

/// PIE's parameters.
#[derive(Clone, Copy, Debug)]
struct Parameters {
    gains: Gains,
    /// Half the target, in seconds.
    half: f64,
    burst: Nanos,
    interval: Nanos,
    /// No signals with at most so many bytes queued.
    spared: u64,
    ecn: bool,
    mark_limit: f64,
    cap: bool,
    high_delay: f64,
    decay: Decay,
    derandomise: bool,
    wraps_at: f64,
    burst_falls_with_departures: bool,
    long_gap_is_kept: bool,
}

/// When p decays.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Decay {
    AtZero,
    BelowHalf,
    /// At zero while nothing waits, and by 1/64.
    Linux,
}

/// What an update of p starts from. Delays are in seconds.
#[derive(Clone, Copy, Debug)]
struct Update {
    probability: f64,
    delay_before: f64,
    delay: f64,
    waiting: bool,
}

/// PIE: a PI controller of the queueing delay.
#[derive(Clone, Debug)]
pub struct Pie {
    parameters: Parameters,
    ticker: Ticker,
    rate: Option<RateEstimator>,
    /// With `delay=departed` or `burst_falls=departures`.
    last: Option<LastDeparture>,
    departed: bool,
    probability: f64,
    /// At the last update, in seconds.
    delay: f64,
    burst_left: Nanos,
    /// The sum of p since the last drop.
    accumulated: f64,
    /// What the last update of p started from; `None` before the first with these parameters.
    last_update: Option<Update>,
    /// Signals are active: neither a burst allowance nor a short delay suppresses them.
    active: bool,
}

impl Pie {
    pub(crate) fn from_settings(s: &Settings) -> Result<Pie, ConfigError> {
        check_target(s)?;
        let interval = s.time("interval");
        let departed = s.choice("delay") == "departed";
        let target = s.time("target");
        let parameters = Parameters {
            half: match departed {
                true => in_ticks(Nanos(target.0 / 2)).as_secs_f64(),
                false => target.as_secs_f64() / 2.0,
            },
            gains: Gains {
                alpha: s.number("alpha"),
                beta: s.number("beta"),
                reference: target.as_secs_f64(),
            },
            burst: s.time("burst"),
            interval,
            spared: match s.choice("spared") {
                "below" => s.link().mean_packet.0.saturating_mul(2) - 1,
                _ => s.link().mean_packet.0.saturating_mul(2),
            },
            ecn: s.flag("ecn"),
            mark_limit: s.number("mark_limit"),
            cap: s.flag("cap"),
            high_delay: match s.time("high_delay") {
                Nanos::ZERO => f64::INFINITY,
                delay => delay.as_secs_f64(),
            },
            decay: match s.choice("decay") {
                "half" => Decay::BelowHalf,
                "linux" => Decay::Linux,
                _ => Decay::AtZero,
            },
            derandomise: s.flag("derandomise"),
            wraps_at: s.number("wraps_at"),
            burst_falls_with_departures: s.choice("burst_falls") == "departures",
            long_gap_is_kept: s.choice("long_gap") == "kept",
        };
        let follows = departed || parameters.burst_falls_with_departures;
        let threshold = s.size_or_auto("dq_threshold").map_or(0, |size| size.0);
        Ok(Pie {
            parameters,
            ticker: Ticker::every(interval),
            rate: (s.choice("delay") == "rate").then(|| RateEstimator::new(threshold)),
            last: follows.then(LastDeparture::default),
            departed,
            probability: 0.0,
            delay: 0.0,
            burst_left: parameters.burst,
            accumulated: 0.0,
            last_update: None,
            active: false,
        })
    }

    /// Takes one step of p; returns whether a further step with the same delay would change
    /// anything.
    fn update(&mut self, delay: f64, waiting: bool) -> bool {
        let (before, burst_before) = (self.probability, self.burst_left);
        let parameters = &self.parameters;
        let update = Update {
            probability: before,
            delay_before: self.delay,
            delay,
            waiting,
        };
        let delay_before = self.delay;
        let calm = update.is_calm(parameters.half);
        self.last_update = Some(update);
        self.probability = parameters.updated(&update, &mut ());
        self.delay = delay;
        if calm && self.probability == 0.0 {
            self.burst_left = parameters.burst;
            if let Some(last) = &mut self.last {
                last.at = None;
                self.accumulated = 0.0;
            }
        } else if !parameters.burst_falls_with_departures {
            self.burst_left = burst_before - parameters.interval;
        }
        self.activate(delay);
        self.probability != before || delay != delay_before || self.burst_left != burst_before
    }

    /// Turns signals on or off for a queueing delay of `delay` seconds.
    fn activate(&mut self, delay: f64) {
        let spared = delay < self.parameters.half && self.probability < LARGE_P;
        self.active = self.burst_left == Nanos::ZERO && !spared;
    }

    /// A packet that came at `arrived` leaves, and `left` bytes stay.
    fn note_departure(&mut self, now: Nanos, arrived: Nanos, left: u64) {
        let Some(last) = &mut self.last else {
            return;
        };
        let now = in_ticks(now);
        let since = last.at.map_or(Nanos::ZERO, |at| now.since(at));
        last.at = Some(now);
        last.delay = match left {
            0 => Nanos::ZERO,
            _ => now.since(in_ticks(arrived)),
        };
        let delay = last.delay.as_secs_f64();
        if self.parameters.burst_falls_with_departures {
            self.burst_left = self.burst_left - since;
        }
        self.activate(if self.departed { delay } else { self.delay });
    }

    /// The head grows older from update to update, until p is 1 and stays so.
    fn catch_up_with_head<Q: Backlog>(&mut self, ticker: &mut Ticker, now: Nanos, queue: &Q) {
        let last = ticker.catch_up(now, |tick| {
            let changed = self.update(head_delay(tick, queue), queue.packets() > 0);
            let late = self.delay > self.parameters.gains.reference;
            let saturated = self.probability == 1.0 && late && self.burst_left == Nanos::ZERO;
            !saturated && (changed || queue.packets() > 0)
        });
        if let Some(last) = last {
            self.delay = head_delay(last, queue);
        }
    }

    #[inline]
    fn hits(&mut self, random: &mut Pcg32, trace: &mut impl Trace) -> bool {
        if !self.parameters.derandomise {
            return trace.chance("a random signal with p", random, self.probability);
        }
        trace.source("RFC 8033, section 5.4");
        if self.probability == 0.0 {
            self.accumulated = 0.0;
        }
        let before = self.accumulated;
        self.accumulated += self.probability;
        let (p, sum) = (self.probability, self.accumulated);
        trace.step(
            "the sum of p since the last drop",
            ("sum", ""),
            "sum = sum + p",
            || numbers!("{} + {}", before, p),
            sum,
        );
        if sum < LEAST_SUM {
            trace.by("no drop soon after the last", || below(sum, LEAST_SUM));
            return false;
        }
        let long = sum >= LARGEST_SUM;
        if long {
            trace.by("a drop long after the last", || below(sum, LARGEST_SUM));
        }
        if long && self.parameters.long_gap_is_kept {
            return true;
        }
        let hit = long || trace.chance("a random signal with p", random, p);
        if hit {
            self.accumulated = 0.0;
        }
        hit
    }

    /// Shows p, and how the last update has moved it.
    fn show_probability(&self, why: &mut Why) {
        match &self.last_update {
            Some(update) => {
                self.parameters.updated(update, why);
            }
            None => why.given("the drop probability", ("p", ""), self.probability),
        }
    }

    /// Shows why signals are off.
    fn show_inactivity(&self, why: &mut Why) {
        if self.burst_left > Nanos::ZERO {
            why.source = "RFC 8033, section 4.4";
            let left = self.burst_left.as_secs_f64();
            why.given("what is left of the burst allowance", ("burst", "s"), left);
            let reason = format!("the burst allowance lasts {}", amount(1000.0 * left, "ms"));
            return why.by("no drop during the burst allowance", reason);
        }
        why.source = "RFC 8033, section 4.1";
        let delay = match &self.last {
            Some(last) if self.departed => last.delay.as_secs_f64(),
            _ => self.delay,
        };
        if delay >= self.parameters.half || self.probability >= LARGE_P {
            return why.by("no drop before the next update", "signals are off so far");
        }
        if self.departed {
            let says = "the delay of the last packet that left";
            why.given(says, ("delay", "s"), delay);
        }
        why.given("half the target", ("target/2", "s"), self.parameters.half);
        let compared = below(1000.0 * delay, 1000.0 * self.parameters.half);
        let reason = format!("the delay is below half the target, {compared} ms");
        why.by("no drop at a short delay, while p is below 0.2", reason);
    }
}

impl Update {
    /// Whether both delays are below `half` the target.
    fn is_calm(&self, half: f64) -> bool {
        self.delay < half && self.delay_before < half
    }
}

impl Parameters {
    /// p after an update.
    fn updated(&self, update: &Update, trace: &mut impl Trace) -> f64 {
        let Update {
            probability: before,
            delay_before,
            delay,
            waiting,
        } = *update;
        let (gains, factor) = (self.gains, autotune(before));
        let mut step = gains.step(delay, delay_before) * factor;
        let is_capped = self.cap && before >= 0.1 && step > LARGE_STEP;
        if is_capped {
            step = LARGE_STEP;
        }
        let is_high = delay > self.high_delay;
        if is_high {
            step += LARGE_STEP;
        }
        trace.note(|why| {
            let says = "the queueing delay at the last update";
            why.given(says, ("delay", "s"), delay);
            let mut equation = "step = f (alpha (delay - target) + beta (delay - delay'))".into();
            let mut text = numbers!(
                "{} * ({} * ({} - {}) + {} * ({} - {}))",
                factor,
                gains.alpha,
                delay,
                gains.reference,
                gains.beta,
                delay,
                delay_before
            );
            if is_capped {
                equation = format!("{equation}, at most {LARGE_STEP}");
                text = format!("min({text}, {LARGE_STEP})");
            }
            if is_high {
                equation = format!("{equation} + {LARGE_STEP} for the high delay");
                text = format!("{text} + {LARGE_STEP}");
            }
            let says = match factor == 1.0 {
                true => "the change of p at the last update",
                false => "the change of p at the last update, reduced as p was small",
            };
            why.step(says, ("step", ""), equation, text, step);
        });
        let no_delay = delay == 0.0 && delay_before == 0.0;
        let kept = match self.decay {
            Decay::AtZero if no_delay => 0.98,
            Decay::BelowHalf if update.is_calm(self.half) => 0.98,
            Decay::Linux if no_delay && !waiting => 63.0 / 64.0,
            _ => 1.0,
        };
        let mut after = ((before + step) * kept).max(0.0);
        let wraps = after > self.wraps_at;
        if wraps {
            after = 1.0;
        }
        trace.note(|why| {
            let (equation, text) = match (wraps, kept < 1.0) {
                (true, _) => ("p = 1, as it is at most this", numbers!("{}", 1.0)),
                (false, true) => (
                    "p = max(0, (p' + step) decay)",
                    numbers!("max(0, ({} + {}) * {})", before, step, kept),
                ),
                (false, false) => (
                    "p = max(0, p' + step)",
                    numbers!("max(0, {} + {})", before, step),
                ),
            };
            let says = "the drop probability since the last update";
            why.step(says, ("p", ""), equation, text, after);
        });
        after
    }
}

impl Rule for Pie {
    #[inline]
    fn arrive<Q: Backlog, T: Trace>(&mut self, case: Case<'_, Q, T>) -> Verdict {
        let trace = case.trace;
        trace.source("RFC 8033, section 4.2");
        trace.note(|why| self.show_probability(why));
        if !self.active {
            trace.note(|why| self.show_inactivity(why));
            return Verdict::Keep;
        }
        let (waiting, spared) = (case.queue.bytes(), self.parameters.spared);
        let says = "the queue that the packet finds";
        trace.given(says, ("queue", "bytes"), waiting as f64);
        if waiting <= spared {
            trace.source("RFC 8033, section 4.1");
            let reason = || format!("the queue holds {waiting} bytes, and {spared} are spared");
            trace.by("no drop from a short queue", reason);
            return Verdict::Keep;
        }
        if !self.hits(case.random, trace) {
            return Verdict::Keep;
        }
        let limit = self.parameters.mark_limit;
        let ecn = self.parameters.ecn && self.probability < limit;
        let verdict = signal(ecn, case.packet);
        if verdict != Verdict::Mark {
            self.accumulated = 0.0;
        }
        trace.note(|why| {
            if !ecn && self.parameters.ecn && case.packet.ecn.is_capable() {
                let limit = amount(limit, "");
                why.reason += &format!("; from p = {limit} on nothing is marked");
            }
        });
        verdict
    }
}

impl Aqm for Pie {
    by_rule!(on_arrival);

    fn on_refused(&mut self, _now: Nanos, _packet: &PacketInfo) {
        self.accumulated = 0.0;
    }

    #[inline]
    fn on_departure<Q: Backlog>(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        _random: &mut Pcg32,
    ) -> Verdict {
        if let Some(rate) = &mut self.rate {
            rate.on_departure(now, packet.size, queue.bytes());
        }
        self.note_departure(now, packet.arrived, queue.bytes());
        Verdict::Keep
    }

    #[inline]
    fn poll<Q: Backlog>(&mut self, now: Nanos, queue: &Q) {
        if !self.ticker.is_due(now) {
            return;
        }
        let mut ticker = self.ticker.clone();
        let waiting = queue.packets() > 0;
        match (&self.rate, &self.last) {
            (Some(rate), _) => {
                let delay = queue.bytes() as f64 * rate.secs_per_byte;
                ticker.catch_up(now, |_| self.update(delay, waiting));
            }
            (None, Some(last)) if self.departed => {
                let delay = last.delay.as_secs_f64();
                ticker.catch_up(now, |_| self.update(delay, waiting));
            }
            _ => self.catch_up_with_head(&mut ticker, now, queue),
        }
        self.ticker = ticker;
    }

    fn next_deadline(&self) -> Option<Nanos> {
        self.ticker.next()
    }

    fn continue_from(&mut self, now: Nanos, old: Self, _waiting: WaitingPackets<'_>) {
        self.take_over(now, old);
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("probability", self.probability.min(1.0));
        show("qdelay", self.delay);
        show("burst", self.burst_left.as_secs_f64());
    }
}

#[cfg(test)]
#[path = "pie_tests.rs"]
mod tests;
