//! From a run's description to an engine at time zero, with every check on the way.

mod access;
mod flows;
mod incast;
mod line_rates;
mod listed;
mod pauses;
mod routes;
mod sprays;

use earlydrop::packet::FlowKey;
use earlydrop::queue::{AnyQueue, Limit, QueueDiscipline};
use earlydrop::registry::{ConfigError, Plan};
use earlydrop::schemes::AnyAqm;
use earlydrop::schemes::droptail::DropTail;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use self::routes::LinkStages;
use super::Simulation;
use super::accounts::Accounts;
use super::event::{Scheduler, Task};
use super::fifo::FifoPort;
use super::flows::{CwndSamples, Flows};
use super::impairments::Impairments;
use super::links::Links;
use super::port::Port;
use super::route::{RouteTable, Stage};
use super::shared_buffer::SharedBuffer;
use crate::capture::Capture;
use crate::link::{QueuedLink, Transmitter, Wire};
use crate::measure::{Groups, QueueMeter, Timing};
use crate::network::{Change, DelayTrace, Link, LinkId, MAX_CHANGES};
use crate::packet::{LONGEST_STAMP, Packet};
use crate::packet_log::PacketLog;
use crate::prefetch::use_huge_pages;
use crate::results::Results;
use crate::run::{Run, RunError};
use crate::streams::{Purpose, stream};

impl Run {
    /// Checks the run and returns its simulation at time zero.
    pub fn start(&self) -> Result<Simulation, RunError> {
        prepare(self, Plan::into_queue)
    }

    /// Checks the run. The queues, which may take most of its memory and of the time to start it,
    /// are planned and not built.
    pub fn check(&self) -> Result<(), RunError> {
        let nothing = Plan::single(AnyAqm::DropTail(DropTail), Limit::packets(0));
        prepare(self, |_, seed| nothing.queue(seed)).map(|_| ())
    }

    /// Runs the simulation from beginning to end.
    pub fn results(&self) -> Result<Results, RunError> {
        Ok(self.start()?.finish())
    }
}

fn prepare(
    run: &Run,
    queue_of: impl Fn(Plan, u64) -> AnyQueue<Packet>,
) -> Result<Simulation, RunError> {
    check_measure(run)?;
    let mut simulation = Simulation {
        scheduler: Scheduler::new(run.duration),
        links: Links {
            wires: Vec::with_capacity(run.network.links().len()),
            ..Links::default()
        },
        routes: RouteTable::default(),
        flows: Flows {
            flows: Vec::new(),
            access: Vec::new(),
            profiles: Vec::new(),
            may_be_fast: !run.network.changes_routes()
                && !run.network.links().any(|(.., l)| l.is_nic),
            barriers: Vec::new(),
            completions: Vec::new(),
            rounds: Vec::new(),
            cwnd_samples: None,
            groups: run.flows.iter().map(|flow| flow.group.clone()).collect(),
            seed: run.seed,
        },
        accounts: Accounts::new(Timing::new(run.measure.warm_up, run.duration)),
        goes_on_for: run.measure.drain,
    };
    simulation.accounts.periods = run.network.periods().begins;
    let (changes, duration) = (simulation.accounts.periods.count() - 1, run.duration);
    if changes > MAX_CHANGES || (changes > 0 && duration > LONGEST_STAMP) {
        return Err(RunError::Reroutes { changes, duration });
    }
    let mut links = Vec::with_capacity(run.network.links().len());
    for (id, _, _, described) in run.network.links() {
        let checked = check_link(described).and_then(|()| check_scheme_changes(described));
        checked.map_err(|problem| RunError::Link {
            link: run.network.link_name(id),
            problem,
        })?;
        let stages = add_link(&mut simulation, run, (id, described), &queue_of);
        links.push(stages.map_err(|problem| RunError::Queue {
            link: run.network.link_name(id),
            problem: Box::new(problem),
        })?);
    }
    share_buffers(&mut simulation, run, &links)?;
    pauses::add(&mut simulation, run, &links)?;
    flows::add(&mut simulation, run, &links)?;
    if !run.network.pauses().is_empty() {
        simulation.routes.find_upstream();
    }
    if run.measure.arrivals_every.is_some() || run.measure.departures_every.is_some() {
        simulation.accounts.groups = Groups::of_flows(&simulation.flows.groups);
    }
    schedule_changes(&mut simulation, run, &links);
    sample_cwnd(&mut simulation, run);
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
        measure.departures_every,
        measure.loss_event,
    ];
    if intervals.contains(&Some(Nanos::ZERO)) {
        return wrong("an interval of no time; the least is 1 ns".to_string());
    }
    let links = run.network.links().len();
    if let Some(link) = measure
        .captures
        .iter()
        .chain(&measure.packets)
        .find(|l| l.0 as usize >= links)
    {
        return wrong(format!("a capture of link {} of {links}", link.0));
    }
    let flows = run.flows.len();
    match measure.windows.iter().find(|f| f.0 as usize >= flows) {
        Some(flow) => wrong(format!("the window of flow {} of {flows}", flow.0)),
        None => Ok(()),
    }
}

