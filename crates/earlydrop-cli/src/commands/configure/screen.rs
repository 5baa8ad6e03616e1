//! The answer on a screen.

use earlydrop_lab::statistics::Mean;
use earlydrop_model::configure::{Choice, Configuration};
use earlydrop_model::stability::Stability;
use earlydrop_model::{Control, needed};

use super::Shown;
use crate::draw::{Look, Plot, Style, Table, Text, indented, number, sparkline};

const WIDEST: usize = 96;
const ROWS: usize = 9;
/// Points of a curve in a picture.
const POINTS: u32 = 240;

pub(super) fn lines(shown: &Shown, style: &Style) -> Vec<Text> {
    let style = &Style {
        width: style.width.min(WIDEST),
        ..*style
    };
    let found = &shown.found;
    let mut lines = head(found, style);
    lines.push(Text::default());
    lines.extend(crossing(found, style));
    lines.push(Text::default());
    lines.extend(methods(found, style));
    let notes = notes(found);
    if !notes.is_empty() {
        lines.push(Text::default());
    }
    for note in notes {
        let text = Text::new("! ", Look::Emphasis).then(&note, Look::Plain);
        lines.extend(indented(2, text.wrapped(style.width.saturating_sub(2))));
    }
    if shown.measured.is_some() {
        lines.push(Text::default());
        lines.extend(side_by_side(shown, style));
    }
    lines
}

/// "150 flows".
fn flows(found: &Configuration) -> String {
    let control = match found.load.tcp.control {
        Control::Reno => "Reno",
        Control::Cubic => "CUBIC",
    };
    let marks = if found.load.tcp.ecn { " with ECN" } else { "" };
    let flows = found.load.flows;
    let plural = if flows == 1.0 { "" } else { "s" };
    format!("{flows} {control} flow{plural}{marks}")
}

/// What is chosen, and what to expect of it.
fn head(found: &Configuration, style: &Style) -> Vec<Text> {
    let chosen = &found.choices[0];
    let load = &found.load;
    let title = format!(
        "{} on {} over {}, buffer {} packets: aiming at {} ({} packets)",
        flows(found),
        load.rate,
        load.rtt,
        number(found.buffer),
        milliseconds(found.goal / load.service()),
        number(found.goal),
    );
    let mut lines = Text::new(&title, Look::Strong).wrapped(style.width);
    lines.push(Text::default());
    let spec = Text::new(&chosen.advice.spec.to_string(), Look::Code);
    lines.extend(indented(2, spec.wrapped(style.width.saturating_sub(2))));
    lines.push(Text::default());
    let width = style.width.saturating_sub(2);
    for (name, said) in said(found, chosen, style) {
        let said = |width: usize| Text::from(said).wrapped(width);
        let term = Text::new(name, Look::Faint);
        lines.extend(indented(2, crate::draw::beside(&term, 10, width, said)));
    }
    lines
}

fn said(found: &Configuration, chosen: &Choice, style: &Style) -> Vec<(&'static str, String)> {
    let expected = &chosen.expected;
    let mut said = vec![(
        "expect",
        format!(
            "{} in the queue ({} packets), {}, link {} busy, windows of {} packets, round trip {}",
            milliseconds(expected.delay.as_secs_f64()),
            number(expected.queue),
            told(chosen),
            percent(expected.utilisation),
            number(expected.window),
            milliseconds(expected.rtt.as_secs_f64()),
        ),
    )];
    let spread: Vec<f64> = chosen
        .closed
        .spread(24)
        .iter()
        .map(|piece| piece.probability)
        .collect();
    said.push((
        "queue",
        format!(
            "{} 0 to {}; half the time below {}, 99% below {}, were windows sent at once",
            sparkline(&spread, 24, style.unicode),
            number(found.buffer),
            number(chosen.closed.quantile(0.5)),
            number(chosen.closed.quantile(0.99)),
        ),
    ));
    if let Some(stability) = &chosen.stability {
        said.push(("loop", of_stability(stability)));
    }
    if let Some(most) = found.most_flows {
        let by_22 = match found.most_flows_by_22 {
            Some(flows) => format!("; {} by formula (22)", number(flows.floor())),
            None => "; any number by formula (22)".to_string(),
        };
        said.push((
            "holds",
            format!(
                "up to {} flows, beyond which the average passes max{by_22}",
                number(most.floor())
            ),
        ));
    }
    if let Some(open) = found.open_loop {
        said.push((
            "open loop",
            format!(
                "E[Q] = {} packets at rho = {:.4} from the loss given; a hundredth more load: {:+.1}",
                number(open.queue),
                open.load,
                open.sensitivity / 100.0
            ),
        ));
    }
    said.push(("trust", trust(chosen)));
    said
}

