//! Standard output and standard error, on which no text acts on the terminal.
//!
//! Titles, names and paths may hold control characters: those that clear a screen, set a title or
//! reverse the letters of a line. [`Output`], [`error`] and [`Text`] are the
//! only ways to a terminal, and all three escape them.

use std::io::{self, Write};

use earlydrop_lab::escape::{visible, visible_lines};
use serde::Serialize;

use crate::draw::{Style, Text};

/// Standard output. Whatever is written to it is escaped, but for line ends and tabs; only the
/// styles of [`lines`](Output::lines) reach the terminal.
pub(crate) struct Output<'a> {
    sink: &'a mut dyn Write,
}

impl<'a> Output<'a> {
    /// Output to `sink`.
    pub(crate) fn new(sink: &'a mut dyn Write) -> Output<'a> {
        Output { sink }
    }

    /// Writes one JSON document.
    pub(crate) fn json(&mut self, document: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string_pretty(document).unwrap_or_default();
        writeln!(self, "{text}")
    }

    /// Writes styled lines, with or without escape codes, as `style` allows.
    pub(crate) fn lines(&mut self, lines: &[Text], style: &Style) -> io::Result<()> {
        // `Text` has escaped its letters.
        lines
            .iter()
            .try_for_each(|line| writeln!(self.sink, "{}", line.paint(style)))
    }
}

impl Write for Output<'_> {
    /// Writes all of `bytes`. A character that is split between two calls is replaced.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        self.sink.write_all(visible_lines(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// Writes a line to standard error, `text` escaped. Line ends in it are escaped, too: a path that
/// holds one cannot pretend to be another message.
pub(crate) fn error(text: &str) {
    error_lines(&visible(text));
}

/// Writes lines to standard error, which have been escaped. Where it is full or closed nothing can
/// be said: the exit code says it.
pub(crate) fn error_lines(escaped: &str) {
    let _ = writeln!(anstream::stderr(), "{escaped}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Look;

    #[test]
    fn only_styles_reach_the_terminal() {
        let mut sink = Vec::new();
        let mut out = Output::new(&mut sink);
        let path = std::path::Path::new("a\u{1b}]0;x\u{7}\u{202e}é/report.html");
        writeln!(out, "report: {}", path.display()).unwrap();
        out.write_all(b"one\n\ttwo\r\xff\n").unwrap();
        let style = Style {
            colour: true,
            unicode: true,
            width: 80,
        };
        let title = Text::new("t\u{1b}[8m\nx", Look::Strong);
        out.lines(&[title], &style).unwrap();
        assert_eq!(
            String::from_utf8(sink).unwrap(),
            "report: a\\u001b]0;x\\u0007\\u202eé/report.html\none\n\ttwo\\r\u{fffd}\n\
             \u{1b}[1mt\\u001b[8m\\nx\u{1b}[0m\n"
        );
    }
}
