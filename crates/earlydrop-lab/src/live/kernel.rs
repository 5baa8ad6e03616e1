//! This machine's kernel as what runs a run.

use std::sync::atomic::AtomicBool;

use earlydrop_live::run::{self, Honesty, Refused};
use earlydrop_sim::Run;
use earlydrop_sim::network::LinkId;
use earlydrop_sim::results::Results;

use super::{Machine, Refusal};
use crate::outcome::Live;

/// Hosts in namespaces of this machine, with its kernel's TCP.
///
/// [`earlydrop_live::run::prepare`] must have been called.
#[derive(Clone, Copy, Debug)]
pub struct Kernel;

impl Machine for Kernel {
    fn check(&self, run: &Run, watched: LinkId) -> Vec<Refusal> {
        let refused = run::check(run, watched).err().into_iter();
        refused.map(Refusal::from).collect()
    }

    fn run(
        &self,
        run: &Run,
        watched: LinkId,
        stop: &AtomicBool,
    ) -> Result<Option<(Results, Live)>, String> {
        let found = run::run(run, watched, stop).map_err(|error| error.to_string())?;
        Ok(found.map(|found| (found.results, found.honesty.into())))
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Refusal {
        Refusal {
            flow: refused.flow,
            message: refused.message,
            help: refused.help,
        }
    }
}

impl From<Honesty> for Live {
    fn from(honesty: Honesty) -> Live {
        Live {
            trustworthy: honesty.trustworthy(),
            lateness: honesty.lateness,
            tolerated: honesty.tolerated,
            cpu: honesty.cpu,
            beside: honesty.beside,
        }
    }
}
