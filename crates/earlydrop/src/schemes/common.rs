//! What several schemes share: telling of congestion, and lengths to compare with.

use alloc::format;

use crate::aqm::{Backlog, DropReason, Verdict};
use crate::packet::Facts;
use crate::registry::{ConfigError, Kind, Length, Link, Parameter, Settings};
use crate::units::{BitsPerSec, Bytes};

/// Tells of congestion early: a mark where `ecn` and the packet allow it, else a drop.
#[inline]
pub(crate) fn tell(ecn: bool, packet: &Facts) -> Verdict {
    if ecn && packet.ecn.is_capable() {
        Verdict::Mark
    } else {
        Verdict::Drop(DropReason::Early)
    }
}

/// What becomes of packets that cannot be marked; shared by schemes that may be
/// told to mark only.
pub(crate) const OTHERS: Parameter = Parameter {
    name: "others",
    meaning: "what happens to packets that would be marked but cannot be",
    kind: Kind::Choice(&[
        ("drop", "they are dropped early"),
        ("pass", "they pass: only marks tell of congestion"),
    ]),
    default: "drop",
    origin: "RFC 3168, section 5: a router that would mark drops what it cannot mark",
    when: None,
};

/// How congestion is told where packets that cannot be marked may be let pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Telling {
    ecn: bool,
    others_pass: bool,
}

impl Telling {
    /// From the parameters `ecn` and `others`.
    pub(crate) fn from_settings(s: &Settings) -> Telling {
        Telling {
            ecn: s.flag("ecn"),
            others_pass: s.choice("others") == "pass",
        }
    }

    #[inline]
    pub(crate) fn tell(self, packet: &Facts) -> Verdict {
        match tell(self.ecn, packet) {
            Verdict::Drop(_) if self.others_pass => Verdict::Keep,
            verdict => verdict,
        }
    }
}

/// A queue length to compare with, in packets when given in packets, else in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Threshold {
    given: Length,
    mean_packet: Bytes,
    in_bytes: bool,
    amount: f64,
}

impl Threshold {
    pub(crate) fn new(given: Length, link: Link) -> Threshold {
        let mut threshold = Threshold {
            given,
            mean_packet: link.mean_packet,
            in_bytes: !matches!(given, Length::Packets(_)),
            amount: 0.0,
        };
        threshold.retune(link.rate);
        threshold
    }

    /// A length given as time is another number of bytes at another rate.
    pub(crate) fn retune(&mut self, rate: BitsPerSec) {
        let rate = rate.0 as f64;
        self.amount = if self.in_bytes {
            self.given.in_bytes(self.mean_packet, rate)
        } else {
            self.given.in_packets(self.mean_packet, rate)
        };
    }

    /// Whether more than this waits in `queue`.
    #[inline]
    pub(crate) fn is_exceeded_by<Q: Backlog>(&self, queue: &Q) -> bool {
        let length = if self.in_bytes {
            queue.bytes() as f64
        } else {
            f64::from(queue.packets())
        };
        length > self.amount
    }
}

/// Refuses a threshold that the buffer never reaches.
pub(crate) fn check_within_buffer(s: &Settings, name: &'static str) -> Result<(), ConfigError> {
    if s.length_or_auto(name).is_none() || s.length_or_auto("limit").is_none() {
        return Ok(());
    }
    if s.packets(name) <= s.packets("limit") {
        return Ok(());
    }
    let (threshold, limit) = (s.value(name), s.value("limit"));
    Err(s.contradiction(
        name,
        format!("{name} = {threshold} lies above the buffer, limit = {limit}"),
        format!("nearest: limit = {threshold}, or {name} = {limit}"),
    ))
}
