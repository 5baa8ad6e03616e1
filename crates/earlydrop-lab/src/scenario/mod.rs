//! Scenarios: a topology, flows and schemes, read from a file and checked.
//!
//! ```text
//! fields --> schema, page
//! file --read--> Scenario --run--> PreparedRun --start--> Simulation
//! ```
//!
//! [`SCENARIO`] describes all fields of a file. The reader checks files with it; [`schema()`] and
//! [`page()`] are made from it.

mod feels;
pub(crate) mod fields;
mod flow_list;
mod flows;
mod measure;
mod network;
mod page;
mod path;
mod prepared;
mod schema;
mod schemes;
mod shared;
mod sizes;
mod tcp;
pub(crate) mod words;
mod workload;

pub use feels::Feels;
pub use fields::SCENARIO;
pub(crate) use flow_list::FlowList;
pub use flows::FlowGroup;
pub use measure::{MeasureOptions, SeriesScope};
pub use network::Topology;
pub(crate) use network::queue_called;
pub use page::page;
pub use path::Path;
pub use prepared::{Criteria, PreparedRun};
pub use schema::{schema, schema_of};
pub use schemes::Scheme;
pub use shared::{BesidePreset, Buffer};
pub use sizes::{LinkSizes, QueueLength, SchemeSizes};

use std::cell::{Cell, RefCell};

use earlydrop::registry::{self, Registry};
use earlydrop::units::{Bytes, Nanos};
use earlydrop_sim::cost::Cost;
use earlydrop_sim::distribution::Distribution;
use earlydrop_sim::measure::Timing;
use earlydrop_sim::network::{DelayTrace, Link, LinkId, Node as Host, Trace};
use earlydrop_sim::replay::PacketTrace;
use earlydrop_sim::tcp::Algorithm;
use earlydrop_sim::traffic::{Application, Traffic};
use earlydrop_sim::{Run, RunError};

use crate::budget::{Budget, Limits};
use crate::document::{Entries, Node, Place, Problem};
use fields::MAX_FLOWS;
pub(crate) use network::PauseRoom;
use network::{Around, BuiltNetwork, ends_problem};

pub(crate) use schemes::{normalised, unused_parameters};

/// A scenario at one point of its sweep, every value checked.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its title. Without one in the file, the first point of a plan has a title made from what
    /// runs.
    pub title: String,
    /// Its purpose in a sentence or two; made where the file has none, as the title is.
    pub about: String,
    /// The duration of each run.
    pub duration: Nanos,
    /// The part of each run, from its beginning, that is left out of every figure.
    pub warm_up: Nanos,
    /// The compared schemes.
    pub schemes: Vec<Scheme>,
    /// The groups of flows.
    pub groups: Vec<FlowGroup>,
    /// The topology.
    pub network: Topology,
    /// What lengths in BDP and times in RTT refer to.
    pub path: Path,
    /// The measurements and samples of a run.
    pub measure: MeasureOptions,
    /// What has no effect because it comes after the end of a run, in words.
    pub(crate) late: Vec<String>,
    /// The last time at which the file says that flows start, or that anything changes.
    pub(crate) last_change: Nanos,
    /// What a run with samples over time costs.
    pub(crate) cost: Cost,
}

/// The duration of a scenario that has none, so that its other problems are found.
const SOME_DURATION: Nanos = Nanos::from_secs(30);

/// What an allocation takes beside its contents, in bytes: counts or the allocator's header.
const ALLOCATION: usize = 16;

impl Scenario {
    /// Bytes of memory that it takes, about; recorded links are shared between scenarios.
    pub(crate) fn bytes(&self) -> usize {
        let groups: usize = self.groups.iter().map(FlowGroup::bytes).sum();
        let schemes: usize = self.schemes.iter().map(Scheme::bytes).sum();
        size_of_val(self) + groups + schemes + self.network.bytes()
    }
}

/// The files that a scenario names; errors are in words.
pub(crate) trait NamedFiles {
    /// A recorded link.
    fn trace(&self, name: &str) -> Result<Trace, String>;
    /// A recorded propagation delay.
    fn delay_trace(&self, name: &str) -> Result<DelayTrace, String>;
    /// Recorded packets.
    fn packet_trace(&self, name: &str) -> Result<PacketTrace, String>;
    /// A distribution of sizes.
    fn sizes(&self, name: &str) -> Result<Distribution, String>;
    /// A list of transfers.
    fn flow_list(&self, name: &str) -> Result<FlowList, String>;
}

