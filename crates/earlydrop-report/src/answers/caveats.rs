//! What keeps figures from being answers: what had not settled, load that was not carried, and
//! transfers that did not begin.

use earlydrop_lab::metrics;
use earlydrop_lab::number::to_digits;
use earlydrop_lab::scenario::Scenario;
use earlydrop_lab::settled::{self, Moving};
use earlydrop_lab::statistics::{Mean, paired};

use super::comparison::{Column, Comparison};
use super::{PointAnswer, Question};
use crate::words::{first_of, listed};

/// The number of things that a sentence names.
const NAMED: usize = 4;

/// Less of the offered load than this was not carried.
const CARRIED: f64 = 0.9;

/// The questions before all others.
pub(super) fn questions<'q>(
    scenario: &Scenario,
    moving: &'q [Moving],
) -> Vec<(String, Question<'q>)> {
    let mut questions: Vec<(String, Question<'q>)> = vec![(
        "Not settled".to_string(),
        Box::new(move |at| not_settled(at, moving)),
    )];
    for group in scenario.groups.iter().filter(|group| group.flows() > 0) {
        let name = group.name.to_string();
        let title = format!("{name}: offered load that was not carried");
        let group = name.clone();
        questions.push((title, Box::new(move |at| not_carried(at, &name))));
        let title = format!("{group}: transfers that `at_most` left out");
        questions.push((title, Box::new(move |at| left_out(at, &group))));
    }
    questions
}

/// "goodput of classic under single (+40%), and 2 more: the second half ...".
fn not_settled(at: &Comparison<'_>, moving: &[Moving]) -> Option<PointAnswer> {
    let here = moving.iter().filter(|one| one.point == at.point);
    let mut here: Vec<&Moving> = here.collect();
    here.sort_by(|one, other| other.by.mean.abs().total_cmp(&one.by.mean.abs()));
    let named = here.iter().map(|one| {
        let what = match &one.group {
            Some(group) => format!("{} of {group}", settled::title(one.drift)),
            None => format!("{} of the link", settled::title(one.drift)),
        };
        let change = one.by.difference(100.0);
        format!("{what} under {} ({change}%)", at.label(one.scheme))
    });
    (!here.is_empty()).then(|| PointAnswer {
        text: format!(
            "{}, from the first half of the time measured to the second: these are no steady \
             state. A longer run, or a longer warm-up, says more",
            first_of(named, NAMED, "and")
        ),
        best: Vec::new(),
    })
}

/// "120 of 800 in all runs under droptail (15%)".
fn left_out(at: &Comparison<'_>, group: &str) -> Option<PointAnswer> {
    let column = |name: &str| at.of_group(group, metrics::index_of_group(name)?);
    let (left_out, started) = (column("left_out")?, column("started")?);
    let span = at
        .scenario
        .duration
        .since(at.scenario.warm_up)
        .as_secs_f64();
    // Both are numbers a second.
    let count = |column: &Column, scheme| {
        column
            .values(scheme)
            .iter()
            .map(|rate| rate * span)
            .sum::<f64>()
    };
    let of_scheme = |scheme: usize| {
        let none = count(&left_out, scheme).round();
        let all = none + count(&started, scheme).round();
        (none > 0.0).then(|| {
            let percent = to_digits(100.0 * none / all, 2);
            format!(
                "{none} of {all} in all runs under {} ({percent}%)",
                at.label(scheme)
            )
        })
    };
    let some: Vec<String> = at.schemes().into_iter().filter_map(of_scheme).collect();
    (!some.is_empty()).then(|| PointAnswer {
        text: format!("{}; their load was not offered", listed(some, "and")),
        best: Vec::new(),
    })
}

/// "40 ± 3% of 5.2 Gbps under droptail".
fn not_carried(at: &Comparison<'_>, group: &str) -> Option<PointAnswer> {
    let column = |name: &str| at.of_group(group, metrics::index_of_group(name)?);
    let (offered, goodput) = (column("offered")?, column("goodput")?);
    let of_scheme = |scheme: usize| {
        let (all, carried) = (offered.values(scheme), goodput.values(scheme));
        let most: Vec<f64> = all.iter().map(|offered| CARRIED * offered).collect();
        let missing = paired(&most, &carried)?;
        let is_less = missing.mean > 0.0 && (missing.excludes_zero() || missing.half.is_none());
        let shares = carried
            .iter()
            .zip(&all)
            .map(|(carried, offered)| carried / offered);
        let share = Mean::of(&shares.collect::<Vec<f64>>())?;
        is_less.then(|| {
            format!(
                "{}% of {} under {}",
                share.with_interval(100.0),
                offered.text(scheme),
                at.label(scheme)
            )
        })
    };
    let less: Vec<String> = at.schemes().into_iter().filter_map(of_scheme).collect();
    (!less.is_empty()).then(|| PointAnswer {
        text: format!("carried {}", listed(less, "and")),
        best: Vec::new(),
    })
}
