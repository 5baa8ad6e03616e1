//! The first process of the session's own set of processes (pid_namespaces(7)). It ends
//! with the emulator however that ends, and the kernel ends everything else with it: so
//! nothing is left behind.

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

/// What it needs.
pub(crate) struct SessionInit<'a> {
    /// Where the command runs.
    pub(crate) near: &'a Namespace,
    /// Who runs it.
    pub(crate) user: &'a InvokingUser,
    pub(crate) command: &'a [OsString],
    /// Says when to begin; its end says not to.
    pub(crate) begin: File,
}

/// The exit codes that shells give to a command that cannot be started.
const NOT_FOUND: i32 = 127;
const NOT_STARTED: i32 = 126;

impl SessionInit<'_> {
    /// Runs the command, and answers the code to exit with.
    pub(crate) fn run(mut self) -> i32 {
        if let Err(problem) = self.enter_namespaces() {
            eprintln!("error: entering the session's namespaces: {problem}");
            return NOT_STARTED;
        }
        if self.begin.read_exact(&mut [0]).is_err() {
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
                eprintln!("error: {}: {problem}", program.display());
                match problem.kind() {
                    io::ErrorKind::NotFound => NOT_FOUND,
                    _ => NOT_STARTED,
                }
            }
        }
    }

    /// Enters the near end, with a `/proc` that shows the session's processes only, as the
    /// user.
    fn enter_namespaces(&self) -> io::Result<()> {
        self.near.enter()?;
        unshare(CloneFlags::CLONE_NEWNS)?;
        let nothing = None::<&str>;
        let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
        mount(nothing, "/", nothing, private, nothing)?;
        let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
        // Where a container hides parts of its own /proc this is not allowed, and the old one
        // does.
        let _ = mount(Some("proc"), "/proc", Some("proc"), flags, nothing);
        self.user.switch_to()?;
        // After that: a change of user takes it back.
        Ok(set_pdeathsig(Signal::SIGKILL)?)
    }
}

/// Tells a command both ends' addresses.
pub(crate) fn with_addresses(command: &mut Command) -> &mut Command {
    command
        .env("EARLYDROP_NEAR", NEAR.v4.to_string())
        .env("EARLYDROP_FAR", FAR.v4.to_string())
}

/// Waits for the command; whoever loses their parent meanwhile is waited for, too.
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

/// The code that a shell would give.
pub(crate) fn code_of(status: ExitStatus) -> i32 {
    let signal = || 128 + status.signal().unwrap_or(0);
    status.code().unwrap_or_else(signal)
}
