//! The answer of `earlydrop configure --fabric`: when the switches of a data centre mark, and when they
//! pause.

use std::sync::atomic::AtomicBool;

use earlydrop::registry::{Kind, Range, Value, nearest};
use earlydrop::units::{Bytes, Nanos};
use earlydrop_lab::advice::AdviceError;
use earlydrop_lab::escape::CommandLine;
use earlydrop_lab::fabric_advice::{self, FabricAdvice, FabricQuestion, Transport};
use earlydrop_lab::number::number;
use earlydrop_model::fabric::Fabric;
use earlydrop_model::tools::{LostKnob, find, of_spec, translate};
use earlydrop_sim::tcp::control::dcqcn::Card;

use super::card::lines;
use super::question::{failure, patience};
use super::{SnippetError, Unsimulated};
use crate::request::{self, RequestError};

/// The ports, the buffer and the senders of a switch unless others are given.
pub const PORTS: &str = "32";
/// See [`PORTS`].
pub const BUFFER: &str = "32 MB";
/// See [`PORTS`].
pub const TRANSPORT: &str = "dcqcn";
/// See [`PORTS`].
pub const CARD: &str = "zhu";
/// The format that is a scenario.
const SCENARIO: &str = "earlydrop";
/// The tools of switches in whose words a choice is printed.
const SWITCHES: [&str; 3] = ["sonic", "junos", "eos"];
/// The format that is the values of a network card.
const DRIVER: &str = "mlx5";
/// What light takes for a metre of fibre of index 1.5, in nanoseconds.
const METRE: f64 = 5.0;

/// The options of `earlydrop configure --fabric`, as text.
#[derive(Clone, Debug)]
pub struct FabricOptions {
    /// The rate of the links: "100 Gbps".
    pub link: String,
    /// The RTT between hosts without queueing: "10 us".
    pub rtt: String,
    /// The ports of a switch; `None`: [`PORTS`].
    pub ports: Option<String>,
    /// The buffer that they share: "32 MB"; `None`: [`BUFFER`].
    pub buffer: Option<String>,
    /// The senders: "dcqcn", "dctcp" or "cubic"; `None`: [`TRANSPORT`].
    pub transport: Option<String>,
    /// The network card where they are DCQCN's: "zhu", "connectx" or "hpcc"; `None`: [`CARD`].
    pub card: Option<String>,
    /// A cable's length or delay: "300 m", "1.5 us"; `None`: an eighth of the RTT.
    pub cable: Option<String>,
    /// The largest packet on the wire.
    pub packet: String,
    /// Whether the candidates are simulated.
    pub is_simulated: bool,
    /// How long simulations may take by estimate.
    pub patience: String,
    /// The number of seeds.
    pub seeds: u64,
    /// The number of threads of the simulation.
    pub threads: usize,
}

/// Candidates, what was simulated of them, and the one that is recommended.
#[derive(Clone, Debug)]
pub struct FabricReport {
    /// The candidates.
    pub advice: FabricAdvice,
    /// The command that asks again.
    pub command: CommandLine,
    /// Why nothing was simulated.
    pub unsimulated: Option<Unsimulated>,
}

impl FabricReport {
    /// The index of the candidate that is printed for tools: the recommended one, else the rule of the
    /// senders' authors.
    pub fn preferred(&self) -> usize {
        if let Some(verdict) = &self.advice.verdict {
            return verdict.chosen;
        }
        let name = match self.advice.question.transport {
            Transport::Dcqcn => "dcqcn",
            Transport::Dctcp => "dctcp",
            Transport::Cubic => "bdp",
        };
        let mut trials = self.advice.trials.iter();
        trials.position(|one| one.rule.name == name).unwrap_or(0)
    }
}

