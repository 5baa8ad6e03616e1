//! What is said while real packets cross, on standard error: standard output is the command's.

use earlydrop::registry::Probe;
use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_live::plan::{Bottleneck, Direction, MTU, Rate};
use earlydrop_live::session::Owner;
use earlydrop_live::stats::{Counts, Sample, Summary};

pub(in crate::commands) struct Teller {
    quiet: bool,
    watch: bool,
    /// Each direction in words.
    directions: [String; 2],
    /// What of each direction's scheme is shown.
    probes: [Vec<&'static Probe>; 2],
    /// When both queues are shown next, in seconds.
    next: f64,
}

impl Teller {
    pub(super) fn new(bottleneck: &Bottleneck, quiet: bool, watch: bool) -> Teller {
        Teller {
            quiet,
            watch,
            directions: [&bottleneck.up, &bottleneck.down].map(in_words),
            probes: [&bottleneck.up, &bottleneck.down].map(watched),
            next: 1.0,
        }
    }

    pub(in crate::commands) fn say(&self, text: &str) {
        if !self.quiet {
            anstream::eprintln!("earlydrop: {text}");
        }
    }

    /// What was counted and measured.
    pub(in crate::commands) fn ended(&self, summary: &Summary) {
        let counts = [("up", &summary.up), ("down", &summary.down)];
        for (name, counts) in counts {
            self.say(&format!("{name:4} {}", counted(counts, summary.duration)));
        }
        if summary.up.oversized + summary.down.oversized > 0 {
            anstream::eprintln!(
                "earlydrop: packets of more than {MTU} bytes cannot cross; it is offloads that put \
                 them together: turn them off at the hosts, and here (ethtool -K INTERFACE tso off \
                 gso off gro off)"
            );
        }
        let late = |seconds| Nanos::from_secs_f64(seconds).to_string();
        let lateness = &summary.lateness;
        self.say(&format!(
            "packets were late by {} (median), {} (99%), {} (99.9%); processor {:.0}% of one core",
            late(lateness.p50),
            late(lateness.p99),
            late(lateness.p999),
            summary.cpu * 100.0
        ));
        if !summary.trustworthy {
            anstream::eprintln!(
                "earlydrop: not trustworthy: 1% of packets were late by more than {}, half the \
                 time that a full packet takes",
                late(summary.tolerated)
            );
        }
    }

    /// Says what both directions are.
    pub(in crate::commands) fn say_directions(&self) {
        let [up, down] = &self.directions;
        match up == down {
            true => self.say(&format!("both ways: {up}")),
            false => {
                self.say(&format!("up:   {up}"));
                self.say(&format!("down: {down}"));
            }
        }
    }

    /// Shows both queues once a second, where that is wanted.
    pub(in crate::commands) fn show(&mut self, samples: &[Sample; 2]) {
        if !self.watch || samples[0].time < self.next {
            return;
        }
        self.next = samples[0].time.floor() + 1.0;
        for (sample, probes) in samples.iter().zip(&self.probes) {
            self.say(&shown(sample, probes));
        }
    }
}

/// "; from here on as dave", where root has been given up for somebody.
pub(in crate::commands) fn from_here_on(owner: &Owner) -> String {
    match owner {
        Owner::Same => String::new(),
        Owner::Caller { user, name, .. } => {
            let name = name.clone().unwrap_or_else(|| format!("user {user}"));
            format!("; from here on as {name}")
        }
    }
}

/// "20 Mbps, 25 ms, nlred:min=10,max=30".
fn in_words(direction: &Direction) -> String {
    let rate = match &direction.rate {
        Rate::Constant(rate) => rate.to_string(),
        Rate::Recorded(trace) => format!("a trace of {} on average", trace.mean_rate()),
    };
    let mut words = format!("{rate}, {}, {}", direction.delay, direction.queue);
    if direction.loss > 0.0 {
        words.push_str(&format!(", {}% lost", direction.loss * 100.0));
    }
    words
}

/// Those of a scheme's probes that `--watch` shows: the average, and every probability.
fn watched(direction: &Direction) -> Vec<&'static Probe> {
    let probes = direction.queue.descriptor().probes.iter();
    probes
        .filter(|probe| probe.name == "average" || is_probability(probe))
        .collect()
}

fn is_probability(probe: &Probe) -> bool {
    probe.name == "probability" || probe.meaning.contains("probability")
}

/// One line of `--watch`.
fn shown(sample: &Sample, probes: &[&Probe]) -> String {
    let counts = &sample.counts;
    let mut line = format!(
        "{:5.0} s  {:4} queue {:4}",
        sample.time, sample.direction, counts.queued
    );
    for probe in probes {
        let value = sample.probes.get(probe.name).copied().unwrap_or(f64::NAN);
        line += &match is_probability(probe) {
            true => format!(", {} {:.2}%", probe.name, value * 100.0),
            false => format!(", {} {value:.1}", probe.name),
        };
    }
    let (dropped, marked) = (counts.dropped, counts.marked);
    line + &format!(", dropped {dropped}, marked {marked}")
}

fn counted(counts: &Counts, duration: f64) -> String {
    let rate = BitsPerSec((counts.delivered_bytes as f64 * 8.0 / duration) as u64);
    let mut text = format!(
        "{} packets delivered ({:.3} Mbps), {} dropped, {} marked",
        counts.delivered,
        rate.0 as f64 / 1e6,
        counts.dropped,
        counts.marked
    );
    for (count, what) in [
        (counts.lost, "lost"),
        (counts.passed, "sent past the scheme (ARP and the like)"),
        (counts.malformed, "malformed"),
        (counts.oversized, "dropped for their length"),
        (counts.unbuffered, "dropped for want of buffers"),
        (counts.refused, "refused by the far device"),
    ] {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    text
}
