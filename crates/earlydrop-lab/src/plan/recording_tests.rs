//! Files of rates and delays that a scenario names: read, kept, part of its identity.

use earlydrop::units::Nanos;

use super::*;
use crate::plan::{Plan, Source};

const RATES: &str = "time,rate\n0,10 Mbps\n5,2 Mbps\n10,\n";
const DELAYS: &str = "time,delay\n0,20 ms\n1,5 ms\n2,\n";

/// The plan of a scenario with this line, which may name `rates.csv` and `delays.csv`.
fn plan_with(line: &str, rates: &str, delays: &str) -> Result<Plan, String> {
    let files = [("a/rates.csv", rates), ("delays.csv", delays)];
    let files = files.map(|(name, text)| (name.to_string(), text.to_string()));
    let text = format!("schemes = [\"red\"]\n{line}\n[flows.a]\n");
    let source = Source::new("s.toml", &text, TraceFiles::Memory(files.into()));
    let plan = source.and_then(|source| source.plan());
    plan.map_err(|problems| problems.to_string())
}

const BOTH: &str = "network.trace = \"a/rates.csv\"\nnetwork.delay_trace = \"delays.csv\"";

#[test]
fn a_link_follows_rates_and_delays() {
    let plan = plan_with(BOTH, RATES, DELAYS).unwrap();
    let scenario = plan.scenario();
    assert_eq!(scenario.link().unwrap().rate.to_string(), "6 Mbps");
    let run = scenario.run(&scenario.schemes[0], 1, true).unwrap().run;
    let (_, _, _, link) = run.network.links().next().unwrap();
    assert_eq!(link.delay, Nanos::from_millis(5));
    let delays = link.delay_trace.as_ref().unwrap();
    assert_eq!(delays.at(Nanos::from_millis(2500)), Nanos::from_millis(20));
    // 50 ms there and back with the smallest delay: 10 ms on the bottleneck, 40 ms on access
    // links.
    let links = run.network.links();
    let access: u64 = links.skip(2).map(|(_, _, _, link)| link.delay.0).sum();
    assert_eq!(access, 40_000_000);
}

#[test]
fn contents_of_files_are_part_of_a_runs_identity() {
    let plan = plan_with(BOTH, RATES, DELAYS).unwrap();
    let stored = plan.recordings.iter();
    let stored: BTreeMap<String, String> = stored
        .map(|kept| (kept.stored_name.clone(), kept.text.to_string()))
        .collect();
    let names: Vec<&str> = stored.keys().map(String::as_str).collect();
    assert!(names[0].starts_with("delays-") && names[0].ends_with(".csv"));
    assert!(names[1].starts_with("rates-") && names[1].ends_with(".csv"));
    let again = Source::new("s.toml", &plan.document, TraceFiles::Memory(stored)).unwrap();
    assert_eq!(again.plan().unwrap().identity(), plan.identity());
    let other = plan_with(BOTH, RATES, "time,delay\n0,20 ms\n1,6 ms\n2,\n").unwrap();
    assert_ne!(other.identity(), plan.identity());
}

#[test]
fn blanks_around_a_name_are_no_part_of_it() {
    let plan = plan_with("network.trace = \" a/rates.csv \"", RATES, DELAYS).unwrap();
    let stored = plan.recordings.iter();
    let stored = stored.map(|kept| (kept.stored_name.clone(), kept.text.to_string()));
    let stored = TraceFiles::Memory(stored.collect());
    let again = Source::new("s.toml", &plan.document, stored).unwrap();
    assert_eq!(again.plan().unwrap().identity(), plan.identity());
    let swept = "sweep.\"network.trace\" = [\"a/rates.csv\", \" a/rates.csv\"]";
    let twice = plan_with(swept, RATES, DELAYS).unwrap_err();
    assert!(twice.contains("same recording twice"), "{twice}");
}

