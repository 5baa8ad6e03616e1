//! `earlydrop lab`: the laboratory, a page in which queues move.

use std::io::{IsTerminal, Write, stdout};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use earlydrop::registry::{Spec, nearest};
use earlydrop_lab::files::{NewFile, Signature, create_folder};
use earlydrop_lab::plan::{Contents, Plan, split_schemes};
use earlydrop_report::laboratory::{MOST_SCHEMES, of_scenario, of_schemes, page};

use crate::failure::Failure;
use crate::output::{Output, error};
use crate::outputs::{Overwriting, check_inputs};
use crate::scenario::{Overrides, inputs, source};

/// Schemes that are shown of a scenario unless some are named.
const SHOWN: usize = 3;

/// Open the laboratory in a browser: queues side by side, moving, with every knob at hand
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  earlydrop lab
  earlydrop lab --schemes red,codel,pie
  earlydrop lab scenarios/flood.toml --schemes red,sfred --seed 3
  earlydrop lab --out laboratory.html --no-open

The page is one file with the simulator in it. It opens without a network, on a telephone as well.")]
pub(crate) struct Lab {
    /// The scenario file, or - for standard input [default: a link with knobs]
    scenario: Option<PathBuf>,
    /// The schemes to show, at most four; those of a scenario by their labels
    #[arg(long, value_name = "LIST")]
    schemes: Option<String>,
    /// The seed [default: the scenario's first, or 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The point of the scenario's sweep, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    point: usize,
    /// The page's file
    #[arg(long, value_name = "FILE", default_value = "runs/laboratory.html")]
    out: PathBuf,
    /// Write the page, and leave it to the user to open it
    #[arg(long)]
    no_open: bool,
    #[command(flatten)]
    overwriting: Overwriting,
}

pub(crate) fn run(arguments: &Lab, out: &mut Output<'_>) -> Result<(), Failure> {
    let address = match &arguments.scenario {
        Some(path) => {
            let plan = source(Some(path), &Overrides::default())?.plan()?;
            check_inputs(
                &inputs(Some(path), &plan),
                &[("--out", Some(&arguments.out))],
            )?;
            scenario_address(&plan, arguments)?
        }
        None => knobs_address(arguments)?,
    };
    let path = &arguments.out;
    if let Some(folder) = path.parent().filter(|folder| *folder != Path::new("")) {
        create_folder(folder)?;
    }
    let overwrite = arguments.overwriting.files();
    let file = NewFile::create(path, &Signature::PAGE, overwrite)?;
    file.complete_with(page(&address).as_bytes())?;
    writeln!(out, "{}", path.display())?;
    // Where nobody looks at a terminal, a browser would surprise.
    if !arguments.no_open && stdout().is_terminal() && !opened(path) {
        error("no browser could be started: open the file in one");
    }
    Ok(())
}

/// The address of the link with knobs, with the schemes that are asked for.
fn knobs_address(arguments: &Lab) -> Result<String, Failure> {
    if arguments.point != 0 {
        let text = format!("--point {}: it takes a scenario", arguments.point);
        return Err(Failure::Usage(text));
    }
    let schemes = asked_for(arguments)?.unwrap_or_default();
    for scheme in &schemes {
        scheme.parse::<Spec>()?;
    }
    let address = of_schemes(&schemes);
    Ok(match arguments.seed {
        None => address,
        Some(seed) if address.is_empty() => format!("#seed={seed}"),
        Some(seed) => format!("{address}&seed={seed}"),
    })
}

/// The schemes of `--schemes`, at most four.
fn asked_for(arguments: &Lab) -> Result<Option<Vec<String>>, Failure> {
    let Some(text) = &arguments.schemes else {
        return Ok(None);
    };
    let schemes = split_schemes(text);
    match schemes.len() {
        1..=MOST_SCHEMES => Ok(Some(schemes)),
        count => Err(Failure::Usage(format!(
            "--schemes {text}: {count} schemes; allowed: 1 to {MOST_SCHEMES} side by side"
        ))),
    }
}

/// What a recording is, and what a scenario for a page has instead.
fn of_page(contents: &Contents) -> (&'static str, &'static str) {
    match contents {
        Contents::Delays => ("recorded delays", "give the link a constant delay"),
        Contents::Packets(_) => ("recorded packets", "leave out the flows that replay them"),
        Contents::Sizes => (
            "distribution of sizes",
            "take a built-in one, such as sizes = \"websearch\"",
        ),
        Contents::Flows => ("flow list", "describe its transfers as groups of flows"),
        _ => ("recorded link", "give the link a constant rate"),
    }
}

/// The address of a point of a scenario.
fn scenario_address(plan: &Plan, arguments: &Lab) -> Result<String, Failure> {
    if let Some(recording) = plan.recordings.first() {
        let (what, instead) = of_page(&recording.contents);
        return Err(Failure::Usage(format!(
            "{}: a page cannot hold the {what} that the scenario names; {instead}",
            recording.name
        )));
    }
    let last = plan.points.len() - 1;
    if arguments.point > last {
        let text = format!("--point {}: allowed: 0 to {last}", arguments.point);
        return Err(Failure::Usage(text));
    }
    let labels = plan.labels();
    let asked = asked_for(arguments)?;
    let shown: Vec<&str> = match &asked {
        None => labels.iter().copied().take(SHOWN).collect(),
        Some(schemes) => {
            let known = schemes.iter().map(|name| label(&labels, name));
            known.collect::<Result<_, _>>()?
        }
    };
    let seed = arguments.seed.unwrap_or(plan.seeds[0]);
    Ok(of_scenario(&plan.toml(), &shown, seed, arguments.point))
}

fn label<'a>(labels: &[&'a str], name: &str) -> Result<&'a str, Failure> {
    let found = labels.iter().find(|label| **label == name).copied();
    found.ok_or_else(|| {
        let meant = nearest(name, labels.iter().copied());
        let meant = meant.map_or(String::new(), |label| format!("; nearest: {label}"));
        let known = labels.join(", ");
        let text = format!("--schemes {name}: the scenario compares {known}{meant}");
        Failure::Usage(text)
    })
}

/// Asks the desktop to open a page; false where it has no way to.
fn opened(path: &Path) -> bool {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let mut command = Command::new(program);
    command.arg(path).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
