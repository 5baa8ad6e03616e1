//! WRED: RED with a curve for each traffic class.
//!
//! # Reference
//! Cisco's weighted random early detection; for drop precedences, RFC 2597, section 2,
//! and D. Clark, W. Fang, "Explicit Allocation of Best-Effort Packet Delivery
//! Service" (RIO), IEEE/ACM Trans. Networking 6(4), 1998. The parts are RED's.
//!
//! # Equations
//! RED's, with thresholds, max_p and the count since the last drop of the packet's own
//! class: `Pb = max_p (avg - min)/(max - min)`, everything from max on (or gentle, from
//! twice max on). The average is
//! - `shared`: of the whole queue, as Cisco's and DPDK's; or
//! - `per-class`: of the class's packets in the queue, as Linux's GRED's.
//!
//! # Our readings
//! - Classes beyond the last profile use the last one.
//! - Each class has its own count since its last drop, so its drops are spaced by its own Pb.
//!   The sources do not say; DPDK has one count for all colours of a queue.
//! - A per-class average decays while the queue holds no packet of its class.
//! - A drop at a full buffer restarts the count of the packet's class.
//! - With `ect_profiles`, ECN-capable packets have thresholds, max_p and a count of their own over the
//!   average of their class: SAI's attributes `ECN_GREEN_MIN_THRESHOLD`, `..._MAX_THRESHOLD` and
//!   `..._MARK_PROBABILITY`, which SONiC's profiles set.
//!
//! # How other tools differ
//! | aspect | Cisco | DPDK | Linux `gred` | ns-2, ns-3 | here |
//! |---|---|---|---|---|---|
//! | average | shared | shared | per queue; shared with equal priorities | RIO: all, and in-profile | `average` |
//! | count | not documented | shared | per queue | per class | per class |
//! | thresholds in | packets | packets | bytes | packets | packets, or `unit=bytes` |
//! | max_p | 1/denominator | 1/`maxp_inv` | any; with an old tc a power of two over the band | 1/`linterm_` | any |
//! | weight | of the queue | of each colour | of each virtual queue | of the queue | one |
//! | limit | of the queue | of the queue | of each virtual queue | of the queue | of the queue |
//! | average, idle decay, gaps | | | as Linux `red` | | `as=linux`: as `red:as=linux`, to the packet |

mod change;
mod why;

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use crate::aqm::{Aqm, Backlog, Verdict, WaitingPackets};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::red::parameters::{ACTION, AVERAGE, SPACING, round_slope};
use crate::red::variants::{gred, red};
use crate::red::{
    Action, Average, Curve, Gap, RedConfig, Shape, show_first_in_band, show_outside,
    show_short_queue,
};
use crate::registry::{
    ConfigError, Descriptor, ECN, Kind, LIMIT, Parameter, Plan, Preset, Probe, Settings,
};
use crate::trace::{Case, Rule, Trace, by_rule};
use crate::units::{BitsPerSec, Nanos};

/// The value of `ect_profiles` without profiles of their own.
const SAME: &str = "same";

