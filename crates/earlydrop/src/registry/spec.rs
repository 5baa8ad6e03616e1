//! A scheme and the parameters given for it.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use super::error::{ConfigError, nearest};
use super::settings::{LinkFacts, Settings};
use super::{Descriptor, Plan, Registry};

/// A scheme and the parameters given for it: `nlred:min=10,max=30`.
///
/// ```
/// use earlydrop::registry::{LinkFacts, Spec};
/// use earlydrop::units::BitsPerSec;
/// let spec: Spec = "clred:adapt=ared,policy=choke".parse().unwrap();
/// let plan = spec.plan(&LinkFacts::at(BitsPerSec::from_mbps(10))).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Spec {
    /// The registry in which a nested scheme is looked up.
    registry: Registry,
    descriptor: &'static Descriptor,
    given: Vec<(String, String)>,
}

impl Spec {
    /// The built-in scheme called `name`, every parameter at its default.
    ///
    /// See [`Registry::spec`] for schemes of the program's own.
    pub fn new(name: &str) -> Result<Spec, ConfigError> {
        Registry::built_in().spec(name)
    }

    /// A scheme that need not be in a registry, every parameter at its default.
    pub fn of(descriptor: &'static Descriptor) -> Spec {
        Spec::in_registry(descriptor, &Registry::built_in())
    }

    /// `descriptor`, every parameter at its default; a scheme it nests is looked up in
    /// `registry`.
    pub(super) fn in_registry(descriptor: &'static Descriptor, registry: &Registry) -> Spec {
        Spec {
            registry: registry.clone(),
            descriptor,
            given: Vec::new(),
        }
    }

