//! The kernel's interface counters: `/proc/net/dev`.

use std::fs::File;
use std::io::{self, Read, Seek};

use crate::LiveError;
use crate::error::Context;
use crate::stats::DeviceCounts;

/// The counters of the network namespace in which the file was opened.
#[derive(Debug)]
pub(super) struct InterfaceCounters(File);

impl InterfaceCounters {
    pub(super) fn open() -> Result<InterfaceCounters, LiveError> {
        let file =
            File::open("/proc/thread-self/net/dev").context("opening the kernel's counters")?;
        Ok(InterfaceCounters(file))
    }

    pub(super) fn read(&self, interface: &str) -> io::Result<DeviceCounts> {
        let mut text = String::new();
        let mut file = &self.0;
        file.rewind()?;
        file.read_to_string(&mut text)?;
        counts(&text, interface)
            .ok_or_else(|| io::Error::other(format!("/proc/net/dev does not show {interface}")))
    }
}

/// Parses an interface's line: received bytes, packets and six more; sent bytes, packets,
/// errors, dropped.
fn counts(text: &str, interface: &str) -> Option<DeviceCounts> {
    let mut lines = text.lines().filter_map(|line| line.trim().split_once(':'));
    let (_, numbers) = lines.find(|(name, _)| *name == interface)?;
    let numbers: Vec<u64> = numbers
        .split_whitespace()
        .filter_map(|number| number.parse().ok())
        .collect();
    Some(DeviceCounts {
        received: *numbers.get(1)?,
        sent: *numbers.get(9)?,
        unread: *numbers.get(11)?,
    })
}
