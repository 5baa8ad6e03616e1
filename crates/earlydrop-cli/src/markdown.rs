//! Markdown of the schemes' manuals, rendered for a terminal: headings, paragraphs, lists, tables,
//! fenced code, inline code, emphasis and links.
//!
//! Other syntax is shown as written. Underscores are no emphasis: `max_p` is a name.

use crate::draw::{Look, Style, Table, Text, indented};

/// The indentation of text below a heading.
const BODY: usize = 2;

/// Renders Markdown as lines of the width of `style`.
pub(crate) fn render(markdown: &str, style: &Style) -> Vec<Text> {
    let mut lines: Vec<Text> = Vec::new();
    let mut under_heading = true;
    for (separated, block) in blocks(markdown) {
        if separated && !under_heading {
            lines.push(Text::default());
        }
        lines.extend(block.lines(style));
        under_heading = matches!(block, Block::Heading(_));
    }
    lines
}

/// A block of Markdown.
#[derive(Clone, Debug, PartialEq)]
enum Block {
    Heading(String),
    Paragraph(String),
    /// An item of a list, indented by `depth` columns; `bullet` is "-" or "1.", for example.
    Item {
        depth: usize,
        bullet: String,
        text: String,
    },
    Code(Vec<String>),
    /// The header, followed by the rows.
    Table(Vec<Vec<String>>),
}

impl Block {
    fn lines(&self, style: &Style) -> Vec<Text> {
        let plain = !style.colour;
        let room = style.width.saturating_sub(BODY);
        match self {
            Block::Heading(text) => inline(text, plain)
                .all_in(Look::Strong)
                .wrapped(style.width),
            Block::Paragraph(text) => indented(BODY, inline(text, plain).wrapped(room)),
            Block::Item {
                depth,
                bullet,
                text,
            } => {
                let bullet = match bullet.as_str() {
                    "-" | "*" | "+" if style.unicode => "•",
                    bullet => bullet,
                };
                let hang = bullet.chars().count() + 1;
                let start = BODY + (*depth).min(style.width / 4);
                let text = inline(text, plain).wrapped(style.width.saturating_sub(start + hang));
                let mut lines = indented(start + hang, text);
                if let Some(first) = lines.first_mut() {
                    let mut bulleted = Text::from(format!("{}{bullet}", " ".repeat(start)));
                    bulleted.pad(start + hang);
                    *first = bulleted.joined(&first.after(start + hang));
                }
                lines
            }
            Block::Code(code) => {
                let room = style.width.saturating_sub(BODY + 2);
                let lines = code.iter();
                let lines = lines.flat_map(|line| Text::new(line, Look::Code).chopped(room));
                indented(BODY + 2, lines.collect())
            }
            Block::Table(rows) => {
                let cells = |row: &Vec<String>| -> Vec<Text> {
                    row.iter().map(|cell| inline(cell, plain)).collect()
                };
                let mut rows = rows.iter().map(cells);
                let mut table = Table::headed(rows.next().unwrap_or_default());
                rows.for_each(|row| table.row(row));
                indented(BODY, table.lines(room, style.unicode))
            }
        }
    }
}

/// The blocks, each with whether an empty line separates it from the previous one.
fn blocks(markdown: &str) -> Vec<(bool, Block)> {
    let mut blocks: Vec<(bool, Block)> = Vec::new();
    // Whether the next line may continue the last block.
    let mut open = false;
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        let text = line.trim();
        let (separated, block) = if text.is_empty() {
            open = false;
            continue;
        } else if text.starts_with("```") {
            let code = lines.by_ref().take_while(|line| line.trim() != "```");
            (true, Block::Code(code.map(str::to_string).collect()))
        } else if let Some(heading) = heading(line) {
            (true, Block::Heading(heading.to_string()))
        } else if text.starts_with('|') {
            let row = cells(text);
            if let Some((_, Block::Table(rows))) = blocks.last_mut().filter(|_| open) {
                // The table draws its own rule below the header.
                rows.extend((!is_rule(&row)).then_some(row));
                continue;
            }
            (true, Block::Table(vec![row]))
        } else if let Some((bullet, item)) = item(text) {
            let depth = line.len() - line.trim_start().len();
            let (bullet, text) = (bullet.to_string(), item.to_string());
            (
                !open,
                Block::Item {
                    depth,
                    bullet,
                    text,
                },
            )
        } else if let Some((_, Block::Paragraph(before) | Block::Item { text: before, .. })) =
            blocks.last_mut().filter(|_| open)
        {
            before.push(' ');
            before.push_str(text);
            continue;
        } else {
            (true, Block::Paragraph(text.to_string()))
        };
        open = !matches!(block, Block::Heading(_) | Block::Code(_));
        blocks.push((separated, block));
    }
    blocks
}

/// The text of a heading.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    ((1..=6).contains(&level) && text.starts_with(' ')).then(|| text.trim())
}

/// The bullet and the text of a list item: "- this", "2. that".
fn item(text: &str) -> Option<(&str, &str)> {
    let (bullet, item) = text.split_once(' ')?;
    let number = bullet.strip_suffix('.').unwrap_or("");
    let numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (matches!(bullet, "-" | "*" | "+") || numbered).then(|| (bullet, item.trim()))
}

/// Whether a row is the rule below a table's header: `|---|:-:|`.
fn is_rule(row: &[String]) -> bool {
    row.iter()
        .all(|cell| cell.contains('-') && cell.chars().all(|letter| "-: ".contains(letter)))
}

