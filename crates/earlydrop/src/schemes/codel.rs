//! CoDel: controlled delay, by the sojourn time of packets.
//!
//! # Reference
//! K. Nichols, V. Jacobson, A. McGregor, J. Iyengar, "Controlled Delay Active Queue
//! Management", RFC 8289, 2018, section 5.
//!
//! # Equations
//! For a packet that leaves with sojourn time s and b bytes behind it:
//! - s < target or b <= mtu: below; otherwise above. CoDel enters the dropping state once
//!   the delay has been above for a whole interval without a break.
//! - The dropping state starts with one drop; the n-th after it is due at
//!   `drop_next += interval / sqrt(n)`. It ends with the first packet below.
//! - On re-entry n resumes at `count - lastcount` if that exceeds 1 and less than 16
//!   intervals have passed since drop_next, else at 1.
//!
//! # Our readings
//! - The packet after the first drop always leaves, though it counts for the time above, as
//!   in the RFC's pseudo-code. Packets after later drops may be dropped.
//! - The RFC leaves ECN open. Here a marked packet leaves, which ends the drops of this
//!   dequeue, and the next signal is due as after a drop.
//! - A packet that a fair queue evicts at a full buffer counts as a signal: `count` grows by
//!   one, as in Linux. RFC 8290 does not say.
//! - The 16 intervals start at drop_next, in the future or not, as printed.
//!
//! # How other tools differ
//! | aspect | ns-2 | ns-3 | Linux | here |
//! |---|---|---|---|---|
//! | 1/sqrt(n) | exact | one Newton step a signal, 16 bits | one Newton step a signal, 16 bits: `codel_Newton_step` | exact; `sqrt=newton` |
//! | resumes at | count - 1 or - 2, by version | count - lastcount | count - lastcount | count - lastcount |
//! | drops when above | for an interval; less after a recent end | for more than an interval | for more than an interval: `codel_should_drop` | for an interval; `above=longer` |
//! | never drops with a backlog of | at most the largest packet so far | less than `MinBytes`, 1500 | at most an MTU | at most `mtu` |
//! | re-entry is recent within | 8 intervals | 16 | 16 | 16 |
//! | time kept in | seconds | 1.024 us | 1.024 us: `CODEL_SHIFT` | 1 ns; `clock=1024ns` |
//! | ECN | none | off | off | on |
//! | mark above a fixed delay | no | `CeThreshold` | `ce_threshold` | `ce_threshold` |
//! | default limit | 50 packets | 1.5 MB | 1000 packets | 1000 packets |
//!
//! A Newton step lags behind n: with an interval of 100 ms the gap at n = 2 is 50 ms in ns-3 and
//! Linux instead of 70.7. With `as=linux` the fate of every packet was that of Linux 6.1
//! (include/net/codel_impl.h) in seven runs of 50,000 packets; `docs/explanation/validation.md`
//! of the repository shows them.

use alloc::format;

use crate::aqm::{Aqm, Backlog, DropReason, Verdict, WaitingPackets};
use crate::explanation::{Why, above, amount, below, millis, numbers, rounded};
use crate::packet::PacketInfo;
use crate::registry::{
    ConfigError, Descriptor, ECN, Extent, Kind, LIMIT, Parameter, Plan, Preset, Probe, Range,
    Settings,
};
use crate::trace::{Case, Rule, Trace, by_rule};
use crate::units::Nanos;

