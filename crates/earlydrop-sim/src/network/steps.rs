//! Files of `time,value` lines: a quantity that is constant from each line's time to the next.
//!
//! The first line is the heading, such as `time,rate`. Times begin at zero and increase; plain
//! numbers are seconds. The last line's time ends the trace, which then repeats from its first
//! line, as Mahimahi's traces do; the last line's value may be left out and has no effect. Empty
//! lines, and what follows `#`, are comments.

use std::sync::Arc;

use earlydrop::units::Nanos;

use super::TraceError;

/// The longest time of a trace: sums of a few times must be times.
const LONGEST: Nanos = Nanos(1_000_000_000_000_000_000);

/// A quantity that is constant from each time to the next, and repeats. Clones share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Steps {
    /// When each value begins; the first is zero.
    begins: Arc<[Nanos]>,
    values: Arc<[u64]>,
    period: Nanos,
}

/// The quantity of a file: its name in the heading, and how a value is read.
pub(super) struct Quantity {
    /// The second word of the heading.
    pub(super) name: &'static str,
    /// Reads a value; an error is the help.
    pub(super) read: fn(&str) -> Result<u64, &'static str>,
}

impl Steps {
    /// Reads a file of this quantity.
    pub(super) fn read(text: &str, quantity: &Quantity) -> Result<Steps, TraceError> {
        let lines = text.lines().enumerate();
        let lines = lines.map(|(index, line)| {
            let content = line.split('#').next().unwrap_or_default();
            (index + 1, content.trim())
        });
        let mut lines = lines.filter(|(_, content)| !content.is_empty());
        let name = quantity.name;
        let (first, heading) = lines.next().unwrap_or((1, ""));
        let words: Vec<&str> = heading.split(',').map(str::trim).collect();
        if words != ["time", name] {
            let problem = format!("is not the heading; nearest: time,{name}");
            return Err(TraceError::new(first, heading, problem));
        }
        let mut begins: Vec<Nanos> = Vec::new();
        let mut values = Vec::new();
        let mut lines = lines.peekable();
        let mut last = (first, heading);
        while let Some((number, line)) = lines.next() {
            let is_last = lines.peek().is_none();
            last = (number, line);
            let step = step(line, begins.last().copied(), is_last, quantity);
            let (time, value) = step.map_err(|problem| TraceError::new(number, line, problem))?;
            begins.push(time);
            values.extend(value);
        }
        if begins.len() < 2 {
            let problem = format!(
                "ends the file; at least two lines follow the heading: 0,{name} and the time at \
                 which the trace ends"
            );
            return Err(TraceError::new(last.0, last.1, problem));
        }
        let period = begins.pop().unwrap_or_default();
        values.truncate(begins.len());
        Ok(Steps {
            begins: begins.into(),
            values: values.into(),
            period,
        })
    }

    /// How long it lasts before it repeats.
    pub(super) fn period(&self) -> Nanos {
        self.period
    }

    /// Each value with its begin and its end.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (Nanos, Nanos, u64)> {
        let ends = self.begins[1..].iter().chain([&self.period]);
        let pieces = self.begins.iter().zip(ends).zip(self.values.iter());
        pieces.map(|((begin, end), value)| (*begin, *end, *value))
    }

    /// The index of the piece at this time within the period.
    pub(super) fn index_at(&self, within: Nanos) -> usize {
        self.begins.partition_point(|begin| *begin <= within) - 1
    }

    /// When the piece of this index begins, and its value.
    pub(super) fn piece(&self, index: usize) -> (Nanos, u64) {
        (self.begins[index], self.values[index])
    }
}

/// The time and the value of a line; the last line needs no value.
fn step(
    line: &str,
    before: Option<Nanos>,
    is_last: bool,
    quantity: &Quantity,
) -> Result<(Nanos, Option<u64>), String> {
    let name = quantity.name;
    let (time, value) = line.split_once(',').unwrap_or((line, ""));
    let (time, value) = (time.trim(), value.trim());
    let time = read_time(time)?;
    match before {
        None if time > Nanos::ZERO => {
            return Err(format!("begins at {time}; nearest: 0,{value}"));
        }
        Some(before) if time <= before => {
            return Err(format!("is not after the line before, at {before}"));
        }
        _ => {}
    }
    if value.is_empty() {
        return match is_last && before.is_some() {
            true => Ok((time, None)),
            false => Err(format!("has no {name}; allowed: time,{name}")),
        };
    }
    (quantity.read)(value)
        .map(|value| (time, Some(value)))
        .map_err(str::to_string)
}

/// A time: a plain number of seconds, or with a unit.
pub(super) fn read_time(text: &str) -> Result<Nanos, String> {
    let time = match text.parse::<f64>() {
        Ok(seconds) => (0.0..=LONGEST.as_secs_f64())
            .contains(&seconds)
            .then(|| Nanos((seconds * 1e9).round() as u64)),
        Err(_) => text.parse::<Nanos>().ok().filter(|time| *time <= LONGEST),
    };
    time.ok_or_else(|| {
        let help = "allowed: seconds such as 0.25, or 250 ms, up to 1000000000 s";
        match text.parse::<f64>() {
            Ok(negative) if negative < 0.0 => format!("has a time below zero; {help}; nearest: 0"),
            _ => format!("has no time; {help}"),
        }
    })
}
