//! Corrects a configuration: the values that its findings ask for, in its tool's own syntax.

use std::ops::Range;

use earlydrop::registry::LinkFacts;

use super::rules::{MOVE_MIN, is_serious, remedy};
use super::{Explanation, Finding, Setting, expect, explain, origin, settings};
use crate::tools::{Configuration, Knob, Origin, differences, linux_command, read_in, rewrite};
use crate::{Load, ModelError, Prediction};

/// A corrected configuration.
#[derive(Clone, Debug)]
pub struct Fix {
    /// The corrected text: the given one with other values where it is a command that can be edited,
    /// else written anew.
    pub text: String,
    /// What its tool reads from it.
    pub configuration: Configuration,
    /// What was changed, in the order of the tool's knobs; empty where nothing was to be.
    pub changes: Vec<Change>,
    /// The findings, wrong or risky, that no knob of the tool mends.
    pub left: Vec<Finding>,
    /// The operating point of the corrected configuration.
    pub prediction: Prediction,
}

/// A value that was changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The tool's name for the parameter.
    pub name: String,
    /// The value before, as written or as the tool's default has it.
    pub from: String,
    /// The value after, as written.
    pub to: String,
    /// Why.
    pub reason: String,
}

/// More remedies are never needed; a bound, should two undo each other.
const MOST_REMEDIES: usize = 60;

/// The reason of a larger buffer that follows from a larger max.
const ROOM: &str = "the buffer stays several times max";

/// Mends what is wrong or risky in a configuration that was read from `text`, under a load.
///
/// ```
/// use earlydrop_model::Load;
/// use earlydrop_model::explain::fix;
/// use earlydrop_model::tools::read;
///
/// let load = Load::default();
/// let text = "tc qdisc add dev wan0 root red limit 60000 min 30000 max 40000 avpkt 1500 burst 25";
/// let configuration = read(text, None, &load.link()).unwrap();
/// let fix = fix(&configuration, text, &load)?;
/// assert!(fix.text.starts_with("tc qdisc add dev wan0 root red limit "));
/// assert!(fix.text.contains(" min 30000 max 90000 "), "{}", fix.text);
/// # Ok::<(), earlydrop_model::ModelError>(())
/// ```
pub fn fix(configuration: &Configuration, text: &str, load: &Load) -> Result<Fix, ModelError> {
    let link = load.link();
    let mut fixed = configuration.clone();
    let mut reasons: Vec<(Knob, String)> = Vec::new();
    for _ in 0..MOST_REMEDIES {
        let prediction = expect(&fixed, load)?;
        let accept = |rule: &str, changed: Configuration| {
            let (_, read) = rewrite(&changed, &link)?;
            let knobs = changed_knobs(&fixed, &changed, &read, &link);
            // Where a tool cannot have a min so short, max alone does not mend it.
            let mends = !MOVE_MIN.contains(&rule) || knobs.contains(&Knob::Min);
            (!knobs.is_empty() && mends).then_some((changed, read))
        };
        let Some(((changed, next), finding)) = remedy(&fixed, load, &prediction, accept) else {
            break;
        };
        let knobs = changed_knobs(&fixed, &changed, &next, &link).into_iter();
        reasons.extend(knobs.map(|knob| match (knob, finding.rule.name) {
            (Knob::Limit, rule) if rule != "limit-near-max" => (knob, ROOM.to_string()),
            _ => (knob, finding.what.clone()),
        }));
        fixed = next;
    }
    let (text_after, fixed) = match reasons.is_empty() {
        true => (text.to_string(), configuration.clone()),
        false => {
            let knobs: Vec<Knob> = reasons.iter().map(|(knob, _)| *knob).collect();
            written(configuration, text, &fixed, &knobs, &link)
        }
    };
    let after = explain(&fixed, &text_after, load)?;
    let before = settings(configuration, text, &link);
    Ok(Fix {
        changes: changes(&before, &after, &reasons),
        left: after
            .findings
            .iter()
            .filter(|one| is_serious(one))
            .cloned()
            .collect(),
        prediction: after.prediction,
        text: text_after,
        configuration: fixed,
    })
}

/// The knobs that a remedy changed, as the tool reads them. A rate or a packet size that was not given
/// counts as one that differs from any.
fn changed_knobs(
    before: &Configuration,
    changed: &Configuration,
    read: &Configuration,
    link: &LinkFacts,
) -> Vec<Knob> {
    let read = differences(before, read, link).into_iter();
    let mut knobs: Vec<Knob> = read.map(|difference| difference.knob).collect();
    if before.rate.value != changed.rate.value {
        knobs.push(Knob::Rate);
    }
    if before.mean_packet.value != changed.mean_packet.value {
        knobs.push(Knob::Packet);
    }
    knobs
}

