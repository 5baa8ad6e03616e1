use earlydrop::units::BitsPerSec;

use super::*;

fn advised(load: Load, goal: Goal) -> Advised {
    let question = Question {
        load,
        scheme: "red".parse().unwrap(),
        buffer: None,
        goal,
        method: None,
        open_loop: None,
    };
    let effort = Effort {
        length: RunLength::brief(&load, 3),
        threads: 2,
        with_others: false,
    };
    advise(&question, effort, &AtomicBool::new(false), &mut |_| {}).unwrap()
}

fn load(mbps: u64, rtt: u64, flows: f64) -> Load {
    Load {
        rate: BitsPerSec::from_mbps(mbps),
        rtt: Nanos::from_millis(rtt),
        flows,
        ..Load::default()
    }
}

/// What is recommended is what was simulated, and the simulated delay is the goal's.
#[test]
fn a_delay_is_met_where_the_model_alone_misses_it() {
    let load = load(10, 20, 20.0);
    let wanted = Nanos::from_millis(20);
    let found = advised(load, Goal::Delay(wanted));
    let simulated = &found.simulated;
    let delay = |trial: &Trial| trial.measured.delay.mean / wanted.as_secs_f64();
    let chosen = &simulated.trials[simulated.chosen];
    assert!((delay(chosen) - 1.0).abs() < MET, "{:?}", simulated.trials);
    let best = |trial: &Trial| delay(trial).ln().abs();
    assert!(simulated.trials.iter().all(|one| best(one) >= best(chosen)));
    assert_eq!(
        found.recommendation.choices[0].advice.spec.to_string(),
        chosen.spec.to_string()
    );
    assert!(
        !simulated.misses.iter().any(is_delay),
        "{:?}",
        simulated.misses
    );
}

fn is_delay(miss: &Miss) -> bool {
    matches!(miss, Miss::Delay(..))
}

/// Two flows of CUBIC fill no link over a queue of a few packets.
#[test]
fn a_utilisation_takes_the_queue_that_it_needs() {
    let load = load(20, 40, 2.0);
    let found = advised(load, Goal::Utilisation(0.98)).simulated;
    let chosen = &found.trials[found.chosen];
    assert!(low(&chosen.measured.utilisation) >= 0.98, "{chosen:?}");
    assert!(chosen.is_stable());
    let shorter = found
        .trials
        .iter()
        .filter(|trial| trial.target < chosen.target);
    let wanted = Wanted {
        share: 0.98,
        spares: None,
    };
    assert!(shorter.into_iter().all(|trial| !wanted.is_met(trial)));
}

/// With thresholds of a packet or two, a target between two others may give the parameters of one
/// of them: the search once tried it for ever.
#[test]
fn a_search_ends_where_no_thresholds_lie_between() {
    let mut load = load(1, 40, 6.0);
    load.rate = BitsPerSec(1_200_000);
    load.tcp.ecn = true;
    let found = advised(load, Goal::Utilisation(0.98)).simulated;
    assert!(found.trials.len() <= TRIALS, "{:?}", found.trials);
}

/// Five packets' worth of delay cannot be had from fifty flows at 1 Mbps.
#[test]
fn what_cannot_be_met_is_said() {
    let found = advised(load(1, 10, 50.0), Goal::Delay(Nanos::from_millis(2)));
    let simulated = &found.simulated;
    assert!(simulated.misses.iter().any(is_delay), "{simulated:?}");
    let is_lossy = |miss: &Miss| matches!(miss, Miss::Lossy(..));
    assert!(simulated.misses.iter().any(is_lossy), "{simulated:?}");
}
