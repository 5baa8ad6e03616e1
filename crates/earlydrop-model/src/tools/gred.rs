//! Linux's gred: its setup line and the lines of its virtual queues, as WRED with an average for each.
//!
//! ```text
//! tc qdisc add dev eth0 root gred setup DPs 2 default 1
//! tc qdisc change dev eth0 root gred limit 60k min 15k max 45k avpkt 1000 burst 20 DP 0 probability 0.1
//! tc qdisc change dev eth0 root gred limit 60k min 10k max 30k avpkt 1000 burst 15 DP 1
//! ```
//!
//! Options and defaults are those of iproute2's `tc/q_gred.c` and the kernel's `net/sched/sch_gred.c`.

use super::ParseError;
use super::ledger::unknown;
use super::tc;
use super::tc_line::{Options, QdiscLine};
use super::tc_units::{burst, probability, rate, size};
use super::token::Token;

/// The priority of a virtual queue that is given none (`GRED_DEF_PRIO`).
const USUAL_PRIORITY: f64 = 8.0;

/// The line that sets how many virtual queues there are.
struct Setup {
    queues: f64,
    is_rio: bool,
    marks: bool,
    drops_above_max: bool,
}

/// A virtual queue.
struct VirtualQueue<'a> {
    number: f64,
    at: Token<'a>,
    limit: u32,
    min: u32,
    max: u32,
    packet: u32,
    wlog: u32,
    max_p: f64,
    priority: f64,
}

/// The options of a line, in any order.
#[derive(Default)]
struct Given<'a> {
    sizes: Vec<(&'a str, u32)>,
    counts: Vec<(&'a str, f64)>,
    words: Vec<&'a str>,
    burst: Option<(u32, Token<'a>)>,
    max_p: Option<f64>,
    number: Option<(f64, Token<'a>)>,
}

const WORDS: [&str; 16] = [
    "setup",
    "DPs",
    "default",
    "grio",
    "limit",
    "min",
    "max",
    "avpkt",
    "burst",
    "bandwidth",
    "DP",
    "probability",
    "prio",
    "ecn",
    "harddrop",
    "vqs",
];

impl<'a> Given<'a> {
    fn of(line: &mut QdiscLine<'_, 'a>) -> Result<Given<'a>, ParseError> {
        let mut given = Given::default();
        let mut options = Options::of(line);
        while let Some(word) = options.take() {
            match word.text {
                "setup" | "grio" | "ecn" | "harddrop" => given.words.push(word.text),
                "limit" | "min" | "max" | "avpkt" => {
                    let (bytes, _) = size(options.value(&word)?, word.text)?;
                    given.sizes.push((word.text, bytes));
                }
                "DPs" | "default" | "prio" => {
                    let count = options.value(&word)?.count(word.text, 0.0, 16.0)?;
                    given.counts.push((word.text, count));
                }
                "DP" => {
                    let value = options.value(&word)?;
                    given.number = Some((value.count("DP", 0.0, 15.0)?, value));
                }
                "burst" => given.burst = Some(burst(options.value(&word)?)?),
                "probability" => given.max_p = Some(probability(options.value(&word)?)?.0),
                "bandwidth" => drop(rate(options.value(&word)?)?),
                "vqs" => return Err(word.error("what tc prints of gred is not read", COMMANDS)),
                _ => return Err(unknown(&word, &WORDS)),
            }
        }
        Ok(given)
    }

    fn size(&self, name: &str) -> Option<u32> {
        let mut sizes = self.sizes.iter();
        sizes
            .find(|(known, _)| *known == name)
            .map(|(_, size)| *size)
    }

    fn count(&self, name: &str) -> Option<f64> {
        let mut counts = self.counts.iter();
        counts
            .find(|(known, _)| *known == name)
            .map(|(_, count)| *count)
    }

    fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }
}

const COMMANDS: &str =
    "give the commands that set it: gred setup DPs 2 default 1, and a line for each DP";

/// The scheme of all lines of a gred.
pub(super) fn scheme<'a>(
    mut lines: Vec<QdiscLine<'_, 'a>>,
    text: &str,
) -> Result<Vec<String>, ParseError> {
    let mut setup = None;
    let mut queues: Vec<VirtualQueue<'a>> = Vec::new();
    for line in &mut lines {
        let kind = line.kind;
        let given = Given::of(line)?;
        match given.has("setup") {
            true => setup = Some((setup_of(&given, &kind)?, kind)),
            false => queues.push(virtual_queue(&given, &kind)?),
        }
    }
    let Some((setup, at)) = setup else {
        return Err(ParseError::of_all(text, "this gred has no setup", COMMANDS));
    };
    queues.sort_by(|a, b| a.number.total_cmp(&b.number));
    for number in 0..setup.queues as usize {
        let is_there = queues
            .get(number)
            .is_some_and(|queue| queue.number == number as f64);
        if !is_there {
            let message = format!("DP {number} has no line: its packets would go to another queue");
            return Err(at.error(
                message,
                format!("nearest: a line with DP {number}, and no other"),
            ));
        }
    }
    settings(&setup, &queues, &at)
}

