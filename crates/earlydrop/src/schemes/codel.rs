//! CoDel: controlled delay, judged by how long packets waited.
//!
//! # Reference
//! K. Nichols, V. Jacobson, A. McGregor, J. Iyengar, "Controlled Delay Active Queue
//! Management", RFC 8289, 2018, section 5.
//!
//! # Equations
//! For a packet that leaves after waiting s, with b bytes left behind it:
//! - s < target or b <= mtu: below; otherwise above, and to be acted on once above
//!   for a whole interval without a break.
//! - Acting starts with one drop; the n-th after it is due at
//!   `drop_next += interval / sqrt(n)`, and stops with the first packet below.
//! - Acting again: n resumes at `count - lastcount` when that exceeds 1 and less than
//!   16 intervals have passed since drop_next, at 1 otherwise.
//!
//! # Our readings
//! - The packet that follows the first drop leaves unjudged but for the time above,
//!   as the RFC's pseudo-code has it; those that follow later drops may be dropped.
//! - The RFC leaves ECN open: a marked packet leaves, which ends the drops of this
//!   dequeue, and the next signal is due as after a drop.
//! - A packet thrown out for want of room by a fair queue counts as a signal: `count`
//!   grows by one, as in Linux. RFC 8290 does not say.
//! - The 16 intervals start at drop_next, in the future or not, as printed.
//!
//! # How other tools differ
//! | aspect | ns-2 | ns-3 | Linux | here |
//! |---|---|---|---|---|
//! | 1/sqrt(n) | exact | one Newton step a signal, 16 bits | the same | exact |
//! | resumes at | count - 1 or - 2, by version | count - lastcount | count - lastcount | count - lastcount |
//! | acts when above | for an interval; less after a recent end | for more than an interval | the same | for an interval |
//! | spared with | at most the largest packet so far left | fewer than `MinBytes`, 1500 | at most an MTU | at most `mtu` |
//! | recent is within | 8 intervals | 16 | 16 | 16 |
//! | time kept in | seconds | 1.024 us | 1.024 us | 1 ns |
//! | ECN | none | off | off | on |
//! | mark above a fixed delay | no | `CeThreshold` | `ce_threshold` | `ce_threshold` |
//! | default limit | 50 packets | 1.5 MB | 1000 packets | 1000 packets |
//!
//! A Newton step lags behind n and starts from a coarse guess, so that the first gaps
//! of ns-3 and Linux differ from interval / sqrt(n) by some per cent.

use crate::aqm::{Aqm, Backlog, DropReason, Verdict};
use crate::packet::PacketInfo;
use crate::random::Pcg32;
use crate::registry::{
    ConfigError, Descriptor, ECN, Kind, LIMIT, Parameter, Plan, Preset, Probe, Range, Settings,
};
use crate::units::Nanos;

/// CoDel's own parameters; FQ-CoDel has them too.
pub(crate) const PARAMETERS: &[Parameter] = &[
    TARGET,
    INTERVAL,
    Parameter {
        name: "mtu",
        meaning: "nothing is signalled while no more than this is left waiting",
        kind: Kind::Bytes(Range::NOT_NEGATIVE),
        default: "1500 bytes",
        origin: "RFC 8289, section 5: the interface's MTU; Ethernet's",
        when: None,
    },
    ECN,
    Parameter {
        name: "ce_threshold",
        meaning: "mark every ECN-capable packet that waited longer than this; 0 for never",
        kind: Kind::Time(Range::NOT_NEGATIVE),
        default: "0 s",
        origin: "Linux sch_codel, off there too; not in the RFC",
        when: None,
    },
];

/// The delay to aim at; COBALT has it too.
pub(crate) const TARGET: Parameter = Parameter {
    name: "target",
    meaning: "standing delay that is acceptable",
    kind: Kind::Time(Range::POSITIVE),
    default: "5 ms",
    origin: "RFC 8289, section 4.4",
    when: None,
};

/// The time that tells a standing queue from a burst; COBALT has it too.
pub(crate) const INTERVAL: Parameter = Parameter {
    name: "interval",
    meaning: "how long the delay must exceed target: a worst-case round-trip time",
    kind: Kind::Time(Range::POSITIVE),
    default: "100 ms",
    origin: "RFC 8289, section 4.3",
    when: None,
};

