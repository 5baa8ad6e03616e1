//! Every parameter of a scheme with its value, from which the scheme is built.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::error::ConfigError;
use super::parameter::{Kind, Length, Value};
use super::{Descriptor, Parameter, Preset, Registry, Spec};
use crate::curve::{CurveLaw, NUMBERS};
use crate::queue::Limit;
use crate::units::{BitsPerSec, Bytes, Nanos};

/// The link behind a queue, as far as a scheme must know it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkFacts {
    /// Its transmission rate.
    pub rate: BitsPerSec,
    /// The typical packet size, for times measured in packets.
    pub mean_packet: Bytes,
}

impl LinkFacts {
    /// A link of `rate` with typical packets of 1,000 bytes, as in the papers.
    pub const fn at(rate: BitsPerSec) -> LinkFacts {
        LinkFacts {
            rate,
            mean_packet: Bytes(1000),
        }
    }
}

/// Every parameter of a scheme with its value, each within its own range.
#[derive(Clone, Debug)]
pub struct Settings {
    pub(super) scheme: &'static Descriptor,
    /// The registry in which a nested scheme is looked up.
    pub(super) registry: Registry,
    pub(super) link: LinkFacts,
    /// In the order of the scheme's parameters.
    pub(super) values: Vec<Value>,
    pub(super) given: Vec<String>,
    pub(super) preset: Option<&'static Preset>,
    pub(super) inner: Vec<(String, String)>,
}

impl Settings {
    pub(super) fn set(&mut self, name: &str, text: &str) -> Result<(), ConfigError> {
        let (index, parameter) = self.locate(name);
        let value = parameter.read(self.scheme.name, text)?;
        self.values[index] = match (parameter.kind, value) {
            // A curve by its points is one by numbers, with these points as its segments.
            (Kind::OrPoints(_), Value::Text(points)) => {
                self.refuse_second("segments")?;
                self.set("segments", &points)?;
                self.given.push("segments".to_string());
                Value::Choice(NUMBERS)
            }
            (_, value) => {
                self.refuse_second(name)?;
                value
            }
        };
        Ok(())
    }

    /// Refuses segments beside a curve by its points.
    fn refuse_second(&self, name: &str) -> Result<(), ConfigError> {
        match self.was_given(name) {
            true => Err(ConfigError::Repeated {
                scheme: self.scheme.name,
                name: name.to_string(),
            }),
            false => Ok(()),
        }
    }

    /// Refuses a limit in bytes or time that holds less than one byte, or more packets of the
    /// link's mean size than any queue.
    pub(super) fn check_limit(&self) -> Result<(), ConfigError> {
        if self.scheme.parameter("limit").is_none() {
            return Ok(());
        }
        let written = self.value("limit");
        if self.bytes("limit") < 1.0 {
            let problem = format!("limit = {written} holds less than a byte");
            return Err(self.contradiction("limit", problem, "nearest: limit = 1 bytes"));
        }
        let packets = libm::floor(self.packets("limit"));
        if packets > f64::from(MOST_PACKETS) {
            let size = self.link.mean_packet;
            let problem = format!(
                "limit = {written} is {packets} packets of {size}; a queue holds at most \
                 {MOST_PACKETS}"
            );
            let fix = format!("nearest: limit = {MOST_PACKETS} packets");
            return Err(self.contradiction("limit", problem, fix));
        }
        Ok(())
    }

    /// The index of parameter `name`.
    ///
    /// # Panics
    /// If the scheme does not list it, which is a bug in the scheme.
    fn locate(&self, name: &str) -> (usize, &'static Parameter) {
        let mut parameters = self.scheme.parameters().enumerate();
        parameters
            .find(|(_, parameter)| parameter.name == name)
            .unwrap_or_else(|| panic!("{} lists no parameter {name}", self.scheme.name))
    }

