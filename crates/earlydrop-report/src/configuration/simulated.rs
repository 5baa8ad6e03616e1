//! What simulations say of a recommended configuration, as sentences and rows.

use earlydrop::registry::Spec;
use earlydrop_lab::advice::{MET, Miss, OTHERS, Simulated, is_lossy};
use earlydrop_lab::number::{percent, time};
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::verify::Measurement;
use earlydrop_model::configure::Goal;
use earlydrop_model::stability::Verdict;
use earlydrop_model::tools::qdisc_of_scheme;

use super::snippet::shaping;
use super::{ConfigurationReport, Unsimulated};
use crate::words::listed;

/// What was simulated and whether the goal is met, as labelled sentences.
pub fn outcome(report: &ConfigurationReport) -> Vec<(&'static str, String)> {
    let simulated = match &report.simulated {
        Ok(simulated) => simulated,
        Err(Unsimulated::AsAsked) => return Vec::new(),
        Err(Unsimulated::TakesLong { seconds }) => {
            let text = format!(
                "not done: it would take about {} here; --patience {} allows it",
                time(*seconds),
                patience_for(*seconds)
            );
            return vec![("simulation", text)];
        }
    };
    let trial = &simulated.trials[simulated.chosen];
    let drop_tail = figures(&simulated.drop_tail);
    let text = format!(
        "{}. Drop-tail with the same buffer: {drop_tail}",
        figures(&trial.measured)
    );
    let mut outcome = vec![("simulated", text), ("goal", goal(report, simulated))];
    if let Some(rather) = simulated.rather {
        let rather = &simulated.trials[rather];
        let shortest = match rather.is_stable() {
            true => "the shortest stable delay with a full link",
            false => "the shortest delay with a full link, if not a stable one",
        };
        let text = format!("{}, {shortest}: {}", rather.spec, figures(&rather.measured));
        outcome.push(("rather", text));
    }
    outcome.extend(ecn(report, simulated).map(|text| ("ECN", text)));
    let Some((text, spec)) = better(report, simulated) else {
        return outcome;
    };
    outcome.push(("better", text));
    let load = &report.configuration.load;
    if let Some(spec) = spec
        && let Ok(Some(written)) = qdisc_of_scheme(spec, &load.link())
    {
        outcome.push(("in Linux", written.line));
        outcome.push(("shaper", shaping(spec, load.rate)));
    }
    outcome
}

/// What whoever takes the parameters alone must know as well: that nothing was simulated, or what is
/// missed and what stands beside it.
pub fn doubts(report: &ConfigurationReport) -> Vec<(&'static str, String)> {
    let is_met = report
        .simulated
        .as_ref()
        .is_ok_and(|simulated| simulated.misses.is_empty());
    let all = outcome(report).into_iter();
    all.filter(|(label, _)| !is_met && ["simulation", "goal", "rather"].contains(label))
        .collect()
}

/// The patience that allows simulations of so many seconds by estimate, as the option takes it: "90s".
fn patience_for(seconds: f64) -> String {
    format!("{:.0}s", (1.5 * seconds).ceil())
}

/// "5.02 ± 0.04 ms in the queue, 6.31 ± 0.05% lost, utilisation 99.9%".
fn figures(measured: &Measurement) -> String {
    let marked = match measured.marks.mean > 0.0 {
        true => format!(", {} marked", measured.marks.with_unit("%", 100.0)),
        false => String::new(),
    };
    format!(
        "{} in the queue, {} lost{marked}, utilisation {}",
        measured.delay.with_unit("ms", 1e3),
        measured.loss.with_unit("%", 100.0),
        measured.utilisation.with_unit("%", 100.0)
    )
}

/// That the target is another than the goal, where the model is far off: "; its target is 444 µs, as
/// the simulated queue is longer than the target".
fn corrected(report: &ConfigurationReport, simulated: &Simulated) -> String {
    let Goal::Delay(goal) = report.question.goal else {
        return String::new();
    };
    let service = report.configuration.load.service();
    let target = simulated.trials[simulated.chosen].target / service;
    let off = target / goal.as_secs_f64();
    if (off - 1.0).abs() <= MET {
        return String::new();
    }
    let than = if off < 1.0 { "longer" } else { "shorter" };
    format!(
        "; the target is {}, because the simulated queue is {than} than its target",
        time(target)
    )
}

/// Whether marks leave at most half of the losses.
fn spares(simulated: &Simulated, with_ecn: &Measurement) -> bool {
    let own = &simulated.trials[simulated.chosen].measured;
    with_ecn.marks.mean > 0.0 && with_ecn.loss.mean <= 0.5 * own.loss.mean
}