/// CoDel's own parameters; FQ-CoDel has them too.
pub(crate) const PARAMETERS: &[Parameter] = &[
    TARGET,
    INTERVAL,
    Parameter::new(
        "mtu",
        "no congestion signal while the backlog is at most this",
        Kind::Bytes(Range::NOT_NEGATIVE),
    )
    .with_default(
        "1500 bytes",
        "RFC 8289, section 5: the interface's MTU; here Ethernet's",
    ),
    ECN,
    Parameter::new(
        "ce_threshold",
        "mark every ECN-capable packet with a sojourn time above this; 0: never",
        Kind::Time(Range::NOT_NEGATIVE),
    )
    .with_default("0 s", "Linux sch_codel, off there too; not in the RFC"),
    Parameter::new(
        "sqrt",
        "how the square root of count is computed",
        Kind::Choice(&[
            ("exact", "exactly"),
            (
                "newton",
                "one Newton step towards 1/sqrt(count) at each signal, kept in 16 bits",
            ),
        ]),
    )
    .with_default(
        "exact",
        "RFC 8289, section 5.5; newton: Linux codel_impl.h, codel_Newton_step",
    ),
    Parameter::new(
        "clock",
        "the resolution of times",
        Kind::Choice(&[
            ("1ns", "nanoseconds"),
            ("1024ns", "whole ticks of 1.024 us"),
        ]),
    )
    .with_default("1ns", "1024ns: Linux codel.h, CODEL_SHIFT"),
    Parameter::new(
        "above",
        "when a delay above target is a standing queue",
        Kind::Choice(&[
            ("for", "once it has lasted for interval"),
            ("longer", "once it has lasted for longer than interval"),
        ]),
    )
    .with_default(
        "for",
        "RFC 8289, section 5.6; longer: Linux codel_impl.h, codel_should_drop",
    ),
];

/// The target delay, also a parameter of COBALT.
pub(crate) const TARGET: Parameter = Parameter::new(
    "target",
    "acceptable standing queue delay",
    Kind::Time(Range::POSITIVE),
)
.with_default("5 ms", "RFC 8289, section 4.4");

/// The time that distinguishes a standing queue from a burst, also a parameter of COBALT.
pub(crate) const INTERVAL: Parameter = Parameter::new(
    "interval",
    "how long the delay must exceed target: a worst-case round-trip time",
    Kind::Time(Range::POSITIVE),
)
.with_extent(Extent::Period)
.with_default("100 ms", "RFC 8289, section 4.3");

/// CoDel's probes, alone and inside a fair queue.
pub(crate) const PROBES: &[Probe] = &[
    Probe::new("sojourn", "sojourn time of the last packet, in s"),
    Probe::new(
        "count",
        "signals in this dropping state; sets when the next is due",
    ),
    Probe::new("dropping", "1 in the dropping state, 0 otherwise"),
];

/// The scheme.
pub const SCHEME: Descriptor = Descriptor::new(
    "codel",
    "drops at the head, ever faster, while the sojourn time stays above target for an interval",
    "Nichols, Jacobson, McGregor, Iyengar, RFC 8289, 2018",
    &[&[LIMIT], PARAMETERS],
    |s| Ok(Plan::single(Codel::from_settings(s)?, s.limit())),
)
.with_presets(&[
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
            AS_LINUX[0],
            AS_LINUX[1],
            AS_LINUX[2],
        ],
    },
    Preset {
        name: "ns3",
        meaning: "ns-3's CoDelQueueDisc: 1.5 MB, drops with a backlog of 1500 bytes, no ECN",
        values: &[
            ("limit", "1500000 bytes"),
            ("mtu", "1499 bytes"),
            ("ecn", "off"),
            AS_LINUX[0],
            AS_LINUX[1],
            AS_LINUX[2],
        ],
    },
])
.with_probes(PROBES);

/// Refuses a target above the interval.
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

/// The values that make CoDel Linux's, which ns-3 took over, in its presets and FQ-CoDel's.
pub(crate) const AS_LINUX: [(&str, &str); 3] =
    [("sqrt", "newton"), ("clock", "1024ns"), ("above", "longer")];

/// `interval / sqrt(count)`, in whole nanoseconds; an interval for a count of 0.
pub(crate) fn spacing(interval: Nanos, count: u32) -> Nanos {
    Nanos(libm::round(interval.0 as f64 / libm::sqrt(f64::from(count.max(1)))) as u64)
}

/// Shows when a signal is due: `gap` after `from`, which the equation calls `symbol`.
pub(crate) fn show_due(
    why: &mut Why,
    says: &'static str,
    (symbol, from): (&str, Nanos),
    gap: Nanos,
) {
    why.step(
        says,
        ("drop_next", "ms"),
        format!("drop_next = {symbol} + gap"),
        numbers!("{} + {}", millis(from), millis(gap)),
        millis(from + gap),
    );
}

/// The point in the RFC's `deque` at which the next packet is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
enum DequeueState {
    /// The start: the first packet of a dequeue.
    Fresh,
    /// After the drop that entered the dropping state: this packet leaves in any case.
    AfterFirstDrop,
    /// The loop: this packet follows a drop that was due.
    AfterDueDrop,
}

