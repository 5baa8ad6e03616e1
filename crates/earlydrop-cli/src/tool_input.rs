//! Another tool's configuration from the command line, and the load under which it is examined.

use earlydrop_report::request::{LoadOptions, ToolText};

use crate::diagnostics::STANDARD_INPUT;
use crate::failure::Failure;
use crate::standard_input;

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
    /// TCP's congestion control: reno, cubic, dctcp
    #[arg(long, value_name = "CONTROL", default_value = "cubic",
          value_parser = ["reno", "cubic", "dctcp"])]
    tcp: String,
    /// Whether the flows use ECN: on, off [default: off; on with dctcp]
    #[arg(long, value_name = "MODE", value_parser = ["on", "off"])]
    ecn: Option<String>,
    /// The traffic class that is meant, where the configuration has several
    #[arg(long, value_name = "NAME")]
    class: Option<String>,
    /// The profile that is meant, where the configuration has several
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The queue that is meant, where the configuration has several
    #[arg(long, value_name = "NAME")]
    queue: Option<String>,
    /// The buffer that percentages are of: 200ms, 1MB, 500packets
    #[arg(long, value_name = "LENGTH")]
    buffer: Option<String>,
}

impl LoadArguments {
    pub(crate) fn options(&self) -> LoadOptions {
        LoadOptions {
            link: self.link.clone(),
            rtt: self.rtt.clone(),
            flows: self.flows.clone(),
            packet: self.packet.clone(),
            tcp: Some(self.tcp.clone()),
            ecn: self.ecn.clone(),
            class: self.class.clone(),
            profile: self.profile.clone(),
            queue: self.queue.clone(),
            buffer: self.buffer.clone(),
        }
    }
}

/// The text that is given: a file's name, `-` for standard input, or the configuration itself.
pub(crate) fn tool_text(given: &str) -> Result<ToolText, Failure> {
    match given {
        "-" => Ok(ToolText {
            name: STANDARD_INPUT.to_string(),
            text: standard_input::read()?,
        }),
        given => Ok(ToolText::of(given)?),
    }
}
