//! The crate's integration tests, as one program: a file each.

mod baseline_figures;
mod baselines;
mod choices;
mod falsification;
mod figures;
#[allow(dead_code, reason = "the simulator's tests use all of it")]
#[path = "../../earlydrop-sim/tests/ns2/mod.rs"]
mod ns2;
mod pages;
mod papers;
mod red_config;
#[allow(
    dead_code,
    unused_imports,
    reason = "the simulator's tests use all of it"
)]
#[path = "../../earlydrop-sim/tests/reference/mod.rs"]
mod reference;
mod reproduce;
mod rules;