const PARAMETERS: &[Parameter] = &[
    LIMIT,
    ECN,
    Parameter::new(
        "profiles",
        "thresholds and max_p of each class from 0 on, in packets (bytes with unit=bytes)",
        Kind::Text("min/max/max_p of each class, as in '48/64/0.1; 40/64/0.1; 32/64/0.1'"),
    )
    .with_default(
        "48/64/0.1; 40/64/0.1; 32/64/0.1",
        "DPDK's qos_sched example: green, yellow, red",
    ),
    Parameter::new(
        "ect_profiles",
        "thresholds and max_p of ECN-capable packets of each class; same: those of other packets",
        Kind::Text("same, or min/max/max_p of each class, as in profiles"),
    )
    .with_default(SAME, "Cisco's WRED; SAI without thresholds for ECT")
    .only_with("ecn", &["on"]),
    Parameter::new(
        "average",
        "the packets that the average covers",
        Kind::Choice(&[
            ("shared", "all packets of the queue"),
            ("per-class", "the packets of the arrival's class"),
        ]),
    )
    .with_default("shared", "Cisco's WRED; DPDK"),
    Parameter::new(
        "gentle",
        "rise from max_p at max to 1 at twice max, instead of dropping everything above max",
        Kind::Flag,
    )
    .with_default("off", "Cisco's WRED; DPDK"),
];

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "wred",
    "RED with thresholds and max_p for each traffic class, over one average",
    "Cisco WRED; Clark and Fang 1998",
    &[PARAMETERS, AVERAGE, SPACING, ACTION],
    |s| Ok(Plan::single(Wred::from_settings(s)?, s.limit())),
)
.with_presets(&[
        Preset {
            name: "dpdk",
            meaning: "DPDK's qos_sched example: three colours, weight 1/512, no ECN",
            values: &[
                ("profiles", "48/64/0.1; 40/64/0.1; 32/64/0.1"),
                ("weight", "0.001953125"),
                ("spacing", "uniform2"),
                ("idle", "floor"),
                ("idle_packet", "4194304 bytes"),
                ("limit", "64 packets"),
                ("ecn", "off"),
            ],
        },
        Preset {
            name: "linux",
            meaning: "tc gred without grio: an average in bytes for each virtual queue, weight 2^-6, which tc computes for packets of 1000 bytes for the last two",
            values: &[
                (
                    "profiles",
                    "30000/90000/0.02; 20000/90000/0.02; 10000/90000/0.02",
                ),
                ("average", "per-class"),
                ("unit", "bytes"),
                ("spacing", "drawn"),
                ("entry", "free"),
                ("arithmetic", "linux"),
                ("idle", "linux"),
                ("weight", "0.015625"),
                ("mean_packet", "1000 bytes"),
                ("mark_above_max", "on"),
                ("ecn", "off"),
                ("limit", "400000 bytes"),
            ],
        },
    ])
.with_probes(&[
        Probe::new(
            "average",
            "the average; with per-class averages, the largest",
        ),
        Probe::new("pb", "largest initial probability of any class"),
        Probe::new("pb_least", "smallest initial probability of any class"),
    ]);

/// One class: its curve and its gap since the last drop.
#[derive(Clone, Debug)]
struct Profile {
    curve: Curve,
    /// The curve's first and last thresholds in the averages' steps.
    band: (u64, u64),
    gap: Gap,
    /// Whether the last arrival met an average above the first threshold.
    in_band: bool,
    /// The class's share of the queue, in the average's unit; kept with per-class averages.
    waiting: u64,
}

/// RED with a curve for each class.
#[derive(Clone, Debug)]
pub struct Wred {
    /// One for all, or one for each class.
    averages: Box<[Average]>,
    /// One for each class; where ECN-capable packets have their own, these follow.
    profiles: Box<[Profile]>,
    classes: usize,
    per_class: bool,
    config: RedConfig,
    action: Action,
}

impl Wred {
    pub(crate) fn from_settings(s: &Settings) -> Result<Wred, ConfigError> {
        let config = RedConfig::with_target(s, None);
        let average = config.average(s);
        let mut all = profiles(s, "profiles", &average, &config)?;
        let classes = all.len();
        if s.flag("ecn") && s.text("ect_profiles") != SAME {
            let capable = profiles(s, "ect_profiles", &average, &config)?;
            if capable.len() != classes {
                let count = capable.len();
                return Err(s.contradiction(
                    "ect_profiles",
                    format!("ect_profiles: {count} classes, profiles: {classes}"),
                    "give as many",
                ));
            }
            all.extend(capable);
        }
        let per_class = s.choice("average") == "per-class";
        let averages = if per_class { classes } else { 1 };
        Ok(Wred {
            averages: (0..averages).map(|_| average.clone()).collect(),
            profiles: all.into(),
            classes,
            per_class,
            config,
            action: Action::from_settings(s),
        })
    }

    /// The curve of a traffic class; classes beyond the last profile use the last.
    pub fn curve(&self, class: usize) -> &Curve {
        &self.profiles[class.min(self.classes - 1)].curve
    }

    /// The curve of a traffic class's ECN-capable packets.
    pub fn ect_curve(&self, class: usize) -> &Curve {
        let first = self.profiles.len() - self.classes;
        &self.profiles[first + class.min(self.classes - 1)].curve
    }

