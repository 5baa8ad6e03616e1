//! What a text sets, by name.

use std::ops::Range;

use super::scan::Piece;
use super::{Known, Refusal};

/// A value and where it stands.
pub(super) type Given<T> = (T, Range<usize>);

/// Every value that is set; of a name set twice the last counts.
pub(super) struct Told<'a> {
    set: Vec<(&'a str, Piece<'a>)>,
    /// Where the tool's defaults are from.
    defaults: &'static str,
}

impl<'a> Told<'a> {
    pub(super) fn new(set: Vec<(&'a str, Piece<'a>)>, defaults: &'static str) -> Told<'a> {
        Told { set, defaults }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    pub(super) fn find(&self, name: &str) -> Option<Piece<'a>> {
        let mut set = self.set.iter().rev();
        set.find(|(known, _)| *known == name)
            .map(|(_, piece)| *piece)
    }

    /// A number within `low..=high`.
    pub(super) fn number(
        &self,
        name: &str,
        low: f64,
        high: f64,
    ) -> Result<Option<Given<f64>>, Refusal> {
        let read = self.find(name);
        let read = read.map(|piece| Ok((piece.number(name, low, high)?, piece.span())));
        read.transpose()
    }

    /// A probability above 0, or the tool's.
    pub(super) fn probability(&self, name: &str, default: f64) -> Result<Known<f64>, Refusal> {
        let read = self.find(name);
        let read = read.map(|piece| Ok((piece.probability(name)?, piece.span())));
        Ok(Known::or_tool(read.transpose()?, default, self.defaults))
    }

    /// true or false, or the tool's.
    pub(super) fn flag(&self, name: &str, default: bool) -> Result<Known<bool>, Refusal> {
        let read = self.find(name);
        let read = read.map(|piece| Ok((piece.flag(name)?, piece.span())));
        Ok(Known::or_tool(read.transpose()?, default, self.defaults))
    }
}

impl<T> Known<T> {
    /// Another value of the same origin.
    pub(super) fn map<U>(self, other: impl FnOnce(T) -> U) -> Known<U> {
        Known {
            value: other(self.value),
            origin: self.origin,
        }
    }
}