/// The rows that differ, with the reasons of their knobs.
fn changes(before: &[Setting], after: &Explanation, reasons: &[(Knob, String)]) -> Vec<Change> {
    let change = |new: &Setting| {
        let old = before.iter().find(|old| old.name == new.name)?;
        let mut why: Vec<&str> = reasons
            .iter()
            .filter(|(knob, _)| *knob == new.knob)
            .map(|(_, reason)| reason.as_str())
            .collect();
        why.dedup();
        // Of several remedies of one value, the first says what was wrong.
        let reason = match (why.first(), old.value == new.value) {
            (Some(reason), false) => (*reason).to_string(),
            // The text that is written anew names what was assumed.
            (None, false) if matches!(new.knob, Knob::Rate | Knob::Packet) => return None,
            (None, false) => "follows from the others".to_string(),
            // tc's burst gives the weight only together with min and avpkt.
            (_, true) if has_new_burst(old, new) => {
                format!("keeps the {} {}", new.knob.name(), new.value)
            }
            (_, true) => return None,
        };
        Some(Change {
            name: new.name.clone(),
            from: old
                .written
                .clone()
                .unwrap_or_else(|| format!("{} ({})", old.value, old.origin)),
            to: new.written.clone().unwrap_or_else(|| new.value.clone()),
            reason,
        })
    };
    after.settings.iter().filter_map(change).collect()
}

/// Whether the text gives the weight by another number than before.
fn has_new_burst(old: &Setting, new: &Setting) -> bool {
    new.knob == Knob::Weight && old.written.is_some() && old.written != new.written
}

/// The corrected text and what its tool reads from it: the given text with other values, if that
/// reads as `fixed`, else one that is written anew.
fn written(
    given: &Configuration,
    text: &str,
    fixed: &Configuration,
    changed: &[Knob],
    link: &LinkFacts,
) -> (String, Configuration) {
    let Some((anew, read_anew)) = rewrite(fixed, link) else {
        return (text.to_string(), given.clone());
    };
    let edited = edited((given, text), (&read_anew, &anew), changed);
    let edited = edited.and_then(|edited| {
        let read = read_in(&edited, Some(given.tool), link, &given.context).ok()?;
        differences(&read_anew, &read, link)
            .is_empty()
            .then_some((edited, read))
    });
    let command = || {
        let command = linux_command(&anew, text);
        let context = given.context.of_one_object();
        let read = read_in(&command, Some(given.tool), link, &context).ok()?;
        Some((command, read))
    };
    edited.or_else(command).unwrap_or((anew, read_anew))
}

/// The given text with the values of the new one in the places of the changed knobs; `None` where a
/// place is missing.
fn edited(
    (given, text): (&Configuration, &str),
    (fixed, anew): (&Configuration, &str),
    changed: &[Knob],
) -> Option<String> {
    let is_output = given.tool.name == "linux" && !text.trim_start().starts_with("tc ");
    if is_output || given.classes.len() != fixed.classes.len() {
        return None;
    }
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut added = String::new();
    let mut statements: Vec<&str> = Vec::new();
    for (old, new) in given.classes.iter().zip(&fixed.classes) {
        let alone = |configuration: &Configuration, class| Configuration {
            classes: vec![class],
            ..configuration.clone()
        };
        let (old, new) = (alone(given, old.clone()), alone(fixed, new.clone()));
        let with_burst = |one: &Configuration| one.burst.as_ref().map(|burst| burst.value);
        for entry in given.tool.knobs {
            // tc's burst gives the weight only together with min and avpkt.
            let has_new_burst = entry.knob == Knob::Weight && with_burst(&old) != with_burst(&new);
            if !changed.contains(&entry.knob) && !has_new_burst {
                continue;
            }
            let Origin::Given(value) = origin(&new, entry.knob) else {
                return None;
            };
            let place = value.start;
            let value = anew.get(value.clone())?;
            match origin(&old, entry.knob) {
                Origin::Given(span) => edits.push((span.clone(), value.to_string())),
                // IOS has a statement for each, which may stand in any order below its class.
                Origin::Implied(_) if given.tool.name == "cisco" => {
                    statements.push(&anew[line_at(anew, place)]);
                }
                // Words of tc may stand in any order.
                Origin::Implied(_) if given.tool.name == "linux" => {
                    added += &format!(" {} {value}", entry.name);
                }
                Origin::Implied(_) => return None,
            }
        }
    }
    if let (Some(first), false) = (given.classes.first(), statements.is_empty()) {
        let Origin::Given(min) = &first.min.origin else {
            return None;
        };
        let line = line_at(text, min.start);
        let indent = text.get(line.clone())?;
        let indent = &indent[..indent.len() - indent.trim_start().len()];
        statements.dedup();
        let new = statements
            .iter()
            .map(|one| format!("\n{indent}{}", one.trim()));
        edits.push((line.end..line.end, new.collect()));
    }
    edits.sort_by_key(|(span, _)| span.start);
    edits.dedup();
    let mut edited = text.trim_end().to_string();
    for (span, value) in edits.into_iter().rev() {
        edited.get(span.clone())?;
        edited.replace_range(span, &value);
    }
    Some(edited + &added)
}

/// The line of a text around a place, without its end.
fn line_at(text: &str, place: usize) -> Range<usize> {
    let begin = text[..place].rfind('\n').map_or(0, |end| end + 1);
    let end = text[place..]
        .find('\n')
        .map_or(text.len(), |end| place + end);
    begin..end
}

#[cfg(test)]
mod tests;
