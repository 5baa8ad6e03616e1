//! A port of the bottleneck: a TUN device in a namespace of one's own, or a packet socket on
//! an interface that is there.

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

/// Where packets come from and go to.
#[derive(Debug)]
pub(crate) enum Device {
    Tun(Tun),
    Socket(Socket),
}

impl Device {
    /// Makes a TUN device that offers so much, in the namespace that this thread is in.
    pub(crate) fn new(offers: Offloads) -> Result<Device, LiveError> {
        Ok(Device::Tun(Tun::new(offers)?))
    }

    /// Listens on an interface of that namespace, of this name and number.
    pub(crate) fn on(interface: &str, index: u32) -> Result<Device, LiveError> {
        Ok(Device::Socket(Socket::new(interface, index)?))
    }

    /// Reads the next packet of a device that offers nothing; `None` when none waits.
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

    /// Whether what is there takes this packet, which begins with its link layer.
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

    /// What its packets begin with.
    pub(crate) fn layer(&self) -> Layer {
        match self {
            Device::Tun(_) => Layer::Ip,
            Device::Socket(_) => Layer::Ethernet,
        }
    }

    /// What the kernel has counted.
    pub(crate) fn counts(&mut self) -> io::Result<DeviceCounts> {
        match self {
            Device::Tun(device) => device.counts(),
            Device::Socket(socket) => socket.counts(),
        }
    }
}
