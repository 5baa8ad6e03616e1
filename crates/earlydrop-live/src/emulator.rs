//! The emulator: one thread that reads packets from two devices, passes them through a
//! [`ForwardingPath`] in each direction, and writes them to the other device when they are
//! due.
//!
//! [`Emulator::poll`] is called in a loop, by sessions and bridges (`forwarding`) and by runs
//! on real hosts (`run::bottleneck`). It waits for a packet or the next deadline, reads up to
//! [`BATCH`] packets of each device, and writes what is due.

use std::io;
use std::os::fd::BorrowedFd;

use earlydrop::units::Nanos;
use nix::poll::{PollFd, PollFlags};

use crate::LiveError;
use crate::batch_read::{BatchReader, ReadOutcome};
use crate::batch_write::WriteBatch;
use crate::device::Device;
use crate::direction::{Direction, Tap};
use crate::error::Context;
use crate::plan::Bottleneck;
use crate::pool::{Frame, MAX_BUFFERS, Pool};
use crate::stats::{Counts, DeviceCounts, DeviceTally, Lateness, LatenessHistogram, Sample};
use crate::timing::{Clock, DeadlineWaiter};

/// Names of the directions, by index.
pub(crate) const NAMES: [&str; 2] = ["up", "down"];

/// Packets read from one device before the other is served; a GSO packet is read whole.
const BATCH: usize = 64;

/// Buffers for packets that wait in queues.
const QUEUE_BUFFERS: usize = 32_768;

#[derive(Debug)]
pub(crate) struct Emulator<W = Direction> {
    /// Device of the near end, device of the far end.
    devices: [Device; 2],
    readers: [BatchReader; 2],
    /// Path from the near to the far device, path back.
    paths: [W; 2],
    tallies: [DeviceTally; 2],
    pool: Pool,
    batch: WriteBatch,
    lateness: LatenessHistogram,
    /// Lateness is recorded from this time on.
    from: Nanos,
    clock: Clock,
    waiter: DeadlineWaiter,
    /// Devices that have gone down since they were asked about.
    went_down: [bool; 2],
}

/// Called with every packet that leaves a transmitter: direction, time, bytes.
pub(crate) type CaptureFn<'a> = dyn FnMut(usize, Nanos, &[u8]) + 'a;

/// Forwards the departures of one direction to a [`CaptureFn`].
pub(crate) struct CaptureTap<'a, 'b>(pub(crate) usize, pub(crate) &'a mut CaptureFn<'b>);

impl Tap for CaptureTap<'_, '_> {
    fn on_sent(&mut self, at: Nanos, bytes: &[u8]) {
        (self.1)(self.0, at, bytes);
    }
}

/// A path between two devices in one direction: a [`Direction`], and possibly links around it.
pub(crate) trait ForwardingPath {
    /// Accepts a packet that was read at `now`.
    fn receive(&mut self, now: Nanos, frame: Frame, pool: &mut Pool, tap: &mut CaptureTap<'_, '_>);
    /// Accepts a packet that bypasses the scheme, as on bridges.
    fn bypass(&mut self, now: Nanos, frame: Frame, pool: &mut Pool, tap: &mut CaptureTap<'_, '_>) {
        self.receive(now, frame, pool, tap);
    }
    /// Processes every event up to `now`.
    fn advance(&mut self, now: Nanos, pool: &mut Pool, tap: &mut CaptureTap<'_, '_>);
    /// Removes the next packet that is due by `now`, with the time it was due.
    fn pop_due(&mut self, now: Nanos) -> Option<(Nanos, Frame)>;
    /// Called when a packet was written at `at`, or when the device refused it.
    fn written(&mut self, _at: Nanos, _frame: &Frame, _accepted: bool) {}
    /// Time of the next event; `advance` must be called then.
    fn next_event(&self) -> Nanos;
}

impl ForwardingPath for Direction {
    fn receive(&mut self, now: Nanos, frame: Frame, pool: &mut Pool, tap: &mut CaptureTap<'_, '_>) {
        self.enqueue(now, frame, pool, tap);
    }

