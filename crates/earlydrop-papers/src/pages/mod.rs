//! Pages of a paper: its figures drawn again, and a verdict on each claim.
//!
//! ```text
//! figures.toml --FigureFile--+
//! runs --Experiments---------+--Study (reports, charts)--> page, front page, Markdown
//! claims.toml --Paper--------+
//! ```

mod check;
mod claim_table;
mod claims_csv;
mod coordinates;
mod experiment;
mod findings;
mod front;
mod html;
mod ideas_page;
mod inference_page;
mod laboratory;
mod markdown;
mod moments;
mod page;
mod panel_builder;
mod panel_content;
mod printed_table;
mod provenance;
mod robustness;
mod study;

pub use check::check;
pub use claims_csv::{claims_csv, header as claims_csv_header};
pub use experiment::{Experiment, Experiments};
pub use findings::findings_page;
pub use front::front;
pub use ideas_page::{curves_page, ideas_page};
pub use inference_page::{inference_file, inference_link, inference_links, inference_page};
pub use laboratory::LabPoint;
pub use markdown::{Markdown, PICTURES, markdown, markdown_front};
pub use page::page;
pub use panel_content::{FigureContent, PanelContent};
pub use printed_table::{Number, PrintedTable};
pub use provenance::Provenance;
pub use study::Study;
