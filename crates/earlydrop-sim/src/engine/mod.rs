//! The engine: runs the events of a simulation, and moves packets between hosts and links.
//!
//! # Parts
//!
//! Each part owns its state. [`Simulation`] takes events when they are due and moves packets from
//! part to part; no part knows it, and none knows one further down in this table.
//!
//! | part | owns | its methods are in |
//! |---|---|---|
//! | `Scheduler` | the clock, the events to come | `event.rs` |
//! | `RouteTable` | the hops of all routes, where each flow's begin | `route.rs` |
//! | `Accounts` | totals, losses, baselines, notes of packets | `accounts.rs` |
//! | `Links` | wires, drop-tail queues, ports, shared buffers, impairments | `links.rs`, `fifo.rs`, `port.rs`, `shared_buffer.rs`, `impairments.rs` |
//! | `Flows` | both ends of every flow, profiles, completed transfers | `flows.rs`, `flow.rs`, `tcp_flow.rs`, `fast_path.rs`, `transfers.rs` |
//! | [`Simulation`] | these five | `simulation.rs` (events), `forward.rs` (hops), `ends.rs` (ends of flows), `finish.rs` and `run_on.rs` (the end of the run, and after it) |
//!
//! # The events of a packet
//!
//! A sender's segment ([`Simulation::forward_segment`]; `send_new_segments` does the same inline)
//! crosses its access link, and where the traffic of several hosts merges it becomes an event, so
//! that packets enter the bottleneck in the order of their times. When the event is due:
//!
//! ```text
//! resume          the segment's event is due                             forward.rs
//!   enqueue       it arrives at a port: the scheme drops, marks, queues  forward.rs, port.rs
//! transmit_until  the next packet arrives there, or on_drain is due:
//!                 the segment has been sent                              forward.rs, port.rs
//!   forward_departure, forward_hops
//!                 over the wires and drop-tail queues that follow        forward.rs
//!     ack_at_once         it arrives at its receiver                     fast_path.rs
//!     on_bare_ack         the acknowledgment arrives at the sender       fast_path.rs
//!     send_new_segments   the window opens: new segments become events   ends.rs
//! ```
//!
//! All from `transmit_until` on happens in one call, though the acknowledgment arrives a round
//! trip later: so a segment and its acknowledgment cost one event on a dumbbell. A packet that the
//! fast path cannot handle goes to [`Simulation::arrive`], and at the end of its route to
//! `on_forward_packet` or `on_backward_packet` (`ends.rs`). What flows do of their own accord
//! begins in `on_wake` there.
//!
//! # What is computed ahead of time
//!
//! Look-ahead decides which hops need an event (`setup/routes.rs`); eligibility decides which
//! packets take the short code at both ends (`fast_path.rs`). Neither changes a result, for these
//! reasons; [`reference`] specifies the results without them.
//! - **A link with an unlimited queue, or with drop-tail, is arithmetic.** If its packets come from
//!   one source, departures are computed as soon as packets enter, ahead of time.
//!   `setup/routes.rs` finds where sources merge; there a packet waits as an event.
//! - **A port is drained lazily**, within a propagation delay: nobody can see its departures
//!   before.
//! - **An end of a flow acts ahead of time** up to when it may do something of its own accord. A
//!   packet that arrives later is [held](flow::Held) until then.
//! - **A flow has one wake event**, which is never later than what the flow has to do next.
//!
//! Times of events never decrease, events of the same time happen in the order in which they were
//! scheduled, and every purpose has random numbers of its own. So a run's results are a function
//! of its description and seed.

mod access;
mod accounts;
mod application;
mod barrier;
mod ends;
mod event;
mod fast_path;
mod fifo;
mod finish;
mod flow;
mod flows;
mod forward;
mod impairments;
mod links;
mod pauses;
mod port;
mod progress;
mod reference;
mod route;
mod run_on;
mod setup;
mod shared_buffer;
mod simulation;
mod spawner;
mod tcp_flow;
mod transfers;

pub use simulation::Simulation;
