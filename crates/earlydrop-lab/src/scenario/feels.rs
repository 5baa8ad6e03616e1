//! What a group of flows feels of the network: by which measure it is well or badly served.
//!
//! `docs/explanation/what-is-measured.md` says why no figure averages over groups that feel
//! different things.

use crate::document::Entries;

/// What a group of flows feels, in the order of who suffers first from a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feels {
    /// How late its packets are, or whether they come at all: a call, a game.
    Lateness,
    /// How long it waits for a page, a transfer, an answer.
    Waiting,
    /// The same for transfers of very different sizes, which are compared by their slowdown.
    Slowdown,
    /// How long a client waits for the last of its servers.
    Rounds,
    /// Its rate, and whether its neighbours get the same: transfers that do not end.
    Rate,
    /// Nothing: it sends its datagrams whatever becomes of them.
    Nothing,
}

/// The kinds of what is felt, in a scenario file.
pub(super) const FEELS: &[(&str, &str)] = &[
    (
        "auto",
        "by `kind`: voice feels lateness, bulk its rate, other TCP waiting, other datagrams nothing",
    ),
    (
        "lateness",
        "how late packets are, or whether they come at all, as a call or a game does",
    ),
    ("rate", "its goodput, as a transfer without end does"),
    (
        "nothing",
        "it sends whatever becomes of its packets, as a flood does",
    ),
];

impl Feels {
    /// What a group feels of this `kind`.
    pub(super) fn read(kind: &str, group: &Entries) -> Feels {
        match (group.choice("feels"), kind) {
            ("lateness", _) | ("auto", "voice") => Feels::Lateness,
            ("rate", _) | ("auto", "bulk") => Feels::Rate,
            ("nothing", _) | ("auto", "cbr" | "on-off" | "replay") => Feels::Nothing,
            (_, "incast") => Feels::Rounds,
            (_, "list") => Feels::Slowdown,
            _ if group.has("load") || !group.text("sizes").is_empty() => Feels::Slowdown,
            _ => Feels::Waiting,
        }
    }

    /// In a word, for files: "lateness".
    pub fn name(self) -> &'static str {
        match self {
            Feels::Lateness => "lateness",
            Feels::Waiting => "waiting",
            Feels::Slowdown => "slowdown",
            Feels::Rounds => "rounds",
            Feels::Rate => "rate",
            Feels::Nothing => "nothing",
        }
    }
}
