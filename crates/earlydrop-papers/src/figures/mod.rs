//! The papers' figures as data: which experiment each shows, its axes and its curves.

mod fields;
mod figure_spec;

pub use crate::toml_file::NameRef;
pub(crate) use figure_spec::any_matches;
pub use figure_spec::{
    AxisSpec, ColumnSpec, Coordinates, CurveSpec, FigureFile, FigureSpec, Measure, PanelKind,
    PanelSpec,
};