/// Checks everything about a link but its queue.
fn check_link(described: &Link) -> Result<(), String> {
    if described.mean_rate().0 == 0 {
        return Err("a rate of 0 bps; it must be above zero".to_string());
    }
    let shares = [described.loss, described.reorder.map_or(0.0, |r| r.share)];
    if let Some(share) = shares.iter().find(|share| !(0.0..=1.0).contains(*share)) {
        return Err(format!(
            "a share of {share} of its packets; it must be in [0, 1]"
        ));
    }
    if described.is_nic && described.queue.is_some() {
        return Err("a queue of its own, although it is a network card".to_string());
    }
    if described.has_opportunities() && described.trace.is_some() {
        return Err("both a trace and aggregates or slots".to_string());
    }
    let packets = described.aggregation.map(|aggregate| aggregate.packets);
    if packets == Some(0) || described.slot == Some(Nanos::ZERO) {
        return Err("aggregates of no packet, or slots of no time".to_string());
    }
    let is_delay = |(_, change): &(Nanos, Change)| matches!(change, Change::Delay(_));
    if described.delay_trace.is_some() && described.changes.iter().any(is_delay) {
        return Err("both a recorded delay and changes of its delay".to_string());
    }
    let stops = |change: &Change| matches!(change, Change::Rate(BitsPerSec(0)));
    if described.changes.iter().any(|(_, change)| stops(change)) {
        return Err("a change to 0 bps; a link that stops goes down".to_string());
    }
    Ok(())
}

/// Checks that the queue of a link can take the schemes that it changes to.
fn check_scheme_changes(described: &Link) -> Result<(), String> {
    let mut plans: Vec<(Nanos, &Plan)> = Vec::new();
    for (at, change) in &described.changes {
        if let Change::Scheme(plan) = change {
            plans.push((*at, plan));
        }
    }
    plans.sort_by_key(|(at, _)| *at);
    let spec = described.queue.as_ref().filter(|_| !plans.is_empty());
    // A queue that cannot be planned is reported where it is built.
    let Some(Ok(plan)) = spec.map(|spec| spec.plan(&described.facts())) else {
        return Ok(());
    };
    let mut queue = plan.growing().into_queue::<Packet>(0);
    for (at, plan) in plans {
        let changed = queue.change(at, plan);
        changed.map_err(|problem| format!("the change at {at}: {problem}"))?;
    }
    Ok(())
}

fn add_link(
    simulation: &mut Simulation,
    run: &Run,
    (id, described): (LinkId, &Link),
    queue_of: &impl Fn(Plan, u64) -> AnyQueue<Packet>,
) -> Result<LinkStages, ConfigError> {
    let changing = described.changes_or_waits();
    let (rate, delay) = (described.mean_rate(), least_delay(described));
    let impairments = add_impairments(simulation, run, id, described);
    let stages = |stage| Ok((stage, impairments.map(Stage::Impairments)));
    let Some(spec) = described.queue_in_front() else {
        simulation.links.wires.push(Transmitter::new(rate, delay));
        return stages(Stage::Wire(simulation.links.wires.len() as u32 - 1));
    };
    let plan = spec.plan(&described.facts())?;
    let name = run.network.link_name(id);
    let is_logged = run.measure.packets.contains(&id);
    let meter = QueueMeter::new(&run.measure, id, run.duration);
    if let Plan::Single {
        aqm: AnyAqm::DropTail(_),
        limit,
    } = plan
        && limit.bytes == Bytes(u64::MAX)
        && !changing
        && !is_logged
        && !described.steered
        && !described.is_nic
        && !run.network.shares_buffer(id)
        && !run.network.takes_part_in_pauses(id)
    {
        let link = Transmitter::new(rate, delay);
        let fifo = FifoPort::new(id.0, name, link, limit.packets, meter);
        push_reserved(&mut simulation.links.fifos, run, fifo);
        return stages(Stage::Fifo(simulation.links.fifos.len() as u32 - 1));
    }
    let seed = FlowKey(run.seed).hash(Purpose::Queue as u64) ^ u64::from(id.0);
    let mut queue = queue_of(plan.growing(), seed);
    // Periodic updates count from the first poll: from time zero.
    QueueDiscipline::poll(&mut queue, Nanos::ZERO);
    let mut link = QueuedLink::new(queue, rate, delay, described.trace.clone());
    if described.has_opportunities() {
        link = link.with_opportunities(described.aggregation, described.slot);
    }
    let log = is_logged.then(|| Box::new(PacketLog::new(id, name.clone())));
    let mut port = Port::new(id.0, name, impairments, link, meter);
    port.log = log;
    port.steering = described.steered.then(Box::default);
    if described.is_nic {
        port.is_nic = true;
        // Senders wait for each departure.
        port.slack = Nanos::ZERO;
    }
    push_reserved(&mut simulation.links.ports, run, port);
    stages(Stage::Port(simulation.links.ports.len() as u32 - 1))
}

