//! A paper's abstract, sentence by sentence: `abstract.toml`.

use earlydrop_lab::document::{Entries, Field, Problem, Problems, Section, Shape};

use super::claim::{Paper, id_matches};
use crate::toml_file::{LIST, NameRef, WORDS, field, name_refs, read_file, require};

/// A sentence of a paper's abstract, and the claims that judge it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sentence {
    /// What it says, in our words.
    pub says: String,
    /// The claims that judge it: ids, or what ids begin with.
    pub claims: Vec<NameRef>,
    /// Why no claim judges it; empty where claims do.
    pub note: String,
}

static FILE: Section = Section {
    name: "abstract.toml",
    meaning: "a paper's abstract",
    fields: &[field(
        "sentences",
        Shape::List(&SENTENCE),
        "",
        "its sentences, in order",
    )],
};

static SENTENCE: Section = Section {
    name: "sentences",
    meaning: "a sentence",
    fields: &[
        field("says", WORDS, "", "what it says, in our words"),
        CLAIMS,
        field("note", WORDS, "", "why no claim judges it"),
    ],
};

const CLAIMS: Field = field("claims", LIST, "", "the claims that judge it");

impl Sentence {
    /// Reads an `abstract.toml`, whose name in messages is `name`. Its claims must be the paper's.
    pub fn parse(name: &str, text: &str, paper: &Paper) -> Result<Vec<Sentence>, Problems> {
        read_file(name, text, &FILE, |entries, problems| {
            let list = entries.list("sentences").iter();
            list.map(|entry| sentence(entry, paper, problems)).collect()
        })
    }

    /// Whether a claim judges it.
    pub fn is_judged_by(&self, id: &str) -> bool {
        self.claims.iter().any(|claim| id_matches(id, &claim.name))
    }
}

fn sentence(entries: &Entries, paper: &Paper, problems: &mut Vec<Problem>) -> Sentence {
    require(entries, &["says"], problems);
    let claims = name_refs(entries, "claims", problems);
    for reference in &claims {
        let mut ids = paper.claims.iter().map(|claim| claim.id.as_str());
        if !ids.any(|id| id_matches(id, &reference.name)) {
            let message = format!("no claim is called {}", reference.name);
            problems.push(Problem::new(&reference.place, message, ""));
        }
    }
    if claims.is_empty() != entries.has("note") {
        let message = "a sentence has either claims or a note that says why none judges it";
        problems.push(Problem::new(entries.place(), message, ""));
    }
    Sentence {
        says: entries.text("says"),
        claims,
        note: entries.text("note"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(lines: &str) -> Result<Vec<Sentence>, Problems> {
        let claims = "paper = \"x\"\nname = \"\"\ntitle = \"\"\nauthors = \"\"\nyear = 2000\n\
                      [[claims]]\nid = \"x.F1.a\"\nfigure = \"1\"\nclaim = \"\"\n\
                      test = { kind = \"undecidable\", missing = \"time\" }\n";
        let paper = Paper::parse("claims.toml", claims).unwrap();
        let text = format!("[[sentences]]\nsays = \"It works.\"\n{lines}\n");
        Sentence::parse("abstract.toml", &text, &paper)
    }

    #[test]
    fn a_sentence_is_judged_or_says_why_not() {
        let sentences = parse("claims = [\"x.F1\"]").unwrap();
        assert!(sentences[0].is_judged_by("x.F1.a"));
        assert!(!sentences[0].is_judged_by("x.F10.a"));
        assert_eq!(parse("note = \"an aim\"").unwrap()[0].note, "an aim");
        for (lines, said) in [
            ("", "either claims or a note"),
            (
                "claims = [\"x.F1\"]\nnote = \"an aim\"",
                "either claims or a note",
            ),
            (
                "claims = [\"x.F2\"]",
                "abstract.toml:3:11: no claim is called x.F2",
            ),
        ] {
            let problems = parse(lines).unwrap_err().to_string();
            assert!(problems.contains(said), "{said} in {problems}");
        }
    }
}
