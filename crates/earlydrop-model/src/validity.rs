//! Where a prediction is not to be trusted, and why.
//!
//! The rules are about how the model is built, not about single results; how far it is off
//! where each applies is in `docs/configuration.md`.

use crate::stability::{Verdict, stability};
use crate::{Gateway, Load, Prediction, sawtooth};

/// A reason not to trust a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caveat {
    /// The loop of flows and curve does not come to operating_point.
    Oscillates,
    /// Windows of fewer than four packets: most losses lead to timeouts.
    SmallWindows,
    /// The queue is taken to be full, and swings below that.
    Full,
    /// CoDel has to drop more often than once an interval and a half: it takes long to get
    /// there, and the queue is long meanwhile.
    SlowToDrop,
    /// Windows swing so far that the queue runs empty.
    RunsEmpty,
}

/// Every caveat.
pub const CAVEATS: [Caveat; 5] = [
    Caveat::Oscillates,
    Caveat::SmallWindows,
    Caveat::Full,
    Caveat::SlowToDrop,
    Caveat::RunsEmpty,
];

/// The least window of which three duplicates can be left.
const SMALL: f64 = 4.0;

/// Drops an interval from which on CoDel is behind.
const BEHIND: f64 = 1.5;

/// A link left idle for more than this share of time by windows out of step.
const IDLE: f64 = 0.002;

impl Caveat {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Caveat::Oscillates => "oscillates",
            Caveat::SmallWindows => "small windows",
            Caveat::Full => "full buffer",
            Caveat::SlowToDrop => "slow to drop",
            Caveat::RunsEmpty => "runs empty",
        }
    }

    /// What it means for a reader of the prediction.
    pub fn meaning(self) -> &'static str {
        match self {
            Caveat::Oscillates => {
                "queue and windows swing: the mean queue is shorter, the link idle at times"
            }
            Caveat::SmallWindows => {
                "windows of fewer than 4 packets: timeouts decide, loss is a rough guess"
            }
            Caveat::Full => "the queue is taken to be full all the time; it is shorter on average",
            Caveat::SlowToDrop => {
                "it must drop more often than it can soon: the queue is longer than its target"
            }
            Caveat::RunsEmpty => "windows swing so far that the queue runs empty at times",
        }
    }
}

/// What speaks against the prediction `operating_point` of `gateway` under `load`.
pub fn caveats(load: &Load, gateway: &Gateway, operating_point: &Prediction) -> Vec<Caveat> {
    let signals = operating_point.loss + operating_point.marks;
    let verdict = stability(load, gateway, operating_point).map(|found| found.verdict());
    let drops = gateway
        .interval()
        .map(|interval| signals * load.service() * interval);
    let holds = |caveat: &Caveat| match caveat {
        Caveat::Oscillates => verdict.is_some_and(|verdict| verdict != Verdict::Stable),
        Caveat::SmallWindows => signals > 0.0 && operating_point.window < SMALL,
        Caveat::Full => operating_point.queue >= gateway.buffer() * (1.0 - 1e-6),
        Caveat::SlowToDrop => drops.is_some_and(|drops| drops > BEHIND),
        Caveat::RunsEmpty => sawtooth::utilisation(load, operating_point.queue) < 1.0 - IDLE,
    };
    CAVEATS.into_iter().filter(holds).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict;

    fn caveats_of(scheme: &str, flows: f64) -> Vec<Caveat> {
        let load = Load {
            flows,
            ..Load::default()
        };
        let gateway = Gateway::of(&scheme.parse().unwrap(), &load).unwrap();
        caveats(&load, &gateway, &predict(&load, &gateway).unwrap())
    }

    #[test]
    fn each_is_raised_where_it_is_due() {
        assert_eq!(caveats_of("pie", 20.0), []);
        assert!(caveats_of("pie", 200.0).contains(&Caveat::SmallWindows));
        assert!(caveats_of("droptail", 20.0).contains(&Caveat::Full));
        assert!(caveats_of("codel", 40.0).contains(&Caveat::SlowToDrop));
        assert!(!caveats_of("pie", 40.0).contains(&Caveat::SlowToDrop));
        assert!(caveats_of("codel", 1.0).contains(&Caveat::RunsEmpty));
        let steep = "red:min=40,max=44,max_p=0.9,weight=0.001";
        assert!(caveats_of(steep, 10.0).contains(&Caveat::Oscillates));
    }
}
