//! Control characters, made visible.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character changes how a terminal shows the rest: the C0 and C1 controls and DEL, the
/// line and paragraph separators, and the marks, embeddings, overrides and isolates that change
/// the direction of text (UAX #9, section 2).
pub fn is_control(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{061c}'
                | '\u{200b}'
                | '\u{2060}'..='\u{2064}'
                | '\u{feff}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
        )
}

/// Text with its control characters escaped, line ends and tabs too: `\n`, `\u001b`.
///
/// The escapes are those of JSON and of TOML, so that escaped JSON is equal JSON.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, is_control)
}

/// [`visible`], but for line ends and tabs, which stay.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |letter| {
        is_control(letter) && !"\n\t".contains(letter)
    })
}

/// Text without its control characters, the nearest name that has none.
pub fn without_control(text: &str) -> String {
    let kept = text.chars().filter(|letter| !is_control(*letter));
    kept.collect::<String>().trim().to_string()
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            letter if !is_escaped(letter) => escaped.push(letter),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            // All of them have four hexadecimal digits at most. Writing to a String cannot fail.
            letter => drop(write!(escaped, "\\u{:04x}", u32::from(letter))),
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_become_escapes_and_the_rest_stays() {
        assert_eq!(visible("Été 5 µs: 日本 ±"), "Été 5 µs: 日本 ±");
        assert_eq!(
            visible("a\u{1b}]0;x\u{7}b\u{9b}2J\u{7f}\u{202e}c\r\n\t"),
            "a\\u001b]0;x\\u0007b\\u009b2J\\u007f\\u202ec\\r\\n\\t"
        );
        assert_eq!(visible_lines("a\n\tb\r\u{2066}"), "a\n\tb\\r\\u2066");
    }

    #[test]
    fn escaped_json_is_equal_json() {
        let value = serde_json::json!({ "title\u{9b}": "a\u{202e}b\u{7f}\u{1b}\n\"\\" });
        for text in [
            value.to_string(),
            serde_json::to_string_pretty(&value).unwrap(),
        ] {
            let read: serde_json::Value = serde_json::from_str(&visible_lines(&text)).unwrap();
            assert_eq!(read, value);
        }
    }

    #[test]
    fn a_name_without_its_controls() {
        assert_eq!(without_control(" \u{1b}[31mred\u{202e}\n"), "[31mred");
    }
}
