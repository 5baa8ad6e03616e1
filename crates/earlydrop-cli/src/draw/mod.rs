//! Text, tables and plots for a terminal.
//!
//! Everything is laid out as lines of styled [`Text`].
//! [`Output::lines`](crate::output::Output::lines) writes them with or without escape codes, as the
//! [`Style`] of the terminal allows.

mod canvas;
mod plot;
mod sparkline;
mod table;
mod text;

pub(crate) use earlydrop_lab::number::number;
pub(crate) use plot::Plot;
pub(crate) use sparkline::sparkline;
pub(crate) use table::Table;
pub(crate) use text::{Look, Text, definition, indented};

/// The largest width of text, in columns; longer lines are hard to read.
const MAX_WIDTH: usize = 120;

/// The capabilities of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    /// Whether it shows colours and bold text.
    pub(crate) colour: bool,
    /// Whether it shows Unicode: braille, blocks and box lines.
    pub(crate) unicode: bool,
    /// The width in columns.
    pub(crate) width: usize,
}

impl Style {
    /// No colours, and lines of at most `width` columns.
    pub(crate) fn plain(width: usize) -> Style {
        Style {
            colour: false,
            unicode: true,
            width: width.clamp(20, MAX_WIDTH),
        }
    }

    /// The capabilities of standard output. Colours depend on `NO_COLOR`, `CLICOLOR_FORCE` and
    /// whether it is a terminal; without a terminal the width is `COLUMNS`, else 80.
    pub(crate) fn of_stdout() -> Style {
        let choice = anstream::AutoStream::choice(&std::io::stdout());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
        Style {
            colour: choice != anstream::ColorChoice::Never,
            unicode: !dumb,
            width: terminal.or_else(columns).unwrap_or(80).clamp(20, MAX_WIDTH),
        }
    }
}

/// Lines as one text, without the empty ones at its end.
pub(crate) fn painted(lines: &[Text], style: &Style) -> String {
    let lines: Vec<String> = lines.iter().map(|line| line.paint(style)).collect();
    lines.join("\n").trim_end().to_string()
}
