//! Flow lists: the transfers of a file, `start,src,dst,size` on each line.
//!
//! `start` is in seconds, hosts are numbers or names, `size` is the payload in bytes. A first line
//! without numbers is a heading. Commas or spaces separate the four.

use std::fmt;
use std::str::FromStr;

use earlydrop::units::{Bytes, Nanos};

/// The transfers of a file, in order of their starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FlowList {
    pub(super) transfers: Vec<WrittenTransfer>,
}

/// A transfer as a file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WrittenTransfer {
    /// The number of its line, from 1.
    pub(super) line: usize,
    pub(super) start: Nanos,
    pub(super) from: Box<str>,
    pub(super) to: Box<str>,
    pub(super) size: Bytes,
}

/// Why a text is no flow list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FlowListError {
    line: usize,
    problem: String,
}

impl fmt::Display for FlowListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl FlowList {
    /// The first transfer that begins only after a run of this duration, and the number of all that
    /// do.
    pub(super) fn after(&self, end: Nanos) -> Option<(&WrittenTransfer, usize)> {
        let late = &self.transfers[self.transfers.partition_point(|t| t.start < end)..];
        Some((late.first()?, late.len()))
    }
}

impl FromStr for FlowList {
    type Err = FlowListError;

    fn from_str(text: &str) -> Result<FlowList, FlowListError> {
        let mut transfers: Vec<WrittenTransfer> = Vec::new();
        let mut is_first = true;
        for (index, line) in text.lines().enumerate() {
            let content = line.split('#').next().unwrap_or_default().trim();
            if content.is_empty() {
                continue;
            }
            let is_heading =
                std::mem::take(&mut is_first) && !content.contains(|c: char| c.is_ascii_digit());
            if is_heading {
                continue;
            }
            let transfer = transfer(content, index + 1).map_err(|problem| {
                let shown: String = content.chars().take(60).collect();
                FlowListError {
                    line: index + 1,
                    problem: format!("\"{shown}\" {problem}"),
                }
            })?;
            transfers.push(transfer);
        }
        if transfers.is_empty() {
            return Err(FlowListError {
                line: text.lines().count().max(1),
                problem: "no transfers: start,src,dst,size on each line".to_string(),
            });
        }
        transfers.sort_by_key(|transfer| transfer.start);
        Ok(FlowList { transfers })
    }
}

fn transfer(content: &str, line: usize) -> Result<WrittenTransfer, &'static str> {
    let parts: Vec<&str> = match content.contains(',') {
        true => content.split(',').map(str::trim).collect(),
        false => content.split_whitespace().collect(),
    };
    let [start, from, to, size] = parts[..] else {
        return Err("has not four values: start,src,dst,size");
    };
    let start = start
        .parse::<f64>()
        .ok()
        .filter(|start| (0.0..=1e9).contains(start));
    let start = start.ok_or("starts at no time in seconds, such as 0.015")?;
    let size = size.parse::<u64>().ok().filter(|size| *size > 0);
    let size = size.ok_or("has no size: whole bytes, 1 at least")?;
    if from == to {
        return Err("leads from a host to itself");
    }
    Ok(WrittenTransfer {
        line,
        start: Nanos((start * 1e9).round() as u64),
        from: from.into(),
        to: to.into(),
        size: Bytes(size),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_may_have_a_heading_and_be_out_of_order() {
        let text = "start,src,dst,size\n0.5,1,2,3000\n\n0.25 left right 7 # spaces\n";
        let list: FlowList = text.parse().unwrap();
        let seen: Vec<_> = list
            .transfers
            .iter()
            .map(|t| (t.line, t.start.0, &*t.from, &*t.to, t.size.0))
            .collect();
        let expected = [
            (4, 250_000_000, "left", "right", 7),
            (2, 500_000_000, "1", "2", 3000),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text: &str| text.parse::<FlowList>().unwrap_err().to_string();
        assert!(error("").starts_with("line 1: no transfers"));
        assert!(error("0,1,2,3\n0,1,2\n").starts_with("line 2: \"0,1,2\" has not four"));
        assert!(error("soon,1,2,3").contains("no time in seconds"));
        assert!(error("0,1,2,-3").contains("no size"));
        assert!(error("0,1,1,3").contains("to itself"));
    }
}
