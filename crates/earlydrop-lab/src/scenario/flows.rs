//! Groups of flows, from the tables below `flows`.

mod datagrams;

use std::sync::Arc;

use earlydrop::registry::{Length, Value};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::network::Node as Host;
use earlydrop_sim::spread::{Law, Quantity, Spread};
use earlydrop_sim::tcp::{MAX_TRANSFER, Profile};
use earlydrop_sim::traffic::{
    Application, Flow, Incast, ListedTransfer, Ports, Start, Step, Traffic,
};

use crate::document::{Entries, Key, Place, Problem, law_prefix};

use super::tcp::{self, FieldOfSome};
use super::{ALLOCATION, Context, Feels, FlowList, workload};

/// A group of flows.
#[derive(Clone, Debug)]
pub struct FlowGroup {
    /// Its name.
    pub name: Arc<str>,
    /// Its number of flows; of an incast, of clients.
    pub count: u32,
    /// By what it is judged.
    pub feels: Feels,
    /// The number of servers of each client of an incast; 1 elsewhere.
    pub servers: u32,
    /// The end its flows start from, as written; empty for the topology's default.
    pub from: String,
    /// The end its flows lead to, as written; empty for the topology's default.
    pub to: String,
    /// The base round-trip time, where the group sets one.
    pub rtt: Option<Nanos>,
    /// The rate of each host's access link, where the group sets one.
    pub access: Option<BitsPerSec>,
    /// The maximum of the random delay before each packet; `None`: a packet's transmission
    /// time on the bottleneck.
    pub overhead: Option<Nanos>,
    /// Its traffic: TCP with an application, or datagrams.
    pub traffic: Traffic,
    /// The fields of its `tcp` that only some senders read.
    pub(crate) fields_of_some: Vec<FieldOfSome>,
    /// The offered load of its transfers, in place of times between their starts: a share of a
    /// link's rate.
    pub(super) load: Option<f64>,
    /// The largest number of its transfers in progress, of each of its flows, where it is given.
    at_most: Option<u32>,
    /// Its transfers, where a file lists them.
    pub(super) list: Option<Arc<FlowList>>,
    /// Where the group, its ends and its round-trip time were written.
    pub(super) places: Places,
    start: (Nanos, Nanos),
    /// Whether the file says nothing of the start.
    starts_by_default: bool,
    steps: Vec<TimedStep>,
    class: u8,
    ack_class: Option<u8>,
}

/// A change of some flows of a group.
#[derive(Clone, Copy, Debug)]
struct TimedStep {
    at: Nanos,
    step: Step,
    /// The number in the group of the first flow that changes; those before it stay.
    first_flow: u32,
}

impl FlowGroup {
    /// Whether its flows are TCP's.
    pub fn is_tcp(&self) -> bool {
        matches!(self.traffic, Traffic::Tcp { .. })
    }

    /// Whether all its flows are there from `time` to the end, as they were at the beginning.
    pub fn is_steady(&self, time: Nanos) -> bool {
        self.start.1 <= time && self.steps.is_empty()
    }

    /// Its number of flows: one for each server of each client.
    pub fn flows(&self) -> u64 {
        u64::from(self.count) * u64::from(self.servers)
    }

    /// Bytes of memory that it takes, about.
    pub(super) fn bytes(&self) -> usize {
        let profile = match &self.traffic {
            Traffic::Tcp { profile, .. } => size_of_val(&**profile) + ALLOCATION,
            Traffic::Datagrams { .. } => 0,
        };
        let names = [&*self.name, &*self.from, &*self.to];
        let names: usize = names.map(|name| name.len() + ALLOCATION).iter().sum();
        size_of_val(self)
            + profile
            + names
            + size_of_val(&*self.steps)
            + size_of_val(&*self.fields_of_some)
    }
}

/// Where parts of a group were written.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub(super) group: Place,
    pub(super) from: Place,
    pub(super) to: Place,
    pub(super) rtt: Place,
    pub(super) list: Place,
}

