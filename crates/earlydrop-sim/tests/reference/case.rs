//! A case of a reference table as a run.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use earlydrop_sim::Run;
use earlydrop_sim::network::LinkId;
use earlydrop_sim::results::{QueueResult, Results};
use earlydrop_sim::run::RunError;
use earlydrop_sim::tcp::Profile;
use earlydrop_sim::traffic::Traffic;

/// Figures by name.
pub(crate) type Measured = BTreeMap<&'static str, f64>;

/// A case of a reference table.
pub(crate) struct Case {
    /// Its name in the table.
    pub(crate) name: String,
    /// Number of seeds to run.
    pub(crate) seeds: u64,
    /// The run, without its seed.
    pub(crate) run: Run,
    /// The link whose queue is measured.
    pub(crate) bottleneck: LinkId,
    /// Extracts the figures.
    pub(crate) figures: fn(&Outcome) -> Measured,
}

impl Case {
    /// The runs, one for each seed.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Run> {
        (1..=self.seeds).map(|seed| self.run.clone().seed(seed))
    }

    /// The figures of one of the runs.
    pub(crate) fn measure(&self, run: &Run, results: Result<Results, RunError>) -> Measured {
        let results = results.unwrap_or_else(|e| panic!("{}: {e}", self.name));
        let queue = results.queue(self.bottleneck).expect("it has a queue");
        (self.figures)(&Outcome {
            run,
            results: &results,
            queue,
        })
    }

    /// Replaces `setting` by `other` in the queues of the bottleneck, both ways; answers whether it
    /// was there.
    pub(crate) fn with_queue(&mut self, setting: &str, other: &str) -> bool {
        let mut replaced = false;
        for number in 0..2 {
            let link = self.run.network.get_mut(LinkId(number));
            let Some(queue) = &link.queue else { continue };
            let text = queue.to_string();
            if text.contains(setting) {
                replaced = true;
                let changed = text.replace(setting, other).parse();
                link.queue = Some(changed.unwrap_or_else(|e| panic!("{text}: {e}")));
            }
        }
        replaced
    }

    /// Changes the TCP profiles.
    pub(crate) fn with_senders(&mut self, change: fn(&mut Profile)) {
        let mut changed: HashMap<*const Profile, Arc<Profile>> = HashMap::new();
        for flow in &mut self.run.flows {
            if let Traffic::Tcp { profile, .. } = &mut flow.traffic {
                let other = changed.entry(Arc::as_ptr(profile)).or_insert_with(|| {
                    let mut other = **profile;
                    change(&mut other);
                    Arc::new(other)
                });
                *profile = other.clone();
            }
        }
    }
}

/// A finished run, from which figures are extracted.
pub(crate) struct Outcome<'a> {
    pub(crate) run: &'a Run,
    pub(crate) results: &'a Results,
    pub(crate) queue: &'a QueueResult,
}

/// Losses over arrivals at the bottleneck, percent.
pub(crate) fn loss_percent(queue: &QueueResult) -> f64 {
    let counters = &queue.counters;
    100.0 * counters.dropped().packets as f64 / counters.arrived.packets as f64
}
