//! Taking packets from a device: each into a buffer of its own, a burst of TCP cut into
//! segments on the way.
//!
//! A burst is read as if it were like the one before, one segment into each of several
//! buffers with room for headers, so that no payload is moved. Where it is not like that,
//! it is put together and cut once more.

use std::io::{self, IoSliceMut};

use crate::device::{Arrival, Device, Tun};
use crate::gso::{GsoPacket, MAX_HEADERS, NOTE, Note};
use crate::packet::Header;
use crate::plan::MTU;
use crate::pool::{Frame, Offsets, Pool, SLOT, Segment};

/// As much as the kernel hands over at once.
const MOST: usize = 1 << 16;

/// Segments read into places of their own: a burst of full packets.
const PLACES: usize = MOST / 1400;

/// The note, the places, and where the rest goes.
const PARTS: usize = 1 + PLACES + 1;

/// Single packets after a burst until no other is expected.
const PATIENCE: u32 = 16;

/// Takes packets from one device.
#[derive(Debug)]
pub(crate) struct BatchReader {
    /// What was taken last.
    pub(crate) frames: Vec<Frame>,
    /// Buffers for the next, ascending.
    slots: Vec<u32>,
    /// What does not fit them.
    rest: Box<[u8]>,
    /// A burst that was not as expected.
    whole: Box<[u8]>,
    /// What a burst's first segment is expected to be.
    expected: Shape,
    patience: u32,
    bursts: u32,
}

/// A segment: bytes of headers and of payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    headers: usize,
    payload: usize,
}

/// What was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadOutcome {
    /// Nothing was there.
    Nothing,
    /// What is in [`BatchReader::frames`] now, and so many packets more for which there were no
    /// buffers.
    Packets { unbuffered: u64 },
    /// What is in [`BatchReader::frames`] is not for the scheme to judge.
    Passing,
    /// No packet.
    Malformed,
    /// A packet longer than any that crosses.
    Oversized,
}

impl BatchReader {
    pub(crate) fn new() -> BatchReader {
        BatchReader {
            frames: Vec::with_capacity(MOST),
            slots: Vec::with_capacity(MOST),
            rest: vec![0; MOST].into(),
            whole: vec![0; MOST].into(),
            expected: Shape {
                headers: 52,
                payload: MTU as usize - 52,
            },
            patience: 0,
            bursts: 0,
        }
    }

    /// Takes what is next, a packet or a burst.
    pub(crate) fn take(&mut self, device: &Device, pool: &mut Pool) -> io::Result<ReadOutcome> {
        self.frames.clear();
        match device {
            Device::Tun(tun) => self.take_burst(tun, pool),
            Device::Socket(_) => self.take_one(device, pool),
        }
    }

    fn take_one(&mut self, device: &Device, pool: &mut Pool) -> io::Result<ReadOutcome> {
        self.refill(1, pool);
        let Some(&slot) = self.slots.first() else {
            let came = device.read(&mut self.rest)?;
            return Ok(came.map_or(ReadOutcome::Nothing, |_| ReadOutcome::Packets {
                unbuffered: 1,
            }));
        };
        let Some(arrival) = device.read(pool.buffer(slot))? else {
            return Ok(ReadOutcome::Nothing);
        };
        let (place, header, came) = match arrival {
            Arrival::Packet(place, header) => {
                (place, header, ReadOutcome::Packets { unbuffered: 0 })
            }
            Arrival::Passing(place, header) => (place, header, ReadOutcome::Passing),
            Arrival::Malformed => return Ok(ReadOutcome::Malformed),
            Arrival::Oversized => return Ok(ReadOutcome::Oversized),
        };
        self.slots.clear();
        self.frames.push(Frame::new(slot, header).lying(place));
        Ok(came)
    }

    fn take_burst(&mut self, device: &Tun, pool: &mut Pool) -> io::Result<ReadOutcome> {
        let places = if self.patience > 0 { PLACES } else { 1 };
        self.refill(places, pool);
        let places = places.min(self.slots.len());
        let mut note = [0; NOTE];
        let length = match places {
            0 | 1 => self.read::<3>(device, pool, places, &mut note)?,
            _ => self.read::<PARTS>(device, pool, places, &mut note)?,
        };
        let Some(length) = length else {
            return Ok(ReadOutcome::Nothing);
        };
        if length > MOST {
            return Ok(ReadOutcome::Malformed);
        }
        let note = Note::read(&note);
        Ok(match note.cut {
            None => self.packet(&note, length, places, pool),
            Some(_) => self.burst(&note, length, places, pool),
        })
    }

    /// Sees to it that there are so many slots, where the pool has them.
    fn refill(&mut self, places: usize, pool: &mut Pool) {
        if self.slots.len() >= places {
            return;
        }
        while self.slots.len() < places
            && let Some(slot) = pool.take()
        {
            self.slots.push(slot);
        }
        self.slots.sort_unstable();
    }

    /// Bytes that the first of so many places takes.
    fn first(&self, places: usize) -> usize {
        match places {
            0 => 0,
            1 => SLOT,
            _ => self.expected.headers + self.expected.payload,
        }
    }

