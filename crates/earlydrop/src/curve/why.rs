//! The equation of a curve at one average, with its numbers.

use alloc::format;
use alloc::string::{String, ToString};

use super::{Argument, Curve, evaluate};
use crate::explanation::{Number, numbers};

impl Curve {
    /// The equation of Pb for `avg` at `strength`, between the curve's first and last thresholds,
    /// and its numbers; `law` is the curve's name.
    pub(crate) fn equation(&self, law: &str, avg: f64, strength: f64) -> (String, String) {
        let piece = self.pieces.iter().rposition(|piece| piece.start <= avg);
        let piece = piece.unwrap_or(0);
        let published = match self.scale == 1.0 {
            true => self.published((law, piece), avg, strength),
            false => None,
        };
        let (equation, text) = published.unwrap_or_else(|| self.polynomial(piece, avg, strength));
        let coefficients = self.pieces[piece].at(strength);
        let x = self.pieces[piece]
            .argument
            .at(avg, self.pieces[piece].start);
        let unbounded = coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c);
        match unbounded {
            p if p > 1.0 => (format!("{equation}, at most 1"), format!("min(1, {text})")),
            p if p < 0.0 => (format!("{equation}, at least 0"), format!("max(0, {text})")),
            _ => (equation, text),
        }
    }

    /// A piece of the curve called `law` as its paper writes it.
    fn published(&self, (law, piece): (&str, usize), avg: f64, s: f64) -> Option<(String, String)> {
        let shape = self.shape;
        let (min, max) = (shape.min, shape.max);
        let (equation, text) = match (law, piece) {
            ("red" | "gentle", 0) => (
                "p_b = max_p (avg - min) / (max - min)",
                numbers!("{} * ({} - {}) / ({} - {})", s, avg, min, max, min),
            ),
            ("gentle" | "nlred-gentle" | "mred", 1) => {
                let p = if shape.frozen_above_max {
                    shape.strength
                } else {
                    s
                };
                (
                    "p_b = max_p + (1 - max_p) (avg - max) / max",
                    numbers!("{} + (1 - {}) * ({} - {}) / {}", p, p, avg, max, max),
                )
            }
            ("dsred", 0) => (
                "p_b = 2 (1 - gamma) (avg - min) / (max - min)",
                numbers!("2 * {} * ({} - {}) / ({} - {})", s, avg, min, max, min),
            ),
            ("dsred" | "clred", 1) => {
                let equation = match law {
                    "clred" => "p_b = 1 - max_p + 2 max_p (avg - mid) / (max - min)",
                    _ => "p_b = 1 - gamma + 2 gamma (avg - mid) / (max - min)",
                };
                let mid = (min + max) / 2.0;
                (
                    equation,
                    numbers!(
                        "{} + 2 * (1 - {}) * ({} - {}) / ({} - {})",
                        s,
                        s,
                        avg,
                        mid,
                        max,
                        min
                    ),
                )
            }
            ("nlred" | "nlred-gentle", 0) => (
                "p_b = 1.5 max_p ((avg - min) / (max - min))^2",
                numbers!(
                    "1.5 * {} * (({} - {}) / ({} - {}))^2",
                    s,
                    avg,
                    min,
                    max,
                    min
                ),
            ),
            ("mred", 0) => (
                "p_b = max_p (avg^2 - min^2) / (max^2 - min^2)",
                numbers!("{} * ({}^2 - {}^2) / ({}^2 - {}^2)", s, avg, min, max, min),
            ),
            ("clred", 0) => (
                "p_b = 4 (1 - max_p) ((avg - min) / (max - min))^2",
                numbers!("4 * {} * (({} - {}) / ({} - {}))^2", s, avg, min, max, min),
            ),
            _ => return None,
        };
        Some((equation.to_string(), text))
    }

    /// The piece's polynomial in its argument x.
    fn polynomial(&self, piece: usize, avg: f64, strength: f64) -> (String, String) {
        let piece = &self.pieces[piece];
        let coefficients = piece.at(strength);
        let (argument, x) = piece.argument.in_words(avg, piece.start);
        let mut equation = String::from("p_b = c0");
        let mut text = numbers!("{}", coefficients[0]);
        for (power, coefficient) in coefficients.iter().enumerate().skip(1) {
            if *coefficient == 0.0 {
                continue;
            }
            let exponent = match power {
                1 => String::new(),
                _ => format!("^{power}"),
            };
            equation += &format!(" + c{power} x{exponent}");
            text += &format!(" + {} * {x}{exponent}", Number(*coefficient));
        }
        equation += &format!(", {argument}");
        debug_assert!(evaluate(&coefficients, piece.argument.at(avg, piece.start)).is_finite());
        (equation, text)
    }
}

impl Argument {
    /// What x is, and x at `avg` with its numbers, in parentheses.
    fn in_words(&self, avg: f64, start: f64) -> (&'static str, String) {
        match *self {
            Argument::Distance => ("x = avg - start", numbers!("({} - {})", avg, start)),
            Argument::Power {
                zero,
                width,
                exponent,
            } => (
                "x = ((avg - zero) / width)^exponent",
                numbers!("((({} - {}) / {})^{})", avg, zero, width, exponent),
            ),
            Argument::Exponential { at } => (
                "x = e^(avg - max)",
                numbers!("({}^({} - {}))", core::f64::consts::E, avg, at),
            ),
        }
    }
}
