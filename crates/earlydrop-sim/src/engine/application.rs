//! Applications: the transfers, pauses and requests of finite flows.

use earlydrop::random::Pcg32;
use earlydrop::units::Nanos;

use crate::results::TransferRecord;
use crate::tcp::SenderCounts;
use crate::traffic::Application;

/// A finite application over one connection.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub(super) application: Application,
    pub(super) random: Pcg32,
    pub(super) phase: Phase,
    /// The number of the connection's first segment.
    pub(super) first: u32,
    /// The number after the transfer's last segment.
    pub(super) end: u32,
    /// The size of the transfer's last segment on the wire, in bytes.
    pub(super) last_size: u32,
    /// The described flow that its transfers count for.
    pub(super) parent: u32,
    /// Transfers begun.
    pub(super) begun: u32,
    /// The number of the transfer among those of the described flow.
    pub(super) number: u64,
    /// What the sender had done before it.
    pub(super) counts_before: SenderCounts,
    pub(super) partner: Partner,
}

/// The flow that a session works together with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Partner {
    None,
    /// The barrier of its client, by number.
    Barrier(u32),
    /// The flow whose transfers are the requests for this one's.
    Requester(u32),
    /// The flow that this one's transfers are requests for.
    Responder(u32),
}

/// What an application is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Phase {
    /// The next transfer, or request, starts at this time; never, if there is none.
    Pausing(Nanos),
    /// A request is on its way since `asked`, and is repeated at `repeat_at`, `wait` after it was
    /// last sent.
    Requesting {
        asked: Nanos,
        repeat_at: Nanos,
        wait: Nanos,
    },
    /// A transfer of `bytes` goes on since `since`.
    Transferring { since: Nanos, bytes: u64 },
}

/// How long a client waits for the first response before it repeats its request; twice as long
/// each time after. The initial timeout of RFC 6298, section 2.1.
pub(super) const FIRST_REPEAT: Nanos = Nanos::from_secs(1);

/// The number after so many segments from `first` on; `None` where 32 bits do not count them, or
/// as many as mean [endless](crate::tcp::Sender::supply) data.
pub(super) fn number_after(first: u32, segments: u32) -> Option<u32> {
    first.checked_add(segments).filter(|end| *end < u32::MAX)
}

impl Session {
    pub(super) fn new(application: Application, random: Pcg32, parent: u32) -> Session {
        Session {
            application,
            random,
            phase: Phase::Pausing(Nanos::NEVER),
            first: 0,
            end: 0,
            last_size: 0,
            parent,
            begun: 0,
            number: 0,
            counts_before: SenderCounts::default(),
            partner: Partner::None,
        }
    }

    /// The record of its transfer, whose sender has counted so much by now.
    pub(super) fn record(&self, counts: SenderCounts) -> TransferRecord {
        let own = counts.since(&self.counts_before);
        TransferRecord {
            number: self.number,
            retransmissions: own.retransmissions,
            timeouts: own.timeouts,
        }
    }

    /// The record of a transfer that was asked for and has not begun.
    pub(super) fn record_of_next(&self) -> TransferRecord {
        TransferRecord {
            number: u64::from(self.begun),
            ..TransferRecord::default()
        }
    }

    /// When it next does something of its own accord.
    pub(super) fn due(&self) -> Nanos {
        match self.phase {
            Phase::Pausing(until) => until,
            Phase::Requesting { repeat_at, .. } => repeat_at,
            Phase::Transferring { .. } => Nanos::NEVER,
        }
    }

    /// Starts, or continues, after a stop.
    pub(super) fn resume(&mut self, now: Nanos) {
        let over = matches!(self.application, Application::Transfer(_)) && self.begun > 0;
        // A server that has answered waits for its client.
        let waits = matches!(self.partner, Partner::Barrier(_))
            && self.begun > 0
            && self.phase == Phase::Pausing(Nanos::NEVER);
        if matches!(self.phase, Phase::Pausing(_)) && !over && !waits {
            self.phase = Phase::Pausing(now);
        }
    }

    /// Whether a transfer ends when its last byte arrives; otherwise when that is acknowledged.
    pub(super) fn ends_at_receiver(&self) -> bool {
        matches!(
            self.application,
            Application::Requests { .. } | Application::Incast(_)
        )
    }

    /// Ends the transfer at `at` and pauses until the next; `None` if there is no transfer.
    pub(super) fn complete(&mut self, at: Nanos) -> Option<Transfer> {
        let Phase::Transferring { since, bytes } = self.phase else {
            return None;
        };
        let pause = match self.partner {
            Partner::Responder(_) => None,
            _ => self.application.draw_pause(&mut self.random),
        };
        self.phase = Phase::Pausing(pause.map_or(Nanos::NEVER, |pause| at + pause));
        Some(Transfer {
            began: since,
            ended: at,
            bytes,
        })
    }
}

/// A transfer that has ended.
pub(super) struct Transfer {
    pub(super) began: Nanos,
    pub(super) ended: Nanos,
    pub(super) bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::empty_path::{last_payload, transfer_of};
    use crate::tcp::{Algorithm, MAX_TRANSFER, Profile};
    use earlydrop::units::Bytes;

    #[test]
    fn drawn_sizes_are_bound_to_the_largest_transfer() {
        let profile = Profile::modern(Algorithm::Reno);
        let payload = u64::from(profile.payload());
        let largest = profile.largest_transfer().0;
        let wrapped = (1_u64 << 32) * payload;
        for (drawn, bytes, segments, last) in [
            (0, 1, 1, 1),
            (payload, payload, 1, payload),
            (payload + 1, payload + 1, 2, 1),
            (largest, largest, MAX_TRANSFER, payload),
            (wrapped + 1, largest, MAX_TRANSFER, payload),
            (u64::MAX, largest, MAX_TRANSFER, payload),
        ] {
            assert_eq!(
                transfer_of(Bytes(drawn), &profile),
                (bytes, segments),
                "{drawn}"
            );
            assert_eq!(u64::from(last_payload(bytes, &profile)), last, "{drawn}");
        }
    }

    #[test]
    fn numbers_that_are_used_up_are_not_used_again() {
        assert_eq!(number_after(MAX_TRANSFER, 10), Some(MAX_TRANSFER + 10));
        assert_eq!(
            number_after(MAX_TRANSFER, MAX_TRANSFER - 2),
            Some(u32::MAX - 1)
        );
        assert_eq!(number_after(MAX_TRANSFER, MAX_TRANSFER - 1), None);
        assert_eq!(number_after(MAX_TRANSFER + 1, MAX_TRANSFER), None);
    }
}
