//! The list of schemes that text can name.

use alloc::borrow::Cow;
use alloc::string::ToString;

use super::error::{ConfigError, nearest};
use super::{Descriptor, Spec};

/// The schemes that text can name: the built-in ones, or those and a program's own.
///
/// `"red:min=5".parse::<Spec>()` uses the built-in registry. A program with schemes of its
/// own keeps a registry and parses through it; this crate need not change. The
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

    /// Adds `scheme`, replacing a scheme of the same name.
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

    /// The scheme called `name`, also in Linux's spelling: `fq_codel` and `FQ-CoDel` are
    /// `fq-codel`, and `pfifo` is `droptail`.
    ///
    /// ```
    /// use earlydrop::registry;
    /// assert_eq!(registry::find("fq_codel").map(|scheme| scheme.name), Some("fq-codel"));
    /// assert!(registry::find("fqcodel").is_none());
    /// ```
    pub fn find(&self, name: &str) -> Option<&'static Descriptor> {
        let exact = |name: &str| self.iter().find(|scheme| scheme.name == name);
        exact(name)
            .or_else(|| self.iter().find(|scheme| is_spelling_of(name, scheme.name)))
            .or_else(|| exact(listed(ALIASES, name)?))
    }

    /// The scheme called `name` with every parameter at its default; the error suggests
    /// the nearest name.
    pub fn spec(&self, name: &str) -> Result<Spec, ConfigError> {
        let descriptor = self.find(name).ok_or_else(|| ConfigError::UnknownScheme {
            name: name.to_string(),
            nearest: self.nearest(name),
            known: self.iter().map(|scheme| scheme.name).collect(),
        })?;
        Ok(Spec::in_registry(descriptor, self))
    }

    /// The scheme to suggest for a name that is none: one that does about the same, else the most
    /// similar name.
    fn nearest(&self, name: &str) -> Option<&'static str> {
        let alike = listed(ALIKE, name).and_then(|alike| self.find(alike));
        let spelled = || {
            let name = name.to_ascii_lowercase().replace('_', "-");
            nearest(&name, self.iter().map(|scheme| scheme.name))
        };
        alike.map(|scheme| scheme.name).or_else(spelled)
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

/// Other names of schemes, as Linux and textbooks have them.
const ALIASES: &[(&str, &str)] = &[
    ("pfifo", "droptail"),
    ("bfifo", "droptail"),
    ("fifo", "droptail"),
    ("drop-tail", "droptail"),
    ("tail-drop", "droptail"),
    ("taildrop", "droptail"),
];

/// Queueing disciplines of Linux that are no schemes here, each with the one that is most alike.
const ALIKE: &[(&str, &str)] = &[
    ("fq", "fq-codel"),
    ("wfq", "drr"),
    ("hfsc", "drr"),
    ("pfifo-fast", "droptail"),
];

/// What a table has for `name`, in any spelling.
fn listed(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    let mut entries = table.iter();
    let entry = entries.find(|(known, _)| is_spelling_of(name, known))?;
    Some(entry.1)
}

/// Whether two names differ only in upper case, and in underscores for hyphens.
fn is_spelling_of(name: &str, known: &str) -> bool {
    let letter = |letter: u8| match letter {
        b'_' => b'-',
        letter => letter.to_ascii_lowercase(),
    };
    name.bytes().map(letter).eq(known.bytes().map(letter))
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
            spec.plan(&crate::registry::LinkFacts::at(crate::testing::mbps(10)))
                .is_ok()
        );
        let error = registry.spec("tset-scheme").unwrap_err();
        assert!(
            error.to_string().contains("did you mean 'test-scheme'?"),
            "{error}"
        );
        assert!(
            "test-scheme".parse::<Spec>().is_err(),
            "the built-in registry does not have it"
        );
    }

    #[test]
    fn every_spelling_of_a_name_gives_the_one_scheme() {
        for (text, wanted) in [
            ("fq_codel", "fq-codel"),
            ("FQ-CoDel", "fq-codel"),
            ("FQ_CODEL:target=5ms", "fq-codel:target=5ms"),
            ("DualPI2", "dualpi2"),
            ("LRU_RED", "lru-red"),
            ("pfifo:limit=100", "droptail:limit=100"),
            ("Drop_Tail", "droptail"),
            ("fq_red:inner=CoDel", "fq-red:inner=CoDel"),
        ] {
            let spec = text.parse::<Spec>().unwrap();
            assert_eq!(spec.to_string(), wanted);
            let link = crate::registry::LinkFacts::at(crate::testing::mbps(10));
            assert!(spec.plan(&link).is_ok(), "{text}");
        }
        // No two schemes are spellings of each other.
        for scheme in Registry::built_in().iter() {
            let upper = scheme.name.to_uppercase().replace('-', "_");
            assert_eq!(find(&upper), Some(scheme), "{upper}");
        }
    }

    #[test]
    fn a_discipline_of_linux_that_is_none_here_suggests_the_one_most_alike() {
        for (name, wanted) in [
            ("fq", "fq-codel"),
            ("WFQ", "drr"),
            ("pfifo_fast", "droptail"),
            ("FQ_CODLE", "fq-codel"),
        ] {
            let error = name.parse::<Spec>().unwrap_err().to_string();
            let suggestion = alloc::format!("did you mean '{wanted}'?");
            assert!(error.contains(&suggestion), "{error}");
        }
    }

    #[test]
    fn plans_and_specs_can_be_sent_to_other_threads() {
        fn check<T: Send + Sync>() {}
        check::<Registry>();
        check::<Spec>();
        check::<crate::registry::Plan>();
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
