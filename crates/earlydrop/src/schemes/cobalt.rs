//! COBALT: CoDel for flows that respond, BLUE for those that do not.
//!
//! # Reference
//! J. Palmei, S. Gupta, P. Imputato, J. Morton, M. Tahiliani, S. Avallone, D. Taht,
//! "Design and Evaluation of COBALT Queue Discipline", IEEE LANMAN 2019; the AQM of
//! T. Hoiland-Jorgensen, D. Taht, J. Morton, "Piece of CAKE", IEEE LANMAN 2018.
//!
//! # Equations
//! CoDel's half, for a packet that leaves with sojourn time s:
//! - s > target enters the dropping state, with the first signal an interval / sqrt(count)
//!   later; s <= target leaves it.
//! - When drop_next is reached in the dropping state: mark or drop, `count += 1`,
//!   `drop_next += interval / sqrt(count)`. When it is reached outside: `count -= 1` and
//!   `drop_next += interval / sqrt(count)`, repeated while due.
//!
//! BLUE's half, p from 0 to 1, at most one step per `target`:
//! - full buffer: `p += increment`, and CoDel's next signal is due at once;
//! - a dequeue finds no packet: `p -= decrement`, and count falls by one;
//! - every packet that CoDel does not drop is dropped with probability p.
//!
//! # Our readings
//! - The paper describes CAKE's code in words; where it is silent we follow CAKE.
//! - BLUE drops ECN-capable packets too, as CAKE does on purpose: a flow that fills the
//!   buffer does not respond to marks. A packet that is both marked and dropped counts as
//!   dropped only.
//! - The last packet in the queue is never dropped, as in CAKE.
//! - The link is idle when a dequeue finds no packet, not when the last packet leaves.
//! - Without signals drop_next moves on: to an interval from now at count 0, to now where it
//!   is in the past, as CAKE's activity timeout.
//! - On slow links CAKE also requires a sojourn time above 4 packet times (`slow_link`), and
//!   2 for each bulk flow, which a single queue cannot distinguish.
//!
//! # How other tools differ
//! | aspect | CAKE (Linux) | ns-3 | here |
//! |---|---|---|---|
//! | 1/sqrt(count) | Newton steps, the first 16 cached: `cobalt_invsqrt` | Newton steps | exact; `sqrt=cake` |
//! | the first signal | at once, as the root starts at 0: `cobalt_vars_init` | an interval later | an interval later; `sqrt=cake` |
//! | slow links | target at least 1.5 packet times; waits above 4 | target only | 4 packet times; `slow_link=0` for ns-3's |
//! | last packet | kept | may be dropped | kept |
//! | ECN | on | off | on |
//! | BLUE at 400 ms of delay | no | `BlueThreshold` | no |
//! | overflow counts for | the fattest flow | the queue | the queue, or the flow it is taken from |

use alloc::format;

use crate::aqm::{Aqm, Backlog, DropReason, Verdict, WaitingPackets};
use crate::explanation::{Why, above, below, millis, numbers, rounded};
use crate::packet::PacketInfo;
use crate::queue::DecayingAqm;
use crate::random::Pcg32;
use crate::registry::{
    ConfigError, Descriptor, ECN, Kind, LIMIT, Parameter, Plan, Preset, Probe, Range, Settings,
};
use crate::schemes::codel::{INTERVAL, TARGET, check_target, show_due, spacing};
use crate::trace::{Case, Rule, Trace, by_rule};
use crate::units::{BitsPerSec, Bytes, Nanos};

const CAKE: &str = "CAKE in Linux; Palmei et al. 2019";

/// The buffer.
const BUFFER: &[Parameter] = &[LIMIT];

