//! The `earlydrop` command.

#![forbid(unsafe_code)]

fn main() {}
