use super::*;
use crate::Run;
use crate::network::{Link, Network};
use crate::pcapng::{Layer, Writer};
use crate::traffic::Flow;

/// An IPv4 header of a packet of this length with these ECN bits.
fn ipv4(length: u16, ecn: u8) -> Vec<u8> {
    let mut header = vec![0x45, ecn];
    header.extend(length.to_be_bytes());
    header.extend([0; 16]);
    header
}

/// A packet of a pcap file: seconds, microseconds or nanoseconds, data and length on the wire.
type Record<'a> = (u32, u32, &'a [u8], u32);

fn pcap(magic: u32, link_type: u32, is_big: bool, packets: &[Record<'_>]) -> Vec<u8> {
    let word = |value: u32| match is_big {
        true => value.to_be_bytes(),
        false => value.to_le_bytes(),
    };
    let mut file = Vec::new();
    for value in [magic, 0x0004_0002, 0, 0, 65_535, link_type] {
        file.extend(word(value));
    }
    for (seconds, part, data, length) in packets {
        for value in [*seconds, *part, data.len() as u32, *length] {
            file.extend(word(value));
        }
        file.extend(*data);
    }
    file
}

fn packet(at: u64, size: u32, ecn: Ecn) -> RecordedPacket {
    RecordedPacket {
        at: Nanos(at),
        size,
        ecn,
    }
}

#[test]
fn pcap_is_read_in_both_orders_and_resolutions() {
    let (first, second) = (ipv4(1500, 2), ipv4(40, 1));
    for is_big in [false, true] {
        // Microseconds, raw IP; the second was captured before the first.
        let packets = [(7, 250, &first[..], 1500), (6, 999_750, &second[..], 40)];
        let read = PacketTrace::read(&pcap(0xa1b2_c3d4, 101, is_big, &packets)).unwrap();
        let expected = [packet(0, 40, Ecn::Ect1), packet(500_000, 1500, Ecn::Ect0)];
        assert_eq!(read.packets(), expected);
        // Nanoseconds, Ethernet with a VLAN tag: the length is that of the IP packet.
        let mut frame = vec![0; 12];
        frame.extend([0x81, 0x00, 0, 5, 0x08, 0x00]);
        frame.extend(ipv4(1000, 3));
        let arp = [&[0; 12][..], &[0x08, 0x06], &[0; 28]].concat();
        let tagged = (1, 12, &frame[..], 1018);
        let packets = [(1, 5, &frame[..], 1018), (1, 9, &arp[..], 42), tagged];
        let read = PacketTrace::read(&pcap(0xa1b2_3c4d, 1, is_big, &packets)).unwrap();
        let expected = [packet(0, 1000, Ecn::Ce), packet(7, 1000, Ecn::Ce)];
        assert_eq!(read.packets(), expected);
        let left_out: Vec<String> = read.left_out().collect();
        let expected = "1 of 3 frames is no IP packet and is left out";
        assert_eq!(left_out, [expected]);
    }
}

#[test]
fn pcapng_is_read_as_it_is_written() {
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, Layer::Ip, ["up", "down"]).unwrap();
    writer
        .packet(0, Nanos(5_000_000_001), &ipv4(300, 0), 300)
        .unwrap();
    let second = ipv6(1200);
    writer
        .packet(1, Nanos(5_000_000_009), &second, 1240)
        .unwrap();
    writer.flush().unwrap();
    let read = PacketTrace::read(&file).unwrap();
    // 1200 bytes of payload behind an IPv6 header of 40; its traffic class has ECT(0).
    let expected = [packet(0, 300, Ecn::NotCapable), packet(8, 1240, Ecn::Ect0)];
    assert_eq!(read.packets(), expected);
    let error = PacketTrace::read(&file[..file.len() - 1]).unwrap_err();
    assert!(error.contains("cut off within packet 2"), "{error}");
    assert!(PacketTrace::read(&file[..file.len().min(100)]).is_err());
}

/// What is read of a capture with this link type whose frames were captured whole.
fn frames(link_type: u32, frames: &[Vec<u8>]) -> Result<PacketTrace, String> {
    let records: Vec<Record<'_>> = frames
        .iter()
        .map(|frame| (0, 0, &frame[..], frame.len() as u32))
        .collect();
    PacketTrace::read(&pcap(0xa1b2_c3d4, link_type, false, &records))
}

