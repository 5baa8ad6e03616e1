//! The options of `earlydrop configure`, read as a question and answered.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use earlydrop::registry::{Kind, Range, Spec, Value};
use earlydrop_lab::advice::{AdviceError, Effort, advise};
use earlydrop_lab::escape::CommandLine;
use earlydrop_lab::verify::{RunLength, VerifyError};
use earlydrop_model::configure::{Goal, Question, configure};
use earlydrop_model::open_loop::OpenLoopInput;
use earlydrop_model::{Load, ModelError, Tcp};

use super::{ConfigurationReport, Unsimulated};
use crate::batch_queue;
use crate::request::{self, RequestError, control, ecn_of};

/// How long simulations may take unless more is allowed.
pub const PATIENCE: &str = "30 s";

/// The options of `earlydrop configure`, as text.
#[derive(Clone, Debug)]
pub struct ConfigureOptions {
    /// The bottleneck's rate: "100 Mbps".
    pub link: String,
    /// The RTT without queueing: "50 ms".
    pub rtt: String,
    /// The number of flows that share the link.
    pub flows: String,
    /// The scheme to configure; parameters given with it, or by a preset, are kept:
    /// "red:max_p=0.1", "nlred:as=paper".
    pub scheme: String,
    /// The goal: "delay=10ms" or "utilisation=98%".
    pub goal: Option<String>,
    /// The packet size on the wire.
    pub packet: String,
    /// The buffer size: "600 packets", "300 kB", "100 ms".
    pub buffer: Option<String>,
    /// TCP's congestion control: "reno", "cubic" or "dctcp".
    pub tcp: String,
    /// TCP's use of ECN: "off" or "on"; `None`: on with DCTCP, else off.
    pub ecn: Option<String>,
    /// The method whose parameters are recommended: "balance", "paper".
    pub method: Option<String>,
    /// The loss rate of Chandrayana et al.'s open loop: "2%".
    pub loss: Option<String>,
    /// g(x), the windows of the open loop: "normal:4,4,8". Needs `loss`.
    pub windows: Option<String>,
    /// The time a sender waits before it retransmits.
    pub timeout: Option<String>,
    /// Whether proposals are simulated before one is recommended.
    pub is_simulated: bool,
    /// How long simulations may take by estimate: "30 s".
    pub patience: String,
    /// The number of seeds of each simulation, or of a scenario that is written for the choice.
    pub seeds: u64,
    /// The number of threads of the simulation.
    pub threads: usize,
}

impl ConfigureOptions {
    /// The options of a link and its flows, the others at their defaults.
    pub fn new(link: &str, rtt: &str, flows: &str) -> ConfigureOptions {
        ConfigureOptions {
            link: link.to_string(),
            rtt: rtt.to_string(),
            flows: flows.to_string(),
            scheme: "red".to_string(),
            goal: None,
            packet: "1500 bytes".to_string(),
            buffer: None,
            tcp: "cubic".to_string(),
            ecn: None,
            method: None,
            loss: None,
            windows: None,
            timeout: None,
            is_simulated: true,
            patience: PATIENCE.to_string(),
            seeds: 3,
            threads: 1,
        }
    }

    /// The command that asks the same again, and writes the page `html`.
    pub fn command(&self, html: Option<&Path>) -> CommandLine {
        let command = CommandLine::new("configure")
            .option("--link", &self.link)
            .option("--rtt", &self.rtt)
            .option("--flows", &self.flows)
            .option("--scheme", &self.scheme)
            .option("--packet", &self.packet)
            .option("--tcp", &self.tcp)
            .given("--ecn", self.ecn.as_ref())
            .given("--goal", self.goal.as_ref())
            .given("--buffer", self.buffer.as_ref())
            .given("--method", self.method.as_ref())
            .given("--loss", self.loss.as_ref())
            .given("--windows", self.windows.as_ref())
            .given("--timeout", self.timeout.as_ref())
            .given("--html", html);
        match self.is_simulated {
            true => command.option("--seeds", self.seeds.to_string()),
            false => command.word("--no-simulation"),
        }
    }

