//! How often verdicts are wrong, by simulation: the table of `docs/explanation/statistics.md`.

use earlydrop::random::Pcg32;

use super::measurements::Measurements;
use super::verdict::{Verdict, judge};
use super::verdict_tests::claim;

const TRIALS: u64 = 400;
const SEEDS: u64 = 10;

/// A normal random number (G. E. P. Box, M. E. Muller, "A note on the generation of random normal
/// deviates", *Annals of Mathematical Statistics* 29, 1958, 610-611).
fn normal(random: &mut Pcg32) -> f64 {
    let (radius, angle) = (1.0 - random.uniform(), random.uniform());
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// A scheme whose values exceed another's by a share, with so much noise, at so many points.
fn measured(points: usize, difference: f64, noise: f64, random: &mut Pcg32) -> Measurements {
    let names: Vec<String> = (0..points).map(|point| point.to_string()).collect();
    let draws: Vec<f64> = (0..points * SEEDS as usize)
        .map(|_| noise * normal(random))
        .collect();
    let rule = |scheme: usize, at: &[usize], seed: u64| match scheme {
        0 => 1.0 + difference + draws[at[0] * SEEDS as usize + seed as usize - 1],
        _ => 1.0,
    };
    let places = (0..points).map(|point| vec![point]).collect();
    Measurements::by_rule(
        vec![("load".to_string(), names)],
        places,
        &["new", "old"],
        SEEDS,
        rule,
    )
}

/// The share of trials with each verdict, in per cent.
fn shares(test: &str, points: usize, difference: f64, noise: f64) -> Vec<f64> {
    let claim = claim("", test);
    let mut random = Pcg32::new(points as u64, 0x7665_7264);
    let mut counts = [0; Verdict::ALL.len()];
    for _ in 0..TRIALS {
        let measured = measured(points, difference, noise, &mut random);
        let verdict = judge(&claim, &measured).verdict;
        let at = Verdict::ALL.iter().position(|one| *one == verdict);
        counts[at.unwrap()] += 1;
    }
    counts
        .map(|count| 100.0 * f64::from(count) / TRIALS as f64)
        .to_vec()
}

/// The rows of the page: what is claimed, what is so, and how often which verdict is given.
fn rows() -> Vec<String> {
    let equal = "{ kind = \"equal\", schemes = [\"new\", \"old\"], tolerance = 0.02 }";
    let more = "{ kind = \"more\", scheme = \"new\", than = [\"old\"] }";
    let cases = [
        ("equal within 2%", equal, "0", 0.0),
        (
            "equal within 2%",
            equal,
            "2%, the end of what is claimed",
            0.02,
        ),
        ("more", more, "0", 0.0),
    ];
    let mut rows = Vec::new();
    for (said, test, truth, difference) in cases {
        for points in [1, 9, 45] {
            for noise in [0.01, 0.1, 0.16] {
                let shares = shares(test, points, difference, noise);
                let cells: Vec<String> =
                    shares[..5].iter().map(|one| format!("{one:.1}")).collect();
                rows.push(format!(
                    "| {said} | {truth} | {points} | {:.0}% | {} |",
                    100.0 * noise,
                    cells.join(" | ")
                ));
            }
        }
    }
    rows
}

/// However many comparisons, and however wide seeds are apart: exact equality is contradicted, and a
/// direction shown where there is none, in no more than one of twenty sets, with three standard errors
/// of 400 trials for chance. The page has all rates.
#[test]
fn no_more_than_one_verdict_in_twenty_is_wrong() {
    let rows = rows();
    for row in &rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let share = |at: usize| cells[at].parse::<f64>().unwrap();
        let (holds, in_part, contradicted) = (share(5), share(6), share(8));
        let wrong = match (cells[1], cells[2]) {
            ("more", _) => (holds + in_part).max(contradicted),
            (_, "0") => contradicted,
            _ => holds,
        };
        assert!(wrong < 5.0 + 3.3, "{row}");
    }
    let page = include_str!("../../../../docs/explanation/statistics.md");
    let missing = rows.iter().any(|row| !page.contains(row));
    assert!(!missing, "not on the page:\n{}", rows.join("\n"));
}
