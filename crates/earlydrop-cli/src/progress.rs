//! How far the work has come, on standard error, where somebody looks at it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use earlydrop_lab::work::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::failure::Failure;

/// A bar with cells done and the time left; nothing where standard error is no terminal.
pub(crate) struct Bar {
    bar: ProgressBar,
    real_time: Option<RealTime>,
}

/// When runs in real time end is known before they begin.
struct RealTime {
    /// How long each run takes that is not done when the work begins.
    left: Vec<Duration>,
    /// When the last of them will end.
    end: Arc<Mutex<Instant>>,
}

impl RealTime {
    fn show(&self, progress: Progress) {
        let done = progress.done - progress.before;
        let left: Duration = self.left.iter().skip(done).sum();
        if let Ok(mut end) = self.end.lock() {
            *end = Instant::now() + left;
        }
    }
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
        Bar {
            bar,
            real_time: None,
        }
    }

    /// The same for runs that take so long each, whatever the machine can do.
    #[cfg(target_os = "linux")]
    pub(crate) fn in_real_time(quiet: bool, left: Vec<Duration>) -> Bar {
        let end = Arc::new(Mutex::new(Instant::now()));
        let ends = end.clone();
        let time_left = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
            let end = ends.lock().map_or_else(|_| Instant::now(), |end| *end);
            let left = end.saturating_duration_since(Instant::now());
            // Nobody reads a bar that cannot be written.
            let _ = out.write_str(&in_words(left));
        };
        let bar = Bar::new(quiet);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} runs, {time_left} left");
        if let Ok(style) = style {
            let style = style.with_key("time_left", time_left);
            bar.bar.set_style(style.progress_chars("━╸ "));
        }
        if !bar.bar.is_hidden() {
            bar.bar.enable_steady_tick(Duration::from_secs(1));
        }
        Bar {
            real_time: Some(RealTime { left, end }),
            ..bar
        }
    }

    pub(crate) fn show(&self, progress: Progress) {
        if let Some(real_time) = &self.real_time {
            real_time.show(progress);
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

/// A span as people say it: "48 s", "12 min", "1 h 4 min".
#[cfg(target_os = "linux")]
pub(crate) fn in_words(span: Duration) -> String {
    let seconds = span.as_secs_f64().ceil() as u64;
    let minutes = (seconds + 30) / 60;
    match (seconds, minutes) {
        (..90, _) => format!("{seconds} s"),
        (_, ..60) => format!("{minutes} min"),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
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
