//! Both ends of flows: packets that arrive there, what is sent in return, and what is due.

use earlydrop::packet::Packet as _;
use earlydrop::units::Nanos;

use super::access::Place;
use super::fast_path::Answer;
use super::flow::{Ends, Path, leaves_host_at};
use super::simulation::Simulation;
use super::transfers::SessionDue;
use crate::packet::{Kind, Packet};

impl Simulation {
    /// A segment or datagram arrives at its receiver, or is held for it.
    pub(super) fn arrive_at_receiver(&mut self, packet: Packet, at: Nanos) {
        let flow = &self.flows[packet.flow_index()];
        if at > self.scheduler.now && !flow.receiver_waits_until(at) {
            return self.flows.hold(&mut self.scheduler, packet, at);
        }
        self.on_forward_packet(packet, at);
    }

    /// A segment arrives at its receiver, at the end of the hop before `place`. The receiver may
    /// delay its acknowledgment.
    #[inline(never)]
    pub(super) fn arrive_at_delaying_receiver(&mut self, place: usize, segment: Packet, at: Nanos) {
        let index = segment.flow_index();
        let flow = &mut self.flows.flows[index as usize];
        let profile = flow.fast_path_profile(&self.flows.profiles);
        let accounts = &mut self.accounts;
        let Some(answer) = profile.and_then(|p| flow.ack_delayed(p, accounts, segment, at)) else {
            return self.arrive_at_waiting_receiver(place, segment, at);
        };
        if at > accounts.timing.end {
            self.accounts.totals.late += 1;
        }
        match answer {
            Answer::Now(ack) => {
                debug_assert_eq!(place, self.routes.begin(&ack), "the route back follows");
                self.forward_from(place, ack, at);
            }
            Answer::Later => {
                self.accounts.totals.delivered.add(segment.size());
                self.flows.ensure_wake(&mut self.scheduler, index);
            }
        }
    }

    /// A segment that no other shortcut fits arrives at its receiver, at the end of the hop before
    /// `place`.
    #[inline(never)]
    fn arrive_at_waiting_receiver(&mut self, place: usize, segment: Packet, at: Nanos) {
        let index = segment.flow_index();
        let flow = &mut self.flows.flows[index as usize];
        let profile = flow.fast_path_profile(&self.flows.profiles);
        let accounts = &mut self.accounts;
        let Some(answer) = profile.and_then(|p| flow.ack_any(p, accounts, segment, at)) else {
            return self.arrive(place, segment, at);
        };
        if at > accounts.timing.end {
            accounts.totals.late += 1;
        }
        // DCTCP's receiver may acknowledge the segments before, and this one later.
        self.flows.ensure_wake(&mut self.scheduler, index);
        match answer {
            Answer::Now(ack) => self.forward_from(place, ack, at),
            Answer::Later => self.accounts.totals.delivered.add(segment.size()),
        }
    }

    /// An acknowledgment that is not bare arrives at its sender, at the end of the hop before
    /// `place`.
    #[inline(never)]
    pub(super) fn arrive_at_waiting_sender(&mut self, place: usize, ack: Packet, at: Nanos) {
        let index = ack.flow_index();
        let flow = &mut self.flows.flows[index as usize];
        match flow.fast_path_profile(&self.flows.profiles) {
            Some(profile) if flow.on_any_ack(profile, &mut self.accounts, ack, at) => {
                self.send_new_segments(index, at);
            }
            _ => self.arrive(place, ack, at),
        }
    }

    /// An acknowledgment or a request arrives at its sender, or is held for it.
    pub(super) fn arrive_at_sender(&mut self, packet: Packet, at: Nanos) {
        let flow = &self.flows[packet.flow_index()];
        let waits = flow.sender_waits_until(at) && at <= self.scheduler.end;
        if at > self.scheduler.now && !waits {
            return self.flows.hold(&mut self.scheduler, packet, at);
        }
        self.on_backward_packet(packet, at);
    }

