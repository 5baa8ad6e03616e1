//! The layout of `--help`: what the command does, three examples, then usage and options.
//!
//! A command's `after_help` has its examples, one a line, and notes after them. On a terminal most
//! readers see the beginning only, so the examples go there; in manual pages they stay at the end.

use clap::Command;

/// The heading of examples in an `after_help`.
const EXAMPLES: &str = "Examples:\n";
/// The number of examples before the options.
const FIRST: usize = 3;

const TEMPLATE: &str =
    "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// The command and all its subcommands with the examples first.
pub(crate) fn examples_first(command: Command) -> Command {
    let names: Vec<String> = command
        .get_subcommands()
        .map(|subcommand| subcommand.get_name().to_string())
        .collect();
    let command = names.iter().fold(command, |command, name| {
        command.mut_subcommand(name, examples_first)
    });
    let after = command.get_after_help().map(ToString::to_string);
    let Some((first, rest)) = after.as_deref().and_then(split) else {
        return command;
    };
    command
        .help_template(TEMPLATE)
        .before_help(first)
        .after_help(rest)
}

/// The first examples with their heading, and what follows them: more examples, and notes.
fn split(after_help: &str) -> Option<(String, String)> {
    let rest = after_help.strip_prefix(EXAMPLES)?;
    let (examples, notes) = rest.split_once("\n\n").unwrap_or((rest, ""));
    let examples: Vec<&str> = examples.lines().collect();
    let (first, more) = examples.split_at(examples.len().min(FIRST));
    let more = match more {
        [] => String::new(),
        more => format!("More examples:\n{}", more.join("\n")),
    };
    let parts = [more.as_str(), notes];
    let rest: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    Some((format!("{EXAMPLES}{}", first.join("\n")), rest.join("\n\n")))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Arguments;

    #[test]
    fn the_help_of_every_command_shows_three_examples_before_its_usage() {
        let mut all = examples_first(Arguments::command());
        let root = all.render_help().to_string();
        let mut helps = vec![("earlydrop".to_string(), root)];
        // `help` is clap's own.
        let shown = |one: &&mut Command| !one.is_hide_set() && one.get_name() != "help";
        for subcommand in all.get_subcommands_mut().filter(shown) {
            let help = subcommand.render_long_help().to_string();
            helps.push((subcommand.get_name().to_string(), help));
        }
        for (name, help) in helps {
            let (before, after) = help.split_once("Usage:").expect("a usage");
            let examples = before.lines().filter(|line| line.starts_with("  "));
            let examples: Vec<&str> = examples.collect();
            assert_eq!(examples.len(), 3, "{name}:\n{help}");
            assert!(
                examples.iter().all(|one| one.contains("earlydrop")),
                "{name}:\n{help}"
            );
            assert!(after.contains("Options:"), "{name}:\n{help}");
        }
    }

    #[test]
    fn no_example_and_no_note_is_lost() {
        let (first, rest) = split("Examples:\n  a\n  b\n  c\n  d\n\nA note.").unwrap();
        assert_eq!(first, "Examples:\n  a\n  b\n  c");
        assert_eq!(rest, "More examples:\n  d\n\nA note.");
        assert_eq!(split("A note."), None);
    }
}