/// A time in whole ticks where `in_ticks`.
#[inline]
fn whole(time: Nanos, in_ticks: bool) -> Nanos {
    // A mask instead of a branch: this is in every departure's path.
    let below = (u64::from(in_ticks) << TICK).saturating_sub(u64::from(in_ticks));
    Nanos(time.0 & !below)
}

/// One Newton step from `root`, an estimate of 1/sqrt(count) in steps of 2^-16:
/// y (3 - count y^2)/2, in fixed point.
#[cold]
fn newton_step(root: u16, count: u32) -> u16 {
    let y = u64::from(root) << 16;
    let square = (y * y) >> 32;
    let rest = (3_u64 << 32).wrapping_sub(u64::from(count).wrapping_mul(square)) >> 2;
    (rest.wrapping_mul(y) >> 47) as u16
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
    /// When to enter the dropping state; `None` while below.
    first_above: Option<Nanos>,
    drop_next: Nanos,
    count: u32,
    last_count: u32,
    dropping: bool,
    state: DequeueState,
    /// Times are in ticks of 1.024 us.
    in_ticks: bool,
    /// A standing queue is one above target for longer than an interval.
    longer: bool,
    /// 1/sqrt(count) is estimated by Newton steps, in `root`.
    newton: bool,
    /// The estimate, in steps of 2^-16.
    root: u16,
    sojourn: Nanos,
}

/// Nanoseconds in a tick of Linux's CoDel, as a power of two.
const TICK: u32 = 10;

impl Codel {
    pub(crate) fn from_settings(settings: &Settings) -> Result<Codel, ConfigError> {
        check_target(settings)?;
        let in_ticks = settings.choice("clock") == "1024ns";
        let time = |name| whole(settings.time(name), in_ticks);
        let ce_threshold = settings.time("ce_threshold");
        Ok(Codel {
            target: time("target"),
            interval: time("interval"),
            mtu: settings.size_or_auto("mtu").map_or(0, |mtu| mtu.0),
            ecn: settings.flag("ecn"),
            ce_threshold: (ce_threshold > Nanos::ZERO).then_some(time("ce_threshold")),
            first_above: None,
            drop_next: Nanos::ZERO,
            count: 0,
            last_count: 0,
            dropping: false,
            state: DequeueState::Fresh,
            in_ticks,
            longer: settings.choice("above") == "longer",
            newton: settings.choice("sqrt") == "newton",
            root: u16::MAX,
            sojourn: Nanos::ZERO,
        })
    }

    /// The RFC's `dodequeue`: whether the delay has been above target for an interval.
    fn above_for_long(&mut self, now: Nanos, bytes_left: u64, trace: &mut impl Trace) -> bool {
        trace.given("the target", ("target", "ms"), millis(self.target));
        let (sojourn, target) = (self.sojourn, self.target);
        if sojourn < target || bytes_left <= self.mtu {
            self.first_above = None;
            trace.note(|why| match sojourn < target {
                true => {
                    why.reason = format!("sojourn {} ms", below(millis(sojourn), millis(target)))
                }
                false => self.show_short_backlog(why, bytes_left),
            });
            return false;
        }
        let Some(due) = self.first_above else {
            self.first_above = Some(now + self.interval);
            trace.note(|why| {
                why.reason =
                    "the delay has just exceeded target; it must stay so for an interval".into();
            });
            return false;
        };
        trace.note(|why| self.show_time_above(why, now, due));
        now > due || (now == due && !self.longer)
    }

    /// The RFC's `deque`, one packet of it.
    fn judge(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        above: bool,
        trace: &mut impl Trace,
    ) -> Verdict {
        let rule = match core::mem::replace(&mut self.state, DequeueState::Fresh) {
            DequeueState::AfterFirstDrop => "the packet after the first drop leaves",
            DequeueState::Fresh if !self.dropping && above => {
                return self.enter_dropping(now, packet, trace);
            }
            DequeueState::Fresh if !self.dropping => "no standing queue",
            _ if !above => {
                self.dropping = false;
                "the dropping state ends"
            }
            state => {
                self.show_count(trace);
                if state == DequeueState::AfterDueDrop {
                    self.advance("when a signal is due after the drop before", trace);
                } else {
                    let due = millis(self.drop_next);
                    trace.given("when a signal is due", ("drop_next", "ms"), due);
                }
                return self.signal_if_due(now, packet, trace);
            }
        };
        trace.note(|why| why.rule = rule.into());
        Verdict::Keep
    }

