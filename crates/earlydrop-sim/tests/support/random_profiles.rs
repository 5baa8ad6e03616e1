//! Random profiles: the rules of ns-2, of the RFCs, and any setting changed on its own.

use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_sim::tcp::control::dcqcn::Card;
use earlydrop_sim::tcp::{
    Algorithm, CONTROLLERS, DelayedAcks, EcnFeedback, EcnMode, Growth, Handshake, HyStartKind,
    LossDetection, Profile, ProfileError, Recovery, Reduction, RenoEstimate, RtoParams,
    RttSampling, Rules, TimerClock,
};
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::strategy::Union;

use super::Coverage;

/// The variants of an enum without data, with equal weights.
macro_rules! equally {
    ($($strategy:ident, $count:ident, $type:ident: $($name:ident)*;)*) => {$(
        variants! { $strategy, $count, $type: $(1 $type::$name => Just($type::$name),)* }
    )*};
}

equally! {
    recovery, count_recovery, Recovery: Tahoe Reno NewReno Sack GoBackN;
    detection, count_detection, LossDetection: DupAck Rack;
    rules, count_rules, Rules: Standard Ns2;
    growth, count_growth, Growth: Segments CountedAsNs3 CountedAsLinux;
    estimate, count_estimate, RenoEstimate: Rising Steady;
    hystart, count_hystart, HyStartKind: Off PlusPlus Linux;
    reduction, count_reduction, Reduction: AtOnce Proportional;
    mode, count_mode, EcnMode: Off Classic Dctcp L4s;
    feedback, count_feedback, EcnFeedback: Classic Dctcp Cnp AccEcn Ace;
    handshake, count_handshake, Handshake: None ThreeWay;
}

variants! {
    sampling, count_sampling, RttSampling:
        2 RttSampling::OneAtATime => Just(RttSampling::OneAtATime),
        2 RttSampling::Every => Just(RttSampling::Every),
        1 RttSampling::BySegment => Just(RttSampling::BySegment),
}

/// Each of the controllers, with equal weights.
fn control() -> impl Strategy<Value = Algorithm> {
    Union::new(CONTROLLERS.iter().map(|known| Just(known.algorithm)))
}

fn count_control(control: &Algorithm, seen: &mut Coverage) {
    for known in CONTROLLERS {
        seen.count(known.name, known.algorithm == *control);
    }
}

/// Another value for each setting, where there is one.
#[derive(Clone, Debug)]
struct Others {
    recovery: Option<Recovery>,
    detection: Option<LossDetection>,
    rules: Option<Rules>,
    growth: Option<Growth>,
    estimate: Option<RenoEstimate>,
    hystart: Option<HyStartKind>,
    reduction: Option<Reduction>,
    ecn: Option<EcnMode>,
    feedback: Option<EcnFeedback>,
    handshake: Option<Handshake>,
    sampling: Option<RttSampling>,
    /// A bit for each switch that is turned over.
    switches: u16,
    delayed_acks: Option<Option<DelayedAcks>>,
    timer: Option<RtoParams>,
    initial_ssthresh: Option<u32>,
    max_burst: Option<u32>,
    dupack_threshold: Option<u32>,
    least_after_mark: Option<u32>,
    initial_window: Option<u32>,
    line_rate: Option<BitsPerSec>,
    card: Option<Card>,
}