/// The environment of a scenario's text.
pub(crate) struct Surroundings<'a> {
    /// The schemes that it may name.
    pub(crate) registry: &'a Registry,
    /// Reads the files that it names.
    pub(crate) files: &'a dyn NamedFiles,
    /// What a run may take.
    pub(crate) limits: Limits,
}

/// The environment of a scenario's tables.
struct Context<'a> {
    registry: &'a Registry,
    files: &'a dyn NamedFiles,
    limits: Limits,
    /// The duration of a run.
    duration: Nanos,
    /// What has no effect because it comes after the end of a run.
    late: RefCell<Vec<String>>,
    /// The last time at which flows start, or anything changes.
    last_change: Cell<Nanos>,
}

impl Context<'_> {
    /// Notes that something starts or changes at `at`.
    fn note_change(&self, at: Nanos) {
        self.last_change.set(self.last_change.get().max(at));
    }

    /// [Notes](Context::note_change) that something changes at `at`, and that it comes too late
    /// for a run, where it does.
    fn check_in_time(&self, what: &str, at: Nanos) {
        self.note_change(at);
        if at >= self.duration {
            let end = self.duration;
            let note = format!("{what} at {at} has no effect: the run ends at {end}");
            self.late.borrow_mut().push(note);
        }
    }
}

/// Reads a scenario from a tree whose schemes are a table ([`normalised`]) and from which
/// `seeds` and `sweep` were removed.
pub(crate) fn read(tree: &Node, around: &Surroundings<'_>) -> Result<Scenario, Vec<Problem>> {
    let mut problems = Vec::new();
    let entries = Entries::read(tree, &SCENARIO, &mut problems);
    let context = Context {
        registry: around.registry,
        files: around.files,
        limits: around.limits,
        duration: duration(&entries, &mut problems),
        late: RefCell::default(),
        last_change: Cell::default(),
    };
    let warm_up = read_warm_up(&entries, context.duration, &mut problems);
    let network = network::read(&entries.table("network"), &context, &mut problems);
    let groups = read_groups(&entries, &context, &mut problems);
    let mut schemes = schemes::read(
        entries.open("schemes").unwrap_or(tree),
        entries.open("parameters"),
        network.buffer.as_ref(),
        context.registry,
        &mut problems,
    );
    for change in schemes.iter().flat_map(|scheme| &scheme.changes) {
        context.check_in_time("a change of a scheme", change.at);
    }
    let path = resolve_path(&network, &groups, &mut schemes);
    let measure = measure::read(
        &entries.table("measure"),
        flow_count(&groups),
        network.rtt,
        &context,
        &mut problems,
    );
    let mut scenario = Scenario {
        title: entries.text("title"),
        about: entries.text("about"),
        duration: context.duration,
        warm_up,
        schemes,
        groups,
        network,
        path,
        measure,
        last_change: context.last_change.get(),
        late: context.late.into_inner(),
        cost: Cost::default(),
    };
    if problems.is_empty() {
        scenario.cost = scenario.check(&around.limits, &mut problems);
    }
    if problems.is_empty() {
        Ok(scenario)
    } else {
        Err(problems)
    }
}

/// The path of a network, and the schemes at the first link that they stand at.
fn resolve_path(network: &Topology, groups: &[FlowGroup], schemes: &mut [Scheme]) -> Path {
    let packet = largest_packet(groups);
    let path = Path {
        rtt: network.path_rtt(groups, packet),
        flows: flow_count(groups),
    };
    let first_link = network.scheme_links(packet).into_iter().next();
    for scheme in schemes {
        scheme.resolve(&path, first_link.as_ref());
    }
    path
}

/// The duration. A plan puts one in the place of "auto", but not in a sweep.
fn duration(entries: &Entries, problems: &mut Vec<Problem>) -> Nanos {
    entries.time_or_auto("duration").unwrap_or_else(|| {
        let message = "`duration` = \"auto\" in a sweep";
        let help = "allowed: durations, or duration = \"auto\" for all points";
        problems.push(Problem::new(entries.place_of("duration"), message, help));
        SOME_DURATION
    })
}

fn read_warm_up(entries: &Entries, duration: Nanos, problems: &mut Vec<Problem>) -> Nanos {
    let warm_up = entries.time_or_auto("warm_up");
    let warm_up = warm_up.unwrap_or(Nanos(duration.0 / 5));
    if warm_up >= duration {
        let message = format!("`warm_up` = \"{warm_up}\" leaves nothing of a run of {duration}");
        let help = "nearest: a warm_up below the duration, or a longer duration";
        problems.push(Problem::new(entries.place_of("warm_up"), message, help));
    }
    warm_up
}

