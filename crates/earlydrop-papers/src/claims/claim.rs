//! A paper's claims and the tests that decide them, as data.

use std::fmt;

use earlydrop_lab::metrics::{self, METRICS};
use serde::{Deserialize, Deserializer};

use super::selector::{EVENTS, Selector};
use crate::toml_file::{NameRef, pairs};

/// A paper and its claims: one `claims.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Paper {
    /// The key in files, ids and on the command line: "clred".
    #[serde(rename = "paper")]
    pub key: String,
    /// The name for readers, by author and scheme: "Hassan & Oluwatope, CLRED".
    pub name: String,
    /// The title.
    pub title: String,
    /// The authors.
    pub authors: String,
    /// The year of publication, or what is known of it.
    pub year: String,
    /// What it proposes, in a line.
    #[serde(default)]
    pub summary: String,
    /// The claims, in the file's order.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// The scheme that is run in place of each scheme, unless a claim names its own.
    #[serde(default, deserialize_with = "pairs")]
    pub(super) wrong: Vec<(String, String)>,
}

/// A statement about an experiment, and the test that decides it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The id, with the paper's key in front: "sfred-nlred.F13-14.a".
    pub id: String,
    /// The id of the claim that is counted in place of this one; "" where this one is. Both are
    /// the paper's sentence, under different values that it does not print or in different
    /// readings.
    #[serde(default)]
    pub beside: NameRef,
    /// The figure or table that it is about.
    pub figure: String,
    /// The statement, in our words.
    pub claim: String,
    /// The experiment: a scenario file in the paper's folder, without `.toml`.
    #[serde(default)]
    pub experiment: String,
    /// The quantity that is measured in each run.
    #[serde(default = "Selector::utilisation")]
    pub metric: Selector,
    /// The test.
    pub test: Test,
    /// The scheme that is run in place of the one that the claim is about, to show that the
    /// claim can fail: a label of the experiment, or a specification such as "droptail".
    #[serde(default)]
    pub wrong: String,
    /// Whether it is about a number of a table.
    #[serde(default)]
    pub printed: bool,
    /// Whether it was found on a second reading, when runs had been looked at.
    #[serde(default)]
    pub added: bool,
    /// When and why its rule was changed after runs had been looked at; empty where it was not.
    #[serde(default)]
    pub changed: String,
}

/// When a claim's rule was set: before or after runs had been looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleSet<'a> {
    /// Before.
    Before,
    /// After: the claim was found on a second reading.
    Added,
    /// Changed after, with when and why.
    Changed(&'a str),
}

impl fmt::Display for RuleSet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuleSet::Before => f.write_str("set before"),
            RuleSet::Added => f.write_str("added"),
            RuleSet::Changed(why) => write!(f, "changed after, {why}"),
        }
    }
}

/// Whose a claim is, and whether it is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// The paper's, counted.
    Paper,
    /// The paper's under another value that it does not print, or in a reading that we reject;
    /// listed beside the claim that is counted.
    Beside,
    /// Our hypothesis, counted apart.
    Ours,
}

/// Values of swept fields that a test is restricted to, as written in the scenario.
pub type Restriction = Vec<(String, Vec<String>)>;

