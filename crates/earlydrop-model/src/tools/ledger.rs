//! The ledger of a text's tokens: a parser takes each token, or says that it is irrelevant. A token
//! that is neither is an error.
//!
//! ```text
//! text --tokenize--> Ledger --lines, cursor--> Cursor --take--> used
//!                                                     --leave--> irrelevant: listed by explain
//!                       close <------------------------ neither: an error
//! ```

use std::cell::Cell;
use std::ops::Range;

use earlydrop::registry::nearest;

use super::ParseError;
use super::token::{Token, tokenize};

/// What became of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Unread,
    Used,
    Irrelevant,
}

/// The tokens of a text, and what became of each.
pub(super) struct Ledger<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    fates: Vec<Cell<Fate>>,
}

impl<'a> Ledger<'a> {
    /// The tokens of `text`. One of `comments` starts a comment, which ends with its line.
    pub(super) fn of(text: &'a str, comments: &[&str]) -> Ledger<'a> {
        Ledger::of_tokens(text, tokenize(text, comments))
    }

    /// A ledger of tokens that were cut further or joined.
    pub(super) fn of_tokens(text: &'a str, tokens: Vec<Token<'a>>) -> Ledger<'a> {
        let fates = vec![Cell::new(Fate::Unread); tokens.len()];
        Ledger {
            text,
            tokens,
            fates,
        }
    }

    /// All tokens.
    pub(super) fn all(&self) -> Cursor<'_, 'a> {
        self.range(0..self.tokens.len())
    }

    /// The tokens of these numbers.
    pub(super) fn range(&self, range: Range<usize>) -> Cursor<'_, 'a> {
        Cursor {
            ledger: self,
            at: range.start,
            end: range.end.min(self.tokens.len()),
        }
    }

    /// The tokens line by line. `ends` ends a line, too.
    pub(super) fn lines(&self, ends: &str) -> Vec<Cursor<'_, 'a>> {
        let mut lines = Vec::new();
        let mut start = 0;
        for (at, token) in self.tokens.iter().enumerate() {
            let new_line = at > start && token.line != self.tokens[at - 1].line;
            if new_line {
                lines.push(self.range(start..at));
                start = at;
            }
            if token.is(ends) {
                self.fates[at].set(Fate::Used);
                if at > start {
                    lines.push(self.range(start..at));
                }
                start = at + 1;
            }
        }
        if start < self.tokens.len() {
            lines.push(self.range(start..self.tokens.len()));
        }
        lines
    }

    /// Tokens that were taken count as unread again.
    pub(super) fn forget(&self, range: Range<usize>) {
        for fate in &self.fates[range] {
            fate.set(Fate::Unread);
        }
    }

    /// What is not irrelevant but was not used is an error with the nearest of `known`. Otherwise
    /// the places of what is irrelevant, line by line.
    pub(super) fn close(&self, known: &[&str]) -> Result<Vec<Range<usize>>, ParseError> {
        let of = |fate: Fate| {
            let all = self.tokens.iter().zip(&self.fates);
            all.filter(move |(_, its)| its.get() == fate)
                .map(|(token, _)| token)
        };
        if let Some(token) = of(Fate::Unread).next() {
            return Err(unknown(token, known));
        }
        let mut left: Vec<Range<usize>> = Vec::new();
        let mut line = None;
        for token in of(Fate::Irrelevant) {
            match left.last_mut() {
                Some(before) if line == Some(token.line) => {
                    before.end = token.outer_span(self.text).end
                }
                _ => left.push(token.outer_span(self.text)),
            }
            line = Some(token.line);
        }
        Ok(left)
    }
}

/// The tokens of a statement, from which a parser takes one after the other.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'l, 'a> {
    ledger: &'l Ledger<'a>,
    at: usize,
    end: usize,
}