impl FabricOptions {
    /// The command that asks the same again.
    pub fn command(&self) -> CommandLine {
        let command = CommandLine::new("configure")
            .word("--fabric")
            .option("--link", &self.link)
            .option("--rtt", &self.rtt)
            .option("--ports", self.ports.as_deref().unwrap_or(PORTS))
            .option("--buffer", self.buffer.as_deref().unwrap_or(BUFFER))
            .option(
                "--transport",
                self.transport.as_deref().unwrap_or(TRANSPORT),
            )
            .given("--card", self.card.as_ref())
            .given("--cable", self.cable.as_ref())
            .option("--packet", &self.packet);
        match self.is_simulated {
            true => command
                .option("--seeds", self.seeds.to_string())
                .option("--patience", &self.patience),
            false => command.word("--no-simulation"),
        }
    }

    /// The question that the options ask.
    pub fn question(&self) -> Result<FabricQuestion, RequestError> {
        const LINK: Kind = Kind::Rate(Range::closed(1e9, 2e12));
        const RTT: Kind = Kind::Time(Range::closed(1e-6, 0.01));
        const COUNT: Kind = Kind::Count(Range::closed(2.0, 1024.0), "ports");
        const SHARED: Kind = Kind::Bytes(Range::closed(1e5, 1e10));
        let buffer = self.buffer.as_deref().unwrap_or(BUFFER);
        let ports = self.ports.as_deref().unwrap_or(PORTS);
        let rate = match request::read("link", &self.link, &LINK)? {
            Value::Rate(rate) => rate,
            _ => return Err(request::wrong_kind("link", &self.link)),
        };
        let rtt = match request::read("rtt", &self.rtt, &RTT)? {
            Value::Time(rtt) => rtt,
            _ => return Err(request::wrong_kind("rtt", &self.rtt)),
        };
        let size = match request::read("buffer", buffer, &SHARED)? {
            Value::Bytes(size) => size,
            _ => return Err(request::wrong_kind("buffer", buffer)),
        };
        Ok(FabricQuestion {
            fabric: Fabric {
                rate,
                rtt,
                packet: request::packet(&self.packet)?,
            },
            ports: request::number("ports", ports, &COUNT)? as u64,
            buffer: size,
            transport: self.transport()?,
            card: self.card()?,
            cable: match &self.cable {
                Some(text) => cable(text)?,
                None => Nanos(rtt.0 / 8),
            },
            seeds: self.seeds,
        })
    }

    fn card(&self) -> Result<Card, RequestError> {
        let text = self.card.as_deref().unwrap_or(CARD);
        if self.card.is_some() && self.transport()? != Transport::Dcqcn {
            return Err(RequestError::Option(format!(
                "--card {text}: allowed with --transport {TRANSPORT} only"
            )));
        }
        let names = Card::ALL.map(|(_, name, _)| name);
        Card::named(text).ok_or_else(|| unknown("--card", text, &names, CARD))
    }

    fn transport(&self) -> Result<Transport, RequestError> {
        let text = self.transport.as_deref().unwrap_or(TRANSPORT);
        let found = Transport::ALL.into_iter().find(|one| one.name() == text);
        let names = Transport::ALL.map(Transport::name);
        found.ok_or_else(|| unknown("--transport", text, &names, TRANSPORT))
    }
}

