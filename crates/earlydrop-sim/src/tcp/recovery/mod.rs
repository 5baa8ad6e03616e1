//! Loss recovery: which segments were lost and are retransmitted.
//!
//! Each file adds its steps to [`Tcb`](super::tcb::Tcb), a connection's state. Those with SACK get
//! the scoreboard as an argument.

mod begin;
mod by_time;
pub(super) mod frto;
mod go_back_n;
pub(super) mod newreno;
pub(super) mod ns2;
pub(super) mod prr;
mod quiet;
pub(super) mod rack;
pub(super) mod sack;
pub(super) mod scoreboard;
mod segment_times;
pub(super) mod tlp;
pub(super) mod undo;