/// Adds the queue of a link to others of its kind. The first makes room for one at each link with a
/// queue, so that none moves.
fn push_reserved<Q>(queues: &mut Vec<Q>, run: &Run, queue: Q) {
    if queues.is_empty() {
        let links = run.network.links().map(|(_, _, _, link)| link);
        let queued = links.filter(|link| link.has_queue()).count();
        queues.reserve_exact(queued.max(1));
        use_huge_pages(queues);
    }
    queues.push(queue);
}

/// Adds the impairments of a link that needs them; returns their index.
fn add_impairments(
    simulation: &mut Simulation,
    run: &Run,
    id: LinkId,
    described: &Link,
) -> Option<u32> {
    let changing = !described.changes.is_empty() || described.trace.is_some();
    let captured = run.measure.captures.contains(&id);
    let delayed = described.delay_trace.is_some();
    let loses = described.loss > 0.0 || !described.cuts.is_empty();
    if !(loses || described.reorder.is_some() || changing || captured || delayed) {
        return None;
    }
    simulation.links.impairments.push(Impairments {
        delay: least_delay(described),
        delay_trace: described.delay_trace.clone(),
        loss: described.loss,
        cuts: described.cuts.clone(),
        wire: Wire::new(described.reorder),
        random: stream(run.seed, Purpose::Link, u64::from(id.0)),
        capture: captured.then(|| Capture::new(id, run.network.link_name(id))),
    });
    Some(simulation.links.impairments.len() as u32 - 1)
}

/// A link's propagation delay, at least 1 ns if it follows a trace: a packet that leaves and
/// arrives in the same nanosecond would overtake those that wait for their events then.
///
/// Of a recorded delay it is the smallest: the rest is added where a packet leaves.
fn least_delay(described: &Link) -> Nanos {
    let recorded = described.delay_trace.as_ref();
    at_least(
        recorded.map_or(described.delay, DelayTrace::least),
        described,
    )
}

fn at_least(delay: Nanos, described: &Link) -> Nanos {
    delay.max(Nanos(u64::from(described.trace.is_some())))
}

/// Joins the ports of each node whose queues share a buffer.
fn share_buffers(
    simulation: &mut Simulation,
    run: &Run,
    links: &[LinkStages],
) -> Result<(), RunError> {
    for (number, (node, limits)) in run.network.shared_buffers().iter().enumerate() {
        let name = || run.network.name(*node).to_string();
        if limits.size.0 == 0 || !(limits.alpha > 0.0 && limits.alpha.is_finite()) {
            let (size, alpha) = (limits.size, limits.alpha);
            return Err(RunError::SharedBuffer {
                node: name(),
                problem: format!("{size} with alpha {alpha}; both must be above zero"),
            });
        }
        let mut buffer = SharedBuffer::new(*limits);
        for (id, from, ..) in run.network.links() {
            // A link without a queue takes no part, though it may be a port: steered, say.
            if from == *node
                && run.network.shares_buffer(id)
                && let (Stage::Port(port), _) = links[id.0 as usize]
            {
                let shared = &mut simulation.links.ports[port as usize].shared;
                *shared = Some(buffer.add(number as u32, port));
            }
        }
        simulation.links.buffers.push(buffer);
    }
    Ok(())
}

fn schedule_changes(simulation: &mut Simulation, run: &Run, links: &[LinkStages]) {
    for (id, _, _, described) in run.network.links() {
        let mut changes = described.changes.clone();
        changes.sort_by_key(|(at, _)| *at);
        for (at, mut change) in changes {
            if let Change::Delay(delay) = &mut change {
                *delay = at_least(*delay, described);
            }
            let index = simulation.links.changes.len() as u32;
            if let (Stage::Port(port), _) = links[id.0 as usize] {
                simulation.links.changes.push((port, change));
                simulation.scheduler.schedule(at, Task::Change(index));
            }
        }
    }
}

/// Schedules the sampling of congestion windows, if it is asked for.
fn sample_cwnd(simulation: &mut Simulation, run: &Run) {
    if let Some(interval) = run.measure.sample_every
        && !run.measure.windows.is_empty()
    {
        let sampled = run.measure.windows.iter();
        simulation.flows.cwnd_samples = Some(CwndSamples {
            interval,
            flows: sampled.map(|flow| (flow.0, Vec::new())).collect(),
        });
        simulation.scheduler.schedule(Nanos::ZERO, Task::Sample);
    }
}