    fn bypass(&mut self, now: Nanos, frame: Frame, pool: &mut Pool, tap: &mut CaptureTap<'_, '_>) {
        Direction::bypass(self, now, frame, pool, tap);
    }

    fn advance(&mut self, now: Nanos, pool: &mut Pool, tap: &mut CaptureTap<'_, '_>) {
        Direction::advance(self, now, pool, tap);
    }

    fn pop_due(&mut self, now: Nanos) -> Option<(Nanos, Frame)> {
        Direction::pop_due(self, now)
    }

    fn next_event(&self) -> Nanos {
        Direction::next_event(self)
    }
}

impl Emulator {
    pub(crate) fn new(
        plan: &Bottleneck,
        devices: [Device; 2],
        clock: Clock,
    ) -> Result<Emulator, LiveError> {
        let build = |index: usize, plan: &crate::plan::Direction, seed| {
            Direction::new(plan, seed).map_err(|problem| LiveError::Queue {
                direction: NAMES[index],
                problem,
            })
        };
        // The two directions have different seeds.
        let directions = [
            build(0, &plan.up, plan.seed.wrapping_mul(2))?,
            build(1, &plan.down, plan.seed.wrapping_mul(2).wrapping_add(1))?,
        ];
        let buffers = buffer_count(plan.up.on_the_wire() + plan.down.on_the_wire());
        Ok(Emulator::with_paths(
            devices,
            directions,
            buffers,
            clock,
            Nanos::ZERO,
        ))
    }

    /// Samples both directions.
    pub(crate) fn sample(&mut self, capture: &mut CaptureFn<'_>) -> [Sample; 2] {
        let now = self.clock.now();
        [0, 1].map(|index| {
            let direction = &mut self.paths[index];
            direction.advance(now, &mut self.pool, &mut CaptureTap(index, capture));
            Sample::of(NAMES[index], direction, &self.tallies[index], now)
        })
    }

    pub(crate) fn counts(&self) -> [Counts; 2] {
        [0, 1].map(|index| Counts::of(&self.paths[index], &self.tallies[index]))
    }
}

/// Number of buffers: for queues, and for `on_wires` packets on wires.
pub(crate) fn buffer_count(on_wires: usize) -> u32 {
    (QUEUE_BUFFERS + on_wires).min(MAX_BUFFERS) as u32
}

impl<W: ForwardingPath> Emulator<W> {
    /// An emulator of these paths with so many buffers. Lateness is recorded from `from` on.
    pub(crate) fn with_paths(
        devices: [Device; 2],
        paths: [W; 2],
        buffers: u32,
        clock: Clock,
        from: Nanos,
    ) -> Emulator<W> {
        Emulator {
            devices,
            paths,
            readers: [BatchReader::new(), BatchReader::new()],
            tallies: [DeviceTally::default(); 2],
            pool: Pool::new(buffers),
            batch: WriteBatch::new(),
            lateness: LatenessHistogram::new(),
            from,
            clock,
            waiter: DeadlineWaiter::default(),
            went_down: [false; 2],
        }
    }

    /// Waits for a packet or a deadline, at most until `until`, then reads and writes packets.
    /// Returns whether `control` is readable.
    pub(crate) fn poll(
        &mut self,
        until: Nanos,
        control: BorrowedFd<'_>,
        capture: &mut CaptureFn<'_>,
    ) -> Result<bool, LiveError> {
        let next = self.paths.iter().map(ForwardingPath::next_event).min();
        let deadline = next.map_or(until, |next| next.min(until));
        let [near, far] = &self.devices;
        let mut fds = [near.fd(), far.fd(), control].map(|fd| PollFd::new(fd, PollFlags::POLLIN));
        let polled = self.waiter.wait(&self.clock, deadline, &mut fds);
        let polled = polled.context("waiting for packets")?;
        let can_be_read = |fd: &PollFd<'_>| fd.any().unwrap_or(false);
        // A read that finds nothing costs less than a poll before it.
        let ready = [&fds[0], &fds[1]].map(|fd| !polled || can_be_read(fd));
        let controlled = polled && can_be_read(&fds[2]);
        for (index, _) in ready.iter().enumerate().filter(|(_, ready)| **ready) {
            self.read_device(index, capture)
                .context("reading a packet")?;
        }
        for index in 0..self.paths.len() {
            self.write_device(index, capture);
        }
        Ok(controlled)
    }

