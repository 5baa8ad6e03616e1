//! Suites: lists of scenarios, most of them published, on which schemes are characterised.
//!
//! A [`Suite`] is data: parts, each with a scenario file of `suites/`, the section of the
//! publication that asks for it, its question, and the measures that answer it. Any schemes can
//! be put in place of a suite's own.

mod list;
mod measure;

pub use list::SUITES;
pub use measure::{Measure, Value};

use std::collections::BTreeMap;

use crate::document::{Problems, suggestion};
use crate::plan::{Source, TraceFiles};

/// A list of scenarios on which schemes are characterised.
#[derive(Clone, Copy, Debug)]
pub struct Suite {
    /// Its name on the command line: "rfc7928".
    pub name: &'static str,
    /// What it is, as a heading.
    pub title: &'static str,
    /// Who published it, and where.
    pub source: &'static str,
    /// The schemes that are compared where a reader names none; each part's own where empty.
    pub schemes: &'static str,
    /// What the publication asks for, and this suite does not do, with the reason.
    pub left_out: &'static [&'static str],
    /// Its scenarios, in the publication's order.
    pub parts: &'static [Part],
}

/// One scenario of a suite.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Its name, which its folder of results has, too: "burst-absorption".
    pub name: &'static str,
    /// The section that asks for it; may be empty.
    pub section: &'static str,
    /// What it asks of a scheme.
    pub question: &'static str,
    /// The numbers that answer it.
    pub measures: &'static [Measure],
    text: &'static str,
    /// A file that the scenario names, with its text.
    recording: Option<(&'static str, &'static str)>,
}

impl Suite {
    /// The suite of this name; the error says which there are.
    pub fn find(name: &str) -> Result<&'static Suite, String> {
        let suite = SUITES.iter().find(|suite| suite.name == name);
        suite.ok_or_else(|| {
            let known: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
            let help = suggestion(name, &known, '"');
            format!("no suite is called \"{name}\"; {help}")
        })
    }

    /// The parts of these names in the suite's order, or all of them for none; the error says
    /// which there are.
    pub fn chosen(&self, names: &[String]) -> Result<Vec<&'static Part>, String> {
        let known: Vec<&str> = self.parts.iter().map(|part| part.name).collect();
        if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
            let help = suggestion(unknown, &known, '"');
            let suite = self.name;
            return Err(format!(
                "no part of {suite} is called \"{unknown}\"; {help}"
            ));
        }
        let is_chosen =
            |part: &&Part| names.is_empty() || names.iter().any(|name| name == part.name);
        Ok(self.parts.iter().filter(is_chosen).collect())
    }
}

impl Part {
    /// The scenario, with the schemes that it names itself.
    pub fn source(&self) -> Result<Source, Problems> {
        let files = self.recording.iter();
        let files: BTreeMap<String, String> = files
            .map(|(name, text)| (name.to_string(), text.to_string()))
            .collect();
        let name = format!("{}.toml", self.name);
        Source::new(&name, self.text, TraceFiles::Memory(files))
    }

    /// The text of its scenario file.
    pub fn text(&self) -> &'static str {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_plans_and_its_measures_are_measured() {
        for suite in SUITES {
            for part in suite.parts {
                let what = format!("{} {}", suite.name, part.name);
                let mut source = part.source().unwrap_or_else(|error| panic!("{error}"));
                if !suite.schemes.is_empty() {
                    source.change_schemes(suite.schemes, "the suite's schemes");
                }
                let plan = source.plan().unwrap_or_else(|error| panic!("{error}"));
                let groups: Vec<&str> = (plan.scenario().groups.iter())
                    .map(|group| group.name.as_ref())
                    .collect();
                for measure in part.measures {
                    assert!(measure.is_known(&groups), "{what}: {measure:?} {groups:?}");
                }
                assert!(!part.measures.is_empty(), "{what}");
                // What is claimed of it is asked, not told.
                assert!(plan.expectations.iter().all(|one| one.asks), "{what}");
                assert!(!plan.expectations.is_empty(), "{what}");
                assert!(!part.text.contains("Expect"), "{what}");
            }
        }
    }

    #[test]
    fn an_unknown_suite_or_part_names_the_nearest() {
        let error = Suite::find("rfc7982").unwrap_err();
        assert!(error.contains("\"rfc7928\""), "{error}");
        let suite = Suite::find("rfc7928").unwrap();
        let error = suite.chosen(&["burst-absorbtion".to_string()]).unwrap_err();
        assert!(error.contains("\"burst-absorption\""), "{error}");
        let chosen = suite.chosen(&["ecn".to_string()]).unwrap();
        assert_eq!(chosen.len(), 1);
        assert_eq!(suite.chosen(&[]).unwrap().len(), suite.parts.len());
    }
}
