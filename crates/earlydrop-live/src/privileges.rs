//! Who it is run for, and with which rights.

use std::env;
use std::ffi::CString;
use std::fs;
use std::io;

use caps::CapSet;
use nix::sys::prctl::set_no_new_privs;
use nix::unistd::{Gid, Uid, User, geteuid, initgroups, setgroups, setresgid, setresuid};

use crate::LiveError;
use crate::error::Context;

/// Whose the command and the files are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvokingUser {
    /// Whoever runs this process.
    Current,
    /// The one who called `sudo`.
    Sudo {
        /// Their number.
        user: u32,
        /// Their group's number.
        group: u32,
        /// Their name, where they have one.
        name: Option<String>,
    },
}

impl InvokingUser {
    /// Who has called `sudo`, where somebody has.
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

    /// Gives up every right that they do not have, for good.
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

/// Takes the groups of the user of this name, or this one only.
pub(crate) fn set_supplementary_groups(name: Option<&str>, group: Gid) -> nix::Result<()> {
    match name.map(CString::new) {
        Some(Ok(name)) => initgroups(&name, group),
        _ => setgroups(&[group]),
    }
}

/// Gives up every capability of this thread for good, also root's; what was started before
/// keeps its own.
pub(crate) fn drop_capabilities() -> io::Result<()> {
    // What root starts would have them all again.
    set_no_new_privs()?;
    for set in [CapSet::Permitted, CapSet::Inheritable] {
        caps::clear(None, set).map_err(io::Error::other)?;
    }
    Ok(())
}

/// A fork copies one thread; locks that others hold would stay locked for ever.
pub(crate) fn require_single_thread() -> Result<(), LiveError> {
    let threads = fs::read_dir("/proc/self/task")
        .context("counting threads")?
        .count();
    match threads {
        1 => Ok(()),
        threads => Err(LiveError::Threads { threads }),
    }
}
