//! Why a claim cannot be decided.

/// What is missing for a claim to be decided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MissingData {
    /// The experiment has no such scheme.
    #[error("no scheme {0} was run")]
    Scheme(String),
    /// The experiment does not sweep this field.
    #[error("{0} was not swept")]
    Axis(String),
    /// The experiment does not run with this value of a swept field.
    #[error("{field} = {value} was not run")]
    AxisValue {
        /// The swept field.
        field: String,
        /// The value.
        value: String,
    },
    /// A swept field has values without numbers, such as names.
    #[error("{0} has values that are no numbers")]
    NoNumbers(String),
    /// A swept field has too few values to have one between its ends.
    #[error("{0} has fewer than three values")]
    TooFewValues(String),
    /// A scheme has no value at a point.
    #[error("{scheme} at {point} was not measured")]
    Values {
        /// The scheme.
        scheme: String,
        /// The point, in words.
        point: String,
    },
    /// A scheme has no mean at a point.
    #[error("{0} was not measured")]
    Mean(String),
    /// The test compares no schemes.
    #[error("no schemes to compare")]
    NoSchemes,
    /// The test's restriction leaves no point.
    #[error("none of the points it is about was run")]
    NoPoints,
    /// An interval needs two seeds.
    #[error("one seed has no interval")]
    OneSeed,
    /// Nothing can be less than a value of zero.
    #[error("nothing is below the other at {0}: it is zero")]
    BelowZero(String),
    /// The paper does not give what a test would need.
    #[error("{0}")]
    NotInPaper(String),
}
