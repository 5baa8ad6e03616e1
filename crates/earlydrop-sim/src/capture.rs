//! Captures: packets recorded at a link as they leave its transmitter, and their headers as a
//! pcapng file for Wireshark, tcpdump and others.
//!
//! # File contents
//! pcapng (draft-ietf-opsawg-pcapng) with one interface for each link, times in
//! nanoseconds, and packets as raw IPv4 without a link layer. Only headers are
//! captured; the payload would be zeros.
//! - Flow *n* has addresses 10.x.y.z (sender, port 49152) and 11.x.y.z (receiver, port 5001),
//!   with *n* in x.y.z.
//! - A sequence number is a segment's number times the payload of a full segment. So a SYN takes
//!   the room of a segment.
//! - Acknowledgments carry ECE and SACK blocks, data carries CWR. An application's request is a
//!   UDP packet, which has no sequence number.
//! - The length in the IP header is the packet's on the wire, or that of its headers where they
//!   are longer.

use std::io::{self, Write};
use std::net::Ipv4Addr;

use earlydrop::packet::Packet as _;
use earlydrop::units::Nanos;
use etherparse::{IpDscp, IpEcn, IpNumber, Ipv4Header, TcpHeader, TcpOptionElement, UdpHeader};

use crate::network::LinkId;
use crate::packet::{Kind, Note, Notes, Packet};
use crate::pcapng::{Layer, Writer};

/// The packets recorded at one link.
#[derive(Clone, Debug)]
pub struct Capture {
    link: LinkId,
    name: String,
    packets: Vec<Recorded>,
}

/// A packet and the time at which it left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recorded {
    at: Nanos,
    packet: Packet,
    /// Payload of a full segment of its flow.
    payload: u32,
    /// An acknowledgment's SACK blocks and timestamp.
    note: Option<Note>,
}

impl Capture {
    pub(crate) fn new(link: LinkId, name: String) -> Capture {
        Capture {
            link,
            name,
            packets: Vec::new(),
        }
    }

    /// Records a packet of a flow whose full segments have this `payload`.
    pub(crate) fn record(&mut self, at: Nanos, packet: &Packet, payload: u32, notes: &Notes) {
        let note = packet.note().map(|place| *notes.at(place));
        // The note's place and the hop are the simulator's, not the packet's.
        let packet = match &note {
            Some(note) => packet.without_note(note).at_hop(0),
            None => packet.at_hop(0),
        };
        self.packets.push(Recorded {
            at,
            packet,
            payload,
            note,
        });
    }

    /// The capture without packets that left after `end`: the simulation had run ahead.
    pub(crate) fn until(mut self, end: Nanos) -> Capture {
        self.packets.retain(|recorded| recorded.at <= end);
        self
    }

    /// The link at which packets were recorded.
    pub fn link(&self) -> LinkId {
        self.link
    }

    /// The link's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of packets recorded.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Whether no packet was recorded.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// When each packet left the transmitter, in order.
    pub fn times(&self) -> impl ExactSizeIterator<Item = Nanos> {
        self.packets.iter().map(|recorded| recorded.at)
    }

    /// Writes the capture as a pcapng file.
    pub fn write_pcapng(&self, out: impl Write) -> io::Result<()> {
        write_pcapng([self], out)
    }
}

/// Writes several captures into one pcapng file, an interface for each, in order of time.
pub fn write_pcapng<'a>(
    captures: impl IntoIterator<Item = &'a Capture>,
    out: impl Write,
) -> io::Result<()> {
    let captures: Vec<&Capture> = captures.into_iter().collect();
    let names = captures.iter().map(|capture| capture.name());
    let mut file = Writer::new(out, Layer::Ip, names)?;
    let numbered = captures.iter().enumerate();
    let mut packets: Vec<(u32, &Recorded)> = numbered
        .flat_map(|(index, capture)| capture.packets.iter().map(move |p| (index as u32, p)))
        .collect();
    packets.sort_by_key(|(_, recorded)| recorded.at);
    for (interface, recorded) in packets {
        let (headers, length) = recorded.headers().map_err(io::Error::other)?;
        file.packet(interface, recorded.at, &headers, length)?;
    }
    file.flush()
}

/// Ports of sender and receiver.
const PORTS: (u16, u16) = (49_152, 5001);

