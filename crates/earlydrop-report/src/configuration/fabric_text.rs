//! The answer of `earlydrop configure --fabric` as sentences, rows and JSON.

use earlydrop_lab::fabric_advice::{
    FabricMeasurement, FabricQuestion, HOSTS, LEAVES, LOAD, NEAR, SERVERS, SPINES, Transport,
    Trial, Verdict, most_of_a_port,
};
use earlydrop_lab::number::{percent, time};
use earlydrop_lab::statistics::Mean;
use earlydrop_model::fabric::{BETA, MarksFirst, Pauses};
use serde_json::{Value, json};

use super::Unsimulated;
use super::fabric::{FabricReport, queue_memory, size, snippets, whole};
use crate::words::listed;

/// The question in one line.
pub fn title(report: &FabricReport) -> String {
    let FabricQuestion {
        fabric,
        ports,
        buffer,
        transport,
        card,
        ..
    } = report.advice.question;
    let senders = match transport {
        Transport::Dcqcn => format!("{} senders ({})", transport.title(), card.name()),
        _ => format!("{} senders", transport.title()),
    };
    format!(
        "Marking for {senders} on links of {} over {}; switches of {ports} ports, buffer {}",
        fabric.rate,
        fabric.rtt,
        whole(buffer)
    )
}

/// The candidates as rows below a header.
pub fn candidates(report: &FabricReport) -> Vec<Vec<String>> {
    let fabric = &report.advice.question.fabric;
    let has_pauses = report.advice.pauses.is_some();
    let mut names = vec!["rule", "Kmin", "Kmax", "Pmax", "of the link"];
    names.extend(has_pauses.then_some("marks first"));
    let mut rows = vec![names.into_iter().map(String::from).collect()];
    for Trial {
        rule, marks_first, ..
    } in &report.advice.trials
    {
        let marking = &rule.marking;
        let times = match marking.is_step() {
            true => time(fabric.time(marking.kmin)),
            false => format!(
                "{} to {}",
                time(fabric.time(marking.kmin)),
                time(fabric.time(marking.kmax))
            ),
        };
        let mut row = vec![
            rule.name.to_string(),
            size(marking.kmin),
            size(marking.kmax),
            percent(marking.pmax),
            times,
        ];
        row.extend(marks_first.map(|first| first.name().to_string()));
        rows.push(row);
    }
    rows
}

/// Each rule with its source.
pub fn sources(report: &FabricReport) -> Vec<(&'static str, String)> {
    let rules = report.advice.trials.iter().map(|trial| &trial.rule);
    rules.map(|rule| (rule.name, rule.source.clone())).collect()
}

/// The thresholds of pauses, as labelled sentences; none where senders are not RDMA's.
pub fn pauses(report: &FabricReport) -> Vec<(&'static str, String)> {
    let FabricQuestion { cable, ports, .. } = report.advice.question;
    let Some(pauses) = &report.advice.pauses else {
        let is_rdma = report.advice.question.transport.name() == super::fabric::TRANSPORT;
        let text = "the headroom of all ports is more than the buffer: pauses would lose packets";
        return match is_rdma {
            true => vec![("pauses", text.to_string())],
            false => Vec::new(),
        };
    };
    let headroom = format!(
        "{} a port: the way of a pause over a cable of {} and back, the packets being sent, and one more; \
         add what your devices take to react",
        whole(pauses.headroom),
        cable,
    );
    let xoff = format!(
        "{} a port, and resume at {}: what headroom leaves of the buffer, for each of {ports} ports",
        whole(pauses.xoff),
        whole(pauses.resume()),
    );
    let first = format!(
        "in every case with Kmin below {} (XOFF / ports); below {} with a dynamic threshold of pauses, \
         beta = {BETA} (Zhu et al., SIGCOMM 2015, section 4)",
        size(pauses.earliest()),
        size(pauses.dynamic()),
    );
    vec![
        ("headroom", headroom),
        ("XOFF", xoff),
        ("marks first", first),
    ]
}