    /// The question that the options ask.
    pub fn question(&self) -> Result<Question, RequestError> {
        let load = self.load()?;
        const BUFFER: Kind = Kind::Length(Range {
            high: 4_194_304.0,
            with_high: true,
            ..Range::POSITIVE
        });
        const LOSS: Kind = Kind::Number(Range::POSITIVE_PROBABILITY, "share");
        let length = |text: &String| match request::read("buffer", text, &BUFFER)? {
            Value::Length(length) => Ok(length.in_packets(load.packet, load.rate.0 as f64)),
            _ => Err(request::wrong_kind("buffer", text)),
        };
        let loss = |text: &String| request::number("loss", text, &LOSS);
        let windows = |text: &String| batch_queue::batch("windows", text);
        let windows = self.windows.as_ref().map(windows).transpose()?;
        let loss = self.loss.as_ref().map(loss).transpose()?;
        if windows.is_some() && loss.is_none() {
            let text = "--windows: needs the loss rate, --loss".to_string();
            return Err(RequestError::Option(text));
        }
        let scheme = self.scheme.parse::<Spec>();
        let refused = |error| RequestError::Option(format!("--scheme {}: {error}", self.scheme));
        Ok(Question {
            load,
            scheme: scheme.map_err(refused)?,
            buffer: self.buffer.as_ref().map(length).transpose()?,
            goal: self.goal.as_deref().map_or(Ok(Goal::Usual), goal)?,
            method: self.method.clone(),
            open_loop: loss.map(|loss| OpenLoopInput { loss, windows }),
        })
    }

    fn load(&self) -> Result<Load, RequestError> {
        let timeout = |text: &String| request::time("timeout", text);
        let control = control(&self.tcp)?;
        let tcp = Tcp {
            timeout: self.timeout.as_ref().map(timeout).transpose()?,
            control,
            ecn: ecn_of(control, self.ecn.as_deref())?,
            ..Tcp::default()
        };
        Ok(Load {
            rate: request::link(&self.link)?,
            packet: request::packet(&self.packet)?,
            rtt: request::time("rtt", &self.rtt)?,
            flows: request::flows(&self.flows)?,
            tcp,
        })
    }
}

/// Answers the options' question, and simulates the answer unless they ask for the model alone, until
/// `stop` is set. `progress` is told what is being simulated.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use earlydrop_report::configuration::{ConfigureOptions, answer, json};
///
/// let options = ConfigureOptions::new("100 Mbps", "50 ms", "150");
/// let report = answer(&options, &AtomicBool::new(false), &mut |_| {})?;
/// assert!(json(&report)["chosen"].as_str().is_some_and(|spec| spec.starts_with("red:")));
///
/// let options = ConfigureOptions { windows: Some("fixed:4".into()), ..options };
/// let refused = answer(&options, &AtomicBool::new(false), &mut |_| {}).unwrap_err();
/// assert_eq!(refused.to_string(), "--windows: needs the loss rate, --loss");
/// # Ok::<(), earlydrop_report::request::RequestError>(())
/// ```
pub fn answer(
    options: &ConfigureOptions,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str),
) -> Result<ConfigurationReport, RequestError> {
    let question = options.question()?;
    let patience = patience(&options.patience)?;
    let mut effort = Effort {
        length: RunLength::brief(&question, options.seeds),
        threads: options.threads,
        with_others: true,
        with_methods: true,
    };
    // The other methods are the first to be left out.
    effort.with_methods = effort.estimate(&question.load) <= patience;
    let seconds = effort.estimate(&question.load);
    let unsimulated = match options.is_simulated {
        false => Some(Unsimulated::AsAsked),
        true if seconds > patience => Some(Unsimulated::TakesLong { seconds }),
        true => None,
    };
    let (configuration, simulated) = match unsimulated {
        Some(why) => (configure(&question).map_err(refusal)?, Err(why)),
        None => {
            let advised = advise(&question, effort, stop, progress).map_err(failure)?;
            (advised.recommendation, Ok(advised.simulated))
        }
    };
    Ok(ConfigurationReport {
        configuration,
        simulated,
        question,
        command: options.command(None),
        seeds: options.seeds,
    })
}

