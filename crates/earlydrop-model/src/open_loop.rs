//! The open loop of Chandrayana, Sikdar and Kalyanaraman: the mean queue without early drops, formula
//! (19), from a given loss rate and distribution of windows, and the load at which it reaches an
//! upper threshold, formula (22).
//!
//! ```
//! use earlydrop::units::{BitsPerSec, Bytes, Nanos};
//! use earlydrop_model::batch::Batch;
//! use earlydrop_model::open_loop::{OpenLoopInput, open_loop};
//! use earlydrop_model::{Load, Tcp};
//!
//! // Their first setting. Link rate and T_O are not printed.
//! let load = Load {
//!     rate: BitsPerSec::from_mbps(20),
//!     packet: Bytes(1000),
//!     rtt: Nanos::from_millis(52),
//!     flows: 48.0,
//!     tcp: Tcp { timeout: Some(Nanos::from_micros(210_600)), ..Tcp::default() },
//! };
//! let windows = Some(Batch::normal(4.0, 4.0, 8)?);
//! let solved = open_loop(&load, &OpenLoopInput { loss: 0.0572, windows }, 200.0)?;
//! assert!((solved.queue / 79.54 - 1.0).abs() < 0.01);
//! # Ok::<(), earlydrop_model::ModelError>(())
//! ```

use crate::batch::{Batch, LARGEST};
use crate::closed_loop::sensitivity;
use crate::queue::{Acceptance, BatchQueue, Solver};
use crate::{Load, ModelError, SignalRate};

/// What the open loop takes as known.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenLoopInput {
    /// p: the share of packets that is lost.
    pub loss: f64,
    /// g(x): the distribution of windows. `None`: a normal one around `E[W]` of formula (25), with a
    /// variance of `E[W]`.
    pub windows: Option<Batch>,
}

/// The open loop's result.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenLoop {
    /// lambda, formula (23): batches per second.
    pub batches: f64,
    /// gamma, formula (27): the share of time in timeouts.
    pub timeout_share: f64,
    /// `E[g(x)]`: the mean window in packets.
    pub window: f64,
    /// rho: the offered load.
    pub load: f64,
    /// `E[Q]`: the mean queue in packets, formula (19) with the exact solution.
    pub queue: f64,
    /// dE/drho, in packets per unit of load.
    pub sensitivity: f64,
    /// The queue, M^x/M/1/K.
    model: BatchQueue,
    /// The number of flows.
    flows: f64,
}

impl OpenLoop {
    /// The number of flows with which the mean queue is `max` packets, by formula (22),
    /// `lambda = F(max, g)`, and formula (23). `None` if no load gives it.
    pub fn most_flows(&self, max: f64) -> Option<f64> {
        let load = self.model.load_for_mean(max)?;
        Some(self.flows * load / self.load)
    }
}

/// Solves the open loop with a buffer of `buffer` packets.
pub fn open_loop(load: &Load, input: &OpenLoopInput, buffer: f64) -> Result<OpenLoop, ModelError> {
    load.check()?;
    let p = input.loss;
    if !(p > 0.0 && p < 1.0) {
        let nearest = if p <= 0.0 { 0.001 } else { 0.999 };
        let allowed = "above 0 and below 1";
        return Err(ModelError::outside("loss", p, allowed, nearest));
    }
    let rtt = load.rtt.as_secs_f64();
    let signals = SignalRate {
        loss: p,
        marks: 0.0,
    };
    let timeout_share = load.tcp.steady(signals, rtt).timeout_share;
    let batch = match &input.windows {
        Some(windows) => windows.clone(),
        None => around_expected_window(load, p)?,
    };
    let model = BatchQueue {
        arrivals: (1.0 - timeout_share) * load.flows / rtt,
        service: load.service(),
        batch,
        buffer: buffer.max(1.0) as u64,
        acceptance: Acceptance::Partial,
    };
    Ok(OpenLoop {
        batches: model.arrivals,
        timeout_share,
        window: model.batch.mean() * (1.0 - model.batch.none()),
        load: model.load(),
        queue: model.solve(Solver::Exact)?.mean(),
        sensitivity: sensitivity(&model)?,
        flows: load.flows,
        model,
    })
}

/// Windows of a normal distribution around `E[W]` at a loss rate of `p`.
fn around_expected_window(load: &Load, p: f64) -> Result<Batch, ModelError> {
    let window = load.tcp.unconstrained_peak(p).min(load.tcp.max_window);
    if 2.0 * window > LARGEST as f64 {
        let allowed = "a share with windows of at most 5000 packets";
        let nearest = fitting_loss(load, p);
        return Err(ModelError::outside("loss", p, allowed, nearest));
    }
    Batch::normal(window, window, (2.0 * window).ceil() as usize)
}

/// The smallest tenfold of the loss rate `p` at which a window fits a batch.
fn fitting_loss(load: &Load, p: f64) -> f64 {
    let fits = |p: &f64| 2.0 * load.tcp.unconstrained_peak(*p) <= LARGEST as f64;
    let mut tenfold = std::iter::successors(Some(p), |p| Some(10.0 * p));
    tenfold.find(fits).map_or(0.01, |p| p.min(0.5))
}

#[cfg(test)]
#[path = "open_loop_tests.rs"]
mod tests;
