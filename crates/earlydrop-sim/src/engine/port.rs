//! Links with a queue discipline: arrivals, departures, changes.
//!
//! Departures are computed lazily. Nobody needs to know what left by time t before the first of it
//! can arrive at the far end, one propagation delay later. So they are computed when the next
//! packet arrives, or by one [`Task::Drain`](super::event::Task) a propagation delay.
//!
//! A look at a steered link must know what has left the queue by now. Taking it to its next hop
//! now would schedule its events in another order among those of the same time. So a look only
//! takes packets out of the queue, and the port forwards them when it would have without the look.

use std::collections::VecDeque;

use earlydrop::aqm::DropReason;
use earlydrop::packet::Packet as _;
use earlydrop::queue::{Losses, QueueDiscipline};
use earlydrop::units::Nanos;

use super::accounts::{Accounts, Loss};
use super::pauses::Pausable;
use super::shared_buffer::Membership;
use crate::link::{QueuedLink, Transmission};
use crate::measure::{QueueMeter, QueueProgress};
use crate::network::Change;
use crate::packet::Packet;
use crate::packet_log::PacketLog;
use crate::steering::LinkState;

/// A link with its queue, and what is measured of both.
#[derive(Clone, Debug)]
pub(super) struct Port {
    /// The link's number and name.
    pub(super) number: u32,
    pub(super) name: String,
    /// The index of the link's impairments, if it has any.
    pub(super) impairments: Option<u32>,
    /// The time of the pending [`Task::Drain`](super::event::Task); such events of any other time
    /// are stale.
    pub(super) drain_at: Nanos,
    /// How long after a departure begins it may remain unknown: one nanosecond less than the
    /// propagation delay.
    pub(super) slack: Nanos,
    pub(super) meter: QueueMeter,
    pub(super) link: QueuedLink<Packet>,
    /// What happens to each packet, if it is asked for.
    pub(super) log: Option<Box<PacketLog>>,
    /// What a link that is steered needs.
    pub(super) steering: Option<Box<Steering>>,
    /// The port's place in the buffer that it shares with others, if it shares one.
    pub(super) shared: Option<Membership>,
    /// Whether it is a host's network card, for which the host's senders wait.
    pub(super) is_nic: bool,
    /// Of a link that leads to a switch with flow control: what it holds there.
    pub(super) pausable: Option<Box<Pausable>>,
    /// Of a port of a switch with flow control: what its queue has dropped and has not been released.
    pub(super) dropped: Option<Vec<Packet>>,
}

impl Port {
    pub(super) fn new(
        number: u32,
        name: String,
        impairments: Option<u32>,
        link: QueuedLink<Packet>,
        meter: QueueMeter,
    ) -> Port {
        Port {
            number,
            name,
            impairments,
            drain_at: Nanos::NEVER,
            slack: link.delay().since(Nanos(1)),
            meter,
            link,
            log: None,
            steering: None,
            shared: None,
            is_nic: false,
            pausable: None,
            dropped: None,
        }
    }

    /// Enqueues a packet and notes what is dropped; as [`QueuedLink::enqueue`].
    #[inline(never)]
    fn enqueue_noting(&mut self, accounts: &mut Accounts, packet: Packet, at: Nanos) -> bool {
        let mut loss = accounts.loss(at, Some(&mut self.meter));
        let Some(dropped) = &mut self.dropped else {
            return self.link.enqueue(at, packet, &mut loss);
        };
        self.link.enqueue(at, packet, &mut Noted { loss, dropped })
    }

    /// Sends the next packet and notes what is dropped; as [`QueuedLink::transmit`].
    #[inline(never)]
    fn transmit_noting(
        &mut self,
        accounts: &mut Accounts,
        at: Nanos,
    ) -> Option<Transmission<Packet>> {
        let mut loss = accounts.loss(at, Some(&mut self.meter));
        let Some(dropped) = &mut self.dropped else {
            return self.link.transmit(&mut loss);
        };
        self.link.transmit(&mut Noted { loss, dropped })
    }

