//! Topologies: the table `network`, and the simulator's network that it describes.

mod ends;
mod fabric;
mod read;

use std::collections::BTreeMap;
use std::sync::Arc;

use earlydrop::registry::{self, Spec};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::network::{
    Aggregation, Change, DelayTrace, Dumbbell, Link, LinkId, Network, Node as Host, ParkingLot,
    Reorder, SharedBuffer, Trace,
};

use fabric::{FabricSpec, build_fabric};

use super::flows::FlowGroup;
use super::path::Path;
use super::schemes::{SchemeChange, from_config};
use crate::document::{Place, Problem, suggestion};

pub(super) use ends::EndsProblem;
pub(super) use read::read;

/// A network as a file describes it, under any scheme.
#[derive(Clone, Debug)]
pub struct Topology {
    layout: Layout,
    /// The rate of each host's access link; `None`: the layout's default.
    access: Option<BitsPerSec>,
    /// The base round-trip time of flows whose group sets none.
    pub rtt: Nanos,
    /// Every scheme's `limit`, as written.
    pub buffer: Option<(String, Place)>,
    /// The buffer that the ports of each switch share.
    shared_buffer: Option<SharedBuffer>,
    /// Whether packets are spread over all shortest routes, instead of flows.
    spraying: bool,
    /// The name of the watched link, as written; empty for the default.
    watch: (String, Place),
    /// Where the kind of topology was written, or the table.
    pub(crate) place: Place,
}

impl Topology {
    /// Bytes of memory that it takes on the heap, about.
    pub(super) fn bytes(&self) -> usize {
        let changes = |link: &LinkSpec| size_of_val(&*link.changes);
        match &self.layout {
            Layout::Chain(chain) => {
                size_of_val(&**chain) + changes(&chain.forward) + changes(&chain.reverse)
            }
            Layout::Fabric(fabric) => size_of_val(&**fabric) + changes(&fabric.port),
            Layout::Graph(edges) => {
                let heap = |edge: &Edge| changes(&edge.link) + edge.from.len() + edge.to.len();
                size_of_val(&**edges) + edges.iter().map(heap).sum::<usize>()
            }
        }
    }
}

/// How links are arranged.
#[derive(Clone, Debug)]
enum Layout {
    Chain(Box<Chain>),
    Graph(Vec<Edge>),
    Fabric(Box<FabricSpec>),
}

/// Bottlenecks in a row: a dumbbell (one) or a parking lot.
#[derive(Clone, Debug)]
struct Chain {
    bottlenecks: u32,
    forward: LinkSpec,
    reverse: LinkSpec,
    dumbbell: bool,
}

/// A link of a graph between named nodes.
#[derive(Clone, Debug)]
struct Edge {
    from: String,
    to: String,
    link: LinkSpec,
    both: bool,
}

/// A link as a file describes it.
#[derive(Clone, Debug)]
struct LinkSpec {
    rate: BitsPerSec,
    /// `None`: a share of the shortest round-trip time.
    delay: Option<Nanos>,
    queue: QueueChoice,
    packet: Option<Bytes>,
    loss: f64,
    reorder: Option<Reorder>,
    changes: Vec<(Nanos, Change)>,
    trace: Option<Trace>,
    delay_trace: Option<DelayTrace>,
    aggregation: Option<Aggregation>,
    slot: Option<Nanos>,
    queue_place: Place,
}

/// The queue of a link.
#[derive(Clone, Debug)]
enum QueueChoice {
    /// The compared scheme.
    Scheme,
    /// This scheme in all runs.
    Fixed(Spec),
    /// An unlimited queue.
    None,
}

/// The simulator's network under one scheme, without hosts yet.
pub(super) struct BuiltNetwork {
    pub(super) network: Network,
    /// The hosts of a fabric, in order; none elsewhere.
    pub(super) hosts: Vec<Host>,
    /// Routers or nodes by name, where hosts can be attached.
    places: BTreeMap<String, Host>,
    /// The one-way delay of a bottleneck, and the routers' names in order; `None` in a graph.
    chain: Option<(Nanos, Vec<String>)>,
    /// The link whose queue is in the summary.
    pub(super) watched: LinkId,
    /// The links with the compared scheme, and those of a graph with one of their own.
    pub(super) bottlenecks: Vec<LinkId>,
    /// The rate of the watched link.
    pub(super) rate: BitsPerSec,
}

