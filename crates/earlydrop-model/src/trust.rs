//! Where a prediction is not to be trusted, and why.
//!
//! The rules are about how the model is built, not about single results; how far it is off
//! where each applies is in `docs/configuration.md`.

use crate::stability::{Verdict, stability};
use crate::{Gateway, Load, Prediction, sawtooth};

/// A reason not to trust a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The loop of flows and curve does not come to rest.
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

/// Every doubt.
pub const DOUBTS: [Doubt; 5] = [
    Doubt::Oscillates,
    Doubt::SmallWindows,
    Doubt::Full,
    Doubt::SlowToDrop,
    Doubt::RunsEmpty,
];

/// The least window of which three duplicates can be left.
const SMALL: f64 = 4.0;

/// Drops an interval from which on CoDel is behind.
const BEHIND: f64 = 1.5;

/// A link left idle for more than this share of time by windows out of step.
const IDLE: f64 = 0.002;

impl Doubt {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Doubt::Oscillates => "oscillates",
            Doubt::SmallWindows => "small windows",
            Doubt::Full => "full buffer",
            Doubt::SlowToDrop => "slow to drop",
            Doubt::RunsEmpty => "runs empty",
        }
    }

    /// What it means for a reader of the prediction.
    pub fn meaning(self) -> &'static str {
        match self {
            Doubt::Oscillates => {
                "queue and windows swing: the mean queue is shorter, the link idle at times"
            }
            Doubt::SmallWindows => {
                "windows of fewer than 4 packets: timeouts decide, loss is a rough guess"
            }
            Doubt::Full => "the queue is taken to be full all the time; it is shorter on average",
            Doubt::SlowToDrop => {
                "it must drop more often than it can soon: the queue is longer than its target"
            }
            Doubt::RunsEmpty => "windows swing so far that the queue runs empty at times",
        }
    }
}

/// What speaks against the prediction `rest` of `gateway` under `load`.
pub fn doubts(load: &Load, gateway: &Gateway, rest: &Prediction) -> Vec<Doubt> {
    let told = rest.loss + rest.marks;
    let verdict = stability(load, gateway, rest).map(|found| found.verdict());
    let drops = gateway
        .interval()
        .map(|interval| told * load.service() * interval);
    let holds = |doubt: &Doubt| match doubt {
        Doubt::Oscillates => verdict.is_some_and(|verdict| verdict != Verdict::Stable),
        Doubt::SmallWindows => told > 0.0 && rest.window < SMALL,
        Doubt::Full => rest.queue >= gateway.buffer() * (1.0 - 1e-6),
        Doubt::SlowToDrop => drops.is_some_and(|drops| drops > BEHIND),
        Doubt::RunsEmpty => sawtooth::utilisation(load, rest.queue) < 1.0 - IDLE,
    };
    DOUBTS.into_iter().filter(holds).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict;

    fn doubts_of(scheme: &str, flows: f64) -> Vec<Doubt> {
        let load = Load {
            flows,
            ..Load::default()
        };
        let gateway = Gateway::of(&scheme.parse().unwrap(), &load).unwrap();
        doubts(&load, &gateway, &predict(&load, &gateway).unwrap())
    }

    #[test]
    fn each_is_raised_where_it_is_due() {
        assert_eq!(doubts_of("pie", 20.0), []);
        assert!(doubts_of("pie", 200.0).contains(&Doubt::SmallWindows));
        assert!(doubts_of("droptail", 20.0).contains(&Doubt::Full));
        assert!(doubts_of("codel", 40.0).contains(&Doubt::SlowToDrop));
        assert!(!doubts_of("pie", 40.0).contains(&Doubt::SlowToDrop));
        assert!(doubts_of("codel", 1.0).contains(&Doubt::RunsEmpty));
        let steep = "red:min=40,max=44,max_p=0.9,weight=0.001";
        assert!(doubts_of(steep, 10.0).contains(&Doubt::Oscillates));
    }
}