/// The cells of `| one | two |`; an escaped bar is part of its cell.
fn cells(row: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut letters = row.strip_prefix('|').unwrap_or(row).chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.next_if_eq(&'|').is_some() => add(&mut cells, '|'),
            '|' => cells.push(String::new()),
            letter => add(&mut cells, letter),
        }
    }
    // The last bar starts no cell.
    if cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    cells.iter().map(|cell| cell.trim().to_string()).collect()
}

fn add(cells: &mut [String], letter: char) {
    if let Some(cell) = cells.last_mut() {
        cell.push(letter);
    }
}

/// Inline code, emphasis and links as styled text. If `plain`, without styles, code keeps its
/// backticks: they separate an equation from the sentence around it.
pub(crate) fn inline(text: &str, plain: bool) -> Text {
    let mut styled = Text::default();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let (piece, look, left) = match letter {
            '`' => code(rest),
            '*' => emphasised(rest),
            '[' => link(rest),
            _ => None,
        }
        .unwrap_or_else(|| {
            let end = rest[letter.len_utf8()..].find(['`', '*', '[']);
            let (piece, left) =
                rest.split_at(end.map_or(rest.len(), |end| end + letter.len_utf8()));
            (piece, Look::Plain, left)
        });
        match look {
            Look::Code if plain => styled.push(&format!("`{piece}`"), Look::Plain),
            look => styled.push(piece, look),
        }
        rest = left;
    }
    styled
}

/// The text inside the markers, its style, and the rest.
type Inline<'a> = Option<(&'a str, Look, &'a str)>;

fn code(text: &str) -> Inline<'_> {
    let (code, rest) = text.strip_prefix('`')?.split_once('`')?;
    Some((code, Look::Code, rest))
}

fn emphasised(text: &str) -> Inline<'_> {
    let (marker, look) = match text.starts_with("**") {
        true => ("**", Look::Strong),
        false => ("*", Look::Emphasis),
    };
    let (inner, rest) = text.strip_prefix(marker)?.split_once(marker)?;
    // A product such as 2 * 3 * 4 is no emphasis.
    let tight = !inner.is_empty() && inner.trim() == inner;
    tight.then_some((inner, look, rest))
}

/// A link, shown as its text only.
fn link(text: &str) -> Inline<'_> {
    let (label, rest) = text.strip_prefix('[')?.split_once(']')?;
    let target = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let quoted = label
        .strip_prefix('`')
        .and_then(|code| code.strip_suffix('`'));
    match (quoted, target) {
        (Some(code), target) => Some((code, Look::Code, target.map_or(rest, |(_, rest)| rest))),
        (None, Some((_, rest))) => Some((label, Look::Plain, rest)),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use earlydrop::registry::SCHEMES;

    fn rendered(markdown: &str, width: usize) -> Vec<String> {
        let style = Style {
            colour: false,
            unicode: false,
            width,
        };
        let lines = render(markdown, &style);
        lines.iter().map(|line| line.paint(&style)).collect()
    }

    #[test]
    fn blocks_are_indented_below_their_headings() {
        let text = "# Equations\nWith two\nlines:\n- `a = b`: one that is\n  longer\n- two\n\n\
                    ```\nx  = 1\n```\n\nAfter.\n";
        assert_eq!(
            rendered(text, 24),
            [
                "Equations",
                "  With two lines:",
                "  - `a = b`: one that is",
                "    longer",
                "  - two",
                "",
                "    x  = 1",
                "",
                "  After.",
            ]
        );
    }

    #[test]
    fn tables_are_aligned() {
        let text = "| a | b |\n|---|:-:|\n| one \\| two | | \n| x | y |\n";
        assert_eq!(
            rendered(text, 40),
            [
                "  a          b",
                "  ------------",
                "  one | two",
                "  x          y",
            ]
        );
    }

    #[test]
    fn inline_markers_become_styles() {
        let text = inline(
            "a *hit* of `max_p *= 2` [here](x.html) 2 * 3 * 4 [`Curve`] [0, 1]",
            false,
        );
        let expected = Text::from("a ")
            .then("hit", Look::Emphasis)
            .then(" of ", Look::Plain)
            .then("max_p *= 2", Look::Code)
            .then(" here 2 * 3 * 4 ", Look::Plain)
            .then("Curve", Look::Code)
            .then(" [0, 1]", Look::Plain);
        assert_eq!(text, expected);
    }

    #[test]
    fn no_manual_exceeds_the_width() {
        for scheme in SCHEMES {
            let manual = earlydrop::manual::of(scheme.name).unwrap();
            for width in [20, 40, 80, 120] {
                for line in rendered(&manual, width) {
                    assert!(line.chars().count() <= width, "{}: {line}", scheme.name);
                    assert_eq!(line, line.trim_end(), "{}", scheme.name);
                }
            }
        }
    }

    #[test]
    fn no_word_of_a_manual_is_lost() {
        let words = |text: &str| -> String {
            text.chars()
                .filter(|letter| letter.is_alphanumeric())
                .collect()
        };
        for scheme in SCHEMES.iter().filter(|scheme| scheme.name != "droptail") {
            let manual = earlydrop::manual::of(scheme.name).unwrap();
            let text: String = manual
                .lines()
                .filter(|line| !line.starts_with('|'))
                .collect();
            let output: String = rendered(&manual, 100).concat();
            let head: String = words(&text).chars().take(300).collect();
            assert!(words(&output).starts_with(&head), "{}", scheme.name);
        }
    }
}
