//! How far the work has come, on standard error, where somebody looks at it.

#[cfg(target_os = "linux")]
mod real_time;

#[cfg(target_os = "linux")]
pub(crate) use real_time::in_words;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use earlydrop_lab::run::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::failure::Failure;

/// A bar with cells done and the time left; nothing where standard error is no terminal.
pub(crate) struct Bar {
    bar: ProgressBar,
    /// Who else is told.
    also: Option<Box<dyn Fn(Progress)>>,
}

impl Bar {
    pub(crate) fn new(quiet: bool) -> Bar {
        Bar::named(quiet, "")
    }

    /// The same with a name before it.
    pub(crate) fn named(quiet: bool, name: &str) -> Bar {
        Bar::of(quiet, name, "runs")
    }

    /// The same that counts something else.
    pub(crate) fn of(quiet: bool, name: &str, what: &str) -> Bar {
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
            bar.set_prefix(format!("{name} "));
        }
        Bar { bar, also: None }
    }

    pub(crate) fn show(&self, progress: Progress) {
        if let Some(also) = &self.also {
            also(progress);
        }
        self.bar.set_length(progress.planned as u64);
        if progress.done == progress.before {
            // What an earlier run had done says nothing about the speed of this one.
            self.bar.set_position(progress.done as u64);
            self.bar.reset_eta();
        } else {
            self.bar.set_position(progress.done as u64);
        }
    }

    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// A flag that the first Ctrl-C sets; the second ends the program where it is.
pub(crate) fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let pressed = move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    ctrlc::set_handler(pressed).map_err(|error| Failure::Doing(error.to_string()))?;
    Ok(stop)
}