    /// The scheme's name.
    pub fn scheme(&self) -> &'static str {
        self.scheme.name
    }

    /// The scheme. The same descriptor as the registry's, so that a program whose schemes are made
    /// at run time can find what belongs to it by its address.
    pub fn descriptor(&self) -> &'static Descriptor {
        self.scheme
    }

    /// The origin of `parameter`'s value: "given", "as=PRESET", or the origin of its default.
    pub fn origin_of(&self, parameter: &Parameter) -> String {
        if self.was_given(parameter.name) {
            return "given".to_string();
        }
        let sets = |preset: &&Preset| preset.value(parameter.name).is_some();
        match self.preset.filter(sets) {
            Some(preset) => format!("as={}", preset.name),
            None => self.scheme.default_of(parameter).1.to_string(),
        }
    }

    /// Whether `parameter` has an effect with all others at their values.
    pub fn matters(&self, parameter: &Parameter) -> bool {
        self.undone_by(parameter).is_none()
    }

    /// The parameter whose value leaves `parameter` without effect, and the values that would not;
    /// `None` if it has one.
    pub fn undone_by(
        &self,
        parameter: &Parameter,
    ) -> Option<(&'static Parameter, &'static [&'static str])> {
        let (other, values) = parameter.when?;
        let (index, other) = self.locate(other);
        self.undone_by(other).or_else(|| {
            let value = self.values[index].to_string();
            (!values.contains(&value.as_str())).then_some((other, values))
        })
    }

    /// The scheme's own curve, unless `curve` was given.
    pub(crate) fn own_curve(&self) -> Option<&'static CurveLaw> {
        self.scheme.curve.filter(|_| !self.was_given("curve"))
    }

    /// The link behind the queue.
    pub fn link(&self) -> LinkFacts {
        self.link
    }

    /// Every parameter with its value.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Parameter, &Value)> {
        self.scheme.parameters().zip(&self.values)
    }

    /// The value of `name`.
    pub fn value(&self, name: &str) -> &Value {
        &self.values[self.locate(name).0]
    }

    /// Whether the user gave `name`, rather than a preset or the default.
    pub fn was_given(&self, name: &str) -> bool {
        self.given.iter().any(|given| given == name)
    }

    /// Whether `name` has a value that is not a default: the user gave one, or the preset has one
    /// that is not computed from others ("auto").
    pub fn is_set(&self, name: &str) -> bool {
        let by_preset = self.preset.and_then(|preset| preset.value(name));
        self.was_given(name) || by_preset.is_some_and(|value| value != "auto")
    }

    /// A number; `None` for "auto".
    pub fn number_or_auto(&self, name: &str) -> Option<f64> {
        match self.value(name) {
            Value::Number(number) => Some(*number),
            Value::Auto => None,
            other => unreachable!("{name} is {other:?}, not a number"),
        }
    }

    /// A number.
    pub fn number(&self, name: &str) -> f64 {
        self.number_or_auto(name).unwrap_or(f64::NAN)
    }

    /// A whole number, as a `u32`; larger ones become `u32::MAX`.
    pub fn count(&self, name: &str) -> u32 {
        self.number(name) as u32
    }

    /// A span of time; `None` for "auto".
    pub fn time_or_auto(&self, name: &str) -> Option<Nanos> {
        match self.value(name) {
            Value::Time(span) => Some(*span),
            Value::Auto => None,
            other => unreachable!("{name} is {other:?}, not a time"),
        }
    }

    /// A span of time.
    pub fn time(&self, name: &str) -> Nanos {
        self.time_or_auto(name).unwrap_or(Nanos::ZERO)
    }

    /// A size; `None` for "auto".
    pub fn size_or_auto(&self, name: &str) -> Option<Bytes> {
        match self.value(name) {
            Value::Bytes(size) => Some(*size),
            Value::Auto => None,
            other => unreachable!("{name} is {other:?}, not a size"),
        }
    }

    /// A queue length; `None` for "auto".
    pub fn length_or_auto(&self, name: &str) -> Option<Length> {
        match self.value(name) {
            Value::Length(length) => Some(*length),
            Value::Auto => None,
            other => unreachable!("{name} is {other:?}, not a length"),
        }
    }

    /// A queue length in packets of the link's mean size.
    pub fn packets(&self, name: &str) -> f64 {
        let rate = self.link.rate.0 as f64;
        self.length_or_auto(name)
            .map_or(0.0, |length| length.in_packets(self.link.mean_packet, rate))
    }

    /// A queue length in bytes.
    pub fn bytes(&self, name: &str) -> f64 {
        let rate = self.link.rate.0 as f64;
        self.length_or_auto(name)
            .map_or(0.0, |length| length.in_bytes(self.link.mean_packet, rate))
    }

    /// On or off.
    pub fn flag(&self, name: &str) -> bool {
        *self.value(name) == Value::Flag(true)
    }

    /// The name chosen.
    pub fn choice(&self, name: &str) -> &'static str {
        match self.value(name) {
            Value::Choice(choice) => choice,
            other => unreachable!("{name} is {other:?}, not a choice"),
        }
    }

    /// The text given.
    pub fn text(&self, name: &str) -> &str {
        match self.value(name) {
            Value::Text(text) => text,
            other => unreachable!("{name} is {other:?}, not text"),
        }
    }

    /// The registry that the scheme's name was looked up in.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The scheme named by parameter `name`, with what was given as `inner.*`.
    pub fn inner(&self, name: &str) -> Result<Spec, ConfigError> {
        let mut spec = self.registry.spec(self.text(name))?;
        for (name, value) in &self.inner {
            spec = spec.with(name, value)?;
        }
        Ok(spec)
    }

    /// The buffer's limit, from the parameter `limit` that every scheme has.
    ///
    /// A limit in bytes or time also bounds the packets: by as many of 40 bytes, the headers of
    /// IPv4 and TCP (RFC 791 and 9293), as fit, and by `MOST_PACKETS`. A limit in time is
    /// converted once, at the link's rate when planned.
    pub fn limit(&self) -> Limit {
        match self.length_or_auto("limit") {
            Some(Length::Packets(packets)) => Limit::packets(packets as u32),
            Some(_) => {
                let bytes = libm::floor(self.bytes("limit")) as u64;
                let packets = (bytes / SMALLEST_PACKET).clamp(1, u64::from(MOST_PACKETS));
                Limit {
                    bytes: Bytes(bytes),
                    ..Limit::packets(packets as u32)
                }
            }
            None => Limit::packets(MOST_PACKETS),
        }
    }

    /// The error that values contradict each other; `fix` names the nearest allowed ones.
    pub fn contradiction(
        &self,
        parameter: &'static str,
        problem: impl ToString,
        fix: impl ToString,
    ) -> ConfigError {
        ConfigError::contradiction(self.scheme.name, parameter, problem, fix)
    }

    /// The error that the text of `name` cannot be read.
    pub(crate) fn unreadable(&self, name: &str) -> ConfigError {
        let (index, parameter) = self.locate(name);
        parameter.refuse(self.scheme.name, &self.values[index], None)
    }
}

