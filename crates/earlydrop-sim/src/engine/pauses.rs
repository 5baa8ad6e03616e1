//! Pauses: what a switch with priority flow control asks of the links that lead to it.
//!
//! ```text
//!   port of link L ---- L ----> switch: queues of its ports
//!        ^                        | bytes that came over L and wait: above XOFF it asks for a pause,
//!        +--- pause, resume <-----+ at XON or below it lets L go on
//! ```
//! What came over a link is counted from a packet's arrival until its transmission begins, or it is
//! dropped. A frame that asks waits for the packet that the link back is sending, is sent before all
//! that wait there, and takes effect where it arrives: the packet being sent then is sent to its end.
//! Frames do not delay other packets of the link back.
//!
//! A pause stops all of a link, or packets of one class, where classes are counted and paused each
//! alone: then the queue of the link's port passes over the class, and serves others.

use earlydrop::packet::Packet as _;
use earlydrop::units::{Bytes, Nanos};

use super::event::Task;
use super::simulation::Simulation;
use crate::network::{Change, PAUSE_FRAME, Pfc};
use crate::packet::Packet;
use crate::results::PauseResult;

/// A link that a switch pauses: kept with the link's port.
#[derive(Clone, Debug)]
pub(super) struct Pausable {
    limits: Pfc,
    /// The port of the link back, over which the switch asks.
    back: u32,
    /// What came over the link: of each class, or of all in the first.
    held: Vec<Held>,
    /// Since when the link is paused, or a class of it.
    since: Option<Nanos>,
    result: PauseResult,
}

/// What came over a link of a class, or of all, and waits at the switch.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    bytes: u64,
    /// Whether the last frame sent asked for a pause.
    asked: bool,
    /// Whether the last frame that arrived did.
    paused: bool,
}

impl Pausable {
    /// A link that is not paused, at a switch with these limits; `back` is the port of the link in the
    /// other direction.
    pub(super) fn new(limits: Pfc, back: u32) -> Pausable {
        let counted = if limits.classes.is_some() { 8 } else { 1 };
        Pausable {
            limits,
            back,
            held: vec![Held::default(); counted],
            since: None,
            result: PauseResult::default(),
        }
    }

    /// What is held of a packet's class; `None` where it does not count.
    fn held_with(&mut self, packet: &Packet) -> Option<(u8, &mut Held)> {
        let class = match self.limits.classes {
            None => 0,
            Some(classes) if classes.contain(packet.class()) => packet.class(),
            Some(_) => return None,
        };
        Some((class, &mut self.held[usize::from(class)]))
    }

    /// Whether another frame is to be sent for a class: the answer to it is what it asks for.
    fn next_request(&mut self, class: u8) -> Option<bool> {
        let Pfc { xoff, xon, .. } = self.limits;
        let held = &mut self.held[usize::from(class)];
        let above = if held.asked { xon } else { xoff };
        let asks = held.bytes > above.0;
        let changes = asks != held.asked;
        held.asked = asks;
        changes.then_some(asks)
    }

    /// A frame has arrived; the time measured begins at `from`, and now is in it if `measured`.
    fn on_frame(&mut self, class: u8, pauses: bool, now: Nanos, from: Nanos, measured: bool) {
        let held = &mut self.held[usize::from(class)];
        let begins = pauses && !held.paused;
        held.paused = pauses;
        self.result.pauses += u64::from(begins && measured);
        let any = self.held.iter().any(|held| held.paused);
        match (any, self.since) {
            (true, None) => self.since = Some(now),
            (false, Some(since)) => {
                self.since = None;
                self.result.paused += now.since(since.max(from));
            }
            _ => {}
        }
    }

    /// The pauses in the time measured, which begins at `from` and ends at `until`.
    pub(super) fn result(&self, from: Nanos, until: Nanos) -> PauseResult {
        let mut result = self.result;
        if let Some(since) = self.since {
            result.paused += until.since(since.max(from));
        }
        result
    }
}

impl Simulation {
    /// The link by which a packet came, if it is paused at times: its port, and what is held of the
    /// packet's class.
    fn held_of(&mut self, packet: &Packet) -> Option<(u32, u8, &mut Held)> {
        let upstream = self.routes.upstream(packet)?;
        let pausable = self.links.ports[upstream as usize].pausable.as_mut()?;
        let (class, held) = pausable.held_with(packet)?;
        Some((upstream, class, held))
    }

    /// A packet has arrived at a switch over the link of a port, and waits there.
    pub(super) fn hold(&mut self, packet: &Packet) {
        if let Some((.., held)) = self.held_of(packet) {
            held.bytes += u64::from(packet.size());
        }
    }

    /// A packet that waited has left its queue, sent or dropped.
    pub(super) fn release(&mut self, packet: &Packet) {
        if let Some((upstream, class, held)) = self.held_of(packet) {
            held.bytes -= u64::from(packet.size());
            self.request(upstream, class);
        }
    }

    /// Releases what the queue of a port has dropped.
    pub(super) fn release_dropped(&mut self, port: u32) {
        let next = |simulation: &mut Simulation| {
            let dropped = &mut simulation.links.ports[port as usize].dropped;
            dropped.as_mut().and_then(Vec::pop)
        };
        while let Some(packet) = next(self) {
            self.release(&packet);
        }
    }

    /// Asks the link by which `packet` came for a pause, if it is time.
    pub(super) fn request_of(&mut self, packet: &Packet) {
        if let Some((upstream, class, _)) = self.held_of(packet) {
            self.request(upstream, class);
        }
    }

    /// Sends a frame to the port of a link, if it is time.
    fn request(&mut self, upstream: u32, class: u8) {
        let now = self.scheduler.now;
        let Some(pausable) = &mut self.links.ports[upstream as usize].pausable else {
            return;
        };
        let Some(pauses) = pausable.next_request(class) else {
            return;
        };
        let back = pausable.back as usize;
        let back = &self.links.ports[back].link;
        let params = back.transmitter().params();
        let sent = back.free_at().max(now) + params.rate().transmission_time(PAUSE_FRAME);
        let task = Task::Pause {
            port: upstream,
            class,
            pauses,
        };
        self.scheduler.schedule(sent + back.delay(), task);
    }

    /// [`Task::Pause`] is due.
    pub(super) fn on_pause(&mut self, port: u32, class: u8, pauses: bool) {
        let now = self.scheduler.now;
        self.drain(port, now);
        let timing = &self.accounts.timing;
        let (from, measured) = (timing.from, timing.counts(now));
        let Some(pausable) = &mut self.links.ports[port as usize].pausable else {
            return;
        };
        pausable.on_frame(class, pauses, now, from, measured);
        match pausable.limits.classes {
            Some(_) => self.links.ports[port as usize].pause_class(now, class, pauses),
            None => {
                let change = if pauses { Change::Down } else { Change::Up };
                self.links.change(port, now, &change);
            }
        }
        if !pauses {
            self.drain(port, now);
        }
        self.links.count_shared(port, measured);
        self.schedule_drain(port);
    }
}

/// Whether limits make sense; if not, why.
pub(super) fn problem(limits: &Pfc) -> Option<String> {
    let Pfc { xoff, xon, .. } = limits;
    (*xoff == Bytes(0) || xon > xoff).then(|| {
        format!("pauses above {xoff} and goes on at {xon}; the first must be above zero, the second at most that")
    })
}