/// What a network is built with.
pub(super) struct Around<'a> {
    /// The compared scheme, as written.
    pub(super) scheme: &'a Spec,
    /// Its parameters from certain times on.
    pub(super) changes: &'a [SchemeChange],
    /// The size of the largest packet of any group.
    pub(super) packet: Bytes,
    /// What relative lengths and times refer to.
    pub(super) path: Path,
}

impl LinkSpec {
    /// The simulator's link under a scheme; `delay` and `around.packet` where it sets none.
    fn build(&self, around: &Around<'_>, delay: Nanos) -> Link {
        let packet = around.packet;
        let queue = match &self.queue {
            QueueChoice::Scheme => Some(around.scheme),
            QueueChoice::Fixed(spec) => Some(spec),
            QueueChoice::None => None,
        };
        let link = self.for_registry(packet);
        let queue = queue.map(|spec| around.path.resolve(spec, &link));
        let mut changes = self.changes.clone();
        // Problems are reported by `check_changes`.
        changes.extend(self.scheme_changes(around).unwrap_or_default());
        Link {
            rate: self.rate,
            delay: self.delay.unwrap_or(delay),
            queue,
            mean_packet: self.packet.unwrap_or(packet),
            loss: self.loss,
            reorder: self.reorder,
            changes,
            trace: self.trace.clone(),
            delay_trace: self.delay_trace.clone(),
            aggregation: self.aggregation,
            slot: self.slot,
            steered: false,
        }
    }

    /// The changes of the compared scheme, planned for the link as it is then.
    fn scheme_changes(&self, around: &Around<'_>) -> Result<Vec<(Nanos, Change)>, Problem> {
        if !matches!(self.queue, QueueChoice::Scheme) {
            return Ok(Vec::new());
        }
        let mut spec = around.scheme.clone();
        let mut planned = Vec::new();
        for change in around.changes {
            spec = change.apply(&spec)?;
            let mut link = self.for_registry(around.packet);
            link.rate = self.rate_at(change.at).unwrap_or(link.rate);
            let plan = around.path.resolve(&spec, &link).plan(&link);
            let plan = plan.map_err(|error| {
                let place = change.place_of(error.parameter());
                from_config(&error, place)
            })?;
            planned.push((change.at, Change::Scheme(Arc::new(plan))));
        }
        Ok(planned)
    }

    /// The rate that the link has changed to by `at`, if any.
    fn rate_at(&self, at: Nanos) -> Option<BitsPerSec> {
        let changes = self.changes.iter().filter(|(when, _)| *when <= at);
        let rates = changes.filter_map(|(when, change)| match change {
            Change::Rate(rate) => Some((*when, *rate)),
            _ => None,
        });
        rates.max_by_key(|(when, _)| *when).map(|(_, rate)| rate)
    }

    /// The link's properties that a scheme depends on.
    fn for_registry(&self, packet: Bytes) -> registry::LinkFacts {
        let rate = match &self.trace {
            Some(trace) => trace.mean_rate(),
            None => self.rate,
        };
        registry::LinkFacts {
            rate,
            mean_packet: self.packet.unwrap_or(packet),
        }
    }
}

impl Topology {
    /// The links whose queue is the compared scheme, as the registry needs them.
    pub(super) fn scheme_links(&self, packet: Bytes) -> Vec<registry::LinkFacts> {
        let named = self.named_scheme_links(packet).into_iter();
        named.map(|(_, link)| link).collect()
    }

    /// The names of the links whose queue is the compared scheme, with what the registry needs.
    pub(super) fn named_scheme_links(&self, packet: Bytes) -> Vec<(String, registry::LinkFacts)> {
        let links: Vec<(String, &LinkSpec)> = match &self.layout {
            Layout::Chain(chain) => vec![
                ("forward".to_string(), &chain.forward),
                ("reverse".to_string(), &chain.reverse),
            ],
            Layout::Graph(edges) => edges
                .iter()
                .map(|edge| (format!("{} to {}", edge.from, edge.to), &edge.link))
                .collect(),
            Layout::Fabric(fabric) => vec![
                ("switch to host".to_string(), &fabric.port),
                ("switch to switch".to_string(), &fabric.uplink),
            ],
        };
        let under_scheme = links
            .into_iter()
            .filter(|(_, link)| matches!(link.queue, QueueChoice::Scheme));
        under_scheme
            .map(|(name, link)| (name, link.for_registry(packet)))
            .collect()
    }

