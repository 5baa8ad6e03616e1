//! The choice, ready to paste. Each form has one function here.

use earlydrop::registry::nearest;
use earlydrop_lab::verify::{Length, scenario};
use earlydrop_model::configure::Configuration;
use earlydrop_model::dialects::{DIALECTS, Dialect, Refusal, of_spec, translate};

use crate::failure::Failure;

/// A form: its name, what it is, and how it is written.
type Form = (
    &'static str,
    &'static str,
    fn(&Configuration, u64) -> String,
);

/// Every form of earlydrop's own; the others are those of other tools.
const FORMS: &[Form] = &[("earlydrop", "a scenario for `earlydrop run`", of_earlydrop)];

/// The tools that RED can be written for.
fn tools() -> impl Iterator<Item = &'static Dialect> {
    let own = |tool: &&Dialect| FORMS.iter().any(|(name, ..)| *name == tool.name);
    DIALECTS.iter().copied().filter(move |tool| !own(tool))
}

/// Refuses a form that is not known.
pub(super) fn check(form: &str) -> Result<(), Failure> {
    let names = || {
        let own = FORMS.iter().map(|(name, ..)| *name);
        own.chain(tools().map(|tool| tool.name))
    };
    if names().any(|name| name == form) {
        return Ok(());
    }
    let near = nearest(form, names()).unwrap_or(FORMS[0].0);
    let known = names().collect::<Vec<_>>().join(", ");
    Err(Failure::Usage(format!(
        "--paste {form}: allowed: {known}; nearest: {near}"
    )))
}

/// The choice in one form.
pub(super) fn one(form: &str, found: &Configuration, seeds: u64) -> Result<String, Failure> {
    if let Some((.., write)) = FORMS.iter().find(|(name, ..)| *name == form) {
        return Ok(write(found, seeds));
    }
    check(form)?;
    let written = tools().find(|tool| tool.name == form);
    let written = written.map_or(Ok(String::new()), |tool| of_tool(tool, found));
    written.map_err(|refusal| Failure::Usage(format!("--paste {form}: {refusal}")))
}

/// The choice in every form that it can be said in: its name, what it is, and the text.
pub(super) fn all(found: &Configuration, seeds: u64) -> Vec<(&'static str, &'static str, String)> {
    let own = FORMS.iter();
    let own = own.map(|(name, what, write)| (*name, *what, write(found, seeds)));
    let others = tools().filter_map(|tool| {
        let text = of_tool(tool, found).ok()?;
        Some((tool.name, tool.title, text))
    });
    own.chain(others).collect()
}

/// The choice as another tool is told it, where it is RED.
fn of_tool(tool: &'static Dialect, found: &Configuration) -> Result<String, Refusal> {
    let link = found.load.link();
    let configuration = of_spec(&found.choices[0].advice.spec, &link)?;
    Ok(translate(&configuration, tool, &link)?.text + "\n")
}

fn of_earlydrop(found: &Configuration, seeds: u64) -> String {
    let specs = [found.choices[0].advice.spec.clone()];
    scenario(&found.load, &specs, Length::for_load(&found.load, seeds))
}
