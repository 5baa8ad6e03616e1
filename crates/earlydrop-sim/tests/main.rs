//! The crate's integration tests, as one program: a file each.

mod analytic;
mod applications;
mod bbr3;
mod classes;
mod coexistence;
mod coexistence_page;
mod cuts;
mod links;
#[allow(dead_code, reason = "an example writes tables with the rest")]
mod ns2;
mod ns2_figures;
#[allow(dead_code, reason = "an example writes tables with the rest")]
mod ns3;
mod ns3_figures;
mod overshoot;
mod peer_scripts;
mod prague;
mod properties;
#[path = "support/random_runs.rs"]
mod random_runs;
mod rdma;
#[allow(
    dead_code,
    unused_imports,
    reason = "an example writes tables with the rest"
)]
mod reference;
mod snapshot;
mod spurious;
mod steering;
mod switches;
mod tcp_linux;
mod tcp_linux_traces;
mod traffic;
mod utilisation;
mod workloads;
