//! The validity of a prediction: known conditions under which the model is inaccurate.
//!
//! Each caveat follows from an assumption of the model. `docs/explanation/the-model.md` has the
//! measured error under each.

use crate::stability::{Verdict, stability};
use crate::{Control, Gateway, Load, Prediction, sawtooth};

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
    /// The predicted queue is short compared with the fluctuations of the windows' sum, which fill
    /// it rarely: the prediction is an upper bound.
    MostlyEmpty,
}

/// Every caveat.
pub const CAVEATS: &[Caveat] = &[
    Caveat::Oscillates,
    Caveat::SmallWindows,
    Caveat::Full,
    Caveat::SlowToDrop,
    Caveat::RunsEmpty,
    Caveat::MostlyEmpty,
];

/// The smallest window, in packets, in which a loss leaves three duplicate acknowledgments.
const SMALL: f64 = 4.0;

/// CoDel's drops per interval above which its queue exceeds the target.
const BEHIND: f64 = 1.5;

/// The idle share of the link above which the queue is said to run empty.
const IDLE: f64 = 0.002;

/// The standard deviation of the windows' sum, in predicted queues, above which the queue is empty
/// most of the time. In the simulated settings of the bands it is at most 1.8.
const FLUCTUATIONS: f64 = 2.0;

impl Caveat {
    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Caveat::Oscillates => "oscillates",
            Caveat::SmallWindows => "small windows",
            Caveat::Full => "full buffer",
            Caveat::SlowToDrop => "slow to drop",
            Caveat::RunsEmpty => "runs empty",
            Caveat::MostlyEmpty => "mostly empty",
        }
    }

    /// What it means for the prediction, as a clause.
    pub fn meaning(self) -> &'static str {
        match self {
            Caveat::Oscillates => {
                "queue and windows may oscillate; where they do, the link is idle at times"
            }
            Caveat::SmallWindows => {
                "windows are below 4 packets: timeouts dominate, and loss is a rough estimate"
            }
            Caveat::Full => "the model assumes a full buffer; the mean queue is shorter",
            Caveat::SlowToDrop => {
                "it needs more drops than it reaches quickly: the queue is longer than its target"
            }
            Caveat::RunsEmpty => "the queue runs empty at times when windows are reduced",
            Caveat::MostlyEmpty => {
                "too few flows for this link: their windows vary by more than twice the queue, \
                 which is empty most of the time, and the predicted delay is an upper bound"
            }
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
        Caveat::MostlyEmpty => {
            sawtooth::fluctuation(load, operating_point.queue)
                > FLUCTUATIONS * operating_point.queue
        }
    };
    CAVEATS.iter().copied().filter(holds).collect()
}

/// Settings whose predictions are off alike: those of the first caveat of [`Group::ALL`] that holds; a
/// queue that is mostly empty counts as one that runs empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group(Option<Caveat>);

impl Group {
    /// Every group.
    pub const ALL: &[Group] = &[
        Group(None),
        Group(Some(Caveat::SlowToDrop)),
        Group(Some(Caveat::Full)),
        Group(Some(Caveat::SmallWindows)),
        Group(Some(Caveat::RunsEmpty)),
        Group(Some(Caveat::Oscillates)),
    ];

    /// The group of a prediction with these caveats.
    pub fn of(caveats: &[Caveat]) -> Group {
        let has = |caveat| caveats.contains(&caveat);
        let holds = |group: &Group| match group.0 {
            Some(Caveat::RunsEmpty) => has(Caveat::RunsEmpty) || has(Caveat::MostlyEmpty),
            Some(caveat) => has(caveat),
            None => false,
        };
        let found = Group::ALL.iter().copied().find(holds);
        found.unwrap_or(Group(None))
    }

    /// The name in tables.
    pub fn name(self) -> &'static str {
        self.0.map_or("no caveat", Caveat::name)
    }
}

/// The loads of Reno and CUBIC whose predictions were compared with simulations: from and to.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// Bits per second.
    pub rate: (f64, f64),
    /// Seconds.
    pub rtt: (f64, f64),
    /// Flows.
    pub flows: (f64, f64),
}

/// The region of the bands.
pub const REGION: Region = Region {
    rate: (2e6, 200e6),
    rtt: (0.01, 0.2),
    flows: (2.0, 200.0),
};

impl Region {
    /// Whether a load lies in it.
    pub fn contains(&self, load: &Load) -> bool {
        let within = |value: f64, (low, high): (f64, f64)| (low..=high).contains(&value);
        load.tcp.control != Control::Dctcp
            && within(load.rate.0 as f64, self.rate)
            && within(load.rtt.as_secs_f64(), self.rtt)
            && within(load.flows, self.flows)
    }
}

