//! The crate's integration tests, as one program: a file each.

mod live_runs;
mod methods_page;
mod own_scheme;
mod report_in_browser;
mod support;