/// How a claim is decided. The fields are described in `docs/reference/claims.md`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename = "test", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are those of `reference/claims.md`")]
pub enum Test {
    /// A scheme's values are less (or more) than others', or at most by a tolerance more
    /// (or less), as a share of the others'.
    #[serde(
        rename = "less",
        alias = "more",
        alias = "not-less",
        alias = "not-more"
    )]
    Ordering {
        scheme: String,
        than: Vec<String>,
        less: bool,
        tolerance: f64,
        #[serde(default, deserialize_with = "pairs")]
        at: Restriction,
    },
    /// A scheme's values change less along an axis than others'.
    #[serde(rename = "range-less")]
    Range {
        scheme: String,
        than: Vec<String>,
        over: String,
        #[serde(default, deserialize_with = "pairs")]
        at: Restriction,
    },
    /// The smallest value along an axis lies at neither end.
    MinimumInside {
        scheme: String,
        over: String,
        #[serde(default, deserialize_with = "pairs")]
        at: Restriction,
    },
    /// The place of the smallest value along an axis moves up (or down) as another axis grows.
    MinimumMoves {
        scheme: String,
        over: String,
        with: String,
        #[serde(default = "up", rename = "direction", deserialize_with = "is_up")]
        up: bool,
    },
    /// Values lie on a straight line that rises along an axis from zero or below.
    Proportional {
        scheme: String,
        over: String,
        tolerance: f64,
        #[serde(default, deserialize_with = "pairs")]
        at: Restriction,
    },
    /// A scheme's values of different seeds lie closer together (or farther apart) than others'.
    #[serde(rename = "spread-less", alias = "spread-more")]
    Spread {
        scheme: String,
        than: Vec<String>,
        less: bool,
        #[serde(default, deserialize_with = "pairs")]
        at: Restriction,
    },
    /// Values grow (or fall) from one value of an axis to another.
    #[serde(rename = "grows", alias = "falls")]
    Trend {
        scheme: String,
        over: String,
        from: String,
        to: String,
        up: bool,
        #[serde(default, deserialize_with = "pairs")]
        at: Restriction,
    },
    /// Values lie between two bounds.
    Between {
        scheme: String,
        low: f64,
        high: f64,
        #[serde(default, deserialize_with = "pairs")]
        at: Restriction,
    },
    /// Schemes' values are equal within a relative tolerance.
    Equal {
        schemes: Vec<String>,
        tolerance: f64,
        #[serde(default, deserialize_with = "pairs")]
        at: Restriction,
    },
    /// A value is the printed one within a relative tolerance.
    Value {
        scheme: String,
        value: f64,
        tolerance: f64,
        #[serde(default, deserialize_with = "pairs")]
        at: Restriction,
    },
    /// A scheme's values are nearer to a given one than others'.
    Nearer {
        scheme: String,
        than: Vec<String>,
        value: f64,
        #[serde(default, deserialize_with = "pairs")]
        at: Restriction,
    },
    /// The paper leaves out what a test would need.
    Undecidable { missing: String },
}

fn up() -> bool {
    true
}

fn is_up<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    #[derive(Deserialize)]
    #[serde(rename = "direction", rename_all = "kebab-case")]
    enum Direction {
        Up,
        Down,
    }
    Ok(matches!(
        Direction::deserialize(deserializer)?,
        Direction::Up
    ))
}

impl Test {
    /// The scheme that the test is about; of equal ones, the first.
    pub fn scheme(&self) -> Option<&str> {
        match self {
            Test::Ordering { scheme, .. }
            | Test::Range { scheme, .. }
            | Test::MinimumInside { scheme, .. }
            | Test::MinimumMoves { scheme, .. }
            | Test::Proportional { scheme, .. }
            | Test::Spread { scheme, .. }
            | Test::Trend { scheme, .. }
            | Test::Between { scheme, .. }
            | Test::Value { scheme, .. }
            | Test::Nearer { scheme, .. } => Some(scheme),
            Test::Equal { schemes, .. } => schemes.first().map(String::as_str),
            Test::Undecidable { .. } => None,
        }
    }

    /// The schemes whose values it compares, the one that it is about first.
    pub(crate) fn schemes(&self) -> Vec<&str> {
        let others: &[String] = match self {
            Test::Ordering { than, .. }
            | Test::Range { than, .. }
            | Test::Spread { than, .. }
            | Test::Nearer { than, .. } => than,
            Test::Equal { schemes, .. } => schemes.get(1..).unwrap_or_default(),
            _ => &[],
        };
        let own = self.scheme().into_iter();
        own.chain(others.iter().map(String::as_str)).collect()
    }

    /// The values of swept fields that the test is restricted to, where it takes any.
    pub(crate) fn restriction(&self) -> Option<&Restriction> {
        match self {
            Test::Ordering { at, .. }
            | Test::Range { at, .. }
            | Test::MinimumInside { at, .. }
            | Test::Trend { at, .. }
            | Test::Proportional { at, .. }
            | Test::Spread { at, .. }
            | Test::Between { at, .. }
            | Test::Equal { at, .. }
            | Test::Value { at, .. }
            | Test::Nearer { at, .. } => Some(at),
            Test::MinimumMoves { .. } | Test::Undecidable { .. } => None,
        }
    }

