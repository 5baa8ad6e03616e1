//! Thresholds of marking for the switches of a data centre, by published rules, and when marks begin
//! before pauses.
//!
//! A switch marks no packet while its queue is below Kmin, marks with a probability that rises to
//! Pmax at Kmax, and marks every packet above. Lengths are in bytes.
//!
//! ```
//! use earlydrop::units::{BitsPerSec, Bytes, Nanos};
//! use earlydrop_model::Control;
//! use earlydrop_model::fabric::{Fabric, rules};
//!
//! let fabric = Fabric {
//!     rate: BitsPerSec(10_000_000_000),
//!     rtt: Nanos(100_000),
//!     packet: Bytes(1500),
//! };
//! let rules = rules(&fabric, Control::Dctcp)?;
//! // C RTT / 7 = 125 kB / 7
//! assert_eq!(rules[0].marking.kmin.round(), 17857.0);
//! # Ok::<(), earlydrop_model::ModelError>(())
//! ```

use earlydrop::registry::{LinkFacts, Spec};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use crate::configure::{Goal, Question, configure};
use crate::{Control, Load, ModelError, Tcp};

/// The flows that the model's rule is for. Alizadeh et al., "Data Center TCP" (SIGCOMM 2010), section
/// 2.2: at three quarters of the times a server receives at most two large flows at once.
pub const FLOWS: f64 = 2.0;

/// beta of Zhu et al.: how many times the free buffer a port may have before its link is paused.
pub const BETA: f64 = 8.0;

/// What the rules need to know of a fabric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fabric {
    /// The rate of its links.
    pub rate: BitsPerSec,
    /// The round-trip time between hosts, without queueing.
    pub rtt: Nanos,
    /// The largest packet on the wire.
    pub packet: Bytes,
}

impl Fabric {
    /// A link, as the registry of schemes needs it.
    pub fn link(&self) -> LinkFacts {
        LinkFacts {
            rate: self.rate,
            mean_packet: self.packet,
        }
    }

    /// C RTT, in bytes.
    pub fn bdp(&self) -> f64 {
        self.rate.0 as f64 / 8.0 * self.rtt.as_secs_f64()
    }

    /// The time that a link takes for so many bytes, in seconds.
    pub fn time(&self, bytes: f64) -> f64 {
        8.0 * bytes / self.rate.0 as f64
    }
}

/// When a switch marks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marking {
    /// No packet is marked while fewer bytes wait.
    pub kmin: f64,
    /// All are marked, or dropped, while more bytes wait. Equal to `kmin` for a step.
    pub kmax: f64,
    /// The share that is marked just below `kmax`.
    pub pmax: f64,
    /// Whether packets above `kmax` are marked; they are dropped otherwise.
    pub is_marked_above: bool,
}

impl Marking {
    /// A step: every packet is marked from `threshold` bytes on.
    pub fn step(threshold: f64) -> Marking {
        Marking {
            kmin: threshold,
            kmax: threshold,
            pmax: 1.0,
            is_marked_above: true,
        }
    }

    /// Whether it is a step.
    pub fn is_step(&self) -> bool {
        self.kmin >= self.kmax
    }

    /// Both thresholds times a factor.
    pub fn times(&self, factor: f64) -> Marking {
        Marking {
            kmin: factor * self.kmin,
            kmax: factor * self.kmax,
            ..*self
        }
    }

    /// A preset of RED on a link.
    fn of_preset(preset: &str, link: &LinkFacts) -> Result<Marking, ModelError> {
        let settings = Spec::new("red")?.with("as", preset)?.settings(link)?;
        Ok(Marking {
            kmin: settings.bytes("min"),
            kmax: settings.bytes("max"),
            pmax: settings.number("max_p"),
            is_marked_above: settings.flag("mark_above_max"),
        })
    }

    /// RED that marks so, with thresholds in whole bytes. RED has no step, so that one is a byte wide.
    pub fn spec(&self) -> Result<Spec, ModelError> {
        let kmin = self.kmin.round();
        let kmax = self.kmax.round().max(kmin + 1.0);
        let above = if self.is_marked_above { "on" } else { "off" };
        Ok(of_a_switch()?
            .with("min", format!("{kmin} bytes"))?
            .with("max", format!("{kmax} bytes"))?
            .with("max_p", self.pmax)?
            .with("mark_above_max", above)?)
    }
}

/// RED in switches: the queue itself is compared with thresholds, and each packet is marked
/// independently.
fn of_a_switch() -> Result<Spec, ModelError> {
    Ok(Spec::new("red")?
        .with("unit", "bytes")?
        .with("weight", "1")?
        .with("spacing", "geometric")?)
}

/// A rule and what it gives for a fabric.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Its name in tables, in JSON and in scenarios.
    pub name: &'static str,
    /// The rule and where it is published.
    pub source: String,
    /// What it gives.
    pub marking: Marking,
}

/// The rate of the testbed whose thresholds Zhu et al. print.
const ZHU: BitsPerSec = BitsPerSec(40_000_000_000);

