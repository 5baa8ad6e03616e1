//! What simulations say of a recommended configuration, as sentences and rows.

use earlydrop_lab::advice::{Miss, Simulated};
use earlydrop_lab::number::{percent, time};
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::verify::Measurement;
use earlydrop_model::stability::Verdict;

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
                in_words(*seconds)
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
        let text = format!(
            "{}, the shortest stable delay with a full link: {}",
            rather.spec,
            figures(&rather.measured)
        );
        outcome.push(("rather", text));
    }
    outcome.extend(ecn(report, simulated).map(|text| ("ECN", text)));
    outcome.extend(better(report, simulated).map(|text| ("better", text)));
    outcome
}

/// "2min", as an option takes it.
fn in_words(seconds: f64) -> String {
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

/// Whether the goal is met, and what would help where it is not.
fn goal(report: &ConfigurationReport, simulated: &Simulated) -> String {
    let load = &report.configuration.load;
    let misses: Vec<String> = simulated.misses.iter().map(missed).collect();
    if misses.is_empty() {
        return match simulated.trials.len() {
            1 => "met in the simulation".to_string(),
            trials => format!("met in the simulation, after {trials} proposals of the model"),
        };
    }
    let mut helps = Vec::new();
    if !load.tcp.ecn && simulated.misses.iter().any(is_of_loss) {
        helps.push("ECN (--ecn on), so that signals are no losses");
    }
    if report.question.buffer.is_some() && simulated.misses.iter().any(is_of_length) {
        helps.push("a larger buffer");
    }
    if simulated.rather.is_some() {
        helps.push("the longer delay below");
    }
    if simulated.misses.iter().any(is_of_loss) {
        helps.push("fewer flows at a time: no queue makes room for all of them");
    }
    let helps = match helps.is_empty() {
        true => String::new(),
        false => format!(". What would help: {}", helps.join("; ")),
    };
    format!("not met: {}{helps}", listed(misses, "and"))
}

fn missed(miss: &Miss) -> String {
    match miss {
        Miss::Delay(wanted, got) => {
            format!("{} in the queue instead of {}", time(*got), time(*wanted))
        }
        Miss::Utilisation(wanted, got) => {
            format!(
                "utilisation {} instead of {}",
                percent(*got),
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
        Miss::Unstable(Verdict::OnTheEdge) => "the loop is on the edge of oscillating".to_string(),
        Miss::Unstable(_) => "queue and windows oscillate".to_string(),
    }
}

fn is_of_loss(miss: &Miss) -> bool {
    matches!(miss, Miss::Lossy(..))
}

fn is_of_length(miss: &Miss) -> bool {
    matches!(
        miss,
        Miss::Utilisation(..) | Miss::Idle(..) | Miss::Delay(..)
    )
}

/// What marks would spare these flows.
fn ecn(report: &ConfigurationReport, simulated: &Simulated) -> Option<String> {
    let own = &simulated.trials[simulated.chosen].measured;
    let with_ecn = simulated.with_ecn.as_ref();
    let with_ecn = with_ecn.filter(|measured| measured.marks.mean > 0.0)?;
    let scheme = report.configuration.choices[0].gateway.scheme();
    Some(format!(
        "if hosts have it, the same {scheme}: {}, where drops lose {}",
        figures(with_ecn),
        own.loss.with_unit("%", 100.0)
    ))
}

/// The scheme with which a call beside these flows waits least, among those that carry as much.
fn better(report: &ConfigurationReport, simulated: &Simulated) -> Option<String> {
    let ((_, own), others) = simulated.beside_a_call.split_first()?;
    let waits = own.call?;
    let carries = |measured: &Measurement| {
        measured.utilisation.mean >= own.utilisation.mean.min(simulated.full) - 0.005
    };
    let call = |measured: &Measurement| measured.call.map_or(f64::INFINITY, |call| call.mean);
    let others = others.iter().filter(|(_, measured)| carries(measured));
    let (spec, best) = others.min_by(|one, other| call(&one.1).total_cmp(&call(&other.1)))?;
    let scheme = report.configuration.choices[0].gateway.scheme();
    let own_call = waits.with_unit("ms", 1e3);
    Some(match call(best) < 0.9 * waits.mean {
        true => format!(
            "if you have it, {}, which has no thresholds to choose: 99% of a call's packets beside these \
             flows take {} or less, under {scheme} {own_call}",
            spec.descriptor().name,
            best.call?.with_unit("ms", 1e3)
        ),
        false => format!(
            "nothing that was simulated serves a call beside these flows much better: 99% of its \
             packets take {own_call} or less"
        ),
    })
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
        "a call's 99%",
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