/// What CoDel shows, alone and inside a fair queue.
pub(crate) const PROBES: &[Probe] = &[
    Probe {
        name: "sojourn",
        meaning: "how long the last packet judged had waited, in s",
    },
    Probe {
        name: "count",
        meaning: "signals since it began to act; sets how soon the next is due",
    },
    Probe {
        name: "dropping",
        meaning: "1 while it acts, 0 otherwise",
    },
];

/// The scheme.
pub const SCHEME: Descriptor = Descriptor {
    name: "codel",
    summary: "drops at the head, ever faster, while packets have waited too long for too long",
    source: "Nichols, Jacobson, McGregor, Iyengar, RFC 8289, 2018",
    parameters: &[&[LIMIT], PARAMETERS],
    defaults: &[],
    presets: &[
        Preset {
            name: "paper",
            meaning: "RFC 8289: target 5 ms, interval 100 ms, and drops only",
            values: &[("target", "5 ms"), ("interval", "100 ms"), ("ecn", "off")],
        },
        Preset {
            name: "linux",
            meaning: "tc codel on Ethernet: an MTU of 1514 with its header, no ECN",
            values: &[
                ("limit", "1000 packets"),
                ("mtu", "1514 bytes"),
                ("ecn", "off"),
            ],
        },
        Preset {
            name: "ns3",
            meaning: "ns-3's CoDelQueueDisc: 1.5 MB, acts with 1500 bytes left, no ECN",
            values: &[
                ("limit", "1500000 bytes"),
                ("mtu", "1499 bytes"),
                ("ecn", "off"),
            ],
        },
    ],
    probes: PROBES,
    nests: false,
    curve: None,
    plan: |settings| {
        Ok(Plan::single(
            Codel::from_settings(settings)?,
            settings.limit(),
        ))
    },
};

/// Refuses a target that no interval of this length could find exceeded in time.
pub(crate) fn check_target(settings: &Settings) -> Result<(), ConfigError> {
    let (target, interval) = (settings.time("target"), settings.time("interval"));
    if target <= interval {
        return Ok(());
    }
    Err(settings.contradiction(
        "target",
        alloc::format!("target = {target} exceeds interval = {interval}"),
        alloc::format!("nearest: target = {interval}; RFC 8289 advises a twentieth of interval"),
    ))
}

/// `interval / sqrt(count)`, in whole nanoseconds; an interval for a count of 0.
pub(crate) fn spacing(interval: Nanos, count: u32) -> Nanos {
    Nanos(libm::round(interval.0 as f64 / libm::sqrt(f64::from(count.max(1)))) as u64)
}

/// Where in the RFC's `deque` the next packet is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// At its top: the first packet of a dequeue.
    Fresh,
    /// After the drop that began to act: this packet leaves whatever it waited.
    AfterFirstDrop,
    /// Inside its loop: this packet follows a drop that was due.
    AfterDueDrop,
}

/// CoDel's state for one queue.
#[derive(Clone, Debug)]
pub struct Codel {
    target: Nanos,
    interval: Nanos,
    mtu: u64,
    ecn: bool,
    /// `None` for never.
    ce_threshold: Option<Nanos>,
    /// When to begin to act; `None` while below.
    first_above: Option<Nanos>,
    drop_next: Nanos,
    count: u32,
    last_count: u32,
    dropping: bool,
    step: Step,
    sojourn: Nanos,
}

impl Codel {
    pub(crate) fn from_settings(settings: &Settings) -> Result<Codel, ConfigError> {
        check_target(settings)?;
        let ce_threshold = settings.time("ce_threshold");
        Ok(Codel {
            target: settings.time("target"),
            interval: settings.time("interval"),
            mtu: settings.size_or_auto("mtu").map_or(0, |mtu| mtu.0),
            ecn: settings.flag("ecn"),
            ce_threshold: (ce_threshold > Nanos::ZERO).then_some(ce_threshold),
            first_above: None,
            drop_next: Nanos::ZERO,
            count: 0,
            last_count: 0,
            dropping: false,
            step: Step::Fresh,
            sojourn: Nanos::ZERO,
        })
    }

