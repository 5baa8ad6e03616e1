//! `duration = "auto"`: runs of twice the duration again and again, until they are long enough.
//!
//! A longer run begins anew: its warm-up, a share of its duration, is longer, too. Whether it is long
//! enough says `lengthening`.

use earlydrop::units::Nanos;

use super::{Plan, Source};
use crate::budget::Limits;
use crate::document::{Node, Problem, Problems};
use crate::scenario::Scenario;
use crate::scenario::fields::LONGEST_SECONDS;

/// The first duration has so many round-trip times, and so many periods of a sender's sawtooth.
const ROUND_TRIPS: f64 = 500.0;
const SAWTOOTHS: f64 = 20.0;
/// The longest duration, in first ones.
const LONGEST: u64 = 16;
/// The longest duration that a file can set.
const ALLOWED: Nanos = Nanos::from_secs(LONGEST_SECONDS as u64);
/// The duration beside a warm-up with which a scenario is read to find its first one.
const TO_READ: Nanos = Nanos::from_secs(1000);

impl Source {
    /// Whether its duration is "auto".
    pub fn is_auto(&self) -> bool {
        let duration = self.tree.at(&["duration"]).and_then(Node::text);
        duration.is_some_and(|text| text == "auto")
    }

    /// This scenario with this duration.
    pub fn lasting(&self, duration: Nanos) -> Source {
        let mut source = self.clone();
        source.set("duration", &format!("\"{duration}\""), "duration = auto");
        source
    }

    /// The durations of its runs, the shortest first: only one unless it is "auto". None is longer
    /// than `measure.longest`.
    pub fn lengths(&self) -> Result<Vec<Source>, Problems> {
        if !self.is_auto() {
            return Ok(vec![self.clone()]);
        }
        let (first, longest) = self
            .first_and_longest()
            .map_err(|list| self.problems(list))?;
        let doubled = std::iter::successors(Some(first), |last| Some(Nanos(last.0 * 2)));
        let all = doubled.take_while(|duration| *duration <= longest);
        Ok(all.map(|duration| self.lasting(duration)).collect())
    }

    /// This scenario with so many seeds at least.
    pub fn with_least_seeds(mut self, seeds: usize) -> Source {
        self.seeds = self.seeds.max(seeds);
        self
    }

    fn first_and_longest(&self) -> Result<(Nanos, Nanos), Vec<Problem>> {
        let written = self.tree.at(&["warm_up"]).and_then(Node::text);
        let warm_up = written.and_then(|text| text.parse::<Nanos>().ok());
        let warm_up = warm_up.unwrap_or(Nanos::ZERO).min(ALLOWED);
        let to_read = self.lasting(Nanos(TO_READ.0 + warm_up.0).min(ALLOWED));
        let plan = Plan::new(&to_read.with_limits(Limits::NONE))?;
        let scenarios = plan.points.iter().map(|point| &point.scenario);
        let points = scenarios.map(|scenario| rounded(warm_up.as_secs_f64() + first(scenario)));
        let first = points.max().unwrap_or(TO_READ);
        let longest = plan.scenario().measure.longest;
        if let Some(longest) = longest.filter(|longest| *longest < first) {
            return Ok((longest, longest));
        }
        if first > ALLOWED {
            return Err(vec![self.too_long()]);
        }
        Ok((
            first,
            longest.unwrap_or(Nanos(first.0 * LONGEST)).min(ALLOWED),
        ))
    }

    /// The problem of a scenario whose first duration no file can set.
    fn too_long(&self) -> Problem {
        let place = self.tree.at(&["duration"]).map(|node| node.place.clone());
        let message = format!(
            "`duration` = \"auto\" begins with {ROUND_TRIPS} round-trip times and {SAWTOOTHS} periods \
             of the senders' sawtooth, which here are more than {ALLOWED}"
        );
        let help = format!(
            "nearest: `measure.longest` = \"{ALLOWED}\", a shorter `network.rtt`, or a duration"
        );
        Problem::new(&place.unwrap_or_default(), message, help)
    }
}

/// The first duration of a scenario beside its warm-up, in seconds: enough round trips, and periods
/// of the senders' sawtooth, for the first test to have a chance; after all that starts or changes.
fn first(scenario: &Scenario) -> f64 {
    let rtt = scenario.path.rtt.as_secs_f64();
    let flows = scenario.path.flows.max(1) as f64;
    let sawtooth = |bdp: f64| {
        // A window at the end of a sawtooth is about half as large again as its share of the BDP.
        let window = 1.5 * bdp / flows;
        // CUBIC's K = cbrt(W (1 - beta) / C), beta = 0.7, C = 0.4 (RFC 9438, 4.2), and Reno's W / 2
        // round trips: a CUBIC sender is as fast as the faster one.
        (0.75 * window).cbrt().min(window / 2.0 * rtt)
    };
    let sizes = scenario.sizes();
    let sawtooths = sizes.iter().map(|sizes| sawtooth(sizes.bdp));
    let steady = (ROUND_TRIPS * rtt).max(SAWTOOTHS * sawtooths.fold(0.0, f64::max));
    steady + scenario.last_change.as_secs_f64()
}

