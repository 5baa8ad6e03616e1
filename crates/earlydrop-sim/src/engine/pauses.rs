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
//! All packets are of one priority: a pause stops all of a link.

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
    /// Bytes that came over the link and wait at the switch.
    held: u64,
    /// Whether the last frame sent asked for a pause.
    asked: bool,
    /// Since when the link is paused.
    since: Option<Nanos>,
    result: PauseResult,
}

impl Pausable {
    /// A link that is not paused, at a switch with these limits; `back` is the port of the link in the
    /// other direction.
    pub(super) fn new(limits: Pfc, back: u32) -> Pausable {
        Pausable {
            limits,
            back,
            held: 0,
            asked: false,
            since: None,
            result: PauseResult::default(),
        }
    }

    /// Whether another frame is to be sent: the answer to it is what it asks for.
    fn next_request(&mut self) -> Option<bool> {
        let asks = match self.asked {
            false => self.held > self.limits.xoff.0,
            true => self.held > self.limits.xon.0,
        };
        if asks == self.asked {
            return None;
        }
        self.asked = asks;
        Some(asks)
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
    /// A packet has arrived at a switch over the link of a port, and waits there.
    pub(super) fn hold(&mut self, packet: &Packet) {
        if let Some(upstream) = self.routes.upstream(packet)
            && let Some(pausable) = &mut self.links.ports[upstream as usize].pausable
        {
            pausable.held += u64::from(packet.size());
        }
    }

    /// A packet that waited has left its queue, sent or dropped.
    pub(super) fn release(&mut self, packet: &Packet) {
        if let Some(upstream) = self.routes.upstream(packet)
            && let Some(pausable) = &mut self.links.ports[upstream as usize].pausable
        {
            pausable.held -= u64::from(packet.size());
            self.request(upstream);
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
        if let Some(upstream) = self.routes.upstream(packet) {
            self.request(upstream);
        }
    }

    /// Sends a frame to the port of a link, if it is time.
    fn request(&mut self, upstream: u32) {
        let now = self.scheduler.now;
        let Some(pausable) = &mut self.links.ports[upstream as usize].pausable else {
            return;
        };
        let Some(pauses) = pausable.next_request() else {
            return;
        };
        let back = pausable.back as usize;
        let back = &self.links.ports[back].link;
        let params = back.transmitter().params();
        let sent = back.free_at().max(now) + params.rate().transmission_time(PAUSE_FRAME);
        let task = match pauses {
            true => Task::Pause(upstream),
            false => Task::Resume(upstream),
        };
        self.scheduler.schedule(sent + back.delay(), task);
    }

    /// [`Task::Pause`] or [`Task::Resume`] is due.
    pub(super) fn on_pause(&mut self, port: u32, pauses: bool) {
        let now = self.scheduler.now;
        self.drain(port, now);
        let timing = &self.accounts.timing;
        let (from, measured) = (timing.from, timing.counts(now));
        if let Some(pausable) = &mut self.links.ports[port as usize].pausable {
            match (pauses, pausable.since) {
                (true, None) => {
                    pausable.since = Some(now);
                    pausable.result.pauses += u64::from(measured);
                }
                (false, Some(since)) => {
                    pausable.since = None;
                    pausable.result.paused += now.since(since.max(from));
                }
                _ => {}
            }
        }
        let change = if pauses { Change::Down } else { Change::Up };
        self.links.change(port, now, &change);
        if !pauses {
            self.drain(port, now);
            self.schedule_drain(port);
        }
    }
}

/// Whether limits make sense; if not, why.
pub(super) fn problem(limits: &Pfc) -> Option<String> {
    let Pfc { xoff, xon } = limits;
    (*xoff == Bytes(0) || xon > xoff).then(|| {
        format!("pauses above {xoff} and goes on at {xon}; the first must be above zero, the second at most that")
    })
}