    /// The RFC's `dodequeue`: whether the delay has been above target for an interval.
    fn above_for_long(&mut self, now: Nanos, bytes_left: u64) -> bool {
        if self.sojourn < self.target || bytes_left <= self.mtu {
            self.first_above = None;
            return false;
        }
        match self.first_above {
            Some(due) => now >= due,
            None => {
                self.first_above = Some(now + self.interval);
                false
            }
        }
    }

    /// The RFC's `deque`, one packet of it.
    fn judge(&mut self, now: Nanos, packet: &PacketInfo, above: bool) -> Verdict {
        match core::mem::replace(&mut self.step, Step::Fresh) {
            Step::AfterFirstDrop => Verdict::Keep,
            Step::Fresh if !self.dropping => {
                if above {
                    self.begin(now, packet)
                } else {
                    Verdict::Keep
                }
            }
            _ if !above => {
                self.dropping = false;
                Verdict::Keep
            }
            Step::Fresh => self.signal_if_due(now, packet),
            Step::AfterDueDrop => {
                self.drop_next += spacing(self.interval, self.count);
                self.signal_if_due(now, packet)
            }
        }
    }

    fn begin(&mut self, now: Nanos, packet: &PacketInfo) -> Verdict {
        self.dropping = true;
        let delta = self.count.saturating_sub(self.last_count);
        // What was counted before it ever acted, by evictions, is no state to resume.
        let acted = self.last_count > 0;
        let recently = acted && now.since(self.drop_next).0 < self.interval.0.saturating_mul(16);
        self.count = if delta > 1 && recently { delta } else { 1 };
        self.last_count = self.count;
        self.drop_next = now + spacing(self.interval, self.count);
        if self.may_mark(packet) {
            return Verdict::Mark;
        }
        self.step = Step::AfterFirstDrop;
        Verdict::Drop(DropReason::Dequeue)
    }

    fn signal_if_due(&mut self, now: Nanos, packet: &PacketInfo) -> Verdict {
        if now < self.drop_next {
            return Verdict::Keep;
        }
        self.count = self.count.saturating_add(1);
        if self.may_mark(packet) {
            self.drop_next += spacing(self.interval, self.count);
            return Verdict::Mark;
        }
        self.step = Step::AfterDueDrop;
        Verdict::Drop(DropReason::Dequeue)
    }

    fn may_mark(&self, packet: &PacketInfo) -> bool {
        self.ecn && packet.ecn.is_capable()
    }
}

impl Aqm for Codel {
    fn on_departure<Q: Backlog>(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        _random: &mut Pcg32,
    ) -> Verdict {
        self.sojourn = now - packet.arrived;
        let above = self.above_for_long(now, queue.bytes());
        let verdict = self.judge(now, packet, above);
        let waited_too_long = self.ce_threshold.is_some_and(|most| self.sojourn > most);
        if verdict == Verdict::Keep && waited_too_long && packet.ecn.is_capable() {
            return Verdict::Mark;
        }
        verdict
    }

    fn on_evicted(&mut self, _now: Nanos, _packet: &PacketInfo) {
        self.count = self.count.saturating_add(1);
    }

    fn on_empty(&mut self, _now: Nanos) {
        self.first_above = None;
        self.dropping = false;
        self.step = Step::Fresh;
    }

