//! A run: a network, its traffic, what to measure, a length and a seed.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use earlydrop::registry::ConfigError;
use earlydrop::units::Nanos;

use crate::measure::Measure;
use crate::network::{MAX_CHANGES, Network};
use crate::results::Results;
use crate::tcp::ProfileError;
use crate::traffic::{Flow, FlowId};

/// Everything that a simulation depends on. Equal runs have equal results, on every machine.
#[derive(Clone, Debug)]
pub struct Run {
    /// Nodes and links.
    pub network: Network,
    /// The traffic.
    pub flows: Vec<Flow>,
    /// What to measure.
    pub measure: Measure,
    /// The simulated time.
    pub duration: Nanos,
    /// The seed of all random numbers.
    pub seed: u64,
}

impl Run {
    /// A run of `duration` over `network`, with seed 1 and no traffic.
    pub fn new(network: Network, duration: Nanos) -> Run {
        Run {
            network,
            flows: Vec::new(),
            measure: Measure::default(),
            duration,
            seed: 1,
        }
    }

    /// Adds a flow.
    pub fn add(&mut self, flow: Flow) -> FlowId {
        self.flows.push(flow);
        FlowId(self.flows.len() as u32 - 1)
    }

    /// Sets the seed.
    pub fn seed(self, seed: u64) -> Run {
        Run { seed, ..self }
    }
}

/// Runs all of `runs` on so many threads; returns their results in the order of `runs`. The
/// results do not depend on the number of threads.
///
/// ```
/// # use earlydrop_sim::{Run, network::Network, run};
/// # let base = Run::new(Network::new(), "1 s".parse()?);
/// let seeds: Vec<Run> = (1..=10).map(|seed| base.clone().seed(seed)).collect();
/// let results = run::all(&seeds, 2);
/// assert_eq!(results.len(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn all(runs: &[Run], threads: usize) -> Vec<Result<Results, RunError>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(run) = runs.get(index) else {
                return done;
            };
            done.push((index, run.results()));
        }
    };
    let mut done: Vec<_> = thread::scope(|scope| {
        // The calling thread works, too, so that there is one where no more are to be had.
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let threads: Vec<_> = (1..threads).map_while(spawn).collect();
        let mut done = work();
        for thread in threads {
            done.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, results)| results).collect()
}

/// Why a run cannot be started.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The queue of a link is not valid.
    #[error("the queue from {link}: {problem}")]
    Queue {
        /// The link.
        link: String,
        /// What is wrong.
        problem: Box<ConfigError>,
    },
    /// A link is not valid, apart from its queue.
    #[error("the link from {link}: {problem}")]
    Link {
        /// The link.
        link: String,
        /// What is wrong, and what is allowed.
        problem: String,
    },
    /// A buffer that ports share is not valid.
    #[error("the shared buffer of {node}: {problem}")]
    SharedBuffer {
        /// The node whose queues share it.
        node: String,
        /// What is wrong, and what is allowed.
        problem: String,
    },
    /// A switch cannot pause the links that lead to it as described.
    #[error("the pauses of {node}: {problem}")]
    Pauses {
        /// The switch.
        node: String,
        /// What is wrong, and what is allowed.
        problem: String,
    },
    /// There is no route between a flow's ends.
    #[error("flow {flow}: no route leads from {from} to {to}")]
    NoRoute {
        /// The flow's number, from 0.
        flow: usize,
        /// The name of the node where the route would begin.
        from: String,
        /// The name of the node where it would end.
        to: String,
    },
    /// The TCP profile of a flow is not valid.
    #[error("flow {flow}: {problem}")]
    Profile {
        /// The flow's number, from 0.
        flow: usize,
        /// What is wrong.
        problem: ProfileError,
    },
    /// A flow is not valid, apart from its profile and route.
    #[error("flow {flow}: {problem}")]
    Flow {
        /// The flow's number, from 0.
        flow: usize,
        /// What is wrong, and what is allowed.
        problem: String,
    },
    /// Routes change too often, or in a run that is too long for it.
    #[error(
        "{changes} changes of routes by cut links in {duration}; allowed: {MAX_CHANGES}, in 274 s at most"
    )]
    Reroutes {
        /// How often they change.
        changes: usize,
        /// The run's duration.
        duration: Nanos,
    },
    /// The measurements asked for do not fit the run.
    #[error("{0}")]
    Measure(String),
}