    /// The number of bottlenecks in a row; 1 in a graph.
    pub(super) fn bottlenecks(&self) -> u32 {
        match &self.layout {
            Layout::Chain(chain) => chain.bottlenecks,
            Layout::Graph(_) | Layout::Fabric(_) => 1,
        }
    }

    /// Whether the first link with the compared scheme follows a recording.
    pub(super) fn is_recorded(&self) -> bool {
        match &self.layout {
            Layout::Chain(chain) => chain.forward.trace.is_some(),
            Layout::Fabric(_) => false,
            Layout::Graph(edges) => edges
                .iter()
                .find(|edge| matches!(edge.link.queue, QueueChoice::Scheme))
                .is_some_and(|edge| edge.link.trace.is_some()),
        }
    }

    /// Checks the queues whose scheme is the same in all runs.
    pub(super) fn check(&self, packet: Bytes, path: &Path, problems: &mut Vec<Problem>) {
        let links: Vec<&LinkSpec> = match &self.layout {
            Layout::Chain(chain) => vec![&chain.reverse],
            Layout::Graph(edges) => edges.iter().map(|edge| &edge.link).collect(),
            Layout::Fabric(fabric) => vec![&fabric.host],
        };
        for link in links {
            if let QueueChoice::Fixed(spec) = &link.queue {
                let registered = link.for_registry(packet);
                let planned = path.resolve(spec, &registered).plan(&registered);
                let problem = planned.map_err(|error| from_config(&error, &link.queue_place));
                problems.extend(problem.err());
            }
        }
    }

    /// Checks the changes of a compared scheme at each of its links.
    pub(super) fn check_changes(&self, around: &Around<'_>, problems: &mut Vec<Problem>) {
        let links: Vec<&LinkSpec> = match &self.layout {
            Layout::Chain(chain) => vec![&chain.forward, &chain.reverse],
            Layout::Graph(edges) => edges.iter().map(|edge| &edge.link).collect(),
            Layout::Fabric(fabric) => vec![&fabric.port, &fabric.uplink],
        };
        let mut found = links.iter().map(|link| link.scheme_changes(around).err());
        problems.extend(found.find_map(|problem| problem));
    }

    /// The base round-trip time of the path: the network's; in a graph, the longest of any group.
    pub(super) fn path_rtt(&self, groups: &[FlowGroup], packet: Bytes) -> Nanos {
        let (Layout::Graph(edges), Ok(scheme)) = (&self.layout, Spec::new("droptail")) else {
            return self.rtt;
        };
        let path = Path {
            rtt: self.rtt,
            flows: 1,
        };
        let built = build_graph(
            edges,
            &Around {
                scheme: &scheme,
                changes: &[],
                packet,
                path,
            },
        );
        built.longest_rtt(groups).unwrap_or(self.rtt)
    }

    /// Whether it is a graph, whose links decide about round-trip times.
    pub(super) fn is_graph(&self) -> bool {
        matches!(self.layout, Layout::Graph(_) | Layout::Fabric(_))
    }

    /// The network under a scheme, without hosts. `shortest` is the shortest base round-trip
    /// time of all flows, of which an automatic propagation delay takes its share.
    pub(super) fn build(
        &self,
        around: &Around<'_>,
        shortest: Nanos,
    ) -> Result<BuiltNetwork, Problem> {
        let mut built = match &self.layout {
            Layout::Chain(chain) => build_chain(chain, around, shortest),
            Layout::Graph(edges) => build_graph(edges, around),
            Layout::Fabric(fabric) => build_fabric(fabric, around),
        };
        built.network.spraying = self.spraying;
        if let Some(buffer) = self.shared_buffer {
            built.share_buffers(buffer);
        }
        if !self.watch.0.is_empty() {
            built.watched = self.watched(&built.network)?;
        }
        built.rate = built.network.get(built.watched).mean_rate();
        Ok(built)
    }

    /// The link of the name in `watch`.
    fn watched(&self, network: &Network) -> Result<LinkId, Problem> {
        let (wanted, place) = &self.watch;
        let queued = network.links().filter(|(.., link)| link.queue.is_some());
        let named: Vec<(LinkId, String)> =
            queued.map(|(id, ..)| (id, network.link_name(id))).collect();
        let link = named.iter().find(|(_, name)| name == wanted);
        link.map(|(id, _)| *id).ok_or_else(|| {
            let known: Vec<&str> = named.iter().map(|(_, name)| name.as_str()).collect();
            let message = format!("no link with a queue is called \"{wanted}\"");
            let help = suggestion(wanted, &known, '"');
            Problem::new(place, message, help)
        })
    }

