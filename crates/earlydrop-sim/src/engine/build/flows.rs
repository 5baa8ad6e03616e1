//! Flows, made ready.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use earlydrop::units::{Bytes, Nanos};

use super::super::Simulation;
use super::super::flow::{Connection, Datagrams, Ends, Flow, Overhead};
use super::super::hop::{self, Hop};
use super::super::order::{find_ways, lay_out};
use super::super::plain::Counted;
use super::super::session::{Partner, Session, Spawner};
use super::wires;
use crate::ahead;
use crate::measure::FlowMeter;
use crate::network::Network;
use crate::packet::{Form, Kind, MOST_FLOWS, MOST_LINKS, Packet};
use crate::run::{Run, RunError};
use crate::schedule::Schedule;
use crate::spread::Spread;
use crate::streams::{Purpose, stream};
use crate::tcp::{Profile, Receiver, Sender};
use crate::traffic::{self, Application, Pattern, Start, Step, Traffic};

/// Profiles that flows share, each once.
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

/// Adds every flow of `run`, and the events that start them.
pub(super) fn add(
    simulation: &mut Simulation,
    run: &Run,
    places: &[(Hop, Option<Hop>)],
) -> Result<(), RunError> {
    let described = with_askers(&run.flows);
    if described.len() > MOST_FLOWS {
        return Err(RunError::Flow {
            flow: MOST_FLOWS,
            problem: format!("is one too many; a run has at most {MOST_FLOWS}"),
        });
    }
    for (index, flow) in run.flows.iter().enumerate() {
        check(&run.network, run.duration, index, flow)?;
    }
    let ways = find_ways(&run.network, &described).map_err(|flow| RunError::NoRoute {
        flow,
        from: run.network.name(described[flow].from).to_string(),
        to: run.network.name(described[flow].to).to_string(),
    })?;
    for (flow, ways) in ways.iter().enumerate() {
        let links = ways.forward.len().max(ways.backward.len());
        if links > MOST_LINKS {
            let problem = format!("its way has {links} links; at most {MOST_LINKS}");
            return Err(RunError::Flow { flow, problem });
        }
    }
    let places = wires::hand_to_flows(simulation, places, &described, &ways);
    let (mut hops, routes) = lay_out(&run.network, &places, &described, &ways);
    wires::keep_used(&mut simulation.wires, &mut hops);
    let (legs, parts) = hop::pair(&hops);
    simulation.legs = legs;
    let begins = routes.iter().map(|hop| parts[*hop as usize]);
    simulation.ways = hop::Ways::new(begins.collect());
    simulation.flows.reserve_exact(described.len());
    ahead::in_large_pages(&simulation.flows);
    simulation.accounts.reserve_flows(described.len());
    let mut profiles = Profiles::default();
    let mut answerers = Vec::new();
    for (index, described) in described.iter().enumerate() {
        let maker = Maker {
            run,
            index,
            described,
            passive: ways[index].passive,
        };
        simulation.flows.push(maker.flow(&mut profiles));
        simulation.accounts.add_flow();
        if index < run.flows.len() && request_of(described).is_some() {
            answerers.push(index as u32);
        }
    }
    for (asker, answerer) in (run.flows.len() as u32..).zip(answerers) {
        simulation.set_partner(answerer, Partner::Asker(asker));
        simulation.set_partner(asker, Partner::Answerer(answerer));
    }
    simulation.profiles = profiles.profiles;
    for index in 0..run.flows.len() {
        simulation.arm_flow(index as u32);
    }
    Ok(())
}

/// The flows described, and after them, for each that must be asked for what it brings,
/// one the other way that asks when it is told to.
fn with_askers(flows: &[traffic::Flow]) -> Cow<'_, [traffic::Flow]> {
    let asker = |flow: &traffic::Flow| {
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
    let askers: Vec<traffic::Flow> = flows.iter().filter_map(asker).collect();
    if askers.is_empty() {
        return Cow::Borrowed(flows);
    }
    Cow::Owned(flows.iter().cloned().chain(askers).collect())
}

/// What asks for a flow's transfers over a connection of its own, where something does.
fn request_of(flow: &traffic::Flow) -> Option<(&Arc<Profile>, Bytes)> {
    match &flow.traffic {
        Traffic::Tcp {
            profile,
            application: Application::Pages { request, .. },
        } => Some((profile, *request)),
        _ => None,
    }
}

impl Simulation {
    fn set_partner(&mut self, flow: u32, partner: Partner) {
        if let Some(session) = self.session(flow) {
            session.partner = partner;
        }
    }
}

/// Makes one flow.
struct Maker<'a> {
    run: &'a Run,
    index: usize,
    described: &'a traffic::Flow,
    passive: bool,
}