    /// Reads the waiting packets of the device at the start of a direction, at most a batch.
    fn read_device(&mut self, index: usize, capture: &mut CaptureFn<'_>) -> io::Result<()> {
        let mut packets = 0;
        while packets < BATCH {
            let (path, tallies) = (&mut self.paths[index], &mut self.tallies[index]);
            let reader = &mut self.readers[index];
            let outcome = reader.read_next(&self.devices[index], &mut self.pool)?;
            match outcome {
                ReadOutcome::Nothing => break,
                ReadOutcome::Down => {
                    self.went_down[index] = true;
                    break;
                }
                ReadOutcome::Malformed => tallies.malformed += 1,
                ReadOutcome::Oversized => tallies.oversized += 1,
                ReadOutcome::Bypass => tallies.passed += 1,
                ReadOutcome::Packets { unbuffered } => tallies.unbuffered += unbuffered,
            }
            tallies.taken += 1;
            packets += reader.frames.len().max(1);
            let (now, tap) = (self.clock.now(), &mut CaptureTap(index, capture));
            for frame in reader.frames.drain(..) {
                match outcome {
                    ReadOutcome::Bypass => path.bypass(now, frame, &mut self.pool, tap),
                    _ => path.receive(now, frame, &mut self.pool, tap),
                }
            }
        }
        Ok(())
    }

    /// Writes the packets that are due to the device at the end of a direction.
    fn write_device(&mut self, index: usize, capture: &mut CaptureFn<'_>) {
        let now = self.clock.now();
        self.paths[index].advance(now, &mut self.pool, &mut CaptureTap(index, capture));
        while let Some((due, frame)) = self.paths[index].pop_due(now) {
            if !self.batch.accepts(due, &frame) {
                self.write_batch(index);
            }
            self.batch.add(due, frame);
        }
        self.write_batch(index);
    }

    /// Writes the current batch to the device at the end of a direction.
    fn write_batch(&mut self, index: usize) {
        if self.batch.is_empty() {
            return;
        }
        let at = self.clock.now();
        let tallies = &mut self.tallies[index];
        let accepted = self.batch.write(&self.devices[1 - index], &mut self.pool);
        tallies.handed += u64::from(accepted);
        for (due, frame) in self.batch.drain() {
            if due >= self.from {
                self.lateness.record(at.since(due));
            }
            if accepted {
                tallies.delivered += 1;
                tallies.delivered_bytes += u64::from(frame.header.length);
            } else {
                tallies.refused += 1;
            }
            self.paths[index].written(at, &frame, accepted);
            self.pool.give_back(frame.slot);
        }
    }

    pub(crate) fn lateness(&self) -> Lateness {
        self.lateness.read()
    }

    pub(crate) fn lateness_histogram(&self) -> &LatenessHistogram {
        &self.lateness
    }

    pub(crate) fn tallies(&self) -> &[DeviceTally; 2] {
        &self.tallies
    }

    /// Sets time zero to now.
    pub(crate) fn start(&mut self) -> Clock {
        self.clock = Clock::start();
        self.clock
    }

    pub(crate) fn into_paths(self) -> [W; 2] {
        self.paths
    }

    pub(crate) fn paths(&mut self) -> (&mut [W; 2], &mut Pool) {
        (&mut self.paths, &mut self.pool)
    }

    /// The kernel's counters of both devices.
    pub(crate) fn device_counts(&mut self) -> io::Result<[DeviceCounts; 2]> {
        let [near, far] = &mut self.devices;
        let [up, down] = &self.tallies;
        Ok([near.counts(down.handed)?, far.counts(up.handed)?])
    }

    /// Returns which devices have gone down since the last call.
    pub(crate) fn take_went_down(&mut self) -> [bool; 2] {
        std::mem::take(&mut self.went_down)
    }
}