    /// The rate of a host's access link.
    pub(super) fn access(&self, bottleneck: BitsPerSec) -> BitsPerSec {
        let automatic = match self.layout {
            Layout::Chain(_) => BitsPerSec(bottleneck.0.saturating_mul(10)),
            Layout::Graph(_) | Layout::Fabric(_) => BitsPerSec(1_000_000_000),
        };
        self.access.unwrap_or(automatic)
    }

    /// Whether hosts of a graph have access links.
    pub(super) fn has_access(&self) -> bool {
        self.access.is_some()
    }
}

impl BuiltNetwork {
    /// Lets the ports of each switch share a buffer: each node of a fabric that is no host, and
    /// each node of a graph with several links that have a queue.
    fn share_buffers(&mut self, buffer: SharedBuffer) {
        let network = &mut self.network;
        let mut queues = vec![0; network.nodes()];
        for (_, from, _, link) in network.links() {
            queues[from.0 as usize] += u32::from(link.queue.is_some());
        }
        let least = if self.hosts.is_empty() { 2 } else { 1 };
        for host in &self.hosts {
            queues[host.0 as usize] = 0;
        }
        for (node, queues) in (0..).zip(queues) {
            if queues >= least {
                network.share_buffer(Host(node), buffer);
            }
        }
    }
}

fn build_chain(chain: &Chain, around: &Around<'_>, shortest: Nanos) -> BuiltNetwork {
    let Chain {
        bottlenecks,
        forward,
        reverse,
        dumbbell,
    } = chain;
    let automatic = Nanos(shortest.0 / 4 / u64::from(*bottlenecks));
    let forward_link = forward.build(around, automatic);
    let reverse_link = reverse.build(around, automatic);
    // Access links make up the rest of a round-trip time, however the two differ.
    let delay = Nanos((forward_link.delay.0 + reverse_link.delay.0) / 2);
    let both = matches!(reverse.queue, QueueChoice::Scheme);
    let (network, routers, forwards, reverses) = if *dumbbell {
        let dumbbell = Dumbbell::new(forward_link, reverse_link);
        let routers = vec![dumbbell.left, dumbbell.right];
        let links = (vec![dumbbell.bottleneck], vec![dumbbell.reverse]);
        (dumbbell.network, routers, links.0, links.1)
    } else {
        let links = (0..*bottlenecks).map(|_| forward_link.clone());
        let mut lot = ParkingLot::new(links);
        for link in &lot.reverses {
            *lot.network.get_mut(*link) = reverse_link.clone();
        }
        (lot.network, lot.routers, lot.bottlenecks, lot.reverses)
    };
    let reverses = reverses.into_iter().filter(|_| both);
    let names: Vec<String> = routers
        .iter()
        .map(|router| network.name(*router).to_string())
        .collect();
    let places = names.iter().cloned().zip(routers).collect();
    BuiltNetwork {
        network,
        hosts: Vec::new(),
        places,
        chain: Some((delay, names)),
        watched: LinkId(0),
        bottlenecks: forwards.into_iter().chain(reverses).collect(),
        rate: forward.rate,
    }
}

fn build_graph(edges: &[Edge], around: &Around<'_>) -> BuiltNetwork {
    let mut network = Network::new();
    let mut places: BTreeMap<String, Host> = BTreeMap::new();
    let mut watched = None;
    let mut bottlenecks = Vec::new();
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
        let link = edge.link.build(around, Nanos::ZERO);
        let under_scheme = matches!(edge.link.queue, QueueChoice::Scheme);
        let id = network.link(from, to, link.clone());
        if under_scheme {
            watched = watched.or(Some(id));
        }
        if !matches!(edge.link.queue, QueueChoice::None) {
            bottlenecks.push(id);
        }
        if edge.both {
            let mut reverse = link;
            if under_scheme {
                reverse.queue = Spec::new("droptail").ok();
                reverse.changes = edge.link.changes.clone();
            }
            network.link(to, from, reverse);
        }
    }
    BuiltNetwork {
        network,
        hosts: Vec::new(),
        places,
        chain: None,
        watched: watched.unwrap_or(LinkId(0)),
        bottlenecks,
        rate: BitsPerSec(0),
    }
}
