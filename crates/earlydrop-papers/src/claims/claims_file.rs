//! Reads a `claims.toml`. Unknown keys, missing ones and wrong values are problems with their
//! place in the file.

use earlydrop_lab::document::{Content, Entries, Key, Node, Problem, Problems, suggestion};

use super::claim::{Claim, Paper, Restriction, Standing, Test};
use super::fields::{CLAIMS, TESTS};
use crate::toml_file::{open_table, read_file, require, texts};

/// The scheme that is run in place of another unless the file names one.
const WRONG: &str = "droptail";

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
        read_file(name, text, &CLAIMS, |entries, problems| {
            require(entries, &["paper", "name", "title"], problems);
            require(entries, &["authors", "year"], problems);
            let wrong = wrong_schemes(entries, problems);
            let list = entries.list("claims");
            let claims = list
                .iter()
                .filter_map(|entry| claim(entry, &wrong, problems));
            let claims: Vec<Claim> = claims.collect();
            problems.extend(list.iter().filter_map(|entry| misplaced(entry, &claims)));
            Paper {
                claims,
                key: entries.text("paper"),
                name: entries.text("name"),
                title: entries.text("title"),
                authors: entries.text("authors"),
                year: entries.text("year"),
                summary: entries.text("summary"),
            }
        })
    }
}

/// The scheme to run in place of each scheme of `[wrong]`.
fn wrong_schemes(entries: &Entries, problems: &mut Vec<Problem>) -> Vec<(String, String)> {
    let given = open_table(entries, "wrong", "{ clred = \"red\" }", problems);
    let mut schemes = Vec::new();
    for (key, node) in given {
        match node.text() {
            Some(text) => schemes.push((key.name.clone(), text)),
            None => {
                let message = format!("`{}` is {}", key.name, node.kind());
                problems.push(Problem::new(&node.place, message, "allowed: a scheme"));
            }
        }
    }
    schemes
}

/// Reads a claim; `None` where its test or its metric is not one.
fn claim(
    entries: &Entries,
    wrong_schemes: &[(String, String)],
    problems: &mut Vec<Problem>,
) -> Option<Claim> {
    require(entries, &["id", "figure", "claim", "test"], problems);
    let test = entries.open("test").map(|node| test(node, problems));
    let metric = entries.text("metric").parse();
    let metric = metric.map_err(|error| {
        let place = entries.place_of("metric");
        problems.push(Problem::new(place, format!("{error}"), ""));
    });
    let test = test??;
    Some(Claim {
        id: entries.text("id"),
        beside: entries.text("beside"),
        figure: entries.text("figure"),
        claim: entries.text("claim"),
        experiment: entries.text("experiment"),
        metric: metric.ok()?,
        wrong: wrong_scheme(entries, &test, wrong_schemes),
        test,
    })
}

/// A problem where `beside` names no claim that is counted.
fn misplaced(entries: &Entries, claims: &[Claim]) -> Option<Problem> {
    let name = entries.text("beside");
    let counted = claims
        .iter()
        .filter(|claim| claim.standing() == Standing::Paper);
    let counted: Vec<&str> = counted.map(|claim| claim.id.as_str()).collect();
    if name.is_empty() || counted.contains(&name.as_str()) {
        return None;
    }
    let message = format!("no claim that is counted is called \"{name}\"");
    let help = suggestion(&name, &counted, '"');
    Some(Problem::new(entries.place_of("beside"), message, help))
}

/// The scheme to run in place of the one that a test is about: the claim's own, else the
/// file's, else drop-tail.
fn wrong_scheme(entries: &Entries, test: &Test, of_file: &[(String, String)]) -> String {
    if entries.has("wrong") {
        return entries.text("wrong");
    }
    let mut of_file = of_file.iter();
    let of_scheme = of_file.find(|(scheme, _)| test.scheme() == Some(scheme));
    of_scheme.map_or(WRONG.to_string(), |(_, wrong)| wrong.clone())
}