fn others() -> impl Strategy<Value = Others> {
    let timer = (1..4_000_u64, 0..400_u64, 1..20_000_000_u64);
    let timer = timer.prop_map(|(initial, minimum, tick)| RtoParams {
        initial: Nanos::from_millis(initial),
        minimum: Nanos::from_millis(minimum),
        maximum: Nanos::from_secs(8),
        tick: Nanos(tick),
        clock: match initial % 2 {
            0 => TimerClock::Exact,
            _ => TimerClock::Linux,
        },
    });
    let delayed = weighted(0.5, (1..5_u32, 1_000_000..80_000_000_u64));
    let delayed = delayed.prop_map(|acks| {
        acks.map(|(every, timeout)| DelayedAcks {
            every,
            timeout: Nanos(timeout),
        })
    });
    let rules = (
        (weighted(0.4, recovery()), weighted(0.4, detection())),
        (weighted(0.05, rules()), weighted(0.15, growth())),
        (
            weighted(0.2, estimate()),
            weighted(0.3, reduction()),
            weighted(0.3, hystart()),
        ),
        (weighted(0.6, mode()), weighted(0.4, feedback())),
        (weighted(0.4, handshake()), weighted(0.3, sampling())),
    );
    let switches = (any::<u16>(), any::<u16>(), any::<u16>());
    let numbers = (
        (weighted(0.1, 2..60_u32), weighted(0.1, 1..12_u32)),
        (weighted(0.1, 1..6_u32), weighted(0.15, 1..4_u32)),
        (
            weighted(0.15, 1..20_u32),
            weighted(0.3, (1..1000_u64).prop_map(BitsPerSec::from_mbps)),
            weighted(0.3, (0..3_usize).prop_map(|index| Card::ALL[index].0)),
        ),
    );
    (
        rules,
        switches,
        weighted(0.5, delayed),
        weighted(0.2, timer),
        numbers,
    )
        .prop_map(|(rules, (a, b, c), delayed_acks, timer, numbers)| {
            let ((recovery, detection), (rules, growth), (estimate, reduction, hystart), ecn, ends) =
                rules;
            let ((initial_ssthresh, max_burst), (dupack_threshold, least_after_mark), (window, line_rate, card)) =
                numbers;
            Others {
                recovery,
                detection,
                rules,
                growth,
                estimate,
                hystart,
                reduction,
                ecn: ecn.0,
                feedback: ecn.1,
                handshake: ends.0,
                sampling: ends.1,
                // Each with a chance of one in eight.
                switches: a & b & c,
                delayed_acks,
                timer,
                initial_ssthresh,
                max_burst,
                dupack_threshold,
                least_after_mark,
                initial_window: window,
                line_rate,
                card,
            }
        })
}

pub(crate) fn profile() -> impl Strategy<Value = Profile> {
    let window = prop_oneof![1..40_u32, Just(1000)];
    let sizes = (300..1500_u32, 40..100_u32, weighted(0.3, 0..80_u32));
    (0..3_u8, recovery(), control(), window, sizes, others()).prop_map(
        |(base, recovery, control, window, (segment, ack, header), others)| {
            let preset = match base {
                0 => Profile::ns2(recovery),
                1 => Profile::ns2_old_timers(recovery),
                _ => Profile::modern(control),
            };
            let switch = |bit: u32, on: bool| on ^ (others.switches >> bit & 1 == 1);
            consistent(Profile {
                recovery: match base {
                    2 => others.recovery.unwrap_or(preset.recovery),
                    _ => preset.recovery,
                },
                loss_detection: others.detection.unwrap_or(preset.loss_detection),
                control: preset.control,
                rules: others.rules.unwrap_or(preset.rules),
                segment_size: segment,
                header_size: header.unwrap_or(preset.header_size),
                ack_size: ack,
                initial_window: others.initial_window.unwrap_or(preset.initial_window),
                receiver_window: window,
                initial_ssthresh: others.initial_ssthresh,
                ecn: others.ecn.unwrap_or(preset.ecn),
                ecn_feedback: others.feedback.or(preset.ecn_feedback),
                classic_ecn_fallback: switch(0, preset.classic_ecn_fallback),
                ecn_on_retransmissions: switch(1, preset.ecn_on_retransmissions),
                ecn_on_control: switch(7, preset.ecn_on_control),
                delayed_acks: others.delayed_acks.unwrap_or(preset.delayed_acks),
                timer: others.timer.unwrap_or(preset.timer),
                rtt_sampling: others.sampling.unwrap_or(preset.rtt_sampling),
                dupack_threshold: others.dupack_threshold.unwrap_or(preset.dupack_threshold),
                limited_transmit: switch(2, preset.limited_transmit),
                lost_retransmissions: switch(3, preset.lost_retransmissions),
                slow_start_restart: switch(4, preset.slow_start_restart),
                whole_cuts: switch(5, preset.whole_cuts),
                growth: others.growth.unwrap_or(preset.growth),
                hystart: others.hystart.unwrap_or(preset.hystart),
                reno_estimate: others.estimate.unwrap_or(preset.reno_estimate),
                least_after_mark: others.least_after_mark.unwrap_or(preset.least_after_mark),
                quick_acks: switch(6, preset.quick_acks),
                undo: switch(8, preset.undo),
                reduction: others.reduction.unwrap_or(preset.reduction),
                handshake: others.handshake.unwrap_or(preset.handshake),
                line_rate: others.line_rate,
                card: others.card.map_or(preset.card, Card::parameters),
                max_burst: others.max_burst,
            })
        },
    )
}

