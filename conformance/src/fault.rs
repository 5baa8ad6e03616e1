//! Faults of queues, by kind. Those seen in other people's programs say so.

/// A fault that vectors expose.
#[derive(Debug)]
pub struct Fault {
    /// Its name in the vectors.
    pub id: &'static str,
    /// What such a queue does.
    pub what: &'static str,
    /// Where it was seen, by kind of program; empty where it is only easily made.
    pub seen: &'static str,
}

const fn fault(id: &'static str, what: &'static str, seen: &'static str) -> Fault {
    Fault { id, what, seen }
}

/// The fault that every change of a rule is.
pub const ANY_CHANGE: &str = "rule-changed";

/// Every fault.
pub const FAULTS: &[Fault] = &[
    fault(
        "limit-off-by-one",
        "a buffer of n packets holds n - 1, or n + 1",
        "",
    ),
    fault(
        "limit-in-wrong-unit",
        "a limit in bytes is taken for packets, or the packet in transmission counts",
        "",
    ),
    fault(
        ANY_CHANGE,
        "a comparison, a number or a step of the rule is another one",
        "",
    ),
    fault(
        "order",
        "packets of one queue leave in another order than they came",
        "",
    ),
    fault(
        "other-packet-lost",
        "the packet that was judged is sent, and the next one is lost in its place",
        "two network emulators (CoDel, when it begins to drop)",
    ),
    fault(
        "marks-what-cannot-be",
        "a packet that is not ECN-capable is marked",
        "",
    ),
    fault(
        "drops-what-could-be-marked",
        "an ECN-capable packet is dropped early",
        "",
    ),
    fault(
        "average-of-wrong-time",
        "the average includes the packet that arrives, or is updated at departures",
        "",
    ),
    fault(
        "weight-misread",
        "the average forgets faster or slower than its weight says",
        "",
    ),
    fault(
        "no-idle-decay",
        "the average stays while the queue is empty",
        "a kernel (decays 15.6 times too fast)",
    ),
    fault(
        "threshold-edge",
        "below and at a threshold are exchanged",
        "",
    ),
    fault(
        "gaps-not-uniform",
        "drops come by independent chances instead of p/(1 - count p)",
        "",
    ),
    fault(
        "count-kept",
        "the count since the last drop is kept where it starts anew",
        "",
    ),
    fault(
        "forced-drop-missing",
        "above the upper threshold packets pass",
        "",
    ),
    fault(
        "not-gentle",
        "above max everything is dropped at once, or max_p starts anew",
        "",
    ),
    fault(
        "wrong-curve",
        "the drop curve is another one, or has another area",
        "",
    ),
    fault(
        "packet-size-ignored",
        "a small packet is dropped as often as a large one where bytes count",
        "",
    ),
    fault(
        "max-p-still",
        "max_p is not adapted, or not at its interval",
        "a kernel (its adaptive RED never adapts)",
    ),
    fault(
        "max-p-wrong-step",
        "max_p is adapted by another step or beyond its bounds",
        "",
    ),
    fault(
        "flow-classes",
        "a fast, unresponsive or slow flow is treated as another",
        "",
    ),
    fault(
        "victim",
        "the packet to compare with is not drawn from all that wait, or only one of both is dropped",
        "",
    ),
    fault(
        "bins",
        "a bin's probability is not that of its flow, or moves by another step",
        "",
    ),
    fault(
        "penalty",
        "a flow that does not respond passes, or others are held with it",
        "",
    ),
    fault(
        "burst-not-spared",
        "the first burst after a calm is dropped from",
        "",
    ),
    fault(
        "autotune",
        "the controller's gains do not fall with a small probability",
        "",
    ),
    fault(
        "update-time",
        "the probability is updated at another interval",
        "a kernel (a tick longer than asked)",
    ),
    fault(
        "decay",
        "an idle controller keeps its probability, or loses it at another rate",
        "",
    ),
    fault(
        "small-queue-not-spared",
        "a queue of at most two packets is dropped from",
        "a kernel (spares at most, not below)",
    ),
    fault(
        "delay-measured-otherwise",
        "the delay is another than that of the packet at the head",
        "",
    ),
    fault(
        "mark-limit",
        "packets are marked above the probability from which they are to be dropped",
        "",
    ),
    fault(
        "control-law",
        "the gap to the next drop is not interval/sqrt(count)",
        "a network simulator",
    ),
    fault(
        "interval-not-waited",
        "the first drop comes before the delay was above target for an interval",
        "",
    ),
    fault(
        "count-not-resumed",
        "a dropping state that follows another soon does not resume its count",
        "",
    ),
    fault(
        "last-packet-dropped",
        "a queue of one packet is dropped from",
        "",
    ),
    fault(
        "sparse-flows-not-first",
        "the queue of a new flow is not served before the old ones",
        "",
    ),
    fault(
        "quantum",
        "flows are served by packets instead of bytes, or credit is not kept",
        "",
    ),
    fault(
        "emptied-flow",
        "a new flow whose queue empties does not pass through the old ones",
        "",
    ),
    fault(
        "overflow-victim",
        "a full buffer drops from another queue than the longest",
        "",
    ),
    fault(
        "backlog-of-all",
        "a rule for one queue looks at all of them",
        "a kernel (on purpose)",
    ),
    fault(
        "not-coupled",
        "the Classic queue's probability does not reach the low-latency queue",
        "a QUIC stack (the maximum is computed, and the other one used)",
    ),
    fault(
        "not-squared",
        "the Classic queue is dropped from with p' instead of its square",
        "a QUIC stack",
    ),
    fault(
        "step-threshold",
        "the low-latency queue is marked at another delay than its threshold",
        "",
    ),
    fault(
        "classic-starves",
        "the low-latency queue is always first, or shares in another way",
        "",
    ),
    fault(
        "overload",
        "with a probability at its bound, packets that could be marked are not dropped",
        "",
    ),
    fault(
        "blue",
        "the probability that overflow raises and idling lowers does not move, or by other steps",
        "",
    ),
];

/// The fault with this name.
pub fn fault_named(id: &str) -> Option<&'static Fault> {
    FAULTS.iter().find(|fault| fault.id == id)
}
