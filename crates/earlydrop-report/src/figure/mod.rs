//! Pictures for pages and for papers, laid out once.
//!
//! ```text
//! Plot (axes, marks)  --scene--> Scene --inline, themed_file--> SVG of pages
//! ForestRow --forest, strip-->         --file--> SVG, PDF, PGF of papers
//! SpecificationCurve -->
//! ```
//!
//! Equal pictures give the same bytes. On a page marks have tooltips. The module depends on nothing
//! else in this crate.
//!
//! ```
//! use earlydrop_report::figure::print::{Key, Mark, Plot, PlotAxis, PlotPanel, Size, inline, scene};
//!
//! let curve = vec![(0.0, 0.0), (5.0, 0.0), (15.0, 0.1), (15.0, 1.0), (20.0, 1.0)];
//! let mut plot = Plot {
//!     title: "RED's drop probability".to_owned(),
//!     x: PlotAxis::fitting("average queue, packets", None, None),
//!     panels: vec![PlotPanel {
//!         y: PlotAxis::fitting("probability", None, None),
//!         marks: vec![Mark::line("RED", curve, Key::line(0))],
//!     }],
//!     legend: vec![("RED".to_owned(), Key::line(0))],
//!     has_names_at_ends: true,
//!     ..Plot::default()
//! };
//! plot.fit();
//! assert!(inline(&scene(&plot, &Size::PAGE)).starts_with("<svg "));
//! ```

mod forest;
pub mod print;
mod scale;
mod specification_curve;

pub use forest::{Effect, ForestRow, forest, strip, strip_axis};
pub use print::escape;
pub(crate) use scale::extent;
pub use scale::{Scale, ticks};
pub use specification_curve::{Specification, SpecificationCurve, specification_curve};
