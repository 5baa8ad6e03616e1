//! Which acknowledgment is dropped because later ones replace it (`cake_ack_filter`).

use super::AckFilter;
use crate::aqm::Slot;
use crate::packet::{Ack, FlowKey};

/// Whether `one` comes after `other`, of numbers that wrap.
fn after(one: u32, other: u32) -> bool {
    one.wrapping_sub(other).cast_signed() > 0
}

/// Whether nothing is lost with `old` where `new` arrives.
///
/// SACK blocks are not compared: an acknowledgment that has some is kept.
fn replaces(new: &Ack, old: &Ack) -> bool {
    let more = new.has_sack || new.number != old.number;
    old.is_pure && !old.has_sack && !after(old.number, new.number) && more
}

/// The slot of the acknowledgment to drop out of `waiting`, a queue with its packets' slots, flows
/// and acknowledgments. The last of them has just joined.
///
/// The older of two that the last replaces goes; when aggressive, also a single one right before
/// it. Those whose ECN echo the next one of their flow does not repeat stay.
pub(super) fn superfluous(
    filter: AckFilter,
    waiting: impl Iterator<Item = (Slot, FlowKey, Option<Ack>)>,
    last: (Slot, FlowKey, Ack),
) -> Option<Slot> {
    let (last_slot, flow, new) = last;
    let mut eligible: Option<(Slot, u8)> = None;
    let mut found = 0;
    let mut is_adjacent = false;
    for (slot, of, ack) in waiting.take_while(|(slot, ..)| *slot != last_slot) {
        is_adjacent = false;
        let Some(old) = ack.filter(|_| of == flow) else {
            continue;
        };
        if eligible.is_some_and(|(_, echo)| echo != old.echo) {
            eligible = None;
            found -= 1;
        }
        if !replaces(&new, &old) {
            continue;
        }
        is_adjacent = eligible.is_none();
        let (first, _) = *eligible.get_or_insert((slot, old.echo));
        found += 1;
        if found > 1 {
            return Some(first);
        }
    }
    let single = eligible.filter(|(_, echo)| is_adjacent && *echo == new.echo);
    single
        .filter(|_| filter == AckFilter::Aggressive)
        .map(|(slot, _)| slot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn ack(number: u32) -> Ack {
        Ack {
            number,
            is_pure: true,
            has_sack: false,
            echo: 0,
        }
    }

    /// The place of the one dropped when the last of `waiting` joins.
    fn dropped(filter: AckFilter, waiting: &[(u64, Option<Ack>)]) -> Option<u32> {
        let packets: Vec<_> = (0..)
            .zip(waiting)
            .map(|(slot, (flow, ack))| (Slot(slot), FlowKey(*flow), *ack))
            .collect();
        let (slot, flow, last) = *packets.last()?;
        let last = (slot, flow, last?);
        superfluous(filter, packets.iter().copied(), last).map(|slot| slot.0)
    }

    #[test]
    fn the_older_of_two_is_dropped_and_a_single_one_only_when_aggressive() {
        let three = [(1, Some(ack(1))), (1, Some(ack(2))), (1, Some(ack(3)))];
        assert_eq!(dropped(AckFilter::On, &three), Some(0));
        assert_eq!(dropped(AckFilter::On, &three[1..]), None);
        assert_eq!(dropped(AckFilter::Aggressive, &three[1..]), Some(0));
        let apart = [(1, Some(ack(2))), (2, None), (1, Some(ack(3)))];
        assert_eq!(dropped(AckFilter::Aggressive, &apart), None);
    }

    #[test]
    fn what_would_be_missed_is_kept() {
        let other_flow = [(2, Some(ack(1))), (2, Some(ack(2))), (1, Some(ack(3)))];
        let duplicate = [(1, Some(ack(3))), (1, Some(ack(3))), (1, Some(ack(3)))];
        let data = Ack {
            is_pure: false,
            ..ack(1)
        };
        let sack = Ack {
            has_sack: true,
            ..ack(1)
        };
        let echo = Ack { echo: 1, ..ack(1) };
        let with_data = [(1, Some(data)), (1, Some(data)), (1, Some(ack(3)))];
        let with_sack = [(1, Some(sack)), (1, Some(sack)), (1, Some(ack(3)))];
        let changed = [(1, Some(echo)), (1, Some(ack(2))), (1, Some(ack(3)))];
        for waiting in [other_flow, duplicate, with_data, with_sack, changed] {
            assert_eq!(dropped(AckFilter::On, &waiting), None, "{waiting:?}");
        }
    }

    #[test]
    fn numbers_wrap() {
        let waiting = [
            (1, Some(ack(u32::MAX - 1))),
            (1, Some(ack(u32::MAX))),
            (1, Some(ack(5))),
        ];
        assert_eq!(dropped(AckFilter::On, &waiting), Some(0));
    }
}
