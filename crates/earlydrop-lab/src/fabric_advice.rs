//! Thresholds of marking for the switches of a data centre, simulated before one is recommended.
//!
//! ```text
//! FabricQuestion --rules (the model)--> candidates --a leaf-spine, all seeds--> Trial
//!                                                       ^                        |
//!                    the best one's thresholds, moved --+------------------------+
//! ```
//! All candidates see the same transfers (common random numbers), so that they are compared seed by
//! seed.

mod judged;
mod network;
mod one_queue;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use earlydrop::units::{Bytes, Nanos};
use earlydrop_model::fabric::{Fabric, Marking, MarksFirst, Pauses, Rule, rules};
use earlydrop_model::{Control, ModelError};
use earlydrop_sim::tcp::control::dcqcn::Card;

use crate::advice::AdviceError;
use crate::outcome::Outcome;
use crate::plan::Source;
use crate::run::all_outcomes;
use crate::verify::VerifyError;

pub use judged::{FabricMeasurement, NEAR, Verdict, verdict};
pub use network::{HOSTS, LEAVES, LOAD, SERVERS, SPINES, most_of_a_port, pauses, scenario};
pub use one_queue::{MOST_FLOWS, OneQueue, SEEDS, Served};

/// What the senders of a fabric do with marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Network cards of RDMA (RoCEv2) with DCQCN, behind switches that pause links.
    Dcqcn,
    /// DCTCP.
    Dctcp,
    /// CUBIC with ECN, which halves or nearly so.
    Cubic,
}

impl Transport {
    /// Every one.
    pub const ALL: [Transport; 3] = [Transport::Dcqcn, Transport::Dctcp, Transport::Cubic];

    /// The name in options and in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Transport::Dcqcn => "dcqcn",
            Transport::Dctcp => "dctcp",
            Transport::Cubic => "cubic",
        }
    }

    /// The name in sentences.
    pub fn title(self) -> &'static str {
        match self {
            Transport::Dcqcn => "DCQCN",
            Transport::Dctcp => "DCTCP",
            Transport::Cubic => "CUBIC",
        }
    }

    /// The congestion control that the model has for it. DCQCN cuts its rate by the share of marks as
    /// DCTCP does its window.
    fn modelled(self) -> Control {
        match self {
            Transport::Dcqcn | Transport::Dctcp => Control::Dctcp,
            Transport::Cubic => Control::Cubic,
        }
    }
}

/// A fabric whose switches are to mark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FabricQuestion {
    /// Rate, round trip and largest packet.
    pub fabric: Fabric,
    /// The ports of a switch.
    pub ports: u64,
    /// The buffer that they share.
    pub buffer: Bytes,
    /// The senders.
    pub transport: Transport,
    /// The hosts' network card, where senders are DCQCN's.
    pub card: Card,
    /// The delay of a cable.
    pub cable: Nanos,
    /// The number of seeds of each simulation.
    pub seeds: u64,
}

/// A candidate.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The thresholds and the rule that gives them.
    pub rule: Rule,
    /// Whether marks begin before pauses; `None` without pauses.
    pub marks_first: Option<MarksFirst>,
    /// Whether Kmax is within what a port of the simulated fabric can have of the buffer. Others cannot
    /// be simulated: the queue would never be as long.
    pub fits: bool,
    /// What was simulated; `None` where nothing was.
    pub measured: Option<FabricMeasurement>,
}

impl Trial {
    /// Of a rule that was not simulated, where a port can have at `most` so much of the buffer.
    fn of(rule: Rule, most: Bytes, pauses: Option<Pauses>) -> Trial {
        Trial {
            fits: rule.marking.kmax <= most.0 as f64,
            marks_first: pauses.map(|pauses| pauses.marks_first(&rule.marking)),
            rule,
            measured: None,
        }
    }
}

/// The answer to a question.
#[derive(Clone, Debug)]
pub struct FabricAdvice {
    /// The question.
    pub question: FabricQuestion,
    /// Pauses; `None` where senders are not RDMA's.
    pub pauses: Option<Pauses>,
    /// All candidates: those of rules, and those of the search where it was simulated.
    pub trials: Vec<Trial>,
    /// The duration of a run, also of one that was not made.
    pub duration: Nanos,
    /// About how long all of them take, in seconds.
    pub seconds: f64,
    /// What is recommended; `None` where nothing was simulated.
    pub verdict: Option<Verdict>,
}

