//! The plan of a queue: a scheme with every parameter checked.

use core::fmt;

use super::{AnyAqm, AnyQueue, BoxedAqm};
use crate::aqm::Aqm;
use crate::curve::Curve;
use crate::packet::Packet;
use crate::queue::{
    CakeParams, CakeQueue, Coupling, DualQueue, FairQueue, Limit, QueueDiscipline, Sharing,
    SharingRules,
};
use crate::random::Pcg32;
use crate::schemes::cobalt::Cobalt;
use crate::schemes::codel::Codel;

/// A scheme with every parameter checked, from which any number of queues can be built.
///
/// Callers match on it, so a new kind of queue is a new major version.
#[derive(Clone, Debug)]
pub enum Plan {
    /// One queue under one scheme.
    Single {
        /// The scheme in its initial state.
        aqm: AnyAqm,
        /// The buffer.
        limit: Limit,
    },
    /// A queue for each flow or class, each under any scheme.
    Fair {
        /// The scheme of each sub-queue in its initial state.
        aqm: AnyAqm,
        /// How flows share the buffer and the link.
        sharing: Sharing,
    },
    /// A queue for each flow, each under CoDel.
    FairCodel {
        /// CoDel in its initial state.
        aqm: Codel,
        /// How flows share the buffer and the link.
        sharing: Sharing,
    },
    /// CAKE: tins of queues for each flow, each under COBALT.
    Cake {
        /// COBALT in its initial state.
        aqm: Cobalt,
        /// Tins, isolation and the rest.
        params: CakeParams,
    },
    /// Two queues under one controller (DualPI2).
    Dual {
        /// Their coupled controller.
        coupling: Coupling,
    },
}

pub(super) const ONE_QUEUE: &str = "one queue";
pub(super) const FAIR_QUEUE: &str = "a queue for each flow";
pub(super) const CAKE_QUEUE: &str = "tins of queues for each flow";
pub(super) const DUAL_QUEUE: &str = "two coupled queues";

impl Plan {
    /// The drop curve, if the scheme is a single queue of the RED family.
    pub fn curve(&self) -> Option<&Curve> {
        match self {
            Plan::Single {
                aqm: AnyAqm::Red(red),
                ..
            } => Some(red.curve()),
            _ => None,
        }
    }

    /// The kind of queue, in words.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Plan::Single { .. } => ONE_QUEUE,
            Plan::Fair { .. } | Plan::FairCodel { .. } => FAIR_QUEUE,
            Plan::Cake { .. } => CAKE_QUEUE,
            Plan::Dual { .. } => DUAL_QUEUE,
        }
    }

    /// One queue under `aqm`.
    pub fn single(aqm: impl Into<AnyAqm>, limit: Limit) -> Plan {
        let aqm = aqm.into();
        Plan::Single { aqm, limit }
    }

    /// One queue under a scheme of the program's own, which this boxes.
    ///
    /// ```
    /// use earlydrop::aqm::Aqm;
    /// use earlydrop::queue::Limit;
    /// use earlydrop::registry::Plan;
    ///
    /// #[derive(Clone, Debug)]
    /// struct KeepAll;
    /// impl Aqm for KeepAll {}
    /// let plan = Plan::custom(KeepAll, Limit::packets(100));
    /// ```
    pub fn custom(
        aqm: impl Aqm + Clone + fmt::Debug + Send + Sync + 'static,
        limit: Limit,
    ) -> Plan {
        Plan::single(BoxedAqm::new(aqm), limit)
    }

    /// The capacity of a queue.
    pub fn limit(&self) -> Limit {
        match self {
            Plan::Single { limit, .. } => *limit,
            Plan::Fair { sharing, .. } | Plan::FairCodel { sharing, .. } => sharing.limit,
            Plan::Cake { params, .. } => params.limit,
            Plan::Dual { coupling } => coupling.limit,
        }
    }

    /// Whether a queue of it can [pause a class](AnyQueue::pause_class).
    pub fn can_pause_classes(&self) -> bool {
        match self {
            Plan::Fair { sharing, .. } => sharing.can_pause_classes(),
            _ => false,
        }
    }

    /// The same queue, which allocates memory for packets as these come.
    pub fn growing(mut self) -> Plan {
        let limit = match &mut self {
            Plan::Single { limit, .. } => limit,
            Plan::Fair { sharing, .. } | Plan::FairCodel { sharing, .. } => &mut sharing.limit,
            Plan::Cake { params, .. } => &mut params.limit,
            Plan::Dual { coupling } => &mut coupling.limit,
        };
        *limit = limit.growing();
        self
    }

    /// Bytes that a [growing](Plan::growing) queue takes before it has packets: its own and the
    /// scheme's, whose flows and sub-queues have their places from the start.
    pub fn memory<P: Packet>(&self) -> usize {
        self.clone().growing().into_queue::<P>(0).memory()
    }

    /// Builds an empty queue; `seed` seeds its random numbers.
    pub fn queue<P: Packet>(&self, seed: u64) -> AnyQueue<P> {
        self.clone().into_queue(seed)
    }

    /// Builds an empty queue of what the plan holds: a scheme with a table of flows takes its memory
    /// once.
    pub fn into_queue<P: Packet>(self, seed: u64) -> AnyQueue<P> {
        let random = Pcg32::new(seed, 0);
        match self {
            Plan::Single { aqm, limit } => AnyQueue::single(aqm, limit, random),
            Plan::Fair { aqm, sharing } if sharing.rules != SharingRules::RFC_8290 => {
                AnyQueue::RuledFair(FairQueue::with_rules(&aqm, sharing, random))
            }
            Plan::Fair { aqm, sharing } => AnyQueue::Fair(FairQueue::new(&aqm, sharing, random)),
            Plan::FairCodel { aqm, sharing } if sharing.rules != SharingRules::RFC_8290 => {
                AnyQueue::LinuxFairCodel(FairQueue::with_rules(&aqm, sharing, random))
            }
            Plan::FairCodel { aqm, sharing } => {
                AnyQueue::FairCodel(FairQueue::new(&aqm, sharing, random))
            }
            Plan::Cake { aqm, params } => AnyQueue::Cake(CakeQueue::new(&aqm, params, random)),
            Plan::Dual { coupling } => AnyQueue::Dual(DualQueue::new(coupling, random)),
        }
    }
}
