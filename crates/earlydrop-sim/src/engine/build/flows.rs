//! Flows, made ready.

use std::collections::HashMap;
use std::sync::Arc;

use earlydrop::units::Nanos;

use super::super::flow::{Connection, Datagrams, Ends, Flow, Overhead};
use super::super::order::{find_ways, lay_out};
use super::super::session::{Session, Spawner};
use super::super::{Hop, Simulation};
use super::{Purpose, stream};
use crate::measure::FlowMeter;
use crate::network::Network;
use crate::run::{Run, RunError};
use crate::spread::Spread;
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
pub(super) fn add(simulation: &mut Simulation, run: &Run, places: &[Hop]) -> Result<(), RunError> {
    for (index, flow) in run.flows.iter().enumerate() {
        check(&run.network, run.duration, index, flow)?;
    }
    let ways = find_ways(&run.network, &run.flows).map_err(|flow| RunError::NoRoute {
        flow,
        from: run.network.name(run.flows[flow].from).to_string(),
        to: run.network.name(run.flows[flow].to).to_string(),
    })?;
    let (hops, begins) = lay_out(&run.network, places, &run.flows, &ways);
    simulation.hops = hops;
    let mut profiles = Profiles::default();
    for (index, described) in run.flows.iter().enumerate() {
        let maker = Maker {
            run,
            index,
            described,
            ahead: ways[index].receives_ahead,
            begins: begins[index],
        };
        simulation.flows.push(maker.flow(&mut profiles));
    }
    simulation.profiles = profiles.profiles;
    for index in 0..run.flows.len() {
        simulation.first_wake(index as u32);
    }
    Ok(())
}

/// Makes one flow.
struct Maker<'a> {
    run: &'a Run,
    index: usize,
    described: &'a traffic::Flow,
    ahead: bool,
    begins: (u32, u32),
}

impl Maker<'_> {
    fn stream(&self, purpose: Purpose) -> earlydrop::random::Pcg32 {
        stream(self.run.seed, purpose, self.index as u64)
    }

    fn flow(&self, profiles: &mut Profiles) -> Flow {
        let ends = self.ends(profiles);
        let mut flow = self.around(ends);
        let mut steps = self.described.steps.clone();
        steps.push((self.start(), Step::Resume));
        steps.sort_by_key(|(at, _)| *at);
        flow.rare().steps = steps.into();
        flow
    }

    /// A flow with these ends and nothing to come.
    fn around(&self, ends: Ends) -> Flow {
        let mut flow = Flow {
            forward: self.begins.0,
            backward: self.begins.1,
            wake_at: Nanos::NEVER,
            open: false,
            class: self.described.class,
            ends,
            meter: FlowMeter::default(),
            rare: None,
        };
        if self.run.measure.delays {
            flow.meter.delays = Some(Box::default());
        }
        if self.described.overhead.0 > 0 {
            flow.rare().overhead = Some(Overhead {
                most: self.described.overhead,
                last: Nanos::ZERO,
                random: self.stream(Purpose::Overhead),
            });
        }
        flow
    }

    fn start(&self) -> Nanos {
        match self.described.start {
            Start::At(at) => at,
            Start::Between(from, to) => {
                let share = self.stream(Purpose::Start).uniform();
                from + Nanos((share * to.since(from).0 as f64) as u64)
            }
        }
    }

    fn ends(&self, profiles: &mut Profiles) -> Ends {
        match &self.described.traffic {
            Traffic::Datagrams {
                size,
                rate,
                pattern,
                ecn,
            } => {
                let mut source = Datagrams {
                    size: size.0 as u32,
                    ecn: *ecn,
                    interval: Nanos::ZERO,
                    next_at: Nanos::NEVER,
                    number: 0,
                    left: 0,
                    pattern: *pattern,
                    random: self.stream(Purpose::Application),
                };
                source.set_rate(*rate);
                Ends::Datagrams(source)
            }
            Traffic::Tcp {
                profile,
                application,
            } => {
                let connection = Connection {
                    sender: Sender::new(profile, Nanos::ZERO),
                    receiver: Receiver::new(0),
                    profile: profiles.index_of(profile),
                    first: 0,
                    end: u32::MAX,
                    last_size: profile.segment_size,
                    receives_ahead: self.ahead,
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
                connection.end = 0;
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
                connection.end = 0;
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
