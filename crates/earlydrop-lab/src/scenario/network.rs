//! Networks, from a file's words to the simulator's.

use std::collections::BTreeMap;

use earlydrop::registry::{self, Spec};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::network::{
    Change, Dumbbell, Link, LinkId, Network, Node as Host, ParkingLot, Reorder, Trace,
};

use crate::document::{Entries, Place, Problem, suggestion};

use super::schemes::from_config;

/// A network as a file describes it.
#[derive(Clone, Debug)]
pub struct Plan {
    shape: Shape,
    /// The rate of each host's own link; `None`: as the shape has it.
    access: Option<BitsPerSec>,
    /// Every flow's round trip without queues, where its group has none of its own.
    pub rtt: Nanos,
    /// Every scheme's limit, as written.
    pub buffer: Option<(String, Place)>,
    /// The link watched, as written.
    watch: (String, Place),
    /// Where it says what kind of network it is, or where it stands.
    pub(super) place: Place,
}

#[derive(Clone, Debug)]
enum Shape {
    Row(Box<Row>),
    Graph(Vec<Edge>),
}

/// So many bottlenecks in a row (one: a dumbbell), and the ways back.
#[derive(Clone, Debug)]
struct Row {
    bottlenecks: u32,
    forward: LinkPlan,
    back: LinkPlan,
    dumbbell: bool,
}

#[derive(Clone, Debug)]
struct Edge {
    from: String,
    to: String,
    link: LinkPlan,
    both: bool,
}

/// A link as a file describes it.
#[derive(Clone, Debug)]
struct LinkPlan {
    rate: BitsPerSec,
    /// `None`: a share of the shortest round trip.
    delay: Option<Nanos>,
    queue: Queue,
    packet: Option<Bytes>,
    loss: f64,
    reorder: Option<Reorder>,
    changes: Vec<(Nanos, Change)>,
    trace: Option<Trace>,
    queue_place: Place,
}

/// What waits before a link.
#[derive(Clone, Debug)]
enum Queue {
    /// The scheme that is compared.
    Scheme,
    /// This one, always.
    Fixed(Spec),
    /// Nothing that could be full.
    None,
}

/// A network that is built: where hosts can be put, and what is watched.
pub(super) struct Built {
    pub(super) network: Network,
    /// Routers or nodes by name.
    places: BTreeMap<String, Host>,
    /// The bottlenecks' one-way delay, and how many a row has.
    row: Option<(Nanos, Vec<String>)>,
    /// The first link under the scheme, unless another was asked for.
    pub(super) watched: LinkId,
    pub(super) rate: BitsPerSec,
}

/// Reads recorded links by their files' names.
pub(crate) type Traces<'a> = dyn Fn(&str) -> Result<Trace, String> + 'a;

/// Reads `network`.
pub(super) fn read(
    network: &Entries,
    traces: &Traces<'_>,
    duration: Nanos,
    problems: &mut Vec<Problem>,
) -> Plan {
    let shape = match network.choice("shape") {
        "graph" => Shape::Graph(edges(network, traces, duration, problems)),
        shape => row(network, shape == "dumbbell", traces, duration, problems),
    };
    let buffer = match network.value("buffer") {
        registry::Value::Auto => None,
        length => Some((length.to_string(), network.place_of("buffer").clone())),
    };
    Plan {
        shape,
        access: network.rate_or_auto("access"),
        rtt: network.time("rtt"),
        buffer,
        watch: (network.text("watch"), network.place_of("watch").clone()),
        place: network.place_of("shape").clone(),
    }
}

fn row(
    network: &Entries,
    dumbbell: bool,
    traces: &Traces<'_>,
    duration: Nanos,
    problems: &mut Vec<Problem>,
) -> Shape {
    let mut forward = link(network, Queue::Scheme, traces, duration, problems);
    forward.delay = network.time_or_auto("delay");
    let reverse = network.table("reverse");
    let waits = queue(&reverse, problems);
    let mut back = link(&reverse, waits, traces, duration, problems);
    if reverse.rate_or_auto("rate").is_none() && back.trace.is_none() {
        back.rate = forward.rate;
    }
    back.delay = forward.delay;
    back.packet = back.packet.or(forward.packet);
    back.queue_place = reverse.place_of("queue").clone();
    Shape::Row(Box::new(Row {
        bottlenecks: if dumbbell {
            1
        } else {
            network.count("bottlenecks")
        },
        forward,
        back,
        dumbbell,
    }))
}

