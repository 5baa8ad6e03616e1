//! The operating point with the batch queue M^x/M/1/K of Chandrayana, Sikdar and Kalyanaraman, with
//! the loss rate as a result instead of an input.
//!
//! At an average queue q the round-trip time is `RTT + q/mu`. Each of N flows sends its window as
//! one batch per round trip, except during timeouts. The scheme drops its share of early drops at q;
//! the other packets enter the queue M^x/M/1/K. Two nested fixed points are solved: the overflow
//! rate must be the one at which the flows send the load that causes it, and q must be the mean
//! of the resulting queue.

use crate::balance::{Prediction, prediction_at};
use crate::batch::Batch;
use crate::queue::{Acceptance, BatchQueue, Bin, Solution, Solver};
use crate::solve::falling_root;
use crate::tcp::SteadyState;
use crate::{Gateway, Load, ModelError, SignalRate};

/// The standard deviation of a window divided by its mean. The windows of Chandrayana, Sikdar and
/// Kalyanaraman have a mean of 4 and a variance of 4.
const DEVIATION: f64 = 0.5;

/// Larger windows are scaled down to this many units, which bounds the cost of a solution.
const LARGEST_WINDOW: f64 = 40.0;

/// The operating point of the closed loop.
#[derive(Clone, Debug)]
pub struct ClosedLoop {
    /// The predicted steady state.
    pub expected: Prediction,
    /// rho: the packets that enter the queue, divided by the packets that the link could send.
    pub load: f64,
    /// dE/drho: the increase of the mean queue, in packets, per unit of load if the flows did not
    /// react.
    pub sensitivity: f64,
    queue: BatchQueue,
    solution: Solution,
    /// Packets per unit of the solution.
    scale: f64,
}

/// The inner fixed point: flows and queue at a given average queue and early drop rate.
struct Inner {
    signals: SignalRate,
    flow: SteadyState,
    queue: BatchQueue,
    scale: f64,
}

/// Solves the closed loop of `gateway` under `load`.
pub fn closed_loop(load: &Load, gateway: &Gateway) -> Result<ClosedLoop, ModelError> {
    load.check()?;
    let mut gateway = gateway.clone();
    loop {
        let solved = equilibrium(load, &gateway)?;
        match gateway.after_doubling(solved.expected.queue) {
            Some(stronger) => gateway = stronger,
            None => return Ok(solved),
        }
    }
}

fn equilibrium(load: &Load, gateway: &Gateway) -> Result<ClosedLoop, ModelError> {
    let excess = |queue: f64, early: f64| mean_queue(load, gateway, queue, early) - queue;
    let signals = |queue: f64| {
        gateway
            .signal_probability(queue, load.flows)
            .min(1.0 - 1e-9)
    };
    let queue = falling_root(0.0, gateway.buffer(), |queue| excess(queue, signals(queue)));
    // At a jump of the scheme, the signal rate is the one that holds the queue there.
    let (below, above) = (queue * (1.0 - 1e-9), queue * (1.0 + 1e-9));
    let early = falling_root(signals(below), signals(above), |early| excess(queue, early));
    let inner = inner(load, gateway, queue, early)?;
    let solution = inner.queue.solve(Solver::Exact)?;
    let rho = inner.queue.load();
    let mut expected = prediction_at(
        load,
        queue,
        inner.signals,
        &inner.flow,
        1.0 - solution.empty(),
    );
    expected.utilisation = expected.utilisation.clamp(0.0, 1.0);
    Ok(ClosedLoop {
        expected,
        load: rho,
        sensitivity: sensitivity(&inner.queue)? * inner.scale,
        queue: inner.queue,
        solution,
        scale: inner.scale,
    })
}

/// dE/drho of a queue at its load, in packets per unit of load.
pub fn sensitivity(queue: &BatchQueue) -> Result<f64, ModelError> {
    queue.check()?;
    let load = queue.load();
    let step = 1e-4 * load;
    Ok((queue.mean_at(load + step)? - queue.mean_at(load - step)?) / (2.0 * step))
}

fn mean_queue(load: &Load, gateway: &Gateway, queue: f64, early: f64) -> f64 {
    let mean = |inner: Inner| {
        let solved = inner.queue.solve(Solver::Exact)?;
        Ok::<f64, ModelError>(solved.mean() * inner.scale)
    };
    // No solution means no arrivals, and so an empty queue.
    inner(load, gateway, queue, early)
        .and_then(mean)
        .unwrap_or(0.0)
}

