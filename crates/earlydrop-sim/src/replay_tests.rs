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
        let packets = [(1, 5, &frame[..], 1018), (1, 12, &arp[..], 42)];
        let read = PacketTrace::read(&pcap(0xa1b2_3c4d, 1, is_big, &packets)).unwrap();
        let expected = [packet(0, 1000, Ecn::Ce), packet(7, 42, Ecn::NotCapable)];
        assert_eq!(read.packets(), expected);
    }
}

#[test]
fn pcapng_is_read_as_it_is_written() {
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, Layer::Ip, ["up", "down"]).unwrap();
    let ipv6 = [&[0x60, 0x20, 0, 0, 4, 0xb0, 17, 64][..], &[0; 32]].concat();
    writer
        .packet(0, Nanos(5_000_000_001), &ipv4(300, 0), 300)
        .unwrap();
    writer.packet(1, Nanos(5_000_000_009), &ipv6, 1240).unwrap();
    writer.flush().unwrap();
    let read = PacketTrace::read(&file).unwrap();
    // 1200 bytes of payload behind an IPv6 header of 40; its traffic class has ECT(0).
    let expected = [packet(0, 300, Ecn::NotCapable), packet(8, 1240, Ecn::Ect0)];
    assert_eq!(read.packets(), expected);
    let error = PacketTrace::read(&file[..file.len() - 1]).unwrap_err();
    assert!(error.contains("cut off within packet 2"), "{error}");
    assert!(PacketTrace::read(&file[..file.len().min(100)]).is_err());
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
