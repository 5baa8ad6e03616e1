//! The check of each rule, in the order of [`RULES`](super::RULES).

use earlydrop::red::{Spacing, linux_idle_time};
use earlydrop::units::BitsPerSec;

use super::{Problem, Subject};
use crate::number::number;
use crate::spacing::long_run;
use crate::thresholds::LEAST_MIN;
use crate::tools::{Adapt, Knob, Origin, Shape, equivalent_max_p, ratio_in_words, tc};
use crate::{Load, averaging};

fn problem(what: String, change: String) -> Option<Problem> {
    Some(Problem { what, change })
}

/// max over min, where min is well chosen (Floyd 1997).
pub(super) const MAX_OVER_MIN: f64 = 3.0;
/// The buffer over max ("several times max", tc-red(8)).
pub(super) const LIMIT_OVER_MAX: f64 = 4.0;
/// The packets with which a flow starts (RFC 6928).
pub(super) const INITIAL_WINDOW: f64 = 10.0;

/// A min of half a round trip, in packets.
pub(super) fn half_round_trip(s: &Subject) -> f64 {
    (0.5 * s.load.bdp()).max(LEAST_MIN)
}

/// The max_p that puts the average halfway between min and max, where the line is at max_p/2.
pub(super) fn max_p_for_load(s: &Subject) -> f64 {
    let signals = s.prediction.loss + s.prediction.marks;
    2.0 * equivalent_max_p(signals, Spacing::Geometric, s.configuration.spacing.value)
}

/// A max_p from this on is no remedy: the thresholds are too low for so many flows.
pub(super) const MOST_MAX_P: f64 = 0.5;

fn milliseconds(packets: f64, load: &Load) -> String {
    format!("{} ms", number(1e3 * packets / load.service()))
}

/// The flows need more signals than the curve gives just below max: the average stays at max.
pub(super) fn average_at_max(s: &Subject) -> Option<Problem> {
    let signals = s.prediction.loss + s.prediction.marks;
    let top = long_run(s.configuration.spacing.value, s.max_p);
    let shape = &s.configuration.classes[0].shape.value;
    let adapts = s.configuration.adapt.value != Adapt::No;
    if s.prediction.queue < 0.99 * s.max || matches!(shape, Shape::Points { .. }) || adapts {
        return None;
    }
    let needed = max_p_for_load(s);
    let above = match shape {
        Shape::Gentle => "that rate is reached only above max",
        _ => "the average stays at max, where the probability jumps to 1",
    };
    let change = match needed < MOST_MAX_P {
        true => format!(
            "{} {}, so that the average settles halfway between min and max",
            s.knob_name(Knob::MaxP),
            s.probability(needed)
        ),
        false => {
            "raise min and max, or use fewer flows per queue; max_p alone is not enough".to_string()
        }
    };
    problem(
        format!(
            "{} need congestion signals on {}% of their packets, and just below max {}% carry one: {above}",
            s.flows(),
            number(100.0 * signals),
            number(100.0 * top),
        ),
        change,
    )
}

/// The burst, in packets, that raises the average of an empty queue to min (Floyd and Jacobson
/// 1993, equation 3): the least L with `L + 1 + ((1-w)^(L+1) - 1)/w >= min`.
pub(super) fn burst_until(min: f64, weight: f64) -> f64 {
    let average = |length: f64| length + 1.0 + ((1.0 - weight).powf(length + 1.0) - 1.0) / weight;
    crate::solve::falling_root(0.0, 1e9, |length| min - average(length))
}

pub(super) fn burst_reaches_min(s: &Subject) -> Option<Problem> {
    let burst = burst_until(s.min, s.weight());
    (!is_small(s) && burst < INITIAL_WINDOW).then_some(())?;
    problem(
        format!(
            "a burst of {} packets raises the average of an empty queue to min: one flow's initial \
             window already suffers early drops",
            burst.floor()
        ),
        format!(
            "{} of at least {}, or a smaller weight",
            s.knob_name(Knob::Min),
            s.length(INITIAL_WINDOW)
        ),
    )
}

pub(super) fn average_trails(s: &Subject) -> Option<Problem> {
    let time_constant = s.time_constant();
    let trails = time_constant > averaging::LONGEST;
    (s.has_weight() && trails && s.usual_weight() < 0.5).then_some(())?;
    problem(
        format!(
            "the time constant of the average is {} round trips: it reacts after the windows have \
             changed, and the queue oscillates",
            number(time_constant)
        ),
        format!("{}, about ten round trips", s.weight_text(s.usual_weight())),
    )
}

