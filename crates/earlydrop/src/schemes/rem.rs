//! REM: random exponential marking, by a price of congestion.
//!
//! # Reference
//! S. Athuraliya, S. H. Low, V. H. Li, Q. Yin, "REM: Active Queue Management", IEEE
//! Network, May/June 2001; a baseline of Wang et al. 2008 and Ku et al. 2005.
//!
//! # Equations
//! Once per update interval, x being the packets that arrived in it, c those that could have
//! been sent, q the queue and q_ref its reference:
//! `price <- max(0, price + gamma (alpha (q - q_ref) + x - c))`; then
//! `p = 1 - phi^(-price)`. Each packet carries a congestion signal with probability p.
//!
//! # Our readings
//! - `inw` smooths the arrivals, `x <- (1 - inw) x + inw arrivals`, as in ns-2; at 1,
//!   the default of both, there is no smoothing. Below 1e-9 packets x becomes 0, so that a
//!   calm reaches a fixed point.
//! - Byte mode (`unit=bytes`), of which the paper says only that it exists, is ns-2's:
//!   arrivals and queue are bytes over the mean packet, q_ref stays in packets, and p is
//!   scaled by a packet's size over the mean.
//! - Dropped arrivals count too, as in ns-2: x is the demand.
//! - The price is capped where p is exactly 1 in floating point. Only a link that is down
//!   reaches the cap; without it, recovery would take as long as the outage.
//! - `signal=departure` marks departing packets instead of judging arrivals, as ns-2 does
//!   when it marks. `others` is then what happens to packets that cannot be marked.
//!
//! # How other tools differ
//! | aspect | ns-2 `Queue/REM` | ns-3, Linux, DPDK | here |
//! |---|---|---|---|
//! | last place of the buffer | never used | not in their releases | used; `last_place=off` for ns-2's |
//! | marks when | dequeueing | | enqueueing; `signal=departure` for ns-2's |
//! | drops and marks | `markpkts_` off: drops all; on: marks, never drops early | | marks what it can, drops others |
//! | queue in byte mode | whole mean packets, rounded down | | not rounded |
//! | alpha | 0.1, fixed | | a parameter |
//! | full buffer | checked before p | | checked after p |

use alloc::format;

use crate::aqm::{Aqm, Backlog, DropReason, Ticker, Verdict, WaitingPackets};
use crate::explanation::{Number, Why, numbers};
use crate::packet::PacketInfo;
use crate::queue::Limit;
use crate::random::Pcg32;
use crate::registry::{
    ConfigError, Descriptor, ECN, Extent, Kind, LIMIT, MEAN_PACKET, OTHERS, Parameter, Plan,
    Preset, Probe, Range, Settings, UNIT,
};
use crate::schemes::common::{Counting, Signalling, check_within_buffer};
use crate::trace::{Case, Rule, Trace, by_rule};
use crate::units::{BitsPerSec, Bytes, Nanos};

const ORIGIN: &str = "Athuraliya et al. 2001, as in Wang et al. 2008";
const NS2: &str = "ns-2 2.35, Queue/REM";

