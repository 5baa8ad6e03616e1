//! The transient of windows, queue and average, by fluid equations.
//!
//! V. Misra, W. Gong, D. Towsley, "Fluid-based Analysis of a Network of AQM Routers
//! Supporting TCP Flows with an Application to RED", SIGCOMM 2000. With R = RTT + q/C, delayed
//! values primed, N flows and x the average queue:
//! - `dW/dt = 1/(b R) - k W W'/(2 R') p(x')`;
//! - `dq/dt = N W/R (1 - p) - C`, between an empty and a full buffer, where p counts drops only;
//! - `dx/dt = -ln(1 - w) max(N W/R, C) (q - x)`: with few arrivals the average decays at the link
//!   rate, as RED's does.
//!
//! Drops of a full buffer are signals, too. In the paper k is 1 and the equilibrium window is
//! `sqrt(2/(b p))`. Here k is `2/(b p W^2)`, with p and W of the fluid balance, so that the
//! equilibrium is the one that the balance predicts.
//!
//! DCTCP's windows follow alpha instead, with g of RFC 8257 and k of the balance as above:
//! `dW/dt = 1/(b R) - k W alpha/(2R)`, `dalpha/dt = g (p(x') - alpha)/R`.

use std::collections::VecDeque;

use earlydrop::units::Nanos;

use crate::tcp::DCTCP_GAIN;
use crate::{Gateway, Load, Prediction};

/// A change of the number of flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The time since the start.
    pub at: Nanos,
    /// The number of flows from then on.
    pub flows: f64,
}

/// The state of the fluid model at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// Seconds since the start.
    pub at: f64,
    /// A flow's window in packets.
    pub window: f64,
    /// The queue in packets.
    pub queue: f64,
    /// The average queue in packets.
    pub average: f64,
    /// The signal probability.
    pub signals: f64,
}

/// The smallest window in packets, as a mean that includes timeouts.
const LEAST: f64 = 0.1;

/// Integration steps per round trip without queueing.
const STEPS: f64 = 64.0;

/// The maximum number of steps; longer transients use longer steps.
const MOST_STEPS: f64 = 2_000_000.0;

/// Integrates the fluid equations for `span`, from `operating_point` and through `changes` of the
/// number of flows, which must be in order of time. Returns about `points` states at equal distances.
///
/// `None` if the scheme has no curve over an average, or gives no signals at the operating point.
/// Adaptations are frozen.
pub fn transient(
    load: &Load,
    gateway: &Gateway,
    operating_point: &Prediction,
    changes: &[Change],
    span: Nanos,
    points: usize,
) -> Option<Vec<State>> {
    let weight = gateway.weight()?;
    let signals = operating_point.loss + operating_point.marks;
    if signals <= 0.0 {
        return None;
    }
    let gateway = gateway.frozen(operating_point.queue, signals, load.flows)?;
    let span = span.as_secs_f64();
    let step = (load.rtt.as_secs_f64() / STEPS).max(span / MOST_STEPS);
    let arrivals = load.service() / (1.0 - operating_point.loss);
    let window = arrivals * load.round_trip(operating_point.queue) / load.flows;
    let follows_marks = load.tcp.follows_marks(operating_point.marks);
    let reduced = signals * window * if follows_marks { 1.0 } else { window };
    let mut integrator = Integrator {
        load: *load,
        gateway,
        decay: -(-weight).ln_1p(),
        cut: 1.0 / (load.tcp.packets_per_ack * reduced),
        alpha: follows_marks.then_some(signals),
        now: State {
            at: 0.0,
            window,
            queue: operating_point.queue,
            average: operating_point.queue,
            signals,
        },
        past: VecDeque::new(),
    };
    let mut changes = changes.iter().peekable();
    let mut states = Vec::with_capacity(points + 1);
    while integrator.now.at <= span {
        let at = integrator.now.at;
        while let Some(change) = changes.next_if(|change| change.at.as_secs_f64() <= at) {
            integrator.load.flows = change.flows;
        }
        if at >= states.len() as f64 * span / points.max(1) as f64 {
            states.push(integrator.now);
        }
        integrator.advance(step);
    }
    Some(states)
}

