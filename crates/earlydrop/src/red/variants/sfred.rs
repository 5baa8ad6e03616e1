//! SFRED: scalable fair RED, with a list of the most recently used flows.
//!
//! # Reference
//! H. Wang, X.-H. Lin, K.-Y. Zhou, N. Xie, H. Li, "On the Scalable Fairness and
//! Efficient Active Queue Management of RED", 2008, section 2. The list is the MRUL, the
//! most recently used list.
//!
//! # Equations
//! The list holds at most N flows. Of flow i it knows the packets received, H_ri, and
//! dropped, H_di; H_r and H_d are their sums over the n flows now in the list, or of all
//! traffic (`totals=all`).
//! A packet first counts as received, and its flow enters the list if it was not there.
//! Then the flow is classified:
//! - `T_f = (H_r - H_d)/n`, the fair share; `T_i = H_ri`; fast: `T_i > (1+alpha) T_f`.
//! - `L_i = H_di/H_ri`, `L = H_d/H_r`; fast and `L_i > (1+beta) L`, unresponsive:
//!   dropped.
//! - Any other fast flow: `max_p <- max_p T_i/T_f`, at most 1.
//! - Slow: `H_ri < eta` and `H_di = 0`: both thresholds raised by k packets.
//!
//! # Our readings
//! - The paper prints `max_p T_f/T_i`, which favours fast flows, against its own
//!   sentence that their loss increases. `fast_scaling=as-printed` runs the print.
//! - The paper does not say how counts age. Without ageing a flow keeps its class for
//!   ever. Here every count is halved each horizon, from the first packet on, so the
//!   counts cover one to two horizons. The default of 10 s is ours: the paper's figures
//!   average over 10 s, and it covers some hundred round trips, in which even a flow with
//!   1% loss has received a few congestion signals. `horizon=never` runs the print.
//! - A mark is a congestion signal as much as a drop, so L_i, L and the slow rule count
//!   both. A marked packet still gets through, so T_f counts drops only. Drops at a full
//!   buffer count too.
//! - A flow that is both slow and fast (while all flows are new) is slow: it has received
//!   no congestion signal yet. An unresponsive flow is dropped whatever the average and the
//!   queue are, by the paper's "all the subsequent packets": `cautious` does not spare it.
//! - H_r and H_d are "for the aggregated traffic", and n is "the total number of active
//!   flows". The list knows the active flows only, so by default all three are of the list: a
//!   flow that leaves it takes its counts along. `totals=all` keeps H_r and H_d of all
//!   packets, aged alike; n stays the list's.
//! - The paper prints neither N nor k; 32 flows and 5 packets are ours.
//! - A count that has aged below one is zero, as in whole numbers: a flow that was
//!   signalled once can become slow again a horizon later.
//! - A slow flow's packet below its own first threshold leaves the spacing of the
//!   other flows' drops as it is.
//! - `as=literal` runs what is printed: no ageing, totals of all traffic, T_f/T_i.
//!
//! # How other tools differ
//! None of ns-2, ns-3, Linux and DPDK has it.

mod counts;
#[cfg(test)]
mod tests;
mod why;

use self::counts::{Counts, History};
use crate::aqm::Verdict;
use crate::flow_table::{FlowSlot, FlowTable, MOST_FLOWS};
use crate::packet::{FlowKey, PacketInfo};
use crate::random::Pcg32;
use crate::red::parameters::scheme;
use crate::red::{RedConfig, Treatment};
use crate::registry::{Descriptor, Extent, Kind, Parameter, Preset, Range, Settings};
use crate::trace::Trace;
use crate::units::Nanos;

pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter::new(
        "flows",
        "N, the most flows in the list",
        Kind::Count(Range::closed(1.0, MOST_FLOWS as f64), "flows"),
    )
    .with_default(
        "32",
        "ours: Wang et al. 2008 does not print it; swept in the reproductions",
    )
    .only_with("policy", &["sfred"]),
    Parameter::new(
        "sfred_alpha",
        "a flow is fast above 1 + this times the fair share",
        Kind::Number(Range::NOT_NEGATIVE, "ratio"),
    )
    .with_default("0.1", "Wang et al. 2008, section 2.2")
    .only_with("policy", &["sfred"]),
    Parameter::new(
        "sfred_beta",
        "a fast flow is unresponsive above 1 + this times the average loss rate",
        Kind::Number(Range::NOT_NEGATIVE, "ratio"),
    )
    .with_default("0.1", "Wang et al. 2008, section 2.3")
    .only_with("policy", &["sfred"]),
    Parameter::new(
        "eta",
        "a flow never dropped nor marked is slow below this many packets received",
        Kind::Number(Range::NOT_NEGATIVE, "packets"),
    )
    .with_default("10", "Wang et al. 2008, section 2.4")
    .only_with("policy", &["sfred"]),
    Parameter::new(
        "k",
        "how much both thresholds are raised for a slow flow",
        Kind::Length(Range::NOT_NEGATIVE),
    )
    .with_default(
        "5 packets",
        "ours: Wang et al. 2008 does not print it; the paper's min_th",
    )
    .only_with("policy", &["sfred"]),
    Parameter::new(
        "horizon",
        "the time after which every count is halved; never: counts do not age, as printed",
        Kind::OrNever(&Kind::Time(Range::POSITIVE)),
    )
    .with_extent(Extent::Period)
    .with_default(
        "10 s",
        "ours: the span that Wang et al. 2008 average their figures over",
    )
    .only_with("policy", &["sfred"]),
    Parameter::new(
        "fast_scaling",
        "what a fast flow's max_p is multiplied by",
        Kind::Choice(&[
            ("raised", "T_i/T_f: a fast flow loses more"),
            ("as-printed", "T_f/T_i: a fast flow loses less"),
        ]),
    )
    .with_default("raised", "our reading of Wang et al. 2008, section 2.2")
    .only_with("policy", &["sfred"]),
    Parameter::new(
        "totals",
        "the packets that H_r and H_d, received and dropped, count",
        Kind::Choice(&[
            ("listed", "those of the flows now in the list"),
            ("all", "all, also of flows that have left the list"),
        ]),
    )
    .with_default("listed", "our reading of Wang et al. 2008, section 2.1")
    .only_with("policy", &["sfred"]),
];

