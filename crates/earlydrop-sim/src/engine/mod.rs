//! The engine: runs the events of a simulation, and moves packets between hosts and links.
//!
//! # The events of a packet
//!
//! A sender calls [`Simulation::forward_segment`] (`send_new_segments` does the same inline). The
//! segment crosses its access link, and where
//! the traffic of several hosts merges it becomes an event, so that packets enter the bottleneck
//! in the order of their times. When the event is due:
//!
//! ```text
//! resume          the segment's event is due                             forward.rs
//!   enqueue       it arrives at a port: the scheme drops, marks, queues  port.rs
//! transmit_until  the next packet arrives there, or on_drain is due:
//!                 the segment has been sent                              port.rs
//!   forward_departure, forward_hops
//!                 over the wires and drop-tail queues that follow        forward.rs
//!     ack_at_once         it arrives at its receiver                     fast_path.rs
//!     on_bare_ack         the acknowledgment arrives at the sender       fast_path.rs
//!     send_new_segments   the window opens: new segments become events   fast_path.rs
//! ```
//!
//! All from `transmit_until` on happens in one call, though the acknowledgment arrives a round
//! trip later: so a segment and its acknowledgment cost one event on a dumbbell. A packet that the
//! fast path cannot handle goes to [`Simulation::arrive`] and from there to `tcp_flow.rs`,
//! `application.rs` or `datagrams.rs`. What flows do of their own accord is in `wake.rs`.
//!
//! # What is computed ahead of time
//!
//! Look-ahead decides which hops need an event (`setup/routes.rs`); eligibility decides which
//! packets take the short code at both ends (`fast_path.rs`). Neither changes a result, for these
//! reasons; [`reference`] specifies the results without them.
//! - **A link with an unlimited queue, or with drop-tail, is arithmetic.** If its packets come from one
//!   source, departures are computed as soon as packets enter, ahead of time. `setup/routes.rs`
//!   finds where sources merge; there a packet waits as an event.
//! - **A port is drained lazily**, within a propagation delay: nobody can see its departures
//!   before.
//! - **An end of a flow acts ahead of time** up to when it may do something of its own accord. A
//!   packet that arrives later is [held](flow::Held) until then.
//! - **A flow has one wake event**, which is never later than what the flow has to do next.
//!
//! Times of events never decrease, events of the same time happen in the order in which they were
//! scheduled, and every purpose has random numbers of its own. So a run's results are a function
//! of its description and seed.

mod accounts;
mod application;
mod barrier;
mod datagrams;
mod event;
mod fast_path;
mod fifo;
mod finish;
mod flow;
mod forward;
mod impairments;
mod port;
mod progress;
mod reference;
mod route;
mod setup;
mod shared_buffer;
mod spawner;
mod steering;
mod tcp_flow;
mod wake;

use std::sync::Arc;

use earlydrop::units::Nanos;

use self::accounts::Accounts;
use self::barrier::Barrier;
use self::event::{Event, Task};
use self::fifo::FifoPort;
use self::flow::{Ends, Flow};
use self::impairments::Impairments;
use self::port::{MANY_FLOWS, Port};
use self::route::RouteTable;
use self::shared_buffer::SharedBuffer;
use crate::events::Events;
use crate::link::{LinkParams, Transmitter};
use crate::network::Change;
use crate::prefetch::prefetch;
use crate::results::{Completion, IncastRound};
use crate::tcp;

/// A run in progress.
///
/// [`Run::start`](crate::run::Run::start) builds it.
#[derive(Clone, Debug)]
pub struct Simulation {
    now: Nanos,
    end: Nanos,
    events: Events<Event>,
    /// Links without a queue limit, with a drop-tail queue, and with any other queue.
    wires: Vec<Transmitter>,
    fifos: Vec<FifoPort>,
    ports: Vec<Port>,
    /// Buffers that ports share.
    buffers: Vec<SharedBuffer>,
    /// The parameters of links that a single flow uses; their other state is in [`Flow`].
    access_links: Vec<LinkParams>,
    impairments: Vec<Impairments>,
    routes: RouteTable,
    flows: Vec<Flow>,
    profiles: Vec<tcp::Profile>,
    /// Changes of links to come, each with the index of its port.
    changes: Vec<(u32, Change)>,
    accounts: Accounts,
    completions: Vec<Completion>,
    cwnd_samples: Option<CwndSamples>,
    /// Flows may take the fast path: this is not the [`reference`] engine, and packets are not
    /// sprayed, which changes the route of each acknowledgment.
    may_be_fast: bool,
    /// Clients that wait for the answers of all their servers.
    barriers: Vec<Barrier>,
    rounds: Vec<IncastRound>,
    seed: u64,
    /// The group of each described flow.
    groups: Vec<Arc<str>>,
}

/// Congestion windows over time.
#[derive(Clone, Debug)]
struct CwndSamples {
    interval: Nanos,
    /// For each sampled flow: its index, and its window in segments at each interval.
    flows: Vec<(u32, Vec<f64>)>,
}

impl Simulation {
    /// The time reached.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// Runs all events up to `until`, but not beyond the run's end.
    pub fn run_until(&mut self, until: Nanos) {
        self.run_events(until, u64::MAX);
    }

    /// Runs events up to `until`, but at most this many, and returns whether `until` is reached.
    ///
    /// Whoever must answer between events, to a Ctrl-C for instance, calls this in a loop: how
    /// long a span of simulated time takes is not known before.
    pub fn run_events(&mut self, until: Nanos, at_most: u64) -> bool {
        let until = until.min(self.end);
        let last = self.accounts.totals.events.saturating_add(at_most);
        while self.accounts.totals.events < last {
            let Some((now, event)) = self.events.pop_until(until) else {
                self.now = until;
                return true;
            };
            self.now = now;
            self.accounts.totals.events += 1;
            if event.is_packet() {
                self.resume(event.packet(), now);
            } else {
                self.perform(event);
            }
        }
        false
    }

    #[inline(never)]
    fn perform(&mut self, event: Event) {
        if self.flows.len() >= MANY_FLOWS {
            self.prefetch_next_wake();
        }
        match event.task() {
            Some(Task::Wake(flow)) => self.on_wake(flow),
            Some(Task::Drain(port)) => self.on_drain(port),
            Some(Task::Change(index)) => self.on_change(index),
            Some(Task::Sample) => self.on_sample(),
            None => {}
        }
    }

    /// Prefetches the flow of a wake event to come.
    #[inline(always)]
    fn prefetch_next_wake(&self) {
        if let Some(event) = self.events.due_soon()
            && !event.is_packet()
            && let Some(Task::Wake(index)) = event.task()
            && let Some(flow) = self.flows.get(index as usize)
        {
            prefetch(flow);
        }
    }

    /// [`Task::Sample`] is due: records congestion windows.
    fn on_sample(&mut self) {
        let Some(samples) = &mut self.cwnd_samples else {
            return;
        };
        for (flow, values) in &mut samples.flows {
            if let Ends::Tcp(connection) = &self.flows[*flow as usize].ends {
                values.push(connection.sender.cwnd());
            }
        }
        self.events
            .push(self.now + samples.interval, Task::Sample.event());
    }
}
