//! Distributions given by points: flow sizes as measured in networks.
//!
//! The text is that of published traffic generators, a size and the percentage of flows that are
//! not larger on each line:
//!
//! ```text
//! # bytes  percent
//! 0        0
//! 10000    15
//! 30000000 100
//! ```
//!
//! Between two points F is a straight line. Two points of one percentage are a gap; two of one size
//! are a share of flows that all have this size.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A cumulative distribution function F(x) of non-negative values, piecewise linear. Clones share
/// it.
///
/// ```
/// use earlydrop_sim::distribution::Distribution;
/// let sizes: Distribution = "0 0\n10 50\n100 100".parse()?;
/// assert_eq!(sizes.quantile(0.75), 55.0);
/// assert_eq!(sizes.mean(), 30.0);
/// # Ok::<(), earlydrop_sim::distribution::DistributionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// Values and F, both non-decreasing; F from 0 to 1.
    points: Arc<[(f64, f64)]>,
    mean: f64,
}

/// Why a text is no distribution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistributionError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it, and what is allowed.
    pub problem: String,
}

impl fmt::Display for DistributionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for DistributionError {}

impl FromStr for Distribution {
    type Err = DistributionError;

    fn from_str(text: &str) -> Result<Distribution, DistributionError> {
        let mut points: Vec<(f64, f64)> = Vec::new();
        let mut last_line = 1;
        for (index, line) in text.lines().enumerate() {
            let content = line.split('#').next().unwrap_or_default().trim();
            if content.is_empty() {
                continue;
            }
            last_line = index + 1;
            let problem = |problem: &str| DistributionError {
                line: index + 1,
                problem: format!("\"{}\" {problem}", shortened(content)),
            };
            let point = point(content).ok_or_else(|| {
                problem("is not a size in bytes and a percentage, such as 10000 15")
            })?;
            let (size, share) = points.last().copied().unwrap_or_default();
            if point.0 < size || point.1 < share {
                return Err(problem(
                    "is below the line before: sizes and percentages rise",
                ));
            }
            points.push(point);
        }
        let at_end = |problem: &str| DistributionError {
            line: last_line,
            problem: problem.to_string(),
        };
        match points.last() {
            None => {
                return Err(at_end(
                    "no points: a size in bytes and a percentage on each line",
                ));
            }
            Some((_, 1.0)) => {}
            Some(_) => return Err(at_end("the last percentage is not 100")),
        }
        // Published tables begin at the smallest size where all smaller flows have that size.
        if points[0].1 > 0.0 {
            points.insert(0, (points[0].0, 0.0));
        }
        let distribution = Distribution::of(points);
        match distribution.mean > 0.0 {
            true => Ok(distribution),
            false => Err(at_end("all sizes are 0")),
        }
    }
}

/// A line's size and share; `None` if they are no such numbers.
fn point(content: &str) -> Option<(f64, f64)> {
    let mut words = content.split(|c: char| c.is_whitespace() || c == ',');
    let mut number = || {
        let word = words.by_ref().find(|word| !word.is_empty())?;
        word.parse::<f64>().ok()
    };
    let (size, percent) = (number()?, number()?);
    let is_over = words.all(str::is_empty);
    let in_range = (0.0..=1e15).contains(&size) && (0.0..=100.0).contains(&percent);
    (is_over && in_range).then_some((size, percent / 100.0))
}

/// The beginning of a long line: it may be the whole of another file.
fn shortened(line: &str) -> String {
    const LONGEST: usize = 60;
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_string(),
    }
}

impl Distribution {
    fn of(points: Vec<(f64, f64)>) -> Distribution {
        let mean = points
            .windows(2)
            .map(|pair| (pair[1].1 - pair[0].1) * 0.5 * (pair[0].0 + pair[1].0))
            .sum();
        Distribution {
            points: points.into(),
            mean,
        }
    }

    /// The mean value.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The points: values, and the share of values that are not larger, from 0 to 1.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// The value x with F(x) = `share`, for shares from 0 to 1.
    pub fn quantile(&self, share: f64) -> f64 {
        let after = self.points.partition_point(|(_, f)| *f < share);
        let Some(&(x1, f1)) = self.points.get(after) else {
            return self.points.last().map_or(0.0, |(x, _)| *x);
        };
        match after.checked_sub(1).map(|before| self.points[before]) {
            Some((x0, f0)) => x0 + (x1 - x0) * (share - f0) / (f1 - f0),
            None => x1,
        }
    }

    /// The mean of values where those above `most` count as `most`: the integral of 1 - F from
    /// zero to `most`.
    pub fn mean_up_to(&self, most: f64) -> f64 {
        let first = self.points.first().map_or(0.0, |(x, _)| *x);
        let mut sum = first.min(most);
        for pair in self.points.windows(2) {
            let ((x0, f0), (x1, f1)) = (pair[0], pair[1]);
            if x0 >= most {
                break;
            }
            let end = x1.min(most);
            let at_end = match x1 > x0 {
                true => f0 + (f1 - f0) * (end - x0) / (x1 - x0),
                false => f1,
            };
            sum += (end - x0) * (1.0 - 0.5 * (f0 + at_end));
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_on_straight_lines_between_points() {
        // Half of all values are 4; a quarter lies evenly between 4 and 8, a quarter is 16.
        let read: Distribution = "4 50 # a comment\n\n8, 75\n16 75\n16 100".parse().unwrap();
        for (share, value) in [
            (0.0, 4.0),
            (0.5, 4.0),
            (0.625, 6.0),
            (0.75, 8.0),
            (0.76, 16.0),
            (1.0, 16.0),
        ] {
            assert_eq!(read.quantile(share), value, "{share}");
        }
        assert_eq!(read.mean(), 0.5 * 4.0 + 0.25 * 6.0 + 0.25 * 16.0);
        assert_eq!(read.mean_up_to(1e9), read.mean());
        assert_eq!(read.mean_up_to(2.0), 2.0);
        // Half 4, a quarter between 4 and 6 or 6, a quarter 6.
        let between = 0.125 * 5.0 + 0.125 * 6.0;
        assert_eq!(read.mean_up_to(6.0), 2.0 + between + 1.5);
    }

    #[test]
    fn errors_name_the_line() {
        let line = |text: &str| text.parse::<Distribution>().unwrap_err().line;
        assert_eq!(line(""), 1);
        assert_eq!(line("0 0\n10"), 2);
        assert_eq!(line("0 0\nten 50"), 2);
        assert_eq!(line("0 0\n10 50\n5 100"), 3);
        assert_eq!(line("0 0\n10 50\n20 40"), 3);
        assert_eq!(line("0 0\n\n10 50\n"), 3);
        assert_eq!(line("0 100"), 1);
        assert_eq!(line("0 0\n1 101"), 2);
        assert_eq!(line("nan 100"), 1);
    }
}
