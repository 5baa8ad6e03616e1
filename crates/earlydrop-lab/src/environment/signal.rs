//! A number that threads wait for, without the cost of sleeping where the wait is short.

use std::hint;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a thread watches the number before it sleeps: about what it costs to wake one, so a
/// wait takes at most twice what it would have taken had its length been known.
const WATCH: Duration = Duration::from_micros(100);

/// How often it looks before it offers its core to other threads.
const LOOKS: usize = 64;

/// A number that threads change and wait for.
#[derive(Debug, Default)]
pub(super) struct Signal {
    value: AtomicUsize,
    /// Threads that sleep, or are about to.
    sleepers: AtomicUsize,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Signal {
    /// Sets the number.
    pub(super) fn set(&self, value: usize) {
        self.value.store(value, Ordering::SeqCst);
        self.wake();
    }

    /// Adds one to the number.
    pub(super) fn add_one(&self) {
        self.value.fetch_add(1, Ordering::SeqCst);
        self.wake();
    }

    /// Waits for a number that is `wanted`, and returns it. What a thread did before it set the
    /// number is done.
    pub(super) fn wait(&self, wanted: impl Fn(usize) -> bool) -> usize {
        self.watch(&wanted).unwrap_or_else(|| self.sleep(&wanted))
    }

    fn watch(&self, wanted: &impl Fn(usize) -> bool) -> Option<usize> {
        let mut begun = None;
        loop {
            for _ in 0..LOOKS {
                let value = self.value.load(Ordering::SeqCst);
                if wanted(value) {
                    return Some(value);
                }
                hint::spin_loop();
            }
            if begun.get_or_insert_with(Instant::now).elapsed() > WATCH {
                return None;
            }
            // Where threads outnumber cores, the one that is waited for may need this core.
            thread::yield_now();
        }
    }

    /// In the one order that all threads agree on, either the sleeper is counted before the
    /// number changes, and is woken, or it sees the change before it sleeps.
    fn sleep(&self, wanted: &impl Fn(usize) -> bool) -> usize {
        let mut guard = self.guard();
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        let value = loop {
            let value = self.value.load(Ordering::SeqCst);
            if wanted(value) {
                break value;
            }
            let woken = self.changed.wait(guard);
            guard = woken.unwrap_or_else(PoisonError::into_inner);
        };
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
        value
    }

    fn wake(&self) {
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            let _guard = self.guard();
            self.changed.notify_all();
        }
    }

    fn guard(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a thread sleeps here.
    #[cfg(test)]
    pub(super) fn wait_for_sleepers(&self, count: usize) {
        while self.sleepers.load(Ordering::SeqCst) < count {
            thread::yield_now();
        }
        // It holds the lock until it sleeps.
        drop(self.guard());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_watch_and_those_that_sleep_get_the_number() {
        let signal = Signal::default();
        thread::scope(|scope| {
            let wait = || signal.wait(|value| value >= 2);
            let sleeping = [scope.spawn(wait), scope.spawn(wait)];
            signal.wait_for_sleepers(2);
            signal.add_one();
            signal.wait_for_sleepers(2);
            signal.add_one();
            let seen = sleeping.map(|thread| thread.join().unwrap());
            assert_eq!(seen, [2, 2]);
        });
        assert_eq!(signal.wait(|value| value == 2), 2);
    }

    /// Two threads that answer each other lose no change, however they meet.
    #[test]
    fn no_change_is_missed() {
        let (ping, pong) = (Signal::default(), Signal::default());
        let rounds = 20_000;
        thread::scope(|scope| {
            scope.spawn(|| {
                for round in 1..=rounds {
                    ping.wait(|value| value >= round);
                    pong.set(round);
                }
            });
            for round in 1..=rounds {
                // Now and then, the other thread sleeps.
                if round % 1000 == 0 {
                    ping.wait_for_sleepers(1);
                }
                ping.add_one();
                assert_eq!(pong.wait(|value| value >= round), round);
            }
        });
    }
}
