//! Charts as SVG, readable at a telephone's width, on paper, in light and in dark colours.
//!
//! ```text
//! Chart (axes, curves, levels) --draw--> Drawing --inline, file--> SVG
//! Bars  (axis, groups, rows)   --draw-->
//! ForestRow                    --forest, strip-->
//! ```
//!
//! Equal charts give the same picture, byte for byte. Every point has a tooltip. The module
//! depends on nothing else in this crate.
//!
//! ```
//! use earlydrop_report::figure::{Axis, Chart, Curve, Line};
//!
//! let chart = Chart {
//!     title: "RED's drop probability".to_owned(),
//!     x: Axis { label: "average queue, packets".to_owned(), ..Axis::default() },
//!     y: Axis { label: "probability".to_owned(), ..Axis::default() },
//!     curves: vec![Curve {
//!         name: "RED".to_owned(),
//!         look: 0,
//!         tooltip: "RED with min 5 and max 15 packets".to_owned(),
//!         is_faint: false,
//!         line: Line::Path(vec![(0.0, 0.0), (5.0, 0.0), (15.0, 0.1), (15.0, 1.0), (20.0, 1.0)]),
//!     }],
//!     ..Chart::default()
//! };
//! assert!(chart.draw().file().starts_with("<svg xmlns="));
//! ```

mod axis;
mod bars;
mod chart;
mod curve;
mod downsample;
mod forest;
mod label_layout;
pub mod print;
mod scale;
mod specification_curve;
mod svg;

pub use axis::Axis;
pub(crate) use axis::extent;
pub use bars::{Bar, Bars};
pub use chart::{Chart, Level, VerticalLine};
pub use curve::{Curve, Line, Point};
pub use forest::{Effect, ForestRow, forest, strip, strip_axis};
pub use scale::{Scale, ticks};
pub use specification_curve::{Specification, SpecificationCurve, specification_curve};
pub use svg::{Drawing, STYLE, escape};
