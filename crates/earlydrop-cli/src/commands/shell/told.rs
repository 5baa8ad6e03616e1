//! What `earlydrop shell` says, on standard error: standard output is the command's.

use earlydrop::registry::Probe;
use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_live::plan::{Direction, Rate};
use earlydrop_live::session::{Audience, FAR, NEAR, Owner, Right, Session};
use earlydrop_live::stats::{Counts, Sample, Summary};

pub(super) struct Teller {
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
    pub(super) fn new(session: &Session, quiet: bool, watch: bool) -> Teller {
        let bottleneck = &session.bottleneck;
        Teller {
            quiet,
            watch,
            directions: [&bottleneck.up, &bottleneck.down].map(in_words),
            probes: [&bottleneck.up, &bottleneck.down].map(watched),
            next: 1.0,
        }
    }

    fn say(&self, text: &str) {
        if !self.quiet {
            anstream::eprintln!("earlydrop: {text}");
        }
    }

    /// What was counted and measured.
    pub(super) fn ended(&self, summary: &Summary) {
        let counts = [("up", &summary.up), ("down", &summary.down)];
        for (name, counts) in counts {
            self.say(&format!("{name:4} {}", counted(counts, summary.duration)));
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
}

impl Audience for Teller {
    fn begins(&mut self, right: Right, owner: &Owner) {
        let how = match (right, owner) {
            (Right::UserNamespace, _) => "without root, in a user namespace".to_string(),
            (Right::Root, Owner::Same) => "as root".to_string(),
            (Right::Root, Owner::Caller { user, name, .. }) => {
                let name = name.clone().unwrap_or_else(|| format!("user {user}"));
                format!("as root; from here on as {name}")
            }
        };
        self.say(&format!(
            "you are {}, the far end is {}; set up {how}",
            NEAR.v4, FAR.v4
        ));
        let [up, down] = &self.directions;
        match up == down {
            true => self.say(&format!("both ways: {up}")),
            false => {
                self.say(&format!("up:   {up}"));
                self.say(&format!("down: {down}"));
            }
        }
    }

    fn sampled(&mut self, samples: &[Sample; 2]) {
        if !self.watch || samples[0].time < self.next {
            return;
        }
        self.next = samples[0].time.floor() + 1.0;
        for (sample, probes) in samples.iter().zip(&self.probes) {
            self.say(&shown(sample, probes));
        }
    }

    fn far_ended(&mut self, code: i32) {
        self.say(&format!(
            "what ran at the far end has ended, with code {code}"
        ));
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
        (counts.malformed, "malformed"),
        (counts.unbuffered, "dropped for want of buffers"),
        (counts.refused, "refused by the far device"),
    ] {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    text
}
