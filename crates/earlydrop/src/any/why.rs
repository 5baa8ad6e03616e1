//! Why the next call of a queue drops, marks or keeps packets: the call is tried on a copy.

mod cake;

use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;

use super::{AnyAqm, AnyQueue, BoxedAqm, every_aqm, in_variant, to_variant};
use crate::aqm::{Aqm, Backlog, Verdict};
use crate::explanation::{Explanation, Why, numbers};
use crate::packet::{Packet, PacketInfo};
use crate::queue::{
    Buffer, DualQueue, FairQueue, Outcome, Overflow, QueueDiscipline, Shadow, SingleQueue,
};
use crate::random::Pcg32;
use crate::trace::{Case, Rule, Trace};
use crate::units::Nanos;

impl<P: Packet> AnyQueue<P> {
    /// Why [`enqueue`](QueueDiscipline::enqueue), called next with these arguments, drops, marks
    /// or keeps `packet`. Asking changes nothing.
    ///
    /// `None` for a scheme of the program's own.
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
    /// let spec: Spec = "droptail:limit=1".parse()?;
    /// let mut queue: AnyQueue<Full> = spec.plan(&LinkFacts::at(BitsPerSec::from_mbps(10)))?.queue(1);
    /// queue.enqueue(Nanos::ZERO, Full);
    /// let why = queue.explain_arrival(Nanos::ZERO, &Full).ok_or("not known")?;
    /// assert_eq!(why.decision, "the buffer holds 1 of 1 packets: dropped");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explain_arrival(&self, now: Nanos, packet: &P) -> Option<Explanation> {
        let tried = self.try_enqueue(now, packet)?;
        Some(tried.arrival)
    }

    /// Why [`dequeue`](QueueDiscipline::dequeue), called next at `now`, drops, marks or keeps the
    /// first packet that it takes from the queue; `None` where there is none, and for a scheme of
    /// the program's own. Asking changes nothing.
    pub fn explain_departure(&self, now: Nanos) -> Option<Explanation> {
        self.explain_dequeue(now).into_iter().next()
    }

    /// Why each packet is dropped, marked or kept by [`enqueue`](QueueDiscipline::enqueue), called
    /// next with these arguments: those that it drops, in this order, then `packet` if it is kept.
    /// Asking changes nothing. Empty for a scheme of the program's own.
    pub fn explain_enqueue(&self, now: Nanos, packet: &P) -> Vec<Explanation> {
        let Some(tried) = self.try_enqueue(now, packet) else {
            return Vec::new();
        };
        let mut all: Vec<Explanation> = tried.lost;
        if tried.is_kept {
            all.push(tried.arrival);
        }
        all
    }
}

/// A packet that was judged in a tried call. A scheme of the program's own does not say why.
struct Judged {
    why: Option<Why>,
    packet: PacketInfo,
    verdict: Verdict,
}

type Notes = Rc<RefCell<Vec<Judged>>>;

/// A scheme that records why it gives each verdict.
///
/// It sees the backlog behind a pointer: so all schemes' code is compiled once more for it, and not
/// once for each kind of queue.
#[derive(Clone)]
struct Recording {
    aqm: AnyAqm,
    notes: Notes,
}

impl Recording {
    /// Notes the verdict that `judge` gives on a packet.
    fn note(
        &mut self,
        packet: &PacketInfo,
        judge: impl FnOnce(&mut AnyAqm, &mut Why) -> Verdict,
    ) -> Verdict {
        let mut why = Why::new("");
        let verdict = judge(&mut self.aqm, &mut why);
        self.notes.borrow_mut().push(Judged {
            why: Some(why).filter(|why| !why.rule.is_empty()),
            packet: *packet,
            verdict,
        });
        verdict
    }
}