/// Packets that one thread simulates in a second from host to host: measured 8e5 with DCQCN and pauses
/// on a virtual machine, less for safety.
const SPEED: f64 = 5e5;
/// The threads that the duration of runs is chosen for. It does not depend on the machine, so that the
/// numbers do not either.
const THREADS: f64 = 2.0;
/// Candidates of the search.
const MOVED: usize = 3;
/// The transfers of a run, at least and at most: of the least, two small ones are slower than 99%.
const TRANSFERS: [f64; 2] = [200.0, 4000.0];
/// The mean size of a transfer of web search (Alizadeh et al., SIGCOMM 2010), in bytes.
const MEAN_TRANSFER: f64 = 1.6e6;
/// A run is at least so many round trips.
const ROUND_TRIPS: u64 = 100;

/// The duration of a run and the time of all runs, in seconds by estimate: as long as `patience` allows,
/// with enough transfers to have a quantile.
fn effort(question: &FabricQuestion, candidates: usize, patience: f64) -> (Nanos, f64) {
    let hosts = (LEAVES * HOSTS) as f64;
    let bytes = hosts * LOAD * question.fabric.rate.0 as f64 / 8.0;
    let packets = bytes / question.fabric.packet.0 as f64;
    let runs = ((candidates + MOVED) as u64 * question.seeds) as f64;
    let [least, most] = TRANSFERS.map(|transfers| transfers * MEAN_TRANSFER / bytes);
    let least = least.max((question.fabric.rtt.0 * ROUND_TRIPS) as f64 * 1e-9);
    let affordable = patience * THREADS * SPEED / (runs * packets);
    let seconds = affordable.clamp(least, most.max(least));
    // Whole units of 100 us read well in a scenario.
    let duration = Nanos((seconds * 1e4).ceil() as u64 * 100_000);
    let takes = runs * packets * duration.as_secs_f64() / (THREADS * SPEED);
    (duration, takes)
}

/// Answers by the rules alone.
pub fn by_rules(question: &FabricQuestion, patience: f64) -> Result<FabricAdvice, ModelError> {
    let pauses = match question.transport {
        Transport::Dcqcn => pauses(question, question.cable),
        _ => None,
    };
    let rules = rules(&question.fabric, question.transport.modelled())?;
    let most = most_of_a_port(question);
    let trials = rules.into_iter().map(|rule| Trial::of(rule, most, pauses));
    let trials: Vec<Trial> = trials.collect();
    let fitting = trials.iter().filter(|trial| trial.fits).count();
    let (duration, seconds) = effort(question, fitting, patience);
    Ok(FabricAdvice {
        question: *question,
        pauses,
        trials,
        duration,
        seconds,
        verdict: None,
    })
}

/// Answers by the rules, simulates them and the best one's thresholds moved. `progress` is told what is
/// being simulated.
pub fn simulated(
    mut advice: FabricAdvice,
    threads: usize,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str),
) -> Result<FabricAdvice, AdviceError> {
    progress("the published rules");
    simulate(&mut advice, 0, threads, stop)?;
    if let Some(first) = verdict(&advice.trials) {
        let found = moved(&advice.trials[first.chosen].rule);
        let (known, pauses) = (advice.trials.len(), advice.pauses);
        let most = most_of_a_port(&advice.question);
        let found = found.into_iter().map(|rule| Trial::of(rule, most, pauses));
        advice.trials.extend(found);
        progress("other thresholds near the best");
        simulate(&mut advice, known, threads, stop)?;
    }
    advice.verdict = verdict(&advice.trials);
    Ok(advice)
}

/// The thresholds of the search: half, double, and another distance between them.
fn moved(best: &Rule) -> [Rule; MOVED] {
    let marking = best.marking;
    let rule = |name, what: &str, marking| Rule {
        name,
        source: format!("search: {}, {what}", best.name),
        marking,
    };
    let (what, other) = match marking.is_step() {
        true => {
            let ramp = Marking {
                kmin: marking.kmin / 2.0,
                kmax: 2.0 * marking.kmax,
                ..marking
            };
            ("from half to double", ramp)
        }
        false => (
            "a step midway",
            Marking::step((marking.kmin + marking.kmax) / 2.0),
        ),
    };
    [
        rule("half", "both halved", marking.times(0.5)),
        rule("double", "both doubled", marking.times(2.0)),
        rule("width", what, other),
    ]
}

