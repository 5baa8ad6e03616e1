//! The arrivals of the reference runs, each from a fixed seed.

#[path = "python.rs"]
mod python;

use python::PythonRandom;

/// A packet that arrives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Arrival {
    /// In ns.
    pub(crate) at: u64,
    /// Bytes with the Ethernet header.
    pub(crate) size: u32,
    /// Its flow, from 0 on.
    pub(crate) flow: u16,
    /// The two bits of its ECN field.
    pub(crate) ecn: u8,
    /// Its traffic class, as a DSCP.
    pub(crate) class: u8,
}

/// Arrivals by name, and the FNV-1a hash of the file that the kernel reads of them.
pub(crate) const TRACES: &[(&str, u64)] = &[
    ("bursts", 0x2637_b451_6b10_7d7a),
    ("bursts_ecn", 0xbd3e_99e5_4dcd_1e20),
    ("classes", 0x4654_9553_62c7_c75e),
    ("few_sparse", 0xf81f_2884_236a_8565),
    ("idle_ecn", 0xb860_53ce_2940_9399),
    ("light_ecn", 0xa18c_66da_b13f_01dc),
    ("many", 0x370b_b8d0_6e6e_3e39),
    ("many_ecn", 0x8908_928d_cd55_7cb5),
    ("phases", 0x01b3_4689_a686_60b2),
    ("phases_ecn", 0xac02_9dbb_355d_4832),
    ("phases_mixed", 0x26ad_d5f6_bfc0_ce9c),
    ("steady", 0x9f51_15ae_50d3_e765),
    ("steady_ecn", 0x6555_42c0_dcf9_3925),
    ("steady_mixed", 0xeb01_eb02_9250_be45),
];

const PACKETS: usize = 50_000;
/// The link's rate in bit/s.
const RATE: f64 = 10e6;
const SKEWED: &[f64] = &[8.0, 4.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0];
const FULL: (&[u32], &[f64]) = (&[1514], &[1.0]);
const MIXED: (&[u32], &[f64]) = (&[74, 594, 1514], &[3.0, 2.0, 5.0]);
const SPARSE: (&[u32], &[f64]) = (&[1514, 214], &[4.0, 1.0]);

/// A packet before times are rounded: ns, size, flow.
type Raw = (f64, u32, u16);

/// The arrivals called `name`.
pub(crate) fn trace(name: &str) -> Vec<Arrival> {
    let (name, ecn) = match name.rsplit_once('_') {
        Some((base, "ecn")) => (base, "all"),
        Some((base, "mixed")) => (base, "odd"),
        _ => (name, "none"),
    };
    let raw = match name {
        "steady" => poisson(1, FULL, SKEWED, |_| 1.2),
        "light" => poisson(2, FULL, SKEWED, |_| 1.05),
        "phases" => poisson(3, MIXED, SKEWED, |secs| match secs as u64 / 2 % 2 {
            0 => 1.5,
            _ => 0.5,
        }),
        "bursts" => bursts(4, 20, |random| 0.6 * power_of_ten(random, -3.0, 0.5)),
        "classes" => poisson(5, FULL, &[3.0, 2.0, 1.0], |_| 1.2),
        "many" => {
            let mut weights = vec![1.0; 60];
            weights.push(20.0);
            poisson(6, FULL, &weights, |_| 1.2)
        }
        "few_sparse" => poisson(7, SPARSE, &[6.0, 6.0, 1.0, 0.05, 0.05, 0.05], |_| 1.3),
        "idle" => bursts(8, 100, |random| 0.25 + power_of_ten(random, -2.5, 0.3)),
        _ => panic!("no trace {name}"),
    };
    let capable = |flow: u16| ecn == "all" || (ecn == "odd" && flow % 2 == 1);
    let class = |flow: u16| if name == "classes" { flow as u8 } else { 0 };
    let mut last: Option<u64> = None;
    raw.into_iter()
        .map(|(at, size, flow)| {
            // At least 20 us apart, between the multiples of 100 ns at which the link acts: no
            // two events fall on the same ns.
            let at = (at as u64).max(last.map_or(0, |last| last + 20_000)) / 100 * 100 + 50;
            last = Some(at);
            let ecn = if capable(flow) { 2 } else { 0 };
            Arrival {
                at,
                size,
                flow,
                ecn,
                class: class(flow),
            }
        })
        .collect()
}

/// Independent arrivals at a `load` that depends on the time in seconds.
fn poisson(
    seed: u32,
    (sizes, shares): (&[u32], &[f64]),
    flows: &[f64],
    load: fn(f64) -> f64,
) -> Vec<Raw> {
    let mut random = PythonRandom::new(seed);
    let weighted = sizes
        .iter()
        .zip(shares)
        .map(|(size, share)| f64::from(*size) * share);
    let mean = weighted.sum::<f64>() / shares.iter().sum::<f64>();
    let mut now = 0.0;
    (0..PACKETS)
        .map(|_| {
            now += random.exponential(load(now / 1e9) * RATE / 8.0 / mean) * 1e9;
            let flow = random.weighted(flows) as u16;
            (now, sizes[random.weighted(shares)], flow)
        })
        .collect()
}

/// Bursts of up to 400 packets at twice the link's rate, with pauses in seconds between them.
fn bursts(seed: u32, least: u32, pause: fn(&mut PythonRandom) -> f64) -> Vec<Raw> {
    let mut random = PythonRandom::new(seed);
    let (mut now, mut packets) = (0.0, Vec::new());
    while packets.len() < PACKETS {
        for _ in 0..random.range(least, 400) {
            now += random.exponential(2.0 * RATE / 8.0 / 1514.0) * 1e9;
            packets.push((now, 1514, random.weighted(SKEWED) as u16));
        }
        now += pause(&mut random) * 1e9;
    }
    packets
}

fn power_of_ten(random: &mut PythonRandom, low: f64, high: f64) -> f64 {
    libm::pow(10.0, random.uniform(low, high))
}

/// The file that the kernel reads: 16 bytes a packet.
pub(crate) fn bytes(trace: &[Arrival]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(16 * trace.len());
    for packet in trace {
        bytes.extend(packet.at.to_le_bytes());
        bytes.extend(packet.size.to_le_bytes());
        bytes.extend(packet.flow.to_le_bytes());
        bytes.extend([packet.ecn, packet.class << 2]);
    }
    bytes
}
