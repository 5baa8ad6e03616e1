//! The bottleneck between two devices: one thread takes packets from each, lets a direction
//! decide when they arrive, and writes them to the other.

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
use crate::pool::{Frame, MOST, Pool};
use crate::stats::{Counts, DeviceCounts, DeviceTally, Lateness, LatenessHistogram, Sample};
use crate::timing::{Clock, DeadlineWaiter};

/// The names of directions.
pub(crate) const NAMES: [&str; 2] = ["up", "down"];

/// Packets read from one device before the other has its turn; a burst is read whole.
const BATCH: usize = 64;

/// Buffers for what waits in queues.
const WAITING: usize = 32_768;

#[derive(Debug)]
pub(crate) struct Emulator<W = Direction> {
    /// The near end's device, the far end's.
    devices: [Device; 2],
    intakes: [BatchReader; 2],
    /// Up leads from the first to the second.
    ways: [W; 2],
    ends: [DeviceTally; 2],
    pool: Pool,
    train: WriteBatch,
    lateness: LatenessHistogram,
    /// From when on lateness counts.
    from: Nanos,
    clock: Clock,
    pacer: DeadlineWaiter,
}

/// Who sees every packet that leaves a transmitter: the direction's number, when, and what.
pub(crate) type CaptureFn<'a> = dyn FnMut(usize, Nanos, &[u8]) + 'a;

/// A direction's packets, for a watcher.
pub(crate) struct CaptureTap<'a, 'b>(pub(crate) usize, pub(crate) &'a mut CaptureFn<'b>);

impl Tap for CaptureTap<'_, '_> {
    fn left(&mut self, at: Nanos, bytes: &[u8]) {
        (self.1)(self.0, at, bytes);
    }
}

/// What lies between two devices in one direction: a [`Direction`], and what is around it.
pub(crate) trait ForwardingPath {
    /// A packet has been read at `now`.
    fn take(&mut self, now: Nanos, frame: Frame, pool: &mut Pool, tap: &mut CaptureTap<'_, '_>);
    /// A packet has been read that the scheme does not judge, as on bridges.
    fn pass(&mut self, now: Nanos, frame: Frame, pool: &mut Pool, tap: &mut CaptureTap<'_, '_>) {
        self.take(now, frame, pool, tap);
    }
    /// Does what is due by `now`.
    fn advance(&mut self, now: Nanos, pool: &mut Pool, tap: &mut CaptureTap<'_, '_>);
    /// The next packet that has arrived by `now`, and when it did.
    fn arrived(&mut self, now: Nanos) -> Option<(Nanos, Frame)>;
    /// A packet has been written at `at`, or the device would not take it.
    fn written(&mut self, _at: Nanos, _frame: &Frame, _taken: bool) {}
    /// When it must be looked after again.
    fn next(&self) -> Nanos;
}

impl ForwardingPath for Direction {
    fn take(&mut self, now: Nanos, frame: Frame, pool: &mut Pool, tap: &mut CaptureTap<'_, '_>) {
        self.offer(now, frame, pool, tap);
    }

    fn pass(&mut self, now: Nanos, frame: Frame, pool: &mut Pool, tap: &mut CaptureTap<'_, '_>) {
        Direction::pass(self, now, frame, pool, tap);
    }

    fn advance(&mut self, now: Nanos, pool: &mut Pool, tap: &mut CaptureTap<'_, '_>) {
        Direction::advance(self, now, pool, tap);
    }

    fn arrived(&mut self, now: Nanos) -> Option<(Nanos, Frame)> {
        Direction::arrived(self, now)
    }

    fn next(&self) -> Nanos {
        Direction::next(self)
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
        // Each direction has seeds of its own.
        let directions = [
            build(0, &plan.up, plan.seed.wrapping_mul(2))?,
            build(1, &plan.down, plan.seed.wrapping_mul(2).wrapping_add(1))?,
        ];
        let slots = slots(plan.up.on_the_wire() + plan.down.on_the_wire());
        Ok(Emulator::between(
            devices,
            directions,
            slots,
            clock,
            Nanos::ZERO,
        ))
    }

    /// Both directions as they are now.
    pub(crate) fn sample(&mut self, watcher: &mut CaptureFn<'_>) -> [Sample; 2] {
        let now = self.clock.now();
        [0, 1].map(|index| {
            let direction = &mut self.ways[index];
            direction.advance(now, &mut self.pool, &mut CaptureTap(index, watcher));
            Sample::of(NAMES[index], direction, &self.ends[index], now)
        })
    }

    pub(crate) fn counts(&self) -> [Counts; 2] {
        [0, 1].map(|index| Counts::of(&self.ways[index], &self.ends[index]))
    }
}

/// How many buffers there are where so many packets may be on their way beside those that
/// wait in queues.
pub(crate) fn slots(on_their_way: usize) -> u32 {
    (WAITING + on_their_way).min(MOST) as u32
}

