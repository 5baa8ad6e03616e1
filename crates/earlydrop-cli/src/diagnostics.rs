//! Problems of a scenario, rendered with the lines that cause them.

use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Element, Level, Origin, Renderer, Snippet};
use earlydrop_lab::document::{Place, Problem, Problems};
use earlydrop_lab::escape::{visible, visible_lines};

use crate::draw::Style;

/// The name of standard input in messages.
pub(crate) const STANDARD_INPUT: &str = "standard input";

/// Every problem with its source line, a marker under the cause, and a suggestion.
pub(crate) fn render(problems: &Problems, style: &Style) -> String {
    let renderer = match style.colour {
        true => Renderer::styled(),
        false => Renderer::plain(),
    };
    let renderer = renderer.decor_style(match style.unicode {
        true => DecorStyle::Unicode,
        false => DecorStyle::Ascii,
    });
    let shown = problems.list.iter().take(MAX_SHOWN);
    let rendered = shown.map(|problem| render_one(problems, problem, &renderer));
    let mut rendered: Vec<String> = rendered.collect();
    match problems.list.len().saturating_sub(MAX_SHOWN) {
        0 => {}
        1 => rendered.push("and one more problem".to_string()),
        more => rendered.push(format!("and {more} more problems")),
    }
    rendered.join("\n\n")
}

/// More problems than these are counted only: they fill the screen, and are often one mistake.
const MAX_SHOWN: usize = 20;

fn render_one(problems: &Problems, problem: &Problem, renderer: &Renderer) -> String {
    let help = visible(&problem.help);
    let help = (!help.is_empty()).then(|| Level::HELP.message(&*help));
    let title = match &problem.place {
        Place::Argument(argument) if !argument.is_empty() => {
            format!("{}: {}", shortened(argument), problem.message)
        }
        _ => problem.message.clone(),
    };
    let title = visible(&title);
    let name = visible(&problems.name);
    let source;
    let mut group = Level::ERROR
        .primary_title(&*title)
        .elements(None::<Element<'_>>);
    if let Place::File(bytes) = &problem.place {
        if marked_line(&problems.text, bytes).len() > LONGEST_LINE {
            let (line, column) = problems.position(bytes.start);
            let origin = Origin::path(&*name).line(line).char_column(column);
            let rendered = renderer.render(&[group.element(origin).elements(help)]);
            return in_words(problems, problem, rendered);
        }
        let span;
        (source, span) = visible_source(&problems.text, bytes);
        let snippet = Snippet::source(source.as_str())
            .path(&*name)
            .annotation(AnnotationKind::Primary.span(span));
        group = group.element(snippet);
    }
    if let Some(help) = help {
        group = group.element(help);
    }
    in_words(problems, problem, renderer.render(&[group]))
}

/// The rendered problem with "standard input, line 3" for "standard input:3:8", which is no file that
/// an editor opens.
fn in_words(problems: &Problems, problem: &Problem, rendered: String) -> String {
    match &problem.place {
        Place::File(bytes) if problems.name == STANDARD_INPUT => {
            let (line, column) = problems.position(bytes.start);
            let place = format!("{STANDARD_INPUT}:{line}:{column}");
            rendered.replacen(&place, &format!("{STANDARD_INPUT}, line {line}"), 1)
        }
        _ => rendered,
    }
}

/// A line of more bytes is not shown: only its number is.
const LONGEST_LINE: usize = 2000;

/// The line in which these bytes of a document begin.
fn marked_line<'a>(text: &'a str, bytes: &Range<usize>) -> &'a str {
    let at = text.floor_char_boundary(bytes.start);
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    &text[start..end]
}

/// The argument's beginning, where it would fill a screen.
fn shortened(argument: &str) -> String {
    const LONGEST: usize = 300;
    match argument.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}...", &argument[..at]),
        None => argument.to_string(),
    }
}

/// A document's text with its control characters escaped, and where the marked bytes are in it. Of
/// a table only the first line is marked.
fn visible_source(text: &str, bytes: &Range<usize>) -> (String, Range<usize>) {
    let start = text.floor_char_boundary(bytes.start);
    let end = text.ceil_char_boundary(bytes.end).max(start);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    // Both line ends are one, so that none is cut in two.
    let line_end = start + text[start..line_end].trim_end_matches('\r').len();
    let end = end.min(line_end);
    let escaped = |piece: &str| visible_lines(&piece.replace("\r\n", "\n")).into_owned();
    let mut source = escaped(&text[..start]);
    let from = source.len();
    source += &escaped(&text[start..end]);
    let to = source.len();
    source += &escaped(&text[end..]);
    (source, from..to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_problem_acts_on_the_terminal() {
        let hostile = "a\u{1b}]0;x\u{7}\u{9b}2J\u{202e}\rb";
        let text = format!("title = 5 # {hostile}\r\nrate = \"{hostile}\"\r\n");
        let at = text.find('"').unwrap();
        let argument = Place::Argument(format!("--set {hostile}").into());
        let problems = Problems {
            name: format!("{hostile}.toml"),
            list: vec![
                Problem::new(&Place::File(at..text.len()), hostile, hostile),
                Problem::new(&argument, hostile, hostile),
            ],
            text,
        };
        let style = Style {
            colour: false,
            unicode: true,
            width: 80,
        };
        let rendered = render(&problems, &style);
        let shown = "a\\u001b]0;x\\u0007\\u009b2J\\u202e\\rb";
        assert_eq!(visible_lines(&rendered), rendered, "{rendered}");
        assert!(
            rendered.contains(&format!("{shown}.toml:2:8")),
            "{rendered}"
        );
        assert!(
            rendered.contains(&format!("rate = \"{shown}\"\n")),
            "{rendered}"
        );
        assert!(
            rendered.contains(&format!("--set {shown}: {shown}")),
            "{rendered}"
        );
    }
}
