//! Packets on their way, and connections: at most how many there are at once.
//!
//! Datagrams are bound by what sources offer and wires carry, segments by windows. Neither bound
//! is exact, and both err to the safe side: a run that takes more memory than the machine has is
//! killed, with everything in it.

use earlydrop::units::{Bytes, Nanos};

use super::cards;
use super::timers::{Repeats, repeats};
use crate::network::{Change, DelayTrace, Link, LinkId, Network, Routes};
use crate::run::Run;
use crate::spread::{Law, Spread};
use crate::tcp::Profile;
use crate::traffic::{Application, Flow, Incast, Pattern, Step, Traffic};

/// The least bytes of a packet that limits in bytes are taken for.
const SMALLEST_PACKET: f64 = 40.0;

/// What the flows of a run have in the network at once, at most.
#[derive(Clone, Debug, Default)]
pub(super) struct Flight {
    /// Packets on wires, in queues and in hosts before links without a queue.
    pub(super) packets: f64,
    /// Packets that wait in hosts for their processing time.
    pub(super) in_processing: f64,
    /// Connections, those of open-loop arrivals included, and other flows.
    pub(super) connections: f64,
    /// Starts of transfers of open-loop arrivals in the whole run.
    pub(super) starts: f64,
    /// Packets that connections which are open at once send before the first acknowledgment. They
    /// are sent however slow the links are.
    pub(super) first_windows: f64,
    /// Packets that network cards send a second and queues do not carry.
    pub(super) lost_by_cards: f64,
    /// What timers send again while the last copy is on its way.
    pub(super) repeats: Repeats,
    /// The shortest round trip of each flow over TCP that has a route, with its index.
    pub(super) round_trips: Vec<(usize, Nanos)>,
}

/// The traffic over one link.
#[derive(Clone, Debug, Default)]
pub(super) struct Load {
    /// Packets offered, per second and in bits per second.
    packets: f64,
    bits: f64,
    /// Bits of the smallest of them.
    smallest: f64,
    /// Flows over TCP.
    senders: f64,
}

impl Load {
    /// Adds packets of so many bits.
    pub(super) fn add(&mut self, per_second: f64, bits: f64) {
        self.smallest = match self.packets > 0.0 {
            true => self.smallest.min(bits),
            false => bits,
        };
        self.packets += per_second;
        self.bits += per_second * bits;
    }

    /// The packets a second that the link does not carry.
    pub(super) fn excess(&self, link: &Link) -> f64 {
        let rate = link.mean_rate().0 as f64;
        match self.bits > rate {
            true => self.packets * (1.0 - rate / self.bits),
            false => 0.0,
        }
    }
}

/// A flow over TCP and its route.
pub(super) struct Sender<'a> {
    pub(super) profile: &'a Profile,
    application: &'a Application,
    pub(super) forward: Vec<LinkId>,
    /// The propagation delay there and back, in seconds.
    pub(super) rtt: f64,
    /// The shortest round trip that a window is sent in, in seconds.
    least_rtt: f64,
    /// The longest processing time of a packet, in seconds.
    processing: f64,
}

