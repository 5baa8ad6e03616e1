use super::*;

fn queue(arrivals: f64, weights: &[f64], buffer: u64, acceptance: Acceptance) -> BatchQueue {
    BatchQueue {
        arrivals,
        service: 1.0,
        batch: Batch::weighted(weights).unwrap(),
        buffer,
        acceptance,
    }
}

fn exact(queue: &BatchQueue) -> Solution {
    queue.solve(Solver::Exact).unwrap()
}

/// To 8 digits.
fn close(actual: f64, printed: f64) -> bool {
    (actual / printed - 1.0).abs() < 5e-9
}

#[test]
fn reference_values_agree_to_8_digits() {
    use Acceptance::{Partial, Whole};
    let four = [0.0, 0.0, 0.0, 0.0, 1.0];
    let mixed = [0.0, 0.5, 0.3, 0.2];
    for (arrivals, weights, buffer, rule, mean, full, loss) in [
        (
            0.8,
            &[0.0, 1.0][..],
            10,
            Partial,
            2.96631427,
            0.0234928576,
            0.0234928576,
        ),
        (
            0.5,
            &mixed,
            10,
            Partial,
            3.71021567,
            0.0478385179,
            0.0766448325,
        ),
        (
            0.25,
            &four,
            200,
            Partial,
            99.5024752,
            0.00495049505,
            0.0123762376,
        ),
        (
            0.5,
            &[0.2; 5],
            20,
            Partial,
            9.64310341,
            0.0459770011,
            0.0919540233,
        ),
    ] {
        let solved = exact(&queue(arrivals, weights, buffer, rule));
        assert!(close(solved.mean(), mean), "{} {mean}", solved.mean());
        assert!(close(solved.full(), full), "{} {full}", solved.full());
        assert!(close(solved.loss(), loss), "{} {loss}", solved.loss());
    }
    let whole = exact(&queue(0.5, &mixed, 10, Whole));
    assert!(close(whole.mean(), 3.54475940), "{}", whole.mean());
    assert!(close(whole.full(), 0.0279316201), "{}", whole.full());
}

#[test]
fn departures_equal_accepted_arrivals() {
    for acceptance in [Acceptance::Partial, Acceptance::Whole] {
        for load in [0.01, 0.5, 0.99, 1.0, 1.3, 3.0] {
            let solved = exact(&queue(0.5, &[0.2; 5], 30, acceptance).at_load(load));
            let sent = 1.0 - solved.empty();
            assert!(
                (sent - load * (1.0 - solved.loss())).abs() < 1e-13,
                "{load}"
            );
        }
    }
}

#[test]
fn at_full_load_the_loss_equals_the_idle_share() {
    let solved = exact(&queue(
        0.25,
        &[0.0, 0.0, 0.0, 0.0, 1.0],
        200,
        Acceptance::Partial,
    ));
    assert!(close(solved.loss(), solved.empty()));
}

#[test]
fn a_buffer_of_one_is_empty_by_the_rates_alone() {
    for acceptance in [Acceptance::Partial, Acceptance::Whole] {
        let one = queue(0.7, &[0.25, 0.75], 1, acceptance);
        assert!(close(exact(&one).empty(), 1.0 / (1.0 + 0.7 * 0.75)));
    }
    let partial = queue(0.7, &[0.25, 0.5, 0.25], 1, Acceptance::Partial);
    assert!(close(exact(&partial).empty(), 1.0 / (1.0 + 0.7 * 0.75)));
}

#[test]
fn a_large_buffer_has_the_queue_of_an_infinite_one() {
    for weights in [&[0.0, 1.0][..], &[0.0, 0.5, 0.3, 0.2], &[0.2; 5]] {
        let large = queue(0.5, weights, 1_000_000, Acceptance::Partial).at_load(0.9);
        let (mean, second) = (large.batch.mean(), large.batch.second_moment());
        let infinite = 0.9 * (1.0 + second / mean) / (2.0 * 0.1);
        assert!(close(exact(&large).mean(), infinite));
    }
}

#[test]
fn geometric_batches_give_a_geometric_queue() {
    let ratio = 0.6;
    let geometric = BatchQueue {
        arrivals: 0.3,
        service: 1.0,
        batch: Batch::geometric(ratio).unwrap(),
        buffer: 60,
        acceptance: Acceptance::Partial,
    };
    let solved = exact(&geometric);
    for n in 1..60 {
        assert!(
            close(
                solved.probability(n + 1) / solved.probability(n),
                0.3 + ratio
            ),
            "{n}"
        );
    }
}

#[test]
fn only_the_ratio_of_the_rates_matters() {
    let slow = queue(0.4, &[0.0, 0.5, 0.3, 0.2], 50, Acceptance::Whole);
    let fast = BatchQueue {
        arrivals: 400.0,
        service: 1000.0,
        ..slow.clone()
    };
    assert!(close(exact(&slow).mean(), exact(&fast).mean()));
}

