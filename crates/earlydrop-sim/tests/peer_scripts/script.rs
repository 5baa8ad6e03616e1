//! The text of `scripts.txt`.

use std::str::FromStr;

const SCRIPTS: &str = include_str!("scripts.txt");

/// What happens at a line's time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    /// The application hands over so many segments.
    Write(u32),
    /// Acknowledgments up to each segment, the first at the line's time, then one every so many ms.
    Acks(Vec<u32>, f64),
    /// An acknowledgment with SACK blocks, from a segment to one that is not in it any more, and ECE.
    Ack(u32, Vec<(u32, u32)>, bool),
    /// Segments arrive at the receiver.
    Data(Vec<u32>),
    /// Nothing arrives.
    Wait,
}

/// A line of a script.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) text: &'static str,
    /// ms since the first data was handed over.
    pub(crate) at: f64,
    pub(crate) event: Event,
    pub(crate) sent: Vec<u32>,
    /// The receiver's acknowledgment: the segment it expects, and its SACK blocks.
    pub(crate) reply: Option<(u32, Vec<(u32, u32)>)>,
    /// `cwnd`, `ssthresh`, `flight` or `ect` after the event.
    pub(crate) state: Vec<(&'static str, f64)>,
}

/// A script.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    /// The suite and its name there.
    pub(crate) name: &'static str,
    pub(crate) settings: Vec<&'static str>,
    /// How many of its checks fail here; 0 without a reason.
    pub(crate) misses: usize,
    pub(crate) lines: Vec<Line>,
}

impl Script {
    /// The number after a setting's name.
    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        let at = self.settings.iter().position(|word| *word == name)?;
        self.settings.get(at + 1).map(|word| parsed(word))
    }

    /// Whether a setting is on.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.settings.contains(&name)
    }
}

fn parsed<T: FromStr>(word: &str) -> T {
    word.parse()
        .unwrap_or_else(|_| panic!("not a number: {word}"))
}

/// Reads `4` or `4-7`: the first segment, and the one after the last.
fn range(word: &str) -> (u32, u32) {
    let (from, to) = word.split_once('-').unwrap_or((word, word));
    (parsed(from), parsed::<u32>(to) + 1)
}

fn numbers(words: &[&str]) -> Vec<u32> {
    words
        .iter()
        .flat_map(|word| range(word).0..range(word).1)
        .collect()
}

fn blocks(words: &[&str]) -> Vec<(u32, u32)> {
    let words = words.iter().filter(|word| !["sack", "ece"].contains(word));
    words.map(|word| range(word)).collect()
}

fn event(words: &[&str]) -> Event {
    match words {
        ["write", segments] => Event::Write(parsed(segments)),
        ["wait"] => Event::Wait,
        ["ack", all @ .., "every", interval] => Event::Acks(
            all.iter().map(|word| parsed(word)).collect(),
            parsed(interval),
        ),
        ["ack", next, rest @ ..] => Event::Ack(parsed(next), blocks(rest), rest.contains(&"ece")),
        ["data", segments @ ..] => Event::Data(numbers(segments)),
        _ => panic!("not an event: {words:?}"),
    }
}

fn line(text: &'static str) -> Line {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let mut state = Vec::new();
    while let [.., name @ ("cwnd" | "ssthresh" | "flight" | "ect"), value] = words[..] {
        state.push((name, parsed(value)));
        words.truncate(words.len() - 2);
    }
    state.reverse();
    let (happens, sent) = match words.iter().position(|word| *word == ">") {
        Some(at) => (&words[1..at], &words[at + 1..]),
        None => (&words[1..], &[][..]),
    };
    let (sent, reply) = match sent {
        ["ack", next, rest @ ..] => (&[][..], Some((parsed(next), blocks(rest)))),
        sent => (sent, None),
    };
    Line {
        text,
        at: parsed(words[0]),
        event: event(happens),
        sent: numbers(sent),
        reply,
        state,
    }
}

fn script(text: &'static str) -> Script {
    let mut lines = text.lines();
    let head = lines.next().expect("a script has a head");
    let (name, settings) = head.split_once(" : ").expect("a head is NAME : SETTINGS");
    let mut script = Script {
        name: name.trim(),
        settings: settings.split_whitespace().collect(),
        misses: 0,
        lines: Vec::new(),
    };
    for text in lines.filter(|text| !text.trim().is_empty()) {
        match text.trim().strip_prefix("misses ") {
            Some(miss) => {
                let (count, why) = miss.split_once(": ").expect("a miss has a reason");
                assert!(!why.is_empty(), "{name}: a miss has a reason");
                script.misses = parsed(count);
            }
            None => script.lines.push(line(text.trim())),
        }
    }
    script
}

/// All scripts.
pub(crate) fn scripts() -> Vec<Script> {
    SCRIPTS.split("\n= ").skip(1).map(script).collect()
}
