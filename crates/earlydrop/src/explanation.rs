//! Why a packet is dropped, marked or kept: the numbers of a verdict as a chain of equations.
//!
//! [`AnyQueue::explain_arrival`](crate::AnyQueue::explain_arrival) and its like make them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::packet::PacketInfo;
use crate::units::Nanos;

/// Why one packet is dropped, marked or kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The law that decides, such as "uniform spacing".
    pub rule: String,
    /// Where that law is published.
    pub source: &'static str,
    /// The numbers that lead to the decision, in order. An equation may name the symbols of the
    /// steps before it.
    pub steps: Vec<Step>,
    /// The probability with which the packet was judged, where one decides: the packet is dropped
    /// or marked if [`random`](Explanation::random) is below it.
    pub chance: Option<f64>,
    /// The random number drawn, in [0, 1), where one decides.
    pub random: Option<f64>,
    /// What is compared, and what becomes of the packet: "0.034 < 0.081: dropped". It ends in
    /// "dropped", "marked" or "kept".
    pub decision: String,
}

/// One number of an [`Explanation`].
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What the number is, in words: "the average queue".
    pub says: String,
    /// Its symbol: "avg".
    pub symbol: String,
    /// The equation it follows from: "avg = (1 - w) avg + w q".
    pub equation: String,
    /// The right side of the equation in numbers: "(1 - 0.002) * 12.31 + 0.002 * 17".
    ///
    /// It holds numbers without exponents, `+ - * / ^ ( )`, `min(,)`, `max(,)` and `sqrt( )` only,
    /// and evaluates to `value` within a millionth of it, or within 1e-9.
    pub numbers: String,
    /// The number itself, as the scheme has it.
    pub value: f64,
    /// Its unit: "packets", "s", or nothing.
    pub unit: &'static str,
}

/// The rule, each number on a line of its own, and the decision on the last line.
///
/// ```text
/// uniform spacing (Floyd, Jacobson 1993, section 4)
///   the average queue: avg = (1 - w) avg + w q = (1 - 0.002) * 12.31 + 0.002 * 17 = 12.32 packets
/// 0.034 < 0.081: dropped
/// ```
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} ({})", self.rule, self.source)?;
        for step in &self.steps {
            writeln!(f, "  {step}")?;
        }
        f.write_str(&self.decision)
    }
}

/// What the number is, its equation, the equation in numbers, and the value.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = amount(self.value, self.unit);
        match self.equation == self.symbol {
            true => write!(f, "{}: {} = {value}", self.says, self.symbol),
            false => {
                let (says, equation, numbers) = (&self.says, &self.equation, &self.numbers);
                write!(f, "{says}: {equation} = {numbers} = {value}")
            }
        }
    }
}

/// A number for [`Step::numbers`]: up to 15 digits, which leave out the last rounding error, and
/// negative ones in parentheses.
pub(crate) struct Number(pub(crate) f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = format!("{:.14e}", self.0).parse().unwrap_or(self.0);
        // Minus zero is written as zero.
        let value: f64 = value + 0.0;
        match value < 0.0 {
            true => write!(f, "({value})"),
            false => write!(f, "{value}"),
        }
    }
}

/// [`Step::numbers`] from a format and its numbers, all `f64`.
macro_rules! numbers {
    ($text:literal $(, $value:expr)* $(,)?) => {
        alloc::format!($text $(, $crate::explanation::Number($value))*)
    };
}
pub(crate) use numbers;

