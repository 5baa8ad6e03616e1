//! Limits of real hosts: flows, open files, datagram sizes, unsent data.

use earlydrop::units::Bytes;
use earlydrop_sim::Run;
use earlydrop_sim::traffic::{Application, Flow, Traffic};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use super::tcp_profile::Problem;
use crate::LiveError;
use crate::error::Context;
use crate::error::Unsupported;
use crate::plan::MTU;

/// Most flows of a run: with more, it would measure the machine's memory and timers.
const MAX_FLOWS: usize = 10_000;
/// Open files besides the flows' sockets: devices, namespaces, listening sockets, and the
/// program's own.
const OTHER_FILES: u64 = 64;
/// Length of the IPv4 and UDP headers, in bytes.
pub(in crate::run) const DATAGRAM_HEADERS: u64 = 28;

/// Checks whether the machine has room for a run.
pub(super) fn check(run: &Run) -> Result<(), Unsupported> {
    let refused = |flow, message, help| {
        Err(Unsupported {
            flow,
            message,
            help,
        })
    };
    let flows = run.flows.len();
    if flows > MAX_FLOWS {
        return refused(
            Some(MAX_FLOWS),
            format!("live has at most {MAX_FLOWS} flows; this run has {flows}"),
            "simulate it, or use fewer flows".to_string(),
        );
    }
    let (needed, allowed) = (files(run), most_files());
    if needed > allowed {
        return refused(
            None,
            format!(
                "this run may need {needed} open files at once; this process may have {allowed}"
            ),
            "use fewer flows, a smaller at_most, or raise the limit (ulimit -Hn)".to_string(),
        );
    }
    Ok(())
}

/// Most files that may be open at once: both ends of every connection.
fn files(run: &Run) -> u64 {
    run.flows.iter().map(sockets).sum::<u64>() + OTHER_FILES
}

fn sockets(flow: &Flow) -> u64 {
    match &flow.traffic {
        Traffic::Tcp { application, .. } => match application {
            Application::Arrivals { at_most, .. } => 2 * u64::from(*at_most),
            // A connection may start before the other end of the previous one has closed.
            Application::Web { .. } | Application::Pages { .. } => 4,
            _ => 2,
        },
        Traffic::Datagrams { .. } => 2,
    }
}

fn most_files() -> u64 {
    getrlimit(Resource::RLIMIT_NOFILE).map_or(u64::MAX, |(_, hard)| hard)
}

/// Raises the soft limit of open files as far as a run needs and the hard limit allows.
pub(in crate::run) fn raise_limit(run: &Run) -> Result<(), LiveError> {
    let action = "raising the number of open files";
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).context(action)?;
    let needed = files(run).min(hard);
    if needed > soft {
        setrlimit(Resource::RLIMIT_NOFILE, needed, hard).context(action)?;
    }
    Ok(())
}

/// The reason why datagrams of this size are impossible, if they are.
pub(super) fn datagram_problem(size: Bytes) -> Option<Problem> {
    let allowed = DATAGRAM_HEADERS..=u64::from(MTU);
    let message = || format!("live has no datagrams of {size}: headers are 28 bytes");
    let help = || format!("set size to 28 to {MTU} bytes");
    (!allowed.contains(&size.0)).then(|| (message(), help()))
}

/// Value of `tcp_notsent_lowat`, in bytes: 10 ms of the fastest queue's rate. That is enough
/// to fill the window when it opens, and so little that a flow that stops soon falls silent.
pub(super) fn unsent(run: &Run) -> u64 {
    const MIN: u64 = 16 << 10;
    const MAX: u64 = 256 << 10;
    let queues = run
        .network
        .links()
        .filter(|(_, _, _, link)| link.queue.is_some());
    let rates = queues.map(|(_, _, _, link)| link.mean_rate().0);
    (rates.max().unwrap_or(0) / 8 / 100).clamp(MIN, MAX)
}
