//! A TUN device: what a namespace sends to it is read, what is written to it the namespace
//! receives. It offers no offloads, so the kernel cuts everything into packets before.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

use nix::errno::Errno;
use nix::libc;

use crate::LiveError;
use crate::error::Doing;
use crate::stats::DeviceCounts;

/// The device's name in its namespace.
pub(crate) const NAME: &str = "earlydrop";
const MAKER: &str = "/dev/net/tun";

/// A device, there as long as this is.
#[derive(Debug)]
pub(crate) struct Device {
    file: File,
    /// `/proc/net/dev` of the namespace in which the device is.
    counts: File,
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

impl Device {
    /// Makes a device in the namespace that this thread is in.
    pub(crate) fn new() -> Result<Device, LiveError> {
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
        let counts =
            File::open("/proc/thread-self/net/dev").doing("opening /proc/thread-self/net/dev")?;
        Ok(Device { file, counts })
    }

    /// Reads the next packet; `None` when none waits.
    #[inline]
    pub(crate) fn read(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match nix::unistd::read(&self.file, buffer) {
            Ok(length) => Ok(Some(length)),
            Err(Errno::EAGAIN | Errno::EINTR) => Ok(None),
            Err(problem) => Err(problem.into()),
        }
    }

    /// Whether the namespace takes this packet.
    #[inline]
    pub(crate) fn write(&self, packet: &[u8]) -> bool {
        nix::unistd::write(&self.file, packet).is_ok()
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// What the kernel has counted.
    pub(crate) fn counts(&self) -> io::Result<DeviceCounts> {
        let mut text = String::new();
        let mut file = &self.counts;
        file.rewind()?;
        file.read_to_string(&mut text)?;
        counts(&text).ok_or_else(|| io::Error::other("/proc/net/dev cannot be read"))
    }
}

/// The device's line of `/proc/net/dev`: received bytes, packets and six more; sent bytes,
/// packets, errors, dropped.
fn counts(text: &str) -> Option<DeviceCounts> {
    let mut lines = text.lines().filter_map(|line| line.trim().split_once(':'));
    let (_, numbers) = lines.find(|(name, _)| *name == NAME)?;
    let numbers: Vec<u64> = numbers
        .split_whitespace()
        .filter_map(|number| number.parse().ok())
        .collect();
    Some(DeviceCounts {
        received: *numbers.get(1)?,
        sent: *numbers.get(9)?,
        unread: *numbers.get(11)?,
    })
}
