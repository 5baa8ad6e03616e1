//! The ends of flows in a network.

use std::collections::HashSet;

use earlydrop::units::Nanos;
use earlydrop_sim::network::{Node as Host, Routes};

use super::BuiltNetwork;
use crate::document::{Problem, suggestion};
use crate::scenario::FlowGroup;

/// The ends of a flow, and the propagation delay of its hosts' access links.
pub(in crate::scenario) struct Ends {
    pub(in crate::scenario) from: Host,
    pub(in crate::scenario) to: Host,
    /// The one-way delay of each access link; `None` in a graph.
    pub(in crate::scenario) access_delay: Option<Nanos>,
}

/// Why a flow's ends are invalid.
pub(in crate::scenario) enum EndsProblem {
    /// There is no node of this name.
    Unknown {
        is_from: bool,
        name: String,
        known: Vec<String>,
        /// The number of hosts of a fabric, which have numbers; 0 elsewhere.
        hosts: usize,
    },
    /// Both ends are the same node.
    Same(String),
    /// The bottlenecks on the path alone take longer than the round-trip time.
    TooShort { least: Nanos },
}

impl BuiltNetwork {
    /// The longest base round-trip time of any group of flows in a graph.
    pub(super) fn longest_rtt(&self, groups: &[FlowGroup]) -> Option<Nanos> {
        let mut routes = Routes::new(&self.network);
        let mut delay = |from, to| {
            let route = routes.find(from, to)?;
            let delays = route.iter().map(|link| self.network.get(*link).delay);
            Some(delays.fold(Nanos::ZERO, |sum, delay| sum + delay))
        };
        let ends: HashSet<(&str, &str)> = groups
            .iter()
            .map(|group| (group.from.as_str(), group.to.as_str()))
            .collect();
        let rtts = ends.into_iter().filter_map(|(from, to)| {
            let (from, to) = (*self.places.get(from)?, *self.places.get(to)?);
            Some(delay(from, to)? + delay(to, from)?)
        });
        rtts.max()
    }

    /// The host of this name, or of a fabric the host with this number.
    pub(in crate::scenario) fn host(&self, name: &str, is_from: bool) -> Result<Host, EndsProblem> {
        let numbered = name.parse::<usize>().ok();
        let host = numbered.and_then(|number| self.hosts.get(number).copied());
        let host = host.or_else(|| self.places.get(name).copied());
        host.ok_or_else(|| EndsProblem::Unknown {
            is_from,
            name: name.to_string(),
            known: self.places.keys().cloned().collect(),
            hosts: self.hosts.len(),
        })
    }

    /// The ends of a flow with these names and this base round-trip time.
    pub(in crate::scenario) fn ends(
        &self,
        from: &str,
        to: &str,
        rtt: Nanos,
    ) -> Result<Ends, EndsProblem> {
        let names = self.chain.as_ref().map(|(_, names)| names.as_slice());
        let end = |name: &str, default: Option<&String>, is_from: bool| {
            let name = if name.is_empty() {
                default.map_or("", String::as_str)
            } else {
                name
            };
            let node = self.places.get(name).copied();
            node.map(|node| (name.to_string(), node))
                .ok_or_else(|| EndsProblem::Unknown {
                    is_from,
                    name: name.to_string(),
                    known: self.places.keys().cloned().collect(),
                    hosts: self.hosts.len(),
                })
        };
        let (from_name, from) = end(from, names.and_then(<[String]>::first), true)?;
        let (to_name, to) = end(to, names.and_then(<[String]>::last), false)?;
        if from == to {
            return Err(EndsProblem::Same(from_name));
        }
        let access_delay = match &self.chain {
            None => None,
            Some((delay, names)) => {
                let index = |name: &String| names.iter().position(|known| known == name);
                let hops = index(&from_name)
                    .unwrap_or(0)
                    .abs_diff(index(&to_name).unwrap_or(0));
                let least = Nanos(delay.0.saturating_mul(2 * hops as u64));
                if rtt < least {
                    return Err(EndsProblem::TooShort { least });
                }
                Some(Nanos((rtt.0 - least.0) / 4))
            }
        };
        Ok(Ends {
            from,
            to,
            access_delay,
        })
    }
}

/// Help for an unknown name among so many hosts: the one whose number is nearest to the number in
/// `name`, or the first.
fn nearest_host(name: &str, hosts: usize) -> String {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let last = hosts - 1;
    let number = match digits.is_empty() {
        true => 0,
        // A number too large to be read is beyond the last one.
        false => digits.parse().unwrap_or(last).min(last),
    };
    format!("nearest: \"host {number}\" (known: \"host 0\" to \"host {last}\")")
}

/// The problem of a group whose flows have such ends.
pub(in crate::scenario) fn ends_problem(
    group: &FlowGroup,
    rtt: Nanos,
    problem: EndsProblem,
) -> Problem {
    match problem {
        EndsProblem::Unknown {
            is_from,
            name,
            known,
            hosts,
        } => {
            let (end, place) = if is_from {
                ("from", &group.places.from)
            } else {
                ("to", &group.places.to)
            };
            let message = format!(
                "flows `{}`: no node is called {end} = \"{name}\"",
                group.name
            );
            if hosts > 0 {
                return Problem::new(place, message, nearest_host(&name, hosts));
            }
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            if name.is_empty() {
                let message = format!("flows `{}` name no `{end}`", group.name);
                return Problem::new(place, message, format!("known: {}", known.join(", ")));
            }
            let help = suggestion(&name, &known, '"');
            Problem::new(place, message, help)
        }
        EndsProblem::Same(name) => {
            let message = format!("flows `{}` lead from \"{name}\" to itself", group.name);
            Problem::new(
                &group.places.to,
                message,
                "`from` and `to` must be different",
            )
        }
        EndsProblem::TooShort { least } => {
            let message = format!(
                "flows `{}`: a round-trip time of {rtt} is shorter than the {least} of the bottlenecks alone",
                group.name
            );
            let help = format!("nearest: rtt = \"{least}\", or a shorter network.delay");
            Problem::new(&group.places.rtt, message, help)
        }
    }
}