/// Whether the average follows bursts.
fn follows(s: &Subject) -> bool {
    let follows = s.time_constant() < averaging::SHORTEST;
    s.has_weight() && follows && s.weight() < 1.0 && s.max > 2.0
}

pub(super) fn average_follows(s: &Subject) -> Option<Problem> {
    (follows(s) && !s.is_slowest()).then_some(())?;
    let wanted = s.usual_weight();
    let slowest = s.slowest().map_or(0.0, |most| (-f64::from(most)).exp2());
    let round_trips = match wanted < slowest {
        true => format!(
            "{} round trips, the slowest that {} takes",
            number(averaging::time_constant(slowest, s.load)),
            s.tool()
        ),
        false => "about ten round trips".to_string(),
    };
    problem(
        format!(
            "the time constant of the average is {} round trips: it follows every burst rather than the load",
            number(s.time_constant())
        ),
        format!("{}, {round_trips}", s.weight_text(wanted)),
    )
}

pub(super) fn average_limited(s: &Subject) -> Option<Problem> {
    (follows(s) && s.is_slowest()).then_some(())?;
    problem(
        format!(
            "the time constant of the average is {} round trips, the longest that {} takes{}: bursts \
             within a round trip are dropped from",
            number(s.time_constant()),
            s.tool(),
            match s.tool() {
                "linux" => " with this max",
                _ => "",
            }
        ),
        String::new(),
    )
}

pub(super) fn max_near_min(s: &Subject) -> Option<Problem> {
    let step = s.max <= s.min * 1.001;
    let steps = matches!(s.configuration.classes[0].shape.value, Shape::Points { .. });
    (s.max < 2.0 * s.min && !step && !steps).then_some(())?;
    problem(
        format!(
            "max is {} times min: the range of random early drops is narrow",
            number(s.max / s.min)
        ),
        format!(
            "{} {}",
            s.knob_name(Knob::Max),
            s.length(MAX_OVER_MIN * s.min)
        ),
    )
}

/// Whether min is below [`LEAST_MIN`]. A tool that has it as a share of the buffer is read a little
/// beside what was written.
fn is_small(s: &Subject) -> bool {
    s.min < LEAST_MIN * (1.0 - 1e-9)
}

pub(super) fn min_small(s: &Subject) -> Option<Problem> {
    is_small(s).then_some(())?;
    problem(
        format!(
            "min is {} packets of {} bytes: a small burst already causes signals, and a link with so \
             short a queue is often idle",
            number(s.min),
            s.load.packet.0
        ),
        format!("{} {}", s.knob_name(Knob::Min), s.length(LEAST_MIN)),
    )
}

pub(super) fn limit_near_max(s: &Subject) -> Option<Problem> {
    let limit = s.limit?;
    let end = match s.configuration.classes[0].shape.value {
        Shape::Gentle => 2.0 * s.max,
        _ => 1.5 * s.max,
    };
    // Junos: fill levels are percentages of the buffer.
    (limit < end && s.tool() != "junos").then_some(())?;
    problem(
        format!(
            "the buffer holds {} times max: a burst overflows it before the average reacts, and \
             consecutive packets are lost",
            number(limit / s.max)
        ),
        format!(
            "{} {}",
            s.knob_name(Knob::Limit),
            s.length(LIMIT_OVER_MAX * s.max)
        ),
    )
}

pub(super) fn queue_long(s: &Subject) -> Option<Problem> {
    let delay = s.min / s.load.service();
    (delay > s.load.rtt.as_secs_f64() && s.min > LEAST_MIN).then_some(())?;
    problem(
        format!(
            "the first congestion signal comes at a queueing delay of {}, which exceeds the round-trip time",
            milliseconds(s.min, s.load)
        ),
        format!(
            "{} {} for half a round trip",
            s.knob_name(Knob::Min),
            s.length(half_round_trip(s))
        ),
    )
}

/// The rate to give to the tool: that of the link, and to tc at most one at which a packet takes 1 us.
pub(super) fn rate_to_give(s: &Subject) -> BitsPerSec {
    let link = s.load.rate;
    let packet = s.configuration.mean_packet.value.unwrap_or(s.load.packet);
    match s.tool() {
        "linux" => link.min(BitsPerSec(8_000_000 * packet.0)),
        _ => link,
    }
}

