//! Records vectors: packets through one of earlydrop's queues in front of a link.

use std::collections::BTreeMap;

use earlydrop::Spec;
use earlydrop::registry::{ConfigError, Length, Value};

use crate::own::{OwnQueue, link};
use crate::vector::{FORMAT, Header, Packet, Parameter, Sent, Step, Vector};

/// A vector before it is recorded.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The header, without parameters and number of steps.
    pub header: Header,
    /// The packets by time, in ns.
    pub arrivals: Vec<(u64, Packet)>,
    /// Until when the queue is asked for packets, in ns.
    pub until: u64,
    /// A transmission into an idle link begins at a multiple of this, in ns.
    pub ticks: u64,
}

impl Draft {
    /// A draft of packets in a queue that earlydrop's text describes.
    pub fn new(name: &str, spec: &str, link_bps: u64) -> Draft {
        let (scheme, _) = spec.split_once(':').unwrap_or((spec, ""));
        Draft {
            header: Header {
                vector: name.to_string(),
                format: FORMAT,
                scheme: scheme.to_string(),
                reference: String::new(),
                about: String::new(),
                exposes: Vec::new(),
                link_bps,
                mean_packet_bytes: 1000,
                parameters: BTreeMap::new(),
                spec: spec.to_string(),
                seed: 1,
                kernel: None,
                steps: 0,
            },
            arrivals: Vec::new(),
            until: 0,
            ticks: 1,
        }
    }
}

/// Makes the draft's calls of its queue: packets arrive when they do, and whenever the link is
/// free it asks for the next one. A call that finds nothing is made, too: it tells a scheme when
/// its queue became idle.
pub fn record(mut draft: Draft) -> Result<Vector, ConfigError> {
    draft.header.parameters = parameters(&draft.header)?;
    let mut recorder = Recorder {
        queue: OwnQueue::of(&draft.header)?,
        bps: draft.header.link_bps,
        ticks: draft.ticks,
        free: None,
        sizes: draft
            .arrivals
            .iter()
            .map(|(_, packet)| packet.size)
            .collect(),
        steps: Vec::new(),
        shown: BTreeMap::new(),
    };
    // What a queue shows before its first packet is not a change.
    recorder.changed();
    for (t, packet) in &draft.arrivals {
        recorder.send_until(*t);
        recorder.arrive(*t, *packet);
    }
    recorder.send_until(draft.until);
    draft.header.steps = recorder.steps.len();
    Ok(Vector {
        header: draft.header,
        steps: recorder.steps,
    })
}

struct Recorder {
    queue: OwnQueue,
    bps: u64,
    ticks: u64,
    /// When the link has sent its packet; `None` while it is idle.
    free: Option<u64>,
    /// The packets' sizes by number, in bytes.
    sizes: Vec<u32>,
    steps: Vec<Step>,
    /// The quantities as last seen.
    shown: BTreeMap<String, f64>,
}

impl Recorder {
    fn arrive(&mut self, t: u64, packet: Packet) {
        let (fate, lost, draws) = self.queue.arrive(t, packet);
        self.steps.push(Step {
            t,
            enqueue: Some(packet),
            draws,
            fate: Some(fate),
            sent: None,
            lost,
            state: BTreeMap::new(),
        });
        self.note_state();
        if self.free.is_none() {
            self.ask(t, t.next_multiple_of(self.ticks));
        }
    }

    /// Asks for packets as long as the link is free before `until`.
    fn send_until(&mut self, until: u64) {
        while let Some(free) = self.free.filter(|free| *free <= until) {
            self.ask(free, free);
        }
    }

    /// Asks for the next packet, whose transmission starts at `start`.
    fn ask(&mut self, t: u64, start: u64) {
        let (sent, lost, draws) = self.queue.leave(t);
        let takes = |sent: Sent| u64::from(self.sizes[sent.id as usize]) * 8_000_000_000 / self.bps;
        self.free = sent.map(|sent| start + takes(sent));
        self.steps.push(Step {
            t,
            enqueue: None,
            draws,
            fate: None,
            sent,
            lost,
            state: BTreeMap::new(),
        });
        self.note_state();
    }

    fn note_state(&mut self) {
        let changed = self.changed();
        if let Some(last) = self.steps.last_mut() {
            last.state = changed;
        }
    }

    /// The quantities that have changed since the last call, to twelve digits.
    fn changed(&mut self) -> BTreeMap<String, f64> {
        let mut changed = BTreeMap::new();
        for (name, value) in self.queue.quantities() {
            let short: f64 = format!("{value:.11e}").parse().unwrap_or(value);
            if short.is_finite() && self.shown.insert(name.to_string(), short) != Some(short) {
                changed.insert(name.to_string(), short);
            }
        }
        changed
    }
}

/// Every parameter that matters, in base units.
fn parameters(header: &Header) -> Result<BTreeMap<String, Parameter>, ConfigError> {
    let spec: Spec = header.spec.parse()?;
    let settings = spec.settings(&link(header.link_bps, header.mean_packet_bytes))?;
    let mattering = settings
        .iter()
        .filter(|(parameter, _)| settings.matters(parameter));
    Ok(mattering
        .map(|(parameter, value)| (parameter.name.to_string(), in_base_units(value)))
        .collect())
}

fn in_base_units(value: &Value) -> Parameter {
    let quantity = |value: f64, unit: &str| Parameter::Quantity {
        value,
        unit: unit.to_string(),
    };
    match value {
        Value::Length(Length::Packets(packets)) => quantity(*packets, "packets"),
        Value::Length(Length::Bytes(bytes)) => quantity(*bytes, "bytes"),
        Value::Length(Length::Seconds(secs)) => quantity(*secs, "s"),
        Value::Bytes(size) => quantity(size.0 as f64, "bytes"),
        Value::Time(earlydrop::Nanos::NEVER) => Parameter::Name("never".to_string()),
        Value::Time(span) => quantity(span.as_secs_f64(), "s"),
        Value::Rate(rate) => quantity(rate.0 as f64, "bit/s"),
        Value::Number(number) => Parameter::Number(*number),
        Value::Flag(flag) => Parameter::Flag(*flag),
        other => Parameter::Name(other.to_string()),
    }
}
