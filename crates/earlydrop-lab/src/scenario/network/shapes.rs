//! Shapes: what `network.shape` names, lowered to nodes and directed edges.
//!
//! [`SHAPES`] and the table of fields (`fields/network.rs`) know one shape from another. A shape
//! reads its fields and returns a [`Shape`]; all else asks its links and edges.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use earlydrop::registry::Spec;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::cost::bytes_of_links;
use earlydrop_sim::network::{
    Dumbbell, Fabric, FabricLinks, Link, LinkId, Network, Node as Host, ParkingLot,
};

use super::read::{link, queue, queue_of};
use super::{Around, BuiltNetwork, LinkSpec, QueueChoice};
use crate::budget::Budget;
use crate::document::{Entries, Problem};
use crate::scenario::Context;

/// A shape's reader. It returns the shape and the base round-trip time of its flows.
type Read = fn(&Entries, &Context<'_>, &mut Vec<Problem>) -> (Shape, Nanos);

/// Every shape, by its name in `network.shape`.
const SHAPES: &[(&str, Read)] = &[
    ("dumbbell", dumbbell),
    ("parking-lot", parking_lot),
    ("leaf-spine", leaf_spine),
    ("fat-tree", fat_tree),
    ("graph", graph),
];

/// Reads the network's shape.
pub(super) fn read(
    network: &Entries,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> (Shape, Nanos) {
    let name = network.choice("shape");
    let shape = SHAPES.iter().find(|(known, _)| *known == name);
    // The table of fields allows no other name; its default is the first.
    let (_, read) = shape.unwrap_or(&SHAPES[0]);
    read(network, context, problems)
}

/// Nodes and edges, and where flows may end.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    /// Each kind of link once, those under the compared scheme before others.
    pub(super) links: Vec<NamedLink>,
    pub(super) nodes: Arc<[String]>,
    pub(super) edges: Arc<[Edge]>,
    /// The edges with the compared scheme or, in a graph, with a queue; none where every link has
    /// it, as in a fabric.
    bottlenecks: Vec<u32>,
    /// The edge whose queue is in the summary by default.
    watched: u32,
    /// The nodes where hosts can be attached, or that are hosts.
    places: Vec<u32>,
    /// Whether `places` are hosts, which have numbers too.
    pub(super) places_are_hosts: bool,
    /// Bottlenecks in a row; their two links are the first of `links`.
    pub(super) row: Option<Row>,
    /// Whether flows are spread over all shortest routes.
    multipath: bool,
    /// What links between switches carry of a load on all hosts' links, where each host sends to
    /// any other: the largest share of their rate at a load of 1. Zero where it is not known.
    pub(super) load_between_switches: f64,
    /// Whether the longest route of any group sets the base round-trip time.
    pub(super) rtt_of_routes: bool,
}

/// A row of bottlenecks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    bottlenecks: u32,
}

/// A kind of link; its name in messages about the compared scheme, if it is named there.
#[derive(Clone, Debug)]
pub(super) struct NamedLink {
    pub(super) name: Option<String>,
    pub(super) link: LinkSpec,
}

/// A directed edge: the numbers of its two nodes and of its link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    from: u32,
    to: u32,
    /// The number of its kind among the links.
    pub(super) link: u32,
}

fn named(name: &str, link: LinkSpec) -> NamedLink {
    NamedLink {
        name: Some(name.to_string()),
        link,
    }
}

/// Nodes and edges of a network of the simulator whose links are [`placeholder`]s.
fn lowered(network: &Network) -> (Arc<[String]>, Arc<[Edge]>) {
    let nodes = (0..network.nodes() as u32).map(|node| network.name(Host(node)).to_string());
    let edges = network.links().map(|(_, from, to, link)| Edge {
        from: from.0,
        to: to.0,
        link: link.rate.0 as u32,
    });
    (nodes.collect(), edges.collect())
}

/// A link that stands for the one of this number.
fn placeholder(number: u64) -> Link {
    Link::new(BitsPerSec(number), Nanos::ZERO)
}

