//! Checks `earlydrop_lab::fuzzing::scenario` with text chosen by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| earlydrop_lab::fuzzing::scenario(text));
