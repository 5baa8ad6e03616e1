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
