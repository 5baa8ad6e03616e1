//! Checks `earlydrop_model::fuzzing::configuration` with text chosen by libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| earlydrop_model::fuzzing::configuration(text));
