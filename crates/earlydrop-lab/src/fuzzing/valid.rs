//! Valid scenarios from bytes, and what must hold of their runs.
//!
//! A scenario is made from the tables that describe its fields and the registry that describes
//! schemes, so that a new field, shape, application or parameter is tried without a word here.
//! Values lie around the defaults, in decades, and at both ends of their ranges.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use earlydrop::registry::{Kind, LinkFacts, Range, SCHEMES, Spec};
use earlydrop::units::{BitsPerSec, Nanos, Quantity};
use earlydrop_sim::results::{QueueResult, Results};

use crate::budget::Limits;
use crate::document::{Field, Place, Section, Shape};
use crate::metrics::{self, METRICS};
use crate::outcome::Outcome;
use crate::plan::{Cell, Plan, Source, TraceFiles};
use crate::scenario::fields::SCENARIO;

/// What a run may take: events, of which an estimate is a small factor off, and bytes of memory.
/// Most faults show early and in small networks, and setting up a large one takes as long as many
/// short runs. Some need a timer of 40 ms, between which a fast link carries thousands of packets.
#[derive(Clone, Copy)]
struct Size {
    events: u64,
    memory: f64,
}

/// The sizes of which one is drawn.
const SIZES: [Size; 8] = {
    let small = Size {
        events: 3_000,
        memory: 3e6,
    };
    let long = Size {
        events: 60_000,
        memory: 3e6,
    };
    let large = Size {
        events: 20_000,
        memory: 16e6,
    };
    [large, long, long, long, small, small, small, small]
};

impl Size {
    /// Larger scenarios are refused, as on a command line.
    fn limits(self) -> Limits {
        Limits {
            memory: self.memory,
            events: self.events as f64,
            disk: 1e9,
            ..Limits::NONE
        }
    }
}

/// Rates and round trips that go together: the bandwidth-delay product and the time of a packet
/// decide which timer is late, and drawn apart they seldom make a network that there is.
const SCALES: [Option<(&str, &str)>; 6] = [
    None,
    Some(("10 Mbps", "50 ms")),
    Some(("1 Gbps", "10 us")),
    Some(("100 Gbps", "1 us")),
    Some(("100 kbps", "2 s")),
    Some(("200 Mbps", "300 ms")),
];

/// What became of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// It was refused: its values contradict one another, or it is too large.
    Refused,
    /// It ran, and all held.
    Ran,
}

/// Makes a scenario of `bytes`, runs the first cell of each scheme, and checks the results.
/// `peak_of` runs a function and returns the most bytes that it held, if it knows.
///
/// # Panics
/// Where something does not hold.
pub fn valid_scenario(bytes: &[u8], peak_of: impl FnMut(&mut dyn FnMut()) -> Option<u64>) -> Tried {
    let text = scenario_of(bytes);
    let size = SIZES[usize::from(bytes.first().copied().unwrap_or(0)) % SIZES.len()];
    check(&text, size, peak_of).unwrap_or_else(|error| panic!("{error}\nof\n{text}"))
}

/// The scenario that is made of these bytes.
pub fn scenario_of(bytes: &[u8]) -> String {
    let mut text = String::new();
    // The first byte is the size.
    let mut draw = Draw {
        bytes,
        at: 1,
        scale: None,
    };
    draw.scale = SCALES[draw.below(SCALES.len())];
    draw.table(&SCENARIO, "", 6, &mut text);
    let schemes: Vec<String> = (0..1 + draw.below(2)).map(|_| draw.scheme()).collect();
    let _ = writeln!(text, "schemes = {schemes:?}\nseeds = 1");
    text
}

/// The files that scenarios name.
fn files() -> TraceFiles {
    let files = [
        ("wave.trace", "0\n3\n3\n10\n"),
        ("packets.csv", "time,size,ecn\n0,1500,off\n0.01,100,ect0\n"),
        ("flows.csv", "0.001,0,1,1000\n0.002,1,0,100000\n"),
        ("delays.csv", "time,delay\n0,0.01\n0.5,0.02\n"),
    ];
    let owned = files.map(|(name, text)| (name.to_string(), text.to_string()));
    TraceFiles::Memory(BTreeMap::from(owned))
}

