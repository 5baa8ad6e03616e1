//! JSON as a flat list of values, each with the keys that lead to it.

use super::ParseError;
use super::token::{Token, tokenize};

/// A string, number or word, with the keys of the objects around it.
pub(super) struct Entry<'a> {
    pub(super) path: Vec<&'a str>,
    pub(super) value: Token<'a>,
}

/// Lists every scalar value. The only error is a bracket that does not match.
pub(super) fn entries(text: &str) -> Result<Vec<Entry<'_>>, ParseError> {
    let mut list = Vec::new();
    // Each open bracket, with the key of the value that it opens.
    let mut open: Vec<(&str, Option<&str>)> = Vec::new();
    let mut key: Option<&str> = None;
    let mut cut = tokenize(text, &[])
        .into_iter()
        .flat_map(at_colons)
        .peekable();
    while let Some(token) = cut.next() {
        let sign = (!token.quoted).then_some(token.text);
        match sign {
            Some("{" | "[") => open.push((token.text, key.take())),
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
            _ => {
                let names = cut
                    .peek()
                    .is_some_and(|next| next.text == ":" && !next.quoted);
                if names {
                    key = Some(token.text);
                    continue;
                }
                let above = open.iter().filter_map(|(_, key)| *key);
                let path = above.chain(key.take()).collect();
                list.push(Entry { path, value: token });
            }
        }
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
        let values: Vec<(String, &str)> = entries(text)
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
        assert!(entries("{\"a\":1]").is_err());
        assert!(entries("}").is_err());
    }
}
