//! `--infer`: what the authors of a paper probably ran.

use std::io::Write;
use std::path::{Path, PathBuf};

use earlydrop_papers::catalogue::PaperEntry;
use earlydrop_papers::inference::{Bank, Identified, Posterior};
use earlydrop_papers::pages::Provenance;
use earlydrop_papers::reproduce::write_inference;

use super::Reproduce;
use crate::failure::Failure;
use crate::output::Output;

/// Prints what was inferred of each paper, and writes a page about each.
pub(super) fn print(
    banks: &[(&PaperEntry, Bank)],
    arguments: &Reproduce,
    out: &mut Output<'_>,
) -> Result<(), Failure> {
    let results = arguments.out.join("inferred");
    let folder: &Path = arguments.pages.as_deref().unwrap_or(&results);
    for (entry, bank) in banks {
        writeln!(out, "{}\n{}", entry.paper.name, words(bank))?;
        let provenance = Provenance {
            command: arguments.command(arguments.pages.as_ref()).to_string(),
            version: earlydrop_lab::version(),
            is_quick: !arguments.full,
        };
        let overwrite = arguments.overwriting.files();
        let path: PathBuf = write_inference((entry, bank), folder, overwrite, &provenance)?;
        writeln!(out, "page: {}\n", path.display())?;
    }
    Ok(())
}

/// How much of what is printed our values and the best give, and what is identified.
fn words(bank: &Bank) -> String {
    let all = bank.items.len();
    let Some(best) = bank.best() else {
        return "  nothing was run".to_string();
    };
    let mut lines = vec![format!(
        "  of {all} printed numbers and sentences our values give {}, the best of {} universes {}",
        bank.given(0),
        bank.universes.len(),
        bank.given(best)
    )];
    let posterior = Posterior::of(bank, &bank.printed(), None);
    for (index, choice) in bank.choices.iter().enumerate() {
        let said = match posterior.identified(index) {
            Identified::Not => "not identified".to_string(),
            _ => posterior.left(bank, index),
        };
        lines.push(format!("  {}: {said}", choice.what));
    }
    lines.join("\n")
}
