//! Flow lists: their checks, and the routes of their transfers.

use std::collections::HashMap;

use super::routes::Routed;
use crate::streams::{Purpose, spawned, stream};
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

/// Adds the routes of all lists to `routed`, each once. Returns for each flow with a list the
/// numbers of its transfers' routes, counted from the end of the flows' own.
pub(super) fn routes(
    flows: &[Flow],
    seed: u64,
    routed: &mut Vec<Routed>,
) -> HashMap<usize, Vec<u32>> {
    let mut known = HashMap::new();
    let mut numbers = HashMap::new();
    for (index, flow) in flows.iter().enumerate() {
        let Traffic::Tcp {
            application: Application::FlowList(transfers),
            ..
        } = &flow.traffic
        else {
            continue;
        };
        let route_of = |(number, transfer): (usize, &ListedTransfer)| {
            let place = spawned(index as u32, number as u64);
            let path = stream(seed, Purpose::Path, place).next_u32() % PATHS;
            let ends = (transfer.from, transfer.to, path);
            *known.entry((index, ends)).or_insert_with(|| {
                routed.push(Routed {
                    flow: index,
                    from: transfer.from,
                    to: transfer.to,
                    path: u64::from(path),
                });
                (routed.len() - 1 - flows.len()) as u32
            })
        };
        numbers.insert(index, transfers.iter().enumerate().map(route_of).collect());
    }
    numbers
}

/// Hash values of paths between two hosts: more than most networks have paths, and few enough
/// that connections of one path are used again.
const PATHS: u32 = 1024;