impl Maker<'_> {
    fn stream(&self, purpose: Purpose) -> earlydrop::random::Pcg32 {
        stream(self.run.seed, purpose, self.index as u64)
    }

    fn flow(&self, profiles: &mut Profiles) -> Flow {
        let ends = self.ends(profiles);
        let mut flow = self.around(ends);
        let mut steps = self.described.steps.clone();
        // What asks does so when it is told to.
        if self.index < self.run.flows.len() {
            steps.push((self.start(), Step::Resume));
        }
        steps.sort_by_key(|(at, _)| *at);
        flow.rare().steps = steps.into();
        flow
    }

    /// A flow with these ends and nothing to come.
    fn around(&self, ends: Ends) -> Flow {
        let measure = &self.run.measure;
        let round_trips = measure.round_trips && matches!(ends, Ends::Tcp(_));
        let meter = FlowMeter::new(measure.delays, round_trips);
        let segment = match &self.described.traffic {
            Traffic::Tcp { profile, .. } => {
                Packet::new(Kind::Data, self.index as u32, 0, profile.segment_size)
                    .with_ecn(profile.ecn.codepoint())
                    .with_class(self.described.class)
            }
            Traffic::Datagrams { .. } => Packet::new(Kind::Datagram, self.index as u32, 0, 0),
        };
        let mut flow = Flow {
            wake_at: Nanos::NEVER,
            own_free_at: [Nanos::ZERO; 2],
            open: false,
            class: self.described.class,
            ends,
            meter,
            counted: Counted::default(),
            rare: None,
            odd: false,
            plain: false,
            noted: false,
            lingers: self.described.overhead.0 > 0,
            segment: Form::of(segment),
        };
        if flow.lingers {
            flow.rare().overhead = Some(Overhead {
                most: self.described.overhead,
                last: Nanos::ZERO,
                random: self.stream(Purpose::Overhead),
            });
        }
        flow
    }

    fn start(&self) -> Nanos {
        self.described.start.draw(&mut self.stream(Purpose::Start))
    }

    fn ends(&self, profiles: &mut Profiles) -> Ends {
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
                    schedule: Schedule::new(*size, *rate, *pattern, random),
                })
            }
            Traffic::Tcp {
                profile,
                application,
            } => {
                let connection = Connection {
                    sender: Sender::new(profile, self.start()),
                    receiver: Receiver::new(0),
                    profile: profiles.index_of(profile),
                    passive: self.passive,
                    in_turn: false,
                    session: None,
                };
                self.with_application(connection, application)
            }
        }
    }

    fn with_application(&self, mut connection: Connection, application: &Application) -> Ends {
        let random = self.stream(Purpose::Application);
        match application {
            Application::Bulk => Ends::Tcp(connection),
            Application::Arrivals { every, at_most, .. } => {
                let mut template = self.around(Ends::Tcp(connection));
                template.open = true;
                Ends::Spawner(Box::new(Spawner {
                    every: *every,
                    application: application.clone(),
                    at_most: *at_most,
                    next_at: Nanos::NEVER,
                    random,
                    template,
                    made: Vec::new(),
                    spare: Vec::new(),
                    left_out: 0,
                }))
            }
            _ => {
                let session = Session::new(application.clone(), random, self.index as u32);
                connection.session = Some(Box::new(session));
                Ends::Tcp(connection)
            }
        }
    }
}

/// Everything about a flow that can be wrong by itself.
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
    if described.class > 7 {
        return wrong(format!("class {}; classes are 0 to 7", described.class));
    }
    match &described.traffic {
        Traffic::Tcp {
            profile,
            application,
        } => {
            profile
                .validate()
                .map_err(|problem| RunError::Profile { flow, problem })?;
            application_problem(application).map_or(Ok(()), wrong)
        }
        Traffic::Datagrams {
            size,
            rate,
            pattern,
            ..
        } => {
            let stops = described
                .steps
                .iter()
                .any(|(_, s)| matches!(s, Step::Rate(r) if r.0 == 0));
            if !(1..=LARGEST).contains(&size.0) {
                return wrong(format!(
                    "datagrams of {size}; they have 1 to {LARGEST} bytes"
                ));
            }
            if rate.0 == 0 || stops {
                return wrong("datagrams at 0 bps; a flow that sends nothing is stopped".into());
            }
            let Pattern::OnOff { on, off } = pattern else {
                return Ok(());
            };
            on.problem().or(off.problem()).map_or(Ok(()), wrong)
        }
    }
}

/// The largest packet, in bytes: what the length field of IPv4 holds.
const LARGEST: u64 = 65_535;

fn application_problem(application: &Application) -> Option<String> {
    let both = |size: &Spread<_>, time: &Spread<_>| size.problem().or(time.problem());
    match application {
        Application::Bulk | Application::Transfer(_) => None,
        Application::Web { size, pause } => both(size, pause),
        Application::Pages {
            request,
            size,
            pause,
        } => match request {
            Bytes(0) => Some("requests of 0 bytes; at least 1".into()),
            _ => both(size, pause),
        },
        Application::Arrivals {
            every,
            size,
            at_most,
        } => match (every.mean, at_most) {
            (Nanos::ZERO, _) => Some("transfers every 0 s; the mean must be above zero".into()),
            (_, 0) => Some("at most 0 transfers at once; at least 1".into()),
            _ => both(size, every),
        },
        Application::Requests {
            request,
            response,
            think,
        } => {
            if !(1..=LARGEST).contains(&request.0) {
                return Some(format!(
                    "requests of {request}; they have 1 to {LARGEST} bytes"
                ));
            }
            both(response, think)
        }
    }
}
