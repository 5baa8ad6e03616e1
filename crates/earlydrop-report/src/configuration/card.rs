//! The parameters of a network card of RDMA in the words of its driver.

use std::fmt::Write as _;

use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_sim::tcp::control::dcqcn::{Card, Parameters, Step};

/// What `rpg_byte_reset` counts to at most: it has 15 bits.
const MOST_BYTES: u64 = 32_767;

/// A card's values as the files that NVIDIA's driver for ConnectX cards reads below `/sys/class/net`
/// (NVIDIA, "DCQCN CC Parameters"). What a card cannot be told is said in a comment.
///
/// The driver has g as the 1024ths of alpha that a period leaves, and compares stages before it counts
/// them, so that its threshold is F - 1.
pub(super) fn lines(card: Card, line: BitsPerSec) -> String {
    let parameters = card.parameters();
    let Parameters {
        notify_every,
        cut_every,
        gain,
        decay_every,
        raise_every,
        raise_after,
        fast_recovery,
        additive,
        hyper,
        least,
        ..
    } = parameters;
    let micros = |time: Nanos| (time.0 / 1000).max(1);
    let mbps = |rate: f64| ((rate * 1e-6).round() as u64).max(1);
    let step = |step: Step| mbps(step.of(line.0 as f64));
    let bytes = raise_after.map_or(0, |bytes| bytes.min(MOST_BYTES));
    let mut text = "d=/sys/class/net/eth0/ecn\n".to_string();
    for (file, value) in [
        ("roce_np/min_time_between_cnps", micros(notify_every)),
        ("roce_rp/rate_reduce_monitor_period", micros(cut_every)),
        ("roce_rp/dce_tcp_g", (1024.0 * (1.0 - gain)).round() as u64),
        ("roce_rp/dce_tcp_rtt", micros(decay_every)),
        ("roce_rp/rpg_time_reset", micros(raise_every)),
        ("roce_rp/rpg_byte_reset", bytes),
        ("roce_rp/rpg_threshold", u64::from(fast_recovery - 1)),
        ("roce_rp/rpg_ai_rate", step(additive)),
        ("roce_rp/rpg_hai_rate", step(hyper)),
        ("roce_rp/rpg_min_rate", mbps(least.0 as f64)),
    ] {
        // Writing to a string does not fail.
        let _ = writeln!(text, "echo {value} > $d/{file}");
    }
    if let Some(wanted) = raise_after.filter(|bytes| *bytes > MOST_BYTES) {
        let _ = writeln!(
            text,
            "# rpg_byte_reset counts to {MOST_BYTES} bytes; simulated are {wanted}. 0 counts none."
        );
    }
    if !parameters.is_firmware {
        text.push_str(
            "# Cards add one rpg_hai_rate a raise, and lower the target rate only after a raise by time.\n",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_that_starts_from_its_firmware_is_told_what_it_has() {
        let text = lines(Card::ConnectX, BitsPerSec::from_mbps(100_000));
        // NVIDIA's defaults.
        for (file, value) in [
            ("min_time_between_cnps", 4),
            ("rate_reduce_monitor_period", 4),
            ("dce_tcp_g", 1019),
            ("dce_tcp_rtt", 1),
            ("rpg_time_reset", 300),
            ("rpg_byte_reset", 32_767),
            ("rpg_threshold", 1),
            ("rpg_ai_rate", 5),
            ("rpg_hai_rate", 50),
            ("rpg_min_rate", 1),
        ] {
            let line = text.lines().find(|line| line.ends_with(file)).unwrap();
            assert!(line.starts_with(&format!("echo {value} > ")), "{line}");
        }
        assert!(!text.contains('#'));
    }

    #[test]
    fn what_a_card_cannot_be_told_is_said() {
        let text = lines(Card::Zhu, BitsPerSec::from_mbps(40_000));
        assert!(text.contains("simulated are 10000000"), "{text}");
        // R_AI is 5 Mbps at 25 Gbps.
        let text = lines(Card::Hpcc, BitsPerSec::from_mbps(100_000));
        assert!(text.contains("echo 20 > $d/roce_rp/rpg_ai_rate"), "{text}");
    }
}
