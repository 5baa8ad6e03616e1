//! `earlydrop configure`: recommends parameters for a link and its flows, with a prediction.

mod terminal;

use std::io::Write;
use std::path::PathBuf;

use earlydrop::registry::{Kind, Range, Spec, Value, nearest};
use earlydrop_lab::escape::CommandLine;
use earlydrop_lab::files::{NewFile, Signature};
use earlydrop_lab::verify::{self, Measurement, VerifyError};
use earlydrop_model::configure::{Goal, Question, Recommendation, configure};
use earlydrop_model::open_loop::OpenLoopInput;
use earlydrop_model::{Control, Load, ModelError, Tcp};
use earlydrop_report::configuration::{self, ConfigurationReport};

use crate::commands::{queue, threads};
use crate::draw::Style;
use crate::failure::Failure;
use crate::output::Output;
use crate::outputs::Overwriting;
use crate::progress::stop_flag;
use crate::values;

/// Choose a scheme's parameters for a link and its flows, with a prediction
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop configure --link 100Mbps --rtt 50ms --flows 150
  earlydrop configure --link 100Mbps --rtt 50ms --flows 150 --goal delay=10ms --verify
  earlydrop configure --link 1Gbps --rtt 20ms --flows 400 --scheme gred --ecn on --html red.html
  earlydrop configure --link 20Mbps --rtt 50ms --flows 20 --paste earlydrop > scenario.toml
  earlydrop configure --link 100Mbps --rtt 50ms --flows 150 --method paper --paste linux

Predictions assume long, homogeneous transfers; docs/explanation/the-model.md has their accuracy.")]
pub(crate) struct Configure {
    /// The bottleneck's rate: 100Mbps
    #[arg(long, value_name = "RATE")]
    link: String,
    /// The RTT without queueing: 50ms
    #[arg(long, value_name = "TIME")]
    rtt: String,
    /// The number of flows that share the link
    #[arg(long, value_name = "COUNT")]
    flows: String,
    /// The scheme to configure; parameters given with it are kept: "red:max_p=0.1". With min or max
    /// among them, these are judged, and compared with each method's
    #[arg(long, value_name = "SCHEME", default_value = "red")]
    scheme: String,
    /// The goal: delay=10ms or utilisation=98% [default: 5 ms, or the delay of 98% if longer; midway
    /// between given thresholds]
    #[arg(long, value_name = "GOAL")]
    goal: Option<String>,
    /// The packet size on the wire
    #[arg(long, value_name = "SIZE", default_value = "1500 bytes")]
    packet: String,
    /// The buffer size: "600 packets", "300 kB", "100 ms" [default: the bandwidth-delay product,
    /// at least four packets per flow]
    #[arg(long, value_name = "LENGTH")]
    buffer: Option<String>,
    /// TCP's congestion control: reno, cubic
    #[arg(long, value_name = "CONTROL", default_value = "cubic")]
    tcp: String,
    /// TCP's use of ECN: off, on
    #[arg(long, value_name = "MODE", default_value = "off")]
    ecn: String,
    /// The method whose parameters are recommended: given, balance, paper, morris, floyd-1997,
    /// floyd-2001 [default: balance, or given if the scheme sets min or max]
    #[arg(long, value_name = "METHOD")]
    method: Option<String>,
    /// Compute Chandrayana et al.'s open loop at this loss rate: 2%. The method paper then uses it
    #[arg(long, value_name = "SHARE")]
    loss: Option<String>,
    /// g(x), the windows of the open loop: normal:4,4,8 (mean, variance, largest), or another law as
    /// in `earlydrop queue --batch` [default: normal, from the loss rate]
    #[arg(long, value_name = "LAW", requires = "loss")]
    windows: Option<String>,
    /// T_O, the time a sender waits before it retransmits, for the predictions [default: two RTTs, at
    /// least 200 ms]
    #[arg(long, value_name = "TIME")]
    timeout: Option<String>,
    /// Simulate the choice and compare prediction and measurement
    #[arg(long)]
    verify: bool,
    /// The number of seeds of the simulation
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// Also write the report as an HTML page into this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    overwriting: Overwriting,
    /// Print only the choice, in the format of a tool
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["json", "verify"])]
    paste: Option<String>,
    /// Write one JSON document on standard output instead of text
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(
    arguments: &Configure,
    out: &mut Output<'_>,
    style: &Style,
) -> Result<(), Failure> {
    let question = question(arguments)?;
    if let Some(format) = &arguments.paste {
        configuration::check_format(format)?;
    }
    let page = match &arguments.html {
        Some(path) => {
            let overwrite = arguments.overwriting.files();
            Some(NewFile::create(path, &Signature::PAGE, overwrite)?)
        }
        None => None,
    };
    let recommendation = configure(&question).map_err(model_failure)?;
    if let Some(format) = &arguments.paste {
        let snippet = configuration::snippet(format, &recommendation, arguments.seeds)?;
        return Ok(write!(out, "{snippet}")?);
    }
    let report = ConfigurationReport {
        measured: match arguments.verify {
            true => Some(measure(&recommendation, arguments.seeds)?),
            false => None,
        },
        configuration: recommendation,
        question,
        command: command(arguments),
        seeds: arguments.seeds,
    };
    if let Some(page) = page {
        page.complete_with(configuration::page(&report).as_bytes())?;
    }
    if arguments.json {
        let document = configuration::json(&report);
        let text = serde_json::to_string_pretty(&document).unwrap_or_default();
        return Ok(writeln!(out, "{text}")?);
    }
    out.lines(&terminal::lines(&report, style), style)?;
    if let Some(path) = &arguments.html {
        writeln!(out, "page: {}", path.display())?;
    }
    Ok(())
}

