//! Packets crossing a bottleneck, from the first to the last line of the statistics, whoever
//! has made the devices.

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

/// Who decides when it is over, and is told how it goes.
pub(crate) trait LoopHandler {
    /// A signal has come; answers the exit code when that is the end.
    fn signalled(&mut self, signal: &signalfd_siginfo) -> Option<i32>;
    /// Both directions, ten times a second.
    fn sampled(&mut self, samples: &[Sample; 2]);
}

/// How it ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The exit code; 128 and the signal's number where one ended a command.
    pub code: i32,
    /// What was counted and measured.
    pub summary: Summary,
}

/// From one sample to the next.
const SAMPLE_INTERVAL: Nanos = Nanos::from_millis(100);

pub(crate) struct ForwardingLoop {
    emulator: Emulator,
    clock: Clock,
    recorder: Recorder,
    /// How late packets may be.
    tolerated: Nanos,
    /// Time of the processor before it began.
    cpu: Nanos,
}

impl ForwardingLoop {
    /// The files are made, and packets begin to wait.
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

    /// Lets packets cross until the host says that it is over, `until` at the latest.
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

/// Every signal that has come; a code when one of them was the end.
fn handle_signals(signals: &SignalFd, handler: &mut dyn LoopHandler) -> Option<i32> {
    while let Ok(Some(signal)) = signals.read_signal() {
        let code = handler.signalled(&signal);
        if code.is_some() {
            return code;
        }
    }
    None
}

/// The signals that end it, and the one that tells of an ended process.
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
