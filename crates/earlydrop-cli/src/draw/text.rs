//! Styled text, wrapped to a width.
//!
//! A character counts as one column, which holds for the registry's texts and for plots. A wide
//! character in a user's value may exceed the width. Control characters are escaped.

use anstyle::{AnsiColor, Color};
use earlydrop_lab::escape::{visible, visible_lines};

use super::Style;

/// The style of a piece of text where there are colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Look {
    /// The terminal's default.
    #[default]
    Plain,
    /// Headings and names.
    Strong,
    /// An emphasised word.
    Emphasis,
    /// Input for a command line, and equations.
    Code,
    /// Secondary text: axes, origins.
    Faint,
    /// The series of a plot with this index.
    Series(usize),
}

/// Colours that are distinguishable on dark and on light backgrounds.
const SERIES: [AnsiColor; 6] = [
    AnsiColor::Cyan,
    AnsiColor::Yellow,
    AnsiColor::Magenta,
    AnsiColor::Green,
    AnsiColor::Blue,
    AnsiColor::Red,
];

impl Look {
    fn codes(self) -> anstyle::Style {
        let plain = anstyle::Style::new();
        match self {
            Look::Plain => plain,
            Look::Strong => plain.bold(),
            Look::Emphasis => plain.italic(),
            Look::Code => plain.fg_color(Some(Color::Ansi(AnsiColor::Cyan))),
            Look::Faint => plain.dimmed(),
            Look::Series(index) => plain.fg_color(Some(Color::Ansi(SERIES[index % SERIES.len()]))),
        }
    }
}

/// A line, or a paragraph before it is wrapped.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Text {
    spans: Vec<(String, Look)>,
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text::new(text, Look::Plain)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text::from(text.as_str())
    }
}

impl Text {
    /// Text in one style.
    pub(crate) fn new(text: &str, look: Look) -> Text {
        Text::default().then(text, look)
    }

    /// Appends text and returns the result.
    pub(crate) fn then(mut self, text: &str, look: Look) -> Text {
        self.push(text, look);
        self
    }

    /// Appends text, its control characters escaped. Line ends stay: they separate words.
    pub(crate) fn push(&mut self, text: &str, look: Look) {
        let text = visible_lines(text);
        match self.spans.last_mut() {
            Some((last, same)) if *same == look => last.push_str(&text),
            _ if text.is_empty() => {}
            _ => self.spans.push((text.into_owned(), look)),
        }
    }

    fn append(&mut self, other: &Text) {
        for (text, look) in &other.spans {
            self.push(text, *look);
        }
    }

    /// Appends spaces up to `width` columns.
    pub(crate) fn pad(&mut self, width: usize) {
        let missing = width.saturating_sub(self.width());
        self.push(&" ".repeat(missing), Look::Plain);
    }

    /// The width in columns.
    pub(crate) fn width(&self) -> usize {
        self.spans
            .iter()
            .map(|(text, _)| text.chars().count())
            .sum()
    }

    /// The width of the longest word.
    pub(crate) fn longest_word(&self) -> usize {
        self.words().iter().map(Text::width).max().unwrap_or(0)
    }

    /// Appends styled text and returns the result.
    pub(crate) fn joined(mut self, more: &Text) -> Text {
        self.append(more);
        self
    }

    /// Its characters, all in one style.
    pub(crate) fn all_in(&self, look: Look) -> Text {
        let texts = self.spans.iter().map(|(text, _)| text.as_str());
        Text::new(&texts.collect::<String>(), look)
    }

    /// The words between white space; a word may have several styles.
    fn words(&self) -> Vec<Text> {
        let mut words = vec![Text::default()];
        for (text, look) in &self.spans {
            for (index, piece) in text.split(char::is_whitespace).enumerate() {
                if index > 0 {
                    words.push(Text::default());
                }
                if let Some(word) = words.last_mut() {
                    word.push(piece, *look);
                }
            }
        }
        words.retain(|word| !word.spans.is_empty());
        words
    }

    /// The first `width` columns, and the rest.
    fn split_at(&self, width: usize) -> (Text, Text) {
        let (mut head, mut tail) = (Text::default(), Text::default());
        let mut room = width;
        for (text, look) in &self.spans {
            let cut = text
                .char_indices()
                .nth(room)
                .map_or(text.len(), |(at, _)| at);
            head.push(&text[..cut], *look);
            tail.push(&text[cut..], *look);
            room -= text[..cut].chars().count();
        }
        (head, tail)
    }

    /// Where to break a word of more than `width` columns: after a separator, else after an
    /// underscore, else at the width.
    fn breaking_point(&self, width: usize) -> usize {
        let letters = self.spans.iter().flat_map(|(text, _)| text.chars());
        let letters: Vec<char> = letters.take(width).collect();
        let after = |signs: &str| letters.iter().rposition(|letter| signs.contains(*letter));
        after("=/-,;")
            .or_else(|| after("_"))
            .map_or(width, |index| index + 1)
    }

    /// The first `width` columns.
    pub(crate) fn cut(&self, width: usize) -> Text {
        self.split_at(width).0
    }

    /// The text after the first `width` columns.
    pub(crate) fn after(&self, width: usize) -> Text {
        self.split_at(width).1
    }

