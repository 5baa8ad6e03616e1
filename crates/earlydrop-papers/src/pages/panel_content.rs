//! The content of a figure, ready for a page.

use earlydrop_report::figure::Scene;

use super::laboratory::LabPoint;
use super::printed_table::PrintedTable;
use crate::figures::FigureSpec;

/// The content of a panel.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PanelContent {
    /// A picture.
    Picture(Scene),
    /// Printed numbers with ours.
    Table(PrintedTable),
    /// Why there is neither.
    Missing(String),
}

/// A figure with the content of its panels.
#[derive(Debug)]
#[non_exhaustive]
pub struct FigureContent<'a> {
    /// The figure's description.
    pub figure: &'a FigureSpec,
    /// The panels.
    pub panels: Vec<PanelContent>,
    /// The experiments that the panels show, in order.
    pub experiments: Vec<&'a str>,
    /// For each panel the points that open in the laboratory, in rows with a name each.
    pub points: Vec<Vec<(String, Vec<LabPoint>)>>,
}

impl FigureContent<'_> {
    /// Whether a claim is about a number of one of the figure's tables.
    pub fn has_in_table(&self, claim: &str) -> bool {
        let mut panels = self.panels.iter();
        panels.any(|panel| matches!(panel, PanelContent::Table(table) if table.has(claim)))
    }
}
