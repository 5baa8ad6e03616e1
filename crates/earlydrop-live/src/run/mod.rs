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

mod access;
mod book;
mod bottleneck;
mod caller;
mod check;
mod hosts;
mod layout;
mod meter;
mod passage;
mod results;
mod threads;
mod traffic;
mod underway;

#[cfg(test)]
mod testing;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use earlydrop_sim::Run;
use earlydrop_sim::network::LinkId;
use earlydrop_sim::results::Results;

use self::caller::gain_right_for;
use self::check::checked;
use self::results::results;
use self::threads::Threads;
use crate::LiveError;
use crate::namespace::Right;
use crate::session::{Owner, must_have_one_thread};

/// What a run found, and how far it can be believed.
#[derive(Clone, Debug)]
pub struct Found {
    /// What the simulator would have answered, as far as real hosts show it: no captures and
    /// no distribution of round trips, no events and nothing late in the totals. A delay is
    /// from reading a packet at one device to writing it to the other; hosts have sent what
    /// was read, and have received what was written.
    pub results: Results,
    /// How exactly packets were delivered.
    pub honesty: Honesty,
}

/// How exactly packets were delivered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Honesty {
    /// The lateness of packets: a share of them, and the time in seconds within which they
    /// were late; rising, to all of them.
    pub lateness: Vec<(f64, f64)>,
    /// How late 99 of 100 may be, in seconds, for the run to be believed.
    pub tolerated: f64,
    /// The share of one core that the bottleneck took.
    pub cpu: f64,
    /// Packets that the machine lost beside the queue: not read in time, or without a buffer.
    pub beside: u64,
}

impl Honesty {
    /// The time within which this share of packets was late, in seconds.
    pub fn late(&self, share: f64) -> f64 {
        let within = self.lateness.iter().find(|(of, _)| *of >= share);
        within.map_or(0.0, |(_, seconds)| *seconds)
    }

    /// Whether the run can be believed.
    pub fn trustworthy(&self) -> bool {
        self.late(0.99) <= self.tolerated && self.beside == 0
    }
}

/// Something that a run asks for and real hosts cannot do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    /// The flow that asks for it, by its number; `None`: the network or a measurement does.
    pub flow: Option<usize>,
    /// What it is, by its name: "live has no Tahoe sender".
    pub message: String,
    /// What to do instead.
    pub help: String,
}

/// Enters, once for the process, what gives the right to make namespaces; answers which.
/// The process must have one thread. Under `sudo`, files belong to the caller from here on.
///
/// In a user namespace of its own, root may write only what is root's: folders for results
/// are to be made before.
pub fn prepare() -> Result<Right, LiveError> {
    must_have_one_thread()?;
    gain_right_for(&Owner::of_this_process())
}

/// Whether real hosts on this machine can do a run whose results are about this link.
pub fn check(run: &Run, watched: LinkId) -> Result<(), Refused> {
    checked(run, watched).map(|_| ())
}

/// What real hosts on this machine cannot do of a run: as much as can be told at once, one
/// flow's refusals hiding the next's.
pub fn refusals(run: &Run, watched: LinkId) -> Vec<Refused> {
    check::refusals(run, watched)
}

/// Runs from beginning to end, in real time; `None` where `stop` was set before.
///
/// [`prepare`] must have been called.
pub fn run(run: &Run, watched: LinkId, stop: &AtomicBool) -> Result<Option<Found>, LiveError> {
    let (layout, book) = checked(run, watched).map_err(LiveError::Refused)?;
    let threads = Threads {
        run,
        layout: &layout,
        book: &Arc::new(book),
        stop,
        over: AtomicBool::new(false),
    };
    let Some((seen, mut crossed)) = threads.run()? else {
        return Ok(None);
    };
    Ok(Some(Found {
        results: results(run, &layout, seen, &mut crossed.ways),
        honesty: crossed.honesty(),
    }))
}

#[cfg(test)]
mod tests;
