//! Reacts to socket events: accepts connections, reads, writes, detects the end.

use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use earlydrop::units::Nanos;
use nix::sys::epoll::EpollFlags;

use super::socket_table::{Entry, Role};
use super::sockets::{self, CONNECTION_BROKE, TcpInfo};
use super::{LISTENERS, TrafficGenerator};
use crate::LiveError;
use crate::error::Context;
use crate::run::hosts::{DATAGRAM_HEADERS, End};

impl TrafficGenerator {
    /// Handles the events of the socket with this number.
    pub(super) fn handle(
        &mut self,
        number: u64,
        flags: EpollFlags,
        now: Nanos,
    ) -> Result<(), LiveError> {
        if number >= LISTENERS {
            return self.accept((number - LISTENERS) as usize);
        }
        let number = number as usize;
        let Some(role) = self.table.role(number) else {
            return Ok(());
        };
        let failed = flags.contains(EpollFlags::EPOLLERR);
        if failed && !matches!(role, Role::DatagramReceiver { .. } | Role::Receiver { .. }) {
            let socket = self.table.socket(number);
            if let Some(problem) = socket.and_then(sockets::problem) {
                return Err(problem).context(CONNECTION_BROKE);
            }
        }
        match role {
            Role::Sender { ended: false, .. } => self.write_pending(number),
            Role::Sender { .. } => self.check_completion(number, now),
            Role::Receiver { flow, counts } => self.receive(number, flow, counts, now),
            Role::DatagramReceiver { flow } => self.receive_datagrams(number, flow, now),
            Role::Server { flow, .. } => {
                self.receive_request(number, flow, now)?;
                self.write_pending(number)
            }
            Role::Client { flow, .. } => {
                self.receive_response(number, flow, now)?;
                self.write_pending(number)
            }
        }
    }

    /// Completes a sender's transfer if all of it is acknowledged.
    fn check_completion(&mut self, number: usize, now: Nanos) -> Result<(), LiveError> {
        let (Some(role), Some(socket)) = (self.table.role(number), self.table.socket(number))
        else {
            return Ok(());
        };
        let Role::Sender {
            flow,
            slot,
            is_request,
            ..
        } = role
        else {
            return Ok(());
        };
        let info = TcpInfo::of(socket).context("reading the state of a connection")?;
        if !info.is_over() {
            return Ok(());
        }
        self.table.remove(number);
        if is_request {
            return self.begin_transfer(flow, slot, now);
        }
        let meter = &mut self.flows[flow as usize].meter;
        meter.over = meter.over.plus(&info.counts());
        meter.smoothed_rtt = info.smoothed_rtt();
        meter.window = f64::from(info.window());
        meter.watched = None;
        self.complete(flow, slot, now)
    }

    /// Discards received bytes; returns their number, and whether the other side has closed.
    fn read(&mut self, number: usize, flow: u32) -> Result<(u64, bool), LiveError> {
        let Some(socket) = self.table.socket(number) else {
            return Ok((0, true));
        };
        if let Some(most) = self.flows[flow as usize].window_clamp {
            sockets::clamp_window(socket, most).context("clamping the receive window")?;
        }
        let mut all = 0;
        loop {
            match sockets::discard(socket, &mut self.buffer).context(CONNECTION_BROKE)? {
                Some(0) => return Ok((all, true)),
                Some(length) => {
                    all += length as u64;
                    if length < self.buffer.len() {
                        return Ok((all, false));
                    }
                }
                None => return Ok((all, false)),
            }
        }
    }

    fn receive(
        &mut self,
        number: usize,
        flow: u32,
        counts: bool,
        now: Nanos,
    ) -> Result<(), LiveError> {
        let (bytes, ended) = self.read(number, flow)?;
        self.count(flow, if counts { bytes } else { 0 }, now);
        if ended {
            self.table.remove(number);
        }
        Ok(())
    }

    fn count(&mut self, flow: u32, bytes: u64, now: Nanos) {
        if self.is_measured(now) {
            self.flows[flow as usize].meter.bytes += bytes;
        }
    }