/// The texts that fields of this name may have. Without one, a field of text keeps its default.
fn texts(field: &str) -> &'static [&'static str] {
    match field {
        "sizes" => &["websearch", "rpc"],
        "trace" => &["wave.trace"],
        "delay_trace" => &["delays.csv"],
        "packets" => &["packets.csv"],
        "list" => &["flows.csv"],
        "from" | "to" => &["a", "b", "c", "left", "right", "hosts", "router 0"],
        "pause_classes" => &["3", "0 5"],
        "queue" | "host_queue" => &["scheme", "droptail", "none", "fq-codel"],
        _ => &[],
    }
}

/// Decisions drawn from bytes; zero where there are no more.
struct Draw<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The rate and the round trip of links.
    scale: Option<(&'static str, &'static str)>,
}

impl Draw<'_> {
    fn byte(&mut self) -> u8 {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte
    }

    fn below(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count.max(1)
    }

    /// One in `count`.
    fn rarely(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> Option<&'t str> {
        texts.get(self.below(texts.len())).copied()
    }

    /// The lines of a table whose path is `path`. Fields that have an effect only with another are
    /// drawn after it.
    fn table(&mut self, section: &'static Section, path: &str, one_in: usize, text: &mut String) {
        let mut drawn: BTreeMap<&str, String> = BTreeMap::new();
        for later in [false, true] {
            for field in section.fields {
                if field.when.is_some() != later || !has_effect(field, section, &drawn) {
                    continue;
                }
                let decides = section.fields.iter().any(|other| match other.when {
                    Some((name, _)) => name == field.name,
                    None => false,
                });
                let is_needed = match field.shape {
                    Shape::Table(_) | Shape::Named(_) => true,
                    Shape::One(Kind::Text(_)) | Shape::List(_) => field.when.is_some(),
                    _ => false,
                };
                // What can be chosen is, senders first, and what sets the scale: faults lie where
                // two choices meet, and where packets, windows and timers are of other sizes than
                // usual.
                let one_in = match field.shape {
                    _ if ["rate", "rtt"].contains(&field.name) => match self.scale {
                        Some(_) => 1,
                        None => 2,
                    },
                    _ if field.name == "control" => 1,
                    Shape::One(kind) if is_choice(&kind) => 2,
                    Shape::Amount => 2,
                    // What makes a choice what it is: how often transfers begin.
                    _ if later => 2,
                    _ => one_in,
                };
                if !(is_needed || decides || self.rarely(one_in)) {
                    continue;
                }
                let at = match path {
                    "" => field.name.to_string(),
                    _ => format!("{path}.{}", field.name),
                };
                match field.shape {
                    Shape::Table(table) | Shape::Either(table, _) => {
                        self.table(table, &at, one_in, text);
                    }
                    Shape::Named(table) => {
                        for name in ["a", "b", "c"].iter().take(1 + self.below(3)) {
                            self.table(table, &format!("{at}.{name}"), one_in, text);
                        }
                    }
                    _ => {
                        if let Some(value) = self.value(field) {
                            let _ = writeln!(text, "{at} = {value}");
                            drawn.insert(field.name, value);
                        }
                    }
                }
            }
        }
    }

    /// A value of a field, as TOML.
    fn value(&mut self, field: &Field) -> Option<String> {
        match (self.scale, field.name) {
            (Some((rate, _)), "rate") if !self.rarely(4) => return Some(format!("{rate:?}")),
            (Some((_, rtt)), "rtt") if !self.rarely(4) => return Some(format!("{rtt:?}")),
            _ => {}
        }
        match field.shape {
            Shape::One(kind) => self.single(field, &kind),
            Shape::Length(kind) => match self.below(4) {
                0 => Some(format!("\"{} BDP\"", [0.5, 1.0, 4.0][self.below(3)])),
                _ => self.single(field, &kind),
            },
            Shape::Between(kind) | Shape::Spread(kind) => self.single(field, &kind),
            Shape::Amount => {
                let size = [
                    "1 bytes",
                    "2 kB",
                    "100 kB",
                    "pareto(1.2) 12 kB",
                    "10 packets",
                ];
                self.of(&size).map(|size| format!("{size:?}"))
            }
            Shape::List(table) => {
                let count = 1 + self.below(3);
                let tables: Vec<String> = (0..count).map(|_| self.inline(table)).collect();
                Some(format!("[{}]", tables.join(", ")))
            }
            Shape::Table(_) | Shape::Either(..) | Shape::Named(_) | Shape::Open(_) => None,
        }
    }

    /// A table in one line.
    fn inline(&mut self, section: &'static Section) -> String {
        let mut lines = String::new();
        self.table(section, "", 2, &mut lines);
        format!("{{ {} }}", lines.trim_end().replace('\n', ", "))
    }

    fn single(&mut self, field: &Field, kind: &Kind) -> Option<String> {
        let default = match field.usual {
            "" => field.default,
            usual => usual,
        };
        match kind {
            Kind::Length(range) => {
                let packets = self.number(range, default, "packets");
                Some(format!("\"{} packets\"", packets.round()))
            }
            Kind::Bytes(range) => {
                let bytes = self.number(range, default, "bytes");
                Some(format!("\"{} bytes\"", bytes.round()))
            }
            Kind::Time(range) => Some(format!("\"{:e} s\"", self.number(range, default, "s"))),
            Kind::Rate(range) => {
                let rate = self.number(range, default, "bps").round();
                Some(format!("\"{rate} bps\""))
            }
            Kind::Number(range, _) => Some(format!("{:e}", self.number(range, default, ""))),
            Kind::Count(range, _) => Some(format!("{}", self.number(range, default, "").round())),
            Kind::Flag => Some(self.rarely(2).to_string()),
            Kind::Choice(choices) => {
                let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
                self.of(&names).map(|name| format!("{name:?}"))
            }
            Kind::Text(_) => self.of(texts(field.name)).map(|text| format!("{text:?}")),
            Kind::OrAuto(kind) | Kind::OrNever(kind) | Kind::OrPoints(kind) => {
                self.single(field, kind)
            }
        }
    }

    /// A number of a range: an end of it, or within some decades of the default.
    fn number(&mut self, range: &Range, default: &str, unit: &str) -> f64 {
        // Times are in proportion to the network's, or as on the Internet.
        let round_trip = self.scale.filter(|_| unit == "s" && self.rarely(2));
        let usual = match round_trip {
            Some((_, rtt)) => rtt.parse::<Nanos>().ok().map(|rtt| rtt.as_secs_f64()),
            None => default.parse::<Quantity>().ok().map(|usual| usual.amount),
        };
        let usual = usual.filter(|usual| *usual > 0.0).unwrap_or(match unit {
            "bps" => 1e7,
            "bytes" => 1e3,
            "packets" => 50.0,
            "s" => 0.05,
            _ => 1.0,
        });
        let decades = [-4.0, -2.0, -1.0, -0.3, 0.0, 0.3, 1.0, 2.0, 4.0];
        let drawn = match self.below(16) {
            0 => range.low,
            1 => range.high,
            _ => usual * 10_f64.powf(decades[self.below(decades.len())]),
        };
        let least = if range.with_low {
            range.low
        } else {
            range.low + 1e-6
        };
        let most = if range.with_high {
            range.high
        } else {
            range.high - 1e-6
        };
        drawn.clamp(least.max(-1e12), most.min(1e12))
    }

    /// A scheme with up to two parameters, of which those that it refuses go.
    fn scheme(&mut self) -> String {
        // What a fabric needs that pauses classes.
        if self.rarely(16) {
            return "drr:by=class,queues=8,strict=2,inner=red".to_string();
        }
        let scheme = &SCHEMES[self.below(SCHEMES.len())];
        let parameters: Vec<_> = scheme.parameters().collect();
        let link = LinkFacts::at(BitsPerSec::from_mbps(10));
        let mut spec: Spec = scheme.name.parse().expect("a scheme's name");
        for _ in 0..self.below(3) {
            let parameter = parameters[self.below(parameters.len())];
            let (_, default) = scheme.default_of(parameter);
            let field = Field::new(parameter.name, Shape::One(parameter.kind), "", "");
            let field = Field {
                usual: default,
                ..field
            };
            let Some(value) = self.single(&field, &parameter.kind) else {
                continue;
            };
            match spec.clone().with(parameter.name, value.trim_matches('"')) {
                Ok(longer) if longer.plan(&link).is_ok() => spec = longer,
                _ => {}
            }
        }
        spec.to_string()
    }
}