/// Bytes one after the other.
fn joined(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

/// An IPv6 header with this length of its payload and ECT(0).
fn ipv6(payload: u16) -> Vec<u8> {
    let mut header = vec![0x60, 0x20, 0, 0];
    header.extend(payload.to_be_bytes());
    header.extend([17, 64]);
    header.extend([0; 32]);
    header
}

/// LLC and SNAP with the EtherType of IPv4.
const SNAP_IPV4: [u8; 8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0];
const SNAP_ARP: [u8; 8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 6];

/// An IEEE 802.11 header of `length` bytes.
fn wifi(control: [u8; 2], length: usize) -> Vec<u8> {
    let mut header = control.to_vec();
    header.resize(length, 0);
    header
}

/// Checks that each frame has an IPv4 packet of 700 bytes with CE.
fn all_have_the_packet(link_type: u32, all: &[Vec<u8>]) {
    let read = frames(link_type, all).unwrap();
    let expected = vec![packet(0, 700, Ecn::Ce); all.len()];
    assert_eq!(read.packets(), expected, "link type {link_type}");
    assert_eq!(read.left_out().count(), 0);
}

#[test]
fn ip_packets_are_found_behind_every_link_header() {
    let ip = &ipv4(700, 3)[..];
    let (two_addresses, tag) = ([0_u8; 12], [0x81_u8, 0, 0, 5]);
    all_have_the_packet(
        1,
        &[
            joined(&[&two_addresses, &[8, 0], ip]),
            joined(&[&two_addresses, &[0x88, 0xa8, 0, 1], &tag, &[8, 0], ip]),
            joined(&[&two_addresses, &[0x91, 0, 0, 1], &tag, &tag, &[8, 0], ip]),
            // IEEE 802.3: a length in place of the type.
            joined(&[&two_addresses, &[2, 0xc4], &SNAP_IPV4, ip]),
        ],
    );
    // A tunnel's interface (ARPHRD_NONE), and a tag that the card left in its place.
    let cooked = [0, 0, 0xff, 0xfe, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    all_have_the_packet(
        113,
        &[
            joined(&[&cooked, &[8, 0], ip]),
            joined(&[&cooked, &tag, &[8, 0], ip]),
        ],
    );
    all_have_the_packet(276, &[joined(&[&[8, 0], &[0; 18], ip])]);
    for raw in [12, 14, 101, 228, 229] {
        all_have_the_packet(raw, &[ip.to_vec()]);
    }
    for loopback in [0, 108] {
        let families = [[2, 0, 0, 0], [0, 0, 0, 2]];
        let all = families.map(|family| joined(&[&family, ip]));
        all_have_the_packet(loopback, &all);
        let all = [10, 23, 24, 28, 30].map(|family| joined(&[&[family, 0, 0, 0], &ipv6(660)]));
        let read = frames(loopback, &all).unwrap();
        assert_eq!(read.packets(), [packet(0, 700, Ecn::Ect0); 5]);
    }
}

#[test]
fn ip_packets_are_found_in_frames_of_802_11() {
    let packet = &joined(&[&SNAP_IPV4, &ipv4(700, 3)])[..];
    // Data to an access point, from one, and between two; with QoS; with HT Control.
    let whole = [
        joined(&[&wifi([0x08, 1], 24), packet]),
        joined(&[&wifi([0x08, 2], 24), packet]),
        joined(&[&wifi([0x08, 3], 30), packet]),
        joined(&[&wifi([0x88, 1], 26), packet]),
        joined(&[&wifi([0x88, 3], 32), packet]),
        joined(&[&wifi([0x88, 0x81], 30), packet]),
        // "Order" of a frame without QoS is no HT Control.
        joined(&[&wifi([0x08, 0x81], 24), packet]),
    ];
    all_have_the_packet(105, &whole);
    // Radiotap: no fields; TSFT and flags; two words of fields, and flags that tell of padding.
    let plain = [0, 0, 8, 0, 0, 0, 0, 0];
    let timed = joined(&[&[0, 0, 17, 0, 3, 0, 0, 0], &[7; 8], &[0]]);
    let long = joined(&[
        &[0, 0, 25, 0, 3, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0],
        &[7; 8],
        &[0x20],
    ]);
    let padded = joined(&[&long, &wifi([0x88, 1], 28), packet]);
    let mut behind: Vec<Vec<u8>> = whole.iter().map(|frame| joined(&[&plain, frame])).collect();
    behind.extend(whole.iter().map(|frame| joined(&[&timed, frame])));
    behind.push(padded);
    all_have_the_packet(127, &behind);
    // Not IP: a beacon, an acknowledgment, no data, another protocol, encrypted, an aggregate, a
    // later fragment.
    let mut aggregate = wifi([0x88, 1], 26);
    aggregate[24] = 0x80;
    let mut fragment = wifi([0x08, 1], 24);
    fragment[22] = 1;
    let mut mixed = vec![
        joined(&[&wifi([0x80, 0], 24), packet]),
        wifi([0xd4, 0], 10),
        joined(&[&wifi([0x48, 1], 24), packet]),
        joined(&[&wifi([0xc8, 1], 26), packet]),
        joined(&[&wifi([0x08, 1], 24), &SNAP_ARP, &[0; 28]]),
        joined(&[&wifi([0x08, 0x41], 24), packet]),
        joined(&[&aggregate, packet]),
        joined(&[&fragment, packet]),
    ];
    let none = frames(105, &mixed).unwrap_err();
    assert!(none.contains("8 of 8 frames are no IP packets"), "{none}");
    mixed.push(whole[0].clone());
    let read = frames(105, &mixed).unwrap();
    assert_eq!(read.packets().len(), 1);
    let left_out: Vec<String> = read.left_out().collect();
    let expected = "8 of 9 frames are no IP packets and are left out";
    assert_eq!(left_out, [expected]);
    // A wrong checksum: the size may be wrong, too.
    let damaged = joined(&[&[0, 0, 9, 0, 2, 0, 0, 0, 0x40], &whole[0]]);
    assert!(frames(127, &[damaged]).is_err());
}

#[test]
fn other_link_types_are_refused() {
    for link_type in [9, 119, 163, 192, 999] {
        let error = frames(link_type, &[ipv4(700, 3)]).unwrap_err();
        let expected = format!("packet 1 has link type {link_type}, which is not read; allowed: ");
        assert!(error.starts_with(&expected), "{error}");
        assert!(error.contains("tcpdump -y EN10MB"), "{error}");
    }
}

#[test]
fn frames_without_ip_are_no_packets() {
    let address = [0; 12];
    let other = [
        // ARP, LLDP, spanning tree over LLC, garbage of IPv4's type, a frame of 3 bytes.
        joined(&[&address, &[8, 6], &[0; 46]]),
        joined(&[&address, &[0x88, 0xcc], &[0; 46]]),
        joined(&[&address, &[0, 38, 0x42, 0x42, 3], &[0; 35]]),
        joined(&[&address, &[8, 0], &[0xff; 46]]),
        // IPv4 whose length is below that of its header.
        joined(&[&address, &[8, 0], &ipv4(19, 0), &[0; 26]]),
        vec![1, 2, 3],
    ];
    let error = frames(1, &other).unwrap_err();
    assert!(error.contains("6 of 6 frames are no IP packets"), "{error}");
    assert!(error.contains("nearest: "), "{error}");
    // OSI over a loopback; Linux's netlink messages.
    assert!(frames(0, &[joined(&[&[7, 0, 0, 0], &ipv4(700, 3)])]).is_err());
    let netlink = [0, 4, 0x03, 0x38, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    assert!(frames(113, &[joined(&[&netlink, &[0; 40]])]).is_err());
}

#[test]
fn frames_that_are_cut_off_within_their_headers_are_counted() {
    let whole = joined(&[&[0; 12], &[8, 0], &ipv4(700, 3)]);
    // The last byte of the header is missing; the type is missing.
    let records = [
        (0, 0, &whole[..], 714),
        (0, 1, &whole[..33], 714),
        (0, 2, &whole[..13], 714),
    ];
    let read = PacketTrace::read(&pcap(0xa1b2_c3d4, 1, false, &records)).unwrap();
    assert_eq!(read.packets(), [packet(0, 700, Ecn::Ce)]);
    let left_out: Vec<String> = read.left_out().collect();
    let expected = "2 of 3 frames are cut off within their headers and are left out";
    assert_eq!(left_out, [expected]);
    let error = PacketTrace::read(&pcap(0xa1b2_c3d4, 1, false, &records[1..])).unwrap_err();
    assert!(
        error.contains("2 of 2 frames are cut off within"),
        "{error}"
    );
    assert!(error.contains("tcpdump -s 128"), "{error}");
}

#[test]
fn sizes_are_those_of_ip_packets() {
    let ethernet = |kind: [u8; 2], ip: &[u8]| joined(&[&[0; 12], &kind, ip]);
    // Behind a padded frame of 60 bytes; left to the network card: what the frame has room for.
    let padded = ethernet([8, 0], &joined(&[&ipv4(40, 0), &[0; 26]]));
    let (large, large6) = (
        ethernet([8, 0], &ipv4(0, 2)),
        ethernet([0x86, 0xdd], &ipv6(0)),
    );
    let records = [
        (0, 0, &padded[..], 60),
        (0, 0, &large[..], 30_014),
        (0, 0, &large6[..], 20_014),
    ];
    let read = PacketTrace::read(&pcap(0xa1b2_c3d4, 1, false, &records)).unwrap();
    let expected = [
        packet(0, 40, Ecn::NotCapable),
        packet(0, 30_000, Ecn::Ect0),
        packet(0, 20_000, Ecn::Ect0),
    ];
    assert_eq!(read.packets(), expected);
    let records = [(0, 0, &padded[..], 60), (0, 0, &large6[..], 65_550)];
    let error = PacketTrace::read(&pcap(0xa1b2_c3d4, 1, false, &records)).unwrap_err();
    assert!(
        error.starts_with("packet 2 has 65536 bytes; allowed: up to 65535"),
        "{error}"
    );
}

#[test]
fn an_interface_that_is_not_described_is_named() {
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, Layer::Ip, ["only"]).unwrap();
    writer.packet(3, Nanos(0), &ipv4(300, 0), 300).unwrap();
    writer.flush().unwrap();
    let error = PacketTrace::read(&file).unwrap_err();
    let expected = "packet 1 names interface 3; the section has 1";
    assert_eq!(error, expected);
}

proptest::proptest! {
    #[test]
    fn any_frame_is_read_or_left_out(
        link_type in proptest::sample::select(vec![0_u32, 1, 101, 105, 113, 127, 276]),
        bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..80),
        on_wire in 0_u32..100_000,
    ) {
        let record = [(0, 0, &bytes[..], on_wire), (0, 0, &bytes[..], bytes.len() as u32)];
        if let Ok(read) = PacketTrace::read(&pcap(0xa1b2_c3d4, link_type, false, &record)) {
            let largest = read.largest().0;
            assert!((20..=65_535).contains(&largest), "{largest}");
            assert_eq!(PacketTrace::read(read.to_text().as_bytes()).unwrap().packets(), read.packets());
        }
    }
}

/// A frame of time zero beside one of today, as a clock that was not set yet leaves it: such a
/// recording has no text form, so the folder of a run could not be opened again.
/// A pcapng file of packets at 0 and 2^30 units of this if_tsresol (draft-ietf-opsawg-pcapng, 4.2).
fn with_resolution(value: u8) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, Layer::Ip, ["up"]).unwrap();
    for nanos in [0, 1 << 30] {
        writer.packet(0, Nanos(nanos), &ipv4(300, 0), 300).unwrap();
    }
    writer.flush().unwrap();
    let written = [9, 0, 1, 0, 9, 0, 0, 0];
    let mut places = file.windows(written.len());
    let place = places.position(|option| option == written).unwrap();
    file[place + 4] = value;
    file
}

