//! Rules that find mistakes in RED configurations, each with its source.

mod checks;
mod remedies;

pub(super) use remedies::{MOVE_MIN, is_serious, remedy};

use crate::tools::{Configuration, Knob, digits, tc};
use crate::{Load, Prediction, averaging};

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Severity {
    /// The configuration does not do what RED is for.
    Wrong,
    /// The configuration may cause harm.
    Risky,
    /// The configuration is easily misunderstood.
    Notice,
}

impl Severity {
    /// The name in reports and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Wrong => "wrong",
            Severity::Risky => "risky",
            Severity::Notice => "good to know",
        }
    }
}

/// A rule, with its source.
#[derive(Debug)]
pub struct Rule {
    /// The rule's identifier in JSON.
    pub name: &'static str,
    /// How serious its findings are.
    pub severity: Severity,
    /// The document or code that the rule follows.
    pub source: &'static str,
    /// Returns the problem, if there is one.
    check: fn(&Subject) -> Option<Problem>,
}

/// A problem and how to fix it; `change` may be empty.
struct Problem {
    what: String,
    change: String,
}

/// A problem that a rule found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// The problem, with its numbers.
    pub what: String,
    /// How to fix it; empty if there is nothing to change.
    pub change: String,
}

/// The input of every rule. Lengths are in packets.
struct Subject<'a> {
    configuration: &'a Configuration,
    load: &'a Load,
    prediction: &'a Prediction,
    min: f64,
    max: f64,
    max_p: f64,
    limit: Option<f64>,
}

/// Applies every rule to the first class; returns the findings, the most severe first.
pub(super) fn check(
    configuration: &Configuration,
    load: &Load,
    prediction: &Prediction,
) -> Vec<Finding> {
    let subject = Subject::of(configuration, load, prediction);
    let mut findings: Vec<Finding> = RULES
        .iter()
        .filter_map(|rule| rule.finding(&subject))
        .collect();
    findings.sort_by_key(|finding| finding.rule.severity);
    findings
}

impl Rule {
    fn finding(&'static self, subject: &Subject) -> Option<Finding> {
        let Problem { what, change } = (self.check)(subject)?;
        Some(Finding {
            rule: self,
            what,
            change,
        })
    }
}

