//! The `earlydrop` command, for programs that carry it: [`run`] runs a command line in this process.
//!
//! A thin layer over the libraries: it parses arguments, shows progress, and prints results. Each
//! subcommand is one file in `commands`; `draw` lays out text, tables and plots for a terminal.

#![forbid(unsafe_code)]

mod commands;
mod completion;
mod diagnostics;
mod draw;
mod failure;
mod help;
#[cfg_attr(unix, path = "interruption/signals.rs")]
#[cfg_attr(not(unix), path = "interruption/console.rs")]
mod interruption;
mod markdown;
mod notices;
mod output;
mod outputs;
mod progress;
mod scenario;
mod standard_input;
mod summary_table;
mod tool_input;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use earlydrop_lab::escape::visible;

#[cfg(feature = "conformance")]
use commands::conformance;
#[cfg(target_os = "linux")]
use commands::{bridge, live, shell};
use commands::{
    check, compare, configure, explain, export, figure, lab, queue, report, reproduce, run,
    schemes, senders, suite, trace, translate, tune,
};
use draw::{Style, painted};
use earlydrop_lab::files::{NewFile, Overwrite, Signature, create_folder};
use earlydrop_lab::plan::{Cell, Plan};
use earlydrop_lab::summary::Summary;
use earlydrop_lab::trace::CellTrace;
use earlydrop_report::table::View;
use failure::Failure;
use output::Output;
use outputs::Overwriting;

/// Simulate, run, model and compare active queue management schemes
#[derive(Parser)]
#[command(name = "earlydrop", version = version(), max_term_width = 100)]
#[command(after_help = "Examples:
  earlydrop compare
  earlydrop compare --schemes red,pie,codel --link 50Mbps --rtt 20ms --flows 40
  earlydrop run scenarios/satellite.toml
  earlydrop configure --link 100Mbps --rtt 50ms --flows 150
  earlydrop schemes nlred")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Compare(compare::Compare),
    Run(run::Run),
    #[cfg(target_os = "linux")]
    Live(live::Live),
    Suite(suite::SuiteCommand),
    Tune(tune::Tune),
    Report(report::Report),
    Reproduce(reproduce::Reproduce),
    Export(export::Export),
    Figure(figure::Figure),
    Lab(lab::Lab),
    Schemes(schemes::Schemes),
    Senders(senders::Senders),
    Check(check::Check),
    Explain(explain::Explain),
    Translate(translate::Translate),
    /// Print the JSON Schema of scenario files, for editors
    #[command(after_help = "Examples:
  earlydrop schema
  earlydrop schema > scenario.schema.json
  earlydrop schema | jq '.properties | keys'

With the second, as a scenario's first line: #:schema scenario.schema.json")]
    Schema,
    Trace(trace::Trace),
    #[cfg(target_os = "linux")]
    Shell(shell::Shell),
    #[cfg(target_os = "linux")]
    Bridge(bridge::Bridge),
    Configure(configure::Configure),
    Queue(queue::Queue),
    #[cfg(feature = "conformance")]
    Conformance(conformance::Conformance),
    /// Print shell completions
    #[command(after_help = "Examples:
  earlydrop completions bash > ~/.local/share/bash-completion/completions/earlydrop
  earlydrop completions zsh > ~/.zfunc/_earlydrop
  earlydrop completions fish > ~/.config/fish/completions/earlydrop.fish

With bash, zsh and fish they know schemes, scenario files, papers, claims, tools and metrics.")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the completions of a command line: what the scripts of `completions` call
    #[command(hide = true)]
    Complete(completion::Complete),
    /// Print the manual page, or write the pages of all commands
    #[command(after_help = "Examples:
  earlydrop man | man -l -
  earlydrop man --out ~/.local/share/man/man1
  earlydrop man --out man && man -l man/earlydrop-compare.1")]
    Man {
        /// Write a manual page for each command into this folder
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        #[command(flatten)]
        overwriting: Overwriting,
    },
}

fn version() -> &'static str {
    static VERSION: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    VERSION.get_or_init(earlydrop_lab::version)
}

/// Runs a command line, its first word the program's name, and returns the exit code: 0, 1 for an
/// error while it ran, 2 for a wrong argument, 130 after Ctrl-C, 143 after SIGTERM.
///
/// Results go to this process's standard output, messages and progress to its standard error.
/// Commands that run for long handle SIGINT, SIGTERM and SIGHUP from then on: the first stops the
/// command, the second ends the process.
///
/// ```
/// assert_eq!(earlydrop_cli::run(["earlydrop", "schemes", "--link", "fast"]), 2);
/// ```
pub fn run(words: impl IntoIterator<Item = impl Into<OsString>>) -> u8 {
    let words: Vec<OsString> = words.into_iter().map(Into::into).collect();
    let code = match parse(words.iter().cloned()) {
        Ok(arguments) => {
            let style = Style::of_stdout();
            let done = dispatch(&arguments.command, &style);
            done.unwrap_or_else(|failure| failure.report(&style))
        }
        Err(refusal) => refuse(refusal, &words),
    };
    // A Rust program flushes at its end; one in another language does not. Nothing is left to do
    // where it cannot be written.
    drop(io::stdout().flush());
    code
}

/// The arguments of a command, options without their dashes, each with its help: for programs that
/// take the same.
///
/// ```
/// let options = earlydrop_cli::options_of("compare");
/// assert!(options.iter().any(|(name, help)| name == "rtt" && !help.is_empty()));
/// ```
pub fn options_of(command: &str) -> Vec<(String, String)> {
    let all = Arguments::command();
    let of_command = all.find_subcommand(command).into_iter();
    let arguments = of_command.flat_map(|command| command.get_arguments());
    let option = |argument: &clap::Arg| {
        let name = argument.get_long().unwrap_or(argument.get_id().as_str());
        let help = argument.get_help().map(ToString::to_string);
        (name.to_string(), help.unwrap_or_default())
    };
    arguments.map(option).collect()
}

