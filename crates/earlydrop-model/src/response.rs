//! What a scheme does in steady state: with which probability it tells of congestion at an
//! average queue.
//!
//! Each is a rising function of the queue, jumps included: a scheme that holds a target
//! tells of nothing below and of as much as it takes above it.

use earlydrop::queue::Limit;
use earlydrop::red::{Average, Curve, Spacing};
use earlydrop::registry::{Plan, Settings, Spec};
use earlydrop::schemes::AnyAqm;

use crate::solve::falling_root;
use crate::spacing::long_run;
use crate::{Load, ModelError, SignalRate};

/// A queue under a scheme, as far as its steady state goes.
#[derive(Clone, Debug)]
pub struct Gateway {
    scheme: &'static str,
    law: Law,
    marks: Marks,
    buffer: f64,
    weight: Option<f64>,
    interval: Option<f64>,
    omissions: Vec<&'static str>,
}

/// What is told by a mark rather than a drop.
#[derive(Clone, Copy, Debug)]
struct Marks {
    /// The largest probability at which that is so; 0 for never.
    limit: f64,
    /// Whether also where a curve drops everything.
    above_last: bool,
}

/// From the average queue to a probability.
#[derive(Clone, Debug)]
enum Law {
    /// Nothing until the buffer is full.
    Nothing,
    /// A curve that stays.
    Curve(SpacedCurve),
    /// A curve that moves between two strengths so that the average is at `goal`.
    Adapted {
        least: SpacedCurve,
        most: SpacedCurve,
        goal: f64,
    },
    /// A curve whose strength is doubled until the average stays below its last threshold.
    Doubled(SpacedCurve, f64),
    /// Whatever it takes, up to `most`, to hold `queue` packets, but at least `each` packets
    /// of every flow.
    Goal { queue: f64, each: f64, most: f64 },
    /// These probabilities from these queues on.
    Steps(Vec<(f64, f64)>),
    /// Each flow's own queue by this.
    PerFlow(Box<Law>),
}

/// A curve, and what makes of its Pb a share of packets.
#[derive(Clone, Debug)]
struct SpacedCurve {
    curve: Curve,
    /// What a packet counts in the average.
    unit: f64,
    /// What Pb is multiplied by for a packet of the load's size.
    size: f64,
    spacing: Spacing,
    /// Whether an arrival is compared with a waiting packet, as by CHOKe.
    matches: bool,
}

impl SpacedCurve {
    fn new(curve: &Curve, s: &Settings, load: &Load) -> SpacedCurve {
        let packet = load.packet.0 as f64;
        SpacedCurve {
            curve: curve.clone(),
            unit: if s.choice("unit") == "bytes" {
                packet
            } else {
                1.0
            },
            size: match s.flag("by_size") {
                true => packet / s.link().mean_packet.0 as f64,
                false => 1.0,
            },
            spacing: Spacing::named(s.choice("spacing")),
            matches: false,
        }
    }

    fn at_strength(&self, strength: f64) -> SpacedCurve {
        let mut other = self.clone();
        other.curve.set_strength(strength);
        other
    }

    /// The share of packets that CHOKe drops because two of a flow meet: both of them.
    fn matched(&self, queue: f64, flows: f64) -> f64 {
        let acts = self.matches && queue * self.unit >= self.curve.first();
        if acts { (2.0 / flows).min(1.0) } else { 0.0 }
    }

    fn signal_probability(&self, queue: f64, flows: f64) -> f64 {
        let pb = self.curve.probability(queue * self.unit);
        if pb >= 1.0 {
            return 1.0;
        }
        let curve = long_run(self.spacing, (pb * self.size).min(1.0));
        let matched = self.matched(queue, flows);
        (matched + (1.0 - matched / 2.0) * curve).min(1.0)
    }

    /// The largest share told at random, by packets that can be marked, at `queue`.
    fn markable(&self, queue: f64, flows: f64, marks: &Marks) -> f64 {
        let last = self.curve.last() / self.unit;
        let below_last = queue.min(last.next_down());
        if self.curve.probability(below_last * self.unit) > marks.limit {
            return 0.0;
        }
        let at_random =
            self.signal_probability(below_last, flows) - self.matched(below_last, flows);
        match queue >= last.next_down() && marks.above_last {
            true => 1.0,
            false => at_random,
        }
    }