impl Shape {
    /// The number of bottlenecks in a row; 1 where links are not in a row.
    pub(super) fn bottlenecks_in_a_row(&self) -> u32 {
        self.row.map_or(1, |row| row.bottlenecks)
    }

    /// Bytes of memory that it takes on the heap, about.
    pub(super) fn bytes(&self) -> usize {
        let text = self.nodes.iter().map(String::len).sum::<usize>();
        let of_link = |named: &NamedLink| size_of_val(&*named.link.changes);
        size_of_val(&*self.links)
            + self.links.iter().map(of_link).sum::<usize>()
            + size_of_val(&*self.edges)
            + size_of_val(&*self.nodes)
            + text
            + size_of_val(&*self.places)
            + size_of_val(&*self.bottlenecks)
    }

    /// The simulator's network under a scheme, without hosts of flows. An automatic propagation
    /// delay is a share of `shortest`, the shortest base round-trip time of all flows.
    pub(super) fn build(&self, around: &Around<'_>, shortest: Nanos) -> BuiltNetwork {
        let automatic = Nanos(shortest.0 / 4 / u64::from(self.bottlenecks_in_a_row()));
        let links = self.links.iter();
        let links: Vec<Link> = links
            .map(|named| named.link.build(around, automatic))
            .collect();
        let mut network = Network::new();
        network.multipath = self.multipath;
        for name in self.nodes.iter() {
            network.node(name.clone());
        }
        for edge in self.edges.iter() {
            let link = links[edge.link as usize].clone();
            network.link(Host(edge.from), Host(edge.to), link);
        }
        let name = |node: &u32| network.name(Host(*node)).to_string();
        let places = self.places.iter().map(|node| (name(node), Host(*node)));
        let places: BTreeMap<String, Host> = places.collect();
        let hosts = self.places.iter().filter(|_| self.places_are_hosts);
        let chain = self.row.map(|_| {
            // Access links make up the rest of a round-trip time, however the two differ.
            let delay = Nanos((links[0].delay.0 + links[1].delay.0) / 2);
            (delay, self.places.iter().map(name).collect())
        });
        BuiltNetwork {
            hosts: hosts.map(|node| Host(*node)).collect(),
            places,
            chain,
            watched: LinkId(self.watched),
            bottlenecks: self.bottlenecks.iter().map(|edge| LinkId(*edge)).collect(),
            rate: BitsPerSec(0),
            network,
        }
    }
}