/// The scheme.
pub const SCHEME: Descriptor = scheme(
    "sfred",
    "RED that lists recent flows: drops unresponsive ones, slows fast ones, spares new ones",
    "Wang, Lin, Zhou, Xie, Li 2008, section 2",
    &[("policy", "sfred", "Wang et al. 2008, section 2")],
    &[
        Preset {
            name: "paper",
            meaning: "Wang et al. 2008, section 3: thresholds 5 and 15, max_p 0.1, weight 0.002, buffer 50; the spacing of ns-2, which they used",
            values: &[
                ("min", "5 packets"),
                ("max", "15 packets"),
                ("max_p", "0.1"),
                ("weight", "0.002"),
                ("limit", "50 packets"),
                ("spacing", "wait"),
            ],
        },
        Preset {
            name: "literal",
            meaning: "as=paper without our readings: counts that never age, totals of all traffic, and max_p T_f/T_i as printed, which favours fast flows",
            values: &[
                ("min", "5 packets"),
                ("max", "15 packets"),
                ("max_p", "0.1"),
                ("weight", "0.002"),
                ("limit", "50 packets"),
                ("spacing", "wait"),
                ("horizon", "never"),
                ("totals", "all"),
                ("fast_scaling", "as-printed"),
            ],
        },
    ],
);

/// The largest factor on max_p: beyond the end of every curve, and finite for a fair share of 0.
const LARGEST_FACTOR: f64 = 1e6;

/// The thresholds between slow, fair, fast and unresponsive.
#[derive(Clone, Copy, Debug)]
struct Rules {
    alpha: f64,
    beta: f64,
    eta: f64,
    /// In the average's unit.
    k: f64,
    as_printed: bool,
    /// H_r and H_d include flows that have left the list.
    totals_of_all: bool,
}

/// The list and its rules.
#[derive(Clone, Debug)]
pub struct Sfred {
    list: FlowTable<History>,
    /// H_r and H_d, in the present epoch.
    totals: Counts,
    rules: Rules,
    horizon: Nanos,
    /// When the first packet arrived.
    since: Option<Nanos>,
    /// Horizons since the first packet.
    epoch: u64,
    epoch_ends: Nanos,
    /// The packet just judged was marked, so its signal is counted already.
    marked: bool,
}

impl Sfred {
    /// Heap bytes a flow in the list costs at most.
    pub const BYTES_PER_FLOW: usize = FlowTable::<History>::BYTES_PER_FLOW;

    pub(crate) fn from_settings(s: &Settings, config: &RedConfig) -> Sfred {
        let k = s.length_or_auto("k");
        let rules = Rules {
            alpha: s.number("sfred_alpha"),
            beta: s.number("sfred_beta"),
            eta: s.number("eta"),
            k: k.map_or(0.0, |k| config.length(s, k)),
            as_printed: s.choice("fast_scaling") == "as-printed",
            totals_of_all: s.choice("totals") == "all",
        };
        Sfred::new(s.count("flows"), rules, s.time("horizon"))
    }

    fn new(flows: u32, rules: Rules, horizon: Nanos) -> Sfred {
        let horizon = horizon.max(Nanos(1));
        Sfred {
            list: FlowTable::with_room_for(flows),
            totals: Counts::default(),
            rules,
            horizon,
            since: None,
            epoch: 0,
            epoch_ends: Nanos::ZERO,
            marked: false,
        }
    }

    /// Counts an arriving packet and classifies its flow.
    pub(crate) fn treat(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        random: &mut Pcg32,
        trace: &mut impl Trace,
    ) -> Treatment {
        if now >= self.epoch_ends {
            self.age(now);
        }
        self.list.salt_once(random);
        let slot = self.most_recent(packet.flow);
        self.marked = false;
        let own = self.count(slot, |counts| counts.received += 1.0);
        self.judge(&own, trace)
    }