/// What was simulated, as rows below a header; empty where nothing was.
pub fn measured(report: &FabricReport) -> Vec<Vec<String>> {
    let advice = &report.advice;
    let Some(verdict) = &advice.verdict else {
        return Vec::new();
    };
    let has_pauses = advice.pauses.is_some();
    let mut names = vec![
        "simulated",
        "small 99%",
        "large 50%",
        "incast",
        "Gbps",
        "lost %",
    ];
    names.extend(has_pauses.then_some("pauses"));
    let mut rows = vec![names.into_iter().map(String::from).collect()];
    let or_none =
        |mean: &Option<Mean>| mean.map_or("-".to_string(), |mean| mean.with_interval(1.0));
    for (at, trial) in advice.trials.iter().enumerate() {
        let Some(one) = &trial.measured else { continue };
        let mut row = vec![
            format!("{}{}", trial.rule.name, mark(verdict, at)),
            one.small.with_interval(1.0),
            or_none(&one.large),
            or_none(&one.incast),
            one.goodput.with_interval(1e-9),
            one.loss.with_interval(100.0),
        ];
        if has_pauses {
            row.push(or_none(&one.pauses));
        }
        rows.push(row);
    }
    rows
}

/// The sign of the recommended candidate, or of one that is not told apart from it.
fn mark(verdict: &Verdict, at: usize) -> &'static str {
    match at {
        at if at == verdict.chosen => " *",
        at if verdict.ties.contains(&at) => " ~",
        _ => "",
    }
}

/// What is recommended and why, as labelled sentences.
pub fn recommendation(report: &FabricReport) -> Vec<(&'static str, String)> {
    let advice = &report.advice;
    let preferred = &advice.trials[report.preferred()].rule;
    let Some(verdict) = &advice.verdict else {
        let lines = format!(
            "those of {}, which its authors chose for such senders",
            preferred.name
        );
        let mut statements = vec![("simulation", not_done(report)), ("lines", lines)];
        statements.extend(left_out(report));
        return statements;
    };
    let rule = format!(
        "{}: of the candidates whose large transfers are at most {} slower (median) than the fastest's, or not \
         told apart from these{}, it has the least slowdown of small transfers (99%)",
        preferred.name,
        percent(NEAR - 1.0),
        match (advice.pauses.is_some(), verdict.has_marks_first) {
            (false, _) => "",
            (true, true) => " and that mark before they pause",
            (true, false) => " (none marks before it pauses)",
        }
    );
    let mut statements = vec![("recommended", rule), ("ties", ties(report, verdict))];
    let FabricQuestion { fabric, seeds, .. } = advice.question;
    let text = format!(
        "{LEAVES} leaves with {HOSTS} hosts each, {SPINES} spines, all links {}; transfers of web search at {} load, \
         answers of {SERVERS} servers at once; {} with {seeds} seeds. Transfers up to 100 kB are small, those \
         above 1 MB large; a slowdown is a time over that in an empty network",
        fabric.rate,
        percent(LOAD),
        advice.duration,
    );
    statements.push(("simulation", text));
    let text = format!(
        "{} --paste earlydrop > fabric.toml; earlydrop run fabric.toml",
        report.command
    );
    statements.push(("again", text));
    statements.extend(left_out(report));
    statements
}

/// The rules whose thresholds the simulated queues cannot reach.
fn left_out(report: &FabricReport) -> Option<(&'static str, String)> {
    let trials = report.advice.trials.iter();
    let names: Vec<&str> = trials
        .filter(|trial| !trial.fits)
        .map(|trial| trial.rule.name)
        .collect();
    let most = whole(most_of_a_port(&report.advice.question));
    let text = format!(
        "{}: Kmax lies above {most}, the most that one port can have of the buffer in the simulation",
        listed(names.iter(), "and")
    );
    (!names.is_empty()).then_some(("not simulated", text))
}

