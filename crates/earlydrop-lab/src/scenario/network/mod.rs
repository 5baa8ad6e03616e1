//! Topologies: the table `network`, and the simulator's network that it describes.

mod cables;
mod ends;
mod pauses;
mod read;
mod shapes;

use std::collections::BTreeMap;
use std::sync::Arc;

use earlydrop::registry::{self, Spec};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::cost::{bytes_of_links, bytes_of_queue};
use earlydrop_sim::network::{
    Aggregation, Change, DelayTrace, Link, LinkId, Network, Node as Host, Pfc, Reorder,
    SharedBuffer, Trace,
};

use cables::Cable;
use shapes::{NamedLink, Shape};

use super::flows::FlowGroup;
use super::path::Path;
use super::schemes::{SchemeChange, from_config};
use super::shared::Buffer;
use crate::document::{Place, Problem, suggestion};

pub(super) use ends::ends_problem;
pub(crate) use pauses::PauseRoom;
pub(super) use read::read;

/// A network as a file describes it, under any scheme.
#[derive(Clone, Debug)]
pub struct Topology {
    shape: Shape,
    /// The rate of each host's access link; `None`: the layout's default.
    access: Option<BitsPerSec>,
    /// The base round-trip time of flows whose group sets none.
    pub rtt: Nanos,
    /// Every scheme's `limit`.
    pub buffer: Option<Buffer>,
    /// The buffer that the ports of each switch share.
    shared_buffer: Option<SharedBuffer>,
    /// When each switch pauses the links that lead to it.
    pauses: Option<Pfc>,
    /// Whether packets are spread over all shortest routes, instead of flows.
    spraying: bool,
    /// Cables of a fabric that differ.
    cables: Vec<Cable>,
    /// After what time switches leave out links that are cut; `None`: never.
    reroute_after: Option<Nanos>,
    /// The name of the watched link, as written; empty for the default.
    watch: (String, Place),
    /// Where the kind of topology was written, or the table.
    pub(crate) place: Place,
}

