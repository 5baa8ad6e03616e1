//! This machine's kernel as what runs a run.

use std::fs;
use std::sync::atomic::AtomicBool;

use earlydrop_live::run::{self, TimingQuality, Unsupported};
use earlydrop_sim::Run;
use earlydrop_sim::network::LinkId;
use earlydrop_sim::results::Results;

use super::{Machine, Refusal};
use crate::outcome::Live;

/// Hosts in namespaces of this machine, with its kernel's TCP.
///
/// [`earlydrop_live::run::prepare`] must have been called.
#[derive(Clone, Copy, Debug)]
pub struct Kernel;

impl Machine for Kernel {
    fn check(&self, run: &Run, watched: LinkId) -> Vec<Refusal> {
        let refused = run::unsupported(run, watched).into_iter();
        refused.map(Refusal::from).collect()
    }

    fn unknown(&self) -> &'static [&'static str] {
        match tells_of_timeouts(&fs::read_to_string(RELEASE).unwrap_or_default()) {
            true => &[],
            false => &["timeouts"],
        }
    }

    fn run(
        &self,
        run: &Run,
        watched: LinkId,
        stop: &AtomicBool,
    ) -> Result<Option<(Results, Live)>, String> {
        let found = run::run(run, watched, stop).map_err(|error| error.to_string())?;
        Ok(found.map(|found| (found.results, found.timing.into())))
    }
}

/// Where the kernel says which it is.
const RELEASE: &str = "/proc/sys/kernel/osrelease";
/// From this version on a socket tells how often its timer ran out: `tcpi_total_rto`,
/// linux/tcp.h.
const TELLS_OF_TIMEOUTS: (u32, u32) = (6, 7);

/// Whether a kernel of this release tells how often timers ran out.
fn tells_of_timeouts(release: &str) -> bool {
    let mut numbers = release.split(|letter: char| !letter.is_ascii_digit());
    let mut number = || numbers.next()?.parse::<u32>().ok();
    let version = number().zip(number());
    version.is_some_and(|version| version >= TELLS_OF_TIMEOUTS)
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

impl From<TimingQuality> for Live {
    fn from(timing: TimingQuality) -> Live {
        Live {
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
    fn a_release_tells_what_the_kernel_knows() {
        for (release, tells) in [
            ("6.18.44-fc\n", true),
            ("6.7.0", true),
            ("10.0", true),
            ("6.6.12-generic", false),
            ("5.15.0", false),
            ("", false),
        ] {
            assert_eq!(tells_of_timeouts(release), tells, "{release}");
        }
    }
}
