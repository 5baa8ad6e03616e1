//! Which scenario, and what the command line changes about it.

use std::path::PathBuf;

use earlydrop_lab::document::Content;
use earlydrop_lab::plan::Source;

use crate::failure::Failure;

/// The scenario that is compared when none is named.
const BUILT_IN: &str = include_str!("built-in.toml");

/// What the command line changes about a scenario.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct Changes {
    /// Compare these schemes: "red,nlred:min=10,max=30,codel"
    #[arg(long, value_name = "LIST")]
    schemes: Option<String>,
    /// The bottleneck's rate: 10Mbps
    #[arg(long, value_name = "RATE")]
    link: Option<String>,
    /// The round trip without queues: 50ms
    #[arg(long, value_name = "TIME")]
    rtt: Option<String>,
    /// How many flows the first group has
    #[arg(long, value_name = "COUNT")]
    flows: Option<String>,
    /// Every scheme's limit: "120 packets", "300 kB", "100 ms"
    #[arg(long, value_name = "LENGTH")]
    buffer: Option<String>,
    /// How TCP controls its window: reno, cubic, dctcp, scalable, bbr
    #[arg(long, value_name = "CONTROL")]
    tcp: Option<String>,
    /// What TCP does about marks: off, on, dctcp, l4s
    #[arg(long, value_name = "MODE")]
    ecn: Option<String>,
    /// How long each run lasts: 60s
    #[arg(long, value_name = "TIME")]
    duration: Option<String>,
    /// How much of its beginning is left out
    #[arg(long, value_name = "TIME")]
    warm_up: Option<String>,
    /// With how many seeds each scheme runs
    #[arg(long, value_name = "COUNT")]
    seeds: Option<String>,
    /// Any other field by its path: --set network.loss=1%
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

/// The scenario of a file, or the one that is built in, with these changes.
pub(crate) fn source(file: Option<&PathBuf>, changes: &Changes) -> Result<Source, Failure> {
    let mut source = match file {
        Some(path) => Source::open(path)?,
        None => Source::new("built-in.toml", BUILT_IN, PathBuf::new())?,
    };
    changes.apply(&mut source)?;
    Ok(source)
}

impl Changes {
    fn apply(&self, source: &mut Source) -> Result<(), Failure> {
        if let Some(schemes) = &self.schemes {
            source.set_schemes(schemes, &format!("--schemes {schemes}"));
        }
        let count = first_group(source).map(|group| format!("flows.{group}.count"));
        let settings = [
            ("link", &self.link, Some("network.rate".to_string())),
            ("rtt", &self.rtt, Some("network.rtt".to_string())),
            ("flows", &self.flows, count),
            ("buffer", &self.buffer, Some("network.buffer".to_string())),
            ("duration", &self.duration, Some("duration".to_string())),
            ("warm-up", &self.warm_up, Some("warm_up".to_string())),
            ("seeds", &self.seeds, Some("seeds".to_string())),
        ];
        for (option, value, path) in settings {
            let (Some(value), Some(path)) = (value, path) else {
                continue;
            };
            source.set(&path, value, &format!("--{option} {value}"));
        }
        for (option, value, field) in [("tcp", &self.tcp, "control"), ("ecn", &self.ecn, "ecn")] {
            if let Some(value) = value {
                source.set_tcp(field, value, &format!("--{option} {value}"));
            }
        }
        for setting in &self.set {
            let Some((path, value)) = setting.split_once('=') else {
                let text = format!("--set {setting}: allowed: PATH=VALUE, as in network.loss=1%");
                return Err(Failure::Usage(text));
            };
            source.set(path.trim(), value.trim(), &format!("--set {setting}"));
        }
        Ok(())
    }
}

/// The name of the first group of flows.
fn first_group(source: &Source) -> Option<String> {
    match &source.tree().at(&["flows"])?.content {
        Content::Table(groups) => groups.first().map(|(key, _)| key.name.clone()),
        _ => None,
    }
}
