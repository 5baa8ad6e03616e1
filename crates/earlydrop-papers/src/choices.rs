//! What a paper does not print, with its plausible values: `choices.toml`.

use earlydrop_lab::document::{Entries, Field, Key, Node, Problem, Problems, Section, Shape};
use earlydrop_lab::plan::Source;

use crate::toml_file::{LIST, NAME, WORDS, field, open_table, read_file, require, texts};

/// The choices of a paper: one `choices.toml`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ChoiceFile {
    /// The choices, in the file's order.
    pub choices: Vec<Choice>,
}

/// A quantity that a paper does not print.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// The id: "access".
    pub id: String,
    /// The quantity in words: "rate of the access links".
    pub what: String,
    /// The experiments that it applies to.
    pub experiments: Vec<String>,
    /// Its values. The first is ours, which the scenario files have.
    pub values: Vec<ChoiceValue>,
}

/// A value that a quantity may have had.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ChoiceValue {
    /// The value in words: "2 Mbps".
    pub name: String,
    /// Why it is plausible.
    pub because: String,
    /// The fields of the scenario that it sets, with their values.
    pub fields: Vec<(String, String)>,
}

static FILE: Section = Section {
    name: "choices.toml",
    meaning: "what a paper does not print",
    fields: &[field("choices", Shape::List(&CHOICE), "", "the choices")],
};

static CHOICE: Section = Section {
    name: "choices",
    meaning: "a quantity that the paper does not print",
    fields: &[
        field("id", NAME, "", "its id"),
        field("what", WORDS, "", "the quantity in words"),
        field("experiments", LIST, "", "the scenario files it applies to"),
        field(
            "field",
            NAME,
            "",
            "the field of the scenario that a value sets",
        ),
        VALUES,
    ],
};

const VALUES: Field = field(
    "values",
    Shape::List(&VALUE),
    "",
    "its values; the first is ours",
);

static VALUE: Section = Section {
    name: "values",
    meaning: "a value",
    fields: &[
        field("is", NAME, "", "the value"),
        field("because", WORDS, "", "why it is plausible"),
        field(
            "set",
            Shape::Open("a table of fields of the scenario"),
            "",
            "what it sets, where `field` is not given",
        ),
    ],
};

impl ChoiceFile {
    /// Reads a `choices.toml`; `name` is the file's name in messages.
    pub fn parse(name: &str, text: &str) -> Result<ChoiceFile, Problems> {
        read_file(name, text, &FILE, |entries, problems| {
            let list = entries.list("choices").iter();
            ChoiceFile {
                choices: list.map(|entry| choice(entry, problems)).collect(),
            }
        })
    }

    /// The choices that apply to an experiment.
    pub fn of(&self, experiment: &str) -> Vec<&Choice> {
        let applies = |choice: &&Choice| choice.experiments.iter().any(|one| one == experiment);
        self.choices.iter().filter(applies).collect()
    }
}

fn choice(entries: &Entries, problems: &mut Vec<Problem>) -> Choice {
    require(entries, &["id", "what", "experiments", "values"], problems);
    let path = entries.has("field").then(|| entries.text("field"));
    let values = entries.list("values");
    if entries.has("values") && values.len() < 2 {
        let message = "a choice with one value is none";
        let help = "allowed: two values or more, ours first";
        problems.push(Problem::new(entries.place_of("values"), message, help));
    }
    Choice {
        id: entries.text("id"),
        what: entries.text("what"),
        experiments: texts(entries, "experiments", problems),
        values: (values.iter())
            .map(|entry| value(entry, path.as_deref(), problems))
            .collect(),
    }
}

/// Reads a value: of the choice's one field, or with a table of fields.
fn value(entries: &Entries, path: Option<&str>, problems: &mut Vec<Problem>) -> ChoiceValue {
    require(entries, &["is", "because"], problems);
    let name = entries.text("is");
    let set = open_table(
        entries,
        "set",
        "{ \"network.access\" = \"10 Mbps\" }",
        problems,
    );
    let text = |(key, node): &(Key, Node)| Some((key.name.clone(), node.text()?));
    let fields: Vec<(String, String)> = match path {
        Some(path) => vec![(path.to_string(), name.clone())],
        None => set.iter().filter_map(text).collect(),
    };
    if fields.is_empty() || (path.is_some() && !set.is_empty()) {
        let message = "a value sets either the choice's `field` or the fields of its own `set`";
        problems.push(Problem::new(entries.place(), message, ""));
    }
    ChoiceValue {
        name,
        because: entries.text("because"),
        fields,
    }
}

impl ChoiceValue {
    /// Sets its fields in a scenario; those of TCP for every group of flows.
    pub fn apply(&self, source: &mut Source) {
        for (path, value) in &self.fields {
            match path.strip_prefix("tcp.") {
                Some(field) => source.set_tcp(field, value, "choices.toml"),
                None => source.set(path, value, "choices.toml"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(values: &str) -> Result<ChoiceFile, Problems> {
        let text = format!(
            "[[choices]]\nid = \"access\"\nwhat = \"rate of the access links\"\n\
             experiments = [\"figure-1\"]\n{values}\n"
        );
        ChoiceFile::parse("choices.toml", &text)
    }

    #[test]
    fn a_value_sets_the_field_of_its_choice_or_its_own() {
        let file = parse(
            "field = \"network.access\"\nvalues = [{ is = \"1 Mbps\", because = \"ours\" }, \
             { is = \"2 Mbps\", because = \"usual\" }]",
        );
        let file = file.unwrap();
        let choice = file.of("figure-1")[0];
        let set = ("network.access".to_string(), "2 Mbps".to_string());
        assert_eq!(choice.values[1].fields, [set]);
        assert!(file.of("figure-2").is_empty());
        let file = parse(
            "values = [{ is = \"a\", because = \"ours\", set = { \"network.rtt\" = \"1 s\" } }, \
             { is = \"b\", because = \"usual\", set = { \"network.rtt\" = \"2 s\", \"seeds\" = 3 } }]",
        );
        assert_eq!(file.unwrap().choices[0].values[1].fields.len(), 2);
    }

    #[test]
    fn what_is_no_choice_is_refused() {
        for (values, said) in [
            (
                "values = [{ is = \"a\", because = \"b\" }]",
                "a choice with one value is none",
            ),
            (
                "values = [{ is = \"a\", because = \"b\" }, { is = \"c\", because = \"d\" }]",
                "a value sets either",
            ),
            ("feild = \"x\"", "did you mean `field`?"),
            ("values = [{ is = \"a\" }]", "`because` is missing"),
        ] {
            let problems = parse(values).unwrap_err().to_string();
            assert!(problems.contains(said), "{said} in {problems}");
        }
    }
}
