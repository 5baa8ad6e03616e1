//! A vector, and its form as lines of JSON.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The version of the form. A reader refuses another one.
pub const FORMAT: u32 = 1;

/// Calls to a queue and the answers of one that follows the reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    /// What it is about: the first line.
    pub header: Header,
    /// The calls, a line each.
    pub steps: Vec<Step>,
}

impl Vector {
    /// Whether the queue drops or marks a packet in it.
    pub fn drops_or_marks(&self) -> bool {
        let had_mark = |id: u32| {
            let mut arrived = self.steps.iter().filter_map(|step| step.enqueue);
            arrived.any(|one| one.id == id && one.ecn == Ecn::Ce)
        };
        self.steps.iter().any(|step| {
            step.fate.is_some_and(|fate| fate != Fate::Queued)
                || !step.lost.is_empty()
                || step
                    .sent
                    .is_some_and(|sent| sent.ecn == Ecn::Ce && !had_mark(sent.id))
        })
    }
}

/// The first line of a vector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Its name: "codel/entry".
    pub vector: String,
    /// [`FORMAT`].
    pub format: u32,
    /// The scheme, as earlydrop calls it.
    pub scheme: String,
    /// The text of which the answers are: an RFC, a paper, Linux.
    pub reference: String,
    /// What happens in it.
    pub about: String,
    /// The faults that it exposes, of [`FAULTS`](crate::fault::FAULTS).
    pub exposes: Vec<String>,
    /// The rate of the link behind the queue, in bit/s.
    pub link_bps: u64,
    /// The mean size of a packet that the scheme assumes, in bytes.
    pub mean_packet_bytes: u64,
    /// Every parameter that matters.
    pub parameters: BTreeMap<String, Parameter>,
    /// The scheme in earlydrop's own words.
    pub spec: String,
    /// The seed of earlydrop's random numbers.
    pub seed: u64,
    /// The case of Linux' kernel whose fates these are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// The number of lines that follow.
    pub steps: usize,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Parameter {
    /// On or off.
    Flag(bool),
    /// A number without a unit.
    Number(f64),
    /// A name, or "auto" or "never".
    Name(String),
    /// A number in s, bit/s, bytes or packets.
    Quantity {
        /// The number.
        value: f64,
        /// Its unit.
        unit: String,
    },
}

/// A call and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// When, in ns. Times never fall.
    pub t: u64,
    /// The packet that arrives; none in a call that asks for the next packet to send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enqueue: Option<Packet>,
    /// The random numbers that the scheme draws in this call, of 32 bits. A number in [0, 1) is
    /// one of them over 2^32, a whole number below n is one of them times n over 2^32, rounded
    /// down.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub draws: Vec<u32>,
    /// What becomes of the packet that arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fate: Option<Fate>,
    /// The packet that leaves; none where there is nothing to send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<Sent>,
    /// The packets that are dropped in this call, other than the one that arrives, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<u32>,
    /// The quantities of the scheme that this call has changed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub state: BTreeMap<String, f64>,
}

/// A packet that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Packet {
    /// Its number, from 0 on in the order of arrival.
    pub id: u32,
    /// Bytes.
    pub size: u32,
    /// Its flow. No two flows share a queue or a bin unless the vector says so.
    pub flow: u32,
    /// Its ECN field.
    #[serde(default, skip_serializing_if = "is_not_capable")]
    pub ecn: Ecn,
}

fn is_not_capable(ecn: &Ecn) -> bool {
    *ecn == Ecn::Not
}

/// The ECN field of RFC 3168.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ecn {
    /// Not capable. Left out in the files.
    #[default]
    Not,
    /// ECT(0).
    Ect0,
    /// ECT(1).
    Ect1,
    /// Congestion experienced.
    Ce,
}

/// What becomes of a packet that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// It waits.
    Queued,
    /// It waits, with a mark that this call has set.
    Marked,
    /// It is dropped.
    Dropped,
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fate::Queued => "queued",
            Fate::Marked => "marked",
            Fate::Dropped => "dropped",
        })
    }
}

/// A packet that leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sent {
    /// Its number.
    pub id: u32,
    /// Its ECN field as it leaves.
    #[serde(default, skip_serializing_if = "is_not_capable")]
    pub ecn: Ecn,
}

/// Why lines are no vectors.
#[derive(Debug, PartialEq, Eq)]
pub struct FormError {
    /// The line, from 1 on.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for FormError {}

/// Reads vectors one after the other.
pub fn read(text: &str) -> Result<Vec<Vector>, FormError> {
    let mut lines = text.lines().enumerate();
    let mut vectors = Vec::new();
    let error = |index: usize, problem: String| FormError {
        line: index + 1,
        problem,
    };
    while let Some((index, line)) = lines.next() {
        let header: Header =
            serde_json::from_str(line).map_err(|why| error(index, why.to_string()))?;
        if header.format != FORMAT {
            let (is, name) = (header.format, &header.vector);
            let problem = format!("{name} has format {is}; this reader has {FORMAT}");
            return Err(error(index, problem));
        }
        let steps = lines.by_ref().take(header.steps);
        let steps = steps.map(|(index, line)| {
            serde_json::from_str(line).map_err(|why| error(index, why.to_string()))
        });
        let steps = steps.collect::<Result<Vec<Step>, FormError>>()?;
        if steps.len() < header.steps {
            let (name, wanted, is) = (&header.vector, header.steps, steps.len());
            let problem = format!("{name} has {wanted} steps, and the file ends after {is}");
            return Err(error(index, problem));
        }
        vectors.push(Vector { header, steps });
    }
    Ok(vectors)
}

/// Writes vectors one after the other.
pub fn write(vectors: &[Vector]) -> String {
    let mut text = String::new();
    let mut line = |json: serde_json::Result<String>| {
        text.push_str(&json.expect("texts, finite numbers and maps with texts as keys"));
        text.push('\n');
    };
    for vector in vectors {
        line(serde_json::to_string(&vector.header));
        let steps = vector.steps.iter();
        steps.for_each(|step| line(serde_json::to_string(step)));
    }
    text
}