    fn receive_datagrams(&mut self, number: usize, flow: u32, now: Nanos) -> Result<(), LiveError> {
        let Some(socket) = self.table.socket(number) else {
            return Ok(());
        };
        let mut bytes = 0;
        // An error of one datagram, such as ICMP, does not affect the next.
        while let Ok(Some(length)) = sockets::discard(socket, &mut self.buffer) {
            bytes += length as u64 + DATAGRAM_HEADERS;
        }
        self.count(flow, bytes, now);
        Ok(())
    }

    /// Reads a request; once it is complete, the response starts.
    fn receive_request(&mut self, number: usize, flow: u32, now: Nanos) -> Result<(), LiveError> {
        let (bytes, _) = self.read(number, flow)?;
        let Some(Role::Server { read, left, .. }) = self.table.role(number) else {
            return Ok(());
        };
        let (mut read, mut left) = (read + bytes, left);
        let session = self.flows[flow as usize].session(0);
        let Some(session) = session.filter(|session| read >= session.request) else {
            let role = Role::Server { flow, read, left };
            self.table.set_role(number, role);
            return Ok(());
        };
        read -= session.request;
        let response = session.begin(now);
        let client = session.client;
        left += response;
        self.report.transfers += 1;
        self.table
            .set_role(number, Role::Server { flow, read, left });
        if let Some(client) = client
            && let Some(Role::Client { left, awaiting, .. }) = self.table.role(client)
        {
            let awaiting = awaiting + response;
            self.table.set_role(
                client,
                Role::Client {
                    flow,
                    left,
                    awaiting,
                },
            );
        }
        Ok(())
    }

    /// Reads a response; the transfer is complete when all of it has arrived.
    fn receive_response(&mut self, number: usize, flow: u32, now: Nanos) -> Result<(), LiveError> {
        let (bytes, _) = self.read(number, flow)?;
        let Some(Role::Client { left, awaiting, .. }) = self.table.role(number) else {
            return Ok(());
        };
        if bytes == 0 {
            return Ok(());
        }
        self.count(flow, bytes, now);
        let awaiting = awaiting.saturating_sub(bytes);
        let role = Role::Client {
            flow,
            left,
            awaiting,
        };
        self.table.set_role(number, role);
        match awaiting {
            0 => self.complete(flow, 0, now),
            _ => Ok(()),
        }
    }

    /// Accepts pending connections.
    fn accept(&mut self, listener: usize) -> Result<(), LiveError> {
        let action = "accepting a connection";
        loop {
            let listener = &self.listeners[listener];
            let (end, requests) = (listener.end, listener.requests);
            let (stream, from) = match listener.socket.accept() {
                Ok(taken) => taken,
                Err(problem) if problem.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                // The client gave up before it was accepted.
                Err(problem) if problem.kind() == io::ErrorKind::ConnectionAborted => continue,
                Err(problem) => return Err(problem).context(action),
            };
            stream.set_nonblocking(true).context(action)?;
            self.add_accepted(stream.into(), from, end, requests)
                .context(action)??;
        }
    }

    /// Adds an accepted connection; its source address identifies the flow.
    fn add_accepted(
        &mut self,
        socket: OwnedFd,
        from: SocketAddr,
        end: End,
        requests: bool,
    ) -> io::Result<Result<(), LiveError>> {
        let SocketAddr::V4(from) = from else {
            return Ok(Ok(()));
        };
        let Some(number) = self.addresses.flow_at(from.ip().octets()) else {
            return Ok(Ok(()));
        };
        let flow = &self.flows[number as usize];
        sockets::set_traffic_class(&socket, flow.traffic_class)?;
        let mut interest = EpollFlags::EPOLLIN;
        let role = if requests {
            sockets::set_nodelay(&socket)?;
            interest |= EpollFlags::EPOLLOUT | EpollFlags::EPOLLET;
            let (read, left) = (0, 0);
            Role::Server {
                flow: number,
                read,
                left,
            }
        } else {
            Role::Receiver {
                flow: number,
                counts: end != flow.from,
            }
        };
        let socket = Entry { socket, role };
        Ok(self.add(socket, interest).map(|added| {
            if requests {
                self.flows[number as usize].meter.watched = Some(added);
            }
        }))
    }
}