pub(super) fn rate_other(s: &Subject) -> Option<Problem> {
    // The output of tc qdisc show does not contain the rate.
    let shown = s.tool() == "linux" && s.configuration.mean_packet.value.is_none();
    let rate = s.configuration.rate.value;
    let rate = rate
        .or(s.configuration.tool.assumed_rate.filter(|_| !shown))?
        .0;
    let wanted = rate_to_give(s);
    let off = wanted.0 as f64 / rate as f64;
    (!(0.8..1.25).contains(&off)).then_some(())?;
    let ratio = s.load.rate.0 as f64 / rate as f64;
    problem(
        format!(
            "{} is {}, but the link is {}: the average decays {} times too {} while the queue is empty",
            s.knob_name(Knob::Rate),
            BitsPerSec(rate),
            s.load.rate,
            number(ratio.max(1.0 / ratio)),
            if ratio > 1.0 { "slowly" } else { "fast" },
        ),
        match s.tool() {
            "linux" => format!("bandwidth {}bit", wanted.0),
            _ => format!("{} {wanted}", s.knob_name(Knob::Rate)),
        },
    )
}

pub(super) fn packet_other(s: &Subject) -> Option<Problem> {
    let mean = s.configuration.mean_packet.value?.0 as f64;
    let actual = s.load.packet.0 as f64;
    let other = !(0.8..1.25).contains(&(mean / actual));
    (other && matches!(s.tool(), "linux" | "ns2" | "ns3")).then_some(())?;
    problem(
        format!(
            "{} is {mean} bytes, but packets have {actual}: idle time is counted in packets of the wrong size{}",
            s.knob_name(Knob::Packet),
            match s.tool() {
                "linux" => ", and burst gives the wrong weight",
                "ns2" => ", and thresholds are in packets of this size",
                _ => "",
            }
        ),
        format!("{} {actual}", s.knob_name(Knob::Packet)),
    )
}

/// `tc red adaptive` reaches the kernel where it starts no timer.
pub(super) fn never_adapts(s: &Subject) -> Option<Problem> {
    let adapts = s.configuration.adapt.value == Adapt::Floyd;
    (s.tool() == "linux" && adapts).then_some(())?;
    problem(
        format!(
            "adaptive changes nothing: iproute2 sends it in an attribute that does not start the kernel's timer, and max_p stays {}. The prediction is what adaptive should do",
            number(s.max_p)
        ),
        "leave adaptive out, and choose the probability for the number of flows".to_string(),
    )
}

/// The average of an idle link stays at its half for long.
pub(super) fn idle_forgotten_late(s: &Subject) -> Option<Problem> {
    let packet = s.configuration.mean_packet.value?.0 as f64;
    let rate = s
        .configuration
        .rate
        .value
        .or(s.configuration.tool.assumed_rate)?
        .0 as f64;
    let (weight, packet_time) = (s.configuration.weight.value, 8.0 * packet / rate);
    (s.tool() == "linux" && packet_time >= 1e-6 && weight < 1.0).then_some(())?;
    let quarter = linux_idle_time(weight, packet_time, 2).as_secs_f64();
    let intended = packet_time * 0.25_f64.ln() / (1.0 - weight).ln();
    (quarter > 2.0 * intended).then_some(())?;
    problem(
        format!(
            "after a pause the average falls to a quarter in {} s, not in {} s as burst suggests: the kernel reads tc's table of idle times 15.6 times too slowly after the first half",
            number(quarter),
            number(intended)
        ),
        "a smaller burst, if bursts after a pause lose packets".to_string(),
    )
}

pub(super) fn idle_table_empty(s: &Subject) -> Option<Problem> {
    let packet = s.configuration.mean_packet.value?.0 as f64;
    let rate = s.configuration.rate.value?.0 as f64;
    let micros = 8e6 * packet / rate;
    (s.tool() == "linux" && micros < 1.0).then_some(())?;
    problem(
        format!(
            "a packet takes {} us at {}, which tc rounds to 0: its table of idle times is empty",
            number(micros),
            BitsPerSec(rate as u64)
        ),
        format!(
            "bandwidth {}bit, where a packet takes 1 us",
            (8e6 * packet) as u64
        ),
    )
}

pub(super) fn probability_one(s: &Subject) -> Option<Problem> {
    (s.tool() == "linux" && s.max_p == 1.0).then_some(())?;
    let class = &s.configuration.classes[0];
    let (min, max) = (class.min.value as u32, class.max.value as u32);
    let fallback = f64::from(max - min) * (-f64::from(tc::plog(min, max, 1.0)?)).exp2();
    problem(
        format!(
            "tc sends a probability of 1 as 0, and the kernel uses the one of Plog instead, {}",
            number(fallback)
        ),
        "probability 0.999999".to_string(),
    )
}

