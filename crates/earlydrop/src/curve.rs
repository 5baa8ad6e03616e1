//! The drop curve: the initial probability Pb as a function of the average queue.
//!
//! Every curve is a list of polynomials, each valid from its start to the next one's. Their
//! coefficients are affine in one number, the *strength*:
//! `Pb(avg) = sum over k of (fixed_k + strength scaled_k) x^k`.
//! x is `avg - start`; a piece that is no polynomial in the average has another [`Argument`].
//!
//! Adaptations move the strength; a larger one always means more drops. It is
//! - max_p for most curves;
//! - 1 - gamma for DSRED and 1 - max_p for CLRED and FXRED, their probabilities at the midpoint;
//! - a factor, initially 1, for a curve given as numbers.

mod area;
mod argument;
mod why;

pub use argument::Argument;

use alloc::boxed::Box;
use alloc::vec::Vec;

/// Probability 1 in steps of 2^-32, the unit of every verdict in whole numbers.
pub(crate) const ONE: u64 = 1 << 32;

/// `p` in steps of 2^-32, rounded.
#[inline]
pub(crate) fn in_steps(p: f64) -> u64 {
    (p * ONE as f64 + 0.5) as i64 as u64
}

/// The thresholds and the strength a curve is made for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Where drops begin: min_th, Kl, min1.
    pub min: f64,
    /// The upper threshold: max_th, Kh.
    pub max: f64,
    /// The initial strength.
    pub strength: f64,
    /// Whether the part above `max` keeps the slope of the initial strength, as in ns-2 and
    /// ns-3, instead of starting at the present one.
    pub frozen_above_max: bool,
}

/// One polynomial, valid from `start` on: coefficients of x^0 to x^3.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Piece {
    /// Where it begins.
    pub start: f64,
    /// What x is; `avg - start` by default.
    pub argument: Argument,
    /// The part that does not depend on the strength.
    pub fixed: [f64; 4],
    /// The part that the strength multiplies.
    pub scaled: [f64; 4],
}

/// What multiplies the part of a curve that a parameter scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// `max_p`.
    MaxP,
    /// `1 - max_p`.
    OneMinusMaxP,
    /// `1 - gamma`: the curve does not use `max_p`.
    OneMinusGamma,
}

impl Strength {
    /// It in an equation.
    pub const fn symbol(self) -> &'static str {
        match self {
            Strength::MaxP => "max_p",
            Strength::OneMinusMaxP => "1 - max_p",
            Strength::OneMinusGamma => "1 - gamma",
        }
    }
}

/// A published curve.
#[derive(Debug)]
pub struct CurveLaw {
    /// Its name in configuration.
    pub name: &'static str,
    /// The equation, in one line.
    pub equation: &'static str,
    /// Where it is published.
    pub source: &'static str,
    /// What the strength is.
    pub strength: Strength,
    /// Its pieces in order; the first starts at `min`, and everything is dropped after the
    /// last.
    pub pieces: fn(&Shape) -> Pieces,
}

/// The most pieces a curve has.
pub const MOST_PIECES: usize = 8;

/// A curve's pieces and the average above which everything is dropped, without an
/// allocation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pieces {
    pieces: [Piece; MOST_PIECES],
    used: usize,
    last: f64,
}

impl Pieces {
    /// These pieces, at most [`MOST_PIECES`], up to `last`.
    pub fn new(pieces: &[Piece], last: f64) -> Pieces {
        let mut all = [Piece::default(); MOST_PIECES];
        all[..pieces.len()].copy_from_slice(pieces);
        Pieces {
            pieces: all,
            used: pieces.len(),
            last,
        }
    }

    /// The pieces in order.
    pub fn as_slice(&self) -> &[Piece] {
        &self.pieces[..self.used]
    }

    /// From this average on everything is dropped; infinite where there is no such average.
    pub fn last(&self) -> f64 {
        self.last
    }
}

