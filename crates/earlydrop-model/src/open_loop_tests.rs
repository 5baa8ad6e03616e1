use super::*;
use crate::Tcp;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

fn load() -> Load {
    Load {
        rate: BitsPerSec::from_mbps(100),
        rtt: Nanos::from_millis(50),
        flows: 150.0,
        ..Load::default()
    }
}

fn known(loss: f64) -> OpenLoopInput {
    let windows = None;
    OpenLoopInput { loss, windows }
}

#[test]
fn the_printed_queues_require_these_loads() {
    for (mean, largest, buffer, rho, printed) in [
        (4.0, 8, 200, 0.982_765, 79.54),
        (4.4, 9, 1000, 1.003_533, 592.01),
    ] {
        let queue = BatchQueue {
            arrivals: 1.0,
            service: 1.0,
            batch: Batch::normal(mean, 4.0, largest).unwrap(),
            buffer,
            acceptance: Acceptance::Partial,
        };
        let actual = queue.at_load(rho).solve(Solver::Exact).unwrap().mean();
        assert!((actual - printed).abs() < 0.05, "{actual} {printed}");
    }
}

#[test]
fn the_open_loop_depends_on_the_given_loss() {
    let at = |p| open_loop(&load(), &known(p), 600.0).unwrap();
    let queues = [0.15, 0.1, 0.08, 0.06].map(|p| at(p).queue);
    assert!(queues.is_sorted(), "{queues:?}");
    assert!(open_loop(&load(), &known(0.0), 600.0).is_err());
    let packet = Load {
        packet: Bytes(500),
        ..load()
    };
    assert!(open_loop(&packet, &known(0.05), 600.0).unwrap().load < at(0.05).load);
}

#[test]
fn a_loss_too_rare_for_a_batch_has_a_nearest() {
    let load = Load::default();
    let error = open_loop(&load, &known(1e-10), 100.0).unwrap_err();
    let text = error.to_string();
    let (_, nearest) = text.rsplit_once("nearest: ").unwrap();
    assert!(text.starts_with("loss = 0.0000000001: allowed: "), "{text}");
    assert!(
        open_loop(&load, &known(nearest.parse().unwrap()), 100.0).is_ok(),
        "{text}"
    );
}

/// The first setting of Chandrayana et al. with the loss of their table 1, and a T_O in round trips.
/// The link rate is the sum of the table's goodputs.
fn first_setting(timeout: f64) -> OpenLoop {
    let rtt = 0.052;
    let load = Load {
        rate: BitsPerSec::from_mbps(20),
        packet: Bytes(1000),
        rtt: Nanos::from_secs_f64(rtt),
        flows: 48.0,
        tcp: Tcp {
            timeout: Some(Nanos::from_secs_f64(timeout * rtt)),
            ..Tcp::default()
        },
    };
    let input = OpenLoopInput {
        loss: 0.0572,
        windows: Some(Batch::normal(4.0, 4.0, 8).unwrap()),
    };
    open_loop(&load, &input, 200.0).unwrap()
}

#[test]
fn formulas_19_and_23_to_27_give_the_first_printed_queue() {
    // T_O is not printed: 4 round trips are TFRC's (RFC 5348, section 3.1).
    let usual = first_setting(4.0);
    assert!((usual.load - 0.9865).abs() < 1e-4, "{usual:?}");
    assert!((usual.queue - 83.71).abs() < 0.01, "{usual:?}");
    // 1% less load is 11 packets less.
    assert!((usual.sensitivity / 100.0 - 11.3).abs() < 0.1, "{usual:?}");
    let fitted = first_setting(4.046);
    assert!((fitted.load - 0.9828).abs() < 1e-4, "{fitted:?}");
    assert!((fitted.queue / 79.54 - 1.0).abs() < 1e-3, "{fitted:?}");
    assert!((fitted.timeout_share - 0.3346).abs() < 1e-3, "{fitted:?}");
}

#[test]
fn formula_22_holds_for_two_flows_more_only() {
    let fitted = first_setting(4.046);
    let most = fitted.most_flows(120.0).unwrap();
    assert!((most - 49.72).abs() < 0.02, "{most}");
    // It is the inverse of formula (19).
    let same = fitted.most_flows(fitted.queue).unwrap();
    assert!((same - 48.0).abs() < 1e-6, "{same}");
    assert_eq!(
        fitted.most_flows(200.0),
        None,
        "the buffer is never exceeded"
    );
    assert_eq!(fitted.most_flows(0.0), None);
}

#[test]
fn no_timeout_gives_the_second_printed_queue_over_the_printed_round_trip() {
    let load = |rtt: f64, timeout: f64| Load {
        rate: BitsPerSec(66_667_000),
        packet: Bytes(1000),
        rtt: Nanos::from_secs_f64(rtt),
        flows: 150.0,
        tcp: Tcp {
            timeout: Some(Nanos::from_secs_f64(timeout * rtt)),
            ..Tcp::default()
        },
    };
    let input = OpenLoopInput {
        loss: 0.0339,
        windows: Some(Batch::normal(4.4, 4.0, 9).unwrap()),
    };
    // Timeouts only lower the load.
    let most = open_loop(&load(0.2, 0.0), &input, 1000.0).unwrap();
    assert!(most.load < 0.4 && most.queue < 2.1, "{most:?}");
    let shorter = open_loop(&load(0.06095, 4.0), &input, 1000.0).unwrap();
    assert!((shorter.queue / 592.01 - 1.0).abs() < 0.02, "{shorter:?}");
}
