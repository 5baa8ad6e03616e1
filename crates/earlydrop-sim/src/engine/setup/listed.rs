//! Flow lists: their checks, and the routes of their transfers.

use std::collections::HashMap;

use super::routes::Routed;
use crate::network::{LinkId, Network, Node, Routes};
use crate::streams::{path_hash, spawned};
use crate::traffic::{Application, Flow, ListedTransfer, Traffic};

/// What is wrong with a list, if anything.
pub(super) fn problem(transfers: &[ListedTransfer]) -> Option<String> {
    let number = transfers
        .windows(2)
        .position(|pair| pair[0].start > pair[1].start);
    if let Some(number) = number {
        let (before, start) = (transfers[number].start, transfers[number + 1].start);
        return Some(format!(
            "transfer {} of its list starts at {start}, before the one in front of it at {before}; \
             lists are in order of time",
            number + 2
        ));
    }
    let to_itself = transfers.iter().position(|t| t.from == t.to);
    to_itself.map(|number| format!("transfer {} of its list leads to its own host", number + 1))
}

/// The routes of the transfers of lists.
#[derive(Debug, Default)]
pub(super) struct ListedRoutes {
    /// Each route once.
    pub(super) routed: Vec<Routed>,
    /// For each flow with a list, the numbers of its transfers' routes among `routed`.
    pub(super) numbers: HashMap<usize, Vec<u32>>,
}

/// A route as its links in each direction, in each period between changes of routes; `None` where
/// there is none.
type Links = Vec<Option<[Vec<LinkId>; 2]>>;

/// The routes of all transfers of lists.
///
/// Each transfer draws a hash value of its own, and each switch chooses by it as by the ports of a
/// connection (ECMP, RFC 2992). Transfers whose values lead over the same links share a route,
/// so that their connections are used again. Where packets are sprayed, no value chooses.
pub(super) fn routes(network: &Network, flows: &[Flow], seed: u64) -> ListedRoutes {
    let mut periods = network.periods().routes(network);
    let mut known: HashMap<(usize, Node, Node, Links), u32> = HashMap::new();
    let mut listed = ListedRoutes::default();
    for (index, flow) in flows.iter().enumerate() {
        let Traffic::Tcp {
            application: Application::FlowList { transfers, .. },
            ..
        } = &flow.traffic
        else {
            continue;
        };
        let routed = &mut listed.routed;
        let mut number_of = |(number, transfer): (usize, &ListedTransfer)| {
            let (from, to) = (transfer.from, transfer.to);
            let path = path_hash(seed, spawned(index as u32, number as u64));
            let links = match network.spraying {
                true => Vec::new(),
                false => {
                    let periods = periods.iter_mut();
                    periods
                        .map(|routes| both_ways(routes, (from, to), path))
                        .collect()
                }
            };
            *known.entry((index, from, to, links)).or_insert_with(|| {
                routed.push(Routed {
                    flow: index,
                    from,
                    to,
                    path,
                });
                routed.len() as u32 - 1
            })
        };
        let numbers = transfers.iter().enumerate().map(&mut number_of).collect();
        listed.numbers.insert(index, numbers);
    }
    listed
}

/// The links from one host to another and back that this hash value chooses.
fn both_ways(routes: &mut Routes, (from, to): (Node, Node), path: u64) -> Option<[Vec<LinkId>; 2]> {
    let there = routes.find_path(from, to, path)?;
    let back = routes.find_path(to, from, path)?;
    Some([there, back])
}

#[cfg(test)]
#[path = "ecmp_tests.rs"]
mod tests;