fn edges(
    network: &Entries,
    traces: &Traces<'_>,
    duration: Nanos,
    problems: &mut Vec<Problem>,
) -> Vec<Edge> {
    let mut edges = Vec::new();
    for entries in network.list("links") {
        let waits = queue(entries, problems);
        let mut link = link(entries, waits, traces, duration, problems);
        link.queue_place = entries.place_of("queue").clone();
        link.delay = Some(entries.time("delay"));
        let edge = Edge {
            from: entries.text("from"),
            to: entries.text("to"),
            link,
            both: entries.flag("both"),
        };
        if edge.from.is_empty() || edge.to.is_empty() || edge.from == edge.to {
            let message = format!("a link from \"{}\" to \"{}\"", edge.from, edge.to);
            let help = "`from` and `to` name two different nodes";
            problems.push(Problem::new(entries.place(), message, help));
        }
        edges.push(edge);
    }
    if !edges
        .iter()
        .any(|edge| matches!(edge.link.queue, Queue::Scheme))
    {
        let message = "no link of the graph has the scheme that is compared";
        let help = "give at least one of `links` queue = \"scheme\"";
        problems.push(Problem::new(network.place_of("links"), message, help));
    }
    edges
}

fn link(
    entries: &Entries,
    queue: Queue,
    traces: &Traces<'_>,
    duration: Nanos,
    problems: &mut Vec<Problem>,
) -> LinkPlan {
    let reorder = entries.table("reorder");
    let share = reorder.number("share");
    if reorder.has("share") != reorder.has("delay") {
        let message = "packets fall behind by a share of them and a delay, and one is missing";
        let help = "allowed: reorder = { share = \"1%\", delay = \"5 ms\" }";
        problems.push(Problem::new(reorder.place(), message, help));
    }
    if entries.has("trace") && entries.has("rate") {
        let message = "a link that follows a trace has no rate of its own";
        problems.push(Problem::new(
            entries.place_of("rate"),
            message,
            "leave one of them out",
        ));
    }
    let trace = match entries.text("trace") {
        name if name.is_empty() => None,
        name => traces(&name)
            .map_err(|problem| {
                let place = entries.place_of("trace");
                problems.push(Problem::new(place, problem, "a file of Mahimahi's format"));
            })
            .ok(),
    };
    let rate = trace.as_ref().map(Trace::mean_rate);
    LinkPlan {
        rate: rate
            .or(entries.rate_or_auto("rate"))
            .unwrap_or(BitsPerSec(0)),
        delay: None,
        queue,
        packet: entries.size_or_auto("packet"),
        loss: entries.number("loss"),
        reorder: (share > 0.0).then(|| Reorder {
            share,
            delay: reorder.time("delay"),
        }),
        changes: changes(entries, duration, problems),
        trace,
        queue_place: entries.place().clone(),
    }
}

fn changes(
    entries: &Entries,
    duration: Nanos,
    problems: &mut Vec<Problem>,
) -> Vec<(Nanos, Change)> {
    let mut changes = Vec::new();
    for change in entries.list("changes") {
        let at = change.time("at");
        if at >= duration {
            let message = format!("a change at {at} of a run of {duration}");
            let help = "it must come before the run's end";
            problems.push(Problem::new(change.place_of("at"), message, help));
        }
        let before = changes.len();
        changes.extend(
            change
                .rate_or_auto("rate")
                .map(|rate| (at, Change::Rate(rate))),
        );
        changes.extend(
            change
                .time_or_auto("delay")
                .map(|delay| (at, Change::Delay(delay))),
        );
        match change.choice("state") {
            "up" => changes.push((at, Change::Up)),
            "down" => changes.push((at, Change::Down)),
            _ => {}
        }
        if changes.len() == before {
            let help = "allowed: a rate, a delay, state = \"up\" or state = \"down\"";
            problems.push(Problem::new(change.place(), "a change of nothing", help));
        }
    }
    changes
}

