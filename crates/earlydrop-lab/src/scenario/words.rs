//! What a scenario runs, in words: for titles and descriptions.

use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_sim::network::Node;
use earlydrop_sim::traffic::{Application, Flow, Pattern, Traffic};

use super::{FlowGroup, Scenario};

/// A title from what a scenario runs at all points of its sweep: "20 CUBIC flows, web transfers
/// and voice calls over 20 Mbps, 50 ms".
pub(crate) fn title(points: &[&Scenario]) -> String {
    let Some(first) = points.first() else {
        return String::new();
    };
    let flows = flows(points);
    let bottlenecks = match first.network.bottlenecks() {
        1 => String::new(),
        count => format!("{count} bottlenecks of "),
    };
    let rtt = over(points, |scenario| scenario.path.rtt, Nanos::to_string);
    format!("{flows} over {bottlenecks}{}, {rtt}", rate(points))
}

/// A description of what a scenario runs at all points of its sweep.
pub(crate) fn about(points: &[&Scenario]) -> String {
    let Some(first) = points.first() else {
        return String::new();
    };
    let rtt = over(points, |scenario| scenario.path.rtt, Nanos::to_string);
    let schemes = match first.schemes.len() {
        1 => "one scheme".to_string(),
        count => format!("{count} schemes"),
    };
    format!(
        "{} share {} at a round-trip time of {rtt}, under {schemes}. Runs take {}, and figures \
         are from {} on.",
        flows(points),
        rate(points),
        over(points, |scenario| scenario.duration, Nanos::to_string),
        over(points, |scenario| scenario.warm_up, Nanos::to_string),
    )
}

/// "20 Mbps", "a recorded link of 6 Mbps".
fn rate(points: &[&Scenario]) -> String {
    let rate = over(
        points,
        |scenario| scenario.link().map_or(BitsPerSec(0), |link| link.rate),
        BitsPerSec::to_string,
    );
    match points.iter().any(|scenario| scenario.network.is_recorded()) {
        true => format!("a recorded link of {rate} on average"),
        false => rate,
    }
}

/// The values of all points: "50 ms", or the range "10 ms to 50 ms".
fn over<T: Ord>(
    points: &[&Scenario],
    value: impl Fn(&Scenario) -> T,
    text: impl Fn(&T) -> String,
) -> String {
    let values = || points.iter().map(|scenario| value(scenario));
    let (Some(least), Some(most)) = (values().min(), values().max()) else {
        return String::new();
    };
    match least == most {
        true => text(&least),
        false => format!("{} to {}", text(&least), text(&most)),
    }
}

/// "20 CUBIC flows, web transfers and voice calls".
fn flows(points: &[&Scenario]) -> String {
    let Some(first) = points.first() else {
        return String::new();
    };
    let mut phrases: Vec<String> = Vec::new();
    for control in bulk_controls(points) {
        let of = |scenario: &Scenario| bulk_flows(scenario, &control);
        let count = over(points, of, u32::to_string);
        let plural = if count == "1" { "flow" } else { "flows" };
        phrases.push(format!("{count} {control} {plural}"));
    }
    for (index, group) in first.groups.iter().enumerate() {
        let is_empty = |scenario: &&Scenario| scenario.groups[index].count == 0;
        let phrase = others(group).filter(|_| !points.iter().all(is_empty));
        phrases.extend(phrase.filter(|phrase| !phrases.contains(phrase)));
    }
    match phrases.split_last() {
        None => "no flows".to_string(),
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
    }
}

/// The congestion controls of endless transfers, each once.
fn bulk_controls(points: &[&Scenario]) -> Vec<String> {
    let mut controls: Vec<String> = Vec::new();
    // A group whose control is swept has several: "Reno or BBR".
    for index in 0..points.first().map_or(0, |first| first.groups.len()) {
        let mut names: Vec<&str> = Vec::new();
        for control in points.iter().filter_map(|s| bulk_control(&s.groups[index])) {
            if !names.contains(&control) {
                names.push(control);
            }
        }
        let names = names.join("/");
        if !names.is_empty() && !controls.contains(&names) {
            controls.push(names);
        }
    }
    controls
}

/// The number of endless transfers whose control is one of `controls`, "Reno/BBR".
fn bulk_flows(scenario: &Scenario, controls: &str) -> u32 {
    let is_one = |group: &&FlowGroup| {
        bulk_control(group).is_some_and(|own| controls.split('/').any(|name| name == own))
    };
    let groups = scenario.groups.iter().filter(is_one);
    groups.map(|group| group.count).sum()
}

/// The congestion control of a group of endless transfers.
fn bulk_control(group: &FlowGroup) -> Option<&'static str> {
    match &group.traffic {
        Traffic::Tcp {
            profile,
            application: Application::Bulk,
        } if group.count > 0 => Some(profile.control.controller().title),
        _ => None,
    }
}

/// Whether a group sends as telephone calls do.
fn is_voice(group: &FlowGroup) -> bool {
    let voice = Flow::voice(Node(0), Node(0)).traffic;
    let parts = |traffic: &Traffic| match traffic {
        Traffic::Datagrams {
            size,
            rate,
            pattern: Pattern::OnOff { on, off },
            ..
        } => Some((*size, *rate, on.mean, off.mean)),
        _ => None,
    };
    parts(&group.traffic) == parts(&voice)
}

/// What a group sends, where that is not an endless transfer.
fn others(group: &FlowGroup) -> Option<String> {
    let words = match &group.traffic {
        Traffic::Tcp { application, .. } => match application {
            Application::Bulk => return None,
            Application::Transfer(_) => "transfers",
            Application::Web { .. } => "web transfers",
            Application::Pages { .. } => "web pages",
            Application::FlowList { .. } | Application::Arrivals { .. } => {
                return Some(format!("{} transfers", group.name));
            }
            Application::Requests { .. } => "requests",
            Application::Incast(_) => "incast",
        },
        Traffic::Datagrams { pattern, .. } => match pattern {
            Pattern::Constant => "constant-rate datagrams",
            Pattern::Replay { .. } => "replayed packets",
            Pattern::OnOff { .. } if is_voice(group) => "voice calls",
            Pattern::OnOff { .. } => "on-off datagrams",
        },
    };
    Some(words.to_string())
}
