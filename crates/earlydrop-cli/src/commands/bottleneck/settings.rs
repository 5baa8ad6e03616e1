//! From words to one direction of a bottleneck.

use std::fmt;
use std::fs;

use earlydrop::registry::{Kind, Range, Spec, Value, nearest};
use earlydrop::units::{Nanos, Quantity};
use earlydrop_live::plan::{Direction, Rate};
use earlydrop_sim::network::Trace;

use crate::failure::Failure;

/// What can be said of a direction.
const NAMES: [&str; 5] = ["rate", "delay", "queue", "loss", "trace"];

const RATE: Kind = Kind::Rate(Range::closed(1e3, 1e11));
const DELAY: Kind = Kind::Time(Range::closed(0.0, 10.0));
const SPAN: Kind = Kind::Time(Range::closed(0.001, 1e9));
const LOSS: Kind = Kind::Number(Range::PROBABILITY, "probability");

/// What has been said of a direction: names and values, and where.
#[derive(Clone, Debug, Default)]
pub(super) struct Words(Vec<Word>);

#[derive(Clone, Debug)]
struct Word {
    /// "--up" or "--down"; `None` for an argument of its own.
    within: Option<&'static str>,
    name: &'static str,
    value: String,
}

/// As it was written.
impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Word {
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

impl Words {
    /// Those given as arguments of their own.
    pub(super) fn of_arguments(given: [(&'static str, &Option<String>); 5]) -> Words {
        let words = given.into_iter().filter_map(|(name, value)| {
            Some(Word {
                within: None,
                name,
                value: value.clone()?,
            })
        });
        Words(words.collect())
    }

    /// These, but for what `text`, given as `argument`, says otherwise: "rate=5Mbps loss=1%".
    /// A word without "=" goes on with the value before: "rate=5 Mbps".
    pub(super) fn and(&self, argument: &'static str, text: Option<&str>) -> Result<Words, Failure> {
        let mut own: Vec<Word> = Vec::new();
        for piece in text.unwrap_or_default().split_whitespace() {
            match (piece.split_once('='), own.last_mut()) {
                (Some((name, value)), _) => {
                    let name = known(argument, piece, name)?;
                    if own.iter().any(|word| word.name == name) {
                        let text = format!("{argument}: \"{name}\" is given twice; keep one");
                        return Err(Failure::Usage(text));
                    }
                    own.push(Word {
                        within: Some(argument),
                        name,
                        value: value.to_string(),
                    });
                }
                (None, Some(last)) => {
                    last.value.push(' ');
                    last.value.push_str(piece);
                }
                (None, None) => {
                    return Err(Failure::Usage(format!(
                        "{argument} \"{piece}\": allowed: words as in \"rate=5Mbps delay=10ms\"; \
                         known: {}",
                        NAMES.join(", ")
                    )));
                }
            }
        }
        // A rate takes the place of a trace, and the other way round.
        let replaces = |own: &Word, both: &Word| {
            let paced = |name| name == "rate" || name == "trace";
            own.name == both.name || (paced(own.name) && paced(both.name))
        };
        let kept = |both: &&Word| !own.iter().any(|own| replaces(own, both));
        let mut words: Vec<Word> = self.0.iter().filter(kept).cloned().collect();
        words.extend(own);
        Ok(Words(words))
    }

    fn find(&self, name: &str) -> Option<&Word> {
        self.0.iter().find(|word| word.name == name)
    }

    /// The direction that they describe.
    pub(super) fn read(&self) -> Result<Direction, Failure> {
        let delay = self.find("delay").map(|word| value(word, &DELAY));
        let loss = self.find("loss").map(|word| value(word, &LOSS));
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
                Some(word) => Failure::Usage(format!("{word}: {error}")),
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
            (Some(word), None) => match value(word, &RATE)? {
                Value::Rate(rate) => Ok(Rate::Constant(rate)),
                _ => Err(refused(word, &RATE, None)),
            },
            (None, Some(word)) => recorded(word),
            (None, None) => Err(Failure::Usage(
                "how fast? give --rate, as in --rate 20Mbps, or --trace with a recorded link"
                    .to_string(),
            )),
        }
    }

    fn queue(&self) -> Result<Spec, Failure> {
        let Some(word) = self.find("queue") else {
            return Ok(Spec::new("droptail")?);
        };
        let spec = word.value.parse();
        spec.map_err(|error| Failure::Usage(format!("{word}: {error}")))
    }
}

/// The name of this spelling, of what can be said.
fn known(argument: &str, piece: &str, name: &str) -> Result<&'static str, Failure> {
    let found = NAMES.into_iter().find(|known| *known == name);
    found.ok_or_else(|| {
        let nearest = nearest(name, NAMES.into_iter());
        let nearest = nearest.map(|nearest| format!("did you mean \"{nearest}\"? "));
        Failure::Usage(format!(
            "{argument} \"{piece}\": {}known: {}",
            nearest.unwrap_or_default(),
            NAMES.join(", ")
        ))
    })
}

fn value(word: &Word, kind: &Kind) -> Result<Value, Failure> {
    let value = kind
        .read(&word.value)
        .map_err(|nearest| refused(word, kind, nearest))?;
    // "--delay 25" means milliseconds to one and seconds to another.
    let has_unit = || {
        let quantity = word.value.parse::<Quantity>();
        quantity.is_ok_and(|quantity| quantity.dimension.is_some() || quantity.amount == 0.0)
    };
    match value {
        Value::Time(_) | Value::Rate(_) if !has_unit() => {
            Err(refused(word, kind, Some(value.to_string())))
        }
        value => Ok(value),
    }
}

/// The span of time that an argument of its own gives.
pub(in crate::commands) fn span(name: &'static str, text: &str) -> Result<Nanos, Failure> {
    let word = Word {
        within: None,
        name,
        value: text.to_string(),
    };
    match value(&word, &SPAN)? {
        Value::Time(span) => Ok(span),
        _ => Err(refused(&word, &SPAN, None)),
    }
}

fn refused(word: &Word, kind: &Kind, nearest: Option<String>) -> Failure {
    let nearest = nearest.map(|value| {
        let value = value.replace(' ', "");
        let word = Word {
            value,
            ..word.clone()
        };
        format!("; nearest: {word}")
    });
    let (allowed, nearest) = (kind.allowed(), nearest.unwrap_or_default());
    Failure::Usage(format!("{word}: allowed: {allowed}{nearest}"))
}

fn recorded(word: &Word) -> Result<Rate, Failure> {
    let text = fs::read_to_string(&word.value)
        .map_err(|error| Failure::Usage(format!("{word}: {error}")))?;
    let trace: Trace = text
        .parse()
        .map_err(|error| Failure::Usage(format!("{word}: {error}")))?;
    Ok(Rate::Recorded(trace))
}
