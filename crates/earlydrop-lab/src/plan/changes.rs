//! The changes that a command line makes to a scenario file, named in its title and description.
//!
//! A file's title says what its author ran. With `--link 10Mbps` on the command line, another link
//! runs: "A home's uplink, with rate 10 Mbps". The scenario as run has the new title, so every
//! page and every later report of it shows it.

use earlydrop::units::Quantity;

use crate::document::{Content, Node, Place};

/// Changed fields by their paths, with their values.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    list: Vec<(String, String)>,
    /// The paths of all fields that were given, with the values of the file or others, and the
    /// argument that gives each.
    given: Vec<(String, String)>,
}

/// What the description of a changed scenario begins with.
pub const CHANGED: &str = "Changed from the file: ";
/// What separates the title of a file from what was changed.
const WITH: &str = ", with ";
/// The most changes that a title names.
const MOST_IN_TITLE: usize = 4;

impl Changes {
    /// Notes that an argument gives a field. The error is another argument that gives it, too.
    pub(super) fn give(&mut self, path: &str, argument: &str) -> Result<(), String> {
        let mut given = self.given.iter().filter(|(known, _)| known == path);
        if let Some((_, other)) = given.find(|(_, other)| other != argument) {
            return Err(other.clone());
        }
        self.given.push((path.to_string(), argument.to_string()));
        Ok(())
    }

    /// Adds a change unless the field had this value. Seeds change no result's meaning.
    pub(super) fn add(&mut self, path: &str, value: &str, before: Option<&Node>) {
        let is_same = before
            .and_then(Node::text)
            .is_some_and(|before| is_same(&before, value));
        self.list.retain(|(known, _)| known != path);
        if !is_same && path != "seeds" {
            self.list.push((path.to_string(), readable(value)));
        }
    }

    /// Whether the command line gives this field.
    pub(super) fn has(&self, path: &str) -> bool {
        self.given.iter().any(|(given, _)| given == path)
    }

    /// Whether the command line gives no field.
    pub(super) fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// Names the changes in the title and the description of a scenario that has a title.
    pub(super) fn describe(&self, tree: &mut Node) {
        let is_set = |field: &str| self.list.iter().any(|(path, _)| path == field);
        let text = |field: &str| tree.at(&[field]).and_then(Node::text);
        let Some(title) = text("title").filter(|_| !self.list.is_empty()) else {
            return;
        };
        let about = text("about").unwrap_or_default();
        // The description of a stored scenario may list earlier changes.
        let (title, earlier) = match about.strip_prefix(CHANGED) {
            Some(list) => (title.split(WITH).next().unwrap_or_default(), entries(list)),
            None => (title.as_str(), Vec::new()),
        };
        let earlier = earlier.into_iter().filter(|(path, _)| !is_set(path));
        let all: Vec<(String, String)> = earlier.chain(self.list.iter().cloned()).collect();
        let put = |tree: &mut Node, field: &str, text: String| {
            let content = Content::Text(text);
            let place = Place::default();
            tree.put(&[field], Node { content, place });
        };
        let (words, title) = (in_title(&all), title.to_string());
        if !is_set("title") && !words.is_empty() {
            put(tree, "title", format!("{title}{WITH}{}", words.join(", ")));
        }
        if !is_set("about") {
            let list: Vec<String> = all
                .iter()
                .map(|(p, value)| format!("{p} = {value}"))
                .collect();
            put(tree, "about", format!("{CHANGED}{}", list.join("; ")));
        }
    }
}

/// The changes that a description lists.
fn entries(list: &str) -> Vec<(String, String)> {
    let entry = |entry: &str| {
        let (path, value) = entry.split_once(" = ")?;
        Some((path.to_string(), value.to_string()))
    };
    list.split("; ").filter_map(entry).collect()
}

/// The phrases for a title: "rate 10 Mbps", "50 upload flows".
fn in_title(changes: &[(String, String)]) -> Vec<String> {
    let mut phrases: Vec<String> = changes.iter().filter_map(phrase).collect();
    if phrases.len() > MOST_IN_TITLE {
        let more = phrases.len() + 1 - MOST_IN_TITLE;
        phrases.truncate(MOST_IN_TITLE - 1);
        phrases.push(format!("{more} more changes"));
    }
    phrases
}

