//! Builds the comparison with DPDK's `rte_red` where `pkg-config` finds DPDK.

use std::process::Command;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(dpdk)");
    println!("cargo::rerun-if-changed=src/dpdk_red.c");
    // Look for it again at the next build.
    println!("cargo::rerun-if-changed=/usr/include/dpdk");
    let Some(flags) = pkg_config("--cflags") else {
        return;
    };
    let mut shim = cc::Build::new();
    shim.file("src/dpdk_red.c").opt_level(3);
    for flag in flags.split_whitespace() {
        shim.flag(flag);
    }
    if shim.try_compile("dpdk_red").is_ok() {
        println!("cargo::rustc-link-lib=rte_sched");
        println!("cargo::rustc-cfg=dpdk");
    }
}

fn pkg_config(what: &str) -> Option<String> {
    let answer = Command::new("pkg-config")
        .args([what, "libdpdk"])
        .output()
        .ok()?;
    let text = String::from_utf8(answer.stdout).ok()?;
    answer.status.success().then_some(text)
}
