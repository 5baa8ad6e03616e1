//! Helpers of the integration tests: packets with an identity, and a ledger that follows each
//! through a queue.

// Each test file is a crate of its own and uses its part of this.
#![allow(dead_code)]

pub(crate) mod ledger;
pub(crate) mod traffic;

use earlydrop::registry::{LinkFacts, Plan, SCHEMES, Spec};
use earlydrop::units::BitsPerSec;

/// 8 Mbps and packets of 1,000 bytes: a packet takes a millisecond.
pub(crate) fn link() -> LinkFacts {
    LinkFacts::at(BitsPerSec::from_mbps(8))
}

/// The plan of `text`, which must be valid.
pub(crate) fn plan(text: &str) -> Plan {
    let spec: Spec = text.parse().unwrap_or_else(|error| panic!("{error}"));
    spec.plan(&link()).unwrap_or_else(|error| panic!("{error}"))
}

/// Every scheme, alone and with each of its presets.
pub(crate) fn presets() -> Vec<String> {
    let mut texts = Vec::new();
    for scheme in SCHEMES {
        texts.push(scheme.name.to_string());
        let presets = scheme.presets.iter();
        texts.extend(presets.map(|preset| format!("{}:as={}", scheme.name, preset.name)));
    }
    texts
}
