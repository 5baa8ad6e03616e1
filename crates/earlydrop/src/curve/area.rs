//! The area under a curve, by which shapes are compared at equal strength.

use super::{Curve, evaluate};

/// The number of panels of Simpson's rule for each piece; even. Exact for polynomials.
const PANELS: u32 = 4096;

impl Curve {
    /// The mean of Pb over averages between the thresholds `min` and `max`: the area under the
    /// curve there, as a share of the band's width.
    ///
    /// ```
    /// use earlydrop::registry::{LinkFacts, Spec};
    /// use earlydrop::units::BitsPerSec;
    ///
    /// let red: Spec = "red:min=10,max=30,max_p=0.1".parse()?;
    /// let plan = red.plan(&LinkFacts::at(BitsPerSec::from_mbps(10)))?;
    /// let mean = plan.curve().map(|curve| curve.mean_probability());
    /// assert!((mean.unwrap_or_default() - 0.05).abs() < 1e-12);
    /// # Ok::<(), earlydrop::registry::ConfigError>(())
    /// ```
    pub fn mean_probability(&self) -> f64 {
        let (min, max) = (self.shape.min, self.shape.max);
        let mut end = max.min(self.last);
        // From `last` to `max` everything is dropped.
        let mut area = max - end;
        for index in (0..self.fitted.len()).rev() {
            let start = self.fitted[index].start.clamp(min, max);
            if start < end {
                area += self.area_of(index, start, end);
                end = start;
            }
        }
        area / (max - min)
    }

    /// The area under one piece from `start` to `end`, by Simpson's rule.
    fn area_of(&self, index: usize, start: f64, end: f64) -> f64 {
        let piece = &self.fitted[index];
        let step = (end - start) / f64::from(PANELS);
        let at = |node: u32| {
            let avg = start + step * f64::from(node);
            evaluate(&piece.coefficients, piece.argument.at(avg, piece.start))
        };
        let weighted = (0..=PANELS).map(|node| match node {
            0 | PANELS => at(node),
            odd if odd % 2 == 1 => 4.0 * at(odd),
            even => 2.0 * at(even),
        });
        weighted.sum::<f64>() * step / 3.0
    }

    /// Multiplies the whole curve by a factor, so that Pb has this mean between the thresholds.
    /// The factor stays when thresholds or strength move. Returns whether the curve has a mean
    /// to begin with.
    pub(crate) fn scale_to_mean(&mut self, wanted: f64) -> bool {
        let mean = self.mean_probability();
        if mean > 0.0 {
            let factor = wanted / mean;
            self.scale *= factor;
            for piece in &mut self.pieces {
                *piece = piece.times(factor);
            }
            self.set_strength(self.strength);
        }
        mean > 0.0
    }
}

#[cfg(test)]
mod tests {
    use crate::red::{CURVES, Curve, Shape};
    use crate::registry::{LinkFacts, Spec};
    use crate::testing::mbps;

    fn planned(text: &str) -> Curve {
        let spec: Spec = text.parse().unwrap();
        let plan = spec.plan(&LinkFacts::at(mbps(10))).unwrap();
        plan.curve().unwrap().clone()
    }

    #[test]
    fn means_are_those_computed_by_hand() {
        for (text, wanted) in [
            ("red:max_p=0.1", 0.05),
            ("nlred:max_p=0.1", 0.05),  // 1.5 * 0.1 / 3
            ("tred:max_p=0.1", 0.05),   // the cubes outweigh each other
            ("dsred:gamma=0.8", 0.35),  // 0.1 / 2 and 0.6 / 2
            ("clred:max_p=0.1", 0.625), // 0.9 / 3 / 2 and 0.95 / 2
            ("curvy-red:max=30", 1.0 / 3.0),
            // 0.1 / 24 and 0.1 * 2/3 * (1 - 2^-1.5)
            (
                "smred:max_p=0.1",
                0.1 / 24.0 + 0.1 * 2.0 / 3.0 * 0.646_446_609_406_726_2,
            ),
            // (e^20 - 1 - 20) / (e^20 - 1) / 20
            ("red-e", (1.0 - 20.0 / 485_165_194.409_79) / 20.0),
        ] {
            let text = match text {
                "curvy-red:max=30" => text.into(),
                _ => alloc::format!(
                    "{text}{}min=10,max=30",
                    if text.contains(':') { "," } else { ":" }
                ),
            };
            let mean = planned(&text).mean_probability();
            assert!((mean - wanted).abs() < 1e-9, "{text}: {mean} {wanted}");
        }
    }

    #[test]
    fn every_curve_takes_the_area_it_is_given() {
        for law in CURVES {
            let text = alloc::format!("red:curve={},min=10,max=30,area=0.05", law.name);
            let curve = planned(&text);
            assert!(
                (curve.mean_probability() - 0.05).abs() < 1e-9,
                "{}",
                law.name
            );
        }
    }

    #[test]
    fn the_factor_stays_when_the_curve_moves() {
        let mut curve = planned("clred:min=10,max=30,max_p=0.1,area=0.05");
        // 0.05 / 0.625 of the curve.
        assert!((curve.probability(20.0) - 0.08 * 0.9).abs() < 1e-12);
        assert!((curve.probability_at(20.0, 0.5) - 0.08 * 0.5).abs() < 1e-12);
        assert_eq!(curve.probability(30.0), 1.0);
        curve.move_to(&crate::red::variants::clred::CURVE, 20.0, 60.0);
        assert!((curve.probability(40.0) - 0.08 * 0.9).abs() < 1e-12);
        let shape = Shape {
            strength: 0.5,
            ..*curve.shape()
        };
        curve.reshape(&crate::red::variants::clred::CURVE, shape);
        assert!((curve.probability(40.0) - 0.08 * 0.5).abs() < 1e-12);
    }
}
