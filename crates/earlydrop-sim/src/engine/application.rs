//! Applications: the transfers, pauses and requests of finite flows.

use earlydrop::packet::Packet as _;
use earlydrop::random::Pcg32;
use earlydrop::units::{Bytes, Nanos};

use super::Simulation;
use super::flow::Ends;
use crate::empty_path::{last_payload, transfer_of};
use crate::packet::{Kind, Packet};
use crate::results::Completion;
use crate::tcp::{Handshake, Rules};
use crate::traffic::{Application, FlowId, Incast};

/// A finite application over one connection.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub(super) application: Application,
    pub(super) random: Pcg32,
    pub(super) phase: Phase,
    /// The number of the connection's first segment.
    pub(super) first: u32,
    /// The number after the transfer's last segment.
    pub(super) end: u32,
    /// The size of the transfer's last segment on the wire, in bytes.
    pub(super) last_size: u32,
    /// The described flow that its transfers count for.
    pub(super) parent: u32,
    /// Transfers begun.
    pub(super) begun: u32,
    pub(super) partner: Partner,
}

/// The flow that a session works together with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Partner {
    None,
    /// The barrier of its client, by number.
    Barrier(u32),
    /// The flow whose transfers are the requests for this one's.
    Requester(u32),
    /// The flow that this one's transfers are requests for.
    Responder(u32),
}

/// What an application is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Phase {
    /// The next transfer, or request, starts at this time; never, if there is none.
    Pausing(Nanos),
    /// A request is on its way since `asked`, and is repeated at `repeat_at`, `wait` after it was
    /// last sent.
    Requesting {
        asked: Nanos,
        repeat_at: Nanos,
        wait: Nanos,
    },
    /// A transfer of `bytes` goes on since `since`.
    Transferring { since: Nanos, bytes: u64 },
}

/// How long a client waits for the first response before it repeats its request; twice as long
/// each time after. The initial timeout of RFC 6298, section 2.1.
const FIRST_REPEAT: Nanos = Nanos::from_secs(1);

/// The number after so many segments from `first` on; `None` where 32 bits do not count them, or
/// as many as mean [endless](crate::tcp::Sender::supply) data.
fn number_after(first: u32, segments: u32) -> Option<u32> {
    first.checked_add(segments).filter(|end| *end < u32::MAX)
}

impl Session {
    pub(super) fn new(application: Application, random: Pcg32, parent: u32) -> Session {
        Session {
            application,
            random,
            phase: Phase::Pausing(Nanos::NEVER),
            first: 0,
            end: 0,
            last_size: 0,
            parent,
            begun: 0,
            partner: Partner::None,
        }
    }

    /// When it next does something of its own accord.
    pub(super) fn due(&self) -> Nanos {
        match self.phase {
            Phase::Pausing(until) => until,
            Phase::Requesting { repeat_at, .. } => repeat_at,
            Phase::Transferring { .. } => Nanos::NEVER,
        }
    }

    /// Starts, or continues, after a stop.
    pub(super) fn resume(&mut self, now: Nanos) {
        let over = matches!(self.application, Application::Transfer(_)) && self.begun > 0;
        // A server that has answered waits for its client.
        let waits = matches!(self.partner, Partner::Barrier(_))
            && self.begun > 0
            && self.phase == Phase::Pausing(Nanos::NEVER);
        if matches!(self.phase, Phase::Pausing(_)) && !over && !waits {
            self.phase = Phase::Pausing(now);
        }
    }

    /// Whether a transfer ends when its last byte arrives; otherwise when that is acknowledged.
    pub(super) fn ends_at_receiver(&self) -> bool {
        matches!(
            self.application,
            Application::Requests { .. } | Application::Incast(_)
        )
    }

    /// Ends the transfer at `at` and pauses until the next; `None` if there is no transfer.
    fn complete(&mut self, at: Nanos) -> Option<Transfer> {
        let Phase::Transferring { since, bytes } = self.phase else {
            return None;
        };
        let pause = match self.partner {
            Partner::Responder(_) => None,
            _ => self.application.draw_pause(&mut self.random),
        };
        self.phase = Phase::Pausing(pause.map_or(Nanos::NEVER, |pause| at + pause));
        Some(Transfer {
            began: since,
            ended: at,
            bytes,
        })
    }
}

