//! The buffers, thresholds and targets of a plan's schemes, in sentences.

use std::collections::HashMap;

use earlydrop::registry::Spec;
use earlydrop_lab::number;
use earlydrop_lab::plan::Plan;
use earlydrop_lab::scenario::{BesidePreset, LinkSizes, QueueLength, Scenario, SchemeSizes};
use earlydrop_lab::sweep::Axis;

/// The values at all points, a sentence each; those that differ between points begin with the swept
/// fields that decide about them.
pub fn sentences(plan: &Plan) -> Vec<String> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut group_of: HashMap<String, usize> = HashMap::new();
    for point in 0..plan.points.len() {
        let text = at_point(plan, point).join("; ");
        let group = *group_of.entry(text).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(points) => points.push(point),
            None => groups.push(vec![point]),
        }
    }
    if let [_] = groups.as_slice() {
        return at_point(plan, 0);
    }
    let texts: Vec<Vec<String>> = plan.axes.iter().map(Axis::texts).collect();
    let mut sentences = vec![String::new(); groups.len()];
    for (text, group) in group_of {
        sentences[group] = format!("{}: {text}", label(plan, &texts, &groups[group]));
    }
    sentences
}

/// What a group of points has in common: "network.rate = 10 Mbps"; of a field that has all of its
/// values in the group nothing is said.
fn label(plan: &Plan, texts: &[Vec<String>], points: &[usize]) -> String {
    let axes = plan.axes.iter().enumerate().filter_map(|(index, axis)| {
        let mut values: Vec<usize> = points
            .iter()
            .map(|point| plan.points[*point].coordinates[index])
            .collect();
        values.sort_unstable();
        values.dedup();
        let texts = &texts[index];
        let own: Vec<&str> = values.iter().map(|value| texts[*value].as_str()).collect();
        (values.len() < texts.len()).then(|| format!("{} = {}", axis.name(), own.join(" or ")))
    });
    axes.collect::<Vec<_>>().join(", ")
}

/// The values where they are the same at all points of the sweep.
pub fn of_all_points(plan: &Plan) -> Option<Vec<String>> {
    let first = at_point(plan, 0);
    let rest = 1..plan.points.len();
    rest.into_iter()
        .all(|point| at_point(plan, point) == first)
        .then_some(first)
}

/// The values at a point: "buffer 250 packets = 150 ms = 3 BDP".
pub fn at_point(plan: &Plan, point: usize) -> Vec<String> {
    let scenario = &plan.points[point].scenario;
    let links = scenario.sizes();
    let several = links.len() > 1;
    let presets: Vec<Vec<String>> = links
        .iter()
        .map(|link| of_presets(scenario, link))
        .collect();
    // What schemes take beside a preset is mostly the same at all links.
    let all_alike = presets.windows(2).all(|two| two[0] == two[1]);
    let mut sentences = Vec::new();
    for (link, presets) in links.iter().zip(&presets) {
        let name = match several {
            true => format!("link {} ({}): ", link.name, link.link.rate),
            false => String::new(),
        };
        let own = presets.iter().filter(|_| !all_alike).cloned();
        let lines = of_link(scenario, link).into_iter().chain(own);
        sentences.extend(lines.map(|line| format!("{name}{line}")));
    }
    let shared = presets.into_iter().next().filter(|_| all_alike);
    sentences.extend(shared.into_iter().flatten());
    sentences
}

fn of_link(scenario: &Scenario, link: &LinkSizes) -> Vec<String> {
    let buffer = |scheme: &SchemeSizes| {
        let QueueLength { packets, .. } = scheme.buffer;
        packets.is_finite().then(|| {
            let length = length(&scheme.buffer);
            match scheme.buffer.bdp.is_finite() {
                true => format!("{length} = {} BDP", number::number(scheme.buffer.bdp)),
                // Without a round trip there is none.
                false => length,
            }
        })
    };
    let thresholds = |scheme: &SchemeSizes| {
        let (min, max) = scheme.thresholds.as_ref()?;
        Some(format!("{}, max {}", length(min), length(max)))
    };
    let step = |scheme: &SchemeSizes| scheme.step.as_ref().map(length);
    let target = |scheme: &SchemeSizes| {
        let target = scheme.target?;
        let packets = target.as_secs_f64() * link.link.rate.packets_per_sec(link.link.mean_packet);
        Some(format!("{target} = {} packets", number::number(packets)))
    };
    let lines = [
        grouped(scenario, link, "buffer", buffer),
        grouped(scenario, link, "min", thresholds),
        grouped(scenario, link, "threshold", step),
        grouped(scenario, link, "target", target),
    ];
    lines.into_iter().flatten().collect()
}

/// What schemes take from the scenario in place of their preset's value, or do not take for it.
fn of_presets(scenario: &Scenario, link: &LinkSizes) -> Vec<String> {
    let presets = link.schemes.iter().filter_map(|scheme| {
        let scheme_of = &scenario.schemes[scheme.scheme];
        let others = scheme.beside_preset.iter();
        let others = others.filter(|one| one.preset != Some(one.value.as_str()));
        let beside: Vec<String> = others.map(beside_preset).collect();
        (!beside.is_empty()).then(|| {
            let (label, text) = (&scheme_of.label, preset_of(&scheme_of.spec));
            format!("{label} with {text}: {}", beside.join(", "))
        })
    });
    presets.collect()
}

