//! Routes as packets follow them: rows of hops, and where each flow's two routes begin.

use std::collections::HashMap;

use earlydrop::packet::FlowKey;

use crate::empty_path::EmptyPath;
use crate::network::Begins;
use crate::packet::Packet;
use crate::streams::Purpose;

/// One stage of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Stage {
    /// A link without a queue limit, by its index: arithmetic.
    Wire(u32),
    /// A wire between a flow's sender and the network that carries no other flow's packets: the
    /// index of its rate. When it is free, and its delay, are kept with the flow.
    Access(u32),
    /// The same between the network and a flow's receiver.
    FarAccess(u32),
    /// A link with a drop-tail queue: arithmetic, too.
    Fifo(u32),
    /// A link with any other queue discipline.
    Port(u32),
    /// Loss, reordering or a capture on the link just crossed.
    Impairments(u32),
    /// The packet becomes an event and waits for its time: packets of several sources merge here.
    Event,
    /// The flow's receiver.
    Receiver,
    /// The flow's sender: the end of an acknowledgment's route.
    Sender,
}

/// A hop: a wire, if there is one, and the stage at its end, in eight bytes. A packet and its
/// acknowledgment read about six.
///
/// Each half is an index above a bit for its kind. Testing one bit after the other, the most
/// frequent first, is faster than a jump table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    wire: u32,
    end: u32,
}

/// The wire of a [`Hop`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire {
    None,
    Shared(u32),
    Access(u32),
    FarAccess(u32),
}

/// Kinds of wires.
const SHARED: u32 = 1;
const ACCESS: u32 = 2;
const FAR_ACCESS: u32 = 4;
const WIRE_KINDS: u32 = 3;

/// Kinds of stages at the end of a hop; zero for none.
const EVENT: u32 = 1;
const PORT: u32 = 2;
const RECEIVER: u32 = 4;
const FIFO: u32 = 8;
const SENDER: u32 = 16;
const IMPAIRMENTS: u32 = 32;
const END_KINDS: u32 = 6;

impl Hop {
    /// A hop of this stage alone.
    fn of(stage: Stage) -> Hop {
        let mut hop = Hop { wire: 0, end: 0 };
        match stage {
            Stage::Wire(wire) => hop.wire = wire << WIRE_KINDS | SHARED,
            Stage::Access(link) => hop.wire = link << WIRE_KINDS | ACCESS,
            Stage::FarAccess(link) => hop.wire = link << WIRE_KINDS | FAR_ACCESS,
            Stage::Event => hop.end = EVENT,
            Stage::Port(port) => hop.end = port << END_KINDS | PORT,
            Stage::Receiver => hop.end = RECEIVER,
            Stage::Fifo(fifo) => hop.end = fifo << END_KINDS | FIFO,
            Stage::Sender => hop.end = SENDER,
            Stage::Impairments(index) => hop.end = index << END_KINDS | IMPAIRMENTS,
        }
        hop
    }

    /// The wire it begins with.
    #[inline(always)]
    pub(super) fn wire(self) -> Wire {
        if self.wire & SHARED != 0 {
            Wire::Shared(self.wire >> WIRE_KINDS)
        } else if self.wire & ACCESS != 0 {
            Wire::Access(self.wire >> WIRE_KINDS)
        } else if self.wire & FAR_ACCESS != 0 {
            Wire::FarAccess(self.wire >> WIRE_KINDS)
        } else {
            Wire::None
        }
    }

    /// The port at its end, if no wire leads there.
    #[inline(always)]
    pub(super) fn port_alone(self) -> Option<u32> {
        let alone = self.wire == 0 && self.end & PORT != 0;
        alone.then_some(self.end >> END_KINDS)
    }

    /// The rate of its access link, if that leads to an event.
    #[inline(always)]
    pub(super) fn access_to_event(self) -> Option<u32> {
        let is = self.wire & ACCESS != 0 && self.end == EVENT;
        is.then_some(self.wire >> WIRE_KINDS)
    }