/// Whether a value is one of a few names, or of these and "auto".
fn is_choice(kind: &Kind) -> bool {
    match kind {
        Kind::Choice(_) => true,
        Kind::OrAuto(kind) => is_choice(kind),
        _ => false,
    }
}

/// Whether a field has an effect with what has been drawn of the table.
fn has_effect(field: &Field, section: &Section, drawn: &BTreeMap<&str, String>) -> bool {
    let Some((name, values)) = field.when else {
        return true;
    };
    let default = section.field(name).map_or("", |other| other.default);
    let chosen = drawn
        .get(name)
        .map_or(default, |value| value.trim_matches('"'));
    values.contains(&chosen)
}

/// The plan of a scenario without the lines that contradict others, and as much shorter as a run of
/// few events takes, or five times shorter; `None` where that does not help.
fn settled(text: &str, size: Size) -> Option<Plan> {
    let limits = size.limits();
    let of_any_length = Limits {
        events: Limits::NONE.events,
        ..limits
    };
    let mut text = text.to_string();
    let mut shortened = 0;
    for _ in 0..40 {
        let source = Source::new("drawn.toml", &text, files());
        let planned = source.and_then(|source| source.with_limits(of_any_length).plan());
        let kept = match planned {
            // Where the events are those of many starts, it is stopped before its end.
            Ok(plan) if shortened == 5 || plan.budget().check(&limits).is_ok() => {
                return Some(plan);
            }
            Ok(plan) => {
                shortened += 1;
                let longest = size.events as f64 / plan.budget().events;
                let shorter = plan.scenario().duration.as_secs_f64() * longest.min(0.5);
                let shorter = Nanos::from_secs_f64(shorter);
                let kept = without(&text, |_, line| line.starts_with("duration"));
                format!("duration = \"{shorter}\"\n{kept}")
            }
            Err(problems) => {
                let mut wrong = BTreeSet::new();
                for problem in &problems.list {
                    if let Place::File(bytes) = &problem.place {
                        wrong.insert(text[..bytes.start].matches('\n').count());
                    }
                }
                let mut kept = without(&text, |number, line| {
                    wrong.contains(&number) && !is_needed(line, &text)
                });
                if kept == text {
                    // What is needed contradicts the network or TCP.
                    kept = without(&text, |_, line| {
                        ["network", "tcp"].iter().any(|part| line.starts_with(part))
                    });
                }
                if !kept.contains("flows.") {
                    kept.push_str("flows.a.count = 2\n");
                }
                kept
            }
        };
        if kept == text {
            return None;
        }
        text = kept;
    }
    None
}

