//! The statements of Junos, as blocks or as `set` commands: drop profiles and schedulers.

use std::ops::Range;

use earlydrop::registry::Length;
use earlydrop::units::BitsPerSec;

use crate::tools::ParseError;
use crate::tools::context::Source;
use crate::tools::ledger::{Ledger, is_misspelt, unknown};
use crate::tools::parse::Given;
use crate::tools::token::Token;

/// The tokens of one profile.
pub(super) struct Profile<'a> {
    pub(super) name: &'a str,
    pub(super) at: Token<'a>,
    pub(super) interpolated: bool,
    pub(super) fills: Vec<Token<'a>>,
    pub(super) drops: Vec<Token<'a>>,
}

/// A scheduler: the queue that its profiles are of.
#[derive(Default)]
pub(super) struct Scheduler<'a> {
    pub(super) buffer: Option<Given<Length>>,
    pub(super) ecn: Option<Token<'a>>,
    pub(super) share: Option<Given<f64>>,
    pub(super) rate: Option<Given<BitsPerSec>>,
    /// Loss priorities, each with its profile.
    pub(super) maps: Vec<(&'a str, Token<'a>)>,
}

/// What a text configures.
#[derive(Default)]
pub(super) struct Parsed<'a> {
    pub(super) profiles: Vec<Profile<'a>>,
    pub(super) schedulers: Vec<(String, Option<Token<'a>>)>,
    pub(super) of_schedulers: Vec<Scheduler<'a>>,
    pub(super) irrelevant: Vec<Range<usize>>,
}

/// First words of statements, for errors.
pub(super) const STATEMENTS: [&str; 6] = [
    "class-of-service",
    "drop-profiles",
    "schedulers",
    "fill-level",
    "drop-probability",
    "interpolate",
];

/// Statements as paths of token numbers: `a { b c; d e; }` has two, `set a b c` is one.
pub(super) fn statements(ledger: &Ledger) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = Vec::new();
    // The path of each open block, and the words since the last sign.
    let mut open: Vec<Vec<usize>> = Vec::new();
    let mut words: Vec<usize> = Vec::new();
    let mut line = None;
    let mut finish = |words: &mut Vec<usize>, open: &[Vec<usize>]| {
        if !words.is_empty() {
            let path = open.iter().flatten().copied().chain(words.drain(..));
            all.push(path.collect());
        }
    };
    let mut rest = ledger.all();
    let is_set = rest.has("set") || rest.has("delete");
    while let Some(token) = rest.peek() {
        let at = rest.at();
        if is_set && line != Some(token.line) {
            finish(&mut words, &open);
        }
        line = Some(token.line);
        match token.text {
            "{" if !token.quoted => open.push(std::mem::take(&mut words)),
            "}" if !token.quoted => {
                finish(&mut words, &open);
                open.pop();
            }
            ";" if !token.quoted => finish(&mut words, &open),
            _ => words.push(at),
        }
        rest.take();
    }
    finish(&mut words, &open);
    for path in &all {
        path.iter().for_each(|at| ledger.forget(*at..*at + 1));
    }
    all
}

/// The words of one statement, with the blocks around it.
pub(super) struct Path<'l, 'a> {
    pub(super) ledger: &'l Ledger<'a>,
    pub(super) path: Vec<usize>,
    pub(super) at: usize,
}

impl<'a> Path<'_, 'a> {
    fn peek(&self) -> Option<Token<'a>> {
        let at = *self.path.get(self.at)?;
        self.ledger.range(at..at + 1).peek()
    }

    /// The words that are left.
    fn words(&self) -> Vec<Token<'a>> {
        let left = self.path[self.at..].iter();
        left.filter_map(|at| self.ledger.range(*at..*at + 1).peek())
            .collect()
    }

    fn take(&mut self) -> Option<Token<'a>> {
        let at = *self.path.get(self.at)?;
        self.at += 1;
        self.ledger.range(at..at + 1).take()
    }

    fn take_word(&mut self, word: &str) -> Option<Token<'a>> {
        self.peek().filter(|token| token.is(word))?;
        self.take()
    }

    fn value(&mut self, of: &Token) -> Result<Token<'a>, ParseError> {
        let missing = || of.error(format!("{} needs a value", of.text), "give it a value");
        self.take().ok_or_else(missing)
    }

    /// Says that the words from here on are irrelevant, and those before unless they are used.
    fn leave_all(&mut self) {
        for at in &self.path[self.at..] {
            self.ledger.range(*at..*at + 1).leave_all();
        }
        self.at = self.path.len();
    }

    fn end(&self, known: &[&str]) -> Result<(), ParseError> {
        match self.peek() {
            Some(token) => Err(unknown(&token, known)),
            None => Ok(()),
        }
    }
}

