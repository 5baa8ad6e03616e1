//! Transfers over an empty network: what slowdown refers to.
//!
//! The slowdown of a transfer is its completion time over that of a sender that knows the path: it
//! sends all segments at once, at the rate of its own link, and nothing else is in the network
//! (Alizadeh et al., pFabric, SIGCOMM 2013, section 5: "normalized FCT"). Every link stores a
//! packet and forwards it when all of it has arrived. Where packets are sprayed over routes, their
//! links at the same place send side by side.
//!
//! Over links whose rate or delay changes during the run there is no such time: the least one
//! depends on when a transfer starts and on what it meets. Nor is there where a cut link sends packets
//! over others that have another rate or delay.

use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use crate::network::{Link, LinkId, Network, Routes};
use crate::run::Run;
use crate::tcp::{Handshake, Profile};
use crate::traffic::{Application, FlowId, Incast, Traffic};

/// The least completion times of the transfers of a run's flows, for programs that do the run with
/// real hosts. The simulator's completions have them.
#[derive(Clone, Debug)]
pub struct IdealTimes {
    /// For each flow over TCP.
    flows: Vec<Option<(Profile, Application, EmptyPath)>>,
}

impl IdealTimes {
    /// Those of `run`.
    pub fn new(run: &Run) -> IdealTimes {
        let mut routes = Routes::new(&run.network);
        let mut path = |flow: &crate::traffic::Flow| {
            let Traffic::Tcp {
                profile,
                application,
            } = &flow.traffic
            else {
                return None;
            };
            let forward = routes.find(flow.from, flow.to)?;
            let backward = routes.find(flow.to, flow.from)?;
            let path = EmptyPath::new(&run.network, &[&forward], &[&backward]);
            Some((**profile, application.clone(), path))
        };
        let flows = run.flows.iter().map(&mut path).collect();
        IdealTimes { flows }
    }

    /// The least completion time of a transfer of a flow; zero where the flow has none.
    pub fn of(&self, flow: FlowId, bytes: Bytes) -> Nanos {
        match self.flows.get(flow.0 as usize) {
            Some(Some((profile, application, path))) => {
                path.ideal_time(profile, application, bytes, false)
            }
            _ => Nanos::ZERO,
        }
    }
}

/// The links of routes and of the routes back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct EmptyPath {
    forward: Vec<Hop>,
    backward: Vec<Hop>,
    /// Whether a link changes during the run, so that there is no least time.
    changes: bool,
}

/// The links at one place of all routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Hop {
    /// The rate of the fastest.
    rate: BitsPerSec,
    /// The propagation delay of the shortest.
    delay: Nanos,
    /// How many send side by side.
    abreast: u32,
}

/// A transfer as a path sees it; sizes in bytes on the wire.
struct IdealTransfer {
    /// The number of its segments, one at least.
    segments: u32,
    /// The size of all segments but the last.
    full: u32,
    /// The size of the last segment.
    last: u32,
    /// The size of an acknowledgment.
    ack: u32,
    /// Whether SYN and SYN-ACK, each of the size of an acknowledgment, go first.
    handshake: bool,
    /// How it is requested.
    request: Request,
}

/// How a transfer is requested by the host that receives it; sizes in bytes on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Request {
    /// It is not.
    None,
    /// By a packet of this size, over the connection of the transfer, which ends when its last
    /// segment has arrived.
    SameConnection(u32),
    /// By a transfer of so many segments, full but for a last one of this size, over a connection
    /// of its own.
    OwnConnection { segments: u32, last: u32 },
}

impl EmptyPath {
    /// The links of the routes between two hosts, all equally long, and of those back.
    pub(crate) fn new(
        network: &Network,
        forward: &[&[LinkId]],
        backward: &[&[LinkId]],
    ) -> EmptyPath {
        let mut both = [forward, backward].into_iter().flatten();
        EmptyPath {
            forward: hops(network, forward),
            backward: hops(network, backward),
            changes: both.any(|route| route.iter().any(|link| network.get(*link).varies())),
        }
    }

    /// This path, where packets take another one when links are cut: at each place with as many links
    /// side by side as the one of them that has most.
    pub(crate) fn or(mut self, other: &EmptyPath) -> EmptyPath {
        self.changes |= other.changes;
        for (own, other) in [
            (&mut self.forward, &other.forward),
            (&mut self.backward, &other.backward),
        ] {
            self.changes |= own.len() != other.len();
            for (hop, other) in own.iter_mut().zip(other) {
                self.changes |= (hop.rate, hop.delay) != (other.rate, other.delay);
                hop.abreast = hop.abreast.max(other.abreast);
            }
        }
        self
    }

