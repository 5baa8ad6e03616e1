//! Values of presets that several schemes of the family share.

/// The values of `first`, then those of `second`; `N` of them in all.
pub(crate) const fn together<const N: usize>(
    first: &[(&'static str, &'static str)],
    second: &[(&'static str, &'static str)],
) -> [(&'static str, &'static str); N] {
    assert!(first.len() + second.len() == N);
    let mut values = [("", ""); N];
    let mut index = 0;
    while index < N {
        values[index] = if index < first.len() {
            first[index]
        } else {
            second[index - first.len()]
        };
        index += 1;
    }
    values
}

/// The preset `ns2`: ns-2's defaults, except its buffer of 50 packets, which scripts set.
pub(crate) const AS_NS2: &[(&str, &str)] = &[
    ("spacing", "wait"),
    ("cautious", "on"),
    ("idle", "ns2"),
    ("gentle_slope", "initial"),
    ("min", "auto"),
    ("max", "auto"),
    ("target_delay", "5 ms"),
    ("weight", "auto"),
    ("max_p", "0.1"),
    ("unit", "bytes"),
    ("by_size", "on"),
    ("mean_packet", "500 bytes"),
    ("idle_packet", "500 bytes"),
    ("ecn", "off"),
    ("mark_limit", "0.1"),
];

/// The preset `linux`: the example of tc red's manual page. 10 Mbps, packets of 1000 bytes,
/// a burst of 55 of them, from which tc computes the weight 2^-5; `ecn` marks above max too.
pub(crate) const AS_LINUX: &[(&str, &str)] = &[
    ("curve", "red"),
    ("spacing", "drawn"),
    ("cautious", "off"),
    ("entry", "free"),
    ("idle", "linux"),
    ("arithmetic", "linux"),
    ("unit", "bytes"),
    ("mean_packet", "1000 bytes"),
    ("max_p", "0.02"),
    ("weight", "0.03125"),
    ("mark_above_max", "on"),
    ("min", "30000 bytes"),
    ("max", "90000 bytes"),
    ("limit", "400000 bytes"),
];

/// The preset `ns3`: ns-3's defaults. Packets, thresholds 5 and 15, max_p 1/50.
pub(crate) const AS_NS3: &[(&str, &str)] = &[
    ("spacing", "wait"),
    ("cautious", "on"),
    ("idle", "ns2"),
    ("gentle_slope", "initial"),
    ("min", "5 packets"),
    ("max", "15 packets"),
    ("max_p", "0.02"),
    ("mean_packet", "500 bytes"),
    ("ecn", "off"),
    ("limit", "25 packets"),
];

// Switches. All of them use the length of the queue as it is (a weight of 1), mark or drop each
// packet independently, and count bytes. What their chips do exactly is not published.

/// The preset `sonic`: the profile `AZURE_LOSSLESS` of SONiC's template
/// `files/build_templates/qos_config.j2` (sonic-net/sonic-buildimage), thresholds of 1 and 2 MiB,
/// 5% at max, `ecn_all`.
///
/// Above max every ECN-capable packet is marked (SAI, `SAI_ECN_MARK_MODE_ALL`). The template enables
/// WRED for every colour, so that other packets are dropped as often as these are marked. The
/// buffer is that of `BUFFER_PROFILE`, which depends on the switch; here it is twice max.
pub(crate) const AS_SONIC: &[(&str, &str)] = &[
    ("unit", "bytes"),
    ("weight", "1"),
    ("spacing", "geometric"),
    ("min", "1048576 bytes"),
    ("max", "2097152 bytes"),
    ("max_p", "0.05"),
    ("mark_above_max", "on"),
    ("others", "drop"),
    ("limit", "4194304 bytes"),
];

/// The preset `hpcc`: the switches under DCQCN in the simulations of Li et al., "HPCC: High
/// Precision Congestion Control" (SIGCOMM 2019), whose `simulation/run.py` sets
/// `Kmin = 100 kB B/25 Gbps`, `Kmax = 400 kB B/25 Gbps`, `Pmax = 0.2` at a link of rate B: 32 and
/// 128 us of the link.
///
/// `SwitchMmu::ShouldSendCN` marks every packet above Kmax and drops none, ECN-capable or not.
/// `run.py` gives a switch of ports of 50 Gbps 16 MB, in proportion to the rate: 2.56 ms.
pub(crate) const AS_HPCC: &[(&str, &str)] = &[
    ("unit", "bytes"),
    ("weight", "1"),
    ("spacing", "geometric"),
    ("min", "32 us"),
    ("max", "128 us"),
    ("max_p", "0.2"),
    ("mark_above_max", "on"),
    ("others", "pass"),
    ("limit", "2560 us"),
];

/// The preset `dcqcn`: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments" (SIGCOMM
/// 2015), the parameters of their testbed at 40 Gbps: Kmin 5 kB, Kmax 200 kB, Pmax 1%.
///
/// Above Kmax every packet is marked (the paper's figure of the marking probability). All its
/// packets are ECN-capable; others are dropped here, as RFC 3168 says. The buffer of 12 MB is
/// that of its switches, of which one queue may take all.
pub(crate) const AS_DCQCN: &[(&str, &str)] = &[
    ("unit", "bytes"),
    ("weight", "1"),
    ("spacing", "geometric"),
    ("min", "5 kB"),
    ("max", "200 kB"),
    ("max_p", "0.01"),
    ("mark_above_max", "on"),
    ("others", "drop"),
    ("limit", "12 MB"),
];

/// The preset `dell`: Dell Networking OS 9 on S4810, S4820T and S4048, the predefined profile
/// `wred_teng_g`: 467 and 4671 kB, a "maximum drop rate" of 50% (configuration guide, "Pre-Defined
/// WRED Profiles").
///
/// With `wred ecn` packets are marked between the thresholds, and dropped above the upper one
/// whether they are ECN-capable or not (command reference, `wred ecn`). Others are dropped as
/// often as these are marked. The buffer is the S4810's, 9 MB.
pub(crate) const AS_DELL: &[(&str, &str)] = &[
    ("unit", "bytes"),
    ("weight", "1"),
    ("spacing", "geometric"),
    ("min", "467 kB"),
    ("max", "4671 kB"),
    ("max_p", "0.5"),
    ("mark_above_max", "off"),
    ("others", "drop"),
    ("limit", "9 MB"),
];

/// The preset `juniper`: the profile `dp0` of Juniper's validated design of a five-stage EVPN-VXLAN
/// data centre (repository Juniper/jvd, `rocev2-dcqcn-drop-profiles.conf`): marks begin with an
/// empty queue and reach 100% where 20% of its memory is full. Junos has no default for ECN.
///
/// Above that every ECN-capable packet is marked. On a queue with ECN the profile does not drop
/// other packets: these are lost where the memory is full (Junos for QFX, "Configuring CoS WRED
/// Drop Profiles"; older QFX5100 drop them by the profile). The memory of a queue depends on the
/// switch; here it is 1.5 MB.
pub(crate) const AS_JUNIPER: &[(&str, &str)] = &[
    ("unit", "bytes"),
    ("weight", "1"),
    ("spacing", "geometric"),
    ("min", "0 bytes"),
    ("max", "300000 bytes"),
    ("max_p", "1"),
    ("mark_above_max", "on"),
    ("others", "pass"),
    ("limit", "1500000 bytes"),
];
