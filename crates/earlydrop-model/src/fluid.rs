//! How windows, queue and average move until they are at rest.
//!
//! V. Misra, W. Gong, D. Towsley, "Fluid-based Analysis of a Network of AQM Routers
//! Supporting TCP Flows with an Application to RED", SIGCOMM 2000. With R = RTT + q/C, delayed
//! values primed, N flows and x the average:
//! - `dW/dt = 1/(b R) - k W W'/(2 R') p(x')`;
//! - `dq/dt = N W/R (1 - p) - C`, between an empty and a full buffer, p only what is dropped;
//! - `dx/dt = -ln(1 - w) N W/R (q - x)`.
//!
//! What a full buffer turns away counts as told, too. In print k is 1, and windows rest at
//! `sqrt(2/(b p))`; here k is `2/(b p W^2)` with W what TCP's whole formula has at p, timeouts
//! included, so that they rest where the balance has them.

use std::collections::VecDeque;

use earlydrop::units::Nanos;

use crate::{Gateway, Load};

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
pub struct Moment {
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
const SMALL: f64 = 0.01;

/// Steps to a round trip without a queue.
const STEPS: f64 = 64.0;

/// The most steps in all; beyond, steps get longer.
const MOST_STEPS: f64 = 2_000_000.0;

/// How `gateway` under `load` goes on for `span` from windows of one packet and nothing waiting,
/// at `points` times; `changes` in the order of time. `None` where the scheme keeps no average
/// that a curve answers to. An adaptation is taken to stand still where it tells of `told` at
/// `queue`.
pub fn transient(
    load: &Load,
    gateway: &Gateway,
    (queue, told): (f64, f64),
    changes: &[Change],
    span: Nanos,
    points: usize,
) -> Option<Vec<Moment>> {
    let weight = gateway.weight()?;
    let gateway = gateway.frozen(queue, told, load.flows)?;
    let span = span.as_secs_f64();
    let step = (load.rtt.as_secs_f64() / STEPS).max(span / MOST_STEPS);
    let mut motion = Motion {
        load: *load,
        gateway,
        forgets: -(-weight).ln_1p(),
        now: Moment {
            at: 0.0,
            window: 1.0,
            queue: 0.0,
            average: 0.0,
            told: 0.0,
        },
        past: VecDeque::new(),
    };
    let mut changes = changes.iter().peekable();
    let mut seen = Vec::with_capacity(points + 1);
    while motion.now.at <= span {
        let at = motion.now.at;
        while let Some(change) = changes.next_if(|change| change.at.as_secs_f64() <= at) {
            motion.load.flows = change.flows;
        }
        if at >= seen.len() as f64 * span / points.max(1) as f64 {
            seen.push(motion.now);
        }
        motion.advance(step);
    }
    Some(seen)
}

struct Motion {
    load: Load,
    gateway: Gateway,
    /// -ln(1 - w), what the average forgets with every packet.
    forgets: f64,
    now: Moment,
    /// The moments of the last round trip, oldest first.
    past: VecDeque<Moment>,
}

impl Motion {
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
        let heard = self
            .past
            .front()
            .copied()
            .filter(|past| past.at <= now.at - rtt);
        let cuts = heard.filter(|past| past.told > 0.0).map_or(0.0, |past| {
            let rtt = load.round_trip(past.queue);
            let told = self.gateway.parted(past.told, past.average, n);
            let rest = load.tcp.steady(told, rtt).rate * rtt;
            now.window * past.window / (rtt * load.tcp.acknowledged * rest.max(SMALL).powi(2))
        });
        let growth = 1.0 / (load.tcp.acknowledged * rtt);
        let arrivals = n * now.window / rtt;
        let early = self.gateway.told(now.average, n);
        let kept = 1.0 - self.gateway.parted(early, now.average, n).loss;
        let queue = now.queue + step * (arrivals * kept - c);
        // What does not fit, of what was let in meanwhile.
        let over = (queue - self.gateway.buffer()).max(0.0);
        let turned_away = (over / (step * arrivals * kept).max(1e-12)).min(1.0);
        // Exact for a queue that stands still, so that no weight is too large for the step.
        let caught_up = -(-self.forgets * arrivals * step).exp_m1();
        self.now = Moment {
            at: now.at + step,
            window: (now.window + step * (growth - cuts)).clamp(SMALL, load.tcp.largest_window),
            queue: queue.clamp(0.0, self.gateway.buffer()),
            average: now.average + caught_up * (now.queue - now.average),
            told: 1.0 - (1.0 - early) * (1.0 - turned_away),
        };
    }
}

/// How far the queue swings over the last third of these moments: from its least to its most.
pub fn swing(moments: &[Moment]) -> f64 {
    let last = &moments[moments.len() * 2 / 3..];
    let queues = || last.iter().map(|moment| moment.queue);
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
    use crate::{Prediction, fluid_balance};

    fn moments(
        scheme: &str,
        load: &Load,
        changes: &[Change],
    ) -> (Vec<Moment>, Prediction, Gateway) {
        let gateway = Gateway::of(&scheme.parse().unwrap(), load).unwrap();
        let rest = fluid_balance(load, &gateway).unwrap();
        let at = (rest.queue, rest.loss + rest.marks);
        let span = Nanos::from_secs(120);
        let moments = transient(load, &gateway, at, changes, span, 1200).unwrap();
        (moments, rest, gateway)
    }

    const CALM: &str = "red:min=20,max=400,max_p=0.1,spacing=geometric,weight=0.02,limit=2000";

    #[test]
    fn comes_to_rest_where_windows_and_curve_balance() {
        let load = Load {
            flows: 40.0,
            ..Load::default()
        };
        let (moments, rest, _) = moments(CALM, &load, &[]);
        let last = moments.last().unwrap();
        assert!(swing(&moments) < 1e-3 * last.queue, "{}", swing(&moments));
        let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 2e-3;
        assert!(near(last.queue, rest.queue), "{last:?} {rest:?}");
        assert!(near(last.average, rest.queue) && near(last.told, rest.loss));
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
        let (moments, ..) = moments(CALM, &load, &changes);
        let queue = |at: usize| moments[at * 10].queue;
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
            let (moments, rest, gateway) = moments(scheme, &load, &[]);
            let verdict = stability(&load, &gateway, &rest).unwrap().verdict();
            (verdict, swing(&moments) / rest.queue)
        };
        let (calm, small) = verdict("red:min=5,max=1500,max_p=0.3,weight=0.05,limit=2000");
        assert_eq!(calm, Verdict::Stable);
        assert!(small < 0.01, "{small}");
        let (wild, large) = verdict("red:min=40,max=44,max_p=0.9,weight=0.001,limit=2000");
        assert_eq!(wild, Verdict::Oscillating);
        assert!(large > 0.2, "{large}");
    }
}
