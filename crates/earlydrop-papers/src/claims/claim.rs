//! A paper's claims and the tests that decide them, as data.

use super::selector::Selector;

/// A paper and its claims: one `claims.toml`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Paper {
    /// The key in files, ids and on the command line: "clred".
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
    pub summary: String,
    /// The claims, in the file's order.
    pub claims: Vec<Claim>,
}

/// A statement about an experiment, and the test that decides it.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The id, with the paper's key in front: "sfred-nlred.F13-14.a".
    pub id: String,
    /// The figure or table that it is about.
    pub figure: String,
    /// The statement, in our words.
    pub claim: String,
    /// The experiment: a scenario file in the paper's folder, without `.toml`.
    pub experiment: String,
    /// The quantity that is measured in each run.
    pub metric: Selector,
    /// The test.
    pub test: Test,
    /// The scheme that is run in place of the one that the claim is about, to show that the
    /// claim can fail: a label of the experiment, or a specification such as "droptail".
    pub wrong: String,
}

/// Values of swept fields that a test is restricted to, as written in the scenario.
pub type Restriction = Vec<(String, Vec<String>)>;

/// How a claim is decided. The fields are described in `docs/reference/claims.md`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are those of `reference/claims.md`")]
pub enum Test {
    /// A scheme's values are less (or more) than others', or at most by a tolerance more
    /// (or less), as a share of the others'.
    Ordering {
        scheme: String,
        than: Vec<String>,
        less: bool,
        tolerance: f64,
        at: Restriction,
    },
    /// A scheme's values change less along an axis than others'.
    Range {
        scheme: String,
        than: Vec<String>,
        over: String,
        at: Restriction,
    },
    /// The smallest value along an axis lies at neither end.
    MinimumInside {
        scheme: String,
        over: String,
        at: Restriction,
    },
    /// The place of the smallest value along an axis moves up (or down) as another axis grows.
    MinimumMoves {
        scheme: String,
        over: String,
        with: String,
        up: bool,
    },
    /// Values lie on a straight line that rises along an axis from zero or below.
    Proportional {
        scheme: String,
        over: String,
        tolerance: f64,
        at: Restriction,
    },
    /// A scheme's values of different seeds lie closer together (or farther apart) than others'.
    Spread {
        scheme: String,
        than: Vec<String>,
        less: bool,
        at: Restriction,
    },
    /// Values grow (or fall) from one value of an axis to another.
    Trend {
        scheme: String,
        over: String,
        from: String,
        to: String,
        up: bool,
        at: Restriction,
    },
    /// Values lie between two bounds.
    Between {
        scheme: String,
        low: f64,
        high: f64,
        at: Restriction,
    },
    /// Schemes' values are equal within a relative tolerance.
    Equal {
        schemes: Vec<String>,
        tolerance: f64,
        at: Restriction,
    },
    /// A value is the printed one within a relative tolerance.
    Value {
        scheme: String,
        value: f64,
        tolerance: f64,
        at: Restriction,
    },
    /// A scheme's values are nearer to a given one than others'.
    Nearer {
        scheme: String,
        than: Vec<String>,
        value: f64,
        at: Restriction,
    },
    /// The paper leaves out what a test would need.
    Undecidable { missing: String },
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

    /// Values of swept fields that must be run for the test to be decided.
    pub fn named_values(&self) -> Vec<String> {
        let of = |at: &Restriction| at.iter().flat_map(|(_, values)| values.clone()).collect();
        match self {
            Test::Ordering { at, .. }
            | Test::Range { at, .. }
            | Test::MinimumInside { at, .. }
            | Test::Proportional { at, .. }
            | Test::Spread { at, .. }
            | Test::Between { at, .. }
            | Test::Equal { at, .. }
            | Test::Value { at, .. }
            | Test::Nearer { at, .. } => of(at),
            Test::Trend { at, from, to, .. } => {
                let mut values: Vec<String> = of(at);
                values.extend([from.clone(), to.clone()]);
                values
            }
            Test::MinimumMoves { .. } | Test::Undecidable { .. } => Vec::new(),
        }
    }
}

impl Claim {
    /// Whether `name` is the claim's id or begins it: "clred.F5" matches "clred.F5.a".
    pub fn matches(&self, name: &str) -> bool {
        id_matches(&self.id, name)
    }

    /// Whether the claim is our hypothesis and not the paper's: about a question that a paper
    /// leaves open, the effect of a reading, or the worth of an idea today.
    pub fn is_our_hypothesis(&self) -> bool {
        let mut parts = self.id.split('.');
        parts.any(|part| ["open", "reading", "today"].contains(&part))
    }
}

/// Whether `name` is an id or begins it at a dot: "clred.F5" matches "clred.F5.a".
pub(crate) fn id_matches(id: &str, name: &str) -> bool {
    let rest = id.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