/// Every rule's thresholds for a fabric; the model's are for [`FLOWS`] long flows of this congestion
/// control.
pub fn rules(fabric: &Fabric, control: Control) -> Result<Vec<Rule>, ModelError> {
    let link = fabric.link();
    let rule = |name, source: &str, marking| Rule {
        name,
        source: source.to_string(),
        marking,
    };
    let preset = |name, source: &str| {
        let marking = Marking::of_preset(name, &link)?;
        Ok::<Rule, ModelError>(rule(name, source, marking))
    };
    let zhu = Marking::of_preset("dcqcn", &LinkFacts { rate: ZHU, ..link })?;
    let faster = fabric.rate.0 as f64 / ZHU.0 as f64;
    let mut rules = vec![
        rule(
            "dctcp",
            "K = C RTT / 7; Alizadeh et al., SIGCOMM 2010, 3.3",
            Marking::step(fabric.bdp() / 7.0),
        ),
        rule(
            "bdp",
            "K = C RTT, for senders that halve; Wu et al., CoNEXT 2012",
            Marking::step(fabric.bdp()),
        ),
        rule(
            "dcqcn",
            "at 40 Gbps, in proportion to the rate; Zhu et al., SIGCOMM 2015",
            zhu.times(faster),
        ),
        preset(
            "hpcc",
            "at 25 Gbps, in proportion to the rate; Li et al., SIGCOMM 2019, run.py",
        )?,
        preset("sonic", "SONiC's template, for any rate")?,
        preset("dell", "Dell OS 9, wred_teng_g, for any rate")?,
        preset("juniper", "Juniper's design (jvd), for any rate")?,
    ];
    if let Some(marking) = by_model(fabric, control)? {
        let flows = FLOWS;
        let source = format!(
            "this model, {flows} {} flows and a full link",
            control.title()
        );
        rules.push(Rule {
            name: "model",
            source,
            marking,
        });
    }
    Ok(rules)
}

/// The thresholds that [`configure`] chooses; `None` where it finds no probability.
fn by_model(fabric: &Fabric, control: Control) -> Result<Option<Marking>, ModelError> {
    let scheme = of_a_switch()?.with("mark_above_max", "on")?;
    let answer = configure(&Question {
        load: Load {
            rate: fabric.rate,
            packet: fabric.packet,
            rtt: fabric.rtt,
            flows: FLOWS,
            tcp: Tcp {
                control,
                ecn: true,
                min_rto: Nanos::from_millis(1),
                ..Tcp::default()
            },
        },
        scheme,
        buffer: None,
        goal: Goal::Usual,
        method: None,
        open_loop: None,
    })?;
    let bytes = |packets: f64| packets * fabric.packet.0 as f64;
    let thresholds = answer.choices.first().and_then(|one| one.advice.thresholds);
    Ok(thresholds.and_then(|t| {
        Some(Marking {
            kmin: bytes(t.min),
            kmax: bytes(t.max),
            pmax: t.max_p?,
            is_marked_above: true,
        })
    }))
}

/// Priority flow control of a switch whose ports share a buffer, with one lossless priority.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pauses {
    /// The ports.
    pub ports: u64,
    /// The buffer that they share.
    pub buffer: Bytes,
    /// What still comes over a link after its pause was asked for.
    pub headroom: Bytes,
    /// The bytes from a link above which it is paused.
    pub xoff: Bytes,
}

/// Whether marks begin before pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarksFirst {
    /// Whichever ports the packets of a link leave by.
    Always,
    /// With a dynamic threshold of pauses, which is high while the buffer is free.
    WithDynamic,
    /// A link may be paused before any of its packets is marked.
    No,
}

impl MarksFirst {
    /// A word for tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            MarksFirst::Always => "always",
            MarksFirst::WithDynamic => "dynamic",
            MarksFirst::No => "no",
        }
    }
}

impl Pauses {
    /// XON: half of XOFF.
    pub fn resume(&self) -> Bytes {
        Bytes(self.xoff.0 / 2)
    }

    /// The largest Kmin with which marks begin before pauses in any case: the packets of one link may
    /// leave by all n ports, with less than Kmin at each, so that t_PFC > n t_ECN (Zhu et al., section
    /// 4).
    pub fn earliest(&self) -> f64 {
        self.xoff.0 as f64 / self.ports as f64
    }

    /// The same with a dynamic threshold of pauses.
    pub fn dynamic(&self) -> f64 {
        let (buffer, headroom) = (self.buffer.0 as f64, self.headroom.0 as f64);
        dynamic_bound(buffer, headroom, self.ports as f64, 1.0)
    }

    /// Whether marks begin before pauses.
    pub fn marks_first(&self, marking: &Marking) -> MarksFirst {
        match marking.kmin {
            kmin if kmin < self.earliest() => MarksFirst::Always,
            kmin if kmin < self.dynamic() => MarksFirst::WithDynamic,
            _ => MarksFirst::No,
        }
    }
}