/// The text without the lines of which this holds.
fn without(text: &str, goes: impl Fn(usize, &str) -> bool) -> String {
    let lines = text.lines().enumerate();
    let kept = lines.filter(|(number, line)| !goes(*number, line));
    kept.map(|(_, line)| format!("{line}\n")).collect()
}

/// Whether there is no scenario without this line. A list counts its flows itself.
fn is_needed(line: &str, text: &str) -> bool {
    let is_listed = text.contains("flows.a.kind = \"list\"");
    line.starts_with("schemes") || line.starts_with("flows.a.count") && !is_listed
}

fn check(
    text: &str,
    size: Size,
    mut peak_of: impl FnMut(&mut dyn FnMut()) -> Option<u64>,
) -> Result<Tried, String> {
    let Some(plan) = settled(text, size) else {
        return Ok(Tried::Refused);
    };
    for scheme in 0..plan.labels().len() {
        let mut ran = Err("did not run".to_string());
        let peak = peak_of(&mut || ran = run(&plan, scheme, size));
        let (outcome, finished) = ran?;
        let estimate = plan.budget().memory;
        if let Some(peak) = peak.filter(|peak| *peak as f64 > 1.5 * estimate + 1e6) {
            let as_run = plan.toml();
            return Err(format!(
                "took {peak} bytes, estimated {estimate}; as run:\n{as_run}"
            ));
        }
        // The same on another thread.
        let again = std::thread::scope(|scope| scope.spawn(|| run(&plan, scheme, size)).join());
        let (again, _) = again.map_err(|_| "panicked on another thread".to_string())??;
        if format!("{outcome:?}") != format!("{again:?}") {
            return Err("another outcome on another thread".to_string());
        }
        if finished {
            check_outcome(&outcome)?;
        }
    }
    Ok(Tried::Ran)
}