/// The problem of a name that an option does not have.
fn unknown(option: &str, text: &str, names: &[&'static str], usual: &'static str) -> RequestError {
    let near = nearest(text, names.iter().copied()).unwrap_or(usual);
    let names = names.join(", ");
    RequestError::Option(format!(
        "{option} {text}: allowed: {names}; nearest: {option} {near}"
    ))
}

/// The delay of a cable, given as its length or as itself.
fn cable(text: &str) -> Result<Nanos, RequestError> {
    const DELAY: Kind = Kind::Time(Range::closed(0.0, 1e-3));
    const LONGEST: f64 = 200_000.0;
    let metres = text.trim().strip_suffix('m');
    let metres = metres.and_then(|number| number.trim().parse::<f64>().ok());
    match metres {
        Some(metres) if (0.0..=LONGEST).contains(&metres) => {
            Ok(Nanos((METRE * metres).round() as u64))
        }
        Some(_) => Err(RequestError::Option(format!(
            "--cable \"{text}\": allowed: a length in [0, {LONGEST}] m, or a time in [0, 0.001] s; nearest: \
             --cable {LONGEST}m"
        ))),
        None => match request::read("cable", text, &DELAY)? {
            Value::Time(delay) => Ok(delay),
            _ => Err(request::wrong_kind("cable", text)),
        },
    }
}

/// Answers the options' question, and simulates the candidates unless they ask for the rules alone, until
/// `stop` is set. `progress` is told what is being simulated.
pub fn answer(
    options: &FabricOptions,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str),
) -> Result<FabricReport, RequestError> {
    let question = options.question()?;
    let patience = patience(&options.patience)?;
    let failed = |error| failure(AdviceError::Model(error));
    let advice = fabric_advice::by_rules(&question, patience).map_err(failed)?;
    // Runs last whole units of time, so that the estimate is a little above what is allowed.
    let takes_long = advice.seconds > 1.25 * patience;
    let seconds = advice.seconds;
    let unsimulated = match options.is_simulated {
        false => Some(Unsimulated::AsAsked),
        true if takes_long => Some(Unsimulated::TakesLong { seconds }),
        true => None,
    };
    let advice = match unsimulated {
        Some(_) => advice,
        None => {
            fabric_advice::simulated(advice, options.threads, stop, progress).map_err(failure)?
        }
    };
    Ok(FabricReport {
        advice,
        command: options.command(),
        unsimulated,
    })
}

/// Checks that there is a format of this name for switches.
pub fn check_format(format: &str) -> Result<(), SnippetError> {
    let names = || SWITCHES.into_iter().chain([DRIVER, SCENARIO]);
    if names().any(|name| name == format) {
        return Ok(());
    }
    Err(SnippetError::UnknownFormat {
        format: format.to_string(),
        known: names().collect::<Vec<_>>().join(", "),
        near: nearest(format, names()).unwrap_or(SCENARIO),
    })
}

/// The preferred candidate in a format, and what the format does not carry; a scenario has all
/// candidates.
pub fn snippet(
    format: &str,
    report: &FabricReport,
) -> Result<(String, Vec<LostKnob>), RequestError> {
    check_format(format)?;
    let FabricAdvice {
        question,
        trials,
        duration,
        ..
    } = &report.advice;
    if format == SCENARIO {
        if trials.iter().all(|trial| !trial.fits) {
            let why = "no rule's Kmax fits into the buffer".to_string();
            let format = format.to_string();
            return Err(SnippetError::Inexpressible { format, why }.into());
        }
        let text = fabric_advice::scenario(question, trials, *duration)?;
        return Ok((text, Vec::new()));
    }
    let refused = |why: String| SnippetError::Inexpressible {
        format: format.to_string(),
        why,
    };
    if format == DRIVER {
        return match question.transport {
            Transport::Dcqcn => Ok((lines(question.card, question.fabric.rate), Vec::new())),
            _ => Err(refused("only network cards of RDMA have it".to_string()).into()),
        };
    }
    let tool = find(format).ok_or_else(|| refused("no such tool".to_string()))?;
    let link = question.fabric.link();
    let marking = trials[report.preferred()].rule.marking;
    let memory = queue_memory(question, marking.kmax);
    let spec = marking.spec()?.with("limit", format!("{memory} bytes"))?;
    let written = of_spec(&spec, &link).and_then(|red| translate(&red, tool, &link));
    let written = written.map_err(|error| refused(error.to_string()))?;
    Ok((written.text + "\n", written.lost))
}

