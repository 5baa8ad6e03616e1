//! Warnings about a plan: settings that run, and whose results would be misread.
//!
//! Each has the rule, its number and the nearest setting that follows the rule. Behind them is what
//! was left out of captures.

use std::collections::{BTreeMap, HashMap};

use earlydrop::units::{Bytes, Nanos};
use earlydrop_model::PACKETS_PER_FLOW;
use earlydrop_model::number::{number, time, to_digits};
use earlydrop_sim::tcp::{Algorithm, EcnMode, Profile};
use earlydrop_sim::traffic::Traffic;

use super::{Plan, Recording};
use crate::scenario::{LinkSizes, PauseRoom, QueueLength, Scenario, SchemeSizes};

/// Buffers are at least this many times a scheme's target delay: below, the queue is full before
/// the scheme has held it at its target.
const TARGETS: f64 = 2.0;
/// The upper threshold is at least this share of BDP / sqrt(flows), the queue that N flows need to
/// fill a link (Appenzeller, Keslassy and McKeown, "Sizing Router Buffers", SIGCOMM 2004).
const LEAST_BAND: f64 = 0.25;

/// A run of fewer round trips is over before a sender has left its slow start.
const LEAST_ROUND_TRIPS: f64 = 5.0;

impl Plan {
    /// What a reader of the results should know about the settings, one sentence each.
    pub fn warnings(&self) -> Vec<String> {
        // In the order in which they are found, with the number of points.
        let mut found: Vec<(String, usize)> = Vec::new();
        let mut known: HashMap<Rule, usize> = HashMap::new();
        for point in &self.points {
            for (rule, text) in at_point(&point.scenario) {
                let index = *known.entry(rule).or_insert(found.len());
                match found.get_mut(index) {
                    Some((_, points)) => *points += 1,
                    None => found.push((text, 1)),
                }
            }
        }
        // Where a sweep changes what decides it, a parameter has an effect at some points only.
        for (rule, index) in known {
            if rule.0 == NO_EFFECT && found[index].1 < self.points.len() {
                found[index].1 = 0;
            }
        }
        let found = found.into_iter().filter(|(_, points)| *points > 0);
        let texts = found.map(|(text, points)| match points {
            1 => text,
            2 => format!("{text} (so at one more point of the sweep)"),
            points => format!("{text} (so at {} more points of the sweep)", points - 1),
        });
        let left_out = self.recordings.iter().flat_map(Recording::left_out);
        texts.chain(self.not_judged()).chain(left_out).collect()
    }

    /// Expectations that name a scheme or a point that is not there: the command line may have put
    /// others in its place, or it is written otherwise.
    fn not_judged(&self) -> impl Iterator<Item = String> {
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for reason in self
            .expectations
            .iter()
            .filter_map(|one| one.missing.as_deref())
        {
            *reasons.entry(reason).or_default() += 1;
        }
        let said = reasons.into_iter().map(|(reason, count)| match count {
            1 => format!("an expectation is not judged: {reason}"),
            _ => format!("{count} expectations are not judged: {reason}"),
        });
        said.collect::<Vec<_>>().into_iter()
    }
}

/// The rule about a parameter that has no effect.
const NO_EFFECT: &str = "no effect";

