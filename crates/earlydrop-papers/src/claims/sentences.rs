//! A paper's abstract and conclusions, sentence by sentence: `sentences.toml`.

use std::fmt;

use earlydrop_lab::document::{Place, Problem, Problems};
use serde::Deserialize;
use serde_spanned::Spanned;

use super::claim::{Paper, id_matches};
use crate::toml_file::{NameRef, TomlFile};

/// A part of a paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Its abstract.
    #[default]
    Abstract,
    /// Its conclusions.
    Conclusions,
}

impl Part {
    /// Every part, in the paper's order.
    pub const ALL: [Part; 2] = [Part::Abstract, Part::Conclusions];
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Abstract => "abstract",
            Part::Conclusions => "conclusions",
        })
    }
}

/// A sentence of a paper's abstract or conclusions, and the claims that judge it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Sentence {
    /// What it says, in our words.
    pub says: String,
    /// Where it stands.
    #[serde(default, rename = "in")]
    pub part: Part,
    /// The claims that judge it: ids, or what ids begin with.
    #[serde(default)]
    pub claims: Vec<NameRef>,
    /// Why no claim judges it; empty where claims do.
    #[serde(default)]
    pub note: String,
}

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileFields {
    #[serde(default)]
    sentences: Vec<Spanned<Sentence>>,
}

impl Sentence {
    /// Reads a `sentences.toml`, whose name in messages is `name`. Its claims must be the paper's.
    pub fn parse(name: &str, text: &str, paper: &Paper) -> Result<Vec<Sentence>, Problems> {
        let file = TomlFile { name, text };
        let fields: FileFields = file.read()?;
        let sentences = fields.sentences.iter();
        file.refuse(sentences.flat_map(|one| wrong(one, paper)).collect())?;
        let sentences = fields.sentences.into_iter();
        Ok(sentences.map(Spanned::into_inner).collect())
    }

    /// Whether a claim judges it.
    pub fn is_judged_by(&self, id: &str) -> bool {
        self.claims.iter().any(|claim| id_matches(id, &claim.name))
    }
}

/// What is wrong with a sentence: claims that the paper does not have, or neither claims nor a note.
fn wrong(sentence: &Spanned<Sentence>, paper: &Paper) -> Vec<Problem> {
    let place = Place::File(sentence.span());
    let Sentence { claims, note, .. } = sentence.get_ref();
    let is_known = |name: &NameRef| {
        let mut ids = paper.claims.iter().map(|claim| claim.id.as_str());
        ids.any(|id| id_matches(id, &name.name))
    };
    let unknown = claims.iter().filter(|name| !is_known(name));
    let unknown = unknown.map(|name| {
        let message = format!("no claim is called {}", name.name);
        Problem::new(&name.place, message, "")
    });
    let mut problems: Vec<Problem> = unknown.collect();
    if claims.is_empty() == note.is_empty() {
        let message = "a sentence has either claims or a note that says why none judges it";
        problems.push(Problem::new(&place, message, ""));
    }
    problems
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
        Sentence::parse("sentences.toml", &text, &paper)
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
                "sentences.toml:3:11: no claim is called x.F2",
            ),
        ] {
            let problems = parse(lines).unwrap_err().to_string();
            assert!(problems.contains(said), "{said} in {problems}");
        }
    }
}
