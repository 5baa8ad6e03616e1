//! The choice, ready to paste. Each form has one function here.

use earlydrop::registry::nearest;
use earlydrop_lab::verify::{RunLength, scenario};
use earlydrop_model::configure::Recommendation;
use earlydrop_model::tools::{ParseError, TOOLS, Tool, of_spec, translate};

use super::PasteError;

/// A form: its name, what it is, and how it is written.
type Form = (
    &'static str,
    &'static str,
    fn(&Recommendation, u64) -> String,
);

/// Every form of earlydrop's own; the others are those of other tools.
const FORMS: &[Form] = &[("earlydrop", "a scenario for `earlydrop run`", of_earlydrop)];

/// The tools that RED can be written for.
fn tools() -> impl Iterator<Item = &'static Tool> {
    let own = |tool: &&Tool| FORMS.iter().any(|(name, ..)| *name == tool.name);
    TOOLS.iter().copied().filter(move |tool| !own(tool))
}

/// Refuses a form that is not known.
pub fn check(form: &str) -> Result<(), PasteError> {
    let names = || {
        let own = FORMS.iter().map(|(name, ..)| *name);
        own.chain(tools().map(|tool| tool.name))
    };
    if names().any(|name| name == form) {
        return Ok(());
    }
    let near = nearest(form, names()).unwrap_or(FORMS[0].0);
    let known = names().collect::<Vec<_>>().join(", ");
    Err(PasteError::Unknown {
        form: form.to_string(),
        known,
        near,
    })
}

/// The choice in one form.
pub fn one(form: &str, choice: &Recommendation, seeds: u64) -> Result<String, PasteError> {
    if let Some((.., write)) = FORMS.iter().find(|(name, ..)| *name == form) {
        return Ok(write(choice, seeds));
    }
    check(form)?;
    let written = tools().find(|tool| tool.name == form);
    let written = written.map_or(Ok(String::new()), |tool| of_tool(tool, choice));
    written.map_err(|refusal| PasteError::Refused {
        form: form.to_string(),
        why: refusal.to_string(),
    })
}

/// The choice in every form that it can be said in: its name, what it is, and the text.
pub fn all(choice: &Recommendation, seeds: u64) -> Vec<(&'static str, &'static str, String)> {
    let own = FORMS.iter();
    let own = own.map(|(name, what, write)| (*name, *what, write(choice, seeds)));
    let others = tools().filter_map(|tool| {
        let text = of_tool(tool, choice).ok()?;
        Some((tool.name, tool.title, text))
    });
    own.chain(others).collect()
}

/// The choice as another tool's configuration, where it is RED.
fn of_tool(tool: &'static Tool, choice: &Recommendation) -> Result<String, ParseError> {
    let link = choice.load.link();
    let configuration = of_spec(&choice.choices[0].advice.spec, &link)?;
    Ok(translate(&configuration, tool, &link)?.text + "\n")
}

fn of_earlydrop(choice: &Recommendation, seeds: u64) -> String {
    let specs = [choice.choices[0].advice.spec.clone()];
    scenario(
        &choice.load,
        &specs,
        RunLength::for_load(&choice.load, seeds),
    )
}
