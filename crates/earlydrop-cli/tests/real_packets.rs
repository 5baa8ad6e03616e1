//! `earlydrop live`, `shell` and `bridge` with real packets, as one program: a file each.
//!
//! They need root, network namespaces and `/dev/net/tun`; without them they are skipped, unless
//! `EARLYDROP_NEEDS_NAMESPACES` is set.
#![cfg(target_os = "linux")]

mod bridge;
mod live;
mod shell;
mod support;
mod testbed;
mod traffic;
