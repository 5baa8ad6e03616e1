//! The metrics of single links.

use earlydrop::units::Nanos;

use super::computed::sojourn;
use super::list::headline;
use super::{Better, Compute, Metric};

/// The metrics of a link with its queue, for scenarios with several bottlenecks.
pub static LINK_METRICS: &[Metric] = &[
    headline(
        "utilisation",
        "utilisation",
        ("%", 100.0),
        Better::More,
        "the share of the time that the link was sending; of a recorded link, the share of what it could send",
        Compute::Queue(|queue| Some(queue.utilisation)),
    ),
    headline(
        "delay_mean",
        "queueing delay",
        ("ms", 1e3),
        Better::Less,
        "the mean time from a packet's arrival at the link's queue to the start of its transmission",
        Compute::Queue(|queue| queue.mean_sojourn.map(Nanos::as_secs_f64)),
    ),
    headline(
        "delay_p99",
        "queueing delay, 99%",
        ("ms", 1e3),
        Better::Less,
        "the 99th percentile of the time in the link's queue",
        Compute::Queue(|queue| sojourn(queue, 0.99)),
    ),
    headline(
        "queue_loss",
        "dropped",
        ("%", 100.0),
        Better::Less,
        "the share of the queue's packets that it dropped: of those that waited at the warm-up's end or arrived later",
        Compute::Queue(|queue| queue.share(queue.counters.dropped().packets)),
    ),
    headline(
        "queue_marked",
        "marked",
        ("%", 100.0),
        Better::Neither,
        "the share of the queue's packets that it marked",
        Compute::Queue(|queue| queue.share(queue.counters.marked.packets)),
    ),
];
