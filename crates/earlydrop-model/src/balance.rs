//! The operating point of flows and scheme by a fluid balance.
//!
//! At the operating point the flows, at the signal rate that the scheme gives at the average queue,
//! send exactly what the link carries.

use earlydrop::units::Nanos;

use crate::solve::{falling_root, falling_root_of_powers};
use crate::tcp::SteadyState;
use crate::{Gateway, Load, ModelError, SignalRate, sawtooth};

/// The predicted steady state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The average queue, in packets.
    pub queue: f64,
    /// The mean queueing delay.
    pub delay: Nanos,
    /// The share of packets that is lost.
    pub loss: f64,
    /// The share of packets that is marked.
    pub marks: f64,
    /// The share of time in which the link is busy.
    pub utilisation: f64,
    /// The mean window of a flow outside of timeouts, in packets.
    pub window: f64,
    /// The share of time that a flow waits for its retransmission timer.
    pub timeout_share: f64,
    /// The round-trip time including the queueing delay.
    pub rtt: Nanos,
}

/// The smallest signal probability that is considered.
const LEAST: f64 = 1e-12;

/// Predicts the operating point of `gateway` under `load`.
///
/// This is [`fluid_balance`], which is closer to simulation than [`closed_loop`](crate::closed_loop).
/// `docs/explanation/the-model.md` has the measured accuracy.
pub fn predict(load: &Load, gateway: &Gateway) -> Result<Prediction, ModelError> {
    fluid_balance(load, gateway)
}

/// Solves the fluid balance: `N B(p) (1-p) = mu`, where p is the signal probability at the queue.
///
/// Windows and queue are constant in this model. Only the utilisation accounts for windows that
/// rise and fall independently, by [`sawtooth::utilisation`].
pub fn fluid_balance(load: &Load, gateway: &Gateway) -> Result<Prediction, ModelError> {
    load.check()?;
    let mut gateway = gateway.clone();
    loop {
        let prediction = balance(load, &gateway);
        match gateway.after_doubling(prediction.queue) {
            Some(stronger) => gateway = stronger,
            None => return Ok(prediction),
        }
    }
}

fn balance(load: &Load, gateway: &Gateway) -> Prediction {
    let queue = falling_root(0.0, gateway.buffer(), |queue| {
        let required = required_signal_probability(load, gateway, queue);
        // Where a mark on every packet does not hold the flows, the queue grows.
        let given = match required < 1.0 {
            true => gateway.signal_probability(queue, load.flows),
            false => 0.0,
        };
        required - given
    });
    let p = required_signal_probability(load, gateway, queue);
    let signals = gateway.split(p, queue, load.flows);
    let rtt = load.round_trip(queue);
    let flow = load.tcp.steady(signals, rtt);
    // If there are signals, the link is full, apart from the variation of the windows.
    let utilisation = match p > 0.0 {
        true => sawtooth::utilisation(load, queue),
        false => (load.flows * flow.rate / load.service()).min(1.0),
    };
    prediction_at(load, queue, signals, &flow, utilisation)
}

/// The signal probability at which the flows just fill the link with `queue` packets waiting; 0 if
/// they cannot fill it.
pub fn required_signal_probability(load: &Load, gateway: &Gateway, queue: f64) -> f64 {
    let rtt = load.round_trip(queue);
    let excess = |p: f64| {
        let signals = gateway.split(p, queue, load.flows);
        load.flows * load.tcp.steady(signals, rtt).rate * (1.0 - signals.loss) - load.service()
    };
    if excess(LEAST) <= 0.0 {
        return 0.0;
    }
    // The rate falls at once where every packet is marked.
    match excess(1.0) < 0.0 {
        true => falling_root_of_powers(LEAST, 1.0, excess).min(1.0 - f64::EPSILON),
        false => 1.0,
    }
}

