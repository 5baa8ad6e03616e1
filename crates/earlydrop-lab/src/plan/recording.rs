//! The files that a scenario names: recorded links and delays, distributions of sizes, flow lists.
//!
//! [`TraceFiles`] says where they are read, absolute paths and `..` included. A plan holds each
//! as a [`Recording`] with its text, and its document names it by a plain name with a hash of
//! that text. So the contents are part of a run's identity, a run keeps its recordings in its own
//! folder, and nothing is written where a scenario says.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use earlydrop_sim::distribution::Distribution;
use earlydrop_sim::network::{DelayTrace, Trace};
use earlydrop_sim::replay::PacketTrace;

use super::fnv1a;
use crate::document::{Content, Node, Problem};
#[cfg(feature = "files")]
use crate::files::{read_regular, read_regular_bytes};
use crate::scenario::{FlowList, NamedFiles};
use crate::sweep::Axis;

/// The files that a scenario may name: recorded links, distributions of sizes, flow lists.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TraceFiles {
    /// In files, by paths relative to this folder.
    Folder(PathBuf),
    /// In memory: each file's name with its text.
    Memory(BTreeMap<String, String>),
}

/// The largest size of a file, in bytes: for a recorded link a week of packets at 10 Mbps.
#[cfg(feature = "files")]
const MAX_BYTES: u64 = 1 << 30;

/// What some programs put before a text. It is no part of it.
const BYTE_ORDER_MARK: &str = "\u{feff}";

impl TraceFiles {
    /// The bytes of a file, which may be no text, without a byte-order mark.
    fn read_bytes(&self, name: &str) -> Result<Vec<u8>, String> {
        match self {
            #[cfg(feature = "files")]
            TraceFiles::Folder(folder) => {
                let bytes = read_regular_bytes(&folder.join(name), MAX_BYTES);
                let mut bytes = bytes.map_err(|error| format!("the file {error}"))?;
                if bytes.starts_with(BYTE_ORDER_MARK.as_bytes()) {
                    bytes.drain(..BYTE_ORDER_MARK.len());
                }
                Ok(bytes)
            }
            _ => self.read(name).map(String::into_bytes),
        }
    }

    /// The text of a file, without a byte-order mark.
    fn read(&self, name: &str) -> Result<String, String> {
        let text = self.read_whole(name)?;
        Ok(match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(text) => text.to_string(),
            None => text,
        })
    }

    fn read_whole(&self, name: &str) -> Result<String, String> {
        match self {
            #[cfg(feature = "files")]
            TraceFiles::Folder(folder) => {
                let text = read_regular(&folder.join(name), MAX_BYTES);
                text.map_err(|error| format!("the file {error}"))
            }
            #[cfg(not(feature = "files"))]
            TraceFiles::Folder(_) => Err("built without access to files".to_string()),
            TraceFiles::Memory(files) => files
                .get(name)
                .cloned()
                .ok_or_else(|| format!("the file \"{name}\" is not among those in memory")),
        }
    }
}

impl Default for TraceFiles {
    /// No traces, in memory.
    fn default() -> TraceFiles {
        TraceFiles::Memory(BTreeMap::new())
    }
}

impl From<PathBuf> for TraceFiles {
    fn from(folder: PathBuf) -> TraceFiles {
        TraceFiles::Folder(folder)
    }
}

/// What a scenario takes a file for, and what it was read as where reading it again would cost time,
/// or lose what its text lacks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Contents {
    /// A link's opportunities to send, or its rate over time.
    Link(Trace),
    /// A link's propagation delay over time.
    Delays,
    /// Packets that a flow sends.
    Packets(PacketTrace),
    /// A distribution of sizes.
    Sizes,
    /// A list of transfers.
    Flows,
}

/// A file as a plan holds it.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The name that the scenario gives it.
    pub name: String,
    /// Its name in the plan's document, and in a run's folder: "uplink-0123456789abcdef.trace",
    /// with a hash of the text.
    pub stored_name: String,
    /// Its text.
    pub text: Arc<str>,
    /// What it is.
    pub contents: Contents,
}