/// The memory of a queue, of which Junos' fill levels are percentages: an equal share of the buffer, or
/// twice Kmax where that is more.
pub fn queue_memory(question: &FabricQuestion, kmax: f64) -> u64 {
    let share = question.buffer.0 as f64 / question.ports as f64;
    share.max(2.0 * kmax).round() as u64
}

/// The preferred candidate in the words of every switch that can express it: a heading and the text.
pub fn snippets(report: &FabricReport) -> Vec<(String, String)> {
    let tools = SWITCHES.into_iter().chain([DRIVER]);
    let written = tools.filter_map(|name| {
        let (text, lost) = snippet(name, report).ok()?;
        let lost = lost.iter().map(|one| {
            format!(
                "{}: {} becomes {} ({})",
                one.knob.name(),
                one.from,
                one.to,
                one.why
            )
        });
        let lost: String = lost.map(|line| format!("  ! {line}\n")).collect();
        let title = match name {
            DRIVER => "Network cards (Linux, mlx5)",
            name => find(name).map_or(name, |tool| tool.title),
        };
        Some((title.to_string(), text + &lost))
    });
    written.collect()
}

pub use super::fabric_text::{candidates, json, measured, pauses, recommendation, sources, title};

/// Bytes as text: "17.9 kB".
pub(super) fn size(bytes: f64) -> String {
    match bytes {
        0.0 => "0".to_string(),
        bytes if bytes >= 1e6 => format!("{} MB", number(bytes / 1e6)),
        bytes => format!("{} kB", number(bytes / 1e3)),
    }
}

/// A size in whole bytes as text.
pub(super) fn whole(bytes: Bytes) -> String {
    size(bytes.0 as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> FabricOptions {
        FabricOptions {
            link: "100Gbps".into(),
            rtt: "10us".into(),
            ports: None,
            buffer: None,
            transport: None,
            card: None,
            cable: None,
            packet: "1500 bytes".into(),
            is_simulated: false,
            patience: super::super::PATIENCE.into(),
            seeds: 3,
            threads: 1,
        }
    }

    #[test]
    fn a_cable_has_a_length_or_a_delay() {
        assert_eq!(cable("300 m").unwrap(), Nanos(1500));
        assert_eq!(cable("1.5 us").unwrap(), Nanos(1500));
        for wrong in ["-3 m", "1 h", "long", "300"] {
            let message = cable(wrong).unwrap_err().to_string();
            assert!(message.contains("allowed: "), "{message}");
        }
    }

    #[test]
    fn wrong_options_are_named() {
        let refused = |change: fn(&mut FabricOptions)| {
            let mut wrong = options();
            change(&mut wrong);
            wrong.question().unwrap_err().to_string()
        };
        for (message, start) in [
            (
                refused(|o| o.transport = Some("dcqn".into())),
                "--transport dcqn: allowed: dcqcn, dctcp, cubic",
            ),
            (
                refused(|o| o.ports = Some("1".into())),
                "--ports 1: allowed: ",
            ),
            (refused(|o| o.buffer = Some("32".into())), "--buffer 32: "),
            (
                refused(|o| o.link = "1kbps".into()),
                "--link 1kbps: allowed: ",
            ),
        ] {
            assert!(message.starts_with(start), "{message}");
        }
    }

    #[test]
    fn switches_get_the_rule_of_the_senders() {
        let report = answer(&options(), &AtomicBool::new(false), &mut |_| {}).unwrap();
        let (sonic, _) = snippet("sonic", &report).unwrap();
        assert!(
            sonic.contains("\"green_min_threshold\": \"12500\""),
            "{sonic}"
        );
        assert!(
            sonic.contains("\"green_max_threshold\": \"500000\""),
            "{sonic}"
        );
        // And the hosts' cards what they are simulated with.
        let all = snippets(&report);
        assert_eq!(all.len(), SWITCHES.len() + 1);
        assert!(all[SWITCHES.len()].1.contains("rpg_time_reset"), "{all:?}");
        assert!(snippet("cisco", &report).is_err());
    }
}
