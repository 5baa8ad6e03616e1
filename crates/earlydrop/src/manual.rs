//! The schemes' documentation as Markdown, for pages and command lines (feature `manual`).

use alloc::format;
use alloc::string::String;
use core::fmt::{self, Write};

use crate::registry::{Descriptor, Parameter, SCHEMES};
use crate::schemes::DOCUMENTED;

/// The documentation of the built-in scheme called `scheme`, as Markdown: reference,
/// equations, readings, and how other tools differ.
///
/// ```
/// let manual = earlydrop::manual::of("nlred").unwrap();
/// assert!(manual.contains("# Equations"));
/// ```
pub fn of(scheme: &str) -> Option<String> {
    let (_, head) = DOCUMENTED.iter().find(|(name, _)| *name == scheme)?;
    Some(markdown(head))
}

/// The lines of documentation that a file of Rust begins with, as text of their own: a program
/// does not carry the rest of the file. [`markdown`] makes Markdown of them.
#[macro_export]
#[doc(hidden)]
macro_rules! documentation {
    ($file:expr) => {{
        const FILE: &str = include_str!($file);
        const HEAD: [u8; $crate::manual::head_length(FILE)] = $crate::manual::head(FILE);
        match core::str::from_utf8(&HEAD) {
            Ok(head) => head,
            Err(_) => "",
        }
    }};
}

/// Lines of documentation without their `//!`, and without rustdoc's links to items, which lead
/// nowhere outside its pages.
#[doc(hidden)]
pub fn markdown(head: &str) -> String {
    let mut text = String::new();
    for line in head.lines().map_while(|line| line.strip_prefix("//!")) {
        push_without_links(&mut text, line.strip_prefix(' ').unwrap_or(line));
        text.push('\n');
    }
    text
}

/// Appends a line whose ``[`item`]`` and ``[`item`](path)`` become `` `item` ``.
fn push_without_links(text: &mut String, line: &str) {
    let mut rest = line;
    while let Some((before, link)) = rest.split_once("[`")
        && let Some((item, after)) = link.split_once("`]")
    {
        text.push_str(before);
        text.push('`');
        text.push_str(item);
        text.push('`');
        let target = after
            .strip_prefix('(')
            .and_then(|target| target.split_once(')'));
        rest = target.map_or(after, |(_, after)| after);
    }
    text.push_str(rest);
}

/// The length of the lines of documentation that `file` begins with.
#[doc(hidden)]
pub const fn head_length(file: &str) -> usize {
    let bytes = file.as_bytes();
    let mut at = 0;
    while at + 2 < bytes.len()
        && bytes[at] == b'/'
        && bytes[at + 1] == b'/'
        && bytes[at + 2] == b'!'
    {
        while at < bytes.len() && bytes[at] != b'\n' {
            at += 1;
        }
        at += 1;
    }
    at
}

/// The beginning of `file`, as bytes of their own.
#[doc(hidden)]
pub const fn head<const LENGTH: usize>(file: &str) -> [u8; LENGTH] {
    let mut head = [0; LENGTH];
    let mut at = 0;
    while at < LENGTH {
        head[at] = file.as_bytes()[at];
        at += 1;
    }
    head
}

/// One page about every scheme, as Markdown.
pub fn page() -> String {
    let mut page = String::new();
    // Writing to a string cannot fail.
    let _ = write_page(&mut page);
    page
}

fn write_page(page: &mut String) -> fmt::Result {
    page.push_str(
        "# Schemes\n\n\
         Generated from the registry and the schemes' module documentation by \
         `cargo run --example schemes_page > docs/reference/schemes.md`.\n\n\
         A scheme is named by text such as `nlred:min=10,max=30` or \
         `red:as=linux,limit=500`. A parameter has the value that is given; else that of the \
         preset that `as` names; else the one that a scenario sets for all schemes; else its \
         default. Queue lengths are in packets, bytes (`15 kB`) \
         or time at the link's rate (`5 ms`).\n\n\
         | scheme | what it does | source |\n|---|---|---|\n",
    );
    for scheme in SCHEMES {
        let Descriptor {
            name,
            summary,
            source,
            ..
        } = scheme;
        writeln!(page, "| [{name}](#{name}) | {summary} | {source} |")?;
    }
    page.push_str(
        "\nEvery scheme of the RED family takes every parameter of the family: any curve \
         with any spacing, adaptation and policy, as in `clred:adapt=ared,policy=sfred`. \
         Below, each scheme lists the parameters that have an effect while its curve, \
         adaptation and policy are at their defaults. [`red`](#red) lists all of them, and \
         the meaning of each choice.\n",
    );
    for scheme in SCHEMES {
        write_scheme(page, scheme)?;
    }
    Ok(())
}

