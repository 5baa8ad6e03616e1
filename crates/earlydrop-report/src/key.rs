//! The key of tables: what their marks, signs and headings mean, where these occur.

use earlydrop_lab::baseline::SIGNIFICANT;
use earlydrop_lab::plan::Plan;

use crate::table::{Mark, Table, View};

/// Words of headings that a table does not explain.
const TERMS: [(&str, &str); 2] = [
    (
        "slowdown",
        "completion time over that of the same transfer alone on its path",
    ),
    (
        "least share",
        "the least goodput of a flow over the mean of its group: 1 where all have the same",
    ),
];

/// What a value that is a lower bound begins with.
const AT_LEAST: char = '≥';

/// What the marks, signs and words of these tables mean, a line each.
pub fn key(plan: &Plan, tables: &[Table], view: &View, unicode: bool) -> Vec<String> {
    let marks: Vec<Mark> = tables.iter().flat_map(Table::marks).collect();
    let mut lines = of_marks(&marks, view, unicode);
    let mut cells = tables.iter().flat_map(|table| table.rows.iter().flatten());
    if cells.any(|cell| cell.text.starts_with(AT_LEAST)) {
        lines.push(format!("{AT_LEAST} at least: too many had not ended"));
    }
    let headings = tables.iter().flat_map(|table| &table.header);
    let headings: Vec<&str> = headings.map(String::as_str).collect();
    lines.extend(terms(plan, &headings));
    lines
}

/// What the words of these headings mean, a line each.
pub fn terms(plan: &Plan, headings: &[&str]) -> Vec<String> {
    let has = |word: &str| {
        let mut headings = headings.iter();
        headings.any(|heading| heading.to_lowercase().contains(word))
    };
    let known = TERMS.iter().filter(|(word, _)| has(word));
    let mut lines: Vec<String> = known
        .map(|(word, meaning)| format!("{word}: {meaning}"))
        .collect();
    if has("late or lost") {
        let playout = plan.scenario().playout();
        lines.push(format!(
            "late: more than {playout} from host to host (measure.playout)"
        ));
    }
    lines
}

fn of_marks(marks: &[Mark], view: &View, unicode: bool) -> Vec<String> {
    let all = [Mark::Best, Mark::Similar, Mark::Significant, Mark::Moving];
    let present = all.into_iter().filter(|mark| marks.contains(mark));
    let line = |mark: Mark| {
        let meaning = match (mark, &view.comparison) {
            (Mark::Significant, Some(_)) => SIGNIFICANT,
            _ => mark.meaning(),
        };
        format!("{} {meaning}", mark.sign(unicode))
    };
    let mut lines: Vec<String> = present.map(line).collect();
    if view.comparison.is_some() && !marks.contains(&Mark::Significant) {
        lines.push(format!("no difference is {SIGNIFICANT}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use earlydrop_lab::plan::{Source, TraceFiles};

    use super::*;
    use crate::table::Cell;

    #[test]
    fn what_occurs_is_explained_and_nothing_else() {
        let text = "network = { rate = '10 Mbps', rtt = '50 ms' }\nflows.bulk.count = 4\n\
                    measure.playout = '120 ms'\n";
        let plan = Source::new("a.toml", text, TraceFiles::default());
        let plan = plan.unwrap().plan().unwrap();
        let table = |heading: &str, cell: &str, mark| Table {
            title: String::new(),
            header: vec!["scheme".to_string(), heading.to_string()],
            rows: vec![vec![Cell {
                text: cell.to_string(),
                mark,
            }]],
        };
        let view = View::default();
        let key = |table: Table| key(&plan, &[table], &view, true);
        assert_eq!(key(table("goodput Mbps", "9", Mark::None)), [""; 0]);
        assert_eq!(
            key(table("web slowdown, 99%", "≥ 14 ± 10", Mark::Moving)),
            [
                "↕ had not settled: the two halves of the time measured differ by a tenth or more",
                "≥ at least: too many had not ended",
                "slowdown: completion time over that of the same transfer alone on its path",
            ]
        );
        assert_eq!(
            key(table("calls late or lost %", "9", Mark::None)),
            ["late: more than 120 ms from host to host (measure.playout)"]
        );
    }
}
