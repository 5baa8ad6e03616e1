//! Links with their flows and goals, drawn at random.

use earlydrop::random::Pcg32;
use earlydrop::registry::Spec;
use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_lab::verify::RunLength;
use earlydrop_model::configure::{Goal, Question};
use earlydrop_model::{Control, Load, Tcp};

/// Runs of each simulation.
pub(crate) const SEEDS: u64 = 3;

/// The most packets of one run: others take minutes.
const MOST_PACKETS: f64 = 3e6;

/// Questions without end, about RED; those whose run has more packets than [`MOST_PACKETS`] are left out.
pub(crate) struct RandomLinks {
    random: Pcg32,
    /// Draws which links have DCTCP; `None` if none has.
    dctcp: Option<Pcg32>,
}

impl RandomLinks {
    pub(crate) fn new(seed: u64) -> RandomLinks {
        RandomLinks {
            random: Pcg32::new(seed, 1),
            dctcp: None,
        }
    }

    /// The same links, of which a third have DCTCP in place of Reno or CUBIC.
    #[allow(
        dead_code,
        reason = "one of the examples that share this draws with it"
    )]
    pub(crate) fn with_dctcp(seed: u64) -> RandomLinks {
        RandomLinks {
            dctcp: Some(Pcg32::new(seed, 2)),
            ..RandomLinks::new(seed)
        }
    }
}

impl Iterator for RandomLinks {
    type Item = Question;

    fn next(&mut self) -> Option<Question> {
        loop {
            let mut load = draw(&mut self.random);
            if let Some(random) = &mut self.dctcp
                && random.chance(1.0 / 3.0)
            {
                (load.tcp.control, load.tcp.ecn) = (Control::Dctcp, true);
            }
            let question = Question {
                load,
                scheme: Spec::new("red").ok()?,
                buffer: None,
                goal: goal(&mut self.random, &load),
                method: None,
                open_loop: None,
            };
            let duration = RunLength::brief(&question, SEEDS).duration;
            if duration.as_secs_f64() * load.service() <= MOST_PACKETS {
                return Some(question);
            }
        }
    }
}

/// A link with its flows: rates of 1 Mbps to 100 Gbps, round trips of 1 to 300 ms and 1 to 1,000
/// flows, each uniform in its logarithm.
fn draw(random: &mut Pcg32) -> Load {
    let mut between = |low: f64, high: f64| low * (high / low).powf(random.uniform());
    let two_digits = |value: f64| {
        let scale = 10_f64.powi(value.log10().floor() as i32 - 1);
        (value / scale).round() * scale
    };
    let rate = two_digits(between(1e6, 1e11));
    let rtt = two_digits(between(1e-3, 0.3));
    let flows = between(1.0, 1000.0).round();
    Load {
        rate: BitsPerSec(rate.round() as u64),
        rtt: Nanos::from_secs_f64(rtt),
        flows,
        tcp: Tcp {
            control: if random.chance(0.5) {
                Control::Reno
            } else {
                Control::Cubic
            },
            ecn: random.chance(0.5),
            ..Tcp::default()
        },
        ..Load::default()
    }
}

/// A third each: none, a full link, and a delay of a tenth of the round trip to all of it, at least 1 ms and
/// five packets.
fn goal(random: &mut Pcg32, load: &Load) -> Goal {
    match random.below(3) {
        0 => Goal::Usual,
        1 => Goal::Utilisation(0.98),
        _ => {
            let delay = load.rtt.as_secs_f64() * 0.1 * 10_f64.powf(random.uniform());
            let least = 5.0 / load.service();
            Goal::Delay(Nanos::from_secs_f64(delay.max(1e-3).max(least)))
        }
    }
}
