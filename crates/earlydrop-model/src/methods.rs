//! Methods of choosing RED's parameters: published ones, and what tools set unless they are told otherwise.
//!
//! [`METHODS`] is the table: name, source, rule, and a function from the facts of a link to parameters.
//! [`every_method`] puts beside them what this model chooses. Which advice holds on which links is
//! simulated in `docs/papers/configuration-methods.md`.
//!
//! Junos has no row: without a drop profile its queue drops nothing before it is full, as drop-tail
//! does (its command `show class-of-service drop-profile` prints a discrete profile of fill level 100,
//! drop probability 100).

use earlydrop::red::Average;
use earlydrop::registry::Spec;
use earlydrop::units::Nanos;

use crate::open_loop::OpenLoop;
use crate::thresholds::{
    Advice, LEAST_MIN, MAX_P, Proposal, Thresholds, WEIGHT, around, balance, given,
    without_early_drops,
};
use crate::tools::tc;
use crate::{Load, ModelError};

/// What a method may know of a link.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The link and its flows.
    pub load: &'a Load,
    /// The scheme that takes the thresholds of methods that choose nothing else; other parameters that
    /// it sets are kept.
    pub scheme: &'a Spec,
    /// The buffer, in packets.
    pub buffer: f64,
    /// The queueing delay that is asked for; `None`: the method's own.
    pub delay: Option<Nanos>,
    /// The open loop at a known loss rate.
    pub open_loop: Option<&'a OpenLoop>,
}

/// A method of choosing RED's parameters.
pub struct Method {
    /// The name on the command line and in JSON.
    pub name: &'static str,
    /// The publication, or the tool.
    pub source: &'static str,
    /// The equations, for N flows on a link of C packets a second with the round-trip time R and a
    /// buffer of B packets.
    pub rule: &'static str,
    choose: fn(&Facts<'_>) -> Result<Choice, ModelError>,
}

/// What a method chooses, before it is limited to the buffer.
struct Choice {
    scheme: Spec,
    thresholds: Thresholds,
    notes: Vec<String>,
}

impl Choice {
    fn new(scheme: Spec, thresholds: Thresholds) -> Result<Choice, ModelError> {
        Ok(Choice {
            scheme,
            thresholds,
            notes: Vec::new(),
        })
    }
}

/// Every published method, then the defaults of tools.
pub const METHODS: [Method; 8] = [
    Method {
        name: "paper",
        source: "Chandrayana, Sikdar, Kalyanaraman, formulas (20) and (21)",
        rule: "min = E[Q]/2, max = 3 E[Q]/2, max_p 0.1, weight 0.002; E[Q] is the mean queue M^x/M/1/K of \
               the same flows without early drops, with the loss as a result",
        choose: around_droptail_queue,
    },
    Method {
        name: "morris",
        source: "Morris 1999, as Chandrayana et al. quote it in (1) to (4), loss l at most 3%",
        rule: "max = 3/2 N pif(l, R), min = max/3, max_p = 3/4 l, weight 0.002",
        choose: |facts| {
            let rtt = facts.load.rtt.as_secs_f64();
            Choice::new(facts.free(), morris(MORRIS_LOSS, rtt, facts.load.flows))
        },
    },
    Method {
        name: "floyd-1997",
        source: "Floyd, \"RED: Discussions of Setting Parameters\", 1997",
        rule: "min 5, max 15, max_p 0.1, weight 0.002",
        choose: |facts| Choice::new(facts.free(), floyd_1997()),
    },
    Method {
        name: "floyd-2000",
        source: "Floyd, \"Recommendation on using the gentle variant of RED\", 2000",
        rule: "as floyd-1997; from max on the probability climbs to 1 at twice max",
        choose: |_| Choice::new(Spec::new("gred")?, floyd_1997()),
    },
    Method {
        name: "floyd-2001",
        source: "Floyd, Gummadi, Shenker, \"Adaptive RED\", 2001",
        rule: "min = max(5, C d/2) for a delay d of 5 ms, max = 3 min, gentle, max_p adapts, \
               weight 1 - exp(-1/C)",
        choose: |facts| {
            Choice::new(
                Spec::new("ared")?,
                floyd_2001(facts.load, facts.target_delay()),
            )
        },
    },
    Method {
        name: "cisco",
        source: "Cisco IOS, random-detect: precedence 0",
        rule: "min 20, max 40, max_p 1/10, weight 2^-9",
        choose: cisco,
    },
    Method {
        name: "linux",
        source: "tc-red(8): what is left out of `red limit B avpkt PACKET`",
        rule: "max = B/4, min = max/3, max_p 0.02, the weight of a burst of (2 min + max)/3, in bytes; marks \
               above max",
        choose: linux,
    },
    Method {
        name: "ns2",
        source: "ns-2.35, ns-default.tcl and red.cc",
        rule: "min = max(5, C d/2) for a delay d of 5 ms, max = 3 min, gentle, max_p 0.1, \
               weight 1 - exp(-1/C), spacing wait",
        choose: ns2,
    },
];

/// The delay for which adaptive RED chooses its thresholds (Floyd, Gummadi, Shenker 2001).
pub const TARGET_DELAY: Nanos = Nanos::from_millis(5);

impl Facts<'_> {
    /// The scheme without thresholds.
    fn free(&self) -> Spec {
        self.scheme.without("min").without("max")
    }

