//! A scenario: what is simulated under which schemes, read from a file and checked.

mod fields;
mod flows;
mod network;
mod schemes;
mod tcp;

use fields::MOST_FLOWS;
pub use fields::SCENARIO;
pub use flows::Group;
pub use schemes::Scheme;

use earlydrop::registry;
use earlydrop::units::{Bytes, Nanos};
use earlydrop_sim::measure::Measure;
use earlydrop_sim::network::{Link, LinkId, Node as Host};
use earlydrop_sim::traffic::{FlowId, Traffic};
use earlydrop_sim::{Run, RunError, Simulation};

use crate::document::{Entries, Node, Place, Problem, suggestion};
use network::{Built, EndsProblem};

pub(crate) use network::Traces;
pub(crate) use schemes::normalised;

/// A scenario at one point of its sweep, every value checked.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What it is called.
    pub title: String,
    /// What it is about.
    pub about: String,
    /// How long each run lasts.
    pub duration: Nanos,
    /// How much of its beginning is left out.
    pub warm_up: Nanos,
    /// What is compared.
    pub schemes: Vec<Scheme>,
    /// Groups of flows.
    pub groups: Vec<Group>,
    /// Links and ways.
    pub network: network::Plan,
    /// What is measured.
    pub measure: Measured,
}

/// What is measured.
#[derive(Clone, Debug)]
pub struct Measured {
    delays: bool,
    round_trips: bool,
    sojourn: bool,
    /// From one sample to the next.
    pub sample: Nanos,
    /// Which runs keep their samples.
    pub series: Keep,
    arrivals: bool,
    windows: u32,
    loss_event: Nanos,
    /// Transfers that take less are in time.
    deadline: Nanos,
}

/// Which runs keep their samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Those of the first seed.
    First,
    /// All.
    All,
    /// None.
    None,
}

/// Up to so many flows, packet delays are measured unless the file says otherwise: each
/// takes 20 KB.
const FLOWS_WITH_DELAYS: u64 = 1000;
/// More samples than this take gigabytes.
const MOST_SAMPLES: u64 = 1_000_000;

/// Reads a scenario from a tree whose schemes are a table and which has neither seeds nor
/// sweep any more.
pub(crate) fn read(tree: &Node, traces: &Traces<'_>) -> Result<Scenario, Vec<Problem>> {
    let mut problems = Vec::new();
    let entries = Entries::read(tree, &SCENARIO, &mut problems);
    let duration = entries.time("duration");
    let warm_up = entries
        .time_or_auto("warm_up")
        .unwrap_or(Nanos(duration.0 / 5));
    if warm_up >= duration {
        let message = format!("`warm_up` = \"{warm_up}\" leaves nothing of a run of {duration}");
        let help = "nearest: a warm_up below the duration, or a longer duration";
        problems.push(Problem::new(entries.place_of("warm_up"), message, help));
    }
    let network = network::read(&entries.table("network"), traces, duration, &mut problems);
    let groups = read_groups(&entries, duration, &mut problems);
    let buffer = network.buffer.as_ref();
    let schemes = schemes::read(
        entries.open("schemes").unwrap_or(tree),
        entries.open("parameters"),
        buffer.map(|(limit, place)| (limit.as_str(), place)),
        &mut problems,
    );
    let measure = entries.table("measure");
    let measure = read_measure(&measure, &network, &groups, duration, &mut problems);
    let scenario = Scenario {
        title: entries.text("title"),
        about: entries.text("about"),
        duration,
        warm_up,
        schemes,
        groups,
        network,
        measure,
    };
    if problems.is_empty() {
        scenario.check(&mut problems);
    }
    if problems.is_empty() {
        Ok(scenario)
    } else {
        Err(problems)
    }
}

fn read_groups(entries: &Entries, duration: Nanos, problems: &mut Vec<Problem>) -> Vec<Group> {
    let tcp = entries.table("tcp");
    let around = flows::Surroundings {
        tcp: &tcp,
        duration,
    };
    let named = entries.named("flows");
    if named.is_empty() {
        let message = "a scenario without flows";
        let help = "allowed: at least one group, such as [flows.bulk]";
        problems.push(Problem::new(entries.place_of("flows"), message, help));
    }
    let read = |(key, group): &(_, _)| flows::read(key, group, &around, problems);
    let groups: Vec<Group> = named.iter().map(read).collect();
    if count(&groups) > MOST_FLOWS {
        let message = format!("{} flows, all groups together", count(&groups));
        let help = format!("at most {MOST_FLOWS}");
        problems.push(Problem::new(entries.place_of("flows"), message, help));
    }
    groups
}

