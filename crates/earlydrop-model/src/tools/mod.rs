//! Other tools' knobs: what a configuration of the RED family says in each, what it means,
//! and the nearest that another tool can be knobs.
//!
//! ```
//! use earlydrop::registry::Link;
//! use earlydrop::units::BitsPerSec;
//! use earlydrop_model::tools::{find, read, translate};
//!
//! let link = Link::at(BitsPerSec::from_mbps(10));
//! let text = "tc qdisc add dev eth0 root red limit 400000 min 30000 max 90000 \
//!             avpkt 1000 burst 55 probability 0.02 ecn";
//! let linux = read(text, None, &link)?;
//! let dpdk = translate(&linux, find("dpdk").unwrap(), &link)?;
//! assert!(dpdk.text.contains("tc 0 wred inv prob = 25 25 25"), "{}", dpdk.text);
//! # Ok::<(), earlydrop_model::tools::ParseError>(())
//! ```

mod cisco;
mod configuration;
mod differences;
mod dpdk;
mod inet;
mod json;
mod junos;
mod knob_table;
mod linux;
mod native;
mod ns2;
mod ns3;
mod parse;
mod sonic;
mod spec;
pub mod tc;
mod token;
mod translation;

use std::fmt;
use std::ops::Range;

use earlydrop::red::Spacing;
use earlydrop::registry::{Link, Spec, nearest};
use earlydrop::units::BitsPerSec;

pub use configuration::{Adapt, Class, Configuration, Marking, Origin, Shape, WithOrigin};
pub(crate) use differences::describe;
pub use differences::{Difference, differences};
pub use knob_table::knob_table;
pub use translation::{
    LostKnob, Translation, equivalent_max_p, ratio_in_words, translate, word_for_word,
};

/// A tool's way to write a configuration of the RED family.
#[derive(Debug)]
pub struct Tool {
    /// Its name on the command line.
    pub name: &'static str,
    /// The tool.
    pub title: &'static str,
    /// Words by which its text is known.
    signs: &'static [&'static str],
    /// How it spaces drops unless configured otherwise.
    pub spacing: Spacing,
    /// The ways of spacing that it can be knobs.
    spacings: &'static [Spacing],
    /// How it is known.
    pub spacing_source: &'static str,
    /// The link's rate that it takes where it is not given.
    pub assumed_rate: Option<BitsPerSec>,
    /// What it calls its knobs.
    pub knobs: &'static [KnobName],
    /// What it cannot be knobs, and why.
    lacks: &'static [(Knob, &'static str)],
    read: fn(&str, &Link) -> Result<Configuration, ParseError>,
    write: fn(&Configuration, &Link) -> String,
}

/// Tools are knobs apart by their names.
impl PartialEq for Tool {
    fn eq(&self, other: &Tool) -> bool {
        self.name == other.name
    }
}

/// What a tool calls a knob.
#[derive(Clone, Copy, Debug)]
pub struct KnobName {
    /// The knob.
    pub knob: Knob,
    /// The tool's name for it.
    pub name: &'static str,
    /// The unit it is written in.
    pub unit: &'static str,
    /// What it is unless set.
    pub default: &'static str,
}

/// For tables: a knob's name, unit and default in one tool.
const fn called(
    knob: Knob,
    name: &'static str,
    unit: &'static str,
    default: &'static str,
) -> KnobName {
    KnobName {
        knob,
        name,
        unit,
        default,
    }
}

macro_rules! knobs {
    ($($knob:ident, $name:literal, $meaning:literal;)+) => {
        /// What can be set, whatever it is called.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Knob {
            $(#[doc = $meaning] $knob),+
        }

        impl Knob {
            /// All of them, in the order they are knobs.
            pub const ALL: &'static [Knob] = &[$(Knob::$knob),+];

            /// Its name in tables.
            pub fn name(self) -> &'static str {
                match self { $(Knob::$knob => $name),+ }
            }

            /// What it is for, in one sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Knob::$knob => $meaning),+ }
            }
        }
    };
}

knobs! {
    Classes, "classes", "which traffic has thresholds of its own";
    Min, "min", "nothing is dropped early while the average queue is below";
    Max, "max", "from here on everything is dropped, unless gentle";
    MaxP, "max_p", "the initial probability just below max";
    Shape, "curve", "how the probability goes from min to where everything is dropped";
    Limit, "limit", "how much the buffer holds; what comes beyond is lost";
    Weight, "weight", "how much one packet's view of the queue counts in the average";
    Unit, "unit", "what the queue is measured in";
    Packet, "mean packet", "the typical packet";
    BySize, "by size", "whether larger packets are likelier to be dropped";
    Spacing, "spacing", "how drops lie apart, and so how many there are at one probability";
    Cautious, "cautious", "whether the first packet above min and a queue of one are spared";
    Idle, "idle", "how the average decays while nothing waits";
    Ecn, "ecn", "whether ECN-capable packets are marked instead";
    Adapt, "adapt", "what moves max_p while it runs";
    Rate, "rate", "the link's rate, where the tool needs it";
}

