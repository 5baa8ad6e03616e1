//! `earlydrop configure`: which parameters, why, and how far to trust what is expected.

mod screen;

use std::io::Write;
use std::path::PathBuf;

use earlydrop::registry::{Kind, Range, Spec, Value, nearest};
use earlydrop::units::Nanos;
use earlydrop_lab::files::write_whole;
use earlydrop_lab::verify::{self, Measurement, VerifyError};
use earlydrop_model::configure::{Goal, Question, Recommendation, configure};
use earlydrop_model::{Control, Load, ModelError, Tcp};
use earlydrop_report::configuration::{self, ConfigurationReport};

use crate::commands::threads;
use crate::draw::{Style, write_lines};
use crate::failure::Failure;
use crate::progress::stop_flag;

/// Choose a scheme's parameters for a link and its flows, with reasons and a prediction
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop configure --link 100Mbps --rtt 50ms --flows 150
  earlydrop configure --link 100Mbps --rtt 50ms --flows 150 --goal delay=10ms --verify
  earlydrop configure --link 1Gbps --rtt 20ms --flows 400 --scheme gred --ecn on --html red.html
  earlydrop configure --link 20Mbps --rtt 50ms --flows 20 --paste earlydrop > scenario.toml

Predictions are of long transfers that are alike; docs/explanation/the-model.md has their accuracy.")]
pub(crate) struct Configure {
    /// The bottleneck's rate: 100Mbps
    #[arg(long, value_name = "RATE")]
    link: String,
    /// The round trip without queues: 50ms
    #[arg(long, value_name = "TIME")]
    rtt: String,
    /// How many flows share the link
    #[arg(long, value_name = "COUNT")]
    flows: String,
    /// The scheme to configure; what it says itself stays: "red:max_p=0.1"
    #[arg(long, value_name = "SCHEME", default_value = "red")]
    scheme: String,
    /// What to achieve: delay=10ms, or utilisation=98%; 5 ms or what 98% take unless given
    #[arg(long, value_name = "GOAL")]
    goal: Option<String>,
    /// A packet on the wire
    #[arg(long, value_name = "SIZE", default_value = "1500 bytes")]
    packet: String,
    /// How much the buffer holds: "600 packets", "300 kB", "100 ms"; unless given, what the
    /// path does, and at least four packets a flow
    #[arg(long, value_name = "LENGTH")]
    buffer: Option<String>,
    /// How TCP controls its window: reno, cubic
    #[arg(long, value_name = "CONTROL", default_value = "cubic")]
    tcp: String,
    /// What TCP does about marks: off, on
    #[arg(long, value_name = "MODE", default_value = "off")]
    ecn: String,
    /// Also work out Chandrayana et al.'s open loop at this loss rate: 2%
    #[arg(long, value_name = "SHARE")]
    loss: Option<String>,
    /// Simulate the choice, and show prediction and measurement side by side
    #[arg(long)]
    verify: bool,
    /// With how many seeds it is simulated
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// Write everything as one page into this file, too
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print only the choice, ready to paste
    #[arg(long, value_name = "FORM", conflicts_with_all = ["json", "verify"])]
    paste: Option<String>,
    /// Write one JSON document on standard output instead
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(
    arguments: &Configure,
    out: &mut dyn Write,
    style: &Style,
) -> Result<(), Failure> {
    let question = question(arguments)?;
    if let Some(form) = &arguments.paste {
        configuration::check_form(form)?;
    }
    let found = configure(&question).map_err(refused)?;
    if let Some(form) = &arguments.paste {
        return Ok(write!(
            out,
            "{}",
            configuration::one_form(form, &found, arguments.seeds)?
        )?);
    }
    let report = ConfigurationReport {
        measured: match arguments.verify {
            true => Some(measured(&found, arguments.seeds)?),
            false => None,
        },
        configuration: found,
        question,
        seeds: arguments.seeds,
    };
    if let Some(path) = &arguments.html {
        write_whole(path, &configuration::page(&report))?;
    }
    if arguments.json {
        let text =
            serde_json::to_string_pretty(&configuration::document(&report)).unwrap_or_default();
        return Ok(writeln!(out, "{text}")?);
    }
    write_lines(out, &screen::lines(&report, style), style)?;
    if let Some(path) = &arguments.html {
        writeln!(out, "page: {}", path.display())?;
    }
    Ok(())
}

/// Simulates the chosen parameters.
fn measured(found: &Recommendation, seeds: u64) -> Result<Measurement, Failure> {
    let stop = stop_flag()?;
    let length = verify::RunLength::for_load(&found.load, seeds);
    let spec = &found.choices[0].advice.spec;
    let measured = verify::measure(&found.load, spec, length, threads(None), &stop);
    measured.map_err(|error| match error {
        VerifyError::Scenario(problems) => Failure::Scenario(problems),
        VerifyError::Stopped => Failure::Stopped(error.to_string()),
        other => Failure::Doing(other.to_string()),
    })
}

/// What the model refuses, named as the argument is.
fn refused(error: ModelError) -> Failure {
    match &error {
        ModelError::Outside { .. } => Failure::Usage(format!("--{error}")),
        ModelError::Config(problem) => Failure::Usage(format!("--scheme: {problem}")),
        ModelError::NoModel { .. } => Failure::Usage(format!(
            "--scheme: {error}; nearest: a scheme with a target, such as pie or ared"
        )),
        _ => Failure::Usage(error.to_string()),
    }
}

fn question(arguments: &Configure) -> Result<Question, Failure> {
    let load = load(arguments)?;
    let length = |text: &String| match read("buffer", text, Kind::Length(Range::POSITIVE))? {
        Value::Length(length) => Ok(length.in_packets(load.packet, load.rate.0 as f64)),
        _ => Err(unreadable("buffer", text)),
    };
    let share = Kind::Number(Range::POSITIVE_PROBABILITY, "share");
    let loss = |text: &String| number("loss", text, share);
    let scheme = arguments.scheme.parse::<Spec>();
    Ok(Question {
        load,
        scheme: scheme
            .map_err(|error| Failure::Usage(format!("--scheme {}: {error}", arguments.scheme)))?,
        buffer: arguments.buffer.as_ref().map(length).transpose()?,
        goal: arguments.goal.as_deref().map_or(Ok(Goal::Usual), goal)?,
        loss: arguments.loss.as_ref().map(loss).transpose()?,
    })
}

fn load(arguments: &Configure) -> Result<Load, Failure> {
    let controls = [("reno", Control::Reno), ("cubic", Control::Cubic)];
    let tcp = Tcp {
        control: one_of("tcp", &arguments.tcp, &controls)?,
        ecn: one_of("ecn", &arguments.ecn, &[("off", false), ("on", true)])?,
        ..Tcp::default()
    };
    let rate = Kind::Rate(Range::closed(1e3, 1e13));
    let packet = Kind::Bytes(Range::closed(100.0, 65_535.0));
    let flows = Kind::Count(Range::closed(1.0, 1e6), "flows");
    Ok(Load {
        rate: match read("link", &arguments.link, rate)? {
            Value::Rate(rate) => rate,
            _ => return Err(unreadable("link", &arguments.link)),
        },
        packet: match read("packet", &arguments.packet, packet)? {
            Value::Bytes(packet) => packet,
            _ => return Err(unreadable("packet", &arguments.packet)),
        },
        rtt: time("rtt", &arguments.rtt)?,
        flows: number("flows", &arguments.flows, flows)?,
        tcp,
    })
}

/// Reads a span from a microsecond to a hundred seconds.
fn time(option: &str, text: &str) -> Result<Nanos, Failure> {
    match read(option, text, Kind::Time(Range::closed(1e-6, 100.0)))? {
        Value::Time(span) => Ok(span),
        _ => Err(unreadable(option, text)),
    }
}

/// Reads a number of this kind.
fn number(option: &str, text: &str, kind: Kind) -> Result<f64, Failure> {
    match read(option, text, kind)? {
        Value::Number(number) => Ok(number),
        _ => Err(unreadable(option, text)),
    }
}

/// Reads an argument as a value of this kind.
fn read(option: &str, text: &str, kind: Kind) -> Result<Value, Failure> {
    kind.read(text.trim()).map_err(|near| {
        let allowed = kind.allowed();
        let near = near.map_or(String::new(), |near| {
            format!("; nearest: --{option} {near:?}")
        });
        Failure::Usage(format!("--{option} {text}: allowed: {allowed}{near}"))
    })
}

fn unreadable(option: &str, text: &str) -> Failure {
    Failure::Usage(format!("--{option} {text}: cannot be read"))
}

fn one_of<T: Copy>(option: &str, text: &str, known: &[(&str, T)]) -> Result<T, Failure> {
    let found = known.iter().find(|(name, _)| *name == text);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let near = nearest(text, names.iter().copied()).unwrap_or(names[0]);
        let names = names.join(", ");
        Failure::Usage(format!(
            "--{option} {text}: allowed: {names}; nearest: {near}"
        ))
    })
}

/// Reads `delay=10ms` or `utilisation=98%`.
fn goal(text: &str) -> Result<Goal, Failure> {
    let malformed = || {
        Failure::Usage(format!(
            "--goal {text}: allowed: delay=TIME or utilisation=SHARE, as in delay=10ms or utilisation=98%; nearest: delay=5ms"
        ))
    };
    let (what, amount) = text.split_once('=').ok_or_else(malformed)?;
    match what.trim() {
        "delay" => time("goal", amount).map(Goal::Delay),
        "utilisation" => {
            let share = Kind::Number(Range::PROBABILITY, "share");
            number("goal", amount, share).map(Goal::Utilisation)
        }
        _ => Err(malformed()),
    }
}
