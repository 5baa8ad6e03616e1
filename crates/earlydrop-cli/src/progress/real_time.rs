//! The time left of runs in real time, which is known before they begin.

use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use earlydrop_lab::run::Progress;
use indicatif::{ProgressState, ProgressStyle};

use super::Bar;

impl Bar {
    /// A bar for runs of which those not done yet take so long each, whatever the machine
    /// can do.
    pub(crate) fn in_real_time(quiet: bool, left: Vec<Duration>) -> Bar {
        let end = Arc::new(Mutex::new(Instant::now()));
        let ends = end.clone();
        let time_left = move |_: &ProgressState, out: &mut dyn Write| {
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
        let note = move |progress: Progress| {
            let done = progress.done - progress.before;
            let left: Duration = left.iter().skip(done).sum();
            if let Ok(mut end) = end.lock() {
                *end = Instant::now() + left;
            }
        };
        Bar {
            also: Some(Box::new(note)),
            ..bar
        }
    }
}

/// A span as people say it: "48 s", "12 min", "1 h 4 min".
pub(crate) fn in_words(span: Duration) -> String {
    let seconds = span.as_secs_f64().ceil() as u64;
    let minutes = (seconds + 30) / 60;
    match (seconds, minutes) {
        (..90, _) => format!("{seconds} s"),
        (_, ..60) => format!("{minutes} min"),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_as_exact_as_people_want_them() {
        let words = |seconds| in_words(Duration::from_secs(seconds));
        assert_eq!(words(89), "89 s");
        assert_eq!(words(24 * 30), "12 min");
        assert_eq!(words(3840), "1 h 4 min");
        assert_eq!(in_words(Duration::from_millis(200)), "1 s");
    }
}
