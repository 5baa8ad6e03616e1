use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_model::Control;

use super::search::{TRIALS, for_round_trips};
use super::*;

fn question(load: Load, goal: Goal) -> Question {
    Question {
        load,
        scheme: "red".parse().unwrap(),
        buffer: None,
        goal,
        method: None,
        open_loop: None,
    }
}

fn advised(load: Load, goal: Goal) -> Advised {
    answered(&question(load, goal))
}

fn answered(question: &Question) -> Advised {
    let effort = Effort {
        length: RunLength::brief(question, 3),
        threads: 2,
        with_others: false,
        with_methods: false,
    };
    advise(question, effort, &AtomicBool::new(false), &mut |_| {}).unwrap()
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

/// DCTCP's marks follow the queue itself, above max as well; the model's proposal is near what its
/// simulation gives, and nothing is lost.
#[test]
fn dctcp_is_marked_by_the_queue_as_it_is() {
    let mut load = load(1000, 2, 10.0);
    (load.tcp.control, load.tcp.ecn) = (Control::Dctcp, true);
    let wanted = Nanos::from_micros(1000);
    let found = advised(load, Goal::Delay(wanted)).simulated;
    let chosen = &found.trials[found.chosen];
    let settings = chosen.spec.settings(&load.link()).unwrap();
    assert_eq!(settings.number("weight"), 1.0);
    assert!(settings.flag("mark_above_max"));
    assert!(chosen.measured.loss.mean == 0.0 && chosen.measured.marks.mean > 0.0);
    assert!(!found.misses.iter().any(is_delay), "{:?}", found.misses);
    let first = found.trials[0].measured.delay.mean / wanted.as_secs_f64();
    assert!((first - 1.0).abs() < MET, "the model alone: {first}");
}

/// The buffer of what is recommended is drop-tail's as well, and no longer than three times the path.
#[test]
fn drop_tail_has_the_recommended_buffer() {
    let mut load = load(10_000, 1, 40.0);
    (load.rtt, load.tcp.ecn) = (Nanos::from_micros(200), true);
    let found = advised(load, Goal::Usual);
    let buffer = found.recommendation.buffer;
    assert!(buffer <= 3.0 * load.bdp() + 1.0, "{buffer}");
    let full = found.simulated.drop_tail.queue.mean;
    assert!(full < buffer && full > 0.5 * buffer, "{full} of {buffer}");
    assert_eq!(found.simulated.misses, []);
}

/// Another target stands beside one that oscillates: never the same parameters.
#[test]
fn what_stands_beside_is_another_and_fuller_choice() {
    let found = advised(load(20, 600, 40.0), Goal::Delay(Nanos::from_millis(50))).simulated;
    let [own, rather] = [found.chosen, found.rather.unwrap()].map(|index| &found.trials[index]);
    assert!(!own.is_stable(), "{own:?}");
    assert!(rather.fills(found.full), "{rather:?}");
    assert_ne!(own.spec, rather.spec);
}

/// A buffer that is in the way of the goal: what a larger one gives is simulated.
#[test]
fn a_buffer_in_the_way_is_named() {
    let mut question = question(load(10, 50, 20.0), Goal::Delay(Nanos::from_secs(1)));
    question.buffer = Some(100.0);
    let found = answered(&question).simulated;
    assert!(found.trials.iter().all(|trial| trial.target <= 100.0 / 1.5));
    let delay = found.with_room.unwrap().measured.delay.mean;
    assert!((delay - 1.0).abs() < MET, "{delay}");
}

/// On a path of 1 ms the times of CoDel are a tenth of the Internet's, and PIE's gains ten times; by way of
/// a satellite they are six times as long.
#[test]
fn other_schemes_have_the_times_of_a_short_or_long_path() {
    let at = |millis: u64, name: &str| {
        let load = load(1000, millis, 10.0);
        for_round_trips(Spec::new(name).unwrap(), &load)
            .unwrap()
            .to_string()
    };
    assert_eq!(at(1, "codel"), "codel:target=500 us,interval=10 ms");
    assert_eq!(at(50, "codel"), "codel");
    assert_eq!(at(600, "codel"), "codel:target=30 ms,interval=600 ms");
    let pie = at(1, "pie");
    assert!(pie.contains("alpha=1.25,beta=12.5"), "{pie}");
    for name in OTHERS {
        let mut load = load(1000, 1, 10.0);
        load.rtt = Nanos(1);
        for_round_trips(Spec::new(name).unwrap(), &load).unwrap();
    }
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
