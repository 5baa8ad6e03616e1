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

/// How far predictions were off in simulations: the errors of 8 of 10 settings, as 10% and 90%
/// quantiles. Errors of delay and of signals are (predicted - measured)/measured; those of
/// utilisation are predicted - measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// The number of simulated settings.
    pub settings: u32,
    /// Those of them with delay and signals within a quarter, and utilisation within 2 points.
    pub near: u32,
    /// The error of the mean delay.
    pub delay: (f64, f64),
    /// The error of the share of packets lost or marked.
    pub signals: (f64, f64),
    /// The error of the utilisation.
    pub utilisation: (f64, f64),
}

/// A [`Band`] from the percentages of `docs/explanation/the-model.md`.
const fn band_of(
    (settings, near): (u32, u32),
    delay: (f64, f64),
    signals: (f64, f64),
    utilisation: (f64, f64),
) -> Band {
    const fn share(percent: (f64, f64)) -> (f64, f64) {
        (percent.0 / 100.0, percent.1 / 100.0)
    }
    Band {
        settings,
        near,
        delay: share(delay),
        signals: share(signals),
        utilisation: share(utilisation),
    }
}

/// The errors of settings without a caveat.
const NO_CAVEAT: Band = band_of((60, 42), (-10.8, 4.8), (-27.3, 23.7), (0.0, 0.5));

impl Caveat {
    /// The errors of the simulated settings with this caveat. Without settings, the delay may be
    /// any time up to the predicted one.
    pub fn band(self) -> Band {
        match self {
            Caveat::Oscillates => band_of((86, 32), (-3.5, 209.3), (-56.6, 4.3), (0.0, 13.1)),
            Caveat::SmallWindows => band_of((84, 50), (-81.4, 12.4), (-15.1, 60.0), (0.0, 1.0)),
            Caveat::Full => band_of((24, 9), (2.7, 53.3), (-58.8, -8.8), (0.0, 0.0)),
            Caveat::SlowToDrop => band_of((32, 0), (-91.4, -53.1), (0.2, 156.8), (0.0, 0.0)),
            Caveat::RunsEmpty => band_of((28, 5), (-16.5, 373.7), (-56.7, 2.4), (0.6, 15.9)),
            Caveat::MostlyEmpty => band_of((0, 0), (0.0, f64::INFINITY), (0.0, 0.0), (0.0, 0.0)),
        }
    }
}

impl Band {
    /// The band of a prediction with these caveats: of several, one that holds all of theirs.
    pub fn of(caveats: &[Caveat]) -> Band {
        let wider = |a: (f64, f64), b: (f64, f64)| (a.0.min(b.0), a.1.max(b.1));
        let bands = caveats.iter().map(|caveat| caveat.band());
        let widest = bands.reduce(|a, b| Band {
            settings: a.settings + b.settings,
            near: a.near + b.near,
            delay: wider(a.delay, b.delay),
            signals: wider(a.signals, b.signals),
            utilisation: wider(a.utilisation, b.utilisation),
        });
        widest.unwrap_or(NO_CAVEAT)
    }

    /// The measured delays and shares of signals that go with a prediction.
    pub fn measured(&self, prediction: &Prediction) -> Measured {
        let relative =
            |value: f64, (low, high): (f64, f64)| (value / (1.0 + high), value / (1.0 + low));
        let share = |value: f64| value.clamp(0.0, 1.0);
        let signals = relative(prediction.loss + prediction.marks, self.signals);
        let used = prediction.utilisation;
        Measured {
            delay: relative(prediction.delay.as_secs_f64(), self.delay),
            signals: (share(signals.0), share(signals.1)),
            utilisation: (
                share(used - self.utilisation.1),
                share(used - self.utilisation.0),
            ),
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
        let percent = |share: f64| format!("{:+.1}", 100.0 * share).replace("+-", "-");
        let row = |name: String, band: Band| {
            let errors = |(low, high)| format!("({} to {})", percent(low), percent(high));
            let all = [band.delay, band.signals, band.utilisation].map(errors);
            let begin = format!("| {name} | {} |", band.settings);
            // The first table is that of the balance.
            let line = page.lines().find(|line| line.starts_with(&begin));
            let line = line.unwrap_or_else(|| panic!("no row of {name}"));
            let line = line.replace("-0.0", "+0.0");
            let cells: Vec<&str> = line.split('|').collect();
            for (cell, errors) in cells[3..6].iter().zip(all) {
                assert!(cell.contains(&errors), "{name}: {errors} in {cell}");
            }
            assert_eq!(cells[6].trim(), band.near.to_string(), "{name}");
        };
        row("no caveat".to_string(), Band::of(&[]));
        let simulated = CAVEATS.iter().filter(|caveat| caveat.band().settings > 0);
        for caveat in simulated {
            row(format!("caveat: {}", caveat.name()), caveat.band());
        }
    }

    #[test]
    fn a_prediction_lies_among_what_is_measured_unless_the_model_is_known_to_be_off() {
        let load = Load {
            flows: 20.0,
            ..Load::default()
        };
        let gateway = Gateway::of(&"pie".parse().unwrap(), &load).unwrap();
        let prediction = predict(&load, &gateway).unwrap();
        let delay = prediction.delay.as_secs_f64();
        let (low, high) = Band::of(&[]).measured(&prediction).delay;
        assert!(low < delay && delay < high);
        let (low, high) = Band::of(&[Caveat::SlowToDrop]).measured(&prediction).delay;
        assert!(2.0 * delay < low && low < high);
        let both = Band::of(&[Caveat::RunsEmpty, Caveat::Oscillates]);
        assert_eq!(both.delay, (-0.165, 3.737));
        let empty = Band::of(&[Caveat::RunsEmpty, Caveat::MostlyEmpty]);
        let measured = empty.measured(&prediction);
        assert_eq!(measured.delay, (0.0, delay / (1.0 - 0.165)));
        let runs_empty = Band::of(&[Caveat::RunsEmpty]);
        let signals = runs_empty.measured(&prediction).signals;
        assert_eq!(measured.signals, signals);
    }
}
