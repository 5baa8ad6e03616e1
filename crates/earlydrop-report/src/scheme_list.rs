//! The answer of `earlydrop schemes --json`: schemes with their parameters, presets, probes and drop
//! curves.

use earlydrop::registry::LinkFacts;
use earlydrop_lab::scheme_list::{SchemeDescription, describe, describe_all};

use crate::request::{self, RequestError};

/// The scheme `named`, with parameters, or all; `link` is the link's rate, on which some defaults
/// depend.
pub fn schemes(named: Option<&str>, link: &str) -> Result<Vec<SchemeDescription>, RequestError> {
    let link = LinkFacts::at(request::link(link)?);
    match named {
        Some(spec) => Ok(vec![describe(&spec.parse()?, &link)?]),
        None => Ok(describe_all(&link)?),
    }
}
