//! Pictures as SVG: small charts that are read in a page, in a document on a code host, on
//! paper and on a telephone, in light and in dark colours.
//!
//! ```text
//! Chart (axes, curves, levels) --chart::draw--> Drawing --inline, file--> SVG
//! ```
//!
//! Nothing here knows where numbers come from. The same chart is the same picture, byte for
//! byte; every point says in words what it is, for whoever rests a pointer on it.

mod bars;
mod chart;
mod forest;
mod names;
mod scale;
mod svg;
mod thin;

pub use bars::{Bar, Bars};
pub use chart::{Axis, Chart, Curve, Level, Line, Mark, Point};
pub use forest::{Effect, Row, forest, strip, strip_axis};
pub use scale::{Scale, number, ticks};
pub use svg::{Drawing, STYLE, escape};