    /// The stage at its end, if there is more than a wire.
    #[inline(always)]
    pub(super) fn end(self) -> Option<Stage> {
        let index = self.end >> END_KINDS;
        let is = |kind: u32| self.end & kind != 0;
        if is(RECEIVER) {
            Some(Stage::Receiver)
        } else if is(FIFO) {
            Some(Stage::Fifo(index))
        } else if is(SENDER) {
            Some(Stage::Sender)
        } else if is(PORT) {
            Some(Stage::Port(index))
        } else if is(EVENT) {
            Some(Stage::Event)
        } else if is(IMPAIRMENTS) {
            Some(Stage::Impairments(index))
        } else {
            None
        }
    }

    /// The stages it is made of.
    pub(super) fn stages(self) -> impl Iterator<Item = Stage> {
        let wire = match self.wire() {
            Wire::None => None,
            Wire::Shared(wire) => Some(Stage::Wire(wire)),
            Wire::Access(link) => Some(Stage::Access(link)),
            Wire::FarAccess(link) => Some(Stage::FarAccess(link)),
        };
        wire.into_iter().chain(self.end())
    }
}

/// Joins stages into hops. Returns, for each stage, the index of the hop it is part of.
///
/// Routes may follow one another: the last stage of each is no wire.
pub(super) fn join(stages: &[Stage]) -> (Vec<Hop>, Vec<u32>) {
    let mut hops: Vec<Hop> = Vec::new();
    let mut hop_of = Vec::with_capacity(stages.len());
    for stage in stages {
        let next = Hop::of(*stage);
        match hops.last_mut() {
            Some(hop) if hop.end == 0 && next.wire == 0 => hop.end = next.end,
            _ => hops.push(next),
        }
        hop_of.push(hops.len() as u32 - 1);
    }
    (hops, hop_of)
}

/// The hops of all routes, and the index of the hop where each flow's two routes begin.
///
/// A flow's route back follows its route forward.
#[derive(Clone, Debug, Default)]
pub(super) struct RouteTable {
    /// Every route once, one after the other.
    pub(super) hops: Vec<Hop>,
    /// The two beginnings, forward before backward, if they are the same for all flows.
    common: Option<[u32; 2]>,
    /// Otherwise those of each flow, in the order of the flows.
    begins: Vec<u32>,
    /// The beginnings of routes that only listed transfers take, two for each.
    listed: Vec<u32>,
    /// The links of each route, by where it begins.
    paths: Paths,
    /// The sets of routes that packets are sprayed over; `None` where none are.
    sprays: Option<Box<Sprays>>,
    /// For each hop, the port of the link by which a packet has come to the port of the hop before;
    /// none where no switch has flow control.
    upstream: Vec<Option<u32>>,
}

/// Marks the number of a set of routes, in place of where one begins.
const SPRAYED: u32 = 1 << 31;

/// Sets of shortest routes. Each packet takes one of its set: among those of the period in which it
/// was sent, that of a random number which is a function of the run's seed and of the packet. So
/// neither need be kept with the packet.
#[derive(Clone, Debug)]
pub(super) struct Sprays {
    salt: u64,
    /// The periods in each of which routes are the same.
    periods: Begins,
    /// Where the routes of each set begin.
    begins: Vec<u32>,
    /// For each set, and in it for each period, its first in `begins`, and their number.
    sets: Vec<(u32, u32)>,
    known: HashMap<Vec<Vec<u32>>, u32>,
}

