//! Checks `earlydrop_sim::fuzzing::capture` with bytes chosen by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| earlydrop_sim::fuzzing::capture(bytes));
