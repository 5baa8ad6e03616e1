//! AccECN feedback: counters of what arrived marked, in place of one echo a round trip (RFC 9768).
//!
//! # Equations
//! With the names of the RFC; `r.` is a counter of the receiver, `s.` the sender's copy of it.
//! - The receiver counts packets (`r.cep`) and bytes of payload (`r.ceb`) that arrive CE-marked
//!   (3.2.1). Both ends begin with cep = 5 and ceb = 0.
//! - Each acknowledgment carries `ACE = r.cep mod 8` in three flags of the TCP header (3.2.2).
//!   The AccECN option carries `ECEB = r.ceb mod 2^24` (3.2.3).
//! - The receiver acknowledges at once a marked segment that follows one without a mark
//!   (change-triggered), and whenever two marks wait for an acknowledgment
//!   (increment-triggered) (3.2.2.5.1).
//! - The sender takes the difference of ACE for that of cep, unless so many packets were
//!   acknowledged that ACE may have wrapped. Then it takes the largest difference that fits
//!   (3.2.2.5.2; appendix A.2):
//! ```text
//! d.cep       = (ACE + 8 - s.cep mod 8) mod 8
//! dSafer.cep  = newlyAckedPkt - ((newlyAckedPkt - d.cep) mod 8)
//! with the option, where dSafer.cep > d.cep and d.ceb <= MSS * d.cep:
//!     d.ceb / dSafer.cep < MSS / 2  means that ACE did not wrap, and d.cep holds
//! ```
//!
//! # Our readings
//! - Negotiation always succeeds: the profile says whether a connection uses AccECN. The SYN is
//!   not ECN-capable and its marking is not reported (3.1).
//! - Segments count with the payload of a full one, as sequence numbers count segments here. So
//!   `r.ceb` is the number of marked segments times the payload.
//! - The option is on every acknowledgment, and does not lengthen it:
//!   [`Profile::ack_size`](super::Profile::ack_size) is the size with options.
//! - The counters of bytes with ECT(0) and ECT(1) (`r.e0b`, `r.e1b`) are left out. A sender needs
//!   them only to notice codepoints changed on the way (3.2.3.2), which no link does here; nor are
//!   its other checks for mangled fields here (3.2.2.3, 3.2.2.4).
//! - An acknowledgment that acknowledges nothing new, cumulatively or selectively, is not decoded;
//!   the next one reports its marks, as counters do.
//! - The increment is the RFC's for a receiver with data to acknowledge, which it always has here.
//!
//! # Validated against
//! The kernel's self-tests `tcp_accecn_delivered_*`: the counts of three; in two others Linux guesses that
//! ACE did not wrap where the RFC's formula says that it did.

use core::num::NonZeroU8;

use earlydrop::packet::Ecn;
use earlydrop::units::Nanos;

/// Marks that wait for an acknowledgment until one is sent at once: n of RFC 9768, 3.2.2.5.1.
const INCREMENT: u8 = 2;
/// `cep` of both ends when a connection begins (3.2.1).
const INITIAL_CEP: u8 = 5;
/// DIVACE of appendix A: ACE counts modulo 8.
const DIVACE: u32 = 8;
/// DIVOPT of appendix A: the option's fields count modulo 2^24.
const DIVOPT: u32 = 1 << 24;
/// SAFETY_FACTOR of appendix A.2.2.
const SAFETY_FACTOR: u64 = 2;

/// The AccECN fields of an acknowledgment.
///
/// ```
/// use earlydrop_sim::tcp::AccEcn;
/// let fields = AccEcn::new(7, Some(2896));
/// assert_eq!((fields.ace(), fields.ce_bytes()), (7, Some(2896)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccEcn {
    /// ACE in the lowest bits, [`AccEcn::HAS_OPTION`] and [`AccEcn::PRESENT`].
    ace: NonZeroU8,
    ce_bytes: [u8; 3],
}

impl AccEcn {
    const HAS_OPTION: u8 = 1 << 3;
    /// Set in all, so that `Option<AccEcn>` takes no more room.
    const PRESENT: NonZeroU8 = NonZeroU8::new(1 << 7).unwrap();

    /// The fields of an acknowledgment: `ace` modulo 8, and with the option the bytes that arrived
    /// CE-marked, modulo 2^24.
    pub fn new(ace: u8, ce_bytes: Option<u32>) -> AccEcn {
        let has_option = if ce_bytes.is_some() {
            AccEcn::HAS_OPTION
        } else {
            0
        };
        let [a, b, c, _] = ce_bytes.unwrap_or(0).to_le_bytes();
        AccEcn {
            ace: AccEcn::PRESENT | has_option | (ace & 7),
            ce_bytes: [a, b, c],
        }
    }