const PARAMETERS: &[Parameter] = &[
    LIMIT,
    ECN,
    Parameter::new(
        "interval",
        "time between two updates of the price",
        Kind::Time(Range::UPDATE_INTERVAL),
    )
    .with_extent(Extent::Period)
    .with_default("2 ms", NS2),
    Parameter::new(
        "gamma",
        "step size of the price",
        Kind::Number(Range::POSITIVE, "per packet"),
    )
    .with_extent(Extent::Multiple)
    .with_default("0.001", ORIGIN),
    Parameter::new(
        "phi",
        "base of the exponential: p = 1 - phi^(-price)",
        Kind::Number(
            Range {
                low: 1.0,
                with_low: false,
                ..Range::POSITIVE
            },
            "",
        ),
    )
    .fixed()
    .with_default("1.001", ORIGIN),
    Parameter::new(
        "alpha",
        "weight of the queue's error relative to the rate mismatch",
        Kind::Number(Range::POSITIVE, "ratio"),
    )
    .with_default("0.1", ORIGIN),
    Parameter::new(
        "q_ref",
        "the reference queue length, b* in the papers",
        Kind::Length(Range::NOT_NEGATIVE),
    )
    .with_default("20 packets", ORIGIN),
    Parameter::new(
        "inw",
        "weight of an interval's arrivals in their average",
        Kind::Number(Range::POSITIVE_PROBABILITY, "ratio"),
    )
    .with_default("1", NS2),
    UNIT,
    MEAN_PACKET,
    Parameter::new(
        "signal",
        "which packets carry congestion signals",
        Kind::Choice(&[
            ("arrival", "arrivals"),
            ("departure", "departures, which signals sooner"),
        ]),
    )
    .with_default("arrival", ORIGIN),
    OTHERS,
    Parameter::new(
        "last_place",
        "whether the buffer may be filled to its limit; ns-2 drops what would fill it",
        Kind::Flag,
    )
    .with_default("on", "the meaning of a limit in every other queue"),
];

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "rem",
    "signals with a probability exponential in a price, which rises with queue and rate mismatch",
    "Athuraliya, Low, Li, Yin 2001",
    &[PARAMETERS],
    |s| Ok(Plan::single(Rem::from_settings(s)?, limit(s)?)),
)
.with_presets(&[
        Preset {
            name: "paper",
            meaning: "gamma 0.001, phi 1.001, alpha 0.1, b* 20 packets, buffer 120, as in Wang et al. 2008",
            values: &[
                ("gamma", "0.001"),
                ("phi", "1.001"),
                ("alpha", "0.1"),
                ("q_ref", "20 packets"),
                ("limit", "120 packets"),
            ],
        },
        Preset {
            name: "ns2",
            meaning: "ns-2 2.35's Queue/REM with markpkts_: marks on departure, drops only when full",
            values: &[
                ("signal", "departure"),
                ("others", "pass"),
                ("last_place", "off"),
                ("mean_packet", "1000 bytes"),
                ("limit", "50 packets"),
            ],
        },
        Preset {
            name: "ns2-drop",
            meaning: "ns-2 2.35's Queue/REM at its defaults: drops arrivals",
            values: &[
                ("ecn", "off"),
                ("last_place", "off"),
                ("mean_packet", "1000 bytes"),
                ("limit", "50 packets"),
            ],
        },
    ])
.with_probes(&[
        Probe::new("price", "the price, after the last update"),
        Probe::new("probability", "p, for a packet of the mean size"),
    ]);

/// The buffer's limit, less one packet when the last place is never used.
fn limit(s: &Settings) -> Result<Limit, ConfigError> {
    let limit = s.limit();
    if s.flag("last_place") {
        return Ok(limit);
    }
    if limit.packets <= 1 {
        return Err(s.contradiction(
            "last_place",
            "a buffer of one packet whose last place is not used holds nothing",
            "nearest: limit = 2 packets, or last_place = on",
        ));
    }
    Ok(match limit.bytes {
        Bytes(u64::MAX) => Limit::packets(limit.packets - 1),
        Bytes(bytes) => Limit {
            bytes: Bytes(bytes - 1),
            ..limit
        },
    })
}

/// An average of arrivals below this many packets becomes 0.
const NO_ARRIVALS: f64 = 1e-9;
/// At this price times ln(phi), `phi^(-price)` is below 2^-53 and p exactly 1.
const CERTAIN: f64 = 40.0;

/// REM's parameters.
#[derive(Clone, Copy, Debug)]
struct Parameters {
    gamma: f64,
    alpha: f64,
    inw: f64,
    ln_phi: f64,
    /// In packets; in mean packets in byte mode.
    q_ref: f64,
    counting: Counting,
    mean_packet: Bytes,
    interval: f64,
    at_departure: bool,
    signalling: Signalling,
}

/// Random exponential marking.
#[derive(Clone, Debug)]
pub struct Rem {
    parameters: Parameters,
    /// Packets the link sends in an interval: c.
    capacity: f64,
    ticker: Ticker,
    /// Packets arrived since the last update.
    arrivals: f64,
    /// Their moving average: x.
    average_arrivals: f64,
    price: f64,
    probability: f64,
    /// What the last update started from; `None` before the first with these parameters.
    last_update: Option<Update>,
}