impl Recording {
    /// Bytes of memory while it is read: its text twice, and an entry of each line in a list that
    /// doubles when it is full.
    pub(super) fn bytes(&self) -> f64 {
        let of_line = match &self.contents {
            // Opportunities have a time in each line, rates have two columns.
            Contents::Link(_) if !self.text.contains(',') => 16,
            Contents::Link(_) | Contents::Packets(_) => 48,
            Contents::Delays | Contents::Sizes => 32,
            Contents::Flows => 64,
        };
        let lines = self.text.bytes().filter(|byte| *byte == b'\n').count() + 1;
        (2 * self.text.len() + of_line * lines) as f64
    }

    /// What is missing of a capture, a sentence for each reason.
    pub(super) fn left_out(&self) -> impl Iterator<Item = String> {
        let packets = match &self.contents {
            Contents::Packets(packets) => Some(packets),
            _ => None,
        };
        let sentences = packets.into_iter().flat_map(PacketTrace::left_out);
        sentences.map(|sentence| format!("{}: {sentence}", self.name))
    }
}

/// The plain name of the file that a scenario calls `name`. A stored name stays the same.
fn stored_name(name: &str, text: &str) -> String {
    let path = Path::new(name);
    let plain = |part: Option<&std::ffi::OsStr>, longest: usize| -> String {
        let part = part.map(|part| part.to_string_lossy());
        let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || "-_".contains(*letter);
        let part = part.iter().flat_map(|part| part.chars());
        part.filter(is_plain).take(longest).collect()
    };
    let hash = format!("-{:016x}", fnv1a(text.as_bytes()));
    let stem = plain(path.file_stem(), 80);
    let stem = stem.strip_suffix(&hash).unwrap_or(&stem);
    let stem: String = stem.chars().take(60).collect();
    let stem = if stem.is_empty() { "recording" } else { &stem };
    match plain(path.extension(), 12) {
        extension if extension.is_empty() => format!("{stem}{hash}"),
        extension => format!("{stem}{hash}.{extension}"),
    }
}

/// A file's name without its folder and its extension.
fn stem(name: &str) -> String {
    let stem = Path::new(name).file_stem();
    stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// The recordings of a scenario, each read once.
#[derive(Debug)]
pub(super) struct Recordings<'a> {
    files: &'a TraceFiles,
    /// By the names that the scenario gives them.
    read: RefCell<BTreeMap<String, Recording>>,
}

impl<'a> Recordings<'a> {
    pub(super) fn new(files: &'a TraceFiles) -> Recordings<'a> {
        let read = RefCell::default();
        Recordings { files, read }
    }

    /// Keeps a file that is what the scenario takes it for.
    fn keep(&self, name: &str, text: Arc<str>, contents: Contents) {
        self.keep_as(name, stored_name(name, &text), text, contents);
    }

    /// Keeps a file under this plain name.
    fn keep_as(&self, name: &str, stored_name: String, text: Arc<str>, contents: Contents) {
        let recording = Recording {
            name: name.to_string(),
            stored_name,
            text,
            contents,
        };
        self.read.borrow_mut().insert(name.to_string(), recording);
    }

    fn text_of(&self, name: &str) -> Result<Arc<str>, String> {
        match self.read.borrow().get(name) {
            Some(recording) => Ok(recording.text.clone()),
            None => Ok(self.files.read(name)?.into()),
        }
    }

    /// The problem of an axis that takes one recording under two names, which would be one point
    /// twice: recordings are stored by their contents.
    pub(super) fn repeated_in(&self, axes: &[Axis]) -> Option<Problem> {
        let read = self.read.borrow();
        axes.iter()
            .filter(|axis| names_a_file(axis.field.rsplit('.').next()))
            .find_map(|axis| {
                let mut names = HashMap::new();
                axis.values.iter().find_map(|value| {
                    let name = value.text()?;
                    let text = named_in(&read, &name)?.text.clone();
                    let other = names.insert(text, name.clone())?;
                    let message = format!(
                        "`{}` takes the same recording twice: \"{other}\" and \"{name}\" have the \
                         same contents",
                        axis.field
                    );
                    Some(Problem::new(&value.place, message, "keep one"))
                })
            })
    }

    /// Replaces the names of the recordings in a scenario by their stored names.
    pub(super) fn rename_in(&self, node: &mut Node) {
        let read = self.read.borrow();
        let rename = |node: &mut Node| {
            if let Content::Text(name) = &mut node.content
                && let Some(recording) = named_in(&read, name)
            {
                name.clone_from(&recording.stored_name);
            }
        };
        match &mut node.content {
            Content::Table(entries) => {
                for (key, node) in entries {
                    let is_file = names_a_file(key.name.rsplit('.').next());
                    match &mut node.content {
                        Content::Text(_) if is_file => rename(node),
                        // Swept: "network.trace" = ["a.trace", "b.trace"].
                        Content::List(items) if is_file => items.iter_mut().for_each(rename),
                        _ => self.rename_in(node),
                    }
                }
            }
            Content::List(items) => items.iter_mut().for_each(|item| self.rename_in(item)),
            _ => {}
        }
    }

    /// Bytes of memory of those read so far.
    pub(super) fn bytes(&self) -> f64 {
        self.read.borrow().values().map(Recording::bytes).sum()
    }

    /// The recordings, each once.
    pub(super) fn into_list(self) -> Vec<Recording> {
        let read = self.read.into_inner().into_values();
        let by_name = read.map(|recording| (recording.stored_name.clone(), recording));
        by_name.collect::<BTreeMap<_, _>>().into_values().collect()
    }
}

/// The recording that a field's text names: a field is read without the blanks around its text.
fn named_in<'a>(read: &'a BTreeMap<String, Recording>, text: &str) -> Option<&'a Recording> {
    read.get(text.trim())
}

