//! TCP as two state machines: a sender and a receiver, without clock, queue or network.

pub mod control;