    /// The lower and upper threshold, in packets.
    fn band(&self) -> (f64, f64) {
        let shape = self.curve.shape();
        (shape.min / self.unit, shape.max / self.unit)
    }
}

impl Law {
    fn signal_probability(&self, queue: f64, flows: f64) -> f64 {
        match self {
            Law::Nothing => 0.0,
            Law::Curve(curve) | Law::Doubled(curve, _) => curve.signal_probability(queue, flows),
            Law::Adapted { least, most, goal } => match queue < *goal {
                true => least.signal_probability(queue, flows),
                false => most.signal_probability(queue, flows),
            },
            Law::Goal {
                queue: goal,
                each,
                most,
            } => match queue < goal.max(each * flows) {
                true => 0.0,
                false => *most,
            },
            Law::Steps(steps) => steps
                .iter()
                .rev()
                .find(|(from, _)| queue >= *from)
                .map_or(0.0, |(_, told)| *told),
            Law::PerFlow(law) => law.signal_probability(queue / flows, 1.0),
        }
    }

    /// The largest share that marks can tell at `queue`.
    fn markable(&self, queue: f64, flows: f64, marks: &Marks) -> f64 {
        match self {
            Law::Nothing => 0.0,
            Law::Curve(curve) | Law::Doubled(curve, _) => curve.markable(queue, flows, marks),
            Law::Adapted { most, .. } => most.markable(queue, flows, marks),
            Law::PerFlow(law) => law.markable(queue / flows, 1.0, marks),
            Law::Goal { .. } | Law::Steps(_) => marks.limit,
        }
    }
}

/// A rise of the probability over two millionths of the queue that counts as a jump.
const JUMP: f64 = 1e-3;

/// What is not in the model where flows are not alike.
const FLOWS_ALIKE: &str =
    "its policy treats flows differently; here they are alike, and it is left out";

impl Gateway {
    /// What `spec` does on the link and with the packets of `load`.
    pub fn of(spec: &Spec, load: &Load) -> Result<Gateway, ModelError> {
        load.check()?;
        let settings = spec.settings(&load.link())?;
        let plan = spec.plan(&load.link())?;
        let mut omissions = Vec::new();
        let law = law_of(&settings, &plan, load, &mut omissions)?;
        let limit = match &plan {
            Plan::Single { limit, .. } => *limit,
            Plan::Fair { sharing, .. } | Plan::FairCodel { sharing, .. } => sharing.limit,
            Plan::Dual { .. } => settings.limit(),
        };
        Ok(Gateway {
            scheme: settings.scheme(),
            law,
            marks: marks_of(spec, &settings, load),
            weight: weight_of(spec, &settings),
            interval: interval_of(&plan, &settings),
            buffer: packets_of(limit, load),
            omissions,
        })
    }

