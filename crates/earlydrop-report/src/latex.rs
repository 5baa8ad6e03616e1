//! A run's tables for LaTeX, with the rules of the package `booktabs`.

use crate::figure::print::tex;
use crate::table::{Cell, Table};

/// A table as LaTeX: a `tabular`, its best values in bold. It needs `\usepackage{booktabs}`.
///
/// ```
/// use earlydrop_report::latex;
/// use earlydrop_report::table::{Cell, Table};
///
/// let cell = |text: &str, best| Cell { text: text.to_owned(), best };
/// let table = Table {
///     title: String::new(),
///     header: vec!["scheme".to_owned(), "loss %".to_owned()],
///     rows: vec![vec![cell("red", false), cell("1.2 ± 0.1", true)]],
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
    let is_number = |word: &str| word == "±" || word.parse::<f64>().is_ok();
    if !cell.text.split(' ').all(is_number) {
        let text = tex(&cell.text);
        return if cell.best {
            format!("\\textbf{{{text}}}")
        } else {
            text
        };
    }
    let text = cell.text.replace('±', "\\pm");
    match cell.best {
        true => format!("$\\mathbf{{{text}}}$"),
        false => format!("${text}$"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_its_rules_and_no_command_of_the_data() {
        let cell = |text: &str, best| Cell {
            text: text.to_string(),
            best,
        };
        let table = Table {
            title: "network.rtt = 50 ms\n\\input{x}".to_string(),
            header: vec!["scheme".to_string(), "loss %".to_string()],
            rows: vec![
                vec![cell("a_b\\input{x}", false), cell("-1.2 ± 0.1", false)],
                vec![cell("codel", false), cell("-", false)],
            ],
        };
        assert_eq!(
            tabular(&table),
            "% Needs \\usepackage{booktabs}.\n% network.rtt = 50 ms \\input{x}\n\
             \\begin{tabular}{lr}\n\\toprule\nscheme & loss \\% \\\\\n\\midrule\n\
             a\\_b\\textbackslash{}input\\{x\\} & $-1.2 \\pm 0.1$ \\\\\ncodel & - \\\\\n\
             \\bottomrule\n\\end{tabular}\n"
        );
    }
}
