//! Flows: checked, given routes, and ready to start.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use super::super::Simulation;
use super::super::application::{Partner, Session};
use super::super::flow::{Connection, Counted, Datagrams, Ends, Flow, Overhead, Path, State};
use super::super::flows::Flows;
use super::super::route::{self, Paths, RouteTable};
use super::super::spawner::{FlowList, Spawner, Starts};
use super::access;
use super::routes::{FlowRoutes, LinkStages, Routed, find_routes, lay_out};
use super::sprays;
use super::{incast, line_rates, listed};
use crate::measure::FlowMeter;
use crate::network::{LinkId, Network};
use crate::packet::{Kind, MAX_FLOWS, MAX_LINKS, Packet, Template};
use crate::prefetch::use_huge_pages;
use crate::run::{Run, RunError};
use crate::schedule::Schedule;
use crate::spread::Spread;
use crate::streams::{Purpose, stream};
use crate::tcp::{MAX_TRANSFER, Profile, Receiver, Sender};
use crate::traffic::{self, Application, Incast, Pattern, Ports, Start, Step, Traffic};

/// The profiles of all flows, each once.
#[derive(Default)]
struct Profiles {
    known: HashMap<*const Profile, u32>,
    profiles: Vec<Profile>,
}

impl Profiles {
    fn index_of(&mut self, profile: &Arc<Profile>) -> u32 {
        let profiles = &mut self.profiles;
        *self.known.entry(Arc::as_ptr(profile)).or_insert_with(|| {
            profiles.push(**profile);
            profiles.len() as u32 - 1
        })
    }
}

/// Adds every flow of `run`, with its routes and the event that starts it.
pub(super) fn add(
    simulation: &mut Simulation,
    run: &Run,
    links: &[LinkStages],
) -> Result<(), RunError> {
    let mut described = with_requesters(&run.flows);
    if described.len() > MAX_FLOWS {
        return Err(RunError::Flow {
            flow: MAX_FLOWS,
            problem: format!("is one too many; a run has at most {MAX_FLOWS}"),
        });
    }
    for (index, flow) in run.flows.iter().enumerate() {
        check(&run.network, run.duration, index, flow)?;
    }
    let clients = incast::clients(&run.flows)?;
    let first_servers: HashMap<u32, u32> = clients
        .iter()
        .map(|(client, servers)| (*client, servers[0]))
        .collect();
    let mut routed: Vec<Routed> = Routed::flows(&described, run.seed);
    let lists = listed::routes(&run.network, &described, run.seed);
    routed.extend(&lists.routed);
    let routes = checked_routes(&run.network, &described, &routed)?;
    check_numbers(run, &routes)?;
    line_rates::set(&mut described, &run.network, &routes);
    add_routes(simulation, &run.network, links, &described, &routes);
    simulation.flows.flows.reserve_exact(described.len());
    use_huge_pages(&simulation.flows.flows);
    simulation.accounts.reserve_flows(described.len());
    let mut profiles = Profiles::default();
    let mut responders = Vec::new();
    for (index, described) in described.iter().enumerate() {
        let builder = FlowBuilder {
            run,
            index,
            described,
            profile: match &described.traffic {
                Traffic::Tcp { profile, .. } => profiles.index_of(profile),
                Traffic::Datagrams { .. } => 0,
            },
            passive: routes[index].passive,
            behind_nic: routes[index].begins_at_nic(&run.network),
            listed: lists.numbers.get(&index),
            // Servers of a client draw one start.
            starts_as: incast::of(described).map_or(index, |i| first_servers[&i.client] as usize),
            // Requests are not their group's data.
            delays_of: (run.measure.delays && index < run.flows.len())
                .then(|| simulation.accounts.delays.number_of(&described.group)),
        };
        simulation.flows.flows.push(builder.flow());
        simulation.accounts.add_flow();
        if index < run.flows.len() && request_of(described).is_some() {
            responders.push(index as u32);
        }
    }
    for (requester, responder) in (run.flows.len() as u32..).zip(responders) {
        simulation
            .flows
            .set_partner(responder, Partner::Requester(requester));
        simulation
            .flows
            .set_partner(requester, Partner::Responder(responder));
    }
    incast::add_barriers(simulation, run, clients);
    simulation.flows.profiles = profiles.profiles;
    for index in 0..run.flows.len() {
        let scheduler = &mut simulation.scheduler;
        simulation.flows.ensure_wake(scheduler, index as u32);
    }
    Ok(())
}