impl CurveLaw {
    /// Converts `max_p` to the strength, or the strength to `max_p`.
    pub fn flip(&self, max_p_or_strength: f64) -> f64 {
        match self.strength {
            Strength::OneMinusMaxP => 1.0 - max_p_or_strength,
            Strength::MaxP | Strength::OneMinusGamma => max_p_or_strength,
        }
    }
}

/// A piece with its coefficients for the present strength.
#[derive(Clone, Copy, Debug)]
struct Fitted {
    start: f64,
    argument: Argument,
    coefficients: [f64; 4],
    /// Where it starts, in steps of the average.
    from: u64,
    /// The piece in whole numbers, where it is a straight line.
    line: Straight,
}

/// A piece as a rising straight line in whole numbers, for the fast path.
#[derive(Clone, Copy, Debug, Default)]
struct Straight {
    /// Its length in steps of the average; 0 when the piece is curved.
    width: u64,
    /// The probability where it starts, in steps of 2^-32.
    base: u64,
    /// Its rise per step of the average, in 2^-64 of a step of 2^-32.
    slope: u64,
}

impl Straight {
    /// The line of `fitted` up to `end`, where it is one and fits the whole numbers;
    /// `one` is the number of the average's steps to a packet or byte.
    fn fit(fitted: &Fitted, end: f64, one: f64) -> Option<Straight> {
        let [base, rise, square, cube] = fitted.coefficients;
        let width = end - fitted.start;
        let slope = libm::ldexp(rise * ONE as f64 / one, 64);
        let is_polynomial = fitted.argument == Argument::Distance;
        let is_line = is_polynomial && square == 0.0 && cube == 0.0 && rise >= 0.0;
        let fits = base >= 0.0 && base + rise * width <= 1.0 && slope < libm::ldexp(1.0, 64);
        (is_line && fits).then(|| Straight {
            width: (width * one) as u64,
            base: in_steps(base),
            slope: slope as u64,
        })
    }

    /// The probability `x` steps above the start, in steps of 2^-32; `None` beyond its end.
    #[inline(always)]
    fn at(&self, x: u64) -> Option<u64> {
        let rise = (u128::from(x) * u128::from(self.slope)) >> 64;
        (x < self.width).then(|| self.base + rise as u64)
    }
}

/// A curve at its present strength.
#[derive(Clone, Debug)]
pub struct Curve {
    shape: Shape,
    strength: f64,
    /// The factor of the whole curve; 1 as published.
    scale: f64,
    first: f64,
    last: f64,
    /// The average's steps to a packet or byte.
    one: f64,
    straight: Straight,
    /// The second piece, where it is a line too, and its start in steps of the average above
    /// the first.
    second: Straight,
    second_from: u64,
    fitted: Box<[Fitted]>,
    pieces: Box<[Piece]>,
}

impl Curve {
    /// The curve of `law` for `shape`.
    pub fn new(law: &CurveLaw, shape: Shape) -> Curve {
        Curve::from_pieces(&(law.pieces)(&shape), shape)
    }

    /// A curve of these pieces.
    pub fn from_pieces(pieces: &Pieces, shape: Shape) -> Curve {
        let fitted = |piece: &Piece| Fitted {
            start: piece.start,
            argument: piece.argument,
            coefficients: [0.0; 4],
            from: 0,
            line: Straight::default(),
        };
        let mut curve = Curve {
            shape,
            strength: shape.strength,
            scale: 1.0,
            first: 0.0,
            last: 0.0,
            one: 1.0,
            straight: Straight::default(),
            second: Straight::default(),
            second_from: 0,
            fitted: pieces.as_slice().iter().map(fitted).collect(),
            pieces: pieces.as_slice().into(),
        };
        curve.take(pieces);
        curve
    }

