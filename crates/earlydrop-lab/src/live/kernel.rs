//! A testbed of network namespaces on this machine, with its kernel's TCP.

use std::fs;
use std::sync::atomic::AtomicBool;

use earlydrop_live::run::{self, TimingQuality, Unsupported};
use earlydrop_sim::Run;
use earlydrop_sim::network::LinkId;
use earlydrop_sim::results::Results;

use super::{Refusal, Testbed};
use crate::timing::LiveTiming;

/// Hosts in network namespaces of this machine, with its kernel's TCP.
///
/// Call [`earlydrop_live::run::prepare`] before using it.
#[derive(Clone, Copy, Debug)]
pub struct Kernel;

/// What hosts of this machine do not tell; timeouts only those of older kernels.
const MISSING: [&str; 8] = [
    "timeouts",
    "started",
    "unfinished",
    "syn_lost",
    "control_lost",
    "completion_known",
    "slowdown_known",
    "rounds_known",
];

impl Testbed for Kernel {
    fn check(&self, run: &Run, watched: LinkId) -> Vec<Refusal> {
        let refused = run::unsupported(run, watched).into_iter();
        refused.map(Refusal::from).collect()
    }

    fn missing_metrics(&self) -> &'static [&'static str] {
        match counts_timeouts(&fs::read_to_string(RELEASE).unwrap_or_default()) {
            true => &MISSING[1..],
            false => &MISSING,
        }
    }

    fn run(
        &self,
        run: &Run,
        watched: LinkId,
        stop: &AtomicBool,
    ) -> Result<Option<(Results, LiveTiming)>, String> {
        let outcome = run::run(run, watched, stop).map_err(|error| error.to_string())?;
        Ok(outcome.map(|live| (live.results, live.timing.into())))
    }
}

/// The file with the kernel's release.
const RELEASE: &str = "/proc/sys/kernel/osrelease";
/// The first version whose sockets count retransmission timeouts: `tcpi_total_rto` in
/// linux/tcp.h.
const COUNTS_TIMEOUTS_FROM: (u32, u32) = (6, 7);

/// Whether the sockets of a kernel of this release count retransmission timeouts.
fn counts_timeouts(release: &str) -> bool {
    let mut numbers = release.split(|letter: char| !letter.is_ascii_digit());
    let mut number = || numbers.next()?.parse::<u32>().ok();
    let version = number().zip(number());
    version.is_some_and(|version| version >= COUNTS_TIMEOUTS_FROM)
}

impl From<Unsupported> for Refusal {
    fn from(refused: Unsupported) -> Refusal {
        Refusal {
            flow: refused.flow,
            message: refused.message,
            help: refused.help,
        }
    }
}

impl From<TimingQuality> for LiveTiming {
    fn from(timing: TimingQuality) -> LiveTiming {
        LiveTiming {
            trustworthy: timing.trustworthy(),
            lateness: timing.lateness,
            tolerated: timing.tolerated,
            cpu: timing.cpu,
            beside: timing.lost_outside_queue,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_decides_whether_timeouts_are_counted() {
        for (release, counts) in [
            ("6.18.44-fc\n", true),
            ("6.7.0", true),
            ("10.0", true),
            ("6.6.12-generic", false),
            ("5.15.0", false),
            ("", false),
        ] {
            assert_eq!(counts_timeouts(release), counts, "{release}");
        }
    }
}
