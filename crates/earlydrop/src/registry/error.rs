//! Configuration errors, each with the nearest configuration that is allowed.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::fmt;

/// Why a scheme could not be built from its name and parameters.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConfigError {
    /// No scheme has this name.
    UnknownScheme {
        /// The name as given.
        name: String,
        /// The most similar name in the registry, if one is similar.
        nearest: Option<&'static str>,
        /// The names in the registry.
        known: Vec<&'static str>,
    },
    /// The scheme has no parameter of this name.
    UnknownParameter {
        /// The scheme.
        scheme: &'static str,
        /// The parameter as given.
        name: String,
        /// The most similar parameter, if one is similar.
        nearest: Option<&'static str>,
        /// The scheme's own parameters: those that have an effect while the others are at its
        /// defaults.
        known: Vec<&'static str>,
    },
    /// A parameter was given twice.
    Repeated {
        /// The scheme.
        scheme: &'static str,
        /// The parameter.
        name: String,
    },
    /// The text of a scheme is not of the form `name:parameter=value,...`.
    Malformed {
        /// The part that cannot be parsed.
        text: String,
    },
    /// A value cannot be parsed, or is out of range.
    Invalid {
        /// The scheme.
        scheme: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The value as given.
        value: String,
        /// The allowed values, as a phrase.
        allowed: String,
        /// The nearest allowed value, if there is one.
        nearest: Option<String>,
    },
    /// Values that are allowed alone but not together.
    Contradiction {
        /// The scheme.
        scheme: &'static str,
        /// The parameter to change first.
        parameter: &'static str,
        /// The contradiction, with the values.
        problem: String,
        /// The nearest allowed configuration.
        fix: String,
    },
}

impl ConfigError {
    pub(crate) fn contradiction(
        scheme: &'static str,
        parameter: &'static str,
        problem: impl ToString,
        fix: impl ToString,
    ) -> ConfigError {
        ConfigError::Contradiction {
            scheme,
            parameter,
            problem: problem.to_string(),
            fix: fix.to_string(),
        }
    }

    /// The parameter at fault, if one is.
    pub fn parameter(&self) -> Option<&str> {
        match self {
            ConfigError::UnknownScheme { .. } | ConfigError::Malformed { .. } => None,
            ConfigError::UnknownParameter { name, .. } | ConfigError::Repeated { name, .. } => {
                Some(name)
            }
            ConfigError::Invalid { parameter, .. }
            | ConfigError::Contradiction { parameter, .. } => Some(parameter),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::UnknownScheme {
                name,
                nearest,
                known,
            } => {
                write!(f, "no scheme is called '{name}'")?;
                match nearest {
                    Some(_) => suggest(f, *nearest),
                    None => write!(f, "; known: {}", known.join(", ")),
                }
            }
            ConfigError::UnknownParameter {
                scheme,
                name,
                nearest,
                known,
            } => {
                write!(f, "{scheme} has no parameter '{name}'")?;
                suggest(f, *nearest)?;
                write!(f, " (known: {})", known.join(", "))
            }
            ConfigError::Repeated { scheme, name } => {
                write!(f, "{scheme}: '{name}' is given twice; keep one")
            }
            ConfigError::Malformed { text } => write!(
                f,
                "'{text}' is not of the form name:parameter=value,parameter=value"
            ),
            ConfigError::Invalid {
                scheme,
                parameter,
                value,
                allowed,
                nearest,
            } => {
                write!(f, "{scheme}: {parameter} = {value} is not {allowed}")?;
                match nearest {
                    Some(nearest) => write!(f, "; nearest: {parameter} = {nearest}"),
                    None => Ok(()),
                }
            }
            ConfigError::Contradiction {
                scheme,
                problem,
                fix,
                ..
            } => write!(f, "{scheme}: {problem}; {fix}"),
        }
    }
}

impl core::error::Error for ConfigError {}

fn suggest(f: &mut fmt::Formatter<'_>, nearest: Option<&str>) -> fmt::Result {
    match nearest {
        Some(nearest) => write!(f, "; did you mean '{nearest}'?"),
        None => Ok(()),
    }
}

/// The candidate with the smallest edit distance to `name`, if at most half its letters
/// differ. Among equals: first a candidate that only adds or only lacks letters, then the
/// longer one.
///
/// ```
/// use earlydrop::registry::nearest;
/// assert_eq!(nearest("coddel", ["red", "codel"].into_iter()), Some("codel"));
/// ```
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let letters = name.chars().count();
    candidates
        // Each letter too many or too few is an edit. This spares the table of a name without end.
        .filter(|candidate| is_near(letters.abs_diff(candidate.chars().count()), candidate))
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|(edits, candidate)| is_near(*edits, candidate))
        .min_by_key(|(edits, candidate)| {
            let other_letters = !is_within(name, candidate) && !is_within(candidate, name);
            (*edits, other_letters, Reverse(candidate.len()), *candidate)
        })
        .map(|(_, candidate)| candidate)
}

/// Whether a name so many edits away can be meant as `candidate`.
fn is_near(edits: usize, candidate: &str) -> bool {
    edits * 2 <= candidate.chars().count().max(2)
}

/// Whether `part` is a subsequence of `whole`.
fn is_within(part: &str, whole: &str) -> bool {
    let mut letters = whole.chars();
    part.chars()
        .all(|letter| letters.any(|other| other == letter))
}

/// The number of letters inserted, deleted, replaced, or swapped with their neighbour (optimal
/// string alignment), by the last two rows of the table.
fn edit_distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for i in 0..from.len() {
        let mut next = Vec::with_capacity(row.len());
        next.push(i + 1);
        for j in 0..to.len() {
            let changed = row[j] + usize::from(from[i] != to[j]);
            let mut edits = changed.min(row[j + 1] + 1).min(next[j] + 1);
            let swapped = i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j];
            if swapped {
                edits = edits.min(before[j - 1] + 1);
            }
            next.push(edits);
        }
        before = core::mem::replace(&mut row, next);
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_only_similar_names() {
        let names = ["red", "nlred", "codel"];
        assert_eq!(nearest("nlrde", names.into_iter()), Some("nlred"));
        assert_eq!(nearest("erd", names.into_iter()), Some("red"));
        assert_eq!(nearest("coddel", names.into_iter()), Some("codel"));
        assert_eq!(nearest("something", names.into_iter()), None);
        // A letter more than half of a name's is too many, before any table is made.
        assert_eq!(nearest("codelxx", names.into_iter()), Some("codel"));
        assert_eq!(nearest(&"codel".repeat(1 << 22), names.into_iter()), None);
    }

    #[test]
    fn of_equally_near_names_the_longer_one_is_suggested() {
        let names = ["max", "max_p"];
        assert_eq!(nearest("maxp_", names.into_iter()), Some("max_p"));
        assert_eq!(nearest("maxp", names.into_iter()), Some("max_p"));
        assert_eq!(nearest("mni", ["minq", "min"].into_iter()), Some("min"));
        assert_eq!(nearest("pii", ["pi", "pi2"].into_iter()), Some("pi"));
    }
}
