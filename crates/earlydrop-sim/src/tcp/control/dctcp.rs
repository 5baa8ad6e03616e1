//! DCTCP: reduces `cwnd` by the fraction of segments that were marked.
//!
//! # Reference
//! S. Bensley, D. Thaler, P. Balasubramanian, L. Eggert, G. Judd, "Data Center TCP
//! (DCTCP)", RFC 8257, 2017, section 3.3; M. Alizadeh et al., "Data Center TCP
//! (DCTCP)", SIGCOMM 2010.
//!
//! # Equations
//! `cwnd` in segments.
//! - After each observation window, M being the fraction of its segments that was marked:
//!   `alpha = (1 - g) alpha + g M` (RFC 8257, 3.3).
//! - A mark, at most once per window: `cwnd = cwnd (1 - alpha / 2)`.
//! - Otherwise as Reno: slow start adds a segment for each acknowledged (2 at most for an
//!   acknowledgment), congestion avoidance adds `1 / cwnd`; a loss halves `cwnd`.
//!
//! Where each segment is marked with probability p, alpha is p. Growth by 1 and reductions by
//! `cwnd p / 2` a round trip balance at `cwnd = 2 / p`: two marks a round trip.
//!
//! # Our readings
//! - An observation window ends with the acknowledgment of more than had been sent at its start; the
//!   first one with the first acknowledgment.
//! - alpha counts every segment acknowledged, during recovery too. Marks beyond the segments
//!   acknowledged are ignored.
//! - A mark reduces `cwnd` by the alpha of the last complete observation window.
//! - It needs [`AckSample::marked`]: with RFC 3168's echo alone alpha would fall to 0.
//! - `cwnd` grows in the round trip after a mark too. RFC 3168, 6.1.2, asks that it be reduced
//!   once, and that it not grow on an acknowledgment with ECE ("SHOULD NOT"), which with DCTCP's
//!   echo would end growth wherever segments are marked.
//! - A reduction is of `cwnd`, not of what is in flight: an unused `cwnd` does not grow here.
//! - `cwnd` and `ssthresh` are at least 2 segments; a timeout leaves a `cwnd` of 1.
//!
//! # How other tools differ
//! Linux stores alpha in 1/1024ths and whole segments, does not grow `cwnd` in the round trip after a
//! reduction, and ends the observation window a segment earlier, with all that had been sent at its
//! start: so does [`Profile::linux`](crate::tcp::Profile::linux). ns-3 computes alpha as here.
//!
//! # Validated against
//! Linux 6.1, acknowledgment by acknowledgment: 4 of 4 scripts of `linux` senders without a
//! difference in the time of any transmission, nor in `cwnd` and `ssthresh` outside reductions.

use super::ack_counter::AckCounter;
use super::aimd::Aimd;
use super::events::{AckSample, CongestionEvent, Control, Signal, Windows};
use super::round::Round;
use earlydrop::units::Nanos;

/// DCTCP's parameters; the defaults are RFC 8257's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// g, the weight of the newest window; above 0, at most 1; 1/16 by section 4.2.
    pub gain: f64,
    /// alpha at the start; between 0 and 1; 1 by section 3.3.
    pub initial_alpha: f64,
    /// Whether segments are whole and alpha is in 1/1024, as in Linux; false.
    pub linux: bool,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            gain: 1.0 / 16.0,
            initial_alpha: 1.0,
            linux: false,
        }
    }
}

/// The moving average of the fraction of segments that was marked: alpha.
#[derive(Clone, Debug)]
pub(super) struct Marks {
    gain: f64,
    pub(super) alpha: f64,
    acked_segments: u64,
    marked: u64,
    round: Round,
}

impl Marks {
    pub(super) fn new(parameters: Parameters) -> Marks {
        Marks {
            gain: parameters.gain,
            alpha: parameters.initial_alpha.clamp(0.0, 1.0),
            acked_segments: 0,
            marked: 0,
            round: Round::default(),
        }
    }

    /// Counts an acknowledgment.
    fn add(&mut self, ack: &AckSample) {
        self.acked_segments += u64::from(ack.segments);
        self.marked += u64::from(ack.marked.min(ack.segments));
    }

