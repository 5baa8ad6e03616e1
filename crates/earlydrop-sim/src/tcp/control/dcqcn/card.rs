//! Network cards: the parameters of DCQCN, and those of known ones.

use earlydrop::units::{BitsPerSec, Nanos};

/// A network card's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// N, the least time between two notifications that a receiver sends for one flow.
    pub notify_every: Nanos,
    /// The least time between two cuts; a notification before takes effect then.
    pub cut_every: Nanos,
    /// g, the weight of a notification in alpha; above 0, at most 1.
    pub gain: f64,
    /// K, the time without a notification after which alpha decays.
    pub decay_every: Nanos,
    /// T, the time after which the rate is raised.
    pub raise_every: Nanos,
    /// B, the bytes after which the rate is raised; `None`: it is raised by time alone.
    pub raise_after: Option<u64>,
    /// F: fast recovery lasts for one raise less.
    pub fast_recovery: u32,
    /// R_AI.
    pub additive: Step,
    /// R_HAI.
    pub hyper: Step,
    /// The least rate.
    pub least: BitsPerSec,
    /// Whether the card follows the firmware's rules where these differ from the paper's.
    pub is_firmware: bool,
}

impl Parameters {
    /// Whether the rate can be computed with them.
    pub fn is_valid(&self) -> bool {
        let times = [self.decay_every, self.raise_every];
        let rates = [Some(self.least), self.additive.at, self.hyper.at];
        times.iter().all(|time| *time > Nanos::ZERO)
            && rates.into_iter().flatten().all(|rate| rate.0 > 0)
            && self.raise_after != Some(0)
            && self.gain > 0.0
            && self.gain <= 1.0
    }
}

/// What a raise adds to R_T.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The rate that is added.
    pub rate: BitsPerSec,
    /// The rate of the link for which it is; at others it is in proportion. `None`: it is the same
    /// at all links.
    pub at: Option<BitsPerSec>,
}

impl Step {
    /// The same at all links.
    pub const fn fixed(rate: BitsPerSec) -> Step {
        Step { rate, at: None }
    }

    /// In proportion to the link.
    const fn at(rate: BitsPerSec, link: BitsPerSec) -> Step {
        Step {
            rate,
            at: Some(link),
        }
    }

    /// What it is at a link, in bits a second.
    pub fn of(self, line: f64) -> f64 {
        let scale = self.at.map_or(1.0, |at| line / at.0 as f64);
        self.rate.0 as f64 * scale
    }
}

/// A known card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Card {
    /// As Zhu et al. 2015 have it.
    #[default]
    Zhu,
    /// As the firmware of ConnectX cards has it.
    ConnectX,
    /// As in the simulator of HPCC's authors.
    Hpcc,
}

impl Card {
    /// All of them, each with its name in scenarios and what it is.
    pub const ALL: [(Card, &'static str, &'static str); 3] = [
        (
            Card::Zhu,
            "zhu",
            "as its authors print it (Zhu et al. 2015)",
        ),
        (
            Card::ConnectX,
            "connectx",
            "what the firmware of ConnectX cards starts from",
        ),
        (
            Card::Hpcc,
            "hpcc",
            "the card in the simulator of HPCC's authors (Li et al. 2019)",
        ),
    ];

    /// The card of a name.
    pub fn named(name: &str) -> Option<Card> {
        let mut all = Card::ALL.into_iter();
        all.find(|(_, known, _)| *known == name)
            .map(|(card, ..)| card)
    }

    /// Its name in scenarios.
    pub fn name(self) -> &'static str {
        let mut all = Card::ALL.into_iter();
        all.find(|(card, ..)| *card == self)
            .map_or("", |(_, name, _)| name)
    }

    /// Its parameters.
    pub const fn parameters(self) -> Parameters {
        let micros = Nanos::from_micros;
        let mbps = BitsPerSec::from_mbps;
        match self {
            Card::Zhu => Parameters {
                notify_every: micros(50),
                cut_every: Nanos::ZERO,
                gain: 1.0 / 256.0,
                decay_every: micros(55),
                raise_every: micros(55),
                raise_after: Some(10_000_000),
                fast_recovery: 5,
                additive: Step::fixed(mbps(40)),
                hyper: Step::fixed(mbps(400)),
                // IEEE 802.1Qau's rpgMinRate.
                least: mbps(10),
                is_firmware: false,
            },
            Card::ConnectX => Parameters {
                notify_every: micros(4),
                cut_every: micros(4),
                gain: 5.0 / 1024.0,
                decay_every: micros(1),
                raise_every: micros(300),
                raise_after: Some(32_767),
                fast_recovery: 2,
                additive: Step::fixed(mbps(5)),
                hyper: Step::fixed(mbps(50)),
                least: mbps(1),
                is_firmware: true,
            },
            Card::Hpcc => Parameters {
                notify_every: micros(1),
                gain: 1.0 / 256.0,
                raise_after: None,
                additive: Step::at(mbps(5), mbps(25_000)),
                hyper: Step::at(mbps(50), mbps(25_000)),
                least: mbps(1000),
                ..Card::ConnectX.parameters()
            },
        }
    }
}
