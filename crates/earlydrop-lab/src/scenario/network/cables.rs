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
        if cut.is_none() && !entries.has("rate") && !entries.has("mended") {
            let message = "a cable that differs in nothing";
            let help = "allowed: its `rate`, or the time `cut`; else leave it out";
            problems.push(Problem::new(entries.place(), message, help));
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
    let cables: Vec<Cable> = cables.collect();
    for (index, cable) in cables.iter().enumerate() {
        if let Some(before) = cables[..index].iter().find(|one| one.contradicts(cable)) {
            let (name, place) = &cable.link;
            let message = format!("the cable of {name} is listed twice with values of one kind");
            let help = match before.rate.is_some() && cable.rate.is_some() {
                true => "allowed: one rate of each cable",
                false => "allowed: cuts of one cable that follow each other",
            };
            problems.push(Problem::new(place, message, help));
        }
    }
    cables
}

impl Cable {
    /// Whether another one gives the same link a second rate, or cuts it while it is cut.
    fn contradicts(&self, other: &Cable) -> bool {
        let overlap = |a: Cut, b: Cut| a.from < b.until && b.from < a.until;
        let cuts_overlap = self.cut.zip(other.cut).is_some_and(|(a, b)| overlap(a, b));
        let both_rates = self.rate.is_some() && other.rate.is_some();
        self.ends() == other.ends() && (both_rates || cuts_overlap)
    }

    /// The two nodes, in an order of their own: its links in both directions are one cable.
    fn ends(&self) -> Option<[&str; 2]> {
        let (from, to) = self.link.0.split_once(" to ")?;
        Some([from.min(to), from.max(to)])
    }

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