/// t_ECN in bytes below which marks begin before pauses, where a link is paused at t_PFC = beta (B - P
/// n t_flight - s) / P: s bytes of the buffer B are in use, each of n ports has headroom t_flight for
/// each of P priorities. With s = P n t_ECN and t_PFC > n t_ECN:
///
/// t_ECN < beta (B - P n t_flight) / (P n (beta + 1))
///
/// (Zhu et al., SIGCOMM 2015, section 4).
fn dynamic_bound(buffer: f64, headroom: f64, ports: f64, priorities: f64) -> f64 {
    let queues = priorities * ports;
    BETA * (buffer - queues * headroom) / (queues * (BETA + 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fabric(gbps: u64, rtt: Nanos) -> Fabric {
        Fabric {
            rate: BitsPerSec(gbps * 1_000_000_000),
            rtt,
            packet: Bytes(1500),
        }
    }

    fn lengths(fabric: &Fabric, name: &str) -> (f64, f64, f64) {
        let all = rules(fabric, Control::Dctcp).unwrap();
        let rule = all.iter().find(|rule| rule.name == name).unwrap();
        let Marking {
            kmin, kmax, pmax, ..
        } = rule.marking;
        (kmin.round(), kmax.round(), pmax)
    }

    #[test]
    fn rules_give_what_their_authors_print() {
        // 100 Gbps over 10 us hold 125 kB.
        let fast = fabric(100, Nanos::from_micros(10));
        assert_eq!(lengths(&fast, "dctcp"), (17_857.0, 17_857.0, 1.0));
        assert_eq!(lengths(&fast, "bdp"), (125_000.0, 125_000.0, 1.0));
        assert_eq!(lengths(&fast, "dcqcn"), (12_500.0, 500_000.0, 0.01));
        assert_eq!(lengths(&fast, "hpcc"), (400_000.0, 1_600_000.0, 0.2));
        let other = fabric(40, Nanos::from_micros(50));
        assert_eq!(lengths(&other, "dcqcn"), (5_000.0, 200_000.0, 0.01));
        let slow = fabric(25, Nanos::from_micros(50));
        assert_eq!(lengths(&slow, "hpcc"), (100_000.0, 400_000.0, 0.2));
        let template = (1_048_576.0, 2_097_152.0, 0.05);
        assert_eq!(lengths(&slow, "sonic"), template);
        assert_eq!(lengths(&fast, "sonic"), template);
    }

    #[test]
    fn the_model_has_a_rule_of_its_own() {
        let (kmin, kmax, pmax) = lengths(&fabric(100, Nanos::from_micros(10)), "model");
        assert!(0.0 < kmin && kmin < kmax && kmax < 1e6, "{kmin} {kmax}");
        assert!(0.0 < pmax && pmax <= 1.0, "{pmax}");
    }

    #[test]
    fn every_rule_is_a_scheme() {
        let fabric = fabric(400, Nanos::from_micros(6));
        for rule in rules(&fabric, Control::Cubic).unwrap() {
            let spec = rule.marking.spec().unwrap();
            assert!(spec.settings(&fabric.link()).is_ok(), "{spec}");
        }
        let step = Marking::step(17_857.14).spec().unwrap().to_string();
        assert!(step.contains("min=17857"), "{step}");
        assert!(step.contains("max=17858"), "{step}");
    }

    /// The switch of Zhu et al.: 12 MB, 32 ports of 40 Gbps with 8 priorities, t_flight 22.4 kB. They
    /// print t_PFC <= 24.47 kB without a dynamic threshold, and t_ECN < 21.75 kB with beta = 8.
    #[test]
    fn the_bound_is_that_of_zhu_and_others() {
        let bound = dynamic_bound(12e6, 22.4e3, 32.0, 8.0);
        assert!((bound - 21.75e3).abs() < 10.0, "{bound}");
        let fixed: f64 = (12e6 - 8.0 * 32.0 * 22.4e3) / (8.0 * 32.0);
        assert!((fixed - 24.47e3).abs() < 10.0, "{fixed}");
    }

    #[test]
    fn marks_begin_before_pauses_below_a_share_of_xoff() {
        let pauses = Pauses {
            ports: 32,
            buffer: Bytes(32_000_000),
            headroom: Bytes(100_000),
            xoff: Bytes(900_000),
        };
        // 900 kB / 32 ports; 8 (32 MB - 3.2 MB) / (32 x 9)
        assert_eq!(pauses.earliest(), 28_125.0);
        assert_eq!(pauses.dynamic(), 800_000.0);
        let of = |kmin| pauses.marks_first(&Marking::step(kmin));
        assert_eq!(of(17_857.0), MarksFirst::Always);
        assert_eq!(of(400_000.0), MarksFirst::WithDynamic);
        assert_eq!(of(1_048_576.0), MarksFirst::No);
        assert_eq!(pauses.resume(), Bytes(450_000));
    }
}