    /// Reads into so many places, which with the note and the rest are so many parts at most.
    fn read<const PARTS: usize>(
        &mut self,
        device: &Tun,
        pool: &mut Pool,
        places: usize,
        note: &mut [u8; NOTE],
    ) -> io::Result<Option<usize>> {
        let first = self.first(places);
        let Shape { headers, payload } = self.expected;
        let mut buffers = pool.buffers(&self.slots[..places]).enumerate();
        let mut note = Some(&mut note[..]);
        let mut rest = Some(&mut self.rest[..]);
        let mut parts: [IoSliceMut<'_>; PARTS] = std::array::from_fn(|_| {
            let part = note.take().or_else(|| match buffers.next() {
                Some((0, buffer)) => Some(&mut buffer[..first]),
                Some((_, buffer)) => Some(&mut buffer[headers..headers + payload]),
                None => rest.take(),
            });
            IoSliceMut::new(part.unwrap_or_default())
        });
        device.read_parts(&mut parts[..places + 2])
    }

    fn packet(
        &mut self,
        note: &Note,
        length: usize,
        places: usize,
        pool: &mut Pool,
    ) -> ReadOutcome {
        self.patience = self.patience.saturating_sub(1);
        if places == 0 {
            return ReadOutcome::Packets { unbuffered: 1 };
        }
        let slot = self.slots[0];
        if length > self.first(places) {
            // It lies in several places, or is too long, which is told from its header.
            self.put_together(length, places, pool);
            let together = length.min(SLOT);
            pool.buffer(slot)[..together].copy_from_slice(&self.whole[..together]);
        }
        let bytes = &pool.buffer(slot)[..length.min(SLOT)];
        let Ok(header) = Header::read(bytes) else {
            return ReadOutcome::Malformed;
        };
        self.slots.remove(0);
        self.frames.push(Frame {
            checksum: note.checksum,
            ..Frame::new(slot, header)
        });
        ReadOutcome::Packets { unbuffered: 0 }
    }

    fn burst(&mut self, note: &Note, length: usize, places: usize, pool: &mut Pool) -> ReadOutcome {
        let in_first = length.min(self.first(places));
        let begins = match places {
            0 => &self.rest[..length.min(MAX_HEADERS)],
            _ => &pool.buffer(self.slots[0])[..in_first],
        };
        let Some(burst) = GsoPacket::of(note, begins, length) else {
            return ReadOutcome::Malformed;
        };
        let mut headers = [0; MAX_HEADERS];
        let headers = &mut headers[..burst.headers];
        headers.copy_from_slice(&begins[..burst.headers]);
        let shape = Shape {
            headers: burst.headers,
            payload: burst.payload,
        };
        if shape.headers + shape.payload > SLOT {
            return ReadOutcome::Malformed;
        }
        let segments = burst.segments();
        let in_place = shape == self.expected && places > 1 && segments <= places;
        if !in_place {
            self.put_together(length, places, pool);
            self.refill(segments, pool);
        }
        self.expected = shape;
        self.patience = PATIENCE;
        self.bursts = self.bursts.wrapping_add(1);
        let taken = segments.min(self.slots.len());
        for segment in 0..taken {
            let buffer = pool.buffer(self.slots[segment]);
            let end = burst.headers + burst.payload_of(segment);
            if !in_place {
                let from = burst.headers + segment * burst.payload;
                let payload = &self.whole[from..from + burst.payload_of(segment)];
                buffer[burst.headers..end].copy_from_slice(payload);
            }
            buffer[..burst.headers].copy_from_slice(headers);
            burst.cut(&mut buffer[..burst.headers], segment);
        }
        let unbuffered = (segments - taken) as u64;
        if taken == 0 {
            return ReadOutcome::Packets { unbuffered };
        }
        let length = burst.headers + burst.payload_of(0);
        let Ok(header) = Header::read(&pool.buffer(self.slots[0])[..length]) else {
            return ReadOutcome::Malformed;
        };
        self.cut(&burst, header, taken);
        ReadOutcome::Packets { unbuffered }
    }

    /// Makes frames of the first slots, whose flow, ECN and class are those of `header`.
    fn cut(&mut self, burst: &GsoPacket, header: Header, taken: usize) {
        let slots = self.slots.drain(..taken).enumerate();
        self.frames.extend(slots.map(|(place, slot)| Frame {
            slot,
            header: Header {
                length: (burst.headers + burst.payload_of(place)) as u32,
                ..header
            },
            place: Offsets::default(),
            marked: false,
            checksum: Some(burst.checksum),
            segment: Some(Segment {
                burst: self.bursts,
                place: place as u16,
                headers: burst.headers as u16,
            }),
        }));
    }

    /// Puts together what lies in so many places and beyond.
    fn put_together(&mut self, length: usize, places: usize, pool: &mut Pool) {
        let first = self.first(places);
        let Shape { headers, payload } = self.expected;
        let mut filled = 0;
        let whole = &mut self.whole[..length];
        let mut add = |part: &[u8]| {
            let taken = part.len().min(length - filled);
            whole[filled..filled + taken].copy_from_slice(&part[..taken]);
            filled += taken;
        };
        for (place, buffer) in pool.buffers(&self.slots[..places]).enumerate() {
            match place {
                0 => add(&buffer[..first]),
                _ => add(&buffer[headers..headers + payload]),
            }
        }
        add(&self.rest);
    }
}
