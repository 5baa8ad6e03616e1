//! The answer in words, rows and points, for a terminal and for a page.

use earlydrop_lab::statistics::Mean;
use earlydrop_model::configure::{Choice, Recommendation};
use earlydrop_model::stability::Stability;
use earlydrop_model::{Control, required_signal_probability};

use super::ConfigurationReport;
use crate::figure::number;

/// Points of a curve.
const POINTS: u32 = 240;
/// Values of a small picture in a line.
const SMALL: u64 = 24;

/// What is asked, in a line.
pub fn title(found: &Recommendation) -> String {
    let load = &found.load;
    let control = match load.tcp.control {
        Control::Reno => "Reno",
        Control::Cubic => "CUBIC",
    };
    let plural = if load.flows == 1.0 { "" } else { "s" };
    format!(
        "{} {control} flow{plural}{} on {} over {}, buffer {} packets: aiming at {} ({} packets)",
        load.flows,
        if load.tcp.ecn { " with ECN" } else { "" },
        load.rate,
        load.rtt,
        number(found.buffer),
        milliseconds(found.goal / load.service()),
        number(found.goal),
    )
}

/// What to expect of the choice, and how far to trust it: a word and a sentence each. `small`
/// draws values within a sentence, with a space behind, or not at all.
pub fn statements(
    found: &Recommendation,
    small: impl Fn(&[f64]) -> String,
) -> Vec<(&'static str, String)> {
    let chosen = &found.choices[0];
    let mut statements = vec![
        ("expect", expected(chosen)),
        ("queue", queue(found, chosen, &small)),
    ];
    if let Some(stability) = &chosen.stability {
        statements.push(("loop", of_stability(stability)));
    }
    if let Some(trajectory) = &found.trajectory {
        let queues: Vec<f64> = trajectory.states.iter().map(|state| state.queue).collect();
        statements.push((
            "moves",
            format!(
                "{}the queue over {}, with half as many flows again in the middle third",
                small(&queues),
                trajectory.span,
            ),
        ));
    }
    if let Some(most) = found.most_flows {
        statements.push(("holds", holds(found, most)));
    }
    if let Some(open) = found.open_loop {
        statements.push((
            "open loop",
            format!(
                "E[Q] = {} packets at rho = {:.4} from the loss given; a hundredth more load: {:+.1}",
                number(open.queue),
                open.load,
                open.sensitivity / 100.0
            ),
        ));
    }
    statements.push(("trust", trust(chosen)));
    statements
}

fn expected(chosen: &Choice) -> String {
    let expected = &chosen.expected;
    let signals = match (expected.loss > 1e-9, expected.marks > 1e-9) {
        (true, true) => format!(
            "{} lost, {} marked",
            percent(expected.loss),
            percent(expected.marks)
        ),
        (false, true) => format!("{} marked", percent(expected.marks)),
        _ => format!("{} lost", percent(expected.loss)),
    };
    format!(
        "{} in the queue ({} packets), {signals}, link {} busy, cwnd {} packets, round trip {}",
        milliseconds(expected.delay.as_secs_f64()),
        number(expected.queue),
        percent(expected.utilisation),
        number(expected.window),
        milliseconds(expected.rtt.as_secs_f64()),
    )
}

fn queue(found: &Recommendation, chosen: &Choice, small: impl Fn(&[f64]) -> String) -> String {
    let pieces = chosen.closed.histogram(SMALL);
    let spread: Vec<f64> = pieces.iter().map(|piece| piece.probability).collect();
    format!(
        "{}0 to {} packets; half the time below {}, 99% below {}, were each window sent at once",
        small(&spread),
        number(found.buffer),
        number(chosen.closed.quantile(0.5)),
        number(chosen.closed.quantile(0.99)),
    )
}

fn of_stability(stability: &Stability) -> String {
    let phase = match stability.phase_margin.is_finite() {
        true => format!("phase margin {:.0} degrees", stability.phase_margin),
        false => "gain below 1".to_string(),
    };
    format!(
        "{}: {phase}, gain margin {}, period {}",
        stability.verdict().name(),
        number(stability.gain_margin),
        milliseconds(stability.period),
    )
}

fn holds(found: &Recommendation, most: f64) -> String {
    let by_22 = match found.most_flows_by_22 {
        Some(flows) => number(flows.floor()),
        None => "any number".to_string(),
    };
    format!(
        "up to {} flows, beyond which the average passes max; formula (22), which knows no early drops, has {by_22}",
        number(most.floor())
    )
}

/// The share of settings is that of `docs/explanation/the-model.md`: 42 of 60.
fn trust(chosen: &Choice) -> String {
    match chosen.caveats.as_slice() {
        [] => "nothing speaks against it: in 7 of 10 such settings delay and loss came within a quarter".to_string(),
        doubts => {
            let meanings: Vec<&str> = doubts.iter().map(|doubt| doubt.meaning()).collect();
            format!("with care: {}; see with --verify", meanings.join("; "))
        }
    }
}

