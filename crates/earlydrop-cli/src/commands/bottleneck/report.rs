//! Reports about a bottleneck with real packets, on standard error: standard output belongs to the
//! user's command.

use earlydrop::registry::Probe;
use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_live::plan::{Bottleneck, Direction, MTU, Rate};
use earlydrop_live::session::InvokingUser;
use earlydrop_live::stats::{Counts, Sample, Summary};

use crate::notices::Notices;

/// Prints the bottleneck's settings, its queues once a second, and the final counts.
pub(in crate::commands) struct Reporter {
    pub(in crate::commands) notices: Notices,
    watch: bool,
    /// Each direction in words.
    directions: [String; 2],
    /// The probes of each direction's scheme that `--watch` prints.
    probes: [Vec<&'static Probe>; 2],
    /// The time of the next line of `--watch`, in seconds.
    next: f64,
}

impl Reporter {
    pub(super) fn new(bottleneck: &Bottleneck, quiet: bool, watch: bool) -> Reporter {
        Reporter {
            notices: Notices { quiet },
            watch,
            directions: [&bottleneck.up, &bottleneck.down].map(direction_in_words),
            probes: [&bottleneck.up, &bottleneck.down].map(watched_probes),
            next: 1.0,
        }
    }

    /// Prints counts, timing quality and warnings after the last packet.
    pub(in crate::commands) fn print_summary(&self, summary: &Summary) {
        let counts = [("up", &summary.up), ("down", &summary.down)];
        for (name, counts) in counts {
            let counts = counts_in_words(counts, summary.duration);
            self.notices.info(&format!("{name:4} {counts}"));
        }
        if summary.up.oversized + summary.down.oversized > 0 {
            self.notices.warn(&format!(
                "packets of more than {MTU} bytes were dropped; offloads merge packets: turn them \
                 off at the hosts and here (ethtool -K INTERFACE tso off gso off gro off)"
            ));
        }
        let late = |seconds| Nanos::from_secs_f64(seconds).to_string();
        let lateness = &summary.lateness;
        self.notices.info(&format!(
            "lateness of packets {} (median), {} (99%), {} (99.9%); CPU {:.0}% of one core",
            late(lateness.p50),
            late(lateness.p99),
            late(lateness.p999),
            summary.cpu * 100.0
        ));
        if !summary.trustworthy {
            self.notices.warn(&format!(
                "not trustworthy: more than 1% of packets were late by more than {}, half the \
                 transmission time of a full packet",
                late(summary.tolerated)
            ));
        }
    }

    /// Prints the settings of both directions.
    pub(in crate::commands) fn print_directions(&self) {
        let [up, down] = &self.directions;
        match up == down {
            true => self.notices.info(&format!("both directions: {up}")),
            false => {
                self.notices.info(&format!("up:   {up}"));
                self.notices.info(&format!("down: {down}"));
            }
        }
    }

    /// Prints both queues once a second, with `--watch`.
    pub(in crate::commands) fn print_sample(&mut self, samples: &[Sample; 2]) {
        if !self.watch || samples[0].time < self.next {
            return;
        }
        self.next = samples[0].time.floor() + 1.0;
        for (sample, probes) in samples.iter().zip(&self.probes) {
            self.notices.info(&sample_in_words(sample, probes));
        }
    }
}

/// "; continuing as dave" where root has become the user who called sudo, else nothing.
pub(in crate::commands) fn user_change(owner: &InvokingUser) -> String {
    match owner {
        InvokingUser::Current => String::new(),
        InvokingUser::Sudo { user, name, .. } => {
            let name = name.clone().unwrap_or_else(|| format!("user {user}"));
            format!("; continuing as {name}")
        }
    }
}

/// "20 Mbps, 25 ms, nlred:min=10,max=30".
fn direction_in_words(direction: &Direction) -> String {
    let rate = match &direction.rate {
        Rate::Constant(rate) => rate.to_string(),
        Rate::Recorded(trace) => format!("a trace with a mean of {}", trace.mean_rate()),
    };
    let mut words = format!("{rate}, {}, {}", direction.delay, direction.queue);
    if direction.loss > 0.0 {
        words.push_str(&format!(", {}% lost", direction.loss * 100.0));
    }
    words
}

/// The probes that `--watch` prints: the average, and every probability.
fn watched_probes(direction: &Direction) -> Vec<&'static Probe> {
    let probes = direction.queue.descriptor().probes.iter();
    probes
        .filter(|probe| probe.name == "average" || is_probability(probe))
        .collect()
}

fn is_probability(probe: &Probe) -> bool {
    probe.name == "probability" || probe.meaning.contains("probability")
}

/// One line of `--watch`.
fn sample_in_words(sample: &Sample, probes: &[&Probe]) -> String {
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

/// "1200 packets delivered (9.412 Mbps), 12 dropped, 0 marked", and what else happened to packets.
fn counts_in_words(counts: &Counts, duration: f64) -> String {
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
        (
            counts.passed,
            "not IP, which bypass the scheme (such as ARP)",
        ),
        (counts.malformed, "malformed"),
        (counts.oversized, "dropped as too long"),
        (counts.unbuffered, "dropped without a free buffer"),
        (counts.refused, "refused by the output device"),
    ] {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    text
}
