//! What a switch's marking does to the transports of a data centre: simulated with each.

use std::num::NonZero;
use std::sync::atomic::AtomicBool;
use std::thread;

use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_lab::fabric_advice::{MOST_FLOWS, OneQueue, SEEDS, Served, Transport};
use earlydrop_lab::statistics::Mean;
use earlydrop_lab::verify::VerifyError;
use earlydrop_model::explain::Explanation;
use serde_json::{Value, json};

use crate::request::RequestError;

/// Tools of switches that mark by a shared buffer's queue.
const SWITCHES: [&str; 4] = ["sonic", "junos", "eos", "nxos"];
/// The slowest link and the longest round trip of a data centre.
const SLOWEST: BitsPerSec = BitsPerSec(1_000_000_000);
const FARTHEST: Nanos = Nanos(1_000_000);
/// The buffer in upper thresholds, where the line has no limit: nothing but the line decides.
const BUFFER: f64 = 4.0;

/// What a line does to each transport.
#[derive(Clone, Debug)]
pub struct ByTransport {
    /// The queue and its flows.
    pub queue: OneQueue,
    /// What was simulated, by transport.
    pub served: Vec<Served>,
    /// The transports that were not, each with why.
    pub left_out: Vec<(Transport, String)>,
    /// Whether the load has more flows than were simulated.
    pub has_more_flows: bool,
}

/// Whether the configuration marks at a switch.
fn marks(explanation: &Explanation) -> bool {
    let configuration = &explanation.configuration;
    configuration.ecn.value.on && SWITCHES.contains(&configuration.tool.name)
}

fn is_in_a_data_centre(explanation: &Explanation) -> bool {
    explanation.load.rate >= SLOWEST && explanation.load.rtt <= FARTHEST
}

/// What to type, where a switch marks and the link is none of a data centre.
pub fn hint(explanation: &Explanation) -> Option<&'static str> {
    let text = "With the link of a data centre, --link 100Gbps --rtt 10us, this says what the line does \
                to DCQCN, DCTCP and CUBIC.";
    (marks(explanation) && !is_in_a_data_centre(explanation)).then_some(text)
}

/// Simulates the line with each transport; `None` where it does not mark at a switch of a data centre.
/// Before each, `on_progress` is called with what begins.
pub(super) fn simulated(
    explanation: &Explanation,
    stop: &AtomicBool,
    on_progress: &mut dyn FnMut(&str),
) -> Result<Option<ByTransport>, RequestError> {
    if !marks(explanation) || !is_in_a_data_centre(explanation) {
        return Ok(None);
    }
    let (configuration, load) = (&explanation.configuration, &explanation.load);
    let link = load.link();
    let spec = configuration.spec(0, &link)?;
    let max = configuration.to_bytes(configuration.classes[0].max.value, &link);
    let limit = configuration.limit_in_unit(&link);
    let limit = limit.map_or(BUFFER * max, |limit| configuration.to_bytes(limit, &link));
    let queue = OneQueue {
        rate: load.rate,
        rtt: load.rtt,
        packet: load.packet,
        flows: (load.flows.round() as u64).clamp(1, MOST_FLOWS),
        buffer: Bytes(limit.ceil() as u64),
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let mut all = ByTransport {
        queue,
        served: Vec::new(),
        left_out: Vec::new(),
        has_more_flows: load.flows > MOST_FLOWS as f64,
    };
    for transport in Transport::ALL {
        on_progress(&format!("{} hosts with {}", queue.flows, transport.title()));
        match queue.served(&spec, transport, threads, stop) {
            Ok(served) => all.served.extend(served),
            // The scenario is ours, so that only its size can be refused.
            Err(VerifyError::Scenario(problems)) => {
                let messages = problems.list.iter().map(|problem| problem.message.as_str());
                let why = messages.collect::<Vec<_>>().join("; ");
                all.left_out.push((transport, why));
            }
            Err(error @ VerifyError::Stopped) => {
                return Err(RequestError::Stopped(error.to_string()));
            }
            Err(error) => return Err(RequestError::Run(error.to_string())),
        }
    }
    Ok(Some(all))
}

impl ByTransport {
    /// What was simulated, in a sentence.
    pub fn setting(&self) -> String {
        let OneQueue {
            rate,
            rtt,
            packet,
            flows,
            buffer,
        } = self.queue;
        let flows = match flows {
            1 => "a host with a long flow".to_string(),
            count if self.has_more_flows => {
                format!("{count} hosts, the most, with a long flow each")
            }
            count => format!("{count} hosts with a long flow each"),
        };
        format!(
            "Simulated: {flows} to one host, links of {rate}, RTT {rtt}, packets of {packet}, a buffer of \
             {buffer} and no pauses; the last two thirds of {}, {SEEDS} seeds.",
            self.queue.duration()
        )
    }

    /// What was not simulated and why, a sentence each.
    pub fn not_simulated(&self) -> impl Iterator<Item = String> {
        let left_out = self.left_out.iter();
        left_out.map(|(transport, why)| format!("{} is not simulated: {why}.", transport.title()))
    }

    /// The transports as rows below a header.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let header = [
            "senders", "delay us", "marked %", "lost %", "used %", "fairness",
        ];
        let rows = self.served.iter().map(|one| {
            // A terminal of 80 columns has no room for the percentile.
            let shown = values(one)
                .into_iter()
                .filter(|(name, ..)| *name != "delay_p99");
            let cells = shown.map(|(_, mean, scale)| mean.with_interval(scale));
            let title = one.transport.title().to_string();
            std::iter::once(title).chain(cells).collect()
        });
        std::iter::once(header.map(String::from).to_vec())
            .chain(rows)
            .collect()
    }

    /// The same as JSON.
    pub(super) fn json(&self) -> Value {
        let of_one = |one: &Served| {
            let mut object = json!({ "senders": one.transport.name() });
            for (name, mean, _) in values(one) {
                object[name] = json!({ "mean": mean.mean, "half": mean.half });
            }
            object
        };
        json!({
            "setting": self.setting(),
            "by_transport": self.served.iter().map(of_one).collect::<Vec<_>>(),
            "not_simulated": self.not_simulated().collect::<Vec<_>>(),
        })
    }
}

/// What is shown of a transport: its key, its mean, and the factor to the unit of the table.
fn values(one: &Served) -> [(&'static str, Mean, f64); 6] {
    [
        ("delay", one.delay, 1e6),
        ("delay_p99", one.delay_p99, 1e6),
        ("marked", one.marks, 100.0),
        ("loss", one.loss, 100.0),
        ("utilisation", one.utilisation, 100.0),
        ("fairness", one.fairness, 1.0),
    ]
}