impl<W: ForwardingPath> Emulator<W> {
    /// Ways between devices, with so many buffers; lateness counts `from` then on.
    pub(crate) fn between(
        devices: [Device; 2],
        ways: [W; 2],
        slots: u32,
        clock: Clock,
        from: Nanos,
    ) -> Emulator<W> {
        Emulator {
            devices,
            ways,
            intakes: [BatchReader::new(), BatchReader::new()],
            ends: [DeviceTally::default(); 2],
            pool: Pool::new(slots),
            train: WriteBatch::new(),
            lateness: LatenessHistogram::new(),
            from,
            clock,
            pacer: DeadlineWaiter::default(),
        }
    }

    /// Waits until there is something to do, `until` at the latest, and does it; answers
    /// whether `control` can be read.
    pub(crate) fn turn(
        &mut self,
        until: Nanos,
        control: BorrowedFd<'_>,
        watcher: &mut CaptureFn<'_>,
    ) -> Result<bool, LiveError> {
        let next = self.ways.iter().map(ForwardingPath::next).min();
        let deadline = next.map_or(until, |next| next.min(until));
        let [near, far] = &self.devices;
        let mut fds = [near.fd(), far.fd(), control].map(|fd| PollFd::new(fd, PollFlags::POLLIN));
        let asked = self.pacer.wait(&self.clock, deadline, &mut fds);
        let asked = asked.context("waiting for packets")?;
        let can_be_read = |fd: &PollFd<'_>| fd.any().unwrap_or(false);
        // Reading in vain costs less than asking first.
        let ready = [&fds[0], &fds[1]].map(|fd| !asked || can_be_read(fd));
        let controlled = asked && can_be_read(&fds[2]);
        for (index, _) in ready.iter().enumerate().filter(|(_, ready)| **ready) {
            self.take(index, watcher).context("reading a packet")?;
        }
        for index in 0..self.ways.len() {
            self.deliver(index, watcher);
        }
        Ok(controlled)
    }

    /// Takes what waits at the beginning of a direction.
    fn take(&mut self, index: usize, watcher: &mut CaptureFn<'_>) -> io::Result<()> {
        let mut packets = 0;
        while packets < BATCH {
            let (way, ends) = (&mut self.ways[index], &mut self.ends[index]);
            let intake = &mut self.intakes[index];
            let came = intake.take(&self.devices[index], &mut self.pool)?;
            match came {
                ReadOutcome::Nothing => break,
                ReadOutcome::Malformed => ends.malformed += 1,
                ReadOutcome::Oversized => ends.oversized += 1,
                ReadOutcome::Passing => ends.passed += 1,
                ReadOutcome::Packets { unbuffered } => ends.unbuffered += unbuffered,
            }
            ends.taken += 1;
            packets += intake.frames.len().max(1);
            let (now, tap) = (self.clock.now(), &mut CaptureTap(index, watcher));
            for frame in intake.frames.drain(..) {
                match came {
                    ReadOutcome::Passing => way.pass(now, frame, &mut self.pool, tap),
                    _ => way.take(now, frame, &mut self.pool, tap),
                }
            }
        }
        Ok(())
    }

    /// Writes what has arrived at the end of a direction.
    fn deliver(&mut self, index: usize, watcher: &mut CaptureFn<'_>) {
        let now = self.clock.now();
        self.ways[index].advance(now, &mut self.pool, &mut CaptureTap(index, watcher));
        while let Some((due, frame)) = self.ways[index].arrived(now) {
            if !self.train.takes(due, &frame) {
                self.depart(index);
            }
            self.train.add(due, frame);
        }
        self.depart(index);
    }

    /// Hands what goes together to the device at the end of a direction.
    fn depart(&mut self, index: usize) {
        if self.train.is_empty() {
            return;
        }
        let at = self.clock.now();
        let ends = &mut self.ends[index];
        let taken = self.train.write(&self.devices[1 - index], &mut self.pool);
        ends.handed += u64::from(taken);
        for (due, frame) in self.train.leave() {
            if due >= self.from {
                self.lateness.record(at.since(due));
            }
            if taken {
                ends.delivered += 1;
                ends.delivered_bytes += u64::from(frame.header.length);
            } else {
                ends.refused += 1;
            }
            self.ways[index].written(at, &frame, taken);
            self.pool.give_back(frame.slot);
        }
    }

    pub(crate) fn lateness(&self) -> Lateness {
        self.lateness.read()
    }

    pub(crate) fn lateness_meter(&self) -> &LatenessHistogram {
        &self.lateness
    }

    pub(crate) fn ends(&self) -> &[DeviceTally; 2] {
        &self.ends
    }

    /// Time zero is now.
    pub(crate) fn start(&mut self) -> Clock {
        self.clock = Clock::start();
        self.clock
    }

    pub(crate) fn into_ways(self) -> [W; 2] {
        self.ways
    }

    pub(crate) fn ways(&mut self) -> (&mut [W; 2], &mut Pool) {
        (&mut self.ways, &mut self.pool)
    }

    /// What the kernel has counted of both devices.
    pub(crate) fn counted(&mut self) -> io::Result<[DeviceCounts; 2]> {
        let [near, far] = &mut self.devices;
        Ok([near.counts()?, far.counts()?])
    }
}