/// Every rule, in the order of reports.
pub static RULES: &[Rule] = &[
    Rule {
        name: "average-at-max",
        severity: Severity::Wrong,
        source: "the prediction; Floyd 1997: max_p must suit the number of flows",
        check: checks::average_at_max,
    },
    Rule {
        name: "never-adapts",
        severity: Severity::Wrong,
        source: "iproute2 6.1, q_red.c, sends TCA_RED_FLAGS; Linux 6.1, sch_red.c, __red_change; 50,000 packets of docs/explanation/validation.md",
        check: checks::never_adapts,
    },
    Rule {
        name: "burst-reaches-min",
        severity: Severity::Risky,
        source: "Floyd and Jacobson 1993, section VI; RFC 6928: a flow starts with 10 packets",
        check: checks::burst_reaches_min,
    },
    Rule {
        name: "average-trails",
        severity: Severity::Risky,
        source: "Floyd, Gummadi, Shenker 2001, section 3.3: the average should have a time constant of about ten round trips",
        check: checks::average_trails,
    },
    Rule {
        name: "average-follows",
        severity: Severity::Risky,
        source: "Floyd, Gummadi, Shenker 2001, section 3.3",
        check: checks::average_follows,
    },
    Rule {
        name: "max-near-min",
        severity: Severity::Risky,
        source: "Floyd 1997: max at least twice min, preferably three times; tc-red(8)",
        check: checks::max_near_min,
    },
    Rule {
        name: "min-small",
        severity: Severity::Risky,
        source: "Floyd 1997; Floyd, Gummadi, Shenker 2001: at least 5 packets",
        check: checks::min_small,
    },
    Rule {
        name: "limit-near-max",
        severity: Severity::Risky,
        source: "tc-red(8): limit at least max + burst, ideally several times max",
        check: checks::limit_near_max,
    },
    Rule {
        name: "queue-long",
        severity: Severity::Risky,
        source: "RFC 7567, section 2.1: queues should not add more than their link needs",
        check: checks::queue_long,
    },
    Rule {
        name: "rate-other",
        severity: Severity::Risky,
        source: "tc-red(8): bandwidth should be the link's; ns-3: LinkBandwidth",
        check: checks::rate_other,
    },
    Rule {
        name: "packet-other",
        severity: Severity::Risky,
        source: "tc-red(8): avpkt and burst give the weight; ns-2, ns-3: thresholds and idle time",
        check: checks::packet_other,
    },
    Rule {
        name: "idle-forgotten-late",
        severity: Severity::Notice,
        source: "iproute2, tc_red.c, fills its table in ticks of 64 ns; Linux, include/net/red.h, reads it in microseconds",
        check: checks::idle_forgotten_late,
    },
    Rule {
        name: "idle-table-empty",
        severity: Severity::Risky,
        source: "tc 6.1's message to the kernel: packet times are whole microseconds",
        check: checks::idle_table_empty,
    },
    Rule {
        name: "probability-one",
        severity: Severity::Wrong,
        source: "tc 6.1's message to the kernel: 2^32 does not fit into 32 bits and is sent as 0",
        check: checks::probability_one,
    },
    Rule {
        name: "gentle-adapted",
        severity: Severity::Risky,
        source: "ns-2's red.cc, ns-3's red-queue-disc.cc: the slope above max is computed once",
        check: checks::gentle_adapted,
    },
    Rule {
        name: "average-limited",
        severity: Severity::Notice,
        source: "red_check_params in include/net/red.h: max * 2^n below 2^31; DPDK: n to 12; Cisco: n to 16",
        check: checks::average_limited,
    },
    Rule {
        name: "not-gentle",
        severity: Severity::Notice,
        source: "Floyd 2000: recommendation on using the gentle variant of RED",
        check: checks::not_gentle,
    },
    Rule {
        name: "probability-elsewhere",
        severity: Severity::Notice,
        source: "the spacing laws of ns-2, ns-3, Linux and DPDK, in closed form",
        check: checks::probability_elsewhere,
    },
    Rule {
        name: "ecn-dropped-above",
        severity: Severity::Notice,
        source: "RFC 3168, section 7",
        check: checks::ecn_dropped_above,
    },
    Rule {
        name: "ecn-never-dropped",
        severity: Severity::Notice,
        source: "RFC 3168, section 7; sch_red.c",
        check: checks::ecn_never_dropped,
    },
    Rule {
        name: "spacing-unknown",
        severity: Severity::Notice,
        source: "Cisco's command reference and SONiC's configuration guide do not document it",
        check: checks::spacing_unknown,
    },
    Rule {
        name: "router-or-switch",
        severity: Severity::Notice,
        source: "Junos documentation: Configuring RED Drop Profiles; for QFX, fill-level",
        check: checks::router_or_switch,
    },
    Rule {
        name: "buffer-not-given",
        severity: Severity::Notice,
        source: "Junos: fill levels are percentages of the queue's buffer",
        check: checks::buffer_unknown,
    },
];

