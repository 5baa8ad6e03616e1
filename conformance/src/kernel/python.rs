//! The numbers that Python's `random` draws, so that arrivals need no Python.
//!
//! M. Matsumoto, T. Nishimura, "Mersenne Twister", ACM TOMACS 8(1), 1998, with the seeding by
//! an array of its 2002 version; the distributions are those documented for Python 3.

const SIZE: usize = 624;
const MIDDLE: usize = 397;

/// Python's `random.Random(seed)`.
pub(crate) struct PythonRandom {
    state: [u32; SIZE],
    next: usize,
}

impl PythonRandom {
    /// Seeded by a number below 2^32.
    pub(crate) fn new(seed: u32) -> PythonRandom {
        let mut state = [0_u32; SIZE];
        state[0] = 19_650_218;
        for i in 1..SIZE {
            state[i] = mix(state[i - 1], 1_812_433_253).wrapping_add(i as u32);
        }
        // Seeding by an array of one number.
        let mut i = 1;
        for _ in 0..SIZE {
            state[i] = (state[i] ^ mix(state[i - 1], 1_664_525)).wrapping_add(seed);
            i = following(&mut state, i);
        }
        for _ in 1..SIZE {
            state[i] = (state[i] ^ mix(state[i - 1], 1_566_083_941)).wrapping_sub(i as u32);
            i = following(&mut state, i);
        }
        state[0] = 1 << 31;
        PythonRandom { state, next: SIZE }
    }

    fn twist(&mut self) {
        for i in 0..SIZE {
            let (here, there) = (self.state[i], self.state[(i + 1) % SIZE]);
            let joined = (here & (1 << 31)) | (there & !(1 << 31));
            let odd = (there & 1) * 0x9908_b0df;
            self.state[i] = self.state[(i + MIDDLE) % SIZE] ^ (joined >> 1) ^ odd;
        }
        self.next = 0;
    }

    fn bits32(&mut self) -> u32 {
        if self.next == SIZE {
            self.twist();
        }
        let mut y = self.state[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// `random()`: in [0, 1), of 53 bits.
    fn unit(&mut self) -> f64 {
        let (high, low) = (self.bits32() >> 5, self.bits32() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    /// `expovariate(rate)`.
    pub(crate) fn exponential(&mut self, rate: f64) -> f64 {
        -libm::log(1.0 - self.unit()) / rate
    }

    /// `uniform(low, high)`.
    pub(crate) fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// `choices(range(len(weights)), weights)[0]`.
    pub(crate) fn weighted(&mut self, weights: &[f64]) -> usize {
        let total: f64 = weights.iter().sum();
        let wanted = self.unit() * total;
        let mut sum = 0.0;
        let above = |weight: &f64| {
            sum += weight;
            wanted < sum
        };
        weights[..weights.len() - 1]
            .iter()
            .position(above)
            .unwrap_or(weights.len() - 1)
    }

    /// `randrange(low, high)`.
    pub(crate) fn range(&mut self, low: u32, high: u32) -> u32 {
        let width = high - low;
        let bits = u32::BITS - width.leading_zeros();
        loop {
            let drawn = self.bits32() >> (u32::BITS - bits);
            if drawn < width {
                return low + drawn;
            }
        }
    }
}

fn mix(before: u32, factor: u32) -> u32 {
    (before ^ (before >> 30)).wrapping_mul(factor)
}

/// The place after `i`; past the end the last number becomes the first.
fn following(state: &mut [u32; SIZE], i: usize) -> usize {
    if i + 1 < SIZE {
        return i + 1;
    }
    state[0] = state[SIZE - 1];
    1
}
