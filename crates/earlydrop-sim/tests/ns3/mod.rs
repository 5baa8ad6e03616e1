//! Every case of `bench/reference/ns3-3.48.csv` and `ns3-mended.csv` as a run of ours,
//! but for those of `TcpNewReno`.
//!
//! Shared by the test `ns3` and the example `validation`, which use a part each.

mod cases;
mod settings;

use crate::witness::{self, Figure, Witness};

pub(crate) use cases::{Version, cases};

/// ns-3 3.48 as it is.
pub(crate) const NS3: Witness = Witness {
    name: "ns-3",
    explained: &[],
};

/// ns-3 3.48 with `bench/peers/ns3-mended.patch`.
pub(crate) const MENDED: Witness = Witness {
    name: "ns-3 mended",
    explained: &[],
};

/// The reference figures that a run of ours has too: the mean of smoothed round trips is
/// not among them.
pub(crate) fn figures(version: Version) -> Vec<Figure> {
    let table = match version {
        Version::AsItIs => include_str!("../../../../bench/reference/ns3-3.48.csv"),
        Version::Mended => include_str!("../../../../bench/reference/ns3-mended.csv"),
    };
    let mut all = witness::figures(table);
    all.retain(|figure| figure.metric != "rtt" && !figure.case.starts_with("newreno"));
    all
}

/// How many figures are missed when one setting is another.
pub(crate) fn table_of_settings() -> String {
    let version = Version::AsItIs;
    let cases = || cases(version);
    let figures = figures(version);
    witness::table_of_settings(cases, &figures, &settings::QUEUE, &settings::SENDER)
}
