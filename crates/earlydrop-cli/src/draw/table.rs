//! Tables with cells that wrap.

use super::text::{Look, Text, indented};

/// The space between two columns.
const GAP: usize = 2;
/// With columns narrower than this on average, each row becomes a paragraph.
const MIN_COLUMN: usize = 9;
/// Words longer than the first value may be broken; if the columns then still do not fit, those
/// longer than the second.
const LONGEST_WORDS: [usize; 2] = [16, 11];

/// Rows of cells under a header, or under none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    header: Vec<Text>,
    rows: Vec<Vec<Text>>,
}

impl Table {
    /// An empty table with a header.
    pub(crate) fn headed(header: Vec<Text>) -> Table {
        Table {
            header,
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<Text>) {
        self.rows.push(cells);
    }

    /// The table in at most `width` columns of text; the rule below the header is a line if `unicode`.
    pub(crate) fn lines(&self, width: usize, unicode: bool) -> Vec<Text> {
        let Some(widths) = self.widths(width) else {
            return self.as_paragraphs(width);
        };
        let mut lines = Vec::new();
        if !self.header.is_empty() {
            let header: Vec<Text> = self
                .header
                .iter()
                .map(|name| name.all_in(Look::Strong))
                .collect();
            lines.extend(lay_out(&header, &widths));
            let rule = if unicode { "─" } else { "-" };
            let whole = widths.iter().sum::<usize>() + GAP * (widths.len() - 1);
            lines.push(Text::new(&rule.repeat(whole), Look::Faint));
        }
        let rows: Vec<Vec<Text>> = self.rows.iter().map(|row| lay_out(row, &widths)).collect();
        // Rows of several lines are separated by an empty line.
        let separated = widths.len() > 2 && rows.iter().any(|row| row.len() > 1);
        for (index, row) in rows.into_iter().enumerate() {
            if separated && index > 0 {
                lines.push(Text::default());
            }
            lines.extend(row);
        }
        lines
    }

    /// The columns' widths; `None` where the columns would be too narrow.
    fn widths(&self, width: usize) -> Option<Vec<usize>> {
        let all = || std::iter::once(&self.header).chain(&self.rows);
        let columns = all().map(Vec::len).max().filter(|columns| *columns > 0)?;
        let largest = |of: fn(&Text) -> usize, column: usize| {
            all()
                .filter_map(|row| row.get(column))
                .map(of)
                .max()
                .unwrap_or(0)
                .max(1)
        };
        let natural: Vec<usize> = (0..columns)
            .map(|column| largest(Text::width, column))
            .collect();
        let room = width.saturating_sub(GAP * (columns - 1));
        if natural.iter().sum::<usize>() <= room {
            return Some(natural);
        }
        let least = |cap: usize| -> Vec<usize> {
            let words = (0..columns).map(|column| largest(Text::longest_word, column));
            words.map(|longest| longest.min(cap)).collect()
        };
        let fits = |widths: &Vec<usize>| widths.iter().sum::<usize>() <= room;
        let mut widths = LONGEST_WORDS.into_iter().map(least).find(fits)?;
        if room / columns < MIN_COLUMN {
            return None;
        }
        // Remaining space goes, column by column, to the cells that need the most lines.
        for _ in widths.iter().sum::<usize>()..room {
            let lines = |column: &usize| natural[*column] as f64 / widths[*column] as f64;
            let neediest = (0..columns).max_by(|a, b| lines(a).total_cmp(&lines(b)))?;
            widths[neediest] += 1;
        }
        Some(widths)
    }

    /// Each row as its first cell, with the others below it, named by the header.
    fn as_paragraphs(&self, width: usize) -> Vec<Text> {
        let mut lines = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            if index > 0 {
                lines.push(Text::default());
            }
            for (column, cell) in row.iter().enumerate().filter(|(_, cell)| cell.width() > 0) {
                if column == 0 {
                    lines.extend(cell.all_in(Look::Strong).wrapped(width));
                    continue;
                }
                let name = self.header.get(column).filter(|name| name.width() > 0);
                let named =
                    name.map_or(Text::default(), |name| name.clone().then(": ", Look::Plain));
                let cell = named.joined(cell).wrapped(width.saturating_sub(2));
                lines.extend(indented(2, cell));
            }
        }
        lines
    }
}

/// The lines of a row in columns of these widths.
fn lay_out(row: &[Text], widths: &[usize]) -> Vec<Text> {
    let cells: Vec<Vec<Text>> = row
        .iter()
        .zip(widths)
        .map(|(cell, width)| cell.wrapped(*width))
        .collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let line = |index: usize| {
        let mut line = Text::default();
        let mut start = 0;
        for (cell, width) in cells.iter().zip(widths) {
            line.pad(start);
            if let Some(piece) = cell.get(index) {
                line = line.joined(piece);
            }
            start += width + GAP;
        }
        line
    };
    (0..height).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Style;
    use super::*;

    fn table() -> Table {
        let cells = |texts: [&str; 3]| texts.map(Text::from).to_vec();
        let mut table = Table::headed(cells(["aspect", "there", "here"]));
        table.row(cells(["limit", "of the queue as a whole", "1000 packets"]));
        table.row(cells(["ecn", "off", "on"]));
        table
    }

    fn plain(width: usize) -> Vec<String> {
        let style = Style {
            colour: false,
            unicode: true,
            width,
        };
        let lines = table().lines(width, false);
        lines.iter().map(|line| line.paint(&style)).collect()
    }

    #[test]
    fn columns_keep_their_natural_widths_where_they_fit() {
        let rule = "-".repeat(6 + 2 + 23 + 2 + 12);
        assert_eq!(
            plain(60),
            [
                "aspect  there                    here",
                rule.as_str(),
                "limit   of the queue as a whole  1000 packets",
                "ecn     off                      on",
            ]
        );
    }

    #[test]
    fn cells_wrap_in_a_narrow_table() {
        let lines = plain(34);
        assert!(
            lines.iter().all(|line| line.chars().count() <= 34),
            "{lines:#?}"
        );
        assert_eq!(lines[2], "limit   of the queue as   1000");
        assert_eq!(lines[3], "        a whole           packets");
        assert_eq!(lines[4], "");
    }

    #[test]
    fn rows_become_paragraphs_in_a_very_narrow_table() {
        assert_eq!(
            plain(24),
            [
                "limit",
                "  there: of the queue as",
                "  a whole",
                "  here: 1000 packets",
                "",
                "ecn",
                "  there: off",
                "  here: on",
            ]
        );
    }

    #[test]
    fn an_empty_table_has_no_lines() {
        assert!(Table::default().lines(40, true).is_empty());
    }
}
