//! Another tool's configuration, and the load under which it is examined.

use std::path::Path;

use earlydrop::registry::{find, nearest};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_lab::document::{Place, Problem, Problems};
use earlydrop_lab::files::read_text;
use earlydrop_model::tools::{self, Configuration, Context, Origin, ParseError, Tool, WithOrigin};
use earlydrop_model::{Control, Load, Tcp};

use super::{RequestError, values};

/// The link and its flows, as text; what is `None` is the configuration's, or a default.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The link's rate: "20 Mbps".
    pub link: Option<String>,
    /// The RTT without queueing: "50 ms".
    pub rtt: Option<String>,
    /// The number of long flows that share the link.
    pub flows: Option<String>,
    /// The packet size: "1500 bytes".
    pub packet: Option<String>,
    /// TCP's congestion control: "reno" or "cubic", the default.
    pub tcp: Option<String>,
    /// Whether the flows use ECN: "on" or "off", the default.
    pub ecn: Option<String>,
    /// The traffic class that is meant, where the configuration has several.
    pub class: Option<String>,
    /// The profile that is meant, where the configuration has several.
    pub profile: Option<String>,
    /// The queue that is meant, where the configuration has several.
    pub queue: Option<String>,
    /// The buffer that percentages in the configuration are of: "200 ms", "1 MB", "500 packets".
    pub buffer: Option<String>,
}

/// A configuration in a tool's syntax.
#[derive(Clone, Debug)]
pub struct ToolText {
    /// What messages call it: the file's name.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A parsed configuration, and the load under which it is examined.
#[derive(Clone, Debug)]
pub struct ToolInput {
    /// The text as given.
    pub text: String,
    /// The configuration.
    pub configuration: Configuration,
    /// The load.
    pub load: Load,
    /// The load in words, with the source of each part.
    pub load_in_words: String,
}

impl ToolInput {
    /// Parses `given`, where the syntax is ambiguous as that of `tool`.
    pub fn read(
        given: &ToolText,
        tool: Option<&'static Tool>,
        options: &LoadOptions,
    ) -> Result<ToolInput, RequestError> {
        let text = &given.text;
        let parse_failure = |refusal| parse_failure(given, refusal);
        let given = options.read()?;
        let mut load = given.load(None);
        let read = |load: &Load| {
            tools::read_in(text, tool, &load.link(), &given.context).map_err(parse_failure)
        };
        let first = read(&load)?;
        if let (Some(share), None, None) = (&first.share, given.link, first.rate.value) {
            return Err(parse_failure(share_of_unknown_rate(share)));
        }
        // Automatic values depend on the link, which the configuration may define.
        load = given.load(Some(&first));
        let configuration = read(&load)?;
        load.check()?;
        Ok(ToolInput {
            load_in_words: given.load_in_words(options, &load, &configuration),
            text: text.clone(),
            configuration,
            load,
        })
    }
}

/// A share of the link's rate says nothing without the rate.
fn share_of_unknown_rate(share: &WithOrigin<f64>) -> ParseError {
    ParseError {
        span: match &share.origin {
            Origin::Given(span) => span.clone(),
            Origin::Implied(_) => 0..0,
        },
        message: format!("{}% of a rate that is not given", 100.0 * share.value),
        help: "give the link's rate: --link 100Mbps".to_string(),
    }
}

/// A parse error in the form of a scenario's problem, with its place in the text.
fn parse_failure(given: &ToolText, refusal: ParseError) -> RequestError {
    let place = Place::File(refusal.span.clone());
    RequestError::Input(Problems {
        name: given.name.clone(),
        text: given.text.clone(),
        list: vec![Problem::new(&place, refusal.message, refusal.help)],
    })
}

/// The tool of this name; `option` names the argument in the error.
pub fn tool(option: &str, name: &str) -> Result<&'static Tool, RequestError> {
    tools::named(name)
        .map_err(|refusal| RequestError::Option(format!("{option} {name}: {refusal}")))
}

