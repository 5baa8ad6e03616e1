//! A network card of RDMA over converged Ethernet (RoCEv2): DCQCN and go-back-N.
//!
//! # What it has
//! ```text
//! segments        1024 bytes of payload; 44 of IPv4, UDP, BTH and ICRC          RoCEv2, IBTA annex A17
//! acknowledgments one for each segment, 48 bytes
//! beginning       at the rate of the host's link, without a handshake           Zhu et al. 2015, 3.1
//! control         DCQCN with its paper's parameters; `card` has others            Zhu et al. 2015, 3.1, 5.3
//! recovery        go-back-N, after a negative acknowledgment or 4 ms            Zhu et al. 2015, 2.3
//! window          none: 2^24 segments
//! ```
//! # What it lacks
//! - Notifications are carried by acknowledgments, and so wait where these wait; cards send packets of
//!   a class of their own.
//! - Queue pairs share nothing: each flow is one, and a card has as many as there are flows.
//! - Read requests and atomics: a transfer is a write of the sender.
//! - Priority flow control is the network's, not the sender's (`network.pause`).
//!
//! # Validated against
//! The equations of DCQCN; no card.

use super::Profile;
use crate::tcp::control::Algorithm;
use crate::tcp::rto::RtoParams;
use crate::tcp::settings::{Handshake, LossDetection, Recovery, RttSampling};
use earlydrop::units::Nanos;

/// Time without an acknowledgment after which a card goes back: 4.096 us 2^10, the local ACK timeout
/// of InfiniBand with the value 10.
const TIMEOUT: Nanos = Nanos(4_194_304);

impl Profile {
    /// A card that starts at the rate of its host's link.
    pub const fn roce() -> Profile {
        let mut profile = Profile::modern(Algorithm::Dcqcn);
        profile.recovery = Recovery::GoBackN;
        profile.loss_detection = LossDetection::DupAck;
        profile.segment_size = 1068;
        profile.header_size = 44;
        profile.ack_size = 48;
        profile.receiver_window = 1 << 24;
        profile.delayed_acks = None;
        profile.timer = RtoParams {
            initial: TIMEOUT,
            minimum: TIMEOUT,
            maximum: TIMEOUT,
            ..profile.timer
        };
        profile.rtt_sampling = RttSampling::OneAtATime;
        profile.limited_transmit = false;
        profile.slow_start_restart = false;
        profile.handshake = Handshake::None;
        profile
    }
}
