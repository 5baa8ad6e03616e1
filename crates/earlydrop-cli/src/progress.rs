//! Progress bars on standard error, and the flag that Ctrl-C sets.

#[cfg(target_os = "linux")]
mod real_time;

#[cfg(target_os = "linux")]
pub(crate) use real_time::duration_in_words;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use earlydrop_lab::escape::visible;
use earlydrop_lab::run::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::failure::Failure;
use crate::interruption;

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

/// A line that says what is being done, for work whose length is not known; invisible where standard
/// error is not a terminal.
pub(crate) struct Line {
    bar: ProgressBar,
}

impl Line {
    pub(crate) fn new() -> Line {
        let target = ProgressDrawTarget::stderr_with_hz(10);
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{msg} {elapsed}") {
            bar.set_style(style);
        }
        Line { bar }
    }

    /// Says what begins.
    pub(crate) fn show(&self, what: &str) {
        self.bar.set_message(visible(what).to_string());
    }

    /// Removes the line.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// A flag that the first Ctrl-C sets; the second Ctrl-C ends the program at once. Where the
/// operating system gives no thread to wait for it, the first ends the program.
///
/// The handler is installed once in a process, and belongs to the latest command.
pub(crate) fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    interruption::stop_flag().map_err(Failure::Runtime)
}
