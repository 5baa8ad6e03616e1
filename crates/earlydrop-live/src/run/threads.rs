//! The two threads of a run, which start and end together.

use std::os::fd::OwnedFd;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use earlydrop_sim::Run;
use nix::unistd::pipe;

use super::addresses::AddressPlan;
use super::bottleneck::{Bottleneck, BottleneckReport};
use super::hosts::Hosts;
use super::topology::Topology;
use super::traffic::{TrafficGenerator, TrafficReport};
use crate::LiveError;
use crate::error::Context;

/// A run, and the flags that end it.
pub(crate) struct Threads<'a> {
    pub(crate) run: &'a Run,
    pub(crate) topology: &'a Topology,
    pub(crate) addresses: &'a Arc<AddressPlan>,
    pub(crate) stop: &'a AtomicBool,
    /// Set when one of the two threads has ended.
    pub(crate) ended: AtomicBool,
}

/// What the traffic thread passes to the bottleneck thread: the bottleneck, and the read end
/// of a pipe that pipe_reader when the traffic thread ends.
type Handoff = (Bottleneck, OwnedFd);

/// Sets a flag when a thread ends, even by a panic.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Threads<'_> {
    /// Runs both threads to their end; `None` if the run was stopped.
    pub(crate) fn run(&self) -> Result<Option<(TrafficReport, BottleneckReport)>, LiveError> {
        let (sender, receiver) = channel();
        let (traffic, report) = thread::scope(|scope| {
            // A namespace belongs to a thread: the calling thread stays in its own.
            let traffic = scope.spawn(|| self.traffic(sender));
            let bottleneck = scope.spawn(|| self.bottleneck(receiver));
            let traffic = traffic.join().unwrap_or_else(|panic| resume_unwind(panic));
            let report = bottleneck
                .join()
                .unwrap_or_else(|panic| resume_unwind(panic));
            (traffic, report)
        });
        // Errors while a run is stopped follow from closing its devices; they are not reported.
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let traffic = traffic?;
        Ok(report?.map(|report| (traffic, report)))
    }

    fn traffic(&self, sender: Sender<Handoff>) -> Result<TrafficReport, LiveError> {
        let _over = SetOnDrop(&self.ended);
        let (hosts, devices) = Hosts::new(self.run, self.addresses)?;
        let mut bottleneck = Bottleneck::new(self.run, self.topology, self.addresses, devices)?;
        let traffic =
            TrafficGenerator::new(self.run, hosts, self.addresses, &self.topology.from_near)?;
        let (pipe_reader, _pipe_writer) = pipe().context("making a pipe")?;
        let clock = bottleneck.start();
        // Fails only if the other thread has ended, which sets `ended`.
        let _ = sender.send((bottleneck, pipe_reader));
        traffic.run(clock, &self.ended)
    }

    fn bottleneck(
        &self,
        receiver: Receiver<Handoff>,
    ) -> Result<Option<BottleneckReport>, LiveError> {
        let _over = SetOnDrop(&self.ended);
        let Ok((bottleneck, traffic)) = receiver.recv() else {
            return Ok(None);
        };
        bottleneck.run(self.stop, traffic).map(Some)
    }
}
