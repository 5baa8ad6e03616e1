//! Every case of `bench/reference/ns2.csv` as a run, for the test `ns2` and the example
//! `validation`.

mod cases;
mod settings;

use crate::reference::{self, Figure, ReferenceSimulator};

pub(crate) use cases::cases;

/// A table of how many figures miss their tolerance when one setting is changed.
pub(crate) fn table_of_settings() -> String {
    reference::table_of_settings(cases, &figures(), &settings::QUEUE, &settings::SENDER)
}

pub(crate) const NS2: ReferenceSimulator = ReferenceSimulator {
    name: "ns-2",
    explained: &[(
        "sfred-nlred.rem.N60",
        "meanq",
        "the table's three seeds lie low; over 240 ns-2 has 15.7 too",
    )],
};

/// The reference figures.
pub(crate) fn figures() -> Vec<Figure> {
    reference::figures(include_str!("../../../../bench/reference/ns2.csv"))
}
