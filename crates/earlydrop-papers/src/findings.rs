//! What a reader of the papers should know, each with the claims that show it.

use earlydrop_lab::document::{Problem, Problems};
use serde::Deserialize;

use crate::claims::Claim;
use crate::toml_file::{NameRef, TomlFile};

/// A finding about the papers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Finding {
    /// The finding in a sentence.
    pub title: String,
    /// What kind of finding it is: "confirmed".
    pub kind: NameRef,
    /// What was found, in Markdown.
    pub text: String,
    /// The ids of the claims that show it.
    #[serde(default)]
    pub claims: Vec<NameRef>,
    /// What the ids of printed numbers begin with that are counted together.
    #[serde(default)]
    pub numbers: Vec<NameRef>,
}

/// The kinds of findings.
const KINDS: [&str; 5] = [
    "confirmed",
    "contradicted",
    "against itself",
    "depends on a choice",
    "misprint",
];

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileFields {
    findings: Vec<Finding>,
}

impl Finding {
    /// Reads `findings.toml`, given as its name in messages and its text. Every finding must name
    /// claims that are among `known`.
    pub fn parse(name: &str, text: &str, known: &[&Claim]) -> Result<Vec<Finding>, Problems> {
        let file = TomlFile { name, text };
        let FileFields { mut findings } = file.read()?;
        for finding in &mut findings {
            finding.text.truncate(finding.text.trim_end().len());
        }
        let problems = findings.iter().flat_map(|finding| finding.wrong(known));
        file.refuse(problems.collect())?;
        Ok(findings)
    }

    /// What is wrong with it: an unknown kind, unknown claims.
    fn wrong(&self, known: &[&Claim]) -> Vec<Problem> {
        let mut problems = Vec::new();
        if !KINDS.contains(&self.kind.name.as_str()) {
            let message = format!("no kind of finding is called \"{}\"", self.kind.name);
            let help = format!("allowed: {}", KINDS.join(", "));
            problems.push(Problem::new(&self.kind.place, message, help));
        }
        for prefix in &self.numbers {
            let is_one = |claim: &&Claim| claim.printed && claim.matches(&prefix.name);
            if !known.iter().any(is_one) {
                let message = format!("no printed number's id begins with {}", prefix.name);
                problems.push(Problem::new(&prefix.place, message, ""));
            }
        }
        if self.claims.is_empty() && self.numbers.is_empty() {
            let message = "a finding names the claims that show it, or the printed numbers";
            problems.push(Problem::new(&self.kind.place, message, ""));
        }
        for claim in &self.claims {
            if !known.iter().any(|one| one.id == claim.name) {
                let message = format!("no claim is called {}", claim.name);
                problems.push(Problem::new(&claim.place, message, ""));
            }
        }
        problems
    }
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
