//! After the end of a run: transfers that began in the time measured go on until they end.
//!
//! Nothing else is measured any more. The traffic goes on as it was, so that a transfer that began
//! late meets the same network as one that began early.

use earlydrop::units::{Bytes, Nanos};

use super::application::{Partner, Phase};
use super::flow::Ends;
use super::flows::Flows;
use super::route::RouteTable;
use super::simulation::Simulation;
use crate::empty_path::transfer_of;
use crate::measure::Timing;
use crate::results::{Results, TransferRecord, Unfinished};
use crate::traffic::FlowId;

/// The number of events between two looks at whether all have ended.
const EVENTS_BETWEEN_LOOKS: u64 = 1 << 12;

impl Simulation {
    /// Lets the transfers and rounds that began in the time measured end, for as long as
    /// [`Measure::drain`](crate::measure::Measure::drain) allows, and adds them to the results.
    /// Returns whether it was not stopped.
    pub(super) fn run_on(&mut self, results: &mut Results, stop: &impl Fn() -> bool) -> bool {
        let timing = self.accounts.timing;
        let (transfers, rounds) = self
            .flows
            .unfinished(&self.routes, &timing, self.scheduler.end);
        let waiting = transfers.len() + rounds.len();
        self.scheduler.end += self.goes_on_for;
        while self.flows.completions.len() + self.flows.rounds.len() < waiting {
            if stop() {
                return false;
            }
            if self.run_events(self.scheduler.end, EVENTS_BETWEEN_LOOKS) {
                break;
            }
        }
        let end = self.scheduler.now.min(self.scheduler.end);
        let (transfers, rounds) = self.flows.unfinished(&self.routes, &timing, end);
        (results.unfinished, results.unfinished_rounds) = (transfers, rounds);
        results.completions.append(&mut self.flows.completions);
        results.completions.sort_by_key(|one| one.ended);
        results.rounds.append(&mut self.flows.rounds);
        results.rounds.sort_by_key(|one| one.ended);
        true
    }
}

impl Flows {
    /// The transfers and the rounds that began in the time measured and go on at `now`.
    fn unfinished(
        &mut self,
        routes: &RouteTable,
        timing: &Timing,
        now: Nanos,
    ) -> (Vec<Unfinished>, Vec<Unfinished>) {
        let going_on = |flows: &Flows, index: u32| {
            let began = flows.transfer_began(index)?;
            timing.counts(began).then_some(began)
        };
        let mut transfers = Vec::new();
        for index in 0..self.flows.len() as u32 {
            if let Some(began) = going_on(self, index) {
                transfers.extend(self.unfinished_transfer(index, began, routes, now));
            }
        }
        let mut rounds = Vec::new();
        for barrier in &self.barriers {
            let asked = barrier.servers.iter();
            let asked = asked.filter_map(|server| going_on(self, *server)).min();
            rounds.extend(asked.map(|began| Unfinished {
                flow: FlowId(barrier.servers[0]),
                began,
                lasted: now.since(began),
                bytes: Bytes::default(),
                ideal: Nanos::ZERO,
                record: TransferRecord::default(),
            }));
        }
        (transfers, rounds)
    }

    /// When the transfer or the page began that goes on over a connection. A transfer that is the
    /// request for another one's is part of that.
    fn transfer_began(&self, index: u32) -> Option<Nanos> {
        let Ends::Tcp(connection) = &self[index].ends else {
            return None;
        };
        let session = connection.session.as_deref()?;
        match session.phase {
            _ if matches!(session.partner, Partner::Responder(_)) => None,
            Phase::Pausing(_) => None,
            Phase::Requesting { asked, .. } => Some(asked),
            Phase::Transferring { since, .. } => Some(since),
        }
    }

    fn unfinished_transfer(
        &mut self,
        index: u32,
        began: Nanos,
        routes: &RouteTable,
        now: Nanos,
    ) -> Option<Unfinished> {
        let (connection, profile) = self.connection(index)?;
        let session = connection.session.as_deref()?;
        let mut record = session.record(connection.sender.counts());
        let (bytes, is_first) = match session.phase {
            Phase::Transferring { bytes, .. } => (bytes, session.begun == 1),
            // It was asked for and has not begun: its size will be drawn next.
            _ => {
                record = session.record_of_next();
                let drawn = session.application.draw_size(&mut session.random.clone());
                (transfer_of(drawn, profile).0, session.begun == 0)
            }
        };
        Some(Unfinished {
            flow: FlowId(session.parent),
            began,
            lasted: now.since(began),
            bytes: Bytes(bytes),
            ideal: self.ideal_time(index, bytes, is_first, routes),
            record,
        })
    }
}
