//! A TUN device: reads what a namespace sends, writes what it receives.
//!
//! It can offer segmentation and checksum offload to the kernel; without, the kernel does both
//! before a packet is read.

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

/// Name of the device in its namespace.
pub(crate) const NAME: &str = "earlydrop";
const TUN_PATH: &str = "/dev/net/tun";

/// A TUN device, which exists while this value does.
#[derive(Debug)]
pub(crate) struct Tun {
    file: File,
    counter: InterfaceCounters,
    /// Whether a virtio header precedes every packet.
    has_vnet_header: bool,
}

/// Offloads that a device offers to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offloads {
    /// None: packets come as on a wire.
    None,
    /// TCP segmentation (TSO) and checksums.
    Segmentation,
}

nix::ioctl_write_int!(set_interface, b'T', 202);
nix::ioctl_write_int!(set_offload, b'T', 208);

/// Creates the device that `request` describes.
#[allow(unsafe_code, reason = "TUNSETIFF is an ioctl that takes an address")]
fn make(file: &File, request: &mut libc::ifreq) -> nix::Result<libc::c_int> {
    // SAFETY: TUNSETIFF reads and writes one `ifreq` at the given address; `request` is one, is
    // mutably borrowed, and outlives the call.
    unsafe { set_interface(file.as_raw_fd(), &raw mut *request as libc::c_ulong) }
}

/// Offers segmentation and checksum offload to the kernel.
#[allow(
    unsafe_code,
    reason = "TUNSETOFFLOAD is an ioctl, for which nix generates an unsafe function"
)]
fn offer(file: &File) -> nix::Result<libc::c_int> {
    let all = libc::TUN_F_CSUM | libc::TUN_F_TSO4 | libc::TUN_F_TSO6 | libc::TUN_F_TSO_ECN;
    // SAFETY: TUNSETOFFLOAD takes a number, no address.
    unsafe { set_offload(file.as_raw_fd(), libc::c_ulong::from(all)) }
}

impl Tun {
    /// Creates a device in this thread's namespace.
    pub(super) fn new(offloads: Offloads) -> Result<Tun, LiveError> {
        let has_vnet_header = offloads == Offloads::Segmentation;
        let flags = match offloads {
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
            offer(&file).context("offering segmentation offload")?;
        }
        Ok(Tun {
            file,
            counter: InterfaceCounters::open()?,
            has_vnet_header,
        })
    }

    /// A device with offloads that is connected to a socket instead of a kernel.
    #[cfg(test)]
    pub(crate) fn over(socket: std::os::fd::OwnedFd) -> Tun {
        Tun {
            file: File::from(socket),
            counter: InterfaceCounters::open().expect("the kernel counts"),
            has_vnet_header: true,
        }
    }

    /// Reads the next packet of a device without offloads; `None` if none is waiting.
    #[inline]
    pub(super) fn read(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        self.read_parts(&mut [&mut [], buffer].map(IoSliceMut::new))
    }

    /// Reads the next packet into all parts but the first, which receives the virtio header if
    /// the device has one. Returns the packet's length, or `None` if none is waiting.
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

    /// Writes a packet: all parts but the first, which is the virtio header. Returns whether the
    /// namespace accepted it.
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

    /// The kernel's counters of this device.
    pub(super) fn counts(&self) -> io::Result<DeviceCounts> {
        self.counter.read(NAME)
    }
}