/// Whether a field of this name is a file's name.
fn names_a_file(field: Option<&str>) -> bool {
    matches!(
        field,
        Some("trace" | "delay_trace" | "packets" | "sizes" | "list")
    )
}

impl NamedFiles for Recordings<'_> {
    fn trace(&self, name: &str) -> Result<Trace, String> {
        if let Some(Recording {
            contents: Contents::Link(trace),
            ..
        }) = self.read.borrow().get(name)
        {
            return Ok(trace.clone());
        }
        let text = self.text_of(name)?;
        let trace = text.parse::<Trace>();
        let trace = trace.map_err(|error| format!("the trace \"{name}\": {error}"))?;
        self.keep(name, text, Contents::Link(trace.clone()));
        Ok(trace)
    }

    fn delay_trace(&self, name: &str) -> Result<DelayTrace, String> {
        let text = self.text_of(name)?;
        let trace = text.parse::<DelayTrace>();
        let trace = trace.map_err(|error| format!("the delays \"{name}\": {error}"))?;
        self.keep(name, text, Contents::Delays);
        Ok(trace)
    }

    fn packet_trace(&self, name: &str) -> Result<PacketTrace, String> {
        if let Some(Recording {
            contents: Contents::Packets(packets),
            ..
        }) = self.read.borrow().get(name)
        {
            return Ok(packets.clone());
        }
        let packets = PacketTrace::read(&self.files.read_bytes(name)?);
        let packets = packets.map_err(|error| format!("the packets \"{name}\": {error}"))?;
        // A capture has addresses and contents that no run needs: its text form is kept.
        let text = packets.to_text();
        let stored_name = stored_name(&format!("{}.csv", stem(name)), &text);
        let contents = Contents::Packets(packets.clone());
        self.keep_as(name, stored_name, text.into(), contents);
        Ok(packets)
    }

    fn sizes(&self, name: &str) -> Result<Distribution, String> {
        let text = self.text_of(name)?;
        let sizes = text.parse::<Distribution>();
        let sizes = sizes.map_err(|error| format!("the sizes \"{name}\", {error}"))?;
        self.keep(name, text, Contents::Sizes);
        Ok(sizes)
    }

    fn flow_list(&self, name: &str) -> Result<FlowList, String> {
        let text = self.text_of(name)?;
        let list = text.parse::<FlowList>();
        let list = list.map_err(|error| format!("the flow list \"{name}\", {error}"))?;
        self.keep(name, text, Contents::Flows);
        Ok(list)
    }
}

#[cfg(test)]
#[path = "recording_tests.rs"]
mod tests;
