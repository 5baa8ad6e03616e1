//! The metrics of runs on real hosts.

use super::list::headline;
use super::{Better, Compute, Metric};

/// The metrics of the timing of runs on real hosts, which only such runs have.
pub static LIVE_METRICS: &[Metric] = &[
    headline(
        "lateness_p50",
        "lateness, median",
        ("us", 1e6),
        Better::Neither,
        "the median lateness of deliveries",
        Compute::Live(|live| live.late(0.5)),
    ),
    headline(
        "lateness_p99",
        "lateness, 99%",
        ("us", 1e6),
        Better::Neither,
        "the 99th percentile of the lateness of deliveries",
        Compute::Live(|live| live.late(0.99)),
    ),
    headline(
        "lateness_p999",
        "lateness, 99.9%",
        ("us", 1e6),
        Better::Neither,
        "the 99.9th percentile of the lateness of deliveries",
        Compute::Live(|live| live.late(0.999)),
    ),
    headline(
        "cpu",
        "core",
        ("%", 100.0),
        Better::Neither,
        "the share of one core that the bottleneck took",
        Compute::Live(|live| Some(live.cpu)),
    ),
    headline(
        "beside",
        "lost outside the queue",
        ("packets", 1.0),
        Better::Neither,
        "packets that the machine lost outside the queue: not read in time, or without a buffer",
        Compute::Live(|live| Some(live.beside as f64)),
    ),
];
