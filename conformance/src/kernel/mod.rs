//! Cases of Linux' kernel: arrivals that its own qdiscs were given (`bench/linux`).

#[allow(dead_code)] // The tests of `earlydrop` use all of it.
mod traces;

use crate::record::Draft;
use crate::vector::{Ecn, Packet};

/// When the arrivals of the reference begin, in ns: at a multiple of every clock tick of a queue.
const ORIGIN: u64 = 1 << 34;
/// The rate of its link, in bit/s.
const LINK: u64 = 10_000_000;

/// The first `count` packets of a case; the queue is `spec`, which is Linux' own here.
pub(crate) fn draft(case: &str, spec: &str, arrivals: &str, count: usize) -> Draft {
    let scheme = spec.split(':').next().unwrap_or(spec);
    let mut draft = Draft::new(&format!("{scheme}/linux-{arrivals}"), spec, LINK);
    draft.header.kernel = Some(case.to_string());
    draft.header.about = format!(
        "The first {count} packets that a kernel's own qdisc was given; the fates are the kernel's."
    );
    let packets = traces::trace(arrivals).into_iter().take(count);
    draft.arrivals = (0..)
        .zip(packets)
        .map(|(id, packet)| {
            let ecn = match packet.ecn {
                0 => Ecn::Not,
                _ => Ecn::Ect0,
            };
            let (size, flow) = (packet.size, u32::from(packet.flow) + 1);
            let packet_of_vector = Packet {
                id,
                size,
                flow,
                ecn,
            };
            (ORIGIN + packet.at, packet_of_vector)
        })
        .collect();
    draft.ticks = 100;
    draft.until = draft.arrivals.last().map_or(0, |(t, _)| *t);
    draft
}
