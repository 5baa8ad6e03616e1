//! The settings of one direction of a bottleneck, from arguments such as `--rate 20Mbps` and
//! `--up "rate=5Mbps loss=1%"`.

use std::fmt;
use std::path::Path;

use earlydrop::registry::{Kind, Range, Spec, Value, nearest};
use earlydrop::units::Nanos;
use earlydrop_lab::files::{FileError, read_text};
use earlydrop_live::plan::{Direction, Rate};
use earlydrop_report::request;
use earlydrop_sim::network::Trace;

use crate::failure::Failure;

/// The names of the settings.
const NAMES: [&str; 5] = ["rate", "delay", "queue", "loss", "trace"];

const RATE: Kind = Kind::Rate(Range::closed(1e3, 1e11));
const DELAY: Kind = Kind::Time(Range::closed(0.0, 10.0));
const DURATION: Kind = Kind::Time(Range::closed(0.001, 1e9));
const LOSS: Kind = Kind::Number(Range::PROBABILITY, "probability");

/// The settings of a direction, each with the argument that gives it.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings(Vec<Setting>);

#[derive(Clone, Debug)]
struct Setting {
    /// "--up" or "--down"; `None` for an option of the setting's own name.
    within: Option<&'static str>,
    name: &'static str,
    value: String,
}

/// The setting as written on the command line.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Setting {
            within,
            name,
            value,
        } = self;
        match within {
            Some(argument) => write!(f, "{argument} \"{name}={value}\""),
            None => write!(f, "--{name} {value}"),
        }
    }
}

