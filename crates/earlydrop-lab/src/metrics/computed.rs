//! How metrics are computed from what was measured.

use earlydrop::aqm::DropReason;
use earlydrop_sim::measure::Distribution;
use earlydrop_sim::results::QueueResult;

use super::survival::Survival;

/// The share that a metric is a quantile for, 1 for a mean, and the metric that says up to which
/// share such are known; `None` for other metrics.
pub(super) fn known_by(metric: &str) -> Option<(f64, &'static str)> {
    let (of, quantile) = metric.rsplit_once('_')?;
    let known = match of {
        "completion" => "completion_known",
        "slowdown" => "slowdown_known",
        "round" | "round_slowdown" => "rounds_known",
        _ => return None,
    };
    let share = match quantile {
        "p50" => 0.5,
        "p95" => 0.95,
        "p99" => 0.99,
        "p999" => 0.999,
        "mean" => 1.0,
        _ => return None,
    };
    Some((share, known))
}

/// How many of some transfers or rounds there are per second; `None` where there are none.
pub(super) fn per_second(
    all: &Survival,
    count: fn(&Survival) -> usize,
    seconds: f64,
) -> Option<f64> {
    (all.count() > 0).then(|| count(all) as f64 / seconds)
}

pub(super) fn quantile(delays: &Distribution, share: f64) -> f64 {
    delays.quantile(share).as_secs_f64()
}

pub(super) fn sojourn(queue: &QueueResult, share: f64) -> Option<f64> {
    let sojourn = queue
        .sojourn
        .as_ref()
        .filter(|s: &&Distribution| s.count() > 0);
    sojourn.map(|sojourn| sojourn.quantile(share).as_secs_f64())
}

pub(super) fn dropped_for(queue: &QueueResult, reasons: &[DropReason]) -> Option<f64> {
    let counters = &queue.counters;
    let dropped = reasons
        .iter()
        .map(|reason| counters.dropped_for(*reason).packets);
    queue.share(dropped.sum())
}