/// A number to read: `digits` digits, without zeros at the end.
fn short(value: f64, digits: i32) -> String {
    let magnitude = match value == 0.0 {
        true => 0,
        false => libm::floor(libm::log10(libm::fabs(value))) as i32,
    };
    let decimals = (digits - 1 - magnitude).clamp(0, 40) as usize;
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

/// Two numbers and a sign between them that holds for what is written.
fn related(one: f64, other: f64, signs: [&'static str; 2], first: fn(f64, f64) -> bool) -> String {
    let sign = signs[usize::from(!first(one, other))];
    let mut digits = 3;
    loop {
        let (left, right) = (short(one, digits), short(other, digits));
        let written = (left.parse().unwrap_or(one), right.parse().unwrap_or(other));
        let holds = first(one, other) == first(written.0, written.1);
        let differs = left != right || one == other;
        if digits >= 17 || (holds && differs) {
            return format!("{left} {sign} {right}");
        }
        digits += 1;
    }
}

/// "a < b" or "a >= b", whichever holds.
pub(crate) fn below(a: f64, b: f64) -> String {
    related(a, b, ["<", ">="], |a, b| a < b)
}

/// "a > b" or "a <= b", whichever holds.
pub(crate) fn above(a: f64, b: f64) -> String {
    related(a, b, [">", "<="], |a, b| a > b)
}

/// A number to read, with its unit.
pub(crate) fn amount(value: f64, unit: &str) -> String {
    let value = short(value, 4);
    match unit {
        "" => value,
        "packets" if value == "1" => "1 packet".to_string(),
        _ => format!("{value} {unit}"),
    }
}

/// An equation and its numbers, whose value `ideal` is kept between 0 and `largest`.
pub(crate) fn bounded(equation: &str, text: String, ideal: f64, largest: f64) -> (String, String) {
    if ideal > largest {
        let bound = numbers!("{}", largest);
        let equation = format!("{equation}, at most {bound}");
        (equation, format!("min({text}, {bound})"))
    } else if ideal < 0.0 {
        (format!("{equation}, at least 0"), format!("max(0, {text})"))
    } else {
        (equation.into(), text)
    }
}

/// The numbers of a value that is kept in whole steps: what rounding takes from `ideal` is
/// subtracted where it shows.
pub(crate) fn rounded(text: String, ideal: f64, value: f64) -> String {
    let lost = ideal - value;
    let visible = (1e-7 * libm::fabs(value)).max(1e-10);
    match libm::fabs(lost) <= visible {
        true => text,
        false => format!("{text} - {}", Number(lost)),
    }
}

/// The reasons for a verdict, before it is known what becomes of the packet.
#[derive(Clone, Debug)]
pub(crate) struct Why {
    pub(crate) rule: String,
    pub(crate) source: &'static str,
    pub(crate) steps: Vec<Step>,
    pub(crate) chance: Option<f64>,
    pub(crate) random: Option<f64>,
    /// The decision without its last word.
    pub(crate) reason: String,
    /// The scheme has no rule for this packet.
    pub(crate) is_unjudged: bool,
    /// The unit of the queue's length and its average.
    pub(crate) unit: &'static str,
    /// What the strength of the curve is called.
    pub(crate) strength: &'static str,
}

impl Why {
    /// Nothing yet, by a law that is published in `source`.
    pub(crate) fn new(source: &'static str) -> Why {
        Why {
            rule: String::new(),
            source,
            steps: Vec::new(),
            chance: None,
            random: None,
            reason: String::new(),
            is_unjudged: false,
            unit: "packets",
            strength: "max_p",
        }
    }

    /// A scheme without a rule for arrivals.
    pub(crate) fn unjudged_arrival() -> Why {
        let mut why = Why::new("no law: every packet is kept while the buffer has room");
        why.by("room in the buffer", "the scheme does not judge arrivals");
        why.is_unjudged = true;
        why
    }

    /// A scheme without a rule for departures: the packet has waited and leaves.
    pub(crate) fn unjudged_departure(now: Nanos, packet: &PacketInfo) -> Why {
        let mut why = Why::new("no law: packets that wait leave in their order");
        why.sojourn(now, packet.arrived);
        why.by(
            "first in, first out",
            "the scheme judges packets when they arrive, not when they leave",
        );
        why.is_unjudged = true;
        why
    }

    /// Adds a number with the equation it follows from.
    pub(crate) fn step(
        &mut self,
        says: impl Into<String>,
        (symbol, unit): (&str, &'static str),
        equation: impl Into<String>,
        numbers: String,
        value: f64,
    ) {
        self.steps.push(Step {
            says: says.into(),
            symbol: symbol.to_string(),
            equation: equation.into(),
            numbers,
            value,
            unit,
        });
    }

    /// Adds a number that follows from no other one shown.
    pub(crate) fn given(
        &mut self,
        says: impl Into<String>,
        (symbol, unit): (&str, &'static str),
        value: f64,
    ) {
        let numbers = numbers!("{}", value);
        self.step(says, (symbol, unit), symbol, numbers, value);
    }

    /// Adds the time that a packet has waited, in milliseconds.
    pub(crate) fn sojourn(&mut self, now: Nanos, arrived: Nanos) {
        self.step(
            "the time it waited: now less its arrival",
            ("sojourn", "ms"),
            "sojourn = now - arrival",
            numbers!("{} - {}", millis(now), millis(arrived)),
            millis(now - arrived),
        );
    }

    /// Adds p', as a proportional-integral controller of a delay has updated it: from p', the
    /// delay, and the delay before to `ideal`, kept between 0 and `largest`.
    pub(crate) fn pi_update(
        &mut self,
        [alpha, beta, target]: [f64; 3],
        [base, delay, last]: [f64; 3],
        ideal: f64,
        largest: f64,
    ) {
        let says = "the queueing delay at the last update";
        self.given(says, ("delay", "s"), delay);
        let text = numbers!(
            "{} + {} * ({} - {}) + {} * ({} - {})",
            base,
            alpha,
            delay,
            target,
            beta,
            delay,
            last
        );
        let equation = "p' = p'_old + alpha (delay - target) + beta (delay - delay_old)";
        let (equation, text) = bounded(equation, text, ideal, largest);
        let (says, after) = (
            "the base probability since the last update",
            ideal.clamp(0.0, largest),
        );
        self.step(says, ("p'", ""), equation, text, after);
    }

    /// States the law and what it compares.
    pub(crate) fn by(&mut self, rule: impl Into<String>, reason: impl Into<String>) {
        (self.rule, self.reason) = (rule.into(), reason.into());
    }

    /// States that a random number is compared with a probability. One above 1 is certain.
    pub(crate) fn drawn(&mut self, rule: impl Into<String>, random: f64, chance: f64) {
        let chance = chance.min(1.0);
        (self.random, self.chance) = (Some(random), Some(chance));
        self.by(rule, below(random, chance));
    }

    /// The same reasons without the numbers that decide: something else does.
    pub(crate) fn overrule(&mut self, by: &str) {
        if let Some(random) = self.random.take() {
            self.given("the random number drawn", ("u", ""), random);
        }
        self.chance = None;
        self.reason = format!("{}, but {by}", self.reason);
    }

    /// The whole explanation; `fate` is "dropped", "marked" or "kept".
    pub(crate) fn decided(self, fate: &str) -> Explanation {
        Explanation {
            rule: self.rule,
            source: self.source,
            steps: self.steps,
            chance: self.chance,
            random: self.random,
            decision: format!("{}: {fate}", self.reason),
        }
    }
}

/// A time in milliseconds.
pub(crate) fn millis(time: Nanos) -> f64 {
    time.0 as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_with_fifteen_digits() {
        assert_eq!(
            numbers!("{} {}", 0.1 + 0.2, 1.0 / 3.0),
            "0.3 0.333333333333333"
        );
        assert_eq!(
            numbers!("{} * {}", 12_345.678_901_234, -1e-7),
            "12345.678901234 * (-0.0000001)"
        );
        assert_eq!(numbers!("{}", -0.0), "0");
    }

    #[test]
    fn an_explanation_is_a_text_of_lines() {
        let mut why = Why::new("Floyd 1993");
        why.given("the queue", ("q", "packets"), 17.0);
        let text = numbers!("{} / {}", 17.0, 2.0);
        why.step("half of it", ("h", "packets"), "h = q / 2", text, 8.5);
        why.by("a law", "8.5 > 3");
        assert_eq!(
            why.decided("dropped").to_string(),
            "a law (Floyd 1993)\n  the queue: q = 17 packets\n  \
             half of it: h = q / 2 = 17 / 2 = 8.5 packets\n8.5 > 3: dropped"
        );
    }

    #[test]
    fn comparisons_hold_as_written() {
        assert_eq!(below(0.0344, 0.0811), "0.0344 < 0.0811");
        assert_eq!(below(0.123_456, 0.123_451), "0.12346 >= 0.12345");
        assert_eq!(below(0.5, 0.5), "0.5 >= 0.5");
        assert_eq!(above(100.0, 100.0), "100 <= 100");
        assert_eq!(above(123_456.0, 20.0), "123456 > 20");
    }
}
