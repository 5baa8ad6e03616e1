//! The papers' figures drawn again, with a verdict on each claim beside them.
//!
//! ```text
//! figures.toml --Figures--+
//! runs --Experiments------+--Study (verdicts, charts)--> page, front page, Markdown
//! claims.toml --Paper-----+
//! ```

mod check;
mod draw;
mod fields;
mod front;
mod html;
mod markdown;
mod page;
mod places;
mod printed;
mod study;
mod written;

pub use check::check;
pub use front::front;
pub use markdown::{Markdown, PICTURES, markdown, markdown_front};
pub use page::{Made, page};
pub use printed::{Number, Printed};
pub use study::{Drawn, DrawnFigure, Experiment, Experiments, Study};
pub use written::{At, Axis, Column, Curve, Figure, Figures, Kind, Named, Panel};
