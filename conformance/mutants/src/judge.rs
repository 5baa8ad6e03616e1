//! The program that judges mutants by vectors, as it is called.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Outcome;

/// The program with the core and all of its mutants.
pub(crate) struct Judge(pub(crate) PathBuf);

/// The vectors that find a mutant, by mutant.
pub(crate) type Finders = BTreeMap<u32, BTreeSet<String>>;

impl Judge {
    /// The mutants that vectors run.
    pub(crate) fn reached(&self, vectors: &Path) -> Outcome<BTreeSet<u32>> {
        let text = self.ask(|judge| judge.arg("reached").arg(vectors))?.1;
        Ok(text.lines().map(str::parse).collect::<Result<_, _>>()?)
    }

    /// Writes a scheme's cases of these numbers as vectors.
    pub(crate) fn record(&self, scheme: &str, cases: Range<u32>, file: &Path) -> Outcome<()> {
        let (from, to) = (cases.start.to_string(), cases.end.to_string());
        let text = self
            .ask(|judge| judge.args(["record", scheme, &from, &to]))?
            .1;
        Ok(fs::write(file, text)?)
    }

    /// The vectors that find each of these mutants. A judge that ends early has found the mutant that
    /// it began last, and others go on with the next.
    pub(crate) fn finders(&self, vectors: &Path, mutants: &[u32]) -> Outcome<Finders> {
        let mut finders = Finders::new();
        let mut left = mutants;
        while !left.is_empty() {
            let numbers = left.iter().map(u32::to_string);
            let (ended, text) = self.ask(|judge| judge.arg(vectors).args(numbers))?;
            let mut begun = 0;
            for line in text.lines() {
                match line.split_once(' ') {
                    Some((_, vector)) => {
                        finders.entry(begun).or_default().insert(vector.to_string());
                    }
                    None => begun = line.parse()?,
                }
            }
            if ended {
                break;
            }
            finders.entry(begun).or_default();
            let done = left.iter().position(|one| *one == begun);
            left = &left[done.ok_or("the judge began no mutant")? + 1..];
        }
        Ok(finders)
    }

    /// Whether the judge came to its end, and what it printed.
    fn ask(&self, with: impl FnOnce(&mut Command) -> &mut Command) -> Outcome<(bool, String)> {
        let mut judge = Command::new(&self.0);
        let output = with(&mut judge).stderr(Stdio::null()).output()?;
        Ok((output.status.success(), String::from_utf8(output.stdout)?))
    }
}