/// The command that asks the same again.
fn command(arguments: &Configure) -> CommandLine {
    let command = CommandLine::new("configure")
        .option("--link", &arguments.link)
        .option("--rtt", &arguments.rtt)
        .option("--flows", &arguments.flows)
        .option("--scheme", &arguments.scheme)
        .option("--packet", &arguments.packet)
        .option("--tcp", &arguments.tcp)
        .option("--ecn", &arguments.ecn)
        .given("--goal", arguments.goal.as_ref())
        .given("--buffer", arguments.buffer.as_ref())
        .given("--method", arguments.method.as_ref())
        .given("--loss", arguments.loss.as_ref())
        .given("--windows", arguments.windows.as_ref())
        .given("--timeout", arguments.timeout.as_ref())
        .given("--html", arguments.html.as_ref());
    match arguments.verify {
        true => command
            .word("--verify")
            .option("--seeds", arguments.seeds.to_string()),
        false => command,
    }
}

/// Simulates the chosen parameters.
fn measure(recommendation: &Recommendation, seeds: u64) -> Result<Measurement, Failure> {
    let stop = stop_flag()?;
    let length = verify::RunLength::for_load(&recommendation.load, seeds);
    let spec = &recommendation.choices[0].advice.spec;
    let measured = verify::measure(&recommendation.load, spec, length, threads(None), &stop);
    measured.map_err(|error| match error {
        VerifyError::Scenario(problems) => Failure::Scenario(problems),
        VerifyError::Stopped => Failure::Interrupted(error.to_string()),
        other => Failure::Runtime(other.to_string()),
    })
}

/// The model's error, with the name of the argument.
fn model_failure(error: ModelError) -> Failure {
    match &error {
        ModelError::Outside { .. } | ModelError::Method { .. } => {
            Failure::Usage(format!("--{error}"))
        }
        ModelError::Config(problem) => Failure::Usage(format!("--scheme: {problem}")),
        ModelError::NoModel { .. } => Failure::Usage(format!(
            "--scheme: {error}; nearest: a scheme with a target, such as pie or ared"
        )),
        _ => Failure::Usage(error.to_string()),
    }
}