/// The state of the integration, with the history that delayed terms need.
struct Integrator {
    load: Load,
    gateway: Gateway,
    /// -ln(1 - w): the decay rate of the average per packet.
    decay: f64,
    /// k/2: the decrease of the window at a signal, divided by the square of the window; of DCTCP's in
    /// a round trip, divided by the window and alpha.
    cut: f64,
    /// DCTCP's estimate of the share of packets that is marked; `None` of others.
    alpha: Option<f64>,
    now: State,
    /// The states of the last round trip, oldest first.
    past: VecDeque<State>,
}

impl Integrator {
    fn advance(&mut self, step: f64) {
        let (load, now) = (self.load, self.now);
        let (c, n) = (load.service(), load.flows);
        let rtt = load.round_trip(now.queue);
        self.past.push_back(now);
        while self
            .past
            .get(1)
            .is_some_and(|older| older.at <= now.at - rtt)
        {
            self.past.pop_front();
        }
        let delayed = self.past.front().unwrap_or(&now);
        let cuts = self.cut
            * now.window
            * match &mut self.alpha {
                Some(alpha) => {
                    *alpha += step * DCTCP_GAIN / rtt * (delayed.signals - *alpha);
                    *alpha / rtt
                }
                None => delayed.window / load.round_trip(delayed.queue) * delayed.signals,
            };
        let growth = 1.0 / (load.tcp.packets_per_ack * rtt);
        let arrivals = n * now.window / rtt;
        let early = self.gateway.signal_probability(now.average, n);
        let accepted = 1.0 - self.gateway.split(early, now.average, n).loss;
        let queue = now.queue + step * (arrivals * accepted - c);
        // The share of accepted packets that overflows the buffer.
        let over = (queue - self.gateway.buffer()).max(0.0);
        let overflow = (over / (step * arrivals * accepted).max(1e-12)).min(1.0);
        // Exact for a constant queue, so that any weight is stable at this step size.
        let weight = -(-self.decay * arrivals.max(c) * step).exp_m1();
        self.now = State {
            at: now.at + step,
            window: (now.window + step * (growth - cuts))
                .clamp(LEAST, load.tcp.max_window.max(LEAST)),
            queue: queue.clamp(0.0, self.gateway.buffer()),
            average: now.average + weight * (now.queue - now.average),
            signals: 1.0 - (1.0 - early) * (1.0 - overflow),
        };
    }
}