    /// Counts an acknowledgment; returns whether a round ends with it.
    pub(super) fn count(&mut self, ack: &AckSample) -> bool {
        self.add(ack);
        self.round.ends_with(ack)
    }

    /// Updates alpha by what was counted (RFC 8257, 3.3), and begins the next window.
    pub(super) fn average(&mut self, ack: &AckSample) {
        if self.acked_segments > 0 {
            let part = self.marked as f64 / self.acked_segments as f64;
            self.alpha += self.gain * (part - self.alpha);
        }
        self.begin(ack);
    }

    /// Begins the next window without updating alpha.
    pub(super) fn begin(&mut self, ack: &AckSample) {
        (self.acked_segments, self.marked) = (0, 0);
        self.round.begin(ack.in_flight.saturating_sub(ack.segments));
    }
}

/// DCTCP in whole segments and with alpha in 1/1024, as in Linux 6.1's `tcp_dctcp.c`.
#[derive(Clone, Debug)]
struct LinuxDctcp {
    counter: AckCounter,
    /// alpha, in 1/1024.
    alpha: u32,
    delivered: u32,
    marked: u32,
    /// The window ends once all below it is acknowledged cumulatively.
    window_end: u32,
}

impl LinuxDctcp {
    fn new() -> LinuxDctcp {
        LinuxDctcp {
            counter: AckCounter::default(),
            alpha: 1024,
            delivered: 0,
            marked: 0,
            window_end: 0,
        }
    }

    /// Counts an acknowledgment. One that ends a window updates alpha by what came before it
    /// (`dctcp_update_alpha`).
    fn count(&mut self, ack: &AckSample) {
        if ack.snd_una >= self.window_end {
            let decay = match self.alpha >> 4 {
                0 => self.alpha,
                decay => decay,
            };
            let share = (self.marked << 6) / self.delivered.max(1);
            self.alpha = (self.alpha - decay + share).min(1024);
            (self.delivered, self.marked) = (0, 0);
            self.window_end = ack.snd_max;
        }
        self.delivered += ack.segments;
        self.marked += ack.marked.min(ack.segments);
    }

    /// Grows `cwnd` as Linux's Reno, by whole segments.
    fn grow(&mut self, aimd: &mut Aimd, segments: u32) {
        let room = (aimd.ssthresh - aimd.cwnd).clamp(0.0, f64::from(segments)) as u32;
        aimd.cwnd += f64::from(room);
        if room < segments {
            let cwnd = (aimd.cwnd as u32).max(1);
            aimd.cwnd += f64::from(self.counter.add(segments - room, cwnd));
        }
    }

    /// `ssthresh` after a signal (`dctcp_ssthresh`, `dctcp_react_to_loss`).
    fn reduced(&mut self, cwnd: u32, signal: Signal) -> f64 {
        self.counter.clear();
        let left = match signal {
            Signal::Loss => cwnd / 2,
            Signal::Mark => cwnd - ((u64::from(cwnd) * u64::from(self.alpha)) >> 11) as u32,
        };
        f64::from(left.max(2))
    }
}

/// DCTCP's state for one flow.
///
/// ```
/// use earlydrop_sim::tcp::control::Control;
/// use earlydrop_sim::tcp::control::dctcp::{Dctcp, Parameters};
/// let dctcp = Dctcp::new(10.0, None, Parameters::default());
/// assert_eq!(dctcp.cwnd(), 10.0);
/// ```
#[derive(Clone, Debug)]
pub struct Dctcp {
    marks: Marks,
    /// DCTCP.WindowEnd (RFC 8257, 3.3).
    window_end: u32,
    aimd: Aimd,
    /// In place of `marks`, and of fractions of a segment, where wanted.
    linux: Option<LinuxDctcp>,
}

impl Dctcp {
    /// A flow's controller with its initial `cwnd` and `ssthresh`, segments; `None` for slow
    /// start until congestion.
    pub fn new(initial_cwnd: f64, initial_ssthresh: Option<f64>, parameters: Parameters) -> Dctcp {
        Dctcp {
            marks: Marks::new(parameters),
            window_end: 0,
            aimd: Aimd::new(initial_cwnd, initial_ssthresh),
            linux: parameters.linux.then(LinuxDctcp::new),
        }
    }

