//! A TUN device: what a namespace sends to it is read, what is written to it the namespace
//! receives. It offers no offloads, so the kernel cuts everything into packets before.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

use nix::errno::Errno;
use nix::libc;

use super::counter::Counter;
use crate::LiveError;
use crate::error::Doing;
use crate::stats::DeviceCounts;

/// The device's name in its namespace.
pub(crate) const NAME: &str = "earlydrop";
const MAKER: &str = "/dev/net/tun";

/// A device, there as long as this is.
#[derive(Debug)]
pub(crate) struct Tun {
    file: File,
    counter: Counter,
}

nix::ioctl_write_int!(set_interface, b'T', 202);

/// Makes the device that `request` describes.
#[allow(
    unsafe_code,
    reason = "a device is made by an ioctl that takes an address"
)]
fn make(file: &File, request: &mut libc::ifreq) -> nix::Result<libc::c_int> {
    // SAFETY: TUNSETIFF reads and writes one `ifreq` at the address that it is given;
    // `request` is one, is borrowed for writing, and lives until the call is over.
    unsafe { set_interface(file.as_raw_fd(), &raw mut *request as libc::c_ulong) }
}

impl Tun {
    /// Makes a device in the namespace that this thread is in.
    pub(super) fn new() -> Result<Tun, LiveError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        options.custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC);
        let file = options.open(MAKER).map_err(|problem| LiveError::NoTun {
            path: MAKER,
            problem,
        })?;
        let mut request = libc::ifreq {
            ifr_name: [0; libc::IFNAMSIZ],
            ifr_ifru: libc::__c_anonymous_ifr_ifru {
                ifru_flags: (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short,
            },
        };
        for (to, from) in request.ifr_name.iter_mut().zip(NAME.bytes()) {
            *to = from as libc::c_char;
        }
        make(&file, &mut request).doing("making a TUN device")?;
        let counter = Counter::open()?;
        Ok(Tun { file, counter })
    }

    /// Reads the next packet; `None` when none waits.
    #[inline]
    pub(super) fn read(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match nix::unistd::read(&self.file, buffer) {
            Ok(length) => Ok(Some(length)),
            Err(Errno::EAGAIN | Errno::EINTR) => Ok(None),
            Err(problem) => Err(problem.into()),
        }
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// What the kernel has counted.
    pub(super) fn counts(&self) -> io::Result<DeviceCounts> {
        self.counter.read(NAME)
    }
}