/// The routes of all flows, none longer than a packet can count its hops.
fn checked_routes(
    network: &Network,
    flows: &[traffic::Flow],
    routed: &[Routed],
) -> Result<Vec<FlowRoutes>, RunError> {
    let routes = find_routes(network, flows, routed).map_err(|ends| RunError::NoRoute {
        flow: ends.flow,
        from: network.name(ends.from).to_string(),
        to: network.name(ends.to).to_string(),
    })?;
    for routes in &routes {
        let later = |route: &[LinkId]| {
            route
                .iter()
                .skip(1)
                .find(|id| network.get(**id).is_nic)
                .copied()
        };
        if let Some(link) = routes.pairs().flatten().find_map(later) {
            let link = network.link_name(link);
            let problem = format!("its route leads over {link}, another host's network card");
            let flow = routes.flow;
            return Err(RunError::Flow { flow, problem });
        }
        let links = routes.forward.len().max(routes.backward.len());
        if links > MAX_LINKS {
            let problem = format!("its route has {links} links; at most {MAX_LINKS}");
            let flow = routes.flow;
            return Err(RunError::Flow { flow, problem });
        }
    }
    Ok(routes)
}

/// Refuses bulk flows that would run out of the 32 bits that number segments: their share of the
/// slowest link on their route, if all flows over TCP share each link equally, carries more.
fn check_numbers(run: &Run, routes: &[FlowRoutes]) -> Result<(), RunError> {
    let network = &run.network;
    let mut senders = vec![0.0; network.links().len()];
    for (flow, routes) in run.flows.iter().zip(routes) {
        if matches!(flow.traffic, Traffic::Tcp { .. }) {
            let links = routes.forward.iter();
            links.for_each(|link| senders[link.0 as usize] += 1.0);
        }
    }
    for (index, (flow, routes)) in run.flows.iter().zip(routes).enumerate() {
        let Traffic::Tcp {
            profile,
            application: Application::Bulk,
        } = &flow.traffic
        else {
            continue;
        };
        let share = |link: &LinkId| {
            let rate = network.get(*link).mean_rate();
            rate.packets_per_sec(Bytes(profile.segment_size.into())) / senders[link.0 as usize]
        };
        let both_ways = routes.forward.iter().chain(&routes.backward);
        let rtt: f64 = both_ways
            .map(|link| network.get(*link).delay.as_secs_f64())
            .sum();
        let of_window = f64::from(profile.receiver_window) / rtt;
        let per_second = routes.forward.iter().map(share).fold(of_window, f64::min);
        let enough = f64::from(u32::MAX) / per_second;
        if enough < run.duration.as_secs_f64() {
            let problem = format!(
                "at {per_second:.0} segments a second it would send all that 32 bits can number; \
                 nearest: a run of {} s",
                enough.floor()
            );
            return Err(RunError::Flow {
                flow: index,
                problem,
            });
        }
    }
    Ok(())
}

/// Fills the route table, from links to hops.
fn add_routes(
    simulation: &mut Simulation,
    network: &Network,
    links: &[LinkStages],
    flows: &[traffic::Flow],
    routes: &[FlowRoutes],
) {
    let links = access::make_access_links(simulation, links, flows, routes);
    let (mut stages, begins) = lay_out(network, &links, flows, routes);
    access::compact_wires(&mut simulation.links.wires, &mut stages);
    let (hops, hop_of) = route::join(&stages);
    let begins: Vec<u32> = begins.iter().map(|stage| hop_of[*stage as usize]).collect();
    let periods = simulation.accounts.periods.clone();
    let (begins, sprays) = sprays::choose(begins, routes, simulation.flows.seed, periods);
    let path = |(begin, route): (&[u32], &FlowRoutes)| {
        let ends = flows[route.flow].has_transfers();
        (begin[0], ends.then(|| route.empty_path(network)))
    };
    let paths = Paths::new(begins.chunks(2).zip(routes).map(path), flows.len());
    simulation.routes = RouteTable::new(hops, begins, flows.len(), paths).with_sprays(sprays);
}

