//! The forwarding loop that sessions and bridges share: packets between two devices, samples,
//! statistics, and signals.

mod recorder;

use std::os::fd::AsFd;

use earlydrop::units::Nanos;
use nix::libc::signalfd_siginfo;
use nix::sys::resource::UsageWho;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use crate::LiveError;
use crate::device::Device;
use crate::emulator::Emulator;
use crate::error::Context;
use crate::plan::Bottleneck;
use crate::stats::{Sample, Summary, lateness_limit};
use crate::timing::{Clock, cpu_time, minimize_timer_slack};
use recorder::Recorder;

pub use recorder::Files;

/// Handles the events of the forwarding loop and decides when it ends.
pub(crate) trait LoopHandler {
    /// A signal has arrived; returns the exit code if it ends the loop.
    fn signalled(&mut self, signal: &signalfd_siginfo) -> Option<i32>;
    /// Samples of both directions, ten times a second.
    fn sampled(&mut self, samples: &[Sample; 2]);
    /// Called after each sample with the devices that have gone down since the last one; returns
    /// the exit code if that ends the loop.
    fn went_down(&mut self, _devices: [bool; 2]) -> Result<Option<i32>, LiveError> {
        Ok(None)
    }
}

/// The result of a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The command's exit code; 128 plus the signal's number if a signal ended it.
    pub code: i32,
    /// Counters and lateness of the whole session.
    pub summary: Summary,
}

/// Time between two samples.
const SAMPLE_INTERVAL: Nanos = Nanos::from_millis(100);

pub(crate) struct ForwardingLoop {
    emulator: Emulator,
    clock: Clock,
    recorder: Recorder,
    /// Largest 99th percentile of lateness of a trustworthy session.
    tolerated: Nanos,
    /// CPU time of the process when the loop was created.
    cpu: Nanos,
}

impl ForwardingLoop {
    /// Creates the files; from now on packets wait in the devices.
    pub(crate) fn new(
        bottleneck: &Bottleneck,
        devices: [Device; 2],
        files: &Files,
    ) -> Result<ForwardingLoop, LiveError> {
        let clock = Clock::start();
        minimize_timer_slack().context("setting the timer's slack")?;
        Ok(ForwardingLoop {
            recorder: Recorder::create(files, devices[0].layer(), clock)?,
            emulator: Emulator::new(bottleneck, devices, clock)?,
            clock,
            tolerated: lateness_limit(bottleneck),
            cpu: cpu_time(UsageWho::RUSAGE_SELF),
        })
    }

    /// Forwards packets until `handler` ends the loop, or until the clock shows `until`.
    pub(crate) fn run(
        mut self,
        until: Nanos,
        signals: &SignalFd,
        handler: &mut dyn LoopHandler,
    ) -> Result<Outcome, LiveError> {
        let mut next_sample = self.clock.now() + SAMPLE_INTERVAL;
        let mut code = None;
        while code.is_none() && self.clock.now() < until {
            let recorder = &mut self.recorder;
            let mut capture = |index, at, bytes: &[u8]| recorder.packet(index, at, bytes);
            let wake = next_sample.min(until);
            if self.emulator.poll(wake, signals.as_fd(), &mut capture)? {
                code = handle_signals(signals, handler);
            }
            if self.clock.now() >= next_sample {
                self.sample(handler)?;
                let ends = handler.went_down(self.emulator.take_went_down())?;
                code = code.or(ends);
                next_sample = (next_sample + SAMPLE_INTERVAL).max(self.clock.now());
            }
        }
        self.sample(handler)?;
        let summary = self.summary()?;
        self.recorder.end(&summary)?;
        let code = code.unwrap_or(0);
        Ok(Outcome { code, summary })
    }

    fn sample(&mut self, handler: &mut dyn LoopHandler) -> Result<(), LiveError> {
        let recorder = &mut self.recorder;
        let mut capture = |index, at, bytes: &[u8]| recorder.packet(index, at, bytes);
        let samples = self.emulator.sample(&mut capture);
        handler.sampled(&samples);
        self.recorder.samples(&samples)
    }

    fn summary(&mut self) -> Result<Summary, LiveError> {
        let duration = self.clock.now().as_secs_f64();
        let [up, down] = self.emulator.counts();
        let device_counts = self.emulator.device_counts();
        let [near, far] = device_counts.context("reading the devices' counters")?;
        let lateness = self.emulator.lateness();
        let tolerated = self.tolerated.as_secs_f64();
        Ok(Summary {
            duration,
            up,
            down,
            near,
            far,
            lateness,
            tolerated,
            trustworthy: lateness.p99 <= tolerated,
            cpu: (cpu_time(UsageWho::RUSAGE_SELF) - self.cpu).as_secs_f64() / duration,
        })
    }
}

/// Passes every pending signal to `handler`; returns the exit code if one ends the loop.
fn handle_signals(signals: &SignalFd, handler: &mut dyn LoopHandler) -> Option<i32> {
    while let Ok(Some(signal)) = signals.read_signal() {
        let code = handler.signalled(&signal);
        if code.is_some() {
            return code;
        }
    }
    None
}

/// Blocks SIGCHLD and the signals that end a program; they are read from the descriptor.
pub(crate) fn block_signals() -> nix::Result<SignalFd> {
    let mut signals = SigSet::empty();
    for signal in [
        Signal::SIGCHLD,
        Signal::SIGHUP,
        Signal::SIGINT,
        Signal::SIGQUIT,
        Signal::SIGTERM,
    ] {
        signals.add(signal);
    }
    signals.thread_block()?;
    SignalFd::with_flags(&signals, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)
}
