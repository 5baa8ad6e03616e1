//! Cables of a fabric that differ from the others: in their rate, or as they are cut and mended.

use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_sim::network::{Cut, Network};

use super::link_called;
use crate::document::{Entries, Place, Problem};
use crate::scenario::Context;

/// A cable between two nodes of a fabric, by the name of its link in one direction.
#[derive(Clone, Debug)]
pub(super) struct Cable {
    link: (String, Place),
    rate: Option<BitsPerSec>,
    pub(super) cut: Option<Cut>,
}

/// Reads `cables`.
pub(super) fn read(
    network: &Entries,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> Vec<Cable> {
    let cables = network.list("cables").iter().map(|entries| {
        let cut = entries.time_or_auto("cut");
        let mended = entries.time_or_never("mended").unwrap_or(Nanos::NEVER);
        if let Some(from) = cut {
            context.check_in_time("a cable cut", from);
            if mended <= from {
                let message = format!("a cable cut at {from} and mended at {mended}");
                let help = "allowed: a later time, or never";
                problems.push(Problem::new(entries.place_of("mended"), message, help));
            }
        } else if entries.has("mended") {
            let message = "a cable that is mended, and not cut";
            let help = "give the time `cut`, or leave `mended` out";
            problems.push(Problem::new(entries.place_of("mended"), message, help));
        }
        Cable {
            link: (entries.text("link"), entries.place_of("link").clone()),
            rate: entries.rate_or_auto("rate"),
            cut: cut.map(|from| Cut {
                from,
                until: mended,
            }),
        }
    });
    cables.collect()
}

impl Cable {
    /// Changes the cable's links in a network.
    pub(super) fn apply(&self, network: &mut Network) -> Result<(), Problem> {
        let there = link_called(network, &self.link, "link", |_| true)?;
        for id in [Some(there), network.way_back(there)].into_iter().flatten() {
            let link = network.get_mut(id);
            if let Some(rate) = self.rate {
                link.rate = rate;
            }
            link.cuts.extend(self.cut);
        }
        Ok(())
    }
}
