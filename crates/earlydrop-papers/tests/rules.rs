//! The rules of claims are frozen: one that is changed after runs had been looked at says so.
//!
//! `rules.tsv` has each claim's rule as it was first set, as a hash of its experiment, metric and test.
//! New claims are added to it by `EARLYDROP_WRITE_PAGES=1`; no line of it is changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use earlydrop_lab::document::Node;

use crate::papers::{claims_of, folders, list};

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/rules.tsv")
}

/// FNV-1a, 64 bits, of what decides a claim.
fn rule(claim: &Node) -> String {
    let parts = ["experiment", "metric", "test"].map(|key| claim.at(&[key]).map(Node::to_toml));
    let text = format!("{parts:?}");
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    format!("{hash:016x}")
}

fn text(claim: &Node, key: &str) -> Option<String> {
    claim.at(&[key]).and_then(Node::text)
}

/// Whether it is a paper's claim, not a hypothesis of ours.
fn is_a_papers(id: &str) -> bool {
    let ours = ["open", "reading", "today", "curves"];
    !id.split('.').any(|part| ours.contains(&part))
}

/// What is wrong with claims, given the rules as they were first set.
fn problems<'a>(
    claims: impl IntoIterator<Item = &'a Node>,
    frozen: &BTreeMap<String, String>,
) -> Vec<String> {
    let mut problems = Vec::new();
    let mut seen = BTreeSet::new();
    for claim in claims {
        let id = text(claim, "id").unwrap_or_default();
        let is_marked = text(claim, "changed").is_some();
        match frozen.get(&id) {
            Some(rule_then) if *rule_then == rule(claim) || is_marked => {}
            Some(_) => problems.push(format!(
                "{id}: its rule was changed; say when and why: changed = \"2026-11-28: ...\""
            )),
            None if is_a_papers(&id) && text(claim, "added").is_none() => {
                problems.push(format!("{id}: it is new; say so: added = true"));
            }
            None => problems.push(format!(
                "{id}: not in rules.tsv; EARLYDROP_WRITE_PAGES=1 adds it"
            )),
        }
        seen.insert(id);
    }
    let gone = frozen.keys().filter(|id| !seen.contains(*id));
    problems.extend(gone.map(|id| format!("{id}: it was removed")));
    problems
}

#[test]
fn no_rule_is_changed_without_a_mark() {
    let trees: Vec<Node> = folders().iter().map(|folder| claims_of(folder)).collect();
    let claims: Vec<&Node> = trees.iter().flat_map(|tree| list(tree, "claims")).collect();
    let mut lines = fs::read_to_string(file()).unwrap_or("claim\trule\n".to_string());
    let read = |lines: &str| -> BTreeMap<String, String> {
        let pairs = lines
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once('\t'));
        pairs
            .map(|(id, rule)| (id.to_string(), rule.to_string()))
            .collect()
    };
    if std::env::var_os("EARLYDROP_WRITE_PAGES").is_some() {
        let known = read(&lines);
        for claim in &claims {
            let id = text(claim, "id").unwrap_or_default();
            if !known.contains_key(&id) {
                lines.push_str(&format!("{id}\t{}\n", rule(claim)));
            }
        }
        fs::write(file(), &lines).unwrap();
    }
    let problems = problems(claims, &read(&lines));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_changed_rule_is_refused_unless_it_says_why() {
    let tree = |more: &str, value: &str| {
        let text = format!(
            "[[claims]]\nid = \"x.F1\"\nexperiment = \"e\"\nmetric = \"loss\"\n{more}\
             test = {{ kind = \"value\", scheme = \"red\", value = {value}, tolerance = 0.1 }}\n"
        );
        Node::parse(&text).unwrap()
    };
    let first = tree("", "1");
    let frozen = BTreeMap::from([("x.F1".to_string(), rule(&list(&first, "claims")[0]))]);
    let of = |tree: &Node| problems(list(tree, "claims"), &frozen);
    assert!(of(&first).is_empty());
    assert!(of(&tree("", "2"))[0].contains("its rule was changed"));
    assert!(of(&tree("changed = \"2026-11-28: it was 1\"\n", "2")).is_empty());
    let renamed = Node::parse("[[claims]]\nid = \"x.F2\"\n").unwrap();
    let said = of(&renamed).join("\n");
    assert!(
        said.contains("x.F2: it is new") && said.contains("x.F1: it was removed"),
        "{said}"
    );
}
