//! `earlydrop compare`: several schemes on one scenario, simulated or also on real hosts.

use std::path::PathBuf;

#[cfg(target_os = "linux")]
use crate::commands::live;
use crate::commands::run_options::{RunOptions, run_source};
use crate::draw::Style;
use crate::failure::Failure;
use crate::output::Output;
#[cfg(target_os = "linux")]
use crate::outputs::Overwriting;
use crate::scenario::{Overrides, source};

/// Compare queue disciplines on a scenario, or on the built-in one
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop compare
  earlydrop compare --link 10Mbps --rtt 50ms --flows 50 --seeds 10
  earlydrop compare --schemes red,nlred:min=10,max=30,codel --tcp reno --ecn on
  earlydrop compare --baseline red --metrics delay_p99,completion_p50
  earlydrop compare scenarios/home-uplink.toml --until 2%:delay_mean
  earlydrop compare --live scenarios/live/grid.toml --markdown grid.md")]
pub(crate) struct Compare {
    /// The scenario file, or - for standard input; without one, twenty transfers, web pages and calls
    /// share 20 Mbps
    scenario: Option<PathBuf>,
    #[command(flatten)]
    overrides: Overrides,
    #[command(flatten)]
    options: RunOptions,
    /// Also run it on real hosts in real time, and compare simulated with live results
    #[cfg(target_os = "linux")]
    #[arg(long, conflicts_with = "until")]
    live: bool,
    /// With --live: also write the comparison as Markdown into this file
    #[cfg(target_os = "linux")]
    #[arg(long, value_name = "FILE", requires = "live")]
    markdown: Option<PathBuf>,
    #[cfg(target_os = "linux")]
    #[command(flatten)]
    overwriting: Overwriting,
}

/// `earlydrop compare`.
pub(crate) fn run(arguments: &Compare, out: &mut Output<'_>, style: &Style) -> Result<(), Failure> {
    let source = source(arguments.scenario.as_ref(), &arguments.overrides)?;
    #[cfg(target_os = "linux")]
    if arguments.live {
        let markdown = arguments.markdown.as_deref();
        let overwrite = arguments.overwriting.files();
        let options = &arguments.options;
        return live::simulate_and_measure(source, options, markdown, overwrite, out, style);
    }
    run_source(&source, &arguments.options, out, style)
}
