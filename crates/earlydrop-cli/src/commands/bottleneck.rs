//! What the commands with real packets share: a bottleneck in arguments, and what is told of it.

mod told;
mod words;

use std::path::PathBuf;

use earlydrop_live::LiveError;
use earlydrop_live::plan;
use earlydrop_live::session::Files;

use crate::failure::Failure;
pub(super) use told::{Teller, from_here_on};
use words::Words;
pub(super) use words::span;

/// What packets cross, and what is shown and written meanwhile.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    both: Both,
    /// What is different on the way up: "rate=2Mbps queue=codel"
    #[arg(long, value_name = "WORDS", help_heading = "Bottleneck")]
    up: Option<String>,
    /// What is different on the way down: "delay=5ms loss=1%"
    #[arg(long, value_name = "WORDS", help_heading = "Bottleneck")]
    down: Option<String>,
    /// Seeds what is random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write queue, average, probability, drops and marks here, ten times a second, as JSON lines
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,
    /// Record packets in this pcapng file, as they leave the bottleneck
    #[arg(long, value_name = "FILE")]
    pcap: Option<PathBuf>,
    /// Show both queues once a second, on standard error
    #[arg(long)]
    watch: bool,
    /// Say nothing but what goes wrong
    #[arg(long, short, conflicts_with = "watch")]
    quiet: bool,
}

/// What both directions have, unless one says otherwise.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Bottleneck")]
struct Both {
    /// How fast it sends: 20Mbps
    #[arg(long, value_name = "RATE")]
    rate: Option<String>,
    /// How long a packet travels, one way: 25ms; nothing unless given
    #[arg(long, value_name = "TIME")]
    delay: Option<String>,
    /// What waits, and what is dropped or marked: nlred:min=10,max=30; droptail unless given
    #[arg(long, value_name = "SCHEME")]
    queue: Option<String>,
    /// The share of packets lost at random once sent: 0.1%
    #[arg(long, value_name = "SHARE")]
    loss: Option<String>,
    /// A recorded link in Mahimahi's format, in place of a rate
    #[arg(long, value_name = "FILE")]
    trace: Option<String>,
}

impl Both {
    fn words(&self) -> Words {
        let given = [
            ("rate", &self.rate),
            ("delay", &self.delay),
            ("queue", &self.queue),
            ("loss", &self.loss),
            ("trace", &self.trace),
        ];
        Words::of_arguments(given)
    }
}

impl Arguments {
    pub(super) fn bottleneck(&self) -> Result<plan::Bottleneck, Failure> {
        let both = self.both.words();
        Ok(plan::Bottleneck {
            up: both.and("--up", self.up.as_deref())?.read()?,
            down: both.and("--down", self.down.as_deref())?.read()?,
            seed: self.seed,
        })
    }

    pub(super) fn files(&self) -> Files {
        Files {
            stats: self.stats.clone(),
            pcap: self.pcap.clone(),
        }
    }

    pub(super) fn teller(&self, bottleneck: &plan::Bottleneck) -> Teller {
        Teller::new(bottleneck, self.quiet, self.watch)
    }
}

impl From<LiveError> for Failure {
    fn from(error: LiveError) -> Failure {
        match error {
            LiveError::Queue { .. }
            | LiveError::Setting { .. }
            | LiveError::File { .. }
            | LiveError::NoInterface { .. }
            | LiveError::Interface { .. } => Failure::Usage(error.to_string()),
            _ => Failure::Doing(error.to_string()),
        }
    }
}
