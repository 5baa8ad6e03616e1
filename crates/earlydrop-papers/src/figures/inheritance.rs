//! What panels of a figure take from it.

use earlydrop_lab::document::{Content, Key, Node, Problem};

use crate::toml_file::{items, unknown_key};

/// The keys of a figure's own.
const FIGURE: [&str; 7] = [
    "id",
    "number",
    "caption",
    "claims",
    "not_printed",
    "left_out",
    "panels",
];
/// The keys of a panel, which a figure gives for all of its panels.
const PANEL: [&str; 11] = [
    "title",
    "kind",
    "experiment",
    "at",
    "x",
    "y",
    "curves",
    "lines",
    "groups",
    "rows",
    "columns",
];

/// Moves what figures give for their panels into the panels; returns what is wrong.
pub(super) fn with_panels(tree: &mut Node) -> Vec<Problem> {
    let figures = items(tree, "figures").iter_mut();
    figures.flat_map(move_into_panels).collect()
}

/// Moves what a figure gives for its panels into them; a figure without panels is one.
fn move_into_panels(figure: &mut Node) -> Vec<Problem> {
    let Content::Table(entries) = &mut figure.content else {
        return Vec::new();
    };
    let is_known = |name: &str| FIGURE.contains(&name) || PANEL.contains(&name);
    let unknown = entries.iter().filter(|(key, _)| !is_known(&key.name));
    let known = [&FIGURE[..], &PANEL].concat();
    let unknown = unknown.map(|(key, _)| unknown_key("figures", key, &known));
    let mut problems: Vec<Problem> = unknown.collect();
    let is_of_panel = |(key, _): &mut (Key, Node)| PANEL.contains(&key.name.as_str());
    let given: Vec<(Key, Node)> = entries.extract_if(.., is_of_panel).collect();
    let place = figure.place.clone();
    if figure.at(&["panels"]).is_none() && given.iter().any(|(key, _)| key.name == "kind") {
        let panel = Content::Table(Vec::new());
        let panels = [panel].map(|content| Node {
            content,
            place: place.clone(),
        });
        let content = Content::List(panels.into());
        figure.put(&["panels"], Node { content, place });
    } else if figure
        .at(&["panels"])
        .or(figure.at(&["left_out"]))
        .is_none()
    {
        let help = "give it a `kind`, or say in `left_out` why it is not drawn";
        problems.push(Problem::new(&place, "nothing is drawn", help));
    }
    for panel in items(figure, "panels") {
        inherit(panel, &given);
    }
    problems
}

/// Gives a table what it does not give itself; of an axis, each field.
fn inherit(table: &mut Node, given: &[(Key, Node)]) {
    for (key, node) in given {
        match (table.entry(&key.name), &node.content) {
            (Some(own), Content::Table(fields)) if ["x", "y"].contains(&key.name.as_str()) => {
                inherit(own, fields);
            }
            (Some(_), _) => {}
            (None, _) => {
                if let Content::Table(entries) = &mut table.content {
                    entries.push((key.clone(), node.clone()));
                }
            }
        }
    }
}