    fn on_idle(&mut self, now: Nanos) {
        self.on_empty(now);
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("sojourn", self.sojourn.as_secs_f64());
        show("count", f64::from(self.count));
        show("dropping", f64::from(u8::from(self.dropping)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Ecn;
    use crate::queue::QueueDiscipline;
    use crate::registry::{Link, Spec};
    use crate::testing::{TestPacket, mbps, packet, queue};
    use alloc::collections::VecDeque;
    use alloc::vec::Vec;

    const MS: u64 = 1_000_000;

    /// What became of each packet that reached the head: its number, and whether it left.
    type Fates = Vec<(u64, bool)>;

    /// The RFC's pseudo-code, as plainly as it can be written down.
    #[derive(Default)]
    struct Rfc {
        waiting: VecDeque<(u64, u64, u64)>,
        first_above: u64,
        drop_next: u64,
        count: u64,
        last_count: u64,
        dropping: bool,
        fates: Fates,
    }

    impl Rfc {
        fn do_dequeue(&mut self, now: u64) -> (Option<u64>, bool) {
            let Some((number, arrived, _)) = self.waiting.pop_front() else {
                self.first_above = 0;
                return (None, false);
            };
            let bytes: u64 = self.waiting.iter().map(|(_, _, size)| size).sum();
            let mut ok_to_drop = false;
            if now - arrived < 5 * MS || bytes <= 1500 {
                self.first_above = 0;
            } else if self.first_above == 0 {
                self.first_above = now + 100 * MS;
            } else if now >= self.first_above {
                ok_to_drop = true;
            }
            (Some(number), ok_to_drop)
        }

        fn control_law(t: u64, count: u64) -> u64 {
            t + libm::round((100 * MS) as f64 / libm::sqrt(count as f64)) as u64
        }

        fn drop(&mut self, number: Option<u64>) {
            self.fates.push((number.unwrap(), false));
        }

        fn deque(&mut self, now: u64) {
            let (mut number, mut ok) = self.do_dequeue(now);
            if self.dropping {
                if !ok {
                    self.dropping = false;
                }
                while now >= self.drop_next && self.dropping {
                    self.drop(number);
                    self.count += 1;
                    (number, ok) = self.do_dequeue(now);
                    if ok {
                        self.drop_next = Rfc::control_law(self.drop_next, self.count);
                    } else {
                        self.dropping = false;
                    }
                }
            } else if ok {
                self.drop(number);
                (number, _) = self.do_dequeue(now);
                self.dropping = true;
                let delta = self.count - self.last_count;
                self.count = 1;
                if delta > 1 && (now as i64 - self.drop_next as i64) < 1600 * MS as i64 {
                    self.count = delta;
                }
                self.drop_next = Rfc::control_law(now, self.count);
                self.last_count = self.count;
            }
            if let Some(number) = number {
                self.fates.push((number, true));
            }
        }
    }

    /// Random load with calm and storm, through both; every fate must agree.
    #[test]
    fn agrees_with_the_rfc_on_random_traces() {
        let mut drops = 0;
        let mut resumed = 0;
        for seed in 0..20 {
            let mut random = Pcg32::new(seed, 7);
            let mut ours = queue("codel:ecn=off,limit=100000", mbps(10));
            let (mut rfc, mut fates) = (Rfc::default(), Fates::new());
            let (mut now, mut number) = (MS, 0);
            for step in 0..20_000_u32 {
                now += u64::from(random.below(2 * MS as u32));
                let stormy = (step / 1500) % 2 == 0;
                if random.chance(if stormy { 0.56 } else { 0.42 }) {
                    let size = [60, 700, 1500][random.below(3) as usize];
                    ours.enqueue(
                        Nanos(now),
                        TestPacket {
                            size,
                            ..packet(number)
                        },
                    );
                    rfc.waiting.push_back((number, now, u64::from(size)));
                    number += 1;
                } else {
                    let left = ours.dequeue_with(Nanos(now), &mut |lost: TestPacket, _| {
                        fates.push((lost.flow, false));
                    });
                    fates.extend(left.map(|left| (left.packet.flow, true)));
                    rfc.deque(now);
                }
                resumed = resumed.max(rfc.last_count);
            }
            assert_eq!(fates, rfc.fates, "seed {seed}");
            drops += fates.iter().filter(|(_, left)| !left).count();
        }
        assert!(drops > 500, "only {drops} drops: the traces try nothing");
        assert!(resumed > 1, "no trace resumed a count");
    }

    /// A standing queue of 100 packets, 10 ms old, dequeued every `step`; times of
    /// drops and marks.
    fn signals(spec: &str, ecn: Ecn, dequeues: u64, step: u64) -> Vec<u64> {
        let mut queue = queue(spec, mbps(10));
        let mut times = Vec::new();
        for tick in 0..dequeues {
            let now = Nanos(tick * step);
            queue.enqueue(now, TestPacket { ecn, ..packet(0) });
            if queue.packets() < 100 {
                continue;
            }
            let before = queue.counters().dropped().packets + queue.counters().marked.packets;
            queue.dequeue(now);
            let counters = queue.counters();
            if counters.dropped().packets + counters.marked.packets > before {
                times.push(now.0);
            }
            while queue.packets() < 99 {
                queue.enqueue(now, TestPacket { ecn, ..packet(0) });
            }
        }
        times
    }

    #[test]
    fn gaps_are_the_published_interval_over_root_n() {
        for ecn in [Ecn::NotCapable, Ecn::Ect0] {
            let times = signals("codel", ecn, 10_000, MS / 10);
            let gaps: Vec<f64> = times
                .windows(2)
                .map(|pair| (pair[1] - pair[0]) as f64 / MS as f64)
                .collect();
            for (gap, expected) in gaps.iter().zip([100.0, 70.7, 57.7, 50.0, 44.7, 40.8]) {
                assert!((gap - expected).abs() <= 0.15, "{gaps:?}");
            }
            assert!(gaps.len() >= 6);
        }
    }

    #[test]
    fn first_acts_one_interval_after_the_first_packet_above() {
        let times = signals("codel:ecn=off", Ecn::NotCapable, 2000, MS / 10);
        // The 100th packet is offered at 9.9 ms, when the head has waited as long.
        assert_eq!(times.first(), Some(&(109 * MS + 9 * MS / 10)));
    }

    #[test]
    fn never_acts_while_one_mtu_or_less_is_left() {
        let run = |left: u32| {
            let mut queue = queue("codel:ecn=off", mbps(10));
            for tick in 0..1000_u64 {
                let now = Nanos(tick * 50 * MS);
                queue.enqueue(
                    now,
                    TestPacket {
                        size: left,
                        ..packet(0)
                    },
                );
                if tick > 0 {
                    queue.dequeue(now);
                }
            }
            queue.counters().dropped().packets
        };
        assert_eq!(run(1500), 0);
        assert!(run(1501) > 0);
    }

    #[test]
    fn a_wait_of_target_itself_is_above() {
        let spec: Spec = "codel".parse().unwrap();
        let mut codel = Codel::from_settings(&spec.settings(&Link::at(mbps(1))).unwrap()).unwrap();
        for (wait, above) in [(5 * MS - 1, None), (5 * MS, Some(Nanos(107 * MS)))] {
            codel.sojourn = Nanos(wait);
            codel.above_for_long(Nanos(7 * MS), 2000);
            assert_eq!(codel.first_above, above);
        }
    }

    #[test]
    fn marks_by_ce_threshold_even_without_ecn() {
        let mut queue = queue("codel:ecn=off,ce_threshold=1 ms", mbps(10));
        let capable = TestPacket {
            ecn: Ecn::Ect0,
            ..packet(0)
        };
        for late in [MS, MS + 1] {
            queue.enqueue(Nanos::ZERO, capable);
            let left = queue.dequeue(Nanos(late)).map(|left| left.ecn);
            assert_eq!(left == Some(Ecn::Ce), late > MS);
        }
        assert_eq!(queue.counters().marked.packets, 1);
    }

    #[test]
    fn refuses_a_target_above_its_interval() {
        let spec: Spec = "codel:target=200 ms".parse().unwrap();
        let error = spec.plan(&Link::at(mbps(1))).unwrap_err();
        assert_eq!(error.parameter(), Some("target"));
    }

    #[test]
    fn evictions_before_it_acts_are_no_state_to_resume() {
        let settings = crate::testing::settings("codel");
        let mut codel = Codel::from_settings(&settings).unwrap();
        let victim = PacketInfo::of(&packet(0), Nanos::ZERO);
        (0..9).for_each(|_| codel.on_evicted(Nanos::ZERO, &victim));
        codel.begin(Nanos(105 * MS), &victim);
        assert_eq!(codel.count, 1);
    }
}