/// A transfer that has ended.
pub(super) struct Transfer {
    pub(super) began: Nanos,
    pub(super) ended: Nanos,
    pub(super) bytes: u64,
}

impl Simulation {
    /// The session of a flow, if it has one.
    pub(super) fn session(&mut self, index: u32) -> Option<&mut Session> {
        match &mut self.flows[index as usize].ends {
            Ends::Tcp(connection) => connection.session.as_deref_mut(),
            _ => None,
        }
    }

    /// A pause is over, or a request was not answered.
    pub(super) fn on_session_due(&mut self, index: u32, now: Nanos) {
        let class = self.flows[index as usize].class;
        let Some(session) = self.session(index) else {
            return;
        };
        let (Application::Requests { request, .. } | Application::Incast(Incast { request, .. })) =
            session.application
        else {
            return self.start_next_transfer(index, now);
        };
        let (asked, wait) = match session.phase {
            Phase::Requesting { asked, wait, .. } => (asked, Nanos(2 * wait.0)),
            _ => (now, FIRST_REPEAT),
        };
        session.phase = Phase::Requesting {
            asked,
            repeat_at: now + wait,
            wait,
        };
        let number = session.begun;
        let packet = Packet::new(Kind::Request, index, number, request.0 as u32)
            .stamped(now)
            .with_class(class);
        self.accounts.totals.sent.add(packet.size());
        self.forward(packet, now);
    }

    /// A request has arrived at the server: the response begins, unless it has already.
    pub(super) fn on_request(&mut self, packet: Packet, now: Nanos) {
        let index = packet.flow_index();
        let is_expected = self.session(index).is_some_and(|session| {
            matches!(session.phase, Phase::Requesting { .. }) && packet.number() == session.begun
        });
        if is_expected {
            self.start_transfer_and_send(index, now);
        }
    }

    /// Starts the next transfer, or requests it over the partner's connection.
    fn start_next_transfer(&mut self, index: u32, now: Nanos) {
        if let Some(session) = self.session(index)
            && let Partner::Requester(requester) = session.partner
        {
            session.phase = Phase::Requesting {
                asked: now,
                repeat_at: Nanos::NEVER,
                wait: Nanos::ZERO,
            };
            self.start_transfer_and_send(requester, now);
        } else {
            self.start_transfer(index, now);
        }
    }

    /// Starts a transfer of a flow that is not being handled now, and sends what it may.
    pub(super) fn start_transfer_and_send(&mut self, index: u32, now: Nanos) {
        self.start_transfer(index, now);
        self.send_segments(index, now);
        self.ensure_wake(index);
    }

    /// Gives the sender the next transfer; over a new connection unless the application keeps
    /// one. Connections of a flow number their segments on; where all numbers are used, after more
    /// than two billion segments, there is no further transfer.
    fn start_transfer(&mut self, index: u32, now: Nanos) {
        let flow = &mut self.flows[index as usize];
        let Ends::Tcp(connection) = &mut flow.ends else {
            return;
        };
        let Some(session) = &mut connection.session else {
            return;
        };
        let profile = &self.profiles[connection.profile as usize];
        let drawn = session.application.draw_size(&mut session.random);
        let (bytes, segments) = transfer_of(drawn, profile);
        let first = session.begun == 0;
        let fresh = !session.ends_at_receiver() || first;
        let opening = u32::from(fresh && profile.handshake != Handshake::None);
        let Some(end) = number_after(session.end, segments + opening) else {
            session.phase = Phase::Pausing(Nanos::NEVER);
            return;
        };
        if fresh && !first {
            connection.sender.restart(profile, now);
            session.first = session.end;
        }
        session.begun += 1;
        let since = match session.phase {
            Phase::Requesting { asked, .. } => asked,
            _ => now,
        };
        session.phase = Phase::Transferring { since, bytes };
        session.end = end;
        // ns-2's agents count packets, and all of them are full.
        session.last_size = match profile.rules {
            Rules::Standard => last_payload(bytes, profile) + profile.header_size,
            Rules::Ns2 => profile.segment_size,
        };
        connection.sender.supply(session.end);
        let requests = matches!(session.partner, Partner::Responder(_));
        self.accounts.totals.transfers += u64::from(!requests);
    }

