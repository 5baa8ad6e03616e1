//! Charts, tables and self-contained HTML pages of what earlydrop's runs measured.
//!
//! | module | holds |
//! |---|---|
//! | [`figure`] | charts as SVG: curves, bars, forest plots; pictures for papers as SVG, PDF and PGF |
//! | [`latex`] | tables for LaTeX |
//! | [`laboratory`] | the page of the laboratory, and addresses of what it shows |
//! | [`mod@table`] | a run's summary as tables, Markdown and CSV |
//! | [`derived`] | buffers, thresholds and targets of a plan, in sentences |
//! | [`run_report`] | a run's results as one interactive page, and as JSON |
//! | [`notebook`] | a run's results as a part of a page, for notebooks |
//! | [`side_by_side`] | simulated and live runs of one scenario, compared |
//! | [`configuration`] | the answer of `earlydrop configure`: text, page, JSON, other tools' syntax |
//! | [`explanation`], [`translation`] | the answers of `earlydrop explain` and `translate`, and as JSON |
//! | [`batch_queue`], [`scheme_list`] | the answers of `earlydrop queue` and `schemes`, and as JSON |
//! | [`tuning`] | the search and validation of `earlydrop tune`, and as JSON |
//! | [`request`] | options as text, read and refused with one wording |
//!
//! ```text
//! earlydrop_lab::store --gather--> run_report::Data --render--> report.html
//!                      --Summary--> table, run_report::json
//! ```
//!
//! A page needs no network and no other file: style, scripts and data are inside. [`figure`] and
//! [`run_report::render`] are pure functions: equal input gives the same bytes. The laboratory
//! (`earlydrop-lab`) runs and stores; this crate only reads what is stored.
//!
//! # Examples
//!
//! A chart:
//!
//! ```
//! use earlydrop_report::figure::{Axis, Chart, Curve, Line, Point};
//!
//! let point = |flows: f64, delay: f64| Point {
//!     x: flows,
//!     y: delay,
//!     half: Some(0.4),
//!     tooltip: format!("CoDel, {flows} flows: {delay} ± 0.4 ms"),
//! };
//! let chart = Chart {
//!     x: Axis { label: "flows".to_owned(), ..Axis::default() },
//!     y: Axis { label: "queueing delay, ms".to_owned(), ..Axis::default() },
//!     curves: vec![Curve {
//!         name: "CoDel".to_owned(),
//!         look: 0,
//!         tooltip: String::new(),
//!         is_faint: false,
//!         line: Line::Points(vec![point(10.0, 5.1), point(20.0, 5.8), point(40.0, 7.2)]),
//!     }],
//!     ..Chart::default()
//! };
//! let svg = chart.draw().file();
//! assert!(svg.contains("CoDel, 20 flows: 5.8 ± 0.4 ms"));
//! ```
//!
//! A page of a run's results; [`run_report::write_report`] makes one from a run's folder:
//!
//! ```
//! use earlydrop_report::run_report::{Data, render};
//!
//! let data = Data {
//!     title: "Four schemes on a home uplink".to_owned(),
//!     points: vec![Vec::new()],
//!     ..Data::default()
//! };
//! assert!(render(&data).contains("<title>Four schemes on a home uplink</title>"));
//! ```

#![forbid(unsafe_code)]

pub mod batch_queue;
pub mod configuration;
pub mod derived;
pub mod explanation;
pub mod figure;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
pub mod laboratory;
pub mod latex;
mod model_json;
pub mod notebook;
mod page_shell;
pub mod request;
pub mod run_report;
pub mod scheme_list;
pub mod side_by_side;
pub mod suite;
pub mod table;
pub mod translation;
pub mod tuning;
mod words;

pub use page_shell::page_shell;
