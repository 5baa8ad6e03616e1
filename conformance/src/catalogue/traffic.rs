//! Packets of the vectors, from streams of equal ones.

use crate::record::Draft;
use crate::vector::{Ecn, Packet};

/// Equal packets at equal distances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    /// When the first one arrives, in ms.
    pub(super) from: f64,
    /// From one to the next, in ms. 0: all at once.
    pub(super) gap: f64,
    /// How many.
    pub(super) count: u32,
    /// Bytes.
    pub(super) size: u32,
    pub(super) flow: u32,
    pub(super) ecn: Ecn,
}

/// One packet of 1000 bytes of flow 1 at once, which cannot be marked.
pub(super) const ONE: Stream = Stream {
    from: 0.0,
    gap: 0.0,
    count: 1,
    size: 1000,
    flow: 1,
    ecn: Ecn::Not,
};

/// `count` packets from a time on, `gap` ms apart.
pub(super) const fn stream(from: f64, gap: f64, count: u32) -> Stream {
    Stream {
        from,
        gap,
        count,
        ..ONE
    }
}

impl Stream {
    pub(super) const fn flow(self, flow: u32) -> Stream {
        Stream { flow, ..self }
    }
    pub(super) const fn size(self, size: u32) -> Stream {
        Stream { size, ..self }
    }
    pub(super) const fn ecn(self, ecn: Ecn) -> Stream {
        Stream { ecn, ..self }
    }

    fn times(self) -> impl Iterator<Item = (u64, Stream)> {
        let ns = |ms: f64| (ms * 1e6).round() as u64;
        (0..self.count).map(move |index| (ns(self.from + f64::from(index) * self.gap), self))
    }
}

/// The rate of the vectors' link: a packet of 1000 bytes takes 8 ms.
pub(super) const LINK: u64 = 1_000_000;

/// A draft: the vector's name and earlydrop's text, what happens, the faults it exposes, the packets,
/// and for how many ms after the last one the link goes on.
pub(super) fn draft(
    name: &str,
    spec: &str,
    about: &str,
    exposes: &[&str],
    streams: &[Stream],
    after: f64,
) -> Draft {
    let mut draft = Draft::new(name, spec, LINK);
    draft.header.about = about.to_string();
    draft.header.exposes = exposes.iter().map(ToString::to_string).collect();
    let mut packets: Vec<(u64, Stream)> = streams.iter().flat_map(|one| one.times()).collect();
    packets.sort_by_key(|(t, _)| *t);
    draft.until = packets.last().map_or(0, |(t, _)| *t) + (after * 1e6) as u64;
    let numbered = (0..).zip(packets);
    draft.arrivals = numbered
        .map(
            |(
                id,
                (
                    t,
                    Stream {
                        size, flow, ecn, ..
                    },
                ),
            )| {
                let packet = Packet {
                    id,
                    size,
                    flow,
                    ecn,
                };
                (t, packet)
            },
        )
        .collect();
    draft
}