/// Seconds to two digits, upwards.
fn rounded(seconds: f64) -> Nanos {
    let power = 10_f64.powf(seconds.max(1e-6).log10().floor() - 1.0);
    Nanos::from_secs_f64((seconds / power - 1e-9).ceil() * power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::TraceFiles;

    fn source(more: &str) -> Source {
        let text = format!(
            "duration = \"auto\"\nschemes = [\"codel\"]\nflows.bulk = {{ count = 2, start = \"0 s\" }}\n{more}"
        );
        Source::new("s.toml", &text, TraceFiles::default()).unwrap()
    }

    fn durations(source: &Source) -> Vec<Nanos> {
        let plans = source.lengths().unwrap().into_iter();
        plans
            .map(|source| source.plan().unwrap().scenario().duration)
            .collect()
    }

    #[test]
    fn durations_double_from_the_first_to_the_longest() {
        let all = durations(&source(
            "network.rtt = \"40 ms\"\nnetwork.rate = \"1 Mbps\"",
        ));
        // 500 round trips; a window of 2.5 packets has no long sawtooth.
        assert_eq!(all, [20, 40, 80, 160, 320].map(Nanos::from_secs));
        let longest = source(
            "network.rtt = \"40 ms\"\nnetwork.rate = \"1 Mbps\"\nmeasure.longest = \"50 s\"",
        );
        assert_eq!(durations(&longest), [20, 40].map(Nanos::from_secs));
    }

    #[test]
    fn the_longest_duration_is_not_exceeded() {
        let longest =
            source("network.rtt = \"40 ms\"\nnetwork.rate = \"1 Mbps\"\nmeasure.longest = \"1 s\"");
        assert_eq!(durations(&longest), [Nanos::from_secs(1)]);
    }

    #[test]
    fn the_first_duration_is_after_all_that_starts_or_changes() {
        let path = "network.rtt = \"40 ms\"\nnetwork.rate = \"1 Mbps\"\n";
        for (more, last) in [
            (
                "network.changes = [{ at = \"500 s\", rate = \"2 Mbps\" }]",
                500,
            ),
            ("flows.late = { start = \"2000 s\" }", 2000),
            ("flows.late = { start = \"0 s..2000 s\" }", 2000),
            ("flows.late = { stop = \"300 s\" }", 300),
            ("warm_up = \"2000 s\"", 2000),
        ] {
            let source = source(&format!("{path}{more}"));
            let plan = source.plan().unwrap();
            assert!(plan.scenario().duration > Nanos::from_secs(last), "{more}");
            assert!(
                plan.scenario().late.is_empty(),
                "{:?}",
                plan.scenario().late
            );
        }
    }

    #[test]
    fn a_round_trip_time_beyond_any_duration_is_named_as_the_reason() {
        let path = "network.rtt = \"1000000000 s\"\nnetwork.rate = \"1 Mbps\"";
        let problems = source(path).plan().unwrap_err().to_string();
        assert!(problems.contains("s.toml:1"), "{problems}");
        assert!(problems.contains("network.rtt"), "{problems}");
        let longest = source(&format!("{path}\nmeasure.longest = \"1 s\""));
        assert_eq!(durations(&longest), [Nanos::from_secs(1)]);
    }

    #[test]
    fn a_plan_is_of_the_first_and_names_it() {
        let source = source("network.rtt = \"10 us\"\nnetwork.rate = \"10 Gbps\"");
        let plan = source.plan().unwrap();
        assert!(plan.scenario().duration < Nanos::from_secs(1));
        let duration = format!("duration = \"{}\"", plan.scenario().duration);
        assert!(plan.toml().contains(&duration), "{}", plan.toml());
    }

    #[test]
    fn a_swept_duration_is_not_auto() {
        let text = "schemes = [\"codel\"]\nsweep.duration = [\"auto\", \"5 s\"]";
        let source = Source::new("s.toml", text, TraceFiles::default()).unwrap();
        let error = source.plan().unwrap_err().to_string();
        assert!(error.contains("\"auto\" in a sweep"), "{error}");
    }
}
