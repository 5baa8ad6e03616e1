//! DPDK's `rte_red`, where DPDK is installed.

/// DPDK's RED. There is one instance a process, as in DPDK's own scheduler test.
#[derive(Debug)]
pub struct DpdkRed(());

#[cfg(dpdk)]
mod shim {
    unsafe extern "C" {
        pub(super) fn dpdk_red_start(wq_log2: u16, min: u16, max: u16, maxp_inv: u16) -> i32;
        pub(super) fn dpdk_red_run(lengths: *const u32, arrivals: usize) -> u64;
    }
}

#[cfg(dpdk)]
impl DpdkRed {
    /// Starts RED with weight 2^-`wq_log2`, thresholds and 1/max_p.
    pub fn start(wq_log2: u16, min: u16, max: u16, maxp_inv: u16) -> Option<DpdkRed> {
        // SAFETY: takes numbers only; the state behind it is used by this thread alone.
        let started = unsafe { shim::dpdk_red_start(wq_log2, min, max, maxp_inv) };
        (started == 0).then_some(DpdkRed(()))
    }

    /// Decides about an arrival at each of these queue lengths; returns how many were dropped.
    pub fn run(&mut self, lengths: &[u32]) -> u64 {
        // SAFETY: the pointer is valid for `lengths.len()` reads.
        unsafe { shim::dpdk_red_run(lengths.as_ptr(), lengths.len()) }
    }
}

#[cfg(not(dpdk))]
impl DpdkRed {
    /// Always `None`: built without DPDK.
    pub fn start(_wq_log2: u16, _min: u16, _max: u16, _maxp_inv: u16) -> Option<DpdkRed> {
        None
    }

    /// Never called.
    pub fn run(&mut self, _lengths: &[u32]) -> u64 {
        0
    }
}