/// What a warning is about: the same rule about the same schemes is printed once.
type Rule = (&'static str, Vec<String>);

/// The warnings of a scenario at one point.
fn at_point(scenario: &Scenario) -> Vec<(Rule, String)> {
    let late = scenario.late.iter();
    let mut all: Vec<(Rule, String)> = late
        .map(|text| (("late", vec![text.clone()]), text.clone()))
        .collect();
    all.extend(scenario.link_without_slowdown().map(|link| {
        let text = format!(
            "transfers over the link {link} have no slowdown: it changes its rate or its delay \
             during the run, so there is no least time to compare them with"
        );
        (("slowdown", Vec::new()), text)
    }));
    all.extend(few_round_trips(scenario));
    all.extend(bbr3_as_l4s(scenario));
    all.extend(slow_acks(scenario));
    all.extend(early_timers(scenario));
    all.extend(skipped_arrivals(scenario));
    all.extend(scenario.paused_but_not_sent().map(|(class, sent)| {
        let text = format!(
            "`pause_classes` has class {class}, of which no group's packets are: nothing of it is \
             paused; nearest: pause_classes = \"{sent}\", or a group with class = {class}"
        );
        (("classes", Vec::new()), text)
    }));
    all.extend(
        scenario
            .overload()
            .map(|text| (("overload", Vec::new()), text)),
    );
    for scheme in &scenario.schemes {
        all.extend(scheme.without_effect().into_iter().map(|what| {
            let text = format!("{}: {what}", scheme.label);
            ((NO_EFFECT, vec![text.clone()]), text)
        }));
    }
    all.extend(fields_unread(scenario).map(|text| ((NO_EFFECT, vec![text.clone()]), text)));
    let pauses = scenario.room_for_pauses();
    for sizes in scenario.sizes() {
        let at = At {
            scenario,
            sizes: &sizes,
        };
        at.short_buffers(&mut all);
        at.counted_buffers(&mut all);
        at.buffers_within_curves(&mut all);
        at.low_thresholds(&mut all);
        at.targets_below_a_packet(&mut all);
        at.short_intervals(&mut all);
        at.crowds(&mut all);
        at.crowded_bands(&mut all);
        if let Some(room) = &pauses {
            at.rooms_for_pauses(room, &mut all);
        }
    }
    all
}

/// A run in which senders hardly respond, as where a number of milliseconds was meant: 50 is 50 s.
fn few_round_trips(scenario: &Scenario) -> Option<(Rule, String)> {
    let (rtt, duration) = (scenario.path.rtt, scenario.duration);
    let round_trips = duration.as_secs_f64() / rtt.as_secs_f64().max(1e-9);
    let text = format!(
        "the run of {} is {} round trips of {} long: senders hardly respond to anything; nearest: \
         duration = \"{}\", or a shorter rtt",
        time(duration.as_secs_f64()),
        to_digits(round_trips, 2),
        time(rtt.as_secs_f64()),
        time(100.0 * rtt.as_secs_f64()),
    );
    (round_trips < LEAST_ROUND_TRIPS).then_some((("round trips", Vec::new()), text))
}

/// The names of the groups whose TCP, at this round-trip time, is so.
fn groups_of_tcp(scenario: &Scenario, is_so: impl Fn(&Profile, Nanos) -> bool) -> Vec<String> {
    let groups = scenario.groups.iter().filter(|group| match &group.traffic {
        Traffic::Tcp { profile, .. } => is_so(profile, group.rtt.unwrap_or(scenario.path.rtt)),
        Traffic::Datagrams { .. } => false,
    });
    groups.map(|group| group.name.to_string()).collect()
}

/// Groups whose receivers wait too long: "the delay MUST be less than 0.5 seconds" (RFC 9293,
/// 3.8.6.3), else a sender retransmits what has arrived.
fn slow_acks(scenario: &Scenario) -> Option<(Rule, String)> {
    let names = groups_of_tcp(scenario, |profile, _| {
        let delayed = profile.delayed_acks;
        delayed.is_some_and(|delayed| delayed.timeout >= Nanos::from_millis(500))
    });
    let text = format!(
        "flows `{}`: ACKs may wait for half a second or longer, when senders retransmit what has \
         arrived; nearest: tcp.ack_delay = \"499 ms\"",
        names.join("`, `")
    );
    (!names.is_empty()).then_some((("slow ACKs", names), text))
}

/// Groups whose timers always expire before an acknowledgment can be back, at a maximum of RTO that is
/// below the round trip: it is "at least 60 seconds" (RFC 6298, 2.5).
fn early_timers(scenario: &Scenario) -> Option<(Rule, String)> {
    let names = groups_of_tcp(scenario, |profile, rtt| profile.timer.maximum < rtt);
    let text = format!(
        "flows `{}`: the largest timeout is below the round-trip time, so senders retransmit what \
         is still on its way; nearest: tcp.largest_timeout = \"60 s\"",
        names.join("`, `")
    );
    (!names.is_empty()).then_some((("early timers", names), text))
}

/// Groups of BBRv3 flows with ECT(1).
fn bbr3_as_l4s(scenario: &Scenario) -> Option<(Rule, String)> {
    let names = groups_of_tcp(scenario, |profile, _| {
        profile.control == Algorithm::Bbr3 && profile.ecn == EcnMode::L4s
    });
    let text = format!(
        "flows `{}`: BBRv3 is no L4S sender (RFC 9331, 4.3): its response to marks does not scale, \
         and fills the queue of others; nearest: tcp.control = \"prague\", or tcp.ecn = \"on\"",
        names.join("`, `")
    );
    (!names.is_empty()).then_some((("l4s", names), text))
}

/// Fields of `tcp` that no sender of those reads for which they were given.
fn fields_unread(scenario: &Scenario) -> impl Iterator<Item = String> {
    let of_groups = || {
        let groups = scenario.groups.iter();
        groups.flat_map(|group| group.fields_of_some.iter().map(move |field| (group, field)))
    };
    // Of the file's `tcp` it is enough that one group reads it.
    let is_read_elsewhere =
        |name| of_groups().any(|(_, one)| one.field.name == name && !one.is_own && one.is_read);
    let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (group, one) in of_groups().filter(|(_, one)| !one.is_read) {
        let (name, belongs_to) = (one.field.name, one.field.belongs_to);
        if one.is_own || !is_read_elsewhere(name) {
            let text = format!("`tcp.{name}` has no effect: it belongs to {belongs_to}");
            found.entry(text).or_default().push(&group.name);
        }
    }
    found
        .into_iter()
        .map(|(text, groups)| format!("flows `{}`: {text}", groups.join("`, `")))
}

/// Arrivals of which some do not begin: the load is then not the one asked for.
fn skipped_arrivals(scenario: &Scenario) -> Option<(Rule, String)> {
    let crowd = scenario.cost.crowd.as_ref()?;
    let in_progress = crowd.in_progress();
    let skipped = 100.0 * (1.0 - f64::from(crowd.at_most) / in_progress);
    let text = format!(
        "flows `{}`: {} transfers begin a second and take {} ms at least, so {} would be in \
         progress; with at_most = {} at least {}% of them are skipped; nearest: at_most = {}, twice \
         as many as that",
        crowd.group,
        to_digits(crowd.per_second, 3),
        to_digits(crowd.takes.as_secs_f64() * 1e3, 3),
        to_digits(in_progress, 3),
        crowd.at_most,
        to_digits(skipped, 2),
        (2.0 * in_progress).ceil(),
    );
    Some((("arrivals", vec![crowd.group.to_string()]), text))
}

/// The schemes at a link.
struct At<'a> {
    scenario: &'a Scenario,
    sizes: &'a LinkSizes,
}