fn setup_of(given: &Given, at: &Token) -> Result<Setup, ParseError> {
    let queues = given.count("DPs").filter(|count| *count > 0.0);
    let queues = queues.ok_or_else(|| at.error("setup needs DPs", "allowed: DPs 1 to DPs 16"))?;
    Ok(Setup {
        queues,
        is_rio: given.has("grio"),
        marks: given.has("ecn"),
        drops_above_max: given.has("harddrop"),
    })
}

fn virtual_queue<'a>(given: &Given<'a>, kind: &Token<'a>) -> Result<VirtualQueue<'a>, ParseError> {
    let (number, at) = given
        .number
        .ok_or_else(|| kind.error("this line has no DP", "allowed: DP 0 to DP 15"))?;
    let needed = |name: &str| {
        let size = given.size(name).filter(|size| *size > 0);
        size.ok_or_else(|| {
            let help = "tc requires limit, min, max and avpkt of each DP";
            at.error(format!("DP {number} has no {name}"), help)
        })
    };
    let (limit, min, max) = (needed("limit")?, needed("min")?, needed("max")?);
    let packet = needed("avpkt")?;
    let usual = || tc::default_burst(min, max, packet);
    let burst = given.burst.map_or_else(usual, |(burst, _)| burst);
    let wlog = tc::wlog(min, burst, packet).map_err(|_| {
        let help = format!("nearest: burst {}", tc::burst_for(9, 31, min, packet));
        let place = given.burst.map_or(at, |(_, at)| at);
        place.error(format!("a burst of {burst} packets gives no weight"), help)
    })?;
    Ok(VirtualQueue {
        number,
        at,
        limit,
        min,
        max,
        packet,
        wlog,
        max_p: given.max_p.unwrap_or(0.02),
        priority: given
            .count("prio")
            .filter(|prio| *prio > 0.0)
            .unwrap_or(USUAL_PRIORITY),
    })
}

/// The settings of `wred:as=linux`; WRED has one weight, packet and buffer for all.
fn settings(setup: &Setup, queues: &[VirtualQueue], at: &Token) -> Result<Vec<String>, ParseError> {
    let first = &queues[0];
    let differ = |of: fn(&VirtualQueue) -> u32, name: &str| {
        let other = queues.iter().find(|queue| of(queue) != of(first));
        match other {
            None => Ok(of(first)),
            Some(other) => {
                let (a, b) = (of(first), of(other));
                let message = format!(
                    "DP {} has {name}{b}, DP {} has {name}{a}: WRED has one for all",
                    other.number, first.number
                );
                Err(other
                    .at
                    .error(message, format!("nearest: {name}{a} for all")))
            }
        }
    };
    let limit = differ(|queue| queue.limit, "limit ")?;
    let packet = differ(|queue| queue.packet, "avpkt ")?;
    let wlog = differ(|queue| queue.wlog, "a weight of 2^-")?;
    let equal = |a: &VirtualQueue| queues.iter().filter(|b| a.priority == b.priority).count() > 1;
    let is_shared = setup.is_rio && queues.iter().any(equal);
    if setup.is_rio && !is_shared && queues.len() > 1 {
        let message = "grio with different priorities adds up averages, which is not simulated";
        return Err(at.error(message, "nearest: the same prio for all, or no grio"));
    }
    let profile = |queue: &VirtualQueue| format!("{}/{}/{}", queue.min, queue.max, queue.max_p);
    let profiles: Vec<String> = queues.iter().map(profile).collect();
    let mut settings = vec![
        format!("profiles={}", profiles.join("; ")),
        format!("weight={}", (-f64::from(wlog)).exp2()),
        format!("mean_packet={packet}bytes"),
        format!("limit={limit}bytes"),
    ];
    let words = [
        (is_shared, "average=shared"),
        (setup.marks, "ecn=on"),
        (setup.marks && setup.drops_above_max, "mark_above_max=off"),
    ];
    let words = words.iter().filter(|(is_set, _)| *is_set);
    settings.extend(words.map(|(_, word)| (*word).to_string()));
    Ok(settings)
}