/// The links of bottlenecks in a row: forward and reverse.
fn row_links(
    network: &Entries,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> [LinkSpec; 2] {
    let mut forward = link(network, QueueChoice::Scheme, context, problems);
    forward.delay = forward.delay.or(network.time_or_auto("delay"));
    let reverse = network.table("reverse");
    let queue = queue(&reverse, context, problems);
    let mut reverse_link = link(&reverse, queue, context, problems);
    if reverse.rate_or_auto("rate").is_none() && reverse_link.trace.is_none() {
        reverse_link.rate = forward.rate;
    }
    reverse_link.delay = reverse_link.delay.or(forward.delay);
    reverse_link.packet = reverse_link.packet.or(forward.packet);
    reverse_link.queue_place = reverse.place_of("queue").clone();
    [forward, reverse_link]
}

/// The shape of a network whose `routers` are in a row, with the edges of its bottlenecks.
fn row(
    network: &Network,
    routers: &[Host],
    [forwards, reverses]: [&[LinkId]; 2],
    [forward, reverse]: [LinkSpec; 2],
) -> Shape {
    let (nodes, edges) = lowered(network);
    let both = matches!(reverse.queue, QueueChoice::Scheme);
    let reverses = reverses.iter().filter(|_| both);
    Shape {
        nodes,
        edges,
        bottlenecks: forwards.iter().chain(reverses).map(|link| link.0).collect(),
        places: routers.iter().map(|router| router.0).collect(),
        row: Some(Row {
            bottlenecks: forwards.len() as u32,
        }),
        links: vec![named("forward", forward), named("reverse", reverse)],
        ..Shape::default()
    }
}

fn dumbbell(
    network: &Entries,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> (Shape, Nanos) {
    let links = row_links(network, context, problems);
    let dumbbell = Dumbbell::new(placeholder(0), placeholder(1));
    let routers = [dumbbell.left, dumbbell.right];
    let bottlenecks = [&[dumbbell.bottleneck][..], &[dumbbell.reverse]];
    let shape = row(&dumbbell.network, &routers, bottlenecks, links);
    (shape, network.time("rtt"))
}

fn parking_lot(
    network: &Entries,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> (Shape, Nanos) {
    let links = row_links(network, context, problems);
    let mut lot = ParkingLot::new((0..network.count("bottlenecks")).map(|_| placeholder(0)));
    for link in &lot.reverses {
        *lot.network.get_mut(*link) = placeholder(1);
    }
    let bottlenecks = [&lot.bottlenecks[..], &lot.reverses];
    let shape = row(&lot.network, &lot.routers, bottlenecks, links);
    (shape, network.time("rtt"))
}

/// The links of a fabric: from a switch to a host, between switches, from a host to its switch.
fn fabric_links(
    network: &Entries,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> [LinkSpec; 3] {
    let shape = network.choice("shape");
    for field in ["trace", "delay_trace", "changes", "access"] {
        if network.has(field) {
            let message = format!("a {shape} has no `{field}`: its links are all alike");
            let help = "remove it, or describe the links by shape = \"graph\"";
            problems.push(Problem::new(network.place_of(field), message, help));
        }
    }
    let mut port = link(network, QueueChoice::Scheme, context, problems);
    port.delay = Some(network.time_or_auto("delay").unwrap_or(Nanos(1000)));
    let mut host = port.clone();
    host.queue = queue_of(network, "host_queue", context, problems);
    host.queue_place = network.place_of("host_queue").clone();
    let mut uplink = port.clone();
    uplink.rate = network.rate_or_auto("uplink").unwrap_or(port.rate);
    [port, uplink, host]
}

/// The shape of a fabric whose farthest hosts have so many links of switches between them. Its base
/// round-trip time is that of a packet of 1500 bytes between these: each link stores it and
/// forwards it; its acknowledgment is taken for small.
///
/// A fabric whose description would not fit into memory is refused before it is laid out: it has
/// so many links in one direction.
fn fabric(
    new: impl Fn(&FabricLinks) -> Fabric,
    (between_switches, links): (u64, u64),
    parts: &[Part],
    [port, uplink, host]: [LinkSpec; 3],
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> (Shape, Nanos) {
    let bytes = bytes_of_links(2 * links as usize);
    if let Err(problem) = Budget::check_network(bytes, 0.0, &context.limits) {
        problems.push(problem);
        return (Shape::default(), Nanos(1));
    }
    let delay = port.delay.unwrap_or_default().0;
    let time = |link: &LinkSpec| link.rate.transmission_time(Bytes(1500)).0;
    let sent = 2 * time(&port) + between_switches * time(&uplink);
    let rtt = Nanos(2 * (2 + between_switches) * delay + sent);
    let fabric = new(&FabricLinks {
        to_host: placeholder(0),
        between_switches: placeholder(1),
        from_host: placeholder(2),
    });
    let (nodes, edges) = lowered(&fabric.network);
    let ratio = port.rate.0 as f64 / uplink.rate.0 as f64;
    let of_parts = parts
        .iter()
        .map(|part| part.load(fabric.hosts.len(), ratio));
    let shape = Shape {
        load_between_switches: of_parts.fold(0.0, f64::max),
        nodes,
        edges,
        watched: fabric.to_hosts[0].0,
        places: fabric.hosts.iter().map(|host| host.0).collect(),
        places_are_hosts: true,
        multipath: fabric.network.multipath,
        links: vec![
            named("switch to host", port),
            named("switch to switch", uplink),
            // Under the compared scheme it is as the port: one message is enough.
            NamedLink {
                name: None,
                link: host,
            },
        ],
        ..Shape::default()
    };
    (shape, rtt)
}

/// A part of a fabric, a leaf or a pod: its hosts, and its links to switches outside.
struct Part {
    hosts: u32,
    uplinks: u32,
}

impl Part {
    /// The load of its uplinks among so many `hosts` whose links are full, and are `ratio` times as
    /// fast as an uplink: a host sends to each other one with the same probability.
    fn load(&self, hosts: usize, ratio: f64) -> f64 {
        let outside = hosts as f64 - f64::from(self.hosts);
        let leaving = f64::from(self.hosts) * outside / (hosts as f64 - 1.0).max(1.0);
        leaving * ratio / f64::from(self.uplinks)
    }
}

/// The links that a leaf-spine has in one direction.
fn links_of_leaf_spine(leaves: u32, spines: u32, hosts: u32) -> u64 {
    u64::from(leaves) * (u64::from(spines) + u64::from(hosts))
}

/// The links that a fat tree has in one direction: of its k^3/4 hosts, and as many between each two
/// floors of switches.
fn links_of_fat_tree(ports: u32) -> u64 {
    3 * u64::from(ports).pow(3) / 4
}

fn leaf_spine(
    network: &Entries,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> (Shape, Nanos) {
    let links = fabric_links(network, context, problems);
    let [leaves, spines, hosts] = ["leaves", "spines", "hosts"].map(|field| network.count(field));
    let new = |links: &FabricLinks| Fabric::leaf_spine(leaves, spines, hosts, links);
    let count = links_of_leaf_spine(leaves, spines, hosts);
    let leaf = Part {
        hosts,
        uplinks: spines,
    };
    fabric(new, (2, count), &[leaf], links, context, problems)
}

fn fat_tree(
    network: &Entries,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> (Shape, Nanos) {
    let links = fabric_links(network, context, problems);
    let ports = network.count("ports");
    if !ports.is_multiple_of(2) {
        let message = format!("a fat tree of switches with {ports} ports");
        let help = format!("an even number; nearest: ports = {}", ports + 1);
        problems.push(Problem::new(network.place_of("ports"), message, help));
    }
    let new = |links: &FabricLinks| Fabric::fat_tree(ports & !1, links);
    let half = ports / 2;
    let parts = [half, half * half].map(|hosts| Part {
        hosts,
        uplinks: hosts,
    });
    let count = links_of_fat_tree(ports);
    fabric(new, (4, count), &parts, links, context, problems)
}

/// The nodes of a graph in the order in which its links name them.
#[derive(Default)]
struct Names {
    numbers: HashMap<String, u32>,
    names: Vec<String>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        let names = &mut self.names;
        *self.numbers.entry(name.to_string()).or_insert_with(|| {
            names.push(name.to_string());
            names.len() as u32 - 1
        })
    }
}

fn graph(network: &Entries, context: &Context<'_>, problems: &mut Vec<Problem>) -> (Shape, Nanos) {
    let mut shape = Shape {
        rtt_of_routes: true,
        ..Shape::default()
    };
    let (mut taken, mut nodes, mut edges) = (LinkNames::default(), Names::default(), Vec::new());
    let mut watched = None;
    for entries in network.list("links") {
        let queue = queue(entries, context, problems);
        let mut link = link(entries, queue, context, problems);
        link.queue_place = entries.place_of("queue").clone();
        link.delay = link.delay.or(Some(entries.time("delay")));
        let (from, to) = (entries.text("from"), entries.text("to"));
        let both = entries.flag("both");
        if from.is_empty() || to.is_empty() || from == to {
            let message = format!("a link from \"{from}\" to \"{to}\"");
            let help = "`from` and `to` name two different nodes";
            problems.push(Problem::new(entries.place(), message, help));
        } else if let Err((message, help)) = taken.add(&from, &to, both) {
            problems.push(Problem::new(entries.place(), message, help));
        }
        let under_scheme = matches!(link.queue, QueueChoice::Scheme);
        let edge = Edge {
            from: nodes.number(&from),
            to: nodes.number(&to),
            link: shape.links.len() as u32,
        };
        if under_scheme {
            watched = watched.or(Some(edges.len() as u32));
        }
        if !matches!(link.queue, QueueChoice::None | QueueChoice::Nic) {
            shape.bottlenecks.push(edges.len() as u32);
        }
        edges.push(edge);
        let mut back = Edge {
            from: edge.to,
            to: edge.from,
            ..edge
        };
        let reverse = droptail(&link).filter(|_| both && under_scheme);
        shape.links.push(named(&format!("{from} to {to}"), link));
        if let Some(link) = reverse {
            back.link = shape.links.len() as u32;
            shape.links.push(NamedLink { name: None, link });
        }
        edges.extend(both.then_some(back));
    }
    if watched.is_none() {
        let message = "no link of the graph has the scheme that is compared";
        let help = "give at least one of `links` queue = \"scheme\"";
        problems.push(Problem::new(network.place_of("links"), message, help));
    }
    shape.watched = watched.unwrap_or(0);
    shape.places = (0..nodes.names.len() as u32).collect();
    (shape.nodes, shape.edges) = (nodes.names.into(), edges.into());
    (shape, network.time("rtt"))
}

/// The link with a drop-tail queue.
fn droptail(link: &LinkSpec) -> Option<LinkSpec> {
    Some(LinkSpec {
        queue: QueueChoice::Fixed(Spec::new("droptail").ok()?),
        ..link.clone()
    })
}

/// The nodes of each link of a graph, by the link's name: results are stored by that name.
#[derive(Default)]
struct LinkNames(HashMap<String, [String; 2]>);

impl LinkNames {
    /// Adds the link of an edge, or both; refuses a name that is taken, with help.
    fn add(&mut self, from: &str, to: &str, both: bool) -> Result<(), (String, &'static str)> {
        let there = [from.to_string(), to.to_string()];
        let back = [to.to_string(), from.to_string()];
        for [from, to] in [there].into_iter().chain(both.then_some(back)) {
            let name = format!("{from} to {to}");
            let nodes = [from.clone(), to.clone()];
            match self.0.insert(name.clone(), nodes.clone()) {
                None => {}
                Some(other) if other == nodes => {
                    let message = format!("a second link from \"{from}\" to \"{to}\"");
                    let help = "keep one; a link of one direction has both = false";
                    return Err((message, help));
                }
                Some([first, last]) => {
                    let message = format!(
                        "a link from \"{from}\" to \"{to}\" and one from \"{first}\" to \"{last}\" \
                         are both called \"{name}\""
                    );
                    return Err((message, "give a node another name"));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use earlydrop::registry::Kind;
    use earlydrop_sim::network::{Fabric, FabricLinks};

    use super::{SHAPES, links_of_fat_tree, links_of_leaf_spine, placeholder};
    use crate::scenario::fields::network::SHAPE;

    #[test]
    fn the_links_of_fabrics_are_known_before_they_are_laid_out() {
        let links = FabricLinks {
            to_host: placeholder(0),
            between_switches: placeholder(1),
            from_host: placeholder(2),
        };
        let of = |fabric: Fabric| fabric.network.links().len() as u64;
        for number in 1..6 {
            let (leaves, spines, hosts) = (number, 7 - number, 2 * number);
            let laid_out = of(Fabric::leaf_spine(leaves, spines, hosts, &links));
            assert_eq!(laid_out, 2 * links_of_leaf_spine(leaves, spines, hosts));
            let laid_out = of(Fabric::fat_tree(2 * number, &links));
            assert_eq!(laid_out, 2 * links_of_fat_tree(2 * number));
        }
    }

    #[test]
    fn every_shape_that_files_may_name_has_a_reader() {
        let Kind::Choice(choices) = SHAPE else {
            panic!("{SHAPE:?}");
        };
        let named: Vec<_> = choices.iter().map(|(name, _)| name).collect();
        let read: Vec<_> = SHAPES.iter().map(|(name, _)| name).collect();
        assert_eq!(named, read);
    }
}