    /// The scheme.
    pub fn descriptor(&self) -> &'static Descriptor {
        self.descriptor
    }

    /// Adds a parameter; `as` names a preset.
    ///
    /// The name is checked here, the value by [`plan`](Spec::plan), when all are known.
    pub fn with(mut self, name: &str, value: impl ToString) -> Result<Spec, ConfigError> {
        let scheme = self.descriptor;
        let name = name.trim();
        let known = name == "as"
            || scheme.parameter(name).is_some()
            || (scheme.nests && name.starts_with("inner."));
        if !known {
            let names = || scheme.parameters().map(|parameter| parameter.name);
            let own = scheme
                .parameters()
                .filter(|parameter| scheme.uses(parameter));
            return Err(ConfigError::UnknownParameter {
                scheme: scheme.name,
                name: name.to_string(),
                nearest: nearest(name, names().chain(["as"])),
                known: own.map(|parameter| parameter.name).collect(),
            });
        }
        if self.given.iter().any(|(given, _)| given == name) {
            return Err(ConfigError::Repeated {
                scheme: scheme.name,
                name: name.to_string(),
            });
        }
        self.given.push((name.to_string(), value.to_string()));
        Ok(self)
    }

    /// The value given for a parameter, as text.
    ///
    /// ```
    /// use earlydrop::registry::Spec;
    /// let red: Spec = "red:as=linux,max_p=0.1".parse().unwrap();
    /// assert_eq!(red.given("max_p"), Some("0.1"));
    /// assert_eq!(red.given("min"), None);
    /// ```
    pub fn given(&self, name: &str) -> Option<&str> {
        let mut given = self.given.iter();
        given
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// The value that the preset named by `as` has for a parameter, as text; for `inner.NAME`, the
    /// preset named by `inner.as`. A value that is given replaces it.
    ///
    /// ```
    /// use earlydrop::registry::Spec;
    /// let red: Spec = "red:as=linux,min=15 kB".parse().unwrap();
    /// assert_eq!(red.of_preset("min"), Some("30000 bytes"));
    /// assert_eq!(red.of_preset("area"), None);
    /// ```
    pub fn of_preset(&self, name: &str) -> Option<&'static str> {
        let (scheme, preset, name) = match name.strip_prefix("inner.") {
            Some(inner) if self.descriptor.nests => {
                let scheme = self.registry.spec(self.text_of("inner")?).ok()?.descriptor;
                (scheme, self.given("inner.as")?, inner)
            }
            _ => (self.descriptor, self.given("as")?, name),
        };
        scheme.preset(preset).ok()?.value(name)
    }

    /// The text of a parameter: the one given, else the preset's, else the default.
    fn text_of(&self, name: &str) -> Option<&str> {
        let parameter = self.descriptor.parameter(name)?;
        let default = self.descriptor.default_of(parameter).0;
        let given = self.given(name).or(self.of_preset(name));
        Some(given.unwrap_or(default))
    }

    /// This scheme without the value given for a parameter, which has its preset's or its default
    /// again.
    ///
    /// ```
    /// use earlydrop::registry::Spec;
    /// let red: Spec = "red:min=40,max=120,ecn=false".parse().unwrap();
    /// assert_eq!(red.without("min").without("max").to_string(), "red:ecn=false");
    /// ```
    #[must_use]
    pub fn without(&self, name: &str) -> Spec {
        let mut spec = self.clone();
        spec.given.retain(|(given, _)| given != name);
        spec
    }

    /// This scheme with given values replaced. `replace` takes the name and the text of each, and
    /// returns another text, or `None` to keep it.
    ///
    /// ```
    /// use earlydrop::registry::Spec;
    /// let red: Spec = "red:min=2 BDP,max=90".parse().unwrap();
    /// let known = red.replaced(|_, value| (value == "2 BDP").then(|| "40 packets".to_string()));
    /// assert_eq!(known.to_string(), "red:min=40 packets,max=90");
    /// ```
    #[must_use]
    pub fn replaced(&self, mut replace: impl FnMut(&str, &str) -> Option<String>) -> Spec {
        let mut spec = self.clone();
        for (name, value) in &mut spec.given {
            if let Some(other) = replace(name, value) {
                *value = other;
            }
        }
        spec
    }

    /// Checks every value, alone and together, and computes automatic ones.
    pub fn plan(&self, link: &LinkFacts) -> Result<Plan, ConfigError> {
        (self.descriptor.plan)(&self.settings(link)?)
    }

    /// Every parameter's value: the one given, else the preset's, else the default.
    pub fn settings(&self, link: &LinkFacts) -> Result<Settings, ConfigError> {
        let scheme = self.descriptor;
        if link.rate.0 == 0 || link.mean_packet.0 == 0 {
            return Err(ConfigError::contradiction(
                scheme.name,
                "link",
                format!(
                    "a link of {} with packets of {}",
                    link.rate, link.mean_packet
                ),
                "both must be above zero",
            ));
        }
        let mut values = Vec::new();
        for parameter in scheme.parameters() {
            values.push(parameter.read(scheme.name, scheme.default_of(parameter).0)?);
        }
        let mut settings = Settings {
            scheme,
            registry: self.registry.clone(),
            link: *link,
            values,
            given: Vec::new(),
            preset: None,
            inner: Vec::new(),
        };
        if let Some(preset) = self.given("as") {
            let preset = scheme.preset(preset)?;
            for (name, value) in preset.values {
                settings.set(name, value)?;
            }
            settings.preset = Some(preset);
        }
        for (name, value) in self.given.iter().filter(|(name, _)| name != "as") {
            match name.strip_prefix("inner.") {
                Some(inner) if scheme.nests => {
                    settings.inner.push((inner.to_string(), value.clone()));
                }
                _ => settings.set(name, value)?,
            }
            settings.given.push(name.clone());
        }
        if scheme.parameter("mean_packet").is_some()
            && let Some(size) = settings.size_or_auto("mean_packet")
        {
            settings.link.mean_packet = size;
        }
        settings.check_limit()?;
        Ok(settings)
    }
}

impl FromStr for Spec {
    type Err = ConfigError;

    /// Reads `text` with the built-in registry; see [`Registry::parse`].
    fn from_str(text: &str) -> Result<Spec, ConfigError> {
        Registry::built_in().parse(text)
    }
}

/// Equal when scheme and given parameters are, whichever registry they came through.
impl PartialEq for Spec {
    fn eq(&self, other: &Spec) -> bool {
        self.descriptor == other.descriptor && self.given == other.given
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.descriptor.name)?;
        for (index, (name, value)) in self.given.iter().enumerate() {
            let separator = if index == 0 { ':' } else { ',' };
            write!(f, "{separator}{name}={value}")?;
        }
        Ok(())
    }
}
