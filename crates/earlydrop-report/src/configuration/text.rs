//! The recommended configuration as sentences, rows and points, for a terminal and for a page.

use earlydrop_lab::statistics::Mean;
use earlydrop_model::configure::{Choice, Recommendation};
use earlydrop_model::stability::{LEAST_MARGIN, Stability};
use earlydrop_model::validity::{Band, Caveat, REGION, Region};
use earlydrop_model::{Load, Prediction, required_signal_probability};

use super::ConfigurationReport;
use crate::request::flows_in_words;
use earlydrop_lab::number::{number, percent, time};

/// The number of points of a curve.
const POINTS: u32 = 240;
/// The number of values of a sparkline.
const SPARKLINE: u64 = 24;

/// More flows than any link has: their number is not told.
const MANY: f64 = 1e6;
/// A share so small that no packet is meant.
const NOTHING: f64 = 1e-9;

/// The question in one line: flows, link, buffer and goal.
pub fn title(recommendation: &Recommendation) -> String {
    let load = &recommendation.load;
    format!(
        "{}{} on {} over {}, buffer {}; target {} ({} packets)",
        flows_in_words(load),
        if load.tcp.ecn { " with ECN" } else { "" },
        load.rate,
        load.rtt,
        match recommendation.buffer {
            1.0 => "1 packet".to_string(),
            packets => format!("{} packets", number(packets)),
        },
        time(recommendation.goal / load.service()),
        number(recommendation.goal),
    )
}

/// The prediction for the chosen parameters and its limits, as labelled sentences.
///
/// Where it was simulated, that says more than the model's errors elsewhere. `sparkline` draws values
/// within a sentence, followed by a space; it may return nothing.
pub fn statements(
    report: &ConfigurationReport,
    sparkline: impl Fn(&[f64]) -> String,
) -> Vec<(&'static str, String)> {
    let recommendation = &report.configuration;
    let chosen = &recommendation.choices[0];
    let mut statements = vec![
        ("expect", expected(chosen)),
        ("queue", queue(recommendation, chosen, &sparkline)),
    ];
    if let Some(stability) = &chosen.stability {
        statements.push(("stability", stability_text(stability)));
    }
    if let Some(trajectory) = &recommendation.trajectory {
        let queues: Vec<f64> = trajectory.states.iter().map(|state| state.queue).collect();
        statements.push((
            "response",
            format!(
                "{}the queue over {}, with 50% more flows in the middle third",
                sparkline(&queues),
                trajectory.span,
            ),
        ));
    }
    if let Some(most) = recommendation.most_flows {
        statements.push(("capacity", capacity(recommendation, most)));
    }
    if let Some(open) = &recommendation.open_loop {
        statements.push((
            "open loop",
            format!(
                "E[Q] = {} packets at rho = {:.4} from the given loss: {} windows of {} packets a \
                 second, {} of the time in timeouts; 1% more load adds {:+.1}",
                number(open.queue),
                open.load,
                number(open.batches),
                number(open.window),
                percent(open.timeout_share),
                open.sensitivity / 100.0
            ),
        ));
    }
    let validity = match report.simulated.is_ok() {
        true => known_limits(&recommendation.load, &chosen.caveats),
        false => band_text(&recommendation.load, &chosen.caveats, &chosen.expected),
    };
    statements.push(("validity", validity));
    statements
}

fn expected(chosen: &Choice) -> String {
    let expected = &chosen.expected;
    let signals = match (expected.loss > NOTHING, expected.marks > NOTHING) {
        (true, true) => format!(
            "{} lost, {} marked",
            percent(expected.loss),
            percent(expected.marks)
        ),
        (false, true) => format!("{} marked", percent(expected.marks)),
        _ => format!("{} lost", percent(expected.loss)),
    };
    format!(
        "{} in the queue ({} packets), {signals}, utilisation {}, cwnd {} packets, RTT {}",
        time(expected.delay.as_secs_f64()),
        number(expected.queue),
        percent(expected.utilisation),
        number(expected.window),
        time(expected.rtt.as_secs_f64()),
    )
}

fn queue(
    recommendation: &Recommendation,
    chosen: &Choice,
    sparkline: impl Fn(&[f64]) -> String,
) -> String {
    let bins = chosen.closed.histogram(SPARKLINE);
    let probabilities: Vec<f64> = bins.iter().map(|bin| bin.probability).collect();
    format!(
        "{}0 to {} packets; if each cwnd were sent at once: median {}, 99% below {}",
        sparkline(&probabilities),
        number(recommendation.buffer),
        number(chosen.closed.quantile(0.5)),
        number(chosen.closed.quantile(0.99)),
    )
}

