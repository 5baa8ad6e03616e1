//! Runs of the simulator on real hosts: the same [`Run`] in, the same kind of [`Results`] out,
//! with the kernel's TCP.
//!
//! ```text
//! traffic thread          bottleneck thread                                       traffic thread
//! near sockets -- TUN --> access links -> queue -> wire -> access links -- TUN --> far sockets
//! ```
//!
//! - Each flow has an address of its own at either end (`addresses`). So the bottleneck can
//!   attribute packets to flows, and routes can set the TCP of each profile.
//! - `topology` maps the run's network to one bottleneck with access links around it. Each
//!   direction is a `host_path`.
//! - The simulator's own meters (`meter`) measure both directions, so a figure means the same
//!   here and there.
//!
//! # Call order
//! A program calls [`prepare`] once, [`check()`] or [`unsupported`] before it starts, and [`run`]
//! for each run. [`run`] starts two threads (`threads`): one creates the hosts (`hosts`) and
//! generates traffic (`traffic`), the other forwards packets (`bottleneck`). `results` merges
//! what both have measured.

mod access_links;
mod addresses;
mod bottleneck;
mod check;
mod host_path;
mod hosts;
mod in_flight;
mod meter;
mod results;
mod sudo;
mod threads;
mod timing_quality;
mod topology;
mod traffic;

#[cfg(test)]
mod testing;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use earlydrop_sim::Run;
use earlydrop_sim::network::LinkId;
use earlydrop_sim::results::Results;

use self::check::check_all;
use self::results::results;
use self::sudo::acquire_privilege_for;
use self::threads::Threads;

pub use self::timing_quality::TimingQuality;
use crate::LiveError;
pub use crate::error::Unsupported;
use crate::namespace::Privilege;
use crate::privileges::{InvokingUser, require_single_thread};

/// Results of a run on real hosts, and the quality of its timing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LiveResults {
    /// The simulator's results, as far as real hosts show them: no captures, no distribution of
    /// round-trip times, no events and no late packets in the totals. A delay is measured from
    /// reading a packet at one device to writing it to the other. A packet counts as sent when
    /// it is read, and as received when it is written.
    pub results: Results,
    /// How late packets were delivered, and how many were lost outside the queue.
    pub timing: TimingQuality,
}

/// Acquires the privilege to create namespaces, once for the process, and returns which it is.
/// The process must have one thread. Under `sudo`, files belong to the invoking user from now
/// on.
///
/// In its own user namespace, root may write only to root's files: create folders for results
/// before.
pub fn prepare() -> Result<Privilege, LiveError> {
    require_single_thread()?;
    acquire_privilege_for(&InvokingUser::of_this_process())
}

/// Checks whether real hosts on this machine can do a run with results about the link `watched`.
pub fn check(run: &Run, watched: LinkId) -> Result<(), Unsupported> {
    check_all(run, watched).map(|_| ())
}

/// Lists what real hosts on this machine cannot do of a run. The first unsupported feature of
/// the flows hides those of later flows.
pub fn unsupported(run: &Run, watched: LinkId) -> Vec<Unsupported> {
    check::unsupported(run, watched)
}

/// Runs in real time; returns `None` if `stop` was set meanwhile.
///
/// [`prepare`] must have been called.
pub fn run(
    run: &Run,
    watched: LinkId,
    stop: &AtomicBool,
) -> Result<Option<LiveResults>, LiveError> {
    let (topology, addresses) = check_all(run, watched).map_err(LiveError::Unsupported)?;
    let threads = Threads {
        run,
        topology: &topology,
        addresses: &Arc::new(addresses),
        stop,
        ended: AtomicBool::new(false),
    };
    let Some((traffic, mut report)) = threads.run()? else {
        return Ok(None);
    };
    Ok(Some(LiveResults {
        results: results(run, &topology, traffic, &mut report.paths),
        timing: report.timing(),
    }))
}

#[cfg(test)]
mod tests;
