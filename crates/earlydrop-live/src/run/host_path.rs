//! One direction of a run: access links, the bottleneck, access links.
//!
//! ```text
//! device --> links --> (in time order) queue, transmitter, wire --> links --> (in time order) device
//! ```
//!
//! All times are computed, not waited for. A packet enters the queue at the time when its
//! host's access links have carried it there, and is due at the device when those at the other
//! end have, even if the thread notices later. So the thread need wake up only when the next
//! packet may be due at the device.

use std::collections::VecDeque;

#[cfg(test)]
use earlydrop::counters::Counters;
use earlydrop::counters::Tally;
use earlydrop::random::Pcg32;
use earlydrop::units::Nanos;
use earlydrop_sim::fine_time::FineTime;
use earlydrop_sim::link::{QueuedLink, Wire};
use earlydrop_sim::network::{Change, Link};

use super::access_links::AccessLinks;
use super::in_flight::InFlight;
use super::meter::Meter;
use crate::direction::{Direction, Tap};
use crate::emulator::{CaptureTap, ForwardingPath};
use crate::pool::{Frame, Pool};

#[derive(Debug)]
pub(crate) struct HostPath {
    before: AccessLinks,
    /// In flight on the access links before the queue.
    to_queue: InFlight,
    direction: Direction,
    /// Changes of the bottleneck link, in time order.
    changes: VecDeque<(Nanos, Change)>,
    wire: Wire,
    random: Pcg32,
    /// In flight on the wire, if the link reorders packets.
    reordered: InFlight,
    after: AccessLinks,
    /// Shortest time from the wire's end to the device.
    min_delay_after: Nanos,
    /// In flight to the device: on the access links after the wire, or still on the wire.
    to_device: InFlight,
    pub(crate) meter: Meter,
}

/// Stream of random numbers that selects packets to reorder.
const REORDER_STREAM: u64 = 2;

impl HostPath {
    /// A path over `link`, whose queue, transmitter and wire are `direction`, with room for so
    /// many packets.
    pub(crate) fn new(
        link: &Link,
        direction: Direction,
        [before, after]: [AccessLinks; 2],
        meter: Meter,
        room: u32,
        seed: u64,
    ) -> HostPath {
        let mut changes = link.changes.clone();
        changes.sort_by_key(|(at, _)| *at);
        let reordered = if link.reorder.is_some() { room } else { 0 };
        HostPath {
            to_queue: InFlight::new(room),
            direction,
            changes: changes.into(),
            wire: Wire::new(link.reorder),
            random: Pcg32::new(seed, REORDER_STREAM),
            reordered: InFlight::new(reordered),
            min_delay_after: after.min_delay(),
            to_device: InFlight::new(room),
            before,
            after,
            meter,
        }
    }

    /// Processes and measures everything up to `at`, the end of the run.
    pub(crate) fn finish(&mut self, at: Nanos, pool: &mut Pool) {
        let no_capture = &mut |_: usize, _: Nanos, _: &[u8]| {};
        self.process_until(at, pool, &mut CaptureTap(0, no_capture));
        let mut tap = MeterTap(&mut self.meter, &mut CaptureTap(0, no_capture));
        self.direction.observe(at, pool, &mut tap);
    }

    /// What the queue has counted since time zero.
    #[cfg(test)]
    pub(crate) fn counters(&self) -> &Counters {
        self.direction.counters()
    }

    /// Packets and bytes between the two devices.
    pub(crate) fn in_flight(&self) -> Tally {
        let mut tally = Tally {
            packets: u64::from(self.direction.packets()),
            bytes: self.direction.bytes(),
        };
        let lines = [&self.to_queue, &self.reordered, &self.to_device];
        let frames = lines.into_iter().flat_map(InFlight::frames);
        frames.for_each(|frame| tally.add(frame.header.length));
        tally
    }

    fn process_until(&mut self, now: Nanos, pool: &mut Pool, tap: &mut CaptureTap<'_, '_>) {
        let mut tap = MeterTap(&mut self.meter, tap);
        loop {
            let change = self.changes.front().map_or(Nanos::NEVER, |(at, _)| *at);
            if change <= now && change <= self.to_queue.next() {
                if let Some((at, change)) = self.changes.pop_front() {
                    self.direction.change(at, &change, pool, &mut tap);
                }
            } else if let Some((at, frame)) = self.to_queue.pop(now) {
                tap.0.reached_queue(at, &frame);
                self.direction.enqueue(at, frame, pool, &mut tap);
            } else {
                break;
            }
        }
        self.direction.advance(now, pool, &mut tap);
        while let Some((at, frame)) = self.direction.pop_sent() {
            self.propagate(at, frame);
        }
        while let Some((at, frame)) = self.reordered.pop(now) {
            self.enter_access_links(at, frame);
        }
    }

    /// Takes a packet off the wire that arrives at its end at `at`, or later if reordered.
    fn propagate(&mut self, at: Nanos, frame: Frame) {
        let at = self.wire.arrival(at, &mut self.random);
        if self.wire.reorders() {
            self.reordered.push(at, frame);
        } else {
            self.enter_access_links(at, frame);
        }
    }

    fn enter_access_links(&mut self, at: Nanos, frame: Frame) {
        let flow = self.meter.flow(&frame);
        let due = self.after.transit(flow, at, frame.header.length);
        self.to_device.push(due, frame);
    }
}

impl ForwardingPath for HostPath {
    fn receive(&mut self, now: Nanos, frame: Frame, pool: &mut Pool, _: &mut CaptureTap<'_, '_>) {
        match self.meter.read(now, &frame, pool.packet(&frame)) {
            Some(flow) => {
                let at = self.before.transit(flow, now, frame.header.length);
                self.to_queue.push(at, frame);
            }
            None => pool.give_back(frame.slot),
        }
    }

    fn advance(&mut self, now: Nanos, pool: &mut Pool, tap: &mut CaptureTap<'_, '_>) {
        self.process_until(now, pool, tap);
    }

    fn pop_due(&mut self, now: Nanos) -> Option<(Nanos, Frame)> {
        self.to_device.pop(now)
    }

    fn written(&mut self, at: Nanos, frame: &Frame, accepted: bool) {
        self.meter.written(at, frame, accepted);
    }

    fn next_event(&self) -> Nanos {
        // A packet that is not sent yet is due at the device no earlier than this.
        let sent = self.direction.next_transmission().min(self.to_queue.next());
        let behind = sent + self.direction.delay() + self.min_delay_after;
        let change = self.changes.front().map_or(Nanos::NEVER, |(at, _)| *at);
        let ahead = self.to_device.next().min(self.reordered.next());
        behind.min(change).min(ahead)
    }
}

/// Reports events to the meter, and departures to another tap.
struct MeterTap<'a, T>(&'a mut Meter, &'a mut T);

impl<T: Tap> Tap for MeterTap<'_, T> {
    fn on_sent(&mut self, at: Nanos, bytes: &[u8]) {
        self.1.on_sent(at, bytes);
    }

    fn before_change(&mut self, at: Nanos, link: &mut QueuedLink<Frame>) {
        self.0.observe_queue(at, link);
    }

    fn on_transmission(&mut self, at: Nanos, frame: &Frame, sojourn: Nanos, time: FineTime) {
        self.0.dequeued(at, frame, sojourn, time);
    }

    fn on_drop(&mut self, at: Nanos, frame: &Frame) {
        self.0.lost(at, frame, true);
    }

    fn on_wire_loss(&mut self, at: Nanos, frame: &Frame) {
        self.0.lost(at, frame, false);
    }
}

#[cfg(test)]
#[path = "host_path_tests.rs"]
mod tests;