impl Topology {
    /// Bytes of memory that it takes on the heap, about.
    pub(super) fn bytes(&self) -> usize {
        self.shape.bytes()
    }
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
    /// A host's network card: an unlimited queue that holds senders back.
    Nic,
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
            QueueChoice::None | QueueChoice::Nic => None,
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
            cuts: Vec::new(),
            trace: self.trace.clone(),
            delay_trace: self.delay_trace.clone(),
            aggregation: self.aggregation,
            slot: self.slot,
            steered: false,
            is_nic: matches!(self.queue, QueueChoice::Nic),
            by_class: false,
        }
    }

    /// The changes of the compared scheme, planned for the link as it is then.
    fn scheme_changes(&self, around: &Around<'_>) -> Result<Vec<(Nanos, Change)>, Problem> {
        if !matches!(self.queue, QueueChoice::Scheme) {
            return Ok(Vec::new());
        }
        let mut planned = Vec::new();
        for change in around.changes {
            let mut link = self.for_registry(around.packet);
            link.rate = self.rate_at(change.at).unwrap_or(link.rate);
            let plan = around.path.resolve(&change.spec, &link).plan(&link);
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
    pub(crate) fn scheme_links(&self, packet: Bytes) -> Vec<registry::LinkFacts> {
        let named = self.named_scheme_links(packet).into_iter();
        named.map(|(_, link)| link).collect()
    }

    /// The names of the links whose queue is the compared scheme, with what the registry needs.
    pub(super) fn named_scheme_links(&self, packet: Bytes) -> Vec<(String, registry::LinkFacts)> {
        let links = self.shape.links.iter();
        let under_scheme = links.filter_map(|NamedLink { name, link }| {
            matches!(link.queue, QueueChoice::Scheme).then_some((name.as_ref()?, link))
        });
        under_scheme
            .map(|(name, link)| (name.clone(), link.for_registry(packet)))
            .collect()
    }

    /// The name of the first link whose rate or delay changes during a run.
    pub(super) fn varying_link(&self) -> Option<String> {
        let mut links = self.shape.links.iter();
        let varying = links.find(|named| {
            let link = &named.link;
            link.trace.is_some() || link.changes.iter().any(|(_, change)| change.is_of_link())
        });
        varying.map(|named| match &named.name {
            Some(name) => format!("\"{name}\""),
            None => "in the other direction".to_string(),
        })
    }

    /// Bytes that the links of a run take, without their queues.
    pub(super) fn bytes_of_links(&self) -> f64 {
        bytes_of_links(self.shape.edges.len())
    }

    /// Bytes that the queues of a run take under a scheme, without packets.
    pub(super) fn bytes_of_queues(&self, around: &Around<'_>) -> f64 {
        let mut counts = vec![0.0; self.shape.links.len()];
        for edge in self.shape.edges.iter() {
            counts[edge.link as usize] += 1.0;
        }
        let links = self.shape.links.iter().zip(counts);
        let bytes = links
            .map(|(named, count)| count * bytes_of_queue(&named.link.build(around, Nanos::ZERO)));
        bytes.sum()
    }

    /// The number of bottlenecks in a row; 1 where links are not in a row.
    pub(super) fn bottlenecks(&self) -> u32 {
        self.shape.bottlenecks_in_a_row()
    }

    /// Whether the first link with the compared scheme follows a recording.
    pub(super) fn is_recorded(&self) -> bool {
        let mut links = self.shape.links.iter().map(|named| &named.link);
        links
            .find(|link| matches!(link.queue, QueueChoice::Scheme))
            .is_some_and(|link| link.trace.is_some())
    }

    /// Checks the queues whose scheme is the same in all runs.
    pub(super) fn check(&self, packet: Bytes, path: &Path, problems: &mut Vec<Problem>) {
        for NamedLink { link, .. } in &self.shape.links {
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
        let links = self.shape.links.iter();
        let mut found = links.map(|named| named.link.scheme_changes(around).err());
        problems.extend(found.find_map(|problem| problem));
    }

    /// The base round-trip time of the path: the network's; in a graph, the longest of any group.
    pub(super) fn path_rtt(&self, groups: &[FlowGroup], packet: Bytes) -> Nanos {
        if !self.shape.rtt_of_routes {
            return self.rtt;
        }
        let path = Path {
            rtt: self.rtt,
            flows: 1,
        };
        let built = self.under_droptail(packet, path);
        let longest = built.and_then(|built| built.longest_rtt(groups));
        longest.unwrap_or(self.rtt)
    }

    /// The network with drop-tail queues, for what does not depend on the compared scheme.
    fn under_droptail(&self, packet: Bytes, path: Path) -> Option<BuiltNetwork> {
        let scheme = Spec::new("droptail").ok()?;
        let around = Around {
            scheme: &scheme,
            changes: &[],
            packet,
            path,
        };
        Some(self.shape.build(&around, Nanos::ZERO))
    }

    /// Whether the links alone decide about round-trip times, as hosts' access links do in a row
    /// of bottlenecks.
    pub(super) fn links_decide_rtt(&self) -> bool {
        self.shape.row.is_none()
    }

    /// The network under a scheme, without hosts. `shortest` is the shortest base round-trip
    /// time of all flows, of which an automatic propagation delay takes its share.
    pub(super) fn build(
        &self,
        around: &Around<'_>,
        shortest: Nanos,
    ) -> Result<BuiltNetwork, Problem> {
        let mut built = self.shape.build(around, shortest);
        built.network.spraying = self.spraying;
        built.network.reroute_after = self.reroute_after;
        for cable in &self.cables {
            cable.apply(&mut built.network)?;
        }
        if let Some(buffer) = self.shared_buffer {
            built.share_buffers(buffer);
        }
        if let Some(limits) = self.pauses {
            built.pause(limits);
        }
        if !self.watch.0.is_empty() {
            built.watched = self.watched(&built.network)?;
        }
        built.rate = built.network.get(built.watched).mean_rate();
        Ok(built)
    }

    /// The link of the name in `watch`.
    fn watched(&self, network: &Network) -> Result<LinkId, Problem> {
        queue_called(network, &self.watch)
    }

    /// The rate of a host's access link.
    pub(super) fn access(&self, bottleneck: BitsPerSec) -> BitsPerSec {
        let automatic = match self.shape.row {
            Some(_) => BitsPerSec(bottleneck.0.saturating_mul(10)),
            None => BitsPerSec(1_000_000_000),
        };
        self.access.unwrap_or(automatic)
    }

    /// Whether it has hosts and switches of its own: a leaf-spine or a fat tree.
    pub fn is_fabric(&self) -> bool {
        self.shape.places_are_hosts
    }

    /// Whether the compared scheme is at a link of the network without its hosts.
    pub(super) fn is_compared(&self, link: LinkId) -> bool {
        let edge = self.shape.edges.get(link.0 as usize);
        let spec = edge.and_then(|edge| self.shape.links.get(edge.link as usize));
        spec.is_some_and(|named| matches!(named.link.queue, QueueChoice::Scheme))
    }

    /// The load of a fabric's links between switches, where all hosts' links have a load of 1.
    pub(super) fn load_between_switches(&self) -> f64 {
        self.shape.load_between_switches
    }

    /// Whether hosts of a graph have access links.
    pub(super) fn has_access(&self) -> bool {
        self.access.is_some()
    }
}

/// The link of a name that was written at a place, among those that are meant: a `kind` of link.
fn link_called(
    network: &Network,
    (wanted, place): &(String, Place),
    kind: &str,
    is_meant: impl Fn(&Link) -> bool,
) -> Result<LinkId, Problem> {
    let names = || {
        let meant = network.links().filter(|(.., link)| is_meant(link));
        meant.map(|(id, ..)| (id, network.link_name(id)))
    };
    let found = names().find(|(_, name)| name == wanted);
    found.map(|(id, _)| id).ok_or_else(|| {
        let known: Vec<String> = names().map(|(_, name)| name).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let message = format!("no {kind} is called \"{wanted}\"");
        Problem::new(place, message, suggestion(wanted, &known, '"'))
    })
}

/// The link of a name that was written at a place, of those with a queue.
pub(crate) fn queue_called(network: &Network, name: &(String, Place)) -> Result<LinkId, Problem> {
    link_called(network, name, "link with a queue", |link| {
        link.queue.is_some()
    })
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