pub(super) fn gentle_adapted(s: &Subject) -> Option<Problem> {
    let gentle = s.configuration.classes[0].shape.value == Shape::Gentle;
    let adapts = s.configuration.adapt.value != Adapt::No;
    (gentle && adapts && matches!(s.tool(), "ns2" | "ns3")).then_some(())?;
    problem(
        format!(
            "above max the probability continues from the initial max_p, {}, not from the adapted one: \
             if max_p has become 0.5, the probability falls at max",
            number(s.max_p)
        ),
        String::new(),
    )
}

pub(super) fn not_gentle(s: &Subject) -> Option<Problem> {
    let straight = s.configuration.classes[0].shape.value == Shape::Straight;
    (straight && s.max > s.min * 1.001 && s.max_p < 1.0).then_some(())?;
    let mut knobs = s.configuration.tool.knobs.iter();
    let knob = knobs.find(|entry| entry.knob == Knob::Shape);
    problem(
        format!("at max the probability jumps from {} to 1", number(s.max_p)),
        match (knob, s.tool()) {
            (_, "junos") => "a third point, drop-probability 100 at twice max".to_string(),
            (Some(_), "earlydrop") => "gred instead of red, or curve=gentle".to_string(),
            (Some(_), _) => "gentle on".to_string(),
            (None, _) => String::new(),
        },
    )
}

pub(super) fn probability_elsewhere(s: &Subject) -> Option<Problem> {
    if matches!(s.configuration.classes[0].shape.value, Shape::Points { .. }) || s.max_p >= 0.5 {
        return None;
    }
    let own = long_run(s.configuration.spacing.value, s.max_p);
    let mut others = Vec::new();
    for (law, tools) in [
        (Spacing::Drawn, "Linux and INET"),
        (Spacing::Uniform2, "DPDK"),
        (Spacing::Wait, "ns-2 and ns-3"),
    ] {
        let ratio = long_run(law, s.max_p) / own;
        if (ratio - 1.0).abs() > 0.05 {
            others.push(format!("{} on {tools}", ratio_in_words(ratio)));
        }
    }
    problem(
        format!(
            "just below max one packet in {} carries a signal; the same max_p signals {}",
            number(1.0 / own),
            others.join(", ")
        ),
        "use `earlydrop translate` instead of copying the number".to_string(),
    )
}

pub(super) fn ecn_dropped_above(s: &Subject) -> Option<Problem> {
    let marking = s.configuration.ecn.value;
    (marking.on && !(marking.above_max && marking.up_to >= 1.0)).then_some(())?;
    let from = match marking.up_to < 1.0 {
        true => format!("once the probability exceeds {}", number(marking.up_to)),
        false => "above max".to_string(),
    };
    problem(
        format!("ECN-capable packets are marked at first, and dropped {from}"),
        String::new(),
    )
}

pub(super) fn ecn_never_dropped(s: &Subject) -> Option<Problem> {
    let marking = s.configuration.ecn.value;
    (marking.on && marking.above_max && marking.up_to >= 1.0).then_some(())?;
    problem(
        "ECN-capable packets are only marked, also above max: senders that ignore marks fill the buffer"
            .to_string(),
        match s.tool() {
            "linux" => "harddrop, if senders are not trusted".to_string(),
            _ => String::new(),
        },
    )
}

pub(super) fn spacing_unknown(s: &Subject) -> Option<Problem> {
    matches!(s.tool(), "cisco" | "sonic").then_some(())?;
    problem(
        "the spacing of drops is not documented; independent drops are assumed, which signal half \
         as often as Linux at the same probability"
            .to_string(),
        String::new(),
    )
}

pub(super) fn router_or_switch(s: &Subject) -> Option<Problem> {
    let shape = &s.configuration.classes[0].shape.value;
    let points = matches!(shape, Shape::Points { stepped: false, .. });
    (s.tool() == "junos" && points).then_some(())?;
    problem(
        "it is read as a router's profile, which rises to 100% at a full buffer; a QFX switch drops \
         everything above the last level"
            .to_string(),
        "add a last point with drop-probability 100".to_string(),
    )
}

pub(super) fn buffer_unknown(s: &Subject) -> Option<Problem> {
    let given = matches!(s.configuration.limit.origin, Origin::Given(_));
    (s.tool() == "junos" && !given).then_some(())?;
    problem(
        "fill levels are percentages of a buffer that this text does not give; 100 ms is assumed"
            .to_string(),
        "add the buffer, such as buffer-size temporal 100k".to_string(),
    )
}