/// Finds what is in the network at once in `run`, whose senders fill all queues with so many
/// segments a second.
pub(super) fn estimate(run: &Run, segments_per_second: f64) -> Flight {
    let mut routes = Routes::new(&run.network);
    let mut loads = vec![Load::default(); run.network.links().len()];
    let mut senders = Vec::new();
    let mut flight = Flight::default();
    let seconds = run.lasts().as_secs_f64();
    for (index, flow) in run.flows.iter().enumerate() {
        // Without a route the run is refused.
        let Some(forward) = routes.find(flow.from, flow.to) else {
            continue;
        };
        match &flow.traffic {
            Traffic::Datagrams { size, .. } => {
                flight.connections += 1.0;
                let per_second = datagrams_per_second(flow);
                offer(&mut loads, &forward, *size, per_second);
                // Packets keep their order, so none waits longer than the longest time.
                flight.in_processing += per_second * flow.overhead.as_secs_f64().min(seconds);
            }
            Traffic::Tcp {
                profile,
                application,
            } => {
                let back = routes.find(flow.to, flow.from).unwrap_or_default();
                let links = || {
                    forward
                        .iter()
                        .chain(&back)
                        .map(|link| run.network.get(*link))
                };
                let rtt = links().map(delay).sum();
                let processing = flow.overhead.as_secs_f64();
                let waits = processing * mean_of_longest(profile.initial_window);
                let least_rtt = links().map(least_delay).sum::<f64>() + waits;
                let least = Nanos::from_secs_f64(links().map(least_delay).sum());
                flight.round_trips.push((index, least));
                for link in &forward {
                    loads[link.0 as usize].senders += 1.0;
                }
                senders.push(Sender {
                    profile,
                    application,
                    forward,
                    rtt,
                    least_rtt,
                    processing,
                });
            }
        }
    }
    // And one at the start and with every step.
    let sent = |flow: &Flow| datagrams_per_second(flow) * seconds + 1.0 + flow.steps.len() as f64;
    let sent: f64 = run.flows.iter().map(sent).sum();
    let on_links = datagrams_in_flight(&run.network, &loads, seconds);
    flight.packets = on_links.min(sent - flight.in_processing);
    flight.lost_by_cards = cards::lost_per_second(&run.network, &senders);
    add_senders(run, &senders, &loads, segments_per_second, &mut flight);
    flight
}

/// How long packets sent at once wait for processing on average, as a share of the longest time.
/// They keep their order, so the n-th waits for the longest of n times that are drawn evenly:
/// n / (n + 1).
fn mean_of_longest(packets: u32) -> f64 {
    let packets = packets.clamp(1, 1000);
    let waits = (1..=packets).map(|n| f64::from(n) / f64::from(n + 1));
    waits.sum::<f64>() / f64::from(packets)
}

/// Datagrams a second of a flow while it sends, at the fastest of its rates.
pub(super) fn datagrams_per_second(flow: &Flow) -> f64 {
    let Traffic::Datagrams {
        size,
        rate,
        pattern,
        ..
    } = &flow.traffic
    else {
        return 0.0;
    };
    if let Pattern::Replay { recording, .. } = pattern {
        // Packets that all come at one time are not repeated.
        let period = match recording.period() {
            Nanos::ZERO => 1.0,
            period => period.as_secs_f64(),
        };
        return recording.packets().len() as f64 / period;
    }
    let later = flow.steps.iter().filter_map(|(_, step)| match step {
        Step::Rate(rate) => Some(*rate),
        _ => None,
    });
    later.fold(*rate, |a, b| a.max(b)).packets_per_sec(*size)
}

/// Adds datagrams of `size` to the load of each link of a route.
fn offer(loads: &mut [Load], route: &[LinkId], size: Bytes, per_second: f64) {
    let bits = 8.0 * size.0.max(1) as f64;
    for link in route {
        loads[link.0 as usize].add(per_second, bits);
    }
}

/// The datagrams on all wires and in front of them after `seconds`.
fn datagrams_in_flight(network: &Network, loads: &[Load], seconds: f64) -> f64 {
    let mut packets = 0.0;
    for ((_, _, _, link), load) in network.links().zip(loads) {
        if load.packets == 0.0 {
            continue;
        }
        let rate = link.mean_rate().0 as f64;
        let carried = load.packets.min(rate / load.smallest);
        packets += carried * delay(link).min(seconds);
        // What the link does not carry waits; without a limit where there is no queue.
        packets += (load.excess(link) * seconds).min(limit(link));
    }
    packets
}