/// The largest size of a configuration, in bytes.
const MAX_BYTES: u64 = 1 << 24;

impl ToolText {
    /// The text of the file of this name, or of whatever else can be read under it, or `given` itself where it is no file's name.
    pub fn of(given: &str) -> Result<ToolText, RequestError> {
        let path = Path::new(given);
        // Text with a line end, or longer than any file name, is not a file's name.
        let is_name = given.len() < 4096 && !given.contains('\n');
        if is_name && path.is_dir() && find(given).is_none() {
            let text = format!("{given} is a folder: a file or a configuration is needed");
            return Err(RequestError::Option(text));
        }
        // A pipe too, as a shell gives for <(tc qdisc show).
        if is_name && path.exists() && !path.is_dir() {
            let text = read_text(path, MAX_BYTES);
            let text = text.map_err(|error| RequestError::Option(error.to_string()))?;
            let name = given.to_string();
            return Ok(ToolText { name, text });
        }
        let file_endings = [
            "toml", "txt", "cfg", "conf", "json", "ini", "tcl", "cc", "py",
        ];
        let extension = path.extension().and_then(|extension| extension.to_str());
        if !given.contains(char::is_whitespace)
            && extension.is_some_and(|end| file_endings.contains(&end))
        {
            let text = format!("{given}: there is no such file");
            return Err(RequestError::Option(text));
        }
        Ok(ToolText {
            name: "the argument".to_string(),
            text: given.to_string(),
        })
    }

    /// The scheme that simulates a `tc qdisc` line other than red's.
    pub fn scheme_of_qdisc(&self) -> Result<String, RequestError> {
        tools::scheme_of_qdisc(&self.text).map_err(|refusal| parse_failure(self, refusal))
    }

    /// The egress of a configuration of OpenWrt's SQM.
    pub(crate) fn sqm_egress(&self) -> Result<tools::SqmEgress, RequestError> {
        tools::sqm_egress(&self.text).map_err(|refusal| parse_failure(self, refusal))
    }
}

/// The value of one of the known names; `option` is the argument's name in the error.
fn one_of<T: Copy>(option: &str, text: &str, known: &[(&str, T)]) -> Result<T, RequestError> {
    let value = known.iter().find(|(name, _)| *name == text);
    value.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let near = nearest(text, names.iter().copied()).unwrap_or(names[0]);
        let names = names.join(", ");
        RequestError::Option(format!(
            "--{option} {text}: allowed: {names}; nearest: {near}"
        ))
    })
}

/// TCP's congestion control by its name.
pub(crate) fn control(text: &str) -> Result<Control, RequestError> {
    let known: Vec<(&str, Control)> = Control::ALL.iter().map(|one| (one.name(), *one)).collect();
    one_of("tcp", text, &known)
}

/// Whether the flows use ECN: as given, else only where their congestion control needs it.
pub(crate) fn ecn_of(control: Control, given: Option<&str>) -> Result<bool, RequestError> {
    let given = given.map(ecn).transpose()?;
    match given {
        Some(false) if control.needs_ecn() => Err(RequestError::Option(format!(
            "--ecn off: {} without ECN is Reno; allowed: on; nearest: --ecn on, or --tcp reno",
            control.title()
        ))),
        given => Ok(given.unwrap_or(control.needs_ecn())),
    }
}

/// The use of ECN: "on" or "off".
fn ecn(text: &str) -> Result<bool, RequestError> {
    one_of("ecn", text, &[("off", false), ("on", true)])
}

/// The options that describe the load, read.
struct GivenLoad {
    link: Option<BitsPerSec>,
    rtt: Option<Nanos>,
    flows: Option<f64>,
    packet: Option<Bytes>,
    control: Control,
    ecn: bool,
    context: Context,
}

impl LoadOptions {
    /// The load that the options and their defaults give without a configuration.
    pub fn load(&self) -> Result<Load, RequestError> {
        let load = self.read()?.load(None);
        load.check()?;
        Ok(load)
    }