    /// An acknowledgment has arrived: ends the transfer if all of it is acknowledged.
    pub(super) fn end_acknowledged_transfer(&mut self, index: u32, now: Nanos) {
        let Ends::Tcp(connection) = &mut self.flows[index as usize].ends else {
            return;
        };
        let Some(session) = &mut connection.session else {
            return;
        };
        if session.ends_at_receiver() || connection.sender.snd_una() < session.end {
            return;
        }
        if let Some(transfer) = session.complete(now) {
            if let Partner::Responder(responder) = session.partner {
                return self.start_transfer_and_send(responder, now);
            }
            let parent = session.parent;
            self.record_completion(index, parent, &transfer);
            self.free_connection(parent, index);
            let again = self.session(index).is_some_and(|s| s.due() <= now);
            if again && self.flows[index as usize].state.open {
                self.start_next_transfer(index, now);
            }
        }
    }

    /// A segment has arrived: ends the response if all of it has.
    pub(super) fn end_received_response(&mut self, index: u32, now: Nanos) {
        let Ends::Tcp(connection) = &mut self.flows[index as usize].ends else {
            return;
        };
        let Some(session) = &mut connection.session else {
            return;
        };
        if session.ends_at_receiver()
            && connection.receiver.rcv_nxt() >= session.end
            && let Some(transfer) = session.complete(now)
        {
            let (parent, partner) = (session.parent, session.partner);
            self.record_completion(index, parent, &transfer);
            if let Partner::Barrier(barrier) = partner {
                self.end_answer(barrier, index, &transfer);
            }
        }
    }

    /// Records a transfer of the connection at `index` that is over, for the described flow
    /// `parent`, if it began after the warm-up.
    fn record_completion(&mut self, index: u32, parent: u32, transfer: &Transfer) {
        self.accounts.totals.completed += 1;
        if transfer.began >= self.accounts.timing.from {
            self.completions.push(Completion {
                flow: FlowId(parent),
                began: transfer.began,
                ended: transfer.ended,
                bytes: Bytes(transfer.bytes),
                ideal: self.ideal_time(index, transfer.bytes),
            });
        }
    }

    /// How long a transfer of `bytes` over the connection at `index` takes at least.
    pub(super) fn ideal_time(&self, index: u32, bytes: u64) -> Nanos {
        let Ends::Tcp(connection) = &self.flows[index as usize].ends else {
            return Nanos::ZERO;
        };
        let Some(session) = connection.session.as_deref() else {
            return Nanos::ZERO;
        };
        let profile = &self.profiles[connection.profile as usize];
        let path = self.routes.empty_path(index);
        path.ideal_time(
            profile,
            &session.application,
            Bytes(bytes),
            session.begun == 1,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::{Algorithm, MAX_TRANSFER, Profile};

    #[test]
    fn drawn_sizes_are_bound_to_the_largest_transfer() {
        let profile = Profile::modern(Algorithm::Reno);
        let payload = u64::from(profile.payload());
        let largest = profile.largest_transfer().0;
        let wrapped = (1_u64 << 32) * payload;
        for (drawn, bytes, segments, last) in [
            (0, 1, 1, 1),
            (payload, payload, 1, payload),
            (payload + 1, payload + 1, 2, 1),
            (largest, largest, MAX_TRANSFER, payload),
            (wrapped + 1, largest, MAX_TRANSFER, payload),
            (u64::MAX, largest, MAX_TRANSFER, payload),
        ] {
            assert_eq!(
                transfer_of(Bytes(drawn), &profile),
                (bytes, segments),
                "{drawn}"
            );
            assert_eq!(u64::from(last_payload(bytes, &profile)), last, "{drawn}");
        }
    }

    #[test]
    fn numbers_that_are_used_up_are_not_used_again() {
        assert_eq!(number_after(MAX_TRANSFER, 10), Some(MAX_TRANSFER + 10));
        assert_eq!(
            number_after(MAX_TRANSFER, MAX_TRANSFER - 2),
            Some(u32::MAX - 1)
        );
        assert_eq!(number_after(MAX_TRANSFER, MAX_TRANSFER - 1), None);
        assert_eq!(number_after(MAX_TRANSFER + 1, MAX_TRANSFER), None);
    }
}