    fn enter_dropping(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        trace: &mut impl Trace,
    ) -> Verdict {
        trace.note(|why| why.rule = "the first signal of a dropping state".into());
        self.dropping = true;
        let (count, last_count) = (self.count, self.last_count);
        let delta = count.saturating_sub(last_count);
        // A count from evictions before the first dropping state is not resumed.
        let acted = last_count > 0;
        let recently = acted && now.since(self.drop_next).0 < self.interval.0.saturating_mul(16);
        self.count = if delta > 1 && recently { delta } else { 1 };
        self.last_count = self.count;
        if self.count == 1 {
            self.root = u16::MAX;
            self.show_count(trace);
        } else {
            self.improve_root();
            trace.step(
                "the count with which it goes on, soon after the last one",
                ("count", ""),
                "count = count - lastcount",
                || numbers!("{} - {}", f64::from(count), f64::from(last_count)),
                f64::from(delta),
            );
        }
        let gap = self.gap();
        self.drop_next = now + gap;
        trace.note(|why| {
            self.show_gap(why);
            show_due(why, "when the next signal is due", ("now", now), gap);
        });
        if self.may_mark(packet) {
            return Verdict::Mark;
        }
        self.state = DequeueState::AfterFirstDrop;
        Verdict::Drop(DropReason::Dequeue)
    }

    fn signal_if_due(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        trace: &mut impl Trace,
    ) -> Verdict {
        let due = self.drop_next;
        trace.note(|why| {
            let text = below(millis(now), millis(due));
            why.rule = match now < due {
                true => "no signal is due yet in the dropping state",
                false => "a signal is due in the dropping state",
            }
            .into();
            why.reason += &format!("; now and drop_next: {text} ms");
        });
        if now < due {
            return Verdict::Keep;
        }
        let count = self.count;
        self.count = count.saturating_add(1);
        self.improve_root();
        trace.step(
            "the signals with this one",
            ("count", ""),
            "count = count + 1",
            || numbers!("{} + 1", f64::from(count)),
            f64::from(self.count),
        );
        if self.may_mark(packet) {
            self.advance("when the next signal is due", trace);
            return Verdict::Mark;
        }
        // The next packet of this dequeue moves drop_next on.
        trace.note(|why| {
            self.clone().advance("when the next signal is due", why);
        });
        self.state = DequeueState::AfterDueDrop;
        Verdict::Drop(DropReason::Dequeue)
    }

    /// Moves the due time of a signal on by the time between two.
    fn advance(&mut self, says: &'static str, trace: &mut impl Trace) {
        let (due, gap) = (self.drop_next, self.gap());
        self.drop_next = due + gap;
        trace.note(|why| {
            self.show_gap(why);
            show_due(why, says, ("drop_next", due), gap);
        });
    }

    /// Shows the count.
    fn show_count(&self, trace: &mut impl Trace) {
        let count = f64::from(self.count);
        trace.given("the signals of this dropping state", ("count", ""), count);
    }

    /// Shows that the bytes left behind are at most an MTU.
    fn show_short_backlog(&self, why: &mut Why, left: u64) {
        let says = "the bytes left behind it";
        why.given(says, ("backlog", "bytes"), left as f64);
        let left = amount(left as f64, "bytes");
        let mtu = amount(self.mtu as f64, "bytes");
        why.reason = format!("{left} are left behind it, and up to {mtu} nothing is dropped");
    }

    /// Shows how long the delay has been above target, when it may be so until `due`.
    fn show_time_above(&self, why: &mut Why, now: Nanos, due: Nanos) {
        let interval = millis(self.interval);
        let since = due.0 as f64 - self.interval.0 as f64;
        let lasted = (now.0 as f64 - since) / 1e6;
        why.step(
            "how long the delay has been above target",
            ("above", "ms"),
            "above = now - since",
            numbers!("{} - {}", millis(now), since / 1e6),
            lasted,
        );
        why.given("the interval", ("interval", "ms"), interval);
        let text = match self.longer {
            true => above(lasted, interval),
            false => below(lasted, interval),
        };
        why.reason = format!("above target for {text} ms");
    }

