//! Which links packets wait at, for networks with several bottlenecks.

use std::collections::BTreeSet;

use earlydrop_lab::outcome::QueueOutcome;
use earlydrop_lab::store::QueueRow;

/// The share of the time for which a congested link is at least busy.
const BUSY: f64 = 0.5;

/// Whether packets wait at a link: the measured one, or one that is busy, drops or marks. The way
/// back of acknowledgments does not.
fn is_congested(watched: bool, utilisation: f64, signals: f64) -> bool {
    watched || utilisation >= BUSY || signals > 0.0
}

/// The links where packets wait in any run.
pub(super) fn congested(rows: &[QueueRow]) -> BTreeSet<&str> {
    let waits = |row: &&QueueRow| is_congested(row.watched, row.utilisation, row.signals);
    let links = rows.iter().filter(waits);
    links.map(|row| row.link.as_str()).collect()
}

/// Whether packets wait at the link of a run's queue.
pub(super) fn packets_wait_at(queue: &QueueOutcome) -> bool {
    let signals = queue.dropped.iter().sum::<u64>() + queue.marked;
    is_congested(queue.watched, queue.utilisation, signals as f64)
}