/// The most packets any one queue holds: 2^22.
pub(super) const MOST_PACKETS: u32 = 1 << 22;

/// The size of the packets, in bytes, that a limit in bytes or time makes room for.
const SMALLEST_PACKET: u64 = 40;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bytes;

    fn settings(limit: &str) -> Result<Settings, ConfigError> {
        let link = LinkFacts::at(BitsPerSec::from_mbps(1));
        let spec: Spec = format!("droptail:limit={limit}").parse().unwrap();
        spec.settings(&link)
    }

    #[test]
    fn a_limit_in_bytes_or_time_holds_as_many_small_packets_as_fit() {
        for (text, packets, bytes) in [
            ("10 kB", 250, 10_000),
            ("80 ms", 250, 10_000),
            ("79 bytes", 1, 79),
            ("1 bytes", 1, 1),
            ("1 GB", MOST_PACKETS, 1_000_000_000),
            ("4194304999 bytes", MOST_PACKETS, 4_194_304_999),
        ] {
            let wanted = Limit {
                bytes: Bytes(bytes),
                ..Limit::packets(packets)
            };
            assert_eq!(settings(text).unwrap().limit(), wanted, "{text}");
        }
    }

    #[test]
    fn a_limit_of_more_packets_than_a_queue_holds_is_refused() {
        for text in ["4194305 packets", "4194305 kB", "40000 s"] {
            let refused = settings(text).unwrap_err().to_string();
            assert!(refused.contains("4194304"), "{refused}");
            assert!(
                refused.ends_with("nearest: limit = 4194304 packets"),
                "{refused}"
            );
        }
    }
}
