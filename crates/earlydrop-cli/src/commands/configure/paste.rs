//! The choice, ready to paste. Each form has one function here.

use earlydrop::registry::nearest;
use earlydrop_lab::verify::{Length, scenario};
use earlydrop_model::configure::Configuration;

use crate::failure::Failure;

/// A form: its name, what it is, and how it is written.
type Form = (
    &'static str,
    &'static str,
    fn(&Configuration, u64) -> String,
);

/// Every form that there is.
const FORMS: &[Form] = &[("earlydrop", "a scenario for `earlydrop run`", of_earlydrop)];

/// Refuses a form that is not known.
pub(super) fn check(form: &str) -> Result<(), Failure> {
    find(form).map(|_| ())
}

fn find(form: &str) -> Result<&'static Form, Failure> {
    let names = || FORMS.iter().map(|(name, ..)| *name);
    FORMS
        .iter()
        .find(|(name, ..)| *name == form)
        .ok_or_else(|| {
            let near = nearest(form, names()).unwrap_or(FORMS[0].0);
            let known = names().collect::<Vec<_>>().join(", ");
            Failure::Usage(format!("--paste {form}: allowed: {known}; nearest: {near}"))
        })
}

/// The choice in one form.
pub(super) fn one(form: &str, found: &Configuration, seeds: u64) -> Result<String, Failure> {
    let (_, _, write) = find(form)?;
    Ok(write(found, seeds))
}

/// The choice in every form: its name, what it is, and the text.
pub(super) fn all(found: &Configuration, seeds: u64) -> Vec<(&'static str, &'static str, String)> {
    let forms = FORMS.iter();
    forms
        .map(|(name, what, write)| (*name, *what, write(found, seeds)))
        .collect()
}

fn of_earlydrop(found: &Configuration, seeds: u64) -> String {
    let specs = [found.choices[0].advice.spec.clone()];
    scenario(&found.load, &specs, Length::for_load(&found.load, seeds))
}
