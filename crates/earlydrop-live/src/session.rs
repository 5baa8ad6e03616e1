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

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command};

use earlydrop::units::Nanos;
use nix::libc::{self, signalfd_siginfo};
use nix::sched::{CloneFlags, unshare};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork};

use crate::LiveError;
use crate::error::Context;
use crate::forwarding::{ForwardingLoop, LoopHandler, block_signals};
use crate::init::{SessionInit, code_of, with_addresses};
use crate::namespace::{Namespace, configure, enter_first_namespace, enter_new_namespace};
use crate::plan::Bottleneck;
use crate::privileges::{self, require_single_thread};
use crate::stats::Sample;

pub use crate::forwarding::{Files, Outcome};
pub use crate::namespace::{FAR, HostAddresses, NEAR, Privilege, Tcp};
pub use crate::privileges::InvokingUser;

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
    /// What is written meanwhile.
    pub files: Files,
}

/// Who is told how a session goes.
pub trait SessionObserver {
    /// Everything is there, and the command begins.
    fn started(&mut self, privilege: Privilege, user: &InvokingUser);
    /// Both directions, ten times a second.
    fn sampled(&mut self, samples: &[Sample; 2]);
    /// What ran at the far end has ended, with this code, before the command.
    fn far_ended(&mut self, code: i32);
}

impl Session {
    /// Runs the command until it ends, or until this process is told to end.
    ///
    /// The process enters namespaces and gives up privileges for good. It must have one
    /// thread, and can start no other afterwards.
    pub fn run(&self, observer: &mut dyn SessionObserver) -> Result<Outcome, LiveError> {
        require_single_thread()?;
        let privilege = enter_first_namespace()?;
        let tcp = Tcp {
            // What is recorded is to be as on a wire, checksums and all.
            no_offloads: self.tcp.no_offloads || self.files.pcap.is_some(),
            ..self.tcp.clone()
        };
        let near = Namespace::current()?;
        let near_device = configure(NEAR, &tcp)?;
        enter_new_namespace()?;
        let devices = [near_device, configure(FAR, &tcp)?];
        let user = InvokingUser::of_this_process();
        unshare(CloneFlags::CLONE_NEWPID).context("making a set of processes")?;
        let (wait, begin) = nix::unistd::pipe().context("making a pipe")?;
        let forked = fork_alone().context("starting the session's first process")?;
        let first = match forked {
            ForkResult::Child => {
                drop((begin, devices));
                let init = SessionInit {
                    near: &near,
                    user: &user,
                    command: &self.command,
                    begin: File::from(wait),
                };
                std::process::exit(init.run());
            }
            ForkResult::Parent { child } => child,
        };
        drop((wait, near));
        user.switch_to().context("giving up privileges")?;
        let forwarding = ForwardingLoop::new(&self.bottleneck, devices, &self.files)?;
        let far = self
            .start_far()
            .context("starting what runs at the far end")?;
        // Only now: what is started would inherit it.
        let signals = block_signals().context("listening for signals")?;
        privileges::drop_capabilities().context("giving up privileges")?;
        observer.started(privilege, &user);
        File::from(begin)
            .write_all(&[1])
            .context("starting the command")?;
        let mut running = RunningSession {
            first,
            far,
            observer,
        };
        forwarding.run(Nanos::NEVER, &signals, &mut running)
    }

    fn start_far(&self) -> io::Result<Option<Child>> {
        let far = self.far.as_ref().map(|line| {
            let mut shell = Command::new("/bin/sh");
            shell.arg("-c").arg(line);
            with_addresses(&mut shell).spawn()
        });
        far.transpose()
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

/// A session under way.
struct RunningSession<'a> {
    /// The session's first process, which ends with the command.
    first: Pid,
    far: Option<Child>,
    observer: &'a mut dyn SessionObserver,
}

impl LoopHandler for RunningSession<'_> {
    fn signalled(&mut self, signal: &signalfd_siginfo) -> Option<i32> {
        let number = signal.ssi_signo as i32;
        if number == Signal::SIGCHLD as i32 {
            return self.reap_children();
        }
        if signal.ssi_code == libc::SI_KERNEL {
            // A terminal has sent it to the command as well, which decides.
            return None;
        }
        self.kill();
        Some(128 + number)
    }

    fn sampled(&mut self, samples: &[Sample; 2]) {
        self.observer.sampled(samples);
    }
}

impl RunningSession<'_> {
    fn reap_children(&mut self) -> Option<i32> {
        if let Some(far) = &mut self.far
            && let Ok(Some(status)) = far.try_wait()
        {
            self.far = None;
            // At the session's end the kernel kills it; that is nothing to tell.
            if status.signal() != Some(Signal::SIGKILL as i32) {
                self.observer.far_ended(code_of(status));
            }
        }
        match waitpid(self.first, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(_, code)) => Some(code),
            Ok(WaitStatus::Signaled(_, signal, _)) => Some(128 + signal as i32),
            _ => None,
        }
    }

    /// DeviceTally every process of the session.
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
}