    /// "20 CUBIC flows (--flows) on 10 Mbps, RTT 50 ms (--rtt)": flows, rate and round trip, with the
    /// options that would change what is assumed. `rate` says where the rate is from.
    pub(crate) fn in_words(&self, load: &Load, rate: &str) -> String {
        let unless = |given: &Option<String>, option: &'static str| match given {
            Some(_) => "",
            None => option,
        };
        format!(
            "{}{}{} on {}{rate}, RTT {}{}",
            flows_in_words(load),
            unless(&self.flows, " (--flows)"),
            if load.tcp.ecn { " with ECN" } else { "" },
            load.rate,
            load.rtt,
            unless(&self.rtt, " (--rtt)"),
        )
    }

    fn read(&self) -> Result<GivenLoad, RequestError> {
        let rtt = |text| values::time("rtt", text);
        let tcp = self.tcp.as_deref().map(control).transpose()?;
        let tcp = tcp.unwrap_or(Control::Cubic);
        Ok(GivenLoad {
            link: self.link.as_deref().map(values::link).transpose()?,
            rtt: self.rtt.as_deref().map(rtt).transpose()?,
            flows: self.flows.as_deref().map(values::flows).transpose()?,
            packet: self.packet.as_deref().map(values::packet).transpose()?,
            control: tcp,
            ecn: ecn_of(tcp, self.ecn.as_deref())?,
            context: Context {
                class: self.class.clone(),
                profile: self.profile.clone(),
                queue: self.queue.clone(),
                buffer: self.buffer.as_deref().map(values::buffer).transpose()?,
            },
        })
    }
}

impl GivenLoad {
    /// The load: arguments, else the configuration's values, else defaults.
    fn load(&self, configuration: Option<&Configuration>) -> Load {
        let usual = Load::default();
        let rate = configuration.and_then(|known| {
            let assumed = known.tool.assumed_rate;
            known.rate.value.or(assumed)
        });
        let packet = configuration.and_then(given_packet);
        let share = configuration.and_then(|known| known.share.as_ref());
        let share = share.map_or(1.0, |share| share.value);
        let whole = self.link.or(rate).unwrap_or(usual.rate);
        Load {
            rate: BitsPerSec((share * whole.0 as f64) as u64),
            packet: self.packet.or(packet).unwrap_or(usual.packet),
            rtt: self.rtt.unwrap_or(usual.rtt),
            flows: self.flows.unwrap_or(usual.flows),
            tcp: Tcp {
                control: self.control,
                ecn: self.ecn,
                ..usual.tcp
            },
        }
    }

    /// "20 CUBIC flows on 10 Mbps (assumed by linux; --link), ...".
    fn load_in_words(
        &self,
        options: &LoadOptions,
        load: &Load,
        configuration: &Configuration,
    ) -> String {
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
        let rate = match &configuration.share {
            Some(share) => format!(" ({}% of the link, --link)", 100.0 * share.value),
            None => rate,
        };
        let packet = match (self.packet, given_packet(configuration)) {
            (Some(_), _) => "",
            (None, Some(_)) => " (from the configuration; --packet)",
            (None, None) => " (--packet)",
        };
        let load_and_rate = options.in_words(load, &rate);
        format!(
            "{load_and_rate}, packets of {} bytes{packet}",
            load.packet.0
        )
    }
}

/// "20 CUBIC flows", "1 CUBIC flow".
pub(crate) fn flows_in_words(load: &Load) -> String {
    let plural = if load.flows == 1.0 { "" } else { "s" };
    format!("{} {} flow{plural}", load.flows, load.tcp.control.title())
}

/// The mean packet size that the text itself gives; a tool's default says nothing about the link.
fn given_packet(configuration: &Configuration) -> Option<Bytes> {
    let packet = &configuration.mean_packet;
    packet.value.filter(|_| packet.is_given())
}