    /// The scheme's name.
    pub fn scheme(&self) -> &'static str {
        self.scheme
    }

    /// How many packets of the load the buffer holds.
    pub fn buffer(&self) -> f64 {
        self.buffer
    }

    /// The weight of a new sample in the average, where the scheme keeps one of all packets.
    pub fn weight(&self) -> Option<f64> {
        self.weight.filter(|_| !matches!(self.law, Law::PerFlow(_)))
    }

    /// For a scheme of CoDel's kind, the span in seconds after which it begins to drop.
    pub(crate) fn interval(&self) -> Option<f64> {
        self.interval
    }

    /// The same with its curve left as it is where it tells of `p` at `queue`: an adaptation
    /// is slow beside what a curve does. `None` where no curve tells.
    pub fn frozen(&self, queue: f64, p: f64, flows: f64) -> Option<Gateway> {
        let law = match &self.law {
            Law::Curve(curve) | Law::Doubled(curve, _) => Law::Curve(curve.clone()),
            Law::Adapted { least, most, .. } => {
                let range = (least.curve.strength(), most.curve.strength());
                let strength = falling_root(range.0, range.1, |strength| {
                    p - least.at_strength(strength).signal_probability(queue, flows)
                });
                Law::Curve(least.at_strength(strength))
            }
            _ => return None,
        };
        Some(Gateway {
            law,
            ..self.clone()
        })
    }

    /// How much more often is told a packet more of the average, at `queue`; infinite at a jump.
    pub fn slope(&self, queue: f64, flows: f64) -> f64 {
        let step = 1e-6 * queue.max(1e-3);
        let rise = self.signal_probability(queue + step, flows)
            - self.signal_probability(queue - step, flows);
        match rise > JUMP {
            true => f64::INFINITY,
            false => rise / (2.0 * step),
        }
    }

    /// What the scheme does that is not in its model.
    pub fn omissions(&self) -> &[&'static str] {
        &self.omissions
    }

    /// The probability of telling of congestion at an average of `queue` packets, `flows`
    /// of them sharing; 1 from a full buffer on.
    pub fn signal_probability(&self, queue: f64, flows: f64) -> f64 {
        match queue >= self.buffer {
            true => 1.0,
            false => self.law.signal_probability(queue, flows),
        }
    }

    /// How a probability `p` of being told is parted into losses and marks, at an average
    /// of `queue` packets.
    pub fn split(&self, p: f64, queue: f64, flows: f64) -> SignalRate {
        let markable = match (self.marks.limit > 0.0, queue >= self.buffer.next_down()) {
            (false, _) => 0.0,
            (true, false) => self.law.markable(queue, flows, &self.marks),
            (true, true) => {
                let early = self.signal_probability(self.buffer.next_down(), flows);
                early.min(self.law.markable(queue, flows, &self.marks))
            }
        };
        let whole = matches!(self.law, Law::Goal { .. } | Law::Steps(_));
        let marks = match whole && p > markable {
            true => 0.0,
            false => p.min(markable),
        };
        SignalRate {
            loss: p - marks,
            marks,
        }
    }

    /// The same scheme after an adaptation that doubles its strength, where one would as the
    /// average is at `queue`.
    pub(crate) fn after_doubling(&self, queue: f64) -> Option<Gateway> {
        let Law::Doubled(curve, factor) = &self.law else {
            return None;
        };
        let strength = curve.curve.strength();
        if queue < curve.band().1 * (1.0 - 1e-9) || strength >= 1.0 {
            return None;
        }
        let stronger = curve.at_strength((strength * factor).min(1.0));
        Some(Gateway {
            law: Law::Doubled(stronger, *factor),
            ..self.clone()
        })
    }
}

fn weight_of(spec: &Spec, s: &Settings) -> Option<f64> {
    spec.descriptor().parameter("weight")?;
    let automatic = || {
        let rate = s.link().rate.packets_per_sec(s.link().mean_packet);
        Average::automatic_weight(rate, s.time("weight_time").as_secs_f64())
    };
    Some(s.number_or_auto("weight").unwrap_or_else(automatic))
}

fn interval_of(plan: &Plan, s: &Settings) -> Option<f64> {
    let codel = match plan {
        Plan::Single { aqm, .. } => matches!(aqm, AnyAqm::Codel(_) | AnyAqm::Cobalt(_)),
        Plan::FairCodel { .. } => true,
        Plan::Fair { .. } | Plan::Dual { .. } => false,
    };
    codel.then(|| s.time("interval").as_secs_f64())
}

fn packets_of(limit: Limit, load: &Load) -> f64 {
    let by_bytes = limit.bytes.0 as f64 / load.packet.0 as f64;
    f64::from(limit.packets).min(by_bytes.floor()).max(1.0)
}

fn marks_of(spec: &Spec, s: &Settings, load: &Load) -> Marks {
    let has = |name: &str| spec.descriptor().parameter(name).is_some();
    let marks = load.tcp.ecn && (!has("ecn") || s.flag("ecn")) && s.scheme() != "droptail";
    let limit = if has("mark_limit") {
        s.number("mark_limit")
    } else {
        1.0
    };
    Marks {
        limit: if marks { limit } else { 0.0 },
        above_last: has("mark_above_max") && s.flag("mark_above_max"),
    }
}