impl At<'_> {
    fn label(&self, scheme: &SchemeSizes) -> String {
        self.scenario.schemes[scheme.scheme].label.clone()
    }

    /// The time of a packet's transmission, in seconds.
    fn packet_time(&self) -> f64 {
        1.0 / self.service()
    }

    fn service(&self) -> f64 {
        let link = &self.sizes.link;
        link.rate.packets_per_sec(link.mean_packet)
    }

    /// Schemes that `is_so`, each with words about it, by a text that groups them.
    fn grouped(
        &self,
        is_so: impl Fn(&SchemeSizes) -> Option<(String, String)>,
    ) -> BTreeMap<String, (Vec<String>, Vec<String>)> {
        let mut groups: BTreeMap<String, (Vec<String>, Vec<String>)> = BTreeMap::new();
        for scheme in &self.sizes.schemes {
            if let Some((group, words)) = is_so(scheme) {
                let (labels, all) = groups.entry(group).or_default();
                let label = self.label(scheme);
                all.push(match words.is_empty() {
                    true => label.clone(),
                    false => format!("{label} ({words})"),
                });
                labels.push(label);
            }
        }
        groups
    }

    fn short_buffers(&self, all: &mut Vec<(Rule, String)>) {
        let rate = self.sizes.link.rate;
        let groups = self.grouped(|scheme| {
            let target = scheme.target?;
            let is_short = scheme.buffer.seconds < TARGETS * target.as_secs_f64();
            is_short.then(|| (words(&scheme.buffer), target.to_string()))
        });
        for (buffer, (labels, schemes)) in groups {
            let targets = self.sizes.schemes.iter();
            let targets = targets.filter(|scheme| labels.contains(&self.label(scheme)));
            let longest = targets.filter_map(|scheme| scheme.target).max();
            let enough = Nanos((TARGETS * longest.unwrap_or_default().0 as f64) as u64);
            let packets = (enough.as_secs_f64() * self.service()).ceil();
            all.push((
                ("buffer", labels),
                format!(
                    "the buffer of {buffer} at {rate} is less than twice the target of {}: it is \
                     full before they act, as drop-tail's; nearest: network.buffer = \"{packets} \
                     packets\" ({enough})",
                    schemes.join(", "),
                ),
            ));
        }
    }

    /// Buffers in bytes or time that are full of small packets before the bytes are used up.
    fn counted_buffers(&self, all: &mut Vec<(Rule, String)>) {
        let size = self.scenario.smallest_packet();
        let groups = self.grouped(|scheme| {
            let limit = scheme.limit;
            let in_bytes = limit.bytes.0 < u64::MAX;
            let is_cut = in_bytes && u64::from(limit.packets) < limit.bytes.0 / size.0;
            is_cut.then(|| (limit.packets.to_string(), limit.bytes.to_string()))
        });
        for (packets, (labels, schemes)) in groups {
            all.push((
                ("count", labels),
                format!(
                    "the buffer of {} holds at most {packets} packets, so fewer of {size} than its \
                     bytes have room for; nearest: a buffer in packets, or larger packets",
                    schemes.join(", "),
                ),
            ));
        }
    }

    fn buffers_within_curves(&self, all: &mut Vec<(Rule, String)>) {
        let groups = self.grouped(|scheme| {
            let end = scheme.end?;
            let is_within = scheme.buffer.packets < end.packets * (1.0 - 1e-9);
            is_within.then(|| (words(&scheme.buffer), words(&end)))
        });
        for (buffer, (labels, schemes)) in groups {
            all.push((
                ("curve", labels),
                format!(
                    "the buffer of {buffer} is full before the average reaches the end of the \
                     curve of {}; nearest: a larger network.buffer, or lower thresholds",
                    schemes.join(", "),
                ),
            ));
        }
    }

    fn low_thresholds(&self, all: &mut Vec<(Rule, String)>) {
        let flows = self.scenario.loss_based_flows();
        if flows == 0 {
            return;
        }
        let needed = self.sizes.bdp / (flows as f64).sqrt();
        let groups = self.grouped(|scheme| {
            let (_, max) = scheme.thresholds?;
            (max.packets < LEAST_BAND * needed * (1.0 - 1e-9)).then(|| (words(&max), String::new()))
        });
        let (rate, rtt) = (self.sizes.link.rate, self.scenario.path.rtt);
        for (max, (labels, schemes)) in groups {
            all.push((
                ("thresholds", labels),
                format!(
                    "max = {max} of {} is far below what the link needs at {rate} and {rtt}: with {} \
                     about {} packets fill it (BDP/sqrt(flows)), and with less than a quarter of \
                     that it idles; nearest: min = \"auto\" with target_delay = \"0.4 \
                     RTT\", or see `earlydrop configure --link {} --rtt {} --flows {flows}`",
                    schemes.join(", "),
                    count(flows),
                    to_digits(needed, 2),
                    rate.to_string().replace(' ', ""),
                    rtt.to_string().replace(' ', ""),
                ),
            ));
        }
    }

    fn targets_below_a_packet(&self, all: &mut Vec<(Rule, String)>) {
        let packet = self.packet_time();
        let link = &self.sizes.link;
        let groups = self.grouped(|scheme| {
            let target = scheme.target?;
            let is_below = target.as_secs_f64() < packet;
            is_below.then(|| (String::new(), target.to_string()))
        });
        for (_, (labels, schemes)) in groups {
            let enough = Nanos::from_secs_f64((1500.0 * packet).ceil() / 1e3);
            all.push((
                ("packet", labels),
                format!(
                    "the target of {} is below the {} that a packet of {} bytes takes at {}: one \
                     waiting packet exceeds it; nearest: a target of {enough} (1.5 packets)",
                    schemes.join(", "),
                    in_ms(packet),
                    link.mean_packet.0,
                    link.rate,
                ),
            ));
        }
    }

    fn short_intervals(&self, all: &mut Vec<(Rule, String)>) {
        let rtt = self.scenario.path.rtt;
        let groups = self.grouped(|scheme| {
            let interval = scheme.interval?;
            (interval < rtt).then(|| (String::new(), interval.to_string()))
        });
        for (_, (labels, schemes)) in groups {
            all.push((
                ("interval", labels),
                format!(
                    "the interval of {} is below the round-trip time of {rtt}: the next drop comes \
                     before senders can have responded (RFC 8289, section 4.3); nearest: interval \
                     = \"{rtt}\" with target = \"{}\"",
                    schemes.join(", "),
                    Nanos(rtt.0 / 20),
                ),
            ));
        }
    }

    /// Senders with less than a packet in flight spend their time in timeouts.
    fn crowded_bands(&self, all: &mut Vec<(Rule, String)>) {
        let flows = self.scenario.loss_based_flows();
        let groups = self.grouped(|scheme| {
            let max = scheme.thresholds.as_ref().map(|(_, max)| max.packets);
            // CoDel's drops do not bound the queue of many flows.
            let target = scheme.target.filter(|_| scheme.interval.is_none());
            let target = target.map(|target| target.as_secs_f64() * self.service());
            let queue = max.or(target)?;
            let few = queue + self.sizes.bdp < flows as f64;
            let packets = (queue * 10.0).round() / 10.0;
            few.then(|| (String::new(), format!("{packets} packets")))
        });
        for (_, (labels, schemes)) in groups {
            let bdp = (self.sizes.bdp * 10.0).round() / 10.0;
            let flow = self.sizes.bdp + flows as f64;
            all.push((
                ("band", labels),
                format!(
                    "the path ({bdp} packets) and a queue at the upper threshold or target of {} \
                     hold less than a packet for each of {}: expect heavy loss and timeouts under \
                     any setting but a longer queue of about {} packets",
                    schemes.join(", "),
                    count(flows),
                    flow.ceil(),
                ),
            ));
        }
    }

    /// Ports that overflow although their switch pauses the links that lead to it.
    fn rooms_for_pauses(&self, room: &PauseRoom, all: &mut Vec<(Rule, String)>) {
        let needed = room.needed();
        let groups = self.grouped(|scheme| {
            let limit = scheme.limit;
            let bytes = u64::from(limit.packets).saturating_mul(self.sizes.link.mean_packet.0);
            let own = limit.bytes.min(Bytes(bytes));
            let has = room.most_shared().map_or(own, |most| most.min(own));
            (has < needed).then(|| (has.0.to_string(), String::new()))
        });
        for (has, (labels, schemes)) in groups {
            let has = Bytes(has.parse().unwrap_or_default());
            let nearest = match room.largest_xoff(has) {
                Some(xoff) => format!("network.pause = \"{} bytes\", or", xoff.0),
                None => "only".to_string(),
            };
            let buffer = match room.shared {
                Some((_, share)) => {
                    let size = needed.0 as f64 / share;
                    format!("shared_buffer = \"{} bytes\"", size.ceil())
                }
                None => format!("network.buffer = \"{} bytes\"", needed.0),
            };
            let each = match room.limits.counted() {
                1 => "of each".to_string(),
                classes => format!("of each and of each of {classes} classes"),
            };
            all.push((
                ("pauses", labels),
                format!(
                    "packets may be lost in spite of pauses: {} links lead to a switch, and {each} \
                     `pause` ({}) and headroom ({} on average, for a pause's way, the packets being \
                     sent and what is on the link) may wait at one port, {needed} in all; a port has \
                     {has} under {}; nearest: {nearest} {buffer}",
                    room.links,
                    room.limits.xoff,
                    Bytes(room.headroom.0 / room.links),
                    schemes.join(", "),
                ),
            ));
        }
    }

    fn crowds(&self, all: &mut Vec<(Rule, String)>) {
        let flows = self.scenario.loss_based_flows();
        let needed = PACKETS_PER_FLOW * flows as f64;
        let groups = self.grouped(|scheme| {
            let room = scheme.buffer.packets + self.sizes.bdp;
            (room < needed).then(|| (words(&scheme.buffer), String::new()))
        });
        for (buffer, (labels, schemes)) in groups {
            all.push((
                ("crowd", labels),
                format!(
                    "path and a buffer of {buffer} hold fewer than {PACKETS_PER_FLOW} packets for \
                     each of {}: timeouts decide under {}; nearest: network.buffer = \
                     \"{needed} packets\", or \"auto\"",
                    count(flows),
                    schemes.join(", "),
                ),
            ));
        }
    }
}

/// "20 flows".
fn count(flows: u64) -> String {
    match flows {
        1 => "1 flow".to_string(),
        flows => format!("{flows} flows"),
    }
}

/// "50 packets (0.6 ms)".
fn words(length: &QueueLength) -> String {
    let packets = (length.packets * 10.0).round() / 10.0;
    format!("{packets} packets ({})", in_ms(length.seconds))
}

/// A time with three digits: "0.6 ms".
fn in_ms(seconds: f64) -> String {
    format!("{} ms", number(1e3 * seconds))
}