impl Settings {
    /// The settings given as options of their own.
    pub(super) fn of_arguments(given: [(&'static str, &Option<String>); 5]) -> Settings {
        let settings = given.into_iter().filter_map(|(name, value)| {
            Some(Setting {
                within: None,
                name,
                value: value.clone()?,
            })
        });
        Settings(settings.collect())
    }

    /// These settings, overridden by those in `text`, the value of `argument`.
    pub(super) fn overridden(
        &self,
        argument: &'static str,
        text: Option<&str>,
    ) -> Result<Settings, Failure> {
        let own = Settings::parse(argument, text.unwrap_or_default())?;
        // A rate overrides a trace, and a trace a rate.
        let overrides = |own: &Setting, both: &Setting| {
            let paces = |name| name == "rate" || name == "trace";
            own.name == both.name || (paces(own.name) && paces(both.name))
        };
        let remains = |both: &&Setting| !own.0.iter().any(|own| overrides(own, both));
        let remaining = self.0.iter().filter(remains).cloned();
        Ok(Settings(remaining.chain(own.0.iter().cloned()).collect()))
    }

    /// Parses "rate=5Mbps loss=1%". A word without "=" continues the value before: "rate=5 Mbps".
    fn parse(argument: &'static str, text: &str) -> Result<Settings, Failure> {
        let mut settings: Vec<Setting> = Vec::new();
        for word in text.split_whitespace() {
            match (word.split_once('='), settings.last_mut()) {
                (Some((name, value)), _) => {
                    let name = known_name(argument, word, name)?;
                    if settings.iter().any(|setting| setting.name == name) {
                        let text = format!("{argument}: \"{name}\" is given twice; keep one");
                        return Err(Failure::Usage(text));
                    }
                    settings.push(Setting {
                        within: Some(argument),
                        name,
                        value: value.to_string(),
                    });
                }
                (None, Some(last)) => {
                    last.value.push(' ');
                    last.value.push_str(word);
                }
                (None, None) => {
                    return Err(Failure::Usage(format!(
                        "{argument} \"{word}\": allowed: settings as in \
                         \"rate=5Mbps delay=10ms\"; known: {}",
                        NAMES.join(", ")
                    )));
                }
            }
        }
        Ok(Settings(settings))
    }

    fn find(&self, name: &str) -> Option<&Setting> {
        self.0.iter().find(|setting| setting.name == name)
    }

    /// The direction with these settings.
    pub(super) fn direction(&self) -> Result<Direction, Failure> {
        let delay = self.find("delay").map(|setting| value(setting, &DELAY));
        let loss = self.find("loss").map(|setting| value(setting, &LOSS));
        let direction = Direction {
            rate: self.rate()?,
            delay: match delay.transpose()? {
                Some(Value::Time(delay)) => delay,
                _ => Default::default(),
            },
            loss: match loss.transpose()? {
                Some(Value::Number(loss)) => loss,
                _ => 0.0,
            },
            queue: self.queue()?,
        };
        direction
            .check()
            .map_err(|error| match self.find("queue") {
                Some(queue) => Failure::Usage(format!("{queue}: {error}")),
                None => error.into(),
            })?;
        Ok(direction)
    }

    fn rate(&self) -> Result<Rate, Failure> {
        match (self.find("rate"), self.find("trace")) {
            (Some(rate), Some(trace)) => Err(Failure::Usage(format!(
                "{rate} and {trace}: a link that follows a trace has no rate of its own; leave \
                 one of them out"
            ))),
            (Some(setting), None) => match value(setting, &RATE)? {
                Value::Rate(rate) => Ok(Rate::Constant(rate)),
                _ => Err(request::wrong_kind(setting.name, &setting.value).into()),
            },
            (None, Some(setting)) => recorded(setting),
            (None, None) => Err(Failure::Usage(
                "no rate: give --rate, as in --rate 20Mbps, or --trace with a recorded link"
                    .to_string(),
            )),
        }
    }

    fn queue(&self) -> Result<Spec, Failure> {
        let Some(setting) = self.find("queue") else {
            return Ok(Spec::new("droptail")?);
        };
        let spec = setting.value.parse();
        spec.map_err(|error| Failure::Usage(format!("{setting}: {error}")))
    }
}

/// The setting's name, which must be one of [`NAMES`].
fn known_name(argument: &str, word: &str, name: &str) -> Result<&'static str, Failure> {
    let known = NAMES.into_iter().find(|known| *known == name);
    known.ok_or_else(|| {
        let nearest = nearest(name, NAMES.into_iter());
        let nearest = nearest.map(|nearest| format!("did you mean \"{nearest}\"? "));
        Failure::Usage(format!(
            "{argument} \"{word}\": {}known: {}",
            nearest.unwrap_or_default(),
            NAMES.join(", ")
        ))
    })
}

/// The setting's value as one of this kind; times and rates must have a unit.
fn value(setting: &Setting, kind: &Kind) -> Result<Value, Failure> {
    let argument = |value: &str| {
        let value = value.to_string();
        Setting { value, ..*setting }.to_string()
    };
    Ok(request::read_as(&setting.value, kind, argument)?)
}

/// The value of an option that takes a duration.
pub(in crate::commands) fn duration(name: &'static str, text: &str) -> Result<Nanos, Failure> {
    let setting = Setting {
        within: None,
        name,
        value: text.to_string(),
    };
    match value(&setting, &DURATION)? {
        Value::Time(duration) => Ok(duration),
        _ => Err(request::wrong_kind(name, text).into()),
    }
}

/// The largest trace: 256 MiB, some 50 million packets.
const MAX_TRACE: u64 = 1 << 28;

/// Reads the trace of a recorded link.
fn recorded(setting: &Setting) -> Result<Rate, Failure> {
    let refused = |error: &dyn fmt::Display| Failure::Usage(format!("{setting}: {error}"));
    let text = read_text(Path::new(&setting.value), MAX_TRACE).map_err(|error| match error {
        FileError::System { error, .. } => refused(&error),
        error => refused(&error),
    })?;
    let trace: Trace = text.parse().map_err(|error| refused(&error))?;
    Ok(Rate::Recorded(trace))
}
