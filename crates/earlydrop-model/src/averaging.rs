//! How fast RED's average should follow the queue: one opinion for [`configure`](crate::configure)
//! and [`explain`](crate::explain).
//!
//! The time constant of an average with weight w is 1/w packets. It should be **ten round trips**
//! (Floyd, Gummadi, Shenker 2001, section 3.3), and at least one and at most twenty.
//!
//! *Not faster.* TCP sends its windows in bursts within a round trip, and a flow in slow start
//! doubles its rate in each. Equation (3) of Floyd and Jacobson (1993) bounds the burst that an
//! average lets pass; `tc`'s `burst` is that bound. With a time constant below one round trip the
//! bound is little more than `min`, and RED drops from what would drain by itself. `tc`'s manual
//! gives (2 min + max)/(3 avpkt) as the least burst, which knows no round-trip time: over long
//! paths it is too small.
//!
//! *Not slower.* An average of more than twenty round trips reacts after the windows have changed.
//!
//! *Not what is fastest and stable.* Stability alone decides nothing between these bounds: with 50
//! flows on 100 Mbps over 20 ms, simulations measured 6.2 to 6.3 ms and 4.8% lost with
//! every weight from 0.1 (0.06 round trips) to 0.0003 (20 round trips). What decides is the bursts
//! that long flows do not have.
//!
//! *DCTCP is another matter.* It averages the marks of each window itself, and asks for marks by the
//! queue as it is, not by an average (Alizadeh and others 2010, section 3.1): a weight of 1 comes
//! first.

use earlydrop::red::Average;

use crate::{Control, Load};

/// The shortest time constant, in round trips without queueing.
pub const SHORTEST: f64 = 1.0;
/// The time constant to choose.
pub const USUAL: f64 = 10.0;
/// The longest time constant.
pub const LONGEST: f64 = 20.0;

/// The time constant of an average with this weight, in round trips without queueing.
pub fn time_constant(weight: f64, load: &Load) -> f64 {
    1.0 / (weight * load.service() * load.rtt.as_secs_f64())
}

/// The weight with a time constant of `round_trips`.
pub fn weight_of(round_trips: f64, load: &Load) -> f64 {
    Average::automatic_weight(load.service(), round_trips * load.rtt.as_secs_f64())
}

/// The weights to choose from, the preferred one first. Each may be rounded to a power of two, as
/// most tools do, without leaving the bounds.
pub fn candidates(load: &Load) -> [f64; 2] {
    match load.tcp.control {
        Control::Dctcp => [1.0, weight_of(USUAL, load)],
        _ => [USUAL, LONGEST / std::f64::consts::SQRT_2]
            .map(|round_trips| weight_of(round_trips, load)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_stay_within_the_bounds_when_rounded_to_a_power_of_two() {
        for mbps in [5, 20, 100, 1000, 40_000] {
            let load = Load {
                rate: earlydrop::units::BitsPerSec::from_mbps(mbps),
                ..Load::default()
            };
            for weight in candidates(&load) {
                let rounded = weight.log2().round().exp2();
                let round_trips = time_constant(rounded, &load);
                assert!(
                    (SHORTEST..=LONGEST).contains(&round_trips),
                    "{mbps}: {round_trips}"
                );
            }
        }
    }
}
