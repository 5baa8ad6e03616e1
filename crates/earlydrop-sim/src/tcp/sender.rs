//! A sender: a connection's state ([`Tcb`]), and the scoreboard beside it where it uses SACK.
//!
//! `ack.rs`, `ecn.rs` and `timeout.rs` hold what happens when an ACK arrives or a timer expires,
//! and `transmit.rs` what is sent then.

use earlydrop::units::Nanos;

use super::control::Control;
use super::counts::SenderCounts;
use super::profile::Profile;
use super::recovery::sack::SackState;
use super::settings::{Recovery, Rules};
use super::tcb::{LossTimer, Tcb};

/// Sends the segments of one connection at a time.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Sender {
    pub(super) tcb: Tcb,
    /// The scoreboard and what goes with it, of a sender with selective acknowledgments.
    pub(super) sack: Option<Box<SackState>>,
}

/// Connections, and what their applications have to send.
impl Sender {
    /// A sender whose connection starts with number 0, with nothing to send yet.
    pub fn new(profile: &Profile, now: Nanos) -> Sender {
        let uses_sack = profile.recovery == Recovery::Sack;
        let tcb = Tcb::new(0, profile, now);
        let rates = tcb.congestion.control.wants_rate_sample();
        let sack = uses_sack.then(|| SackState::boxed(rates, profile.uses_rack(), now));
        let mut sender = Sender { tcb, sack };
        sender.enable_probes();
        sender.tcb.update_send_window(profile);
        sender
    }

    /// Begins a new connection on the same numbering, with nothing to send yet: it starts with
    /// the number after the last that was sent. The receiver restarts too
    /// ([`Receiver::restart`](super::Receiver::restart)).
    ///
    /// With ns-2's rules a sender that once lost a SYN begins every further connection with a
    /// `cwnd` of 1.
    pub fn restart(&mut self, profile: &Profile, now: Nanos) {
        let first_segment_lost = self.tcb.rto.first_segment_lost && profile.rules == Rules::Ns2;
        let counts = self.tcb.counts;
        self.tcb = Tcb::new(self.tcb.seq.snd_max, profile, now);
        self.tcb.rto.first_segment_lost = first_segment_lost;
        self.tcb.counts = counts;
        if let Some(sack) = &mut self.sack {
            sack.restart(now);
        }
        self.enable_probes();
        if first_segment_lost {
            self.tcb.congestion.control.on_restart(now, 1.0);
        }
        self.tcb.update_send_window(profile);
    }

    /// Gives the sender data up to but not including number `end`; `u32::MAX` is endless.
    pub fn supply(&mut self, end: u32) {
        let seq = &mut self.tcb.seq;
        seq.data_end = seq.data_end.max(end);
        seq.limit_to(self.tcb.congestion.send_window);
    }

    /// Takes back all data that was not sent yet.
    pub fn withdraw(&mut self) {
        let seq = &mut self.tcb.seq;
        seq.data_end = seq.snd_max;
        seq.limit_to(self.tcb.congestion.send_window);
    }

    /// Lets new data arm PTO from now on, if losses are detected by time.
    pub(super) fn enable_probes(&mut self) {
        let by_time = self.sack.as_ref().is_some_and(|sack| sack.rack.is_some());
        if by_time && !self.tcb.syn_sent {
            self.tcb.loss_timer = LossTimer::IDLE;
        }
    }

    /// Decides whether ACKs of new data may take the fast path from here on.
    #[inline]
    pub(super) fn choose_ack_path(&mut self) {
        let tcb = &mut self.tcb;
        let sack = self.sack.as_ref();
        let by_sack = sack.is_some_and(|sack| tcb.output.sack_recovery || sack.must_see_acks());
        tcb.ack_slow_path = tcb.syn_sent || tcb.congestion.in_fast_recovery() || by_sack;
    }
}

/// What others read.
impl Sender {
    /// The oldest unacknowledged number (RFC 9293, SND.UNA).
    #[inline]
    pub fn snd_una(&self) -> u32 {
        self.tcb.seq.snd_una
    }

    /// `cwnd`, segments.
    pub fn cwnd(&self) -> f64 {
        self.tcb.congestion.control.cwnd()
    }

    /// `ssthresh`, segments; infinite before the first congestion.
    pub fn ssthresh(&self) -> f64 {
        self.tcb.congestion.control.ssthresh()
    }

    /// Segments estimated to be in the network: `pipe` of RFC 6675 with selective
    /// acknowledgments, FlightSize without.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        match &self.sack {
            None => self.tcb.seq.flight_size(),
            Some(sack) => self.tcb.pipe(&sack.board),
        }
    }

    /// The smoothed round-trip time, SRTT of RFC 6298; zero before the first measurement.
    #[inline]
    pub fn srtt(&self, profile: &Profile) -> Nanos {
        self.tcb.rto.srtt(profile)
    }

    /// The retransmission timeout, RTO of RFC 6298, doublings included.
    pub fn rto(&self) -> Nanos {
        self.tcb.rto.rto()
    }

    /// The time at which [`Sender::on_timer`] is to be called, unless something happens
    /// before; [`Nanos::NEVER`] when there is none.
    #[inline]
    pub fn deadline(&self) -> Nanos {
        let timer = self.tcb.loss_timer.expiry(&self.tcb.rto);
        match self.tcb.output.pacing_deadline() {
            Some(release) => release.min(timer),
            None => timer,
        }
    }

    /// Counts of what was done so far.
    pub fn counts(&self) -> SenderCounts {
        let counts = &self.tcb.counts;
        SenderCounts {
            segments: self.tcb.segments_sent(),
            retransmissions: counts.retransmissions,
            timeouts: counts.timeouts,
            recoveries: counts.recoveries,
            marks: counts.marks,
        }
    }
}
