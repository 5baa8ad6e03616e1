//! The metrics by which each group of flows is judged: what its traffic feels.

use super::{Better, Metric, of_groups};
use crate::scenario::{Feels, FlowGroup, Scenario};

/// Of its mean, a flow or a group with less starves.
pub const STARVED: f64 = 0.25;

/// Fewer unfinished transfers than this are not worth a column, or a sentence: the 99th percentile
/// of the others is known.
pub const FEW_UNFINISHED: f64 = 0.001;

/// What a group feels, as metrics of groups, the first one first.
#[derive(Clone, Debug, PartialEq)]
pub struct Felt {
    /// The group's name.
    pub group: String,
    /// What it feels.
    pub feels: Feels,
    /// Indices in [`of_groups`].
    pub metrics: Vec<usize>,
}

impl Felt {
    /// What each group of a scenario feels: who suffers first from a queue, first; then in the order
    /// of the file.
    pub fn all(scenario: &Scenario) -> Vec<Felt> {
        let groups = scenario.groups.iter().filter(|group| group.flows() > 0);
        let of_group = |group: &FlowGroup| Felt {
            group: group.name.to_string(),
            feels: group.feels,
            metrics: metrics(group, has_rivals(scenario)),
        };
        let mut all: Vec<Felt> = groups.map(of_group).collect();
        all.sort_by_key(|felt| felt.feels);
        all
    }
}

/// Whether several groups want as much of the link as they can get.
pub fn has_rivals(scenario: &Scenario) -> bool {
    let mut groups = scenario.groups.iter();
    let is_elastic = |group: &FlowGroup| group.feels == Feels::Rate && group.flows() > 0;
    groups.by_ref().any(is_elastic) && groups.any(is_elastic)
}

fn metrics(group: &FlowGroup, has_rivals: bool) -> Vec<usize> {
    let names: &[&str] = match group.feels {
        Feels::Lateness => &["end_to_end_p99", "late_or_lost", "jitter"],
        Feels::Waiting => &["completion_p50", "completion_p99", "unfinished"],
        Feels::Slowdown => &["slowdown_p50", "slowdown_p99", "unfinished"],
        Feels::Rounds => &["round_p50", "round_p99", "unfinished"],
        Feels::Rate if has_rivals => &["goodput", "least_share", "end_to_end_p99"],
        Feels::Rate => &["goodput", "fairness", "least_share"],
        Feels::Nothing => &["goodput", "loss"],
    };
    let of_flows: Vec<&Metric> = of_groups().collect();
    let index = |name: &&str| of_flows.iter().position(|metric| metric.name == *name);
    names.iter().filter_map(index).collect()
}

/// Which values of a metric are better for a group of a scenario: what one of several groups takes
/// of the link, another loses, and what feels nothing is served neither well nor badly.
pub fn better(metric: &Metric, group: &FlowGroup, scenario: &Scenario) -> Better {
    let is_rate = matches!(metric.name, "goodput" | "throughput");
    match group.feels {
        Feels::Nothing => Better::Neither,
        Feels::Rate if is_rate && !has_rivals(scenario) => metric.better,
        _ if is_rate => Better::Neither,
        _ => metric.better,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Source, TraceFiles};

    fn felt(flows: &str) -> Vec<(String, Vec<&'static str>)> {
        let text = format!("schemes = [\"red\"]\n{flows}");
        let source = Source::new("s.toml", &text, TraceFiles::default()).unwrap();
        let plan = source.plan().unwrap();
        let names: Vec<&str> = of_groups().map(|metric| metric.name).collect();
        let all = Felt::all(plan.scenario()).into_iter();
        let of = |felt: Felt| {
            let metrics = felt.metrics.iter().map(|index| names[*index]);
            (felt.group, metrics.collect())
        };
        all.map(of).collect()
    }

    #[test]
    fn each_kind_of_traffic_has_its_measure() {
        let felt_by = |kind: &str| felt(&format!("flows.a = {{ {kind} }}")).remove(0).1[0];
        assert_eq!(felt_by("kind = \"voice\""), "end_to_end_p99");
        assert_eq!(felt_by("kind = \"web\""), "completion_p50");
        assert_eq!(
            felt_by("kind = \"web\", sizes = \"websearch\""),
            "slowdown_p50"
        );
        assert_eq!(
            felt_by("kind = \"arrivals\", load = 0.5, sizes = \"rpc\""),
            "slowdown_p50"
        );
        assert_eq!(felt_by("kind = \"incast\""), "round_p50");
        assert_eq!(felt_by("kind = \"bulk\""), "goodput");
        assert_eq!(felt_by("kind = \"cbr\""), "goodput");
        assert_eq!(
            felt_by("kind = \"cbr\", feels = \"lateness\""),
            "end_to_end_p99"
        );
    }

    #[test]
    fn rivals_for_a_link_show_their_delays_beside_their_rates() {
        let one = felt("flows.a.count = 2\nflows.b.kind = \"voice\"");
        // Calls suffer first.
        assert_eq!(one[0].0, "b");
        assert_eq!(one[1].1, ["goodput", "fairness", "least_share"]);
        let two = felt("flows.a.count = 2\nflows.b.count = 2");
        assert_eq!(two[1].1, ["goodput", "least_share", "end_to_end_p99"]);
        let absent = felt("flows.a.count = 2\nflows.b.count = 0");
        assert_eq!(absent.len(), 1);
    }
}
