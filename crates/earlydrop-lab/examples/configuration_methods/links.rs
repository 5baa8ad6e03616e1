//! What was measured on each link, from the lines of `bench/reference/configuration-methods.csv`.

use std::collections::BTreeMap;
use std::ops::Range;

/// The utilisation of a full link, in percent, and what it may lack of drop-tail's where that is less.
const FULL: f64 = 98.0;
const BELOW_DROP_TAIL: f64 = 1.0;
/// RED whose queue is no shorter than this share of drop-tail's gains nothing.
const GAIN: f64 = 0.9;
/// So much loss, in percent, is too much if it is so much more than drop-tail's.
const MUCH_LOST: f64 = 10.0;
const MUCH_MORE_LOST: f64 = 2.0;
/// The size of a packet, in bits.
const PACKET: f64 = 12_000.0;

/// A queue of a link, simulated.
pub(crate) struct Row<'a> {
    pub(crate) rate: f64,
    pub(crate) rtt: f64,
    pub(crate) flows: f64,
    pub(crate) tcp: &'a str,
    pub(crate) ecn: &'a str,
    /// The time that was measured, in seconds.
    pub(crate) measured: f64,
    /// How many flows were simulated over how many the method was told of.
    pub(crate) more: f64,
    pub(crate) method: &'a str,
    pub(crate) band: Option<(f64, f64)>,
    pub(crate) stability: &'a str,
    pub(crate) utilisation: f64,
    pub(crate) delay: f64,
    pub(crate) swing: f64,
    pub(crate) lost: f64,
    pub(crate) marked: f64,
    pub(crate) timeouts: f64,
    pub(crate) fairness: Option<f64>,
    pub(crate) queue: f64,
}

impl<'a> Row<'a> {
    /// A line of the file, with the number of its link.
    fn read(line: &'a str) -> Option<(usize, Row<'a>)> {
        let cells: Vec<&str> = line.split(',').collect();
        let at = |index: usize| cells.get(index)?.parse::<f64>().ok();
        let row = Row {
            rate: at(1)?,
            rtt: at(2)?,
            flows: at(3)?,
            tcp: cells[4],
            ecn: cells[5],
            measured: at(7)?,
            more: at(8)? / at(3)?,
            method: cells[9],
            band: at(10).zip(at(11)),
            stability: cells[14],
            utilisation: at(15)?,
            delay: at(16)?,
            swing: at(17)? / at(16)?,
            lost: at(18)?,
            marked: at(19)?,
            timeouts: at(20)?,
            fairness: at(21),
            queue: at(22)?,
        };
        Some((cells[0].parse().ok()?, row))
    }

    /// Whether a sender takes longer than was measured to grow back to its window after a signal: half a
    /// window of round trips with Reno, at most K with CUBIC (RFC 9438, section 4.2: beta 0.7, C 0.4).
    pub(crate) fn is_short(&self) -> bool {
        let window = self.packets_a_flow();
        let reno = 0.5 * window * self.rtt * 1e-3;
        let grows = match self.tcp {
            "cubic" => reno.min((window * 0.3 / 0.4).cbrt()),
            _ => reno,
        };
        grows > self.measured
    }

    /// The bandwidth-delay product over the number of flows.
    pub(crate) fn packets_a_flow(&self) -> f64 {
        self.rate * 1e6 * self.rtt * 1e-3 / PACKET / self.flows
    }

    pub(crate) fn is_full(&self, drop_tail: &Row<'_>) -> bool {
        self.utilisation >= FULL.min(drop_tail.utilisation - BELOW_DROP_TAIL)
    }

    pub(crate) fn is_lossy(&self, drop_tail: &Row<'_>) -> bool {
        self.lost > MUCH_LOST && self.lost > drop_tail.lost + MUCH_MORE_LOST
    }

