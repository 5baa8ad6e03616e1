//! Recorded packets, to be sent again at their times: captures as pcap or pcapng, or text.
//!
//! Of a packet its time, its size on the wire from the IP header on, and its ECN field are kept.
//! Addresses and payloads are not. Frames of a capture without an IP packet are left out and
//! counted. The text form has a line for each packet below the heading `time,size,ecn`: seconds
//! since the first packet, bytes, and `off`, `ect0`, `ect1` or `ce`.

use std::fmt::Write as _;
use std::sync::Arc;

use earlydrop::packet::Ecn;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

mod frame;
mod pcap;

/// The largest packet, in bytes: the limit of IPv4's length field (RFC 791, section 3.1).
const LARGEST: u32 = 65_535;

/// The longest time between the first and the last packet of a recording. The text form has no
/// longer times, and a round of a recording that repeats is at most twice as long.
const LONGEST: Nanos = Nanos::from_secs(1_000_000_000);

/// The words for the ECN field in the text form.
const ECN: [(&str, Ecn); 4] = [
    ("off", Ecn::NotCapable),
    ("ect0", Ecn::Ect0),
    ("ect1", Ecn::Ect1),
    ("ce", Ecn::Ce),
];

/// The heading of the text form.
const HEADING: &str = "time,size,ecn";

/// A packet of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedPacket {
    /// When it was captured, since the first packet.
    pub at: Nanos,
    /// Its bytes on the wire, from the IP header on.
    pub size: u32,
    /// Its ECN field.
    pub ecn: Ecn,
}

/// The frames of a capture that are not sent again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LeftOut {
    /// Of other protocols, encrypted or damaged.
    not_ip: usize,
    /// Captured only to a place within their headers.
    cut: usize,
}

/// What was read of a file, in its order.
#[derive(Debug, Default)]
struct Frames {
    packets: Vec<RecordedPacket>,
    left_out: LeftOut,
}

impl LeftOut {
    fn count(self) -> usize {
        self.not_ip + self.cut
    }

    /// A sentence for each reason, beside this many packets.
    fn sentences(self, packets: usize) -> impl Iterator<Item = String> {
        let frames = packets + self.count();
        let sentence = move |count: usize, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 of {frames} frames {one} and is left out")),
            _ => Some(format!(
                "{count} of {frames} frames {many} and are left out"
            )),
        };
        let not_ip = sentence(self.not_ip, "is no IP packet", "are no IP packets");
        let cut = sentence(
            self.cut,
            "is cut off within its headers",
            "are cut off within their headers",
        );
        not_ip.into_iter().chain(cut)
    }
}

impl Frames {
    fn count(&self) -> usize {
        self.packets.len() + self.left_out.count()
    }

    /// Why there is nothing to send.
    fn no_packets(&self) -> String {
        let reasons: Vec<String> = self.left_out.sentences(0).collect();
        match &reasons[..] {
            [] => "has no packets".to_string(),
            _ => format!(
                "has no IP packets to send: {}; nearest: a capture of IP packets that are not \
                 encrypted, with at least 128 bytes of each (tcpdump -s 128)",
                reasons.join(", ")
            ),
        }
    }
}

/// Recorded packets in order of their times, at least one. Clones share them.
///
/// ```
/// use earlydrop::units::Nanos;
/// use earlydrop_sim::replay::PacketTrace;
/// let recording = PacketTrace::read(b"time,size,ecn\n0,1500,ect0\n0.001,40,off\n")?;
/// assert_eq!(recording.packets()[1].at, Nanos::from_millis(1));
/// // 1540 bytes in 2 ms: a mean interval follows the last packet.
/// assert_eq!(recording.mean_rate().to_string(), "6.16 Mbps");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacketTrace {
    packets: Arc<[RecordedPacket]>,
    left_out: LeftOut,
}

impl PacketTrace {
    /// Reads a capture as pcap or pcapng, or the text form. An error names the packet or the
    /// line.
    pub fn read(file: &[u8]) -> Result<PacketTrace, String> {
        let frames = match pcap::read(file) {
            Some(frames) => frames?,
            None => match std::str::from_utf8(file) {
                Ok(text) => read_text(text)?,
                Err(_) => return Err("is neither pcap, pcapng nor text".to_string()),
            },
        };
        let Some(first) = frames.packets.iter().map(|packet| packet.at).min() else {
            return Err(frames.no_packets());
        };
        let Frames {
            mut packets,
            left_out,
        } = frames;
        packets.sort_by_key(|packet| packet.at);
        for packet in &mut packets {
            packet.at = packet.at.since(first);
        }
        let last = packets.last().map_or(Nanos::ZERO, |packet| packet.at);
        if last > LONGEST {
            return Err(too_long(last));
        }
        Ok(PacketTrace {
            packets: packets.into(),
            left_out,
        })
    }

    /// The packets, the first at time zero.
    pub fn packets(&self) -> &[RecordedPacket] {
        &self.packets
    }

    /// What is missing of the capture, a sentence for each reason: "12 of 340 frames are no IP
    /// packets and are left out".
    pub fn left_out(&self) -> impl Iterator<Item = String> {
        self.left_out.sentences(self.packets.len())
    }

