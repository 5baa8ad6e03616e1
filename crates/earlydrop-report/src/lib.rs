//! Figures, tables and pages of what runs measured.

#![forbid(unsafe_code)]

pub mod configuration;
pub mod figure;
pub mod json;
mod page_shell;
pub mod run_report;
pub mod side_by_side;
pub mod table;

pub use page_shell::page_shell;