/// The flows described; after them, for each whose transfers are requested over a second
/// connection, that connection: a flow in the opposite direction.
fn with_requesters(flows: &[traffic::Flow]) -> Cow<'_, [traffic::Flow]> {
    let requester = |flow: &traffic::Flow| {
        let (profile, request) = request_of(flow)?;
        Some(traffic::Flow {
            from: flow.to,
            to: flow.from,
            steps: Vec::new(),
            traffic: Traffic::Tcp {
                profile: profile.clone(),
                application: Application::Pages {
                    request,
                    size: Spread::constant(request),
                    pause: Spread::constant(Nanos::ZERO),
                },
            },
            ..flow.clone()
        })
    };
    let requesters: Vec<traffic::Flow> = flows.iter().filter_map(requester).collect();
    if requesters.is_empty() {
        return Cow::Borrowed(flows);
    }
    Cow::Owned(flows.iter().cloned().chain(requesters).collect())
}

/// The profile and the size of the requests for a flow's transfers, if they are sent over a
/// connection of their own.
fn request_of(flow: &traffic::Flow) -> Option<(&Arc<Profile>, Bytes)> {
    match &flow.traffic {
        Traffic::Tcp {
            profile,
            application: Application::Pages { request, .. },
        } => Some((profile, *request)),
        _ => None,
    }
}

impl Flows {
    pub(super) fn set_partner(&mut self, flow: u32, partner: Partner) {
        if let Some(session) = self.session(flow) {
            session.partner = partner;
        }
    }
}

/// Builds one flow.
struct FlowBuilder<'a> {
    run: &'a Run,
    index: usize,
    described: &'a traffic::Flow,
    /// The index of its profile.
    profile: u32,
    passive: bool,
    /// Its sender's host has a network card.
    behind_nic: bool,
    /// For a flow list, the number of each transfer's route.
    listed: Option<&'a Vec<u32>>,
    /// The index of the flow whose random start is also this one's.
    starts_as: usize,
    /// The number of the group whose distribution its delays enter, if they are measured.
    delays_of: Option<u32>,
}