    /// Moves the curve of `law` to other thresholds; the strength stays.
    pub(crate) fn move_to(&mut self, law: &CurveLaw, min: f64, max: f64) {
        (self.shape.min, self.shape.max) = (min, max);
        self.take(&(law.pieces)(&self.shape));
    }

    /// Makes it the curve of `law` for `shape`, at the strength of that.
    pub(crate) fn reshape(&mut self, law: &CurveLaw, shape: Shape) {
        (self.shape, self.strength) = (shape, shape.strength);
        self.take(&(law.pieces)(&shape));
    }

    /// Replaces the pieces; their number stays.
    fn take(&mut self, pieces: &Pieces) {
        for (place, piece) in self.pieces.iter_mut().zip(pieces.as_slice()) {
            *place = piece.times(self.scale);
        }
        self.last = pieces.last;
        let first = self.pieces.first();
        self.first = first.map_or(self.last, |piece| piece.start);
        self.set_strength(self.strength);
    }

    /// The thresholds and the initial strength it was made for.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Below this average nothing is dropped early.
    #[inline]
    pub fn first(&self) -> f64 {
        self.first
    }

    /// From this average on everything is dropped.
    #[inline]
    pub fn last(&self) -> f64 {
        self.last
    }

    /// The present strength.
    pub fn strength(&self) -> f64 {
        self.strength
    }

    /// Moves the curve to another strength.
    pub fn set_strength(&mut self, strength: f64) {
        self.strength = strength;
        let mut end = self.last;
        for (fitted, piece) in self.fitted.iter_mut().zip(&self.pieces).rev() {
            (fitted.start, fitted.argument) = (piece.start, piece.argument);
            fitted.coefficients = piece.at(strength);
            fitted.from = (fitted.start * self.one) as u64;
            fitted.line = Straight::fit(fitted, end, self.one).unwrap_or_default();
            end = fitted.start;
        }
        let line = |place: usize| self.fitted.get(place).map(|fitted| fitted.line);
        self.straight = line(0).unwrap_or_default();
        self.second = line(1).unwrap_or_default();
        if let [first, second, ..] = &self.fitted[..] {
            self.second_from = second.from.saturating_sub(first.from);
        }
    }

    /// Prepares for averages that come in `one` steps to a packet or byte.
    pub(crate) fn count_in_steps(&mut self, one: u64) {
        self.one = one as f64;
        self.set_strength(self.strength);
    }

    /// Pb for `avg` at the present strength.
    #[inline]
    pub fn probability(&self, avg: f64) -> f64 {
        if avg < self.first {
            0.0
        } else if avg >= self.last {
            1.0
        } else {
            self.between(avg)
        }
    }

    /// Pb for `avg` between [`first`](Curve::first) and [`last`](Curve::last).
    fn between(&self, avg: f64) -> f64 {
        let mut pieces = self.fitted.iter().rev();
        pieces
            .find(|fitted| fitted.start <= avg)
            .map_or(0.0, |fitted| {
                let x = fitted.argument.at(avg, fitted.start);
                evaluate(&fitted.coefficients, x)
            })
    }

    /// Pb in steps of 2^-32, for an average in its own steps.
    #[inline(never)]
    pub(crate) fn steps_between(&self, avg: u64) -> u64 {
        let mut pieces = self.fitted.iter().rev();
        let covering = pieces.find(|fitted| fitted.from <= avg);
        covering
            .and_then(|fitted| fitted.line.at(avg - fitted.from))
            .unwrap_or_else(|| in_steps(self.between(avg as i64 as f64 / self.one)))
    }

    /// Pb in steps of 2^-32 for an average `x` steps above the first threshold, where the
    /// first piece is a straight line that covers it.
    #[inline(always)]
    pub(crate) fn steps_on_line(&self, x: u64) -> Option<u64> {
        self.straight.at(x)
    }

    /// Pb in steps of 2^-32 where the second piece is a straight line that covers `x`.
    #[inline(always)]
    pub(crate) fn steps_on_second_line(&self, x: u64) -> Option<u64> {
        self.second.at(x.wrapping_sub(self.second_from))
    }

