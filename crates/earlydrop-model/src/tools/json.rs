//! JSON as a row of values with the keys that lead to them.

use super::ParseError;
use super::token::{Token, tokenize};

/// A text, number or word, and the keys of the objects it stands in.
pub(super) struct Entry<'a> {
    pub(super) path: Vec<&'a str>,
    pub(super) value: Token<'a>,
}

/// Every value that is no list or object. Only what is nested wrongly is refused.
pub(super) fn entries(text: &str) -> Result<Vec<Entry<'_>>, ParseError> {
    let mut found = Vec::new();
    // For each open bracket its sign, and the key it is the value of.
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
                    let message = format!("this {} closes nothing", token.text);
                    return Err(token.error(message, "see whether the text is whole"));
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
                found.push(Entry { path, value: token });
            }
        }
    }
    Ok(found)
}

/// Words are cut at their colons, which are signs in JSON.
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
    fn values_are_found_with_their_keys() {
        let text = r#"[{"a":{"b c": "d", "e":5},"f":[1,true]}]"#;
        let found: Vec<(String, &str)> = entries(text)
            .unwrap()
            .into_iter()
            .map(|entry| (entry.path.join("/"), entry.value.text))
            .collect();
        let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (a.as_str(), *b)).collect();
        assert_eq!(
            found,
            [("a/b c", "d"), ("a/e", "5"), ("f", "1"), ("f", "true")]
        );
    }

    #[test]
    fn what_closes_nothing_is_refused() {
        assert!(entries("{\"a\":1]").is_err());
        assert!(entries("}").is_err());
    }
}
