//! Devices of the emulator: a TUN device in a namespace of the session, or a packet socket on
//! an existing interface.

mod arrival;
mod counters;
mod ethernet;
mod socket;
mod tun;

use std::io;
use std::os::fd::BorrowedFd;

use earlydrop_sim::pcapng::Layer;

use crate::LiveError;
use crate::packet::Header;
use crate::pool::Offsets;
use crate::stats::DeviceCounts;

pub(crate) use arrival::Arrival;
use socket::Socket;
pub(crate) use tun::{NAME, Offloads, Tun};

/// A device that packets are read from and written to.
#[derive(Debug)]
pub(crate) enum Device {
    Tun(Tun),
    Socket(Socket),
}

impl Device {
    /// Creates a TUN device with these offloads in this thread's namespace.
    pub(crate) fn new(offloads: Offloads) -> Result<Device, LiveError> {
        Ok(Device::Tun(Tun::new(offloads)?))
    }

    /// Opens a packet socket on an interface of this thread's namespace.
    pub(crate) fn on(interface: &str, index: u32) -> Result<Device, LiveError> {
        Ok(Device::Socket(Socket::new(interface, index)?))
    }

    /// Reads the next packet of a device without offloads; `None` if none is waiting.
    #[inline]
    pub(crate) fn read(&self, buffer: &mut [u8]) -> io::Result<Option<Arrival>> {
        match self {
            Device::Tun(device) => {
                let length = device.read(buffer)?;
                Ok(length.map(|length| match Header::read(&buffer[..length]) {
                    Ok(header) => Arrival::Packet(Offsets::default(), header),
                    Err(_) => Arrival::Malformed,
                }))
            }
            Device::Socket(socket) => socket.read(buffer),
        }
    }

    /// Writes a packet with its link-layer header; returns whether the device accepted it.
    #[inline]
    pub(crate) fn write(&self, packet: &[u8]) -> bool {
        nix::unistd::write(self.fd(), packet).is_ok()
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        match self {
            Device::Tun(device) => device.fd(),
            Device::Socket(socket) => socket.fd(),
        }
    }

    /// The layer with which packets begin.
    pub(crate) fn layer(&self) -> Layer {
        match self {
            Device::Tun(_) => Layer::Ip,
            Device::Socket(_) => Layer::Ethernet,
        }
    }

    /// The kernel's counters of this device, which has accepted `handed` packets.
    pub(crate) fn counts(&mut self, handed: u64) -> io::Result<DeviceCounts> {
        match self {
            Device::Tun(device) => device.counts(),
            Device::Socket(socket) => socket.counts(handed),
        }
    }
}
