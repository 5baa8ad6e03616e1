//! Which links packets wait at, for networks with several bottlenecks.

use std::collections::BTreeSet;

use earlydrop_lab::outcome::QueueOutcome;
use earlydrop_lab::store::QueueRow;

/// The share of the time for which a congested link is at least busy.
const BUSY: f64 = 0.5;

/// The links where packets wait: those that were busy, dropped or marked in any run, and the
/// measured one. The way back of acknowledgments is none.
pub(super) fn congested(rows: &[QueueRow]) -> BTreeSet<&str> {
    let is_congested = |row: &&QueueRow| {
        row.watched || row.utilisation >= BUSY || row.dropped > 0.0 || row.marked > 0.0
    };
    let links = rows.iter().filter(is_congested);
    links.map(|row| row.link.as_str()).collect()
}

/// Whether packets wait at the link of a run's queue.
pub(super) fn is_congested(queue: &QueueOutcome) -> bool {
    let dropped: u64 = queue.dropped.iter().sum();
    queue.watched || queue.utilisation >= BUSY || dropped + queue.marked > 0
}