impl Recorded {
    /// The packet's headers and its length on the wire.
    fn headers(&self) -> Result<(Vec<u8>, u32), Box<dyn std::error::Error + Send + Sync>> {
        let packet = &self.packet;
        let over_udp = matches!(packet.kind(), Kind::Datagram | Kind::Request);
        let tcp = self.tcp()?;
        let header_length = match over_udp {
            true => UdpHeader::LEN,
            false => tcp.header_len(),
        };
        let least = (Ipv4Header::MIN_LEN + header_length) as u32;
        let length = packet.size().max(least);
        let carried = length as u16 - Ipv4Header::MIN_LEN as u16;
        let protocol = match over_udp {
            true => IpNumber::UDP,
            false => IpNumber::TCP,
        };
        let (from, to) = self.addresses();
        let mut ip = Ipv4Header::new(carried, 64, protocol, from.octets(), to.octets())?;
        ip.ecn = IpEcn::try_new(packet.ecn() as u8)?;
        // Class selectors, RFC 2474.
        ip.dscp = IpDscp::try_new(packet.class() << 3)?;
        ip.identification = packet.number() as u16;
        ip.header_checksum = ip.calc_header_checksum();
        let mut bytes = Vec::new();
        ip.write(&mut bytes)?;
        if over_udp {
            let (source_port, destination_port) = self.ports();
            let udp = UdpHeader {
                source_port,
                destination_port,
                length: carried,
                // None, as UDP over IPv4 allows: the payload is not captured.
                checksum: 0,
            };
            udp.write(&mut bytes)?;
        } else {
            let zeros = vec![0; usize::from(carried) - header_length];
            let mut tcp = tcp;
            tcp.checksum = tcp.calc_checksum_ipv4(&ip, &zeros)?;
            tcp.write(&mut bytes)?;
        }
        Ok((bytes, length))
    }

    fn tcp(&self) -> Result<TcpHeader, Box<dyn std::error::Error + Send + Sync>> {
        let packet = &self.packet;
        let sequence = |number: u32| number.wrapping_mul(self.payload);
        let (source, destination) = self.ports();
        let mut tcp = TcpHeader::new(source, destination, 0, u16::MAX);
        match packet.kind() {
            Kind::Ack => {
                tcp.ack = true;
                tcp.acknowledgment_number = sequence(packet.number());
                tcp.ece = packet.echo();
                if let Some(fields) = self.note.as_ref().and_then(|note| note.accecn) {
                    // RFC 9768, 3.2.2: ACE is in AE, which was NS, CWR and ECE.
                    let ace = fields.ace();
                    (tcp.ns, tcp.cwr, tcp.ece) = (ace & 4 != 0, ace & 2 != 0, ace & 1 != 0);
                }
            }
            _ => {
                tcp.sequence_number = sequence(packet.number());
                tcp.syn = packet.kind() == Kind::Syn;
                // Acknowledgments carry no data of their own.
                tcp.ack = !tcp.syn;
                tcp.cwr = packet.echo();
            }
        }
        if let Some(note) = &self.note {
            let blocks = note.blocks[..usize::from(note.filled)].iter();
            let mut blocks = blocks.map(|block| (sequence(block.from), sequence(block.to)));
            if let Some(first) = blocks.next() {
                let rest = [blocks.next(), blocks.next(), None];
                tcp.set_options(&[
                    TcpOptionElement::Noop,
                    TcpOptionElement::Noop,
                    TcpOptionElement::SelectiveAcknowledgement(first, rest),
                ])?;
            }
        }
        Ok(tcp)
    }

    fn addresses(&self) -> (Ipv4Addr, Ipv4Addr) {
        let [_, x, y, z] = self.packet.flow_index().to_be_bytes();
        let (sender, receiver) = (Ipv4Addr::new(10, x, y, z), Ipv4Addr::new(11, x, y, z));
        match self.packet.is_forward() {
            true => (sender, receiver),
            false => (receiver, sender),
        }
    }

