//! SIGINT, SIGTERM and SIGHUP. A SIGHUP that the process inherited as ignored stays ignored, as
//! `nohup` asks for. SIGINT is always handled: a shell script ignores it for its background jobs,
//! and who sends it to one of them means it.

use std::fs;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

/// The number of the last signal that was caught; SIGINT's before the first.
static CAUGHT: LazyLock<Arc<AtomicUsize>> =
    LazyLock::new(|| Arc::new(AtomicUsize::new(SIGINT as usize)));

/// The exit code of a command that a signal ended, as shells have it: 128 and the signal's number.
const fn code_of(signal: i32) -> i32 {
    128 + signal
}

/// The exit code of a command that was stopped.
pub(crate) fn exit_code() -> u8 {
    code_of(CAUGHT.load(Ordering::Relaxed) as i32) as u8
}

/// The flag of the command that runs.
pub(crate) fn stop_flag() -> Result<Arc<AtomicBool>, String> {
    static INSTALLED: OnceLock<Result<Arc<AtomicBool>, String>> = OnceLock::new();
    let mut is_first = false;
    let installed = INSTALLED.get_or_init(|| {
        is_first = true;
        install().map_err(|error| error.to_string())
    });
    let flag = installed.clone()?;
    // A signal that came since the handlers are there is the first command's.
    if !is_first {
        flag.store(false, Ordering::Relaxed);
    }
    Ok(flag)
}

/// Handles each signal but an ignored SIGHUP: the first sets the flag, the second ends the program.
fn install() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    // A signal that comes while its handlers are being added.
    let early = Arc::new(AtomicBool::new(false));
    let ignored = ignored_signals();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if signal != SIGHUP || ignored & 1 << (signal - 1) == 0 {
            flag::register(signal, early.clone())?;
            // In this order: what ends the program sees the flag of the signal before.
            flag::register_conditional_shutdown(signal, code_of(signal), stop.clone())?;
            flag::register_usize(signal, CAUGHT.clone(), signal as usize)?;
            flag::register(signal, stop.clone())?;
        }
    }
    if early.load(Ordering::Relaxed) {
        stop.store(true, Ordering::Relaxed);
    }
    Ok(stop)
}

/// A bit for each signal that this process ignores, the lowest for signal 1; none where the
/// operating system does not show it.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.unwrap_or(0)
}