    /// The delay that adaptive RED is to have, in seconds.
    fn target_delay(&self) -> f64 {
        self.delay.unwrap_or(TARGET_DELAY).as_secs_f64()
    }
}

impl Method {
    /// The method of this name.
    pub fn named(name: &str) -> Option<&'static Method> {
        METHODS.iter().find(|method| method.name == name)
    }

    /// The method's parameters for a link; thresholds beyond the buffer are limited to it, with a note.
    pub fn advice(&self, facts: &Facts<'_>) -> Result<Advice, ModelError> {
        let Choice {
            scheme,
            thresholds,
            notes,
        } = (self.choose)(facts)?;
        Proposal {
            method: self.name,
            source: self.source,
            scheme: &scheme,
            thresholds,
            notes,
        }
        .within_buffer(facts.buffer, facts.load)
    }
}

/// Parameters by every method, for an average queue of `goal` packets where this model chooses.
///
/// The method `balance` comes first. Thresholds that the scheme sets come before it as the method
/// `given`; the other methods replace them.
pub fn every_method(facts: &Facts<'_>, goal: f64) -> Result<Vec<Advice>, ModelError> {
    let Facts {
        load,
        scheme,
        buffer,
        ..
    } = *facts;
    let given = given(load, scheme, buffer, goal)?;
    let own = given
        .into_iter()
        .chain([balance(load, scheme, buffer, goal)?]);
    let others = METHODS.iter().map(|method| method.advice(facts));
    own.map(Ok).chain(others).collect()
}

/// Thresholds around the mean queue without early drops, of the open loop where there is one, else
/// of the closed loop.
fn around_droptail_queue(facts: &Facts<'_>) -> Result<Choice, ModelError> {
    let (queue, rho, sensitivity) = match facts.open_loop {
        Some(open) => (open.queue, open.load, open.sensitivity),
        None => {
            let closed = without_early_drops(facts.load, facts.buffer)?;
            (closed.expected.queue, closed.load, closed.sensitivity)
        }
    };
    let (thresholds, mut notes) = around(queue, facts.buffer);
    let inputs = match facts.open_loop {
        Some(_) => "from the given loss",
        None => "with the loss as a result",
    };
    notes.push(format!(
        "E[Q] = {queue:.1} packets at rho = {rho:.3}, {inputs}; 1% more load changes it by {:+.1} packets",
        sensitivity / 100.0
    ));
    Ok(Choice {
        scheme: facts.free(),
        thresholds,
        notes,
    })
}

