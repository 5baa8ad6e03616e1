//! Arithmetic on sequence numbers.

/// How many segments lie from number `from` up to `to`, which is at or after it.
///
/// RFC 9293, 3.4: "Since the space is finite, all arithmetic dealing with sequence numbers must be
/// performed modulo 2**32." Numbers more than half of the space apart are in the wrong order.
#[inline(always)]
pub(super) fn distance(from: u32, to: u32) -> u32 {
    let distance = to.wrapping_sub(from);
    debug_assert!(distance <= 1 << 31, "{to} comes before {from}");
    distance
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances_are_modulo_the_size_of_the_space() {
        assert_eq!(distance(7, 7), 0);
        assert_eq!(distance(7, 10), 3);
        assert_eq!(distance(u32::MAX - 1, 2), 4);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "9 comes before 10")]
    fn a_distance_backwards_is_an_error() {
        distance(10, 9);
    }
}
