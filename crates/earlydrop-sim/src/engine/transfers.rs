//! Transfers of finite flows: each begins, ends, and starts what follows from its end.
//!
//! Where another connection must send now, its index is returned: moving packets is not done here.

use earlydrop::packet::Packet as _;
use earlydrop::units::{Bytes, Nanos};

use super::accounts::Accounts;
use super::application::{FIRST_REPEAT, Partner, Phase, Session, Transfer, number_after};
use super::event::Scheduler;
use super::flow::{Connection, Ends, Rare};
use super::flows::Flows;
use super::route::RouteTable;
use super::spawner::Starts;
use crate::empty_path::{last_payload, transfer_of};
use crate::packet::{Kind, MAX_FLOWS, Packet};
use crate::results::{Completion, TransferRecord};
use crate::streams::{Purpose, spawned, stream};
use crate::tcp::{Handshake, Rules};
use crate::traffic::{Application, FlowId, Incast};

/// What a session does when it is due.
pub(super) enum SessionDue {
    /// It sends this request.
    Request(Packet),
    /// It has started a transfer of this partner, which must send.
    TransferOf(u32),
}

impl Flows {
    /// The session of a flow, if it has one.
    pub(super) fn session(&mut self, index: u32) -> Option<&mut Session> {
        match &mut self[index].ends {
            Ends::Tcp(connection) => connection.session.as_deref_mut(),
            _ => None,
        }
    }