impl<'a> Parsed<'a> {
    pub(super) fn statement(
        &mut self,
        mut path: Path<'_, 'a>,
        source: &Source<'a>,
    ) -> Result<(), ParseError> {
        path.take_word("set");
        path.take_word("class-of-service");
        if path.take_word("drop-profiles").is_some() {
            return match path.take() {
                Some(name) => self.pairs(name, &mut path),
                None => Ok(()),
            };
        }
        if let Some(word) = path.take_word("schedulers") {
            let name = path.value(&word)?;
            return self.scheduler(name, &mut path, source);
        }
        // A profile without the block around it.
        const PAIRS: [&str; 3] = ["interpolate", "fill-level", "drop-probability"];
        let is_pair = |token: &Token| PAIRS.contains(&token.text);
        let words = path.words();
        let Some(head) = words.first() else {
            return Ok(());
        };
        let name = match words.iter().position(is_pair) {
            Some(0) => path.peek(),
            Some(1) => path.take(),
            None if !is_misspelt(head.text, &STATEMENTS)
                && !words.iter().any(|word| word.is("drop-profiles")) =>
            {
                path.leave_all();
                None
            }
            _ => return Err(unknown(head, &STATEMENTS)),
        };
        name.map_or(Ok(()), |name| self.pairs(name, &mut path))
    }

    /// Reads `interpolate fill-level [ 20 60 ] drop-probability [ 0 5 ]`, or a part of it.
    fn pairs(&mut self, name: Token<'a>, path: &mut Path<'_, 'a>) -> Result<(), ParseError> {
        const WORDS: [&str; 3] = ["interpolate", "fill-level", "drop-probability"];
        let known = self
            .profiles
            .iter()
            .position(|profile| profile.name == name.text);
        let index = known.unwrap_or(self.profiles.len());
        if known.is_none() {
            self.profiles.push(Profile {
                name: name.text,
                at: name,
                interpolated: false,
                fills: Vec::new(),
                drops: Vec::new(),
            });
        }
        let profile = &mut self.profiles[index];
        while let Some(word) = path.peek() {
            if !WORDS.contains(&word.text) {
                return path.end(&WORDS);
            }
            path.take();
            if word.is("interpolate") {
                profile.interpolated = true;
                continue;
            }
            let list = match word.is("fill-level") {
                true => &mut profile.fills,
                false => &mut profile.drops,
            };
            if path.take_word("[").is_none() {
                list.push(path.value(&word)?);
                continue;
            }
            while let Some(value) = path.take().filter(|value| !value.is("]")) {
                list.push(value);
            }
        }
        Ok(())
    }

