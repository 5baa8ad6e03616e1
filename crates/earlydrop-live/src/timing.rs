//! Clock, timer slack, and waiting for deadlines.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use earlydrop::units::Nanos;
use nix::poll::{PollFd, ppoll};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeSpec, TimeValLike};

/// Time since the start of the session, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    started: Instant,
    /// Start of the session, in nanoseconds since 1970.
    began: Nanos,
}

impl Clock {
    pub(crate) fn start() -> Clock {
        let began = SystemTime::now().duration_since(UNIX_EPOCH);
        Clock {
            started: Instant::now(),
            began: Nanos(began.map_or(0, |since| since.as_nanos() as u64)),
        }
    }

    #[inline]
    pub(crate) fn now(&self) -> Nanos {
        Nanos(self.started.elapsed().as_nanos() as u64)
    }

    /// Converts a time of this clock to nanoseconds since 1970.
    pub(crate) fn since_1970(&self, at: Nanos) -> Nanos {
        self.began + at
    }
}

/// Lets the kernel delay this thread's timers by at most 1 ns: PR_SET_TIMERSLACK, prctl(2).
pub(crate) fn minimize_timer_slack() -> nix::Result<()> {
    nix::sys::prctl::set_timerslack(1)
}

/// CPU time, user and system, that this process or thread has used.
pub(crate) fn cpu_time(whose: UsageWho) -> Nanos {
    getrusage(whose).map_or(Nanos::ZERO, |usage| {
        let time = usage.user_time() + usage.system_time();
        Nanos(time.num_nanoseconds().max(0) as u64)
    })
}

/// The kernel wakes a sleeping thread some tens of microseconds late, so the thread spins
/// for this long before a deadline.
const SPIN_TIME: Nanos = Nanos::from_micros(60);

/// Spins between two calls of ppoll(2), which check for packets and signals.
const SPINS_PER_POLL: u32 = 64;

/// Waits for deadlines and packets: sleeps in ppoll(2), then spins.
#[derive(Debug, Default)]
pub(crate) struct DeadlineWaiter {
    turns: u32,
}

impl DeadlineWaiter {
    /// Waits until one of `fds` is readable or `deadline` is near. Returns whether `fds` was
    /// polled.
    pub(crate) fn wait(
        &mut self,
        clock: &Clock,
        deadline: Nanos,
        fds: &mut [PollFd<'_>],
    ) -> nix::Result<bool> {
        let left = deadline.since(clock.now());
        if left <= SPIN_TIME {
            self.turns += 1;
            if self.turns < SPINS_PER_POLL {
                std::hint::spin_loop();
                return Ok(false);
            }
        }
        self.turns = 0;
        let sleep = left.since(SPIN_TIME).0;
        let sleep = TimeSpec::new(
            (sleep / 1_000_000_000) as i64,
            (sleep % 1_000_000_000) as i64,
        );
        match ppoll(fds, Some(sleep), None) {
            Ok(_) => Ok(true),
            Err(nix::Error::EINTR) => Ok(false),
            Err(problem) => Err(problem),
        }
    }
}
