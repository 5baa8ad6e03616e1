//! Another tool's configuration as it is given on the command line, and what it is looked at
//! with: a link, a round trip, flows.

use std::io::Read;
use std::path::Path;

use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_lab::document::{Place, Problem, Problems};
use earlydrop_model::dialects::{self, Configuration, Dialect, Refusal};
use earlydrop_model::{Control, Load, Tcp};

use crate::failure::Failure;

/// What flows over which link.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Situation {
    /// The link's rate; unless given, the one that the configuration tells, or 20 Mbps
    #[arg(long, value_name = "RATE")]
    link: Option<BitsPerSec>,
    /// The round trip without queues [default: 50 ms]
    #[arg(long, value_name = "TIME")]
    rtt: Option<Nanos>,
    /// How many long flows share the link [default: 20]
    #[arg(long, value_name = "COUNT")]
    flows: Option<f64>,
    /// A packet's size; unless given, the one that the configuration tells, or 1500 bytes
    #[arg(long, value_name = "SIZE")]
    packet: Option<Bytes>,
    /// How TCP controls its window: reno, cubic
    #[arg(long, value_name = "CONTROL", default_value = "cubic", value_parser = ["reno", "cubic"])]
    tcp: String,
    /// Whether the flows ask for marks: on, off
    #[arg(long, value_name = "MODE", default_value = "off", value_parser = ["on", "off"])]
    ecn: String,
}

/// A configuration that was read, and what it is looked at with.
pub(crate) struct Reading {
    /// As it was given.
    pub(crate) text: String,
    pub(crate) configuration: Configuration,
    pub(crate) load: Load,
    /// What the load is, and where each part is from.
    pub(crate) told: String,
}

/// Reads `given`: a file, standard input for `-`, or the text itself.
pub(crate) fn read(
    given: &str,
    tool: Option<&'static Dialect>,
    situation: &Situation,
) -> Result<Reading, Failure> {
    let (name, text) = source(given)?;
    let refuse = |refusal| refused(&name, &text, refusal);
    let mut load = situation.load(None);
    let first = dialects::read(&text, tool, &load.link()).map_err(refuse)?;
    // What it tells of the link may change what automatic values come to.
    load = situation.load(Some(&first));
    let configuration = dialects::read(&text, tool, &load.link()).map_err(refuse)?;
    load.check()?;
    Ok(Reading {
        told: situation.told(&load, &configuration),
        text,
        configuration,
        load,
    })
}

/// A refusal as the scenario's problems are told: with its place in the text.
fn refused(name: &str, text: &str, refusal: Refusal) -> Failure {
    let place = Place::File(refusal.span.clone());
    Failure::Scenario(Problems {
        name: name.to_string(),
        text: text.to_string(),
        list: vec![Problem::new(&place, refusal.message, refusal.help)],
    })
}

/// The tool of this name, told with `option` where there is none.
pub(crate) fn tool(option: &str, name: &str) -> Result<&'static Dialect, Failure> {
    dialects::named(name).map_err(|refusal| Failure::Usage(format!("{option} {name}: {refusal}")))
}

fn source(given: &str) -> Result<(String, String), Failure> {
    if given == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text)?;
        return Ok(("standard input".to_string(), text));
    }
    let path = Path::new(given);
    // What has a line's end or is as long as no name is text without asking.
    if given.len() < 4096 && !given.contains('\n') && path.is_file() {
        let read = std::fs::read_to_string(path);
        let text = read.map_err(|error| Failure::Usage(format!("{given}: {error}")))?;
        return Ok((given.to_string(), text));
    }
    let file = [
        "toml", "txt", "cfg", "conf", "json", "ini", "tcl", "cc", "py",
    ];
    let extension = path.extension().and_then(|extension| extension.to_str());
    if !given.contains(char::is_whitespace) && extension.is_some_and(|end| file.contains(&end)) {
        return Err(Failure::Usage(format!("{given}: there is no such file")));
    }
    Ok(("the argument".to_string(), given.to_string()))
}

impl Situation {
    fn load(&self, configuration: Option<&Configuration>) -> Load {
        let usual = Load::default();
        let rate = configuration.and_then(|known| {
            let assumed = known.dialect.assumed_rate;
            known.rate.value.or(assumed)
        });
        let packet = configuration.and_then(told_packet);
        Load {
            rate: self.link.or(rate).unwrap_or(usual.rate),
            packet: self.packet.or(packet).unwrap_or(usual.packet),
            rtt: self.rtt.unwrap_or(usual.rtt),
            flows: self.flows.unwrap_or(usual.flows),
            tcp: Tcp {
                control: match self.tcp.as_str() {
                    "reno" => Control::Reno,
                    _ => Control::Cubic,
                },
                ecn: self.ecn == "on",
                ..usual.tcp
            },
        }
    }

    /// "20 CUBIC flows on 10 Mbps (as tc takes it), ...".
    fn told(&self, load: &Load, configuration: &Configuration) -> String {
        let name = configuration.dialect.name;
        let rate = match (
            self.link,
            configuration.rate.value,
            configuration.dialect.assumed_rate,
        ) {
            (Some(_), ..) => String::new(),
            (None, Some(_), _) => " (as it says; --link)".to_string(),
            (None, None, Some(_)) => format!(" (as {name} takes it; --link)"),
            (None, None, None) => " (--link)".to_string(),
        };
        let packet = match (self.packet, told_packet(configuration)) {
            (Some(_), _) => "",
            (None, Some(_)) => " (as it says; --packet)",
            (None, None) => " (--packet)",
        };
        let flag = |given: bool, option: &str| match given {
            true => String::new(),
            false => format!(" ({option})"),
        };
        format!(
            "{} {} flows{}{} on {}{rate}, round trips of {}{}, packets of {} bytes{packet}",
            load.flows,
            if self.tcp == "reno" { "Reno" } else { "CUBIC" },
            flag(self.flows.is_some(), "--flows"),
            if load.tcp.ecn {
                " that ask for marks"
            } else {
                ""
            },
            load.rate,
            load.rtt,
            flag(self.rtt.is_some(), "--rtt"),
            load.packet.0,
        )
    }
}

/// The packet that the text itself tells; a tool's default says nothing of the link's.
fn told_packet(configuration: &Configuration) -> Option<Bytes> {
    let told = &configuration.mean_packet;
    told.value.filter(|_| told.is_given())
}
