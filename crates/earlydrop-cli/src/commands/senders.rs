//! `earlydrop senders`: the list of senders and what they share, and the manual of one.

use earlydrop_lab::document::suggestion;
use earlydrop_sim::tcp::manual::{self, Part};
use earlydrop_sim::tcp::{CONTROLLERS, Controller, EcnFeedback, EcnMode};

use super::schemes::definitions;
use crate::draw::{Look, Style, Text};
use crate::failure::Failure;
use crate::markdown;
use crate::output::Output;

/// List the senders, or print the manual of a profile, a controller or what they share
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop senders
  earlydrop senders cubic
  earlydrop senders linux
  earlydrop senders rack

A scenario chooses a controller with tcp.control, and all other rules with tcp.profile.")]
pub(crate) struct Senders {
    /// A profile, a controller or a mechanism: linux, cubic, prague, rack, ...
    name: Option<String>,
}

/// `earlydrop senders`.
pub(crate) fn run(args: &Senders, out: &mut Output<'_>, style: &Style) -> Result<(), Failure> {
    let lines = match &args.name {
        None => list(style),
        Some(name) => match manual::of(name) {
            Some(part) => page(&part, style),
            None => return Err(Failure::Usage(unknown(name))),
        },
    };
    Ok(out.lines(&lines, style)?)
}

fn unknown(name: &str) -> String {
    let known: Vec<&str> = manual::all().map(|part| part.name).collect();
    let hint = suggestion(name, &known, '"');
    format!("no sender or mechanism is called \"{name}\"; {hint}")
}

fn list(style: &Style) -> Vec<Text> {
    let section = |title: &str, parts: Vec<Part>| {
        let terms = parts.into_iter().map(|part| {
            let name = Text::new(part.name, Look::Code);
            (name, Text::from(part.meaning))
        });
        let mut lines = vec![Text::new(title, Look::Strong)];
        lines.extend(definitions(terms.collect(), style));
        lines.push(Text::default());
        lines
    };
    let mut lines = section("Profiles", manual::profiles().to_vec());
    lines.extend(section("Controllers of cwnd", manual::controls().collect()));
    lines.extend(section("What they share", manual::mechanisms().to_vec()));
    let hint = Text::from("Equations, readings and differences of one: ")
        .then("earlydrop senders NAME", Look::Code);
    lines.extend(hint.wrapped(style.width));
    lines
}

fn page(part: &Part, style: &Style) -> Vec<Text> {
    let manual = part.manual();
    let mut facts = vec![
        ("name", Text::new(part.name, Look::Strong)),
        ("summary", Text::from(part.meaning)),
    ];
    if let Some(controller) = CONTROLLERS.iter().find(|one| one.name == part.name) {
        facts.extend(of_controller(controller));
    }
    let facts = facts
        .into_iter()
        .map(|(name, fact)| (Text::new(name, Look::Faint), fact));
    let mut lines = definitions(facts.collect(), style);
    lines.push(Text::default());
    lines.extend(markdown::render(&manual, style));
    lines
}

/// How a controller uses ECN, and what Linux calls it.
fn of_controller(controller: &Controller) -> Vec<(&'static str, Text)> {
    let ecn = match controller.ecn {
        EcnMode::Off => "not ECN-capable unless tcp.ecn says so",
        EcnMode::L4s => "ECT(1), as L4S (RFC 9331)",
        _ => "ECT(0)",
    };
    let feedback = match controller.feedback {
        Some(EcnFeedback::AccEcn) => ", with AccECN (RFC 9768)",
        _ => "",
    };
    let mut facts = vec![("ECN", Text::from(format!("{ecn}{feedback}")))];
    let in_linux = controller.linux_name;
    facts.extend(in_linux.map(|name| ("in Linux", Text::new(name, Look::Code))));
    facts
}