    /// Enqueues a packet and records what happens to it; as [`QueuedLink::enqueue`].
    #[cold]
    #[inline(never)]
    fn enqueue_logged(&mut self, accounts: &mut Accounts, packet: Packet, at: Nanos) -> bool {
        let Some(mut log) = self.log.take() else {
            return false;
        };
        let loss = accounts.loss(at, Some(&mut self.meter));
        let mut losses = Logged {
            loss,
            log: &mut log,
            dropped: self.dropped.as_mut(),
        };
        let before = losses.log.before(self.link.queue(), self.link.waiting());
        let drains = self.link.enqueue(at, packet, &mut losses);
        log.arrived(at, packet, self.link.waiting(), &self.link);
        log.explain(before, |queue| queue.explain_enqueue(at, &packet));
        self.log = Some(log);
        drains
    }

    /// Drops a packet for which the buffer that the port shares has no room.
    #[cold]
    pub(super) fn refuse(&mut self, accounts: &mut Accounts, packet: Packet, at: Nanos) {
        self.observe(at);
        self.meter.on_arrival(&accounts.groups, packet, at);
        self.link.refuse(packet.size());
        accounts.loss(at, Some(&mut self.meter)).take(packet);
        if let Some(log) = &mut self.log {
            log.lose(packet, DropReason::Forced);
            log.arrived(at, packet, self.link.waiting(), &self.link);
        }
    }

    /// Sends the next packet and records it; as [`QueuedLink::transmit`].
    #[cold]
    #[inline(never)]
    fn transmit_logged(
        &mut self,
        accounts: &mut Accounts,
        at: Nanos,
    ) -> Option<Transmission<Packet>> {
        let mut log = self.log.take()?;
        let loss = accounts.loss(at, Some(&mut self.meter));
        let before = log.before(self.link.queue(), self.link.waiting());
        let sent = self.link.transmit(&mut Logged {
            loss,
            log: &mut log,
            dropped: self.dropped.as_mut(),
        });
        let packet = sent.as_ref().map(|sent| sent.packet);
        log.departed(at, packet, self.link.waiting(), &self.link);
        log.explain(before, |queue| queue.explain_dequeue(at));
        self.log = Some(log);
        sent
    }

    /// A packet arrives at `at`; all that was sent by then is known. Returns whether something is
    /// sent at once.
    #[inline(always)]
    pub(super) fn enqueue(&mut self, accounts: &mut Accounts, packet: Packet, at: Nanos) -> bool {
        self.observe(at);
        self.meter.on_arrival(&accounts.groups, packet, at);
        if self.log.is_some() {
            return self.enqueue_logged(accounts, packet, at);
        }
        if self.dropped.is_some() {
            return self.enqueue_noting(accounts, packet, at);
        }
        let mut loss = accounts.loss(at, Some(&mut self.meter));
        self.link.enqueue(at, packet, &mut loss)
    }

    /// Takes the next packet that it has sent up to `until`, with its time of arrival at the next
    /// hop.
    #[inline(always)]
    pub(super) fn poll_transmit(
        &mut self,
        accounts: &mut Accounts,
        until: Nanos,
    ) -> Option<(Packet, Nanos)> {
        if let Some(steering) = &mut self.steering
            && let Some(sent) = steering.sent.pop_front()
        {
            return Some(sent);
        }
        let sent = self.transmit_next(accounts, until)?;
        Some((sent.packet, sent.arrives))
    }

    /// The time of a [`Task::Drain`](super::event::Task) to schedule, unless one is due early enough: before the next
    /// packet to leave can have arrived at the far end.
    #[inline(always)]
    pub(super) fn next_drain(&mut self) -> Option<Nanos> {
        if self.link.waiting() == 0 || self.link.is_down() {
            return None;
        }
        let by = Nanos(self.link.next_transmission().0 + self.slack.0);
        let is_earlier = by < self.drain_at;
        if is_earlier {
            self.drain_at = by;
        }
        is_earlier.then_some(by)
    }

    /// Changes the link, all of whose departures up to `now` are known.
    pub(super) fn change(&mut self, now: Nanos, change: &Change) {
        self.observe(now);
        self.link.change(now, change);
        // The reference engine and network cards have no slack, and keep none.
        if let Change::Delay(delay) = change
            && self.slack > Nanos::ZERO
        {
            self.slack = delay.since(Nanos(1));
        }
    }