impl Sprays {
    /// No sets yet, in a run with this seed, whose routes change from period to period.
    pub(super) fn new(seed: u64, periods: Begins) -> Sprays {
        Sprays {
            salt: FlowKey(seed).hash(Purpose::Spray as u64),
            periods,
            begins: Vec::new(),
            sets: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// Adds a set of routes that begin here in each period; returns what stands for it where one route
    /// begins.
    pub(super) fn add(&mut self, begins: Vec<Vec<u32>>) -> u32 {
        if let [begin] = begins[0][..]
            && begins.iter().all(|others| *others == begins[0])
        {
            return begin;
        }
        if let Some(known) = self.known.get(&begins) {
            return *known;
        }
        let number = SPRAYED | (self.sets.len() / self.periods.count()) as u32;
        for begins in &begins {
            let (first, count) = (self.begins.len() as u32, begins.len() as u32);
            self.begins.extend(begins);
            self.sets.push((first, count));
        }
        self.known.insert(begins, number);
        number
    }

    /// Where the route of `packet` begins, one of this set. The packet's flow, direction, number
    /// and time of sending (or the note of an acknowledgment) are the same at every hop.
    fn begin(&self, set: u32, packet: &Packet) -> u32 {
        let period = match packet.sent_in() {
            _ if self.periods.count() == 1 => 0,
            Ok(period) => period,
            Err(at) => self.periods.period(at),
        };
        let set = (set & !SPRAYED) as usize * self.periods.count() + period;
        let (first, count) = self.sets[set];
        let lane = FlowKey(packet.lane() as u64).hash(self.salt);
        let drawn = FlowKey(packet.identity()).hash(lane) >> 32;
        // A fraction of 2^32 times the number of routes: even to one part in 2^24.
        let chosen = (drawn * u64::from(count)) >> 32;
        self.begins[(first + chosen as u32) as usize]
    }
}

/// The links of routes, each row once.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths {
    paths: Vec<EmptyPath>,
    /// The path of each described flow; none of those whose transfers are not measured.
    of_flows: Vec<Option<u32>>,
    /// The paths of routes by where these begin, for flows that are not described.
    by_begin: HashMap<u32, u32>,
}

impl Paths {
    /// The links of routes, each with where it begins; first those of so many described flows.
    pub(super) fn new(
        routes: impl Iterator<Item = (u32, Option<EmptyPath>)>,
        flows: usize,
    ) -> Paths {
        let mut known: HashMap<EmptyPath, u32> = HashMap::new();
        let mut of_flows = Vec::with_capacity(flows);
        let mut by_begin = HashMap::new();
        for (begin, path) in routes {
            let path = path.map(|path| {
                let next = known.len() as u32;
                *known.entry(path).or_insert(next)
            });
            if of_flows.len() < flows {
                of_flows.push(path);
            }
            if let Some(path) = path {
                by_begin.insert(begin, path);
            }
        }
        let mut paths = vec![EmptyPath::default(); known.len()];
        for (path, index) in known {
            paths[index as usize] = path;
        }
        Paths {
            paths,
            of_flows,
            by_begin,
        }
    }
}

impl RouteTable {
    /// A table of `hops`, in which the routes of so many `flows` begin at the first of `begins`,
    /// two for each, and those of listed transfers at the others.
    pub(super) fn new(
        hops: Vec<Hop>,
        mut begins: Vec<u32>,
        flows: usize,
        paths: Paths,
    ) -> RouteTable {
        let common = match begins[..] {
            [there, back, ..]
                if (there | back) & SPRAYED == 0
                    && begins.chunks(2).all(|pair| pair == [there, back]) =>
            {
                Some([there, back])
            }
            _ => None,
        };
        let listed = begins.split_off((2 * flows).min(begins.len()));
        if common.is_some() {
            begins.clear();
        }
        RouteTable {
            hops,
            common,
            begins,
            listed,
            paths,
            sprays: None,
            upstream: Vec::new(),
        }
    }

    /// Sprays packets over these sets of routes.
    pub(super) fn with_sprays(mut self, sprays: Sprays) -> RouteTable {
        self.sprays = (!sprays.sets.is_empty()).then(|| Box::new(sprays));
        self
    }

    /// The index of the first hop of data over this one of the routes of listed transfers.
    pub(super) fn listed_begin(&self, route: u32) -> usize {
        self.listed[2 * route as usize] as usize
    }

    /// The links of a flow's route.
    pub(super) fn empty_path(&self, flow: u32) -> &EmptyPath {
        let path = match self.paths.of_flows.get(flow as usize) {
            Some(Some(path)) => *path,
            _ => self.paths.by_begin[&(self.forward_begin(flow) as u32)],
        };
        &self.paths.paths[path as usize]
    }

    /// The index of the first hop of a packet's route.
    #[inline(always)]
    pub(super) fn begin(&self, packet: &Packet) -> usize {
        match self.common {
            Some(pair) => pair[usize::from(!packet.is_forward())] as usize,
            None => match self.begins[packet.lane()] {
                set if set & SPRAYED != 0 => self.sprayed_begin(set, packet),
                begin => begin as usize,
            },
        }
    }

    /// [`begin`](RouteTable::begin) of a packet that is sprayed over this set of routes.
    #[cold]
    #[inline(never)]
    fn sprayed_begin(&self, set: u32, packet: &Packet) -> usize {
        let sprays = self.sprays.as_ref();
        sprays.map_or(0, |sprays| sprays.begin(set, packet) as usize)
    }