/// Whether the goal is met, and what would help where it is not.
fn goal(report: &ConfigurationReport, simulated: &Simulated) -> String {
    let misses: Vec<String> = simulated.misses.iter().map(missed).collect();
    if misses.is_empty() {
        let after = match simulated.trials.len() {
            1 => String::new(),
            trials => format!(", after {trials} proposals of the model"),
        };
        return format!(
            "met in the simulation{after}{}",
            corrected(report, simulated)
        );
    }
    let mut helps = Vec::new();
    let is_of_loss = |miss: &Miss| matches!(miss, Miss::Lossy(..));
    let is_lossy = simulated.misses.iter().any(is_of_loss);
    if is_lossy
        && simulated
            .with_ecn
            .is_some_and(|with| spares(simulated, &with))
    {
        helps.push("ECN (--ecn on), so that signals are no losses".to_string());
    }
    if let Some(trial) = &simulated.with_room {
        helps.push(format!(
            "a larger buffer: {}: {}",
            trial.spec,
            figures(&trial.measured)
        ));
    }
    if simulated.rather.is_some() {
        helps.push("the other delay below".to_string());
    }
    if is_lossy {
        helps.push("fewer flows at a time: no queue makes room for all of them".to_string());
    }
    let is_not_full = |miss: &Miss| !matches!(miss, Miss::Lossy(..) | Miss::Unstable(_));
    if helps.is_empty() && simulated.misses.iter().any(is_not_full) {
        helps.push("nothing that was tried: drop-tail, or what stands below".to_string());
    }
    let helps = match helps.is_empty() {
        true => String::new(),
        false => format!(". What would help: {}", helps.join("; ")),
    };
    let is_of_goal = |miss: &Miss| matches!(miss, Miss::Delay(..) | Miss::Utilisation(..));
    let verdict = match simulated.misses.iter().any(is_of_goal) {
        true => "not met:",
        false => "met, but",
    };
    format!(
        "{verdict} {}{}{helps}",
        listed(misses, "and"),
        corrected(report, simulated)
    )
}

fn missed(miss: &Miss) -> String {
    match miss {
        Miss::Delay(wanted, got) => {
            format!("{} in the queue instead of {}", time(*got), time(*wanted))
        }
        Miss::Utilisation(wanted, got) => {
            let lower_end = match got.mean < *wanted {
                true => "",
                false => ", whose lower end is below it,",
            };
            let got = got.with_unit("%", 100.0);
            format!(
                "utilisation {got}{lower_end} instead of {}",
                percent(*wanted)
            )
        }
        Miss::Idle(drop_tail, got) => format!(
            "the link is idle at times (utilisation {}, drop-tail {})",
            percent(*got),
            percent(*drop_tail)
        ),
        Miss::Lossy(got, drop_tail) => format!(
            "{} are lost (drop-tail {}): flows are in timeouts",
            percent(*got),
            percent(*drop_tail)
        ),
        Miss::NoGain(there, here) => format!(
            "RED gains nothing here: drop-tail fills the link as well, with {} in the queue (RED {})",
            time(*there),
            time(*here)
        ),
        Miss::Unstable(Verdict::OnTheEdge) => "the loop is on the edge of oscillating".to_string(),
        Miss::Unstable(_) => "queue and windows oscillate".to_string(),
    }
}

/// What marks would spare these flows.
fn ecn(report: &ConfigurationReport, simulated: &Simulated) -> Option<String> {
    let own = &simulated.trials[simulated.chosen].measured;
    let with_ecn = simulated.with_ecn.as_ref();
    let with_ecn = with_ecn.filter(|measured| measured.marks.mean > 0.0)?;
    let scheme = report.configuration.choices[0].gateway.scheme();
    let figures = figures(with_ecn);
    let lost = own.loss.with_unit("%", 100.0);
    Some(match with_ecn.loss.mean < own.loss.mean {
        true => format!("if hosts have it, the same {scheme}: {figures}, where drops lose {lost}"),
        false => format!(
            "does not help with these parameters: {figures}, where drops lose {lost}; above max {scheme} \
             drops what it could mark"
        ),
    })
}