fn told(chosen: &Choice) -> String {
    let expected = &chosen.expected;
    match (expected.loss > 1e-9, expected.marks > 1e-9) {
        (true, true) => format!(
            "{} lost, {} marked",
            percent(expected.loss),
            percent(expected.marks)
        ),
        (false, true) => format!("{} marked", percent(expected.marks)),
        _ => format!("{} lost", percent(expected.loss)),
    }
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

fn trust(chosen: &Choice) -> String {
    match chosen.doubts.as_slice() {
        [] => "nothing speaks against it: in 7 of 10 such settings delay and loss were within a quarter (docs/configuration.md)".to_string(),
        doubts => {
            let meanings: Vec<&str> = doubts.iter().map(|doubt| doubt.meaning()).collect();
            format!("with care: {}; try --verify", meanings.join("; "))
        }
    }
}

/// What the scheme tells and what the flows need, over the average queue: they come to rest
/// where the two cross.
fn crossing(found: &Configuration, style: &Style) -> Vec<Text> {
    let chosen = &found.choices[0];
    let load = &found.load;
    let upper = chosen
        .advice
        .thresholds
        .map_or(2.0 * found.goal, |t| 1.3 * t.max);
    let end = upper
        .max(1.3 * chosen.expected.queue)
        .min(found.buffer)
        .max(1.0);
    let at = |step: u32| end * f64::from(step) / f64::from(POINTS);
    let tells = |queue: f64| 100.0 * chosen.gateway.told(queue, load.flows);
    let needs = |queue: f64| 100.0 * needed(load, &chosen.gateway, queue);
    let points = |of: &dyn Fn(f64) -> f64| {
        (0..=POINTS)
            .map(|step| (at(step), of(at(step))))
            .collect::<Vec<_>>()
    };
    let needs = points(&needs);
    let rest = 100.0 * (chosen.expected.loss + chosen.expected.marks);
    let top = (2.0 * rest)
        .max(needs[needs.len() / 2].1 * 1.5)
        .clamp(0.01, 100.0);
    let word = if load.tcp.ecn { "told" } else { "dropped" };
    let mut plot = Plot::new((0.0, end), (0.0, top))
        .labels("average queue, packets", &format!("{word}, %"))
        .height(ROWS)
        .line(
            &format!("what {} tells", chosen.gateway.scheme()),
            points(&tells),
        )
        .line("what the flows need to fill just the link", needs);
    if let Some(thresholds) = chosen.advice.thresholds {
        plot = plot
            .mark(thresholds.min, &format!("min {}", number(thresholds.min)))
            .mark(thresholds.max, &format!("max {}", number(thresholds.max)));
    }
    plot.mark(
        chosen.expected.queue,
        &format!("rest {}", number(chosen.expected.queue)),
    )
    .lines(style)
}

/// Every method, one below the other.
fn methods(found: &Configuration, style: &Style) -> Vec<Text> {
    let names = [
        "method", "min", "max", "max_p", "weight", "delay", "told", "busy", "loop", "doubts",
    ];
    let mut table = Table::headed(names.map(Text::from).to_vec());
    for choice in &found.choices {
        let t = choice.advice.thresholds;
        let of = |value: Option<f64>| value.map_or("-".to_string(), number);
        let expected = &choice.expected;
        let verdict = choice.stability.map_or("-", |found| found.verdict().name());
        let doubts: Vec<&str> = choice.doubts.iter().map(|doubt| doubt.name()).collect();
        let cells = [
            choice.advice.method.to_string(),
            of(t.map(|t| t.min)),
            of(t.map(|t| t.max)),
            t.map_or("-".to_string(), |t| {
                t.max_p.map_or("adapts".to_string(), number)
            }),
            of(t.map(|t| t.weight)),
            milliseconds(expected.delay.as_secs_f64()),
            percent(expected.loss + expected.marks),
            percent(expected.utilisation),
            verdict.to_string(),
            doubts.join(", "),
        ];
        table.row(cells.map(Text::from).to_vec());
    }
    table.lines(style.width, style.unicode)
}

fn notes(found: &Configuration) -> Vec<String> {
    let of_methods = found.choices.iter().flat_map(|choice| {
        let method = choice.advice.method;
        choice
            .advice
            .notes
            .iter()
            .map(move |note| format!("{method}: {note}"))
    });
    found.warnings.iter().cloned().chain(of_methods).collect()
}

/// Prediction and measurement.
fn side_by_side(shown: &Shown, style: &Style) -> Vec<Text> {
    let Some(measured) = &shown.measured else {
        return Vec::new();
    };
    let expected = &shown.found.choices[0].expected;
    let names = [
        "",
        "predicted",
        &format!("simulated, {} seeds", shown.seeds),
        "off",
    ];
    let mut table = Table::headed(names.map(Text::from).to_vec());
    let mut row = |name: &str, predicted: f64, measured: Mean, unit: &str, scale: f64| {
        let half = measured
            .half
            .map_or(String::new(), |half| format!(" ± {}", number(scale * half)));
        let off = match measured.mean.abs() > 1e-12 {
            true => format!("{:+.0}%", 100.0 * (predicted / measured.mean - 1.0)),
            false => "-".to_string(),
        };
        let cells = [
            name.to_string(),
            format!("{}{unit}", number(scale * predicted)),
            format!("{}{half}{unit}", number(scale * measured.mean)),
            off,
        ];
        table.row(cells.map(Text::from).to_vec());
    };
    row("queue", expected.queue, measured.queue, " packets", 1.0);
    row(
        "delay",
        expected.delay.as_secs_f64(),
        measured.delay,
        " ms",
        1e3,
    );
    row("lost", expected.loss, measured.loss, "%", 100.0);
    row("marked", expected.marks, measured.marks, "%", 100.0);
    row(
        "link busy",
        expected.utilisation,
        measured.utilisation,
        "%",
        100.0,
    );
    table.lines(style.width, style.unicode)
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