/// How often the scheme signals congestion and how often the flows need it, over the average
/// queue: the operating point is where the two curves cross.
pub struct Crossing {
    /// How far the picture goes, in packets.
    pub end: f64,
    /// How high, in percent.
    pub top: f64,
    /// The scheme's signals: percent of packets dropped or marked.
    pub signals: Vec<(f64, f64)>,
    /// The signals at which the flows just fill the link, in percent.
    pub needs: Vec<(f64, f64)>,
    /// Thresholds, and the operating point.
    pub marks: Vec<(f64, String)>,
}

impl Crossing {
    /// The curves of the chosen parameters.
    pub fn of(found: &Recommendation) -> Crossing {
        let chosen = &found.choices[0];
        let (load, at) = (&found.load, chosen.expected.queue);
        let thresholds = chosen.advice.thresholds;
        let upper = thresholds.map_or(2.0 * found.goal, |t| 1.3 * t.max);
        let end = upper.max(1.3 * at).min(found.buffer).max(1.0);
        let points = |of: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
            let place = |step: u32| end * f64::from(step) / f64::from(POINTS);
            (0..=POINTS)
                .map(|step| (place(step), 100.0 * of(place(step))))
                .collect()
        };
        let signals = 100.0 * (chosen.expected.loss + chosen.expected.marks);
        let mut marks: Vec<(f64, String)> = Vec::new();
        if let Some(t) = thresholds {
            marks.push((t.min, format!("min {}", number(t.min))));
            marks.push((t.max, format!("max {}", number(t.max))));
        }
        marks.push((at, format!("operating point {}", number(at))));
        Crossing {
            end,
            top: (2.0 * signals).clamp(0.01, 100.0),
            signals: points(&|queue| chosen.gateway.signal_probability(queue, load.flows)),
            needs: points(&|queue| required_signal_probability(load, &chosen.gateway, queue)),
            marks,
        }
    }
}

/// Every method, below a row of names.
pub fn methods(found: &Recommendation) -> Vec<Vec<String>> {
    let names = [
        "method", "min", "max", "max_p", "weight", "delay", "signals", "busy", "loop",
    ];
    let mut rows = vec![names.map(String::from).to_vec()];
    for choice in &found.choices {
        let t = choice.advice.thresholds;
        let of = |value: Option<f64>| value.map_or("-".to_string(), number);
        let max_p = t.map(|t| t.max_p.map_or("adapts".to_string(), number));
        let expected = &choice.expected;
        let verdict = choice.stability.map_or("-", |found| found.verdict().name());
        rows.push(vec![
            choice.advice.method.to_string(),
            of(t.map(|t| t.min)),
            of(t.map(|t| t.max)),
            max_p.unwrap_or("-".to_string()),
            of(t.map(|t| t.weight)),
            milliseconds(expected.delay.as_secs_f64()),
            percent(expected.loss + expected.marks),
            percent(expected.utilisation),
            verdict.to_string(),
        ]);
    }
    rows
}

/// Warnings, and what each method has to say.
pub fn notes(found: &Recommendation) -> Vec<String> {
    let of_methods = found.choices.iter().flat_map(|choice| {
        let method = choice.advice.method;
        let notes = choice.advice.notes.iter();
        notes.map(move |note| format!("{method}: {note}"))
    });
    found.warnings.iter().cloned().chain(of_methods).collect()
}

/// Prediction and measurement, below a row of names; nothing where nothing was measured.
pub fn prediction_and_simulation(report: &ConfigurationReport) -> Vec<Vec<String>> {
    let Some(measured) = &report.measured else {
        return Vec::new();
    };
    let expected = &report.configuration.choices[0].expected;
    let simulated = format!("simulated, {} seeds", report.seeds);
    let names = ["", "predicted", &simulated, "off"];
    let row = |name: &str, predicted: f64, measured: Mean, unit: &str, scale: f64| {
        let half = measured
            .half
            .map(|half| format!(" ± {}", number(scale * half)));
        let off = match measured.mean.abs() > 1e-12 {
            true => format!("{:+.0}%", 100.0 * (predicted / measured.mean - 1.0)),
            false => "-".to_string(),
        };
        vec![
            name.to_string(),
            format!("{}{unit}", number(scale * predicted)),
            format!(
                "{}{}{unit}",
                number(scale * measured.mean),
                half.unwrap_or_default()
            ),
            off,
        ]
    };
    let delay = expected.delay.as_secs_f64();
    vec![
        names.map(String::from).to_vec(),
        row("queue", expected.queue, measured.queue, " packets", 1.0),
        row("delay", delay, measured.delay, " ms", 1e3),
        row("lost", expected.loss, measured.loss, "%", 100.0),
        row("marked", expected.marks, measured.marks, "%", 100.0),
        row(
            "link busy",
            expected.utilisation,
            measured.utilisation,
            "%",
            100.0,
        ),
    ]
}

fn milliseconds(secs: f64) -> String {
    match secs < 1.0 {
        true => format!("{} ms", number(1e3 * secs)),
        false => format!("{} s", number(secs)),
    }
}

fn percent(share: f64) -> String {
    format!("{}%", number(100.0 * share))
}
