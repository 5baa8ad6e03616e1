//! The closed loop: the queue of batches, fed by what TCP sends at the loss that comes of it.
//!
//! At an average queue q the round trip is `RTT + q/mu`. Each of N flows sends batches of its
//! window once a round trip while it is not waiting for its timer; the scheme takes out what
//! it drops early at q, the rest comes to a queue M^x/M/1/K. Loss is an output: inside, the
//! overflow is what makes the flows send what overflows so much; outside, q is the mean
//! queue that comes of q.

use crate::balance::{Prediction, prediction_at};
use crate::batch::Batch;
use crate::queue::{Acceptance, BatchQueue, Bin, Solution, Solver};
use crate::solve::falling_root;
use crate::tcp::SteadyState;
use crate::{Gateway, Load, ModelError, SignalRate};

/// The deviation of a window over its mean: paper 003's windows have a mean of 4 and a
/// variance of 4.
const DEVIATION: f64 = 0.5;

/// Windows larger than this are counted in parcels, so that they are about this many.
const FINEST: f64 = 40.0;

/// The closed loop at rest.
#[derive(Clone, Debug)]
pub struct ClosedLoop {
    /// What to expect.
    pub expected: Prediction,
    /// rho: packets let into the queue over packets that could be sent.
    pub load: f64,
    /// dE/drho: by how many packets the mean queue rises a unit of load, were the flows not to
    /// react.
    pub sensitivity: f64,
    solution: Solution,
    /// Packets that count as one in the solution.
    parcel: f64,
}

/// The inner solution: flows and queue at one average queue and one early drop rate.
struct Inner {
    told: SignalRate,
    flow: SteadyState,
    queue: BatchQueue,
    parcel: f64,
}

/// The closed loop of `gateway` under `load`.
pub fn closed_loop(load: &Load, gateway: &Gateway) -> Result<ClosedLoop, ModelError> {
    load.check()?;
    let mut gateway = gateway.clone();
    loop {
        let found = equilibrium(load, &gateway)?;
        match gateway.after_doubling(found.expected.queue) {
            Some(stronger) => gateway = stronger,
            None => return Ok(found),
        }
    }
}

fn equilibrium(load: &Load, gateway: &Gateway) -> Result<ClosedLoop, ModelError> {
    let excess = |queue: f64, early: f64| mean_queue(load, gateway, queue, early) - queue;
    let told = |queue: f64| {
        gateway
            .signal_probability(queue, load.flows)
            .min(1.0 - 1e-9)
    };
    let queue = falling_root(0.0, gateway.buffer(), |queue| excess(queue, told(queue)));
    // Where the scheme jumps, it tells of as much as holds the queue there.
    let (below, above) = (queue * (1.0 - 1e-9), queue * (1.0 + 1e-9));
    let early = falling_root(told(below), told(above), |early| excess(queue, early));
    let inner = inner(load, gateway, queue, early)?;
    let solution = inner.queue.solve(Solver::Exact)?;
    let rho = inner.queue.load();
    let mut expected = prediction_at(load, queue, inner.told, &inner.flow, 1.0 - solution.empty());
    expected.utilisation = expected.utilisation.clamp(0.0, 1.0);
    Ok(ClosedLoop {
        expected,
        load: rho,
        sensitivity: sensitivity(&inner.queue)? * inner.parcel,
        solution,
        parcel: inner.parcel,
    })
}

/// dE/drho of a queue at its load, in what it counts in.
pub fn sensitivity(queue: &BatchQueue) -> Result<f64, ModelError> {
    let load = queue.load();
    let step = 1e-4 * load;
    let mean = |load: f64| Ok::<f64, ModelError>(queue.at_load(load).solve(Solver::Exact)?.mean());
    Ok((mean(load + step)? - mean(load - step)?) / (2.0 * step))
}

fn mean_queue(load: &Load, gateway: &Gateway, queue: f64, early: f64) -> f64 {
    let mean = |inner: Inner| {
        let solved = inner.queue.solve(Solver::Exact)?;
        Ok::<f64, ModelError>(solved.mean() * inner.parcel)
    };
    // Without a solution there is nothing to wait for.
    inner(load, gateway, queue, early)
        .and_then(mean)
        .unwrap_or(0.0)
}

