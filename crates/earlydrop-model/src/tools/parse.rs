//! What a text sets, by name.

use std::ops::Range;

use super::token::Token;
use super::{ParseError, WithOrigin};

/// A value and where it stands.
pub(super) type Given<T> = (T, Range<usize>);

/// Every value that is set; of a name set twice the last counts.
pub(super) struct ParsedKnobs<'a> {
    set: Vec<(&'a str, Token<'a>)>,
    /// Where the tool's defaults are from.
    defaults: &'static str,
}

impl<'a> ParsedKnobs<'a> {
    pub(super) fn new(set: Vec<(&'a str, Token<'a>)>, defaults: &'static str) -> ParsedKnobs<'a> {
        ParsedKnobs { set, defaults }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    pub(super) fn find(&self, name: &str) -> Option<Token<'a>> {
        let mut set = self.set.iter().rev();
        set.find(|(known, _)| *known == name)
            .map(|(_, token)| *token)
    }

    /// A number within `low..=high`.
    pub(super) fn number(
        &self,
        name: &str,
        low: f64,
        high: f64,
    ) -> Result<Option<Given<f64>>, ParseError> {
        let read = self.find(name);
        let read = read.map(|token| Ok((token.number(name, low, high)?, token.span())));
        read.transpose()
    }

    /// A probability above 0, or the tool's.
    pub(super) fn probability(
        &self,
        name: &str,
        default: f64,
    ) -> Result<WithOrigin<f64>, ParseError> {
        let read = self.find(name);
        let read = read.map(|token| Ok((token.probability(name)?, token.span())));
        Ok(WithOrigin::given_or(
            read.transpose()?,
            default,
            self.defaults,
        ))
    }

    /// true or false, or the tool's.
    pub(super) fn flag(&self, name: &str, default: bool) -> Result<WithOrigin<bool>, ParseError> {
        let read = self.find(name);
        let read = read.map(|token| Ok((token.flag(name)?, token.span())));
        Ok(WithOrigin::given_or(
            read.transpose()?,
            default,
            self.defaults,
        ))
    }
}

impl<T> WithOrigin<T> {
    /// Another value of the same origin.
    pub(super) fn map<U>(self, other: impl FnOnce(T) -> U) -> WithOrigin<U> {
        WithOrigin {
            value: other(self.value),
            origin: self.origin,
        }
    }
}
