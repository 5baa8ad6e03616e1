//! Completions of a command line: which words may follow those that are typed.
//!
//! The scripts for bash, zsh and fish ask the hidden command `earlydrop complete`, so that they know
//! what the program knows: schemes, claims, metrics, and the scenario files of a folder. Scripts for
//! other shells have subcommands and options only.

use std::io::Write;
use std::path::Path;

use clap::{Arg, Command};
use clap_complete::Shell;
use earlydrop::registry::SCHEMES;
use earlydrop_lab::metrics::METRICS;
use earlydrop_lab::suite::SUITES;
use earlydrop_model::tools::TOOLS;
use earlydrop_papers::catalogue::Catalogue;
use earlydrop_sim::tcp::CONTROLLERS;

use crate::failure::Failure;
use crate::output::Output;

/// The words of a command line up to the cursor.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Complete {
    /// The words after `earlydrop`, the last one as far as it is typed
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

/// The script with which a shell completes the command.
pub(crate) fn script(shell: Shell, command: &mut Command) -> Vec<u8> {
    match shell {
        Shell::Bash => include_bytes!("completion/earlydrop.bash").to_vec(),
        Shell::Zsh => include_bytes!("completion/earlydrop.zsh").to_vec(),
        Shell::Fish => include_bytes!("completion/earlydrop.fish").to_vec(),
        other => {
            let mut script = Vec::new();
            clap_complete::generate(other, command, "earlydrop", &mut script);
            script
        }
    }
}

/// Prints the candidates for the last word, one a line.
pub(crate) fn run(
    arguments: &Complete,
    mut command: Command,
    out: &mut Output<'_>,
) -> Result<(), Failure> {
    command.build();
    for candidate in candidates(&command, &arguments.words) {
        writeln!(out, "{candidate}")?;
    }
    Ok(())
}

/// What the last of `words` may become.
fn candidates(command: &Command, words: &[String]) -> Vec<String> {
    let (last, before) = words
        .split_last()
        .map_or(("", words), |(last, before)| (last.as_str(), before));
    let place = Place::after(command, before);
    if let Some(option) = place.option {
        return values(option, last);
    }
    if let Some((name, value)) = last.split_once('=').filter(|_| last.starts_with("--")) {
        let option = option_of(place.command, name);
        let all = option.map_or(Vec::new(), |option| values(option, value));
        return all.iter().map(|value| format!("{name}={value}")).collect();
    }
    if last.starts_with('-') {
        let shown = place
            .command
            .get_arguments()
            .filter(|one| !one.is_hide_set());
        let options = shown.filter_map(Arg::get_long);
        let options = options.map(|name| format!("--{name}"));
        return beginning_with(options, last);
    }
    let subcommands = place
        .command
        .get_subcommands()
        .filter(|one| !one.is_hide_set());
    let mut all = beginning_with(subcommands.map(|one| one.get_name().to_string()), last);
    if let Some(positional) = place.command.get_positionals().nth(place.positionals) {
        all.extend(values(positional, last));
    }
    all
}

/// Where in a command line a word stands.
struct Place<'a> {
    /// The command whose arguments may follow.
    command: &'a Command,
    /// The option whose value follows.
    option: Option<&'a Arg>,
    /// The number of positional arguments so far.
    positionals: usize,
}

impl<'a> Place<'a> {
    fn after(command: &'a Command, words: &[String]) -> Place<'a> {
        let mut place = Place {
            command,
            option: None,
            positionals: 0,
        };
        for word in words {
            if place.option.take().is_some() {
                continue;
            }
            if word.starts_with("--") {
                let option = option_of(place.command, word);
                place.option = option.filter(|option| option.get_action().takes_values());
            } else if word.starts_with('-') && word.len() > 1 {
                // A flag of one letter.
            } else if let Some(subcommand) = place.command.find_subcommand(word) {
                place.command = subcommand;
            } else {
                place.positionals += 1;
            }
        }
        place
    }
}

/// The option called `--name`.
fn option_of<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    let name = name.strip_prefix("--")?;
    let mut all = command.get_arguments();
    all.find(|option| option.get_long() == Some(name))
}

/// The values of an argument that begin with what is typed; none where any file may follow, which
/// shells complete themselves.
fn values(argument: &Arg, typed: &str) -> Vec<String> {
    let possible = argument.get_possible_values();
    if !possible.is_empty() && argument.get_action().takes_values() {
        let names = possible.iter().map(|value| value.get_name().to_string());
        return beginning_with(names, typed);
    }
    match argument.get_id().as_str() {
        "schemes" => of_list(schemes, typed),
        "scheme" | "name" | "queue" => beginning_with(schemes(), typed),
        "scenario" => scenario_files(typed),
        "suite" => beginning_with(SUITES.iter().map(|suite| suite.name.to_string()), typed),
        "what" => beginning_with(papers_and_claims(), typed),
        "tool" | "from" | "paste" => beginning_with(tools(), typed),
        "to" => of_list(|| tools().chain(["all".to_string()]), typed),
        "minimise" | "maximise" => beginning_with(metrics(), typed),
        "tcp" => beginning_with(
            CONTROLLERS.iter().map(|control| control.name.to_string()),
            typed,
        ),
        "ecn" => beginning_with(words(&["off", "on", "dctcp", "l4s"]), typed),
        _ => Vec::new(),
    }
}

