//! Pictures for papers: of a stated size, as SVG, PDF and PGF, with text that stays text.
//!
//! ```text
//! Plot (panels, axes, marks) --scene--> Scene (lines, areas, text, in points) --file--> bytes
//! ```
//!
//! ```
//! use earlydrop_report::figure::print::{Format, Plot, Size, file, scene};
//!
//! let size = Size { width: 252.0, height: None, font: 8.0 };
//! let picture = scene(&Plot { title: "Nothing".to_owned(), ..Plot::default() }, &size);
//! assert!(file(&picture, Format::Pdf).starts_with(b"%PDF-1.4"));
//! ```

mod json;
mod layout;
mod length;
mod marks;
mod measured;
mod names;
mod pdf;
mod pgf;
mod plot;
mod scene;
mod svg;
mod thin;

pub use json::json;
pub(crate) use json::{axis as axis_parts, parts};
pub use layout::scene;
pub use length::Length;
pub use marks::SECOND;
pub(crate) use marks::{looks, variables};
pub(super) use marks::{symbol, verdict};
pub use measured::{Bar, Point, bars, measured};
pub use pdf::{HEAD as PDF_HEAD, missing_letters};
pub use pgf::{HEAD as PGF_HEAD, tex};
pub use plot::{Key, Mark, Plot, PlotAxis, PlotPanel, Size};
pub(super) use scene::{GRID, INK, WHITE, rectangle, width_of};
pub use scene::{Item, Path, Rgb, Scene, Stroke, Text};
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
