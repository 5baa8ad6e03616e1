//! The list of schemes that text can name.

use alloc::borrow::Cow;
use alloc::string::ToString;

use super::error::{ConfigError, nearest};
use super::{Descriptor, Spec};

/// The schemes that text can name: the built-in ones, or those and a program's own.
///
/// `"red:min=5".parse::<Spec>()` uses the built-in registry. A program with schemes of its
/// own keeps a registry and parses through it; nothing in this crate need change. The
/// example `own_scheme` is a template.
///
/// ```
/// use earlydrop::registry::{Descriptor, LIMIT, Plan, Registry};
/// use earlydrop::schemes::droptail::DropTail;
///
/// static MINE: Descriptor = Descriptor::new(
///     "mine",
///     "drop-tail by another name",
///     "an example",
///     &[&[LIMIT]],
///     |settings| Ok(Plan::custom(DropTail, settings.limit())),
/// );
///
/// let registry = Registry::built_in().with(&MINE);
/// assert!(registry.parse("mine:limit=20").is_ok());
/// assert!(registry.parse("fq-red:inner=mine").is_ok());
/// assert!(registry.parse("red").is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct Registry {
    schemes: Cow<'static, [&'static Descriptor]>,
}

impl Registry {
    /// A registry of these schemes only.
    pub const fn of(schemes: &'static [&'static Descriptor]) -> Registry {
        Registry {
            schemes: Cow::Borrowed(schemes),
        }
    }

    /// Adds `scheme`, in place of one that has its name.
    #[must_use]
    pub fn with(mut self, scheme: &'static Descriptor) -> Registry {
        let schemes = self.schemes.to_mut();
        match schemes.iter_mut().find(|known| known.name == scheme.name) {
            Some(known) => *known = scheme,
            None => schemes.push(scheme),
        }
        self
    }

    /// Every scheme, in the order pages and command lines show them.
    pub fn iter(&self) -> impl Iterator<Item = &'static Descriptor> {
        self.schemes.iter().copied()
    }

    /// The scheme called `name`.
    pub fn find(&self, name: &str) -> Option<&'static Descriptor> {
        self.iter().find(|scheme| scheme.name == name)
    }

    /// The scheme called `name` with every parameter at its default; the error suggests
    /// the nearest name.
    pub fn spec(&self, name: &str) -> Result<Spec, ConfigError> {
        let descriptor = self.find(name).ok_or_else(|| ConfigError::UnknownScheme {
            name: name.to_string(),
            nearest: nearest(name, self.iter().map(|scheme| scheme.name)),
        })?;
        Ok(Spec::in_registry(descriptor, self))
    }

    /// Reads `name:parameter=value,parameter=value`.
    pub fn parse(&self, text: &str) -> Result<Spec, ConfigError> {
        let (name, parameters) = text.split_once(':').unwrap_or((text, ""));
        let mut spec = self.spec(name.trim())?;
        for piece in parameters
            .split(',')
            .filter(|piece| !piece.trim().is_empty())
        {
            let (name, value) = piece
                .split_once('=')
                .ok_or_else(|| ConfigError::Malformed {
                    text: piece.trim().to_string(),
                })?;
            spec = spec.with(name, value.trim())?;
        }
        Ok(spec)
    }
}

impl Default for Registry {
    fn default() -> Registry {
        Registry::built_in()
    }
}

/// The built-in scheme called `name`.
pub fn find(name: &str) -> Option<&'static Descriptor> {
    Registry::built_in().find(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TEST_SCHEME;

    #[test]
    fn a_scheme_of_ones_own_is_found_suggested_and_nested() {
        let registry = Registry::built_in().with(&TEST_SCHEME);
        assert_eq!(
            registry.iter().count(),
            Registry::built_in().iter().count() + 1
        );
        let spec = registry
            .parse("fq-red:inner=test-scheme,inner.limit=7")
            .unwrap();
        assert!(
            spec.plan(&crate::registry::Link::at(crate::testing::mbps(10)))
                .is_ok()
        );
        let error = registry.spec("tset-scheme").unwrap_err();
        assert!(
            error.to_string().contains("did you mean 'test-scheme'?"),
            "{error}"
        );
        assert!(
            "test-scheme".parse::<Spec>().is_err(),
            "the built-in registry has it not"
        );
    }

    #[test]
    fn a_scheme_takes_the_place_of_one_with_its_name() {
        let twice = Registry::built_in().with(&TEST_SCHEME).with(&TEST_SCHEME);
        assert_eq!(
            twice.iter().count(),
            Registry::built_in().iter().count() + 1
        );
    }
}
