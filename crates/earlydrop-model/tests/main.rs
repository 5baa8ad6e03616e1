//! The crate's integration tests, as one program: a file each.

mod dialects;
mod iproute2;
mod paste;
mod queue;
mod tools;