fn law_of(
    s: &Settings,
    plan: &Plan,
    load: &Load,
    omissions: &mut Vec<&'static str>,
) -> Result<Law, ModelError> {
    let no_model = |reason| {
        let scheme = s.scheme();
        Err(ModelError::NoModel { scheme, reason })
    };
    let delay = |name: &str| s.time(name).as_secs_f64() * load.service();
    let goal = |queue: f64| Law::Goal {
        queue,
        each: 0.0,
        most: 1.0,
    };
    let aqm = match plan {
        Plan::Dual { .. } => {
            omissions.push("only its Classic queue is in the model");
            return Ok(goal(delay("target")));
        }
        // CoDel never drops a sub-queue's last packet.
        Plan::FairCodel { .. } => {
            return Ok(Law::Goal {
                queue: delay("target"),
                each: 1.0,
                most: 1.0,
            });
        }
        Plan::Fair { .. } => {
            let inner = s.inner("inner")?;
            let (settings, plan) = (inner.settings(&s.link())?, inner.plan(&s.link())?);
            let law = law_of(&settings, &plan, load, omissions)?;
            return Ok(Law::PerFlow(Box::new(law)));
        }
        Plan::Single { aqm, .. } => aqm,
    };
    Ok(match aqm {
        AnyAqm::DropTail(_) => Law::Nothing,
        AnyAqm::Red(red) => return red_law(s, SpacedCurve::new(red.curve(), s, load), omissions),
        AnyAqm::Wred(wred) => {
            omissions.push("all traffic is taken to be of class 0");
            Law::Curve(SpacedCurve::new(wred.curve(0), s, load))
        }
        AnyAqm::Step(_) => goal(s.bytes("threshold") / load.packet.0 as f64),
        AnyAqm::Rem(_) | AnyAqm::Pi(_) => goal(s.packets("q_ref")),
        AnyAqm::Pie(_) | AnyAqm::Codel(_) | AnyAqm::Cobalt(_) => goal(delay("target")),
        AnyAqm::Pi2(_) => Law::Goal {
            queue: delay("target"),
            each: 0.0,
            most: s.number("max_p"),
        },
        AnyAqm::Sred(_) => sred_law(s, load),
        AnyAqm::Blue(_) => {
            return no_model("its queue wanders between empty and full, and no target is held");
        }
        AnyAqm::Sfb(_) => return no_model("its bins hold flows back one by one"),
    })
}

/// The RED family: its curve, moved as its adaptation moves it.
fn red_law(
    s: &Settings,
    mut curve: SpacedCurve,
    omissions: &mut Vec<&'static str>,
) -> Result<Law, ModelError> {
    match s.choice("policy") {
        "choke" => curve.matches = true,
        "fred" => {
            return Err(ModelError::NoModel {
                scheme: s.scheme(),
                reason: "it judges each flow by what of it waits, not by the average",
            });
        }
        "none" => {}
        _ => omissions.push(FLOWS_ALIKE),
    }
    let adaptation = s.choice("adapt");
    if adaptation == "rared" {
        omissions.push("that it drops more while the average climbs is left out");
    }
    let floyd = adaptation == "ared" || (adaptation == "rared" && s.choice("base") == "ared");
    if floyd {
        let bottom = s
            .number_or_auto("ared_bottom")
            .unwrap_or_else(|| (80_000.0 / s.link().rate.0 as f64).min(0.01));
        let (min, max) = curve.band();
        return Ok(Law::Adapted {
            least: curve.at_strength(bottom),
            most: curve.at_strength(s.number("ared_top")),
            goal: 0.5 * (min + max),
        });
    }
    Ok(match adaptation {
        "feng" => Law::Doubled(curve, s.number("feng_beta")),
        _ => Law::Curve(curve),
    })
}

/// SRED: its steps, scaled by the number of flows it finds; twice that in full, where the
/// mean of hit/P is 1.
fn sred_law(s: &Settings, load: &Load) -> Law {
    let buffer = packets_of(s.limit(), load);
    let crowd = (load.flows / s.number("flows")).powi(2).min(1.0);
    let full = if s.flag("full") { 2.0 } else { 1.0 };
    let told = |share: f64| (share * s.number("max_p") * crowd * full).min(1.0);
    Law::Steps(vec![(buffer / 6.0, told(0.25)), (buffer / 3.0, told(1.0))])
}

#[cfg(test)]
#[path = "response_tests.rs"]
mod tests;
