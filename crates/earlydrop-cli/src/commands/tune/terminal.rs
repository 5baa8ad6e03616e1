//! The report of a search in a terminal: the answer, before and after, the Pareto front, settings to
//! paste, and what was tried.

use earlydrop_report::tune_answer::TuneAnswer;

use crate::draw::{Look, Plot, Style, Table, Text, indented};

/// The lines of a report.
pub(super) struct Report<'a> {
    pub(super) answer: &'a TuneAnswer,
    pub(super) style: &'a Style,
}

impl Report<'_> {
    /// The report as lines of text.
    pub(super) fn lines(&self) -> Vec<Text> {
        let validated = format!("validated with {} fresh seeds", self.answer.fresh_seeds);
        let mut lines = vec![
            Text::new(&self.answer.question(), Look::Strong),
            Text::from(validated.as_str()),
            Text::default(),
        ];
        lines.extend(self.table(self.answer.validated()));
        lines.push(Text::default());
        lines.extend(self.front());
        lines.push(Text::default());
        lines.extend(self.settings());
        lines.extend(self.tried());
        lines
    }

    /// A table whose first row is its header, and whose first column has names of schemes.
    fn table(&self, rows: Vec<Vec<String>>) -> Vec<Text> {
        let mut rows = rows.into_iter();
        let header = rows.next().unwrap_or_default();
        let header = header.iter().map(|text| Text::new(text, Look::Strong));
        let mut table = Table::headed(header.collect());
        for row in rows {
            let cell = |(column, text): (usize, &String)| {
                let look = match (column, text.ends_with("not met")) {
                    (0, _) => Look::Code,
                    (_, true) => Look::Emphasis,
                    (_, false) => Look::Plain,
                };
                Text::new(text, look)
            };
            table.row(row.iter().enumerate().map(cell).collect());
        }
        table.lines(self.style.width, self.style.unicode)
    }

    /// A plot of the Pareto front: the goal over the metric that it trades off against.
    fn front(&self) -> Vec<Text> {
        let schemes = || self.answer.schemes.iter();
        let all = || schemes().flat_map(|scheme| scheme.front.iter().copied());
        let range = |of: fn((f64, f64)) -> f64, most: f64| {
            let low = all().map(of).fold(f64::INFINITY, f64::min);
            let high = all().map(of).fold(f64::NEG_INFINITY, f64::max).min(most);
            let margin = 0.03 * (high - low).max(high.abs() * 0.01);
            (low - margin, high + margin)
        };
        // Points far worse than the original schemes would compress the rest of the plot.
        let before = schemes().filter_map(|scheme| scheme.before);
        let worst = before
            .map(|(_, goal)| goal)
            .fold(f64::NEG_INFINITY, f64::max);
        let most = match self.answer.minimises {
            true => 1.2 * worst,
            false => f64::INFINITY,
        };
        let mut plot = Plot::new(range(|p| p.0, f64::INFINITY), range(|p| p.1, most))
            .title("Pareto front of the search: settings that no other beats in both metrics")
            .labels(&self.answer.price_axis, &self.answer.goal_axis)
            .height(14);
        for scheme in schemes() {
            plot = plot.line(&scheme.label, scheme.front.clone());
        }
        plot.lines(self.style)
    }

    /// The tuned schemes as lines of a scenario's `[schemes]` table.
    fn settings(&self) -> Vec<Text> {
        let lines = self.answer.lines();
        if lines.is_empty() {
            return Vec::new();
        }
        let lines = lines.iter().map(|line| Text::new(line, Look::Code));
        let lines = lines.chain([Text::default()]).collect();
        indented(2, lines)
    }

    /// The searched parameters and how many settings were tried.
    fn tried(&self) -> Vec<Text> {
        let mut lines = vec![Text::new("What was tried", Look::Strong)];
        let counts = self.answer.counts().into_iter();
        lines.extend(counts.map(|text| Text::from(text.as_str())));
        let searched = self.answer.searched();
        if searched.len() > 1 {
            lines.push(Text::default());
            lines.extend(self.table(searched));
        }
        for warning in self.answer.near_bounds() {
            lines.push(Text::default());
            lines.push(Text::new(warning, Look::Emphasis));
        }
        lines.push(Text::default());
        lines
    }
}
