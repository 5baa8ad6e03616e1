//! From a run's description to an engine ready to start, and every check on the way.

mod flows;
mod wires;

use earlydrop::packet::FlowKey;
use earlydrop::queue::QueueDiscipline;
use earlydrop::registry::{Link as LinkFacts, Plan, Spec};
use earlydrop::schemes::AnyAqm;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use super::accounts::Accounts;
use super::event::Task;
use super::fifo::FifoPort;
use super::hop::{Hop, Ways};
use super::link::{Extras, Link};
use super::port::Port;
use super::{Simulation, Windows};
use crate::capture::Capture;
use crate::events::Events;
use crate::measure::{QueueMeter, Timing};
use crate::network::{Change, LinkId, Opportunities};
use crate::run::{Run, RunError};
use crate::streams::{Purpose, stream};

/// Checks `run` and makes it ready.
pub(crate) fn prepare(run: &Run) -> Result<Simulation, RunError> {
    check_measure(run)?;
    let mut simulation = Simulation {
        now: Nanos::ZERO,
        end: run.duration,
        events: Events::new(),
        wires: Vec::with_capacity(run.network.links().len()),
        makes: Vec::new(),
        fifos: Vec::new(),
        ports: Vec::new(),
        extras: Vec::new(),
        legs: Vec::new(),
        ways: Ways::default(),
        flows: Vec::new(),
        profiles: Vec::new(),
        changes: Vec::new(),
        accounts: Accounts::new(Timing {
            from: run.measure.warm_up,
            end: run.duration,
        }),
        completions: Vec::new(),
        windows: None,
        groups: run.flows.iter().map(|flow| flow.group.clone()).collect(),
        seed: run.seed,
    };
    let mut places = Vec::with_capacity(run.network.links().len());
    for (id, _, _, described) in run.network.links() {
        places.push(add_link(&mut simulation, run, id, described)?);
    }
    flows::add(&mut simulation, run, &places)?;
    set_up_changes(&mut simulation, run, &places);
    watch_windows(&mut simulation, run);
    Ok(simulation)
}

fn check_measure(run: &Run) -> Result<(), RunError> {
    let wrong = |problem: String| Err(RunError::Measure(problem));
    let measure = &run.measure;
    if measure.warm_up >= run.duration {
        let (warm_up, duration) = (measure.warm_up, run.duration);
        return wrong(format!(
            "a warm-up of {warm_up} leaves nothing to measure of a run of {duration}"
        ));
    }
    let intervals = [
        measure.sample_every,
        measure.arrivals_every,
        measure.loss_event,
    ];
    if intervals.contains(&Some(Nanos::ZERO)) {
        return wrong("an interval of no time; the least is 1 ns".to_string());
    }
    let links = run.network.links().len();
    if let Some(link) = measure.captures.iter().find(|l| l.0 as usize >= links) {
        return wrong(format!("a capture of link {} of {links}", link.0));
    }
    let flows = run.flows.len();
    match measure.windows.iter().find(|f| f.0 as usize >= flows) {
        Some(flow) => wrong(format!("the window of flow {} of {flows}", flow.0)),
        None => Ok(()),
    }
}

/// The queue of a link that must have one and was given none.
const PLAIN: &str = "droptail";