    /// alpha, the estimated fraction of segments that is marked.
    pub fn alpha(&self) -> f64 {
        match &self.linux {
            Some(linux) => f64::from(linux.alpha) / 1024.0,
            None => self.marks.alpha,
        }
    }
}

impl Control for Dctcp {
    fn cwnd(&self) -> f64 {
        self.aimd.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.aimd.ssthresh
    }

    fn on_ack(&mut self, ack: &AckSample) {
        if let Some(linux) = &mut self.linux {
            linux.count(ack);
            if ack.cwnd_limited && !ack.recovering {
                linux.grow(&mut self.aimd, ack.segments);
            }
            return;
        }
        self.marks.add(ack);
        // RFC 8257, 3.3: an acknowledgment number up to DCTCP.WindowEnd leaves the window open.
        if ack.snd_una > self.window_end {
            self.marks.average(ack);
            self.window_end = ack.snd_max;
        }
        if ack.cwnd_limited && !ack.recovering {
            self.aimd.grow(f64::from(ack.segments), 1.0);
        }
    }

    fn on_congestion(&mut self, congestion: &CongestionEvent) {
        if let Some(linux) = &mut self.linux {
            let left = linux.reduced(self.aimd.cwnd as u32, congestion.signal);
            (self.aimd.cwnd, self.aimd.ssthresh) = (left, left);
            return;
        }
        let factor = match congestion.signal {
            Signal::Loss => 0.5,
            // RFC 8257, 3.3: cwnd = cwnd * (1 - DCTCP.Alpha / 2).
            Signal::Mark => 1.0 - 0.5 * self.marks.alpha,
        };
        self.aimd.reduce(factor);
    }

    fn on_timeout(&mut self, _now: Nanos, _in_flight: u32, again: bool) {
        if let Some(linux) = &mut self.linux
            && !again
        {
            self.aimd.ssthresh = linux.reduced(self.aimd.cwnd as u32, Signal::Loss);
            self.aimd.cwnd = 1.0;
            return;
        }
        self.aimd.time_out(again);
    }

    fn leave_after_timeout(&mut self, cwnd: f64) {
        self.aimd.cwnd = cwnd;
    }

    fn undo(&mut self, before: &Windows) {
        self.aimd.undo(before);
    }

    fn on_restart(&mut self, _now: Nanos, initial_window: f64) {
        self.aimd.restart(initial_window);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, congestion, sample};
    use super::*;
    use proptest::prelude::*;

    const RTT: Nanos = Nanos::from_millis(1);

    fn new(window: f64) -> Dctcp {
        Dctcp::new(window, Some(window), Parameters::default())
    }

    /// An acknowledgment up to `snd_una`.
    fn of(segments: u32, marked: u32, snd_una: u32, in_flight: u32) -> AckSample {
        AckSample {
            marked,
            snd_una,
            snd_max: snd_una + in_flight - segments,
            ..sample(Nanos::ZERO, segments, in_flight, RTT)
        }
    }

    #[test]
    fn alpha_is_a_moving_average_of_marked_fractions() {
        let mut dctcp = new(10.0);
        // The first acknowledgment is a window of its own. Then SND.NXT is 11, and windows of 11 follow,
        // marked by 0, 5 and 11: 11 to 20 are acknowledged within, 21 ends it.
        dctcp.on_ack(&of(1, 0, 1, 11));
        let mut expected = 15.0 / 16.0;
        assert_eq!(dctcp.alpha(), expected);
        let mut snd_una = 1;
        for marked in [0, 5, 11] {
            dctcp.on_ack(&of(10, marked.min(10), snd_una + 10, 20));
            assert_eq!(dctcp.alpha(), expected, "up to WindowEnd");
            expected += (f64::from(marked) / 11.0 - expected) / 16.0;
            snd_una += 11;
            dctcp.on_ack(&of(1, marked - marked.min(10), snd_una, 11));
            assert!((dctcp.alpha() - expected).abs() < 1e-12, "{dctcp:?}");
        }
    }