/// How long simulations may take, in seconds: any time, none at all as well.
pub(super) fn patience(text: &str) -> Result<f64, RequestError> {
    const PATIENCE: Kind = Kind::Time(Range::NOT_NEGATIVE);
    match request::read("patience", text, &PATIENCE)? {
        Value::Time(time) => Ok(time.as_secs_f64()),
        _ => Err(request::wrong_kind("patience", text)),
    }
}

pub(super) fn failure(error: AdviceError) -> RequestError {
    match error {
        AdviceError::Model(error) => refusal(error),
        AdviceError::Simulation(VerifyError::Scenario(problems)) => RequestError::Input(problems),
        AdviceError::Simulation(VerifyError::Stopped) => {
            RequestError::Stopped(VerifyError::Stopped.to_string())
        }
        other => RequestError::Run(other.to_string()),
    }
}

/// The model's error, with the name of the argument.
fn refusal(error: ModelError) -> RequestError {
    RequestError::Option(match &error {
        ModelError::Outside { .. } | ModelError::Method { .. } => format!("--{error}"),
        ModelError::Config(problem) => format!("--scheme: {problem}"),
        ModelError::NoModel { .. } => {
            format!("--scheme: {error}; nearest: a scheme with a target, such as pie or ared")
        }
        _ => error.to_string(),
    })
}

/// Parses `delay=10ms` or `utilisation=98%`.
fn goal(text: &str) -> Result<Goal, RequestError> {
    const DELAY: Kind = Kind::Time(Range::closed(1e-6, 100.0));
    // A link that is always idle, or always full, is no queue's choice.
    const SHARE: Kind = Kind::Number(Range::closed(1e-4, 0.9999), "share");
    let malformed = || {
        let as_share = || request::read_as(text, &SHARE, |_| String::new()).is_ok();
        let near = match request::read_as(text, &DELAY, |_| String::new()) {
            Ok(_) => format!("delay={text}"),
            Err(_) if as_share() => format!("utilisation={text}"),
            Err(_) => "delay=5ms".to_string(),
        };
        RequestError::Option(format!(
            "--goal {text}: allowed: delay=TIME or utilisation=SHARE, as in delay=10ms or utilisation=98%; nearest: {near}"
        ))
    };
    let (what, amount) = text.split_once('=').ok_or_else(malformed)?;
    let argument = |value: &str| format!("--goal {}={value}", what.trim());
    match what.trim() {
        "delay" => match request::read_as(amount, &DELAY, argument)? {
            Value::Time(delay) => Ok(Goal::Delay(delay)),
            _ => Err(malformed()),
        },
        "utilisation" => match request::read_as(amount, &SHARE, argument)? {
            Value::Number(share) => Ok(Goal::Utilisation(share)),
            _ => Err(malformed()),
        },
        _ => Err(malformed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What would be simulated is stopped at once here.
    #[test]
    fn flows_count_against_the_patience() {
        let stop = AtomicBool::new(true);
        let simulated = |flows| {
            let options = ConfigureOptions {
                threads: 2,
                ..ConfigureOptions::new("100 Mbps", "50 ms", flows)
            };
            answer(&options, &stop, &mut |_| {}).map(|report| report.simulated)
        };
        assert!(matches!(simulated("150"), Err(RequestError::Stopped(_))));
        let left_out = simulated("200000");
        let is_left_out =
            matches!(left_out, Ok(Err(Unsimulated::TakesLong { seconds })) if seconds > 30.0);
        assert!(is_left_out, "{left_out:?}");
    }
}
