//! Workloads: sizes as measured in networks, offered loads, and transfers between random hosts.

mod incast;

use earlydrop::random::Pcg32;
use earlydrop::units::{Bytes, Nanos};
use earlydrop_model::number::to_digits;
use earlydrop_sim::distribution::Distribution;
use earlydrop_sim::network::Node as Host;
use earlydrop_sim::spread::{Law, Spread};
use earlydrop_sim::streams::{Purpose, spawned, stream};
use earlydrop_sim::tcp::{Handshake, Profile};
use earlydrop_sim::traffic::{Application, ListedTransfer, Traffic};

use super::network::BuiltNetwork;
use super::{Context, FlowGroup, Scenario, ends_problem};
use crate::document::{Problem, suggestion};

/// The distributions that a scenario may name, each with its text.
const NAMED_SIZES: [(&str, &str); 4] = [
    ("websearch", include_str!("websearch.txt")),
    ("data-mining", include_str!("data-mining.txt")),
    ("hadoop", include_str!("hadoop.txt")),
    ("rpc", include_str!("rpc.txt")),
];

/// More transfers than this in one group are refused.
const MAX_TRANSFERS: f64 = 4e6;

/// The distribution of sizes of this name, or in the file of this name; with help where there is
/// none.
pub(super) fn sizes(name: &str, context: &Context<'_>) -> Result<Distribution, (String, String)> {
    let named = NAMED_SIZES.iter().find(|(known, _)| *known == name);
    if let Some((_, text)) = named
        && let Ok(sizes) = text.parse()
    {
        return Ok(sizes);
    }
    context.files.sizes(name).map_err(|problem| {
        let known = NAMED_SIZES.map(|(known, _)| known);
        let help = match name.contains('.') {
            true => format!("named: {}", known.join(", ")),
            false => suggestion(name, &known, '"'),
        };
        (problem, help)
    })
}

/// Draws pairs of hosts, of which one end may be fixed.
pub(super) struct HostPairs<'a> {
    hosts: &'a [Host],
    from: Option<Host>,
    to: Option<Host>,
    random: Pcg32,
}

impl HostPairs<'_> {
    /// Two different hosts, each as likely as any other.
    pub(super) fn draw(&mut self) -> (Host, Host) {
        let hosts = self.hosts;
        let mut any = || hosts[self.random.below(hosts.len() as u32) as usize];
        loop {
            let (from, to) = (
                self.from.unwrap_or_else(&mut any),
                self.to.unwrap_or_else(&mut any),
            );
            if from != to {
                return (from, to);
            }
        }
    }
}

impl FlowGroup {
    /// Whether an end of its flows may be any host, where there are such.
    pub(super) fn is_between_hosts(&self) -> bool {
        let is_any = |end: &str| end.is_empty() || end == "hosts";
        is_any(&self.from) || is_any(&self.to)
    }
}

