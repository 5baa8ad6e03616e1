//! The RED family against a transcription of its equations in floating point, packet
//! by packet, with the same random numbers.

use earlydrop::packet::{Ecn, FlowKey, Packet};
use earlydrop::queue::{AnyQueue, Outcome, QueueDiscipline};
use earlydrop::random::Pcg32;
use earlydrop::registry::{LinkFacts, Spec};
use earlydrop::units::{BitsPerSec, Nanos};

const LINK: LinkFacts = LinkFacts::at(BitsPerSec::from_mbps(10));
/// 1,000 bytes at 10 Mbps, in seconds.
const PACKET_TIME: f64 = 8e-4;
const MIN: f64 = 10.0;
const MAX: f64 = 30.0;
const MAX_P: f64 = 0.1;

#[derive(Clone, Copy)]
struct Plain;

impl Packet for Plain {
    fn size(&self) -> u32 {
        1000
    }
    fn flow(&self) -> FlowKey {
        FlowKey(0)
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotCapable
    }
    fn mark(&mut self) {}
}

/// The papers' equations, as printed.
fn initial_probability(scheme: &str, avg: f64) -> f64 {
    let share = (avg - MIN) / (MAX - MIN);
    let gentle = MAX_P + (1.0 - MAX_P) * (avg - MAX) / MAX;
    let below_max = avg < MAX;
    let gamma = 0.8;
    let quadratic_linear = 2.0 * (MIN + MAX) / 3.0 - MIN;
    let improved = (MIN + MAX) / 3.0 + MIN;
    match scheme {
        _ if avg < MIN => 0.0,
        "red" if below_max => MAX_P * share,
        "gred" if below_max => MAX_P * share,
        "nlred" if below_max => 1.5 * MAX_P * share * share,
        "mred" if below_max => MAX_P * (avg * avg - MIN * MIN) / (MAX * MAX - MIN * MIN),
        "gred" | "mred" => gentle.min(1.0),
        "clred" if share < 0.5 => 4.0 * (1.0 - MAX_P) * share * share,
        "clred" if below_max => (1.0 - MAX_P) + 2.0 * MAX_P * (share - 0.5),
        "tred" if share < 1.0 / 3.0 => 9.0 * MAX_P * share.powi(3),
        "tred" if share < 2.0 / 3.0 => MAX_P * share,
        "tred" if below_max => 9.0 * MAX_P * (share - 1.0).powi(3) + MAX_P,
        "smred" if share < 0.5 => MAX_P * share * share,
        "smred" if below_max => MAX_P * share.sqrt(),
        "red-ql" if avg < quadratic_linear => {
            9.0 * MAX_P * ((avg - MIN) / (2.0 * (MAX - 2.0 * MIN))).powi(2)
        }
        "red-ql" if below_max => {
            MAX_P + 3.0 * (1.0 - MAX_P) * (avg - quadratic_linear) / (MIN + MAX)
        }
        "ired" if avg < improved => 9.0 * MAX_P * ((avg - MIN) / (MIN + MAX)).powi(2),
        "ired" if below_max => {
            MAX_P + 3.0 * (1.0 - MAX_P) * (avg - improved) / (2.0 * (MAX - 2.0 * MIN))
        }
        "red-e" if below_max => MAX_P * (avg.exp() - MIN.exp()) / (MAX.exp() - MIN.exp()),
        "fxred" if share < 0.5 => (1.0 - MAX_P) * (2.0 * share).powi(2),
        "fxred" if below_max => (1.0 - MAX_P) + 2.0 * MAX_P * (share - 0.5),
        "dsred" if share < 0.5 => 2.0 * (1.0 - gamma) * share,
        "dsred" if below_max => (1.0 - gamma) + 2.0 * gamma * (share - 0.5),
        _ => 1.0,
    }
}

/// A queue of the RED family in a few lines of floating point.
struct Transcription {
    scheme: &'static str,
    spacing: &'static str,
    weight: f64,
    avg: f64,
    count: f64,
    goal: Option<f64>,
    idle_since: Option<Nanos>,
    /// A dequeue has found no packet since the last arrival.
    asked: bool,
    queue: u32,
    random: Pcg32,
}