    /// The ACE field, 0 to 7 (3.2.2).
    pub fn ace(&self) -> u8 {
        self.ace.get() & 7
    }

    /// ECEB of the AccECN option, where there is one (3.2.3).
    pub fn ce_bytes(&self) -> Option<u32> {
        let has_option = self.ace.get() & AccEcn::HAS_OPTION != 0;
        let [a, b, c] = self.ce_bytes;
        has_option.then(|| u32::from_le_bytes([a, b, c, 0]))
    }
}

/// A receiver's counters (RFC 9768, 3.2.1), in six bytes: each receiver has them.
///
/// One that sends congestion notifications instead counts nothing: `marked` is the time of the last
/// one, in us modulo 2^32 (71 minutes), and `last_marked` whether there was one.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, packed(2))]
pub(super) struct ReceiverCounters {
    /// Segments that arrived CE-marked: r.cep - 5, and r.ceb in segments.
    marked: u32,
    /// How many of them since the last acknowledgment.
    unreported: u8,
    /// Whether the last segment was CE-marked.
    last_marked: bool,
}

impl ReceiverCounters {
    /// Counts a segment that arrived with `ecn`; returns whether it is to be acknowledged at once
    /// (3.2.2.5.1).
    pub(super) fn count(&mut self, ecn: Ecn) -> bool {
        let marked = ecn == Ecn::Ce;
        let changed = marked && !self.last_marked;
        self.last_marked = marked;
        if marked {
            self.marked = self.marked.wrapping_add(1);
            self.unreported = self.unreported.saturating_add(1);
        }
        changed || self.unreported >= INCREMENT
    }

    /// Whether a marked segment that arrives now is notified: one in so long is.
    pub(super) fn notifies(&mut self, now: Nanos, every: Nanos) -> bool {
        let micros = (now.0 / 1000) as u32;
        let since_last = u64::from(micros.wrapping_sub(self.marked));
        if self.last_marked && since_last * 1000 < every.0 {
            return false;
        }
        (self.marked, self.last_marked) = (micros, true);
        true
    }

    /// The fields of an acknowledgment sent now, with the option if a segment's `payload` is given.
    pub(super) fn report(&mut self, payload: Option<u32>) -> AccEcn {
        self.unreported = 0;
        let ace = INITIAL_CEP.wrapping_add(self.marked as u8);
        AccEcn::new(ace, payload.map(|bytes| self.marked.wrapping_mul(bytes)))
    }
}

/// What a sender knows of the receiver's counters (RFC 9768, 3.2.1).
#[derive(Clone, Copy, Debug)]
pub(super) struct SenderCounters {
    /// s.ceb modulo 2^24.
    ceb: u32,
    /// s.cep modulo 8.
    cep: u8,
}

impl SenderCounters {
    pub(super) fn new() -> SenderCounters {
        SenderCounters {
            ceb: 0,
            cep: INITIAL_CEP,
        }
    }