    /// Pb for `avg` at another strength, for a single packet.
    pub fn probability_at(&self, avg: f64, strength: f64) -> f64 {
        if avg < self.first {
            return 0.0;
        }
        if avg >= self.last {
            return 1.0;
        }
        let covering = self.pieces.iter().rev().find(|piece| piece.start <= avg);
        covering.map_or(0.0, |piece| {
            let x = piece.argument.at(avg, piece.start);
            evaluate(&piece.at(strength), x)
        })
    }

    /// The end of a plot of the curve: a little above the last threshold.
    pub fn extent(&self) -> f64 {
        match self.last.is_finite() {
            true => 1.2 * self.last,
            false => 2.0 * self.shape.max,
        }
    }

    /// Points (average, probability) of a plot from 0 to `end`, about `steps` of them. A jump
    /// has two points: the limit from below, and the value.
    pub fn outline(&self, end: f64, steps: u32) -> Vec<(f64, f64)> {
        let tidy = |value: f64, places: f64| libm::round(value * places) / places;
        let point = |at: f64, probability: f64| (tidy(at, 1e6), tidy(probability, 1e9));
        let edges = [self.first, self.shape.max, self.last];
        let mut points = Vec::new();
        for edge in edges.into_iter().filter(|edge| *edge <= end) {
            points.push(point(edge, self.probability(edge.next_down())));
            points.push(point(edge, self.probability(edge)));
        }
        for step in 0..=steps {
            let at = tidy(end * f64::from(step) / f64::from(steps.max(1)), 1e6);
            points.push(point(at, self.probability(at)));
        }
        // Stable: both sides of a jump stay before the step that falls upon it.
        points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        points.dedup();
        points
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        size_of_val::<[Fitted]>(&self.fitted) + size_of_val::<[Piece]>(&self.pieces)
    }
}

impl Piece {
    /// A piece of probability 0 from `start` on, for coefficients to be added.
    pub fn starting_at(start: f64) -> Piece {
        Piece {
            start,
            ..Piece::default()
        }
    }

    /// The piece with every value multiplied by `factor`.
    fn times(&self, factor: f64) -> Piece {
        Piece {
            fixed: self.fixed.map(|c| c * factor),
            scaled: self.scaled.map(|c| c * factor),
            ..*self
        }
    }

    fn at(&self, strength: f64) -> [f64; 4] {
        core::array::from_fn(|k| self.fixed[k] + strength * self.scaled[k])
    }
}

/// The cubic in two independent halves, clamped to [0, 1].
#[inline]
fn evaluate(c: &[f64; 4], x: f64) -> f64 {
    let p = (c[0] + c[1] * x) + (c[2] + c[3] * x) * (x * x);
    p.clamp(0.0, 1.0)
}

/// The straight line on which gentle RED and MRED go from max_p at `max` to 1 at
/// twice `max`: `max_p + (1 - max_p) (avg - max)/max`.
pub(crate) fn gentle_piece(shape: &Shape) -> Piece {
    let slope = 1.0 / shape.max;
    if shape.frozen_above_max {
        Piece {
            start: shape.max,
            fixed: [shape.strength, (1.0 - shape.strength) * slope, 0.0, 0.0],
            ..Piece::default()
        }
    } else {
        Piece {
            start: shape.max,
            fixed: [0.0, slope, 0.0, 0.0],
            scaled: [1.0, -slope, 0.0, 0.0],
            ..Piece::default()
        }
    }
}

/// The straight line of RED from 0 at `min` to max_p at `max`.
pub(crate) fn linear_piece(shape: &Shape) -> Piece {
    Piece {
        start: shape.min,
        scaled: [0.0, 1.0 / (shape.max - shape.min), 0.0, 0.0],
        ..Piece::default()
    }
}

