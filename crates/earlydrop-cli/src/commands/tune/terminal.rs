//! The report of a search in a terminal: before and after, the Pareto front, and settings to paste.

use earlydrop_lab::metrics::{METRICS, Metric};
use earlydrop_lab::number;
use earlydrop_lab::plan::Source;
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::tune::{SearchResult, Validation, line, pareto_front};
use earlydrop_report::tuning::TuneReport;

use crate::draw::{Look, Plot, Style, Table, Text, indented};

/// The lines of a report.
pub(super) struct Report<'a> {
    pub(super) report: &'a TuneReport,
    pub(super) source: &'a Source,
    pub(super) style: &'a Style,
}

impl Report<'_> {
    /// The report as lines of text.
    pub(super) fn lines(&self) -> Vec<Text> {
        let mut lines = self.table();
        lines.push(Text::default());
        lines.extend(self.front());
        lines.push(Text::default());
        lines.extend(self.settings());
        lines
    }

    /// Original and tuned settings with fresh seeds; the best that meets the constraints is first.
    fn table(&self) -> Vec<Text> {
        let seeds = self.report.plan.seeds.len();
        let metric = &METRICS[self.report.search.goal.metric];
        let verb = if self.report.search.goal.minimise {
            "least"
        } else {
            "most"
        };
        let heading = format!(
            "{verb} {}, validated with {seeds} fresh seeds",
            metric.title
        );
        let mut header = vec!["scheme".to_string()];
        header.extend([
            with_unit("original", metric),
            "tuned".to_string(),
            "change".to_string(),
        ]);
        let price = &METRICS[self.report.search.goal.price()];
        header.extend(self.has_free_price().then(|| with_unit(price.title, price)));
        header.extend(
            self.report
                .search
                .goal
                .limits
                .iter()
                .map(ToString::to_string),
        );
        let header = header.iter().map(|text| Text::new(text, Look::Strong));
        let mut table = Table::headed(header.collect());
        for (_, validation) in self.ranked() {
            table.row(self.row(validation));
        }
        let mut lines = vec![Text::new(&heading, Look::Strong), Text::default()];
        lines.extend(table.lines(self.style.width, self.style.unicode));
        lines
    }

    /// The schemes in the order of the table.
    fn ranked(&self) -> Vec<(&SearchResult, &Validation)> {
        let sign = if self.report.search.goal.minimise {
            1.0
        } else {
            -1.0
        };
        let mut pairs: Vec<_> = self
            .report
            .search
            .results
            .iter()
            .zip(&self.report.validations)
            .collect();
        let key = |validation: &Validation| {
            let value = validation
                .after
                .map_or(f64::INFINITY, |after| sign * after.mean);
            (!validation.keeps_limits(), value)
        };
        pairs.sort_by(|(_, a), (_, b)| {
            let (a, b) = (key(a), key(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        pairs
    }

    /// Whether nothing limits what the goal costs, so that the table shows it.
    fn has_free_price(&self) -> bool {
        let price = self.report.search.goal.price();
        self.report
            .search
            .goal
            .limits
            .iter()
            .all(|limit| limit.metric != price)
    }

    fn row(&self, validation: &Validation) -> Vec<Text> {
        let scale = METRICS[self.report.search.goal.metric].scale;
        let text = |mean: &Option<Mean>| mean.map_or("-".into(), |m| m.with_interval(scale));
        let after = match validation.variant {
            Some(_) => text(&validation.after),
            None => "nothing better".to_string(),
        };
        let change = match (validation.change, validation.before) {
            (Some(change), Some(before)) if before.mean != 0.0 => {
                let share = |value: f64| value / before.mean.abs();
                number::change(share(change.mean), change.half.map(share))
            }
            _ => "-".to_string(),
        };
        let mut row = vec![
            Text::new(&validation.label, Look::Code),
            Text::new(&text(&validation.before), Look::Plain),
            Text::new(&after, Look::Plain),
            Text::new(&change, Look::Plain),
        ];
        if self.has_free_price() {
            let scale = METRICS[self.report.search.goal.price()].scale;
            let mean = |mean: Option<Mean>| mean.map_or("-".into(), |m| m.with_interval(scale));
            let (before, after) = validation.price;
            let text = match validation.variant {
                Some(_) => format!("{}, was {}", mean(after), mean(before)),
                None => mean(before),
            };
            row.push(Text::new(&text, Look::Plain));
        }
        for (kept, limit) in validation
            .limits
            .iter()
            .zip(&self.report.search.goal.limits)
        {
            let (word, look) = match (kept.met, kept.significant) {
                (true, true) => ("", Look::Plain),
                (true, false) => (", not significantly", Look::Plain),
                (false, _) => (", not met", Look::Emphasis),
            };
            row.push(Text::new(&format!("{}{word}", kept.text(limit)), look));
        }
        row
    }

    /// A plot of the Pareto front: the goal over the metric that it trades off against.
    fn front(&self) -> Vec<Text> {
        let (goal, price) = (
            &METRICS[self.report.search.goal.metric],
            &METRICS[self.report.search.goal.price()],
        );
        let fronts: Vec<(String, Vec<(f64, f64)>)> = self
            .report
            .search
            .results
            .iter()
            .map(|result| {
                let pairs = pareto_front(&self.report.search.goal, result).into_iter();
                let scaled = pairs.map(|(x, y)| (x * price.scale, y * goal.scale));
                (result.label.clone(), scaled.collect())
            })
            .collect();
        let all = || fronts.iter().flat_map(|(_, points)| points.iter().copied());
        let range = |of: fn((f64, f64)) -> f64, most: f64| {
            let low = all().map(of).fold(f64::INFINITY, f64::min);
            let high = all().map(of).fold(f64::NEG_INFINITY, f64::max).min(most);
            let margin = 0.03 * (high - low).max(high.abs() * 0.01);
            (low - margin, high + margin)
        };
        // Points far worse than the original schemes would compress the rest of the plot.
        let before = self.report.validations.iter();
        let before = before.filter_map(|validation| validation.before);
        let worst = before
            .map(|before| before.mean * goal.scale)
            .fold(f64::NEG_INFINITY, f64::max);
        let most = if self.report.search.goal.minimise {
            1.2 * worst
        } else {
            f64::INFINITY
        };
        let mut plot = Plot::new(range(|p| p.0, f64::INFINITY), range(|p| p.1, most))
            .title("Pareto front of the search: settings that no other beats in both metrics")
            .labels(&with_unit(price.title, price), &with_unit(goal.title, goal))
            .height(14);
        for (name, points) in fronts {
            plot = plot.line(&name, points);
        }
        plot.lines(self.style)
    }

    /// The tuned schemes as lines of a scenario's `[schemes]` table.
    fn settings(&self) -> Vec<Text> {
        let variants = self.ranked().into_iter();
        let variants = variants.filter_map(|(_, validation)| validation.variant.as_ref());
        let lines: Vec<Text> = variants
            .map(|variant| Text::new(&line(self.source, variant), Look::Code))
            .collect();
        if lines.is_empty() {
            return lines;
        }
        let mut table = vec![Text::new("[schemes]", Look::Code)];
        table.extend(lines);
        table.push(Text::default());
        indented(2, table)
    }
}

/// A heading with the metric's unit: "queueing delay, ms".
fn with_unit(heading: &str, metric: &Metric) -> String {
    match metric.unit {
        "" => heading.to_string(),
        unit => format!("{heading}, {unit}"),
    }
}
