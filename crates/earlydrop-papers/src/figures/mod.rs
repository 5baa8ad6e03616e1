//! The papers' figures as data: which experiment each shows, its axes and its curves.

mod figure_spec;
mod inheritance;

pub use crate::toml_file::NameRef;
pub(crate) use figure_spec::any_matches;
pub use figure_spec::{
    AxisSpec, ColumnSpec, Coordinates, CurveSpec, FigureFile, FigureSpec, GroupSpec, LevelSpec,
    Measure, PanelKind, PanelSpec, RowSpec,
};