/// Flows and queue at an average of `queue` packets, `early` of them told of congestion
/// before the buffer is full: by the overflow that is its own cause.
fn inner(load: &Load, gateway: &Gateway, queue: f64, early: f64) -> Result<Inner, ModelError> {
    let early = gateway.split(early, queue, load.flows);
    let fed = |overflow: f64| {
        let told = SignalRate {
            loss: 1.0 - (1.0 - early.loss) * (1.0 - overflow),
            marks: early.marks,
        };
        feed(load, gateway, queue, early, told)
    };
    let excess = |overflow: f64| {
        let lost = fed(overflow).and_then(|inner| Ok(inner.queue.solve(Solver::Exact)?.loss()));
        lost.unwrap_or(0.0) - overflow
    };
    fed(falling_root(0.0, 1.0 - 1e-6, excess))
}

/// What comes to the queue when flows are told as `told` says, `early` of it by the scheme.
fn feed(
    load: &Load,
    gateway: &Gateway,
    queue: f64,
    early: SignalRate,
    told: SignalRate,
) -> Result<Inner, ModelError> {
    let rtt = load.round_trip(queue);
    let flow = load.tcp.steady(told, rtt);
    let let_in = 1.0 - early.loss;
    let window = flow.rate * rtt / (1.0 - flow.timeout_share).max(1e-9) * let_in;
    let parcel = (window / FINEST).max(1.0);
    let batch = window_law(window / parcel)?;
    let any = BatchQueue {
        arrivals: 1.0,
        service: 1.0,
        batch,
        buffer: (gateway.buffer() / parcel).round().max(1.0) as u64,
        acceptance: Acceptance::Partial,
    };
    let rho = load.flows * flow.rate * let_in / load.service();
    Ok(Inner {
        told,
        flow,
        queue: any.at_load(rho.clamp(1e-6, 1e6)),
        parcel,
    })
}

/// Windows of this mean: a normal law up to four deviations above it.
fn window_law(mean: f64) -> Result<Batch, ModelError> {
    let mean = mean.max(1.0);
    let deviation = DEVIATION * mean;
    let largest = (mean + 4.0 * deviation).ceil() as usize;
    Batch::normal(mean, deviation * deviation, largest)
}

impl ClosedLoop {
    /// The least number of packets that at most wait with probability `share`.
    pub fn quantile(&self, share: f64) -> f64 {
        self.solution.quantile(share) as f64 * self.parcel
    }

    /// At most `points` pieces of the distribution of the queue, from none to a full buffer;
    /// in packets.
    pub fn histogram(&self, points: u64) -> Vec<Bin> {
        let scaled = |n: u64| (n as f64 * self.parcel).round() as u64;
        let pieces = self.solution.histogram(points).into_iter();
        pieces
            .map(|piece| Bin {
                from: scaled(piece.from),
                to: scaled(piece.to + 1) - 1,
                probability: piece.probability,
            })
            .collect()
    }

    /// The share of time that the buffer is full.
    pub fn full(&self) -> f64 {
        self.solution.full()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use earlydrop::registry::SCHEMES;

    fn at(scheme: &str, load: &Load) -> ClosedLoop {
        let gateway = Gateway::of(&scheme.parse().unwrap(), load).unwrap();
        closed_loop(load, &gateway).unwrap()
    }

    #[test]
    fn every_scheme_with_a_model_comes_to_rest() {
        for ecn in [false, true] {
            let mut load = Load::default();
            load.tcp.ecn = ecn;
            for scheme in SCHEMES {
                let Ok(gateway) = Gateway::of(&scheme.name.parse().unwrap(), &load) else {
                    continue;
                };
                let found = closed_loop(&load, &gateway).unwrap();
                let sent = found.expected.utilisation;
                let mean = found.solution.mean() * found.parcel;
                let name = scheme.name;
                assert!(
                    (mean / found.expected.queue - 1.0).abs() < 1e-3,
                    "{name}: {mean}"
                );
                let let_in = found.load * (1.0 - found.solution.loss());
                assert!((sent - let_in).abs() < 1e-6, "{name}");
                assert!((0.3..1.0).contains(&sent), "{name}: {sent}");
            }
        }
    }

    #[test]
    fn more_flows_make_a_longer_queue() {
        let queue = |flows| {
            let load = Load {
                flows,
                ..Load::default()
            };
            at("red:min=20,max=200", &load).expected.queue
        };
        let queues = [5.0, 10.0, 20.0, 40.0, 80.0].map(queue);
        assert!(queues.is_sorted(), "{queues:?}");
    }
}