pub(crate) fn prediction_at(
    load: &Load,
    queue: f64,
    signals: SignalRate,
    flow: &SteadyState,
    utilisation: f64,
) -> Prediction {
    Prediction {
        queue,
        delay: Nanos::from_secs_f64(queue / load.service()),
        loss: signals.loss,
        marks: signals.marks,
        utilisation,
        window: flow.window,
        timeout_share: flow.timeout_share,
        rtt: Nanos::from_secs_f64(load.round_trip(queue)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use earlydrop::registry::SCHEMES;

    fn load() -> Load {
        Load::default()
    }

    fn expected(scheme: &str, load: &Load) -> Prediction {
        let gateway = Gateway::of(&scheme.parse().unwrap(), load).unwrap();
        predict(load, &gateway).unwrap()
    }

    #[test]
    fn flows_that_are_all_marked_keep_a_packet_each() {
        let mut load = load();
        (load.flows, load.tcp.ecn) = (2000.0, true);
        let found = expected("red:min=5,max=15,mark_above_max=on,limit=10000", &load);
        let left = load.flows - load.bdp();
        assert!((found.queue / left - 1.0).abs() < 0.01, "{found:?} {left}");
        assert!(
            (found.window - 1.0).abs() < 1e-6 && found.loss == 0.0,
            "{found:?}"
        );
    }

    #[test]
    fn every_scheme_has_a_model_or_says_why_not() {
        let mut without = Vec::new();
        for scheme in SCHEMES {
            match Gateway::of(&scheme.name.parse().unwrap(), &load()) {
                Ok(gateway) => {
                    let prediction = predict(&load(), &gateway).unwrap();
                    let name = scheme.name;
                    assert!(
                        prediction.queue > 0.0 && prediction.queue <= gateway.buffer(),
                        "{name}"
                    );
                    assert!((0.0..1.0).contains(&prediction.loss), "{name}");
                    assert!(prediction.utilisation > 0.98, "{name}: {prediction:?}");
                }
                Err(ModelError::NoModel { scheme, .. }) => without.push(scheme),
                Err(other) => panic!("{other}"),
            }
        }
        assert_eq!(without, ["fred", "blue", "sfb", "dual-curvy-red"]);
    }

    #[test]
    fn at_the_operating_point_the_scheme_signals_what_the_flows_require() {
        let load = load();
        let gateway = Gateway::of(&"red:min=20,max=80".parse().unwrap(), &load).unwrap();
        let prediction = predict(&load, &gateway).unwrap();
        let signals = gateway.signal_probability(prediction.queue, load.flows);
        assert!(
            (signals / prediction.loss - 1.0).abs() < 1e-6,
            "{prediction:?}"
        );
        let flow = load.tcp.steady(
            SignalRate {
                loss: signals,
                marks: 0.0,
            },
            load.round_trip(prediction.queue),
        );
        let carried = load.flows * flow.rate * (1.0 - signals);
        assert!((carried / load.service() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn targets_are_held_and_full_buffers_are_full() {
        let load = load();
        let mu = load.service();
        assert!((expected("pie", &load).queue - 0.015 * mu).abs() < 1e-6);
        assert!((expected("droptail:limit=120", &load).queue - 120.0).abs() < 1e-6);
        let ared = expected("ared:min=20,max=60", &load).queue;
        assert!((ared - 40.0).abs() < 1e-6, "{ared}");
    }

    #[test]
    fn marks_replace_losses_but_not_those_of_a_full_buffer() {
        let mut load = load();
        load.tcp.ecn = true;
        let red = expected("red:min=20,max=80", &load);
        assert!(red.marks > 0.0 && red.loss < 1e-9, "{red:?}");
        let droptail = expected("droptail", &load);
        assert!(droptail.marks == 0.0 && droptail.loss > 0.0, "{droptail:?}");
    }

    #[test]
    fn flows_too_few_to_fill_the_link_leave_it_idle() {
        let mut load = load();
        (load.flows, load.tcp.max_window) = (1.0, 10.0);
        let prediction = expected("red", &load);
        let carried = 10.0 / 0.05 / load.service();
        assert_eq!(prediction.queue, 0.0);
        assert!(
            (prediction.utilisation - carried).abs() < 1e-9,
            "{prediction:?}"
        );
    }

    #[test]
    fn self_configuring_red_doubles_until_the_average_is_in_the_band() {
        let mut load = load();
        load.flows = 60.0;
        let red = expected("red:min=10,max=30,max_p=0.01", &load);
        assert!((red.queue - 30.0).abs() < 1e-6, "{red:?}");
        let feng = expected("feng:min=10,max=30,max_p=0.01", &load);
        assert!(
            (10.0..30.0).contains(&feng.queue) && feng.queue < 29.9,
            "{feng:?}"
        );
    }
}