impl Transcription {
    /// Whether the packet arriving at `now` is dropped.
    fn drops(&mut self, now: Nanos) -> bool {
        match self.idle_since.take() {
            None => self.avg = (1.0 - self.weight) * self.avg + self.weight * f64::from(self.queue),
            Some(since) => {
                let packets = (now - since).as_secs_f64() / PACKET_TIME;
                self.avg *= (1.0 - self.weight).powf(packets);
            }
        }
        let pb = initial_probability(self.scheme, self.avg);
        let drop_all_from = if matches!(self.scheme, "gred" | "mred") {
            2.0 * MAX
        } else {
            MAX
        };
        if self.avg < MIN || self.avg >= drop_all_from {
            (self.count, self.goal) = (0.0, None);
            // The pseudo-code's count is -1 below min, and 0 after a drop.
            if self.spacing == "pseudocode" && self.avg < MIN {
                self.count = -1.0;
            }
            return self.avg >= MIN;
        }
        let drops = self.gap_ends(pb);
        if drops {
            (self.count, self.goal) = (0.0, None);
        } else {
            self.count += 1.0;
        }
        drops
    }

    /// Whether this packet ends the gap, by the law as printed.
    fn gap_ends(&mut self, pb: f64) -> bool {
        let (c, next) = (self.count * pb, (self.count + 1.0) * pb);
        let pa = match self.spacing {
            "geometric" => pb,
            "uniform" => pb / (1.0 - c).max(pb),
            "pseudocode" => pb / (1.0 - next).max(pb),
            "uniform2" => pb / (2.0 - c).max(pb),
            "wait" if next < 1.0 => return false,
            "wait" => pb / (2.0 - next).max(pb),
            _ => {
                let goal = match self.goal {
                    Some(goal) => goal,
                    // In (0, 1] rather than [0, 1).
                    None => self.random_share(0) + 1.0 / 4_294_967_296.0,
                };
                self.goal = Some(goal);
                return next >= goal;
            }
        };
        self.random_share(1) < pa
    }

    /// The next random number in [0, 1), without its last `bits` bits.
    fn random_share(&mut self, bits: u32) -> f64 {
        f64::from(self.random.next_u32() >> bits) / f64::from(1_u32 << (31 - bits)) / 2.0
    }
}

/// Compares both under bursts and lulls around the link's rate, with idle times.
fn agree_on_every_packet(scheme: &'static str, spacing: &'static str, weight: f64) {
    let gamma = if scheme == "dsred" {
        ",gamma=0.8"
    } else {
        ",max_p=0.1"
    };
    let text = format!("{scheme}:min=10,max=30,spacing={spacing},weight={weight}{gamma}");
    let spec: Spec = text.parse().unwrap();
    let mut queue: AnyQueue<Plain> = spec.plan(&LINK).unwrap().queue(9);
    let mut twin = Transcription {
        scheme,
        spacing,
        weight,
        avg: 0.0,
        count: 0.0,
        goal: None,
        idle_since: None,
        asked: false,
        queue: 0,
        random: Pcg32::new(9, 0),
    };
    let (mut traffic, mut now, mut dropped) = (Pcg32::new(4, 0), Nanos::ZERO, 0_u32);
    for step in 0..60_000_u32 {
        let busy = (step / 3000) % 3 != 2;
        now += Nanos(u64::from(traffic.below(if busy {
            800_000
        } else {
            4_000_000
        })));
        if traffic.chance(if busy { 0.52 } else { 0.4 }) {
            let drops = twin.drops(now);
            let outcome = queue.enqueue(now, Plain);
            assert_eq!(outcome != Outcome::Queued, drops, "{text} at step {step}");
            twin.queue += u32::from(!drops);
            twin.asked &= drops;
            dropped += u32::from(drops);
            // Dropped at an empty queue, which stays empty.
            if drops && twin.queue == 0 {
                twin.idle_since = Some(now);
            }
        } else {
            let left = queue.dequeue(now).is_some();
            assert_eq!(left, twin.queue > 0);
            twin.queue -= u32::from(left);
            // Idle since the last packet left, and again from the first dequeue without one.
            if twin.queue == 0 && (left || !twin.asked) {
                twin.idle_since = Some(now);
            }
            twin.asked = !left;
        }
        assert_eq!(queue.packets(), twin.queue);
    }
    assert!(dropped > 100, "{text}: {dropped} drops are too few");
}

#[test]
fn whole_numbers_and_equations_give_the_same_verdicts() {
    for scheme in [
        "red", "gred", "nlred", "mred", "clred", "dsred", "tred", "smred", "red-ql", "ired",
        "red-e", "fxred",
    ] {
        for spacing in [
            "uniform",
            "pseudocode",
            "uniform2",
            "geometric",
            "wait",
            "drawn",
        ] {
            for weight in [0.02, 1.0 / 64.0] {
                agree_on_every_packet(scheme, spacing, weight);
            }
        }
    }
}