    fn ports(&self) -> (u16, u16) {
        match self.packet.is_forward() {
            true => PORTS,
            false => (PORTS.1, PORTS.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Dumbbell, Link};
    use crate::pcapng::{INTERFACE, PACKET, SECTION};
    use crate::tcp::{Algorithm, EcnMode, Profile};
    use crate::traffic::{Application, Flow, Pattern};
    use crate::{Run, results::Results};
    use earlydrop::packet::Ecn;
    use earlydrop::units::{BitsPerSec, Bytes};
    use std::process::Command;
    use std::sync::Arc;

    /// A lossy run with every kind of packet, recorded in both directions.
    fn recorded() -> Results {
        let link = Link::new(BitsPerSec::from_mbps(5), Nanos::from_millis(10));
        let mut forward = link.clone().losing(0.01);
        forward.queue = Some("red:min=5,max=15".parse().unwrap());
        let mut dumbbell = Dumbbell::new(forward, link);
        let profile = Profile {
            ecn: EcnMode::Classic,
            ..Profile::modern(Algorithm::Reno)
        };
        let (from, to) = dumbbell.pair(BitsPerSec::from_mbps(100), Nanos::from_millis(1));
        let (first, profile) = (dumbbell.bottleneck, Arc::new(profile));
        let mut run = Run::new(dumbbell.network, Nanos::from_secs(2));
        run.measure.captures = vec![first, dumbbell.reverse];
        run.add(Flow::bulk(from, to, &profile));
        run.add(Flow::bulk(from, to, &profile).class(3));
        let requests = Application::Requests {
            request: Bytes(200),
            response: crate::spread::Spread::constant(Bytes(5000)),
            think: crate::spread::Spread::constant(Nanos::from_millis(50)),
        };
        run.add(Flow::tcp(from, to, &profile, requests));
        let rate = BitsPerSec(200_000);
        run.add(Flow::datagrams(
            from,
            to,
            Bytes(200),
            rate,
            Pattern::Constant,
        ));
        run.add(Flow::datagrams(
            from,
            to,
            Bytes(20),
            rate,
            Pattern::Constant,
        ));
        run.results().unwrap()
    }

    fn word(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
    }

    /// The bodies of the blocks of a file, by type.
    fn blocks(file: &[u8]) -> Vec<(u32, &[u8])> {
        let mut rest = file;
        let mut blocks = Vec::new();
        while !rest.is_empty() {
            let length = word(rest, 4) as usize;
            assert_eq!(length % 4, 0);
            assert_eq!(word(rest, length - 4) as usize, length);
            blocks.push((word(rest, 0), &rest[8..length - 4]));
            rest = &rest[length..];
        }
        blocks
    }

    #[test]
    fn a_file_can_be_read_back() {
        let results = recorded();
        let mut file = Vec::new();
        write_pcapng(&results.captures, &mut file).unwrap();
        let blocks = blocks(&file);
        let kinds: Vec<u32> = blocks.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds[..4], [SECTION, INTERFACE, INTERFACE, PACKET]);
        let [forward, back] = &results.captures[..] else {
            panic!()
        };
        assert_eq!(blocks.len(), 3 + forward.len() + back.len());
        assert!(forward.len() > 500 && back.len() > 200);
        let mut seen = [forward.packets.iter(), back.packets.iter()];
        for (_, body) in &blocks[3..] {
            let recorded = seen[word(body, 0) as usize].next().unwrap();
            let at = u64::from(word(body, 4)) << 32 | u64::from(word(body, 8));
            assert_eq!(Nanos(at), recorded.at);
            let (captured, length) = (word(body, 12) as usize, word(body, 16));
            assert_eq!(body.len(), 20 + captured.next_multiple_of(4));
            let headers = &body[20..20 + captured];
            let (ip, rest) = Ipv4Header::from_slice(headers).unwrap();
            assert_eq!(ip.header_checksum, ip.calc_header_checksum());
            assert_eq!(u32::from(ip.total_len), length);
            assert_eq!(length, recorded.packet.size().max(captured as u32));
            assert_eq!(ip.ecn.value(), recorded.packet.ecn() as u8);
            if ip.protocol == IpNumber::UDP {
                let (udp, rest) = UdpHeader::from_slice(rest).unwrap();
                assert!(rest.is_empty());
                assert_eq!(u32::from(udp.length), length - 20);
            } else {
                let (_, rest) = TcpHeader::from_slice(rest).unwrap();
                assert!(rest.is_empty());
            }
        }
    }

    /// The fields that tshark must print of a packet.
    fn expected(recorded: &Recorded) -> String {
        let packet = &recorded.packet;
        let time = format!(
            "{}.{:09}",
            recorded.at.0 / 1_000_000_000,
            recorded.at.0 % 1_000_000_000
        );
        let (from, to) = recorded.addresses();
        let mut fields = vec![
            time,
            from.to_string(),
            to.to_string(),
            (packet.ecn() as u8).to_string(),
            (u32::from(packet.class()) * 8).to_string(),
        ];
        if matches!(packet.kind(), Kind::Datagram | Kind::Request) {
            fields.extend(["", "", "", "", ""].map(String::from));
            fields.push(packet.size().max(28).saturating_sub(20).to_string());
            return fields.join(";");
        }
        let ack = packet.kind() == Kind::Ack;
        let place = (packet.number() * recorded.payload).to_string();
        let zero = || "0".to_string();
        fields.push(if ack { zero() } else { place.clone() });
        fields.push(if ack { place } else { zero() });
        let flag = |set: bool, bit: u32| u32::from(set) << bit;
        let syn = packet.kind() == Kind::Syn;
        let flags = flag(syn, 1)
            | flag(!syn, 4)
            | flag(ack && packet.echo(), 6)
            | flag(!ack && packet.echo(), 7);
        fields.push(format!("0x{flags:04x}"));
        let blocks: Vec<_> = recorded
            .note
            .iter()
            .flat_map(|n| &n.blocks[..usize::from(n.filled)])
            .collect();
        let edges = |edge: fn(&crate::tcp::SackBlock) -> u32| {
            let edges = blocks
                .iter()
                .map(|r| (edge(r) * recorded.payload).to_string());
            edges.collect::<Vec<_>>().join(",")
        };
        fields.push(edges(|r| r.from));
        fields.push(edges(|r| r.to));
        fields.push(String::new());
        fields.join(";")
    }

    #[test]
    fn tshark_reads_the_capture() {
        if Command::new("tshark").arg("--version").output().is_err() {
            println!("skipped: tshark is not installed");
            return;
        }
        let results = recorded();
        let file = std::env::temp_dir().join(format!("earlydrop-{}.pcapng", std::process::id()));
        write_pcapng(&results.captures, std::fs::File::create(&file).unwrap()).unwrap();
        let mut tshark = Command::new("tshark");
        tshark.args(["-n", "-r"]).arg(&file);
        // No analysis by tshark, but all checksums verified.
        for preference in [
            "tcp.relative_sequence_numbers:FALSE",
            "tcp.analyze_sequence_numbers:FALSE",
            "ip.check_checksum:TRUE",
        ] {
            tshark.args(["-o", preference]);
        }
        let fields = [
            "frame.time_epoch",
            "ip.src",
            "ip.dst",
            "ip.dsfield.ecn",
            "ip.dsfield.dscp",
            "tcp.seq_raw",
            "tcp.ack_raw",
            "tcp.flags",
            "tcp.options.sack_le",
            "tcp.options.sack_re",
            "udp.length",
            "_ws.malformed",
            "_ws.expert.message",
        ];
        tshark.args(["-T", "fields", "-E", "separator=;"]);
        for field in fields {
            tshark.args(["-e", field]);
        }
        let output = tshark.output().unwrap();
        std::fs::remove_file(&file).unwrap();
        assert!(output.status.success(), "{output:?}");
        let read = String::from_utf8(output.stdout).unwrap();
        let mut recorded: Vec<&Recorded> =
            results.captures.iter().flat_map(|c| &c.packets).collect();
        recorded.sort_by_key(|recorded| recorded.at);
        assert_eq!(read.lines().count(), recorded.len());
        for (line, recorded) in read.lines().zip(recorded) {
            let (fields, expert) = line.rsplit_once(';').unwrap();
            let (fields, malformed) = fields.rsplit_once(';').unwrap();
            assert_eq!(fields, expected(recorded), "{recorded:?}");
            assert_eq!(malformed, "", "{recorded:?}");
            let harmless = ["", "Connection establish request (SYN): server port 5001"];
            assert!(harmless.contains(&expert), "{expert}");
        }
        let note = |r: &&Recorded| r.note.is_some();
        assert!(results.captures[1].packets.iter().any(|r| note(&r)));
        let marked = |r: &Recorded| r.packet.ecn() == Ecn::Ce;
        assert!(results.captures[0].packets.iter().any(marked));
    }
}
