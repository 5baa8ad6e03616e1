//! Privileges of runs under `sudo`: files belong to the invoking user either way.

use std::io;
use std::panic::resume_unwind;
use std::thread;

use nix::sys::prctl;
use nix::unistd::{Gid, Uid, setegid, seteuid, setfsgid, setfsuid, setresgid, setresuid};

use crate::LiveError;
use crate::error::Context;
use crate::namespace::{Privilege, acquire_privilege, enter_new_namespace};
use crate::privileges::{InvokingUser, set_supplementary_groups};

/// Acquires the privilege to create namespaces as the invoking user if the system allows it,
/// else as root, who then accesses files as the invoking user.
pub(super) fn acquire_privilege_for(user: &InvokingUser) -> Result<Privilege, LiveError> {
    let InvokingUser::Sudo { user, group, name } = user else {
        return acquire_privilege();
    };
    let (user, group) = (Uid::from_raw(*user), Gid::from_raw(*group));
    set_effective_user(user, group, name.as_deref())
        .context("acting as the user who called sudo")?;
    if let Ok(right) = acquire_privilege() {
        setresgid(group, group, group)
            .and_then(|()| setresuid(user, user, user))
            .context("giving up root")?;
        return Ok(right);
    }
    let root = (Uid::from_raw(0), Gid::from_raw(0));
    seteuid(root.0)
        .and_then(|()| setegid(root.1))
        .context("becoming root again")?;
    // Applies to this thread and to threads that it starts.
    setfsgid(group);
    setfsuid(user);
    let tried = thread::spawn(enter_new_namespace).join();
    tried.unwrap_or_else(|panic| resume_unwind(panic))?;
    Ok(Privilege::Root)
}

/// Switches the effective user, and keeps root as the saved one.
fn set_effective_user(user: Uid, group: Gid, name: Option<&str>) -> io::Result<()> {
    set_supplementary_groups(name, group)?;
    setegid(group)?;
    seteuid(user)?;
    // Otherwise /proc/self, with the files that map user ids, stays root's.
    Ok(prctl::set_dumpable(true)?)
}