/// What an update of the price starts from.
#[derive(Clone, Copy, Debug)]
struct Update {
    price: f64,
    /// The queue.
    length: f64,
    /// The packets that arrived, and their average before.
    arrivals: [f64; 2],
    /// The packets that the link could send.
    capacity: f64,
}

impl Rem {
    pub(crate) fn from_settings(s: &Settings) -> Result<Rem, ConfigError> {
        check_within_buffer(s, "q_ref")?;
        let mean_packet = s.link().mean_packet;
        let interval = s.time("interval");
        let parameters = Parameters {
            gamma: s.number("gamma"),
            alpha: s.number("alpha"),
            inw: s.number("inw"),
            ln_phi: libm::log(s.number("phi")),
            q_ref: s.packets("q_ref"),
            counting: Counting::from_settings(s),
            mean_packet,
            interval: interval.as_secs_f64(),
            at_departure: s.choice("signal") == "departure",
            signalling: Signalling::from_settings(s),
        };
        Ok(Rem {
            parameters,
            capacity: parameters.interval * s.link().rate.packets_per_sec(mean_packet),
            ticker: Ticker::every(interval),
            arrivals: 0.0,
            average_arrivals: 0.0,
            price: 0.0,
            probability: 0.0,
            last_update: None,
        })
    }

    /// Ends one interval; returns whether a further one with the same queue and no arrivals
    /// would change anything.
    fn update(&mut self, length: f64) -> bool {
        let update = Update {
            price: self.price,
            length,
            arrivals: [self.arrivals, self.average_arrivals],
            capacity: self.capacity,
        };
        self.last_update = Some(update);
        let [arrivals, price] = self.parameters.updated(&update, &mut ());
        let changed =
            price != self.price || arrivals != self.average_arrivals || self.arrivals != 0.0;
        self.arrivals = 0.0;
        (self.average_arrivals, self.price) = (arrivals, price);
        changed
    }

    #[inline]
    fn judge(&self, packet: &PacketInfo, random: &mut Pcg32, trace: &mut impl Trace) -> Verdict {
        trace.source("Athuraliya, Low, Li, Yin 2001");
        trace.note(|why| self.show_probability(why));
        if self.probability <= 0.0 {
            trace.by("no signals at p = 0", || "p is 0".into());
            return Verdict::Keep;
        }
        let parameters = &self.parameters;
        let p = parameters.counting.scaled(self.probability, packet, trace);
        if !trace.chance("a random signal with p", random, p) {
            return Verdict::Keep;
        }
        let verdict = parameters.signalling.signal(packet);
        trace.note(|why| {
            if verdict == Verdict::Keep {
                why.overrule("packets that cannot be marked pass");
            }
        });
        verdict
    }

    /// Shows how the last update has moved the price, and p.
    fn show_probability(&self, why: &mut Why) {
        let parameters = &self.parameters;
        match &self.last_update {
            Some(update) => {
                parameters.updated(update, why);
            }
            None => why.given("the price", ("price", ""), self.price),
        }
        // phi as it was given: its logarithm has lost the last digits.
        let phi = libm::exp(parameters.ln_phi);
        let tidy = libm::round(phi * 1e12) / 1e12;
        let phi = if libm::fabs(tidy - phi) < 1e-14 {
            tidy
        } else {
            phi
        };
        why.step(
            "the probability",
            ("p", ""),
            "p = 1 - phi^(-price)",
            numbers!("1 - {}^(-{})", phi, self.price),
            self.probability,
        );
    }
}

