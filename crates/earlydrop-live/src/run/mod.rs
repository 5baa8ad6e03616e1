//! A run of the simulator's on real hosts: the same value in, the same kind of results out,
//! with the kernel's TCP between.
//!
//! ```text
//! traffic (one thread)                                 bottleneck (another)
//! sockets in the near namespace -- TUN --> access -> queue -> wire -> access -- TUN --> sockets in the far one
//! ```
//!
//! Each flow has an address of its own at either end (`book`), so that the bottleneck
//! knows whose a packet is, and routes can give each kind of TCP its rules.
//!
//! The bottleneck (`bottleneck`) is two passages: hosts' links around a queue, whose
//! network a `layout` has made of the run's. They are measured by the simulator's own
//! meters (`meter`), so a figure means the same in both.

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

/// What a run found, and how far it can be believed.
#[derive(Clone, Debug)]
pub struct LiveResults {
    /// What the simulator would have answered, as far as real hosts show it: no captures and
    /// no distribution of round trips, no events and nothing late in the totals. A delay is
    /// from reading a packet at one device to writing it to the other; hosts have sent what
    /// was read, and have received what was written.
    pub results: Results,
    /// How exactly packets were delivered.
    pub timing: TimingQuality,
}

/// Enters, once for the process, what gives the right to make namespaces; answers which.
/// The process must have one thread. Under `sudo`, files belong to the caller from here on.
///
/// In a user namespace of its own, root may write only what is root's: folders for results
/// are to be made before.
pub fn prepare() -> Result<Privilege, LiveError> {
    require_single_thread()?;
    acquire_privilege_for(&InvokingUser::of_this_process())
}

/// Whether real hosts on this machine can do a run whose results are about this link.
pub fn check(run: &Run, watched: LinkId) -> Result<(), Unsupported> {
    check_all(run, watched).map(|_| ())
}

/// What real hosts on this machine cannot do of a run: as much as can be told at once, one
/// flow's unsupported hiding the next's.
pub fn unsupported(run: &Run, watched: LinkId) -> Vec<Unsupported> {
    check::unsupported(run, watched)
}

/// Runs from beginning to end, in real time; `None` where `stop` was set before.
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
        over: AtomicBool::new(false),
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
