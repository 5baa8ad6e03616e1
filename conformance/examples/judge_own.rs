//! Judges a RED with a fault: its average is of the queue with the packet that arrives.
//!
//! ```text
//! cargo run -p earlydrop-conformance --example judge_own
//! ```

use std::collections::VecDeque;

use earlydrop_conformance::catalogue;
use earlydrop_conformance::judge::{Call, Queue};
use earlydrop_conformance::report::Report;
use earlydrop_conformance::vector::{Fate, Header, Packet, Parameter, Sent};

/// RED without marks, whose average stays while it is empty.
struct Red {
    waiting: VecDeque<Packet>,
    average: f64,
    weight: f64,
    /// Where every packet is dropped, in packets.
    max: f64,
}

impl Red {
    fn of(header: &Header) -> Red {
        let number = |name: &str| match &header.parameters[name] {
            Parameter::Quantity { value, .. } | Parameter::Number(value) => *value,
            _ => f64::NAN,
        };
        Red {
            waiting: VecDeque::new(),
            average: 0.0,
            weight: number("weight"),
            max: number("max"),
        }
    }
}

impl Queue for Red {
    fn enqueue(&mut self, _now: u64, packet: Packet, _call: &mut Call<'_>) -> Fate {
        let queue = self.waiting.len() as f64 + 1.0;
        self.average += self.weight * (queue - self.average);
        if self.average >= self.max {
            return Fate::Dropped;
        }
        self.waiting.push_back(packet);
        Fate::Queued
    }

    fn dequeue(&mut self, _now: u64, _call: &mut Call<'_>) -> Option<Sent> {
        let Packet { id, ecn, .. } = self.waiting.pop_front()?;
        Some(Sent { id, ecn })
    }

    fn state(&self, name: &str) -> Option<f64> {
        (name == "average").then_some(self.average)
    }
}

fn main() {
    let mut report = Report::default();
    let vectors = catalogue::vectors("red").expect("the catalogue names no wrong parameter");
    let calm = ["red/average", "red/idle"];
    for vector in vectors
        .iter()
        .filter(|one| calm.contains(&one.header.vector.as_str()))
    {
        let judged = report.judge(vector, &mut Red::of(&vector.header));
        judged.expect("a queue in Rust answers in its types");
    }
    print!("{report}");
    assert!(!report.is_clean());
}
