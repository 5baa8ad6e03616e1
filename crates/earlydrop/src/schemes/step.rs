//! Step: marks or drops every packet while the queue is above one threshold (DCTCP).
//!
//! # Reference
//! M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010; RFC 8257,
//! section 3.1, whose threshold is called K.
//!
//! # Equations
//! An arrival that finds a queue `q > K` is marked; q does not include the arrival. The
//! paper requires `K > C RTT/7`.
//!
//! # Our readings
//! - Packets that cannot be marked are dropped (RFC 3168). `others=pass` passes them, as a
//!   switch that only marks does.
//! - A threshold given as time is the bytes that the link sends in that time at its present
//!   rate. It does not use time stamps of packets.
//!
//! # How other tools differ
//! | aspect | ns-3 | Linux | here |
//! |---|---|---|---|
//! | implementation | RED with min = max = K and weight 1 | `tc red` with min near max, or `ce_threshold` of fq_codel and dualpi2 | a scheme of its own |
//! | a queue of exactly K | marked | marked (`ce_threshold`: not) | not marked |
//! | threshold in | packets or bytes | bytes; time for `ce_threshold` | any of the three |

use crate::aqm::{Aqm, Backlog, Verdict};
use crate::explanation::above;
use crate::registry::{
    ConfigError, Descriptor, ECN, Kind, LIMIT, Length, OTHERS, Parameter, Plan, Preset, Range,
    Settings,
};
use crate::schemes::common::{Signalling, Threshold, check_within_buffer};
use crate::trace::{Case, Rule, Trace, by_rule};
use crate::units::{BitsPerSec, Nanos};

const PARAMETERS: &[Parameter] = &[
    LIMIT,
    ECN,
    Parameter::new(
        "threshold",
        "K: an arrival that finds a longer queue than this is marked or dropped",
        Kind::Length(Range::NOT_NEGATIVE),
    )
    .with_default("20 packets", "Alizadeh et al. 2010, for 1 Gbps"),
    OTHERS,
];

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "step",
    "marks (or drops) every packet that finds the queue above one threshold",
    "Alizadeh et al. 2010; RFC 8257",
    &[PARAMETERS],
    |s| Ok(Plan::single(Step::from_settings(s)?, s.limit())),
)
.with_presets(&[
    Preset {
        name: "paper",
        meaning: "Alizadeh et al. 2010 at 10 Gbps: K = 65 packets, marks only",
        values: &[("threshold", "65 packets"), ("others", "pass")],
    },
    // `simulation/run.py` of Li et al. 2019 sets Kmin = Kmax = 30 kB B/10 Gbps and Pmax = 1 for
    // DCTCP: 24 us of the link. `SwitchMmu::ShouldSendCN` marks, and drops nothing.
    Preset {
        name: "hpcc",
        meaning: "switches of Li et al. 2019 (HPCC) under DCTCP: K = 30 kB at 10 Gbps, in proportion to the rate; marks only",
        values: &[("threshold", "24 us"), ("others", "pass")],
    },
]);

/// A threshold of the instantaneous queue.
#[derive(Clone, Debug)]
pub struct Step {
    threshold: Threshold,
    signalling: Signalling,
}

impl Step {
    pub(crate) fn from_settings(s: &Settings) -> Result<Step, ConfigError> {
        check_within_buffer(s, "threshold")?;
        let given = s.length_or_auto("threshold");
        Ok(Step {
            threshold: Threshold::new(given.unwrap_or(Length::Packets(0.0)), s.link()),
            signalling: Signalling::from_settings(s),
        })
    }
}

impl Rule for Step {
    #[inline]
    fn arrive<Q: Backlog, T: Trace>(&mut self, case: Case<'_, Q, T>) -> Verdict {
        let trace = case.trace;
        trace.source("RFC 8257, section 3.1");
        let (length, threshold, unit) = self.threshold.compared_with(case.queue);
        trace.given("the queue that the packet finds", ("q", unit), length);
        trace.given("the threshold", ("K", unit), threshold);
        trace.by("a step at K", || above(length, threshold));
        let is_long = length > threshold;
        let verdict = if is_long {
            self.signalling.signal(case.packet)
        } else {
            Verdict::Keep
        };
        trace.note(|why| {
            if is_long && verdict == Verdict::Keep {
                why.reason += ", but packets that cannot be marked pass";
            }
        });
        verdict
    }
}

impl Aqm for Step {
    by_rule!(on_arrival);

    fn on_link_rate(&mut self, _now: Nanos, rate: BitsPerSec) {
        self.threshold.retune(rate);
    }
}

#[cfg(test)]
mod tests {
    use crate::aqm::DropReason;
    use crate::packet::Ecn;
    use crate::queue::{Outcome, QueueDiscipline};
    use crate::registry::{LinkFacts, Spec};
    use crate::testing::{TestPacket, mbps, packet, queue};
    use crate::units::Nanos;

    fn capable() -> TestPacket {
        TestPacket {
            ecn: Ecn::Ect0,
            ..packet(1)
        }
    }

    #[test]
    fn marks_only_above_the_threshold() {
        let mut queue = queue("step:threshold=2 packets", mbps(10));
        let outcomes = [(); 5].map(|()| queue.enqueue(Nanos::ZERO, capable()));
        use Outcome::{Marked, Queued};
        assert_eq!(outcomes, [Queued, Queued, Queued, Marked, Marked]);
        let dropped = queue.enqueue(Nanos::ZERO, packet(1));
        assert_eq!(dropped, Outcome::Dropped(DropReason::Early));
    }

    #[test]
    fn others_can_pass_and_ecn_can_be_off() {
        let mut passing = queue("step:threshold=0,others=pass", mbps(10));
        let mut dropping = queue("step:threshold=0,ecn=off", mbps(10));
        for queue in [&mut passing, &mut dropping] {
            assert_eq!(queue.enqueue(Nanos::ZERO, capable()), Outcome::Queued);
        }
        assert_eq!(passing.enqueue(Nanos::ZERO, packet(1)), Outcome::Queued);
        let dropped = dropping.enqueue(Nanos::ZERO, capable());
        assert_eq!(dropped, Outcome::Dropped(DropReason::Early));
    }

    #[test]
    fn a_time_follows_the_link_and_bytes_do_not() {
        // 1 ms at 16 Mbps is 2,000 bytes, at 8 Mbps 1,000.
        for (spec, before, after) in [
            ("step:threshold=1 ms", 3, 2),
            ("step:threshold=2000 bytes", 3, 3),
        ] {
            let unmarked = |halved: bool| {
                let mut queue = queue(spec, mbps(16));
                if halved {
                    queue.set_link_rate(Nanos::ZERO, mbps(8));
                }
                let kept = |_: &u32| queue.enqueue(Nanos::ZERO, capable()) == Outcome::Queued;
                (0..10).filter(kept).count()
            };
            assert_eq!((unmarked(false), unmarked(true)), (before, after), "{spec}");
        }
    }

    #[test]
    fn a_threshold_above_the_buffer_is_refused() {
        let spec: Spec = "step:limit=10,threshold=20 packets".parse().unwrap();
        let error = spec.plan(&LinkFacts::at(mbps(10))).unwrap_err();
        assert_eq!(error.parameter(), Some("threshold"));
        assert_eq!(
            alloc::string::ToString::to_string(&error),
            "step: threshold = 20 packets lies above the buffer, limit = 10 packets; \
             nearest: limit = 20 packets, or threshold = 10 packets"
        );
    }
}
