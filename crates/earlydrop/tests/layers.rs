//! A module uses only modules beneath it, in the order of the crate's documentation.

#[path = "support/layers.rs"]
mod layers;

use std::path::Path;

/// From the bottom to the top.
const ORDER: [&str; 16] = [
    "units",
    "packet",
    "random",
    "steering",
    "aqm",
    "explanation",
    "trace",
    "counters",
    "flow_table",
    "curve",
    "queue",
    "registry",
    "red",
    "schemes",
    "any",
    "manual",
];

/// Allowed upward uses: names re-exported where callers look for them, and the type that a
/// scheme's constructor returns.
const EXCEPTIONS: [(&str, &str); 4] = [
    ("queue/mod.rs", "pub use crate::any::AnyQueue;"),
    ("registry/mod.rs", "pub use crate::any::Plan;"),
    ("registry/mod.rs", "pub use crate::schemes::SCHEMES;"),
    ("schemes/mod.rs", "pub use crate::any::{AnyAqm, BoxedAqm};"),
];

#[test]
fn modules_use_only_those_beneath_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let upwards = layers::upward_uses(&src, &ORDER, &["lib", "testing"], &EXCEPTIONS);
    assert!(upwards.is_empty(), "{}", upwards.join("\n"));
}