/// How many flows there are.
fn count(groups: &[Group]) -> u64 {
    groups.iter().map(|group| u64::from(group.count)).sum()
}

fn read_measure(
    entries: &Entries,
    network: &network::Plan,
    groups: &[Group],
    duration: Nanos,
    problems: &mut Vec<Problem>,
) -> Measured {
    let flows = count(groups);
    let delays = entries.flag_or_auto("delays");
    let sample = entries.time_or_auto("sample");
    let sample = sample.unwrap_or(Nanos((duration.0 / 600).max(1)));
    if sample > duration || duration.0 / sample.0.max(1) > MOST_SAMPLES {
        let least = Nanos(duration.0 / MOST_SAMPLES);
        let message = format!("samples every {sample} of a run of {duration}");
        let help = format!("allowed: from {least} to {duration}");
        problems.push(Problem::new(entries.place_of("sample"), message, help));
    }
    Measured {
        delays: delays.unwrap_or(flows <= FLOWS_WITH_DELAYS),
        round_trips: entries.flag("round_trips"),
        sojourn: entries.flag("sojourn"),
        sample,
        series: match entries.choice("series") {
            "all" => Keep::All,
            "none" => Keep::None,
            _ => Keep::First,
        },
        arrivals: entries.flag("arrivals"),
        windows: entries.count("windows"),
        loss_event: entries.time_or_auto("loss_event").unwrap_or(network.rtt),
        deadline: entries.time("deadline"),
    }
}

impl Scenario {
    /// The largest packet of any group.
    pub fn packet(&self) -> Bytes {
        let packets = self.groups.iter().map(Group::packet);
        packets.max().unwrap_or(Bytes(1500))
    }

    /// The link whose queue is the scheme's, as the registry wants it.
    pub fn link(&self) -> Option<registry::Link> {
        self.network.scheme_links(self.packet()).into_iter().next()
    }

    /// The shortest round trip of any group.
    fn shortest(&self) -> Nanos {
        let rtts = self
            .groups
            .iter()
            .map(|group| group.rtt.unwrap_or(self.network.rtt));
        rtts.min().unwrap_or(self.network.rtt)
    }

    /// What only shows once everything is known: schemes before their links, ways between
    /// ends.
    fn check(&self, problems: &mut Vec<Problem>) {
        let packet = self.packet();
        self.network.check(packet, problems);
        for scheme in &self.schemes {
            for link in self.network.scheme_links(packet) {
                let before = problems.len();
                scheme.check(&link, problems);
                if problems.len() > before {
                    break;
                }
            }
        }
        if problems.is_empty()
            && let Some(scheme) = self.schemes.first()
        {
            let started = self.run(scheme, 1, false).and_then(|prepared| {
                let run = prepared.run.start();
                run.map_err(|error| self.blame(&error))
            });
            problems.extend(started.err());
        }
    }

    /// The place to blame for what the simulator refuses.
    fn blame(&self, error: &RunError) -> Problem {
        let (RunError::NoRoute { flow, .. }
        | RunError::Profile { flow, .. }
        | RunError::Flow { flow, .. }) = error
        else {
            return Problem::new(&Place::default(), error.to_string(), "");
        };
        let mut first = 0;
        let mut groups = self.groups.iter();
        let group = groups.find(|group| {
            first += group.count as usize;
            *flow < first
        });
        let group = group.map(|group| &*group.name);
        self.blame_on(group, &Place::default(), &error.to_string(), "")
    }

    /// A problem of a group of flows, or of something else at this place.
    fn blame_on(&self, group: Option<&str>, place: &Place, message: &str, help: &str) -> Problem {
        let mut groups = self.groups.iter();
        match group.and_then(|name| groups.find(|group| &*group.name == name)) {
            Some(group) => {
                let message = format!("flows `{}`: {message}", group.name);
                Problem::new(&group.places.group, message, help)
            }
            None => Problem::new(place, message, help),
        }
    }

