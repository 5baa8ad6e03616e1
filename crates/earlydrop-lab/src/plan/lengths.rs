//! `duration = "auto"`: runs of twice the duration again and again, until they are long enough.
//!
//! A longer run begins anew: its warm-up, a share of its duration, is longer, too. Whether it is long
//! enough says `lengthening`.

use earlydrop::units::Nanos;

use super::{Plan, Source};
use crate::budget::Limits;
use crate::document::{Node, Problem, Problems};
use crate::scenario::Scenario;

/// The first duration has so many round-trip times, and so many periods of a sender's sawtooth.
const ROUND_TRIPS: f64 = 500.0;
const SAWTOOTHS: f64 = 20.0;
/// The longest duration, in first ones.
const LONGEST: u64 = 16;
/// The duration with which a scenario is read to find its first one.
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

    /// The durations of its runs, the shortest first: only one unless it is "auto".
    pub fn lengths(&self) -> Result<Vec<Source>, Problems> {
        if !self.is_auto() {
            return Ok(vec![self.clone()]);
        }
        let (first, longest) = self
            .first_and_longest()
            .map_err(|list| self.problems(list))?;
        let doubled = std::iter::successors(Some(first), |last| Some(Nanos(last.0 * 2)));
        let all = doubled.take_while(|duration| *duration == first || *duration <= longest);
        Ok(all.map(|duration| self.lasting(duration)).collect())
    }

    /// This scenario with so many seeds at least.
    pub fn with_least_seeds(mut self, seeds: usize) -> Source {
        self.seeds = self.seeds.max(seeds);
        self
    }

    fn first_and_longest(&self) -> Result<(Nanos, Nanos), Vec<Problem>> {
        let read = self.lasting(TO_READ).with_limits(Limits::NONE);
        let plan = Plan::new(&read)?;
        let has_warm_up = self.tree.at(&["warm_up"]).is_some();
        let points = plan.points.iter().map(|point| {
            let scenario = &point.scenario;
            let warm_up = if has_warm_up {
                scenario.warm_up
            } else {
                Nanos::ZERO
            };
            rounded(warm_up.as_secs_f64() + first(scenario))
        });
        let first = points.max().unwrap_or(TO_READ);
        let longest = plan.scenario().measure.longest;
        Ok((first, longest.unwrap_or(Nanos(first.0 * LONGEST))))
    }
}

/// The first duration of a scenario beside its warm-up, in seconds: enough round trips, and periods of the senders' sawtooth, for
/// the first test to have a chance; after its flows have started and changed.
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
    steady + scenario.last_start().as_secs_f64()
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
