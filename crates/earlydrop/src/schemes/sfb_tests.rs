use super::*;
use crate::packet::Ecn;
use crate::queue::{Outcome, QueueDiscipline};
use crate::registry::{LinkFacts, Spec};
use crate::testing::{TestPacket, mbps, packet, queue};

fn sfb(text: &str) -> Sfb {
    let spec: Spec = text.parse().unwrap();
    Sfb::from_settings(&spec.settings(&LinkFacts::at(mbps(10))).unwrap()).unwrap()
}

struct Nothing;

impl Backlog for Nothing {
    fn packets(&self) -> u32 {
        0
    }
    fn bytes(&self) -> u64 {
        0
    }
    fn head_arrival(&self) -> Option<Nanos> {
        None
    }
    fn draw(&self, _: &mut Pcg32) -> Option<(crate::aqm::Slot, FlowKey)> {
        None
    }
}

fn info(flow: u64, secs: u64) -> PacketInfo {
    PacketInfo::of(&packet(flow), Nanos::from_secs(secs))
}

/// One arrival, accepted whatever the verdict.
fn arrive(sfb: &mut Sfb, flow: u64, secs: u64, random: &mut Pcg32) -> Verdict {
    let info = info(flow, secs);
    sfb.poll(info.arrived, &Nothing);
    let verdict = sfb.on_arrival(info.arrived, &info, &Nothing, random);
    sfb.on_accepted(info.arrived, &info);
    verdict
}

fn depart(sfb: &mut Sfb, flow: u64, arrived: u64, secs: u64) {
    let now = Nanos::from_secs(secs);
    sfb.poll(now, &Nothing);
    let mut random = Pcg32::new(0, 0);
    sfb.on_departure(now, &info(flow, arrived), &Nothing, &mut random);
}

fn waiting(set: &BinSet) -> u32 {
    set.bins.iter().map(|bin| bin.waiting).sum()
}

#[test]
fn bins_rise_above_their_size_and_fall_when_empty() {
    // d1 is too small to drop anything early in so few arrivals, but in 1e4 seeds.
    let mut sfb = sfb("sfb:bin_size=3,levels=4,bins=1,d1=0.00001,d2=0.000004");
    let mut random = Pcg32::new(1, 0);
    for _ in 0..4 {
        assert_eq!(arrive(&mut sfb, 1, 0, &mut random), Verdict::Keep);
        assert_eq!(sfb.sets[0].bins[0].probability, 0.0);
    }
    let full = Verdict::Drop(DropReason::Policy);
    assert_eq!(arrive(&mut sfb, 1, 0, &mut random), full, "4 wait");
    assert_eq!(sfb.sets[0].bins[3].probability, 0.000_01);
    for _ in 0..5 {
        depart(&mut sfb, 1, 0, 1);
    }
    assert_eq!(waiting(&sfb.sets[0]), 0);
    arrive(&mut sfb, 1, 1, &mut random);
    assert!((sfb.sets[0].bins[0].probability - 0.000_006).abs() < 1e-18);
    arrive(&mut sfb, 1, 1, &mut random);
    assert!((sfb.sets[0].bins[0].probability - 0.000_006).abs() < 1e-18);
}

#[test]
fn linux_rises_at_the_size_and_drops_at_the_maximum_of_all() {
    let mut sfb = sfb("sfb:full_bin=least,bin_size=3,bin_max=5,bins=1,d1=0.00001");
    let mut random = Pcg32::new(1, 0);
    let verdicts = [(); 6].map(|()| arrive(&mut sfb, 1, 0, &mut random));
    let full = Verdict::Drop(DropReason::Policy);
    let keep = Verdict::Keep;
    assert_eq!(verdicts, [keep, keep, keep, keep, keep, full]);
    // Raised by the arrivals that met 3, 4 and 5 packets.
    assert!((sfb.sets[0].bins[0].probability - 0.000_03).abs() < 1e-18);
}

#[test]
fn a_flow_is_judged_by_its_bin_of_smallest_p() {
    let mut sfb = sfb("sfb:levels=2,bins=8,d1=0.5,bin_size=5");
    let mut random = Pcg32::new(1, 0);
    for _ in 0..9 {
        arrive(&mut sfb, 1, 0, &mut random);
    }
    assert_eq!(
        sfb.sets[0]
            .learn(&sfb.parameters.clone(), FlowKey(1), &mut ())
            .0,
        1.0
    );
    // With 8 x 8 bins, of 64 other flows one shares both on average.
    let parameters = sfb.parameters;
    let shares =
        (2..66).filter(|flow| sfb.sets[0].learn(&parameters, FlowKey(*flow), &mut ()).0 > 0.0);
    assert!(shares.count() <= 8);
}

#[test]
fn unresponsive_flows_are_limited_to_the_penalty_rate() {
    let mut sfb = sfb("sfb:levels=1,bins=1,penalty_rate=10,penalty_burst=3,rehash=0");
    let mut random = Pcg32::new(1, 0);
    let limited = Verdict::Drop(DropReason::Policy);
    let mut judge = |millis: u64| {
        let now = Nanos::from_millis(millis);
        let info = PacketInfo::of(&packet(1), now);
        sfb.sets[0].bins[0] = Bin {
            waiting: 1,
            probability: 1.0,
        };
        sfb.on_arrival(now, &info, &Nothing, &mut random)
    };
    let burst = [(); 4].map(|()| judge(0));
    assert_eq!(burst[2..], [Verdict::Keep, limited]);
    assert_eq!([judge(90), judge(110)], [limited, Verdict::Keep]);
    let kept = (200..10_200).filter(|millis| judge(*millis) == Verdict::Keep);
    assert_eq!(kept.count(), 100, "10 s at 10 packets/s");
}

