//! Changes of a queue in use to another plan.

use super::plan::{CAKE_QUEUE, DUAL_QUEUE, FAIR_QUEUE, ONE_QUEUE};
use super::{AnyAqm, AnyQueue, Plan, every_aqm};
use crate::aqm::{Aqm, WaitingPackets, start_among};
use crate::packet::Packet;
use crate::queue::{ChangeError, Limit, SharingRules, SingleQueue};
use crate::random::Pcg32;
use crate::schemes::codel::Codel;
use crate::schemes::droptail::DropTail;
use crate::units::Nanos;

impl<P: Packet> AnyQueue<P> {
    /// Changes to the parameters of `plan`, from the next packet on.
    ///
    /// Packets that wait stay, in their order, also those above a smaller limit; so do the
    /// counters and the random numbers. A scheme of the same kind
    /// [continues](Aqm::continue_from) with its average, its probability and its other state; one
    /// of another kind starts afresh. Make the plan for the link as it is now. What was set by
    /// [`steer`](crate::queue::QueueDiscipline::steer) has the plan's value again.
    ///
    /// Refused, with nothing changed, for a plan of another kind of queue, and for another number
    /// of sub-queues.
    ///
    /// ```
    /// # use earlydrop::packet::{Ecn, FlowKey, Packet};
    /// use earlydrop::queue::{AnyQueue, QueueDiscipline};
    /// use earlydrop::registry::{LinkFacts, Spec};
    /// use earlydrop::units::{BitsPerSec, Nanos};
    /// # struct Full;
    /// # impl Packet for Full {
    /// #   fn size(&self) -> u32 { 1250 }
    /// #   fn flow(&self) -> FlowKey { FlowKey(0) }
    /// #   fn ecn(&self) -> Ecn { Ecn::NotCapable }
    /// #   fn mark(&mut self) {}
    /// # }
    ///
    /// let link = LinkFacts::at(BitsPerSec::from_mbps(10));
    /// let plan = |text: &str| text.parse::<Spec>().unwrap().plan(&link).unwrap();
    /// let mut queue: AnyQueue<Full> = plan("red:max_p=0.1").queue(1);
    /// queue.enqueue(Nanos::ZERO, Full);
    /// queue.change(Nanos::from_millis(1), &plan("red:max_p=0.02"))?;
    /// assert_eq!((queue.packets(), queue.probe("max_p")), (1, Some(0.02)));
    /// assert!(queue.change(Nanos::from_millis(1), &plan("fq-codel")).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn change(&mut self, now: Nanos, plan: &Plan) -> Result<(), ChangeError> {
        match (&mut *self, plan) {
            (AnyQueue::Dual(queue), Plan::Dual { coupling }) => queue.change(now, *coupling),
            (AnyQueue::Cake(queue), Plan::Cake { aqm, params }) => {
                queue.change(now, aqm, params.clone());
            }
            (AnyQueue::RuledFair(queue), Plan::Fair { aqm, sharing }) => {
                return queue.change(now, aqm, *sharing);
            }
            (AnyQueue::Fair(queue), Plan::Fair { aqm, sharing })
                if sharing.rules == SharingRules::RFC_8290 =>
            {
                return queue.change(now, aqm, *sharing);
            }
            (AnyQueue::LinuxFairCodel(queue), Plan::FairCodel { aqm, sharing }) => {
                return queue.change(now, aqm, *sharing);
            }
            (AnyQueue::FairCodel(queue), Plan::FairCodel { aqm, sharing })
                if sharing.rules == SharingRules::RFC_8290 =>
            {
                return queue.change(now, aqm, *sharing);
            }
            _ => return self.change_single(now, plan),
        }
        Ok(())
    }

    /// Changes to a scheme or rules of another type.
    pub(super) fn change_type(&mut self, now: Nanos, plan: &Plan) -> Result<(), ChangeError> {
        if self.kind() != plan.kind() {
            return Err(ChangeError::OtherQueue {
                now: self.kind(),
                wanted: plan.kind(),
            });
        }
        if let Plan::Fair { sharing, .. } | Plan::FairCodel { sharing, .. } = plan {
            match self {
                AnyQueue::Fair(queue) => queue.check(sharing)?,
                AnyQueue::RuledFair(queue) => queue.check(sharing)?,
                AnyQueue::FairCodel(queue) => queue.check(sharing)?,
                AnyQueue::LinuxFairCodel(queue) => queue.check(sharing)?,
                _ => {}
            }
        }
        let nothing = SingleQueue::new(DropTail, Limit::packets(0), Pcg32::new(0, 0));
        let queue = core::mem::replace(self, AnyQueue::DropTail(nothing));
        *self = match (queue, plan) {
            (AnyQueue::FairCodel(queue), Plan::FairCodel { aqm, sharing }) => {
                let take_over = |new: &mut Codel, old, waiting: WaitingPackets<'_>| {
                    new.continue_from(now, old, waiting);
                };
                AnyQueue::LinuxFairCodel(queue.under(now, aqm, *sharing, take_over))
            }
            (AnyQueue::Fair(queue), Plan::FairCodel { aqm, sharing }) => {
                AnyQueue::LinuxFairCodel(queue.under(now, aqm, *sharing, afresh))
            }
            (AnyQueue::RuledFair(queue), Plan::FairCodel { aqm, sharing }) => {
                AnyQueue::LinuxFairCodel(queue.under(now, aqm, *sharing, afresh))
            }
            (AnyQueue::Fair(queue), Plan::Fair { aqm, sharing }) => {
                let take_over = |new: &mut AnyAqm, old, waiting: WaitingPackets<'_>| {
                    new.continue_from(now, old, waiting);
                };
                AnyQueue::RuledFair(queue.under(now, aqm, *sharing, take_over))
            }
            (AnyQueue::FairCodel(queue), Plan::Fair { aqm, sharing }) => {
                AnyQueue::RuledFair(queue.under(now, aqm, *sharing, afresh))
            }
            (AnyQueue::LinuxFairCodel(queue), Plan::Fair { aqm, sharing }) => {
                AnyQueue::RuledFair(queue.under(now, aqm, *sharing, afresh))
            }
            (queue, Plan::Single { aqm, limit }) => {
                AnyQueue::single_under(queue.without_aqm(), aqm.clone(), *limit)
            }
            (queue, _) => queue,
        };
        Ok(())
    }

    fn kind(&self) -> &'static str {
        match self {
            AnyQueue::Fair(_)
            | AnyQueue::RuledFair(_)
            | AnyQueue::FairCodel(_)
            | AnyQueue::LinuxFairCodel(_) => FAIR_QUEUE,
            AnyQueue::Cake(_) => CAKE_QUEUE,
            AnyQueue::Dual(_) => DUAL_QUEUE,
            _ => ONE_QUEUE,
        }
    }
}

