//! A run's tables for LaTeX, with the rules of the package `booktabs`.

use crate::figure::tex;
use crate::table::{Cell, Mark, Table};

/// A table as LaTeX: a `tabular`, its best values in bold, those that are not significantly different
/// with the sign of [`Mark::Similar`]. It needs `\usepackage{booktabs}`.
///
/// ```
/// use earlydrop_report::latex;
/// use earlydrop_report::table::{Cell, Mark, Table};
///
/// let cell = |text: &str, mark| Cell { text: text.to_owned(), mark };
/// let table = Table {
///     title: String::new(),
///     header: vec!["scheme".to_owned(), "loss %".to_owned()],
///     rows: vec![vec![cell("red", Mark::None), cell("1.2 ± 0.1", Mark::Best)]],
/// };
/// assert!(latex::tabular(&table).contains("red & $\\mathbf{1.2 \\pm 0.1}$ \\\\"));
/// ```
pub fn tabular(table: &Table) -> String {
    let mut lines = vec!["% Needs \\usepackage{booktabs}.".to_string()];
    if !table.title.is_empty() {
        lines.push(format!("% {}", table.title.replace(['\n', '\r'], " ")));
    }
    let numbers = "r".repeat(table.header.len().saturating_sub(1));
    lines.push(format!("\\begin{{tabular}}{{l{numbers}}}"));
    lines.push("\\toprule".to_string());
    lines.push(row(table.header.iter().map(|name| tex(name))));
    lines.push("\\midrule".to_string());
    lines.extend(table.rows.iter().map(|cells| row(cells.iter().map(cell))));
    lines.push("\\bottomrule".to_string());
    lines.push("\\end{tabular}".to_string());
    lines.join("\n") + "\n"
}

fn row(cells: impl Iterator<Item = String>) -> String {
    format!("{} \\\\", cells.collect::<Vec<_>>().join(" & "))
}

/// A number in math mode, so that its minus is one; other text as it is.
fn cell(cell: &Cell) -> String {
    // "(1.2 ± 0.3)e-8" is one, too.
    let bare = |word: &str| word.replace(['(', ')'], "").parse::<f64>();
    let is_number = |word: &str| matches!(word, "±" | "≥") || bare(word).is_ok();
    if !cell.text.split(' ').all(is_number) {
        let text = tex(&cell.text);
        return match cell.mark {
            Mark::Best => format!("\\textbf{{{text}}}"),
            _ => text,
        };
    }
    let text = cell.text.replace('±', "\\pm").replace('≥', "\\geq");
    match cell.mark {
        Mark::Best => format!("$\\mathbf{{{text}}}$"),
        Mark::None => format!("${text}$"),
        Mark::Similar => format!("${text}^{{\\approx}}$"),
        Mark::Significant => format!("${text}^{{\\dagger}}$"),
        Mark::Moving => format!("${text}^{{\\updownarrow}}$"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_its_rules_and_no_command_of_the_data() {
        let cell = |text: &str, mark| Cell {
            text: text.to_string(),
            mark,
        };
        let table = Table {
            title: "network.rtt = 50 ms\n\\input{x}".to_string(),
            header: vec!["scheme".to_string(), "loss %".to_string()],
            rows: vec![
                vec![
                    cell("a_b\\input{x}", Mark::None),
                    cell("-1.2 ± 0.1", Mark::Similar),
                ],
                vec![cell("codel", Mark::None), cell("-", Mark::None)],
                vec![cell("pie", Mark::None), cell("≥ 3.1 ± 0.1", Mark::Moving)],
            ],
        };
        assert_eq!(
            tabular(&table),
            "% Needs \\usepackage{booktabs}.\n% network.rtt = 50 ms \\input{x}\n\
             \\begin{tabular}{lr}\n\\toprule\nscheme & loss \\% \\\\\n\\midrule\n\
             a\\_b\\textbackslash{}input\\{x\\} & $-1.2 \\pm 0.1^{\\approx}$ \\\\\ncodel & - \\\\\n\
             pie & $\\geq 3.1 \\pm 0.1^{\\updownarrow}$ \\\\\n\
             \\bottomrule\n\\end{tabular}\n"
        );
    }
}
