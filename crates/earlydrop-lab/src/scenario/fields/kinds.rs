//! Kinds of values that several sections share.

use earlydrop::registry::{Kind, Range};

use crate::document::{Field, Shape};

/// A field with a single value.
pub(super) const fn one(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    meaning: &'static str,
) -> Field {
    Field::new(name, Shape::One(kind), default, meaning)
}

/// Sums of a few times must be times.
pub(crate) const LONGEST_SECONDS: f64 = 1e9;
/// A time, zero included.
pub(super) const TIME: Kind = Kind::Time(Range::closed(0.0, LONGEST_SECONDS));
/// A time above zero.
pub(super) const SPAN: Kind = Kind::Time(Range {
    with_low: false,
    ..Range::closed(0.0, LONGEST_SECONDS)
});
pub(super) const RATE: Kind = Kind::Rate(Range::closed(1.0, 2e12));
/// The size of a packet.
pub(super) const SIZE: Kind = Kind::Bytes(Range::closed(1.0, 65_535.0));
pub(super) const FLAG: Kind = Kind::OrAuto(&Kind::Flag);
pub(super) const SHARE: Kind = Kind::Number(Range::PROBABILITY, "probability");
pub(super) const NAME: Kind = Kind::Text("a name");
