//! The user a session is run for, and giving up privileges.

use std::env;
use std::ffi::CString;
use std::fs;
use std::io;

use caps::CapSet;
use nix::sys::prctl::set_no_new_privs;
use nix::unistd::{Gid, Uid, User, geteuid, initgroups, setgroups, setresgid, setresuid};

use crate::LiveError;
use crate::error::Context;

/// The user that owns the command and the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvokingUser {
    /// The user of this process.
    Current,
    /// The user who called `sudo`.
    Sudo {
        /// User id.
        user: u32,
        /// Group id.
        group: u32,
        /// User name, if the system knows one.
        name: Option<String>,
    },
}

impl InvokingUser {
    /// The user who called `sudo`, or the one of this process.
    pub(crate) fn of_this_process() -> InvokingUser {
        let number = |name| env::var(name).ok()?.parse::<u32>().ok();
        match (number("SUDO_UID"), number("SUDO_GID")) {
            (Some(user), Some(group)) if geteuid().is_root() && user != 0 => {
                let known = User::from_uid(Uid::from_raw(user)).ok().flatten();
                let name = known.map(|user| user.name);
                InvokingUser::Sudo { user, group, name }
            }
            _ => InvokingUser::Current,
        }
    }

    /// Switches to this user for good: group ids first, then user ids.
    pub(crate) fn switch_to(&self) -> io::Result<()> {
        let InvokingUser::Sudo { user, group, name } = self else {
            return Ok(());
        };
        let (user, group) = (Uid::from_raw(*user), Gid::from_raw(*group));
        set_supplementary_groups(name.as_deref(), group)?;
        setresgid(group, group, group)?;
        Ok(setresuid(user, user, user)?)
    }
}

/// Sets the supplementary groups to those of the named user, or to `group` alone.
pub(crate) fn set_supplementary_groups(name: Option<&str>, group: Gid) -> nix::Result<()> {
    match name.map(CString::new) {
        Some(Ok(name)) => initgroups(&name, group),
        _ => setgroups(&[group]),
    }
}

/// Drops every capability of this thread for good, for root as well. Processes that were
/// started before keep theirs.
pub(crate) fn drop_capabilities() -> io::Result<()> {
    // Without this, a program that root executes would regain them.
    set_no_new_privs()?;
    for set in [CapSet::Permitted, CapSet::Inheritable] {
        caps::clear(None, set).map_err(io::Error::other)?;
    }
    Ok(())
}

/// Fails unless the process has one thread: fork(2) copies only the calling thread, and a
/// lock held by another would stay locked for ever.
pub(crate) fn require_single_thread() -> Result<(), LiveError> {
    let threads = fs::read_dir("/proc/self/task")
        .context("counting threads")?
        .count();
    match threads {
        1 => Ok(()),
        threads => Err(LiveError::Threads { threads }),
    }
}