impl Aqm for Recording {
    fn on_arrival<Q: Backlog>(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Verdict {
        let queue: &dyn Backlog = queue;
        self.note(packet, |aqm, why| {
            aqm.arrive(Case::new(now, packet, &queue, random, why))
        })
    }

    fn on_accepted(&mut self, now: Nanos, packet: &PacketInfo) {
        self.aqm.on_accepted(now, packet);
    }

    fn on_refused(&mut self, now: Nanos, packet: &PacketInfo) {
        self.aqm.on_refused(now, packet);
    }

    fn on_departure<Q: Backlog>(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Verdict {
        let queue: &dyn Backlog = queue;
        self.note(packet, |aqm, why| {
            aqm.depart(Case::new(now, packet, &queue, random, why))
        })
    }

    fn on_evicted(&mut self, now: Nanos, packet: &PacketInfo) {
        self.aqm.on_evicted(now, packet);
    }

    fn on_empty(&mut self, now: Nanos) {
        self.aqm.on_empty(now);
    }

    fn on_idle(&mut self, now: Nanos) {
        self.aqm.on_idle(now);
    }

    fn poll<Q: Backlog>(&mut self, now: Nanos, queue: &Q) {
        let queue: &dyn Backlog = queue;
        self.aqm.poll(now, &queue);
    }
}

/// Makes schemes that record into one list.
fn recording<A: Clone + Into<AnyAqm>>() -> (Notes, impl Fn(&A) -> Recording) {
    let notes = Notes::default();
    let list = Rc::clone(&notes);
    let note = move |aqm: &A| Recording {
        aqm: aqm.clone().into(),
        notes: Rc::clone(&list),
    };
    (notes, note)
}

/// Why the packets of an enqueue are dropped, marked or kept.
struct ExplainedEnqueue {
    arrival: Explanation,
    /// The arrival joins the queue.
    is_kept: bool,
    /// The packets dropped, the arrival among them unless it is kept.
    lost: Vec<Explanation>,
}

/// What became of the packets of an enqueue that was tried.
struct Enqueued {
    notes: Vec<Judged>,
    lost: Vec<Shadow>,
    outcome: Outcome,
}

impl Enqueued {
    fn on(
        queue: &mut impl QueueDiscipline<Shadow>,
        notes: &Notes,
        now: Nanos,
        packet: Shadow,
    ) -> Enqueued {
        let mut lost = Vec::new();
        let mut losses = |packet: Shadow, _| lost.push(packet);
        let outcome = queue.enqueue_with(now, packet, &mut losses);
        Enqueued {
            notes: notes.take(),
            lost,
            outcome,
        }
    }

    fn fate(&self) -> &'static str {
        match self.outcome {
            Outcome::Queued => "kept",
            Outcome::Marked => "marked",
            Outcome::Dropped(_) => "dropped",
        }
    }

    /// The explanation of each packet, from that of the arrival's verdict. `victims` explains a
    /// waiting packet that is dropped although the scheme did not say so.
    fn explained(
        self,
        why: Why,
        buffer: Buffer,
        victims: impl Fn(&Shadow) -> Explanation,
    ) -> ExplainedEnqueue {
        let verdict = self.notes.first().map(|note| note.verdict);
        let by_scheme = matches!(verdict, Some(Verdict::Drop(_) | Verdict::DropBoth(..)));
        let is_kept = self.is_kept();
        let fate = self.fate();
        let mut own = why.clone();
        if !by_scheme && !is_kept {
            let state = buffer.state(&mut own);
            match own.is_unjudged {
                true => own.reason = state,
                false => own.overrule(&state),
            }
            own.rule = "full buffer".into();
            own.source = "the limit of the buffer";
        } else if own.is_unjudged {
            let state = buffer.state(&mut own);
            own.by("room in the buffer", state);
        }
        let arrival = own.decided(fate);
        let explain = |lost: &Shadow| match (lost.arrives, verdict) {
            (true, _) => arrival.clone(),
            (false, Some(Verdict::DropBoth(..))) => why.clone().decided("dropped"),
            (false, _) => victims(lost),
        };
        ExplainedEnqueue {
            lost: self.lost.iter().map(explain).collect(),
            arrival,
            is_kept,
        }
    }

    /// Whether the arrival joins the queue.
    fn is_kept(&self) -> bool {
        !matches!(self.outcome, Outcome::Dropped(_))
    }

    /// Why the scheme gave its verdict.
    fn why(&mut self) -> Option<Why> {
        self.notes.first_mut()?.why.take()
    }
}

/// A queue of one scheme as it is, whose scheme records into the notes.
fn recorded_single<P: Packet, A: Aqm + Clone + Into<AnyAqm>>(
    queue: &SingleQueue<P, A>,
) -> (Notes, SingleQueue<Shadow, Recording>) {
    let (notes, recorded) = recording::<A>();
    (notes, queue.shadow(recorded))
}

fn try_single(
    (notes, mut queue): (Notes, SingleQueue<Shadow, Recording>),
    now: Nanos,
    packet: Shadow,
) -> Option<ExplainedEnqueue> {
    let buffer = queue.buffer(packet.size());
    let mut enqueued = Enqueued::on(&mut queue, &notes, now, packet);
    let why = enqueued.why()?;
    let victim = |_: &Shadow| why.clone().decided("dropped");
    Some(enqueued.explained(why.clone(), buffer, victim))
}

fn try_fair<P: Packet, A: Aqm + Clone + Into<AnyAqm>, const RULES: bool>(
    queue: &FairQueue<P, A, RULES>,
    now: Nanos,
    packet: &P,
) -> Option<ExplainedEnqueue> {
    let (notes, recorded) = recording::<A>();
    let mut copy = queue.shadow(recorded);
    let mut enqueued = Enqueued::on(&mut copy, &notes, now, Shadow::arriving(packet));
    let buffer = queue.buffer(packet.size());
    let why = match enqueued.notes.is_empty() {
        // Linux's rule: it bypasses the schemes.
        true if enqueued.is_kept() => {
            let mut why = Why::unjudged_arrival();
            let reason = buffer.state(&mut why);
            why.is_unjudged = false;
            why.by("nothing waits: the packet bypasses the sub-queues", reason);
            why
        }
        true => Why::unjudged_arrival(),
        false => in_sub_queue(queue, packet, enqueued.why()?),
    };
    let victim = |victim: &Shadow| why_victim(queue, packet, victim, buffer);
    Some(enqueued.explained(why, buffer, victim))
}

/// Why the longest sub-queue loses a packet.
fn why_victim<P: Packet, A: Aqm + Clone, const RULES: bool>(
    queue: &FairQueue<P, A, RULES>,
    packet: &P,
    victim: &Shadow,
    buffer: Buffer,
) -> Explanation {
    let rules = queue.sharing_rules();
    let mut why = Why::new(match rules.overflow {
        Overflow::Tail => "McKenney 1990; Shreedhar, Varghese 1995, section 3",
        _ => "RFC 8290, section 4.1.3",
    });
    let (own, ..) = queue.sub_queue(packet);
    let (index, packets, bytes) = queue.sub_queue(victim);
    why.given("the longest sub-queue", ("i", ""), f64::from(index));
    if rules.longest_in_packets {
        let more = u32::from(index == own);
        why.step(
            "the packets in it, with the one that arrives",
            ("longest", "packets"),
            "longest = q_i + 1 where it arrives",
            numbers!("{} + {}", f64::from(packets), f64::from(more)),
            f64::from(packets + more),
        );
    } else {
        let more = if index == own { packet.size() } else { 0 };
        why.step(
            "the bytes in it, with the packet that arrives",
            ("longest", "bytes"),
            "longest = bytes_i + size",
            numbers!("{} + {}", bytes as f64, f64::from(more)),
            (bytes + u64::from(more)) as f64,
        );
    }
    let end = match rules.overflow {
        Overflow::Tail => "tail",
        _ => "head",
    };
    let state = buffer.state(&mut why);
    let reason = format!("{state}; the longest sub-queue, {index}, loses from its {end}");
    why.by("full buffer: the longest sub-queue", reason);
    why.decided("dropped")
}

fn try_dual<P: Packet>(queue: &DualQueue<P>, now: Nanos, packet: &P) -> ExplainedEnqueue {
    let enqueued = Enqueued::on(
        &mut queue.shadow(),
        &Notes::default(),
        now,
        Shadow::arriving(packet),
    );
    let buffer = queue.buffer(packet.size());
    let why = queue.why_arrival(packet);
    let victim = |_: &Shadow| why.clone().decided("dropped");
    enqueued.explained(why.clone(), buffer, victim)
}

/// Puts before the reasons of a sub-queue's scheme which sub-queue it is.
fn in_sub_queue<P: Packet, A: Aqm + Clone, const RULES: bool>(
    queue: &FairQueue<P, A, RULES>,
    packet: &impl Packet,
    mut why: Why,
) -> Why {
    let (index, packets, _) = queue.sub_queue(packet);
    let mut first = Why::new(why.source);
    let says = format!("the flow's sub-queue, of {}", queue.sub_queues());
    first.given(says, ("i", ""), f64::from(index));
    let says = format!("the packets in sub-queue {index} before this call");
    first.given(says, ("q_i", "packets"), f64::from(packets));
    first.steps.append(&mut why.steps);
    why.steps = first.steps;
    why
}

/// Why each packet that a dequeue takes from a queue is dropped, marked or kept.
fn departures(
    queue: &mut impl QueueDiscipline<Shadow>,
    notes: &Notes,
    now: Nanos,
    place: impl Fn(&PacketInfo, Why) -> Why,
) -> Vec<Explanation> {
    let departure = queue.dequeue(now);
    let mut all = Vec::new();
    for note in notes.take() {
        let fate = match note.verdict {
            Verdict::Keep => "kept",
            Verdict::Mark => "marked",
            Verdict::Drop(_) | Verdict::DropBoth(..) => "dropped",
        };
        let Some(why) = note.why else {
            return Vec::new();
        };
        all.push(place(&note.packet, why).decided(fate));
    }
    if all.is_empty() && departure.is_some() {
        let mut why = Why::new("Linux dev.c, __dev_xmit_skb, TCQ_F_CAN_BYPASS");
        why.by("bypass", "it found nothing queued, so it leaves first");
        all.push(why.decided("kept"));
    }
    all
}

fn depart_single(
    (notes, mut queue): (Notes, SingleQueue<Shadow, Recording>),
    now: Nanos,
) -> Vec<Explanation> {
    departures(&mut queue, &notes, now, |_, why| why)
}

fn depart_fair<P: Packet, A: Aqm + Clone + Into<AnyAqm>, const RULES: bool>(
    queue: &FairQueue<P, A, RULES>,
    now: Nanos,
) -> Vec<Explanation> {
    let (notes, recorded) = recording::<A>();
    departures(&mut queue.shadow(recorded), &notes, now, |packet, why| {
        in_sub_queue(queue, &Shadow::seen(packet), why)
    })
}

macro_rules! explain_any {
    ($($variant:ident($scheme:ty)),+ $(,)?) => {
        impl Rule for AnyAqm {
            to_variant!(AnyAqm($($variant)+) [mut] arrive<Q: Backlog, T: Trace>(
                case: Case<'_, Q, T>
            ) -> Verdict);
            to_variant!(AnyAqm($($variant)+) [mut] depart<Q: Backlog, T: Trace>(
                case: Case<'_, Q, T>
            ) -> Verdict);
        }

        impl<P: Packet> AnyQueue<P> {
            fn try_enqueue(&self, now: Nanos, packet: &P) -> Option<ExplainedEnqueue> {
                match self {
                    $(AnyQueue::$variant(queue) => {
                        try_single(recorded_single(queue), now, Shadow::arriving(packet))
                    })+
                    AnyQueue::Fair(queue) => try_fair(queue, now, packet),
                    AnyQueue::RuledFair(queue) => try_fair(queue, now, packet),
                    AnyQueue::FairCodel(queue) => try_fair(queue, now, packet),
                    AnyQueue::LinuxFairCodel(queue) => try_fair(queue, now, packet),
                    AnyQueue::Cake(queue) => cake::try_enqueue(queue, now, packet),
                    AnyQueue::Dual(queue) => Some(try_dual(queue, now, packet)),
                }
            }

            /// Why each packet is dropped, marked or kept that
            /// [`dequeue`](QueueDiscipline::dequeue), called next at `now`, takes from the queue:
            /// those that it drops, in this order, then the one that leaves. Asking changes
            /// nothing. Empty where there is none, and for a scheme of the program's own.
            pub fn explain_dequeue(&self, now: Nanos) -> Vec<Explanation> {
                match self {
                    $(AnyQueue::$variant(queue) => depart_single(recorded_single(queue), now),)+
                    AnyQueue::Fair(queue) => depart_fair(queue, now),
                    AnyQueue::RuledFair(queue) => depart_fair(queue, now),
                    AnyQueue::FairCodel(queue) => depart_fair(queue, now),
                    AnyQueue::LinuxFairCodel(queue) => depart_fair(queue, now),
                    AnyQueue::Cake(queue) => cake::depart(queue, now),
                    AnyQueue::Dual(queue) => queue.explain_dequeue(now),
                }
            }
        }
    };
}

every_aqm!(explain_any);

// What a scheme of the program's own does is not known.
impl Rule for BoxedAqm {
    fn arrive<Q: Backlog, T: Trace>(&mut self, case: Case<'_, Q, T>) -> Verdict {
        self.on_arrival(case.now, case.packet, case.queue, case.random)
    }

    fn depart<Q: Backlog, T: Trace>(&mut self, case: Case<'_, Q, T>) -> Verdict {
        self.on_departure(case.now, case.packet, case.queue, case.random)
    }
}