/// Simulates the candidates from `first` on that fit into the buffer.
fn simulate(
    advice: &mut FabricAdvice,
    first: usize,
    threads: usize,
    stop: &AtomicBool,
) -> Result<(), AdviceError> {
    let candidates = &advice.trials[first..];
    if candidates.iter().all(|trial| !trial.fits) {
        return Ok(());
    }
    let text = scenario(&advice.question, candidates, advice.duration)?;
    let plan = Source::new("fabric.toml", &text, PathBuf::new()).and_then(|source| source.plan());
    let plan = plan.map_err(VerifyError::from)?;
    let outcomes = all_outcomes(&plan, threads, stop).map_err(VerifyError::from)?;
    let outcomes = outcomes.ok_or(VerifyError::Stopped)?;
    let fitting = advice.trials[first..].iter_mut().filter(|trial| trial.fits);
    for (index, trial) in fitting.enumerate() {
        let own = outcomes.iter().filter(|(cell, _)| cell.scheme == index);
        let own: Vec<&Outcome> = own.map(|(_, outcome)| outcome).collect();
        trial.measured = FabricMeasurement::of(&own);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use earlydrop::units::BitsPerSec;

    use super::*;

    fn question(transport: Transport) -> FabricQuestion {
        FabricQuestion {
            fabric: Fabric {
                rate: BitsPerSec(100_000_000_000),
                rtt: Nanos(10_000),
                packet: Bytes(1500),
            },
            ports: 32,
            buffer: Bytes(32_000_000),
            transport,
            card: Card::Zhu,
            cable: Nanos(1250),
            seeds: 2,
        }
    }

    #[test]
    fn the_scenario_of_a_fabric_is_valid() {
        for transport in Transport::ALL {
            let question = question(transport);
            let advice = by_rules(&question, 30.0).unwrap();
            let text = scenario(&question, &advice.trials, advice.duration).unwrap();
            let source = Source::new("fabric.toml", &text, PathBuf::new()).unwrap();
            let plan = source.plan().unwrap();
            assert_eq!(plan.cell_count(), 2 * advice.trials.len());
            let warnings = plan.warnings();
            assert!(!warnings.join(" ").contains("pauses"), "{warnings:?}");
        }
    }

    /// 4 MB for 32 ports are 2 MB for the 16 of the simulated switch: above them lies the Kmax of two
    /// rules that are for any rate.
    #[test]
    fn rules_beyond_the_buffer_are_not_simulated() {
        let small = FabricQuestion {
            fabric: Fabric {
                rate: BitsPerSec(1_000_000_000),
                ..question(Transport::Dctcp).fabric
            },
            buffer: Bytes(2_000_000),
            ..question(Transport::Dctcp)
        };
        let advice = by_rules(&small, 30.0).unwrap();
        let left_out = advice.trials.iter().filter(|trial| !trial.fits);
        let left_out: Vec<&str> = left_out.map(|trial| trial.rule.name).collect();
        assert_eq!(left_out, ["sonic", "dell"]);
        let text = scenario(&small, &advice.trials, advice.duration).unwrap();
        let plan = Source::new("fabric.toml", &text, PathBuf::new())
            .unwrap()
            .plan();
        let plan = plan.unwrap();
        assert_eq!(plan.labels().len(), advice.trials.len() - left_out.len());
    }

    /// One packet of 1500 bytes on the link back and the frame of 64 bytes take 125.12 ns, the cable twice
    /// 1250 ns: 32,814 bytes at 100 Gbps, and two packets. 32 MB are 1 MB for each of 32 ports.
    #[test]
    fn pauses_fit_the_buffer() {
        let pauses = pauses(&question(Transport::Dcqcn), Nanos(1250)).unwrap();
        let headroom = pauses.headroom.0;
        assert!((35_800..35_900).contains(&headroom), "{headroom}");
        assert_eq!(pauses.xoff.0, 1_000_000 - headroom);
        let small = FabricQuestion {
            buffer: Bytes(1_000_000),
            ..question(Transport::Dcqcn)
        };
        assert_eq!(super::pauses(&small, Nanos(1250)), None);
    }

    #[test]
    fn a_run_is_as_long_as_patience_allows() {
        let question = question(Transport::Dctcp);
        let (short, _) = effort(&question, 8, 0.0);
        let (usual, seconds) = effort(&question, 8, 30.0);
        let (long, _) = effort(&question, 8, 3000.0);
        assert!(short < usual && usual < long, "{short} {usual} {long}");
        assert!(seconds < 31.0, "{seconds}");
    }
}