fn read_groups(
    entries: &Entries,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> Vec<FlowGroup> {
    let tcp = entries.table("tcp");
    let named = entries.named("flows");
    if named.is_empty() {
        let message = "a scenario without flows";
        let help = "allowed: at least one group, such as [flows.bulk]";
        problems.push(Problem::new(entries.place_of("flows"), message, help));
    }
    let read = |(key, group): &(_, _)| flows::read(key, group, &tcp, context, problems);
    let groups: Vec<FlowGroup> = named.iter().map(read).collect();
    let flows = flow_count(&groups);
    if flows > MAX_FLOWS {
        let message = format!("{flows} flows, all groups together");
        let help = format!("at most {MAX_FLOWS}");
        problems.push(Problem::new(entries.place_of("flows"), message, help));
    }
    groups
}

/// The groups that have flows. One without, as at a point of a sweep, changes nothing.
fn senders(groups: &[FlowGroup]) -> impl Iterator<Item = &FlowGroup> {
    groups.iter().filter(|group| group.count > 0)
}

/// The size of the largest packet of any group.
fn largest_packet(groups: &[FlowGroup]) -> Bytes {
    let packets = senders(groups).map(FlowGroup::packet);
    packets.max().unwrap_or(Bytes(1500))
}

/// The number of flows, all groups together.
fn flow_count(groups: &[FlowGroup]) -> u64 {
    groups.iter().map(FlowGroup::flows).sum()
}

impl Scenario {
    /// The size of the largest packet of any group.
    pub fn packet(&self) -> Bytes {
        largest_packet(&self.groups)
    }

    /// The size of the smallest packet with data of any group.
    pub(crate) fn smallest_packet(&self) -> Bytes {
        let packets = senders(&self.groups).map(FlowGroup::packet);
        packets.min().unwrap_or(Bytes(1500))
    }

    /// The room that pauses need at a switch, if there are pauses.
    pub(crate) fn room_for_pauses(&self) -> Option<PauseRoom> {
        let packet = largest_packet(&self.groups);
        self.network.room_for_pauses(packet, self.path)
    }

    /// The first class that switches pause and no group sends, and the nearest one that is sent.
    pub(crate) fn paused_but_not_sent(&self) -> Option<(u8, u8)> {
        let sent: Vec<u8> = self.groups.iter().flat_map(FlowGroup::classes).collect();
        let paused = self.network.paused_classes()?;
        let class = paused.iter().find(|class| !sent.contains(class))?;
        let nearest = sent.into_iter().min_by_key(|sent| sent.abs_diff(class))?;
        Some((class, nearest))
    }

    /// Whether a link or a scheme changes during a run, or a link is recorded.
    pub(crate) fn changes(&self) -> bool {
        let of_scheme = self.schemes.iter().any(|scheme| !scheme.changes.is_empty());
        of_scheme || self.network.varying_link().is_some()
    }

    /// The first link that changes during a run in which there are transfers.
    pub(crate) fn link_without_slowdown(&self) -> Option<String> {
        senders(&self.groups).find(|group| group.traffic.has_transfers())?;
        self.network.varying_link()
    }

    /// The first link whose queue is the compared scheme, as the registry needs it.
    pub fn link(&self) -> Option<registry::LinkFacts> {
        self.network.scheme_links(self.packet()).into_iter().next()
    }

    /// The shortest base round-trip time of any group.
    fn shortest_rtt(&self) -> Nanos {
        let rtts = senders(&self.groups).map(|group| group.rtt.unwrap_or(self.network.rtt));
        rtts.min().unwrap_or(self.network.rtt)
    }

    /// Checks what depends on several tables: schemes at their links, and routes between the
    /// ends of flows; and that a run is within the limits before it is built. Returns what it costs.
    fn check(&self, limits: &Limits, problems: &mut Vec<Problem>) -> Cost {
        let packet = self.packet();
        let before = problems.len();
        self.network.check(packet, &self.path, problems);
        for scheme in &self.schemes {
            for link in self.network.scheme_links(packet) {
                let before = problems.len();
                scheme.check(
                    &self.path,
                    &link,
                    self.network.paused_classes().is_some(),
                    problems,
                );
                if problems.len() > before {
                    break;
                }
            }
        }
        if problems.len() > before {
            return Cost::default();
        }
        match self.cost_within(limits) {
            Ok(cost) => {
                let changing = self.schemes.iter().filter(|one| !one.changes.is_empty());
                for scheme in changing {
                    self.check_changes(scheme, problems);
                }
                cost
            }
            Err(problem) => {
                problems.push(problem);
                Cost::default()
            }
        }
    }

    /// What a run under any of the schemes costs at most. Each step is taken only if the memory
    /// that it needs is within the limits: the network, its hosts and flows, the simulation.
    fn cost_within(&self, limits: &Limits) -> Result<Cost, Problem> {
        let limits = Limits {
            events: f64::INFINITY,
            disk: f64::INFINITY,
            ..*limits
        };
        let packet = self.packet();
        let queues = self.schemes.iter().map(|scheme| {
            let around = self.around(scheme, packet);
            self.network.bytes_of_queues(&around)
        });
        let queues = queues.fold(0.0, f64::max);
        Budget::check_network(self.network.bytes_of_links(), queues, &limits)?;
        let prepared = self.run(&self.schemes[0], 1, true)?;
        let mut cost = prepared.run.cost();
        cost.queue_bytes = cost.queue_bytes.max(queues);
        Budget::of_cell(&cost, self.flow_count(), true).check(&limits)?;
        let checked = prepared.run.check();
        checked.map_err(|error| self.problem_of(&error))?;
        Ok(cost)
    }

    /// What the network is built with under a scheme.
    fn around<'a>(&self, scheme: &'a Scheme, packet: Bytes) -> Around<'a> {
        Around {
            scheme: &scheme.written,
            changes: &scheme.changes,
            packet,
            path: self.path,
        }
    }

    /// Checks the changes of a scheme: their parameters, and that its kind of queue can take them.
    fn check_changes(&self, scheme: &Scheme, problems: &mut Vec<Problem>) {
        let before = problems.len();
        let around = self.around(scheme, self.packet());
        self.network.check_changes(&around, problems);
        if problems.len() == before
            && let Ok(prepared) = self.run(scheme, 1, false)
            && let Err(error) = prepared.run.check()
        {
            let place = scheme
                .changes
                .first()
                .map_or(&scheme.place, |change| &change.place);
            problems.push(Problem::new(place, error.to_string(), ""));
        }
    }

    /// The number of endless transfers that a loss slows down by a constant factor: those of Reno
    /// and of CUBIC.
    pub(crate) fn loss_based_flows(&self) -> u64 {
        let is_loss_based = |group: &&FlowGroup| match &group.traffic {
            Traffic::Tcp {
                profile,
                application: Application::Bulk,
            } => matches!(profile.control, Algorithm::Reno | Algorithm::Cubic),
            _ => false,
        };
        let groups = self.groups.iter().filter(is_loss_based);
        groups.map(|group| u64::from(group.count)).sum()
    }

    /// The number of flows, all groups together.
    pub(crate) fn flow_count(&self) -> u64 {
        flow_count(&self.groups)
    }

    /// The problem that the simulator reports, at the group of the flow that it names.
    fn problem_of(&self, error: &RunError) -> Problem {
        let (RunError::NoRoute { flow, .. }
        | RunError::Profile { flow, .. }
        | RunError::Flow { flow, .. }) = error
        else {
            return Problem::new(&Place::default(), error.to_string(), "");
        };
        let mut first = 0;
        let mut groups = self.groups.iter();
        let group = groups.find(|group| {
            first += group.flows() as usize;
            *flow < first
        });
        let group = group.map(|group| &*group.name);
        let help = match error {
            RunError::NoRoute { .. } => {
                "a flow needs a route each way; `both` = true of a link is both"
            }
            _ => "",
        };
        self.problem_at(group, &Place::default(), &error.to_string(), help)
    }

    /// A problem of a group of flows, or without a group at this place.
    fn problem_at(&self, group: Option<&str>, place: &Place, message: &str, help: &str) -> Problem {
        let mut groups = self.groups.iter();
        match group.and_then(|name| groups.find(|group| &*group.name == name)) {
            Some(group) => {
                let message = format!("flows `{}`: {message}", group.name);
                Problem::new(&group.places.group, message, help)
            }
            None => Problem::new(place, message, help),
        }
    }

    /// The problem that real hosts report about a group of flows, or about the network.
    pub fn refused(&self, group: Option<&str>, message: &str, help: &str) -> Problem {
        self.problem_at(group, &self.network.place, message, help)
    }

    /// The network under a scheme, without flows and the hosts that these add.
    fn built(&self, scheme: &Scheme) -> Result<BuiltNetwork, Problem> {
        let around = self.around(scheme, self.packet());
        self.network.build(&around, self.shortest_rtt())
    }

    /// The name of the watched link: "router 0 to router 1".
    pub fn watched(&self) -> Option<String> {
        let built = self.built(&self.schemes[0]).ok()?;
        Some(built.network.link_name(built.watched))
    }

    /// Whether the compared scheme is in front of a link of the network.
    pub fn is_compared(&self, link: LinkId) -> bool {
        self.network.is_compared(link)
    }

    /// The simulator's run of a scheme with a seed, and with samples over time if `series`.
    pub fn run(&self, scheme: &Scheme, seed: u64, series: bool) -> Result<PreparedRun, Problem> {
        let packet = self.packet();
        let mut built = self.built(scheme)?;
        let mut flows = Vec::new();
        let overhead = built
            .rate
            .transmission_time(packet)
            .min(Nanos::from_millis(10));
        for (index, group) in self.groups.iter().enumerate() {
            let load = self.offered_load(group, &built);
            let place = (seed, index);
            if let Some(list) = self.workload(group, &built, load.clone(), place)? {
                flows.extend(group.flow_list(list));
                continue;
            }
            if let Some(incast) = self.incast(group, &mut built, flows.len(), overhead, place)? {
                flows.extend(incast);
                continue;
            }
            let drawn: Option<Vec<_>> = self
                .host_pairs(group, &built, place)?
                .map(|mut pairs| (0..group.count).map(|_| pairs.draw()).collect());
            for number in 0..group.count {
                let ends = match &drawn {
                    Some(pairs) => pairs[number as usize],
                    None => self.hosts(group, &mut built)?,
                };
                flows.push(group.flow(number, ends, overhead, load.clone()));
            }
        }
        let watched = built.watched;
        let bottlenecks = match built.bottlenecks.as_slice() {
            [] | [_] => Vec::new(),
            several => several.to_vec(),
        };
        let mut run = Run::new(built.network, self.duration).seed(seed);
        run.flows = flows;
        let shown = bottlenecks.iter().copied().chain([watched]).collect();
        run.measure = self.measure.for_run(self, &run, shown, series);
        Ok(PreparedRun {
            run,
            watched,
            bottlenecks,
            criteria: self.criteria(),
            most_records: self.measure.most_records(self.network.is_fabric()),
        })
    }

    /// Packets of flows that feel lateness are late if they take longer.
    pub fn playout(&self) -> Nanos {
        self.measure.playout
    }

    fn criteria(&self) -> Criteria {
        let elastic = self.groups.iter();
        let elastic = elastic.filter(|group| group.feels == Feels::Rate);
        Criteria {
            deadline: self.measure.deadline,
            playout: self.measure.playout,
            middle: Timing::new(self.warm_up, self.duration).middle,
            elastic: elastic.map(|group| group.name.clone()).collect(),
        }
    }

    /// A new host at each end for one flow of `group`; in a graph without access links, the
    /// nodes themselves.
    fn hosts(&self, group: &FlowGroup, built: &mut BuiltNetwork) -> Result<(Host, Host), Problem> {
        let rtt = group.rtt.unwrap_or(self.network.rtt);
        let ends = built
            .ends(&group.from, &group.to, rtt)
            .map_err(|problem| ends_problem(group, rtt, problem))?;
        let own_link = group.access.is_some() || self.network.has_access();
        if self.network.links_decide_rtt() && group.rtt.is_some() {
            let message = "in a graph, the delays of links decide the round-trip time";
            let help = "remove `rtt`, and set the delays of links";
            return Err(Problem::new(&group.places.rtt, message, help));
        }
        if ends.access_delay.is_none() && !own_link {
            return Ok((ends.from, ends.to));
        }
        let rate = group.access.unwrap_or(self.network.access(built.rate));
        let delay = ends.access_delay.unwrap_or(Nanos::ZERO);
        let network = &mut built.network;
        let mut host = |router| {
            let host = network.node(format!("host {}", network.nodes()));
            network.duplex(host, router, Link::new(rate, delay));
            host
        };
        Ok((host(ends.from), host(ends.to)))
    }
}
