//! How windows, queue and average move until they are at rest.
//!
//! V. Misra, W. Gong, D. Towsley, "Fluid-based Analysis of a Network of AQM Routers
//! Supporting TCP Flows with an Application to RED", SIGCOMM 2000. With R = RTT + q/C, delayed
//! values primed, N flows and x the average:
//! - `dW/dt = 1/(b R) - k W W'/(2 R') p(x')`;
//! - `dq/dt = N W/R (1 - p) - C`, between an empty and a full buffer, p only what is dropped;
//! - `dx/dt = -ln(1 - w) max(N W/R, C) (q - x)`: while little arrives the average decays by
//!   what could have been sent, as RED's does.
//!
//! What a full buffer turns away counts as told, too. In print k is 1, and windows rest at
//! `sqrt(2/(b p))`; here k is `2/(b p W^2)` with the p and W of the balance, so that they rest
//! where it has them.

use std::collections::VecDeque;

use earlydrop::units::Nanos;

use crate::{Gateway, Load, Prediction};

/// The number of flows from a time on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Since the beginning.
    pub at: Nanos,
    /// How many flows there are from then on.
    pub flows: f64,
}

/// The state at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// Seconds since the beginning.
    pub at: f64,
    /// A flow's window in packets.
    pub window: f64,
    /// The queue in packets.
    pub queue: f64,
    /// Its average.
    pub average: f64,
    /// How often flows are told of congestion.
    pub told: f64,
}

/// The least window, on average over timeouts.
const LEAST: f64 = 0.1;

/// Steps to a round trip without a queue.
const STEPS: f64 = 64.0;

/// The most steps in all; beyond, steps get longer.
const MOST_STEPS: f64 = 2_000_000.0;

/// How `gateway` under `load` goes on from its rest for `span`, at `points` times, while flows
/// come and go; `changes` in the order of time. `None` where the scheme keeps no average that a
/// curve answers to, or tells of nothing at rest. An adaptation is taken to stand still.
pub fn transient(
    load: &Load,
    gateway: &Gateway,
    operating_point: &Prediction,
    changes: &[Change],
    span: Nanos,
    points: usize,
) -> Option<Vec<State>> {
    let weight = gateway.weight()?;
    let told = operating_point.loss + operating_point.marks;
    if told <= 0.0 {
        return None;
    }
    let gateway = gateway.frozen(operating_point.queue, told, load.flows)?;
    let span = span.as_secs_f64();
    let step = (load.rtt.as_secs_f64() / STEPS).max(span / MOST_STEPS);
    let arrivals = load.service() / (1.0 - operating_point.loss);
    let window = arrivals * load.round_trip(operating_point.queue) / load.flows;
    let mut integrator = Integrator {
        load: *load,
        gateway,
        forgets: -(-weight).ln_1p(),
        cut: 1.0 / (load.tcp.packets_per_ack * told * window * window),
        now: State {
            at: 0.0,
            window,
            queue: operating_point.queue,
            average: operating_point.queue,
            told,
        },
        past: VecDeque::new(),
    };
    let mut changes = changes.iter().peekable();
    let mut seen = Vec::with_capacity(points + 1);
    while integrator.now.at <= span {
        let at = integrator.now.at;
        while let Some(change) = changes.next_if(|change| change.at.as_secs_f64() <= at) {
            integrator.load.flows = change.flows;
        }
        if at >= seen.len() as f64 * span / points.max(1) as f64 {
            seen.push(integrator.now);
        }
        integrator.advance(step);
    }
    Some(seen)
}

struct Integrator {
    load: Load,
    gateway: Gateway,
    /// -ln(1 - w), what the average forgets with every packet.
    forgets: f64,
    /// k/2: what a window loses when told, as a share of the square of its packets.
    cut: f64,
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
        let heard = self.past.front().unwrap_or(&now);
        let cuts = self.cut * now.window * heard.window / load.round_trip(heard.queue) * heard.told;
        let growth = 1.0 / (load.tcp.packets_per_ack * rtt);
        let arrivals = n * now.window / rtt;
        let early = self.gateway.signal_probability(now.average, n);
        let kept = 1.0 - self.gateway.split(early, now.average, n).loss;
        let queue = now.queue + step * (arrivals * kept - c);
        // What does not fit, of what was let in meanwhile.
        let over = (queue - self.gateway.buffer()).max(0.0);
        let turned_away = (over / (step * arrivals * kept).max(1e-12)).min(1.0);
        // Exact for a queue that stands still, so that no weight is too large for the step.
        let caught_up = -(-self.forgets * arrivals.max(c) * step).exp_m1();
        self.now = State {
            at: now.at + step,
            window: (now.window + step * (growth - cuts))
                .clamp(LEAST, load.tcp.max_window.max(LEAST)),
            queue: queue.clamp(0.0, self.gateway.buffer()),
            average: now.average + caught_up * (now.queue - now.average),
            told: 1.0 - (1.0 - early) * (1.0 - turned_away),
        };
    }
}

/// How far the queue swings over the last third of these states: from its least to its most.
pub fn swing(states: &[State]) -> f64 {
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
    use crate::fluid_balance;
    use crate::stability::{Verdict, stability};

    fn states(scheme: &str, load: &Load, changes: &[Change]) -> (Vec<State>, Prediction, Gateway) {
        let gateway = Gateway::of(&scheme.parse().unwrap(), load).unwrap();
        let operating_point = fluid_balance(load, &gateway).unwrap();
        let span = Nanos::from_secs(120);
        let states = transient(load, &gateway, &operating_point, changes, span, 1200).unwrap();
        (states, operating_point, gateway)
    }

    const CALM: &str = "red:min=20,max=400,max_p=0.1,spacing=geometric,weight=0.02,limit=2000";

    #[test]
    fn comes_to_rest_where_windows_and_curve_balance() {
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
        assert!(swing(&states) < 1e-3 * last.queue, "{}", swing(&states));
        let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 2e-3;
        assert!(
            near(last.queue, operating_point.queue),
            "{last:?} {operating_point:?}"
        );
        assert!(near(last.average, operating_point.queue) && near(last.told, operating_point.loss));
        let sent = load.flows * last.window / load.round_trip(last.queue) * (1.0 - last.told);
        assert!(near(sent, load.service()), "{sent}");
    }

    #[test]
    fn flows_that_join_make_a_longer_queue_and_leave_a_shorter_one() {
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
    fn swings_where_the_linear_loop_oscillates() {
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
            (verdict, swing(&states) / operating_point.queue)
        };
        let (calm, small) = verdict("red:min=5,max=1500,max_p=0.3,weight=0.05,limit=2000");
        assert_eq!(calm, Verdict::Stable);
        assert!(small < 0.01, "{small}");
        let (wild, large) = verdict("red:min=40,max=44,max_p=0.9,weight=0.001,limit=2000");
        assert_eq!(wild, Verdict::Oscillating);
        assert!(large > 0.2, "{large}");
    }
}