/// The scheme's own, for one queue or one of many.
pub(crate) const PARAMETERS: &[Parameter] = &[
    TARGET,
    INTERVAL,
    ECN,
    Parameter::new(
        "increment",
        "BLUE's step up at a full buffer",
        Kind::Number(Range::PROBABILITY, "probability"),
    )
    .with_default("0.00390625", CAKE),
    Parameter::new(
        "decrement",
        "BLUE's step down on an idle link",
        Kind::Number(Range::PROBABILITY, "probability"),
    )
    .with_default("0.000244140625", CAKE),
    Parameter::new(
        "slow_link",
        "least sojourn time for a signal, in packet times, whatever the target",
        Kind::Number(Range::NOT_NEGATIVE, "packet times"),
    )
    .with_default("4", "CAKE in Linux"),
    Parameter::new(
        "mtu",
        "the packet size whose transmission time slow_link counts",
        Kind::Bytes(Range::POSITIVE),
    )
    .with_default(
        "1514 bytes",
        "CAKE in Linux: the largest packet, with Ethernet's header",
    ),
    Parameter::new(
        "sqrt",
        "how the time between two signals is computed",
        Kind::Choice(&[
            ("exact", "interval / sqrt(count)"),
            (
                "cake",
                "with a root in steps of 2^-32, by Newton's method; the first time is 0",
            ),
        ]),
    )
    .with_default(
        "exact",
        "cake: Linux sch_cake.c, cobalt_invsqrt and cobalt_vars_init",
    ),
];

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "cobalt",
    "CoDel whose count decays step by step, with BLUE against flows that do not respond",
    "Palmei et al., \"Design and Evaluation of COBALT Queue Discipline\", IEEE LANMAN 2019",
    &[BUFFER, PARAMETERS],
    |s| Ok(Plan::single(Cobalt::from_settings(s)?, s.limit())),
)
.with_presets(&[
    Preset {
        name: "paper",
        meaning: "Palmei et al. 2019, as measured in ns-3: no ECN, no rule for slow links",
        values: AS_NS3,
    },
    Preset {
        name: "linux",
        meaning: "the AQM of CAKE, for one queue",
        values: &[
            ("ecn", "on"),
            ("slow_link", "4"),
            ("mtu", "1514 bytes"),
            ("sqrt", "cake"),
        ],
    },
    Preset {
        name: "ns3",
        meaning: "ns-3's CobaltQueueDisc",
        values: AS_NS3,
    },
])
.with_probes(&[
    Probe::new("sojourn", "sojourn time of the last packet, in s"),
    Probe::new(
        "count",
        "CoDel's count: sets how soon the next signal is due",
    ),
    Probe::new("dropping", "1 in the dropping state, 0 otherwise"),
    Probe::new("p", "BLUE's drop probability"),
]);

const AS_NS3: &[(&str, &str)] = &[("ecn", "off"), ("slow_link", "0")];

/// A step of Newton's method towards 1/sqrt(count), in steps of 2^-32:
/// `x <- x (3 - count x^2) / 2`.
const fn newton_step(root: u32, count: u32) -> u32 {
    let square = (root as u64 * root as u64) >> 32;
    let rest = (3_u64 << 32).wrapping_sub((count as u64).wrapping_mul(square)) >> 2;
    (rest.wrapping_mul(root as u64) >> 31) as u32
}

/// The roots that CAKE computes ahead: four steps from the one before (`cobalt_cache_init`).
const ROOTS: [u32; 16] = {
    let mut roots = [u32::MAX; 16];
    let mut count = 1;
    while count < roots.len() {
        let mut root = roots[count - 1];
        let mut steps = 0;
        while steps < 4 {
            root = newton_step(root, count as u32);
            steps += 1;
        }
        roots[count] = root;
        count += 1;
    }
    roots
};

/// COBALT's state for one queue.
#[derive(Clone, Debug)]
pub struct Cobalt {
    target: Nanos,
    interval: Nanos,
    ecn: bool,
    increment: f64,
    decrement: f64,
    slow_link: f64,
    /// Target and interval as configured.
    base: (Nanos, Nanos),
    /// The least target in packet times; 0 for that configured.
    stretch: f64,
    mtu: Bytes,
    /// The least sojourn time for a signal on this link: `slow_link` packet times.
    least_wait: Nanos,
    count: u32,
    /// 1/sqrt(count) in steps of 2^-32 as CAKE computes it, 0 before the first count; `None` for
    /// the exact one.
    root: Option<u32>,
    dropping: bool,
    drop_next: Nanos,
    p: f64,
    /// When `p` last changed.
    p_moved: Option<Nanos>,
    sojourn: Nanos,
}

