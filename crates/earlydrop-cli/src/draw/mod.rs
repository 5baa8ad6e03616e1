//! Drawing in a terminal: text that wraps, tables, plots.
//!
//! Everything is made as lines of [`Text`], which know how they look, and only
//! becomes escape codes, or plain text, when it is written for a [`Style`].

mod plot;
mod table;
mod text;

pub(crate) use earlydrop_report::figure::number;
pub(crate) use plot::{Plot, sparkline};
pub(crate) use table::Table;
pub(crate) use text::{Look, Text, beside, indented, write_lines};

/// The most columns prose is set in: longer lines are hard to follow.
const WIDEST: usize = 120;

/// What the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    /// Whether text may be coloured, and bold.
    pub(crate) colour: bool,
    /// Whether there is more than ASCII: braille, blocks and box lines.
    pub(crate) unicode: bool,
    /// How many columns there are.
    pub(crate) width: usize,
}

impl Style {
    /// What standard output can show. Colours follow `NO_COLOR`, `CLICOLOR_FORCE` and
    /// whether it is a terminal; without a terminal it is `COLUMNS` wide, or 80.
    pub(crate) fn of_stdout() -> Style {
        let choice = anstream::AutoStream::choice(&std::io::stdout());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
        Style {
            colour: choice != anstream::ColorChoice::Never,
            unicode: !dumb,
            width: terminal.or_else(columns).unwrap_or(80).clamp(20, WIDEST),
        }
    }
}
