//! How many claims have which verdict.

use std::fmt;

use super::claim::Standing;
use super::report::ClaimReport;
use super::verdict::Verdict;

/// The numbers of claims by verdict: the papers' sentences, the numbers of their tables, and our
/// hypotheses, each apart. Every page and the terminal count with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// What the papers say in words.
    pub sentences: Tally,
    /// The numbers that their tables print.
    pub numbers: Tally,
    /// Claims of the papers under other values or in other readings, which are listed beside those
    /// that count.
    pub beside: usize,
    /// Our hypotheses.
    pub ours: Tally,
}

/// Numbers of claims by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally([usize; Verdict::ALL.len()]);

impl Counts {
    /// Counts these claims.
    pub fn of<'a>(reports: impl IntoIterator<Item = &'a ClaimReport<'a>>) -> Counts {
        let mut counts = Counts::default();
        for report in reports {
            let verdict = report.judgement.verdict;
            match report.claim.standing() {
                Standing::Paper if report.claim.printed => counts.numbers.add(verdict),
                Standing::Paper => counts.sentences.add(verdict),
                Standing::Beside => counts.beside += 1,
                Standing::Ours => counts.ours.add(verdict),
            }
        }
        counts
    }
}

impl Tally {
    /// Counts these verdicts.
    pub(crate) fn of(verdicts: impl Iterator<Item = Verdict>) -> Tally {
        let mut tally = Tally::default();
        verdicts.for_each(|verdict| tally.add(verdict));
        tally
    }

    pub(crate) fn add(&mut self, verdict: Verdict) {
        let index = Verdict::ALL.iter().position(|one| *one == verdict);
        if let Some(index) = index {
            self.0[index] += 1;
        }
    }

    /// The number of all claims.
    pub fn total(&self) -> usize {
        self.0.iter().sum()
    }

    /// The verdicts that are there, with their numbers, the best first.
    pub(crate) fn present(&self) -> impl Iterator<Item = (Verdict, usize)> {
        self.by_verdict().filter(|(_, count)| *count > 0)
    }

    /// The verdicts with their numbers, the best first.
    pub fn by_verdict(&self) -> impl Iterator<Item = (Verdict, usize)> {
        Verdict::ALL.into_iter().zip(self.0)
    }
}

/// "12 sentences: 5 hold, 3 hold in part, …; 24 printed numbers: 16 hold, …".
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let beside = match self.beside {
            0 => String::new(),
            count => format!(" (and {count} beside them, not counted)"),
        };
        let parts = [
            (self.sentences, "sentences", beside),
            (self.numbers, "printed numbers", String::new()),
            (self.ours, "of our hypotheses", String::new()),
        ];
        let parts = parts.into_iter().filter(|(tally, ..)| tally.total() > 0);
        let parts: Vec<String> = parts
            .map(|(tally, what, beside)| format!("{} {what}{beside}: {tally}", tally.total()))
            .collect();
        match parts.is_empty() {
            true => f.write_str("no claims"),
            false => f.write_str(&parts.join("; ")),
        }
    }
}

/// "5 hold, 3 hold in part, 2 contradicted": the verdicts that are there.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self
            .present()
            .map(|(verdict, count)| format!("{count} {}", plural(verdict, count)));
        f.write_str(&words.collect::<Vec<String>>().join(", "))
    }
}

/// The verdict on so many claims.
pub(crate) fn plural(verdict: Verdict, count: usize) -> String {
    match (verdict, count) {
        (_, 1) => verdict.to_string(),
        (Verdict::Holds, _) => "hold".to_string(),
        (Verdict::InPart, _) => "hold in part".to_string(),
        _ => verdict.to_string(),
    }
}
