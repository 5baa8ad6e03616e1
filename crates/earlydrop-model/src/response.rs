//! The steady state of a scheme: the probability of a congestion signal (drop or mark) at a given
//! average queue.
//!
//! For every scheme this is a non-decreasing function of the average queue, possibly with jumps. A
//! scheme that controls the queue to a target has a jump at the target: no signals below it, and as
//! many as needed at it.

use earlydrop::queue::{DualLaw, Limit};
use earlydrop::red::{Average, Curve, Spacing};
use earlydrop::registry::{Plan, Settings, Spec};
use earlydrop::schemes::AnyAqm;

use crate::solve::falling_root;
use crate::spacing::long_run;
use crate::{Load, ModelError, SignalRate};

/// The steady-state model of a queue managed by a scheme ("gateway" as in Floyd and Jacobson 1993).
///
/// ```
/// use earlydrop_model::{Gateway, Load};
/// let load = Load::default();
/// let gateway = Gateway::of(&"red:min=20,max=80,max_p=0.1".parse()?, &load)?;
/// assert_eq!(gateway.signal_probability(10.0, load.flows), 0.0);
/// assert!(gateway.signal_probability(50.0, load.flows) > 0.05);
/// # Ok::<(), earlydrop_model::ModelError>(())
/// ```
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

/// Which signals are marks rather than drops.
#[derive(Clone, Copy, Debug)]
struct Marks {
    /// The largest probability at which packets are marked; 0 if they never are.
    limit: f64,
    /// Whether packets are also marked where the curve would drop all of them.
    above_last: bool,
}

/// The control law: the signal probability as a function of the average queue in packets.
#[derive(Clone, Debug)]
enum Law {
    /// No early signals; only a full buffer drops.
    Nothing,
    /// A constant curve.
    Curve(SpacedCurve),
    /// A curve whose strength adapts within two bounds so that the average is `target`.
    Adapted {
        least: SpacedCurve,
        most: SpacedCurve,
        target: f64,
    },
    /// A curve whose strength is multiplied by a factor until the average stays below its upper
    /// threshold.
    Doubled(SpacedCurve, f64),
    /// A controller that holds the larger of `queue` packets and `per_flow` packets of each flow,
    /// with a probability of at most `most`.
    Target {
        queue: f64,
        per_flow: f64,
        most: f64,
    },
    /// Steps: (queue, probability from this queue on).
    Steps(Vec<(f64, f64)>),
    /// Flow queueing: each flow's queue has this law.
    PerFlow(Box<Law>),
}

/// A drop curve with everything needed to turn its probability Pb into a share of packets.
#[derive(Clone, Debug)]
struct SpacedCurve {
    curve: Curve,
    /// The length of a packet in the unit of the average.
    unit: f64,
    /// The factor on Pb for a packet of the load's size.
    size: f64,
    spacing: Spacing,
    /// Whether each arrival is compared with a queued packet, as in CHOKe.
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

    /// The share of packets that CHOKe drops because an arrival and a queued packet belong to the
    /// same flow. Each match drops both.
    fn matched(&self, queue: f64, flows: f64) -> f64 {
        let acts = self.matches && queue * self.unit >= self.curve.first();
        if acts { (2.0 / flows).min(1.0) } else { 0.0 }
    }

    fn signal_probability(&self, queue: f64, flows: f64) -> f64 {
        let pb = self.curve.probability(queue * self.unit);
        if pb >= 1.0 {
            return 1.0;
        }
        let random = long_run(self.spacing, (pb * self.size).min(1.0));
        let matched = self.matched(queue, flows);
        (matched + (1.0 - matched / 2.0) * random).min(1.0)
    }

    /// The largest share of packets that can be marked at `queue`: random signals only.
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
            Law::Adapted {
                least,
                most,
                target,
            } => match queue < *target {
                true => least.signal_probability(queue, flows),
                false => most.signal_probability(queue, flows),
            },
            Law::Target {
                queue: target,
                per_flow,
                most,
            } => match queue < target.max(per_flow * flows) {
                true => 0.0,
                false => *most,
            },
            Law::Steps(steps) => steps
                .iter()
                .rev()
                .find(|(from, _)| queue >= *from)
                .map_or(0.0, |(_, signals)| *signals),
            Law::PerFlow(law) => law.signal_probability(queue / flows, 1.0),
        }
    }

    /// The largest share of packets that can be marked at `queue`.
    fn markable(&self, queue: f64, flows: f64, marks: &Marks) -> f64 {
        match self {
            Law::Nothing => 0.0,
            Law::Curve(curve) | Law::Doubled(curve, _) => curve.markable(queue, flows, marks),
            Law::Adapted { most, .. } => most.markable(queue, flows, marks),
            Law::PerFlow(law) => law.markable(queue / flows, 1.0, marks),
            Law::Target { .. } | Law::Steps(_) => marks.limit,
        }
    }
}