    /// Counts the verdict on the packet just judged.
    pub(crate) fn on_verdict(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Keep => {}
            Verdict::Mark => {
                self.marked = true;
                self.count_newest(|counts| counts.signals += 1.0);
            }
            Verdict::Drop(_) | Verdict::DropBoth(..) => self.count_newest(|counts| {
                counts.signals += 1.0;
                counts.dropped += 1.0;
            }),
        }
    }

    /// Counts the packet just judged as dropped: the buffer was full.
    pub(crate) fn on_refused(&mut self) {
        let signals = if self.marked { 0.0 } else { 1.0 };
        self.count_newest(|counts| {
            counts.signals += signals;
            counts.dropped += 1.0;
        });
    }

    /// Goes on with the list of `old`. With another horizon, that starts with the next packet.
    pub(crate) fn continue_from(&mut self, old: Sfred) {
        let mut totals = old.totals;
        let listed = !old.rules.totals_of_all;
        self.list.continue_from(old.list, |gone| {
            if listed {
                totals = totals.without(gone.at(old.epoch));
            }
        });
        if !listed && !self.rules.totals_of_all {
            let counts = self.list.values_mut().map(|history| history.at(old.epoch));
            totals = counts.fold(Counts::default(), Counts::plus);
        }
        (self.totals, self.marked) = (totals, old.marked);
        if self.horizon == old.horizon {
            (self.since, self.epoch, self.epoch_ends) = (old.since, old.epoch, old.epoch_ends);
        } else {
            let histories = self.list.values_mut();
            histories.for_each(|history| history.restart_from(old.epoch));
        }
    }

    /// Flows in the list.
    pub(crate) fn flows(&self) -> u32 {
        self.list.flows()
    }

    /// H_d: drops of the flows in the list.
    #[cfg(test)]
    pub(crate) fn dropped(&self) -> f64 {
        self.totals.dropped
    }

    /// Heap bytes held.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.list.heap_bytes()
    }

    #[cold]
    fn age(&mut self, now: Nanos) {
        let since = *self.since.get_or_insert(now);
        let epoch = now.since(since).0 / self.horizon.0;
        self.totals = self.totals.halved(epoch - self.epoch);
        self.epoch = epoch;
        self.epoch_ends = since + Nanos((epoch + 1).saturating_mul(self.horizon.0));
    }

    /// Moves `flow` to the head of the list, or inserts it there.
    #[inline]
    fn most_recent(&mut self, flow: FlowKey) -> FlowSlot {
        if let Some(slot) = self.list.find(flow) {
            self.list.touch(slot);
            return slot;
        }
        let (slot, evicted) = self.list.insert(flow, History::from(self.epoch));
        if let Some(evicted) = evicted.filter(|_| !self.rules.totals_of_all) {
            self.totals = self.totals.without(evicted.at(self.epoch));
        }
        slot
    }

    /// Counts for the flow at `slot` and in the totals; returns the flow's counts.
    fn count(&mut self, slot: FlowSlot, add: impl Fn(&mut Counts)) -> Counts {
        add(&mut self.totals);
        let history = self.list.value_mut(slot);
        let counts = history.bring_to(self.epoch);
        add(counts);
        *counts
    }

    fn count_newest(&mut self, add: impl Fn(&mut Counts)) {
        if let Some(slot) = self.list.newest() {
            self.count(slot, add);
        }
    }

    fn judge(&self, own: &Counts, trace: &mut impl Trace) -> Treatment {
        let rules = &self.rules;
        let says = "the flow's packets received, this one among them; counts age by halving";
        trace.given(says, ("T_i", "packets"), own.received);
        let says = "the flow's packets dropped or marked";
        trace.given(says, ("D_i", "packets"), own.signals);
        if own.received < rules.eta && own.signals < 1.0 {
            let says = "the limit eta of a slow flow";
            trace.given(says, ("eta", "packets"), rules.eta);
            let says = "how much a slow flow's thresholds are raised";
            trace.given(says, ("k", ""), rules.k);
            return Treatment::Raised(rules.k);
        }
        // T_i > (1+alpha) T_f and L_i > (1+beta) L, each without its divisions.
        let through = (self.totals.received - self.totals.dropped).max(0.0);
        let flows = f64::from(self.list.flows());
        trace.note(|why| self.show_fair_share(why, through, flows));
        if own.received * flows <= (1.0 + rules.alpha) * through {
            return Treatment::Normal;
        }
        let lost = own.signals * self.totals.received;
        trace.note(|why| self.show_loss(why, own));
        if lost > (1.0 + rules.beta) * self.totals.signals * own.received {
            return Treatment::Refused;
        }
        let fair_share = through / flows;
        let factor = if rules.as_printed {
            fair_share / own.received
        } else {
            (own.received / fair_share).min(LARGEST_FACTOR)
        };
        trace.note(|why| self.show_factor(why, own, fair_share, factor));
        Treatment::Scaled(factor)
    }
}