/// The presets that a scheme names: "as=linux".
fn preset_of(spec: &Spec) -> String {
    let named = ["as", "inner.as"].into_iter();
    let named = named.filter_map(|name| Some(format!("{name}={}", spec.given(name)?)));
    named.collect::<Vec<_>>().join(",")
}

/// "limit 100 packets (network.buffer) instead of 120 packets".
fn beside_preset(beside: &BesidePreset) -> String {
    let BesidePreset {
        name, value, by, ..
    } = beside;
    match (beside.preset, beside.is_taken) {
        (None, _) => format!("{name} {value} ({by})"),
        (Some(preset), true) => format!("{name} {value} ({by}) instead of {preset}"),
        (Some(preset), false) => format!("{name} {preset}, not {value} ({by})"),
    }
}

/// "target 15 ms = 25 packets (pie), 5 ms = 8.33 packets (codel, fq-codel)"; without schemes' names
/// where all schemes have the value.
fn grouped(
    scenario: &Scenario,
    link: &LinkSizes,
    what: &str,
    value: impl Fn(&SchemeSizes) -> Option<String>,
) -> Option<String> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for scheme in &link.schemes {
        let label = scenario.schemes[scheme.scheme].label.as_str();
        if let Some(value) = value(scheme) {
            match groups.iter_mut().find(|(known, _)| *known == value) {
                Some((_, labels)) => labels.push(label),
                None => groups.push((value, vec![label])),
            }
        }
    }
    let group = |(value, labels): &(String, Vec<&str>)| match labels.len() {
        all if all == link.schemes.len() => value.clone(),
        _ => format!("{value} ({})", labels.join(", ")),
    };
    let groups: Vec<String> = groups.iter().map(group).collect();
    (!groups.is_empty()).then(|| format!("{what} {}", groups.join("; ")))
}

/// "250 packets = 150 ms".
fn length(length: &QueueLength) -> String {
    let packets = number::number(length.packets);
    format!("{packets} packets = {}", number::time(length.seconds))
}

#[cfg(test)]
mod tests {
    use earlydrop_lab::plan::{Source, TraceFiles};

    use super::*;

    #[test]
    fn each_scheme_has_its_thresholds_in_a_sentence() {
        let text = "network = { rate = '10 Gbps', rtt = '100 us', buffer = '500 packets' }\n\
                    flows.bulk.count = 4\n[schemes]\nstep-20 = 'step'\n\
                    step-65 = 'step:threshold=65 packets'\nred = 'red:min=100 kB,max=400 kB'\n";
        let plan = Source::new("a.toml", text, TraceFiles::default());
        let plan = plan.unwrap().plan().unwrap();
        let found = sentences(&plan);
        assert_eq!(
            found[1..],
            [
                "min 66.7 packets = 80 µs, max 267 packets = 320 µs (red)",
                "threshold 20 packets = 24 µs (step-20); 65 packets = 78 µs (step-65)",
            ]
        );
    }

    #[test]
    fn what_is_set_beside_a_preset_is_said_once_for_all_links() {
        let text = "duration = '10 ms'\nwarm_up = '0 s'\nschemes = ['red:as=hpcc', 'red:as=dcqcn']\n\
                    network = { shape = 'leaf-spine', leaves = 2, spines = 1, hosts = 2, rate = '25 Gbps', \
                    uplink = '100 Gbps', buffer = '12 MB' }\n\
                    flows.search = { kind = 'arrivals', sizes = 'rpc', load = 0.3 }\n";
        let plan = Source::new("a.toml", text, TraceFiles::default());
        let all = sentences(&plan.unwrap().plan().unwrap());
        let presets: Vec<&String> = all.iter().filter(|one| one.contains("limit")).collect();
        // DCQCN's preset has 12 MB, too.
        assert_eq!(
            presets,
            ["red:as=hpcc with as=hpcc: limit 12 MB (network.buffer) instead of 2560 us"]
        );
    }

    #[test]
    fn what_is_set_beside_a_preset_is_said() {
        let text = "schemes = ['nlred:as=paper', 'ared:as=paper', 'droptail']\n\
                    parameters = { max_p = 0.05, target_delay = '0.4 RTT' }\n\
                    network = { rate = '12 Mbps', rtt = '50 ms', buffer = '150 packets' }\n\
                    flows.bulk.count = 4\n";
        let plan = Source::new("a.toml", text, TraceFiles::default());
        let plan = plan.unwrap().plan().unwrap();
        assert_eq!(
            sentences(&plan),
            [
                "buffer 150 packets = 150 ms = 3 BDP",
                "min 10 packets = 10 ms, max 30 packets = 30 ms (nlred, ared)",
                "nlred with as=paper: max_p 0.1, not 0.05 (parameters), limit 150 packets \
                 (network.buffer) instead of 120 packets",
                "ared with as=paper: max_p 0.05 (parameters), target_delay 20 ms (parameters), \
                 limit 150 packets (network.buffer)",
            ]
        );
    }
}