#[test]
fn errors_name_file_line_and_value() {
    let error = |line: &str, rates: &str, delays: &str| plan_with(line, rates, delays).unwrap_err();
    let wrong_rate = error(BOTH, "time,rate\n0,10 fast\n1,", DELAYS);
    let expected = "the trace \"a/rates.csv\": trace, line 2: \"0,10 fast\"";
    assert!(wrong_rate.contains(expected), "{wrong_rate}");
    let wrong_delay = error(BOTH, RATES, "time,delay\n0,1 ms\n0,2 ms\n3,");
    let expected = "the delays \"delays.csv\": trace, line 3: \"0,2 ms\" is not after";
    assert!(wrong_delay.contains(expected), "{wrong_delay}");
    let at_once = [
        ("network.delay = \"5 ms\"", "both a delay trace and a delay"),
        (
            "network.changes = [{ at = \"1 s\", delay = \"5 ms\" }]",
            "both a delay trace and changes",
        ),
        (
            "network.changes = [{ at = \"1 s\", rate = \"5 Mbps\" }]",
            "both a trace and changes of its rate",
        ),
    ];
    for (line, expected) in at_once {
        let message = error(&format!("{BOTH}\n{line}"), RATES, DELAYS);
        assert!(message.contains(expected), "{message}");
    }
    let empty = error("network.delay_trace = \"\"", RATES, DELAYS);
    assert!(empty.contains("nearest: no `delay_trace`"), "{empty}");
    let missing = error("network.delay_trace = \"delay.csv\"", RATES, DELAYS);
    assert!(
        missing.contains("\"delay.csv\" is not among those"),
        "{missing}"
    );
}

#[test]
fn a_link_aggregates_and_has_slots() {
    let line = "network.aggregation = { packets = 64, airtime = \"5.484 ms\", overhead = \"100 us\" }\n\
                network.slot = \"1 ms\"";
    let plan = plan_with(line, RATES, DELAYS).unwrap();
    let scenario = plan.scenario();
    let run = scenario.run(&scenario.schemes[0], 1, true).unwrap().run;
    let (_, _, _, link) = run.network.links().next().unwrap();
    let aggregation = link.aggregation.unwrap();
    assert_eq!((aggregation.packets, aggregation.bytes), (64, u64::MAX));
    assert_eq!(aggregation.airtime, Nanos::from_micros(5484));
    assert_eq!(aggregation.overhead, Nanos::from_micros(100));
    assert_eq!(link.slot, Some(Nanos::from_millis(1)));
    // The way back has its own.
    let (_, _, _, back) = run.network.links().nth(1).unwrap();
    assert!(back.aggregation.is_none() && back.slot.is_none());
    let both = plan_with(&format!("{BOTH}\nnetwork.slot = \"1 ms\""), RATES, DELAYS);
    assert!(both.unwrap_err().contains("both a trace and `slot`"));
    let none = plan_with("network.aggregation.packets = 0", RATES, DELAYS);
    assert!(none.unwrap_err().contains("packets"));
}

/// The plan of a scenario with a group that replays `capture.pcap`, which is this text.
fn replay(group: &str, capture: &str) -> Result<Plan, String> {
    let files = [("in/capture.pcap".to_string(), capture.to_string())];
    let text = format!("schemes = [\"red\"]\n[flows.a]\n[flows.b]\nkind = \"replay\"\n{group}\n");
    let source = Source::new("s.toml", &text, TraceFiles::Memory(files.into()));
    let plan = source.and_then(|source| source.plan());
    plan.map_err(|problems| problems.to_string())
}

