//! The version that results carry.

/// The version of this crate with the commit it was built from, where that is known:
/// "0.2.0 (363a3cd)".
pub fn version() -> String {
    match env!("EARLYDROP_COMMIT") {
        "" => env!("CARGO_PKG_VERSION").to_string(),
        commit => format!("{} ({commit})", env!("CARGO_PKG_VERSION")),
    }
}
