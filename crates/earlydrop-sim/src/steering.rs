//! Steering: a run whose queue is looked at and set from outside, as a learning agent does.
//!
//! A link is [declared](crate::network::Link::steered) to be steered before the run starts, so
//! that nothing about it is computed ahead of time. Then the run goes on in steps:
//!
//! ```
//! use earlydrop::steering::Setting;
//! use earlydrop::units::Nanos;
//! use earlydrop_sim::network::{Dumbbell, Link};
//! use earlydrop_sim::tcp::{Profile, Recovery};
//! use earlydrop_sim::{Run, traffic::Flow};
//! # use std::sync::Arc;
//!
//! let link = Link::new("10 Mbps".parse()?, "10 ms".parse()?);
//! let queue = link.clone().queue("dial:limit=100".parse()?).steered();
//! let mut dumbbell = Dumbbell::new(queue, link);
//! let (from, to) = dumbbell.pair("100 Mbps".parse()?, Nanos::ZERO);
//! let mut run = Run::new(dumbbell.network, Nanos::from_secs(10));
//! run.add(Flow::bulk(from, to, &Arc::new(Profile::ns2(Recovery::NewReno))));
//!
//! let mut simulation = run.start()?;
//! while simulation.now() < run.duration {
//!     simulation.run_until(simulation.now() + Nanos::from_millis(10));
//!     let state = simulation.look(dumbbell.bottleneck)?;
//!     let probability = 0.0002 * f64::from(state.packets);
//!     simulation.steer(dumbbell.bottleneck, &Setting::Probability(probability))?;
//! }
//! let results = simulation.finish();
//! assert!(results.queues[0].utilisation > 0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//! - Looking changes nothing: the run continues as without, bit for bit.
//! - A setting applies to packets that arrive after [`now`](crate::Simulation::now). Setting what
//!   the scheme has already changes nothing either.
//! - A link that is declared and left alone gives the results of one that is not, unless packets
//!   reach it within the same nanosecond.

use earlydrop::counters::Counters;
use earlydrop::steering;
use earlydrop::units::Nanos;

/// A steered link and its queue at one time, and what happened since the last
/// [look](crate::Simulation::look), or since time zero.
#[derive(Clone, Debug)]
pub struct LinkState {
    /// The time.
    pub at: Nanos,
    /// Packets waiting.
    pub packets: u32,
    /// Bytes waiting.
    pub bytes: u64,
    /// How long the packet at the head has waited; `None` where the queue is empty or has
    /// sub-queues.
    pub head_sojourn: Option<Nanos>,
    /// Packets and bytes that arrived, departed, were marked and were dropped since.
    pub counters: Counters,
    /// The mean time that packets waited whose transmission began since; `None` without any.
    pub mean_sojourn: Option<Nanos>,
    /// The share of the time since in which the link was sending, 0 to 1; as
    /// [`QueueResult::utilisation`](crate::results::QueueResult::utilisation).
    pub utilisation: f64,
}

/// Why a link could not be looked at or steered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SteerError {
    /// The link was not declared to be steered.
    #[error("link {link} was not declared to be steered; allowed: links with `Link::steered`")]
    NotDeclared {
        /// The link's number.
        link: u32,
    },
    /// The scheme refuses the setting.
    #[error("the queue from {link}: {problem}")]
    Refused {
        /// The link.
        link: String,
        /// What is wrong, and what is allowed.
        problem: steering::SteerError,
    },
}