#[test]
fn a_capture_is_kept_as_text() {
    let capture = "time,size,ecn\n5,1500,ect0\n5.5,40\n";
    let plan = replay("packets = \"in/capture.pcap\"\nrepeat = true", capture).unwrap();
    let [kept] = &plan.recordings[..] else {
        panic!("one file");
    };
    let text = "time,size,ecn\n0.000000000,1500,ect0\n0.500000000,40,off\n";
    assert_eq!(&*kept.text, text);
    assert!(kept.stored_name.starts_with("capture-") && kept.stored_name.ends_with(".csv"));
    let stored = BTreeMap::from([(kept.stored_name.clone(), kept.text.to_string())]);
    let again = Source::new("s.toml", &plan.document, TraceFiles::Memory(stored)).unwrap();
    assert_eq!(again.plan().unwrap().identity(), plan.identity());
    // 1540 bytes in a second: 0.5 s and a mean interval.
    let group = &plan.scenario().groups[1];
    assert!(!group.is_tcp());
    assert_eq!(group.packet().0, 1500);
    for (group, capture, expected) in [
        ("", capture, "without a file"),
        ("packets = \"b.pcap\"", capture, "\"b.pcap\" is not among"),
        (
            "packets = \"in/capture.pcap\"",
            "5,40\n",
            "nearest: time,size,ecn",
        ),
        (
            "packets = \"in/capture.pcap\"\nrepeat = true",
            "time,size,ecn\n1,40\n",
            "nearest: repeat = false",
        ),
        (
            "packets = \"in/capture.pcap\"\nsteps = [{ at = \"1 s\", rate = \"1 Mbps\" }]",
            capture,
            "recorded packets have no rate",
        ),
    ] {
        let error = replay(group, capture).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn frames_that_are_left_out_of_a_capture_are_said() {
    // A pcap file in microseconds: ARP, an IPv4 packet of 1000 bytes, and one of which 8 bytes
    // were captured.
    let folder = tempfile::tempdir().unwrap();
    let mut file: Vec<u8> = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, 1] {
        file.extend(word.to_le_bytes());
    }
    let arp = [&[0; 12][..], &[8, 6], &[0; 28]].concat();
    let ipv4 = [&[0; 12][..], &[8, 0, 0x45, 0, 3, 0xe8], &[0; 16]].concat();
    for (second, frame) in [(1_u32, &arp[..]), (2, &ipv4), (3, &ipv4[..22])] {
        for word in [second, 0, frame.len() as u32, 1014] {
            file.extend(word.to_le_bytes());
        }
        file.extend(frame);
    }
    std::fs::write(folder.path().join("office.pcap"), file).unwrap();
    // Swept: the file is read once, for all points.
    let text = "schemes = [\"red\"]\n[flows.a]\n[flows.b]\nkind = \"replay\"\n\
                packets = \"office.pcap\"\n[sweep]\n\"network.rate\" = [\"5 Mbps\", \"10 Mbps\"]\n";
    let files = TraceFiles::Folder(folder.path().to_path_buf());
    let plan = Source::new("s.toml", text, files).unwrap().plan().unwrap();
    let warnings = plan.warnings();
    let of_file: Vec<&String> = warnings
        .iter()
        .filter(|warning| warning.starts_with("office.pcap: "))
        .collect();
    let expected = [
        "office.pcap: 1 of 3 frames is no IP packet and is left out",
        "office.pcap: 1 of 3 frames is cut off within its headers and is left out",
    ];
    assert_eq!(of_file, expected);
    assert_eq!(plan.scenario().groups[1].packet().0, 1000);
}

#[test]
fn a_byte_order_mark_is_no_part_of_any_file() {
    const FILES: [(&str, &str); 6] = [
        ("rates.csv", RATES),
        ("link.trace", "0\n5\n"),
        ("delays.csv", DELAYS),
        ("sizes.txt", "100 0\n1000 50\n5000 100\n"),
        ("packets.csv", "time,size,ecn\n0,1500,off\n0.01,100,off\n"),
        ("flows.csv", "0.1,left 1,right 1,1000\n"),
    ];
    let kept = |mark: &str| {
        let files: BTreeMap<String, String> = FILES
            .map(|(name, text)| (name.to_string(), format!("{mark}{text}")))
            .into();
        let files = TraceFiles::Memory(files);
        let read = Recordings::new(&files);
        read.trace("rates.csv").unwrap();
        read.trace("link.trace").unwrap();
        read.delay_trace("delays.csv").unwrap();
        read.sizes("sizes.txt").unwrap();
        read.packet_trace("packets.csv").unwrap();
        read.flow_list("flows.csv").unwrap();
        let kept = read.into_list().into_iter();
        kept.map(|kept| (kept.stored_name, kept.text))
            .collect::<Vec<_>>()
    };
    assert_eq!(kept("\u{feff}"), kept(""));
}