/// Adds what senders over TCP have in flight, and their connections.
fn add_senders(
    run: &Run,
    senders: &[Sender<'_>],
    loads: &[Load],
    segments_per_second: f64,
    flight: &mut Flight,
) {
    let lasts = run.lasts();
    let seconds = lasts.as_secs_f64();
    let (mut windows, mut shared_windows) = (0.0, 0.0);
    let (mut first_windows, mut longest_rtt, mut processing) = (0.0, 0.0_f64, 0.0_f64);
    for sender in senders {
        let connections = connections(sender.application, lasts);
        flight.connections += connections.at_once;
        let first = sender.first_window();
        flight.starts += connections.starts;
        flight.first_windows += connections.at_once * first;
        let window = connections.at_once * sender.window(&run.network, seconds);
        // Listed transfers are between hosts whose links are no faster than a switch's ports: a
        // queue grows where several meet, and limits them.
        let is_listed = matches!(sender.application, Application::FlowList { .. });
        if is_listed || sender.is_limited_by_losses(&run.network, loads) {
            shared_windows += window;
            first_windows += connections.at_once * first;
            longest_rtt = longest_rtt.max(sender.rtt.min(seconds));
            processing = processing.max(sender.processing.min(seconds));
        } else {
            windows += window;
        }
    }
    let queued = run.network.links().map(|(_, _, _, link)| link);
    let queued: f64 = queued.filter(|link| has_queue(link)).map(limit).sum();
    // Slow start sends up to twice what the network holds before it learns of a loss, and up to
    // twice what the links carry in the whole run.
    let carried = segments_per_second * seconds;
    let held = 2.0 * (segments_per_second * longest_rtt + queued).min(carried) + first_windows;
    let at_once = |sender: &Sender<'_>| connections(sender.application, lasts).at_once;
    let timed = senders.iter().map(|sender| (sender, at_once(sender)));
    flight.repeats = repeats(&run.network, timed, seconds);
    flight.packets += windows + shared_windows.min(held) + flight.repeats.waiting;
    // Processing times make round trips longer.
    let in_processing = 2.0 * segments_per_second * processing;
    flight.in_processing += in_processing.min((shared_windows - held).max(0.0));
}

impl Sender<'_> {
    /// Segments that a connection sends before the first acknowledgment.
    fn first_window(&self) -> f64 {
        f64::from(self.profile.initial_window).min(self.segments())
    }

    /// The segments of a transfer; endless where it may be of any size.
    fn segments(&self) -> f64 {
        let size = match self.application {
            Application::Transfer(size) => &Spread::constant(*size),
            Application::Bulk => return f64::INFINITY,
            Application::FlowList { .. } => {
                let mean = self.application.mean_size().unwrap_or_default();
                &Spread::constant(mean)
            }
            Application::Web { size, .. }
            | Application::Pages { size, .. }
            | Application::Arrivals { size, .. }
            | Application::Requests { response: size, .. }
            | Application::Incast(Incast { response: size, .. }) => size,
        };
        match size.law {
            Law::Constant => {
                let payload = f64::from(self.profile.payload().max(1));
                // And the SYN.
                (size.mean.0 as f64 / payload).ceil().max(1.0) + 1.0
            }
            _ => f64::INFINITY,
        }
    }

    /// The rate of the slowest of its links that `is_counted`, in bits per second.
    fn slowest(&self, network: &Network, is_counted: impl Fn(&Link) -> bool) -> f64 {
        let links = self.forward.iter().map(|link| network.get(*link));
        let rates = links.filter(|link| is_counted(link));
        let rates = rates.map(|link| link.mean_rate().0 as f64);
        rates.fold(f64::INFINITY, f64::min)
    }

    /// The most segments that one of its connections has in flight: `cwnd` grows by one with each
    /// that the slowest link carries, at most, and so doubles in a round trip, at most.
    fn window(&self, network: &Network, seconds: f64) -> f64 {
        let bits = 8.0 * f64::from(self.profile.segment_size.max(1));
        let carried = self.slowest(network, |_| true) / bits * seconds;
        let first = f64::from(self.profile.initial_window);
        let round_trips = (seconds / self.least_rtt).ceil();
        let grown = (first + 2.0 * carried).min(first * round_trips.exp2());
        let rwnd = f64::from(self.profile.receiver_window);
        rwnd.min(grown).min(self.segments())
    }

    /// Whether a queue on its route limits it, and not its own links, before which packets wait
    /// without limit. Flows share a queue's link about equally.
    fn is_limited_by_losses(&self, network: &Network, loads: &[Load]) -> bool {
        let shares = self.forward.iter().filter_map(|id| {
            let link = network.get(*id);
            let senders = loads[id.0 as usize].senders.max(1.0);
            has_queue(link).then(|| link.mean_rate().0 as f64 / senders)
        });
        let share = shares.fold(f64::INFINITY, f64::min);
        share.is_finite() && self.slowest(network, |link| !has_queue(link)) > share
    }
}

