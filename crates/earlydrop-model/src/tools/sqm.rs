//! SQM, the smart queue management of OpenWrt: `/etc/config/sqm`. Its egress is a line of tc.
//!
//! Options are those of sqm-scripts' `defaults.sh`.

use earlydrop::units::BitsPerSec;

use super::ParseError;
use super::ledger::{Ledger, unknown};
use super::token::Token;

/// Options that say nothing about the queue of the egress.
const BESIDE: [&str; 20] = [
    "enabled",
    "interface",
    "download",
    "script",
    "qdisc_advanced",
    "qdisc_really_really_advanced",
    "squash_dscp",
    "squash_ingress",
    "ingress_ecn",
    "iqdisc_opts",
    "ilimit",
    "itarget",
    "debug_logging",
    "verbosity",
    "linklayer_advanced",
    "linklayer_adaptation_mechanism",
    "tcMTU",
    "tcTSIZE",
    "shaper_burst",
    "shaper_burst_dur_us",
];

/// Options that are read.
const READ: [&str; 9] = [
    "qdisc",
    "upload",
    "egress_ecn",
    "eqdisc_opts",
    "elimit",
    "etarget",
    "linklayer",
    "overhead",
    "tcMPU",
];

/// The queue of the egress.
#[derive(Clone, Debug, PartialEq)]
pub struct SqmEgress {
    /// The line of tc that SQM would give.
    pub line: String,
    /// The shaped rate.
    pub rate: Option<BitsPerSec>,
}

/// Whether a text is a configuration of SQM.
pub fn is_sqm(text: &str) -> bool {
    text.contains("option qdisc") || text.contains("config queue")
}

/// The egress of the first queue of a configuration of SQM.
pub fn sqm_egress(text: &str) -> Result<SqmEgress, ParseError> {
    let ledger = Ledger::of(text, &["#"]);
    let mut set: Vec<(&str, Vec<Token>)> = Vec::new();
    for mut line in ledger.lines("") {
        if line.take_word("config").is_some() {
            line.leave_all();
            continue;
        }
        let Some(option) = line.take_word("option") else {
            line.end(&["config", "option"])?;
            continue;
        };
        let name = line.value(&option)?;
        if BESIDE.contains(&name.text) {
            line.leave_all();
            continue;
        }
        if !READ.contains(&name.text) {
            return Err(unknown(&name, &[&READ[..], &BESIDE].concat()));
        }
        let mut words = vec![line.value(&name)?];
        words.extend(std::iter::from_fn(|| line.take()));
        if let Some((_, at)) = set.iter().find(|(known, _)| *known == name.text) {
            let message = format!("{} is set twice, first to {}", name.text, at[0].text);
            return Err(name.error(message, "leave one queue"));
        }
        set.push((name.text, words));
    }
    ledger.close(&READ)?;
    let of = |name: &str| {
        set.iter()
            .find(|(known, _)| *known == name)
            .map(|(_, words)| words)
    };
    let bare = |token: &Token| token.text.trim_matches('\'').to_string();
    let words = |name: &str| {
        of(name)
            .into_iter()
            .flatten()
            .map(bare)
            .collect::<Vec<String>>()
    };
    let first = |name: &str| {
        words(name)
            .into_iter()
            .next()
            .filter(|word| !word.is_empty())
    };
    let qdisc = first("qdisc").unwrap_or_else(|| "fq_codel".to_string());
    let is_cake = qdisc.starts_with("cake");
    let mut line = format!("tc qdisc add dev wan root {qdisc}");
    let mut add = |word: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| value != "auto" && value != "default") {
            line += &format!(" {word}{value}");
        }
    };
    add(
        "",
        Some(words("eqdisc_opts").join(" ")).filter(|words| !words.is_empty()),
    );
    match is_cake {
        true => {
            add("overhead ", first("overhead"));
            add("mpu ", first("tcMPU"));
            add("", first("linklayer").filter(|layer| layer == "atm"));
        }
        false => {
            add("limit ", first("elimit"));
            add("target ", first("etarget"));
            add("", first("egress_ecn").map(|ecn| ecn.to_lowercase()));
        }
    }
    let rate = match of("upload").and_then(|words| words.first()) {
        Some(value) => {
            let number = value.part(0, value.text.len());
            let digits = number.text.trim_matches('\'');
            let start = number.text.find(digits).unwrap_or(0);
            let kbps = value.part(start, digits.len()).number("upload", 0.0, 1e9)?;
            (kbps > 0.0).then_some(BitsPerSec((1e3 * kbps) as u64))
        }
        None => None,
    };
    Ok(SqmEgress { line, rate })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_egress_is_a_line_of_tc() {
        let text = "config queue 'wan'\n\toption enabled '1'\n\toption upload '9500'\n\toption qdisc \
                    'cake'\n\toption eqdisc_opts 'nat dual-srchost'\n\toption linklayer 'atm'\n\t\
                    option overhead '44'\n";
        let egress = sqm_egress(text).unwrap();
        let line = "tc qdisc add dev wan root cake nat dual-srchost overhead 44 atm";
        assert_eq!(egress.line, line);
        assert_eq!(egress.rate, Some(BitsPerSec(9_500_000)));
        let error = sqm_egress("config queue\n option qdics 'cake'").unwrap_err();
        assert!(error.help.contains("did you mean 'qdisc'?"), "{error}");
    }
}
