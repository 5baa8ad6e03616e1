//! Text on its way out of the program: to a terminal, a shell, a CSV file or Markdown.
//!
//! Names, titles and paths are written by users, or by the author of a file that a user opens.
//! Each target has its own way to take a piece of text for more than that:
//!
//! | target | what text could do there | escaped by |
//! |---|---|---|
//! | terminal | clear it, set its title, reverse a line's letters | [`visible`], [`visible_lines`] |
//! | shell | start another command | [`CommandLine`] |
//! | CSV file | end its cell, or be run as a formula | [`CsvWriter`] |
//! | Markdown | end its cell or its line, or be markup | [`markdown`] |
//!
//! JSON and TOML escape what they need themselves; HTML is escaped where pages are made.

mod control;
#[cfg(feature = "store")]
mod csv;
pub mod markdown;
mod shell;

#[cfg(feature = "store")]
pub use self::csv::{CsvField, CsvWriter};
pub use control::{is_control, visible, visible_lines, without_control};
pub use shell::CommandLine;
