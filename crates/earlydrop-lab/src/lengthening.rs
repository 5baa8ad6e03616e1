//! Whether a run whose duration is "auto" is long enough: nothing [moves](crate::settled) in it, and the
//! intervals of what each group of flows feels are narrow.

use earlydrop::units::Nanos;

use crate::document::Problems;
use crate::metrics::{self, Felt};
use crate::number::percent;
use crate::plan::{Plan, Source};
use crate::settled;
use crate::summary::{GroupSummary, Summary};

/// Whether a run whose duration is "auto" is long enough.
#[derive(Clone, Debug)]
pub enum Length {
    /// It is.
    Enough,
    /// It is not, for this reason: this one is twice as long.
    Longer(Box<Source>, String),
    /// It is not, for this reason, and a longer one would be longer than is allowed.
    Spent(String),
    /// All is measured, and with one seed nothing more can be said.
    OneSeed,
}

impl Length {
    /// What is to be known of a run of `duration` that no longer one follows; `None` where all is
    /// well.
    pub fn doubt(&self, duration: Nanos) -> Option<String> {
        match self {
            Length::Enough | Length::Longer(..) => None,
            Length::OneSeed => Some(format!(
                "duration = \"auto\" stays at {duration}: with one seed nothing can be said of \
                 trends and intervals; nearest: 5 seeds (--seeds 5)"
            )),
            Length::Spent(why) => Some(format!(
                "duration = \"auto\": {duration} is not long enough, as {why}, and \
                 `measure.longest` allows no twice as long run"
            )),
        }
    }
}

/// Whether the run of `plan`, a plan of one of the [lengths](Source::lengths) of `source`, is long
/// enough.
pub fn length(source: &Source, plan: &Plan, summary: &Summary) -> Result<Length, Problems> {
    let Some(why) = wants_longer(plan, summary) else {
        return Ok(match plan.seeds.len() {
            1 => Length::OneSeed,
            _ => Length::Enough,
        });
    };
    let duration = plan.scenario().duration;
    let mut lengths = source.lengths()?.into_iter();
    let longer = lengths.find_map(|longer| {
        let longer = longer.with_least_seeds(plan.seeds.len());
        (longer.plan().ok()?.scenario().duration > duration).then_some(longer)
    });
    Ok(match longer {
        Some(longer) => Length::Longer(Box::new(longer), why),
        None => Length::Spent(why),
    })
}

/// Why a run is not long enough; `None` where it is, or where one seed cannot tell.
fn wants_longer(plan: &Plan, summary: &Summary) -> Option<String> {
    let labels = plan.labels();
    if let Some(moving) = summary.moving.first() {
        let of = moving.group.as_deref().unwrap_or("the link");
        let (title, label) = (settled::title(moving.drift), labels[moving.scheme]);
        return Some(format!("{title} of {of} had not settled under {label}"));
    }
    let mut widest: Option<(f64, String)> = None;
    for group in &summary.groups {
        let scenario = &plan.points[group.point].scenario;
        let mut felt = Felt::all(scenario).into_iter();
        let felt = felt.find(|felt| felt.group == group.name);
        let Some(index) = felt.and_then(|felt| felt.metrics.first().copied()) else {
            continue;
        };
        let title = metrics::of_groups().nth(index)?.title;
        let what = format!("{title} ({}) under {}", group.name, labels[group.scheme]);
        match half_width(group, index) {
            Err(nothing) => return Some(format!("{what} {nothing}")),
            Ok(Some(half)) if widest.as_ref().is_none_or(|(most, _)| half > *most) => {
                widest = Some((half, what));
            }
            Ok(_) => {}
        }
    }
    let (widest, what) = widest?;
    let is_wide = widest > plan.scenario().measure.interval;
    is_wide.then(|| {
        let share = percent(widest);
        format!("the interval of {what} is ±{share} of the mean")
    })
}

/// The half-width of an interval as a share of the mean; `None` with one seed. An error where a
/// run has measured nothing, in words: too little has happened.
fn half_width(group: &GroupSummary, index: usize) -> Result<Option<f64>, &'static str> {
    let entry = group.values[index].ok_or("is unknown in a run")?;
    let mean = entry.mean;
    match mean.mean {
        _ if mean.is_lower_bound => Err("has only a lower bound"),
        0.0 => Err("is zero"),
        value => Ok(mean.half.map(|half| half / value.abs())),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::plan::TraceFiles;
    use crate::store::{Store, run};

    /// What is said of the first duration of a scenario.
    fn judged(seeds: usize, network: &str, flows: &str) -> Length {
        let text = format!(
            "duration = \"auto\"\nseeds = {seeds}\nschemes = [\"droptail\"]\nnetwork = {{ {network} }}\n\
             flows.a = {{ {flows} }}"
        );
        let source = Source::new("s.toml", &text, TraceFiles::default()).unwrap();
        let plan = source.plan().unwrap();
        let store = Store::in_memory(&source, &plan).unwrap();
        run(&plan, &store, 1, &AtomicBool::new(false), |_| {}).unwrap();
        length(&source, &plan, &Summary::of_store(&plan, &store).unwrap()).unwrap()
    }

    fn assert_longer(judged: Length, wanted: &str) {
        match judged {
            Length::Longer(_, why) => assert!(why.contains(wanted), "{why}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_run_in_which_too_little_has_happened_is_too_short() {
        // A packet takes 12 s.
        let slow = "rate = \"1 kbps\", rtt = \"1 us\"";
        let pages = "kind = \"pages\", pause = \"exponential 100 s\"";
        for seeds in [1, 2] {
            assert_longer(judged(seeds, slow, "count = 1"), "is zero");
            let link = "rate = \"100 kbps\", rtt = \"10 ms\"";
            assert_longer(judged(seeds, link, pages), "is unknown in a run");
        }
    }

    #[test]
    fn one_seed_tells_nothing_of_trends_and_intervals() {
        let link = "rate = \"5 Mbps\", rtt = \"2 ms\"";
        let one = judged(1, link, "count = 2, start = \"0 s\"");
        assert!(matches!(one, Length::OneSeed), "{one:?}");
    }
}
