//! Traffic of datagrams: constant rates, bursts, calls, and recorded packets.

use earlydrop::packet::Ecn;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::network::Node as Host;
use earlydrop_sim::spread::{Law, Spread};
use earlydrop_sim::traffic::{Flow, Pattern, Traffic};

use super::times;
use crate::document::{Entries, Problem, law_prefix};
use crate::scenario::Context;

/// The packets of `packets`, at their times.
pub(super) fn replay(
    group: &Entries,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> Traffic {
    let host = Host(0);
    let (name, repeats) = (group.text("packets"), group.flag("repeat"));
    let help = "allowed: a capture (pcap or pcapng), or lines of `time,size,ecn`";
    let read = match name.is_empty() {
        true => Err((
            group.place(),
            "flows of kind = \"replay\" without a file".to_string(),
            "allowed: packets = \"capture.pcapng\"",
        )),
        false => {
            let read = context.files.packet_trace(&name);
            read.map_err(|problem| (group.place_of("packets"), problem, help))
        }
    };
    match read {
        Ok(trace) => {
            if repeats && trace.period() == Nanos::ZERO {
                let message = format!("`repeat` of \"{name}\", whose packets have one time");
                let help = "nearest: repeat = false";
                problems.push(Problem::new(group.place_of("repeat"), message, help));
            }
            Flow::replay(host, host, trace, repeats).traffic
        }
        Err((place, message, help)) => {
            problems.push(Problem::new(place, message, help));
            let rate = BitsPerSec(1);
            Flow::datagrams(host, host, Bytes(1), rate, Pattern::Constant).traffic
        }
    }
}

pub(super) fn datagrams(kind: &str, group: &Entries, problems: &mut Vec<Problem>) -> Traffic {
    let host = Host(0);
    let ecn = match group.choice("ecn") {
        "ect0" => Ecn::Ect0,
        "ect1" => Ecn::Ect1,
        _ => Ecn::NotCapable,
    };
    let size = group.size_or_auto("packet").unwrap_or(Bytes(1000));
    let rate = group.rate_or_auto("rate").unwrap_or(BitsPerSec(0));
    let flow = match kind {
        "voice" => Flow::voice(host, host),
        "cbr" => Flow::datagrams(host, host, size, rate, Pattern::Constant),
        _ => {
            let on = times(group, "on", problems);
            let off = times(group, "off", problems);
            check_bursts(group, &on, (size, rate), problems);
            Flow::datagrams(host, host, size, rate, Pattern::OnOff { on, off })
        }
    };
    match flow.traffic {
        Traffic::Datagrams {
            size,
            rate,
            pattern,
            ..
        } => Traffic::Datagrams {
            size,
            rate,
            pattern,
            ecn,
        },
        other => other,
    }
}

/// Refuses bursts most of which are so short that hardly one in a thousand holds a datagram.
fn check_bursts(
    group: &Entries,
    on: &Spread<Nanos>,
    (size, rate): (Bytes, BitsPerSec),
    problems: &mut Vec<Problem>,
) {
    let steps = group.list("steps");
    let later = steps.iter().filter_map(|step| step.rate_or_auto("rate"));
    let slowest = later.fold(rate, BitsPerSec::min);
    let (burst, law) = (on.mean, law_prefix(&on.law));
    let least = Pattern::least_burst(&on.law, size, slowest);
    if burst < least {
        let time = slowest.transmission_time(size);
        let message = format!(
            "bursts of {law}{burst} of datagrams that follow each other every {time} at {slowest}"
        );
        let typical = match on.law {
            Law::Constant => "",
            _ => " for a typical burst, not for its rare longest ones",
        };
        let help =
            format!("at least a thousandth of that{typical}; nearest: on = \"{law}{least}\"");
        problems.push(Problem::new(group.place_of("on"), message, help));
    }
}