#[test]
fn units_of_time_that_cannot_be_read_are_refused() {
    let at = |value| PacketTrace::read(&with_resolution(value)).map(|trace| trace.packets()[1].at);
    assert_eq!(at(9), Ok(Nanos(1 << 30)));
    assert_eq!(at(19), Ok(Nanos(0)));
    assert_eq!(at(0x80 | 30), Ok(Nanos::from_secs(1)));
    for (value, unit) in [(20, "10^-20 s"), (127, "10^-127 s"), (0xff, "2^-127 s")] {
        let refused = at(value).unwrap_err();
        assert!(
            refused.contains("interface 0") && refused.contains(unit),
            "{refused}"
        );
        assert!(refused.contains("allowed"), "{refused}");
    }
}

#[test]
fn a_recording_of_more_than_31_years_is_refused() {
    let ip = ipv4(40, 0);
    let spanning = |seconds: u32, parts: u32| {
        let records = [(0, 0, &ip[..], 40), (seconds, parts, &ip[..], 40)];
        PacketTrace::read(&pcap(0xa1b2_c3d4, 101, false, &records))
    };
    let longest = spanning(1_000_000_000, 0).unwrap();
    let again = PacketTrace::read(longest.to_text().as_bytes());
    assert_eq!(again, Ok(longest));
    for (seconds, parts) in [(1_000_000_000, 1), (1_732_000_000, 0)] {
        let error = spanning(seconds, parts).unwrap_err();
        assert!(error.contains("years between its first"), "{error}");
        assert!(error.contains("allowed: up to 31 years"), "{error}");
    }
}

