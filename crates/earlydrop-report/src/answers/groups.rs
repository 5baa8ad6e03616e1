//! Questions about groups of flows: what each kind of traffic feels, who starves, and how groups
//! share a link.

use earlydrop_lab::metrics::{self, FEW_UNFINISHED, Felt, STARVED};
use earlydrop_lab::rows::CellRow;
use earlydrop_lab::scenario::{Feels, FlowGroup, Scenario};
use earlydrop_lab::statistics::Mean;

use super::comparison::{Column, Comparison};
use super::{PointAnswer, Question, serves};
use crate::words::listed;

/// Less goodput than this counts as this much where ratios are formed, in bits per second.
const LEAST_GOODPUT: f64 = 1.0;

/// A stream that takes less than this share of what is carried floods nothing.
const MODEST: f64 = 0.05;

/// What all groups together raise: who starves, and which scheme serves everybody.
pub(super) fn of_all(scenario: &Scenario) -> Vec<(String, Question<'_>)> {
    let starves: (String, Question<'_>) = ("Who starves".to_string(), Box::new(who_starves));
    [starves]
        .into_iter()
        .chain(serves::question(scenario))
        .collect()
}

/// The questions that each group raises, and those that share.
pub(super) fn of_each(scenario: &Scenario) -> Vec<(String, Question<'_>)> {
    let mut questions: Vec<(String, Question<'_>)> = Vec::new();
    for felt in Felt::all(scenario) {
        for index in asked(&felt) {
            let group = felt.group.clone();
            let title = metrics::of_groups()
                .nth(index)
                .map_or("", |metric| metric.title);
            let title = match felt.feels {
                Feels::Nothing => format!("{group}: what it takes"),
                _ => format!("{group}: {title}"),
            };
            let feels = felt.feels;
            questions.push((
                title,
                Box::new(move |at| of_group(at, &group, index, feels)),
            ));
        }
    }
    for (one, other) in rivals(scenario) {
        let title = format!("{one} beside {other}: goodput of a flow, as a ratio");
        questions.push((title, Box::new(move |at| ratio(at, &one, &other))));
    }
    questions
}

/// The metrics of a group that questions ask for; tables show all.
fn asked(felt: &Felt) -> Vec<usize> {
    let names: Vec<&str> = metrics::of_groups().map(|metric| metric.name).collect();
    let is_asked = |index: &&usize| match felt.feels {
        Feels::Lateness => names[**index] != "jitter",
        Feels::Waiting | Feels::Slowdown | Feels::Rounds => !names[**index].ends_with("_p50"),
        Feels::Rate => names[**index] != "least_share",
        Feels::Nothing => names[**index] == "goodput",
    };
    let asked = felt.metrics.iter().filter(is_asked);
    // What rivals get is asked as a ratio.
    let has_rivals = felt.metrics.iter().all(|index| names[*index] != "fairness");
    asked
        .filter(|index| !(felt.feels == Feels::Rate && has_rivals && names[**index] == "goodput"))
        .copied()
        .collect()
}

/// Each group that can be served well or badly, but for rivals, which share.
pub(super) fn served(scenario: &Scenario) -> Vec<Felt> {
    let has_rivals = metrics::has_rivals(scenario);
    let is_served = |felt: &Felt| match felt.feels {
        Feels::Nothing => false,
        Feels::Rate => !has_rivals,
        _ => true,
    };
    Felt::all(scenario).into_iter().filter(is_served).collect()
}

fn of_group(at: &Comparison<'_>, group: &str, index: usize, feels: Feels) -> Option<PointAnswer> {
    let column = at.of_group(group, index)?;
    let schemes = at.schemes();
    if feels == Feels::Nothing {
        return taken(at, &schemes, &column);
    }
    let least = match index == metrics::index_of_group("unfinished")? {
        true => FEW_UNFINISHED,
        false => f64::MIN_POSITIVE,
    };
    let happened = |scheme: &usize| column.mean(*scheme).is_some_and(|mean| mean.mean >= least);
    if !schemes.iter().any(happened) {
        return None;
    }
    at.best_of(&schemes, &column)
}

/// "9.8 ± 0.1 Mbps under droptail, most of all; least under sfred, 1.1 ± 0.1 Mbps".
fn taken(at: &Comparison<'_>, schemes: &[usize], column: &Column) -> Option<PointAnswer> {
    let mean = |scheme: &&usize| column.mean(**scheme).map_or(0.0, |mean| mean.mean);
    let order = |one: &&usize, other: &&usize| mean(one).total_cmp(&mean(other));
    let (least, most) = (schemes.iter().min_by(order)?, schemes.iter().max_by(order)?);
    let mut text = match least == most {
        true => column.text(*least),
        false => format!(
            "least under {}; most under {}",
            at.named(*least, column),
            at.named(*most, column)
        ),
    };
    let of_link = at.of_link("goodput")?.mean(*most)?.mean;
    if mean(&most) < MODEST * of_link {
        text += ". It takes little: if it is a call or a game, `feels = \"lateness\"` asks how late it is";
    }
    let best = Vec::new();
    Some(PointAnswer { text, best })
}

/// The groups that want as much as they can get, and are there in all the time measured.
fn elastic<'a>(at: &'a Comparison<'_>) -> Vec<&'a FlowGroup> {
    let groups = at.scenario.groups.iter();
    let is_there = |group: &&FlowGroup| {
        group.feels == Feels::Rate && group.flows() > 0 && group.is_steady(at.scenario.warm_up)
    };
    groups.filter(is_there).collect()
}

/// The schemes under which a group, or a flow of a group, has less than a quarter of its share.
fn who_starves(at: &Comparison<'_>) -> Option<PointAnswer> {
    let starving = starving(at).into_iter().map(|(_, text)| text);
    let starving: Vec<String> = starving.collect();
    (!starving.is_empty()).then(|| PointAnswer {
        text: listed(starving, "and"),
        best: Vec::new(),
    })
}

/// Who starves under which scheme: the scheme, and "web under red (12 ± 3% of an equal share)".
pub(super) fn starving(at: &Comparison<'_>) -> Vec<(usize, String)> {
    let groups = elastic(at);
    let Some(least) = metrics::index_of_group("least_share") else {
        return Vec::new();
    };
    let flows: u64 = groups.iter().map(|group| group.flows()).sum();
    let share = |cell: &CellRow, group: &FlowGroup| -> Option<f64> {
        let all = groups.iter().filter_map(|group| goodput(at, cell, group));
        let fair = all.sum::<f64>() * group.flows() as f64 / flows as f64;
        Some(goodput(at, cell, group)? / fair.max(LEAST_GOODPUT))
    };
    let mut starving = Vec::new();
    for group in &groups {
        let of_group = Column::of(at.values(|cell| share(cell, group)));
        let of_flow = Column::of(at.values(|cell| at.group_value(cell, &group.name, least)));
        for scheme in at.schemes() {
            let is_low = |mean: &Mean| mean.mean < STARVED;
            let (name, label) = (&group.name, at.label(scheme));
            let text = if let Some(mean) = of_group.mean(scheme).filter(is_low) {
                let percent = mean.with_interval(100.0);
                format!("{name} under {label} ({percent}% of an equal share)")
            } else if let Some(mean) = of_flow.mean(scheme).filter(is_low) {
                let percent = mean.with_interval(100.0);
                format!("a flow of {name} under {label} ({percent}% of the group's mean)")
            } else {
                continue;
            };
            starving.push((scheme, text));
        }
    }
    starving
}

fn goodput(at: &Comparison<'_>, cell: &CellRow, group: &FlowGroup) -> Option<f64> {
    at.group_value(cell, &group.name, metrics::index_of_group("goodput")?)
}

/// The first group that wants as much as it can get, beside each other one.
pub(super) fn rivals(scenario: &Scenario) -> Vec<(String, String)> {
    let groups = scenario.groups.iter();
    let elastic = groups.filter(|group| group.feels == Feels::Rate && group.flows() > 0);
    let names: Vec<String> = elastic.map(|group| group.name.to_string()).collect();
    match names.split_first() {
        Some((first, others)) => others
            .iter()
            .map(|other| (first.clone(), other.clone()))
            .collect(),
        None => Vec::new(),
    }
}

/// The logarithm of the goodput of a flow of one group over that of another.
pub(super) fn ratios(at: &Comparison<'_>, one: &str, other: &str) -> Option<Column> {
    let group = |name: &str| at.scenario.groups.iter().find(|group| *group.name == *name);
    let (one, other) = (group(one)?, group(other)?);
    let per_flow = |cell: &CellRow, group: &FlowGroup| {
        let each = goodput(at, cell, group)? / group.flows() as f64;
        Some(each.max(LEAST_GOODPUT))
    };
    let logarithm = |cell: &CellRow| Some((per_flow(cell, one)? / per_flow(cell, other)?).ln());
    Some(Column::of(at.values(logarithm)))
}

/// How two groups share, on a logarithmic scale: equal shares are best, and twice as much is as far
/// from them as half.
fn ratio(at: &Comparison<'_>, one: &str, other: &str) -> Option<PointAnswer> {
    let logarithms = ratios(at, one, other)?;
    let unequal = logarithms.magnitudes();
    let ranking = unequal.rank(&at.schemes())?;
    let named = |scheme: usize| {
        Some(format!(
            "{}, {}",
            at.label(scheme),
            factor(&logarithms.mean(scheme)?)
        ))
    };
    let first = *ranking.best.first()?;
    let mut text = format!("most equal under {}", named(first)?);
    if let Some(worst) = ranking.worst {
        text += &format!("; least under {}", named(worst)?);
    }
    let ties: Vec<String> = ranking.best[1..]
        .iter()
        .take(super::comparison::NAMED_TIES)
        .filter_map(|tie| {
            Some(format!(
                "{} ({})",
                at.label(*tie),
                factor(&logarithms.mean(*tie)?)
            ))
        })
        .collect();
    if !ties.is_empty() {
        text += &format!(". Not significantly different: {}", listed(ties, "and"));
    }
    let best = ranking.best;
    Some(PointAnswer { text, best })
}

/// "1.12 (1.05 to 1.20)": a mean of logarithms, as a factor with its interval.
pub(super) fn factor(mean: &Mean) -> String {
    let number = |logarithm: f64| earlydrop_lab::number::to_digits(logarithm.exp(), 3);
    let middle = number(mean.mean);
    match mean.half {
        Some(half) => {
            let (low, high) = (number(mean.mean - half), number(mean.mean + half));
            format!("{middle} ({low} to {high})")
        }
        None => middle,
    }
}