impl<'l, 'a> Cursor<'l, 'a> {
    /// The number of the next token.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The next token, which stays.
    pub(super) fn peek(&self) -> Option<Token<'a>> {
        self.after(0)
    }

    /// The token this many behind the next one, which stays.
    pub(super) fn after(&self, steps: usize) -> Option<Token<'a>> {
        let at = self.at + steps;
        (at < self.end).then(|| self.ledger.tokens[at])
    }

    /// Whether the next token is this word.
    pub(super) fn is(&self, word: &str) -> bool {
        self.peek().is_some_and(|token| token.is(word))
    }

    /// Whether one of the tokens is this word.
    pub(super) fn has(&self, word: &str) -> bool {
        self.tokens().iter().any(|token| token.is(word))
    }

    /// The tokens that are left.
    pub(super) fn tokens(&self) -> &'l [Token<'a>] {
        self.ledger
            .tokens
            .get(self.at..self.end)
            .unwrap_or_default()
    }

    /// Uses the next token.
    pub(super) fn take(&mut self) -> Option<Token<'a>> {
        let token = self.peek()?;
        self.ledger.fates[self.at].set(Fate::Used);
        self.at += 1;
        Some(token)
    }

    /// Uses the next `count` tokens.
    pub(super) fn take_many(&mut self, count: usize) {
        for _ in 0..count {
            self.take();
        }
    }

    /// Uses the next token if it is this word.
    pub(super) fn take_word(&mut self, word: &str) -> Option<Token<'a>> {
        if self.is(word) { self.take() } else { None }
    }

    /// Uses the next token if it is one of these words.
    pub(super) fn take_one_of(&mut self, words: &[&str]) -> Option<Token<'a>> {
        let one = self.peek()?;
        if words.contains(&one.text) && !one.quoted {
            return self.take();
        }
        None
    }

    /// Uses the next token, the value of `of`, or says that it is missing.
    pub(super) fn value(&mut self, of: &Token) -> Result<Token<'a>, ParseError> {
        let missing = || of.error(format!("{} needs a value", of.text), "give it a value");
        self.take().ok_or_else(missing)
    }

    /// Says that the next token is irrelevant.
    pub(super) fn leave(&mut self) -> Option<Token<'a>> {
        let token = self.peek()?;
        self.ledger.fates[self.at].set(Fate::Irrelevant);
        self.at += 1;
        Some(token)
    }

    /// Says that all tokens that are left are irrelevant.
    pub(super) fn leave_all(&mut self) {
        while self.leave().is_some() {}
    }

    /// A statement that begins with none of the words `known` is irrelevant, unless its first word
    /// is likely one of them misspelt.
    pub(super) fn leave_unless_misspelt(&mut self, known: &[&str]) -> Result<(), ParseError> {
        match self.peek() {
            Some(head) if is_misspelt(head.text, known) => Err(unknown(&head, known)),
            _ => {
                self.leave_all();
                Ok(())
            }
        }
    }

    /// Nothing may be left; what is, is an error with the nearest of `known`.
    pub(super) fn end(&self, known: &[&str]) -> Result<(), ParseError> {
        match self.peek() {
            Some(token) => Err(unknown(&token, known)),
            None => Ok(()),
        }
    }
}

/// The error of a token that has no meaning where it stands.
pub(super) fn unknown(token: &Token, known: &[&str]) -> ParseError {
    let guess = nearest(token.text, known.iter().copied());
    let guess = guess.map(|guess| format!("did you mean '{guess}'? "));
    let help = match known {
        [] => "nothing follows here: leave it out".to_string(),
        known => format!("{}known: {}", guess.unwrap_or_default(), known.join(", ")),
    };
    token.error(format!("unknown word \"{}\"", token.text), help)
}

/// Whether a word is one of `known` but for two letters at most.
pub(super) fn is_misspelt(word: &str, known: &[&str]) -> bool {
    if known.contains(&word) {
        return false;
    }
    let letters = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    let differ = |candidate: &str| {
        let (mut a, mut b) = (letters(word), letters(candidate));
        a.retain(|letter| match b.iter().position(|other| other == letter) {
            Some(at) => {
                b.remove(at);
                false
            }
            None => true,
        });
        a.len().max(b.len())
    };
    let candidate = nearest(word, known.iter().copied());
    candidate.is_some_and(|candidate| candidate.len() > 4 && differ(candidate) <= 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_neither_used_nor_irrelevant_is_an_error() {
        let text = "min 5 mxa\nhostname core";
        let ledger = Ledger::of(text, &[]);
        let mut lines = ledger.lines("").into_iter();
        let mut first = lines.next().unwrap();
        first.take();
        first.take();
        lines.next().unwrap().leave_all();
        let error = ledger.close(&["min", "max"]).unwrap_err();
        assert_eq!(&text[error.span], "mxa");
        assert_eq!(error.help, "did you mean 'max'? known: min, max");
        first.take();
        let left = ledger.close(&[]).unwrap();
        assert_eq!(left.len(), 1);
        assert_eq!(&text[left[0].clone()], "hostname core");
    }

    #[test]
    fn a_misspelt_statement_is_not_irrelevant() {
        let ledger = Ledger::of("randm-detect 5\nrouter bgp", &[]);
        let known = ["random-detect", "queue-limit"];
        let mut lines = ledger.lines("").into_iter();
        assert!(lines.next().unwrap().leave_unless_misspelt(&known).is_err());
        assert!(lines.next().unwrap().leave_unless_misspelt(&known).is_ok());
    }
}
