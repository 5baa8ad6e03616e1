//! JSON as a flat list of values, each with the keys that lead to it.

use super::ParseError;
use super::ledger::Ledger;
use super::token::{Token, tokenize};

/// A string, number or word, with the keys of the objects around it.
pub(super) struct Entry<'a> {
    pub(super) path: Vec<&'a str>,
    /// The last of the keys; the value itself in a list.
    pub(super) key: Token<'a>,
    pub(super) value: Token<'a>,
    /// The numbers of the tokens of key and value in the ledger.
    tokens: std::ops::Range<usize>,
}

impl<'a> Entry<'a> {
    /// Uses key and value.
    pub(super) fn take(&self, ledger: &Ledger<'a>) -> Token<'a> {
        let mut all = ledger.range(self.tokens.clone());
        while all.take().is_some() {}
        self.value
    }

    /// Says that key and value are irrelevant.
    pub(super) fn leave(&self, ledger: &Ledger<'a>) {
        ledger.range(self.tokens.clone()).leave_all();
    }
}

/// The tokens of a JSON text.
pub(super) fn ledger(text: &str) -> Ledger<'_> {
    let tokens = tokenize(text, &[]).into_iter().flat_map(at_colons);
    Ledger::of_tokens(text, tokens.collect())
}

/// Lists every scalar value. The only error is a bracket that does not match.
pub(super) fn entries<'a>(ledger: &Ledger<'a>) -> Result<Vec<Entry<'a>>, ParseError> {
    let mut list = Vec::new();
    // Each open bracket, with the key of the value that it opens.
    let mut open: Vec<(&str, Option<&str>)> = Vec::new();
    let mut key: Option<(Token<'a>, usize)> = None;
    let mut rest = ledger.all();
    while let Some(token) = rest.peek() {
        let at = rest.at();
        let sign = (!token.quoted).then_some(token.text);
        match sign {
            Some("{" | "[") => open.push((token.text, key.take().map(|(key, _)| key.text))),
            Some("}" | "]") => {
                let fits = |(opened, _): &(&str, _)| (*opened == "{") == (token.text == "}");
                if !open.pop().as_ref().is_some_and(fits) {
                    let message = format!("unmatched {}", token.text);
                    return Err(token.error(message, "check that the text is complete"));
                }
                key = None;
            }
            Some("," | "=" | ";" | "(" | ")") => key = None,
            Some(":") => {}
            _ if rest.after(1).is_some_and(|next| next.is(":")) => key = Some((token, at)),
            _ => {
                let above = open.iter().filter_map(|(_, key)| *key);
                let (last, start) = key.take().unwrap_or((token, at));
                let path = above.chain((start < at).then_some(last.text)).collect();
                list.push(Entry {
                    path,
                    key: last,
                    value: token,
                    tokens: start..at + 1,
                });
            }
        }
        rest.take();
    }
    // The entries are left for the parser to take.
    for entry in &list {
        ledger.forget(entry.tokens.clone());
    }
    Ok(list)
}

/// Splits a word at its colons, which the tokenizer treats as letters.
fn at_colons(token: Token<'_>) -> Vec<Token<'_>> {
    if token.quoted {
        return vec![token];
    }
    let mut parts = Vec::new();
    let mut at = 0;
    for part in token.text.split_inclusive(':') {
        let word = part.trim_end_matches(':');
        if !word.is_empty() {
            parts.push(token.part(at, word.len()));
        }
        if word.len() < part.len() {
            parts.push(token.part(at + word.len(), 1));
        }
        at += part.len();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_listed_with_their_keys() {
        let text = r#"[{"a":{"b c": "d", "e":5},"f":[1,true]}]"#;
        let values: Vec<(String, &str)> = entries(&ledger(text))
            .unwrap()
            .into_iter()
            .map(|entry| (entry.path.join("/"), entry.value.text))
            .collect();
        let values: Vec<(&str, &str)> = values.iter().map(|(a, b)| (a.as_str(), *b)).collect();
        assert_eq!(
            values,
            [("a/b c", "d"), ("a/e", "5"), ("f", "1"), ("f", "true")]
        );
    }

    #[test]
    fn unmatched_brackets_are_errors() {
        assert!(entries(&ledger("{\"a\":1]")).is_err());
        assert!(entries(&ledger("}")).is_err());
    }
}
