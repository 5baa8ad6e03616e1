//! Descriptions of traffic: who sends what to whom, and when.

use std::sync::Arc;

use earlydrop::packet::Ecn;
use earlydrop::random::Pcg32;
use earlydrop::units::{BitsPerSec, Bytes, Nanos};

use crate::network::Node;
use crate::replay::PacketTrace;
use crate::spread::{Law, Spread};
use crate::tcp;

/// A flow's number in its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

/// The description of one flow.
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
    /// Changes to it later, with their times.
    pub steps: Vec<(Nanos, Step)>,
    /// The class its packets carry, 0 to 7, for schemes with a profile or a queue for each.
    pub class: u8,
    /// The class of acknowledgments, congestion notifications among them; `None`: that of its packets.
    pub ack_class: Option<u8>,
    /// Greatest random delay before each packet is sent, in order. Without it flows of equal
    /// round-trip times synchronise.
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

/// A change to a flow while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The flow offers no more data. What TCP has sent is still delivered.
    Stop,
    /// The flow offers data again.
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
    /// Datagrams without congestion control.
    Datagrams {
        /// Bytes on the wire of each; of recorded packets, of the largest.
        size: Bytes,
        /// Their rate while they are sent; of recorded packets, the mean rate.
        rate: BitsPerSec,
        /// The pattern in which they are sent.
        pattern: Pattern,
        /// The ECN field they carry; recorded packets have their own.
        ecn: Ecn,
    },
}

impl Traffic {
    /// The size of its largest packets.
    pub fn largest_packet(&self) -> Bytes {
        match self {
            Traffic::Tcp { profile, .. } => Bytes(u64::from(profile.segment_size)),
            Traffic::Datagrams { size, .. } => *size,
        }
    }
}

/// An application over TCP: what there is to send. Sizes are payload.
///
/// A mean size may not exceed [`Profile::largest_transfer`](tcp::Profile::largest_transfer). A
/// drawn size beyond it counts as that: no run is long enough to see the difference.
#[derive(Clone, Debug, PartialEq)]
pub enum Application {
    /// Endless data.
    Bulk,
    /// This much, once.
    Transfer(Bytes),
    /// Transfers one after the other, each over a new connection. With a constant size, no pause
    /// and the same ports it is the web-like flow of Wang et al. (sfRED and nlRED).
    Web {
        /// Whether queues see a transfer as a flow of its own.
        ports: Ports,
        /// Size of each transfer.
        size: Spread<Bytes>,
        /// Time from the end of one, when all is acknowledged, to the start of the next.
        pause: Spread<Nanos>,
    },
    /// Pages requested one after the other, as by ns-2's `WebTraf`. The receiving host sends a
    /// request over a connection of its own; once that is acknowledged the sending host responds
    /// over another. Both are new for each page. Queues count requests, the flow does not.
    Pages {
        /// Size of a request.
        request: Bytes,
        /// Size of each page.
        size: Spread<Bytes>,
        /// Time from the end of one, when all is acknowledged, to the next request.
        pause: Spread<Nanos>,
    },
    /// New transfers at random times, each over a connection of its own, however many are still
    /// in progress.
    Arrivals {
        /// Time from one start to the next.
        every: Spread<Nanos>,
        /// Size of each transfer.
        size: Spread<Bytes>,
        /// Greatest number at once; starts beyond it are counted and left out.
        at_most: u32,
    },
    /// Transfers at given times between given hosts, each over a connection of its own. The flow's
    /// own ends and start are not used.
    FlowList {
        /// In order of their starts.
        transfers: Arc<[ListedTransfer]>,
        /// Greatest number at once; starts beyond it are counted and left out.
        at_most: u32,
    },
    /// The receiving host sends requests, the sending host responds, over one connection.
    Requests {
        /// Bytes on the wire of a request.
        request: Bytes,
        /// Size of each response.
        response: Spread<Bytes>,
        /// Time from the end of a response, when all has arrived, to the next request.
        think: Spread<Nanos>,
    },
    /// One server of an incast: a client requests an answer of each of its servers at the same
    /// time, and waits for all of them before it asks again. The receiving host is the client.
    Incast(Incast),
}

