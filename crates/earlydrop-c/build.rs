//! Names the shared library as programs look for it: by the version of its interface.

include!("src/abi.rs");

fn main() {
    println!("cargo::rerun-if-changed=src/abi.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!(
            "cargo::rustc-cdylib-link-arg=-Wl,-soname,libearlydrop.so.{EARLYDROP_ABI_VERSION}"
        );
    }
}
