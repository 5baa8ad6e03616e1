//! The errors of the model.

use earlydrop::registry::ConfigError;

/// Why the model has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A scheme's parameters are invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A number is out of range.
    #[error("{what} = {value}: allowed: {allowed}; nearest: {nearest}")]
    Outside {
        /// The name of the number.
        what: &'static str,
        /// The number as given.
        value: String,
        /// The allowed range.
        allowed: &'static str,
        /// The nearest valid value.
        nearest: String,
    },
    /// A method of choosing parameters is unknown, or does not apply.
    #[error("method {method}: allowed: {allowed}; nearest: {nearest}")]
    Method {
        /// The method as given.
        method: String,
        /// The methods that apply.
        allowed: String,
        /// The nearest of them.
        nearest: String,
    },
    /// The scheme has no steady-state model.
    #[error("there is no model of {scheme}: {reason}")]
    NoModel {
        /// The scheme.
        scheme: &'static str,
        /// Why there is no model.
        reason: &'static str,
    },
}

impl ModelError {
    /// An [`Outside`](ModelError::Outside) error.
    pub(crate) fn outside(
        what: &'static str,
        value: impl ToString,
        allowed: &'static str,
        nearest: impl ToString,
    ) -> ModelError {
        ModelError::Outside {
            what,
            value: value.to_string(),
            allowed,
            nearest: nearest.to_string(),
        }
    }
}
