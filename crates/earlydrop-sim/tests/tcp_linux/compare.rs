//! How far a trace played here is from the kernel's.

use super::trace::Trace;

/// Times up to so many ns apart are equal: the kernel's clock advances when a process reads it.
const SLACK: u64 = 1000;

/// The first difference of a kind, and how many there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) differ: usize,
    pub(crate) of: usize,
    /// What differs first, in words.
    pub(crate) first: String,
}

impl Count {
    fn add(&mut self, equal: bool, text: impl FnOnce() -> String) {
        self.of += 1;
        if !equal {
            self.differ += 1;
            if self.differ == 1 {
                self.first = text();
            }
        }
    }
}

/// The differences of two traces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Differences {
    /// Transmissions, by ordinal: the segment, its time, its flags.
    pub(crate) transmissions: Count,
    /// `cwnd` and `ssthresh` after each acknowledgment while the kernel's state is Open or
    /// Disorder: during a reduction its `cwnd` is what PRR allows.
    pub(crate) windows: Count,
}

/// Compares a trace played here with the kernel's.
pub(crate) fn compare(kernel: &Trace, ours: &Trace) -> Differences {
    let mut differences = Differences::default();
    for ordinal in 0..kernel.sent.len().max(ours.sent.len()) {
        let (one, other) = (kernel.sent.get(ordinal), ours.sent.get(ordinal));
        let equal = one.zip(other).is_some_and(|(one, other)| {
            let same =
                (one.number, one.cwr, one.capable) == (other.number, other.cwr, other.capable);
            same && one.at.abs_diff(other.at) <= SLACK
        });
        differences.transmissions.add(equal, || {
            format!(
                "transmission {}: kernel {one:?}, here {other:?}",
                ordinal + 1
            )
        });
    }
    for (index, state) in ours.states.iter().enumerate() {
        // Of several acknowledgments at once the kernel's trace has the state after the last.
        let next = ours.states.get(index + 1);
        if next.is_some_and(|next| next.at == state.at) {
            continue;
        }
        let Some(kernel) = kernel.state_at(state.at + SLACK) else {
            continue;
        };
        if kernel.state > 1 {
            continue;
        }
        let equal = (kernel.cwnd, kernel.ssthresh) == (state.cwnd, state.ssthresh);
        differences.windows.add(equal, || {
            format!(
                "at {} ns: kernel {}/{:?}, here {}/{:?}",
                state.at, kernel.cwnd, kernel.ssthresh, state.cwnd, state.ssthresh
            )
        });
    }
    differences
}