fn words(all: &'static [&'static str]) -> impl Iterator<Item = String> {
    all.iter().map(ToString::to_string)
}

fn schemes() -> impl Iterator<Item = String> {
    SCHEMES.iter().map(|scheme| scheme.name.to_string())
}

fn tools() -> impl Iterator<Item = String> {
    TOOLS.iter().map(|tool| tool.name.to_string())
}

fn metrics() -> impl Iterator<Item = String> {
    METRICS.iter().map(|metric| metric.name.to_string())
}

fn papers_and_claims() -> impl Iterator<Item = String> {
    let papers = Catalogue::read().map_or(Vec::new(), |catalogue| catalogue.papers);
    papers.into_iter().flat_map(|entry| {
        let claims = entry.paper.claims.into_iter().map(|claim| claim.id);
        [entry.paper.key]
            .into_iter()
            .chain(claims)
            .collect::<Vec<String>>()
    })
}

fn beginning_with(all: impl Iterator<Item = String>, typed: &str) -> Vec<String> {
    all.filter(|one| one.starts_with(typed)).collect()
}

/// Candidates for the last piece of a list with commas.
fn of_list<I: Iterator<Item = String>>(all: impl Fn() -> I, typed: &str) -> Vec<String> {
    let (list, last) = typed.rsplit_once(',').map_or(("", typed), |(_, last)| {
        (&typed[..typed.len() - last.len()], last)
    });
    let listed: Vec<&str> = list.split(',').collect();
    let others = all().filter(|one| !listed.contains(&one.as_str()));
    let fitting = beginning_with(others, last).into_iter();
    fitting.map(|one| format!("{list}{one}")).collect()
}

/// Scenario files, and folders that may hold some.
fn scenario_files(typed: &str) -> Vec<String> {
    let (folder, name) = typed
        .rsplit_once('/')
        .map_or(("", typed), |(folder, name)| {
            (&typed[..=folder.len()], name)
        });
    let path = if folder.is_empty() { "." } else { folder };
    let entries = std::fs::read_dir(Path::new(path))
        .into_iter()
        .flatten()
        .flatten();
    let candidate = |entry: std::fs::DirEntry| {
        let found = entry.file_name().into_string().ok()?;
        let is_fitting =
            found.starts_with(name) && (name.starts_with('.') || !found.starts_with('.'));
        // Links are followed.
        let is_folder = entry.path().is_dir();
        (is_fitting && (is_folder || found.ends_with(".toml"))).then(|| match is_folder {
            true => format!("{folder}{found}/"),
            false => format!("{folder}{found}"),
        })
    };
    let mut files: Vec<String> = entries.filter_map(candidate).collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Arguments;

    fn completed(line: &str) -> Vec<String> {
        let mut command = Arguments::command();
        command.build();
        let words: Vec<String> = line.split(' ').map(str::to_string).collect();
        candidates(&command, &words)
    }

    #[test]
    fn names_follow_where_they_are_allowed() {
        for (line, wanted) in [
            ("confi", &["configure"][..]),
            ("schemes nl", &["nlred"]),
            ("compare --schemes nl", &["nlred"]),
            ("compare --schemes=red,nl", &["--schemes=red,nlred"]),
            ("compare --schemes red,nlred,nl", &[]),
            ("compare --link 5Mbps --schemes red,fq-c", &["red,fq-codel"]),
            ("compare --baseline-of-nothing", &[]),
            ("explain --a", &["--as"]),
            ("explain --as ju", &["junos"]),
            ("translate --to linux,cis", &["linux,cisco"]),
            ("tune x.toml --minimise delay_p99", &["delay_p99"]),
            ("reproduce clred.F5.a.p", &["clred.F5.a.printed"]),
            ("suite rfc", &["rfc7928"]),
            ("export runs/x --to par", &["parquet"]),
            ("report runs/x --as mark", &["markdown"]),
            ("complete ", &[]),
        ] {
            assert_eq!(completed(line), wanted, "{line}");
        }
        let all = completed("");
        assert!(all.contains(&"compare".to_string()) && !all.contains(&"complete".to_string()));
        assert!(completed("reproduce cl").contains(&"clred".to_string()));
        assert_eq!(completed("schemes ").len(), SCHEMES.len());
    }

    #[test]
    fn only_scenario_files_and_folders_are_offered_as_scenarios() {
        let folder = tempfile::TempDir::new().unwrap();
        for name in ["b.toml", "a.toml", "notes.txt", ".hidden.toml"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("more")).unwrap();
        let path = folder.path().to_str().unwrap();
        let names = |typed: &str| {
            let all = completed(&format!("run {path}/{typed}"));
            let names = all
                .iter()
                .map(|one| one.strip_prefix(path).unwrap().to_string());
            names.collect::<Vec<String>>()
        };
        assert_eq!(names(""), ["/a.toml", "/b.toml", "/more/"]);
        assert_eq!(names("b"), ["/b.toml"]);
    }
}
