//! One self-contained page of a run's results.
//!
//! ```text
//! Plan, Store, Summary --gather--> Data --render--> report.html
//! Plan, CellTrace    --of_trace-->
//! ```
//!
//! [`render`] puts [`Data`] as JSON, the style sheet, the charting library (`assets/charts`) and the
//! page's scripts (`assets/report`) into one HTML file, which needs no network and no other file.
//! The scripts draw everything from the JSON; text of the data enters the page as text, never as
//! markup.

pub mod data;
mod gather;
mod json;
mod judged;
mod links;
mod page;
mod panels;
pub mod pictures;
mod ports;
mod sizes;
#[cfg(test)]
mod text_tests;
mod thresholds;

pub use data::Data;
pub use gather::{curve_outlines, gather, of_trace, series_meaning};
pub use json::json;
pub(crate) use page::STYLE;
pub use page::{render, write_report, write_report_to, write_view};
pub use panels::{Panel, Place, panels};
