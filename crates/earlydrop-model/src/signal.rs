//! How often flows receive a congestion signal.

/// The shares of packets that carry a congestion signal, in steady state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SignalRate {
    /// The share of packets that is lost.
    pub loss: f64,
    /// The share of packets that is marked (ECN).
    pub marks: f64,
}

impl SignalRate {
    /// The share of packets that is lost or marked.
    pub fn total(self) -> f64 {
        self.loss + self.marks
    }
}
