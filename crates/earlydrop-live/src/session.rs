//! A session from beginning to end: two network namespaces, a device in each, the
//! bottleneck between them, and a command at the near end.
//!
//! ```text
//! near namespace                this process                 far namespace
//! command -> earlydrop (TUN) -> queue, rate, delay, loss -> earlydrop (TUN) -> servers
//! ```
//!
//! # What it changes about the machine
//! Nothing. The far end is a namespace of the session's own, too: a way on into the
//! machine's network would need a device, addresses and translation there, which could
//! collide with what it has and would need root. So nothing outside can be reached; servers
//! are started at the far end.
//!
//! # How it ends
//! With the command. Everything that it made is held by its processes alone: the devices go
//! with this process, and with it, however it ends, goes the first process of the session,
//! and with that every other. Namespaces go with the last of them.

mod owner;
mod record;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command};

use earlydrop::units::Nanos;
use nix::libc;
use nix::sched::{CloneFlags, unshare};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::time::TimeValLike;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork};

use crate::LiveError;
use crate::device::Device;
use crate::emulator::Emulator;
use crate::error::Doing;
use crate::inside::{Inside, code_of, with_addresses};
use crate::namespace::{Namespace, enter_first, enter_next, furnish};
use crate::pace::Clock;
use crate::plan::Bottleneck;
use crate::stats::{DeviceCounts, Sample, Summary, tolerated};

pub use crate::namespace::{Addresses, FAR, NEAR, Right, Tcp};
pub use owner::Owner;
use record::Record;

/// What is to be run, and how.
#[derive(Clone, Debug)]
pub struct Session {
    /// What the command's packets cross.
    pub bottleneck: Bottleneck,
    /// How TCP is set in both namespaces.
    pub tcp: Tcp,
    /// The program that runs at the near end, and its arguments.
    pub command: Vec<OsString>,
    /// What runs at the far end as long as that does: a line for `sh`.
    pub far: Option<OsString>,
    /// Where samples and the summary are written, as JSON lines.
    pub stats: Option<PathBuf>,
    /// Where packets are written as they leave the transmitters.
    pub pcap: Option<PathBuf>,
}

/// Who is told how a session goes.
pub trait Audience {
    /// Everything is there, and the command begins.
    fn begins(&mut self, right: Right, owner: &Owner);
    /// Both directions, ten times a second.
    fn sampled(&mut self, samples: &[Sample; 2]);
    /// What ran at the far end has ended, with this code, before the command.
    fn far_ended(&mut self, code: i32);
}

/// How a session ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The command's exit code; 128 and the signal's number where one ended it.
    pub code: i32,
    /// What was counted and measured.
    pub summary: Summary,
}

/// From one sample to the next.
const SAMPLE: Nanos = Nanos::from_millis(100);

impl Session {
    /// Runs the command until it ends, or until this process is told to end.
    ///
    /// The process enters namespaces and gives up privileges for good. It must have one
    /// thread, and can start no other afterwards.
    pub fn run(&self, audience: &mut dyn Audience) -> Result<Ended, LiveError> {
        must_have_one_thread()?;
        let right = enter_first()?;
        let near = Namespace::current()?;
        let near_device = furnish(NEAR, &self.tcp)?;
        enter_next()?;
        let devices = [near_device, furnish(FAR, &self.tcp)?];
        let owner = Owner::of_this_process();
        unshare(CloneFlags::CLONE_NEWPID).doing("making a set of processes")?;
        let (wait, begin) = nix::unistd::pipe().doing("making a pipe")?;
        let forked = fork_alone().doing("starting the session's first process")?;
        let first = match forked {
            ForkResult::Child => {
                drop((begin, devices));
                let inside = Inside {
                    near: &near,
                    owner: &owner,
                    command: &self.command,
                    begin: File::from(wait),
                };
                std::process::exit(inside.run());
            }
            ForkResult::Parent { child } => child,
        };
        drop((wait, near));
        owner.become_them().doing("giving up privileges")?;
        let running = Running::start(self, first, devices)?;
        audience.begins(right, &owner);
        File::from(begin)
            .write_all(&[1])
            .doing("starting the command")?;
        running.until_the_end(&self.bottleneck, audience)
    }
}

/// Makes a second process of this one, which must have one thread.
#[allow(
    unsafe_code,
    reason = "nothing else makes the first of a set of processes"
)]
fn fork_alone() -> nix::Result<ForkResult> {
    // SAFETY: the caller has checked that there is one thread, so no lock is held by one that
    // the new process does not have.
    unsafe { fork() }
}

/// A fork copies one thread; locks that others hold would stay locked for ever.
pub(crate) fn must_have_one_thread() -> Result<(), LiveError> {
    let threads = fs::read_dir("/proc/self/task")
        .doing("counting threads")?
        .count();
    match threads {
        1 => Ok(()),
        threads => Err(LiveError::Threads { threads }),
    }
}

/// A session under way.
struct Running {
    emulator: Emulator,
    clock: Clock,
    /// The session's first process, which ends with the command.
    first: Pid,
    far: Option<Child>,
    signals: SignalFd,
    record: Record,
    /// Time of the processor before it began.
    cpu: Nanos,
}

