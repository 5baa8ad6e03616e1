//! Every case of `bench/reference/ns3-3.48.csv` as a run of ours.
//!
//! Shared by the test `ns3` and the example `validation`, which use a part each.

mod cases;

use crate::witness::{self, Figure, Witness};

pub(crate) use cases::{Version, cases};

pub(crate) const NS3: Witness = Witness {
    name: "ns-3",
    explained: &[],
};

/// The reference figures that a run of ours has too: the mean of smoothed round trips is
/// not among them.
pub(crate) fn figures() -> Vec<Figure> {
    let mut all = witness::figures(include_str!("../../../../bench/reference/ns3-3.48.csv"));
    all.retain(|figure| figure.metric != "rtt");
    all
}
