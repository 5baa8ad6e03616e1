//! Pictures for pages and for papers, laid out once.
//!
//! ```text
//! Plot (axes, marks)  --scene--> Scene --inline, themed_file--> SVG of pages
//! ForestRow --forest, strip-->         --file--> SVG, PDF, PGF of papers
//! Criterion, SpecificationCurve -->
//! ```
//!
//! Equal pictures give the same bytes. On a page marks have tooltips. The module depends on nothing
//! else in this crate.
//!
//! ```
//! use earlydrop_report::figure::{Key, Mark, Plot, PlotAxis, PlotPanel, Size, inline, scene};
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

mod criterion;
mod forest;
mod json;
mod layout;
mod length;
mod marks;
mod measured;
mod names;
mod pdf;
mod pgf;
mod plot;
mod posterior;
mod scale;
mod scene;
mod scheme_looks;
mod specification_curve;
mod svg;
mod thin;

pub use criterion::{Criterion, CriterionDot, CriterionRow};
pub use forest::{Effect, ForestRow, forest, strip, strip_axis};
pub use json::json;
pub(crate) use json::{axis as axis_parts, parts};
pub use layout::scene;
pub use length::Length;
pub use marks::SECOND;
pub(crate) use marks::{looks, variables};
pub use measured::{Bar, Point, bars, measured};
pub use pdf::{HEAD as PDF_HEAD, missing_letters};
pub use pgf::{HEAD as PGF_HEAD, tex};
pub use plot::{Key, Mark, Plot, PlotAxis, PlotPanel, Size};
pub use posterior::{Marginal, posterior};
pub(crate) use scale::extent;
pub use scale::{Scale, ticks};
pub use scene::{Item, Path, Rgb, Scene, Stroke, Text};
pub use scheme_looks::scheme_looks;
pub use specification_curve::{Specification, SpecificationCurve, specification_curve};
pub use svg::{escape, inline, themed_file};

/// A format of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Scalable Vector Graphics.
    Svg,
    /// Portable Document Format, text in Helvetica.
    Pdf,
    /// Commands of LaTeX's package `pgf`, text in the document's font.
    Pgf,
}

impl Format {
    /// The end of a file's name.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Svg => "svg",
            Format::Pdf => "pdf",
            Format::Pgf => "pgf",
        }
    }
}

/// The file of a picture: equal pictures give equal bytes.
pub fn file(scene: &Scene, format: Format) -> Vec<u8> {
    match format {
        Format::Svg => svg::file(scene),
        Format::Pdf => pdf::file(scene),
        Format::Pgf => pgf::file(scene),
    }
}
