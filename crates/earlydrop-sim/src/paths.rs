//! Between which hosts a transfer was, and over which links.

use earlydrop::units::Nanos;

use crate::network::{Begins, LinkId, Node, Routes};
use crate::run::Run;
use crate::streams::{path_hash, spawned};
use crate::traffic::{Application, FlowId, Traffic};

/// Finds the ends and the links of the transfers of a run. They follow from its description, so a
/// run need not keep them.
#[derive(Debug)]
pub struct TransferPaths<'a> {
    run: &'a Run,
    /// The times between two changes of routes, with the routes in each.
    begins: Begins,
    routes: Vec<Routes>,
}

/// The ends and the links of a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferPath {
    /// The host that sends.
    pub from: Node,
    /// The host that receives.
    pub to: Node,
    /// The links of its data; none where each packet takes links of its own
    /// ([`spraying`](crate::network::Network::spraying)).
    pub links: Vec<LinkId>,
}

impl<'a> TransferPaths<'a> {
    /// Those of `run`.
    pub fn new(run: &'a Run) -> TransferPaths<'a> {
        let periods = run.network.periods();
        TransferPaths {
            run,
            routes: periods.routes(&run.network),
            begins: periods.begins,
        }
    }

    /// The path of the transfer of this [number](crate::results::TransferRecord::number) in its
    /// flow, which begins at `at`; `None` where there is no such transfer. Where links are cut, later
    /// packets may take another one.
    pub fn of(&mut self, flow: FlowId, number: u64, at: Nanos) -> Option<TransferPath> {
        let described = self.run.flows.get(flow.0 as usize)?;
        let (from, to, index) = match &described.traffic {
            Traffic::Tcp {
                application: Application::FlowList { transfers, .. },
                ..
            } => {
                let transfer = transfers.get(usize::try_from(number).ok()?)?;
                (transfer.from, transfer.to, spawned(flow.0, number))
            }
            _ => (described.from, described.to, u64::from(flow.0)),
        };
        let links = match self.run.network.spraying {
            true => Vec::new(),
            false => {
                let path = path_hash(self.run.seed, index);
                self.routes[self.begins.period(at)].find_path(from, to, path)?
            }
        };
        Some(TransferPath { from, to, links })
    }
}
