//! The files written while packets are forwarded: statistics as JSON lines, and a capture.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use earlydrop::units::Nanos;
use earlydrop_sim::pcapng::{Layer, Writer};
use serde::Serialize;

use crate::LiveError;
use crate::emulator::NAMES;
use crate::stats::{Sample, Summary};
use crate::timing::Clock;

/// Paths of the files to write; `None` writes none.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// Samples and the summary, as JSON lines.
    pub stats: Option<PathBuf>,
    /// Packets as they leave the transmitters, in the pcapng format.
    pub pcap: Option<PathBuf>,
}

/// Writes statistics and captured packets.
pub(super) struct Recorder {
    stats: Option<(PathBuf, BufWriter<File>)>,
    pcap: Option<(PathBuf, Writer<BufWriter<File>>)>,
    clock: Clock,
    /// First error while writing a packet; returned with the next samples.
    failed: Option<io::Error>,
}

/// The last line of the statistics.
#[derive(Serialize)]
struct Last<'a> {
    summary: &'a Summary,
}

impl Recorder {
    pub(super) fn create(files: &Files, layer: Layer, clock: Clock) -> Result<Recorder, LiveError> {
        // Both are opened before one is overwritten.
        let stats = files.stats.as_deref().map(open).transpose()?;
        let pcap = files.pcap.as_deref().map(open).transpose()?;
        let stats = stats.map(overwrite).transpose()?;
        let pcap = match pcap.map(overwrite).transpose()? {
            Some((path, file)) => {
                let file = Writer::new(file, layer, NAMES).map_err(at(&path))?;
                Some((path, file))
            }
            None => None,
        };
        Ok(Recorder {
            stats,
            pcap,
            clock,
            failed: None,
        })
    }

    /// Records a packet that left the transmitter of a direction: 0 up, 1 down.
    pub(super) fn packet(&mut self, direction: usize, left: Nanos, bytes: &[u8]) {
        if let Some((_, file)) = &mut self.pcap {
            let at = self.clock.since_1970(left);
            let written = file.packet(direction as u32, at, bytes, bytes.len() as u32);
            self.failed = self.failed.take().or(written.err());
        }
    }

    pub(super) fn samples(&mut self, samples: &[Sample; 2]) -> Result<(), LiveError> {
        for sample in samples {
            self.line(sample)?;
        }
        // A reader of the growing file sees the samples at once.
        if let Some((path, file)) = &mut self.stats {
            file.flush().map_err(at(path))?;
        }
        match (self.failed.take(), &self.pcap) {
            (Some(problem), Some((path, _))) => Err(at(path)(problem)),
            _ => Ok(()),
        }
    }

    pub(super) fn end(mut self, summary: &Summary) -> Result<(), LiveError> {
        self.line(&Last { summary })?;
        if let Some((path, file)) = &mut self.stats {
            file.flush().map_err(at(path))?;
        }
        if let Some((path, file)) = &mut self.pcap {
            file.flush().map_err(at(path))?;
        }
        Ok(())
    }

    fn line(&mut self, value: &impl Serialize) -> Result<(), LiveError> {
        let Some((path, file)) = &mut self.stats else {
            return Ok(());
        };
        let written = serde_json::to_writer(&mut *file, value).map_err(io::Error::from);
        written
            .and_then(|()| file.write_all(b"\n"))
            .map_err(at(path))
    }
}

/// Opens or creates a file to write, and leaves what it holds.
fn open(path: &Path) -> Result<(PathBuf, File), LiveError> {
    let mut options = OpenOptions::new();
    let opened = options.write(true).create(true).truncate(false).open(path);
    Ok((path.to_path_buf(), opened.map_err(at(path))?))
}

/// Empties a file, unless it is a device or a pipe.
fn overwrite((path, file): (PathBuf, File)) -> Result<(PathBuf, BufWriter<File>), LiveError> {
    if file.metadata().is_ok_and(|about| about.is_file()) {
        file.set_len(0).map_err(at(&path))?;
    }
    Ok((path, BufWriter::new(file)))
}

fn at(path: &Path) -> impl Fn(io::Error) -> LiveError + use<> {
    let path = path.to_path_buf();
    move |problem| LiveError::File {
        path: path.clone(),
        problem,
    }
}
