//! Writes packets as pcapng (draft-ietf-opsawg-pcapng) with times in nanoseconds.

use std::io::{self, Write};

use earlydrop::units::Nanos;

// Block types.
pub(crate) const SECTION: u32 = 0x0a0d_0d0a;
pub(crate) const INTERFACE: u32 = 1;
pub(crate) const PACKET: u32 = 6;

/// The link-layer type: the header that packets begin with (tcpdump.org/linktypes.html).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// IPv4 or IPv6 (LINKTYPE_RAW).
    Ip = 101,
    /// Ethernet (LINKTYPE_ETHERNET).
    Ethernet = 1,
}

/// Writes a pcapng file, packet by packet.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    /// Buffer for the body of a packet's block.
    body: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Begins a file with interfaces of these names, numbered from 0.
    pub fn new<'a>(
        mut out: W,
        layer: Layer,
        interfaces: impl IntoIterator<Item = &'a str>,
    ) -> io::Result<Writer<W>> {
        out.write_all(&section_header())?;
        for name in interfaces {
            write_block(&mut out, INTERFACE, &interface(layer, name))?;
        }
        let body = Vec::new();
        Ok(Writer { out, body })
    }

    /// Writes a packet of `length` bytes, of which `captured` are the first.
    pub fn packet(
        &mut self,
        interface: u32,
        at: Nanos,
        captured: &[u8],
        length: u32,
    ) -> io::Result<()> {
        let body = &mut self.body;
        body.clear();
        body.extend(interface.to_le_bytes());
        body.extend(((at.0 >> 32) as u32).to_le_bytes());
        body.extend((at.0 as u32).to_le_bytes());
        body.extend((captured.len() as u32).to_le_bytes());
        body.extend(length.to_le_bytes());
        body.extend(captured);
        pad(body);
        write_block(&mut self.out, PACKET, body)
    }

    /// Flushes buffers.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes a block of `body`, a multiple of 4 bytes long: type, length, body, length.
fn write_block(out: &mut impl Write, kind: u32, body: &[u8]) -> io::Result<()> {
    let length = (body.len() as u32 + 12).to_le_bytes();
    out.write_all(&kind.to_le_bytes())?;
    out.write_all(&length)?;
    out.write_all(body)?;
    out.write_all(&length)
}

/// The bytes of a block.
fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32 + 12).to_le_bytes();
    [&kind.to_le_bytes()[..], &length, body, &length].concat()
}

/// The block that each file of a [`Writer`] begins with: byte order, version 1.0, unknown length,
/// and earlydrop as the program that wrote it.
pub fn section_header() -> Vec<u8> {
    let mut body = 0x1a2b_3c4d_u32.to_le_bytes().to_vec();
    body.extend([1, 0, 0, 0]);
    body.extend(u64::MAX.to_le_bytes());
    option(&mut body, 4, b"earlydrop");
    option(&mut body, 0, &[]);
    block(SECTION, &body)
}

/// The interface description: link type, no capture limit, name, times in 10^-9 s.
fn interface(layer: Layer, name: &str) -> Vec<u8> {
    let mut body = (layer as u16).to_le_bytes().to_vec();
    body.extend([0; 6]);
    option(&mut body, 2, name.as_bytes());
    option(&mut body, 9, &[9]);
    option(&mut body, 0, &[]);
    body
}

fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    body.extend(code.to_le_bytes());
    body.extend((value.len() as u16).to_le_bytes());
    body.extend(value);
    pad(body);
}

fn pad(body: &mut Vec<u8>) {
    body.resize(body.len().next_multiple_of(4), 0);
}
