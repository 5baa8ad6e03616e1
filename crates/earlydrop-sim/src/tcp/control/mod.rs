//! Congestion control: how many segments may be in flight, told by named events.
//!
//! A controller knows nothing of segments' numbers, holes or timers: loss recovery
//! decides *when* something was lost and what to send again, the controller *how much*
//! may be on its way. Windows are in segments and may be fractional; the sender
//! compares whole segments with them.

pub mod any;
pub mod bbr;
mod count;
pub mod cubic;
pub mod dctcp;
pub mod hystart;
pub mod reno;
mod round;
pub mod scalable;
#[cfg(test)]
mod testing;
mod window;

use earlydrop::units::Nanos;

pub use any::AnyControl;
pub use reno::Reno;

/// New data was acknowledged, cumulatively or selectively.
#[derive(Clone, Copy, Debug)]
pub struct Acked {
    /// Now.
    pub now: Nanos,
    /// Segments newly acknowledged by this acknowledgment.
    pub segments: u32,
    /// How many of them the receiver says arrived marked; for controllers that count
    /// marks (DCTCP). With RFC 3168's echo it is 0, and a mark is a [`Congestion`].
    pub marked: u32,
    /// Segments in flight before this acknowledgment.
    pub in_flight: u32,
    /// The round-trip time this acknowledgment measured, where it did.
    pub rtt: Option<Nanos>,
    /// The smoothed round-trip time; zero before the first measurement.
    pub smoothed_rtt: Nanos,
    /// Whether the sender was held back by its window, and not by a lack of data or by
    /// the receiver's window. A window that was not used does not grow (RFC 7661's aim).
    pub window_limited: bool,
    /// Whether loss recovery is going on: a window does not grow meanwhile.
    pub recovering: bool,
    /// How fast segments are delivered, for controllers that
    /// [ask for it](Control::wants_delivery_rate).
    pub delivery: Option<Delivery>,
}

/// A sample of the delivery rate (draft-cheng-iccrg-delivery-rate-estimation).
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// Segments delivered on this connection so far.
    pub delivered: u64,
    /// `delivered` as it was when the newest segment acknowledged here was sent.
    pub delivered_when_sent: u64,
    /// The time over which `delivered - delivered_when_sent` segments were delivered:
    /// the longer of the sending and the acknowledging interval.
    pub interval: Nanos,
    /// Whether the application had nothing to send when that segment was sent.
    pub application_limited: bool,
    /// Segments newly declared lost with this acknowledgment.
    pub lost: u32,
}

/// Why a window is to be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A segment was lost and will be sent again without waiting for the timer.
    Loss,
    /// An acknowledgment echoed a congestion mark.
    Mark,
}

/// Congestion, told once for each window of data.
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    /// Now.
    pub now: Nanos,
    /// By what it was told.
    pub signal: Signal,
    /// Segments in flight.
    pub in_flight: u32,
    /// The smoothed round-trip time.
    pub smoothed_rtt: Nanos,
}

/// A congestion controller.
pub trait Control {
    /// Segments that may be in flight, at least 1 whatever happens.
    fn window(&self) -> f64;
    /// The window at which slow start ends; infinite before the first congestion.
    fn threshold(&self) -> f64;
    /// New data was acknowledged.
    fn on_acked(&mut self, acked: &Acked);
    /// Congestion, once for each window of data: at the start of a fast recovery, or at
    /// the first mark after the last reduction was acknowledged.
    fn on_congestion(&mut self, congestion: &Congestion);
    /// Fast recovery is over: everything sent before it began was acknowledged.
    fn on_recovered(&mut self, _now: Nanos) {}
    /// The retransmission timer ran out (`again`: once more for the same segment).
    fn on_timeout(&mut self, now: Nanos, in_flight: u32, again: bool);
    /// Nothing was sent for longer than the retransmission timeout, and sending starts
    /// again: back to `initial_window` at most (RFC 5681, section 4.1).
    fn on_restart(&mut self, now: Nanos, initial_window: f64);
    /// Whether it ever spreads sending over time.
    fn paces(&self) -> bool {
        false
    }
    /// Segments a second to spread sending over, for controllers that pace.
    fn pacing_rate(&self) -> Option<f64> {
        None
    }
    /// Whether [`Acked::delivery`] is to be filled: it costs a record a segment.
    fn wants_delivery_rate(&self) -> bool {
        false
    }
}
