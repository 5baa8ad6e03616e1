//! Scripts: a path, a receiver, and what becomes of single packets, as `bench/linux/path.c` reads
//! them.

use std::collections::BTreeMap;

/// What is done to transmissions of data, or to acknowledgments, of given ordinals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Action {
    Lose,
    Mark,
    LoseAck,
    Late,
    Twice,
}

const ACTIONS: [(&str, Action); 5] = [
    ("lose", Action::Lose),
    ("mark", Action::Mark),
    ("lose_ack", Action::LoseAck),
    ("late", Action::Late),
    ("twice", Action::Twice),
];

/// The entries that are one number, with their defaults.
const NUMBERS: [(&str, u64); 17] = [
    ("rate", 0),
    ("queue", 0),
    ("step", 0),
    ("there", 0),
    ("back", 0),
    ("overhead", 0),
    ("mss", 1460),
    ("window", 1 << 30),
    ("every", 1),
    ("timeout", 40_000_000),
    ("quick", 0),
    ("change", 1),
    ("sack", 1),
    ("timestamps", 1),
    ("ecn", 0),
    ("log_state", 1),
    ("seed", 0),
];

/// A script.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    numbers: BTreeMap<&'static str, u64>,
    lists: Vec<(Action, u64, u64, u64)>,
}

impl Script {
    /// Reads a script; an error names the line.
    pub(crate) fn read(text: &str) -> Result<Script, String> {
        let mut script = Script::default();
        for (line, text) in text.lines().enumerate() {
            let text = text.trim();
            if !text.is_empty() && !text.starts_with('#') {
                script
                    .take(text)
                    .ok_or_else(|| format!("line {}: '{text}'", line + 1))?;
            }
        }
        Ok(script)
    }

    fn take(&mut self, line: &str) -> Option<()> {
        let mut words = line.split_whitespace();
        let word = words.next()?;
        if let Some((_, action)) = ACTIONS.iter().find(|(name, _)| *name == word) {
            let range = words.next()?;
            let (from, to) = range.split_once('-').unwrap_or((range, range));
            let value = words.next().map_or(Some(0), |word| word.parse().ok())?;
            let (from, to) = (from.parse().ok()?, to.parse().ok()?);
            self.lists.push((*action, from, to, value));
        } else {
            let (name, _) = NUMBERS.iter().find(|(name, _)| *name == word)?;
            self.numbers.insert(name, words.next()?.parse().ok()?);
        }
        Some(())
    }

    /// The number of entry `name`, or its default.
    pub(crate) fn number(&self, name: &str) -> u64 {
        let default = NUMBERS.iter().find(|(known, _)| *known == name);
        let default = default.expect("a known entry").1;
        self.numbers.get(name).copied().unwrap_or(default)
    }

    /// The value of the first entry that applies `action` to `ordinal`.
    pub(crate) fn listed(&self, action: Action, ordinal: u64) -> Option<u64> {
        let mut lists = self.lists.iter();
        let found = lists.find(|(known, from, to, _)| {
            *known == action && (*from..=*to).contains(&ordinal) && ordinal > 0
        });
        found.map(|(.., value)| *value)
    }
}
