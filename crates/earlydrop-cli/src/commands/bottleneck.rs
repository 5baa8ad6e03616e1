//! The bottleneck of `shell` and `bridge`: its arguments, and what is reported about it.

mod report;
mod settings;

use std::path::PathBuf;

use earlydrop_lab::files::{Signature, check_existing};
use earlydrop_live::LiveError;
use earlydrop_live::plan;
use earlydrop_live::session::Files;

use crate::failure::Failure;
use crate::outputs::{Overwriting, check_distinct};
pub(super) use report::{Reporter, user_change};
use settings::Settings;
pub(super) use settings::duration;

/// The bottleneck between two ends, and its statistics.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    both: Both,
    /// Settings for the direction up only: "rate=2Mbps queue=codel"
    #[arg(long, value_name = "SETTINGS", help_heading = "Bottleneck")]
    up: Option<String>,
    /// Settings for the direction down only: "delay=5ms loss=1%"
    #[arg(long, value_name = "SETTINGS", help_heading = "Bottleneck")]
    down: Option<String>,
    /// The seed of random drops, marks and losses
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write queue, average, probability, drops and marks into this file, ten times a second, as
    /// JSON lines
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,
    /// Record packets into this pcapng file as they leave the bottleneck
    #[arg(long, value_name = "FILE")]
    pcap: Option<PathBuf>,
    #[command(flatten)]
    overwriting: Overwriting,
    /// Print both queues once a second on standard error
    #[arg(long)]
    watch: bool,
    /// Print only warnings and errors
    #[arg(long, short, conflicts_with = "watch")]
    quiet: bool,
}

/// The settings of both directions, unless `--up` or `--down` overrides them.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Bottleneck")]
struct Both {
    /// The rate: 20Mbps
    #[arg(long, value_name = "RATE")]
    rate: Option<String>,
    /// The one-way propagation delay: 25ms [default: 0]
    #[arg(long, value_name = "TIME")]
    delay: Option<String>,
    /// The queue's scheme: nlred:min=10,max=30 [default: droptail]
    #[arg(long, value_name = "SCHEME")]
    queue: Option<String>,
    /// The share of packets lost at random on the wire: 0.1%
    #[arg(long, value_name = "SHARE")]
    loss: Option<String>,
    /// A recorded link in Mahimahi's format, instead of a rate
    #[arg(long, value_name = "FILE")]
    trace: Option<String>,
}

impl Both {
    fn settings(&self) -> Settings {
        let given = [
            ("rate", &self.rate),
            ("delay", &self.delay),
            ("queue", &self.queue),
            ("loss", &self.loss),
            ("trace", &self.trace),
        ];
        Settings::of_arguments(given)
    }
}

impl Arguments {
    /// The bottleneck that the arguments describe.
    pub(super) fn bottleneck(&self) -> Result<plan::Bottleneck, Failure> {
        let both = self.both.settings();
        let up = both.overridden("--up", self.up.as_deref())?;
        let down = both.overridden("--down", self.down.as_deref())?;
        Ok(plan::Bottleneck {
            up: up.direction()?,
            down: down.direction()?,
            seed: self.seed,
        })
    }

    /// The files to write, which must differ.
    pub(super) fn files(&self) -> Result<Files, Failure> {
        check_distinct(&[
            ("--stats", self.stats.as_deref()),
            ("--pcap", self.pcap.as_deref()),
        ])?;
        let overwrite = self.overwriting.files();
        for (path, signature) in [
            (&self.stats, Signature::SAMPLES),
            (&self.pcap, Signature::pcapng()),
        ] {
            if let Some(path) = path {
                check_existing(path, &signature, overwrite)?;
            }
        }
        Ok(Files {
            stats: self.stats.clone(),
            pcap: self.pcap.clone(),
        })
    }

    /// What reports about the bottleneck while packets cross.
    pub(super) fn reporter(&self, bottleneck: &plan::Bottleneck) -> Reporter {
        Reporter::new(bottleneck, self.quiet, self.watch)
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
            _ => Failure::Runtime(error.to_string()),
        }
    }
}
