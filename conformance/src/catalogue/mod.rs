//! The vectors: what each is about, which packets it sends, and what it exposes.

mod codel;
mod dual;
mod fair;
mod flows;
mod pie;
mod red;
mod searched;
mod traffic;

use earlydrop::registry::ConfigError;

use crate::record::{Draft, record};
use crate::vector::Vector;

pub use searched::case;

/// The text that a scheme's answers follow.
fn reference(scheme: &str) -> &'static str {
    match scheme {
        "droptail" => "first in, first out, with a limit",
        "red" => "Floyd and Jacobson 1993",
        "gred" => "Floyd, \"Recommendation on using the gentle variant of RED\", 2000",
        "ared" => "Floyd, Gummadi and Shenker 2001",
        "nlred" => "Zhou, Yeung and Li 2006; Wang, Lin, Zhou, Xie and Li 2008",
        "clred" => "the paper on Curvilinear RED, equation by equation",
        "sfred" => "Wang, Lin, Zhou, Xie and Li 2008, section 2",
        "choke" => "Pan, Prabhakar and Psounis 2000",
        "sfb" => "Feng, Kandlur, Saha and Shin 2001",
        "pie" => "RFC 8033",
        "codel" => "RFC 8289",
        "cobalt" => "Linux, net/sched/sch_cake.c",
        "fq-codel" => "RFC 8290",
        _ => "RFC 9332, appendix A",
    }
}

/// The first packets of a case of Linux' kernel, with the faults that they expose.
fn kernel(case: &str, spec: &str, arrivals: &str, exposes: &[&str]) -> Draft {
    let mut draft = crate::kernel::draft(case, spec, arrivals, 450);
    draft.header.exposes = exposes.iter().map(ToString::to_string).collect();
    draft
}

/// Every draft of a scheme.
fn drafts(scheme: &str) -> Vec<Draft> {
    match scheme {
        "droptail" => flows::droptail(),
        "red" => red::red(),
        "gred" => red::gred(),
        "ared" => red::ared(),
        "nlred" => red::nlred(),
        "clred" => red::clred(),
        "sfred" => flows::sfred(),
        "choke" => flows::choke(),
        "sfb" => flows::sfb(),
        "pie" => pie::pie(),
        "codel" => codel::codel(),
        "cobalt" => codel::cobalt(),
        "fq-codel" => fair::fq_codel(),
        _ => dual::dualpi2(),
    }
}

/// The schemes that have vectors.
pub const SCHEMES: &[&str] = &[
    "droptail", "red", "gred", "ared", "nlred", "clred", "sfred", "choke", "sfb", "pie", "codel",
    "cobalt", "fq-codel", "dualpi2",
];

/// Records every vector of a scheme; there are none of a scheme that is not in [`SCHEMES`]. They
/// are those of the files: recording them takes milliseconds, and a program that carried the text
/// would be larger by a megabyte and a half.
pub fn vectors(scheme: &str) -> Result<Vec<Vector>, ConfigError> {
    if !SCHEMES.contains(&scheme) {
        return Ok(Vec::new());
    }
    let by_hand = drafts(scheme).into_iter().map(Ok);
    by_hand
        .chain(searched::chosen(scheme))
        .map(|draft| {
            let mut draft = draft?;
            draft.header.reference = match &draft.header.kernel {
                Some(_) => "Linux 6.1".to_string(),
                None => reference(scheme).to_string(),
            };
            record(draft)
        })
        .collect()
}