impl FlowBuilder<'_> {
    fn stream(&self, purpose: Purpose) -> earlydrop::random::Pcg32 {
        stream(self.run.seed, purpose, self.index as u64)
    }

    fn flow(&self) -> Flow {
        let ends = self.ends();
        let mut flow = self.with_ends(ends);
        let mut steps = self.described.steps.clone();
        // A requester starts when its responder needs it.
        if self.index < self.run.flows.len() {
            steps.push((self.start(), Step::Resume));
        }
        steps.sort_by_key(|(at, _)| *at);
        flow.rare().steps = steps.into();
        flow
    }

    /// A flow with these ends and no steps.
    fn with_ends(&self, ends: Ends) -> Flow {
        let measure = &self.run.measure;
        let round_trips = measure.round_trips && matches!(ends, Ends::Tcp(_));
        let meter = FlowMeter::new(self.delays_of, round_trips);
        let segment = match &self.described.traffic {
            Traffic::Tcp { profile, .. } => {
                Packet::new(Kind::Data, self.index as u32, 0, profile.segment_size)
                    .with_ecn(profile.ecn.codepoint())
            }
            Traffic::Datagrams { .. } => Packet::new(Kind::Datagram, self.index as u32, 0, 0),
        };
        let segment = segment.with_class(self.described.class);
        let mut flow = Flow {
            wake_at: Nanos::NEVER,
            state: State {
                open: false,
                path: Path::Slow,
                passive: self.passive && matches!(ends, Ends::Tcp(_)),
                has_overhead: self.described.overhead.0 > 0,
                has_baseline: false,
                at_nic: (self.behind_nic && matches!(ends, Ends::Tcp(_))).then_some(0),
            },
            ack_class: self.described.ack_class.unwrap_or(self.described.class),
            ends,
            meter,
            counted: Counted::default(),
            profile: self.profile,
            rare: None,
            segment: Template::of(segment),
        };
        if flow.state.has_overhead {
            flow.rare().overhead = Some(Overhead {
                most: self.described.overhead,
                last: Nanos::ZERO,
                random: self.stream(Purpose::Overhead),
            });
        }
        flow
    }

    fn start(&self) -> Nanos {
        let mut random = stream(self.run.seed, Purpose::Start, self.starts_as as u64);
        self.described.start.draw(&mut random)
    }

    fn ends(&self) -> Ends {
        match &self.described.traffic {
            Traffic::Datagrams {
                size,
                rate,
                pattern,
                ecn,
            } => {
                let random = self.stream(Purpose::Application);
                Ends::Datagrams(Datagrams {
                    size: size.0 as u32,
                    ecn: *ecn,
                    number: 0,
                    schedule: Schedule::new(*size, *rate, pattern.clone(), random),
                })
            }
            Traffic::Tcp {
                profile,
                application,
            } => {
                let connection = Connection {
                    sender: Sender::new(profile, self.start()),
                    receiver: Receiver::new(0),
                    session: None,
                };
                self.with_application(connection, application)
            }
        }
    }

    /// A spawner of connections like `connection`.
    fn spawner(
        &self,
        connection: Connection,
        application: &Application,
        starts: Starts,
        at_most: u32,
    ) -> Ends {
        let mut template = self.with_ends(Ends::Tcp(connection));
        template.state.open = true;
        if matches!(starts, Starts::AfterLast) {
            // Connections one after the other measure into what the spawner has.
            template.meter.details = None;
        }
        Ends::Spawner(Box::new(Spawner {
            starts,
            application: application.clone(),
            at_most,
            next_at: Nanos::NEVER,
            random: self.stream(Purpose::Application),
            template,
            connections: Vec::new(),
            in_progress: 0,
            taken: 0,
            free: HashMap::new(),
            left_out: 0,
        }))
    }

    fn with_application(&self, mut connection: Connection, application: &Application) -> Ends {
        let random = self.stream(Purpose::Application);
        match application {
            Application::Bulk => Ends::Tcp(connection),
            Application::Arrivals { every, at_most, .. } => self.spawner(
                connection,
                application,
                Starts::Every(every.clone()),
                *at_most,
            ),
            Application::Web {
                ports: Ports::New, ..
            } => self.spawner(connection, application, Starts::AfterLast, u32::MAX),
            Application::FlowList { transfers, at_most } => {
                let list = FlowList {
                    transfers: transfers.clone(),
                    routes: self.listed.cloned().unwrap_or_default(),
                    next: 0,
                };
                self.spawner(connection, application, Starts::Listed(list), *at_most)
            }
            _ => {
                let session = Session::new(application.clone(), random, self.index as u32);
                connection.session = Some(Box::new(session));
                Ends::Tcp(connection)
            }
        }
    }
}

/// Checks everything about a flow but its routes.
fn check(
    network: &Network,
    duration: Nanos,
    flow: usize,
    described: &traffic::Flow,
) -> Result<(), RunError> {
    let wrong = |problem: String| Err(RunError::Flow { flow, problem });
    let nodes = network.nodes();
    for node in [described.from, described.to] {
        if node.0 as usize >= nodes {
            return wrong(format!("node {} of a network of {nodes}", node.0));
        }
    }
    if described.from == described.to {
        let name = network.name(described.from);
        return wrong(format!("it leads from {name} to itself"));
    }
    let last_start = match described.start {
        Start::At(at) => at,
        Start::Between(from, to) if from > to => {
            return wrong(format!(
                "it starts between {from} and {to}, which is earlier"
            ));
        }
        Start::Between(_, to) => to,
    };
    if last_start > duration {
        return wrong(format!(
            "it starts at {last_start}, after the run's end at {duration}"
        ));
    }
    let classes = [Some(described.class), described.ack_class];
    if let Some(class) = classes.into_iter().flatten().find(|class| *class > 7) {
        return wrong(format!("class {class}; classes are 0 to 7"));
    }
    match &described.traffic {
        Traffic::Tcp {
            profile,
            application,
        } => {
            profile
                .validate()
                .map_err(|problem| RunError::Profile { flow, problem })?;
            let problem = application_problem(application);
            let problem = problem.or_else(|| too_large(application, profile));
            problem.map_or(Ok(()), wrong)
        }
        Traffic::Datagrams { .. } => datagram_problem(described).map_or(Ok(()), wrong),
    }
}

