//! Transfers over an empty network: what slowdown refers to.
//!
//! The slowdown of a transfer is its completion time over that of a sender that knows the path: it
//! sends all segments at once, at the rate of its own link, and nothing else is in the network
//! (Alizadeh et al., pFabric, SIGCOMM 2013, section 5: "normalized FCT"). Every link stores a
//! packet and forwards it when all of it has arrived.

use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use crate::network::{LinkId, Network, Routes};
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
            let path = EmptyPath::new(&run.network, &forward, &backward);
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

/// The links of a route and of the route back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct EmptyPath {
    pub(crate) forward: Vec<(BitsPerSec, Nanos)>,
    pub(crate) backward: Vec<(BitsPerSec, Nanos)>,
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
    /// By a transfer of one segment of this size, over a connection of its own.
    OwnConnection(u32),
}

impl EmptyPath {
    /// The links of a route and of the route back.
    pub(crate) fn new(network: &Network, forward: &[LinkId], backward: &[LinkId]) -> EmptyPath {
        let links = |route: &[LinkId]| {
            let links = route.iter().map(|link| network.get(*link));
            links.map(|link| (link.mean_rate(), link.delay)).collect()
        };
        EmptyPath {
            forward: links(forward),
            backward: links(backward),
        }
    }

    /// The least completion time of a transfer of an application; `first` if it is the first over
    /// its connection.
    pub(crate) fn ideal_time(
        &self,
        profile: &Profile,
        application: &Application,
        bytes: Bytes,
        first: bool,
    ) -> Nanos {
        let (bytes, segments) = transfer_of(bytes, profile);
        let request = match application {
            Application::Requests { request, .. } | Application::Incast(Incast { request, .. }) => {
                Request::SameConnection(request.0 as u32)
            }
            Application::Pages { request, .. } => {
                Request::OwnConnection(request.0 as u32 + profile.header_size)
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
        let rate = self.forward.last().map(|(rate, _)| *rate);
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
        let single = |links: &[_], bytes: u32| one_way(links, 1, bytes, bytes);
        let round_trip = single(&self.forward, transfer.ack) + ack;
        let handshake = if transfer.handshake { round_trip } else { 0.0 };
        let time = match transfer.request {
            Request::None => handshake + data + ack,
            Request::SameConnection(request) => handshake + single(&self.backward, request) + data,
            Request::OwnConnection(request) => {
                let acknowledged = single(&self.forward, transfer.ack);
                2.0 * handshake + single(&self.backward, request) + acknowledged + data + ack
            }
        };
        Nanos(libm::round(time) as u64)
    }
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
/// up to i, without the delay of i, + (k - 1) full / min(r_j). The last one, which may be smaller,
/// leaves link i when it has arrived there and the one before has left.
fn one_way(links: &[(BitsPerSec, Nanos)], segments: u32, full: u32, last: u32) -> f64 {
    let (mut first_crossed, mut last_at, mut slowest) = (0.0, 0.0_f64, 0.0_f64);
    for (rate, delay) in links {
        let time = |bytes: u32| f64::from(bytes) * 8e9 / rate.0 as f64;
        first_crossed += time(full);
        slowest = slowest.max(time(full));
        let free = match segments {
            1 => 0.0,
            more => first_crossed + f64::from(more - 2) * slowest,
        };
        last_at = last_at.max(free) + time(last) + delay.0 as f64;
        first_crossed += delay.0 as f64;
    }
    last_at
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINKS: [(BitsPerSec, Nanos); 3] = [
        (BitsPerSec(8_000_000), Nanos(5000)),
        (BitsPerSec(4_000_000), Nanos(7000)),
        (BitsPerSec(8_000_000), Nanos(1000)),
    ];

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
}