/// Packets in flight per flow by Morris's formulas (1) and (2), at a loss rate of `l` and a
/// round-trip time of `r` seconds. A timeout takes one second.
pub fn packets_in_flight(l: f64, r: f64) -> f64 {
    let window = 0.87 / l.sqrt();
    let timeouts = l * (1.0 - (1.0 - l).powi(13));
    let timeout_share = 1.0 / (1.0 + r / (window * timeouts));
    (1.0 - timeout_share) * window
}

/// Morris's thresholds, formulas (3) and (4), for a loss rate of at most `l`.
pub fn morris(l: f64, r: f64, flows: f64) -> Thresholds {
    let max = 1.5 * flows * packets_in_flight(l, r);
    Thresholds {
        min: max / 3.0,
        max,
        max_p: Some(0.75 * l),
        weight: WEIGHT,
    }
}

/// Morris's upper bound on the loss rate.
pub const MORRIS_LOSS: f64 = 0.03;

/// Floyd's thresholds of 1997: 5 and 15 packets for any link.
pub fn floyd_1997() -> Thresholds {
    Thresholds {
        min: LEAST_MIN,
        max: 3.0 * LEAST_MIN,
        max_p: Some(MAX_P),
        weight: WEIGHT,
    }
}

/// The thresholds of Floyd, Gummadi and Shenker 2001, for a queueing delay of `delay` seconds.
pub fn floyd_2001(load: &Load, delay: f64) -> Thresholds {
    let min = (load.service() * delay / 2.0).max(LEAST_MIN);
    Thresholds {
        min,
        max: 3.0 * min,
        max_p: None,
        weight: Average::automatic_weight(load.service(), 1.0),
    }
}

/// IOS's defaults for packets of precedence 0 (DSCP 0), which hosts send unless told otherwise.
fn cisco(_: &Facts<'_>) -> Result<Choice, ModelError> {
    let weight = 1.0 / 512.0;
    let thresholds = Thresholds {
        min: 20.0,
        max: 40.0,
        max_p: Some(0.1),
        weight,
    };
    Choice::new(Spec::new("red")?.with("weight", weight)?, thresholds)
}

/// tc's arithmetic, in bytes.
fn linux(facts: &Facts<'_>) -> Result<Choice, ModelError> {
    let packet = facts.load.packet.0 as f64;
    let max = (facts.buffer * packet / 4.0).floor();
    let min = (max / 3.0).floor();
    let (whole_min, average) = (min as u32, packet as u32);
    // tc refuses a smaller burst.
    let least = 1 + whole_min / average;
    let burst = tc::default_burst(whole_min, max as u32, average).max(least);
    let exponent = tc::wlog(whole_min, burst, average).unwrap_or(31);
    let weight = (-f64::from(exponent)).exp2();
    let max_p = 0.02;
    let scheme = Spec::new("red")?
        .with("as", "linux")?
        .with("weight", weight)?
        .with("mean_packet", facts.load.packet)?;
    let thresholds = Thresholds {
        min: min / packet,
        max: max / packet,
        max_p: Some(max_p),
        weight,
    };
    Choice::new(scheme, thresholds)
}

/// ns-2's RED with `mean_pktsize_` set to the flows' packets, and with ECN.
fn ns2(facts: &Facts<'_>) -> Result<Choice, ModelError> {
    let packet = facts.load.packet;
    let scheme = Spec::new("gred")?
        .with("as", "ns2")?
        .with("mean_packet", packet)?
        .with("idle_packet", packet)?
        .with("ecn", "on")?;
    let thresholds = Thresholds {
        max_p: Some(MAX_P),
        ..floyd_2001(facts.load, TARGET_DELAY.as_secs_f64())
    };
    Choice::new(scheme, thresholds)
}

#[cfg(test)]
#[path = "methods_tests.rs"]
mod tests;
