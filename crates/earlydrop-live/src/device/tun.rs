//! A TUN device: what a namespace sends to it is read, what is written to it the namespace
//! receives. It can offer the kernel to cut bursts of TCP into segments and to work out
//! checksums; where it does not, the kernel does so before.

use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

use nix::errno::Errno;
use nix::libc;

use super::counters::InterfaceCounters;
use crate::LiveError;
use crate::error::Context;
use crate::gso::VNET_HEADER;
use crate::stats::DeviceCounts;

/// The device's name in its namespace.
pub(crate) const NAME: &str = "earlydrop";
const TUN_PATH: &str = "/dev/net/tun";

/// A device, there as long as this is.
#[derive(Debug)]
pub(crate) struct Tun {
    file: File,
    counter: InterfaceCounters,
    /// Whether a note precedes every packet.
    has_vnet_header: bool,
}

/// What a device offers to do in the kernel's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offloads {
    /// Nothing: packets come as they would be on a wire.
    None,
    /// To cut bursts of TCP into segments, and to work out checksums.
    Segmentation,
}

nix::ioctl_write_int!(set_interface, b'T', 202);
nix::ioctl_write_int!(set_offers, b'T', 208);

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

/// Offloads to do what the kernel does where a device does not.
#[allow(
    unsafe_code,
    reason = "what a device offers is said by an ioctl, of which nix makes an unsafe function"
)]
fn offer(file: &File) -> nix::Result<libc::c_int> {
    let all = libc::TUN_F_CSUM | libc::TUN_F_TSO4 | libc::TUN_F_TSO6 | libc::TUN_F_TSO_ECN;
    // SAFETY: TUNSETOFFLOAD takes a number, no address.
    unsafe { set_offers(file.as_raw_fd(), libc::c_ulong::from(all)) }
}

impl Tun {
    /// Makes a device in the namespace that this thread is in.
    pub(super) fn new(offers: Offloads) -> Result<Tun, LiveError> {
        let has_vnet_header = offers == Offloads::Segmentation;
        let flags = match offers {
            Offloads::None => libc::IFF_TUN | libc::IFF_NO_PI,
            Offloads::Segmentation => libc::IFF_TUN | libc::IFF_NO_PI | libc::IFF_VNET_HDR,
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        options.custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC);
        let file = options.open(TUN_PATH).map_err(|problem| LiveError::NoTun {
            path: TUN_PATH,
            problem,
        })?;
        let mut request = libc::ifreq {
            ifr_name: [0; libc::IFNAMSIZ],
            ifr_ifru: libc::__c_anonymous_ifr_ifru {
                ifru_flags: flags as libc::c_short,
            },
        };
        for (to, from) in request.ifr_name.iter_mut().zip(NAME.bytes()) {
            *to = from as libc::c_char;
        }
        make(&file, &mut request).context("making a TUN device")?;
        if has_vnet_header {
            offer(&file).context("offering to cut bursts into segments")?;
        }
        Ok(Tun {
            file,
            counter: InterfaceCounters::open()?,
            has_vnet_header,
        })
    }

    /// What would be a device that offers to cut bursts, were there a kernel behind it.
    #[cfg(test)]
    pub(crate) fn over(socket: std::os::fd::OwnedFd) -> Tun {
        Tun {
            file: File::from(socket),
            counter: InterfaceCounters::open().expect("the kernel counts"),
            has_vnet_header: true,
        }
    }

    /// Reads the next packet of a device that offers nothing; `None` when none waits.
    #[inline]
    pub(super) fn read(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        self.read_parts(&mut [&mut [], buffer].map(IoSliceMut::new))
    }

    /// Reads the next packet into all but the first of these, and the note on it into that
    /// one, where the device has notes. `None` when no packet waits, else its length.
    #[inline]
    pub(crate) fn read_parts(&self, parts: &mut [IoSliceMut<'_>]) -> io::Result<Option<usize>> {
        let (parts, vnet) = match self.has_vnet_header {
            true => (parts, VNET_HEADER),
            false => (&mut parts[1..], 0),
        };
        match nix::sys::uio::readv(&self.file, parts) {
            Ok(length) => Ok(Some(length.saturating_sub(vnet))),
            Err(Errno::EAGAIN | Errno::EINTR) => Ok(None),
            Err(problem) => Err(problem.into()),
        }
    }

    /// Whether the namespace takes this packet: all but the first of these, which is the
    /// note on it.
    #[inline]
    pub(crate) fn write_parts(&self, parts: &[IoSlice<'_>]) -> bool {
        let parts = if self.has_vnet_header {
            parts
        } else {
            &parts[1..]
        };
        nix::sys::uio::writev(&self.file, parts).is_ok()
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// What the kernel has counted.
    pub(super) fn counts(&self) -> io::Result<DeviceCounts> {
        self.counter.read(NAME)
    }
}
