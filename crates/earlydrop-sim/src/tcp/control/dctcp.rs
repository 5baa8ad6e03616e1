//! DCTCP: cuts the window by how large a part of it was marked.
//!
//! # Reference
//! S. Bensley, D. Thaler, P. Balasubramanian, L. Eggert, G. Judd, "Data Center TCP
//! (DCTCP)", RFC 8257, 2017, section 3.3; M. Alizadeh et al., "Data Center TCP
//! (DCTCP)", SIGCOMM 2010.
//!
//! # Equations
//! Windows w in segments.
//! - After each observation window, with M the part of its segments that was marked:
//!   `alpha = (1 - g) alpha + g M`.
//! - A mark, at most once for each window: `w = w (1 - alpha / 2)`.
//! - Otherwise as Reno: w grows by a segment for each acknowledged in slow start (by 2 at
//!   most for an acknowledgment), by `1 / w` in congestion avoidance; loss halves it.
//!
//! Where each segment is marked with probability p, alpha is p, and growth by 1 and cuts
//! by `w p / 2` a round trip balance at `w = 2 / p`: two marks a round trip.
//!
//! # Our readings
//! - The RFC's observation window ends when the next sequence number noted at its start
//!   is passed. A controller is told none: it counts the segments then in flight. As in
//!   the RFC, the first acknowledgment ends a window of its own.
//! - alpha counts every segment acknowledged, during recovery too; marks beyond the
//!   segments acknowledged are not believed.
//! - A cut by a mark goes by alpha as it is, from the last whole observation window.
//! - It needs [`Acked::marked`]: with RFC 3168's echo alone, alpha would fall to 0 and the
//!   cuts with it.
//! - Growth goes on after a cut by a mark, as RFC 3168 has it, section 6.1.2 only
//!   asking that the cut itself be made once.
//! - The window is cut, not what is in flight: an unused window does not grow here.
//! - Windows and thresholds have a floor of 2 segments; the timer leaves 1.
//!
//! # How other tools differ
//! Linux keeps alpha in 1/1024ths and whole segments, and does not grow the window in the
//! round trip after a cut. ns-3 computes alpha as here, over an observation window told by
//! sequence numbers.

use super::round::Round;
use super::window::Window;
use super::{Acked, Congestion, Control, Signal};
use earlydrop::units::Nanos;

/// What DCTCP goes by; the defaults are RFC 8257's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// g, the weight of the newest window; above 0, at most 1; 1/16 by section 4.2.
    pub gain: f64,
    /// alpha at the start; between 0 and 1; 1 by section 3.3.
    pub initial_alpha: f64,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            gain: 1.0 / 16.0,
            initial_alpha: 1.0,
        }
    }
}

/// A moving average of the part of each window that was marked.
#[derive(Clone, Debug)]
pub(super) struct Marks {
    gain: f64,
    pub(super) alpha: f64,
    acked: u64,
    marked: u64,
    round: Round,
}

impl Marks {
    pub(super) fn new(parameters: Parameters) -> Marks {
        Marks {
            gain: parameters.gain,
            alpha: parameters.initial_alpha.clamp(0.0, 1.0),
            acked: 0,
            marked: 0,
            round: Round::default(),
        }
    }

    /// Counts an acknowledgment; true when an observation window is over.
    pub(super) fn count(&mut self, acked: &Acked) -> bool {
        self.acked += u64::from(acked.segments);
        self.marked += u64::from(acked.marked.min(acked.segments));
        self.round.is_over_with(acked)
    }

    /// Takes what was counted into the average, and begins the next window.
    pub(super) fn average(&mut self, acked: &Acked) {
        if self.acked > 0 {
            let part = self.marked as f64 / self.acked as f64;
            self.alpha += self.gain * (part - self.alpha);
        }
        self.begin(acked);
    }

    /// Begins the next window without a look at the last.
    pub(super) fn begin(&mut self, acked: &Acked) {
        (self.acked, self.marked) = (0, 0);
        self.round
            .begin(acked.in_flight.saturating_sub(acked.segments));
    }
}

/// DCTCP's state for one flow.
///
/// ```
/// use earlydrop_sim::tcp::control::Control;
/// use earlydrop_sim::tcp::control::dctcp::{Dctcp, Parameters};
/// let dctcp = Dctcp::new(10.0, None, Parameters::default());
/// assert_eq!(dctcp.window(), 10.0);
/// ```
#[derive(Clone, Debug)]
pub struct Dctcp {
    marks: Marks,
    window: Window,
}

impl Dctcp {
    /// A flow's controller with its first window, segments, and the threshold it starts
    /// from, segments; `None` for slow start until congestion.
    pub fn new(
        initial_window: f64,
        initial_threshold: Option<f64>,
        parameters: Parameters,
    ) -> Dctcp {
        Dctcp {
            marks: Marks::new(parameters),
            window: Window::new(initial_window, initial_threshold),
        }
    }

    /// The estimate of the part of segments that is marked.
    pub fn alpha(&self) -> f64 {
        self.marks.alpha
    }
}

impl Control for Dctcp {
    fn window(&self) -> f64 {
        self.window.size
    }

