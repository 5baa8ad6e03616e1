//! Progress bars on standard error, and the flag that Ctrl-C sets.

#[cfg(target_os = "linux")]
mod real_time;

#[cfg(target_os = "linux")]
pub(crate) use real_time::duration_in_words;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use earlydrop_lab::escape::visible;
use earlydrop_lab::run::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::failure::{Failure, INTERRUPTED};

/// A progress bar with the time left; invisible where standard error is not a terminal.
pub(crate) struct Bar {
    bar: ProgressBar,
    /// Called with every progress before the bar is drawn.
    observer: Option<Box<dyn Fn(Progress)>>,
}

impl Bar {
    /// A bar that counts runs; hidden if `quiet`.
    pub(crate) fn new(quiet: bool) -> Bar {
        Bar::named(quiet, "")
    }

    /// A bar that counts runs, with a name before it.
    pub(crate) fn named(quiet: bool, name: &str) -> Bar {
        Bar::counting(quiet, name, "runs")
    }

    /// A bar that counts `what`, with a name before it.
    pub(crate) fn counting(quiet: bool, name: &str, what: &str) -> Bar {
        let bar = match quiet {
            true => ProgressBar::hidden(),
            false => ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10)),
        };
        let template = format!("{{prefix}}{{bar:30}} {{pos}}/{{len}} {what}, {{eta}} left");
        let style = ProgressStyle::with_template(&template);
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("━╸ "));
        }
        if !name.is_empty() {
            bar.set_prefix(format!("{} ", visible(name)));
        }
        Bar {
            bar,
            observer: None,
        }
    }

    /// Moves the bar.
    pub(crate) fn show(&self, progress: Progress) {
        if let Some(observer) = &self.observer {
            observer(progress);
        }
        self.bar.set_length(progress.planned as u64);
        self.bar.set_position(progress.done as u64);
        if progress.done == progress.before {
            // Runs of an earlier command do not count towards the speed of this one.
            self.bar.reset_eta();
        }
    }

    /// Removes the bar.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// The flag of the command that runs, which Ctrl-C sets.
static STOP: Mutex<Option<Arc<AtomicBool>>> = Mutex::new(None);

/// A flag that the first Ctrl-C sets; the second Ctrl-C ends the program at once. Where the
/// operating system gives no thread to wait for it, the first ends the program.
///
/// The handler is installed once in a process, and belongs to the latest command.
pub(crate) fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    static INSTALLED: OnceLock<Result<(), String>> = OnceLock::new();
    let flag = Arc::new(AtomicBool::new(false));
    *STOP.lock().unwrap_or_else(PoisonError::into_inner) = Some(flag.clone());
    let installed = INSTALLED.get_or_init(|| match ctrlc::set_handler(pressed) {
        Ok(()) | Err(ctrlc::Error::System(_)) => Ok(()),
        Err(error) => Err(error.to_string()),
    });
    match installed {
        Ok(()) => Ok(flag),
        Err(error) => Err(Failure::Runtime(error.clone())),
    }
}

/// Handles Ctrl-C.
fn pressed() {
    let stop = STOP.lock().unwrap_or_else(PoisonError::into_inner);
    let is_second = |flag: &Arc<AtomicBool>| flag.swap(true, Ordering::Relaxed);
    if stop.as_ref().is_some_and(is_second) {
        std::process::exit(i32::from(INTERRUPTED));
    }
}