    #[inline]
    fn class_of(&self, packet: &PacketInfo) -> usize {
        usize::from(packet.class).min(self.classes - 1)
    }

    /// The number of the packet's profile.
    #[inline]
    fn profile_of(&self, packet: &PacketInfo) -> usize {
        let class = self.class_of(packet);
        match packet.ecn.is_capable() {
            true => class + self.profiles.len() - self.classes,
            false => class,
        }
    }

    /// The length of `packet` in the average's unit: 1, or its bytes.
    #[inline]
    fn length_of(&self, packet: &PacketInfo) -> u64 {
        if self.config.in_bytes {
            u64::from(packet.size)
        } else {
            1
        }
    }

    #[inline]
    fn waiting<Q: Backlog>(&self, class: usize, queue: &Q) -> u64 {
        if self.per_class {
            self.profiles[class].waiting
        } else {
            self.config.length_of(queue)
        }
    }

    #[inline]
    fn average_of(&self, class: usize) -> usize {
        if self.per_class { class } else { 0 }
    }

    /// Counts a packet that has left the queue: sent, dropped or evicted.
    #[inline]
    fn subtract(&mut self, now: Nanos, packet: &PacketInfo) {
        if !self.per_class {
            return;
        }
        let class = self.class_of(packet);
        let length = self.length_of(packet);
        let waiting = &mut self.profiles[class].waiting;
        *waiting = waiting.saturating_sub(length);
        if *waiting == 0 {
            self.averages[class].start_idle(now);
        }
    }
}

/// Reads `min/max/max_p; ...` and checks each against itself and the buffer.
fn profiles(
    s: &Settings,
    name: &'static str,
    average: &Average,
    config: &RedConfig,
) -> Result<Vec<Profile>, ConfigError> {
    let unit = if config.in_bytes { "bytes" } else { "packets" };
    let limit = if config.in_bytes {
        s.bytes("limit")
    } else {
        s.packets("limit")
    };
    let law = if s.flag("gentle") {
        &gred::CURVE
    } else {
        &red::CURVE
    };
    let shapes = parse(s.text(name)).ok_or_else(|| s.unreadable(name))?;
    let mut profiles = Vec::new();
    for (class, shape) in shapes.into_iter().enumerate() {
        let (min, max) = (shape.min, shape.max);
        if min >= max {
            return Err(s.contradiction(
                name,
                format!(
                    "{name}, class {class}: min = {min} {unit} is not below max = {max} {unit}"
                ),
                "raise its max, as to three times min",
            ));
        }
        if max > limit {
            return Err(s.contradiction(
                name,
                format!("{name}, class {class}: max = {max} {unit} lies above the buffer, limit = {limit} {unit}"),
                format!("nearest: limit = {max} {unit}, or a max of {limit} {unit}"),
            ));
        }
        let mut curve = Curve::new(law, shape);
        curve.count_in_steps(average.one());
        if config.as_linux && !s.flag("gentle") {
            round_slope(&mut curve);
        }
        profiles.push(Profile {
            band: average.band_of(&curve),
            gap: config.gap(s, &curve),
            curve,
            in_band: false,
            waiting: 0,
        });
    }
    Ok(profiles)
}

fn parse(text: &str) -> Option<Vec<Shape>> {
    let shape = |text: &str| {
        let mut numbers = text
            .split('/')
            .map(|number| number.trim().parse::<f64>().ok());
        let (min, max, max_p) = (numbers.next()??, numbers.next()??, numbers.next()??);
        let sound = min >= 0.0 && max.is_finite() && max_p > 0.0 && max_p <= 1.0;
        (sound && numbers.next().is_none()).then_some(Shape {
            min,
            max,
            strength: max_p,
            frozen_above_max: false,
        })
    };
    let shapes: Option<Vec<Shape>> = text.split(';').map(shape).collect();
    shapes.filter(|shapes| shapes.len() <= 256)
}

