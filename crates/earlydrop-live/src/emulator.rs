//! The bottleneck between two devices: one thread takes packets from each, lets a direction
//! decide when they arrive, and writes them to the other.

use std::io;
use std::os::fd::BorrowedFd;

use earlydrop::units::Nanos;
use nix::poll::{PollFd, PollFlags};

use crate::LiveError;
use crate::device::{Arrival, Device};
use crate::direction::{Direction, Tap};
use crate::error::Doing;
use crate::pace::{Clock, Pacer};
use crate::plan::Bottleneck;
use crate::pool::{Frame, MOST, Pool};
use crate::stats::{Counts, DeviceCounts, Ends, Lateness, LatenessMeter, Sample};

/// The names of directions.
pub(crate) const NAMES: [&str; 2] = ["up", "down"];

/// Packets read from one device before the other has its turn.
const BATCH: usize = 64;

/// Buffers for what waits in queues.
const WAITING: usize = 32_768;

#[derive(Debug)]
pub(crate) struct Emulator {
    /// The near end's device, the far end's.
    devices: [Device; 2],
    /// Up leads from the first to the second.
    directions: [Direction; 2],
    ends: [Ends; 2],
    pool: Pool,
    lateness: LatenessMeter,
    clock: Clock,
    pacer: Pacer,
}

/// Who sees every packet that leaves a transmitter: the direction's number, when, and what.
pub(crate) type Watcher<'a> = dyn FnMut(usize, Nanos, &[u8]) + 'a;

/// A direction's packets, for a watcher.
struct Watched<'a, 'b>(usize, &'a mut Watcher<'b>);

impl Tap for Watched<'_, '_> {
    fn left(&mut self, at: Nanos, bytes: &[u8]) {
        (self.1)(self.0, at, bytes);
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
        let slots = WAITING + plan.up.on_the_wire() + plan.down.on_the_wire();
        Ok(Emulator {
            devices,
            // Each direction has seeds of its own.
            directions: [
                build(0, &plan.up, plan.seed.wrapping_mul(2))?,
                build(1, &plan.down, plan.seed.wrapping_mul(2).wrapping_add(1))?,
            ],
            ends: [Ends::default(); 2],
            pool: Pool::new(slots.min(MOST) as u32),
            lateness: LatenessMeter::new(),
            clock,
            pacer: Pacer::default(),
        })
    }

    /// Waits until there is something to do, `until` at the latest, and does it; answers
    /// whether `control` can be read.
    pub(crate) fn turn(
        &mut self,
        until: Nanos,
        control: BorrowedFd<'_>,
        watcher: &mut Watcher<'_>,
    ) -> Result<bool, LiveError> {
        let next = self.directions.iter().map(Direction::next).min();
        let deadline = next.map_or(until, |next| next.min(until));
        let [near, far] = &self.devices;
        let mut fds = [near.fd(), far.fd(), control].map(|fd| PollFd::new(fd, PollFlags::POLLIN));
        let asked = self.pacer.wait(&self.clock, deadline, &mut fds);
        let asked = asked.doing("waiting for packets")?;
        let can_be_read = |fd: &PollFd<'_>| fd.any().unwrap_or(false);
        // Reading in vain costs less than asking first.
        let ready = [&fds[0], &fds[1]].map(|fd| !asked || can_be_read(fd));
        let controlled = asked && can_be_read(&fds[2]);
        for (index, _) in ready.iter().enumerate().filter(|(_, ready)| **ready) {
            self.take(index, watcher).doing("reading a packet")?;
        }
        for index in 0..self.directions.len() {
            self.deliver(index, watcher);
        }
        Ok(controlled)
    }

    /// Takes what waits at the beginning of a direction.
    fn take(&mut self, index: usize, watcher: &mut Watcher<'_>) -> io::Result<()> {
        for _ in 0..BATCH {
            let Some(slot) = self.pool.take() else {
                return self.turn_away(index);
            };
            let Some(arrival) = self.devices[index].read(self.pool.buffer(slot))? else {
                self.pool.give_back(slot);
                break;
            };
            let (direction, ends) = (&mut self.directions[index], &mut self.ends[index]);
            let (now, tap) = (self.clock.now(), &mut Watched(index, watcher));
            match arrival {
                Arrival::Packet(place, header) => {
                    let frame = Frame::new(slot, header).lying(place);
                    direction.offer(now, frame, &mut self.pool, tap);
                }
                Arrival::Passing(place, header) => {
                    let frame = Frame::new(slot, header).lying(place);
                    direction.pass(now, frame, &mut self.pool, tap);
                    ends.passed += 1;
                }
                Arrival::Malformed => {
                    ends.malformed += 1;
                    self.pool.give_back(slot);
                }
                Arrival::Oversized => {
                    ends.oversized += 1;
                    self.pool.give_back(slot);
                }
            }
        }
        Ok(())
    }

    /// Reads a packet that there is no room for.
    fn turn_away(&mut self, index: usize) -> io::Result<()> {
        if self.devices[index].read(&mut [0; 64])?.is_some() {
            self.ends[index].unbuffered += 1;
        }
        Ok(())
    }

    /// Writes what has arrived at the end of a direction.
    fn deliver(&mut self, index: usize, watcher: &mut Watcher<'_>) {
        let now = self.clock.now();
        let direction = &mut self.directions[index];
        direction.advance(now, &mut self.pool, &mut Watched(index, watcher));
        while let Some((due, frame)) = direction.arrived(now) {
            let ends = &mut self.ends[index];
            self.lateness.record(self.clock.now().since(due));
            if self.devices[1 - index].write(self.pool.whole(&frame)) {
                ends.delivered += 1;
                ends.delivered_bytes += u64::from(frame.header.length);
            } else {
                ends.refused += 1;
            }
            self.pool.give_back(frame.slot);
        }
    }

    /// Both directions as they are now.
    pub(crate) fn sample(&mut self, watcher: &mut Watcher<'_>) -> [Sample; 2] {
        let now = self.clock.now();
        [0, 1].map(|index| {
            let direction = &mut self.directions[index];
            direction.advance(now, &mut self.pool, &mut Watched(index, watcher));
            Sample::of(NAMES[index], direction, &self.ends[index], now)
        })
    }

    pub(crate) fn counts(&self) -> [Counts; 2] {
        [0, 1].map(|index| Counts::of(&self.directions[index], &self.ends[index]))
    }

    pub(crate) fn lateness(&self) -> Lateness {
        self.lateness.read()
    }

    /// What the kernel has counted of both devices.
    pub(crate) fn counted(&mut self) -> io::Result<[DeviceCounts; 2]> {
        let [near, far] = &mut self.devices;
        Ok([near.counts()?, far.counts()?])
    }
}