impl Parameters {
    /// The average of arrivals and the price after an update.
    fn updated(&self, update: &Update, trace: &mut impl Trace) -> [f64; 2] {
        let Update {
            price: before,
            length,
            arrivals: [arrived, average],
            capacity,
        } = *update;
        let Parameters {
            gamma,
            alpha,
            inw,
            q_ref,
            ..
        } = *self;
        let mut x = (1.0 - inw) * average + inw * arrived;
        if x < NO_ARRIVALS {
            x = 0.0;
        }
        trace.note(|why| {
            let (equation, text) = match inw == 1.0 {
                true => ("x", numbers!("{}", arrived)),
                false => (
                    "x = (1 - inw) x + inw arrivals",
                    numbers!("(1 - {}) * {} + {} * {}", inw, average, inw, arrived),
                ),
            };
            let says = "the packets that arrived in the last interval";
            why.step(says, ("x", "packets"), equation, text, x);
        });
        let says = "the packets that the link could send in it";
        trace.given(says, ("c", "packets"), capacity);
        trace.given("the queue at the last update", ("q", "packets"), length);
        let ideal = before + gamma * (alpha * (length - q_ref) + x - capacity);
        let most = CERTAIN / self.ln_phi;
        let price = ideal.clamp(0.0, most);
        trace.note(|why| {
            let text = numbers!(
                "{} + {} * ({} * ({} - {}) + {} - {})",
                before,
                gamma,
                alpha,
                length,
                q_ref,
                x,
                capacity
            );
            let (equation, text) = match ideal > most {
                true => (
                    "price = price + gamma (alpha (q - q_ref) + x - c), where p becomes 1",
                    format!("min({text}, {})", Number(most)),
                ),
                false => (
                    "price = max(0, price + gamma (alpha (q - q_ref) + x - c))",
                    format!("max(0, {text})"),
                ),
            };
            let says = "the price since the last update";
            why.step(says, ("price", ""), equation, text, price);
        });
        [x, price]
    }
}

impl Rule for Rem {
    #[inline]
    fn arrive<Q: Backlog, T: Trace>(&mut self, case: Case<'_, Q, T>) -> Verdict {
        let trace = case.trace;
        self.arrivals += self.parameters.counting.weight_of(case.packet);
        if self.parameters.at_departure {
            trace.note(|why| *why = Why::unjudged_arrival());
            return Verdict::Keep;
        }
        self.judge(case.packet, case.random, trace)
    }

    #[inline]
    fn depart<Q: Backlog, T: Trace>(&mut self, case: Case<'_, Q, T>) -> Verdict {
        let trace = case.trace;
        if !self.parameters.at_departure {
            trace.note(|why| *why = Why::unjudged_departure(case.now, case.packet));
            return Verdict::Keep;
        }
        match self.judge(case.packet, case.random, trace) {
            Verdict::Drop(_) => Verdict::Drop(DropReason::Dequeue),
            verdict => verdict,
        }
    }
}

impl Aqm for Rem {
    by_rule!(on_arrival);
    by_rule!(on_departure);

    #[inline]
    fn poll<Q: Backlog>(&mut self, now: Nanos, queue: &Q) {
        if self.ticker.is_due(now) {
            let length = self.parameters.counting.length_of(queue);
            let mut ticker = self.ticker.clone();
            ticker.catch_up(now, |_| self.update(length));
            self.ticker = ticker;
            self.probability = -libm::expm1(-self.price * self.parameters.ln_phi);
        }
    }

    fn next_deadline(&self) -> Option<Nanos> {
        self.ticker.next()
    }

    fn on_link_rate(&mut self, _now: Nanos, rate: BitsPerSec) {
        self.capacity =
            self.parameters.interval * rate.packets_per_sec(self.parameters.mean_packet);
    }

    fn continue_from(&mut self, now: Nanos, old: Self, _waiting: WaitingPackets<'_>) {
        self.ticker.continue_from(now, &old.ticker);
        self.arrivals = old.arrivals;
        // A number of packets in an interval.
        let longer = self.parameters.interval / old.parameters.interval;
        self.average_arrivals = match longer.is_finite() {
            true => longer * old.average_arrivals,
            false => 0.0,
        };
        self.price = old.price.min(CERTAIN / self.parameters.ln_phi);
        self.probability = -libm::expm1(-self.price * self.parameters.ln_phi);
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("price", self.price);
        show("probability", self.probability);
    }
}

#[cfg(test)]
#[path = "rem_tests.rs"]
mod tests;
