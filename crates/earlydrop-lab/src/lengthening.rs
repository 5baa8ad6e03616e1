//! Whether a run whose duration is "auto" is long enough: nothing [moves](crate::settled) in it, and the
//! intervals of what each group of flows feels are narrow.

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
}

/// Whether the run of `plan`, a plan of one of the [lengths](Source::lengths) of `source`, is long
/// enough.
pub fn length(source: &Source, plan: &Plan, summary: &Summary) -> Result<Length, Problems> {
    let Some(why) = wants_longer(plan, summary) else {
        return Ok(Length::Enough);
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
    let widest = summary.groups.iter().filter_map(|group| {
        let scenario = &plan.points[group.point].scenario;
        let felt = Felt::all(scenario)
            .into_iter()
            .find(|felt| felt.group == group.name)?;
        let index = *felt.metrics.first()?;
        Some((half_width(group, index)?, group, index))
    });
    let (widest, group, index) = widest.max_by(|one, other| one.0.total_cmp(&other.0))?;
    let title = metrics::of_groups()
        .nth(index)
        .map_or("", |metric| metric.title);
    (widest > plan.scenario().measure.interval).then(|| {
        format!(
            "the interval of {title} ({}) under {} is ±{} of the mean",
            group.name,
            labels[group.scheme],
            percent(widest)
        )
    })
}

/// The half-width of an interval as a share of the mean; `None` with one seed, and of zero.
fn half_width(group: &GroupSummary, index: usize) -> Option<f64> {
    let mean = group.values[index]?.mean;
    (mean.mean != 0.0).then_some(mean.half? / mean.mean.abs())
}