/// The peak-to-peak amplitude of the queue over the last third of `states`, in packets.
pub fn amplitude(states: &[State]) -> f64 {
    let last = &states[states.len() * 2 / 3..];
    let queues = || last.iter().map(|state| state.queue);
    let (least, most) = (
        queues().fold(f64::INFINITY, f64::min),
        queues().fold(0.0, f64::max),
    );
    (most - least).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stability::{Verdict, stability};
    use crate::{Control, fluid_balance};

    fn states(scheme: &str, load: &Load, changes: &[Change]) -> (Vec<State>, Prediction, Gateway) {
        let gateway = Gateway::of(&scheme.parse().unwrap(), load).unwrap();
        let operating_point = fluid_balance(load, &gateway).unwrap();
        let span = Nanos::from_secs(120);
        let states = transient(load, &gateway, &operating_point, changes, span, 1200).unwrap();
        (states, operating_point, gateway)
    }

    const CALM: &str = "red:min=20,max=400,max_p=0.1,spacing=geometric,weight=0.02,limit=2000";

    #[test]
    fn converges_to_the_balance_of_windows_and_curve() {
        let load = Load {
            flows: 40.0,
            ..Load::default()
        };
        let disturbed = [(1, 60.0), (20, 40.0)].map(|(secs, flows)| Change {
            at: Nanos::from_secs(secs),
            flows,
        });
        let (states, operating_point, _) = states(CALM, &load, &disturbed);
        assert!(states[150].queue > 1.1 * operating_point.queue);
        let last = states.last().unwrap();
        assert!(
            amplitude(&states) < 1e-3 * last.queue,
            "{}",
            amplitude(&states)
        );
        let near = |actual: f64, expected: f64| (actual / expected - 1.0).abs() < 2e-3;
        assert!(
            near(last.queue, operating_point.queue),
            "{last:?} {operating_point:?}"
        );
        assert!(
            near(last.average, operating_point.queue) && near(last.signals, operating_point.loss)
        );
        let sent = load.flows * last.window / load.round_trip(last.queue) * (1.0 - last.signals);
        assert!(near(sent, load.service()), "{sent}");
    }

    #[test]
    fn the_queue_grows_as_flows_join_and_shrinks_as_they_leave() {
        let load = Load {
            flows: 20.0,
            ..Load::default()
        };
        let changes = [(40, 60.0), (80, 20.0)].map(|(secs, flows)| Change {
            at: Nanos::from_secs(secs),
            flows,
        });
        let (states, ..) = states(CALM, &load, &changes);
        let queue = |at: usize| states[at * 10].queue;
        assert!(queue(79) > 1.5 * queue(39), "{} {}", queue(39), queue(79));
        assert!((queue(119) / queue(39) - 1.0).abs() < 0.01);
    }

    #[test]
    fn oscillates_where_the_linear_loop_does() {
        let load = Load {
            flows: 10.0,
            ..Load::default()
        };
        let verdict = |scheme: &str| {
            let disturbed = [(1, 1.1), (2, 1.0)].map(|(secs, share)| Change {
                at: Nanos::from_secs(secs),
                flows: share * load.flows,
            });
            let (states, operating_point, gateway) = states(scheme, &load, &disturbed);
            let verdict = stability(&load, &gateway, &operating_point)
                .unwrap()
                .verdict();
            (verdict, amplitude(&states) / operating_point.queue)
        };
        let (calm, small) = verdict("red:min=5,max=1500,max_p=0.3,weight=0.05,limit=2000");
        assert_eq!(calm, Verdict::Stable);
        assert!(small < 0.01, "{small}");
        let (wild, large) = verdict("red:min=40,max=44,max_p=0.9,weight=0.001,limit=2000");
        assert_eq!(wild, Verdict::Oscillating);
        assert!(large > 0.2, "{large}");
    }

    /// The loop of DCTCP: below its gain margin a disturbance decays, above it grows. The curves are
    /// straight through one operating point.
    #[test]
    fn dctcp_oscillates_where_its_linear_loop_does() {
        let mut load = Load {
            flows: 10.0,
            rtt: Nanos::from_millis(10),
            rate: earlydrop::units::BitsPerSec::from_mbps(100),
            ..Load::default()
        };
        (load.tcp.control, load.tcp.ecn) = (Control::Dctcp, true);
        // Marks with 0.17 at 60 packets, with the band around it: the narrower, the steeper.
        let margin_and_amplitude = |half: f64| {
            let (min, max) = (60.0 - half, 60.0 + half);
            let scheme = format!(
                "red:min={min},max={max},max_p=0.34,weight=1,spacing=geometric,limit=2000,\
                 mark_above_max=on"
            );
            let disturbed = [(1, 1.05), (2, 1.0)].map(|(secs, share)| Change {
                at: Nanos::from_secs(secs),
                flows: share * load.flows,
            });
            let (states, operating_point, gateway) = states(&scheme, &load, &disturbed);
            let margins = stability(&load, &gateway, &operating_point).unwrap();
            (
                margins.gain_margin,
                amplitude(&states) / operating_point.queue,
            )
        };
        for half in [2.0, 8.0, 14.0, 30.0] {
            let (margin, amplitude) = margin_and_amplitude(half);
            let is_stable = margin > 1.0;
            assert_eq!(is_stable, half > 10.0, "{half}: {margin}");
            assert_eq!(amplitude < 0.01, is_stable, "{half}: {margin} {amplitude}");
        }
    }
}
