//! Another tool's configuration from the command line, and the load under which it is examined.

use std::path::Path;

use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_lab::document::{Place, Problem, Problems};
use earlydrop_model::tools::{self, Configuration, ParseError, Tool};
use earlydrop_model::{Control, Load, Tcp};

use crate::failure::Failure;
use crate::standard_input::{self, STANDARD_INPUT};
use crate::values;

/// The link and its flows.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct LoadArguments {
    /// The link's rate [default: the configuration's, else 20 Mbps]
    #[arg(long, value_name = "RATE")]
    link: Option<String>,
    /// The RTT without queueing [default: 50 ms]
    #[arg(long, value_name = "TIME")]
    rtt: Option<String>,
    /// The number of long flows that share the link [default: 20]
    #[arg(long, value_name = "COUNT")]
    flows: Option<String>,
    /// The packet size [default: the configuration's, else 1500 bytes]
    #[arg(long, value_name = "SIZE")]
    packet: Option<String>,
    /// TCP's congestion control: reno, cubic
    #[arg(long, value_name = "CONTROL", default_value = "cubic", value_parser = ["reno", "cubic"])]
    tcp: String,
    /// Whether the flows use ECN: on, off
    #[arg(long, value_name = "MODE", default_value = "off", value_parser = ["on", "off"])]
    ecn: String,
}

/// A parsed configuration, and the load under which it is examined.
pub(crate) struct ToolInput {
    /// The text as given.
    pub(crate) text: String,
    pub(crate) configuration: Configuration,
    pub(crate) load: Load,
    /// The load in words, with the source of each part.
    pub(crate) load_in_words: String,
}

/// Parses `given`: a file's name, `-` for standard input, or the configuration itself.
pub(crate) fn read(
    given: &str,
    tool: Option<&'static Tool>,
    arguments: &LoadArguments,
) -> Result<ToolInput, Failure> {
    let (name, text) = source(given)?;
    let parse_failure = |refusal| parse_failure(&name, &text, refusal);
    let given = arguments.given()?;
    let mut load = given.load(None);
    let first = tools::read(&text, tool, &load.link()).map_err(parse_failure)?;
    // Automatic values depend on the link, which the configuration may define.
    load = given.load(Some(&first));
    let configuration = tools::read(&text, tool, &load.link()).map_err(parse_failure)?;
    load.check()?;
    Ok(ToolInput {
        load_in_words: given.load_in_words(&load, &configuration),
        text,
        configuration,
        load,
    })
}

/// A parse error in the form of a scenario's problem, with its place in the text.
fn parse_failure(name: &str, text: &str, refusal: ParseError) -> Failure {
    let place = Place::File(refusal.span.clone());
    Failure::Scenario(Problems {
        name: name.to_string(),
        text: text.to_string(),
        list: vec![Problem::new(&place, refusal.message, refusal.help)],
    })
}

/// The tool of this name; `option` names the argument in the error.
pub(crate) fn tool(option: &str, name: &str) -> Result<&'static Tool, Failure> {
    tools::named(name).map_err(|refusal| Failure::Usage(format!("{option} {name}: {refusal}")))
}

/// The name and the text of what is given.
fn source(given: &str) -> Result<(String, String), Failure> {
    if given == "-" {
        return Ok((STANDARD_INPUT.to_string(), standard_input::read()?));
    }
    let path = Path::new(given);
    // Text with a line end, or longer than any file name, is not a file's name.
    if given.len() < 4096 && !given.contains('\n') && path.is_file() {
        let read = std::fs::read_to_string(path);
        let text = read.map_err(|error| Failure::Usage(format!("{given}: {error}")))?;
        return Ok((given.to_string(), text));
    }
    let file_endings = [
        "toml", "txt", "cfg", "conf", "json", "ini", "tcl", "cc", "py",
    ];
    let extension = path.extension().and_then(|extension| extension.to_str());
    if !given.contains(char::is_whitespace)
        && extension.is_some_and(|end| file_endings.contains(&end))
    {
        return Err(Failure::Usage(format!("{given}: there is no such file")));
    }
    Ok(("the argument".to_string(), given.to_string()))
}

/// The arguments that describe the load, read.
struct GivenLoad<'a> {
    link: Option<BitsPerSec>,
    rtt: Option<Nanos>,
    flows: Option<f64>,
    packet: Option<Bytes>,
    tcp: &'a str,
    ecn: bool,
}

impl LoadArguments {
    fn given(&self) -> Result<GivenLoad<'_>, Failure> {
        let rtt = |text| values::time("rtt", text);
        Ok(GivenLoad {
            link: self.link.as_deref().map(values::link).transpose()?,
            rtt: self.rtt.as_deref().map(rtt).transpose()?,
            flows: self.flows.as_deref().map(values::flows).transpose()?,
            packet: self.packet.as_deref().map(values::packet).transpose()?,
            tcp: &self.tcp,
            ecn: self.ecn == "on",
        })
    }
}

impl GivenLoad<'_> {
    /// The load: arguments, else the configuration's values, else defaults.
    fn load(&self, configuration: Option<&Configuration>) -> Load {
        let usual = Load::default();
        let rate = configuration.and_then(|known| {
            let assumed = known.tool.assumed_rate;
            known.rate.value.or(assumed)
        });
        let packet = configuration.and_then(given_packet);
        Load {
            rate: self.link.or(rate).unwrap_or(usual.rate),
            packet: self.packet.or(packet).unwrap_or(usual.packet),
            rtt: self.rtt.unwrap_or(usual.rtt),
            flows: self.flows.unwrap_or(usual.flows),
            tcp: Tcp {
                control: match self.tcp {
                    "reno" => Control::Reno,
                    _ => Control::Cubic,
                },
                ecn: self.ecn,
                ..usual.tcp
            },
        }
    }

    /// "20 CUBIC flows on 10 Mbps (assumed by linux; --link), ...".
    fn load_in_words(&self, load: &Load, configuration: &Configuration) -> String {
        let name = configuration.tool.name;
        let rate = match (
            self.link,
            configuration.rate.value,
            configuration.tool.assumed_rate,
        ) {
            (Some(_), ..) => String::new(),
            (None, Some(_), _) => " (from the configuration; --link)".to_string(),
            (None, None, Some(_)) => format!(" (assumed by {name}; --link)"),
            (None, None, None) => " (--link)".to_string(),
        };
        let packet = match (self.packet, given_packet(configuration)) {
            (Some(_), _) => "",
            (None, Some(_)) => " (from the configuration; --packet)",
            (None, None) => " (--packet)",
        };
        let flag = |given: bool, option: &str| match given {
            true => String::new(),
            false => format!(" ({option})"),
        };
        format!(
            "{} {} flows{}{} on {}{rate}, RTT {}{}, packets of {} bytes{packet}",
            load.flows,
            if self.tcp == "reno" { "Reno" } else { "CUBIC" },
            flag(self.flows.is_some(), "--flows"),
            if load.tcp.ecn { " with ECN" } else { "" },
            load.rate,
            load.rtt,
            flag(self.rtt.is_some(), "--rtt"),
            load.packet.0,
        )
    }
}

/// The mean packet size that the text itself gives; a tool's default says nothing about the link.
fn given_packet(configuration: &Configuration) -> Option<Bytes> {
    let packet = &configuration.mean_packet;
    packet.value.filter(|_| packet.is_given())
}