    /// The least completion time of a transfer of an application; `first` if it is the first over
    /// its connection. Zero where there is none.
    pub(crate) fn ideal_time(
        &self,
        profile: &Profile,
        application: &Application,
        bytes: Bytes,
        first: bool,
    ) -> Nanos {
        if self.changes {
            return Nanos::ZERO;
        }
        let (bytes, segments) = transfer_of(bytes, profile);
        let request = match application {
            Application::Requests { request, .. } | Application::Incast(Incast { request, .. }) => {
                Request::SameConnection(request.0 as u32)
            }
            Application::Pages { request, .. } => {
                let (bytes, segments) = transfer_of(*request, profile);
                let last = last_payload(bytes, profile) + profile.header_size;
                Request::OwnConnection { segments, last }
            }
            _ => Request::None,
        };
        let is_kept = matches!(request, Request::SameConnection(_));
        self.completion_time(&IdealTransfer {
            segments,
            full: profile.segment_size,
            last: last_payload(bytes, profile) + profile.header_size,
            ack: profile.ack_size,
            handshake: (first || !is_kept) && profile.handshake != Handshake::None,
            request,
        })
    }

    /// How long the last link of the route takes to send a transfer.
    pub(crate) fn last_link_time(&self, profile: &Profile, bytes: Bytes) -> Nanos {
        let (bytes, segments) = transfer_of(bytes, profile);
        let wire = bytes + u64::from(segments) * u64::from(profile.header_size);
        let rate = self.forward.last().map(|hop| hop.rate);
        rate.map_or(Nanos::ZERO, |rate| rate.transmission_time(Bytes(wire)))
    }

    /// The time from the start of a transfer until its last segment is acknowledged.
    fn completion_time(&self, transfer: &IdealTransfer) -> Nanos {
        let ack = one_way(&self.backward, 1, transfer.ack, transfer.ack);
        let data = one_way(
            &self.forward,
            transfer.segments,
            transfer.full,
            transfer.last,
        );
        let single = |hops: &[_], bytes: u32| one_way(hops, 1, bytes, bytes);
        let round_trip = single(&self.forward, transfer.ack) + ack;
        let handshake = if transfer.handshake { round_trip } else { 0.0 };
        let time = match transfer.request {
            Request::None => handshake + data + ack,
            Request::SameConnection(request) => handshake + single(&self.backward, request) + data,
            Request::OwnConnection { segments, last } => {
                let request = one_way(&self.backward, segments, transfer.full, last);
                let acknowledged = single(&self.forward, transfer.ack);
                2.0 * handshake + request + acknowledged + data + ack
            }
        };
        Nanos(libm::round(time) as u64)
    }
}

/// The links at each place of these routes.
fn hops(network: &Network, routes: &[&[LinkId]]) -> Vec<Hop> {
    let length = routes.iter().map(|route| route.len()).min().unwrap_or(0);
    let at = |place: usize| {
        let mut links: Vec<LinkId> = routes.iter().map(|route| route[place]).collect();
        links.sort_unstable_by_key(|link| link.0);
        links.dedup();
        let described = || links.iter().map(|link| network.get(*link));
        Hop {
            rate: described().map(Link::mean_rate).max().unwrap_or_default(),
            delay: described().map(|link| link.delay).min().unwrap_or_default(),
            abreast: links.len() as u32,
        }
    };
    (0..length).map(at).collect()
}

/// The bytes and segments of a transfer whose drawn size is `drawn`: at least one of each, and at
/// most [`MAX_TRANSFER`](crate::tcp::MAX_TRANSFER) segments.
pub(crate) fn transfer_of(drawn: Bytes, profile: &Profile) -> (u64, u32) {
    let bytes = drawn.clamp(Bytes(1), profile.largest_transfer()).0;
    (bytes, bytes.div_ceil(u64::from(profile.payload())) as u32)
}

/// The payload of the last segment of a transfer, in bytes.
pub(crate) fn last_payload(bytes: u64, profile: &Profile) -> u32 {
    let payload = u64::from(profile.payload());
    ((bytes - 1) % payload + 1) as u32
}