/// A change in a title; `None` for what the results themselves show.
fn phrase((path, value): &(String, String)) -> Option<String> {
    let steps: Vec<&str> = path.split('.').collect();
    Some(match steps.as_slice() {
        [
            "schemes" | "duration" | "warm_up" | "title" | "about" | "measure",
            ..,
        ] => return None,
        ["network", "rtt"] => format!("RTT {value}"),
        ["network", field] => format!("{field} {value}"),
        ["tcp", "control"] => format!("TCP {value}"),
        ["tcp", "ecn"] => format!("ECN {value}"),
        ["flows", group, "count"] => {
            let flows = if value == "1" { "flow" } else { "flows" };
            format!("{value} {group} {flows}")
        }
        ["flows", rest @ ..] => format!("{} {value}", rest.join(" ")),
        [_, rest @ ..] if !rest.is_empty() => format!("{} {value}", rest.join(" ")),
        _ => format!("{path} {value}"),
    })
}

/// Whether two texts are one value: "20Mbps" and "20 Mbps".
fn is_same(one: &str, other: &str) -> bool {
    let quantity = |text: &str| text.parse::<Quantity>().ok();
    one == other || quantity(one).is_some_and(|one| Some(one) == quantity(other))
}

/// A quantity with a space before its unit: "10 Mbps" for "10Mbps".
fn readable(text: &str) -> String {
    let text = text.trim();
    let unit = text.find(|letter: char| letter.is_alphabetic() || letter == '%');
    match unit.filter(|_| text.parse::<Quantity>().is_ok()) {
        Some(at) if text[at..].starts_with('%') => text.to_string(),
        Some(at) => format!("{} {}", text[..at].trim_end(), &text[at..]),
        None => text.replace("; ", ", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(file: &str, changes: &[(&str, &str)]) -> (String, String) {
        let mut tree = Node::parse(file).unwrap();
        let mut all = Changes::default();
        for (path, value) in changes {
            let before = tree.at(&path.split('.').collect::<Vec<_>>()).cloned();
            all.add(path, value, before.as_ref());
        }
        all.describe(&mut tree);
        let text = |field: &str| tree.at(&[field]).and_then(Node::text).unwrap_or_default();
        (text("title"), text("about"))
    }

    #[test]
    fn a_title_tells_of_what_was_changed() {
        let file = "title = \"A home's uplink\"\nabout = \"Slow\"\nnetwork.rate = \"20 Mbps\"";
        for (changes, title, about) in [
            (&[][..], "A home's uplink", "Slow"),
            (
                &[("network.rate", "20Mbps"), ("seeds", "3")],
                "A home's uplink",
                "Slow",
            ),
            (
                &[("network.rate", "10Mbps"), ("flows.upload.count", "50")],
                "A home's uplink, with rate 10 Mbps, 50 upload flows",
                "Changed from the file: network.rate = 10 Mbps; flows.upload.count = 50",
            ),
            (
                &[("schemes", "red,pie"), ("duration", "10s")],
                "A home's uplink",
                "Changed from the file: schemes = red,pie; duration = 10 s",
            ),
            (
                &[("title", "Mine"), ("network.rtt", "1 s")],
                "A home's uplink",
                "Changed from the file: title = Mine; network.rtt = 1 s",
            ),
        ] {
            let wanted = (title.to_string(), about.to_string());
            assert_eq!(described(file, changes), wanted, "{changes:?}");
        }
    }

    #[test]
    fn a_changed_scenario_can_be_changed_again() {
        let file = "title = \"A link, with rate 10 Mbps, RTT 5 ms\"\n\
                    about = \"Changed from the file: network.rate = 10 Mbps; network.rtt = 5 ms\"";
        let (title, about) = described(file, &[("network.rate", "1Gbps")]);
        assert_eq!(title, "A link, with RTT 5 ms, rate 1 Gbps");
        assert_eq!(
            about,
            "Changed from the file: network.rtt = 5 ms; network.rate = 1 Gbps"
        );
    }

    #[test]
    fn a_scenario_without_a_title_gets_none() {
        let (title, about) = described("seeds = 2", &[("network.rate", "1Gbps")]);
        assert_eq!((title.as_str(), about.as_str()), ("", ""));
    }
}
