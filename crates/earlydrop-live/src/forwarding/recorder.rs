//! The files written while packets are forwarded: statistics as JSON lines, and a capture.

use std::fs::File;
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
        let open = |path: &Option<PathBuf>| {
            path.as_ref().map(|path| {
                let file = File::create(path).map_err(at(path))?;
                Ok((path.clone(), BufWriter::new(file)))
            })
        };
        let stats = open(&files.stats).transpose()?;
        let pcap = match open(&files.pcap).transpose()? {
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

fn at(path: &Path) -> impl Fn(io::Error) -> LiveError + use<> {
    let path = path.to_path_buf();
    move |problem| LiveError::File {
        path: path.clone(),
        problem,
    }
}
