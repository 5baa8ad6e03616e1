//! TCP flows in the engine: packets to and from the two ends, and what applications do.

use earlydrop::packet::Packet as _;
use earlydrop::units::Nanos;

use super::event::Task;
use super::flow::{Connection, Ends};
use super::session::{FIRST_REPEAT, Partner, Session, State};
use super::{Flow, Simulation};
use crate::packet::{Kind, Note, Packet};
use crate::tcp::{Ack, Arrival, Handshake, Reply, Rules, Segment};
use crate::traffic::{Application, Step};

impl Simulation {
    /// A flow's event has come.
    pub(super) fn wake(&mut self, index: u32) {
        let flow = &mut self.flows[index as usize];
        if flow.wake_at != self.now {
            return;
        }
        flow.wake_at = Nanos::NEVER;
        if flow.soonest() > self.now {
            // Its timer has moved later meanwhile.
            return self.set_alarm(index);
        }
        match &flow.ends {
            Ends::Tcp(c) if flow.plain && c.receiver.deadline() > self.now => self.run_out(index),
            _ => self.act(index),
        }
    }

    /// The retransmission timer of a plain flow runs out, and no other.
    #[inline(never)]
    fn run_out(&mut self, index: u32) {
        let now = self.now;
        self.note_counts(index, now);
        if let Ends::Tcp(connection) = &mut self.flows[index as usize].ends {
            let profile = &self.profiles[connection.profile as usize];
            connection.sender.on_timer(profile, now);
        }
        self.pump(index, now);
        self.arm_flow(index);
    }

    /// Does what is due of a flow.
    #[inline(never)]
    fn act(&mut self, index: u32) {
        let stepped = self.take_steps(index);
        match &self.flows[index as usize].ends {
            Ends::Tcp(_) => self.wake_connection(index, stepped),
            Ends::Datagrams(_) => self.send_datagrams(index),
            Ends::Spawner(_) => self.spawn(index),
        }
        self.flows[index as usize].look_over();
        self.arm_flow(index);
    }

    /// Sets up the event that wakes a flow, unless one comes early enough already.
    #[inline(always)]
    pub(super) fn arm_flow(&mut self, index: u32) {
        let flow = &self.flows[index as usize];
        if flow.wake_at > flow.soonest() {
            self.set_alarm(index);
        }
    }

    #[inline(never)]
    pub(super) fn set_alarm(&mut self, index: u32) {
        let flow = &mut self.flows[index as usize];
        let due = flow.due();
        if due < flow.wake_at {
            let at = due.max(self.now);
            flow.wake_at = at;
            self.events.push(at, Task::Wake(index).event());
        }
    }