const CODEL: &str = "Palmei et al. 2019, CoDel's half";
const BLUE: &str = "Palmei et al. 2019, BLUE's half";

impl Cobalt {
    pub(crate) fn from_settings(settings: &Settings) -> Result<Cobalt, ConfigError> {
        check_target(settings)?;
        let mut cobalt = Cobalt {
            target: settings.time("target"),
            interval: settings.time("interval"),
            ecn: settings.flag("ecn"),
            increment: settings.number("increment"),
            decrement: settings.number("decrement"),
            slow_link: settings.number("slow_link"),
            base: (settings.time("target"), settings.time("interval")),
            stretch: 0.0,
            mtu: settings.size_or_auto("mtu").unwrap_or_default(),
            least_wait: Nanos::ZERO,
            count: 0,
            root: (settings.choice("sqrt") == "cake").then_some(0),
            dropping: false,
            drop_next: Nanos::ZERO,
            p: 0.0,
            p_moved: None,
            sojourn: Nanos::ZERO,
        };
        cobalt.on_link_rate(Nanos::ZERO, settings.link().rate);
        Ok(cobalt)
    }

    /// As in CAKE's tins: the target is at least 1.5 packet times of the tin's rate, and the
    /// interval longer by as much as the target, at least twice that (`cake_set_rate`). Without a
    /// rate, neither these nor `slow_link` apply.
    pub(crate) fn in_tins(mut self) -> Cobalt {
        self.stretch = 1.5;
        self.least_wait = Nanos::ZERO;
        self
    }

    /// Target and interval at the rate of the link.
    #[cfg(test)]
    pub(crate) fn delays(&self) -> (Nanos, Nanos) {
        (self.target, self.interval)
    }

    /// The time between two signals.
    fn gap(&self) -> Nanos {
        match self.root {
            None => spacing(self.interval, self.count),
            Some(root) => Nanos(((u128::from(self.interval.0) * u128::from(root)) >> 32) as u64),
        }
    }

    /// Changes the count, and with it the time between signals.
    fn set_count(&mut self, count: u32) {
        self.count = count;
        self.root = self.root.map(|root| match ROOTS.get(count as usize) {
            Some(root) => *root,
            None => newton_step(root, count),
        });
    }

    fn advance(&mut self) {
        self.drop_next += self.gap();
    }

    /// Updates the state by the latest delay; returns whether a signal was due before.
    fn follow_delay(&mut self, now: Nanos, trace: &mut impl Trace) -> bool {
        let due = self.count > 0 && now >= self.drop_next;
        let above = self.sojourn > self.target && self.sojourn > self.least_wait;
        trace.note(|why| self.show_schedule(why, now, due));
        if above && !self.dropping {
            let gap = self.gap();
            self.drop_next = now + gap;
            trace.note(|why| {
                self.show_gap(why);
                let says = "the delay exceeds target: when the first signal is due";
                show_due(why, says, ("now", now), gap);
            });
        }
        if above {
            self.count = self.count.max(1);
        }
        self.dropping = above;
        due
    }

    /// CoDel's half: `Keep`, `Mark` or `Drop`.
    fn signal(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        due: bool,
        trace: &mut impl Trace,
    ) -> Verdict {
        if due && self.dropping {
            let (count, drop_next) = (self.count, self.drop_next);
            self.set_count(count.saturating_add(1));
            self.advance();
            trace.note(|why| {
                why.rule = "a signal is due in the dropping state".into();
                self.show_signal(why, count, drop_next);
            });
            return if self.ecn && packet.ecn.is_capable() {
                Verdict::Mark
            } else {
                Verdict::Drop(DropReason::Dequeue)
            };
        }
        trace.note(|why| {
            why.rule = match self.dropping {
                true => "no signal is due yet in the dropping state",
                false => "no standing queue",
            }
            .into();
        });
        let mut decays = due;
        while decays {
            self.set_count(self.count - 1);
            self.advance();
            decays = self.count > 0 && now >= self.drop_next;
        }
        Verdict::Keep
    }

