//! The scenario of a command, with the fields that the command line overrides.

use std::path::{Path, PathBuf};

use earlydrop_lab::budget::Limits;
use earlydrop_lab::escape::CommandLine;
use earlydrop_lab::plan::{Plan, ShortName, Source};
use earlydrop_sim::tcp::CONTROLLERS;

use crate::diagnostics::STANDARD_INPUT;
use crate::failure::Failure;
use crate::standard_input;

/// The help of `--tcp`, with the name of each controller.
fn tcp_help() -> String {
    let names: Vec<_> = CONTROLLERS.iter().map(|known| known.name).collect();
    format!("TCP's congestion control: {}", names.join(", "))
}

/// Fields of a scenario that the command line overrides.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct Overrides {
    /// Compare these schemes: "red,nlred:min=10,max=30,codel"
    #[arg(long, value_name = "LIST")]
    schemes: Option<String>,
    /// The bottleneck's rate: 10Mbps
    #[arg(long, value_name = "RATE")]
    link: Option<String>,
    /// The RTT without queueing: 50ms
    #[arg(long, value_name = "TIME")]
    rtt: Option<String>,
    /// The number of flows in the first group
    #[arg(long, value_name = "COUNT")]
    flows: Option<String>,
    /// The buffer size of every scheme: "120 packets", "100 ms", "0.5 BDP", auto
    #[arg(long, value_name = "LENGTH")]
    buffer: Option<String>,
    #[arg(long, value_name = "CONTROL", help = tcp_help())]
    tcp: Option<String>,
    /// TCP's use of ECN: off, on, dctcp, l4s
    #[arg(long, value_name = "MODE")]
    ecn: Option<String>,
    /// The duration of each run: 60s
    #[arg(long, value_name = "TIME")]
    duration: Option<String>,
    /// The time at the start of each run that is not measured: 10s [default: the scenario's, in
    /// proportion to --duration]
    #[arg(long, value_name = "TIME")]
    warm_up: Option<String>,
    /// The number of seeds that each scheme runs with
    #[arg(long, value_name = "COUNT")]
    seeds: Option<String>,
    /// Another field by its path: --set network.loss=1%
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// The largest estimated use of resources: memory=8GB,events=1e14,disk=100GB [default:
    /// memory=4GB,events=1e12,disk=20GB]
    #[arg(long, value_name = "LIST")]
    limits: Option<String>,
}

/// The scenario of a file or of standard input, or the built-in one, with these overrides.
pub(crate) fn source(file: Option<&PathBuf>, overrides: &Overrides) -> Result<Source, Failure> {
    let mut source = match file {
        Some(path) if is_standard_input(path) => {
            Source::new(STANDARD_INPUT, &standard_input::read()?, PathBuf::new())?
        }
        Some(path) => Source::open(path)?,
        None => Source::built_in()?,
    };
    overrides.apply(&mut source)?;
    let limits = match &overrides.limits {
        Some(text) => text
            .parse()
            .map_err(|error| Failure::Usage(format!("--limits {error}")))?,
        None => Limits::default(),
    };
    Ok(source.with_limits(limits))
}

/// The files that the scenario of `file` was read from: itself, and the recordings of its plan.
pub(crate) fn inputs(file: Option<&PathBuf>, plan: &Plan) -> Vec<PathBuf> {
    let Some(file) = file else {
        return Vec::new();
    };
    let folder = match is_standard_input(file) {
        true => Path::new(""),
        false => file.parent().unwrap_or(Path::new("")),
    };
    let recordings = plan.recordings.iter();
    let recordings = recordings.map(|recording| folder.join(&recording.name));
    [file.clone()].into_iter().chain(recordings).collect()
}

/// Whether a scenario is `-`, standard input. Files that it names are found from the current folder.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

impl Overrides {
    /// The command with the options that give these overrides.
    pub(crate) fn added_to(&self, command: CommandLine) -> CommandLine {
        let options = [
            ("--schemes", &self.schemes),
            ("--link", &self.link),
            ("--rtt", &self.rtt),
            ("--flows", &self.flows),
            ("--buffer", &self.buffer),
            ("--tcp", &self.tcp),
            ("--ecn", &self.ecn),
            ("--duration", &self.duration),
            ("--warm-up", &self.warm_up),
            ("--seeds", &self.seeds),
            ("--limits", &self.limits),
        ];
        let command = options.iter().fold(command, |command, (name, value)| {
            command.given(name, value.as_ref())
        });
        self.set
            .iter()
            .fold(command, |command, set| command.option("--set", set))
    }

    fn apply(&self, source: &mut Source) -> Result<(), Failure> {
        let settings = [
            ("schemes", &self.schemes, ShortName::Schemes),
            ("link", &self.link, ShortName::Link),
            ("rtt", &self.rtt, ShortName::Rtt),
            ("flows", &self.flows, ShortName::Flows),
            ("buffer", &self.buffer, ShortName::Buffer),
            ("duration", &self.duration, ShortName::Duration),
            ("warm-up", &self.warm_up, ShortName::WarmUp),
            ("seeds", &self.seeds, ShortName::Seeds),
            ("tcp", &self.tcp, ShortName::Tcp),
            ("ecn", &self.ecn, ShortName::Ecn),
        ];
        for (option, value, name) in settings {
            if let Some(value) = value {
                source.change_short(name, value, &format!("--{option} {value}"));
            }
        }
        for setting in &self.set {
            let Some((path, value)) = setting.split_once('=') else {
                let text = format!("--set {setting}: allowed: PATH=VALUE, as in network.loss=1%");
                return Err(Failure::Usage(text));
            };
            source.change(path.trim(), value.trim(), &format!("--set {setting}"));
        }
        Ok(())
    }
}
