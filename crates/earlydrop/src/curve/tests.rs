//! Curves given as text, and their whole-number form.

use super::*;

#[test]
fn numbers_become_pieces() {
    let pieces = parse_pieces("10: 0 0.01; 20: 0.1 0.02 0.001; 30: 1").unwrap();
    assert_eq!(pieces.last(), 30.0);
    let shape = Shape {
        min: 10.0,
        max: 30.0,
        strength: 1.0,
        frozen_above_max: false,
    };
    let curve = Curve::from_pieces(&pieces, shape);
    assert_eq!(curve.probability(9.9), 0.0);
    assert_eq!(curve.probability(15.0), 0.05);
    assert!((curve.probability(25.0) - (0.1 + 0.1 + 0.025)).abs() < 1e-12);
    assert_eq!(curve.probability(30.0), 1.0);
    assert!((curve.probability_at(15.0, 3.0) - 0.15).abs() < 1e-12);
    // No drop-all: the last number holds for ever.
    assert_eq!(parse_pieces("10: 0.5").unwrap().last(), f64::INFINITY);
}

#[test]
fn points_are_connected_by_straight_lines() {
    for (points, numbers) in [
        ("5:0 15:0.1 15:1", "5: 0 0.01; 15: 1"),
        ("5:0 15:0.1 35:1", "5: 0 0.01; 15: 0.1 0.045; 35: 1"),
        ("0:0.25  4:0.5", "0: 0.25 0.0625; 4: 0.5"),
        (
            "8:0.5 16:0.25 16:0.5 32:0.5",
            "8: 0.5 -0.03125; 16: 0.5 0; 32: 0.5",
        ),
    ] {
        assert_eq!(parse_pieces(points), parse_pieces(numbers), "{points}");
        assert!(parse_pieces(points).is_some(), "{points}");
    }
    for text in [
        "5:0",        // a single point is no line
        "15:0 5:1",   // averages fall
        "5:0 15:1.5", // no probability
        "5:-0.1 15:1",
        "-5:0 15:1",
        "5:0 15",
        "5:0, 15:1",
        "5:0 15:1 15:0.5 15:x",
        "1:0 2:0 3:0 4:0 5:0 6:0 7:0 8:0 9:0 10:1", // nine lines
    ] {
        assert_eq!(points(text), None, "{text}");
    }
}

#[test]
fn whole_numbers_agree_with_the_closed_form() {
    for law in crate::red::CURVES {
        for one in [1_u64 << 30, 1 << 24] {
            let shape = Shape {
                min: 10.0,
                max: 30.0,
                strength: 0.3,
                frozen_above_max: false,
            };
            let mut curve = Curve::new(law, shape);
            curve.count_in_steps(one);
            curve.set_strength(0.2);
            for step in 0..1000 {
                let avg = 10.0 + (curve.last() - 10.0) * f64::from(step) / 1000.0;
                let avg_steps = libm::ceil(avg * one as f64) as u64;
                let line = curve.steps_on_line(avg_steps - 10 * one);
                let steps = line.unwrap_or_else(|| curve.steps_between(avg_steps));
                let error = steps as f64 / ONE as f64 - curve.probability(avg);
                assert!(error.abs() < 2e-8, "{} at {avg}: {error}", law.name);
            }
        }
    }
}

#[test]
fn numbers_that_are_no_curve_are_refused() {
    for text in [
        "",
        "10",
        "10: ",
        "10: x",
        "10: 0 0.1",    // does not end in a constant
        "10: 0; 10: 1", // starts do not rise
        "20: 0; 10: 1",
        "10: 0 0.2; 30: 1",     // 4 at 30
        "10: 0.1 -0.1; 30: 1",  // below 0
        "10: 0 0 0 0 1; 30: 1", // too many coefficients
        "10: nan; 30: 1",
        "-5: 0 0.01; 30: 1",
        "1: 0; 2: 0; 3: 0; 4: 0; 5: 0; 6: 0; 7: 0; 8: 0; 9: 0; 10: 1", // too many
    ] {
        assert!(parse_pieces(text).is_none(), "{text}");
    }
}