    /// BLUE's half: whether it drops. A number is drawn for each packet while p is above zero, as
    /// CAKE does. `codel` is the verdict of the other half.
    fn blue_drops(&self, codel: Verdict, random: &mut Pcg32, trace: &mut impl Trace) -> bool {
        if self.p <= 0.0 {
            return false;
        }
        let drawn = random.uniform();
        let drops = drawn < self.p;
        trace.note(|why| {
            if matches!(codel, Verdict::Drop(_)) {
                return;
            }
            why.given("BLUE's probability, raised by overflow", ("p", ""), self.p);
            let reason = format!("{}; BLUE: {}", why.reason, below(drawn, self.p));
            if drops {
                why.source = BLUE;
                why.drawn("BLUE's random drop", drawn, self.p);
            } else if codel == Verdict::Keep {
                (why.random, why.chance) = (Some(drawn), Some(self.p.min(1.0)));
            } else {
                why.given("the random number drawn", ("u", ""), drawn);
            }
            why.reason = reason;
        });
        drops
    }

    /// Moves drop_next on without a signal; `behind`: drop_next was in the past after CoDel's
    /// step.
    fn keep_schedule(&mut self, now: Nanos, behind: bool, drops: bool) {
        if self.count == 0 {
            self.drop_next = now + self.interval;
        } else if behind && !drops {
            self.drop_next = now;
        }
    }

    /// Shows target and least wait, and compares the sojourn time with both.
    fn show_delay(&self, why: &mut Why) {
        let (sojourn, target) = (millis(self.sojourn), millis(self.target));
        why.given("the target", ("target", "ms"), target);
        let mut bound = target;
        if self.sojourn > self.target && self.least_wait > Nanos::ZERO {
            let least = millis(self.least_wait);
            why.given("the least wait on this link", ("least", "ms"), least);
            bound = least.max(target);
        }
        why.reason = format!("sojourn {} ms", above(sojourn, bound));
    }

    /// Shows the count and when a signal is due.
    fn show_schedule(&self, why: &mut Why, now: Nanos, due: bool) {
        let count = f64::from(self.count);
        why.given("CoDel's count before this packet", ("count", ""), count);
        let says = match due {
            true => "a signal was due then",
            false => "a signal is due then, if the count is above 0",
        };
        why.given(says, ("drop_next", "ms"), millis(self.drop_next));
        why.given("now", ("now", "ms"), millis(now));
    }

    /// Shows the count and the due time of the signal after this one, from those before.
    fn show_signal(&self, why: &mut Why, count: u32, drop_next: Nanos) {
        why.step(
            "the count with this signal",
            ("count", ""),
            "count = count + 1",
            numbers!("{} + 1", f64::from(count)),
            f64::from(self.count),
        );
        self.show_gap(why);
        let says = "when the next signal is due";
        show_due(why, says, ("drop_next", drop_next), self.gap());
    }

    /// Shows the time between two signals.
    fn show_gap(&self, why: &mut Why) {
        let (count, interval) = (f64::from(self.count.max(1)), millis(self.interval));
        let gap = millis(self.gap());
        let (equation, text, ideal) = if let Some(root) = self.root {
            let root = f64::from(root) / 4_294_967_296.0;
            why.given("1/sqrt(count), as CAKE computes it", ("root", ""), root);
            let text = numbers!("{} * {}", interval, root);
            ("gap = interval root", text, interval * root)
        } else {
            let text = numbers!("{} / sqrt({})", interval, count);
            let ideal = interval / libm::sqrt(count);
            ("gap = interval / sqrt(count)", text, ideal)
        };
        let says = "the time to the next signal";
        why.step(
            says,
            ("gap", "ms"),
            equation,
            rounded(text, ideal, gap),
            gap,
        );
    }