#[test]
fn the_text_form_reads_back() {
    let text = "time,size,ecn\n0.000000000,1500,ect1\n1.000000001,40,off\n7.250000000,65535,ce\n";
    let read = PacketTrace::read(text.as_bytes()).unwrap();
    assert_eq!(read.to_text(), text);
    assert_eq!(
        read.packets()[1],
        packet(1_000_000_001, 40, Ecn::NotCapable)
    );
    for (text, expected) in [
        (
            "0,1500\n",
            "line 1: \"0,1500\" begins neither pcap, pcapng nor text",
        ),
        (
            "time,size,ecn\n0,0\n",
            "line 2: \"0,0\" has no size; allowed: 1 to 65535",
        ),
        ("time,size,ecn\n\n-1,5\n", "line 3: \"-1,5\" has no time"),
        ("time,size,ecn\n0,5,ecn\n", "allowed: off, ect0, ect1 or ce"),
        ("time,size,ecn\n", "has no packets"),
    ] {
        let error = PacketTrace::read(text.as_bytes()).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    assert!(
        PacketTrace::read(&[0xff, 0xfe])
            .unwrap_err()
            .contains("neither")
    );
}

/// When the packets of a recording that starts at 10 ms leave a link of 10 Mbps.
fn departures(text: &str, repeats: bool) -> Vec<u64> {
    let mut network = Network::new();
    let (from, to) = (network.node("from"), network.node("to"));
    let link = Link::new(BitsPerSec::from_mbps(10), Nanos::from_millis(1));
    let (there, _) = network.duplex(from, to, link);
    let mut run = Run::new(network, Nanos::from_millis(30));
    run.measure.captures = vec![there];
    let recording = PacketTrace::read(text.as_bytes()).unwrap();
    run.add(Flow::replay(from, to, recording, repeats).at(Nanos::from_millis(10)));
    let results = run.results().unwrap();
    results.captures[0].times().map(|at| at.0).collect()
}

#[test]
fn packets_leave_at_their_times_with_their_sizes() {
    // 1250 bytes take 1 ms, 625 half of it. The second and third come at once, 2 ms later.
    let text = "time,size,ecn\n5,1250\n5.002,625\n5.002,1250\n5.006,1250\n";
    let once = [11_000_000, 12_500_000, 13_500_000, 17_000_000];
    assert_eq!(departures(text, false), once);
    // It repeats after 6 ms and a mean interval of 2 ms.
    let again = once.map(|at| at + 8_000_000);
    let expected = [&once[..], &again[..], &[27_000_000, 28_500_000, 29_500_000]].concat();
    assert_eq!(departures(text, true), expected);
    // A single packet does not repeat.
    assert_eq!(departures("time,size,ecn\n0,1250\n", true), [11_000_000]);
}
