//! Modules use only those below them.

#[path = "../../earlydrop/tests/support/layers.rs"]
mod layers;

use std::path::Path;

/// The crate's modules from the bottom to the top.
const ORDER: [&str; 28] = [
    "version",
    "escape",
    "files",
    "document",
    "budget",
    "timing",
    "statistics",
    "sweep",
    "scheme_list",
    "scenario",
    "plan",
    "metrics",
    "outcome",
    "rows",
    "summary",
    "suite",
    "baseline",
    "stopping",
    "run",
    "environment",
    "estimate",
    "trace",
    "watch",
    "store",
    "live",
    "verify",
    "tune",
    "fuzzing",
];

#[test]
fn modules_use_only_those_below_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let upwards = layers::upward_uses(&src, &ORDER, &["lib"], &[]);
    assert!(upwards.is_empty(), "{}", upwards.join("\n"));
}