    /// Shows the time between two signals.
    fn show_gap(&self, why: &mut Why) {
        let (gap, interval) = (millis(self.gap()), millis(self.interval));
        let count = f64::from(self.count.max(1));
        let (equation, text) = if self.newton {
            let tick = if self.in_ticks { TICK } else { 0 };
            let unit = (1_u64 << tick) as f64 / 1e6;
            let ticks = libm::round(gap / unit);
            (
                "gap = interval / sqrt(count), by a Newton step, in whole ticks",
                numbers!("{} * {}", ticks, unit),
            )
        } else {
            let text = numbers!("{} / sqrt({})", interval, count);
            let ideal = interval / libm::sqrt(count);
            ("gap = interval / sqrt(count)", rounded(text, ideal, gap))
        };
        let says = "the time to the next signal";
        why.step(says, ("gap", "ms"), equation, text, gap);
    }

    /// The time to the next signal, `interval / sqrt(count)`.
    fn gap(&self) -> Nanos {
        if !self.newton {
            return spacing(self.interval, self.count);
        }
        let tick = if self.in_ticks { TICK } else { 0 };
        let ticks = (u64::from(self.root) * (self.interval.0 >> tick)) >> 16;
        Nanos(ticks << tick)
    }

    fn improve_root(&mut self) {
        if self.newton {
            self.root = newton_step(self.root, self.count);
        }
    }

    fn may_mark(&self, packet: &PacketInfo) -> bool {
        self.ecn && packet.ecn.is_capable()
    }
}

impl Rule for Codel {
    fn depart<Q: Backlog, T: Trace>(&mut self, case: Case<'_, Q, T>) -> Verdict {
        let trace = case.trace;
        let now = whole(case.now, self.in_ticks);
        let arrived = whole(case.packet.arrived, self.in_ticks);
        self.sojourn = now - arrived;
        trace.source("RFC 8289, section 5");
        trace.note(|why| why.sojourn(now, arrived));
        let above_target = self.above_for_long(now, case.queue.bytes(), trace);
        let verdict = self.judge(now, case.packet, above_target, trace);
        let Some(most) = self.ce_threshold.filter(|most| self.sojourn > *most) else {
            return verdict;
        };
        if verdict != Verdict::Keep || !case.packet.ecn.is_capable() {
            return verdict;
        }
        trace.source("Linux codel_impl.h, ce_threshold");
        trace.given("the fixed threshold", ("ce_threshold", "ms"), millis(most));
        trace.by("marks above a fixed delay", || {
            format!("sojourn {} ms", above(millis(self.sojourn), millis(most)))
        });
        Verdict::Mark
    }
}

impl Aqm for Codel {
    by_rule!(on_departure);

    fn on_evicted(&mut self, _now: Nanos, _packet: &PacketInfo) {
        self.count = self.count.saturating_add(1);
    }

    fn on_empty(&mut self, _now: Nanos) {
        self.first_above = None;
        self.dropping = false;
        self.state = DequeueState::Fresh;
    }

    fn on_idle(&mut self, now: Nanos) {
        self.on_empty(now);
    }

    fn continue_from(&mut self, now: Nanos, old: Self, _waiting: WaitingPackets<'_>) {
        let now = whole(now, self.in_ticks);
        // In time for a shorter interval.
        let latest = match self.interval == old.interval {
            true => Nanos::NEVER,
            false => now + self.interval,
        };
        let soon = |time| whole(time, self.in_ticks).min(latest);
        self.first_above = old.first_above.map(soon);
        self.drop_next = soon(old.drop_next);
        (self.count, self.last_count) = (old.count, old.last_count);
        (self.dropping, self.state) = (old.dropping, old.state);
        self.sojourn = old.sojourn;
        self.root = match old.newton {
            true => old.root,
            false => (65_536.0 / libm::sqrt(f64::from(self.count.max(1)))).min(65_535.0) as u16,
        };
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("sojourn", self.sojourn.as_secs_f64());
        show("count", f64::from(self.count));
        show("dropping", f64::from(u8::from(self.dropping)));
    }
}

#[cfg(test)]
#[path = "codel_tests.rs"]
mod tests;
