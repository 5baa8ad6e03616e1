//! Figures of a run, and how far ours lie from the kernel's.

use super::replay::{Fate, Record};
use super::traces::Arrival;

/// What is compared: names with their units.
pub(crate) const FIGURES: [&str; 6] = [
    "dropped_pct",
    "marked_pct",
    "mean_ms",
    "p99_ms",
    "gap_cv",
    "share_pct",
];

/// The figures of a run, in the order of [`FIGURES`]: shares of packets dropped and marked, the
/// mean and the 99th percentile of the delay, the coefficient of variation of the number of
/// packets between signals, and the share of bytes that the flow with most arrivals gets.
pub(crate) fn figures(trace: &[Arrival], records: &[Record]) -> [f64; 6] {
    let packets = trace.len() as f64;
    let number = |fate| records.iter().filter(|record| record.fate == fate).count() as f64;
    let sent = || {
        trace
            .iter()
            .zip(records)
            .filter(|(_, record)| record.fate != Fate::Dropped)
    };
    let mut delays: Vec<u64> = sent()
        .map(|(arrival, record)| record.left - arrival.at)
        .collect();
    delays.sort_unstable();
    let mean = delays.iter().sum::<u64>() as f64 / delays.len() as f64;
    let signals = records
        .iter()
        .enumerate()
        .filter(|(_, record)| record.fate != Fate::Passed);
    let signals: Vec<usize> = signals.map(|(number, _)| number).collect();
    let gaps: Vec<f64> = signals
        .windows(2)
        .map(|pair| (pair[1] - pair[0]) as f64)
        .collect();
    let (gap, spread) = mean_and_deviation(&gaps);
    let flow = heaviest(trace);
    let bytes = |of: &mut dyn Iterator<Item = &Arrival>| of.map(|a| f64::from(a.size)).sum::<f64>();
    let all = bytes(&mut sent().map(|(arrival, _)| arrival));
    let own = bytes(
        &mut sent()
            .map(|(arrival, _)| arrival)
            .filter(|a| a.flow == flow),
    );
    [
        100.0 * number(Fate::Dropped) / packets,
        100.0 * number(Fate::Marked) / packets,
        mean / 1e6,
        delays[delays.len() * 99 / 100] as f64 / 1e6,
        if gap > 0.0 { spread / gap } else { 0.0 },
        100.0 * own / all,
    ]
}

/// The flow with most arrivals.
fn heaviest(trace: &[Arrival]) -> u16 {
    let mut packets = std::collections::BTreeMap::<u16, u32>::new();
    for arrival in trace {
        *packets.entry(arrival.flow).or_default() += 1;
    }
    let most = packets.into_iter().max_by_key(|(_, packets)| *packets);
    most.map_or(0, |(flow, _)| flow)
}

/// The mean and the standard deviation of a sample; 0 and 0 of none.
pub(crate) fn mean_and_deviation(sample: &[f64]) -> (f64, f64) {
    if sample.is_empty() {
        return (0.0, 0.0);
    }
    let mean = sample.iter().sum::<f64>() / sample.len() as f64;
    let squares: f64 = sample.iter().map(|value| (value - mean).powi(2)).sum();
    let degrees = (sample.len() - 1).max(1) as f64;
    (mean, (squares / degrees).sqrt())
}

/// A figure of the kernel's runs: a line of `figures.csv`.
#[derive(Clone, Debug)]
pub(crate) struct KernelFigure {
    pub(crate) case: String,
    pub(crate) figure: String,
    pub(crate) runs: f64,
    pub(crate) mean: f64,
    pub(crate) deviation: f64,
}

impl KernelFigure {
    pub(crate) const HEADER: &str = "case,figure,runs,mean,deviation";

    fn parse(line: &str) -> Option<KernelFigure> {
        let mut fields = line.split(',');
        Some(KernelFigure {
            case: fields.next()?.into(),
            figure: fields.next()?.into(),
            runs: fields.next()?.parse().ok()?,
            mean: fields.next()?.parse().ok()?,
            deviation: fields.next()?.parse().ok()?,
        })
    }

    /// How far the mean of `ours` lies from the kernel's, in standard errors of the difference.
    /// Of figures that do not vary, 0 where they are equal.
    pub(crate) fn z(&self, ours: &[f64]) -> f64 {
        let (mean, deviation) = mean_and_deviation(ours);
        let error = deviation.powi(2) / ours.len() as f64 + self.deviation.powi(2) / self.runs;
        let off = mean - self.mean;
        // The kernel's figures are kept to seven digits.
        if off.abs() <= 1e-6 * self.mean.abs() {
            0.0
        } else {
            off / error.sqrt()
        }
    }
}

/// The figures of `figures.csv`.
pub(crate) fn kernel_figures() -> Vec<KernelFigure> {
    let text = super::read("figures.csv");
    let figure = |line| KernelFigure::parse(line).unwrap_or_else(|| panic!("figures.csv: {line}"));
    text.lines().skip(1).map(figure).collect()
}