impl Rule for Wred {
    #[inline]
    fn arrive<Q: Backlog, T: Trace>(&mut self, case: Case<'_, Q, T>) -> Verdict {
        let trace = case.trace;
        let class = self.class_of(case.packet);
        let number = self.profile_of(case.packet);
        trace.note(|why| self.show_class(why, number));
        let length = self.waiting(class, case.queue);
        let average = self.average_of(class);
        let average = &mut self.averages[average];
        let avg = average.update(case.now, length, trace);
        let profile = &mut self.profiles[number];
        let few = self.config.cautious && length <= 1;
        if avg < profile.band.0 || few {
            trace.note(|why| match avg < profile.band.0 {
                true => show_outside(why, average.value(), profile.ends()),
                false => show_short_queue(why, length),
            });
            profile.gap.restart(0);
            profile.in_band = false;
            return Verdict::Keep;
        }
        let step = self.config.step_of(case.packet);
        if self.config.cautious && !profile.in_band {
            trace.note(show_first_in_band);
            profile.gap.restart(step);
            profile.in_band = true;
            return Verdict::Keep;
        }
        profile.in_band = true;
        let (as_linux, one) = (self.config.as_linux, average.one());
        let avg = match as_linux {
            true => average.in_whole_units_above(profile.band.0),
            false => avg,
        };
        trace.note(|why| profile.show_average(why, (avg, one), as_linux));
        if avg >= profile.band.1 {
            profile.gap.restart_after_signal();
            return self.action.signal_above_last(case.packet, trace);
        }
        let line = profile.curve.steps_on_line(avg - profile.band.0);
        let pb = line.unwrap_or_else(|| profile.curve.steps_between(avg));
        trace.note(|why| profile.show_pb(why, class, (avg, one), pb));
        let shares = self.config.shares(pb, profile.gap.count(), case.packet);
        if profile.gap.is_over(shares, case.random, trace) {
            profile.gap.restart_after_signal();
            self.action.signal(case.packet, pb, trace)
        } else {
            profile.gap.pass(step);
            Verdict::Keep
        }
    }
}

impl Aqm for Wred {
    by_rule!(on_arrival);

    #[inline]
    fn on_accepted(&mut self, _now: Nanos, packet: &PacketInfo) {
        if self.per_class {
            let class = self.class_of(packet);
            self.profiles[class].waiting += self.length_of(packet);
        }
    }

    fn on_refused(&mut self, _now: Nanos, packet: &PacketInfo) {
        let profile = self.profile_of(packet);
        self.profiles[profile].gap.restart_after_full_buffer();
    }

    #[inline]
    fn on_departure<Q: Backlog>(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        _queue: &Q,
        _random: &mut Pcg32,
    ) -> Verdict {
        self.subtract(now, packet);
        Verdict::Keep
    }

    fn on_evicted(&mut self, now: Nanos, packet: &PacketInfo) {
        self.subtract(now, packet);
    }

    fn on_empty(&mut self, now: Nanos) {
        if !self.per_class {
            self.averages[0].start_idle(now);
        }
    }

    fn on_idle(&mut self, now: Nanos) {
        self.on_empty(now);
    }

    fn on_link_rate(&mut self, _now: Nanos, rate: BitsPerSec) {
        let weight = self.config.weight_at(rate);
        for average in &mut self.averages {
            average.retune(weight, self.config.packet_time(rate));
        }
    }

    fn continue_from(&mut self, _now: Nanos, old: Self, waiting: WaitingPackets<'_>) {
        self.take_over(old, waiting);
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        let values = self.averages.iter().map(Average::value);
        show("average", values.fold(0.0, f64::max));
        let (mut least, mut most) = (1.0_f64, 0.0_f64);
        for (number, profile) in self.profiles.iter().enumerate() {
            let avg = self.averages[self.average_of(number % self.classes)].value();
            let pb = profile.curve.probability(avg);
            (least, most) = (least.min(pb), most.max(pb));
        }
        show("pb", most);
        show("pb_least", least);
    }

    fn heap_bytes(&self) -> usize {
        let curves = self
            .profiles
            .iter()
            .map(|profile| profile.curve.heap_bytes());
        size_of_val::<[Average]>(&self.averages)
            + size_of_val::<[Profile]>(&self.profiles)
            + curves.sum::<usize>()
    }
}

#[cfg(test)]
mod tests;