/// The scheme with which calls beside these flows wait least, among those that carry as much and lose no
/// more: in words, and itself where it is to be preferred.
fn better<'a>(
    report: &ConfigurationReport,
    simulated: &'a Simulated,
) -> Option<(String, Option<&'a Spec>)> {
    let ((_, own), others) = simulated.beside_a_call.split_first()?;
    let Some(waits) = own.call else {
        let text = "not simulated: beside so slow a link's flows a call would be a load of its own";
        return Some((text.to_string(), None));
    };
    let carries = |measured: &Measurement| {
        measured.utilisation.mean >= own.utilisation.mean.min(simulated.full) - 0.005
    };
    // A delay that was asked for is the others' goal as well.
    let longest = match report.question.goal {
        Goal::Delay(goal) => ((1.0 + MET) * goal.as_secs_f64()).max(own.delay.mean),
        _ => f64::INFINITY,
    };
    let is_short = |measured: &Measurement| measured.delay.mean <= longest;
    let call = |measured: &Measurement| measured.call.map_or(f64::INFINITY, |call| call.mean);
    let least = |of: &dyn Fn(&Measurement) -> bool| {
        let those = others.iter().filter(|(_, measured)| of(measured));
        those.min_by(|one, other| call(&one.1).total_cmp(&call(&other.1)))
    };
    let loses = |measured: &Measurement| is_lossy(measured, own);
    let is_choice =
        |measured: &Measurement| carries(measured) && is_short(measured) && !loses(measured);
    let Some((spec, best)) = least(&is_choice) else {
        let text = format!(
            "none of {}, as they are, carries as much with as short a queue and as little loss",
            listed(OTHERS, "and")
        );
        return Some((text, None));
    };
    let scheme = report.configuration.choices[0].gateway.scheme();
    let own_call = waits.with_unit("ms", 1e3);
    let is_better = |measured: &Measurement| call(measured) < 0.9 * waits.mean;
    if is_better(best) {
        let text = format!(
            "if you have it, {spec}, which has no thresholds to choose: 99% of the packets of calls \
             beside these flows take {} or less, under {scheme} {own_call}",
            best.call?.with_unit("ms", 1e3)
        );
        return Some((text, Some(spec)));
    }
    let mut text = format!(
        "nothing that was simulated and carries as much serves calls beside these flows much better: \
         99% of their packets take {own_call} or less"
    );
    // What the table shows is not passed over.
    if let Some((spec, other)) = least(&is_better) {
        let waits = other.call?.with_unit("ms", 1e3);
        let costs = match (carries(other), loses(other)) {
            (false, _) => format!(
                "with {:.1}% of the link used",
                100.0 * other.utilisation.mean
            ),
            (true, true) => format!("with {} lost", percent(other.loss.mean)),
            (true, false) => "with a longer queue".to_string(),
        };
        text += &format!("; under {spec} {waits}, but {costs}");
    }
    Some((text, None))
}

/// Every proposal and every other scheme that was simulated, as rows below a header; empty where
/// nothing was.
pub fn trials(report: &ConfigurationReport) -> Vec<Vec<String>> {
    let Ok(simulated) = &report.simulated else {
        return Vec::new();
    };
    let names = [
        "simulated",
        "target",
        "delay",
        "lost",
        "marked",
        "util.",
        "call delay, 99%",
        "",
    ];
    let mut rows = vec![names.map(String::from).to_vec()];
    let alone = |mean: &Mean, unit, scale| {
        Mean {
            half: None,
            ..*mean
        }
        .with_unit(unit, scale)
    };
    let row = |name: &str, target: String, measured: &Measurement, note: &str| {
        let call = measured.call.map(|call| alone(&call, "ms", 1e3));
        vec![
            name.to_string(),
            target,
            alone(&measured.delay, "ms", 1e3),
            alone(&measured.loss, "%", 100.0),
            alone(&measured.marks, "%", 100.0),
            alone(&measured.utilisation, "%", 100.0),
            call.unwrap_or("-".to_string()),
            note.to_string(),
        ]
    };
    let load = &report.configuration.load;
    for (index, trial) in simulated.trials.iter().enumerate() {
        let is_chosen = index == simulated.chosen;
        let note = match (is_chosen, Some(index) == simulated.rather, trial.verdict) {
            (true, ..) => "recommended",
            (_, true, _) => "rather",
            (.., Some(verdict)) if verdict != Verdict::Stable => verdict.name(),
            _ => "",
        };
        let mut measured = trial.measured;
        if is_chosen && let Some((_, beside)) = simulated.beside_a_call.first() {
            measured.call = beside.call;
        }
        let target = time(trial.target / load.service());
        rows.push(row(trial.spec.descriptor().name, target, &measured, note));
    }
    let others = simulated.beside_a_call.iter().skip(1);
    let others = others.map(|(spec, measured)| (spec.descriptor().name, measured));
    for (name, measured) in [("droptail", &simulated.drop_tail)]
        .into_iter()
        .chain(others)
    {
        rows.push(row(name, "-".to_string(), measured, ""));
    }
    rows
}
