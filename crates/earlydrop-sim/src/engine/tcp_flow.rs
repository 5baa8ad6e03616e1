//! TCP flows in the engine: packets to and from the two ends, and what applications do.

use earlydrop::packet::{Ecn, Packet as _};
use earlydrop::units::Nanos;

use super::flow::{Connection, Ends};
use super::session::{FIRST_REPEAT, State};
use super::{Flow, Simulation};
use crate::packet::{Kind, Note, Packet};
use crate::tcp::{Ack, Arrival, Handshake, Reply, Segment};
use crate::traffic::{Application, Step};

impl Simulation {
    /// A flow's event has come.
    pub(super) fn wake(&mut self, index: u32) {
        let flow = &mut self.flows[index as usize];
        if flow.wake_at != self.now {
            return;
        }
        flow.wake_at = Nanos::NEVER;
        self.take_steps(index);
        match &self.flows[index as usize].ends {
            Ends::Tcp(_) => self.wake_connection(index),
            Ends::Datagrams(_) => self.send_datagrams(index),
            Ends::Spawner(_) => self.spawn(index),
        }
        self.arm_flow(index);
    }

    /// Sets up the event that wakes a flow, unless one comes early enough already.
    #[inline]
    pub(super) fn arm_flow(&mut self, index: u32) {
        let flow = &mut self.flows[index as usize];
        let due = flow.due();
        if due < flow.wake_at {
            let at = due.max(self.now);
            flow.wake_at = at;
            self.events.push(at, super::Event::Wake(index));
        }
    }

    /// Starts, stops and changes that are due.
    fn take_steps(&mut self, index: u32) {
        let now = self.now;
        let flow = &mut self.flows[index as usize];
        while let Some(rare) = &mut flow.rare {
            let Some(&(at, step)) = rare.steps.front() else {
                if rare.overhead.is_none() {
                    flow.rare = None;
                }
                return;
            };
            if at > now {
                return;
            }
            rare.steps.pop_front();
            match step {
                Step::Stop => flow.open = false,
                Step::Resume => flow.open = true,
                Step::Rate(_) => {}
            }
            match &mut flow.ends {
                Ends::Tcp(connection) => connection.step(step, now),
                Ends::Datagrams(source) => source.step(step, now),
                Ends::Spawner(spawner) if step == Step::Resume => spawner.next_at = now,
                Ends::Spawner(_) => {}
            }
        }
    }

    fn wake_connection(&mut self, index: u32) {
        let now = self.now;
        let Flow { open, ends, .. } = &mut self.flows[index as usize];
        let open = *open;
        let Ends::Tcp(connection) = ends else { return };
        let profile = &self.profiles[connection.profile as usize];
        if connection.sender.deadline() <= now {
            connection.sender.on_timer(profile, now);
        }
        let late = !connection.receives_ahead && connection.receiver.deadline() <= now;
        let reply = late.then(|| connection.receiver.on_timer(profile, now));
        let session_due = connection.session.as_ref().is_some_and(|s| s.due() <= now);
        if let Some(reply) = reply.flatten() {
            self.send_reply(index, reply, now);
        }
        if session_due && open {
            self.session_due(index);
        }
        self.pump(index);
    }

    /// An application's pause is over, or a request was not answered.
    fn session_due(&mut self, index: u32) {
        let flow = &mut self.flows[index as usize];
        let Ends::Tcp(Connection {
            session: Some(session),
            ..
        }) = &mut flow.ends
        else {
            return;
        };
        let Application::Requests { request, .. } = session.application else {
            return self.begin_transfer(index);
        };
        let now = self.now;
        let (asked, wait) = match session.state {
            State::Asking { asked, wait, .. } => (asked, Nanos(2 * wait.0)),
            _ => (now, FIRST_REPEAT),
        };
        session.state = State::Asking {
            asked,
            repeat_at: now + wait,
            wait,
        };
        let number = session.begun;
        let packet = Packet::new(
            Kind::Request,
            index,
            number,
            request.0 as u32,
            flow.backward,
        )
        .stamped(now)
        .with_class(flow.class);
        self.accounts.totals.sent.add(packet.size());
        self.travel(packet, now);
    }

