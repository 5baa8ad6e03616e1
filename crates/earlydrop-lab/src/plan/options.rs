//! Short names for the fields that users change most, on the command line and in programs.

use std::path::PathBuf;

use super::Source;
use crate::document::{Content, Problems};

/// The scenario of commands and programs that name none.
const BUILT_IN: &str = include_str!("built-in.toml");

/// A short name for a field of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShortName {
    /// The compared schemes: "red,nlred:min=10,max=30,codel".
    Schemes,
    /// The bottleneck's rate.
    Link,
    /// The RTT without queueing.
    Rtt,
    /// The number of flows in the first group.
    Flows,
    /// The buffer size of every scheme.
    Buffer,
    /// TCP's congestion control.
    Tcp,
    /// TCP's use of ECN.
    Ecn,
    /// The duration of each run.
    Duration,
    /// The time at the start of each run that is not measured.
    WarmUp,
    /// The number of seeds.
    Seeds,
}

impl ShortName {
    /// All short names with their spelling in programs; the command line has `-` for `_`.
    pub const ALL: [(&'static str, ShortName); 10] = [
        ("schemes", ShortName::Schemes),
        ("link", ShortName::Link),
        ("rtt", ShortName::Rtt),
        ("flows", ShortName::Flows),
        ("buffer", ShortName::Buffer),
        ("tcp", ShortName::Tcp),
        ("ecn", ShortName::Ecn),
        ("duration", ShortName::Duration),
        ("warm_up", ShortName::WarmUp),
        ("seeds", ShortName::Seeds),
    ];
}

impl Source {
    /// The built-in scenario: twenty transfers, web pages and calls share 20 Mbps.
    pub fn built_in() -> Result<Source, Problems> {
        Source::new("built-in.toml", BUILT_IN, PathBuf::new())
    }

    /// Changes the field with this short name, as [`change`](Source::change) does; messages name
    /// `argument`.
    pub fn change_short(&mut self, name: ShortName, value: &str, argument: &str) {
        match name {
            ShortName::Schemes => self.change_schemes(value, argument),
            ShortName::Link => self.change("network.rate", value, argument),
            ShortName::Rtt => self.change("network.rtt", value, argument),
            ShortName::Flows => {
                if let Some(group) = self.first_group() {
                    self.change(&format!("flows.{group}.count"), value, argument);
                }
            }
            ShortName::Buffer => self.change("network.buffer", value, argument),
            ShortName::Tcp => self.change_tcp("control", value, argument),
            ShortName::Ecn => self.change_tcp("ecn", value, argument),
            ShortName::Duration => self.change("duration", value, argument),
            ShortName::WarmUp => self.change("warm_up", value, argument),
            ShortName::Seeds => self.change("seeds", value, argument),
        }
    }

    /// The name of the first group of flows.
    fn first_group(&self) -> Option<String> {
        match &self.tree.at(&["flows"])?.content {
            Content::Table(groups) => groups.first().map(|(key, _)| key.name.clone()),
            _ => None,
        }
    }
}
