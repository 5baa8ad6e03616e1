//! A session: two network namespaces with a TUN device each, the bottleneck between them, and
//! a command at the near end.
//!
//! ```text
//! near namespace                this process                 far namespace
//! command -> earlydrop (TUN) -> queue, rate, delay, loss -> earlydrop (TUN) -> servers
//! ```
//!
//! # Effects on the machine
//! None. The far end is a namespace of the session, too. A route from there into the machine's
//! network would need a device, addresses and translation (NAT), which need root and could
//! collide with the machine's own. So nothing outside can be reached; servers run at the far
//! end.
//!
//! # End
//! A session ends with its command. Only its processes hold what it created: the devices
//! disappear with this process; with this process dies the init process of the session's PID
//! namespace, and with that every other one; the network namespaces disappear with the last
//! process in them.
//!
//! # Call order
//! [`Session::run`] creates both namespaces, forks the init process (`init`), gives up
//! privileges, and runs the loop in `forwarding` until the init process exits.

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

/// Parameters of a session.
#[derive(Clone, Debug)]
pub struct Session {
    /// The bottleneck between the near and the far end.
    pub bottleneck: Bottleneck,
    /// TCP settings of both namespaces.
    pub tcp: Tcp,
    /// The program to run at the near end, and its arguments.
    pub command: Vec<OsString>,
    /// A line for `sh` that runs at the far end as long as the command does.
    pub far: Option<OsString>,
    /// Files to write during the session.
    pub files: Files,
}

/// Receives the events of a session.
pub trait SessionObserver {
    /// Both namespaces are set up, and the command starts.
    fn started(&mut self, privilege: Privilege, user: &InvokingUser);
    /// Samples of both directions, ten times a second.
    fn sampled(&mut self, samples: &[Sample; 2]);
    /// The program at the far end exited with this code before the command did.
    fn far_ended(&mut self, code: i32);
}

impl Session {
    /// Runs the command until it exits, or until a signal ends this process.
    ///
    /// The process enters namespaces and gives up privileges for good. It must have one
    /// thread, and cannot start another afterwards.
    pub fn run(&self, observer: &mut dyn SessionObserver) -> Result<Outcome, LiveError> {
        require_single_thread()?;
        let privilege = enter_first_namespace()?;
        let tcp = Tcp {
            // Recorded packets must look as on a wire, checksums included.
            no_offloads: self.tcp.no_offloads || self.files.pcap.is_some(),
            ..self.tcp.clone()
        };
        let near = Namespace::current()?;
        let near_device = configure(NEAR, &tcp)?;
        enter_new_namespace()?;
        let devices = [near_device, configure(FAR, &tcp)?];
        let user = InvokingUser::of_this_process();
        unshare(CloneFlags::CLONE_NEWPID).context("making a PID namespace")?;
        let (start_reader, start_writer) = nix::unistd::pipe().context("making a pipe")?;
        let forked = fork_alone().context("starting the session's init process")?;
        let init_pid = match forked {
            ForkResult::Child => {
                drop((start_writer, devices));
                let init = SessionInit {
                    near: &near,
                    user: &user,
                    command: &self.command,
                    start: File::from(start_reader),
                };
                std::process::exit(init.run());
            }
            ForkResult::Parent { child } => child,
        };
        drop((start_reader, near));
        user.switch_to().context("giving up privileges")?;
        let forwarding = ForwardingLoop::new(&self.bottleneck, devices, &self.files)?;
        let far = self
            .start_far()
            .context("starting the program at the far end")?;
        // Not before the program at the far end is started: it would inherit the blocked signals.
        let signals = block_signals().context("listening for signals")?;
        privileges::drop_capabilities().context("giving up privileges")?;
        observer.started(privilege, &user);
        File::from(start_writer)
            .write_all(&[1])
            .context("starting the command")?;
        let mut running = RunningSession {
            init_pid,
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

/// Forks this process, which must have one thread.
#[allow(
    unsafe_code,
    reason = "nothing else creates the init process of a PID namespace"
)]
fn fork_alone() -> nix::Result<ForkResult> {
    // SAFETY: the caller has checked that there is one thread, so no lock is held by a thread
    // that the child does not have.
    unsafe { fork() }
}

/// A session whose command runs.
struct RunningSession<'a> {
    /// The session's init process, which exits with the command.
    init_pid: Pid,
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
            // The terminal has sent the signal to the command as well, which decides.
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
            // The kernel kills the far program at the session's end; that is not reported.
            if status.signal() != Some(Signal::SIGKILL as i32) {
                self.observer.far_ended(code_of(status));
            }
        }
        match waitpid(self.init_pid, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(_, code)) => Some(code),
            Ok(WaitStatus::Signaled(_, signal, _)) => Some(128 + signal as i32),
            _ => None,
        }
    }

    /// Kills every process of the session.
    fn kill(&mut self) {
        // Fails if the init process has exited meanwhile.
        let _ = kill(self.init_pid, Signal::SIGKILL);
        // The init process cannot be reaped before the far program, and only its parent, this
        // process, can reap that.
        if let Some(mut far) = self.far.take() {
            let _ = far.wait();
        }
        let _ = waitpid(self.init_pid, None);
    }
}