    /// Starts, stops and changes that are due; answers whether there were any.
    fn take_steps(&mut self, index: u32) -> bool {
        let now = self.now;
        let flow = &mut self.flows[index as usize];
        let mut any = false;
        while let Some(rare) = &mut flow.rare {
            let Some(&(at, step)) = rare.steps.front() else {
                break;
            };
            if at > now {
                break;
            }
            rare.steps.pop_front();
            any = true;
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
        any
    }

    fn wake_connection(&mut self, index: u32, stepped: bool) {
        let now = self.now;
        self.note_counts(index, now);
        let Flow { open, ends, .. } = &mut self.flows[index as usize];
        let open = *open;
        let Ends::Tcp(connection) = ends else { return };
        let profile = &self.profiles[connection.profile as usize];
        let timer_due = connection.sender.deadline() <= now;
        if timer_due {
            connection.sender.on_timer(profile, now);
        }
        let late = !connection.passive && connection.receiver.deadline() <= now;
        let reply = late.then(|| connection.receiver.on_timer(profile, now));
        let session_due = open && connection.session.as_ref().is_some_and(|s| s.due() <= now);
        if let Some(reply) = reply.flatten() {
            let ack = self.reply(index, &reply);
            self.travel(ack, now);
        }
        if session_due {
            self.session_due(index, now);
        }
        // Woken for nothing, the sender may have acted ahead of time already.
        if timer_due || session_due || stepped {
            self.pump(index, now);
        }
        self.release(index);
    }

    /// Hands packets that were held to their ends, as far as can be worked out.
    fn release(&mut self, index: u32) {
        let (now, end) = (self.now, self.end);
        while let Some((at, packet)) = self.flows[index as usize].release(now, end) {
            if !packet.is_forward() {
                self.acknowledged(packet, at);
            } else if let Some(reply) = self.receive(packet, at) {
                self.travel(reply, at);
            }
        }
    }

    /// Notes what a sender did in the warm-up, before it first acts after that.
    #[inline]
    pub(super) fn note_counts(&mut self, index: u32, at: Nanos) {
        if !self.accounts.timing.warmed_up_by(at) {
            return;
        }
        let Flow { ends, noted, .. } = &mut self.flows[index as usize];
        if let Ends::Tcp(connection) = ends
            && !std::mem::replace(noted, true)
        {
            let counts = connection.sender.counts();
            self.accounts.note_before(index, counts);
        }
    }

    /// An application's pause is over, or a request was not answered.
    fn session_due(&mut self, index: u32, now: Nanos) {
        let class = self.flows[index as usize].class;
        let Some(session) = self.session(index) else {
            return;
        };
        let Application::Requests { request, .. } = session.application else {
            return self.next_transfer(index, now);
        };
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
        let packet = Packet::new(Kind::Request, index, number, request.0 as u32)
            .stamped(now)
            .with_class(class);
        self.accounts.totals.sent.add(packet.size());
        self.travel(packet, now);
    }

    /// The next transfer begins, or is asked for over a connection of its own.
    fn next_transfer(&mut self, index: u32, now: Nanos) {
        if let Some(session) = self.session(index)
            && let Partner::Asker(asker) = session.partner
        {
            session.state = State::Asking {
                asked: now,
                repeat_at: Nanos::NEVER,
                wait: Nanos::ZERO,
            };
            self.begin_now(asker, now);
        } else {
            self.begin_transfer(index, now);
        }
    }

    /// A transfer of a flow other than the one being looked after begins.
    pub(super) fn begin_now(&mut self, index: u32, now: Nanos) {
        self.begin_transfer(index, now);
        self.pump(index, now);
        self.arm_flow(index);
    }

    /// The session of a flow that has one.
    pub(super) fn session(&mut self, index: u32) -> Option<&mut Session> {
        match &mut self.flows[index as usize].ends {
            Ends::Tcp(connection) => connection.session.as_deref_mut(),
            _ => None,
        }
    }

    /// Gives the sender the next transfer; over a new connection unless the application
    /// keeps one.
    pub(super) fn begin_transfer(&mut self, index: u32, now: Nanos) {
        let flow = &mut self.flows[index as usize];
        let Ends::Tcp(connection) = &mut flow.ends else {
            return;
        };
        let Some(session) = &mut connection.session else {
            return;
        };
        let profile = &self.profiles[connection.profile as usize];
        let bytes = session.application.draw_size(&mut session.random).0.max(1);
        let first = session.begun == 0;
        let fresh = !session.ends_at_receiver() || first;
        if fresh && !first {
            connection.sender.restart(profile, now);
            session.first = session.end;
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
        session.end += segments as u32 + opening;
        // ns-2's agents count packets, and all of them are whole.
        session.last_size = match profile.rules {
            Rules::Standard => (bytes - (segments - 1) * payload) as u32 + profile.header_size,
            Rules::Ns2 => profile.segment_size,
        };
        connection.sender.supply(session.end);
        let asks = matches!(session.partner, Partner::Answerer(_));
        self.accounts.totals.transfers += u64::from(!asks);
    }

    /// An acknowledgment or a request has come to the sending host at `now`, which may be
    /// ahead of time.
    pub(super) fn acknowledged(&mut self, packet: Packet, now: Nanos) {
        self.accounts.totals.delivered.add(packet.size());
        self.note_counts(packet.flow_index(), now);
        if packet.kind() == Kind::Request {
            return self.requested(packet, now);
        }
        self.take_any_ack(packet, now);
    }

    /// An acknowledgment has come to its sender.
    fn take_any_ack(&mut self, packet: Packet, now: Nanos) {
        let index = packet.flow_index();
        let Flow { ends, meter, .. } = &mut self.flows[index as usize];
        let Ends::Tcp(connection) = ends else {
            return;
        };
        let profile = &self.profiles[connection.profile as usize];
        if connection.sender.deadline() <= now {
            return self.run_out_before(packet, now);
        }
        let note = packet.note().map(|place| self.accounts.notes.take(place));
        let ack = Ack {
            next: packet.number(),
            echo: note.map_or_else(|| packet.stamp(now), |note| note.stamp),
            echo_retransmitted: packet.is_retransmission(),
            ece: packet.echo(),
            sacked: note
                .as_ref()
                .map_or(&[], |note| &note.ranges[..usize::from(note.filled)]),
        };
        if !ack.echo_retransmitted && self.accounts.timing.counts(now) {
            meter.went_round(ack.echo, now);
        }
        connection.sender.on_ack(profile, &ack, now);
        if connection.session.is_some() {
            self.check_transfer(index, now);
        }
        self.pump(index, now);
        self.arm_flow(index);
    }

    /// A timer that runs out at the very moment something comes runs out first.
    #[cold]
    #[inline(never)]
    fn run_out_before(&mut self, packet: Packet, now: Nanos) {
        let index = packet.flow_index();
        if let Ends::Tcp(connection) = &mut self.flows[index as usize].ends {
            let profile = &self.profiles[connection.profile as usize];
            connection.sender.on_timer(profile, now);
        }
        self.pump(index, now);
        self.take_any_ack(packet, now);
    }

    /// A transfer ends for its sender when all of it is acknowledged.
    fn check_transfer(&mut self, index: u32, now: Nanos) {
        let Ends::Tcp(connection) = &mut self.flows[index as usize].ends else {
            return;
        };
        let Some(session) = &mut connection.session else {
            return;
        };
        if session.ends_at_receiver() || connection.sender.acknowledged() < session.end {
            return;
        }
        if let Some(completion) = session.complete(now) {
            if let Partner::Answerer(answerer) = session.partner {
                return self.begin_now(answerer, now);
            }
            let parent = session.counted_for;
            self.complete(completion);
            self.free_slot(parent, index);
            let again = self.session(index).is_some_and(|s| s.due() <= now);
            if again && self.flows[index as usize].open {
                self.next_transfer(index, now);
            }
        }
    }

    /// A request has come: the answer begins, unless it has already.
    fn requested(&mut self, packet: Packet, now: Nanos) {
        let index = packet.flow_index();
        let waited_for = self.session(index).is_some_and(|session| {
            matches!(session.state, State::Asking { .. }) && packet.number() == session.begun
        });
        if waited_for {
            self.begin_now(index, now);
        }
    }

    /// Sends whatever the sender may send at `now`.
    pub(super) fn pump(&mut self, index: u32, now: Nanos) {
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
            let more = connection.sender.may_have_more();
            let at = flow.leaves_host_at(now);
            let packet = Packet::new(kind, index, segment.number, size)
                .stamped(now)
                .with_ecn(segment.ecn)
                .with_class(flow.class)
                .retransmitted(segment.retransmission)
                .echoing(segment.cwr);
            self.accounts.totals.sent.add(size);
            self.leave_sender(packet, at);
            if !more {
                return;
            }
        }
    }

    /// A packet of data has come to the receiving host at `at`, now or ahead of time;
    /// answers with what is sent in return.
    pub(super) fn receive(&mut self, packet: Packet, at: Nanos) -> Option<Packet> {
        let flow = &mut self.flows[packet.flow_index() as usize];
        let counts = self.accounts.arrived(&mut flow.meter, &packet, at);
        let Ends::Tcp(connection) = &mut flow.ends else {
            flow.meter.goodput_bytes += u64::from(packet.size()) * u64::from(counts);
            return None;
        };
        let profile = &self.profiles[connection.profile as usize];
        if connection.passive {
            connection.meet_first(packet.number());
            if let Some(new) = connection.receiver.take(profile, packet.number()) {
                if counts && new && packet.kind() == Kind::Data {
                    flow.meter.goodput_bytes += u64::from(packet.size() - profile.header_size);
                }
                self.accounts.totals.sent.add(profile.ack_size);
                return Some(packet.answer(connection.receiver.expected(), profile.ack_size));
            }
        }
        self.receive_unusual(packet, at, counts)
    }

    /// A segment has come of which more is to be said than what is expected next.
    #[inline(never)]
    fn receive_unusual(&mut self, packet: Packet, at: Nanos, counts: bool) -> Option<Packet> {
        let index = packet.flow_index();
        let flow = &mut self.flows[index as usize];
        let Ends::Tcp(connection) = &mut flow.ends else {
            return None;
        };
        let profile = &self.profiles[connection.profile as usize];
        if !connection.passive
            && connection.receiver.deadline() <= at
            && let Some(reply) = connection.receiver.on_timer(profile, at)
        {
            // The timer of a delayed acknowledgment runs out first.
            let ack = self.reply(index, &reply);
            self.travel(ack, at);
            return self.receive_unusual(packet, at, counts);
        }
        let arrival = Arrival {
            number: packet.number(),
            ecn: packet.ecn(),
            cwr: packet.echo(),
            retransmission: packet.is_retransmission(),
            sent: packet.stamp(at),
        };
        connection.meet_first(packet.number());
        let before = connection.receiver.received();
        let reply = connection.receiver.on_segment(profile, &arrival, at);
        let new = connection.receiver.received() - before;
        if counts && packet.kind() == Kind::Data {
            let payload = packet.size().saturating_sub(profile.header_size);
            flow.meter.goodput_bytes += u64::from(new) * u64::from(payload);
        }
        let reply = reply.map(|reply| self.reply(index, &reply));
        if !self.is_passive(index) {
            self.check_answer(index, at);
            self.arm_flow(index);
        }
        reply
    }

    fn is_passive(&self, index: u32) -> bool {
        matches!(&self.flows[index as usize].ends, Ends::Tcp(c) if c.passive)
    }

    /// An answer ends for its client when all of it has come.
    fn check_answer(&mut self, index: u32, now: Nanos) {
        let Ends::Tcp(connection) = &mut self.flows[index as usize].ends else {
            return;
        };
        let Some(session) = &mut connection.session else {
            return;
        };
        if session.ends_at_receiver()
            && connection.receiver.expected() >= session.end
            && let Some(completion) = session.complete(now)
        {
            self.complete(completion);
        }
    }

    /// The acknowledgment that a receiver sends.
    #[inline]
    fn reply(&mut self, index: u32, reply: &Reply) -> Packet {
        let flow = &self.flows[index as usize];
        let size = match &flow.ends {
            Ends::Tcp(connection) => self.profiles[connection.profile as usize].ack_size,
            _ => 0,
        };
        self.accounts.totals.sent.add(size);
        let packet = Packet::new(Kind::Ack, index, reply.next, size)
            .stamped(reply.echo)
            .with_class(flow.class)
            .retransmitted(reply.echo_retransmitted)
            .echoing(reply.ece);
        if reply.length == 0 {
            return packet;
        }
        packet.with_note(self.accounts.notes.keep(Note {
            stamp: reply.echo,
            ranges: reply.ranges,
            filled: reply.length,
        }))
    }
}

impl Connection {
    /// Bytes on the wire of a segment: the last of a transfer may be shorter.
    #[inline]
    fn wire_size(&self, segment: &Segment) -> u32 {
        match &self.session {
            Some(session) if segment.number + 1 == session.end && !segment.syn => session.last_size,
            _ => segment.size,
        }
    }

    /// A receiver that gets the first segment of a connection starts over.
    fn meet_first(&mut self, number: u32) {
        if let Some(session) = &self.session
            && number == session.first
            && number == self.receiver.expected()
        {
            self.receiver.restart(number);
        }
    }

    /// Starts, stops, goes on.
    fn step(&mut self, step: Step, now: Nanos) {
        match (&mut self.session, step) {
            (Some(session), Step::Resume) => session.resume(now),
            (Some(_), _) | (None, Step::Rate(_)) => {}
            (None, Step::Resume) => self.sender.supply(u32::MAX),
            (None, Step::Stop) => self.sender.withdraw(),
        }
    }
}