#[test]
fn a_packet_is_subtracted_only_where_it_was_counted() {
    let mut sfb = sfb("sfb:rehash=10 s,warmup=4 s");
    let mut random = Pcg32::new(1, 0);
    sfb.poll(Nanos::ZERO, &Nothing);
    arrive(&mut sfb, 1, 5, &mut random);
    assert_eq!((waiting(&sfb.sets[0]), waiting(&sfb.sets[1])), (2, 0));
    arrive(&mut sfb, 1, 6, &mut random); // the other set has begun
    assert_eq!((waiting(&sfb.sets[0]), waiting(&sfb.sets[1])), (4, 2));
    depart(&mut sfb, 1, 5, 7);
    assert_eq!((waiting(&sfb.sets[0]), waiting(&sfb.sets[1])), (2, 2));
    arrive(&mut sfb, 2, 10, &mut random); // and has taken over
    assert_eq!((sfb.active, waiting(&sfb.sets[1])), (1, 4));
    assert_eq!(waiting(&sfb.sets[0]), 2, "at rest");
    depart(&mut sfb, 1, 6, 11);
    depart(&mut sfb, 2, 10, 11);
    assert_eq!(waiting(&sfb.sets[1]), 0);
    assert_ne!(sfb.sets[0].salt, sfb.sets[1].salt);
}

#[test]
fn an_evicted_packet_is_subtracted() {
    let mut sfb = sfb("sfb");
    let mut random = Pcg32::new(1, 0);
    arrive(&mut sfb, 1, 1, &mut random);
    sfb.on_evicted(Nanos::from_secs(2), &info(1, 1));
    assert_eq!(waiting(&sfb.sets[0]), 0);
}

#[test]
fn a_set_that_warms_up_learns_of_unresponsive_flows() {
    let mut sfb = sfb("sfb:rehash=10 s,warmup=10 s,levels=1,bins=1,bin_size=1,d1=0.25");
    let mut random = Pcg32::new(1, 0);
    sfb.poll(Nanos::ZERO, &Nothing);
    sfb.poll(Nanos(1), &Nothing);
    for _ in 0..5 {
        arrive(&mut sfb, 1, 1, &mut random);
    }
    assert_eq!(sfb.sets[0].bins[0].probability, 0.75);
    assert_eq!(sfb.sets[1].bins[0].probability, 0.0);
    arrive(&mut sfb, 1, 1, &mut random);
    assert_eq!(sfb.sets[0].bins[0].probability, 1.0);
    assert_eq!(sfb.sets[1].bins[0].probability, 0.25);
}

#[test]
fn late_changes_of_sets_are_exact() {
    let run = |step: u64| {
        let mut sfb = sfb("sfb:rehash=7 s,warmup=2 s");
        let mut random = Pcg32::new(3, 0);
        sfb.poll(Nanos::ZERO, &Nothing);
        arrive(&mut sfb, 1, 1, &mut random);
        for secs in (1..10_000).step_by(step as usize) {
            sfb.poll(Nanos::from_secs(secs), &Nothing);
        }
        sfb.poll(Nanos::from_secs(10_000), &Nothing);
        let sets = [0, 1].map(|set| (sfb.sets[set].since, sfb.sets[set].salt));
        let counts = [0, 1].map(|set| waiting(&sfb.sets[set]));
        (sets, counts, sfb.active, sfb.generation, sfb.next_change)
    };
    assert_eq!(run(1), run(20_000));
    assert_eq!(run(1).1, [0, 0]);
}

#[test]
fn a_flood_does_not_harm_a_small_flow() {
    let mut queue = queue("sfb:limit=200,rehash=0", mbps(10));
    let (mut sent, mut lost, mut longest) = (0, 0, 0);
    for round in 0..20_000_u64 {
        let now = Nanos::from_micros(800 * round);
        for _ in 0..3 {
            queue.enqueue(now, packet(1));
        }
        if round % 20 == 0 {
            sent += 1;
            let ecn = Ecn::Ect0;
            let outcome = queue.enqueue(now, TestPacket { ecn, ..packet(3) });
            lost += u32::from(matches!(outcome, Outcome::Dropped(_)));
        }
        longest = longest.max(queue.packets());
        queue.dequeue(now);
    }
    // Flow 3 shares neither bin with flow 1 under this seed: none of it is lost.
    // Flow 2 shares one and loses a tenth, until flow 1 is rate-limited.
    assert_eq!((sent, lost), (1000, 0));
    // Flow 1 never has more than the 14 packets of a bin, and a third of it gets through.
    assert!(longest <= 16, "{longest}");
    let departed = queue.counters().departed.packets;
    assert!(departed > 18_000, "{departed}");
}

#[test]
fn contradictions_are_refused() {
    for (text, blamed) in [
        ("sfb:rehash=1 s,warmup=2 s", "warmup"),
        ("sfb:limit=12", "bin_size"),
    ] {
        let spec: Spec = text.parse().unwrap();
        let error = spec.plan(&LinkFacts::at(mbps(10))).unwrap_err();
        assert_eq!(error.parameter(), Some(blamed));
    }
}

#[test]
fn as_linux_takes_the_steps_tc_sends() {
    // tc: (65535 + 1000)/2000 = 33 and (65535 + 10000)/20000 = 3 of 65,535.
    let parameters = sfb("sfb:as=linux").parameters;
    assert!((parameters.d1 - 33.0 / 65_535.0).abs() < 0.5 / 65_535.0);
    assert!((parameters.d2 - 3.0 / 65_535.0).abs() < 0.5 / 65_535.0);
    assert_eq!(
        (parameters.levels, parameters.bins, parameters.drops_at),
        (8, 16, 25)
    );
}