impl Scenario {
    /// The pairs of hosts between which a group's flows are, if these are drawn.
    pub(super) fn host_pairs<'a>(
        &self,
        group: &FlowGroup,
        built: &'a BuiltNetwork,
        (seed, index): (u64, usize),
    ) -> Result<Option<HostPairs<'a>>, Problem> {
        if built.hosts.len() < 2 || !group.is_between_hosts() {
            return Ok(None);
        }
        let fixed = |end: &str, is_from: bool| match end {
            "" | "hosts" => Ok(None),
            name => built
                .host(name, is_from)
                .map(Some)
                .map_err(|problem| ends_problem(group, self.network.rtt, problem)),
        };
        Ok(Some(HostPairs {
            hosts: &built.hosts,
            from: fixed(&group.from, true)?,
            to: fixed(&group.to, false)?,
            random: stream(seed, Purpose::Hosts, index as u64),
        }))
    }

    /// The time between the starts of a flow's transfers where its group offers a load.
    pub(super) fn offered_load(
        &self,
        group: &FlowGroup,
        built: &BuiltNetwork,
    ) -> Option<Spread<Nanos>> {
        let Traffic::Tcp {
            profile,
            application: Application::Arrivals { size, .. },
        } = &group.traffic
        else {
            return None;
        };
        let load = group.load?;
        let is_any = |end: &str| end.is_empty() || end == "hosts";
        // Of all links from hosts, or of the link of the one host that is named.
        let links = match built.hosts.len() {
            0 => 1,
            all if is_any(&group.from) && is_any(&group.to) => all,
            _ => 1,
        };
        let bits = load * built.rate.0 as f64 * links as f64;
        let seconds = 8.0 * wire_bytes(size, profile) * f64::from(group.count) / bits;
        let mean = Nanos((seconds * 1e9).round().max(1.0) as u64);
        Some(Spread::new(mean, Law::Exponential))
    }

    /// What is to be said of loads between random hosts that are more than a fabric carries.
    pub(crate) fn overload(&self) -> Option<String> {
        let between_switches = self.network.load_between_switches();
        let is_any = |end: &str| end.is_empty() || end == "hosts";
        let spread = self.groups.iter().filter(|group| {
            let over_all = is_any(&group.from) && is_any(&group.to);
            over_all && group.load.is_some() && between_switches > 0.0
        });
        let names: Vec<&str> = spread.clone().map(|group| &*group.name).collect();
        let load: f64 = spread.filter_map(|group| group.load).sum();
        let (of_load, links) = match between_switches > 1.0 {
            true => (between_switches, "links between switches"),
            false => (1.0, "hosts' links"),
        };
        (load * of_load > 1.0).then(|| {
            format!(
                "flows `{}`: a load of {} of hosts' links offers {:.0}% of what {links} carry: queues \
                 grow as long as the run; nearest: load = {}",
                names.join("`, `"),
                to_digits(load, 3),
                100.0 * load * of_load,
                to_digits(0.995 / of_load, 2),
            )
        })
    }

    /// The transfers of a group that are known before a run: those of a list, and those between
    /// random hosts.
    pub(super) fn workload(
        &self,
        group: &FlowGroup,
        built: &BuiltNetwork,
        load: Option<Spread<Nanos>>,
        (seed, index): (u64, usize),
    ) -> Result<Option<Vec<ListedTransfer>>, Problem> {
        if let Some(list) = &group.list {
            let transfers = list.transfers.iter().map(|written| {
                let end = |name: &str, is_from| {
                    let node = built.host(name, is_from);
                    node.map_err(|problem| {
                        let mut problem = ends_problem(group, self.network.rtt, problem);
                        problem.place = group.places.list.clone();
                        problem.message += &format!(", line {} of its list", written.line);
                        problem
                    })
                };
                Ok(ListedTransfer {
                    start: written.start,
                    from: end(&written.from, true)?,
                    to: end(&written.to, false)?,
                    size: written.size,
                })
            });
            return transfers.collect::<Result<_, _>>().map(Some);
        }
        let (Traffic::Tcp { application, .. }, Some(mut pairs)) = (
            &group.traffic,
            self.host_pairs(group, built, (seed, index))?,
        ) else {
            return Ok(None);
        };
        let Application::Arrivals { every, size, .. } = application else {
            return Ok(None);
        };
        let every = load.as_ref().unwrap_or(every);
        let expected = f64::from(group.count) * self.duration.0 as f64 / every.mean.0.max(1) as f64;
        if expected > MAX_TRANSFERS {
            let message = format!("flows `{}`: about {expected:.0} transfers", group.name);
            let help = format!("at most {MAX_TRANSFERS:.0}: a shorter duration or a lower load");
            return Err(Problem::new(&group.places.group, message, help));
        }
        let mut transfers = Vec::with_capacity(expected as usize);
        for number in 0..group.count {
            let place = spawned(index as u32, u64::from(number));
            let mut random = stream(seed, Purpose::Hosts, place);
            let mut start = group.first_start();
            loop {
                start += every.draw(&mut random).max(Nanos(1));
                if start >= self.duration {
                    break;
                }
                let (from, to) = pairs.draw();
                transfers.push(ListedTransfer {
                    start,
                    from,
                    to,
                    size: size.draw(&mut random),
                });
            }
        }
        transfers.sort_by_key(|transfer| transfer.start);
        Ok(Some(transfers))
    }
}

/// The mean size of a transfer on the wire, in bytes: with the headers of its segments, and the
/// SYN where there is one.
fn wire_bytes(size: &Spread<Bytes>, profile: &Profile) -> f64 {
    const DRAWS: u32 = 20_000;
    let payload = f64::from(profile.payload());
    let mut random = Pcg32::new(1, 1);
    // The last segment's unused part: between 0 and 1, so that its mean is known to 0.002.
    let mut unused = 0.0;
    for _ in 0..DRAWS {
        let segments = size.draw(&mut random).0.max(1) as f64 / payload;
        unused += segments.ceil() - segments;
    }
    let mean = size.mean.0 as f64;
    let segments = mean / payload + unused / f64::from(DRAWS);
    let opening = match profile.handshake {
        Handshake::None => 0,
        _ => profile.ack_size,
    };
    mean + segments * f64::from(profile.header_size) + f64::from(opening)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_sizes_have_their_published_means() {
        let mean = |name: &str| {
            let named = NAMED_SIZES.iter().find(|(known, _)| *known == name);
            named.unwrap().1.parse::<Distribution>().unwrap().mean()
        };
        // By hand from the points; HPCC's and pFabric's papers give no means.
        assert_eq!(mean("websearch").round(), 1_711_250.0);
        assert!(
            (mean("hadoop") - 120_420.75).abs() < 1.0,
            "{}",
            mean("hadoop")
        );
        assert!(mean("data-mining") > 7e6 && mean("rpc") < 5000.0);
    }
}