impl<'a> Subject<'a> {
    fn of(
        configuration: &'a Configuration,
        load: &'a Load,
        prediction: &'a Prediction,
    ) -> Subject<'a> {
        let link = load.link();
        let packets = |length: f64| configuration.in_packets(length, &link);
        let class = &configuration.classes[0];
        Subject {
            configuration,
            load,
            prediction,
            min: packets(class.min.value),
            max: packets(class.max.value),
            max_p: class.max_p.value,
            limit: configuration.limit_in_unit(&link).map(packets),
        }
    }

    /// The tool's name for a knob.
    fn knob_name(&self, knob: Knob) -> &'static str {
        let mut knobs = self.configuration.tool.knobs.iter();
        let entry = knobs.find(|entry| entry.knob == knob);
        entry.map_or(knob.name(), |entry| entry.name)
    }

    fn weight(&self) -> f64 {
        self.configuration.weight.value
    }

    fn tool(&self) -> &'static str {
        self.configuration.tool.name
    }

    /// The time constant of the average in round trips without queueing.
    fn time_constant(&self) -> f64 {
        averaging::time_constant(self.weight(), self.load)
    }

    /// The largest n of a weight 2^-n that the tool takes; `None` where weights are any numbers.
    fn slowest(&self) -> Option<u32> {
        match self.tool() {
            "linux" => {
                let max = self.configuration.classes[0].max.value as u32;
                (1..=31).rev().find(|n| tc::fits_kernel(max, *n))
            }
            "dpdk" => Some(12),
            "cisco" => Some(16),
            _ => None,
        }
    }

    /// Whether the tool takes no slower average.
    fn is_slowest(&self) -> bool {
        let slowest = self.slowest();
        slowest.is_some_and(|slowest| self.weight() <= (-f64::from(slowest)).exp2())
    }

    /// Renders a length in the tool's unit, rounded up.
    fn length(&self, packets: f64) -> String {
        let packet = self.load.packet.0 as f64;
        let unit = match (self.configuration.in_bytes, self.tool()) {
            (_, "junos") => self.limit.unwrap_or(self.max) / 100.0,
            (true, "ns2") => self
                .configuration
                .mean_packet
                .value
                .map_or(1.0, |mean| mean.0 as f64 / packet),
            (true, _) => 1.0 / packet,
            (false, _) => 1.0,
        };
        let most = if self.tool() == "junos" {
            100.0
        } else {
            f64::MAX
        };
        // Rounding errors of the division must not add a packet.
        format!("{:.0}", (packets / unit - 1e-6).ceil().min(most))
    }

    /// Renders a probability in the tool's notation.
    fn probability(&self, p: f64) -> String {
        match self.tool() {
            "ns2" | "ns3" | "dpdk" | "cisco" => format!("{:.3}", 1.0 / p)
                .trim_end_matches('0')
                .trim_end_matches('.')
                .to_string(),
            "junos" | "sonic" => format!("{:.0}", (100.0 * p).max(1.0)),
            _ => digits(p, 3),
        }
    }

    /// Renders the knob that sets the weight, in the tool's notation.
    fn weight_text(&self, weight: f64) -> String {
        let most = self.slowest().unwrap_or(31);
        let exponent = ((-weight.log2()).round().max(1.0) as u32).min(most);
        let avpkt = self.configuration.mean_packet.value;
        match (self.tool(), avpkt) {
            ("linux", Some(avpkt)) if self.configuration.burst.is_some() => {
                let min = self.configuration.classes[0].min.value as u32;
                let burst = tc::burst_for(exponent, most, min, avpkt.0 as u32);
                format!("burst {burst}")
            }
            ("linux" | "dpdk" | "cisco", _) => {
                format!("{} {exponent}", self.knob_name(Knob::Weight))
            }
            _ => format!("{} {}", self.knob_name(Knob::Weight), digits(weight, 3)),
        }
    }

    /// The weight with a time constant of ten round trips.
    fn usual_weight(&self) -> f64 {
        averaging::weight_of(averaging::USUAL, self.load)
    }

    /// Whether the tool has a knob for the weight.
    fn has_weight(&self) -> bool {
        let mut knobs = self.configuration.tool.knobs.iter();
        knobs.any(|entry| entry.knob == Knob::Weight)
    }

    fn flows(&self) -> String {
        match self.load.flows {
            1.0 => "one flow".to_string(),
            flows => format!("{flows} flows"),
        }
    }
}

#[cfg(test)]
mod tests;