/// The outcome of the first cell of a scheme after as many events as its size allows, and whether
/// it ran to its end.
fn run(plan: &Plan, scheme: usize, size: Size) -> Result<(Outcome, bool), String> {
    let cell = Cell {
        seed: 0,
        point: 0,
        scheme,
    };
    let (prepared, mut simulation) = super::start(plan, cell)?;
    let finished = simulation.run_events(prepared.run.duration, size.events);
    let results = simulation.finish_now();
    check_results(&results, prepared.run.duration.as_secs_f64())?;
    Ok((Outcome::of(&results, &prepared), finished))
}

fn check_results(results: &Results, lasted: f64) -> Result<(), String> {
    let totals = &results.totals;
    let accounted = totals.delivered.plus(totals.dropped).plus(totals.in_flight);
    if totals.sent != accounted {
        return Err(format!("sent {:?}, accounted {accounted:?}", totals.sent));
    }
    if totals.completed > totals.transfers {
        return Err(format!(
            "{} transfers of {}",
            totals.completed, totals.transfers
        ));
    }
    for queue in &results.queues {
        check_little(queue, results.measured.as_secs_f64(), lasted)?;
    }
    let slowdowns = results.completions.iter().filter_map(|one| one.slowdown());
    let of_rounds = results.rounds.iter().filter_map(|one| one.slowdown());
    // The ideal time is rounded to a nanosecond, the completion at each hop.
    match slowdowns
        .chain(of_rounds)
        .find(|slowdown| *slowdown < 0.999)
    {
        Some(slowdown) => Err(format!("a slowdown of {slowdown}")),
        None => Ok(()),
    }
}

/// Little's law over the time measured, of `span` seconds in a run of `lasted`: the queue's length
/// added up over time is the waiting of the packets that left, but for those that waited at its
/// beginning or end, or were dropped after they had waited.
fn check_little(queue: &QueueResult, span: f64, lasted: f64) -> Result<(), String> {
    let counters = &queue.counters;
    let packets = |counted: u64| counted as f64;
    let (departed, dropped) = (counters.departed.packets, counters.dropped().packets);
    let by_length = queue.mean_packets * span;
    let by_packet = packets(departed) * queue.mean_sojourn.map_or(0.0, Nanos::as_secs_f64);
    let arrived = queue.waiting_before + counters.arrived.packets;
    let waiting = packets(arrived.saturating_sub(departed + dropped));
    let most = by_packet + (waiting + packets(dropped)) * span;
    let least = by_packet - packets(queue.waiting_before) * lasted;
    // Mean waiting is in whole nanoseconds, and sums are of limited precision.
    let rounding = 2e-9 * packets(departed) + 1e-9 * by_packet + 1e-9;
    match (least - rounding..=most + rounding).contains(&by_length) {
        true => Ok(()),
        false => Err(format!(
            "{}: {by_length} packet seconds by length, {by_packet} by packet, of {queue:?}",
            queue.name
        )),
    }
}

/// Every share is one, and every number finite.
fn check_outcome(outcome: &Outcome) -> Result<(), String> {
    let of_groups = outcome.groups.iter();
    let of_groups = of_groups.flat_map(|(_, _, values)| metrics::of_groups().zip(values));
    for (metric, value) in METRICS.iter().zip(&outcome.values).chain(of_groups) {
        let Some(value) = *value else { continue };
        let is_share = metric.unit == "%" || metric.name == "fairness";
        // From nothing in one half of the time to all in the other: a change by twice the mean.
        let least = if metric.name.ends_with("_drift") {
            -2.0
        } else {
            0.0
        };
        if !value.is_finite() || value < least || (is_share && value > 1.0 + 1e-9) {
            return Err(format!("{} = {value}", metric.name));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use earlydrop::random::Pcg32;

    use super::*;

    #[test]
    fn scenarios_that_are_drawn_run_and_what_must_hold_does() {
        let mut ran = 0;
        for seed in 0..60 {
            let mut random = Pcg32::new(seed, 1);
            let bytes: Vec<u8> = (0..400).map(|_| random.next_u32() as u8).collect();
            let tried = valid_scenario(&bytes, |run| {
                run();
                None
            });
            ran += u32::from(tried == Tried::Ran);
        }
        // The others are too large, or contradict themselves without a line that could go.
        assert!(ran >= 45, "{ran} of 60 scenarios ran");
    }
}