    /// The default goal of `configure`: a full link with a shorter queue, and without much loss.
    pub(crate) fn meets_the_goal(&self, drop_tail: &Row<'_>) -> bool {
        let is_shorter = self.delay <= GAIN * drop_tail.delay;
        self.is_full(drop_tail) && is_shorter && !self.is_lossy(drop_tail)
    }

    pub(crate) fn is_between_thresholds(&self) -> Option<bool> {
        let (min, max) = self.band?;
        Some((min..=max).contains(&self.queue))
    }
}

/// The rows of each link.
pub(crate) type Links<'a> = BTreeMap<usize, Vec<Row<'a>>>;

/// The rows with as many flows as the methods were told of, and those with more.
pub(crate) fn links(text: &str) -> [Links<'_>; 2] {
    let mut links = [Links::new(), Links::new()];
    for (link, row) in text.lines().filter_map(Row::read) {
        let own = &mut links[usize::from(row.more > 1.0)];
        own.entry(link).or_default().push(row);
    }
    links
}

pub(crate) fn row<'r, 'a>(link: &'r [Row<'a>], method: &str) -> Option<&'r Row<'a>> {
    link.iter().find(|row| row.method == method)
}

/// A method's row beside drop-tail's, of each link.
pub(crate) fn beside_drop_tail<'r, 'a>(
    links: &'r Links<'a>,
    method: &'r str,
) -> impl Iterator<Item = (&'r Row<'a>, &'r Row<'a>)> {
    let pair = move |link: &'r Vec<Row<'a>>| Some((row(link, method)?, row(link, "droptail")?));
    links.values().filter_map(pair)
}

/// The methods in the order of the file.
pub(crate) fn methods<'a>(links: &Links<'a>) -> Vec<&'a str> {
    let first = links.values().next();
    first.map_or(Vec::new(), |link| {
        link.iter().map(|row| row.method).collect()
    })
}

/// A group of links: its name, and which belong to it.
pub(crate) type Group = (String, Box<dyn Fn(&Row<'_>) -> bool>);

/// Groups between bounds of a quantity; the first has no lower bound, the last no upper one.
pub(crate) fn ranges(bounds: &[f64], unit: &str, of: fn(&Row<'_>) -> f64) -> Vec<Group> {
    let ends = || bounds.iter().copied();
    let lows = [0.0].into_iter().chain(ends());
    let highs = ends().chain([f64::INFINITY]);
    let group = |(low, high): (f64, f64)| {
        let range: Range<f64> = low..high;
        let name = match (low, high) {
            (0.0, high) => format!("below {high}{unit}"),
            (low, f64::INFINITY) => format!("from {low}{unit}"),
            (low, high) => format!("{low} to {high}{unit}"),
        };
        let is_in: Box<dyn Fn(&Row<'_>) -> bool> = Box::new(move |row| range.contains(&of(row)));
        (name, is_in)
    };
    lows.zip(highs).map(group).collect()
}

/// Links whose flows have no ECN, and those whose flows have it.
pub(crate) fn ecn() -> Vec<Group> {
    let group = |name: &str, ecn: &'static str| {
        let is_in: Box<dyn Fn(&Row<'_>) -> bool> = Box::new(move |row| row.ecn == ecn);
        (name.to_string(), is_in)
    };
    vec![group("no ECN", "off"), group("ECN", "on")]
}

/// Groups by packets a flow, and the links whose runs are short.
pub(crate) fn windows() -> Vec<Group> {
    let mut groups = ranges(&[1.0, 4.0, 20.0, 100.0], "", |row| row.packets_a_flow());
    groups.push(("short runs".to_string(), Box::new(|row| row.is_short())));
    groups
}

/// The share of these that are true; `None` of nothing.
pub(crate) fn share(is: impl Iterator<Item = bool>) -> Option<f64> {
    let all: Vec<bool> = is.collect();
    let yes = all.iter().filter(|one| **one).count();
    (!all.is_empty()).then(|| yes as f64 / all.len() as f64)
}
