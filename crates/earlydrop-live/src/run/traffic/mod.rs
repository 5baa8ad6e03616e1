//! The traffic generator of a run: every application and pattern of the simulator, over the
//! kernel's TCP and in datagrams. One thread drives both ends of all flows, so there is one
//! clock and no synchronisation.
//!
//! Starts, sizes, pauses and bursts are the numbers that the simulator draws for the same run
//! ([`earlydrop_sim::streams`]). When a transfer starts also depends on how long the previous
//! one took.
//!
//! - **A connection** is opened by the host that sends the data. The FIN goes with the last
//!   segment, and the transfer is complete when it is acknowledged. The receiver closes its
//!   side at once, so that the last ACK is not delayed.
//! - **Requests** use one connection that the client opens; the kernel retransmits lost ones.
//! - **A bulk flow that stops** still sends its unsent data; [`super::hosts`] keeps that small.
//! - **Datagrams** are due at times computed from the flow's start. A late one does not delay
//!   the next.
//! - **The random delay before each packet** (`overhead`) is not added: real hosts have one.
//! - **Goodput** counts the bytes that the receiving application read; for datagrams,
//!   headers included, as in the simulator.
//!
//! `timers` starts what is due, `socket_events` reacts to epoll events, and both use
//! `transfers` to open connections and write to them.

mod flow;
mod socket_events;
mod socket_table;
mod sockets;
mod timers;
mod transfers;

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(super) use tests::controls_of_a_connection;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

use earlydrop::units::{Bytes, Nanos};
use earlydrop_sim::IdealTimes;
use earlydrop_sim::Run;
use earlydrop_sim::results::{Completion, TransferRecord};
use earlydrop_sim::tcp::SenderCounts;
use earlydrop_sim::traffic::FlowId;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::time::TimeSpec;

use super::addresses::AddressPlan;
use super::hosts::{DATAGRAM_HEADERS, End, Hosts, in_own_thread, raise_limit};
use crate::LiveError;
use crate::error::Context;
use crate::timing::{Clock, minimize_timer_slack};
use flow::{Flow, Source};
use socket_table::{Entry, Role, SocketTable};
use sockets::TcpInfo;

/// Measurements of applications and of the kernel's TCP, without the warm-up.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrafficReport {
    /// Each flow, in the order of the run.
    pub(crate) flows: Vec<FlowReport>,
    /// Completed transfers that started after the warm-up, in the order they ended.
    pub(crate) completions: Vec<Completion>,
    /// Samples of cwnd, in segments, of the observed flows.
    pub(crate) windows: Vec<(FlowId, Vec<f64>)>,
    /// Transfers started, warm-up included.
    pub(crate) transfers: u64,
    pub(crate) completed: u64,
}

/// Measurements of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlowReport {
    /// Bytes that the receiving application read.
    pub(crate) goodput_bytes: u64,
    /// Counts of its TCP senders; zero for datagrams.
    pub(crate) sender: SenderCounts,
    /// Smoothed RTT at the end; the longest of several connections.
    pub(crate) smoothed_rtt: Nanos,
    /// Transfers that were not started because too many were active.
    pub(crate) left_out: u64,
}

/// Generates the traffic of all flows of a run.
pub(crate) struct TrafficGenerator {
    hosts: Hosts,
    /// The end whose namespace this thread has entered, if known.
    at: Option<End>,
    addresses: AddressPlan,
    epoll: Epoll,
    listeners: Vec<Listener>,
    table: SocketTable,
    flows: Vec<Flow>,
    timers: BinaryHeap<Reverse<(Nanos, u32)>>,
    warm_up: Nanos,
    end: Nanos,
    /// Interval of cwnd samples, and the time of the next.
    sampling: Option<(Nanos, Nanos)>,
    warm: bool,
    report: TrafficReport,
    /// The least completion times of transfers.
    ideal: IdealTimes,
    /// Buffer for discarded bytes; the kernel does not write to it (MSG_TRUNC).
    buffer: Vec<u8>,
}

/// A listening socket at one end.
struct Listener {
    socket: TcpListener,
    end: End,
    /// Whether it accepts request connections.
    requests: bool,
}

/// First epoll number of listening sockets; connections have smaller ones.
const LISTENERS: u64 = 1 << 32;
/// Longest sleep, after which the stop flag is checked.
const MAX_SLEEP: Nanos = Nanos::from_millis(50);
/// Most events of one epoll_wait(2).
const BATCH: usize = 256;
/// Most bytes discarded at once.
const DISCARD_CHUNK: usize = 1 << 20;

