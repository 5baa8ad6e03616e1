//! Reads a `claims.toml`. Unknown keys, missing ones and wrong values are problems with their
//! place in the file. `docs/reference/claims.md` describes every key.

use earlydrop_lab::document::{Content, Key, Node, Problem, Problems, suggestion};
use serde::de::{Deserialize, Deserializer, Error};

use super::claim::{Claim, Paper, Standing};
use super::selector::Selector;
use crate::toml_file::{NameRef, TomlFile, items};

/// The scheme that is run in place of another unless the file names one.
const WRONG: &str = "droptail";

/// What kinds of tests that are read as one say by their names: a field, and whether it is so.
const SAID: [(&str, &str, bool); 8] = [
    ("less", "less", true),
    ("more", "less", false),
    ("not-less", "less", false),
    ("not-more", "less", true),
    ("spread-less", "less", true),
    ("spread-more", "less", false),
    ("grows", "up", true),
    ("falls", "up", false),
];

impl Paper {
    /// Reads a `claims.toml`; `name` is the file's name in messages.
    ///
    /// ```
    /// use earlydrop_papers::claims::Paper;
    ///
    /// let text = r#"
    /// paper = "mine"
    /// name = "Me, RED"
    /// title = "RED"
    /// authors = "Me"
    /// year = 2026
    /// claims = [{ id = "mine.a", figur = "1" }]
    /// "#;
    /// let problems = Paper::parse("claims.toml", text).unwrap_err();
    /// assert!(problems.to_string().contains("did you mean `figure`?"));
    /// ```
    pub fn parse(name: &str, text: &str) -> Result<Paper, Problems> {
        let file = TomlFile { name, text };
        let mut tree = file.tree()?;
        for claim in items(&mut tree, "claims") {
            claim.entry("test").into_iter().for_each(spell_out);
        }
        let mut paper: Paper = file.read_tree(&tree)?;
        for claim in &mut paper.claims {
            claim.name_wrong_scheme(&paper.wrong);
        }
        let references = paper.claims.iter().map(|claim| &claim.beside);
        let misplaced = references.filter_map(|name| misplaced(name, &paper.claims));
        file.refuse(misplaced.collect())?;
        Ok(paper)
    }
}

/// Adds to a test what its kind says, and makes each single value of `at` a list.
fn spell_out(test: &mut Node) {
    let Some(kind) = test.at(&["kind"]).cloned() else {
        return;
    };
    let place = kind.place.clone();
    let kind = kind.text().unwrap_or_default();
    let said = SAID.iter().filter(|(of, ..)| *of == kind);
    let mut said: Vec<(&str, Content)> = said
        .map(|(_, field, is_so)| (*field, Content::Flag(*is_so)))
        .collect();
    if ["less", "more"].contains(&kind.as_str()) {
        said.push(("tolerance", Content::Number("0".to_string())));
    }
    if let Content::Table(entries) = &mut test.content {
        entries.extend(said.into_iter().map(|(name, content)| {
            let (name, place) = (name.to_string(), place.clone());
            let key = Key {
                name,
                place: place.clone(),
            };
            (key, Node { content, place })
        }));
    }
    if let Some(Content::Table(at)) = test.entry("at").map(|node| &mut node.content) {
        for (_, node) in at.iter_mut().filter(|(_, node)| node.text().is_some()) {
            node.content = Content::List(vec![node.clone()]);
        }
    }
}

/// A problem where `beside` names no claim that is counted.
fn misplaced(beside: &NameRef, claims: &[Claim]) -> Option<Problem> {
    let counted = claims
        .iter()
        .filter(|claim| claim.standing() == Standing::Paper);
    let counted: Vec<&str> = counted.map(|claim| claim.id.as_str()).collect();
    let name = &beside.name;
    if name.is_empty() || counted.contains(&name.as_str()) {
        return None;
    }
    let message = format!("no claim that is counted is called \"{name}\"");
    let help = suggestion(name, &counted, '"');
    Some(Problem::new(&beside.place, message, help))
}

