//! Connections and transfers: opens connections, writes to them, starts and completes transfers.

use std::cmp::Reverse;
use std::net::Ipv4Addr;

use earlydrop::units::Nanos;
use earlydrop_sim::traffic::Application;
use nix::sys::epoll::{EpollEvent, EpollFlags};

use super::TrafficGenerator;
use super::flow::{AppState, Source};
use super::socket_table::{Entry, Role};
use super::sockets::{self, CONNECTION_BROKE, PAYLOAD};
use crate::LiveError;
use crate::error::Context;
use crate::run::hosts::End;

impl TrafficGenerator {
    /// Sets a flow's timer to its next action, unless it already expires earlier.
    pub(super) fn arm_timer(&mut self, number: u32) {
        let flow = &mut self.flows[number as usize];
        let due = flow.due();
        if due < flow.wake_at {
            flow.wake_at = due;
            self.timers.push(Reverse((due, number)));
        }
    }

    /// Writes pending bytes to a connection until its buffer is full.
    pub(super) fn write_pending(&mut self, number: usize) -> Result<(), LiveError> {
        let (Some(mut role), Some(socket)) = (self.table.role(number), self.table.socket(number))
        else {
            return Ok(());
        };
        let flows = &self.flows;
        match &mut role {
            Role::Sender {
                flow, left, ended, ..
            } if !*ended => {
                let endless = *left == u64::MAX;
                if endless && !flows[*flow as usize].open {
                    return Ok(());
                }
                sockets::send_pending(socket, left, !endless, &PAYLOAD)
                    .context(CONNECTION_BROKE)?;
                if *left == 0 {
                    *ended = true;
                    sockets::end(socket).context(CONNECTION_BROKE)?;
                }
            }
            Role::Server { left, .. } | Role::Client { left, .. } => {
                sockets::send_pending(socket, left, false, &PAYLOAD).context(CONNECTION_BROKE)?;
            }
            _ => return Ok(()),
        }
        self.table.set_role(number, role);
        Ok(())
    }

    /// Starts the next transfer of a flow's only session, or requests it.
    pub(super) fn next_transfer(&mut self, number: u32, now: Nanos) -> Result<(), LiveError> {
        let Some(session) = self.flows[number as usize].session(0) else {
            return Ok(());
        };
        let request = session.request;
        match session.application {
            Application::Pages { .. } => {
                session.state = AppState::Asking(now);
                self.open_sender(number, 0, request, true).map(|_| ())
            }
            Application::Requests { .. } => {
                session.state = AppState::Asking(now);
                match session.client {
                    Some(client) => self.send_request(client, request),
                    None => self.open_client(number, request),
                }
            }
            _ => self.begin_transfer(number, 0, now),
        }
    }

    /// Starts a transfer over a new connection.
    pub(super) fn begin_transfer(
        &mut self,
        number: u32,
        slot: u32,
        now: Nanos,
    ) -> Result<(), LiveError> {
        let Some(session) = self.flows[number as usize].session(slot) else {
            return Ok(());
        };
        let bytes = session.begin(now);
        self.report.transfers += 1;
        self.open_sender(number, slot, bytes, false).map(|_| ())
    }

    /// Completes a transfer, and schedules the next.
    pub(super) fn complete(&mut self, number: u32, slot: u32, now: Nanos) -> Result<(), LiveError> {
        let flow = &mut self.flows[number as usize];
        let finished = flow.session(slot).and_then(|session| session.complete(now));
        if let Source::Spawner(spawner) = &mut flow.source {
            spawner.idle.push(slot);
        }
        if let Some((began, bytes)) = finished {
            self.completed(number, began, now, bytes);
        }
        self.arm_timer(number);
        Ok(())
    }

    /// Opens a connection that sends `left` bytes; returns its number.
    pub(super) fn open_sender(
        &mut self,
        flow: u32,
        slot: u32,
        left: u64,
        is_request: bool,
    ) -> Result<usize, LiveError> {
        let from = self.flows[flow as usize].from;
        let end = if is_request { from.other() } else { from };
        let role = Role::Sender {
            flow,
            slot,
            left,
            ended: false,
            is_request,
        };
        let number = self.open(end, sockets::DATA, flow, role, EpollFlags::EPOLLRDHUP)?;
        if !is_request {
            self.flows[flow as usize].meter.watched = Some(number);
        }
        Ok(number)
    }

    /// Opens the connection of a flow's requests and responses, and sends the first request.
    fn open_client(&mut self, flow: u32, request: u64) -> Result<(), LiveError> {
        let end = self.flows[flow as usize].from.other();
        let (left, awaiting) = (request, 0);
        let role = Role::Client {
            flow,
            left,
            awaiting,
        };
        let number = self.open(end, sockets::REQUESTS, flow, role, EpollFlags::EPOLLIN)?;
        if let Some(session) = self.flows[flow as usize].session(0) {
            session.client = Some(number);
        }
        Ok(())
    }

    fn send_request(&mut self, client: usize, request: u64) -> Result<(), LiveError> {
        if let Some(Role::Client {
            flow,
            left,
            awaiting,
        }) = self.table.role(client)
        {
            let left = left + request;
            let role = Role::Client {
                flow,
                left,
                awaiting,
            };
            self.table.set_role(client, role);
        }
        self.write_pending(client)
    }

    /// Opens a connection from an end; epoll reports when it is writable, and `also`.
    fn open(
        &mut self,
        end: End,
        port: u16,
        flow: u32,
        role: Role,
        also: EpollFlags,
    ) -> Result<usize, LiveError> {
        self.enter(end)?;
        let addresses = self.addresses(flow, end);
        let class = self.flows[flow as usize].traffic_class;
        let socket = sockets::connecting(addresses, port, class);
        let socket = socket.context("opening a connection")?;
        if port == sockets::REQUESTS {
            sockets::set_nodelay(&socket).context("setting up a connection")?;
        }
        let interest = EpollFlags::EPOLLET | EpollFlags::EPOLLOUT | also;
        self.add(Entry { socket, role }, interest)
    }

    /// Adds a socket with these epoll events; returns its number.
    pub(super) fn add(&mut self, entry: Entry, interest: EpollFlags) -> Result<usize, LiveError> {
        let number = self.table.add(entry);
        if let Some(socket) = self.table.socket(number) {
            let event = EpollEvent::new(interest, number as u64);
            self.epoll.add(socket, event).context("watching a socket")?;
        }
        Ok(number)
    }

    /// A flow's address at this end, and at the other.
    pub(super) fn addresses(&self, flow: u32, end: End) -> [Ipv4Addr; 2] {
        let [near, far] = self.addresses.addresses(flow);
        match end {
            End::Near => [near, far],
            End::Far => [far, near],
        }
    }

    /// Enters the namespace of an end, in which sockets are then opened.
    pub(super) fn enter(&mut self, end: End) -> Result<(), LiveError> {
        if self.at != Some(end) {
            self.hosts.enter(end)?;
            self.at = Some(end);
        }
        Ok(())
    }
}