    /// The index of the first hop of a flow's data.
    #[inline(always)]
    pub(super) fn forward_begin(&self, flow: u32) -> usize {
        match self.common {
            Some([there, _]) => there as usize,
            None => self.begins[2 * flow as usize] as usize,
        }
    }

    /// Finds the port [upstream](RouteTable::upstream) of each hop.
    pub(super) fn find_upstream(&mut self) {
        let mut ports = [None, None];
        // A hop's own is that of the hop before it.
        self.upstream = Vec::with_capacity(self.hops.len());
        for hop in &self.hops {
            self.upstream.push(ports[0]);
            match hop.end() {
                Some(Stage::Port(port)) => ports = [ports[1], Some(port)],
                // A host ends one way and begins another.
                Some(Stage::Receiver | Stage::Sender) => ports = [None, None],
                _ => {}
            }
        }
    }

    /// The port by which a packet came that waits at a port; `None` where a host has sent it. Its next
    /// hop is the one behind that port.
    pub(super) fn upstream(&self, packet: &Packet) -> Option<u32> {
        self.upstream[self.next_hop(packet)]
    }

    /// The index of a packet's next hop.
    #[inline(always)]
    pub(super) fn next_hop(&self, packet: &Packet) -> usize {
        self.begin(packet) + packet.hop()
    }

    /// Adds a flow with the routes of the flow at `index`.
    pub(super) fn add_flow_like(&mut self, index: u32) {
        if self.common.is_none() {
            let pair = 2 * index as usize;
            self.begins.extend_from_within(pair..pair + 2);
        }
    }

    /// Adds a flow over this one of the routes of listed transfers.
    pub(super) fn add_flow_on(&mut self, route: u32) {
        if self.common.is_none() {
            let pair = 2 * route as usize;
            self.begins.extend_from_slice(&self.listed[pair..pair + 2]);
        }
    }

    /// Replaces the hops; `moved` says where a hop that began a route is now.
    pub(super) fn replace(&mut self, hops: Vec<Hop>, moved: impl Fn(u32) -> u32) {
        self.hops = hops;
        // The number of a set stays.
        let moved = |begin: u32| {
            if begin & SPRAYED == 0 {
                moved(begin)
            } else {
                begin
            }
        };
        let begins = self.common.iter_mut().flatten();
        let sprayed = self.sprays.iter_mut().flat_map(|sprays| &mut sprays.begins);
        let begins = begins.chain(&mut self.begins).chain(&mut self.listed);
        for begin in begins.chain(sprayed) {
            *begin = moved(*begin);
        }
        let by_begin = std::mem::take(&mut self.paths.by_begin).into_iter();
        self.paths.by_begin = by_begin.map(|(begin, path)| (moved(begin), path)).collect();
        if !self.upstream.is_empty() {
            self.find_upstream();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Kind;

    #[test]
    fn stages_survive_being_joined() {
        let last = (1 << 26) - 1;
        let stages = [
            Stage::Event,
            Stage::Wire(last),
            Stage::Access(3),
            Stage::Event,
            Stage::Port(last),
            Stage::Impairments(0),
            Stage::Wire(0),
            Stage::Receiver,
            Stage::Fifo(last),
            Stage::Access(0),
            Stage::FarAccess(last),
            Stage::Sender,
        ];
        let (hops, hop_of) = join(&stages);
        assert_eq!(hop_of, [0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8]);
        let again: Vec<Stage> = hops.iter().flat_map(|hop| hop.stages()).collect();
        assert_eq!(again, stages);
    }

    #[test]
    fn routes_are_looked_up_by_flow_whether_common_or_not() {
        let packet = |kind, flow| Packet::new(kind, flow, 1, 40);
        for begins in [vec![3, 5, 3, 5], vec![3, 5, 7, 9]] {
            let mut routes = RouteTable::new(Vec::new(), begins.clone(), 2, Paths::default());
            routes.add_flow_like(1);
            for (flow, like) in [(0, 0), (1, 1), (2, 1)] {
                let there = begins[2 * like] as usize;
                let back = begins[2 * like + 1] as usize;
                assert_eq!(routes.forward_begin(flow), there);
                assert_eq!(routes.begin(&packet(Kind::Data, flow)), there);
                assert_eq!(routes.begin(&packet(Kind::Ack, flow)), back);
            }
        }
    }
}