/// The name of a curve given as numbers.
pub(crate) const NUMBERS: &str = "numbers";

/// The points of a curve in words, with an example.
pub(crate) const POINTS: &str =
    "points (average:probability), at most 8 lines, as in '5:0 15:0.05 30:1'";

/// Reads a curve given by at least two points: `5:0 15:0.05 30:1`, a pair of the average and the
/// probability each. Straight lines connect them; two points at one average make a jump.
///
/// The curve is 0 before the first point. After the last it is constant; where that is 1,
/// everything is dropped from there on.
pub(crate) fn points(text: &str) -> Option<Pieces> {
    let mut points = Vec::new();
    for pair in text.split_whitespace() {
        let (average, probability) = pair.split_once(':')?;
        points.push((finite(average)?, finite(probability)?));
    }
    if points.len() < 2 {
        return None;
    }
    let mut pieces: Vec<Piece> = Vec::new();
    for pair in points.windows(2) {
        let [(start, from), (end, to)] = *pair else {
            continue;
        };
        if end < start {
            return None;
        }
        if end > start {
            let mut piece = Piece::starting_at(start);
            piece.scaled[..2].copy_from_slice(&[from, (to - from) / (end - start)]);
            pieces.push(piece);
        }
    }
    let (start, level) = *points.last()?;
    let mut top = Piece::starting_at(start);
    top.scaled[0] = level;
    pieces.push(top);
    checked(pieces)
}

/// Reads a curve given as numbers: `start: c0 c1 c2 c3; start: ...`, or by its [`points`].
///
/// The last piece must be a single number; where that is 1, everything is
/// dropped from there on.
pub(crate) fn parse_pieces(text: &str) -> Option<Pieces> {
    points(text).or_else(|| polynomials(text))
}

fn polynomials(text: &str) -> Option<Pieces> {
    let mut pieces = Vec::new();
    for part in text.split(';') {
        let (start, coefficients) = part.split_once(':')?;
        let mut piece = Piece::starting_at(finite(start)?);
        let mut degrees = 0;
        for (k, coefficient) in coefficients.split_whitespace().enumerate() {
            *piece.scaled.get_mut(k)? = finite(coefficient)?;
            degrees = k + 1;
        }
        if degrees == 0 {
            return None;
        }
        pieces.push(piece);
    }
    checked(pieces)
}

/// These pieces, if their starts rise, their values are probabilities, and the last is constant.
fn checked(mut pieces: Vec<Piece>) -> Option<Pieces> {
    let top = *pieces.last()?;
    let starts = pieces.iter().map(|piece| piece.start);
    if pieces.first()?.start < 0.0
        || !starts.is_sorted_by(|one, next| one < next)
        || top.scaled[1..] != [0.0; 3]
        || !probabilities_throughout(&pieces)
    {
        return None;
    }
    let drops_all = top.scaled[0] >= 1.0;
    if drops_all {
        pieces.pop();
    }
    let last = if drops_all { top.start } else { f64::INFINITY };
    (pieces.len() <= MOST_PIECES).then(|| Pieces::new(&pieces, last))
}

fn finite(text: &str) -> Option<f64> {
    let number: f64 = text.trim().parse().ok()?;
    number.is_finite().then_some(number)
}

/// Whether every piece stays within [0, 1] up to the next one's start, by 65 samples each:
/// enough to find any visible excursion of a cubic.
fn probabilities_throughout(pieces: &[Piece]) -> bool {
    pieces.iter().enumerate().all(|(index, piece)| {
        let end = pieces.get(index + 1).map_or(piece.start, |next| next.start);
        (0..=64).all(|step| {
            let x = (end - piece.start) * f64::from(step) / 64.0;
            let c = piece.scaled;
            let p = ((c[3] * x + c[2]) * x + c[1]) * x + c[0];
            (-1e-9..=1.0 + 1e-9).contains(&p)
        })
    })
}

#[cfg(test)]
mod tests;
