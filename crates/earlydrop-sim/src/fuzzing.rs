//! Invariants of recorded links and captures for arbitrary bytes, checked by tests with random
//! bytes and by the fuzzers in `fuzz/`.

use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use crate::Run;
use crate::network::{Link, Network, Opportunities, Trace};
use crate::replay::PacketTrace;
use crate::traffic::{Flow, Pattern};

/// A text is refused with a line of it, or a link follows it: departures keep the order of
/// arrivals and are never early, and a run over the link loses no packet from its counts.
pub fn recording(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let trace = match text.parse::<Trace>() {
        Ok(trace) => trace,
        Err(error) => {
            assert!((1..=text.lines().count().max(1)).contains(&error.line));
            // Long lines are cut.
            let beginning = error.text.strip_suffix("...").unwrap_or(&error.text);
            assert!(text.contains(beginning), "{error}");
            return;
        }
    };
    assert!(trace.period() > Nanos::ZERO);
    departures_keep_their_order(&trace);
    run_over(&trace);
}

/// A capture is refused with a reason, or read: its packets are in order from time zero, have sizes
/// that can be sent, and are the same when they are written as text and read again.
pub fn capture(bytes: &[u8]) {
    let recording = match PacketTrace::read(bytes) {
        Ok(recording) => recording,
        Err(reason) => {
            assert!(!reason.is_empty());
            return;
        }
    };
    let packets = recording.packets();
    assert_eq!(packets[0].at, Nanos::ZERO);
    assert!(packets.is_sorted_by_key(|packet| packet.at));
    assert!(
        packets
            .iter()
            .all(|packet| (1..=65_535).contains(&packet.size))
    );
    assert!(recording.period() >= packets[packets.len() - 1].at || packets.len() == 1);
    assert!(recording.mean_rate() >= BitsPerSec(1));
    assert!(recording.left_out().all(|sentence| !sentence.is_empty()));
    let again = PacketTrace::read(recording.to_text().as_bytes()).expect("what was written");
    assert_eq!(again.packets(), packets);
}

/// Sends packets back to back, then apart, up to several rounds of the trace later.
fn departures_keep_their_order(trace: &Trace) {
    let mut opportunities = Opportunities::new(trace.clone());
    let mut left = Nanos::ZERO;
    for number in 0..200_u64 {
        let round = trace.period().0 / 50;
        let at = Nanos(number.saturating_sub(50) * round);
        let size = [40, 1500, 1501, 9000][number as usize % 4];
        let next = opportunities.send(at, size);
        assert!(next >= at.max(left), "{next} after {left}, ready at {at}");
        left = next;
    }
}

/// Runs datagrams over a link that follows the trace, for some of its opportunities.
fn run_over(trace: &Trace) {
    let mut network = Network::new();
    let (from, to) = (network.node("from"), network.node("to"));
    let link = Link::new(BitsPerSec::from_mbps(1), Nanos::from_millis(1));
    network.duplex(from, to, link.following(trace.clone()));
    let mut run = Run::new(network, Nanos::from_millis(200));
    let rate = BitsPerSec::from_mbps(5);
    run.add(Flow::datagrams(
        from,
        to,
        Bytes(1000),
        rate,
        Pattern::Constant,
    ));
    // A link slower than one bit per second is refused.
    let Ok(results) = run.results() else {
        assert_eq!(trace.mean_rate(), BitsPerSec(0));
        return;
    };
    let totals = results.totals;
    let after = [totals.delivered, totals.dropped, totals.in_flight];
    let packets: u64 = after.iter().map(|tally| tally.packets).sum();
    assert_eq!(totals.sent.packets, packets, "{totals:?}");
}

#[cfg(test)]
mod tests {
    use earlydrop::units::Nanos;
    use proptest::prelude::*;

    use crate::pcapng::{Layer, Writer};

    /// Replaces bytes, and leaves out the last ones.
    fn damaged(bytes: &mut Vec<u8>, changes: Vec<(prop::sample::Index, u8)>, cut: usize) {
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(bytes.len().saturating_sub(cut));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        /// Captures as they are written, with some bytes replaced and perhaps an end that is missing.
        #[test]
        fn damaged_captures_are_refused_or_read(
            times in prop::collection::vec(any::<u64>(), 1..6),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
            cut in prop::sample::select(vec![0_usize, 0, 1, 40]),
        ) {
            let mut bytes = Vec::new();
            let mut writer = Writer::new(&mut bytes, Layer::Ip, ["link"]).unwrap();
            let mut packet = [0; 40];
            (packet[0], packet[3]) = (0x45, 40);
            for time in times {
                writer.packet(0, Nanos(time), &packet, 40).unwrap();
            }
            writer.flush().unwrap();
            drop(writer);
            super::capture(&bytes);
            damaged(&mut bytes, changes, cut);
            super::capture(&bytes);
        }

        #[test]
        fn arbitrary_bytes_are_refused_or_followed(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            super::recording(&bytes);
        }

        /// Times in ascending order, with one line replaced by anything.
        #[test]
        fn recordings_with_a_wrong_line_are_refused_or_followed(
            mut steps in prop::collection::vec(0..2000_u64, 1..40),
            last in prop::sample::select(vec![0_u64, 1, 1 << 20, u64::from(u32::MAX)]),
            (at, line) in (any::<prop::sample::Index>(), "\\PC{0,12}"),
            mangled in any::<bool>(),
        ) {
            steps.push(last);
            let mut time = 0;
            let mut lines: Vec<String> = steps
                .iter()
                .map(|step| {
                    time += step;
                    time.to_string()
                })
                .collect();
            if mangled {
                let at = at.index(lines.len());
                lines[at] = line;
            }
            super::recording(lines.join("\n").as_bytes());
        }
    }
}
