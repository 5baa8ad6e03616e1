//! One cell in depth: all its series, and the packets of the watched link.

use std::io::{self, Write};

use earlydrop_sim::capture::{Capture, write_pcapng};
use earlydrop_sim::packet_log::PacketLog;

use crate::budget::Budget;
use crate::document::Problem;
use crate::outcome::Outcome;
use crate::plan::{Cell, Plan};

/// One cell in depth.
pub struct CellTrace {
    /// Its outcome, with all series.
    pub outcome: Outcome,
    /// The name of the watched link.
    pub link: String,
    /// Its packets as they left; empty unless they were captured.
    pub captures: Vec<Capture>,
    /// What happened to each packet at its queue; empty unless it was recorded.
    pub packets: Vec<PacketLog>,
    /// The group of each flow.
    pub groups: Vec<String>,
}

impl CellTrace {
    /// Writes the captured packets as a pcapng file.
    pub fn write_pcapng(&self, out: impl Write) -> io::Result<()> {
        write_pcapng(&self.captures, out)
    }
}

/// The packets of the watched link to record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packets {
    /// Those that leave, with their headers.
    pub captures: bool,
    /// Every arrival, drop and departure, with the scheme's state.
    pub log: bool,
}

/// Runs one cell of `plan` with all series, and with these packets of the watched link; `None` once
/// `stop` returns true.
pub fn trace(
    plan: &Plan,
    cell: Cell,
    packets: Packets,
    stop: &impl Fn() -> bool,
) -> Result<Option<CellTrace>, Problem> {
    let mut prepared = plan.prepare(cell, true)?;
    if packets.captures {
        prepared.run.measure.captures.push(prepared.watched);
    }
    if packets.log {
        prepared.run.measure.packets.push(prepared.watched);
    }
    let groups = prepared.run.flows.iter();
    let groups = groups.map(|flow| flow.group.to_string()).collect();
    let flows = prepared.run.flows.len() as u64;
    let budget = Budget::of_cell(&prepared.run.cost(), flows, true);
    budget.check(&plan.limits)?;
    let results = prepared.start()?.finish_unless(stop);
    Ok(results.map(|results| CellTrace {
        outcome: Outcome::of(&results, &prepared),
        link: prepared.run.network.link_name(prepared.watched),
        captures: results.captures,
        packets: results.packets,
        groups,
    }))
}
