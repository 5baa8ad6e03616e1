//! Traffic as it is described: who sends what to whom, and when.

use std::sync::Arc;

use earlydrop::packet::Ecn;
use earlydrop::random::Pcg32;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use crate::network::Node;
use crate::spread::{Law, Spread};
use crate::tcp;

/// A flow's number in its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

/// One flow.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Flows of one group are also reported together.
    pub group: Arc<str>,
    /// The host that sends the data.
    pub from: Node,
    /// The host that receives it.
    pub to: Node,
    /// When it starts.
    pub start: Start,
    /// What happens to it later, by time.
    pub steps: Vec<(Nanos, Step)>,
    /// The class its packets carry, 0 to 7, for schemes with a profile for each.
    pub class: u8,
    /// A random delay of up to this before each packet is sent, in order: hosts are not
    /// exact, and flows of equal round-trip times otherwise fall into step.
    pub overhead: Nanos,
    /// What it sends.
    pub traffic: Traffic,
}

/// When a flow starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At this time.
    At(Nanos),
    /// At a time drawn evenly between these, from the run's seed.
    Between(Nanos, Nanos),
}

/// Something that happens to a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It offers nothing more; what TCP has sent is still brought to its end.
    Stop,
    /// It goes on.
    Resume,
    /// Datagrams are sent at this rate from now on.
    Rate(BitsPerSec),
}

/// What a flow sends.
#[derive(Clone, Debug)]
pub enum Traffic {
    /// Data over TCP.
    Tcp {
        /// How sender and receiver behave.
        profile: Arc<tcp::Profile>,
        /// What there is to send.
        application: Application,
    },
    /// Datagrams, whatever becomes of them.
    Datagrams {
        /// Bytes on the wire of each.
        size: Bytes,
        /// Their rate while they are sent.
        rate: BitsPerSec,
        /// When they are sent.
        pattern: Pattern,
        /// The ECN field they carry.
        ecn: Ecn,
    },
}

/// What there is to send over TCP. Sizes are payload.
#[derive(Clone, Debug, PartialEq)]
pub enum Application {
    /// As much as will go.
    Bulk,
    /// This much, once.
    Transfer(Bytes),
    /// Transfers one after the other, each over a new connection: paper 000's web-like
    /// flow with a constant size and no pause.
    Web {
        /// How much each transfer brings.
        size: Spread<Bytes>,
        /// From the end of one, when all is acknowledged, to the start of the next.
        pause: Spread<Nanos>,
    },
    /// Pages asked for one after the other, as ns-2's `WebTraf` has it: the receiving host
    /// asks over a connection of its own, and when that is acknowledged the sending host
    /// answers over another, both new for each page. Requests are in the counts of the
    /// queues they pass, not in the flow's.
    Pages {
        /// How much a request brings.
        request: Bytes,
        /// How much each page brings.
        size: Spread<Bytes>,
        /// From the end of one, when all is acknowledged, to the next request.
        pause: Spread<Nanos>,
    },
    /// New transfers at random times, each over a connection of its own, however many
    /// are still going on.
    Arrivals {
        /// From one start to the next.
        every: Spread<Nanos>,
        /// How much each transfer brings.
        size: Spread<Bytes>,
        /// At most this many at once; starts beyond it are counted and left out.
        at_most: u32,
    },
    /// The receiving host asks, the sending host answers, over one connection.
    Requests {
        /// Bytes on the wire of a request.
        request: Bytes,
        /// How much each answer brings.
        response: Spread<Bytes>,
        /// From the end of an answer, when all has arrived, to the next request.
        think: Spread<Nanos>,
    },
}

impl Application {
    /// How much the next transfer brings.
    pub fn draw_size(&self, random: &mut Pcg32) -> Bytes {
        match self {
            Application::Bulk => Bytes(u64::MAX),
            Application::Transfer(bytes) => *bytes,
            Application::Web { size, .. }
            | Application::Pages { size, .. }
            | Application::Arrivals { size, .. } => size.draw(random),
            Application::Requests { response, .. } => response.draw(random),
        }
    }

