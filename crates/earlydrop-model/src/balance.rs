//! Where flows and a scheme come to rest: the flows send what the link carries when they are
//! told of congestion as often as the scheme tells at the queue they keep.

use earlydrop::units::Nanos;

use crate::solve::{falling_root, falling_root_of_powers};
use crate::tcp::SteadyState;
use crate::{Gateway, Load, ModelError, SignalRate, sawtooth};

/// What to expect in steady state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The average queue, in packets.
    pub queue: f64,
    /// How long a packet waits on average.
    pub delay: Nanos,
    /// The share of packets that is lost.
    pub loss: f64,
    /// The share that is marked.
    pub marks: f64,
    /// The share of the link's time that it sends.
    pub utilisation: f64,
    /// What a flow has on its way, in packets, while it is not waiting for its timer.
    pub window: f64,
    /// The share of its time that a flow waits for its timer.
    pub timeout_share: f64,
    /// The round trip with the queue in it.
    pub rtt: Nanos,
}

/// The least probability looked at.
const LEAST: f64 = 1e-12;

/// What `gateway` comes to under `load`: by the fluid balance, which is nearer to what is
/// simulated than the [closed loop](crate::closed_loop); `docs/configuration.md` has the
/// figures.
pub fn predict(load: &Load, gateway: &Gateway) -> Result<Prediction, ModelError> {
    fluid_balance(load, gateway)
}

/// The fluid balance: `N B(p) (1-p) = mu` and `p` what the scheme tells at the queue. Both are
/// taken to stand still; only for the utilisation do windows swing, out of step.
pub fn fluid_balance(load: &Load, gateway: &Gateway) -> Result<Prediction, ModelError> {
    load.check()?;
    let mut gateway = gateway.clone();
    loop {
        let found = balance(load, &gateway);
        match gateway.after_doubling(found.queue) {
            Some(stronger) => gateway = stronger,
            None => return Ok(found),
        }
    }
}

fn balance(load: &Load, gateway: &Gateway) -> Prediction {
    let queue = falling_root(0.0, gateway.buffer(), |queue| {
        required_signal_probability(load, gateway, queue)
            - gateway.signal_probability(queue, load.flows)
    });
    let p = required_signal_probability(load, gateway, queue);
    let told = gateway.split(p, queue, load.flows);
    let rtt = load.round_trip(queue);
    let flow = load.tcp.steady(told, rtt);
    // SignalRate at all, they are told because the link is full, but for what windows swing.
    let utilisation = match p > 0.0 {
        true => sawtooth::utilisation(load, queue),
        false => (load.flows * flow.rate / load.service()).min(1.0),
    };
    prediction_at(load, queue, told, &flow, utilisation)
}

/// How often the flows must be told at `queue` packets so that the link is just full; 0 where
/// they cannot fill it.
pub fn required_signal_probability(load: &Load, gateway: &Gateway, queue: f64) -> f64 {
    let rtt = load.round_trip(queue);
    let excess = |p: f64| {
        let told = gateway.split(p, queue, load.flows);
        load.flows * load.tcp.steady(told, rtt).rate * (1.0 - told.loss) - load.service()
    };
    match excess(LEAST) <= 0.0 {
        true => 0.0,
        false => falling_root_of_powers(LEAST, 1.0, excess),
    }
}

pub(crate) fn prediction_at(
    load: &Load,
    queue: f64,
    told: SignalRate,
    flow: &SteadyState,
    utilisation: f64,
) -> Prediction {
    Prediction {
        queue,
        delay: Nanos::from_secs_f64(queue / load.service()),
        loss: told.loss,
        marks: told.marks,
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
    fn every_scheme_has_a_model_or_says_why_not() {
        let mut without = Vec::new();
        for scheme in SCHEMES {
            match Gateway::of(&scheme.name.parse().unwrap(), &load()) {
                Ok(gateway) => {
                    let found = predict(&load(), &gateway).unwrap();
                    let name = scheme.name;
                    assert!(
                        found.queue > 0.0 && found.queue <= gateway.buffer(),
                        "{name}"
                    );
                    assert!((0.0..1.0).contains(&found.loss), "{name}");
                    assert!(found.utilisation > 0.98, "{name}: {found:?}");
                }
                Err(ModelError::NoModel { scheme, .. }) => without.push(scheme),
                Err(other) => panic!("{other}"),
            }
        }
        assert_eq!(without, ["fred", "blue", "sfb"]);
    }

    #[test]
    fn at_rest_the_scheme_tells_what_the_flows_need() {
        let load = load();
        let gateway = Gateway::of(&"red:min=20,max=80".parse().unwrap(), &load).unwrap();
        let found = predict(&load, &gateway).unwrap();
        let told = gateway.signal_probability(found.queue, load.flows);
        assert!((told / found.loss - 1.0).abs() < 1e-6, "{found:?}");
        let flow = load.tcp.steady(
            SignalRate {
                loss: told,
                marks: 0.0,
            },
            load.round_trip(found.queue),
        );
        let carried = load.flows * flow.rate * (1.0 - told);
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
        let found = expected("red", &load);
        let carried = 10.0 / 0.05 / load.service();
        assert_eq!(found.queue, 0.0);
        assert!((found.utilisation - carried).abs() < 1e-9, "{found:?}");
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
