//! The command's integration tests, as one program: a file each.
//!
//! Those that send real packets are another program, `real_packets.rs`.

mod commands;
mod configure;
mod conformance;
mod dependencies;
mod edges;
mod figure;
mod first_hour;
mod first_numbers;
mod first_words;
mod in_process;
mod interruption;
mod lab;
mod layers;
mod limits;
mod links;
mod other_tools;
mod outputs;
mod queue;
mod quoted;
mod refusals;
mod report_in_browser;
mod reproduce;
mod run_again;
mod schemes;
mod suite;
mod support;
mod tune;
