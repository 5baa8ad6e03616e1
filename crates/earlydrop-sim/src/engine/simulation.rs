//! The event loop: takes each event when it is due, and lets the parts do what follows.

use earlydrop::units::Nanos;

use super::accounts::Accounts;
use super::event::{Event, Scheduler, Task};
use super::flows::Flows;
use super::links::Links;
use super::route::RouteTable;

/// A run in progress.
///
/// [`Run::start`](crate::run::Run::start) builds it.
#[derive(Clone, Debug)]
pub struct Simulation {
    pub(super) scheduler: Scheduler,
    pub(super) links: Links,
    pub(super) routes: RouteTable,
    pub(super) flows: Flows,
    pub(super) accounts: Accounts,
    /// How long transfers that began in the time measured may go on after the end.
    pub(super) goes_on_for: Nanos,
}

impl Simulation {
    /// The time reached.
    pub fn now(&self) -> Nanos {
        self.scheduler.now
    }

    /// Runs all events up to `until`, but not beyond the run's end.
    pub fn run_until(&mut self, until: Nanos) {
        self.run_events(until, u64::MAX);
    }

    /// Runs events up to `until`, but at most this many, and returns whether `until` is reached.
    ///
    /// Whoever must answer between events, to a Ctrl-C for instance, calls this in a loop: how
    /// long a span of simulated time takes is not known before.
    pub fn run_events(&mut self, until: Nanos, at_most: u64) -> bool {
        let until = until.min(self.scheduler.end);
        let last = self.accounts.totals.events.saturating_add(at_most);
        while self.accounts.totals.events < last {
            let Some((now, event)) = self.scheduler.events.pop_until(until) else {
                self.scheduler.now = until;
                return true;
            };
            self.scheduler.now = now;
            self.accounts.totals.events += 1;
            self.flows.prefetch_due(&mut self.scheduler);
            if event.is_packet() {
                self.resume(event.packet(), now);
            } else {
                self.perform(event);
            }
        }
        false
    }

    #[inline(never)]
    fn perform(&mut self, event: Event) {
        match event.task() {
            Some(Task::Wake(flow)) => self.on_wake(flow),
            Some(Task::Drain(port)) => self.on_drain(port),
            Some(Task::Change(index)) => self.on_change(index),
            Some(Task::Pause {
                port,
                class,
                pauses,
            }) => self.on_pause(port, class, pauses),
            Some(Task::Sample) => self.flows.on_sample(&mut self.scheduler),
            None => {}
        }
    }
}
