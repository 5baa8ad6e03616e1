//! Problems of a scenario, rendered with the lines that cause them.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Element, Level, Renderer, Snippet};
use earlydrop_lab::document::{Place, Problem, Problems};

use crate::draw::Style;

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
    let rendered = problems
        .list
        .iter()
        .map(|problem| render_one(problems, problem, &renderer));
    rendered.collect::<Vec<_>>().join("\n\n")
}

fn render_one(problems: &Problems, problem: &Problem, renderer: &Renderer) -> String {
    let help = (!problem.help.is_empty()).then(|| Level::HELP.message(&problem.help));
    let title = match &problem.place {
        Place::Argument(argument) if !argument.is_empty() => {
            format!("{argument}: {}", problem.message)
        }
        _ => problem.message.clone(),
    };
    let mut group = Level::ERROR
        .primary_title(&title)
        .elements(None::<Element<'_>>);
    if let Place::File(bytes) = &problem.place {
        let text = &problems.text;
        let start = text.floor_char_boundary(bytes.start);
        let end = text.ceil_char_boundary(bytes.end).max(start);
        // Of a table only the first line is marked.
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let span = start..end.min(line_end.max(start));
        let snippet = Snippet::source(text.as_str())
            .path(problems.name.as_str())
            .annotation(AnnotationKind::Primary.span(span));
        group = group.element(snippet);
    }
    if let Some(help) = help {
        group = group.element(help);
    }
    renderer.render(&[group])
}
