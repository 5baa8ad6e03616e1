//! Everything is delivered, whatever is lost, late or marked.

use std::collections::BTreeMap;

use earlydrop::packet::Ecn;
use earlydrop::units::Nanos;
use proptest::prelude::*;

use super::{
    Algorithm, Arrival, CONTROLLERS, EcnFeedback, EcnMode, Handshake, LossDetection, Profile,
    Receiver, Recovery, Reduction, Reply, Segment, Sender,
};

enum InFlight {
    Segment(Segment, Nanos),
    Reply(Reply),
}

/// What the network does to a packet: lose it, delay it by so many ms, mark it.
#[derive(Clone, Copy, Debug)]
struct Fate {
    lost: bool,
    delay: u64,
    marked: bool,
}

fn fate(loss: u32) -> impl Strategy<Value = Fate> {
    (0..100u32, 0..100u32, 0..20u64, 0..10u32).prop_map(move |(lost, late, extra, marked)| Fate {
        lost: lost < loss,
        delay: 20 + if late < 10 { extra } else { 0 },
        marked: marked == 0,
    })
}

fn profile() -> impl Strategy<Value = Profile> {
    let recovery = prop_oneof![
        Just(Recovery::Tahoe),
        Just(Recovery::Reno),
        Just(Recovery::NewReno),
        Just(Recovery::Sack)
    ];
    let ecn = prop_oneof![
        Just(EcnMode::Off),
        Just(EcnMode::Classic),
        Just(EcnMode::Dctcp)
    ];
    let feedback = prop_oneof![
        Just(None),
        Just(Some(EcnFeedback::Dctcp)),
        Just(Some(EcnFeedback::AccEcn)),
        Just(Some(EcnFeedback::Ace))
    ];
    let ecn = (ecn, feedback);
    let algorithm = prop::sample::select(CONTROLLERS).prop_map(|controller| controller.algorithm);
    let switches = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (recovery, ecn, algorithm, switches, any::<bool>(), 3..40u32).prop_map(
        |(
            recovery,
            (ecn, feedback),
            control,
            (ns2, request, delayed, bursts),
            by_time,
            receiver_window,
        )| {
            let base = match (ns2, request) {
                (true, true) => Profile::ns2(recovery),
                (true, false) => Profile::ns2_old_timers(recovery),
                (false, true) => Profile::modern(control),
                (false, false) => Profile::linux(control),
            };
            let fits = control == Algorithm::Reno || recovery == Recovery::Sack;
            let recovery = if ns2 || fits {
                recovery
            } else {
                Recovery::Sack
            };
            let counts = !ns2 && recovery == Recovery::Sack;
            Profile {
                recovery,
                loss_detection: match by_time {
                    true => base.loss_detection,
                    false => LossDetection::DupAck,
                },
                reduction: match recovery {
                    Recovery::Sack => base.reduction,
                    _ => Reduction::AtOnce,
                },
                receiver_window,
                ecn,
                ecn_feedback: if counts {
                    feedback.or(base.ecn_feedback)
                } else {
                    None
                },
                handshake: if request {
                    Handshake::ThreeWay
                } else {
                    Handshake::None
                },
                delayed_acks: base.delayed_acks.filter(|_| delayed),
                max_burst: bursts.then_some(3),
                ..base
            }
        },
    )
}

struct Run {
    profile: Profile,
    sender: Sender,
    receiver: Receiver,
    in_flight: BTreeMap<(Nanos, u32), InFlight>,
    fates: Vec<Fate>,
    sent: u32,
    now: Nanos,
}

impl Run {
    fn send(&mut self, what: InFlight) {
        // Once there are no more fates, nothing is lost.
        let fate = self.fates.get(self.sent as usize).copied();
        let fate = fate.unwrap_or(Fate {
            lost: false,
            delay: 20,
            marked: false,
        });
        let mut what = what;
        if let InFlight::Segment(segment, _) = &mut what
            && fate.marked
            && segment.ecn.is_capable()
        {
            segment.ecn = Ecn::Ce;
        }
        if !fate.lost {
            let at = self.now + Nanos::from_millis(fate.delay);
            self.in_flight.insert((at, self.sent), what);
        }
        self.sent += 1;
    }

    fn transmit(&mut self) {
        while let Some(segment) = self.sender.poll_transmit(&self.profile, self.now) {
            let (snd_una, rwnd) = (self.sender.snd_una(), self.profile.receiver_window);
            assert!(segment.number >= snd_una, "sent what was acknowledged");
            assert!(segment.number < snd_una + rwnd, "sent beyond rwnd");
            self.send(InFlight::Segment(segment, self.now));
        }
        assert!(self.sender.in_flight() <= 2 * self.profile.receiver_window);
        assert!(self.sender.cwnd() >= 1.0);
    }

    fn step(&mut self) {
        let timers = self.sender.deadline().min(self.receiver.deadline());
        let next = self.in_flight.first_key_value().map(|(key, _)| key.0);
        let at = timers.min(next.unwrap_or(Nanos::NEVER));
        assert!(at < Nanos::NEVER, "nothing would ever happen again");
        self.now = self.now.max(at);
        if next == Some(at) {
            match self.in_flight.pop_first().unwrap().1 {
                InFlight::Segment(segment, sent) => {
                    let arrival = Arrival::of(&segment, sent);
                    let reply = self.receiver.on_segment(&self.profile, &arrival, self.now);
                    if let Some(reply) = reply {
                        self.send(InFlight::Reply(reply));
                    }
                }
                InFlight::Reply(reply) => {
                    self.sender.on_ack(&self.profile, &reply.as_ack(), self.now);
                }
            }
        } else {
            if let Some(reply) = self.receiver.on_timer(&self.profile, self.now) {
                self.send(InFlight::Reply(reply));
            }
            self.sender.on_timer(&self.profile, self.now);
        }
        self.transmit();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn everything_is_delivered(
        profile in profile(),
        fates in (1..40u32).prop_flat_map(|loss| prop::collection::vec(fate(loss), 0..600)),
        sizes in prop::collection::vec(1..120u32, 1..4),
    ) {
        prop_assert_eq!(profile.validate(), Ok(()));
        let mut run = Run {
            profile,
            sender: Sender::new(&profile, Nanos::ZERO),
            receiver: Receiver::new(0),
            in_flight: BTreeMap::new(),
            fates,
            sent: 0,
            now: Nanos::ZERO,
        };
        let mut end = 0;
        for size in sizes {
            end += size;
            run.sender.supply(end);
            run.transmit();
            let mut steps = 0;
            while run.sender.snd_una() < end {
                run.step();
                steps += 1;
                prop_assert!(steps < 20_000, "too much for {} segments", size);
            }
            prop_assert_eq!(run.receiver.rcv_nxt(), end);
            prop_assert_eq!(run.receiver.received(), end);
            run.sender.restart(&profile, run.now);
            run.receiver.restart(end);
        }
    }
}
