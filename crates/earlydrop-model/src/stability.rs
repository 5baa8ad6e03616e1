//! The stability of the control loop of flows and curve, by gain and phase margin.
//!
//! C. V. Hollot, V. Misra, D. Towsley, W. Gong, "A Control Theoretic Analysis of RED",
//! INFOCOM 2001: linearised at the operating point, with L the slope of the curve in probability per packet,
//! C packets a second, R the round-trip time with queueing, N flows and K the pole of the average,
//! the loop is
//! `L (R C)^3/(2N)^2 e^(-sR) / ((1 + s R^2 C/(2N)) (1 + s R) (1 + s/K))`.
//!
//! DCTCP by the same steps, from the fluid model of M. Alizadeh, A. Javanmard, B. Prabhakar, "Analysis
//! of DCTCP", SIGMETRICS 2011, where each window has a mark: with `dW/dt = 1/R - W alpha/(2R)`,
//! `dalpha/dt = g/R (p - alpha)` and W = 2/p = R C/N packets, the loop is
//! `L (R C)^2/(2N) e^(-sR) / ((1 + s W R) (1 + s R/g) (1 + s R) (1 + s/K))`.
//!
//! The loop does not model timeouts. With the slope of the full TCP formula, it would call many
//! more loops with small windows oscillating than simulation does.

use std::f64::consts::PI;

use crate::solve::falling_root_of_powers;
use crate::tcp::DCTCP_GAIN;
use crate::{Gateway, Load, Prediction};

/// The least phase margin of a stable loop, in degrees; below it, the loop rings for long.
const SAFE: f64 = 30.0;

/// The least phase margin, in degrees: the phase has turned once. How often it turns then says
/// nothing about the loop.
pub const LEAST_MARGIN: f64 = -180.0;

/// What happens to a small disturbance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It decays.
    Stable,
    /// It decays slowly, or barely not.
    OnTheEdge,
    /// It grows: queue and windows oscillate.
    Oscillating,
}

impl Verdict {
    /// The name in reports and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Stable => "stable",
            Verdict::OnTheEdge => "on the edge",
            Verdict::Oscillating => "oscillating",
        }
    }
}

/// How far a loop is from oscillating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stability {
    /// The loop gain at frequency 0.
    pub gain: f64,
    /// The phase margin in degrees, at most 180; negative if the loop oscillates, and
    /// [`LEAST_MARGIN`] where the phase turns on and on before the gain falls to 1; infinite if the
    /// gain never exceeds 1.
    pub phase_margin: f64,
    /// The gain margin: the factor on the gain at which the loop would oscillate.
    pub gain_margin: f64,
    /// The period of ringing or oscillation, in seconds.
    pub period: f64,
}

impl Stability {
    /// Stable from margins of 30 degrees and a factor of 2 on; oscillating below 0 degrees or a
    /// factor of 1.
    pub fn verdict(&self) -> Verdict {
        if self.phase_margin < 0.0 || self.gain_margin < 1.0 {
            Verdict::Oscillating
        } else if self.phase_margin < SAFE || self.gain_margin < 2.0 {
            Verdict::OnTheEdge
        } else {
            Verdict::Stable
        }
    }
}

/// The open loop: gain, delay in seconds, and poles in radians per second.
#[derive(Clone, Copy, Debug)]
struct Loop {
    gain: f64,
    delay: f64,
    poles: [f64; 4],
}

impl Loop {
    fn magnitude(&self, omega: f64) -> f64 {
        let poles = self.poles.iter();
        poles.fold(self.gain, |gain, pole| gain / (omega / pole).hypot(1.0))
    }

    /// The phase in radians: negative and decreasing in omega.
    fn phase(&self, omega: f64) -> f64 {
        let poles: f64 = self.poles.iter().map(|pole| (omega / pole).atan()).sum();
        -omega * self.delay - poles
    }
}

/// The range of frequencies, in radians per second.
const SLOWEST: f64 = 1e-9;
const FASTEST: f64 = 1e9;

