//! Judges a queue by a vector.

use std::fmt;

use crate::vector::{Ecn, Fate, Packet, Sent, Step, Vector};

/// A queue under test.
pub trait Queue {
    /// A packet arrives. Other packets that are dropped go to `lost`.
    fn enqueue(&mut self, now: u64, packet: Packet, call: &mut Call<'_>) -> Fate;

    /// The link is free: the next packet to send. Packets that are dropped go to `lost`.
    fn dequeue(&mut self, now: u64, call: &mut Call<'_>) -> Option<Sent>;

    /// A quantity of the scheme, where the queue shows it under this name.
    fn state(&self, name: &str) -> Option<f64> {
        let _ = name;
        None
    }

    /// What was wrong with an answer, where the queue's answers are not of Rust's types.
    fn problem(&self) -> Option<&str> {
        None
    }
}

/// What a call brings besides the packet, and what it leaves.
#[derive(Debug)]
pub struct Call<'a> {
    draws: &'a [u32],
    /// How many of the numbers were drawn, also beyond those there are.
    pub drawn: usize,
    /// The packets, other than the one that arrives, that were dropped, in order.
    pub lost: Vec<u32>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(step: &'a Step) -> Call<'a> {
        Call {
            draws: &step.draws,
            drawn: 0,
            lost: Vec::new(),
        }
    }

    /// All random numbers of the call, for a queue that counts for itself.
    pub(crate) fn draws(&self) -> &'a [u32] {
        self.draws
    }

    /// The next random number of 32 bits; 0 where the reference draws no more.
    pub fn next_u32(&mut self) -> u32 {
        let number = self.draws.get(self.drawn).copied().unwrap_or(0);
        self.drawn += 1;
        number
    }

    /// The next random number in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        f64::from(self.next_u32()) / 4_294_967_296.0
    }
}

/// The first step at which a queue leaves a vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The vector's name.
    pub vector: String,
    /// The step, from 1 on.
    pub step: usize,
    /// When, in ns.
    pub t: u64,
    /// What the reference does.
    pub expected: String,
    /// What the queue does.
    pub found: String,
    /// The faults that the vector exposes.
    pub exposes: Vec<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (vector, step, ms) = (&self.vector, self.step, self.t as f64 / 1e6);
        write!(f, "{vector}, step {step}, {ms} ms: ")?;
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

impl std::error::Error for Difference {}

/// The largest difference between two values of a quantity that are taken for one, as a share of
/// the larger, or of 1.
const ROUNDING: f64 = 1e-6;

/// Makes a vector's calls, until the first answer that is not the reference's.
pub fn judge(vector: &Vector, queue: &mut dyn Queue) -> Result<(), Difference> {
    for (index, step) in vector.steps.iter().enumerate() {
        if let Err((expected, found)) = judge_step(step, queue) {
            return Err(Difference {
                vector: vector.header.vector.clone(),
                step: index + 1,
                t: step.t,
                expected,
                found,
                exposes: vector.header.exposes.clone(),
            });
        }
    }
    Ok(())
}

/// What is expected and what was found, where they differ.
fn judge_step(step: &Step, queue: &mut dyn Queue) -> Result<(), (String, String)> {
    let mut call = Call::new(step);
    let (expected, found) = match step.enqueue {
        Some(packet) => {
            let fate = queue.enqueue(step.t, packet, &mut call);
            let text = |fate: Option<Fate>| {
                let fate = fate.map_or("no fate".to_string(), |fate| fate.to_string());
                format!("packet {} {fate}", packet.id)
            };
            (text(step.fate), text(Some(fate)))
        }
        None => {
            let sent = queue.dequeue(step.t, &mut call);
            (sent_text(step.sent), sent_text(sent))
        }
    };
    same(expected, found)?;
    same(lost_text(&step.lost), lost_text(&call.lost))?;
    let drawn = |number: usize| format!("{number} random numbers drawn");
    same(drawn(step.draws.len()), drawn(call.drawn))?;
    for (name, expected) in &step.state {
        let Some(found) = queue.state(name) else {
            continue;
        };
        let scale = expected.abs().max(found.abs()).max(1.0);
        if (found - expected).abs() > ROUNDING * scale {
            return Err((format!("{name} {expected}"), format!("{name} {found}")));
        }
    }
    Ok(())
}

fn same(expected: String, found: String) -> Result<(), (String, String)> {
    match expected == found {
        true => Ok(()),
        false => Err((expected, found)),
    }
}

fn sent_text(sent: Option<Sent>) -> String {
    match sent {
        None => "nothing sent".to_string(),
        Some(Sent { id, ecn: Ecn::Not }) => format!("packet {id} sent"),
        Some(Sent { id, ecn }) => {
            format!(
                "packet {id} sent with {}",
                format!("{ecn:?}").to_lowercase()
            )
        }
    }
}

fn lost_text(lost: &[u32]) -> String {
    match lost {
        [] => "none of those waiting dropped".to_string(),
        lost => {
            let numbers: Vec<String> = lost.iter().map(ToString::to_string).collect();
            format!("of those waiting {} dropped", numbers.join(", "))
        }
    }
}