    /// Pauses a class or ends its pause, where all departures up to `now` are known.
    pub(super) fn pause_class(&mut self, now: Nanos, class: u8, pauses: bool) {
        self.observe(now);
        self.link.pause_class(now, class, pauses);
    }

    /// Sends the next packet, if its transmission begins by `until`.
    #[inline(always)]
    pub(super) fn transmit_next(
        &mut self,
        accounts: &mut Accounts,
        until: Nanos,
    ) -> Option<Transmission<Packet>> {
        let at = self.link.next_transmission();
        if at > until {
            return None;
        }
        self.observe(at);
        let sent = if self.log.is_some() {
            self.transmit_logged(accounts, at)?
        } else if self.dropped.is_some() {
            self.transmit_noting(accounts, at)?
        } else {
            let mut loss = accounts.loss(at, Some(&mut self.meter));
            self.link.transmit(&mut loss)?
        };
        self.meter.sent(sent.sojourn, sent.time);
        self.meter.on_departure(&accounts.groups, sent.packet, at);
        Some(sent)
    }

    /// Takes everything out of the queue that has left it by `now`.
    pub(super) fn settle(&mut self, accounts: &mut Accounts, now: Nanos) {
        while let Some(sent) = self.transmit_next(accounts, now) {
            if let Some(steering) = &mut self.steering {
                steering.sent.push_back((sent.packet, sent.arrives));
            }
        }
        self.observe(now);
    }

    /// The state at `now`, and what happened since the last look; everything that has left the
    /// queue by now is taken out of it. `None`: the link is not steered.
    pub(super) fn look(&mut self, now: Nanos) -> Option<LinkState> {
        let steering = self.steering.as_mut()?;
        let queue = self.link.queue();
        let progress = self.meter.progress(now, &self.link);
        let last = std::mem::replace(&mut steering.last, progress);
        let progress = &steering.last;
        Some(LinkState {
            at: now,
            packets: self.link.waiting(),
            bytes: queue.bytes(),
            head_sojourn: queue.head_arrival().map(|arrived| now.since(arrived)),
            counters: progress.counters_since(&last),
            mean_sojourn: progress.mean_sojourn_since(&last),
            utilisation: progress.utilisation_since(&last),
        })
    }

    /// Brings measurement up to `at`, before anything happens then.
    #[inline]
    pub(super) fn observe(&mut self, at: Nanos) {
        let waiting = self.link.waiting();
        self.meter.observe(at, waiting, &mut self.link);
    }

    /// Ends measurement at `at`.
    pub(super) fn finish(&mut self, at: Nanos) {
        let waiting = self.link.waiting();
        self.meter.finish(at, waiting, &mut self.link);
    }
}

/// What a port needs whose link is steered.
#[derive(Clone, Debug, Default)]
pub(super) struct Steering {
    /// Packets that left the queue by the last look and are yet to be forwarded, each with its
    /// time of arrival at the next hop.
    sent: VecDeque<(Packet, Nanos)>,
    /// What the queue had done by the last look.
    last: QueueProgress,
}

/// Accounts for lost packets, and keeps them until they are released.
struct Noted<'a> {
    loss: Loss<'a>,
    dropped: &'a mut Vec<Packet>,
}

impl Losses<Packet> for Noted<'_> {
    fn lost(&mut self, packet: Packet, reason: DropReason) {
        self.dropped.push(packet);
        self.loss.lost(packet, reason);
    }
}

/// Accounts for lost packets, and notes them for the log.
struct Logged<'a> {
    loss: Loss<'a>,
    log: &'a mut PacketLog,
    dropped: Option<&'a mut Vec<Packet>>,
}

impl Losses<Packet> for Logged<'_> {
    fn lost(&mut self, packet: Packet, reason: DropReason) {
        self.log.lose(packet, reason);
        if let Some(dropped) = &mut self.dropped {
            dropped.push(packet);
        }
        self.loss.lost(packet, reason);
    }
}
