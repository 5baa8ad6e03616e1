//! What tells a file that earlydrop has made from all others.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use earlydrop_sim::pcapng;

/// What a file of a kind has in a fixed place when earlydrop has made it. The same text elsewhere
/// in a file says nothing: a letter may be about earlydrop.
#[derive(Clone, Debug)]
pub struct Signature(Mark);

#[derive(Clone, Debug)]
enum Mark {
    /// The file begins with these bytes.
    Beginning(Cow<'static, [u8]>),
    /// Its first line is `header`, and a line near it begins with `row`.
    Table { header: String, row: &'static str },
    /// Near its beginning is a line that begins with this text.
    Line(&'static str),
    /// It begins with `begin`, in either case, and has `text` before `end`.
    Head {
        begin: &'static str,
        text: &'static str,
        end: &'static str,
    },
    /// This function finds it in the file.
    Found(fn(&File) -> bool),
}

impl Signature {
    /// A page in HTML.
    pub const PAGE: Signature = Signature(Mark::Head {
        begin: "<!doctype html>",
        text: "<meta name=\"generator\" content=\"earlydrop",
        end: "</head>",
    });
    /// A page in Markdown.
    pub const MARKDOWN: Signature = Signature(Mark::Line("Made by `earlydrop "));
    /// A picture in SVG.
    pub const PICTURE: Signature =
        Signature::beginning("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\"");
    /// A run's tables in JSON.
    pub const JSON: Signature = Signature::beginning("{\n  \"earlydrop\": \"");
    /// A page of the manual.
    pub const MANUAL: Signature = Signature(Mark::Line(".TH earlydrop"));
    /// Samples of a bottleneck as JSON lines.
    pub const SAMPLES: Signature = Signature(Mark::Head {
        begin: "{\"time\":",
        text: ",\"direction\":\"up\",\"queued_bytes\":",
        end: "\n",
    });

    /// This text at the beginning.
    pub const fn beginning(text: &'static str) -> Signature {
        Signature(Mark::Beginning(Cow::Borrowed(text.as_bytes())))
    }

    /// These bytes at the beginning.
    pub(crate) const fn beginning_with(bytes: &'static [u8]) -> Signature {
        Signature(Mark::Beginning(Cow::Borrowed(bytes)))
    }

    /// Packets in the pcapng format: the section header names the program.
    pub fn pcapng() -> Signature {
        Signature(Mark::Beginning(Cow::Owned(pcapng::section_header())))
    }

    /// This first line of a table.
    pub fn header(line: &str) -> Signature {
        Signature::header_and_row(line, "")
    }

    /// This first line of a table whose columns others could have as well, and a row that begins
    /// with `row`.
    pub fn header_and_row(line: &str, row: &'static str) -> Signature {
        let header = line.to_string();
        Signature(Mark::Table { header, row })
    }

    /// What `find` looks for, in a format with its own reader.
    pub const fn found_by(find: fn(&File) -> bool) -> Signature {
        Signature(Mark::Found(find))
    }

    /// Whether the file at `path` carries it, or is empty.
    pub(super) fn is_in(&self, path: &Path) -> io::Result<bool> {
        /// The bytes that are read where no reader of the format is needed.
        const BEGINNING: u64 = 1 << 16;
        let file = File::open(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(true);
        }
        if let Mark::Found(find) = &self.0 {
            return Ok(find(&file));
        }
        let mut bytes = Vec::new();
        file.take(BEGINNING).read_to_end(&mut bytes)?;
        Ok(self.0.is_in_beginning(&bytes))
    }
}

impl Mark {
    /// Whether a file that begins with `bytes` carries it.
    fn is_in_beginning(&self, bytes: &[u8]) -> bool {
        let mut lines = bytes.split(|byte| *byte == b'\n');
        match self {
            Mark::Beginning(beginning) => bytes.starts_with(beginning),
            Mark::Table { header, row } => {
                let first = lines.next().unwrap_or_default();
                first.strip_suffix(b"\r").unwrap_or(first) == header.as_bytes()
                    && (row.is_empty() || lines.any(|line| line.starts_with(row.as_bytes())))
            }
            Mark::Line(text) => lines.any(|line| line.starts_with(text.as_bytes())),
            Mark::Head { begin, text, end } => {
                let beginning = bytes.get(..begin.len()).unwrap_or_default();
                let head = position(bytes, end).unwrap_or(bytes.len());
                beginning.eq_ignore_ascii_case(begin.as_bytes())
                    && position(&bytes[..head], text).is_some()
            }
            Mark::Found(_) => false,
        }
    }
}

/// Where `text` begins in `bytes`.
fn position(bytes: &[u8], text: &str) -> Option<usize> {
    let mut parts = bytes.windows(text.len());
    parts.position(|part| part == text.as_bytes())
}