/// The connections of an application.
struct Connections {
    /// At most so many are open.
    at_once: f64,
    /// Starts of open-loop transfers.
    starts: f64,
}

/// The connections of an application in a run of `duration`.
fn connections(application: &Application, duration: Nanos) -> Connections {
    match application {
        Application::Arrivals { every, at_most, .. } => {
            let starts = starts(every, duration);
            Connections {
                at_once: starts.min(f64::from(*at_most)),
                starts,
            }
        }
        Application::FlowList { transfers, at_most } => Connections {
            at_once: (transfers.len() as f64).min(f64::from(*at_most)),
            starts: transfers.len() as f64,
        },
        // Requests have a connection of their own.
        Application::Pages { .. } | Application::Requests { .. } => Connections {
            at_once: 2.0,
            starts: 0.0,
        },
        _ => Connections {
            at_once: 1.0,
            starts: 0.0,
        },
    }
}

/// Starts with these times in between, on average at most.
fn starts(every: &Spread<Nanos>, duration: Nanos) -> f64 {
    starts_after(every, Nanos::ZERO, duration)
}

/// Starts with these times and `least` in between, on average at most. With N of them the times up
/// to `duration` each add up to at most twice that, so E N is at most twice `duration` over the mean
/// time up to `duration` (Wald's equation).
pub(super) fn starts_after(every: &Spread<Nanos>, least: Nanos, duration: Nanos) -> f64 {
    let least = least.min(duration);
    let mean = every.mean_up_to(duration.since(least)) + least.0 as f64;
    let mean = mean.max(1.0);
    let factor = match every.law {
        Law::Constant => 1.0,
        _ => 2.0,
    };
    factor * duration.0 as f64 / mean + 1.0
}

pub(super) fn has_queue(link: &Link) -> bool {
    link.queue.is_some()
        || link.trace.is_some()
        || !link.changes.is_empty()
        || link.has_opportunities()
}

/// The propagation delay of a link, with the longest that it changes to or a trace has, and
/// what reordering adds,
/// in seconds.
fn delay(link: &Link) -> f64 {
    let later = link.changes.iter().filter_map(|(_, change)| match change {
        Change::Delay(delay) => Some(*delay),
        _ => None,
    });
    let recorded = link.delay_trace.as_ref().map(DelayTrace::most);
    let longest = later.chain(recorded).fold(link.delay, |a, b| a.max(b));
    longest.as_secs_f64() + link.reorder.map_or(0.0, |r| r.delay.as_secs_f64())
}

/// The propagation delay of a link in seconds; zero where it changes.
fn least_delay(link: &Link) -> f64 {
    match link.changes.is_empty() && link.delay_trace.is_none() {
        true => link.delay.as_secs_f64(),
        false => 0.0,
    }
}

/// The packets that wait in front of a link at most, and in the aggregate that it sends; endless
/// without a queue.
fn limit(link: &Link) -> f64 {
    let Some(spec) = &link.queue else {
        return if has_queue(link) {
            1000.0
        } else {
            f64::INFINITY
        };
    };
    let Ok(plan) = spec.plan(&link.facts()) else {
        return 0.0;
    };
    let limit = plan.limit();
    let waiting = f64::from(limit.packets).min(limit.bytes.0 as f64 / SMALLEST_PACKET);
    waiting + aggregate(link).min(waiting)
}

/// The packets that a transmit opportunity takes from the queue at once, at most.
fn aggregate(link: &Link) -> f64 {
    link.aggregation.map_or(0.0, |aggregation| {
        let in_airtime = link.rate.0 as f64 / 8.0 * aggregation.airtime.as_secs_f64();
        let bytes = in_airtime.min(aggregation.bytes as f64);
        f64::from(aggregation.packets).min(bytes / SMALLEST_PACKET)
    })
}
