use super::*;
use crate::metrics::{self, METRICS};
use crate::statistics::Mean;

#[test]
fn fresh_seeds_are_seeds_however_large_the_used_ones_are() {
    assert_eq!(seeds_above(&[1, 5, 2], 10)[..2], [15, 16]);
    let used = [MAX_SEED, 1999];
    let both = [FINALIST_SEEDS, VALIDATION_SEEDS].map(|far| seeds_above(&used, far));
    let mut all: Vec<u64> = both.concat();
    all.extend(used);
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 2 * FRESH_SEEDS + used.len());
    assert!(all.iter().all(|seed| *seed <= MAX_SEED));
}

/// A goal for queueing delay with these limits.
fn goal(minimise: bool, limits: &[&str]) -> Goal {
    Goal {
        limits: limits
            .iter()
            .map(|text| Limit::parse(text).unwrap())
            .collect(),
        ..Goal::new("delay_p99", minimise).unwrap()
    }
}

/// A candidate with this setting, delay in milliseconds, and utilisation.
fn candidate(name: &str, delay: f64, utilisation: f64) -> Candidate {
    let exactly = |mean| Some(Mean::new(mean, Some(0.0), 10));
    let mut values = vec![None; METRICS.len()];
    values[metrics::index_of("delay_p99").unwrap()] = exactly(delay / 1e3);
    values[metrics::index_of("utilisation").unwrap()] = exactly(utilisation);
    let setting = |name: &str| ("min".to_string(), name.to_string());
    Candidate {
        settings: (!name.is_empty())
            .then(|| setting(name))
            .into_iter()
            .collect(),
        points: vec![values],
    }
}

/// A search that tried these candidates, of which the first is the scheme itself.
fn searched(candidates: &[(&str, f64, f64)]) -> SearchResult {
    let candidates = candidates
        .iter()
        .map(|(name, delay, used)| candidate(name, *delay, *used));
    SearchResult {
        label: "red".to_string(),
        space: Vec::new(),
        candidates: candidates.collect(),
        runs: 0,
        finalists: Vec::new(),
    }
}

/// The finalists' settings, and the setting that wins where they measure the same again.
fn finalists_and_best(mut result: SearchResult, goal: &Goal) -> (Vec<String>, Option<String>) {
    let finalists = result.select_finalists(goal);
    let of_finalist = |settings: &ParameterValues| {
        let mut tried = result.candidates.iter();
        tried
            .find(|tried| tried.settings == *settings)
            .unwrap()
            .clone()
    };
    result.finalists = [ParameterValues::new()]
        .iter()
        .chain(&finalists)
        .map(of_finalist)
        .collect();
    let value = |settings: &ParameterValues| settings[0].1.clone();
    let best = result.variant(goal).map(|variant| value(&variant.settings));
    (finalists.iter().map(value).collect(), best)
}

const TRIED: [(&str, f64, f64); 5] = [
    ("", 28.0, 0.99),
    ("short", 8.0, 0.90),
    ("middle", 15.0, 0.96),
    ("long", 40.0, 0.995),
    ("bad", 50.0, 0.80),
];

#[test]
fn without_limits_the_best_candidates_run_again_and_the_best_of_them_is_chosen() {
    for (minimise, order) in [
        (true, ["short", "middle", "long", "bad"]),
        (false, ["bad", "long", "middle", "short"]),
    ] {
        let (finalists, best) = finalists_and_best(searched(&TRIED), &goal(minimise, &[]));
        assert_eq!(finalists, order);
        assert_eq!(best.as_deref(), Some(order[0]));
    }
}

#[test]
fn with_limits_the_front_of_goal_and_margin_runs_again_first_and_the_best_within_is_chosen() {
    for (minimise, order) in [
        // `long` has the most margin, `short` is outside the limit, others beat `bad` in both.
        (true, ["middle", "long", "short", "bad"]),
        (false, ["long", "bad", "middle", "short"]),
    ] {
        let goal = goal(minimise, &["utilisation>=95%"]);
        let (finalists, best) = finalists_and_best(searched(&TRIED), &goal);
        assert_eq!(finalists, order);
        assert_eq!(best.as_deref(), Some(order[0]));
    }
}

#[test]
fn nothing_is_chosen_where_the_scheme_itself_is_best() {
    let own_first = [("", 5.0, 0.99), ("worse", 8.0, 0.90)];
    for limits in [&[][..], &["utilisation>=85%"]] {
        let (finalists, best) = finalists_and_best(searched(&own_first), &goal(true, limits));
        assert_eq!((finalists.len(), best), (1, None));
    }
}

#[test]
fn a_candidate_that_measured_nothing_does_not_run_again() {
    let mut result = searched(&TRIED);
    result.candidates[1].points = vec![vec![None; METRICS.len()]];
    let (finalists, _) = finalists_and_best(result, &goal(true, &[]));
    assert_eq!(finalists, ["middle", "long", "bad"]);
}

#[test]
fn a_value_near_a_bound_is_said_with_what_widens_the_search() {
    let search = |spec: &str, over: &[&str], settings: &[(&str, &str)]| {
        let result = SearchResult {
            space: space::tests::of(spec, over).unwrap(),
            ..searched(&TRIED)
        };
        let settings = settings.iter();
        let settings = settings.map(|(name, value)| (name.to_string(), value.to_string()));
        result.near_bounds(&Variant {
            label: "red tuned".to_string(),
            of: "red".to_string(),
            settings: settings.collect(),
        })
    };
    let red = "red:limit=60";
    let low = [("min", "1 packets"), ("max_p", "0.01"), ("weight", "0.01")];
    assert_eq!(
        search(red, &[], &low),
        [
            "red: min = 1 packets is near the lower bound of its search, 1 packets; to search beyond \
             it: --over min=0.1packets..60packets,max_p,weight"
        ]
    );
    let high = [("min", "59 packets"), ("max_p", "1"), ("weight", "1")];
    assert_eq!(
        search(red, &[], &high),
        [
            "red: min = 59 packets is near the upper bound of its search, 60 packets; a longer \
             buffer (network.buffer) leaves room beyond it"
        ]
    );
    assert_eq!(
        search(
            red,
            &["min=2..20", "max_p"],
            &[("min", "20 packets"), ("max_p", "0.01")]
        ),
        [
            "red: min = 20 packets is near the upper bound of its search, 20 packets; to search beyond \
             it: --over min=2packets..320packets,max_p"
        ]
    );
    assert!(search(red, &[], &[("min", "5 packets")]).is_empty());
}