/// The answers of one server in an [incast](Application::Incast), as synchronized reads of a
/// cluster's storage: A. Phanishayee et al., "Measurement and Analysis of TCP Throughput Collapse
/// in Cluster-based Storage Systems", FAST 2008.
#[derive(Clone, Debug, PartialEq)]
pub struct Incast {
    /// The number of the client. All flows of a number are its servers: they start together, and
    /// each round of requests starts when all have answered the one before.
    pub client: u32,
    /// Bytes on the wire of a request.
    pub request: Bytes,
    /// Size of each server's answer.
    pub response: Spread<Bytes>,
    /// Time from the arrival of a round's last byte to the next round. The first server's counts.
    pub think: Spread<Nanos>,
    /// How many rounds there are; `None`: as many as the run has time for.
    pub rounds: Option<u32>,
}

/// A transfer of a [flow list](Application::FlowList).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedTransfer {
    /// When it starts.
    pub start: Nanos,
    /// The host that sends.
    pub from: Node,
    /// The host that receives.
    pub to: Node,
    /// Its payload.
    pub size: Bytes,
}

/// The ports of transfers that follow each other between two hosts: what a queue that tells flows
/// apart takes for one flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ports {
    /// Every transfer has the ports of the last: all are one flow to queues, as the transfers of an
    /// ns-2 agent that is reset.
    Same,
    /// Every transfer has ports that none had before: it is a new flow to queues.
    New,
}

impl Application {
    /// The transfers of a list, all of which begin.
    pub fn flow_list(transfers: impl Into<Arc<[ListedTransfer]>>) -> Application {
        Application::FlowList {
            transfers: transfers.into(),
            at_most: u32::MAX,
        }
    }

    /// Draws the size of the next transfer.
    pub fn draw_size(&self, random: &mut Pcg32) -> Bytes {
        match self {
            Application::Bulk => Bytes(u64::MAX),
            Application::Transfer(bytes) => *bytes,
            // Each connection has its transfer for an application.
            Application::FlowList { .. } => Bytes(0),
            Application::Web { size, .. }
            | Application::Pages { size, .. }
            | Application::Arrivals { size, .. } => size.draw(random),
            Application::Requests { response, .. }
            | Application::Incast(Incast { response, .. }) => response.draw(random),
        }
    }

    /// The mean size of its transfers; `None` where data is endless.
    pub(crate) fn mean_size(&self) -> Option<Bytes> {
        match self {
            Application::Bulk => None,
            Application::Transfer(bytes) => Some(*bytes),
            Application::FlowList { transfers, .. } => {
                let bytes: u128 = transfers
                    .iter()
                    .map(|transfer| u128::from(transfer.size.0))
                    .sum();
                Some(Bytes((bytes / transfers.len().max(1) as u128) as u64))
            }
            Application::Web { size, .. }
            | Application::Pages { size, .. }
            | Application::Arrivals { size, .. } => Some(size.mean),
            Application::Requests { response, .. }
            | Application::Incast(Incast { response, .. }) => Some(response.mean),
        }
    }

    /// Draws the time from the end of a transfer to the next, where one follows.
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

/// The pattern in which datagrams are sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// At the flow's rate, evenly spaced.
    Constant,
    /// Bursts at the flow's rate with silence between them. A burst has as many packets as fit
    /// its time, to the nearest; the difference counts for the next burst. ns-2 sends at least
    /// one packet a burst, which exceeds the mean rate where bursts are short.
    OnOff {
        /// Duration of a burst.
        on: Spread<Nanos>,
        /// Duration of the silence after it.
        off: Spread<Nanos>,
    },
    /// Recorded packets at their times, with their sizes and ECN fields, from the first one on at
    /// each start.
    Replay {
        /// The packets.
        recording: PacketTrace,
        /// Whether they are sent again after the recording's [period](PacketTrace::period).
        repeats: bool,
    },
}