fn queue(entries: &Entries, problems: &mut Vec<Problem>) -> Queue {
    match entries.text("queue").as_str() {
        "scheme" => Queue::Scheme,
        "none" => Queue::None,
        text => match text.parse() {
            Ok(spec) => Queue::Fixed(spec),
            Err(error) => {
                problems.push(from_config(&error, entries.place_of("queue")));
                Queue::None
            }
        },
    }
}

impl LinkPlan {
    /// The simulator's link under `scheme`.
    fn build(&self, scheme: &Spec, delay: Nanos, packet: Bytes) -> Link {
        let queue = match &self.queue {
            Queue::Scheme => Some(scheme.clone()),
            Queue::Fixed(spec) => Some(spec.clone()),
            Queue::None => None,
        };
        Link {
            rate: self.rate,
            delay: self.delay.unwrap_or(delay),
            queue,
            mean_packet: self.packet.unwrap_or(packet),
            loss: self.loss,
            reorder: self.reorder,
            changes: self.changes.clone(),
            trace: self.trace.clone(),
        }
    }

    /// What a scheme must know of it.
    fn for_registry(&self, packet: Bytes) -> registry::Link {
        let rate = match &self.trace {
            Some(trace) => trace.mean_rate(),
            None => self.rate,
        };
        registry::Link {
            rate,
            mean_packet: self.packet.unwrap_or(packet),
        }
    }
}

impl Plan {
    /// Every link with its queue, as the registry wants it: those under the scheme that is
    /// compared first.
    pub(super) fn scheme_links(&self, packet: Bytes) -> Vec<registry::Link> {
        let links: Vec<&LinkPlan> = match &self.shape {
            Shape::Row(row) => vec![&row.forward, &row.back],
            Shape::Graph(edges) => edges.iter().map(|edge| &edge.link).collect(),
        };
        let under_scheme = links
            .into_iter()
            .filter(|link| matches!(link.queue, Queue::Scheme));
        under_scheme.map(|link| link.for_registry(packet)).collect()
    }

    /// Checks the queues that are always the same.
    pub(super) fn check(&self, packet: Bytes, problems: &mut Vec<Problem>) {
        let links: Vec<&LinkPlan> = match &self.shape {
            Shape::Row(row) => vec![&row.back],
            Shape::Graph(edges) => edges.iter().map(|edge| &edge.link).collect(),
        };
        for link in links {
            if let Queue::Fixed(spec) = &link.queue
                && let Err(error) = spec.plan(&link.for_registry(packet))
            {
                problems.push(from_config(&error, &link.queue_place));
            }
        }
    }

    /// Whether flows have hosts and round trips of their own.
    pub(super) fn is_graph(&self) -> bool {
        matches!(self.shape, Shape::Graph(_))
    }

    /// The network under `scheme`, without hosts yet. The shortest round trip of all flows
    /// decides what bottlenecks take of it, where their delay is automatic.
    pub(super) fn build(
        &self,
        scheme: &Spec,
        shortest: Nanos,
        packet: Bytes,
    ) -> Result<Built, Problem> {
        let mut built = match &self.shape {
            Shape::Row(row) => build_row(row, scheme, shortest, packet),
            Shape::Graph(edges) => build_graph(edges, scheme, packet),
        };
        if !self.watch.0.is_empty() {
            built.watched = self.watched(&built.network)?;
        }
        built.rate = built.network.get(built.watched).mean_rate();
        Ok(built)
    }

    /// The link asked for.
    fn watched(&self, network: &Network) -> Result<LinkId, Problem> {
        let (wanted, place) = &self.watch;
        let queued = network.links().filter(|(.., link)| link.queue.is_some());
        let named: Vec<(LinkId, String)> =
            queued.map(|(id, ..)| (id, network.link_name(id))).collect();
        let found = named.iter().find(|(_, name)| name == wanted);
        found.map(|(id, _)| *id).ok_or_else(|| {
            let known: Vec<&str> = named.iter().map(|(_, name)| name.as_str()).collect();
            let message = format!("no link with a queue is called \"{wanted}\"");
            let help = suggestion(wanted, &known, '"');
            Problem::new(place, message, help)
        })
    }