    /// Whether the test asks for the direction of an effect, not for its size.
    pub(crate) fn is_directional(&self) -> bool {
        !matches!(
            self,
            Test::Proportional { .. }
                | Test::Between { .. }
                | Test::Equal { .. }
                | Test::Value { .. }
                | Test::Undecidable { .. }
        )
    }

    /// Whether values must be near others, or a number: with few seeds, chance may move them by more.
    pub fn is_within_a_tolerance(&self) -> bool {
        matches!(
            self,
            Test::Equal { .. } | Test::Value { .. } | Test::Between { .. }
        )
    }

    /// Whether its comparisons are differences between values, as shares of what is compared with.
    pub(crate) fn compares_shares(&self) -> bool {
        match self {
            Test::Ordering { tolerance, .. } => *tolerance == 0.0,
            Test::MinimumMoves { .. } => false,
            other => other.is_directional(),
        }
    }

    /// Values of swept fields that must be run for the test to be decided.
    pub fn named_values(&self) -> Vec<String> {
        let of_axes = self.restriction().into_iter().flatten();
        let mut values: Vec<String> = of_axes.flat_map(|(_, values)| values.clone()).collect();
        if let Test::Trend { from, to, .. } = self {
            values.extend([from.clone(), to.clone()]);
        }
        values
    }
}

impl Claim {
    /// Whether `name` is the claim's id or begins it: "clred.F5" matches "clred.F5.a".
    pub fn matches(&self, name: &str) -> bool {
        id_matches(&self.id, name)
    }

    /// When its rule was set.
    pub fn rule_set(&self) -> RuleSet<'_> {
        match (self.changed.as_str(), self.added) {
            ("", false) => RuleSet::Before,
            ("", true) => RuleSet::Added,
            (why, _) => RuleSet::Changed(why),
        }
    }

    /// The largest difference that is as good as none, as a share, where the test asks which of
    /// two values is larger: 2% for what the link's rate bounds, 5% for all else.
    pub(crate) fn margin(&self) -> Option<f64> {
        const BOUNDED: [&str; 3] = ["throughput", "goodput", "utilisation"];
        let metric = match &self.metric {
            Selector::Metric(name) | Selector::Group(_, name) => name.as_str(),
            _ => "",
        };
        let margin = if BOUNDED.contains(&metric) {
            0.02
        } else {
            0.05
        };
        self.test.compares_shares().then_some(margin)
    }

    /// Whether it compares with a printed number what was converted into another unit by the value
    /// of this field: events a second by the length of the run, bits a second by the size of a
    /// packet and the number of flows.
    pub(crate) fn is_converted_by(&self, field: &str) -> bool {
        let (Selector::Metric(name) | Selector::Group(_, name) | Selector::Sum(_, _, name)) =
            &self.metric
        else {
            return false;
        };
        let unit = metrics::index_of(name).map_or("", |index| METRICS[index].base_unit());
        let converts = match unit {
            EVENTS => ["duration", "warm_up"].contains(&field),
            "bit/s" => [".segment", ".packet", ".count"]
                .iter()
                .any(|end| field.ends_with(end)),
            _ => false,
        };
        self.printed && converts
    }

    /// Whose it is, and whether it is counted. Ours are about a question that a paper leaves open,
    /// the effect of a reading, the worth of an idea today, or drop curves.
    pub fn standing(&self) -> Standing {
        let mut parts = self.id.split('.');
        match parts.any(|part| ["open", "reading", "today", "curves"].contains(&part)) {
            _ if !self.beside.name.is_empty() => Standing::Beside,
            true => Standing::Ours,
            false => Standing::Paper,
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Standing::Paper => "claim",
            Standing::Beside => "beside",
            Standing::Ours => "hypothesis",
        })
    }
}

/// Whether `name` is an id or begins it at a dot: "clred.F5" matches "clred.F5.a".
pub(crate) fn id_matches(id: &str, name: &str) -> bool {
    let rest = id.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