    /// Decodes the fields of an acknowledgment that newly acknowledges `newly_acked` packets of
    /// `mss` bytes; returns how many packets arrived CE-marked since the one before
    /// (appendix A.2).
    pub(super) fn newly_marked(&mut self, fields: &AccEcn, newly_acked: u32, mss: u32) -> u32 {
        if newly_acked == 0 {
            return 0;
        }
        let ace = fields.ace();
        let delta = u32::from(ace.wrapping_sub(self.cep)) % DIVACE;
        self.cep = ace;
        let ce_bytes = fields.ce_bytes().map(|ce| {
            let delta = ce.wrapping_sub(self.ceb) % DIVOPT;
            self.ceb = ce;
            delta
        });
        // With fewer packets than ACE has values it cannot have wrapped.
        if newly_acked < DIVACE {
            return delta;
        }
        let safer = newly_acked - (newly_acked - delta) % DIVACE;
        match ce_bytes.map(u64::from) {
            Some(bytes) if safer > delta && bytes <= u64::from(mss) * u64::from(delta) => {
                let fits = bytes * SAFETY_FACTOR >= u64::from(mss) * u64::from(safer);
                if fits { safer } else { delta }
            }
            _ => safer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u32 = 1448;

    #[test]
    fn the_fields_of_an_acknowledgment_take_four_bytes() {
        assert_eq!(size_of::<Option<AccEcn>>(), 4);
        let fields = AccEcn::new(0xfd, Some(0xff01_0203));
        assert_eq!((fields.ace(), fields.ce_bytes()), (5, Some(0x01_0203)));
        assert_eq!(AccEcn::new(0, None).ce_bytes(), None);
    }

    /// The differences a sender finds, for ACE, packets newly acknowledged, and ECEB.
    fn decoded(acks: &[(u8, u32, Option<u32>)]) -> Vec<u32> {
        let mut counters = SenderCounters::new();
        let marks = acks.iter().map(|&(ace, newly_acked, ce)| {
            counters.newly_marked(&AccEcn::new(ace, ce), newly_acked, MSS)
        });
        marks.collect()
    }

    #[test]
    fn ace_counts_from_five_on_and_wraps_at_eight() {
        let acks = [(5, 2, None), (6, 2, None), (0, 2, None), (2, 2, None)];
        assert_eq!(decoded(&acks), [0, 1, 2, 2]);
    }

    #[test]
    fn marks_of_lost_acknowledgments_are_in_the_next_one() {
        // Two acknowledgments between were lost, with one mark each.
        assert_eq!(decoded(&[(5, 2, None), (0, 6, None)]), [0, 3]);
    }

    #[test]
    fn ace_alone_may_have_wrapped_once_eight_packets_are_acknowledged() {
        // RFC 9768, 3.2.2.5.2: ACE grew by 2 and 10 packets are acknowledged, so 10 were marked;
        // with 9 it cannot be 10, and with 20 it is 18 at most.
        assert_eq!(decoded(&[(7, 10, None)]), [10]);
        assert_eq!(decoded(&[(7, 9, None)]), [2]);
        assert_eq!(decoded(&[(7, 20, None)]), [18]);
        assert_eq!(decoded(&[(5, 7, None), (5, 8, None)]), [0, 8]);
    }

    #[test]
    fn marks_are_those_of_linux_s_self_tests_but_where_it_guesses() {
        // `tcp_accecn_delivered_*`: the acknowledgments, and `tcpi_delivered_ce` after them.
        let marks = |acks| decoded(acks).iter().sum::<u32>();
        assert_eq!(marks(&[(4, 10, None)]), 7);
        assert_eq!(marks(&[(5, 1, None), (5, 9, None)]), 8);
        assert_eq!(marks(&[(5, 0, Some(0)), (5, 10, Some(0))]), 0);
        // Where acknowledgments of more than 4 packets are usual, Linux takes ACE for one that did
        // not wrap (`pkts_acked_ewma`): 0 and 1 here, in place of the RFC's 8 and 9.
        assert_eq!(decoded(&[(5, 10, None)]), [8]);
        assert_eq!(decoded(&[(6, 10, None)]), [9]);
    }

    #[test]
    fn the_option_says_whether_ace_wrapped() {
        // 2 packets' bytes: ACE did not wrap. No bytes: nothing was marked.
        assert_eq!(decoded(&[(7, 10, Some(2 * MSS))]), [2]);
        assert_eq!(decoded(&[(5, 8, Some(0))]), [0]);
        // 10 packets' bytes: it did. So too with 10 packets of half the size.
        assert_eq!(decoded(&[(7, 10, Some(10 * MSS))]), [10]);
        assert_eq!(decoded(&[(7, 10, Some(5 * MSS))]), [10]);
        // ECEB wraps at 2^24.
        let near = DIVOPT - MSS;
        let mut counters = SenderCounters { ceb: near, cep: 5 };
        let fields = AccEcn::new(7, Some(near + 2 * MSS));
        assert_eq!(counters.newly_marked(&fields, 10, MSS), 2);
    }

    #[test]
    fn an_acknowledgment_of_nothing_new_leaves_its_marks_to_the_next() {
        assert_eq!(decoded(&[(6, 0, None), (6, 1, None)]), [0, 1]);
    }

    #[test]
    fn counters_of_the_receiver_begin_and_count_as_the_rfc_says() {
        let mut counters = ReceiverCounters::default();
        assert_eq!(counters.report(Some(MSS)), AccEcn::new(5, Some(0)));
        for ecn in [Ecn::Ect1, Ecn::Ce, Ecn::Ect1, Ecn::NotCapable, Ecn::Ect0] {
            counters.count(ecn);
        }
        assert_eq!(counters.report(Some(MSS)), AccEcn::new(6, Some(MSS)));
        assert_eq!(counters.report(None), AccEcn::new(6, None));
    }
}
