//! See `earlydrop_live::fuzzing`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| earlydrop_live::fuzzing::burst(bytes));