/// The profile without settings that contradict others.
fn consistent(mut profile: Profile) -> Profile {
    // It is made for the ECN of RFC 9331.
    if profile.control == Algorithm::Scalable {
        profile.ecn = EcnMode::L4s;
    }
    while let Err(problem) = profile.validate() {
        match problem {
            ProfileError::RateUnmeasured => {
                (profile.recovery, profile.rules) = (Recovery::Sack, Rules::Standard);
            }
            ProfileError::NothingDelivered => profile.reduction = Reduction::AtOnce,
            ProfileError::NothingCounted => profile.ecn_feedback = None,
            ProfileError::GoBackNDelayed => {
                (profile.rules, profile.delayed_acks) = (Rules::Standard, None);
            }
            ProfileError::MarksNotCounted => profile.ecn_feedback = Some(EcnFeedback::Dctcp),
            other => panic!("{other}: {profile:?}"),
        }
    }
    profile
}

/// Counts all that a profile sets.
pub(crate) fn count_profile(profile: &Profile, seen: &mut Coverage) {
    let Profile {
        recovery,
        loss_detection,
        control,
        rules,
        segment_size: _, // Always drawn.
        header_size,
        ack_size: _, // Always drawn.
        initial_window,
        receiver_window,
        initial_ssthresh,
        ecn,
        ecn_feedback,
        classic_ecn_fallback,
        ecn_on_retransmissions,
        ecn_on_control,
        delayed_acks,
        timer,
        rtt_sampling,
        dupack_threshold,
        limited_transmit,
        lost_retransmissions,
        slow_start_restart,
        whole_cuts,
        growth,
        reno_estimate,
        hystart,
        least_after_mark,
        quick_acks,
        undo,
        reduction,
        handshake,
        line_rate,
        card,
        max_burst,
    } = profile;
    count_recovery(recovery, seen);
    count_detection(loss_detection, seen);
    count_control(control, seen);
    count_rules(rules, seen);
    seen.varies("header", *header_size, 0);
    seen.varies("initial window", *initial_window, 10);
    seen.varies("receiver window", *receiver_window, 1000);
    seen.switch("initial ssthresh", initial_ssthresh.is_some());
    count_mode(ecn, seen);
    seen.switch("ECN feedback of its own", ecn_feedback.is_some());
    ecn_feedback
        .iter()
        .for_each(|feedback| count_feedback(feedback, seen));
    seen.switch("classic ECN fallback", *classic_ecn_fallback);
    seen.switch("ECN on retransmissions", *ecn_on_retransmissions);
    seen.switch("ECN without data", *ecn_on_control);
    seen.switch("delayed ACKs", delayed_acks.is_some());
    if let Some(DelayedAcks { every, timeout: _ }) = delayed_acks {
        seen.varies("segments of a delayed ACK", *every, 2);
    }
    let RtoParams {
        initial,
        minimum,
        maximum,
        tick,
        clock,
    } = timer;
    seen.varies("initial RTO", *initial, Nanos::from_secs(1));
    seen.varies("minimum RTO", *minimum, Nanos::from_millis(200));
    seen.varies("maximum RTO", *maximum, Nanos::from_secs(60));
    seen.varies("tick", *tick, Nanos::from_millis(1));
    seen.switch("Linux's timers", *clock == TimerClock::Linux);
    count_sampling(rtt_sampling, seen);
    seen.varies("duplicate ACKs", *dupack_threshold, 3);
    seen.switch("limited transmit", *limited_transmit);
    seen.switch("lost retransmissions", *lost_retransmissions);
    seen.switch("slow-start restart", *slow_start_restart);
    seen.switch("whole cuts", *whole_cuts);
    count_growth(growth, seen);
    count_estimate(reno_estimate, seen);
    count_hystart(hystart, seen);
    seen.varies("least after mark", *least_after_mark, 1);
    seen.switch("quick ACKs", *quick_acks);
    seen.switch("undo", *undo);
    count_reduction(reduction, seen);
    count_handshake(handshake, seen);
    seen.switch("line rate", line_rate.is_some());
    for (known, name, _) in Card::ALL {
        seen.count(name, *card == known.parameters());
    }
    seen.switch("largest burst", max_burst.is_some());
}