/// What was measured in simulations, by what was predicted: the narrowest ranges that hold 8 of 10
/// settings of a group in all three quantities at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// The number of simulated settings.
    pub settings: u32,
    /// The mean delay, measured / predicted.
    pub delay: (f64, f64),
    /// The share of packets lost or marked, measured / predicted.
    pub signals: (f64, f64),
    /// The utilisation, measured - predicted.
    pub utilisation: (f64, f64),
}

const fn band(
    settings: u32,
    delay: (f64, f64),
    signals: (f64, f64),
    utilisation: (f64, f64),
) -> Band {
    Band {
        settings,
        delay,
        signals,
        utilisation,
    }
}

impl Group {
    /// What 8 of 10 settings of this group measured: the table of `docs/explanation/the-model.md`.
    pub fn band(self) -> Band {
        match self.0 {
            None => band(317, (0.86, 1.28), (0.69, 1.83), (-0.028, 0.001)),
            Some(Caveat::SlowToDrop) => band(157, (0.36, 10.69), (0.28, 1.35), (-0.004, 0.001)),
            Some(Caveat::Full) => band(226, (0.48, 0.99), (1.11, 2.52), (-0.023, 0.001)),
            Some(Caveat::SmallWindows) => band(422, (0.55, 1.59), (0.54, 1.66), (-0.079, 0.0)),
            Some(Caveat::RunsEmpty | Caveat::MostlyEmpty) => {
                band(159, (0.15, 1.82), (0.78, 10.2), (-0.279, -0.005))
            }
            Some(Caveat::Oscillates) => band(219, (0.35, 1.11), (0.95, 2.99), (-0.171, 0.001)),
        }
    }
}

impl Band {
    /// The band of a prediction with these caveats; `None` where nothing was simulated near `load`.
    pub fn of(load: &Load, caveats: &[Caveat]) -> Option<Band> {
        REGION.contains(load).then(|| Group::of(caveats).band())
    }

    /// The measured delays, shares of signals and utilisations that go with a prediction.
    pub fn measured(&self, prediction: &Prediction) -> Measured {
        let relative = |value: f64, (low, high): (f64, f64)| (value * low, value * high);
        let share = |(low, high): (f64, f64)| (low.clamp(0.0, 1.0), high.clamp(0.0, 1.0));
        let used = prediction.utilisation;
        let (less, more) = self.utilisation;
        Measured {
            delay: relative(prediction.delay.as_secs_f64(), self.delay),
            signals: share(relative(prediction.loss + prediction.marks, self.signals)),
            utilisation: share((used + less, used + more)),
        }
    }
}

/// What 8 of 10 simulations of settings like a predicted one measured, from and to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The mean queueing delay, in seconds.
    pub delay: (f64, f64),
    /// The share of packets lost or marked.
    pub signals: (f64, f64),
    /// The utilisation.
    pub utilisation: (f64, f64),
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
        assert!(caveats_of("red:min=5", 1.0).contains(&Caveat::MostlyEmpty));
        assert!(!caveats_of("red:min=20,max=60", 5.0).contains(&Caveat::MostlyEmpty));
        let steep = "red:min=40,max=44,max_p=0.9,weight=0.001";
        assert!(caveats_of(steep, 10.0).contains(&Caveat::Oscillates));
    }

    /// Every number of the bands is one of the page on the model's accuracy.
    #[test]
    fn the_bands_are_those_of_the_page() {
        let page = include_str!("../../../docs/explanation/the-model.md");
        for group in Group::ALL {
            let Band {
                settings,
                delay,
                signals,
                utilisation,
            } = group.band();
            let row = format!(
                "| {} | {settings} | {:.2} to {:.2} | {:.2} to {:.2} | {:+.3} to {:+.3} |",
                group.name(),
                delay.0,
                delay.1,
                signals.0,
                signals.1,
                utilisation.0,
                utilisation.1
            );
            assert!(page.contains(&row), "no {row}");
        }
    }

    #[test]
    fn a_band_is_of_the_first_caveat_within_its_region() {
        let load = Load {
            flows: 20.0,
            ..Load::default()
        };
        let gateway = Gateway::of(&"pie".parse().unwrap(), &load).unwrap();
        let prediction = predict(&load, &gateway).unwrap();
        let delay = prediction.delay.as_secs_f64();
        let (low, high) = Band::of(&load, &[]).unwrap().measured(&prediction).delay;
        assert!(low < delay && delay < high);
        let slow = Band::of(&load, &[Caveat::SlowToDrop, Caveat::RunsEmpty]).unwrap();
        let measured = slow.measured(&prediction);
        assert!(2.0 * delay < measured.delay.1, "{measured:?}");
        assert!(measured.utilisation.1 <= 1.0);
        let far = Load {
            flows: 2000.0,
            ..load
        };
        assert_eq!(Band::of(&far, &[]), None);
        let mut other = load;
        other.tcp.control = Control::Dctcp;
        assert_eq!(Band::of(&other, &[]), None);
    }
}
