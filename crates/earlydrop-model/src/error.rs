//! What can be wrong with what the model is asked.

use earlydrop::registry::ConfigError;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// A scheme's parameters are not as they must be.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A number lies outside what is allowed.
    #[error("{what} = {value}: allowed: {allowed}; nearest: {nearest}")]
    Outside {
        /// What the number is.
        what: &'static str,
        /// The number as given.
        value: String,
        /// What is allowed.
        allowed: &'static str,
        /// The nearest value that would do.
        nearest: String,
    },
    /// Nothing is known of how a scheme behaves in steady state.
    #[error("there is no model of {scheme}: {reason}")]
    NoModel {
        /// The scheme.
        scheme: &'static str,
        /// What a model would have to know.
        reason: &'static str,
    },
}

impl ModelError {
    /// The error that `what` is not what is allowed.
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