    /// A pause is over, or a request was not answered. `None`: the flow itself may have more to
    /// send.
    pub(super) fn on_session_due(
        &mut self,
        accounts: &mut Accounts,
        index: u32,
        now: Nanos,
    ) -> Option<SessionDue> {
        let class = self[index].segment.class();
        let session = self.session(index)?;
        let (Application::Requests { request, .. } | Application::Incast(Incast { request, .. })) =
            session.application
        else {
            let partner = self.start_next_transfer(accounts, index, now);
            return partner.map(SessionDue::TransferOf);
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
        let packet = Packet::new(Kind::Request, index, session.begun, request.0 as u32)
            .stamped(now)
            .with_class(class);
        accounts.totals.sent.add(packet.size());
        Some(SessionDue::Request(packet))
    }

    /// A request has arrived at the server: the response begins, unless it has already. Returns
    /// whether it does.
    pub(super) fn on_request(
        &mut self,
        accounts: &mut Accounts,
        packet: Packet,
        now: Nanos,
    ) -> bool {
        let index = packet.flow_index();
        let is_expected = self.session(index).is_some_and(|session| {
            matches!(session.phase, Phase::Requesting { .. }) && packet.number() == session.begun
        });
        if is_expected {
            self.start_transfer(accounts, index, now);
        }
        is_expected
    }

    /// Starts the next transfer, or requests it over the partner's connection, which is returned.
    fn start_next_transfer(
        &mut self,
        accounts: &mut Accounts,
        index: u32,
        now: Nanos,
    ) -> Option<u32> {
        if let Some(session) = self.session(index)
            && let Partner::Requester(requester) = session.partner
        {
            session.phase = Phase::Requesting {
                asked: now,
                repeat_at: Nanos::NEVER,
                wait: Nanos::ZERO,
            };
            self.start_transfer(accounts, requester, now);
            return Some(requester);
        }
        self.start_transfer(accounts, index, now);
        None
    }

    /// Gives the sender the next transfer; over a new connection unless the application keeps
    /// one. Connections of a flow number their segments on; where all numbers are used, after more
    /// than two billion segments, there is no further transfer.
    fn start_transfer(&mut self, accounts: &mut Accounts, index: u32, now: Nanos) {
        let Some((connection, profile)) = self.connection(index) else {
            return;
        };
        let Some(session) = &mut connection.session else {
            return;
        };
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
        if session.parent == index {
            session.number = u64::from(session.begun);
        }
        session.counts_before = connection.sender.counts();
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
        accounts.totals.transfers += u64::from(!requests);
    }

    /// An acknowledgment has arrived: ends the transfer if all of it is acknowledged. Returns the
    /// partner whose transfer this starts.
    pub(super) fn end_acknowledged_transfer(
        &mut self,
        index: u32,
        now: Nanos,
        routes: &RouteTable,
        accounts: &mut Accounts,
        scheduler: &mut Scheduler,
    ) -> Option<u32> {
        let (connection, _) = self.connection(index)?;
        let session = connection.session.as_mut()?;
        if session.ends_at_receiver() || connection.sender.snd_una() < session.end {
            return None;
        }
        let transfer = session.complete(now)?;
        if let Partner::Responder(responder) = session.partner {
            self.start_transfer(accounts, responder, now);
            return Some(responder);
        }
        let parent = session.parent;
        self.record_completion(index, parent, &transfer, routes, accounts);
        self.free_connection(parent, index, routes, scheduler);
        let again = self.session(index).is_some_and(|s| s.due() <= now);
        if again && self[index].state.open {
            return self.start_next_transfer(accounts, index, now);
        }
        None
    }

    /// A segment has arrived: ends the response if all of it has.
    pub(super) fn end_received_response(
        &mut self,
        index: u32,
        now: Nanos,
        routes: &RouteTable,
        accounts: &mut Accounts,
        scheduler: &mut Scheduler,
    ) {
        let Some((connection, _)) = self.connection(index) else {
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
            self.record_completion(index, parent, &transfer, routes, accounts);
            if let Partner::Barrier(barrier) = partner {
                let ideal = self.ideal_of_ended(index, transfer.bytes, routes);
                let sent_in = self.last_link_time(index, transfer.bytes, routes);
                let barrier = &mut self.barriers[barrier as usize];
                if let Some(round) = barrier.end_answer(&transfer, ideal, sent_in) {
                    if accounts.timing.counts(round.began) {
                        self.rounds.push(round);
                    }
                    let next = barrier.next_round(transfer.ended);
                    let servers = barrier.servers.clone();
                    self.start_round(&servers, next, scheduler);
                }
            }
        }
    }

    /// Lets each of a client's servers be asked at `next`, if there is another round.
    fn start_round(&mut self, servers: &[u32], next: Option<Nanos>, scheduler: &mut Scheduler) {
        let Some(next) = next else { return };
        for server in servers {
            if let Some(session) = self.session(*server) {
                session.phase = Phase::Pausing(next);
            }
            self.ensure_wake(scheduler, *server);
        }
    }

    /// Records a transfer of the connection at `index` that is over, for the described flow
    /// `parent`, if it began in the time measured.
    fn record_completion(
        &mut self,
        index: u32,
        parent: u32,
        transfer: &Transfer,
        routes: &RouteTable,
        accounts: &mut Accounts,
    ) {
        accounts.totals.completed += 1;
        if accounts.timing.counts(transfer.began) {
            let ideal = self.ideal_of_ended(index, transfer.bytes, routes);
            let record = match &self[index].ends {
                Ends::Tcp(Connection {
                    sender,
                    session: Some(session),
                    ..
                }) => session.record(sender.counts()),
                _ => TransferRecord::default(),
            };
            self.completions.push(Completion {
                flow: FlowId(parent),
                began: transfer.began,
                ended: transfer.ended,
                bytes: Bytes(transfer.bytes),
                ideal,
                record,
            });
        }
    }

    /// How long the transfer of `bytes` that has ended over the connection at `index` takes at
    /// least.
    fn ideal_of_ended(&mut self, index: u32, bytes: u64, routes: &RouteTable) -> Nanos {
        let is_first = self
            .session(index)
            .is_some_and(|session| session.begun == 1);
        self.ideal_time(index, bytes, is_first, routes)
    }

    /// How long a transfer of `bytes` over the connection at `index` takes at least; `is_first`:
    /// no other one was over this connection before.
    pub(super) fn ideal_time(
        &mut self,
        index: u32,
        bytes: u64,
        is_first: bool,
        routes: &RouteTable,
    ) -> Nanos {
        let Some((connection, profile)) = self.connection(index) else {
            return Nanos::ZERO;
        };
        let Some(session) = connection.session.as_deref() else {
            return Nanos::ZERO;
        };
        let path = routes.empty_path(index);
        path.ideal_time(profile, &session.application, Bytes(bytes), is_first)
    }

    /// How long the last link to the client takes to send an answer of `bytes`.
    fn last_link_time(&mut self, index: u32, bytes: u64, routes: &RouteTable) -> Nanos {
        let time = |profile| {
            routes
                .empty_path(index)
                .last_link_time(profile, Bytes(bytes))
        };
        self.connection(index)
            .map_or(Nanos::ZERO, |(_, profile)| time(profile))
    }

    /// A spawner's next start is due: its transfer takes a free connection or a new one, which is
    /// returned, or is skipped.
    pub(super) fn on_spawn_due(
        &mut self,
        index: u32,
        now: Nanos,
        routes: &mut RouteTable,
        accounts: &mut Accounts,
    ) -> Option<u32> {
        let (room, seed) = (self.flows.len() < MAX_FLOWS, self.seed);
        let flow = &mut self[index];
        let open = flow.state.open;
        let Ends::Spawner(spawner) = &mut flow.ends else {
            return None;
        };
        if !open || spawner.next_at > now {
            return None;
        }
        let number = spawner.next_number();
        let own = spawner.stream_of_next(seed, index);
        let listed = spawner.take_start(now);
        let begin = match &listed {
            Some((_, route)) => routes.listed_begin(*route),
            None => routes.forward_begin(index),
        };
        if spawner.in_progress >= spawner.at_most {
            spawner.left_out += 1;
            return None;
        }
        let connection = match spawner.reuse(begin) {
            Some(free) => {
                spawner.in_progress += 1;
                free
            }
            None if room => {
                spawner.in_progress += 1;
                accounts.add_flow();
                match &listed {
                    Some((_, route)) => routes.add_flow_on(*route),
                    None => routes.add_flow_like(index),
                }
                let added = self.open_connection(index);
                accounts.groups.add_connection(index, added);
                added
            }
            None => {
                spawner.left_out += 1;
                return None;
            }
        };
        if let Some(session) = self.session(connection) {
            session.number = number;
            if let Some((application, _)) = listed {
                session.application = application;
            }
            if let Some(own) = own {
                session.random = own;
            }
        }
        self.record_baseline(accounts, connection, now);
        self.start_transfer(accounts, connection, now);
        Some(connection)
    }

    /// Adds a connection to the spawner at `index`; returns the index of the new flow.
    fn open_connection(&mut self, index: u32) -> u32 {
        let (added, seed) = (self.flows.len() as u32, self.seed);
        let Ends::Spawner(spawner) = &mut self[index].ends else {
            return added;
        };
        let place = spawned(index, spawner.connections.len() as u64);
        spawner.connections.push(added);
        let mut flow = spawner.template.clone();
        flow.segment = flow.segment.of_flow(added);
        if let Some(Rare {
            overhead: Some(overhead),
            ..
        }) = flow.rare.as_deref_mut()
        {
            overhead.random = stream(seed, Purpose::SpawnedOverhead, place);
        }
        let follows = matches!(spawner.starts, Starts::AfterLast);
        let random = spawner.random.clone();
        let session = Session::new(spawner.application.clone(), random, index);
        if let Ends::Tcp(connection) = &mut flow.ends {
            connection.session = Some(Box::new(session));
        }
        if follows {
            flow.meter.details = self[index].meter.details.take();
        }
        self.flows.push(flow);
        added
    }

    /// A spawner's connection has nothing to do any more.
    fn free_connection(
        &mut self,
        parent: u32,
        index: u32,
        routes: &RouteTable,
        scheduler: &mut Scheduler,
    ) {
        if parent == index {
            return;
        }
        let route = routes.forward_begin(index);
        if let Ends::Spawner(spawner) = &mut self[parent].ends {
            spawner.free.entry(route).or_default().push(index);
            spawner.in_progress -= 1;
            if matches!(spawner.starts, Starts::AfterLast) {
                self.continue_with_new_connection(parent, index, scheduler);
            }
        }
    }

    /// The transfer of the connection at `index` has ended: the spawner at `parent` takes back what
    /// it draws from and measures, and starts the next transfer when this connection would have.
    fn continue_with_new_connection(&mut self, parent: u32, index: u32, scheduler: &mut Scheduler) {
        let details = self[index].meter.details.take();
        let Some(session) = self.session(index) else {
            return;
        };
        let (random, next_at) = (session.random.clone(), session.due());
        session.phase = Phase::Pausing(Nanos::NEVER);
        let flow = &mut self[parent];
        flow.meter.details = details;
        if let Ends::Spawner(spawner) = &mut flow.ends {
            (spawner.random, spawner.next_at) = (random, next_at);
        }
        self.ensure_wake(scheduler, parent);
    }
}
