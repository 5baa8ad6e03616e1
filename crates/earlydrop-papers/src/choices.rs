//! What a paper does not print, with its plausible values: `choices.toml`.

use earlydrop_lab::document::{Place, Problem, Problems};
use earlydrop_lab::plan::Source;
use serde::Deserialize;
use serde_spanned::Spanned;

use crate::claims::Claim;
use crate::toml_file::{TomlFile, pairs};

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

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileFields {
    #[serde(default)]
    choices: Vec<ChoiceFields>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChoiceFields {
    id: String,
    what: String,
    experiments: Vec<String>,
    /// The field of the scenario that a value sets.
    field: Option<String>,
    values: Spanned<Vec<Spanned<ValueFields>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ValueFields {
    is: String,
    because: String,
    /// The fields that it sets, where the choice has no `field`.
    #[serde(default, deserialize_with = "pairs")]
    set: Vec<(String, String)>,
}

impl ChoiceFile {
    /// Reads a `choices.toml`; `name` is the file's name in messages. A choice that changes the unit
    /// of a number that one of `claims` compares with a printed one is refused.
    pub fn parse(name: &str, text: &str, claims: &[Claim]) -> Result<ChoiceFile, Problems> {
        let file = TomlFile { name, text };
        let fields: FileFields = file.read()?;
        let mut problems = Vec::new();
        let mut choices = Vec::new();
        for fields in fields.choices {
            let place = Place::File(fields.values.span());
            let choice = fields.read(&mut problems);
            problems.extend(choice.changed_unit(claims, &place));
            choices.push(choice);
        }
        file.refuse(problems)?;
        Ok(ChoiceFile { choices })
    }

    /// The choices that apply to an experiment.
    pub fn of(&self, experiment: &str) -> Vec<&Choice> {
        let choices = self.choices.iter();
        choices.filter(|one| one.applies_to(experiment)).collect()
    }
}

impl Choice {
    /// Whether an experiment has it.
    pub(crate) fn applies_to(&self, experiment: &str) -> bool {
        self.experiments.iter().any(|one| one == experiment)
    }

    /// The problem of a choice that changes what a printed number is a number of: in a run twice as
    /// long as the table's, half as many timeouts a second are as many timeouts.
    fn changed_unit(&self, claims: &[Claim], place: &Place) -> Option<Problem> {
        let claims = claims
            .iter()
            .filter(|claim| self.applies_to(&claim.experiment));
        let fields = || self.values.iter().flat_map(|value| &value.fields);
        let mut claims = claims;
        claims.find_map(|claim| {
            let (field, _) = fields().find(|(field, _)| claim.is_converted_by(field))?;
            let message = format!(
                "`{field}` changes the unit of the number that `{}` compares with a printed one ({})",
                claim.id, claim.metric
            );
            let help = "nearest: a metric in the unit of the print, as `count:timeouts` for \
                        `timeouts`; or another experiment";
            Some(Problem::new(place, message, help))
        })
    }
}

impl ChoiceFields {
    fn read(self, problems: &mut Vec<Problem>) -> Choice {
        let place = Place::File(self.values.span());
        let values = self.values.into_inner();
        if values.len() < 2 {
            let message = "a choice with one value is none";
            let help = "allowed: two values or more, ours first";
            problems.push(Problem::new(&place, message, help));
        }
        let field = self.field.as_deref();
        let values = values.into_iter();
        Choice {
            values: values
                .map(|value| read_value(value, field, problems))
                .collect(),
            id: self.id,
            what: self.what,
            experiments: self.experiments,
        }
    }
}

/// Reads a value: of the choice's one field, or with a table of fields.
fn read_value(
    value: Spanned<ValueFields>,
    field: Option<&str>,
    problems: &mut Vec<Problem>,
) -> ChoiceValue {
    let place = Place::File(value.span());
    let ValueFields { is, because, set } = value.into_inner();
    if field.is_some() != set.is_empty() {
        let message = "a value sets either the choice's `field` or the fields of its own `set`";
        problems.push(Problem::new(&place, message, ""));
    }
    ChoiceValue {
        fields: match field {
            Some(field) => vec![(field.to_string(), is.clone())],
            None => set,
        },
        name: is,
        because,
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
    use crate::claims::Paper;

    fn parse(values: &str) -> Result<ChoiceFile, Problems> {
        let text = format!(
            "[[choices]]\nid = \"access\"\nwhat = \"rate of the access links\"\n\
             experiments = [\"figure-1\"]\n{values}\n"
        );
        ChoiceFile::parse("choices.toml", &text, &[])
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

    /// A printed number of timeouts: a run's length may vary where they are counted, not where they
    /// are a rate that rests on that length.
    #[test]
    fn a_choice_that_changes_the_unit_of_a_printed_number_is_refused() {
        let lines = |metric: &str, field: &str, values: [&str; 2]| {
            let claims = format!(
                "paper = \"x\"\nname = \"\"\ntitle = \"\"\nauthors = \"\"\nyear = 2000\n\
                 [[claims]]\nid = \"x.T1\"\nfigure = \"table 1\"\nclaim = \"642 timeouts.\"\n\
                 experiment = \"table-1\"\nmetric = \"{metric}\"\nprinted = true\n\
                 test = {{ kind = \"value\", scheme = \"red\", value = 642, tolerance = 0.1 }}\n"
            );
            let choices = format!(
                "[[choices]]\nid = \"x\"\nwhat = \"\"\nexperiments = [\"table-1\"]\nfield = \"{field}\"\n\
                 values = [{{ is = \"{}\", because = \"\" }}, {{ is = \"{}\", because = \"\" }}]\n",
                values[0], values[1]
            );
            let paper = Paper::parse("claims.toml", &claims).unwrap();
            ChoiceFile::parse("choices.toml", &choices, &paper.claims)
        };
        let lengths = ["12 s", "30 s"];
        let problems = lines("timeouts", "duration", lengths).unwrap_err();
        let said = problems.to_string();
        assert!(said.contains("`duration` changes the unit"), "{said}");
        assert!(said.contains("`x.T1`"), "{said}");
        assert!(lines("count:timeouts", "duration", lengths).is_ok());
        let packets = ["1000 bytes", "576 bytes"];
        assert!(lines("goodput", "tcp.segment", packets).is_err());
        assert!(lines("queue_loss", "tcp.segment", packets).is_ok());
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
