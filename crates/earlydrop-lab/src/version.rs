//! The version that results carry, and what decides them.

/// The version of this crate with the commit it was built from, where that is known:
/// "0.3.0 (363a3cd)".
pub fn version() -> String {
    match env!("EARLYDROP_COMMIT") {
        "" => env!("CARGO_PKG_VERSION").to_string(),
        commit => format!("{} ({commit})", env!("CARGO_PKG_VERSION")),
    }
}

/// What decides the results of a scenario: git's hashes of the sources of the schemes, of the
/// simulator and of this crate, and of the libraries' versions. Where they are not known, the version.
/// Runs of two versions with one engine are one run: a page or a command that is changed makes no
/// stored result another.
pub fn engine() -> String {
    match env!("EARLYDROP_ENGINE") {
        "" => version(),
        trees => trees.to_string(),
    }
}