/// Solves for the overflow rate at an average of `queue` packets, with `early` signals from the
/// scheme.
fn inner(load: &Load, gateway: &Gateway, queue: f64, early: f64) -> Result<Inner, ModelError> {
    let early = gateway.split(early, queue, load.flows);
    let fed = |overflow: f64| {
        let signals = SignalRate {
            loss: 1.0 - (1.0 - early.loss) * (1.0 - overflow),
            marks: early.marks,
        };
        feed(load, gateway, queue, early, signals)
    };
    let lost = |overflow: f64| {
        let solved = fed(overflow).and_then(|inner| inner.queue.solve(Solver::Exact));
        solved.map_or(0.0, |solution| solution.loss())
    };
    // An overflow that changes no rate is none. A search for it would halve a bracket down to it.
    if 1.0 - lost(0.0) == 1.0 {
        return fed(0.0);
    }
    fed(falling_root(0.0, 1.0 - 1e-6, |overflow| {
        lost(overflow) - overflow
    }))
}

/// The queue fed by flows at a rate of `signals`, of which the scheme causes `early`.
fn feed(
    load: &Load,
    gateway: &Gateway,
    queue: f64,
    early: SignalRate,
    signals: SignalRate,
) -> Result<Inner, ModelError> {
    let rtt = load.round_trip(queue);
    let flow = load.tcp.steady(signals, rtt);
    let accepted = 1.0 - early.loss;
    let window = flow.rate * rtt / (1.0 - flow.timeout_share).max(1e-9) * accepted;
    let scale = (window / LARGEST_WINDOW).max(1.0);
    let batch = window_distribution(window / scale)?;
    let any = BatchQueue {
        arrivals: 1.0,
        service: 1.0,
        batch,
        buffer: (gateway.buffer() / scale).round().max(1.0) as u64,
        acceptance: Acceptance::Partial,
    };
    let rho = load.flows * flow.rate * accepted / load.service();
    Ok(Inner {
        signals,
        flow,
        queue: any.at_load(rho.clamp(1e-6, 1e6)),
        scale,
    })
}

/// Windows of this mean: a normal distribution, cut off four standard deviations above it.
fn window_distribution(mean: f64) -> Result<Batch, ModelError> {
    let mean = mean.max(1.0);
    let deviation = DEVIATION * mean;
    let largest = (mean + 4.0 * deviation).ceil() as usize;
    Batch::normal(mean, deviation * deviation, largest)
}

impl ClosedLoop {
    /// The `share` quantile of the queue length, in packets.
    pub fn quantile(&self, share: f64) -> f64 {
        self.solution.quantile(share) as f64 * self.scale
    }

    /// The distribution of the queue length in packets, in at most `bins` bins.
    pub fn histogram(&self, bins: u64) -> Vec<Bin> {
        let scaled = |n: u64| (n as f64 * self.scale).round() as u64;
        let bins = self.solution.histogram(bins).into_iter();
        bins.map(|bin| Bin {
            from: scaled(bin.from),
            to: scaled(bin.to + 1) - 1,
            probability: bin.probability,
        })
        .collect()
    }

    /// F of formula (22), as a load: the rho with which the mean queue is `mean` packets if windows
    /// and timeouts stay as they are. `None` if no load gives it.
    pub fn load_for_mean(&self, mean: f64) -> Option<f64> {
        self.queue.load_for_mean(mean / self.scale)
    }

    /// The share of time in which the buffer is full.
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
    fn every_scheme_with_a_model_has_an_operating_point() {
        for ecn in [false, true] {
            let mut load = Load::default();
            load.tcp.ecn = ecn;
            for scheme in SCHEMES {
                let Ok(gateway) = Gateway::of(&scheme.name.parse().unwrap(), &load) else {
                    continue;
                };
                let solved = closed_loop(&load, &gateway).unwrap();
                let sent = solved.expected.utilisation;
                let mean = solved.solution.mean() * solved.scale;
                let name = scheme.name;
                assert!(
                    (mean / solved.expected.queue - 1.0).abs() < 1e-3,
                    "{name}: {mean}"
                );
                let accepted = solved.load * (1.0 - solved.solution.loss());
                assert!((sent - accepted).abs() < 1e-6, "{name}");
                assert!((0.3..1.0).contains(&sent), "{name}: {sent}");
            }
        }
    }

    #[test]
    fn a_link_that_overflows_never_is_solved_at_once() {
        let load = Load {
            rate: earlydrop::units::BitsPerSec(10_000_000_000_000),
            rtt: earlydrop::units::Nanos::from_secs(1),
            flows: 5.0,
            ..Load::default()
        };
        let gateway = Gateway::of(&"red:min=12,max=36".parse().unwrap(), &load).unwrap();
        let solutions = crate::queue::solutions(|| closed_loop(&load, &gateway).unwrap());
        assert!(solutions < 1000, "{solutions} solutions of the queue");
    }

    #[test]
    fn more_flows_give_a_longer_queue() {
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