#[test]
fn the_dominant_root_is_close_in_the_mean_and_high_at_empty() {
    let batch = Batch::normal(4.0, 4.0, 8).unwrap();
    for load in [0.8, 0.9, 0.98, 1.0, 1.02] {
        let near = BatchQueue {
            arrivals: load / batch.mean() / (1.0 - batch.none()),
            service: 1.0,
            batch: batch.clone(),
            buffer: 200,
            acceptance: Acceptance::Partial,
        };
        let paper = near.solve(Solver::DominantRoot).unwrap();
        let off = paper.mean() - exact(&near).mean();
        assert!(off.abs() < 1.6, "{load}: {off}");
        let high = paper.empty() / exact(&near).empty();
        assert!((1.2..1.4).contains(&high), "{load}: {high}");
    }
}

#[test]
fn invalid_queues_are_refused() {
    let sound = queue(0.5, &[0.0, 1.0], 10, Acceptance::Partial);
    for (arrivals, service, buffer) in [
        (0.0, 1.0, 10),
        (f64::NAN, 1.0, 10),
        (0.5, -1.0, 10),
        (0.5, 1.0, 0),
        (1e20, 1.0, 10),
    ] {
        let wrong = BatchQueue {
            arrivals,
            service,
            buffer,
            ..sound.clone()
        };
        let error = wrong.solve(Solver::Exact).unwrap_err().to_string();
        assert!(error.contains("nearest"), "{error}");
    }
}

#[test]
fn quantiles_and_bins_match_the_probabilities() {
    for acceptance in [Acceptance::Partial, Acceptance::Whole] {
        let solved = exact(&queue(0.55, &[0.0, 0.5, 0.3, 0.2], 300, acceptance));
        let mut sum = 0.0;
        let mut share = 0.05;
        for n in 0..=300 {
            sum += solved.probability(n);
            assert!((solved.at_most(n) - sum).abs() < 1e-12, "{n}");
            while share < 1.0 && sum >= share + 1e-9 {
                assert_eq!(solved.quantile(share), n, "{share}");
                share += 0.05;
            }
        }
        let bins = solved.histogram(40);
        assert_eq!((bins.len(), bins[0].from, bins[39].to), (40, 0, 300));
        assert!(bins.windows(2).all(|pair| pair[0].to + 1 == pair[1].from));
        let total: f64 = bins.iter().map(|bin| bin.probability).sum();
        assert!((total - 1.0).abs() < 1e-12);
    }
}

#[test]
fn what_cannot_be_solved_has_a_nearest_buffer() {
    let large = |arrivals: f64, buffer: u64| BatchQueue {
        batch: Batch::fixed(10_000).unwrap(),
        ..queue(arrivals, &[0.0, 1.0], buffer, Acceptance::Partial)
    };
    // Each batch fills the buffer; the sequence of states has a period of a batch.
    let error = exact_error(&large(1e3, 1_000_000_000_000));
    assert!(error.ends_with("nearest: 100000"), "{error}");
    let error = exact_error(&queue(0.5, &[0.0, 1.0], u64::MAX, Acceptance::Partial));
    assert!(error.ends_with("nearest: 1000000000000"), "{error}");
}

#[test]
fn a_low_load_needs_no_state_that_is_never_reached() {
    let pairs = queue(0.5, &[0.0, 0.0, 1.0], 100_000_000, Acceptance::Whole).at_load(1e-9);
    let solved = exact(&pairs);
    assert!(solved.rows.singles() < 1000, "{}", solved.rows.singles());
    // A pair waits for one service on average: rho (1 + E[X^2]/E[X])/2.
    assert!(close(solved.mean(), 1.5e-9), "{}", solved.mean());
    let small = queue(0.5, &[0.0, 0.0, 1.0], 400, Acceptance::Whole).at_load(1e-9);
    let reference = by_recurrence(&small);
    let solved = exact(&small);
    for (n, p) in (0..).zip(&reference) {
        assert!((solved.probability(n) - p).abs() <= 1e-10 * p, "p({n}) {p}");
    }
}

#[test]
fn the_ends_of_the_load_are_allowed_and_have_a_sensitivity() {
    for load in LOADS {
        for batch in 1..=20 {
            let sound = BatchQueue {
                batch: Batch::fixed(batch).unwrap(),
                ..queue(0.5, &[0.0, 1.0], 100, Acceptance::Partial)
            };
            let end = sound.at_load(load);
            assert!(end.solve(Solver::Exact).is_ok(), "{batch} at {load:e}");
            let sensitivity = crate::closed_loop::sensitivity(&end).unwrap();
            assert!(sensitivity >= 0.0, "{batch} at {load:e}: {sensitivity}");
        }
    }
    let sound = queue(0.5, &[0.0, 1.0], 10, Acceptance::Partial);
    let error = exact_error(&sound.at_load(9.999e-10));
    assert_eq!(
        error,
        "rho = 9.999e-10: allowed: from 1e-9 to 1e9; nearest: 1e-9"
    );
}

fn exact_error(queue: &BatchQueue) -> String {
    queue.solve(Solver::Exact).unwrap_err().to_string()
}