/// A rise of the probability that counts as a jump, over an interval of two millionths of the queue.
const JUMP: f64 = 1e-3;

/// The omission of schemes that distinguish flows.
const FLOWS_ALIKE: &str =
    "its per-flow policy is left out of the model, because all flows of the load are alike";

impl Gateway {
    /// Models the scheme `spec` on the link and with the packet size of `load`. Fails for a scheme
    /// without a model: `fred`, `blue`, `sfb` and `dual-curvy-red`.
    pub fn of(spec: &Spec, load: &Load) -> Result<Gateway, ModelError> {
        load.check()?;
        let settings = spec.settings(&load.link())?;
        let plan = spec.plan(&load.link())?;
        let mut omissions = Vec::new();
        let law = law_of(&settings, &plan, load, &mut omissions)?;
        let limit = match &plan {
            Plan::Single { limit, .. } => *limit,
            Plan::Fair { sharing, .. } | Plan::FairCodel { sharing, .. } => sharing.limit,
            Plan::Cake { params, .. } => params.limit,
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

    /// The scheme's name in the registry.
    pub fn scheme(&self) -> &'static str {
        self.scheme
    }

    /// The buffer size in packets of the load.
    pub fn buffer(&self) -> f64 {
        self.buffer
    }

    /// The weight of a new sample in the average; `None` if the scheme has no average over all
    /// packets.
    pub fn weight(&self) -> Option<f64> {
        self.weight.filter(|_| !matches!(self.law, Law::PerFlow(_)))
    }

    /// Whether the scheme adapts the strength of its curve.
    pub fn adapts(&self) -> bool {
        matches!(self.law, Law::Adapted { .. } | Law::Doubled(..))
    }

    /// The scheme's max_p; `None` if it has none or adapts it.
    pub(crate) fn max_p(&self, settings: &Settings) -> Option<f64> {
        let mut parameters = settings.iter().map(|(parameter, _)| parameter);
        let parameter = parameters.find(|parameter| parameter.name == "max_p")?;
        let is_fixed = matches!(self.law, Law::Curve(_)) && settings.matters(parameter);
        is_fixed.then(|| settings.number("max_p"))
    }

    /// CoDel's interval in seconds; `None` for other schemes.
    pub(crate) fn interval(&self) -> Option<f64> {
        self.interval
    }

    /// This gateway without adaptation: its curve is fixed where its signal probability is `p` at
    /// an average of `queue` packets. Adaptations are much slower than the control loop. `None` if
    /// the scheme has no curve.
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

    /// The slope of the signal probability per packet of average queue; infinite at a jump.
    pub fn slope(&self, queue: f64, flows: f64) -> f64 {
        let step = 1e-6 * queue.max(1e-3);
        let rise = self.signal_probability(queue + step, flows)
            - self.signal_probability(queue - step, flows);
        match rise > JUMP {
            true => f64::INFINITY,
            false => rise / (2.0 * step),
        }
    }

    /// Behaviour of the scheme that the model leaves out.
    pub fn omissions(&self) -> &[&'static str] {
        &self.omissions
    }

    /// The probability that a packet carries a congestion signal at an average of `queue` packets,
    /// shared by `flows` flows; 1 if the buffer is full.
    pub fn signal_probability(&self, queue: f64, flows: f64) -> f64 {
        match queue >= self.buffer {
            true => 1.0,
            false => self.law.signal_probability(queue, flows),
        }
    }

    /// Splits a signal probability `p` into losses and marks, at an average of `queue` packets.
    pub fn split(&self, p: f64, queue: f64, flows: f64) -> SignalRate {
        let markable = match (self.marks.limit > 0.0, queue >= self.buffer.next_down()) {
            (false, _) => 0.0,
            (true, false) => self.law.markable(queue, flows, &self.marks),
            (true, true) => {
                let early = self.signal_probability(self.buffer.next_down(), flows);
                early.min(self.law.markable(queue, flows, &self.marks))
            }
        };
        let all_or_none = matches!(self.law, Law::Target { .. } | Law::Steps(_));
        let marks = match all_or_none && p > markable {
            true => 0.0,
            false => p.min(markable),
        };
        SignalRate {
            loss: p - marks,
            marks,
        }
    }

    /// The gateway after one step of an adaptation that multiplies the curve's strength; `None` if
    /// the adaptation would not act at an average of `queue` packets.
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
        Plan::FairCodel { .. } | Plan::Cake { .. } => true,
        Plan::Fair { .. } | Plan::Dual { .. } => false,
    };
    codel.then(|| s.time("interval").as_secs_f64())
}

