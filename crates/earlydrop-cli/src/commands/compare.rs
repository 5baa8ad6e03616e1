//! `earlydrop compare`: several schemes on one scenario, in the simulator or also on real hosts.

use std::io::Write;
use std::path::PathBuf;

#[cfg(target_os = "linux")]
use crate::commands::live;
use crate::commands::run_options::{RunOptions, run_source};
use crate::draw::Style;
use crate::failure::Failure;
use crate::scenario::{Changes, source};

/// Compare queue disciplines on a scenario, or on one that is built in
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop compare
  earlydrop compare --link 10Mbps --rtt 50ms --flows 50 --seeds 10
  earlydrop compare --schemes red,nlred:min=10,max=30,codel --tcp reno --ecn on
  earlydrop compare scenarios/home-uplink.toml --until 2%:delay_mean
  earlydrop compare --live scenarios/live/grid.toml --markdown grid.md")]
pub(crate) struct Compare {
    /// The scenario; without one, twenty transfers, web pages and calls share 20 Mbps
    scenario: Option<PathBuf>,
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    options: RunOptions,
    /// Run it on real hosts, too, in real time, and put both side by side
    #[cfg(target_os = "linux")]
    #[arg(long, conflicts_with = "until")]
    live: bool,
    /// With --live: write the comparison as Markdown into this file, too
    #[cfg(target_os = "linux")]
    #[arg(long, value_name = "FILE", requires = "live")]
    markdown: Option<PathBuf>,
}

/// `earlydrop compare`.
pub(crate) fn run(arguments: &Compare, out: &mut dyn Write, style: &Style) -> Result<(), Failure> {
    let source = source(arguments.scenario.as_ref(), &arguments.changes)?;
    #[cfg(target_os = "linux")]
    if arguments.live {
        let markdown = arguments.markdown.as_deref();
        return live::simulate_and_measure(source, &arguments.options, markdown, out, style);
    }
    run_source(&source, &arguments.options, out, style)
}