fn add_link(
    simulation: &mut Simulation,
    run: &Run,
    id: LinkId,
    described: &crate::network::Link,
) -> Result<(Hop, Option<Hop>), RunError> {
    let name = || run.network.link_name(id);
    let wrong = |problem: String| {
        let link = name();
        Err(RunError::Link { link, problem })
    };
    let refused = |problem| RunError::Queue {
        link: name(),
        problem: Box::new(problem),
    };
    let rate = described
        .trace
        .as_ref()
        .map_or(described.rate, |trace| trace.mean_rate());
    if rate.0 == 0 {
        return wrong("a rate of 0 bps; it must be above zero".to_string());
    }
    let shares = [described.loss, described.reorder.map_or(0.0, |r| r.share)];
    if let Some(share) = shares.iter().find(|share| !(0.0..=1.0).contains(*share)) {
        return wrong(format!(
            "a share of {share} of its packets; it must be in [0, 1]"
        ));
    }
    if described
        .changes
        .iter()
        .any(|(_, c)| *c == Change::Rate(BitsPerSec(0)))
    {
        return wrong("a change to 0 bps; a link that stops goes down".to_string());
    }
    let changing = !described.changes.is_empty() || described.trace.is_some();
    let delay = least_delay(described.delay, described.trace.is_some());
    let captured = run.measure.captures.contains(&id);
    let special = described.loss > 0.0 || described.reorder.is_some() || changing || captured;
    let mut extras = None;
    if special {
        extras = Some(simulation.extras.len() as u32);
        simulation.extras.push(Extras {
            delay,
            loss: described.loss,
            reorder: described.reorder,
            random: stream(run.seed, Purpose::Link, u64::from(id.0)),
            last_arrival: Nanos::ZERO,
            trace: described.trace.clone().map(Opportunities::new),
            capture: captured.then(|| Capture::new(id, name())),
        });
    }
    let link = Link::new(rate, delay);
    let spec = match &described.queue {
        Some(spec) => spec.clone(),
        None if changing => Spec::new(PLAIN).map_err(refused)?,
        None => {
            simulation.wires.push(link);
            let wire = Hop::Wire(simulation.wires.len() as u32 - 1);
            return Ok((wire, extras.map(Hop::Extras)));
        }
    };
    let facts = LinkFacts {
        rate,
        mean_packet: described.mean_packet,
    };
    let plan = spec.plan(&facts).map_err(refused)?;
    let seed = FlowKey(run.seed).hash(Purpose::Queue as u64) ^ u64::from(id.0);
    let meter = QueueMeter::new(&run.measure, run.duration);
    if let Plan::Single {
        aqm: AnyAqm::DropTail(_),
        limit,
    } = plan
        && limit.bytes == Bytes(u64::MAX)
        && !changing
    {
        let index = simulation.fifos.len() as u32;
        let fifo = FifoPort::new(id.0, name(), link, limit.packets, meter);
        simulation.fifos.push(fifo);
        return Ok((Hop::Fifo(index), extras.map(Hop::Extras)));
    }
    let mut queue = plan.queue(seed);
    // What is periodic counts from the first look, whoever takes it: so from here.
    QueueDiscipline::poll(&mut queue, Nanos::ZERO);
    simulation
        .ports
        .push(Port::new(id.0, name(), link, extras, queue, meter));
    let port = Hop::Port(simulation.ports.len() as u32 - 1);
    Ok((port, extras.map(Hop::Extras)))
}

/// What leaves a recorded link at one moment must not arrive at that moment: it would
/// overtake what is waiting for its turn then.
fn least_delay(delay: Nanos, recorded: bool) -> Nanos {
    delay.max(Nanos(u64::from(recorded)))
}

fn set_up_changes(simulation: &mut Simulation, run: &Run, places: &[(Hop, Option<Hop>)]) {
    for (id, _, _, described) in run.network.links() {
        let mut changes = described.changes.clone();
        changes.sort_by_key(|(at, _)| *at);
        for (at, mut change) in changes {
            if let Change::Delay(delay) = &mut change {
                *delay = least_delay(*delay, described.trace.is_some());
            }
            let index = simulation.changes.len() as u32;
            if let (Hop::Port(port), _) = places[id.0 as usize] {
                simulation.changes.push((port, change));
                simulation.events.push(at, Task::Change(index).event());
            }
        }
    }
}

fn watch_windows(simulation: &mut Simulation, run: &Run) {
    if let Some(interval) = run.measure.sample_every
        && !run.measure.windows.is_empty()
    {
        let watched = run.measure.windows.iter();
        simulation.windows = Some(Windows {
            interval,
            flows: watched.map(|flow| (flow.0, Vec::new())).collect(),
        });
        simulation.events.push(Nanos::ZERO, Task::Sample.event());
    }
}