/// The question that the arguments ask.
fn question(arguments: &Configure) -> Result<Question, Failure> {
    let load = load(arguments)?;
    const BUFFER: Kind = Kind::Length(Range {
        high: 4_194_304.0,
        with_high: true,
        ..Range::POSITIVE
    });
    const LOSS: Kind = Kind::Number(Range::POSITIVE_PROBABILITY, "share");
    let length = |text: &String| match values::read("buffer", text, &BUFFER)? {
        Value::Length(length) => Ok(length.in_packets(load.packet, load.rate.0 as f64)),
        _ => Err(values::wrong_kind("buffer", text)),
    };
    let loss = |text: &String| values::number("loss", text, &LOSS);
    let windows = |text: &String| queue::batch("windows", text);
    let windows = arguments.windows.as_ref().map(windows).transpose()?;
    let loss = arguments.loss.as_ref().map(loss).transpose()?;
    let scheme = arguments.scheme.parse::<Spec>();
    Ok(Question {
        load,
        scheme: scheme
            .map_err(|error| Failure::Usage(format!("--scheme {}: {error}", arguments.scheme)))?,
        buffer: arguments.buffer.as_ref().map(length).transpose()?,
        goal: arguments.goal.as_deref().map_or(Ok(Goal::Usual), goal)?,
        method: arguments.method.clone(),
        open_loop: loss.map(|loss| OpenLoopInput { loss, windows }),
    })
}

fn load(arguments: &Configure) -> Result<Load, Failure> {
    let controls = [("reno", Control::Reno), ("cubic", Control::Cubic)];
    let timeout = |text: &String| values::time("timeout", text);
    let tcp = Tcp {
        timeout: arguments.timeout.as_ref().map(timeout).transpose()?,
        control: one_of("tcp", &arguments.tcp, &controls)?,
        ecn: one_of("ecn", &arguments.ecn, &[("off", false), ("on", true)])?,
        ..Tcp::default()
    };
    Ok(Load {
        rate: values::link(&arguments.link)?,
        packet: values::packet(&arguments.packet)?,
        rtt: values::time("rtt", &arguments.rtt)?,
        flows: values::flows(&arguments.flows)?,
        tcp,
    })
}

/// The value of one of the known names.
fn one_of<T: Copy>(option: &str, text: &str, known: &[(&str, T)]) -> Result<T, Failure> {
    let value = known.iter().find(|(name, _)| *name == text);
    value.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let near = nearest(text, names.iter().copied()).unwrap_or(names[0]);
        let names = names.join(", ");
        Failure::Usage(format!(
            "--{option} {text}: allowed: {names}; nearest: {near}"
        ))
    })
}

/// Parses `delay=10ms` or `utilisation=98%`.
fn goal(text: &str) -> Result<Goal, Failure> {
    const DELAY: Kind = Kind::Time(Range::closed(1e-6, 100.0));
    const SHARE: Kind = Kind::Number(Range::PROBABILITY, "share");
    let malformed = || {
        Failure::Usage(format!(
            "--goal {text}: allowed: delay=TIME or utilisation=SHARE, as in delay=10ms or utilisation=98%; nearest: delay=5ms"
        ))
    };
    let (what, amount) = text.split_once('=').ok_or_else(malformed)?;
    let argument = |value: &str| format!("--goal {}={value}", what.trim());
    match what.trim() {
        "delay" => match values::read_as(amount, &DELAY, argument)? {
            Value::Time(delay) => Ok(Goal::Delay(delay)),
            _ => Err(malformed()),
        },
        "utilisation" => match values::read_as(amount, &SHARE, argument)? {
            Value::Number(share) => Ok(Goal::Utilisation(share)),
            _ => Err(malformed()),
        },
        _ => Err(malformed()),
    }
}