/// Starts a scheme without the state of one of another kind.
fn afresh<A>(new: &mut impl Aqm, _old: A, waiting: WaitingPackets<'_>) {
    start_among(new, waiting);
}

macro_rules! change_single {
    ($($variant:ident($scheme:ty)),+ $(,)?) => {
        impl<P: Packet> AnyQueue<P> {
            /// Changes a single queue whose scheme stays of the same type, and hands on the rest.
            fn change_single(&mut self, now: Nanos, plan: &Plan) -> Result<(), ChangeError> {
                match (&mut *self, plan) {
                    $((
                        AnyQueue::$variant(queue),
                        Plan::Single { aqm: AnyAqm::$variant(aqm), limit },
                    ) => {
                        queue.change(now, aqm.clone(), *limit);
                        Ok(())
                    })+
                    _ => self.change_type(now, plan),
                }
            }

            /// The single queue without its scheme; an empty one for other kinds.
            fn without_aqm(self) -> SingleQueue<P, DropTail> {
                match self {
                    $(AnyQueue::$variant(queue) => queue.under(DropTail),)+
                    _ => SingleQueue::new(DropTail, Limit::packets(0), Pcg32::new(0, 0)),
                }
            }

            fn single_under(
                queue: SingleQueue<P, DropTail>,
                aqm: AnyAqm,
                limit: Limit,
            ) -> AnyQueue<P> {
                match aqm {
                    $(AnyAqm::$variant(aqm) => {
                        let mut queue = queue.under(aqm);
                        queue.resize(limit);
                        AnyQueue::$variant(queue)
                    })+
                }
            }
        }
    };
}

every_aqm!(change_single);
