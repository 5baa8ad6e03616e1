//! A tokenizer shared by all parsers. Tokens know their span, so that every error can point at one.

use std::ops::Range;

use super::ParseError;

/// A word, a text between quotes, or a single sign of `{}[]();,=`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    start: usize,
    /// Line number, from 0.
    pub(super) line: usize,
    pub(super) quoted: bool,
}

impl<'a> Token<'a> {
    /// The sub-token of `length` bytes that starts at byte `from`.
    pub(super) fn part(&self, from: usize, length: usize) -> Token<'a> {
        Token {
            text: &self.text[from..from + length],
            start: self.start + from,
            ..*self
        }
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// The span with the quotes around it, if it has any.
    pub(super) fn outer_span(&self, text: &str) -> Range<usize> {
        let Range { start, end } = self.span();
        match self.quoted {
            true => start - 1..end + usize::from(text[end..].starts_with('"')),
            false => start..end,
        }
    }

    /// Whether this is the word or sign `word`, not in quotes.
    pub(super) fn is(&self, word: &str) -> bool {
        self.text == word && !self.quoted
    }

    pub(super) fn error(&self, message: impl Into<String>, help: impl Into<String>) -> ParseError {
        ParseError {
            span: self.span(),
            message: message.into(),
            help: help.into(),
        }
    }

    /// Parses a number within `low..=high`; `name` appears in the error.
    pub(super) fn number(&self, name: &str, low: f64, high: f64) -> Result<f64, ParseError> {
        let number = self.text.parse::<f64>().ok().filter(|n| n.is_finite());
        let Some(number) = number else {
            let message = format!("{name} is \"{}\", which is not a number", self.text);
            return Err(self.error(message, format!("allowed: {}", between(low, high))));
        };
        if (low..=high).contains(&number) {
            return Ok(number);
        }
        let message = format!("{name} = {} is outside {}", self.text, between(low, high));
        Err(self.error(
            message,
            format!("nearest: {name} {}", number.clamp(low, high)),
        ))
    }

    /// Parses a whole number within `low..=high`; `name` appears in the error.
    pub(super) fn count(&self, name: &str, low: f64, high: f64) -> Result<f64, ParseError> {
        let number = self.number(name, low, high)?;
        if number.fract() == 0.0 {
            return Ok(number);
        }
        let message = format!("{name} = {} is not a whole number", self.text);
        Err(self.error(message, format!("nearest: {name} {}", number.round())))
    }

    /// Parses a probability above 0.
    pub(super) fn probability(&self, name: &str) -> Result<f64, ParseError> {
        let probability = self.number(name, 0.0, 1.0)?;
        if probability > 0.0 {
            return Ok(probability);
        }
        let help = "allowed: above 0 and at most 1";
        Err(self.error(format!("{name} = 0 would never signal congestion"), help))
    }

    /// Parses true, false, on, off, yes, no, 1 or 0.
    pub(super) fn flag(&self, name: &str) -> Result<bool, ParseError> {
        match self.text.to_ascii_lowercase().as_str() {
            "true" | "1" | "on" | "yes" => Ok(true),
            "false" | "0" | "off" | "no" => Ok(false),
            _ => {
                let message = format!("{name} is \"{}\"", self.text);
                Err(self.error(message, "allowed: true or false"))
            }
        }
    }
}

fn between(low: f64, high: f64) -> String {
    match high == f64::MAX {
        true => format!("numbers of at least {low}"),
        false => format!("{low} to {high}"),
    }
}

/// Splits `text` into tokens. One of `comments` starts a comment, which ends with its line.
pub(super) fn tokenize<'a>(text: &'a str, comments: &[&str]) -> Vec<Token<'a>> {
    const SIGNS: &str = "{}[]();,=";
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut line = 0;
    while let Some(letter) = text[at..].chars().next() {
        let rest = &text[at..];
        if comments.iter().any(|comment| rest.starts_with(comment)) {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        let (skip, length) = match letter {
            '"' => (1, rest[1..].find(['"', '\n']).unwrap_or(rest.len() - 1)),
            _ if SIGNS.contains(letter) => (0, letter.len_utf8()),
            _ => (0, word_length(rest, SIGNS, comments)),
        };
        let start = at + skip;
        if length > 0 || skip > 0 {
            tokens.push(Token {
                text: &text[start..start + length],
                start,
                line,
                quoted: skip > 0,
            });
        }
        at = start + length;
        // Skips the closing quote or one separator.
        if let Some(next) = text[at..].chars().next()
            && (skip > 0 && next == '"' || length == 0 && skip == 0)
        {
            line += usize::from(next == '\n');
            at += next.len_utf8();
        }
    }
    tokens
}

fn word_length(rest: &str, signs: &str, comments: &[&str]) -> usize {
    let ends = |(index, letter): &(usize, char)| {
        let comment = || comments.iter().any(|sign| rest[*index..].starts_with(sign));
        letter.is_whitespace() || *letter == '"' || signs.contains(*letter) || comment()
    };
    rest.char_indices()
        .find(ends)
        .map_or(rest.len(), |(index, _)| index)
}

/// A number for a configuration, which other programs read: at most `significant` digits and no
/// exponent. For people: [`number`](crate::number).
pub(crate) fn digits(value: f64, significant: usize) -> String {
    let rounded = format!("{value:.*e}", significant.saturating_sub(1));
    let number: f64 = rounded.parse().unwrap_or(value);
    number.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_know_their_span_and_line() {
        let text = "a \"b c\" (5) # gone\nd=7";
        let tokens = tokenize(text, &["#"]);
        let texts: Vec<&str> = tokens.iter().map(|token| token.text).collect();
        assert_eq!(texts, ["a", "b c", "(", "5", ")", "d", "=", "7"]);
        for token in &tokens {
            assert_eq!(&text[token.span()], token.text);
        }
        assert_eq!((tokens[4].line, tokens[5].line), (0, 1));
        assert!(tokens[1].quoted && !tokens[0].quoted);
    }

    #[test]
    fn unterminated_text_is_tokenized() {
        for (text, count) in [("\"", 1), ("a\"", 2), ("é\"ü", 2), ("", 0), (" \n", 0)] {
            assert_eq!(tokenize(text, &["//"]).len(), count, "{text:?}");
        }
    }

    #[test]
    fn numbers_outside_their_range_are_refused_with_the_nearest() {
        let token = tokenize("17", &[])[0];
        let refused = token.number("mpd", 1.0, 16.0).unwrap_err();
        assert_eq!(refused.message, "mpd = 17 is outside 1 to 16");
        assert_eq!(refused.help, "nearest: mpd 16");
        assert!(tokenize("NaN", &[])[0].number("x", 0.0, 1.0).is_err());
    }

    #[test]
    fn numbers_are_formatted_without_trailing_zeros() {
        assert_eq!(digits(0.058_440_1, 4), "0.05844");
        assert_eq!(digits(30_000.0, 6), "30000");
    }
}
