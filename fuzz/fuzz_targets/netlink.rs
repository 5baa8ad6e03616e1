//! Checks `earlydrop_live::fuzzing::netlink` with bytes chosen by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| earlydrop_live::fuzzing::netlink(bytes));