fn stability_text(stability: &Stability) -> String {
    let phase = match stability.phase_margin {
        margin if margin <= LEAST_MARGIN => "phase margin -180 degrees or less".to_string(),
        margin if margin.is_finite() => format!("phase margin {margin:.0} degrees"),
        _ => "gain below 1".to_string(),
    };
    let verdict = stability.verdict().name();
    match stability.gain_margin.is_finite() {
        true => format!(
            "{verdict}: {phase}, gain margin {}, period {}",
            number(stability.gain_margin),
            time(stability.period),
        ),
        false => format!("{verdict}: {phase}; no gain makes it oscillate"),
    }
}

/// How many flows the thresholds are good for.
fn capacity(recommendation: &Recommendation, most: f64) -> String {
    let flows = |flows: f64| match flows.floor() {
        1.0 => "1 flow".to_string(),
        more if more > MANY => format!("more than {} flows", number(MANY)),
        some => format!("{} flows", number(some)),
    };
    let most = format!(
        "up to {}; with more, the average queue exceeds max",
        flows(most)
    );
    if recommendation.open_loop.is_none() {
        return most;
    }
    let by_22 = recommendation.most_flows_by_22.map(flows);
    format!(
        "{most}. With the given loss whatever the queue is, {} would bring it there (Chandrayana et \
         al., formula 22)",
        by_22.unwrap_or("no number of flows".to_string())
    )
}

/// What is said of a prediction unlike any that was compared.
const UNKNOWN: &str =
    "No range is known: the model was compared with simulations of Reno and CUBIC over";

/// What limits a prediction, as sentences.
fn limits(caveats: &[Caveat]) -> String {
    match caveats {
        [] => "No known limit applies.".to_string(),
        caveats => {
            let meanings: Vec<&str> = caveats.iter().map(|caveat| caveat.meaning()).collect();
            format!("Limited: {}.", meanings.join("; "))
        }
    }
}

/// The limits of a prediction that stands beside a simulation.
fn known_limits(load: &Load, caveats: &[Caveat]) -> String {
    match Band::of(load, caveats) {
        None if caveats.is_empty() => format!("{UNKNOWN} {}.", region()),
        _ => limits(caveats),
    }
}

/// The limits of a prediction, and the ranges that hold what 8 of 10 simulated settings like it had; none
/// where nothing like it was simulated.
pub fn band_text(load: &Load, caveats: &[Caveat], prediction: &Prediction) -> String {
    let limits = limits(caveats);
    let Some(band) = Band::of(load, caveats) else {
        return format!("{limits} {UNKNOWN} {}.", region());
    };
    let measured = band.measured(prediction);
    let range = |(from, to): (f64, f64), text: &dyn Fn(f64) -> String| {
        let (from, to) = (text(from), text(to));
        match from == to {
            true => from,
            false => format!("{from} to {to}"),
        }
    };
    let signals = match prediction.loss + prediction.marks > 0.0 {
        true => format!(", {} are lost or marked", range(measured.signals, &percent)),
        false => String::new(),
    };
    format!(
        "{limits} By {} simulated settings like it, in 8 cases of 10 the delay is {}{signals}, and the \
         utilisation is {}, all at once.",
        band.settings,
        range(measured.delay, &time),
        range(measured.utilisation, &percent),
    )
}

/// "2 to 200 Mbps, 10 to 200 ms and 2 to 200 flows".
fn region() -> String {
    let Region { rate, rtt, flows } = REGION;
    let range = |(from, to): (f64, f64), scale: f64| {
        format!("{} to {}", number(scale * from), number(scale * to))
    };
    format!(
        "{} Mbps, {} ms and {} flows",
        range(rate, 1e-6),
        range(rtt, 1e3),
        range(flows, 1.0)
    )
}

/// Congestion signals over the average queue: those that the scheme gives and those at which the
/// flows just fill the link. The curves cross at the operating point.
pub struct OperatingPoint {
    /// The end of the x axis, in packets.
    pub end: f64,
    /// The top of the y axis, in percent.
    pub top: f64,
    /// The scheme's signals: average queue in packets, percent of packets dropped or marked.
    pub signals: Vec<(f64, f64)>,
    /// The signals at which the flows just fill the link, in the same units.
    pub required: Vec<(f64, f64)>,
    /// Thresholds and operating point, in packets, with labels.
    pub marks: Vec<(f64, String)>,
}