    /// A segment or datagram arrives at the receiving host at `at`, now or ahead of time, and is
    /// acknowledged. A delayed acknowledgment that is due at the same time goes first.
    pub(super) fn on_forward_packet(&mut self, packet: Packet, at: Nanos) {
        let index = packet.flow_index();
        let (flows, accounts) = (&mut self.flows, &mut self.accounts);
        let meter = &mut flows[index].meter;
        let measured = accounts.arrived(meter, &packet, at);
        if packet.kind() == Kind::Datagram {
            meter.goodput_bytes += u64::from(packet.size()) * u64::from(measured);
            return;
        }
        if let Some(ack) = flows.ack_passively(accounts, packet, measured) {
            return self.forward(ack, at);
        }
        while let Some(ack) = self.flows.poll_delayed_ack(&mut self.accounts, index, at) {
            self.forward(ack, at);
        }
        let (flows, accounts) = (&mut self.flows, &mut self.accounts);
        let ack = flows.on_segment(accounts, packet, at, measured);
        if !flows[index].state.passive {
            let scheduler = &mut self.scheduler;
            flows.end_received_response(index, at, &self.routes, accounts, scheduler);
            flows.ensure_wake(scheduler, index);
        }
        if let Some(ack) = ack {
            self.forward(ack, at);
        }
    }

    /// An acknowledgment or a request arrives at the sending host at `at`, now or ahead of time.
    pub(super) fn on_backward_packet(&mut self, packet: Packet, at: Nanos) {
        let index = packet.flow_index();
        self.accounts.totals.delivered.add(packet.size());
        self.flows.record_baseline(&mut self.accounts, index, at);
        if packet.kind() == Kind::Request {
            if self.flows.on_request(&mut self.accounts, packet, at) {
                self.send_and_wake(index, at);
            }
            return;
        }
        // A timer that expires at the very moment an acknowledgment arrives comes first.
        while self.flows.on_sender_timer(index, at) {
            self.send_segments(index, at);
        }
        self.flows.on_ack(&mut self.accounts, packet, at);
        let (accounts, scheduler) = (&mut self.accounts, &mut self.scheduler);
        let flows = &mut self.flows;
        let partner = flows.end_acknowledged_transfer(index, at, &self.routes, accounts, scheduler);
        if let Some(partner) = partner {
            self.send_and_wake(partner, at);
        }
        self.send_and_wake(index, at);
    }

    /// [`Task::Wake`](super::event::Task::Wake) is due: a timer, a step or a pause may be.
    pub(super) fn on_wake(&mut self, index: u32) {
        let now = self.scheduler.now;
        let flow = &mut self.flows[index];
        if flow.wake_at != now {
            return;
        }
        flow.wake_at = Nanos::NEVER;
        if flow.earliest_wake() > now {
            return self.flows.schedule_wake(&mut self.scheduler, index);
        }
        match &flow.ends {
            Ends::Tcp(connection)
                if flow.state.path == Path::Fast && connection.receiver.deadline() > now =>
            {
                self.on_retransmission_timer(index);
            }
            _ => self.do_due(index),
        }
    }

    /// The sender's timer expires, and no other.
    #[inline(never)]
    fn on_retransmission_timer(&mut self, index: u32) {
        let now = self.scheduler.now;
        self.flows.record_baseline(&mut self.accounts, index, now);
        self.flows.on_sender_timer(index, now);
        self.send_and_wake(index, now);
    }

    /// Does everything that is due of a flow.
    #[inline(never)]
    fn do_due(&mut self, index: u32) {
        let now = self.scheduler.now;
        let flow = &mut self.flows[index];
        let stepped = flow.apply_steps(now);
        match &flow.ends {
            Ends::Tcp(_) => self.on_connection_due(index, stepped),
            Ends::Datagrams(_) => {
                if let Some((datagram, at)) = flow.poll_datagram(index, now) {
                    self.accounts.totals.sent.add(datagram.size());
                    self.forward(datagram, at);
                }
            }
            Ends::Spawner(_) => {
                let (routes, accounts) = (&mut self.routes, &mut self.accounts);
                if let Some(connection) = self.flows.on_spawn_due(index, now, routes, accounts) {
                    self.send_and_wake(connection, now);
                }
            }
        }
        let may_be_fast = self.flows.may_be_fast;
        self.flows[index].choose_path(may_be_fast);
        self.flows.ensure_wake(&mut self.scheduler, index);
    }

