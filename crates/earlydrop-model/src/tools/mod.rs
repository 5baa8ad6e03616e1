//! RED configurations of other tools: reads them, explains their knobs, and translates them.
//!
//! [`TOOLS`] lists those that are read and written; each has its knobs, its parser and its writer in
//! one file. [`READ_ONLY`] lists tools that are read and not written.
//!
//! - [`read`] turns a text into a [`Configuration`], which is the same type for every tool.
//! - [`translate`] writes a configuration for another tool. It then reads the result back and
//!   compares, so that [`Translation::lost`] lists every knob that changed.
//! - [`knob_table`] lists what each tool calls each knob, as Markdown.
//!
//! ```
//! use earlydrop::registry::LinkFacts;
//! use earlydrop::units::BitsPerSec;
//! use earlydrop_model::tools::{find, read, translate};
//!
//! let link = LinkFacts::at(BitsPerSec::from_mbps(10));
//! let text = "tc qdisc add dev eth0 root red limit 400000 min 30000 max 90000 \
//!             avpkt 1000 burst 55 probability 0.02 ecn";
//! let linux = read(text, None, &link)?;
//! let dpdk = translate(&linux, find("dpdk").unwrap(), &link)?;
//! assert!(dpdk.text.contains("tc 0 wred inv prob = 25 25 25"), "{}", dpdk.text);
//! # Ok::<(), earlydrop_model::tools::ParseError>(())
//! ```

mod cisco;
mod configuration;
mod context;
mod differences;
mod disciplines;
mod dpdk;
mod ets;
mod gred;
mod inet;
mod json;
mod junos;
mod keyword_lines;
mod knob_table;
mod ledger;
mod linux;
mod native;
mod ns2;
mod ns3;
mod openconfig;
mod parse;
mod qdisc;
mod qdisc_text;
mod sonic;
mod spec;
mod sqm;
pub mod tc;
mod tc_line;
mod tc_units;
mod token;
mod translation;

pub(crate) use token::digits;

use std::fmt;
use std::ops::Range;

use earlydrop::red::Spacing;
use earlydrop::registry::{LinkFacts, Spec, nearest};
use earlydrop::units::BitsPerSec;

pub use configuration::{Adapt, Class, Configuration, Marking, Origin, Shape, WithOrigin};
pub use context::Context;
use context::{Object, Source};
pub(crate) use differences::describe;
pub use differences::{Difference, differences};
pub use knob_table::knob_table;
pub(crate) use linux::{linux_command, warning};
pub use qdisc::{is_other_qdisc, scheme_of_qdisc};
pub use qdisc_text::{Otherwise, QdiscText, qdisc_of_scheme};
pub use sqm::{SqmEgress, is_sqm, sqm_egress};
pub(crate) use translation::rewrite;
pub use translation::{
    LostKnob, Translation, equivalent_max_p, ratio_in_words, translate, word_for_word,
};

/// A tool that has RED: its configuration language, its knobs and its spacing law.
#[derive(Debug)]
pub struct Tool {
    /// The tool's name on the command line, such as `linux`.
    pub name: &'static str,
    /// The tool's full name and its RED, such as "Linux, tc red".
    pub title: &'static str,
    /// A text that contains one of these is taken for this tool's.
    keywords: &'static [&'static str],
    /// The default law for the gap between two drops.
    pub spacing: Spacing,
    /// The spacing laws that the tool can be configured to use.
    supported_spacings: &'static [Spacing],
    /// Where the default law is documented.
    pub spacing_source: &'static str,
    /// The link rate that the tool assumes if the configuration gives none.
    pub assumed_rate: Option<BitsPerSec>,
    /// The tool's names for the knobs it has.
    pub knobs: &'static [KnobName],
    /// Which knobs it cannot express exactly, and why.
    limitations: &'static [(Knob, &'static str)],
    /// What a text may have several of.
    objects: &'static [Object],
    /// Whether its texts may have another tool's keywords: IOS XR's have those of IOS.
    is_special: bool,
    read: fn(&Source<'_>) -> Result<Configuration, ParseError>,
    write: Option<fn(&Configuration, &LinkFacts) -> String>,
}

/// Two tools are equal if their names are.
impl PartialEq for Tool {
    fn eq(&self, other: &Tool) -> bool {
        self.name == other.name
    }
}

/// A knob's name, unit and default in one tool.
#[derive(Clone, Copy, Debug)]
pub struct KnobName {
    /// The knob.
    pub knob: Knob,
    /// The tool's name for it.
    pub name: &'static str,
    /// The unit of the value in the tool's text.
    pub unit: &'static str,
    /// The tool's default, in words.
    pub default: &'static str,
}

/// Shorthand for the tables of knobs in this module's files.
const fn knob(
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
        /// A parameter of RED, independent of the tool's name for it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Knob {
            $(#[doc = $meaning] $knob),+
        }

        impl Knob {
            /// Every knob, in the order of reports and tables.
            pub const ALL: &'static [Knob] = &[$(Knob::$knob),+];

            /// The knob's name in tables and JSON.
            pub fn name(self) -> &'static str {
                match self { $(Knob::$knob => $name),+ }
            }

            /// The knob's purpose, as half a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Knob::$knob => $meaning),+ }
            }
        }
    };
}