impl Pattern {
    /// The least mean duration of bursts of datagrams of `size` at `rate`, distributed by `law`.
    ///
    /// With it a burst lasts a thousandth of the time from one datagram to the next on average,
    /// where longer ones count as that time. Shorter bursts would be drawn by the thousand, at one
    /// moment of the run, until one holds a datagram. Nearly all draws of a law with a heavy tail
    /// are far below the mean, which must then be longer.
    pub fn least_burst(law: &Law, size: Bytes, rate: BitsPerSec) -> Nanos {
        let interval = rate.transmission_time(size);
        let least = interval.0.div_ceil(1000);
        let is_enough = |mean: u64| {
            let typical = Spread::new(Nanos(mean), law.clone()).mean_up_to(interval);
            // A burst of a thousandth is enough, whatever is rounded.
            typical >= interval.0 as f64 * 0.999_9e-3
        };
        if is_enough(least) {
            return Nanos(least);
        }
        let (mut short, mut enough) = (least, least);
        while !is_enough(enough) && enough < Nanos::NEVER.0 / 2 {
            (short, enough) = (enough, 2 * enough);
        }
        // To a thousandth.
        while enough - short > enough / 1000 + 1 {
            let middle = short + (enough - short) / 2;
            if is_enough(middle) {
                enough = middle;
            } else {
                short = middle;
            }
        }
        Nanos(enough)
    }
}

impl Start {
    /// The start time, drawn where it is random.
    pub fn draw(&self, random: &mut Pcg32) -> Nanos {
        match *self {
            Start::At(at) => at,
            Start::Between(from, to) => {
                from + Nanos((random.uniform() * to.since(from).0 as f64) as u64)
            }
        }
    }
}

impl Traffic {
    /// Whether it has transfers that end.
    pub fn has_transfers(&self) -> bool {
        match self {
            Traffic::Tcp { application, .. } => !matches!(application, Application::Bulk),
            Traffic::Datagrams { .. } => false,
        }
    }
}

impl Flow {
    /// Whether it sends anything that ends, whose time is compared with that over an empty path.
    pub(crate) fn has_transfers(&self) -> bool {
        match &self.traffic {
            Traffic::Tcp { application, .. } => !matches!(application, Application::Bulk),
            Traffic::Datagrams { .. } => false,
        }
    }

    /// A flow from one host to another that starts at once, in the group "flows".
    pub fn new(from: Node, to: Node, traffic: Traffic) -> Flow {
        Flow {
            group: "flows".into(),
            from,
            to,
            start: Start::At(Nanos::ZERO),
            steps: Vec::new(),
            class: 0,
            ack_class: None,
            overhead: Nanos::ZERO,
            traffic,
        }
    }

    /// A bulk flow: endless data over TCP.
    pub fn bulk(from: Node, to: Node, profile: &Arc<tcp::Profile>) -> Flow {
        Flow::tcp(from, to, profile, Application::Bulk)
    }

    /// A flow of an application over TCP.
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

    /// A flow of datagrams that are not ECN-capable.
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

    /// A flow of recorded packets.
    pub fn replay(from: Node, to: Node, recording: PacketTrace, repeats: bool) -> Flow {
        let (size, rate) = (recording.largest(), recording.mean_rate());
        let pattern = Pattern::Replay { recording, repeats };
        Flow::datagrams(from, to, size, rate, pattern)
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

    /// Sets the group.
    pub fn group(self, group: &str) -> Flow {
        Flow {
            group: group.into(),
            ..self
        }
    }

    /// Sets the start time.
    pub fn at(self, start: Nanos) -> Flow {
        Flow {
            start: Start::At(start),
            ..self
        }
    }

    /// Sets a start time drawn evenly between `from` and `to`.
    pub fn between(self, from: Nanos, to: Nanos) -> Flow {
        Flow {
            start: Start::Between(from, to),
            ..self
        }
    }

    /// Adds a change at a time. Changes may be added in any order.
    pub fn then(mut self, at: Nanos, step: Step) -> Flow {
        self.steps.push((at, step));
        self
    }

    /// Sets the class of its packets.
    pub fn class(self, class: u8) -> Flow {
        Flow { class, ..self }
    }

    /// Sets the class of its acknowledgments.
    pub fn ack_class(self, class: u8) -> Flow {
        let ack_class = Some(class);
        Flow { ack_class, ..self }
    }

    /// Sets the greatest random delay before each packet.
    pub fn overhead(self, overhead: Nanos) -> Flow {
        Flow { overhead, ..self }
    }
}