    /// Runs a connection's timers and session as far as they are due, and delivers held packets.
    fn on_connection_due(&mut self, index: u32, stepped: bool) {
        let now = self.scheduler.now;
        self.flows.record_baseline(&mut self.accounts, index, now);
        let timer_due = self.flows.on_sender_timer(index, now);
        let ack = self.flows.poll_delayed_ack(&mut self.accounts, index, now);
        let session_due = self.flows[index].session_due() <= now;
        if let Some(ack) = ack {
            self.forward(ack, now);
        }
        if session_due {
            match self.flows.on_session_due(&mut self.accounts, index, now) {
                Some(SessionDue::Request(packet)) => self.forward(packet, now),
                Some(SessionDue::TransferOf(partner)) => self.send_and_wake(partner, now),
                None => {}
            }
        }
        // If nothing was due, the sender may have acted ahead of time already.
        if timer_due || session_due || stepped {
            self.send_segments(index, now);
        }
        while let Some((at, packet)) = self.flows[index].release(now, self.scheduler.end) {
            match packet.is_forward() {
                true => self.on_forward_packet(packet, at),
                false => self.on_backward_packet(packet, at),
            }
        }
    }

    /// A sender has received an acknowledgment and sends the segments that its window allows.
    #[inline(always)]
    pub(super) fn send_new_segments(&mut self, index: u32, now: Nanos) {
        let flow = &mut self.flows.flows[index as usize];
        let profile = &self.flows.profiles[flow.profile as usize];
        let Ends::Tcp(connection) = &mut flow.ends else {
            return;
        };
        let sender = &mut connection.sender;
        while sender.may_have_more(profile, now) {
            let place = self.routes.forward_begin(index);
            let Some(rate) = self.routes.hops[place].access_to_event() else {
                return self.send_and_wake(index, now);
            };
            let Some(number) = sender.poll_transmit_fast(now) else {
                return self.send_and_wake(index, now);
            };
            flow.counted.sent += 1;
            let segment = flow.segment.packet(number, now);
            let leaves_at = leaves_host_at(flow.state.has_overhead, &mut flow.rare, now);
            let link = &mut self.flows.access[index as usize][Place::near(true)];
            let rate = &mut self.links.access_rates[rate as usize];
            let at = link.transmit(rate, &segment, leaves_at);
            if at < self.scheduler.now {
                self.arrive(place + 1, segment, at);
                return self.send_and_wake(index, now);
            }
            self.scheduler.resume_sent(at, segment.at_next_hop());
        }
        if flow.wake_at > sender.deadline() {
            self.flows.schedule_wake(&mut self.scheduler, index);
        }
    }

    /// Sends every segment that the sender may send at `now`, and schedules its wake event: the
    /// slow path of [`send_new_segments`](Simulation::send_new_segments).
    #[inline(never)]
    fn send_and_wake(&mut self, index: u32, now: Nanos) {
        self.send_segments(index, now);
        self.flows.ensure_wake(&mut self.scheduler, index);
    }

    /// A segment has left the queue of its host's network card: its sender may send another.
    pub(super) fn on_left_nic(&mut self, segment: &Packet) {
        let index = segment.flow_index();
        let state = &mut self.flows[index].state;
        let waited = state.waits_for_nic();
        if let Some(waiting) = &mut state.at_nic
            && matches!(segment.kind(), Kind::Data | Kind::Syn)
        {
            *waiting -= 1;
            if waited {
                self.send_and_wake(index, self.scheduler.now);
            }
        }
    }

    /// Sends every segment that the sender may send at `now`.
    fn send_segments(&mut self, index: u32, now: Nanos) {
        let mut more = true;
        while more
            && !self.flows[index].state.waits_for_nic()
            && let Some((segment, leaves_at, again)) = self.flows.poll_segment(index, now)
        {
            more = again;
            if let Some(waiting) = &mut self.flows[index].state.at_nic {
                *waiting += 1;
            }
            self.accounts.totals.sent.add(segment.size());
            self.forward_segment(segment, leaves_at);
        }
    }
}