impl Claim {
    /// Names the scheme to run in place of the one that it is about: the claim's own, else the
    /// file's, else drop-tail.
    fn name_wrong_scheme(&mut self, of_file: &[(String, String)]) {
        let is_of = |(scheme, _): &&(String, String)| self.test.scheme() == Some(scheme);
        let of_scheme = of_file.iter().find(is_of);
        if self.wrong.is_empty() {
            self.wrong = of_scheme.map_or(WRONG, |(_, wrong)| wrong).to_string();
        }
    }
}

impl Selector {
    /// What a claim measures that names nothing.
    pub(super) fn utilisation() -> Selector {
        Selector::Metric("utilisation".to_string())
    }
}

impl<'de> Deserialize<'de> for Selector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Selector, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Test;

    const HEAD: &str = "paper = \"x\"\nname = \"X\"\ntitle = \"T\"\nauthors = \"A\"\nyear = 2000\n";

    /// A file with one claim of these lines, read.
    fn parse(claim: &str) -> Result<Paper, Problems> {
        let text =
            format!("{HEAD}[[claims]]\nid = \"x.a\"\nfigure = \"1\"\nclaim = \"Less.\"\n{claim}\n");
        Paper::parse("claims.toml", &text)
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_place_and_the_nearest_name() {
        let test = "test = { kind = \"less\", scheme = \"red\", than = [\"pie\"] }";
        assert!(parse(test).is_ok());
        for (claim, place, message) in [
            (
                format!("experimant = \"figure-1\"\n{test}"),
                "claims.toml:10:1: ",
                "no field `experimant`; did you mean `experiment`?",
            ),
            (
                "test = { kind = \"less\", sheme = \"red\", than = [\"pie\"] }".to_string(),
                "claims.toml:10:",
                "`less` has no field `sheme`; did you mean `scheme`?",
            ),
            (
                "test = { kind = \"less\", scheme = \"red\", than = [], tolerance = 1 }"
                    .to_string(),
                "claims.toml:10:",
                "`less` has no field `tolerance`",
            ),
            (
                "test = { kind = \"lss\", scheme = \"red\", than = [\"pie\"] }".to_string(),
                "claims.toml:10:",
                "no test is called \"lss\"; did you mean \"less\"?",
            ),
            (
                format!("metric = \"goodputt\"\n{test}"),
                "claims.toml:10:10: ",
                "no metric is called goodputt; did you mean goodput?",
            ),
            (
                format!("beside = \"x.b\"\n{test}"),
                "claims.toml:10:10: ",
                "no claim that is counted is called \"x.b\"",
            ),
            (
                "test = { kind = \"value\", scheme = \"red\", value = 1 }".to_string(),
                "claims.toml:10:8: ",
                "`tolerance` is missing",
            ),
        ] {
            let problems = parse(&claim).unwrap_err().to_string();
            assert!(problems.starts_with(place), "{place} in {problems}");
            assert!(problems.contains(message), "{message} in {problems}");
        }
        let file = Paper::parse("claims.toml", &format!("{HEAD}sumary = \"\"\n"));
        let problems = file.unwrap_err().to_string();
        let expected = "claims.toml:6:1: `claims.toml` has no field `sumary`";
        assert!(problems.starts_with(expected), "{problems}");
        assert!(problems.contains("did you mean `summary`?"), "{problems}");
    }

    #[test]
    fn numbers_are_read_as_rust_reads_them() {
        let test = "{ kind = \"value\", scheme = \"red\", value = 18.1812, tolerance = 0.1003 }";
        let paper = parse(&format!("test = {test}")).unwrap();
        let Test::Value {
            value, tolerance, ..
        } = paper.claims[0].test
        else {
            panic!("{:?}", paper.claims[0].test);
        };
        assert_eq!((value, tolerance), (18.1812, 0.1003));
    }
}
