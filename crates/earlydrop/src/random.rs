//! PCG32, the random number generator of all schemes.
//!
//! Reference: M. E. O'Neill, "PCG: A family of simple fast space-efficient
//! statistically good algorithms for random number generation", 2014; the
//! variant PCG-XSH-RR with 64 bits of state and 32 of output. The stream is
//! part of the crate's contract: the same seed gives the same numbers on every
//! machine and in every version.

/// A small, seeded generator: 16 bytes, one multiplication a number.
///
/// ```
/// use earlydrop::random::Pcg32;
/// let (mut one, mut same) = (Pcg32::new(7, 0), Pcg32::new(7, 0));
/// assert_eq!(one.next_u32(), same.next_u32());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pcg32 {
    state: u64,
    increment: u64,
}

const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
/// 2^-32, the step between two values of [`Pcg32::uniform`].
const STEP: f64 = 1.0 / 4_294_967_296.0;

impl Pcg32 {
    /// The generator for `seed` in one of 2^63 independent streams.
    ///
    /// Use one stream for each purpose: then drawing more numbers for one purpose does not
    /// change those of another.
    pub const fn new(seed: u64, stream: u64) -> Pcg32 {
        let increment = (stream << 1) | 1;
        let state = increment.wrapping_add(seed);
        Pcg32 {
            state: state.wrapping_mul(MULTIPLIER).wrapping_add(increment),
            increment,
        }
    }

    /// The next 32 random bits.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        let old = self.state;
        self.state = old.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
        let shifted = (((old >> 18) ^ old) >> 27) as u32;
        shifted.rotate_right((old >> 59) as u32)
    }

    /// A number in [0, 1), a multiple of 2^-32.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        f64::from(self.next_u32()) * STEP
    }

    /// True with probability `p`; never for `p <= 0`, always for `p >= 1`.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// A whole number below `bound` (0 for a bound of 0), by multiplication:
    /// biased by less than `bound` / 2^32.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.next_u32()) * u64::from(bound)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::Rng;

    #[test]
    fn published_reference_output() {
        // The demonstration of the reference C library: seed 42, stream 54.
        let mut random = Pcg32::new(42, 54);
        let expected = [
            0xa15c_02b7_u32,
            0x7b47_f409,
            0xba1d_3330,
            0x83d2_f293,
            0xbfa4_784b,
            0xcbed_606e,
        ];
        assert_eq!(expected.map(|_| random.next_u32()), expected);
    }

    #[test]
    fn agrees_with_rand_pcg() {
        let mut ours = Pcg32::new(0xdead_beef, 11);
        let mut theirs = rand_pcg::Pcg32::new(0xdead_beef, 11);
        for _ in 0..1000 {
            assert_eq!(ours.next_u32(), theirs.next_u32());
        }
    }

    #[test]
    fn bounds_hold() {
        let mut random = Pcg32::new(1, 1);
        for _ in 0..1000 {
            assert!((0.0..1.0).contains(&random.uniform()));
            assert!(random.below(7) < 7);
            assert!(!random.chance(0.0));
            assert!(random.chance(1.0));
        }
        assert_eq!(random.below(0), 0);
    }
}