/// The largest packet, in bytes: the limit of IPv4's length field (RFC 791, 3.1).
const LARGEST: u64 = 65_535;

/// What is wrong with a datagram flow, if anything.
fn datagram_problem(described: &traffic::Flow) -> Option<String> {
    let Traffic::Datagrams {
        size,
        rate,
        pattern,
        ..
    } = &described.traffic
    else {
        return None;
    };
    let later = described.steps.iter().filter_map(|(_, step)| match step {
        Step::Rate(rate) => Some(*rate),
        _ => None,
    });
    let slowest = later.fold(*rate, BitsPerSec::min);
    if !(1..=LARGEST).contains(&size.0) {
        return Some(format!(
            "datagrams of {size}; they have 1 to {LARGEST} bytes"
        ));
    }
    if slowest.0 == 0 {
        return Some("datagrams at 0 bps; a flow that sends nothing is stopped".into());
    }
    match pattern {
        Pattern::OnOff { on, off } => {
            let problem = on.problem().or(off.problem());
            problem.or_else(|| short_bursts(on, *size, slowest))
        }
        Pattern::Constant | Pattern::Replay { .. } => None,
    }
}

/// What is wrong with transfers of more segments than a connection can number.
fn too_large(application: &Application, profile: &Profile) -> Option<String> {
    let (size, largest) = (application.mean_size()?, profile.largest_transfer());
    (size > largest).then(|| {
        format!(
            "transfers of {} bytes, more than {MAX_TRANSFER} segments of {} bytes; \
             at most {} bytes",
            size.0,
            profile.payload(),
            largest.0
        )
    })
}

/// What is wrong with bursts that hardly ever hold a datagram.
fn short_bursts(on: &Spread<Nanos>, size: Bytes, rate: BitsPerSec) -> Option<String> {
    let (burst, least) = (on.mean, Pattern::least_burst(&on.law, size, rate));
    (burst < least).then(|| {
        format!(
            "bursts of {burst} on average, {:?}, typically less than a thousandth of a datagram; \
             at least {least}",
            on.law
        )
    })
}

/// What is wrong with an application, if anything.
fn application_problem(application: &Application) -> Option<String> {
    let both = |size: &Spread<_>, time: &Spread<_>| size.problem().or(time.problem());
    match application {
        Application::Bulk | Application::Transfer(_) => None,
        Application::FlowList { at_most: 0, .. } | Application::Arrivals { at_most: 0, .. } => {
            Some("at most 0 transfers at once; at least 1".into())
        }
        Application::FlowList { transfers, .. } => listed::problem(transfers),
        Application::Web { size, pause, .. } => both(size, pause),
        Application::Pages {
            request,
            size,
            pause,
        } => match request {
            Bytes(0) => Some("requests of 0 bytes; at least 1".into()),
            _ => both(size, pause),
        },
        Application::Arrivals { every, size, .. } => match every.mean {
            Nanos::ZERO => Some("transfers every 0 s; the mean must be above zero".into()),
            _ => both(size, every),
        },
        Application::Incast(Incast {
            rounds: Some(0), ..
        }) => Some("an incast of 0 rounds; at least 1".into()),
        Application::Requests {
            request,
            response,
            think,
        }
        | Application::Incast(Incast {
            request,
            response,
            think,
            ..
        }) => {
            if !(1..=LARGEST).contains(&request.0) {
                return Some(format!(
                    "requests of {request}; they have 1 to {LARGEST} bytes"
                ));
            }
            both(response, think)
        }
    }
}