    #[test]
    fn a_window_waits_for_the_repair_of_a_loss() {
        let mut dctcp = new(10.0);
        dctcp.on_ack(&of(1, 0, 1, 11));
        let before = dctcp.alpha();
        // SACK blocks report 20 segments, all of them marked, and SND.UNA stays.
        for _ in 0..20 {
            dctcp.on_ack(&AckSample {
                recovering: true,
                ..of(1, 1, 1, 11)
            });
        }
        assert_eq!(dctcp.alpha(), before);
        dctcp.on_ack(&of(1, 0, 40, 11));
        assert!((dctcp.alpha() - (before + (20.0 / 21.0 - before) / 16.0)).abs() < 1e-12);
    }

    #[test]
    fn a_mark_reduces_cwnd_by_half_of_alpha_and_a_loss_by_half() {
        let mut dctcp = new(100.0);
        dctcp.marks.alpha = 0.25;
        dctcp.on_congestion(&congestion(Nanos::ZERO, Signal::Mark, 100));
        assert_eq!((dctcp.cwnd(), dctcp.ssthresh()), (87.5, 87.5));
        dctcp.on_congestion(&congestion(Nanos::ZERO, Signal::Loss, 87));
        assert_eq!((dctcp.cwnd(), dctcp.ssthresh()), (43.75, 43.75));
        dctcp.on_timeout(Nanos::ZERO, 43, false);
        assert_eq!((dctcp.cwnd(), dctcp.ssthresh()), (1.0, 21.875));
        dctcp.on_timeout(Nanos::ZERO, 1, true);
        assert_eq!((dctcp.cwnd(), dctcp.ssthresh()), (1.0, 21.875));
        for _ in 0..10 {
            dctcp.on_ack(&of(5, 0, 1, 30));
        }
        // 2 at most each.
        assert_eq!(dctcp.cwnd(), 21.0);
        dctcp.on_ack(&of(2, 0, 1, 30));
        // 0.875 to ssthresh, the rest by 1 / cwnd.
        assert_eq!(dctcp.cwnd(), 21.875 + 1.125 / 21.875);
    }

    #[test]
    fn equilibrium_is_two_over_the_marking_probability() {
        let (mut dctcp, mut total, mut since_reduction) = (new(20.0), 0.0, 0.0);
        for segment in 0..200_000 {
            let marked = u32::from(segment % 50 == 49);
            dctcp.on_ack(&of(1, marked, segment, dctcp.cwnd() as u32 + 1));
            since_reduction += 1.0;
            if marked == 1 && since_reduction >= dctcp.cwnd() {
                dctcp.on_congestion(&congestion(Nanos::ZERO, Signal::Mark, 0));
                since_reduction = 0.0;
            }
            if segment >= 100_000 {
                total += dctcp.cwnd();
            }
        }
        let mean = total / 1e5;
        assert!((dctcp.alpha() - 0.02).abs() < 0.002, "{}", dctcp.alpha());
        // 2 / 0.02, plus what waiting for a mark adds to a round: cwnd^2 is the segments
        // between reductions times 2 / alpha, and they are 100 or 150 here.
        assert!((95.0..125.0).contains(&mean), "{mean}");
    }

    #[test]
    fn does_not_grow_unused_or_during_recovery() {
        let mut dctcp = new(10.0);
        dctcp.on_ack(&AckSample {
            cwnd_limited: false,
            ..of(5, 0, 1, 10)
        });
        dctcp.on_ack(&AckSample {
            recovering: true,
            ..of(5, 0, 1, 10)
        });
        assert_eq!(dctcp.cwnd(), 10.0);
        dctcp.on_restart(Nanos::ZERO, 4.0);
        assert_eq!((dctcp.cwnd(), dctcp.ssthresh()), (4.0, 10.0));
    }

    proptest! {
        #[test]
        fn stays_sane(events in testing::events(), initial in 1.0..100.0_f64) {
            let mut dctcp = Dctcp::new(initial, None, Parameters::default());
            testing::stays_sane(&mut dctcp, events);
            prop_assert!((0.0..=1.0).contains(&dctcp.alpha()));
        }
    }
}