/// The margins of `gateway` under `load` at `operating_point`; `None` if the scheme has no curve over
/// an average, or gives no signals.
pub fn stability(
    load: &Load,
    gateway: &Gateway,
    operating_point: &Prediction,
) -> Option<Stability> {
    let signals = operating_point.loss + operating_point.marks;
    if signals <= 0.0 {
        return None;
    }
    let weight = gateway.weight()?;
    let slope = gateway
        .frozen(operating_point.queue, signals, load.flows)?
        .slope(operating_point.queue, load.flows);
    let (c, n) = (load.service(), load.flows);
    let r = load.round_trip(operating_point.queue);
    let slope = slope.min(1e12);
    let arrivals = c / (1.0 - operating_point.loss);
    // An average that is the queue itself has no pole.
    let average = -(-weight).ln_1p() * arrivals;
    let window = r * c / n;
    let (gain, poles) = match load.tcp.follows_marks(operating_point.marks) {
        true => (
            slope * n * window.powi(2) / 2.0,
            [1.0 / (window * r), DCTCP_GAIN / r, 1.0 / r, average],
        ),
        false => (
            slope * n * window.powi(3) / 4.0,
            [2.0 / (window * r), f64::INFINITY, 1.0 / r, average],
        ),
    };
    Some(margins(&Loop {
        gain,
        delay: r,
        poles,
    }))
}

fn margins(loop_: &Loop) -> Stability {
    let turned = falling_root_of_powers(SLOWEST, FASTEST, |omega| PI + loop_.phase(omega));
    let crossed = falling_root_of_powers(SLOWEST, FASTEST, |omega| loop_.magnitude(omega) - 1.0);
    let crosses = loop_.gain > 1.0;
    Stability {
        gain: loop_.gain,
        phase_margin: match crosses {
            true => (PI + loop_.phase(crossed)).to_degrees().max(LEAST_MARGIN),
            false => f64::INFINITY,
        },
        gain_margin: 1.0 / loop_.magnitude(turned),
        period: 2.0 * PI / if crosses { crossed } else { turned },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fluid_balance;
    use earlydrop::units::{BitsPerSec, Bytes, Nanos};

    #[test]
    fn margins_of_a_loop_computed_by_hand() {
        // Gain 2 over one pole at 1: crosses at sqrt(3), where the pole turns by 60 degrees and a
        // delay of 0.1 s by 9.92.
        let one = Loop {
            gain: 2.0,
            delay: 0.1,
            poles: [1.0, f64::INFINITY, f64::INFINITY, f64::INFINITY],
        };
        let reference = margins(&one);
        let by_hand = 180.0 - 60.0 - (0.1 * 3.0_f64.sqrt()).to_degrees();
        assert!(
            (reference.phase_margin - by_hand).abs() < 1e-6,
            "{reference:?}"
        );
        assert!((reference.period - 2.0 * PI / 3.0_f64.sqrt()).abs() < 1e-6);
        let small = margins(&Loop { gain: 0.5, ..one });
        assert_eq!(small.phase_margin, f64::INFINITY);
        assert_eq!(small.verdict(), Verdict::Stable);
        assert!((small.gain_margin / reference.gain_margin - 4.0).abs() < 1e-9);
    }

    #[test]
    fn a_phase_margin_is_an_angle() {
        let steep = margins(&Loop {
            gain: 1e27,
            delay: 1.0,
            poles: [1e-3, 1.0, 1e3, f64::INFINITY],
        });
        assert_eq!(steep.phase_margin, LEAST_MARGIN);
        assert_eq!(steep.verdict(), Verdict::Oscillating);
    }

    /// The example of Hollot and others: 3750 packets per second, 60 flows.
    fn hollot(weight: &str, max: u32) -> Stability {
        let load = Load {
            rate: BitsPerSec::from_mbps(15),
            packet: Bytes(500),
            rtt: Nanos::from_millis(200),
            flows: 60.0,
            ..Load::default()
        };
        let spec = format!("red:min=150,max={max},max_p=0.1,spacing=geometric,weight={weight}");
        let gateway = Gateway::of(&spec.parse().unwrap(), &load).unwrap();
        let operating_point = fluid_balance(&load, &gateway).unwrap();
        stability(&load, &gateway, &operating_point).unwrap()
    }

    #[test]
    fn a_slower_average_stabilises_their_example() {
        // Their design has K = 0.005 rad/s, a weight of 1.33e-6; their first run 1.33e-4.
        let slow = hollot("0.00000133", 200);
        assert_eq!(slow.verdict(), Verdict::Stable, "{slow:?}");
        let fast = hollot("0.000133", 200);
        assert_eq!(fast.verdict(), Verdict::Oscillating, "{fast:?}");
    }

    #[test]
    fn a_steeper_curve_is_less_stable() {
        let margins = [900, 600, 300, 200].map(|max| hollot("0.00001", max).gain_margin);
        assert!(
            margins.windows(2).all(|pair| pair[0] > pair[1]),
            "{margins:?}"
        );
    }
}