    /// Gives the sender the next transfer; over a new connection unless the application
    /// keeps one.
    pub(super) fn begin_transfer(&mut self, index: u32) {
        let now = self.now;
        let flow = &mut self.flows[index as usize];
        let Ends::Tcp(connection) = &mut flow.ends else {
            return;
        };
        let Some(session) = &mut connection.session else {
            return;
        };
        let profile = &self.profiles[connection.profile as usize];
        let bytes = session.draw_size().0.max(1);
        let first = session.begun == 0;
        let fresh = !session.ends_at_receiver() || first;
        if fresh && !first {
            connection.sender.restart(profile, now);
            connection.first = connection.end;
        }
        session.begun += 1;
        let since = match session.state {
            State::Asking { asked, .. } => asked,
            _ => now,
        };
        session.state = State::Transferring { since, bytes };
        let payload = u64::from(profile.payload());
        let segments = bytes.div_ceil(payload);
        let opening = u32::from(fresh && profile.handshake != Handshake::None);
        connection.end += segments as u32 + opening;
        connection.last_size = (bytes - (segments - 1) * payload) as u32 + profile.header_size;
        connection.sender.supply(connection.end);
        self.accounts.totals.transfers += 1;
    }

    /// An acknowledgment or a request has come to the sending host.
    pub(super) fn acknowledged(&mut self, packet: Packet) {
        self.accounts.totals.delivered.add(packet.size());
        if packet.kind == Kind::Request {
            return self.requested(packet);
        }
        let now = self.now;
        let index = packet.flow;
        let Ends::Tcp(connection) = &mut self.flows[index as usize].ends else {
            return;
        };
        let profile = &self.profiles[connection.profile as usize];
        let note = packet.note().map(|place| self.accounts.notes.take(place));
        let ack = Ack {
            next: packet.number,
            trigger: u32::MAX,
            echo: note.map_or(packet.stamp(), |note| note.stamp),
            echo_retransmitted: packet.is_retransmission(),
            ece: packet.echo(),
            sacked: note
                .as_ref()
                .map_or(&[], |note| &note.ranges[..usize::from(note.filled)]),
        };
        connection.sender.on_ack(profile, &ack, now);
        if connection.session.is_some() {
            self.check_transfer(index);
        }
        self.pump(index);
        self.arm_flow(index);
    }

    /// A transfer ends for its sender when all of it is acknowledged.
    fn check_transfer(&mut self, index: u32) {
        let Ends::Tcp(connection) = &mut self.flows[index as usize].ends else {
            return;
        };
        let Some(session) = &mut connection.session else {
            return;
        };
        if session.ends_at_receiver() || connection.sender.acknowledged() < connection.end {
            return;
        }
        if let Some(completion) = session.complete(self.now) {
            let parent = session.counted_for;
            self.complete(completion);
            self.free_slot(parent, index);
            let Ends::Tcp(connection) = &self.flows[index as usize].ends else {
                return;
            };
            let again = connection
                .session
                .as_ref()
                .is_some_and(|s| s.due() <= self.now);
            if again && self.flows[index as usize].open {
                self.begin_transfer(index);
            }
        }
    }

    /// A request has come: the answer begins, unless it has already.
    fn requested(&mut self, packet: Packet) {
        let index = packet.flow;
        let Ends::Tcp(Connection {
            session: Some(session),
            ..
        }) = &self.flows[index as usize].ends
        else {
            return;
        };
        let waited_for = matches!(session.state, State::Asking { .. });
        if waited_for && packet.number == session.begun {
            self.begin_transfer(index);
            self.pump(index);
            self.arm_flow(index);
        }
    }

    /// Sends whatever the sender may send now.
    pub(super) fn pump(&mut self, index: u32) {
        let now = self.now;
        loop {
            let flow = &mut self.flows[index as usize];
            let Ends::Tcp(connection) = &mut flow.ends else {
                return;
            };
            let profile = &self.profiles[connection.profile as usize];
            let Some(segment) = connection.sender.poll_transmit(profile, now) else {
                return;
            };
            let size = connection.wire_size(&segment);
            let kind = if segment.syn { Kind::Syn } else { Kind::Data };
            let at = match &mut flow.rare {
                Some(rare) => rare.overhead.as_mut().map_or(now, |o| o.delay(now)),
                None => now,
            };
            let packet = Packet::new(kind, index, segment.number, size, flow.forward)
                .stamped(now)
                .with_ecn(segment.ecn)
                .with_class(flow.class)
                .retransmitted(segment.retransmission)
                .echoing(segment.cwr);
            self.accounts.totals.sent.add(size);
            self.travel(packet, at);
        }
    }