    fn threshold(&self) -> f64 {
        self.window.threshold
    }

    fn on_acked(&mut self, acked: &Acked) {
        if self.marks.count(acked) {
            self.marks.average(acked);
        }
        if acked.window_limited && !acked.recovering {
            self.window.grow(f64::from(acked.segments), 1.0);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let part = match congestion.signal {
            Signal::Loss => 0.5,
            Signal::Mark => 1.0 - 0.5 * self.marks.alpha,
        };
        self.window.cut_by(part);
    }

    fn on_timeout(&mut self, _now: Nanos, _in_flight: u32, again: bool) {
        self.window.time_out(again);
    }

    fn on_restart(&mut self, _now: Nanos, initial_window: f64) {
        self.window.restart(initial_window);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, acked, congestion};
    use super::*;
    use proptest::prelude::*;

    const RTT: Nanos = Nanos::from_millis(1);

    fn new(window: f64) -> Dctcp {
        Dctcp::new(window, Some(window), Parameters::default())
    }

    fn of(segments: u32, marked: u32, in_flight: u32) -> Acked {
        Acked {
            marked,
            ..acked(Nanos::ZERO, segments, in_flight, RTT)
        }
    }

    #[test]
    fn alpha_is_a_moving_average_of_marked_parts() {
        let mut dctcp = new(10.0);
        // The first acknowledgment is a window of its own; then windows of 10, told in
        // halves, marked by 0, 1/2 and 1.
        dctcp.on_acked(&of(1, 0, 11));
        assert_eq!(dctcp.alpha(), 15.0 / 16.0);
        for (marked, expected) in [
            (0, 15.0 / 16.0 * 15.0 / 16.0),
            (5, 0.878_906_25 * 0.9375 + 0.03125),
            (10, 0.855_224_609_375 * 0.9375 + 0.0625),
        ] {
            let before = dctcp.alpha();
            dctcp.on_acked(&of(5, marked / 2, 15));
            assert_eq!(dctcp.alpha(), before, "half a window");
            dctcp.on_acked(&of(5, marked.div_ceil(2), 15));
            assert!((dctcp.alpha() - expected).abs() < 1e-12, "{dctcp:?}");
        }
    }

    #[test]
    fn cuts_by_half_of_alpha_for_a_mark_and_by_half_for_a_loss() {
        let mut dctcp = new(100.0);
        dctcp.marks.alpha = 0.25;
        dctcp.on_congestion(&congestion(Nanos::ZERO, Signal::Mark, 100));
        assert_eq!((dctcp.window(), dctcp.threshold()), (87.5, 87.5));
        dctcp.on_congestion(&congestion(Nanos::ZERO, Signal::Loss, 87));
        assert_eq!((dctcp.window(), dctcp.threshold()), (43.75, 43.75));
        dctcp.on_timeout(Nanos::ZERO, 43, false);
        assert_eq!((dctcp.window(), dctcp.threshold()), (1.0, 21.875));
        dctcp.on_timeout(Nanos::ZERO, 1, true);
        assert_eq!((dctcp.window(), dctcp.threshold()), (1.0, 21.875));
        for _ in 0..10 {
            dctcp.on_acked(&of(5, 0, 30));
        }
        // 2 at most each.
        assert_eq!(dctcp.window(), 21.0);
        dctcp.on_acked(&of(2, 0, 30));
        // 0.875 to the threshold, the rest by the window's part.
        assert_eq!(dctcp.window(), 21.875 + 1.125 / 21.875);
    }

    #[test]
    fn settles_at_two_over_the_marking_probability() {
        let (mut dctcp, mut total, mut since_cut) = (new(20.0), 0.0, 0.0);
        for segment in 0..200_000 {
            let marked = u32::from(segment % 50 == 49);
            dctcp.on_acked(&of(1, marked, dctcp.window() as u32 + 1));
            since_cut += 1.0;
            if marked == 1 && since_cut >= dctcp.window() {
                dctcp.on_congestion(&congestion(Nanos::ZERO, Signal::Mark, 0));
                since_cut = 0.0;
            }
            if segment >= 100_000 {
                total += dctcp.window();
            }
        }
        let mean = total / 1e5;
        assert!((dctcp.alpha() - 0.02).abs() < 0.002, "{}", dctcp.alpha());
        // 2 / 0.02, less what waiting for a mark adds to a round: W^2 is the segments
        // between cuts times 2 / alpha, and they are 100 or 150 here.
        assert!((95.0..125.0).contains(&mean), "{mean}");
    }

    #[test]
    fn does_not_grow_unused_or_during_recovery() {
        let mut dctcp = new(10.0);
        dctcp.on_acked(&Acked {
            window_limited: false,
            ..of(5, 0, 10)
        });
        dctcp.on_acked(&Acked {
            recovering: true,
            ..of(5, 0, 10)
        });
        assert_eq!(dctcp.window(), 10.0);
        dctcp.on_restart(Nanos::ZERO, 4.0);
        assert_eq!((dctcp.window(), dctcp.threshold()), (4.0, 10.0));
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