impl TrafficGenerator {
    /// Opens all sockets that must exist before time zero. `from_near[flow]` says whether a
    /// flow's data starts at the near end.
    pub(crate) fn new(
        run: &Run,
        hosts: Hosts,
        addresses: &AddressPlan,
        from_near: &[bool],
    ) -> Result<TrafficGenerator, LiveError> {
        raise_limit(run)?;
        let from = |near: bool| if near { End::Near } else { End::Far };
        let flows = (0..).zip(from_near);
        let flows = flows.map(|(number, near)| Flow::new(run, number, from(*near)));
        let watched = run.measure.windows.iter().map(|flow| (*flow, Vec::new()));
        let interval = run.measure.sample_every.filter(|every| every.0 > 0);
        let mut traffic = TrafficGenerator {
            at: None,
            addresses: addresses.clone(),
            epoll: Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).context("making an epoll")?,
            listeners: Vec::new(),
            table: SocketTable::default(),
            flows: flows.collect(),
            timers: BinaryHeap::new(),
            warm_up: run.measure.warm_up,
            end: run.duration,
            sampling: interval.map(|every| (every, Nanos::ZERO)),
            warm: false,
            report: TrafficReport {
                windows: match interval {
                    Some(_) => watched.collect(),
                    None => Vec::new(),
                },
                ..TrafficReport::default()
            },
            ideal: IdealTimes::new(run),
            buffer: vec![0; DISCARD_CHUNK],
            hosts,
        };
        in_own_thread(|| {
            traffic.open_sockets()?;
            traffic.at = None;
            Ok(traffic)
        })
    }

    /// Opens listening sockets at both ends, and both ends of datagram flows.
    fn open_sockets(&mut self) -> Result<(), LiveError> {
        for end in [End::Near, End::Far] {
            self.enter(end)?;
            for (port, requests) in [(sockets::DATA, false), (sockets::REQUESTS, true)] {
                let socket = sockets::listening(port).context("listening for connections")?;
                let number = LISTENERS + self.listeners.len() as u64;
                let event = EpollEvent::new(EpollFlags::EPOLLIN, number);
                self.epoll
                    .add(&socket, event)
                    .context("waiting for connections")?;
                self.listeners.push(Listener {
                    socket,
                    end,
                    requests,
                });
            }
            self.open_datagrams(end)?;
        }
        for flow in 0..self.flows.len() as u32 {
            self.arm_timer(flow);
        }
        Ok(())
    }

    /// Opens the sockets of datagram flows at one end.
    fn open_datagrams(&mut self, end: End) -> Result<(), LiveError> {
        for number in 0..self.flows.len() as u32 {
            let addresses = self.addresses(number, end);
            let flow = &mut self.flows[number as usize];
            let Source::Datagrams(source) = &mut flow.source else {
                continue;
            };
            let socket = sockets::datagrams(addresses, flow.traffic_class);
            let socket = socket.context("opening a socket for datagrams")?;
            if flow.from == end {
                source.sender = Some(socket);
            } else {
                let role = Role::DatagramReceiver { flow: number };
                self.add(Entry { socket, role }, EpollFlags::EPOLLIN)?;
            }
        }
        Ok(())
    }

    /// Sends and receives until the run's end, or until `stop`. `clock` has started at time
    /// zero. The calling thread enters the hosts' namespaces and stays there.
    pub(crate) fn run(
        mut self,
        clock: Clock,
        stop: &AtomicBool,
    ) -> Result<TrafficReport, LiveError> {
        minimize_timer_slack().context("setting the timer's slack")?;
        let mut events = vec![EpollEvent::empty(); BATCH];
        loop {
            let now = clock.now().min(self.end);
            self.take_due_measurements(now)?;
            if now >= self.end || stop.load(Ordering::Relaxed) {
                break;
            }
            self.run_due_timers(now)?;
            let count = self.wait(clock, &mut events)?;
            let now = clock.now();
            for event in &events[..count] {
                self.handle(event.data(), event.events(), now)?;
            }
            self.table.release_freed();
        }
        self.finish()
    }

    /// Waits for a socket event or a timer; returns the number of events.
    fn wait(&self, clock: Clock, events: &mut [EpollEvent]) -> Result<usize, LiveError> {
        let action = "waiting for sockets";
        // Under load, events are pending and no sleep is needed.
        let count = self
            .epoll
            .wait(events, EpollTimeout::ZERO)
            .context(action)?;
        if count > 0 {
            return Ok(count);
        }
        let now = clock.now();
        let next = self.next().min(now + MAX_SLEEP);
        let sleep = TimeSpec::new(0, next.since(now).0 as i64);
        // epoll_wait(2) sleeps for whole milliseconds only.
        let mut ready = [PollFd::new(self.epoll.0.as_fd(), PollFlags::POLLIN)];
        match ppoll(&mut ready, Some(sleep), None) {
            Ok(0) | Err(nix::Error::EINTR) => Ok(0),
            Ok(_) => self.epoll.wait(events, EpollTimeout::ZERO).context(action),
            Err(problem) => Err(problem).context(action),
        }
    }

    /// Time of the next timer or measurement.
    fn next(&self) -> Nanos {
        let due = self.timers.peek().map_or(Nanos::NEVER, |next| next.0.0);
        let warm = if self.warm {
            Nanos::NEVER
        } else {
            self.warm_up
        };
        let sample = self.sampling.map_or(Nanos::NEVER, |(_, next)| next);
        due.min(warm).min(sample).min(self.end)
    }

    /// Takes the measurements that are due at `now`.
    fn take_due_measurements(&mut self, now: Nanos) -> Result<(), LiveError> {
        if !self.warm && now >= self.warm_up {
            self.warm = true;
            let (counts, _) = self.sender_counts()?;
            for (flow, counts) in self.flows.iter_mut().zip(counts) {
                flow.meter.before = counts;
            }
            self.count_missed_datagrams(false)?;
        }
        while let Some((every, next)) = self.sampling
            && next <= now
        {
            self.sampling = Some((every, next + every));
            self.sample()?;
        }
        Ok(())
    }

    /// Samples cwnd of the observed flows.
    fn sample(&mut self) -> Result<(), LiveError> {
        for (flow, values) in &mut self.report.windows {
            let flow = &mut self.flows[flow.0 as usize];
            if !flow.has_window() {
                continue;
            }
            let watched = flow.meter.watched;
            if let Some(socket) = watched.and_then(|number| self.table.socket(number)) {
                let info = TcpInfo::of(socket).context("reading the state of a connection")?;
                flow.meter.window = f64::from(info.window());
            }
            values.push(flow.meter.window);
        }
        Ok(())
    }

    /// Each flow's sender counts so far, and the longest smoothed RTT of its open connections.
    fn sender_counts(&self) -> Result<(Vec<SenderCounts>, Vec<Nanos>), LiveError> {
        let over = self.flows.iter().map(|flow| flow.meter.over);
        let mut counts: Vec<SenderCounts> = over.collect();
        let mut rtts = vec![Nanos::ZERO; self.flows.len()];
        for entry in self.table.iter() {
            let Some(flow) = entry.role.sends_for() else {
                continue;
            };
            let info =
                TcpInfo::of(entry.socket.as_fd()).context("reading the state of a connection")?;
            let flow = flow as usize;
            counts[flow] = counts[flow].plus(&info.counts());
            rtts[flow] = rtts[flow].max(info.smoothed_rtt());
        }
        Ok((counts, rtts))
    }

    /// Adds datagrams that were dropped at full socket buffers, less those of the warm-up.
    fn count_missed_datagrams(&mut self, is_end: bool) -> Result<(), LiveError> {
        for entry in self.table.iter() {
            let Role::DatagramReceiver { flow } = entry.role else {
                continue;
            };
            let missed = sockets::receive_drops(entry.socket.as_fd())
                .context("reading the drops of a socket")?;
            let flow = &mut self.flows[flow as usize];
            let Source::Datagrams(source) = &flow.source else {
                continue;
            };
            let bytes = missed * (source.payload as u64 + DATAGRAM_HEADERS);
            match is_end {
                true => flow.meter.bytes += bytes.saturating_sub(flow.meter.missed),
                false => flow.meter.missed = bytes,
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<TrafficReport, LiveError> {
        self.count_missed_datagrams(true)?;
        let (counts, rtts) = self.sender_counts()?;
        let flows = self.flows.iter().zip(counts).zip(rtts);
        self.report.flows = flows
            .map(|((flow, counts), rtt)| FlowReport {
                goodput_bytes: flow.meter.bytes,
                sender: match self.warm {
                    true => counts.since(&flow.meter.before),
                    false => SenderCounts::default(),
                },
                smoothed_rtt: match rtt {
                    Nanos::ZERO => flow.meter.smoothed_rtt,
                    rtt => rtt,
                },
                left_out: match &flow.source {
                    Source::Spawner(spawner) => spawner.left_out,
                    _ => 0,
                },
            })
            .collect();
        Ok(self.report)
    }

    /// Whether the time is after the warm-up and before the end.
    fn is_measured(&self, at: Nanos) -> bool {
        at >= self.warm_up && at < self.end
    }

    /// Records a completed transfer.
    fn completed(&mut self, flow: u32, began: Nanos, ended: Nanos, bytes: u64) {
        self.report.completed += 1;
        if began >= self.warm_up {
            self.report.completions.push(Completion {
                flow: FlowId(flow),
                began,
                ended,
                bytes: Bytes(bytes),
                ideal: self.ideal.of(FlowId(flow), Bytes(bytes)),
                record: TransferRecord {
                    number: self.report.completed - 1,
                    ..TransferRecord::default()
                },
            });
        }
    }
}
