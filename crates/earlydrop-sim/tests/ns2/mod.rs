//! Every case of `bench/reference/ns2.csv` as a run of ours.
//!
//! Shared by the test `ns2` and the example `validation`, which use a part each.

mod cases;
mod settings;

use crate::witness::{self, Figure, Witness};

pub(crate) use cases::cases;

/// How many figures are missed when one setting is another.
pub(crate) fn table_of_settings() -> String {
    witness::table_of_settings(cases, &figures(), &settings::QUEUE, &settings::SENDER)
}

pub(crate) const NS2: Witness = Witness {
    name: "ns-2",
    explained: &[(
        "000.rem.N60",
        "meanq",
        "the table's three seeds lie low; over 240 ns-2 has 15.7 too",
    )],
};

/// The reference figures.
pub(crate) fn figures() -> Vec<Figure> {
    witness::figures(include_str!("../../../../bench/reference/ns2.csv"))
}