/// The largest number of transfers in progress of a flow between two hosts, where none is given.
const MOST_AT_ONCE: u32 = 1000;

/// The kinds of flows that send datagrams.
const DATAGRAMS: &[&str] = &["cbr", "on-off", "replay", "voice"];

/// Reads a group of flows. The group's `tcp` overrides the file's.
pub(super) fn read(
    key: &Key,
    group: &Entries,
    tcp: &Entries,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> FlowGroup {
    let kind = group.choice("kind");
    let traffic = match kind {
        "replay" => datagrams::replay(group, context, problems),
        _ if DATAGRAMS.contains(&kind) => datagrams::datagrams(kind, group, problems),
        _ => over_tcp(kind, group, tcp, context, problems),
    };
    let fields_of_some = match &traffic {
        Traffic::Tcp { profile, .. } => tcp::fields_of_some(&group.table("tcp"), tcp, profile),
        Traffic::Datagrams { .. } => Vec::new(),
    };
    let place = |name| group.place_of(name).clone();
    let start = group.between("start");
    check_times(&key.name, group, start, context, problems);
    // One that begins at its own end, or the run's, sends nothing.
    let end = context.duration.min(group.time("stop"));
    FlowGroup {
        name: key.name.as_str().into(),
        count: group.count("count"),
        feels: Feels::read(kind, group),
        servers: match kind {
            "incast" => group.count("servers"),
            _ => 1,
        },
        from: group.text("from"),
        to: group.text("to"),
        rtt: group.time_or_auto("rtt"),
        access: group.rate_or_auto("access"),
        overhead: group.time_or_auto("overhead"),
        traffic,
        fields_of_some,
        load: load(group, problems),
        at_most: group.count_or_auto("at_most"),
        list: list(kind, group, context, problems),
        places: Places {
            group: key.place.clone(),
            from: place("from"),
            to: place("to"),
            rtt: place("rtt"),
            list: place("list"),
        },
        start: (start.0.min(end), start.1.min(end)),
        starts_by_default: !group.has("start"),
        steps: steps(group, problems),
        class: group.count("class") as u8,
        ack_class: group.count_or_auto("ack_class").map(|class| class as u8),
    }
}

fn check_times(
    name: &str,
    group: &Entries,
    (from, to): (Nanos, Nanos),
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) {
    let mut refuse = |field: &str, message: String, help: String| {
        problems.push(Problem::new(group.place_of(field), message, help));
    };
    let what = |what: &str| format!("flows `{name}`: {what}");
    let stop = group.time("stop");
    if from > to {
        let message = format!("`start` = \"{from}..{to}\" ends before it begins");
        refuse(
            "start",
            message,
            format!("nearest: start = \"{to}..{from}\""),
        );
    } else {
        context.check_in_time(&what("a start"), from);
        context.note_change(to);
        let end = context.duration;
        // Transfers of a load or of a list have starts of their own.
        let is_drawn = group.choice("kind") != "list" && !group.has("load");
        let note = |until: &str, at: Nanos| {
            let note = what(&format!(
                "starts up to {to} are drawn up to {until} at {at}"
            ));
            context.late.borrow_mut().push(note);
        };
        if from < stop && to > stop && stop < end && group.has("start") {
            note("the stop", stop);
        } else if from < end && to > end && is_drawn {
            note("the run's end", end);
        }
    }
    if stop <= from {
        let message = format!("`stop` = \"{stop}\" is not after `start` = \"{from}\"");
        refuse(
            "stop",
            message,
            "stop them later, or start them earlier".to_string(),
        );
    }
    if stop != Nanos::NEVER {
        context.check_in_time(&what("the stop"), stop);
    }
    for step in group.list("steps") {
        context.check_in_time(&what("a step"), step.time("at"));
    }
    check_steps(group, problems);
}

fn check_steps(group: &Entries, problems: &mut Vec<Problem>) {
    let over_tcp = !DATAGRAMS.contains(&group.choice("kind"));
    let count = group.count("count");
    for step in group.list("steps") {
        let is_replay = group.choice("kind") == "replay";
        if step.has("rate") && (over_tcp || is_replay) {
            let help = "it belongs to kind = cbr, on-off or voice".to_string();
            let message = match is_replay {
                true => "recorded packets have no rate to set",
                false => "a TCP sender has no rate to set",
            };
            problems.push(Problem::new(step.place_of("rate"), message, help));
        }
        if let Some(flows) = step.count_or_auto("flows").filter(|flows| *flows > count) {
            let message = format!("`flows` = {flows} of a group of {count}");
            let help = format!("nearest: flows = {count}");
            problems.push(Problem::new(step.place_of("flows"), message, help));
        }
    }
}

fn steps(group: &Entries, problems: &mut Vec<Problem>) -> Vec<TimedStep> {
    let mut steps = Vec::new();
    let stop = group.time("stop");
    if stop != Nanos::NEVER {
        steps.push(TimedStep {
            at: stop,
            step: Step::Stop,
            first_flow: 0,
        });
    }
    let count = group.count("count");
    for entries in group.list("steps") {
        let rate = entries.rate_or_auto("rate").map(Step::Rate);
        let state = match entries.choice("do") {
            "stop" => Some(Step::Stop),
            "resume" => Some(Step::Resume),
            _ => None,
        };
        if rate.is_none() && state.is_none() {
            let help = "allowed: do = \"stop\", do = \"resume\", or a rate";
            let message = "a step that changes nothing";
            problems.push(Problem::new(entries.place(), message, help));
        }
        let flows = entries.count_or_auto("flows").unwrap_or(count);
        let of_step = |step| TimedStep {
            at: entries.time("at"),
            step,
            first_flow: count.saturating_sub(flows),
        };
        steps.extend(rate.into_iter().chain(state).map(of_step));
    }
    steps
}

/// The offered load of arrivals, where there is one.
fn load(group: &Entries, problems: &mut Vec<Problem>) -> Option<f64> {
    if group.has("load") && group.has("every") {
        let message = "both a load and the time between two transfers";
        let help = "keep one of `load` and `every`";
        problems.push(Problem::new(group.place_of("every"), message, help));
    }
    if group.has("load") && group.number("load") == 0.0 {
        let help = "leave the group out; or any load above 0, such as load = 0.001";
        let message = "`load` = 0 offers nothing";
        problems.push(Problem::new(group.place_of("load"), message, help));
    }
    (group.has("load") && group.number("load") > 0.0).then(|| group.number("load"))
}

/// The transfers of `list`.
fn list(
    kind: &str,
    group: &Entries,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> Option<Arc<FlowList>> {
    if kind != "list" {
        return None;
    }
    for field in ["count", "start", "from", "to"] {
        if group.has(field) {
            let message = format!("`{field}` of flows of kind = \"list\"");
            let help = "remove it: each line of the file has its own start and hosts";
            problems.push(Problem::new(group.place_of(field), message, help));
        }
    }
    let name = group.text("list");
    let place = group.place_of("list");
    if name.is_empty() {
        let message = "flows of kind = \"list\" without a file";
        let help = "allowed: list = \"flows.csv\", with start,src,dst,size on each line";
        problems.push(Problem::new(group.place(), message, help));
        return None;
    }
    let read = context.files.flow_list(&name);
    let problem =
        |problem| Problem::new(place, problem, "allowed: start,src,dst,size on each line");
    let list = read.map_err(|error| problems.push(problem(error))).ok()?;
    let end = context.duration;
    if let Some((first, late)) = list.after(end) {
        let (count, line, start) = (list.transfers.len(), first.line, first.start);
        let what = format!("\"{name}\", line {line}: a start at {start}");
        if late == count {
            let message = format!(
                "the flow list {what}, when the run has ended at {end}: no other is earlier"
            );
            let help = format!("nearest: duration = \"{}\"", Nanos(2 * start.0));
            problems.push(Problem::new(place, message, help));
        } else {
            let note = format!(
                "the flow list {what} has no effect: the run ends at {end}, and {late} of {count} \
                 transfers begin later"
            );
            context.late.borrow_mut().push(note);
        }
    }
    Some(Arc::new(list))
}

fn over_tcp(
    kind: &str,
    group: &Entries,
    tcp: &Entries,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> Traffic {
    let merged = tcp::of_group(&group.table("tcp"), tcp);
    let profile = Arc::new(tcp::read(&merged, problems));
    let size = |problems: &mut Vec<Problem>| match group.text("sizes") {
        name if name.is_empty() => sizes(group, "size", &profile, problems),
        name => measured_sizes(&name, group, context, problems),
    };
    let request = group.size_or_auto("request").unwrap_or(Bytes(400));
    let application = match kind {
        "bulk" => Application::Bulk,
        "transfer" => {
            let size = size(problems);
            if size.law != Law::Constant {
                let help = "allowed: an amount without a law; kind = \"arrivals\" draws sizes";
                let message = "a transfer has one size";
                problems.push(Problem::new(group.place_of("size"), message, help));
            }
            Application::Transfer(size.mean)
        }
        "web" => Application::Web {
            ports: match group.choice("ports") {
                "new" => Ports::New,
                _ => Ports::Same,
            },
            size: size(problems),
            pause: times(group, "pause", problems),
        },
        "pages" => Application::Pages {
            request,
            size: size(problems),
            pause: times(group, "pause", problems),
        },
        "arrivals" => Application::Arrivals {
            every: times(group, "every", problems),
            size: size(problems),
            at_most: group.count_or_auto("at_most").unwrap_or(MOST_AT_ONCE),
        },
        "list" => Application::flow_list([]),
        "incast" => Application::Incast(Incast {
            client: 0,
            request,
            response: size(problems),
            think: times(group, "pause", problems),
            rounds: group.count_or_auto("rounds"),
        }),
        _ => Application::Requests {
            request,
            response: size(problems),
            think: times(group, "pause", problems),
        },
    };
    Traffic::Tcp {
        profile,
        application,
    }
}

fn times(group: &Entries, name: &str, problems: &mut Vec<Problem>) -> Spread<Nanos> {
    let spread = group.spread(name);
    let (mean, law) = spread.value;
    let mean = match mean {
        Value::Time(time) => time,
        other => unreachable!("{name} is {other:?}"),
    };
    valid(Spread::new(mean, law), name, &spread.place, problems)
}

fn sizes(
    group: &Entries,
    name: &str,
    profile: &Profile,
    problems: &mut Vec<Problem>,
) -> Spread<Bytes> {
    let spread = group.spread(name);
    let (mean, law) = spread.value;
    let payload = Bytes(u64::from(profile.payload()));
    let bytes = match mean {
        Value::Length(length @ (Length::Bytes(_) | Length::Packets(_))) => {
            length.in_bytes(payload, 0.0)
        }
        other => unreachable!("{name} is {other:?}"),
    };
    let (largest, law_as_written) = (profile.largest_transfer(), law_prefix(&law));
    if bytes > largest.0 as f64 {
        let message = format!(
            "`{name}` = \"{law_as_written}{bytes} bytes\" takes more segments of {} bytes than TCP \
             can number",
            payload.0
        );
        let help = format!(
            "at most {MAX_TRANSFER} segments; nearest: {name} = \"{law_as_written}{} bytes\"",
            largest.0
        );
        problems.push(Problem::new(&spread.place, message, help));
    }
    let mean = Bytes::of_amount(bytes).min(largest);
    valid(Spread::new(mean, law), name, &spread.place, problems)
}

/// The distribution of sizes that `sizes` names.
fn measured_sizes(
    name: &str,
    group: &Entries,
    context: &Context<'_>,
    problems: &mut Vec<Problem>,
) -> Spread<Bytes> {
    if group.has("size") {
        let message = "both one size and a distribution of sizes";
        let help = "keep one of `size` and `sizes`";
        problems.push(Problem::new(group.place_of("size"), message, help));
    }
    match workload::sizes(name, context) {
        Ok(sizes) => Spread::of(sizes),
        Err((problem, help)) => {
            problems.push(Problem::new(group.place_of("sizes"), problem, help));
            Spread::constant(Bytes(1))
        }
    }
}

/// `spread`, or its mean alone where its law is invalid.
fn valid<T: Quantity>(
    spread: Spread<T>,
    name: &str,
    place: &Place,
    problems: &mut Vec<Problem>,
) -> Spread<T> {
    if let Some(problem) = spread.problem() {
        problems.push(Problem::new(place, format!("`{name}`: {problem}"), ""));
        return Spread::constant(spread.mean);
    }
    spread
}

impl FlowGroup {
    /// The size of its largest packets.
    pub fn packet(&self) -> Bytes {
        self.traffic.largest_packet()
    }

    /// The classes of its packets and of its acknowledgments.
    pub(super) fn classes(&self) -> impl Iterator<Item = u8> {
        [Some(self.class), self.ack_class].into_iter().flatten()
    }

    /// The flow with this number in the group, from 0, between two hosts.
    ///
    /// With `every`, transfers start at these times apart.
    pub(super) fn flow(
        &self,
        number: u32,
        (from, to): (Host, Host),
        overhead: Nanos,
        every: Option<Spread<Nanos>>,
    ) -> Flow {
        let steps = self.steps.iter().filter(|step| number >= step.first_flow);
        let traffic = self.traffic_with(every);
        let (first, mut last) = self.start;
        // A load is offered from the beginning on, also in a run of milliseconds.
        if self.starts_by_default
            && let Traffic::Tcp { application, .. } = &traffic
            && let Application::Arrivals { every, .. } = application
        {
            last = last.min(first + every.mean);
        }
        let start = if first == last {
            Start::At(first)
        } else {
            Start::Between(first, last)
        };
        Flow {
            group: self.name.clone(),
            from,
            to,
            start,
            steps: steps.map(|step| (step.at, step.step)).collect(),
            class: self.class,
            ack_class: self.ack_class,
            overhead: self.overhead.unwrap_or(overhead),
            traffic,
        }
    }

    /// The traffic of a flow; with `every`, its transfers start at these times apart.
    fn traffic_with(&self, every: Option<Spread<Nanos>>) -> Traffic {
        let mut traffic = self.traffic.clone();
        if let Traffic::Tcp { application, .. } = &mut traffic
            && let Application::Arrivals { every: own, .. } = application
            && let Some(every) = every
        {
            *own = every;
        }
        traffic
    }

    /// The flow of all its transfers, which are listed. Random delays before packets would only
    /// blur random times.
    pub(super) fn flow_list(&self, transfers: Vec<ListedTransfer>) -> Option<Flow> {
        let Traffic::Tcp { profile, .. } = &self.traffic else {
            return None;
        };
        let first = transfers.first()?;
        let mut flow = self.flow(0, (first.from, first.to), Nanos::ZERO, None);
        flow.start = Start::At(Nanos::ZERO);
        flow.traffic = Traffic::Tcp {
            profile: profile.clone(),
            application: Application::FlowList {
                transfers: transfers.into(),
                at_most: self
                    .at_most
                    .map_or(u32::MAX, |most| most.saturating_mul(self.count)),
            },
        };
        Some(flow)
    }

    /// The earliest start of its flows.
    pub(super) fn first_start(&self) -> Nanos {
        self.start.0
    }
}