knobs! {
    Classes, "classes", "which traffic has its own thresholds";
    Min, "min", "no early drops while the average queue is below";
    Max, "max", "every packet is dropped from this average on, unless gentle";
    MaxP, "max_p", "the drop probability just below max, before spacing";
    Shape, "curve", "the shape of the drop probability above min";
    Limit, "limit", "the buffer size; packets beyond it are lost";
    Weight, "weight", "the weight of one sample in the moving average";
    Unit, "unit", "the unit of the queue length";
    Packet, "mean packet", "the mean packet size";
    BySize, "by size", "whether the probability grows with packet size";
    Spacing, "spacing", "the law of gaps between drops; it sets the drop rate at a given probability";
    Cautious, "cautious", "whether the first packet above min, and any in a queue of one packet, is kept";
    Idle, "idle", "how the average decays while the queue is empty";
    Ecn, "ecn", "whether ECN-capable packets are marked instead of dropped";
    Adapt, "adapt", "what adapts max_p at run time";
    Rate, "rate", "the link rate, if the tool needs it";
}

/// Every supported tool, earlydrop last.
pub static TOOLS: &[&Tool] = &[
    &linux::TOOL,
    &ns2::TOOL,
    &ns3::TOOL,
    &dpdk::TOOL,
    &cisco::TOOL,
    &cisco::IOS_XR,
    &keyword_lines::vendors::NXOS,
    &keyword_lines::vendors::EOS,
    &junos::TOOL,
    &sonic::TOOL,
    &inet::TOOL,
    &native::TOOL,
];

/// Tools whose configurations are read and not written.
pub static READ_ONLY: &[&Tool] = &[
    &keyword_lines::vendors::HUAWEI,
    &keyword_lines::vendors::MIKROTIK,
    &keyword_lines::vendors::VYOS,
    &openconfig::TOOL,
];

/// Every tool that is read.
pub fn all_tools() -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().chain(READ_ONLY).copied()
}

/// Why a text is not a valid configuration, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The byte range of the error in the text.
    pub span: Range<usize>,
    /// The error, with the offending value.
    pub message: String,
    /// The allowed values and the nearest valid one; may be empty.
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

/// The tool called `name`.
pub fn find(name: &str) -> Option<&'static Tool> {
    all_tools().find(|tool| tool.name == name)
}

/// The tool called `name`, or an error that suggests the nearest name.
pub fn named(name: &str) -> Result<&'static Tool, ParseError> {
    find(name).ok_or_else(|| {
        let names = || all_tools().map(|tool| tool.name);
        let all = names().collect::<Vec<_>>().join(", ");
        let guess = nearest(name, names()).map(|guess| format!("did you mean '{guess}'? "));
        let help = format!("{}known: {all}", guess.unwrap_or_default());
        ParseError::of_all(name, format!("no tool is called '{name}'"), help)
    })
}

/// Recognises the tool by the keywords in `text`. Fails if none or several tools match.
pub fn detect(text: &str) -> Result<&'static Tool, ParseError> {
    let matches = |tool: &&'static Tool| {
        let keyword = |keyword: &&str| text.contains(*keyword);
        tool.keywords.iter().any(keyword)
            || (tool.name == native::TOOL.name && native::is_spec(text))
    };
    let mut matching: Vec<&'static Tool> = all_tools().filter(matches).collect();
    if matching.iter().any(|tool| tool.is_special) {
        matching.retain(|tool| tool.is_special);
    }
    let all = || {
        let names = all_tools().map(|tool| tool.name);
        format!(
            "choose one with --as: {}",
            names.collect::<Vec<_>>().join(", ")
        )
    };
    match matching.as_slice() {
        [tool] => Ok(tool),
        [] => {
            let meant = native::nearly_a_scheme(text);
            let meant = meant.map(|scheme| format!("did you mean '{scheme}'? Or "));
            let help = format!("{}{}", meant.unwrap_or_default(), all());
            let message = "no known tool is recognised in this text";
            Err(ParseError::of_all(text, message, help))
        }
        several => {
            let names: Vec<&str> = several.iter().map(|tool| tool.name).collect();
            let message = format!(
                "this text has keywords of several tools: {}",
                names.join(", ")
            );
            Err(ParseError::of_all(text, message, all()))
        }
    }
}

/// Reads a configuration written for `tool`; `None` detects the tool.
///
/// `link` supplies the rate and packet size that some tools need to derive values.
pub fn read(
    text: &str,
    tool: Option<&'static Tool>,
    link: &LinkFacts,
) -> Result<Configuration, ParseError> {
    read_in(text, tool, link, &Context::default())
}

/// [`read`] where more is known: which of several objects is meant, and the buffer.
pub fn read_in(
    text: &str,
    tool: Option<&'static Tool>,
    link: &LinkFacts,
    context: &Context,
) -> Result<Configuration, ParseError> {
    let tool = match tool {
        Some(tool) => tool,
        None => detect(text)?,
    };
    context.check(tool, text)?;
    let source = Source {
        text,
        link,
        context,
    };
    let mut configuration = (tool.read)(&source)?;
    if let (None, Some(buffer)) = (configuration.limit.value, context.buffer) {
        configuration.assume_buffer(buffer, "--buffer");
    }
    configuration.context = context.clone();
    check(&configuration, text, link)?;
    Ok(configuration)
}

/// Converts a scheme of earlydrop for translation. Fails unless the scheme is a RED variant.
pub fn of_spec(spec: &Spec, link: &LinkFacts) -> Result<Configuration, ParseError> {
    read(&spec.to_string(), Some(&native::TOOL), link)
}

/// The largest accepted threshold, in packets or bytes.
const LONGEST: f64 = 1e12;

/// Rejects thresholds that no tool accepts, whichever wrote them.
fn check(configuration: &Configuration, text: &str, link: &LinkFacts) -> Result<(), ParseError> {
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
                message: format!("{of}max {high} {unit} is longer than any queue"),
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
                message: format!("{of}max {high} {unit} is above the buffer, {limit} {unit}"),
                help: format!("nearest: a max of {limit} {unit}, or a larger buffer"),
            });
        }
    }
    let first = configuration.classes.first().map(|_| ());
    first.ok_or_else(|| ParseError::of_all(text, "this text contains no thresholds", ""))
}
