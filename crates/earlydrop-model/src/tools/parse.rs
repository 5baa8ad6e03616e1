//! The knobs that a text sets, by name, with the conversions that several parsers share.

use std::ops::Range;

use super::token::Token;
use super::{ParseError, WithOrigin};

/// A value and its span in the text.
pub(super) type Given<T> = (T, Range<usize>);

/// The tokens assigned to each name. If a name is set twice, the last value counts.
pub(super) struct ParsedKnobs<'a> {
    set: Vec<(&'a str, Token<'a>)>,
    /// The source of the tool's defaults.
    defaults: &'static str,
}

impl<'a> ParsedKnobs<'a> {
    pub(super) fn new(set: Vec<(&'a str, Token<'a>)>, defaults: &'static str) -> ParsedKnobs<'a> {
        ParsedKnobs { set, defaults }
    }

    pub(super) fn find(&self, name: &str) -> Option<Token<'a>> {
        let mut set = self.set.iter().rev();
        set.find(|(known, _)| *known == name)
            .map(|(_, token)| *token)
    }

    /// The number set for `name`; an error outside `low..=high`.
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

    /// The probability set for `name`, or `default`; an error at 0.
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

    /// The flag set for `name`, or `default`.
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
    /// Converts the value and keeps its origin.
    pub(super) fn map<U>(self, other: impl FnOnce(T) -> U) -> WithOrigin<U> {
        WithOrigin {
            value: other(self.value),
            origin: self.origin,
        }
    }
}