/// The text that `earlydrop run` prints of results, without colours, in lines of at most `width`
/// columns.
pub fn summary_text(plan: &Plan, summary: &Summary, view: &View, width: usize) -> String {
    let style = Style::plain(width);
    painted(&summary_table::lines(plan, summary, view, &style), &style)
}

/// The text that `earlydrop trace` prints of a traced run, without colours, in lines of at most
/// `width` columns.
pub fn trace_text(plan: &Plan, cell: Cell, traced: &CellTrace, width: usize) -> String {
    trace::text(plan, cell, traced, width)
}

/// Parses the command line.
fn parse(words: impl Iterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    let mut command = help::examples_first(Arguments::command());
    let mut matches = command.try_get_matches_from_mut(with_negative_values(words))?;
    let parsed = Arguments::from_arg_matches_mut(&mut matches);
    parsed.map_err(|error| error.format(&mut command))
}

/// The words of a command line in which a negative value, `--warm-up -1s`, is one word with its
/// option: by itself it would be taken for short options, and refused as unknown ones instead of
/// out of range.
fn with_negative_values(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    for word in words {
        let text = word.to_string_lossy();
        let digits = text
            .strip_prefix('-')
            .map(|rest| rest.trim_start_matches('.'));
        let is_negative = digits.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let is_option = |option: &OsString| {
            let option = option.to_string_lossy();
            option.len() > 2 && option.starts_with("--") && !option.contains('=')
        };
        match joined
            .last_mut()
            .filter(|last| is_negative && is_option(last))
        {
            Some(option) => {
                option.push("=");
                option.push(&word);
            }
            None => joined.push(word),
        }
    }
    joined
}

/// Prints the parser's refusal, or the help that was asked for, and returns the exit code.
fn refuse(refusal: clap::Error, words: &[OsString]) -> u8 {
    // The parser quotes arguments as they are: it refuses escaped ones with escaped quotes.
    let escaped = |argument: &OsString| visible(&argument.to_string_lossy()).into_owned();
    let again = parse(words.iter().map(|argument| escaped(argument).into()));
    let refusal = again.err().unwrap_or(refusal);
    let code = u8::try_from(refusal.exit_code()).unwrap_or(2);
    // Nothing is left to do where the message cannot be written.
    drop(refusal.print());
    code
}

fn dispatch(command: &Command, style: &Style) -> Result<u8, Failure> {
    let mut sink = anstream::stdout().lock();
    let out = &mut Output::new(&mut sink);
    let done = match command {
        #[cfg(target_os = "linux")]
        Command::Shell(arguments) => return shell::run(arguments),
        #[cfg(target_os = "linux")]
        Command::Bridge(arguments) => return bridge::run(arguments),
        Command::Compare(arguments) => compare::run(arguments, out, style),
        Command::Run(arguments) => run::run(arguments, out, style),
        #[cfg(target_os = "linux")]
        Command::Live(arguments) => live::run(arguments, out, style),
        Command::Suite(arguments) => suite::run(arguments, out, style),
        Command::Tune(arguments) => tune::run(arguments, out, style),
        Command::Report(arguments) => report::run(arguments, out, style),
        Command::Reproduce(arguments) => reproduce::run(arguments, out, style),
        Command::Export(arguments) => export::run(arguments, out),
        Command::Figure(arguments) => figure::run(arguments, out),
        Command::Lab(arguments) => lab::run(arguments, out),
        Command::Schemes(arguments) => schemes::run(arguments, out, style),
        Command::Senders(arguments) => senders::run(arguments, out, style),
        Command::Check(arguments) => check::run(arguments, out),
        Command::Explain(arguments) => explain::run(arguments, out, style),
        Command::Translate(arguments) => translate::run(arguments, out, style),
        Command::Schema => {
            let schema = earlydrop_lab::scenario::schema();
            Ok(out.json(&schema)?)
        }
        Command::Trace(arguments) => trace::run(arguments, out, style),
        Command::Configure(arguments) => configure::run(arguments, out, style),
        Command::Queue(arguments) => queue::run(arguments, out, style),
        #[cfg(feature = "conformance")]
        Command::Conformance(arguments) => conformance::run(arguments, out),
        Command::Completions { shell } => {
            let script = completion::script(*shell, &mut Arguments::command());
            Ok(out.write_all(&script)?)
        }
        Command::Complete(arguments) => completion::run(arguments, Arguments::command(), out),
        Command::Man { out: None, .. } => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Arguments::command()).render(&mut page)?;
            Ok(out.write_all(&page)?)
        }
        Command::Man {
            out: Some(folder),
            overwriting,
        } => {
            create_folder(folder)?;
            let mut command = Arguments::command();
            command.build();
            write_manual(&command, folder, overwriting.files())?;
            Ok(writeln!(out, "{}", folder.join("earlydrop.1").display())?)
        }
    };
    done.map(|()| 0)
}

/// Writes the manual page of a command, and those of its subcommands.
fn write_manual(
    command: &clap::Command,
    folder: &Path,
    overwrite: Overwrite,
) -> Result<(), Failure> {
    for subcommand in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        write_manual(subcommand, folder, overwrite)?;
    }
    let manual = clap_mangen::Man::new(command.clone());
    let mut page = Vec::new();
    manual.render(&mut page)?;
    let path = folder.join(manual.get_filename());
    NewFile::create(&path, &Signature::MANUAL, overwrite)?.complete_with(&page)?;
    Ok(())
}
