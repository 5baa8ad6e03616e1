//! Charts, tables and self-contained HTML pages of what earlydrop's runs measured.
//!
//! | module | holds |
//! |---|---|
//! | [`figure`] | pictures: for pages as SVG, for papers as SVG, PDF and PGF |
//! | [`latex`] | tables for LaTeX |
//! | [`laboratory`] | the page of the laboratory, and addresses of what it shows |
//! | [`mod@table`] | a run's summary as tables, Markdown and CSV |
//! | [`answers`] | what a run answers, in sentences: what each kind of traffic feels, then the link |
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
//! A picture:
//!
//! ```
//! use earlydrop_report::figure::{
//!     Format, Key, Mark, Plot, PlotAxis, PlotPanel, Size, file, scene,
//! };
//!
//! let delays = vec![(10.0, 5.1), (20.0, 5.8), (40.0, 7.2)];
//! let mut plot = Plot {
//!     x: PlotAxis::fitting("flows", None, None),
//!     panels: vec![PlotPanel {
//!         y: PlotAxis::fitting("queueing delay, ms", Some(0.0), None),
//!         marks: vec![Mark::line("CoDel", delays, Key::line(0))],
//!     }],
//!     legend: vec![("CoDel".to_owned(), Key::line(0))],
//!     ..Plot::default()
//! };
//! plot.fit();
//! let pdf = file(&scene(&plot, &Size::PAGE), Format::Pdf);
//! assert!(pdf.starts_with(b"%PDF-1.4"));
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

pub mod answers;
pub mod batch_queue;
pub mod configuration;
pub mod derived;
pub mod explanation;
pub mod figure;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
pub mod key;
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
pub mod tune_answer;
pub mod tuning;
mod words;

pub use page_shell::page_shell;
