//! `earlydrop configure`: recommends parameters for a link and its flows, with a prediction.

mod fabric;
mod terminal;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use earlydrop_lab::files::{NewFile, Signature};
use earlydrop_report::configuration::fabric::FabricOptions;
use earlydrop_report::configuration::{self, ConfigureOptions};

use crate::commands::threads;
use crate::draw::Style;
use crate::failure::Failure;
use crate::notices::Notices;
use crate::output::Output;
use crate::outputs::Overwriting;
use crate::progress::{Line, stop_flag};

/// Options of a link and its flows that say nothing about a fabric.
const FLOWS_ONLY: [&str; 10] = [
    "flows", "scheme", "goal", "tcp", "ecn", "method", "loss", "windows", "timeout", "html",
];

/// Choose a scheme's parameters for a link and its flows, with a prediction
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop configure --link 100Mbps --rtt 50ms --flows 150
  earlydrop configure --link 100Mbps --rtt 50ms --flows 150 --goal delay=10ms
  earlydrop configure --link 1Gbps --rtt 20ms --flows 400 --scheme gred --ecn on --html red.html
  earlydrop configure --link 20Mbps --rtt 50ms --flows 20 --paste earlydrop > scenario.toml
  earlydrop configure --link 100Mbps --rtt 50ms --flows 150 --method paper --paste linux
  earlydrop configure --fabric --link 100Gbps --rtt 10us --ports 32 --buffer 32MB

Predictions assume long, homogeneous transfers; docs/explanation/the-model.md has their accuracy.")]
pub(crate) struct Configure {
    /// The bottleneck's rate: 100Mbps
    #[arg(long, value_name = "RATE")]
    link: String,
    /// The RTT without queueing: 50ms
    #[arg(long, value_name = "TIME")]
    rtt: String,
    /// The number of flows that share the link
    #[arg(long, value_name = "COUNT", required_unless_present = "fabric")]
    flows: Option<String>,
    /// Choose Kmin, Kmax, Pmax and the thresholds of pauses (PFC) for switches of a data centre: by
    /// published rules, by the model and by search, judged by simulation. --buffer is then what the
    /// ports of a switch share [default: 32 MB]
    #[arg(long, conflicts_with_all = FLOWS_ONLY)]
    fabric: bool,
    /// With --fabric: the number of ports of a switch [default: 32]
    #[arg(long, value_name = "COUNT")]
    ports: Option<String>,
    /// With --fabric: the senders: dcqcn, dctcp, cubic [default: dcqcn]
    #[arg(long, value_name = "NAME")]
    transport: Option<String>,
    /// With --fabric: the network card that DCQCN's parameters are of: zhu, connectx, hpcc [default:
    /// zhu]
    #[arg(long, value_name = "NAME")]
    card: Option<String>,
    /// With --fabric: a cable's length or delay, for the headroom of pauses: "300 m", "1.5 us"
    /// [default: an eighth of the RTT]
    #[arg(long, value_name = "LENGTH")]
    cable: Option<String>,
    /// The scheme to configure; parameters given with it, or by a preset, are kept: "red:max_p=0.1",
    /// "nlred:as=paper". With min or max among them, these are judged, and compared with each
    /// method's
    #[arg(long, value_name = "SCHEME", default_value = "red")]
    scheme: String,
    /// The goal: delay=10ms or utilisation=98% [default: the shortest stable delay with a full link;
    /// midway between given thresholds]
    #[arg(long, value_name = "GOAL")]
    goal: Option<String>,
    /// The packet size on the wire
    #[arg(long, value_name = "SIZE", default_value = "1500 bytes")]
    packet: String,
    /// The buffer size: "600 packets", "300 kB", "100 ms" [default: the bandwidth-delay product,
    /// at least four packets per flow]
    #[arg(long, value_name = "LENGTH")]
    buffer: Option<String>,
    /// TCP's congestion control: reno, cubic, dctcp
    #[arg(long, value_name = "CONTROL", default_value = "cubic")]
    tcp: String,
    /// TCP's use of ECN: off, on [default: off; on with dctcp]
    #[arg(long, value_name = "MODE")]
    ecn: Option<String>,
    /// The method whose parameters are recommended: given, balance, paper, morris, floyd-1997,
    /// floyd-2000, floyd-2001, or the defaults of cisco, linux, ns2 [default: balance, or given if the
    /// scheme sets min or max]
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
    /// Recommend what the model proposes, without simulating it
    #[arg(long)]
    no_simulation: bool,
    /// How long simulations may take by estimate; longer ones are left out
    #[arg(long, value_name = "TIME", default_value = configuration::PATIENCE)]
    patience: String,
    /// The number of seeds of each simulation
    #[arg(long, value_name = "COUNT", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// Also write the report as an HTML page into this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    overwriting: Overwriting,
    /// Print only the choice, in the format of a tool
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
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
    if arguments.fabric {
        return fabric::run(arguments, out, style);
    }
    fabric::refuse_without(arguments)?;
    let options = arguments.options();
    // Refused before anything is written.
    options.question()?;
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
    let stop = match options.is_simulated {
        true => stop_flag()?,
        false => Arc::default(),
    };
    let line = Line::new();
    let mut progress = |what: &str| line.show(&format!("simulating {what}"));
    let report = configuration::answer(&options, &stop, &mut progress);
    line.end();
    let mut report = report?;
    if let Some(format) = &arguments.paste {
        for (label, text) in configuration::doubts(&report) {
            Notices { quiet: false }.warn(&format!("warning: {label}: {text}"));
        }
        for line in configuration::cost(format, &report.configuration)? {
            Notices { quiet: false }.warn(&format!("{format}: {line}"));
        }
        let snippet = configuration::snippet(format, &report.configuration, arguments.seeds)?;
        return Ok(write!(out, "{snippet}")?);
    }
    report.command = options.command(arguments.html.as_deref());
    if let Some(page) = page {
        page.complete_with(configuration::page(&report).as_bytes())?;
    }
    if arguments.json {
        let document = configuration::json(&report);
        return Ok(out.json(&document)?);
    }
    out.lines(&terminal::lines(&report, style), style)?;
    if let Some(path) = &arguments.html {
        writeln!(out, "page: {}", path.display())?;
    }
    Ok(())
}

impl Configure {
    fn options(&self) -> ConfigureOptions {
        ConfigureOptions {
            link: self.link.clone(),
            rtt: self.rtt.clone(),
            flows: self.flows.clone().unwrap_or_default(),
            scheme: self.scheme.clone(),
            goal: self.goal.clone(),
            packet: self.packet.clone(),
            buffer: self.buffer.clone(),
            tcp: self.tcp.clone(),
            ecn: self.ecn.clone(),
            method: self.method.clone(),
            loss: self.loss.clone(),
            windows: self.windows.clone(),
            timeout: self.timeout.clone(),
            is_simulated: !self.no_simulation,
            patience: self.patience.clone(),
            seeds: self.seeds,
            threads: threads(None),
        }
    }

    fn fabric_options(&self) -> FabricOptions {
        FabricOptions {
            link: self.link.clone(),
            rtt: self.rtt.clone(),
            ports: self.ports.clone(),
            buffer: self.buffer.clone(),
            transport: self.transport.clone(),
            card: self.card.clone(),
            cable: self.cable.clone(),
            packet: self.packet.clone(),
            is_simulated: !self.no_simulation,
            patience: self.patience.clone(),
            seeds: self.seeds,
            threads: threads(None),
        }
    }
}