    /// From the end of a transfer to the next, where one follows.
    pub fn draw_pause(&self, random: &mut Pcg32) -> Option<Nanos> {
        match self {
            Application::Web { pause, .. } | Application::Pages { pause, .. } => {
                Some(pause.draw(random))
            }
            Application::Requests { think, .. } => Some(think.draw(random)),
            _ => None,
        }
    }
}

/// When datagrams are sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pattern {
    /// One after the other at the flow's rate.
    Constant,
    /// Bursts at the flow's rate, and silence between them. A burst has as many packets
    /// as its time holds, to the nearest, and at least one (as ns-2 has it).
    OnOff {
        /// How long a burst lasts.
        on: Spread<Nanos>,
        /// How long the silence after it lasts.
        off: Spread<Nanos>,
    },
}

impl Start {
    /// The time, drawn where there is a choice.
    pub fn draw(&self, random: &mut Pcg32) -> Nanos {
        match *self {
            Start::At(at) => at,
            Start::Between(from, to) => {
                from + Nanos((random.uniform() * to.since(from).0 as f64) as u64)
            }
        }
    }
}

impl Flow {
    /// A flow from one host to another that starts at once, in the group "flows".
    pub fn new(from: Node, to: Node, traffic: Traffic) -> Flow {
        Flow {
            group: "flows".into(),
            from,
            to,
            start: Start::At(Nanos::ZERO),
            steps: Vec::new(),
            class: 0,
            overhead: Nanos::ZERO,
            traffic,
        }
    }

    /// As much data as will go, over TCP.
    pub fn bulk(from: Node, to: Node, profile: &Arc<tcp::Profile>) -> Flow {
        Flow::tcp(from, to, profile, Application::Bulk)
    }

    /// An application over TCP.
    pub fn tcp(
        from: Node,
        to: Node,
        profile: &Arc<tcp::Profile>,
        application: Application,
    ) -> Flow {
        let profile = profile.clone();
        Flow::new(
            from,
            to,
            Traffic::Tcp {
                profile,
                application,
            },
        )
    }

    /// Datagrams that are not ECN-capable.
    pub fn datagrams(
        from: Node,
        to: Node,
        size: Bytes,
        rate: BitsPerSec,
        pattern: Pattern,
    ) -> Flow {
        let ecn = Ecn::NotCapable;
        let traffic = Traffic::Datagrams {
            size,
            rate,
            pattern,
            ecn,
        };
        Flow::new(from, to, traffic)
    }

    /// A telephone call: G.711 in packets of 20 ms (200 bytes, 80 kbps), talk spurts of
    /// 1.004 s and pauses of 1.587 s on average, both exponential (ITU-T P.59).
    pub fn voice(from: Node, to: Node) -> Flow {
        let spread = |millis| Spread::new(Nanos::from_millis(millis), Law::Exponential);
        let pattern = Pattern::OnOff {
            on: spread(1004),
            off: spread(1587),
        };
        Flow::datagrams(from, to, Bytes(200), BitsPerSec(80_000), pattern).group("voice")
    }

    /// The same in another group.
    pub fn group(self, group: &str) -> Flow {
        Flow {
            group: group.into(),
            ..self
        }
    }

    /// The same starting at this time.
    pub fn at(self, start: Nanos) -> Flow {
        Flow {
            start: Start::At(start),
            ..self
        }
    }

    /// The same starting at a time drawn evenly between these.
    pub fn between(self, from: Nanos, to: Nanos) -> Flow {
        Flow {
            start: Start::Between(from, to),
            ..self
        }
    }

    /// The same with something that happens at a time. Steps may be given in any order.
    pub fn then(mut self, at: Nanos, step: Step) -> Flow {
        self.steps.push((at, step));
        self
    }

    /// The same with packets of this class.
    pub fn class(self, class: u8) -> Flow {
        Flow { class, ..self }
    }

    /// The same with a random delay of up to this before each packet.
    pub fn overhead(self, overhead: Nanos) -> Flow {
        Flow { overhead, ..self }
    }
}
