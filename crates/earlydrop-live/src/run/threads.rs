//! The two threads of a run, which begin and end together.

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
use super::layout::Layout;
use super::traffic::{TrafficGenerator, TrafficReport};
use crate::LiveError;
use crate::error::Context;

/// A run, and when to give it up.
pub(crate) struct Threads<'a> {
    pub(crate) run: &'a Run,
    pub(crate) layout: &'a Layout,
    pub(crate) book: &'a Arc<AddressPlan>,
    pub(crate) stop: &'a AtomicBool,
    /// One of the two threads has ended.
    pub(crate) over: AtomicBool,
}

/// What the traffic's thread hands over: the bottleneck, and a pipe that it closes when it
/// ends.
type Handed = (Bottleneck, OwnedFd);

/// Says that a thread has ended, however it does.
struct SaysOver<'a>(&'a AtomicBool);

impl Drop for SaysOver<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Threads<'_> {
    /// Runs both to their end; `None` where it is to stop.
    pub(crate) fn run(&self) -> Result<Option<(TrafficReport, BottleneckReport)>, LiveError> {
        let (give, take) = channel();
        let (seen, crossed) = thread::scope(|scope| {
            // Namespaces are a thread's own: the caller stays where it is.
            let traffic = scope.spawn(|| self.traffic(give));
            let bottleneck = scope.spawn(|| self.bottleneck(take));
            let seen = traffic.join().unwrap_or_else(|panic| resume_unwind(panic));
            let crossed = bottleneck
                .join()
                .unwrap_or_else(|panic| resume_unwind(panic));
            (seen, crossed)
        });
        // What goes wrong while it is given up, its devices being gone, is nothing to tell.
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let seen = seen?;
        Ok(crossed?.map(|crossed| (seen, crossed)))
    }

    fn traffic(&self, give: Sender<Handed>) -> Result<TrafficReport, LiveError> {
        let _over = SaysOver(&self.over);
        let (hosts, devices) = Hosts::new(self.run, self.book)?;
        let mut bottleneck = Bottleneck::new(self.run, self.layout, self.book, devices)?;
        let traffic = TrafficGenerator::new(self.run, hosts, self.book, &self.layout.from_near)?;
        let (closes, _closed_at_the_end) = pipe().context("making a pipe")?;
        let clock = bottleneck.start();
        // Who does not take it has ended, and has said so.
        let _ = give.send((bottleneck, closes));
        traffic.run(clock, &self.over)
    }

    fn bottleneck(&self, take: Receiver<Handed>) -> Result<Option<BottleneckReport>, LiveError> {
        let _over = SaysOver(&self.over);
        let Ok((bottleneck, traffic)) = take.recv() else {
            return Ok(None);
        };
        bottleneck.run(self.stop, traffic).map(Some)
    }
}