/// The buffer size in packets of the load.
pub(crate) fn packets_of(limit: Limit, load: &Load) -> f64 {
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

/// The control law of a scheme. Appends what the law leaves out to `omissions`.
fn law_of(
    s: &Settings,
    plan: &Plan,
    load: &Load,
    omissions: &mut Vec<&'static str>,
) -> Result<Law, ModelError> {
    match plan {
        Plan::Dual { coupling } => match coupling.law {
            DualLaw::Pi2(_) => {
                omissions.push("only its Classic queue is modelled");
                Ok(target(delay(s, "target", load)))
            }
            DualLaw::CurvyRed(_) => Err(ModelError::NoModel {
                scheme: s.scheme(),
                reason: "its curve is one of the delay, without a target",
            }),
        },
        // CoDel and COBALT never drop the last packet of a flow's queue.
        Plan::FairCodel { .. } | Plan::Cake { .. } => Ok(Law::Target {
            queue: delay(s, "target", load),
            per_flow: 1.0,
            most: 1.0,
        }),
        // A scheme of its own in each sub-queue, as PIE in FQ-PIE.
        Plan::Fair { aqm, .. } if !s.descriptor().nests => {
            let law = single_law(s, aqm, load, omissions)?;
            Ok(Law::PerFlow(Box::new(law)))
        }
        Plan::Fair { .. } => {
            let inner = s.inner("inner")?;
            let (settings, plan) = (inner.settings(&s.link())?, inner.plan(&s.link())?);
            let law = law_of(&settings, &plan, load, omissions)?;
            Ok(Law::PerFlow(Box::new(law)))
        }
        Plan::Single { aqm, .. } => single_law(s, aqm, load, omissions),
    }
}

/// The value of a time parameter as a queue length, in packets.
fn delay(s: &Settings, name: &str, load: &Load) -> f64 {
    s.time(name).as_secs_f64() * load.service()
}

/// A controller that holds `queue` packets.
fn target(queue: f64) -> Law {
    Law::Target {
        queue,
        per_flow: 0.0,
        most: 1.0,
    }
}

/// The control law of a scheme with a single queue.
fn single_law(
    s: &Settings,
    aqm: &AnyAqm,
    load: &Load,
    omissions: &mut Vec<&'static str>,
) -> Result<Law, ModelError> {
    let no_model = |reason| {
        let scheme = s.scheme();
        Err(ModelError::NoModel { scheme, reason })
    };
    Ok(match aqm {
        AnyAqm::DropTail(_) => Law::Nothing,
        AnyAqm::Red(red) => {
            return red_law(s, SpacedCurve::new(red.curve(), s, load), omissions);
        }
        AnyAqm::Wred(wred) => {
            omissions.push("all traffic is assumed to be of class 0");
            let curve = match load.tcp.ecn {
                true => wred.ect_curve(0),
                false => wred.curve(0),
            };
            Law::Curve(SpacedCurve::new(curve, s, load))
        }
        AnyAqm::Step(_) => target(s.bytes("threshold") / load.packet.0 as f64),
        AnyAqm::Rem(_) | AnyAqm::Pi(_) => target(s.packets("q_ref")),
        AnyAqm::Pie(_) | AnyAqm::Codel(_) | AnyAqm::Cobalt(_) => target(delay(s, "target", load)),
        AnyAqm::Pi2(_) => Law::Target {
            queue: delay(s, "target", load),
            per_flow: 0.0,
            most: s.number("max_p"),
        },
        AnyAqm::Sred(_) => sred_law(s, load),
        AnyAqm::Blue(_) => {
            return no_model("its queue oscillates between empty and full without a target");
        }
        AnyAqm::Dial(_) => {
            omissions.push("its probability is constant in the model: nothing sets another");
            let spacing = Spacing::named(s.choice("spacing"));
            Law::Steps(vec![(0.0, long_run(spacing, s.number("probability")))])
        }
        AnyAqm::Sfb(_) => return no_model("its bins limit each flow separately"),
        _ => return no_model("it is a scheme of the program's own"),
    })
}

/// The law of the RED family: its curve and its adaptation.
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
                reason: "it judges each flow by its own queued packets, not by the average queue",
            });
        }
        "none" => {}
        _ => omissions.push(FLOWS_ALIKE),
    }
    let adaptation = s.choice("adapt");
    if adaptation == "rared" {
        omissions.push("the additional drops while the average rises are left out");
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
            target: 0.5 * (min + max),
        });
    }
    Ok(match adaptation {
        "feng" => Law::Doubled(curve, s.number("feng_beta")),
        _ => Law::Curve(curve),
    })
}

/// SRED's steps, scaled by the number of flows. Full SRED has twice that, because the mean of
/// hit/P is 1.
fn sred_law(s: &Settings, load: &Load) -> Law {
    let buffer = packets_of(s.limit(), load);
    let by_flows = (load.flows / s.number("flows")).powi(2).min(1.0);
    let full = if s.flag("full") { 2.0 } else { 1.0 };
    let signals = |share: f64| (share * s.number("max_p") * by_flows * full).min(1.0);
    Law::Steps(vec![
        (buffer / 6.0, signals(0.25)),
        (buffer / 3.0, signals(1.0)),
    ])
}

#[cfg(test)]
#[path = "response_tests.rs"]
mod tests;