    /// What real hosts refuse: because of a group of flows, or of the network.
    pub fn refused(&self, group: Option<&str>, message: &str, help: &str) -> Problem {
        self.blame_on(group, &self.network.place, message, help)
    }

    /// The simulator's run of a scheme with a seed.
    pub fn run(&self, scheme: &Scheme, seed: u64, series: bool) -> Result<Prepared, Problem> {
        let packet = self.packet();
        let mut built = self.network.build(&scheme.spec, self.shortest(), packet)?;
        let mut flows = Vec::new();
        let overhead = built
            .rate
            .transmission_time(packet)
            .min(Nanos::from_millis(10));
        for group in &self.groups {
            for _ in 0..group.count {
                let (from, to) = self.hosts(group, &mut built)?;
                flows.push(group.flow(from, to, overhead));
            }
        }
        let watched = built.watched;
        let mut run = Run::new(built.network, self.duration).seed(seed);
        run.flows = flows;
        run.measure = self.measures(&run, series);
        let deadline = self.measure.deadline;
        Ok(Prepared {
            run,
            watched,
            deadline,
        })
    }

    /// A host on each side for one flow of `group`; in a graph, the nodes themselves
    /// unless hosts have links of their own.
    fn hosts(&self, group: &Group, built: &mut Built) -> Result<(Host, Host), Problem> {
        let rtt = group.rtt.unwrap_or(self.network.rtt);
        let ends = built
            .ends(&group.from, &group.to, rtt)
            .map_err(|problem| ends_problem(group, rtt, problem))?;
        let own_link = group.access.is_some() || self.network.has_access();
        if self.network.is_graph() && group.rtt.is_some() {
            let message = "in a graph, the round trip is what its links take";
            let help = "leave `rtt` out, and give the links their delays";
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

    fn measures(&self, run: &Run, series: bool) -> Measure {
        let mut windows = Vec::new();
        if series {
            for group in &self.groups {
                let of_group = run.flows.iter().enumerate().filter(|(_, flow)| {
                    flow.group == group.name && matches!(flow.traffic, Traffic::Tcp { .. })
                });
                let ids = of_group.map(|(index, _)| FlowId(index as u32));
                windows.extend(ids.take(self.measure.windows as usize));
            }
        }
        Measure {
            warm_up: self.warm_up,
            delays: self.measure.delays,
            round_trips: self.measure.round_trips,
            sojourn: self.measure.sojourn,
            sample_every: series.then_some(self.measure.sample),
            arrivals_every: (series && self.measure.arrivals).then_some(self.measure.sample),
            windows,
            loss_event: Some(self.measure.loss_event),
            captures: Vec::new(),
        }
    }
}

/// A run that is ready, and the link whose queue is in the summary.
pub struct Prepared {
    /// The run.
    pub run: Run,
    /// The link watched.
    pub watched: LinkId,
    /// Transfers that take less are in time.
    pub deadline: Nanos,
}

impl Prepared {
    /// Checks everything and gets ready, at time zero.
    pub fn start(&self) -> Result<Simulation, Problem> {
        let started = self.run.start();
        started.map_err(|error| Problem::new(&Place::default(), error.to_string(), ""))
    }
}

fn ends_problem(group: &Group, rtt: Nanos, problem: EndsProblem) -> Problem {
    match problem {
        EndsProblem::Unknown {
            is_from,
            name,
            known,
        } => {
            let (end, place) = if is_from {
                ("from", &group.places.from)
            } else {
                ("to", &group.places.to)
            };
            let message = format!(
                "flows `{}`: no place is called {end} = \"{name}\"",
                group.name
            );
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
            Problem::new(&group.places.to, message, "give `from` and `to` two places")
        }
        EndsProblem::TooShort { least } => {
            let message = format!(
                "flows `{}`: a round trip of {rtt} is shorter than the {least} that the bottlenecks take",
                group.name
            );
            let help = format!("nearest: rtt = \"{least}\", or a shorter network.delay");
            Problem::new(&group.places.rtt, message, help)
        }
    }
}