    /// The time after which it may be repeated: that of the last packet and a mean interval, so
    /// that the mean rate stays. Zero where all packets have one time.
    pub fn period(&self) -> Nanos {
        let count = self.packets.len() as u128;
        let last = self.packets[self.packets.len() - 1].at;
        match count {
            1 => Nanos::ZERO,
            _ => Nanos((u128::from(last.0) * count / (count - 1)) as u64),
        }
    }

    /// The mean rate over a [period](PacketTrace::period); at least 1 bit/s.
    pub fn mean_rate(&self) -> BitsPerSec {
        let bytes: u64 = self
            .packets
            .iter()
            .map(|packet| u64::from(packet.size))
            .sum();
        let period = u128::from(self.period().0.max(1));
        BitsPerSec(((u128::from(bytes) * 8_000_000_000 / period) as u64).max(1))
    }

    /// The size of the largest packet.
    pub fn largest(&self) -> Bytes {
        let sizes = self.packets.iter().map(|packet| packet.size);
        Bytes(u64::from(sizes.max().unwrap_or(1)))
    }

    /// The text form.
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEADING}\n");
        for packet in self.packets.iter() {
            let (seconds, nanos) = (packet.at.0 / 1_000_000_000, packet.at.0 % 1_000_000_000);
            let word = ECN.iter().find(|(_, ecn)| *ecn == packet.ecn);
            let word = word.map_or("off", |(word, _)| word);
            // Writing to a text does not fail.
            let _ = writeln!(text, "{seconds}.{nanos:09},{},{word}", packet.size);
        }
        text
    }
}

/// The problem of a recording whose last packet is this long after its first.
fn too_long(last: Nanos) -> String {
    format!(
        "has {:.1} years between its first and its last packet; allowed: up to 31 years ({} s); \
         nearest: without the packets whose clock was wrong (editcap -B)",
        last.as_secs_f64() / (365.25 * 86_400.0),
        LONGEST.0 / 1_000_000_000,
    )
}

fn read_text(text: &str) -> Result<Frames, String> {
    let mut frames = Frames::default();
    let lines = text.lines().enumerate();
    let mut lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let (_, heading) = lines.next().unwrap_or_default();
    if heading.trim() != HEADING {
        let shown: String = heading.chars().take(60).collect();
        return Err(format!(
            "line 1: \"{shown}\" begins neither pcap, pcapng nor text; nearest: {HEADING}"
        ));
    }
    for (index, line) in lines {
        let packet = read_line(line.trim());
        frames.packets.push(packet.map_err(|problem| {
            let shown: String = line.trim().chars().take(60).collect();
            format!("line {}: \"{shown}\" {problem}", index + 1)
        })?);
    }
    Ok(frames)
}

fn read_line(line: &str) -> Result<RecordedPacket, &'static str> {
    let mut parts = line.split(',').map(str::trim);
    let (time, size) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    let at = read_seconds(time).ok_or("has no time in seconds, such as 0.015")?;
    let size = size.parse::<u32>().ok();
    let size = size.filter(|size| (1..=LARGEST).contains(size));
    let size = size.ok_or("has no size; allowed: 1 to 65535 bytes")?;
    let word = parts.next().unwrap_or("off");
    let ecn = ECN.iter().find(|(name, _)| *name == word);
    let (_, ecn) = *ecn.ok_or("has no ECN field; allowed: off, ect0, ect1 or ce")?;
    Ok(RecordedPacket { at, size, ecn })
}

/// Seconds with up to nine decimals, exactly: a number of 64 bits in floating point would not
/// keep the nanoseconds of a long recording.
fn read_seconds(text: &str) -> Option<Nanos> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(decimals) || decimals.len() > 9 {
        return None;
    }
    let nanos: u64 = format!("{decimals:0<9}").parse().ok()?;
    let seconds: u64 = whole
        .parse()
        .ok()
        .filter(|seconds| *seconds <= LONGEST.0 / 1_000_000_000)?;
    Some(Nanos(seconds * 1_000_000_000 + nanos))
}

/// Where a flow is in a recording.
#[derive(Clone, Debug)]
pub(crate) struct Replay {
    recording: PacketTrace,
    repeats: bool,
    /// When this round began.
    begun: Nanos,
    next: usize,
}

impl Replay {
    pub(crate) fn new(recording: PacketTrace, repeats: bool) -> Replay {
        Replay {
            repeats: repeats && recording.period() > Nanos::ZERO,
            recording,
            begun: Nanos::ZERO,
            next: 0,
        }
    }

    /// Begins at `now`; returns when the first packet is due.
    pub(crate) fn begin(&mut self, now: Nanos) -> Nanos {
        (self.begun, self.next) = (now, 0);
        now
    }

    /// The packet that is due.
    pub(crate) fn packet(&self) -> RecordedPacket {
        self.recording.packets[self.next]
    }

    /// Moves to the next packet; returns when it is due, never after the last.
    pub(crate) fn advance(&mut self) -> Nanos {
        if self.next + 1 < self.recording.packets.len() {
            self.next += 1;
        } else if self.repeats {
            self.next = 0;
            self.begun += self.recording.period();
        } else {
            return Nanos::NEVER;
        }
        self.begun + self.packet().at
    }
}

#[cfg(test)]
#[path = "replay_tests.rs"]
mod tests;
