//! The init process (PID 1) of a session's PID namespace, pid_namespaces(7).
//!
//! It runs the command and reaps orphans. It dies with the emulator, however that ends, and
//! the kernel then kills every other process of the namespace. So nothing is left behind.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::namespace::{FAR, NEAR, Namespace};
use crate::privileges::InvokingUser;

/// Arguments of the init process.
pub(crate) struct SessionInit<'a> {
    /// Network namespace of the command.
    pub(crate) near: &'a Namespace,
    /// User that the command runs as.
    pub(crate) user: &'a InvokingUser,
    pub(crate) command: &'a [OsString],
    /// Pipe: one byte starts the command, end of file cancels it.
    pub(crate) start: File,
}

/// Exit codes that shells give to a command that cannot be started.
const NOT_FOUND: i32 = 127;
const NOT_STARTED: i32 = 126;

impl SessionInit<'_> {
    /// Runs the command and returns the exit code for this process.
    pub(crate) fn run(mut self) -> i32 {
        if let Err(problem) = self.enter_namespaces() {
            eprintln!("error: entering the session's namespaces: {problem}");
            return NOT_STARTED;
        }
        if self.start.read_exact(&mut [0]).is_err() {
            return NOT_STARTED;
        }
        let [program, arguments @ ..] = self.command else {
            return NOT_FOUND;
        };
        let mut command = Command::new(program);
        command.args(arguments);
        match with_addresses(&mut command).spawn() {
            Ok(child) => wait_for(Pid::from_raw(child.id() as i32)),
            Err(problem) => {
                let program = program.to_string_lossy();
                // Control characters must not reach the terminal.
                eprintln!("error: {}: {problem}", program.escape_debug());
                match problem.kind() {
                    io::ErrorKind::NotFound => NOT_FOUND,
                    _ => NOT_STARTED,
                }
            }
        }
    }

    /// Enters the near network namespace and a new mount namespace, whose `/proc` shows only
    /// the session's processes, and switches to the user.
    fn enter_namespaces(&self) -> io::Result<()> {
        self.near.enter()?;
        unshare(CloneFlags::CLONE_NEWNS)?;
        let nothing = None::<&str>;
        let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
        mount(nothing, "/", nothing, private, nothing)?;
        let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
        // A container that hides parts of its /proc forbids this mount; its own /proc then stays.
        let _ = mount(Some("proc"), "/proc", Some("proc"), flags, nothing);
        self.user.switch_to()?;
        // Must follow the change of user, which clears the setting: prctl(2).
        Ok(set_pdeathsig(Signal::SIGKILL)?)
    }
}

/// Sets the addresses of both ends in the command's environment.
pub(crate) fn with_addresses(command: &mut Command) -> &mut Command {
    command
        .env("EARLYDROP_NEAR", NEAR.v4.to_string())
        .env("EARLYDROP_FAR", FAR.v4.to_string())
}

/// Waits for the command and reaps orphans meanwhile; returns the command's exit code.
fn wait_for(command: Pid) -> i32 {
    loop {
        match waitpid(None, None) {
            Ok(WaitStatus::Exited(pid, code)) if pid == command => return code,
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == command => {
                return 128 + signal as i32;
            }
            Ok(_) | Err(nix::Error::EINTR) => {}
            Err(_) => return NOT_STARTED,
        }
    }
}

/// The exit code that a shell would report: 128 plus the signal for a killed process.
pub(crate) fn code_of(status: ExitStatus) -> i32 {
    let signal = || 128 + status.signal().unwrap_or(0);
    status.code().unwrap_or_else(signal)
}