fn ties(report: &FabricReport, verdict: &Verdict) -> String {
    let trials = &report.advice.trials;
    let names = verdict.ties.iter().map(|at| trials[*at].rule.name);
    match (verdict.ties.as_slice(), report.advice.question.seeds) {
        (_, 1) => "not known: with one seed nothing is told apart; --seeds 5".to_string(),
        ([], _) => "none: the others have more with 95% confidence".to_string(),
        _ => format!(
            "the simulation does not tell it apart from {}; more seeds or patience may",
            listed(names, "and")
        ),
    }
}

/// Why nothing was simulated.
fn not_done(report: &FabricReport) -> String {
    match report.unsimulated {
        Some(Unsimulated::TakesLong { seconds }) => format!(
            "not done: it would take about {} here; --patience {:.0}s allows it",
            time(seconds),
            (1.5 * seconds).ceil()
        ),
        _ if report.advice.trials.iter().all(|trial| !trial.fits) => {
            "not done: no rule fits into the buffer".to_string()
        }
        _ => "not done, as asked: nothing is recommended".to_string(),
    }
}

/// The report as JSON; keys and their order are stable.
pub fn json(report: &FabricReport) -> Value {
    let advice = &report.advice;
    let question = &advice.question;
    let preferred = &advice.trials[report.preferred()];
    let snippets = snippets(report).into_iter();
    let snippets: serde_json::Map<String, Value> = snippets
        .map(|(title, text)| (title, Value::String(text)))
        .collect();
    json!({
        "fabric": {
            "rate": question.fabric.rate.0,
            "rtt": question.fabric.rtt.as_secs_f64(),
            "packet": question.fabric.packet.0,
            "ports": question.ports,
            "buffer": question.buffer.0,
            "transport": question.transport.name(),
            "card": (question.transport == Transport::Dcqcn).then(|| question.card.name()),
            "cable": question.cable.as_secs_f64(),
        },
        "pauses": advice.pauses.as_ref().map(pauses_json),
        "candidates": advice.trials.iter().map(candidate).collect::<Vec<_>>(),
        "duration": advice.duration.as_secs_f64(),
        "seeds": question.seeds,
        "recommended": advice.verdict.as_ref().map(|_| preferred.rule.name),
        "ties": advice.verdict.as_ref().map(|verdict| {
            verdict.ties.iter().map(|at| advice.trials[*at].rule.name).collect::<Vec<_>>()
        }),
        "queue_memory": queue_memory(question, preferred.rule.marking.kmax),
        "command": report.command.to_string(),
        "paste": snippets,
    })
}

fn pauses_json(pauses: &Pauses) -> Value {
    json!({
        "headroom": pauses.headroom.0,
        "xoff": pauses.xoff.0,
        "resume": pauses.resume().0,
        "marks_first_below": pauses.earliest(),
        "marks_first_below_dynamic": pauses.dynamic(),
    })
}

fn candidate(trial: &Trial) -> Value {
    let marking = &trial.rule.marking;
    json!({
        "rule": trial.rule.name,
        "source": trial.rule.source,
        "kmin": marking.kmin,
        "kmax": marking.kmax,
        "pmax": marking.pmax,
        "marks_first": trial.marks_first.map(MarksFirst::name),
        "fits": trial.fits,
        "measured": trial.measured.as_ref().map(measurement),
    })
}

fn measurement(one: &FabricMeasurement) -> Value {
    let mean = |mean: &Mean| json!({ "mean": mean.mean, "half": mean.half, "is_lower_bound": mean.is_lower_bound });
    json!({
        "small_slowdown_p99": mean(&one.small),
        "large_slowdown_p50": one.large.as_ref().map(mean),
        "incast_slowdown_p50": one.incast.as_ref().map(mean),
        "goodput": mean(&one.goodput),
        "loss": mean(&one.loss),
        "marks": mean(&one.marks),
        "pauses": one.pauses.as_ref().map(mean),
    })
}