    /// The rate of a host's own link.
    pub(super) fn access(&self, bottleneck: BitsPerSec) -> BitsPerSec {
        let automatic = match self.shape {
            Shape::Row(_) => BitsPerSec(bottleneck.0.saturating_mul(10)),
            Shape::Graph(_) => BitsPerSec(1_000_000_000),
        };
        self.access.unwrap_or(automatic)
    }

    /// Whether hosts of a graph have links of their own.
    pub(super) fn has_access(&self) -> bool {
        self.access.is_some()
    }
}

fn build_row(row: &Row, scheme: &Spec, shortest: Nanos, packet: Bytes) -> Built {
    let Row {
        bottlenecks,
        forward,
        back,
        dumbbell,
    } = row;
    let automatic = Nanos(shortest.0 / 4 / u64::from(*bottlenecks));
    let delay = forward.delay.unwrap_or(automatic);
    let there = forward.build(scheme, delay, packet);
    let here = back.build(scheme, delay, packet);
    let (network, routers) = if *dumbbell {
        let dumbbell = Dumbbell::new(there, here);
        (dumbbell.network, vec![dumbbell.left, dumbbell.right])
    } else {
        let links = (0..*bottlenecks).map(|_| there.clone());
        let mut lot = ParkingLot::new(links);
        for reverse in &lot.reverses {
            *lot.network.get_mut(*reverse) = here.clone();
        }
        (lot.network, lot.routers)
    };
    let names: Vec<String> = routers
        .iter()
        .map(|router| network.name(*router).to_string())
        .collect();
    let places = names.iter().cloned().zip(routers).collect();
    Built {
        network,
        places,
        row: Some((delay, names)),
        watched: LinkId(0),
        rate: forward.rate,
    }
}

fn build_graph(edges: &[Edge], scheme: &Spec, packet: Bytes) -> Built {
    let mut network = Network::new();
    let mut places: BTreeMap<String, Host> = BTreeMap::new();
    let (mut first, mut schemed) = (LinkId(0), false);
    for edge in edges {
        let mut node = |name: &String| {
            let known = places.get(name).copied();
            known.unwrap_or_else(|| {
                let node = network.node(name.clone());
                places.insert(name.clone(), node);
                node
            })
        };
        let (from, to) = (node(&edge.from), node(&edge.to));
        let link = edge.link.build(scheme, Nanos::ZERO, packet);
        let under_scheme = matches!(edge.link.queue, Queue::Scheme);
        let id = network.link(from, to, link.clone());
        if under_scheme && !schemed {
            (first, schemed) = (id, true);
        }
        if edge.both {
            let mut back = link;
            if under_scheme {
                back.queue = Spec::new("droptail").ok();
            }
            network.link(to, from, back);
        }
    }
    Built {
        network,
        places,
        row: None,
        watched: first,
        rate: BitsPerSec(0),
    }
}

/// Where a flow begins and leads, and how much of its round trip is left for the links
/// of its hosts.
pub(super) struct Ends {
    pub(super) from: Host,
    pub(super) to: Host,
    /// What each of the two hosts' links takes, one way; `None` in a graph.
    pub(super) access_delay: Option<Nanos>,
}

/// What is wrong about a flow's ends.
pub(super) enum EndsProblem {
    /// No such node: which end, and all that there are.
    Unknown {
        is_from: bool,
        name: String,
        known: Vec<String>,
    },
    /// Both ends are one.
    Same(String),
    /// The bottlenecks alone take longer than the round trip.
    TooShort { least: Nanos },
}

impl Built {
    /// The ends of a flow with these names and this round trip.
    pub(super) fn ends(&self, from: &str, to: &str, rtt: Nanos) -> Result<Ends, EndsProblem> {
        let names = self.row.as_ref().map(|(_, names)| names.as_slice());
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
                })
        };
        let (from_name, from) = end(from, names.and_then(<[String]>::first), true)?;
        let (to_name, to) = end(to, names.and_then(<[String]>::last), false)?;
        if from == to {
            return Err(EndsProblem::Same(from_name));
        }
        let access_delay = match &self.row {
            None => None,
            Some((delay, names)) => {
                let index = |name: &String| names.iter().position(|known| known == name);
                let steps = index(&from_name)
                    .unwrap_or(0)
                    .abs_diff(index(&to_name).unwrap_or(0));
                let least = Nanos(delay.0.saturating_mul(2 * steps as u64));
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