    fn may_move_p(&self, now: Nanos) -> bool {
        self.p_moved.is_none_or(|moved| now - moved > self.target)
    }

    fn overflow(&mut self, now: Nanos) {
        if self.may_move_p(now) {
            self.p = (self.p + self.increment).min(1.0);
            self.p_moved = Some(now);
        }
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }
}

impl Rule for Cobalt {
    fn depart<Q: Backlog, T: Trace>(&mut self, case: Case<'_, Q, T>) -> Verdict {
        let trace = case.trace;
        self.sojourn = case.now - case.packet.arrived;
        trace.source(CODEL);
        trace.note(|why| {
            why.sojourn(case.now, case.packet.arrived);
            self.show_delay(why);
        });
        // CAKE compares with drop_next as it was before this packet, unless a signal moved it.
        let mut behind = case.now > self.drop_next;
        let due = self.follow_delay(case.now, trace);
        let codel = self.signal(case.now, case.packet, due, trace);
        if due {
            behind = case.now > self.drop_next;
        }
        let codel_drops = matches!(codel, Verdict::Drop(_));
        let blue_drops = self.blue_drops(codel, case.random, trace);
        self.keep_schedule(case.now, behind, codel_drops || blue_drops);
        let last_leaves = case.queue.packets() == 0;
        trace.note(|why| {
            if last_leaves && (codel_drops || blue_drops) {
                why.overrule("the last packet of the queue is never dropped");
            }
        });
        match codel {
            Verdict::Drop(_) if last_leaves => Verdict::Keep,
            _ if blue_drops && !last_leaves => Verdict::Drop(DropReason::Dequeue),
            _ => codel,
        }
    }
}

impl Aqm for Cobalt {
    fn on_refused(&mut self, now: Nanos, _packet: &PacketInfo) {
        self.overflow(now);
    }

    fn on_evicted(&mut self, now: Nanos, _packet: &PacketInfo) {
        self.overflow(now);
    }

    by_rule!(on_departure);

    fn on_idle(&mut self, now: Nanos) {
        if self.p > 0.0 && self.may_move_p(now) {
            self.p = (self.p - self.decrement).max(0.0);
            self.p_moved = Some(now);
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.set_count(self.count - 1);
            self.advance();
        }
    }

    fn on_link_rate(&mut self, _now: Nanos, rate: BitsPerSec) {
        let packet_time = rate.transmission_time(self.mtu).as_secs_f64();
        self.least_wait = Nanos::from_secs_f64(self.slow_link * packet_time);
        if self.stretch > 0.0 {
            let (target, interval) = self.base;
            self.target = target.max(Nanos::from_secs_f64(self.stretch * packet_time));
            let twice = Nanos(self.target.0.saturating_mul(2));
            self.interval = twice.max(interval + (self.target - target));
        }
    }

    fn continue_from(&mut self, now: Nanos, old: Self, _waiting: WaitingPackets<'_>) {
        self.dropping = old.dropping;
        match (self.root, old.root) {
            (Some(_), Some(_)) => (self.count, self.root) = (old.count, old.root),
            _ => self.set_count(old.count),
        }
        // In time for a shorter interval.
        self.drop_next = match self.interval == old.interval {
            true => old.drop_next,
            false => old.drop_next.min(now + self.interval),
        };
        (self.p, self.p_moved) = (old.p, old.p_moved);
        self.sojourn = old.sojourn;
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("sojourn", self.sojourn.as_secs_f64());
        show("count", f64::from(self.count));
        show("dropping", f64::from(u8::from(self.dropping)));
        show("p", self.p);
    }
}

impl DecayingAqm for Cobalt {
    fn is_at_rest(&self, now: Nanos) -> bool {
        self.p == 0.0 && self.count == 0 && now >= self.drop_next
    }
}

#[cfg(test)]
#[path = "cobalt_tests.rs"]
mod tests;