    /// Lines of at most `width` columns, broken between words, and within words that are longer.
    pub(crate) fn wrapped(&self, width: usize) -> Vec<Text> {
        let width = width.max(1);
        let mut lines = vec![Text::default()];
        for mut word in self.words() {
            let used = lines.last().map_or(0, Text::width);
            if used > 0 && used + 1 + word.width() > width {
                lines.push(Text::default());
            }
            while word.width() > width {
                let (head, tail) = word.split_at(word.breaking_point(width));
                lines.insert(lines.len() - 1, head);
                word = tail;
            }
            if let Some(line) = lines.last_mut() {
                if line.width() > 0 {
                    let look = line.spans.last().map(|(_, look)| *look);
                    let next = word.spans.first().map(|(_, look)| *look);
                    line.push(" ", next.filter(|_| next == look).unwrap_or_default());
                }
                line.append(&word);
            }
        }
        lines
    }

    /// Pieces of at most `width` columns that keep all spaces, for code.
    pub(crate) fn chopped(&self, width: usize) -> Vec<Text> {
        let mut lines = Vec::new();
        let mut rest = self.clone();
        loop {
            let (head, tail) = rest.split_at(width.max(1));
            lines.push(head);
            if tail.spans.is_empty() {
                return lines;
            }
            rest = tail;
        }
    }

    /// The text with escape codes where `style` has colours, without trailing spaces.
    pub(crate) fn paint(&self, style: &Style) -> String {
        let mut line = String::new();
        let last = self
            .spans
            .iter()
            .rposition(|(text, _)| !text.trim_end().is_empty());
        let count = last.map_or(0, |last| last + 1);
        for (index, (text, look)) in self.spans[..count].iter().enumerate() {
            let text = match index + 1 == count {
                true => text.trim_end(),
                false => text,
            };
            // A line end that is left belongs to a name, not to a paragraph.
            let text = visible(text);
            if style.colour && *look != Look::Plain {
                let codes = look.codes();
                line.push_str(&format!("{codes}{text}{codes:#}"));
            } else {
                line.push_str(&text);
            }
        }
        line
    }
}

/// The lines indented by a number of columns.
pub(crate) fn indented(by: usize, lines: Vec<Text>) -> Vec<Text> {
    let spaces = Text::from(" ".repeat(by));
    lines
        .iter()
        .map(|line| spaces.clone().joined(line))
        .collect()
}

/// A term with its description to the right of it, from `column` on.
///
/// `description` makes lines of the width that is left. Where that is too little to read, they go
/// below the term.
pub(crate) fn definition(
    term: &Text,
    column: usize,
    width: usize,
    description: impl FnOnce(usize) -> Vec<Text>,
) -> Vec<Text> {
    const READABLE: usize = 24;
    const BELOW: usize = 4;
    if column + READABLE > width || term.width() + 1 > column {
        let mut lines = term.wrapped(width);
        lines.extend(indented(BELOW, description(width.saturating_sub(BELOW))));
        return lines;
    }
    let mut lines = indented(column, description(width - column));
    let mut first = term.clone();
    first.pad(column);
    match lines.first_mut() {
        Some(line) => *line = first.joined(&line.after(column)),
        None => lines.push(first),
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(lines: &[Text]) -> Vec<String> {
        let style = Style {
            colour: false,
            unicode: true,
            width: 80,
        };
        lines.iter().map(|line| line.paint(&style)).collect()
    }

    #[test]
    fn breaks_between_words_and_within_those_too_long() {
        let text = Text::from("one  two three-and-more x");
        assert_eq!(
            plain(&text.wrapped(8)),
            ["one two", "three-", "and-more", "x"]
        );
        assert_eq!(
            plain(&Text::from("abcdefghijkl").wrapped(8)),
            ["abcdefgh", "ijkl"]
        );
        assert_eq!(plain(&Text::default().wrapped(8)), [""]);
    }

    #[test]
    fn a_word_of_two_styles_is_not_broken() {
        let text = Text::from("see ")
            .then("red", Look::Code)
            .then(", too", Look::Plain);
        assert_eq!(plain(&text.wrapped(8)), ["see red,", "too"]);
    }

    #[test]
    fn escape_codes_are_written_only_with_colours() {
        let text = Text::from("a ").then("b ", Look::Strong);
        let mut style = Style {
            colour: true,
            unicode: true,
            width: 80,
        };
        assert_eq!(text.paint(&style), "a \u{1b}[1mb\u{1b}[0m");
        style.colour = false;
        assert_eq!(text.paint(&style), "a b");
    }

    #[test]
    fn a_description_is_right_of_its_term_or_below_it() {
        let description = |width: usize| Text::from("what it is for").wrapped(width);
        let term = Text::from("min");
        assert_eq!(
            plain(&definition(&term, 6, 40, description)),
            ["min   what it is for"]
        );
        assert_eq!(
            plain(&definition(&term, 6, 16, description)),
            ["min", "    what it is", "    for"]
        );
    }

    #[test]
    fn code_keeps_its_spaces() {
        assert_eq!(plain(&Text::from("a  b  c").chopped(4)), ["a  b", "  c"]);
    }
}
