//! The utilisation of a link under unsynchronised sawtooth windows.
//!
//! G. Appenzeller, I. Keslassy, N. McKeown, "Sizing Router Buffers", SIGCOMM 2004: the sum of
//! N windows is nearly normally distributed, and the link is idle by the amount by which the sum is
//! below the bandwidth-delay product.

use crate::solve::falling_root;
use crate::tcp::DCTCP_GAIN;
use crate::{Control, Load};

/// The standard deviation of a flow's window, divided by its mean.
///
/// A window that a signal cuts to the share c of what it was is uniform between c and 1. DCTCP's,
/// which a mark reduces by alpha/2, varies with alpha: an average with the gain g = 1/16 over windows
/// of about two marks each has a relative deviation of `sqrt(g/(2-g) / 2)`.
fn spread(control: Control) -> f64 {
    let of_cut = |cut: f64| (1.0 - cut) / 12.0_f64.sqrt() / (0.5 * (1.0 + cut));
    match control {
        Control::Reno => of_cut(0.5),
        Control::Cubic => of_cut(0.7),
        Control::Dctcp => (DCTCP_GAIN / (2.0 - DCTCP_GAIN) / 2.0).sqrt(),
    }
}

/// The standard deviation of the sum of all windows, with a mean of `total` packets.
fn deviation(load: &Load, total: f64) -> f64 {
    spread(load.tcp.control) * total / load.flows.sqrt()
}

/// The standard deviation, in packets, of the sum of all windows at an average queue of `queue`.
pub(crate) fn fluctuation(load: &Load, queue: f64) -> f64 {
    deviation(load, load.bdp() + queue)
}

/// The utilisation of the link at an average queue of `queue` packets.
pub fn utilisation(load: &Load, queue: f64) -> f64 {
    let path = load.bdp();
    let deviation = deviation(load, path + queue);
    let short = deviation * normal_loss(queue / deviation);
    1.0 - (short / path).min(1.0)
}

/// The least average queue, in packets, that gives this utilisation.
pub fn queue_for(load: &Load, utilisation_wanted: f64) -> f64 {
    let path = load.bdp();
    falling_root(0.0, 4.0 * path, |queue| {
        utilisation_wanted - utilisation(load, queue)
    })
}

/// The standard normal loss function: the mean shortfall below -z, `phi(z) - z (1 - Phi(z))`.
fn normal_loss(z: f64) -> f64 {
    let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    (density - z * upper_tail(z)).max(0.0)
}

/// 1 - Phi(z) for z >= 0, with an error below 7.5e-8 (Abramowitz and Stegun, 26.2.17).
fn upper_tail(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z);
    let series = [
        0.319_381_530,
        -0.356_563_782,
        1.781_477_937,
        -1.821_255_978,
        1.330_274_429,
    ];
    let sum = series
        .iter()
        .rev()
        .fold(0.0, |sum, factor| (sum + factor) * t);
    sum * (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_distribution_matches_tables() {
        for (z, tail) in [
            (0.0, 0.5),
            (1.0, 0.158_655_3),
            (1.96, 0.024_997_9),
            (3.0, 0.001_349_9),
        ] {
            assert!((upper_tail(z) - tail).abs() < 1e-7, "{z}");
        }
        assert!((normal_loss(0.0) - 0.398_942_3).abs() < 1e-6);
    }

    #[test]
    fn more_flows_need_less_queue() {
        let needed = |flows| {
            queue_for(
                &Load {
                    flows,
                    ..Load::default()
                },
                0.995,
            )
        };
        let queues = [1.0, 4.0, 16.0, 64.0].map(needed);
        assert!(
            queues.windows(2).all(|pair| pair[0] > pair[1]),
            "{queues:?}"
        );
        let load = Load {
            flows: 4.0,
            ..Load::default()
        };
        assert!((utilisation(&load, queues[1]) - 0.995).abs() < 1e-9);
        assert_eq!(queue_for(&Load { flows: 1e6, ..load }, 0.98), 0.0);
    }
}
