//! Intervals against the share of them that must contain the true mean.

use earlydrop::random::Pcg32;
use earlydrop_lab::statistics::{CONFIDENCE, Mean, paired};

/// A normal number (Box-Muller) with mean 3 and deviation 2.
fn normal(random: &mut Pcg32) -> f64 {
    let (u, angle) = (1.0 - random.uniform(), random.uniform());
    3.0 + 2.0 * (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// Of 10,000 intervals the share that contains the mean deviates by 0.0022, so the bound of 5
/// deviations is exceeded by chance with probability 6e-7 for each number of values. An interval
/// from the normal distribution instead of Student's contains the mean of 10 values in 92%.
#[test]
fn intervals_contain_the_mean_as_often_as_they_say() {
    const EXPERIMENTS: u32 = 10_000;
    let deviation = (CONFIDENCE * (1.0 - CONFIDENCE) / f64::from(EXPERIMENTS)).sqrt();
    let mut random = Pcg32::new(1, 1);
    for values in [2, 3, 5, 10, 30] {
        let mut draw = || (0..values).map(|_| normal(&mut random)).collect::<Vec<_>>();
        let mut contained = [0; 2];
        for _ in 0..EXPERIMENTS {
            let (one, other) = (draw(), draw());
            let mean = Mean::of(&one).unwrap();
            contained[0] += u32::from((mean.mean - 3.0).abs() <= mean.half.unwrap());
            contained[1] += u32::from(!paired(&one, &other).unwrap().excludes_zero());
        }
        for count in contained {
            let share = f64::from(count) / f64::from(EXPERIMENTS);
            let off = (share - CONFIDENCE).abs();
            assert!(off < 5.0 * deviation, "{values} values: {share}");
        }
    }
}
