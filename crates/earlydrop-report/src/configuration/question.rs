//! The options of `earlydrop configure`, read as a question and answered.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use earlydrop::registry::{Kind, Range, Spec, Value};
use earlydrop_lab::escape::CommandLine;
use earlydrop_lab::verify::{self, Measurement, VerifyError};
use earlydrop_model::configure::{Goal, Question, Recommendation, configure};
use earlydrop_model::open_loop::OpenLoopInput;
use earlydrop_model::{Load, ModelError, Tcp};

use super::ConfigurationReport;
use crate::batch_queue;
use crate::request::{self, RequestError, control, ecn};

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
    /// TCP's congestion control: "reno" or "cubic".
    pub tcp: String,
    /// TCP's use of ECN: "off" or "on".
    pub ecn: String,
    /// The method whose parameters are recommended: "balance", "paper".
    pub method: Option<String>,
    /// The loss rate of Chandrayana et al.'s open loop: "2%".
    pub loss: Option<String>,
    /// g(x), the windows of the open loop: "normal:4,4,8". Needs `loss`.
    pub windows: Option<String>,
    /// The time a sender waits before it retransmits.
    pub timeout: Option<String>,
    /// Whether the choice is simulated.
    pub is_verified: bool,
    /// The number of seeds of the simulation, or of a scenario that is written for the choice.
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
            ecn: "off".to_string(),
            method: None,
            loss: None,
            windows: None,
            timeout: None,
            is_verified: false,
            seeds: 5,
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
            .option("--ecn", &self.ecn)
            .given("--goal", self.goal.as_ref())
            .given("--buffer", self.buffer.as_ref())
            .given("--method", self.method.as_ref())
            .given("--loss", self.loss.as_ref())
            .given("--windows", self.windows.as_ref())
            .given("--timeout", self.timeout.as_ref())
            .given("--html", html);
        match self.is_verified {
            true => command
                .word("--verify")
                .option("--seeds", self.seeds.to_string()),
            false => command,
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
        let tcp = Tcp {
            timeout: self.timeout.as_ref().map(timeout).transpose()?,
            control: control(&self.tcp)?,
            ecn: ecn(&self.ecn)?,
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

/// Answers the options' question, and simulates the choice where they ask for it, until `stop` is
/// set.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use earlydrop_report::configuration::{ConfigureOptions, answer, json};
///
/// let options = ConfigureOptions::new("100 Mbps", "50 ms", "150");
/// let report = answer(&options, &AtomicBool::new(false))?;
/// assert!(json(&report)["chosen"].as_str().is_some_and(|spec| spec.starts_with("red:")));
///
/// let options = ConfigureOptions { windows: Some("fixed:4".into()), ..options };
/// let refused = answer(&options, &AtomicBool::new(false)).unwrap_err();
/// assert_eq!(refused.to_string(), "--windows: needs the loss rate, --loss");
/// # Ok::<(), earlydrop_report::request::RequestError>(())
/// ```
pub fn answer(
    options: &ConfigureOptions,
    stop: &AtomicBool,
) -> Result<ConfigurationReport, RequestError> {
    let question = options.question()?;
    let recommendation = configure(&question).map_err(refusal)?;
    let measured = match options.is_verified {
        true => Some(measure(&recommendation, options, stop)?),
        false => None,
    };
    Ok(ConfigurationReport {
        measured,
        configuration: recommendation,
        question,
        command: options.command(None),
        seeds: options.seeds,
    })
}

/// Simulates the chosen parameters.
fn measure(
    recommendation: &Recommendation,
    options: &ConfigureOptions,
    stop: &AtomicBool,
) -> Result<Measurement, RequestError> {
    let length = verify::RunLength::for_load(&recommendation.load, options.seeds);
    let spec = &recommendation.choices[0].advice.spec;
    let measured = verify::measure(&recommendation.load, spec, length, options.threads, stop);
    measured.map_err(|error| match error {
        VerifyError::Scenario(problems) => RequestError::Input(problems),
        VerifyError::Stopped => RequestError::Stopped(error.to_string()),
        other => RequestError::Run(other.to_string()),
    })
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
    const SHARE: Kind = Kind::Number(Range::PROBABILITY, "share");
    let malformed = || {
        RequestError::Option(format!(
            "--goal {text}: allowed: delay=TIME or utilisation=SHARE, as in delay=10ms or utilisation=98%; nearest: delay=5ms"
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
