//! The progress bar of runs in real time, whose duration is known in advance.

use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use earlydrop_lab::run::Progress;
use indicatif::{ProgressState, ProgressStyle};

use super::Bar;

impl Bar {
    /// A bar for runs of known durations; `left` has those that are not done yet.
    pub(crate) fn in_real_time(quiet: bool, left: Vec<Duration>) -> Bar {
        let end = Arc::new(Mutex::new(Instant::now()));
        let ends = end.clone();
        let time_left = move |_: &ProgressState, out: &mut dyn Write| {
            let end = ends.lock().map_or_else(|_| Instant::now(), |end| *end);
            let left = end.saturating_duration_since(Instant::now());
            // An error only loses this frame of the bar.
            let _ = out.write_str(&duration_in_words(left));
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
        let observer = move |progress: Progress| {
            let done = progress.done - progress.before;
            let left: Duration = left.iter().skip(done).sum();
            if let Ok(mut end) = end.lock() {
                *end = Instant::now() + left;
            }
        };
        Bar {
            observer: Some(Box::new(observer)),
            ..bar
        }
    }
}

/// A duration in words: "48 s", "12 min", "1 h 4 min".
pub(crate) fn duration_in_words(span: Duration) -> String {
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
    fn durations_are_rounded_to_seconds_or_minutes() {
        let words = |seconds| duration_in_words(Duration::from_secs(seconds));
        assert_eq!(words(89), "89 s");
        assert_eq!(words(24 * 30), "12 min");
        assert_eq!(words(3840), "1 h 4 min");
        assert_eq!(duration_in_words(Duration::from_millis(200)), "1 s");
    }
}
