//! What still moves is found, and what is stationary is not taken for moving.

use earlydrop_lab::plan::{Source, TraceFiles};
use earlydrop_lab::rows::Rows;
use earlydrop_lab::run::outcomes;
use earlydrop_lab::settled::Moving;
use earlydrop_lab::summary::Summary;

/// What had not settled in the runs of a scenario.
fn moving(text: &str) -> Vec<Moving> {
    let source = Source::new("s.toml", text, TraceFiles::default()).unwrap();
    let plan = source.plan().unwrap();
    let ended: Vec<_> = outcomes(&plan).collect::<Result<_, _>>().unwrap();
    Summary::of(&plan, Rows::of_outcomes(&plan, &ended)).moving
}

/// Web traffic that was there from long before.
fn stationary(first_seed: usize) -> String {
    let seeds: Vec<usize> = (first_seed..first_seed + 5).collect();
    format!(
        "duration = \"60 s\"\nwarm_up = \"20 s\"\nseeds = {seeds:?}\n\
         schemes = [\"red:min=5,max=15\"]\n\
         network = {{ rate = \"2 Mbps\", rtt = \"40 ms\", buffer = \"50 packets\" }}\n\
         [flows.web]\nkind = \"web\"\ncount = 20\nsize = \"exponential 20 kB\"\n\
         pause = \"exponential 2 s\"\n"
    )
}

/// The share of false alarms is the one that `docs/explanation/statistics.md` states.
#[test]
fn stationary_runs_are_taken_for_moving_as_seldom_as_the_page_says() {
    let alarms = (0..100).filter(|set| !moving(&stationary(1 + 5 * set)).is_empty());
    let alarms = alarms.count();
    assert!(alarms <= 10, "{alarms} of 100");
    let page = include_str!("../../../docs/explanation/statistics.md");
    let sentence = format!("in {alarms} of 100 sets of five stationary runs");
    assert!(page.contains(&sentence), "{sentence}");
}

#[test]
fn a_start_is_not_taken_for_a_steady_state() {
    let text = "duration = \"20 s\"\nwarm_up = \"0 s\"\nseeds = 5\nschemes = [\"droptail\"]\n\
                network = { rate = \"50 Mbps\", rtt = \"200 ms\" }\n\
                [flows.bulk]\ncount = 2\n";
    let moving = moving(text);
    let of_bulk = moving.iter().find(|one| one.drift == "goodput_drift");
    let of_bulk = of_bulk.unwrap_or_else(|| panic!("{moving:?}"));
    assert_eq!(of_bulk.group.as_deref(), Some("bulk"));
    assert!(of_bulk.by.mean > 0.1, "{of_bulk:?}");
    // One that starts later does not move for that reason.
    let later = format!("{text}start = \"8 s\"\n");
    assert_eq!(self::moving(&later), []);
}
