//! TCP: a sender and a receiver as two state machines, without clock, queue or network.
//!
//! The caller passes in what arrives and when ([`Sender::on_ack`], [`Receiver::on_segment`]),
//! carries away what [`Sender::poll_transmit`] and the receiver return, and calls
//! [`Sender::on_timer`] and [`Receiver::on_timer`] at their [deadlines](Sender::deadline).
//! Sequence numbers count segments of [`Profile::segment_size`], not bytes; so do `cwnd`,
//! `ssthresh` and `rwnd`.
//!
//! Loss recovery decides *which* segments were lost and are retransmitted. Congestion control
//! ([`control`]) decides *how many* may be in flight. The retransmission timer ([`rto`])
//! decides *when* to give up waiting. A [`Profile`] holds the rules that many flows share; it
//! is passed to every call, so that the state of a flow stays small.
//!
//! | file | implements |
//! |---|---|
//! | `sender.rs` | a sender: a connection's state, and a scoreboard where it uses SACK |
//! | `tcb.rs`, `tcb/` | a connection's state in parts: congestion (`cwnd`, `recover` of RFC 6582), output, timers and round-trip samples (RFC 6298, 3; RFC 7323); the operations that change several |
//! | `sequence.rs` | sequence numbers (SND.UNA, SND.NXT of RFC 9293), and the distance between two |
//! | `segment.rs` | segments and ACKs |
//! | `transmit.rs` | which segment is sent next; restart after idleness (RFC 5681, 4.1); pacing |
//! | `ack.rs` | acknowledgments: fast path, slow path |
//! | `ecn.rs` | how a sender responds to ECE (RFC 3168, 6.1.2; RFC 8257, 3.3) |
//! | `accecn.rs` | AccECN: counters of marks, at the receiver and at the sender (RFC 9768) |
//! | `recovery/newreno.rs` | fast retransmit and fast recovery (RFC 5681, 3.2), NewReno (RFC 6582), limited transmit (RFC 3042) |
//! | `recovery/sack.rs`, `begin.rs`, `scoreboard.rs` | recovery by selective acknowledgments (RFC 6675); `ns2.rs` as ns-2's Sack1 |
//! | `recovery/rack.rs`, `by_time.rs`, `tlp.rs` | RACK-TLP (RFC 8985): losses detected by time, and probes for a lost tail |
//! | `recovery/undo.rs` | spurious reductions are undone (RFC 3522, RFC 3708; RFC 9438, 4.9) |
//! | `recovery/frto.rs` | spurious timeouts: F-RTO (RFC 5682) |
//! | `recovery/segment_times.rs` | what an acknowledgment newly reports, in runs; which times of transmission measure round trips, as Linux |
//! | `recovery/quiet.rs` | acknowledgments while nothing is lost: a shortcut through `sack.rs` |
//! | `recovery/prr.rs` | proportional rate reduction (RFC 9937) |
//! | `timeout.rs`, `rto.rs` | what happens when the retransmission timer expires (RFC 6298, 5), and how long it runs (RFC 6298, 2) |
//! | `rate_sample.rs` | delivery rates (draft-cheng-iccrg-delivery-rate-estimation) |
//! | `receiver.rs`, `out_of_order.rs` | delayed acknowledgments (RFC 5681, 4.2), SACK blocks (RFC 2018), ECE (RFC 3168, 6.1.3; RFC 8257, 3.2) |
//! | `control/` | `cwnd`: Reno (RFC 5681), CUBIC (RFC 9438), HyStart++ (RFC 9406), DCTCP (RFC 8257), Prague (draft-briscoe-iccrg-prague-congestion-control), scalable (RFC 9331), BBR (versions 1 and 3) |
//! | `profile/`, `settings.rs` | the rules flows share: the RFCs', Linux's, ns-2's |
//!
//! ```
//! use earlydrop::units::Nanos;
//! use earlydrop_sim::tcp::{Ack, Arrival, Profile, Receiver, Recovery, Sender};
//! let profile = Profile::ns2(Recovery::NewReno);
//! let mut sender = Sender::new(&profile, Nanos::ZERO);
//! let mut receiver = Receiver::new(0);
//! sender.supply(1 + 100); // the SYN and 100 segments
//! let mut now = Nanos::ZERO;
//! while sender.snd_una() < 101 {
//!     while let Some(segment) = sender.poll_transmit(&profile, now) {
//!         let arrival = Arrival::of(&segment, now);
//!         let reply = receiver.on_segment(&profile, &arrival, now + Nanos::from_millis(10));
//!         sender.on_ack(&profile, &reply.unwrap().as_ack(), now + Nanos::from_millis(20));
//!     }
//!     now += Nanos::from_millis(20);
//! }
//! assert_eq!(receiver.received(), 101);
//! ```

mod accecn;
mod ack;
pub mod control;
mod counts;
mod ecn;
#[cfg(feature = "manual")]
pub mod manual;
mod out_of_order;
mod profile;
mod rate_sample;
mod receiver;
mod recovery;
pub mod rto;
mod segment;
mod sender;
mod sequence;
mod settings;
mod tcb;
#[cfg(test)]
mod testing;
mod timeout;
mod transmit;

#[cfg(test)]
mod properties_tests;
#[cfg(test)]
mod rack_tests;
#[cfg(test)]
mod receiver_tests;
#[cfg(test)]
mod recovery_tests;
#[cfg(test)]
mod sender_tests;
#[cfg(test)]
mod undo_tests;

pub use accecn::AccEcn;
pub use control::{Algorithm, CONTROLLERS, Controller};
pub use counts::SenderCounts;
pub use profile::{MAX_TRANSFER, Profile, ProfileError};
pub(crate) use receiver::{AckDecision, Echo};
pub use receiver::{Arrival, Receiver, Reply};
pub use rto::{LEAST_RTO, RtoParams, TimerClock};
pub use segment::{Ack, SackBlock, Segment};
pub use sender::Sender;
pub use settings::{
    DelayedAcks, EcnFeedback, EcnMode, Growth, Handshake, HyStartKind, LossDetection, Recovery,
    Reduction, RenoEstimate, RttSampling, Rules,
};
