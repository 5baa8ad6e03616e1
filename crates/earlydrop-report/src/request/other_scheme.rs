//! Schemes that are not RED, in the syntax of a tool.

use earlydrop::registry::Spec;
use earlydrop::units::BitsPerSec;
use earlydrop_model::{Load, tools};

use super::{RequestError, ToolText};

/// The tools that have such schemes.
pub(crate) const LINUX: &str = "linux";
pub(crate) const OURS: &str = "earlydrop";

/// A scheme that is not RED, in the syntax of a tool.
pub(crate) struct OtherScheme {
    /// The tool's name.
    pub(crate) tool: &'static str,
    pub(crate) spec: Spec,
    /// The rate to which the text shapes beside the scheme.
    pub(crate) shaped: Option<BitsPerSec>,
}

impl OtherScheme {
    /// Reads a line of tc, SQM or a scheme of earlydrop; `None` where the text is none of them, or RED.
    /// `tool` names the text's tool, where that is given.
    pub(crate) fn read(
        given: &ToolText,
        tool: Option<&str>,
        load: &Load,
    ) -> Result<Option<OtherScheme>, RequestError> {
        let may_be = |name: &str| tool.is_none_or(|tool| tool == name);
        let of_linux = |line: &ToolText, shaped: Option<BitsPerSec>| {
            let spec = line.scheme_of_qdisc()?.parse()?;
            let tool = LINUX;
            Ok(Some(OtherScheme { tool, spec, shaped }))
        };
        if may_be(LINUX) && tools::is_sqm(&given.text) {
            let egress = given.sqm_egress()?;
            let line = ToolText {
                text: egress.line,
                ..given.clone()
            };
            return of_linux(&line, egress.rate);
        }
        if may_be(LINUX) && tools::is_other_qdisc(&given.text) {
            return of_linux(given, None);
        }
        // What is misspelt is refused with its place by the reader of RED.
        let spec = given.text.trim().parse::<Spec>().ok();
        let spec = spec.filter(|spec| {
            may_be(OURS)
                && spec.settings(&load.link()).is_ok()
                && tools::of_spec(spec, &load.link()).is_err()
        });
        Ok(spec.map(|spec| OtherScheme {
            tool: OURS,
            spec,
            shaped: None,
        }))
    }
}
