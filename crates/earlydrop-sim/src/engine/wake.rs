//! Wake events: what flows do of their own accord, when a timer, a step or a pause is due.
//!
//! A flow has one wake event for all of it, at the earliest time something may be due. A timer
//! that moves later, as the retransmission timer does with each acknowledgment, leaves the event
//! where it is: when the event is due, it finds that it is early and is scheduled again.

use earlydrop::units::Nanos;

use super::Simulation;
use super::event::Task;
use super::flow::{Connection, Ends, Flow, Path};
use crate::traffic::Step;

impl Simulation {
    /// [`Task::Wake`] is due.
    pub(super) fn on_wake(&mut self, index: u32) {
        let flow = &mut self.flows[index as usize];
        if flow.wake_at != self.now {
            return;
        }
        flow.wake_at = Nanos::NEVER;
        if flow.earliest_wake() > self.now {
            return self.schedule_wake(index);
        }
        let is_fast = flow.state.path == Path::Fast;
        match &flow.ends {
            Ends::Tcp(connection) if is_fast && connection.receiver.deadline() > self.now => {
                self.on_retransmission_timer(index);
            }
            _ => self.do_due(index),
        }
    }

    /// Does everything that is due of a flow.
    #[inline(never)]
    fn do_due(&mut self, index: u32) {
        let stepped = self.apply_steps(index);
        match &self.flows[index as usize].ends {
            Ends::Tcp(_) => self.on_connection_due(index, stepped),
            Ends::Datagrams(_) => self.on_datagram_due(index),
            Ends::Spawner(_) => self.on_spawn_due(index),
        }
        self.flows[index as usize].choose_path(self.may_be_fast);
        self.ensure_wake(index);
    }

    /// Schedules a flow's wake event, unless one is due early enough.
    #[inline(always)]
    pub(super) fn ensure_wake(&mut self, index: u32) {
        let flow = &self.flows[index as usize];
        if flow.wake_at > flow.earliest_wake() {
            self.schedule_wake(index);
        }
    }

    /// Schedules a flow's wake event for when something is next due.
    #[inline(never)]
    pub(super) fn schedule_wake(&mut self, index: u32) {
        let flow = &mut self.flows[index as usize];
        let due = flow.next_wake();
        if due < flow.wake_at {
            let at = due.max(self.now);
            flow.wake_at = at;
            self.events.push(at, Task::Wake(index).event());
        }
    }

    /// Applies the starts, stops and changes that are due; returns whether there were any.
    fn apply_steps(&mut self, index: u32) -> bool {
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
                Step::Stop => flow.state.open = false,
                Step::Resume => flow.state.open = true,
                Step::Rate(_) => {}
            }
            match &mut flow.ends {
                Ends::Tcp(connection) => connection.apply(step, now),
                Ends::Datagrams(source) => source.apply(step, now),
                Ends::Spawner(spawner) if step == Step::Resume => spawner.resume(now),
                Ends::Spawner(_) => {}
            }
        }
        any
    }

    /// Runs a connection's timers and session as far as they are due, and delivers held packets.
    fn on_connection_due(&mut self, index: u32, stepped: bool) {
        let now = self.now;
        self.record_baseline(index, now);
        let Flow { state, ends, .. } = &mut self.flows[index as usize];
        let Ends::Tcp(connection) = ends else { return };
        let profile = &self.profiles[connection.profile as usize];
        let timer_due = connection.sender.deadline() <= now;
        if timer_due {
            connection.sender.on_timer(profile, now);
        }
        let ack_due = !state.passive && connection.receiver.deadline() <= now;
        let reply = ack_due.then(|| connection.receiver.on_timer(profile, now));
        let session = connection.session.as_ref();
        let session_due = state.open && session.is_some_and(|session| session.due() <= now);
        if let Some(reply) = reply.flatten() {
            let ack = self.ack_packet(index, &reply);
            self.forward(ack, now);
        }
        if session_due {
            self.on_session_due(index, now);
        }
        // If nothing was due, the sender may have acted ahead of time already.
        if timer_due || session_due || stepped {
            self.send_segments(index, now);
        }
        self.deliver_held(index);
    }

    /// Delivers held packets to their ends, as far ahead as possible.
    fn deliver_held(&mut self, index: u32) {
        let (now, end) = (self.now, self.end);
        while let Some((at, packet)) = self.flows[index as usize].release(now, end) {
            if !packet.is_forward() {
                self.on_backward_packet(packet, at);
            } else if let Some(ack) = self.on_forward_packet(packet, at) {
                self.forward(ack, at);
            }
        }
    }

    /// Records what a sender did in the warm-up, before it first acts after that.
    #[inline]
    pub(super) fn record_baseline(&mut self, index: u32, at: Nanos) {
        if !self.accounts.timing.warmed_up_by(at) {
            return;
        }
        let Flow { ends, state, .. } = &mut self.flows[index as usize];
        if let Ends::Tcp(connection) = ends
            && !std::mem::replace(&mut state.has_baseline, true)
        {
            let counts = connection.sender.counts();
            self.accounts.set_baseline(index, counts);
        }
    }
}

impl Connection {
    /// Applies a start or a stop.
    fn apply(&mut self, step: Step, now: Nanos) {
        match (&mut self.session, step) {
            (Some(session), Step::Resume) => session.resume(now),
            (Some(_), _) | (None, Step::Rate(_)) => {}
            (None, Step::Resume) => self.sender.supply(u32::MAX),
            (None, Step::Stop) => self.sender.withdraw(),
        }
    }
}