fn write_scheme(page: &mut String, scheme: &Descriptor) -> fmt::Result {
    writeln!(page, "\n## {}\n", scheme.name)?;
    for line in of(scheme.name).unwrap_or_default().lines() {
        match line.strip_prefix("# ") {
            Some(heading) => writeln!(page, "### {heading}")?,
            None => writeln!(page, "{line}")?,
        }
    }
    page.push_str(
        "\n### Parameters\n\n\
         | parameter | meaning | values | default | origin |\n|---|---|---|---|---|\n",
    );
    for parameter in scheme.parameters() {
        if scheme.name == "red" || scheme.uses(parameter) {
            write_parameter(page, scheme, parameter)?;
        }
    }
    if scheme.nests {
        writeln!(
            page,
            "| inner.* | any parameter of the inner scheme | | | |"
        )?;
    }
    write_choices(page, scheme)?;
    if !scheme.presets.is_empty() {
        page.push_str("\n### Presets\n\n| as | meaning | sets |\n|---|---|---|\n");
    }
    for preset in scheme.presets {
        write!(page, "| {} | {} |", preset.name, preset.meaning)?;
        for (name, value) in preset.values {
            write!(page, " `{name}={value}`")?;
        }
        page.push_str(" |\n");
    }
    if !scheme.probes.is_empty() {
        page.push_str("\n### Probes\n\n| probe | meaning |\n|---|---|\n");
    }
    for probe in scheme.probes {
        writeln!(page, "| {} | {} |", probe.name, probe.meaning)?;
    }
    Ok(())
}

/// Writes the meaning of each choice; for the RED family only under `red`.
fn write_choices(page: &mut String, scheme: &Descriptor) -> fmt::Result {
    if scheme.parameter("curve").is_some() && scheme.name != "red" {
        return Ok(());
    }
    for parameter in scheme.parameters() {
        if let Some(choices) = parameter.kind.choices() {
            writeln!(page, "\n{}:", parameter.name)?;
            for (name, meaning) in choices {
                writeln!(page, "- `{name}`: {meaning}")?;
            }
        }
    }
    Ok(())
}

fn write_parameter(page: &mut String, scheme: &Descriptor, parameter: &Parameter) -> fmt::Result {
    let Parameter { name, meaning, .. } = parameter;
    let (default, origin) = scheme.default_of(parameter);
    let allowed = parameter.kind.allowed();
    let when = match parameter.when {
        Some((other, values)) if !scheme.uses(parameter) => {
            format!(" (with {other}={})", values.join(" or "))
        }
        _ => String::new(),
    };
    writeln!(
        page,
        "| {name} | {meaning}{when} | {allowed} | {default} | {origin} |"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheme_opens_with_the_four_headings() {
        for scheme in SCHEMES {
            let manual = of(scheme.name).unwrap();
            for heading in [
                "# Reference",
                "# Equations",
                "# Our readings",
                "# How other tools differ",
            ] {
                let exempt = scheme.name == "droptail";
                assert!(
                    exempt || manual.contains(heading),
                    "{}: {heading}",
                    scheme.name
                );
            }
        }
    }

    #[test]
    fn the_page_has_every_scheme_and_no_broken_table() {
        let page = page();
        for scheme in SCHEMES {
            assert!(page.contains(&format!("\n## {}\n", scheme.name)));
        }
        let rows = page.lines().filter(|line| line.starts_with('|'));
        for row in rows {
            assert!(row.ends_with('|'), "{row}");
        }
    }
}