    fn scheduler(
        &mut self,
        name: Token<'a>,
        path: &mut Path<'_, 'a>,
        source: &Source<'a>,
    ) -> Result<(), ParseError> {
        const WORDS: [&str; 8] = [
            "buffer-size",
            "drop-profile-map",
            "explicit-congestion-notification",
            "transmit-rate",
            "shaping-rate",
            "excess-rate",
            "excess-priority",
            "priority",
        ];
        let known = self
            .schedulers
            .iter()
            .position(|(known, _)| known == name.text);
        let index = known.unwrap_or(self.schedulers.len());
        if known.is_none() {
            self.schedulers.push((name.text.to_string(), Some(name)));
            self.of_schedulers.push(Scheduler::default());
        }
        let scheduler = &mut self.of_schedulers[index];
        let Some(word) = path.peek() else {
            let message = format!("the scheduler {} sets nothing", name.text);
            return Err(name.error(message, format!("known: {}", WORDS.join(", "))));
        };
        match word.text {
            "buffer-size" => {
                path.take();
                scheduler.buffer = buffer_size(&word, path, source)?;
            }
            "explicit-congestion-notification" => scheduler.ecn = path.take(),
            "drop-profile-map" => {
                path.take();
                let mut map = (None, None);
                while let Some(word) = path.take() {
                    let value = path.value(&word)?;
                    match word.text {
                        "loss-priority" => map.0 = Some(value.text),
                        "drop-profile" => map.1 = Some(value),
                        "protocol" => {}
                        _ => {
                            return Err(unknown(
                                &word,
                                &["loss-priority", "protocol", "drop-profile"],
                            ));
                        }
                    }
                }
                let profile = map
                    .1
                    .ok_or_else(|| word.error("drop-profile is missing", "name a profile"))?;
                scheduler.maps.push((map.0.unwrap_or("any"), profile));
            }
            "transmit-rate" | "shaping-rate" => {
                path.take();
                let value = path.value(&word)?;
                match value.text {
                    "percent" => {
                        let value = path.value(&value)?;
                        let share = value.number("percent", 1.0, 100.0)? / 100.0;
                        scheduler.share = Some((share, value.span()));
                    }
                    "remainder" => {}
                    _ => scheduler.rate = Some((rate(&value)?, value.span())),
                }
                path.take_word("exact");
                path.take_word("rate-limit");
            }
            "excess-rate" | "excess-priority" | "priority" => path.leave_all(),
            _ => {}
        }
        path.end(&WORDS)
    }
}

/// A rate as Junos writes it: 10m is 10 Mbps.
fn rate(value: &Token) -> Result<BitsPerSec, ParseError> {
    let text = value.text.trim_end_matches("bps");
    let (number, scale) = match text.chars().last() {
        Some('k') => (&text[..text.len() - 1], 1e3),
        Some('m') => (&text[..text.len() - 1], 1e6),
        Some('g') => (&text[..text.len() - 1], 1e9),
        _ => (text, 1.0),
    };
    let rate = number.parse::<f64>().ok().map(|number| number * scale);
    let rate = rate.filter(|rate| (1e3..1e13).contains(rate));
    let refused = || value.error(format!("{} is not a rate", value.text), "allowed: 10m, 1g");
    rate.map(|rate| BitsPerSec(rate as u64)).ok_or_else(refused)
}

/// Reads `temporal 100k` and `percent 40`, which is of the buffer of the interface.
fn buffer_size<'a>(
    word: &Token<'a>,
    path: &mut Path<'_, 'a>,
    source: &Source<'a>,
) -> Result<Option<Given<Length>>, ParseError> {
    let kind = path.value(word)?;
    match kind.text {
        "temporal" => {
            let value = path.value(&kind)?;
            Ok(Some((Length::Seconds(temporal(&value)?), value.span())))
        }
        "percent" => {
            let value = path.value(&kind)?;
            let share = value.number("percent", 1.0, 100.0)? / 100.0;
            let Some(whole) = source.context.buffer else {
                let message = format!(
                    "buffer-size is {}% of a buffer that is not given",
                    value.text
                );
                let help = "give the buffer of the interface: --buffer 200ms, or write buffer-size temporal 80k";
                return Err(value.error(message, help));
            };
            let link = source.link;
            let bytes = whole.in_bytes(link.mean_packet, link.rate.0 as f64);
            Ok(Some((Length::Bytes(share * bytes), value.span())))
        }
        "remainder" | "exact" => Ok(None),
        _ => Err(unknown(&kind, &["temporal", "percent", "remainder"])),
    }
}

/// Microseconds, or thousands of them.
fn temporal(value: &Token) -> Result<f64, ParseError> {
    let (number, per_second) = match value.text.strip_suffix(['k', 'K']) {
        Some(thousands) => (thousands, 1e3),
        None => (value.text, 1e6),
    };
    let number = number
        .parse::<f64>()
        .ok()
        .filter(|n| *n >= 1.0 && *n <= 1e9);
    let number = number.ok_or_else(|| {
        let message = format!("temporal {} is not a buffer size", value.text);
        value.error(message, "allowed: microseconds, such as 100000 or 100k")
    })?;
    Ok(number / per_second)
}
