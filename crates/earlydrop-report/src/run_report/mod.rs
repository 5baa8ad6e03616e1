//! One self-contained page of a run's results.
//!
//! [`render`] puts four things into one HTML file: [`Data`] as JSON, the style, the drawing
//! library (`assets/charts`) and our own scripts (`assets/report`). The file needs nothing
//! else: no network, no folder beside it. Scripts draw everything from the JSON, and what
//! comes from the data reaches the page as text, never as markup.

pub mod data;
mod gather;
mod page;

pub use data::Data;
pub use gather::{curve_outlines, gather, of_trace, series_meaning};
pub(crate) use page::STYLE;
pub use page::{render, write_report};