impl Running {
    fn start(session: &Session, first: Pid, devices: [Device; 2]) -> Result<Running, LiveError> {
        let clock = Clock::start();
        let record = Record::create(session, clock)?;
        let emulator = Emulator::new(&session.bottleneck, devices, clock)?;
        let far = session.far.as_ref().map(|line| {
            let mut shell = Command::new("/bin/sh");
            shell.arg("-c").arg(line);
            with_addresses(&mut shell).spawn()
        });
        let far = far.transpose().doing("starting what runs at the far end")?;
        // Only now: what is started would inherit it.
        let signals = listen().doing("listening for signals")?;
        // A sleep is over when it is over, not when it suits: prctl(2).
        nix::sys::prctl::set_timerslack(1).doing("setting the timer's slack")?;
        Ok(Running {
            emulator,
            cpu: time_of_processor(),
            clock,
            first,
            far,
            signals,
            record,
        })
    }

    fn until_the_end(
        mut self,
        bottleneck: &Bottleneck,
        audience: &mut dyn Audience,
    ) -> Result<Ended, LiveError> {
        let mut next_sample = self.clock.now() + SAMPLE;
        let code = loop {
            let record = &mut self.record;
            let mut watcher = |index, at, bytes: &[u8]| record.packet(index, at, bytes);
            let control = self.signals.as_fd();
            if self.emulator.turn(next_sample, control, &mut watcher)?
                && let Some(code) = self.signal(audience)
            {
                break code;
            }
            if self.clock.now() >= next_sample {
                self.sample(audience)?;
                next_sample = (next_sample + SAMPLE).max(self.clock.now());
            }
        };
        self.sample(audience)?;
        let summary = self.summary(bottleneck)?;
        self.record.end(&summary)?;
        Ok(Ended { code, summary })
    }

    fn sample(&mut self, audience: &mut dyn Audience) -> Result<(), LiveError> {
        let record = &mut self.record;
        let mut watcher = |index, at, bytes: &[u8]| record.packet(index, at, bytes);
        let samples = self.emulator.sample(&mut watcher);
        audience.sampled(&samples);
        self.record.samples(&samples)
    }

    /// Does what signals ask for; answers a code when the session is over.
    fn signal(&mut self, audience: &mut dyn Audience) -> Option<i32> {
        while let Ok(Some(signal)) = self.signals.read_signal() {
            let number = signal.ssi_signo as i32;
            if number == Signal::SIGCHLD as i32 {
                if let Some(code) = self.ended_children(audience) {
                    return Some(code);
                }
            } else if signal.ssi_code != libc::SI_KERNEL {
                self.kill();
                return Some(128 + number);
            }
            // Else a terminal has sent it to the command as well, which decides.
        }
        None
    }

    fn ended_children(&mut self, audience: &mut dyn Audience) -> Option<i32> {
        if let Some(far) = &mut self.far
            && let Ok(Some(status)) = far.try_wait()
        {
            self.far = None;
            // At the session's end the kernel kills it; that is nothing to tell.
            if status.signal() != Some(Signal::SIGKILL as i32) {
                audience.far_ended(code_of(status));
            }
        }
        match waitpid(self.first, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(_, code)) => Some(code),
            Ok(WaitStatus::Signaled(_, signal, _)) => Some(128 + signal as i32),
            _ => None,
        }
    }

    /// Ends every process of the session.
    fn kill(&mut self) {
        // It may have ended by itself meanwhile.
        let _ = kill(self.first, Signal::SIGKILL);
        // It is not gone before what ran at the far end is, which only its parent, this
        // process, can let go.
        if let Some(mut far) = self.far.take() {
            let _ = far.wait();
        }
        let _ = waitpid(self.first, None);
    }

    fn summary(&self, bottleneck: &Bottleneck) -> Result<Summary, LiveError> {
        let duration = self.clock.now().as_secs_f64();
        let [up, down] = self.emulator.counts();
        let counted = |device: &Device| device.counts().doing("reading the devices' counters");
        let [near, far]: [DeviceCounts; 2] = {
            let [near, far] = self.emulator.devices();
            [counted(near)?, counted(far)?]
        };
        let lateness = self.emulator.lateness();
        let tolerated = tolerated(bottleneck).as_secs_f64();
        Ok(Summary {
            duration,
            up,
            down,
            near,
            far,
            lateness,
            tolerated,
            trustworthy: lateness.p99 <= tolerated,
            cpu: (time_of_processor() - self.cpu).as_secs_f64() / duration,
        })
    }
}

/// The signals that end a session, and the one that tells of an ended process.
fn listen() -> nix::Result<SignalFd> {
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

/// What this process has taken of the processor so far.
fn time_of_processor() -> Nanos {
    let usage = getrusage(UsageWho::RUSAGE_SELF);
    usage.map_or(Nanos::ZERO, |usage| {
        let time = usage.user_time() + usage.system_time();
        Nanos(time.num_nanoseconds().max(0) as u64)
    })
}
