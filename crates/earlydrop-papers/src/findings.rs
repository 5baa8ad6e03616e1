//! What a reader of the papers should know, each with the claims that show it.

use earlydrop_lab::document::{Entries, Problem, Problems, Section, Shape};

use crate::claims::Claim;
use crate::toml_file::{LIST, NAME, NameRef, WORDS, field, name_refs, read_file, require};

/// A finding about the papers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The finding in a sentence.
    pub title: String,
    /// What kind of finding it is: "confirmed".
    pub kind: String,
    /// What was found, in Markdown.
    pub text: String,
    /// The ids of the claims that show it.
    pub claims: Vec<NameRef>,
}

/// The kinds of findings.
const KINDS: [&str; 4] = [
    "confirmed",
    "contradicted",
    "depends on a choice",
    "misprint",
];

static FINDINGS_FILE: Section = Section {
    name: "findings.toml",
    meaning: "what a reader of the papers should know",
    fields: &[field("findings", Shape::List(&FINDING), "", "the findings")],
};

static FINDING: Section = Section {
    name: "findings",
    meaning: "a finding",
    fields: &[
        field("title", WORDS, "", "the finding in a sentence"),
        field(
            "kind",
            NAME,
            "",
            "confirmed, contradicted, depends on a choice or misprint",
        ),
        field("text", WORDS, "", "what was found, in Markdown"),
        field("claims", LIST, "", "the ids of the claims that show it"),
    ],
};

impl Finding {
    /// Reads `findings.toml`, given as its name in messages and its text. Every finding must name
    /// claims that are among `known`.
    pub fn parse(name: &str, text: &str, known: &[&Claim]) -> Result<Vec<Finding>, Problems> {
        read_file(name, text, &FINDINGS_FILE, |entries, problems| {
            require(entries, &["findings"], problems);
            let list = entries.list("findings").iter();
            list.map(|entry| finding(entry, known, problems)).collect()
        })
    }
}

fn finding(entries: &Entries, known: &[&Claim], problems: &mut Vec<Problem>) -> Finding {
    require(entries, &["title", "kind", "text", "claims"], problems);
    let finding = Finding {
        title: entries.text("title"),
        kind: entries.text("kind"),
        text: entries.text("text").trim().to_string(),
        claims: name_refs(entries, "claims", problems),
    };
    if !KINDS.contains(&finding.kind.as_str()) {
        let message = format!("no kind of finding is called \"{}\"", finding.kind);
        let help = format!("allowed: {}", KINDS.join(", "));
        problems.push(Problem::new(entries.place_of("kind"), message, help));
    }
    for claim in &finding.claims {
        if !known.iter().any(|one| one.id == claim.name) {
            let message = format!("no claim is called {}", claim.name);
            problems.push(Problem::new(&claim.place, message, ""));
        }
    }
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdict_tests::claim;

    #[test]
    fn a_finding_names_its_kind_and_claims_that_there_are() {
        let known = claim("", "{ kind = \"less\", scheme = \"a\", than = [\"b\"] }");
        let parse = |kind: &str, id: &str| {
            let text = format!(
                "[[findings]]\ntitle = \"a\"\nkind = \"{kind}\"\ntext = \"b\"\nclaims = [\"{id}\"]\n"
            );
            Finding::parse("findings.toml", &text, &[&known])
        };
        let findings = parse("misprint", &known.id).unwrap();
        assert_eq!(findings[0].claims[0].name, known.id);
        let problems = parse("guess", "other").unwrap_err().to_string();
        assert!(
            problems.contains("findings.toml:3:8: no kind of finding is called \"guess\""),
            "{problems}"
        );
        assert!(
            problems.contains("findings.toml:5:11: no claim is called other"),
            "{problems}"
        );
    }
}
