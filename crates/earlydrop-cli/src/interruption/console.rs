//! Ctrl-C in a console.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The exit code after Ctrl-C, as shells have it.
const INTERRUPTED: u8 = 130;

/// The flag of the command that runs, which Ctrl-C sets.
static STOP: Mutex<Option<Arc<AtomicBool>>> = Mutex::new(None);

/// The exit code of a command that was stopped.
pub(crate) fn exit_code() -> u8 {
    INTERRUPTED
}

/// A new flag for the command that runs.
pub(crate) fn stop_flag() -> Result<Arc<AtomicBool>, String> {
    static INSTALLED: OnceLock<Result<(), String>> = OnceLock::new();
    let flag = Arc::new(AtomicBool::new(false));
    *STOP.lock().unwrap_or_else(PoisonError::into_inner) = Some(flag.clone());
    let installed = INSTALLED.get_or_init(|| match ctrlc::set_handler(pressed) {
        Ok(()) | Err(ctrlc::Error::System(_)) => Ok(()),
        Err(error) => Err(error.to_string()),
    });
    installed.clone().map(|()| flag)
}

/// Handles Ctrl-C.
fn pressed() {
    let stop = STOP.lock().unwrap_or_else(PoisonError::into_inner);
    let is_second = |flag: &Arc<AtomicBool>| flag.swap(true, Ordering::Relaxed);
    if stop.as_ref().is_some_and(is_second) {
        std::process::exit(i32::from(INTERRUPTED));
    }
}