impl OperatingPoint {
    /// The curves of the chosen parameters.
    pub fn of(recommendation: &Recommendation) -> OperatingPoint {
        let chosen = &recommendation.choices[0];
        let (load, at) = (&recommendation.load, chosen.expected.queue);
        let thresholds = chosen.advice.thresholds;
        let upper = thresholds.map_or(2.0 * recommendation.goal, |t| 1.3 * t.max);
        let end = upper.max(1.3 * at).min(recommendation.buffer).max(1.0);
        let points = |of: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
            let average = |step: u32| end * f64::from(step) / f64::from(POINTS);
            (0..=POINTS)
                .map(|step| (average(step), 100.0 * of(average(step))))
                .collect()
        };
        let signals = 100.0 * (chosen.expected.loss + chosen.expected.marks);
        let mut marks: Vec<(f64, String)> = Vec::new();
        if let Some(t) = thresholds {
            marks.push((t.min, format!("min {}", number(t.min))));
            marks.push((t.max, format!("max {}", number(t.max))));
        }
        marks.push((at, format!("operating point {}", number(at))));
        OperatingPoint {
            end,
            top: (2.0 * signals).clamp(0.01, 100.0),
            signals: points(&|queue| chosen.gateway.signal_probability(queue, load.flows)),
            required: points(&|queue| required_signal_probability(load, &chosen.gateway, queue)),
            marks,
        }
    }
}

/// Every method's thresholds, with what was simulated of them, else what is predicted, as rows below a
/// header.
pub fn methods(report: &ConfigurationReport) -> Vec<Vec<String>> {
    let simulated = report.simulated.as_ref().ok();
    let measured = simulated.map_or(&[][..], |simulated| &simulated.methods);
    let title = match measured.is_empty() {
        true => "predicted",
        false => "simulated",
    };
    let names = [
        title, "min", "max", "max_p", "weight", "delay", "signals", "util.", "loop",
    ];
    let mut rows = vec![names.map(String::from).to_vec()];
    for (index, choice) in report.configuration.choices.iter().enumerate() {
        let t = choice.advice.thresholds;
        let of = |value: Option<f64>| value.map_or("-".to_string(), number);
        let max_p = match t.and_then(|t| t.max_p) {
            None if choice.gateway.adapts() => "adapts".to_string(),
            fixed => of(fixed),
        };
        let expected = &choice.expected;
        let [delay, signals, utilisation] = match measured.get(index) {
            Some(measured) => [
                measured.delay.mean,
                measured.loss.mean + measured.marks.mean,
                measured.utilisation.mean,
            ],
            None => [
                expected.delay.as_secs_f64(),
                expected.loss + expected.marks,
                expected.utilisation,
            ],
        };
        let verdict = choice
            .stability
            .map_or("-", |stability| stability.verdict().name());
        rows.push(vec![
            choice.advice.method.to_string(),
            of(t.map(|t| t.min)),
            of(t.map(|t| t.max)),
            max_p,
            of(t.map(|t| t.weight)),
            time(delay),
            percent(signals),
            percent(utilisation),
            verdict.to_string(),
        ]);
    }
    rows
}

/// Warnings, followed by the notes of each method.
pub fn notes(recommendation: &Recommendation) -> Vec<String> {
    let of_methods = recommendation.choices.iter().flat_map(|choice| {
        let method = choice.advice.method;
        let notes = choice.advice.notes.iter();
        notes.map(move |note| format!("{method}: {note}"))
    });
    recommendation
        .warnings
        .iter()
        .cloned()
        .chain(of_methods)
        .collect()
}

/// Prediction and measurement as rows below a header; empty where nothing was simulated.
pub fn prediction_and_simulation(report: &ConfigurationReport) -> Vec<Vec<String>> {
    let Some(measured) = report.measured() else {
        return Vec::new();
    };
    let expected = &report.configuration.choices[0].expected;
    let some = |value: f64| if value > NOTHING { value } else { 0.0 };
    let simulated = format!("simulated, {} seeds", report.seeds);
    let names = ["", "predicted", &simulated, "error"];
    let row = |name: &str, predicted: f64, measured: Mean, unit: &str, scale: f64| {
        let half = measured
            .half
            .map(|half| format!(" ± {}", number(scale * half)));
        // A share of what is nearly nothing says nothing.
        let error = match 100.0 * (predicted / measured.mean - 1.0) {
            error if error.abs() < 1000.0 => format!("{error:+.0}%"),
            _ => "-".to_string(),
        };
        vec![
            name.to_string(),
            format!("{}{unit}", number(scale * some(predicted))),
            format!(
                "{}{}{unit}",
                number(scale * measured.mean),
                half.unwrap_or_default()
            ),
            error,
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
            "utilisation",
            expected.utilisation,
            measured.utilisation,
            "%",
            100.0,
        ),
    ]
}
