//! Pieces of Markdown, as CommonMark and GitHub's tables read them.

use std::borrow::Cow;

use super::visible;

/// Plain text as Markdown that shows it, on one line.
///
/// ```
/// use earlydrop_lab::escape::markdown;
///
/// assert_eq!(markdown::text("fq-codel, max_p = 0.1"), "fq-codel, max_p = 0.1");
/// assert_eq!(markdown::text("a|b <img> *c*\n# d"), r"a\|b &lt;img> \*c\* # d");
/// ```
pub fn text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    let line = one_line(text);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        // An underscore within a word is no emphasis: max_p.
        let in_word = |next: Option<&char>| {
            before.is_alphanumeric() && next.is_some_and(|next| next.is_alphanumeric())
        };
        match letter {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '|' | '[' | ']' | '~' => escaped.extend(['\\', letter]),
            '_' if !in_word(letters.peek()) => escaped.push_str("\\_"),
            letter => escaped.push(letter),
        }
        before = letter;
    }
    escaped
}

/// Inline code that shows `code` as it is, on one line.
pub fn code(code: &str) -> String {
    let code = one_line(code);
    let runs = code.split(|letter| letter != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0) + 1);
    match code.starts_with('`') || code.ends_with('`') {
        true => format!("{fence} {code} {fence}"),
        false => format!("{fence}{code}{fence}"),
    }
}

/// A table's row of these cells, with its line end. A cell is Markdown: a bar in it is escaped, and
/// its line ends become spaces.
pub fn row<C: AsRef<str>>(cells: impl IntoIterator<Item = C>) -> String {
    let mut row = String::from("|");
    for cell in cells {
        row.push(' ');
        let cell = one_line(cell.as_ref());
        let mut letters = cell.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '|' => row.push_str("\\|"),
                '\\' => {
                    row.push('\\');
                    row.extend(letters.next());
                }
                letter => row.push(letter),
            }
        }
        row.push_str(" |");
    }
    row.push('\n');
    row
}

/// The text without line ends and other control characters.
fn one_line(text: &str) -> Cow<'_, str> {
    match text.contains(['\n', '\r', '\t']) {
        true => {
            let words = text.split(['\n', '\r', '\t']).map(str::trim);
            let words: Vec<&str> = words.filter(|words| !words.is_empty()).collect();
            Cow::Owned(visible(&words.join(" ")).into_owned())
        }
        false => visible(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        assert_eq!(text("_a_ max_p _"), r"\_a\_ max_p \_");
        assert_eq!(text("[x](http://y)`"), r"\[x\](http://y)\`");
        assert_eq!(text("&lt; \u{1b}"), r"&amp;lt; \\u001b");
    }

    #[test]
    fn a_row_keeps_its_cells() {
        assert_eq!(row(["a|b", "c\n\n# d", "e\\"]), "| a\\|b | c # d | e\\ |\n");
        assert_eq!(
            row(["already \\| escaped", "\\\\|"]),
            "| already \\| escaped | \\\\\\| |\n"
        );
        assert_eq!(row([text("x|y")]), "| x\\|y |\n");
    }

    #[test]
    fn code_is_fenced_by_more_backticks_than_it_has() {
        assert_eq!(code("earlydrop run"), "`earlydrop run`");
        assert_eq!(code("a `b` ``c``"), "``` a `b` ``c`` ```");
        assert_eq!(code("a\nb"), "`a b`");
    }
}
