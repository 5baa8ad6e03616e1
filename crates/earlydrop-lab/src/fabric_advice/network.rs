//! The fabric that candidates are simulated in, and what its pauses need.

use earlydrop::units::{Bytes, Nanos};
use earlydrop_model::ModelError;
use earlydrop_model::fabric::Pauses;
use earlydrop_sim::network::{Link, Network, Pfc};
use earlydrop_sim::tcp::control::dcqcn::Card;

use super::{FabricQuestion, Transport, Trial};
use crate::scenario::PauseRoom;

/// Switches with hosts.
pub const LEAVES: u64 = 3;
/// Switches between them: as many as hosts at a leaf, so that links between switches carry no more
/// than those of hosts.
pub const SPINES: u64 = 8;
/// Hosts of each leaf.
pub const HOSTS: u64 = 8;
/// The offered load of transfers, as a share of hosts' links.
pub const LOAD: f64 = 0.5;
/// Servers of the incast.
pub const SERVERS: u64 = 16;
/// What each of them sends, as time of a link: 500 kB at 100 Gbps.
const ANSWER: Nanos = Nanos(40_000);
/// The dynamic threshold of queues that lose nothing is no limit; of others it is the usual one.
const NO_LIMIT: f64 = 1024.0;
const USUAL: f64 = 1.0;
/// Links of the longest path, there and back.
const LINKS: u64 = 8;

/// The thresholds of pauses with cables of this delay: headroom of every port, the rest for XOFF. `None`
/// where headroom alone is more than the buffer.
pub fn pauses(question: &FabricQuestion, cable: Nanos) -> Option<Pauses> {
    let FabricQuestion {
        fabric,
        ports,
        buffer,
        ..
    } = *question;
    let mut network = Network::new();
    let (one, other) = (network.node("one"), network.node("other"));
    let (link, back) = network.duplex(one, other, Link::new(fabric.rate, cable));
    let headroom = network.headroom(link, back, fabric.packet);
    let room = PauseRoom {
        links: ports,
        headroom: Bytes(ports.checked_mul(headroom.0)?),
        limits: Pfc {
            xoff: Bytes(0),
            xon: Bytes(0),
            classes: None,
        },
        shared: None,
    };
    Some(Pauses {
        ports,
        buffer,
        headroom,
        xoff: room.largest_xoff(buffer)?,
    })
}

/// The shared buffer of a simulated switch: it has fewer ports than those of the question, and as much
/// for each. With pauses so much more that the dynamic threshold leaves that to one port.
pub fn most_of_a_port(question: &FabricQuestion) -> Bytes {
    let buffer = question.buffer.0 as f64 / question.ports as f64 * (HOSTS + SPINES) as f64;
    let buffer = match pauses_simulated(question) {
        Some(_) => buffer * (1.0 + NO_LIMIT) / NO_LIMIT,
        None => buffer,
    };
    Bytes(buffer.ceil() as u64)
}

/// The delay of a link of the simulated fabric.
fn hop(question: &FabricQuestion) -> Nanos {
    Nanos(question.fabric.rtt.0 / LINKS)
}

/// The pauses of the simulated fabric.
fn pauses_simulated(question: &FabricQuestion) -> Option<Pauses> {
    match question.transport {
        Transport::Dcqcn => pauses(question, hop(question).max(question.cable)),
        _ => None,
    }
}

/// The text of a scenario that simulates the candidates that fit into the buffer.
pub fn scenario(
    question: &FabricQuestion,
    candidates: &[Trial],
    duration: Nanos,
) -> Result<String, ModelError> {
    let fabric = &question.fabric;
    let alpha = match question.transport {
        Transport::Dcqcn => NO_LIMIT,
        _ => USUAL,
    };
    let pause = pauses_simulated(question);
    let pause = pause.map_or(String::new(), |p| {
        format!("pause = \"{} bytes\"\n", p.xoff.0)
    });
    let answer = fabric.rate.0 as f64 / 8.0 * ANSWER.as_secs_f64();
    let mut schemes = String::new();
    for Trial { rule, .. } in candidates.iter().filter(|trial| trial.fits) {
        schemes += &format!("{} = \"{}\"\n", rule.name, rule.marking.spec()?);
    }
    Ok(format!(
        r#"title = "Thresholds of marking on {rate} over {rtt}"
about = "Transfers of web search at half load and an incast in a small leaf-spine"
duration = "{duration}"
warm_up = "{warm_up}"
seeds = {seeds}

[network]
shape = "leaf-spine"
leaves = {LEAVES}
spines = {SPINES}
hosts = {HOSTS}
rate = "{rate}"
delay = "{hop}"
shared_buffer = "{buffer} bytes"
alpha = {alpha}
{pause}
[tcp]
{tcp}
segment = "{packet} bytes"

[flows.search]
kind = "arrivals"
sizes = "websearch"
load = {LOAD}
start = "0 s"

[flows.incast]
kind = "incast"
servers = {SERVERS}
size = "{answer} bytes"
to = "host 0"
start = "{warm_up}"
pause = "{between}"

[schemes]
{schemes}"#,
        rate = fabric.rate,
        rtt = fabric.rtt,
        warm_up = Nanos(duration.0 / 5),
        seeds = question.seeds,
        buffer = most_of_a_port(question).0,
        hop = hop(question),
        tcp = senders(question.transport, question.card),
        packet = fabric.packet.0,
        answer = answer.round(),
        between = Nanos(3 * SERVERS * ANSWER.0),
    ))
}

/// Fields of `[tcp]`. A timeout of 200 ms would be thousands of round trips; switches and hosts of a data
/// centre do not delay ACKs.
pub(super) fn senders(transport: Transport, card: Card) -> String {
    const TIMES: &str = "least_timeout = \"1 ms\"\ndelayed_acks = 0";
    match transport {
        Transport::Dcqcn => format!("control = \"dcqcn\"\ncard = \"{}\"", card.name()),
        Transport::Dctcp => format!("control = \"dctcp\"\n{TIMES}"),
        Transport::Cubic => format!("control = \"cubic\"\necn = \"on\"\n{TIMES}"),
    }
}