/// Reads a test. Its kind decides which keys it takes.
fn test(node: &Node, problems: &mut Vec<Problem>) -> Option<Test> {
    let kind = node.at(&["kind"]).and_then(Node::text);
    let Some(kind) = kind else {
        problems.push(Problem::new(&node.place, "`kind` is missing", ""));
        return None;
    };
    let Some(section) = TESTS.iter().find(|section| section.name == kind) else {
        let kinds: Vec<&str> = TESTS.iter().map(|section| section.name).collect();
        let message = format!("no test is called \"{kind}\"");
        let place = node.at(&["kind"]).map_or(&node.place, |node| &node.place);
        problems.push(Problem::new(place, message, suggestion(&kind, &kinds, '"')));
        return None;
    };
    let entries = Entries::read(node, section, problems);
    let needed = section.fields.iter().map(|field| field.name);
    let needed: Vec<&str> = needed
        .filter(|name| !["at", "direction"].contains(name))
        .collect();
    require(&entries, &needed, problems);
    let at = restriction(&entries, section.field("at").is_some(), problems);
    Some(build_test(&kind, &entries, at, problems))
}

fn build_test(kind: &str, entries: &Entries, at: Restriction, problems: &mut Vec<Problem>) -> Test {
    let text = |name| entries.text(name);
    let number = |name| entries.number(name);
    let mut list = |name| texts(entries, name, problems);
    let scheme = || entries.text("scheme");
    match kind {
        "less" | "more" => Test::Ordering {
            scheme: scheme(),
            than: list("than"),
            less: kind == "less",
            tolerance: 0.0,
            at,
        },
        "not-less" | "not-more" => Test::Ordering {
            scheme: scheme(),
            than: list("than"),
            less: kind == "not-more",
            tolerance: number("tolerance"),
            at,
        },
        "range-less" => Test::Range {
            scheme: scheme(),
            than: list("than"),
            over: text("over"),
            at,
        },
        "minimum-inside" => Test::MinimumInside {
            scheme: scheme(),
            over: text("over"),
            at,
        },
        "minimum-moves" => Test::MinimumMoves {
            scheme: scheme(),
            over: text("over"),
            with: text("with"),
            up: entries.choice("direction") == "up",
        },
        "proportional" => Test::Proportional {
            scheme: scheme(),
            over: text("over"),
            tolerance: number("tolerance"),
            at,
        },
        "spread-less" | "spread-more" => Test::Spread {
            scheme: scheme(),
            than: list("than"),
            less: kind == "spread-less",
            at,
        },
        "grows" | "falls" => Test::Trend {
            scheme: scheme(),
            over: text("over"),
            from: text("from"),
            to: text("to"),
            up: kind == "grows",
            at,
        },
        "between" => Test::Between {
            scheme: scheme(),
            low: number("low"),
            high: number("high"),
            at,
        },
        "equal" => Test::Equal {
            schemes: list("schemes"),
            tolerance: number("tolerance"),
            at,
        },
        "value" => Test::Value {
            scheme: scheme(),
            value: number("value"),
            tolerance: number("tolerance"),
            at,
        },
        "nearer" => Test::Nearer {
            scheme: scheme(),
            than: list("than"),
            value: number("value"),
            at,
        },
        _ => Test::Undecidable {
            missing: text("missing"),
        },
    }
}

/// Values of swept fields: of each one value or a list. Empty where the test takes no `at`.
fn restriction(entries: &Entries, takes_at: bool, problems: &mut Vec<Problem>) -> Restriction {
    if !takes_at {
        return Restriction::new();
    }
    let given = open_table(entries, "at", "{ \"flows.ftp.count\" = [100] }", problems);
    let values = |(key, node): &(Key, Node)| {
        let values = match &node.content {
            Content::List(items) => items.iter().filter_map(Node::text).collect(),
            _ => node.text().into_iter().collect(),
        };
        (key.name.clone(), values)
    };
    given.iter().map(values).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