    /// A packet of data has come to the receiving host at `at`, now or ahead of time.
    pub(super) fn receive(&mut self, packet: Packet, at: Nanos) {
        self.accounts.totals.delivered.add(packet.size());
        self.accounts.totals.late += u64::from(at > self.end);
        let flow = &mut self.flows[packet.flow as usize];
        let counts = self.accounts.timing.counts(at);
        let marked = packet.ecn() == Ecn::Ce;
        if counts {
            flow.meter
                .arrived(&packet, at.since(packet.stamp()), marked);
        }
        let Ends::Tcp(connection) = &mut flow.ends else {
            if counts {
                flow.meter.goodput_bytes += u64::from(packet.size());
            }
            return;
        };
        let profile = &self.profiles[connection.profile as usize];
        let arrival = Arrival {
            number: packet.number,
            ecn: packet.ecn(),
            cwr: packet.echo(),
            retransmission: packet.is_retransmission(),
            sent: packet.stamp(),
        };
        if connection.session.is_some() {
            connection.meet_first(packet.number);
        }
        let before = connection.receiver.received();
        let reply = connection.receiver.on_segment(profile, &arrival, at);
        let new = connection.receiver.received() - before;
        if counts && packet.kind == Kind::Data {
            let payload = packet.size().saturating_sub(profile.header_size);
            flow.meter.goodput_bytes += new as u64 * u64::from(payload);
        }
        let client = !connection.receives_ahead && connection.session.is_some();
        if let Some(reply) = reply {
            self.send_reply(packet.flow, reply, at);
        }
        if client {
            self.check_answer(packet.flow);
        }
        if !self.receives_ahead(packet.flow) {
            self.arm_flow(packet.flow);
        }
    }

    fn receives_ahead(&self, index: u32) -> bool {
        matches!(&self.flows[index as usize].ends, Ends::Tcp(c) if c.receives_ahead)
    }

    /// An answer ends for its client when all of it has come.
    fn check_answer(&mut self, index: u32) {
        let Ends::Tcp(connection) = &mut self.flows[index as usize].ends else {
            return;
        };
        let Some(session) = &mut connection.session else {
            return;
        };
        if session.ends_at_receiver()
            && connection.receiver.expected() >= connection.end
            && let Some(completion) = session.complete(self.now)
        {
            self.complete(completion);
        }
    }

    /// Sends an acknowledgment at `at`.
    #[inline]
    fn send_reply(&mut self, index: u32, reply: Reply, at: Nanos) {
        let flow = &self.flows[index as usize];
        let Ends::Tcp(connection) = &flow.ends else {
            return;
        };
        let size = self.profiles[connection.profile as usize].ack_size;
        let mut packet = Packet::new(Kind::Ack, index, reply.next, size, flow.backward)
            .stamped(reply.echo)
            .with_class(flow.class)
            .retransmitted(reply.echo_retransmitted)
            .echoing(reply.ece);
        if reply.length > 0 {
            let note = Note {
                stamp: reply.echo,
                ranges: reply.ranges,
                filled: reply.length,
            };
            packet = packet.with_note(self.accounts.notes.keep(note));
        }
        self.accounts.totals.sent.add(size);
        self.travel(packet, at);
    }
}

impl Connection {
    /// Bytes on the wire of a segment: the last of a transfer may be shorter.
    #[inline]
    fn wire_size(&self, segment: &Segment) -> u32 {
        if segment.number + 1 == self.end && !segment.syn {
            return self.last_size;
        }
        segment.size
    }

    /// A receiver that gets the first segment of a connection starts over.
    fn meet_first(&mut self, number: u32) {
        if number == self.first && number == self.receiver.expected() {
            self.receiver.restart(number);
        }
    }

    /// Starts, stops, goes on.
    fn step(&mut self, step: Step, now: Nanos) {
        match (&mut self.session, step) {
            (Some(session), Step::Resume) => session.resume(now),
            (Some(_), _) | (None, Step::Rate(_)) => {}
            (None, Step::Resume) => self.sender.supply(self.end),
            (None, Step::Stop) => self.sender.withdraw(),
        }
    }
}
