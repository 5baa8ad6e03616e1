//! Checks `earlydrop_live::fuzzing::burst` with bytes chosen by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| earlydrop_live::fuzzing::burst(bytes));