/// Every tool known, earlydrop itself last.
pub static TOOLS: &[&Tool] = &[
    &linux::TOOL,
    &ns2::TOOL,
    &ns3::TOOL,
    &dpdk::TOOL,
    &cisco::TOOL,
    &junos::TOOL,
    &sonic::TOOL,
    &inet::TOOL,
    &native::TOOL,
];

/// Why a text cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The bytes of the text that are wrong.
    pub span: Range<usize>,
    /// What is wrong, with the value.
    pub message: String,
    /// What is allowed, and the nearest that would do.
    pub help: String,
}

impl ParseError {
    fn of_all(text: &str, message: impl Into<String>, help: impl Into<String>) -> ParseError {
        ParseError {
            span: 0..text.len(),
            message: message.into(),
            help: help.into(),
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.help.is_empty() {
            true => f.write_str(&self.message),
            false => write!(f, "{}; {}", self.message, self.help),
        }
    }
}

impl std::error::Error for ParseError {}

/// The tool of this name.
pub fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().copied().find(|tool| tool.name == name)
}

/// The tool of this name, or what to say about it.
pub fn named(name: &str) -> Result<&'static Tool, ParseError> {
    find(name).ok_or_else(|| {
        let names = || TOOLS.iter().map(|tool| tool.name);
        let all = names().collect::<Vec<_>>().join(", ");
        let guess = nearest(name, names()).map(|guess| format!("did you mean '{guess}'? "));
        let help = format!("{}known: {all}", guess.unwrap_or_default());
        ParseError::of_all(name, format!("no tool is called '{name}'"), help)
    })
}

/// The tool whose words the text has.
pub fn detect(text: &str) -> Result<&'static Tool, ParseError> {
    let speaks = |tool: &&&Tool| {
        let sign = |sign: &&str| text.contains(*sign);
        tool.signs.iter().any(sign) || (tool.name == native::TOOL.name && native::is_spec(text))
    };
    let found: Vec<&Tool> = TOOLS.iter().filter(speaks).copied().collect();
    let all = || {
        let names = TOOLS.iter().map(|tool| tool.name);
        format!(
            "say which by --as: {}",
            names.collect::<Vec<_>>().join(", ")
        )
    };
    match found.as_slice() {
        [tool] => Ok(tool),
        [] => Err(ParseError::of_all(
            text,
            "no tool's words stand in this",
            all(),
        )),
        several => {
            let names: Vec<&str> = several.iter().map(|tool| tool.name).collect();
            let message = format!("this has words of several tools: {}", names.join(", "));
            Err(ParseError::of_all(text, message, all()))
        }
    }
}

/// Reads a configuration written for `tool`, or for the tool whose words it has. `link` says
/// how fast the link is and how large its packets are, for what depends on either.
pub fn read(
    text: &str,
    tool: Option<&'static Tool>,
    link: &Link,
) -> Result<Configuration, ParseError> {
    let tool = match tool {
        Some(tool) => tool,
        None => detect(text)?,
    };
    let configuration = (tool.read)(text, link)?;
    check(&configuration, text, link)?;
    Ok(configuration)
}

/// The configuration of a scheme of earlydrop's, to be written for other tools; refused where
/// it is not RED with other knobs.
pub fn of_spec(spec: &Spec, link: &Link) -> Result<Configuration, ParseError> {
    read(&spec.to_string(), Some(&native::TOOL), link)
}

/// The longest queue that is reckoned with, in packets or bytes.
const LONGEST: f64 = 1e12;

/// What no tool can do, whichever it was written for.
fn check(configuration: &Configuration, text: &str, link: &Link) -> Result<(), ParseError> {
    let unit = if configuration.in_bytes {
        "bytes"
    } else {
        "packets"
    };
    for class in &configuration.classes {
        let (min, max) = (class.min.value, class.max.value);
        let place = match (&class.max.origin, &class.min.origin) {
            (Origin::Given(span), _) | (_, Origin::Given(span)) => span.clone(),
            _ => 0..text.len(),
        };
        let of = match class.name.is_empty() {
            true => String::new(),
            false => format!("{}: ", class.name),
        };
        let (low, high) = (token::digits(min, 6), token::digits(max, 6));
        if max > LONGEST || max.is_nan() {
            return Err(ParseError {
                span: place,
                message: format!("{of}max {high} {unit} is more than any queue holds"),
                help: format!("nearest: {LONGEST}"),
            });
        }
        if min > max || max <= 0.0 {
            return Err(ParseError {
                span: place,
                message: format!("{of}min {low} {unit} is above max {high} {unit}"),
                help: format!(
                    "nearest: max {} (three times min)",
                    token::digits(3.0 * min, 6)
                ),
            });
        }
        if let Some(limit) = configuration.limit_in_unit(link)
            && limit < max
        {
            let limit = token::digits(limit, 6);
            return Err(ParseError {
                span: place,
                message: format!("{of}max {high} {unit} lies above the buffer, {limit} {unit}"),
                help: format!("nearest: a max of {limit} {unit}, or a larger buffer"),
            });
        }
    }
    let first = configuration.classes.first().map(|_| ());
    first.ok_or_else(|| ParseError::of_all(text, "no thresholds stand in this", ""))
}
