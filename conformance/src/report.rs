//! What many vectors say of a queue: which it passes, and which faults would explain the rest.

use std::collections::BTreeMap;
use std::fmt;

use crate::fault::{ANY_CHANGE, FAULTS, Fault};
use crate::judge::{Difference, Queue, judge};
use crate::vector::Vector;

/// The results of vectors.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// By vector: the first difference, or none.
    results: BTreeMap<String, (Vec<String>, Option<Difference>)>,
    /// The vectors whose scheme the queue has not got.
    pub skipped: Vec<String>,
}

impl Report {
    /// Judges a queue by a vector, and notes the result. Fails where an answer was none.
    pub fn judge(&mut self, vector: &Vector, queue: &mut dyn Queue) -> Result<(), String> {
        let header = &vector.header;
        let result = judge(vector, queue);
        if let Some(problem) = queue.problem() {
            return Err(format!("{}: {problem}", header.vector));
        }
        self.note(&header.vector, &header.exposes, result);
        Ok(())
    }

    /// Notes a vector whose scheme the queue has not got.
    pub fn skip(&mut self, vector: &Vector) {
        self.skipped.push(vector.header.vector.clone());
    }

    /// Notes the result of a vector, with the faults that it exposes.
    fn note(&mut self, vector: &str, exposes: &[String], result: Result<(), Difference>) {
        let result = (exposes.to_vec(), result.err());
        self.results.insert(vector.to_string(), result);
    }

    /// Whether every vector was passed that was judged, and one was.
    pub fn is_clean(&self) -> bool {
        !self.results.is_empty() && self.differences().next().is_none()
    }

    /// The first difference of each vector that was not passed.
    pub fn differences(&self) -> impl Iterator<Item = &Difference> {
        self.results
            .values()
            .filter_map(|(_, found)| found.as_ref())
    }

    /// The faults that explain what differs, the likeliest first: those of whose vectors the largest
    /// share was failed, and among them those whose vectors are the most of all that failed. Last is
    /// the one that says least.
    pub fn suspects(&self) -> Vec<(&'static Fault, usize, usize)> {
        let mut suspects: Vec<_> = FAULTS
            .iter()
            .map(|fault| {
                let exposing = self.results.values();
                let exposing =
                    exposing.filter(|(faults, _)| faults.iter().any(|id| id == fault.id));
                let (mut failed, mut all) = (0, 0);
                for (_, difference) in exposing {
                    all += 1;
                    failed += usize::from(difference.is_some());
                }
                (fault, failed, all)
            })
            .filter(|(_, failed, _)| *failed > 0)
            .collect();
        suspects.sort_by(
            |(fault, failed, all), (other_fault, other_failed, other_all)| {
                let (share, other) = (failed * other_all, other_failed * all);
                let says_least = |fault: &Fault| fault.id == ANY_CHANGE;
                says_least(fault)
                    .cmp(&says_least(other_fault))
                    .then(other.cmp(&share))
                    .then(other_failed.cmp(failed))
            },
        );
        suspects
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for difference in self.differences() {
            writeln!(f, "{difference}")?;
        }
        let suspects = self.suspects();
        if !suspects.is_empty() {
            writeln!(f, "\nWhat explains it, the likeliest first:")?;
        }
        for (fault, failed, all) in suspects {
            writeln!(
                f,
                "  {} ({failed} of {all} vectors): {}",
                fault.id, fault.what
            )?;
        }
        let (all, failed) = (self.results.len(), self.differences().count());
        write!(f, "{} of {all} vectors passed", all - failed)?;
        match self.skipped.len() {
            0 => writeln!(f),
            skipped => writeln!(f, "; {skipped} skipped: the queue has not got the scheme"),
        }
    }
}
