//! The validity of a prediction: known conditions under which the model is inaccurate.
//!
//! Each caveat follows from an assumption of the model. `docs/explanation/the-model.md` has the
//! measured error under each.

use crate::stability::{Verdict, stability};
use crate::{Gateway, Load, Prediction, sawtooth};

/// A reason to distrust a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Caveat {
    /// The control loop is not stable.
    Oscillates,
    /// Windows are below four packets: most losses cause timeouts.
    SmallWindows,
    /// The model assumes a full buffer, but the queue oscillates below it.
    Full,
    /// CoDel needs more than 1.5 drops per interval. It raises its drop rate slowly, and the queue
    /// is long meanwhile.
    SlowToDrop,
    /// The queue runs empty when windows are reduced.
    RunsEmpty,
}

/// Every caveat.
pub const CAVEATS: &[Caveat] = &[
    Caveat::Oscillates,
    Caveat::SmallWindows,
    Caveat::Full,
    Caveat::SlowToDrop,
    Caveat::RunsEmpty,
];

/// The smallest window, in packets, in which a loss leaves three duplicate acknowledgments.
const SMALL: f64 = 4.0;

/// CoDel's drops per interval above which its queue exceeds the target.
const BEHIND: f64 = 1.5;

/// The idle share of the link above which the queue is said to run empty.
const IDLE: f64 = 0.002;

impl Caveat {
    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Caveat::Oscillates => "oscillates",
            Caveat::SmallWindows => "small windows",
            Caveat::Full => "full buffer",
            Caveat::SlowToDrop => "slow to drop",
            Caveat::RunsEmpty => "runs empty",
        }
    }

    /// What it means for the prediction, as a clause.
    pub fn meaning(self) -> &'static str {
        match self {
            Caveat::Oscillates => {
                "queue and windows oscillate: the mean queue is shorter, and the link is idle at times"
            }
            Caveat::SmallWindows => {
                "windows are below 4 packets: timeouts dominate, and loss is a rough estimate"
            }
            Caveat::Full => "the model assumes a full buffer; the mean queue is shorter",
            Caveat::SlowToDrop => {
                "it needs more drops than it reaches quickly: the queue is longer than its target"
            }
            Caveat::RunsEmpty => "the queue runs empty at times when windows are reduced",
        }
    }
}

/// The caveats that hold for the prediction `operating_point` of `gateway` under `load`.
pub fn caveats(load: &Load, gateway: &Gateway, operating_point: &Prediction) -> Vec<Caveat> {
    let signals = operating_point.loss + operating_point.marks;
    let verdict = stability(load, gateway, operating_point).map(|margins| margins.verdict());
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
    CAVEATS.iter().copied().filter(holds).collect()
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
    fn each_caveat_is_raised_under_its_condition() {
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