/// When the last of so many segments has arrived, in nanoseconds.
///
/// Segment k of equal ones has crossed link i at T_i(k) = sum(full / r_j) + sum(d_j) over the links
/// up to i, without the delay of i, + max(floor((k - 1) / n_j) full / r_j), where n_j links send
/// side by side. The last one, which may be smaller, leaves link i when it has arrived there and
/// the one n_i before has left.
///
/// Over links side by side a smaller last one may overtake. Then three times are least ones: that of
/// the others without it, its own behind them at the first link alone, and that of the last link,
/// which sends all of them from when the first arrives.
fn one_way(hops: &[Hop], segments: u32, full: u32, last: u32) -> f64 {
    let others = segments - 1;
    if others > 0 && last < full && hops.iter().any(|hop| hop.abreast > 1) {
        let first = hops
            .first()
            .map_or(0.0, |hop| f64::from(others / hop.abreast) * hop.time(full));
        let small = first + crossing(hops, last);
        let (end, before) = hops.split_last().expect("a hop side by side");
        let arrives = crossing(before, full).min(first + crossing(before, last));
        let all = f64::from(others) * end.time(full) + end.time(last);
        let shared = arrives + all / f64::from(end.abreast) + end.delay.0 as f64;
        return in_order(hops, others, full, full).max(small).max(shared);
    }
    in_order(hops, segments, full, last)
}

/// How long one segment takes, in nanoseconds.
fn crossing(hops: &[Hop], bytes: u32) -> f64 {
    hops.iter()
        .map(|hop| hop.time(bytes) + hop.delay.0 as f64)
        .sum()
}

/// When the last of segments that do not overtake has arrived, in nanoseconds.
fn in_order(hops: &[Hop], segments: u32, full: u32, last: u32) -> f64 {
    let (mut first_crossed, mut last_at) = (0.0, 0.0_f64);
    for (place, hop) in hops.iter().enumerate() {
        first_crossed += hop.time(full);
        if let Some(before) = (segments - 1).checked_sub(hop.abreast) {
            let behind = |hop: &Hop| f64::from(before / hop.abreast) * hop.time(full);
            let behind = hops[..=place].iter().map(behind).fold(0.0, f64::max);
            last_at = last_at.max(first_crossed + behind);
        }
        last_at += hop.time(last) + hop.delay.0 as f64;
        first_crossed += hop.delay.0 as f64;
    }
    last_at
}

impl Hop {
    /// How long one of its links sends so many bytes, in nanoseconds.
    fn time(&self, bytes: u32) -> f64 {
        f64::from(bytes) * 8e9 / self.rate.0 as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn hop(mbps: u64, delay: u64, abreast: u32) -> Hop {
        Hop {
            rate: BitsPerSec(mbps * 1_000_000),
            delay: Nanos(delay),
            abreast,
        }
    }

    const LINKS: [Hop; 3] = [hop(8, 5000, 1), hop(4, 7000, 1), hop(8, 1000, 1)];

    /// 1000 bytes take 1 ms at 8 Mbps and 2 ms at 4 Mbps.
    #[test]
    fn segments_follow_each_other_through_the_slowest_link() {
        let time = |segments, last| one_way(&LINKS, segments, 1000, last);
        assert_eq!(time(1, 1000), 4_013_000.0);
        assert_eq!(time(1, 500), 2_013_000.0);
        assert_eq!(time(2, 1000), 6_013_000.0);
        assert_eq!(time(10, 1000), 22_013_000.0);
        // A last segment of 1 byte waits for the one before at every link.
        assert_eq!(time(2, 1), 4_013_000.0 + 1000.0);
    }

    /// Over two links side by side, pairs of segments follow each other in 2 ms.
    #[test]
    fn segments_cross_links_side_by_side() {
        let hops = [hop(8, 5000, 1), hop(4, 7000, 2), hop(8, 1000, 1)];
        let time = |segments, last| one_way(&hops, segments, 1000, last);
        assert_eq!(time(1, 1000), 4_013_000.0);
        assert_eq!(time(2, 1000), 5_013_000.0);
        assert_eq!(time(10, 1000), 13_013_000.0);
        // A last segment of 100 bytes arrives at the last link 2.7 ms before the one before, which waits
        // for nothing: 0.1 ms less than in order.
        let time = |segments, last| one_way(&hops, segments, 1000, last);
        assert_eq!(time(2, 100), 4_013_000.0);
        // Of three, the second takes 1 ms longer than the first, and ends last.
        assert_eq!(time(3, 100), 5_013_000.0);
        let slow = [hop(8, 0, 1), hop(1, 0, 4)];
        // The first four arrive each millisecond and take 8; the fifth waits for the first.
        let time = |segments| one_way(&slow, segments, 1000, 1000);
        assert_eq!([time(1), time(4)], [9e6, 12e6]);
        assert_eq!([time(5), time(9)], [17e6, 25e6]);
    }
}
