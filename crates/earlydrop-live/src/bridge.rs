//! A bottleneck between two interfaces that are there: what comes at one leaves at the other.
//!
//! ```text
//! hosts -- first interface --> queue, rate, delay, loss --> second interface -- hosts
//! ```
//!
//! # What crosses
//! Every Ethernet frame as it came, but for marks: both addresses and up to two tags of virtual
//! networks are kept, so that hosts see each other as if by a cable. The scheme sees the packets
//! of IPv4 and IPv6 within, and a packet is as long as IP says: the rate is that of IP, as
//! everywhere here. What hosts find each other with (ARP, neighbour discovery) and all that is
//! no IP is sent before what waits, and takes its time on the link; the scheme neither sees nor
//! drops it, for an experiment would stand still until it is asked again.
//!
//! # What it changes about the machine
//! Both interfaces are in promiscuous mode as long as this process lives. Nothing else: the
//! machine's own network still sees what comes, too.

mod interfaces;
mod offloads;

use std::fmt;
use std::net::IpAddr;

use earlydrop::registry::nearest;
use earlydrop::units::Nanos;
use nix::libc::signalfd_siginfo;

use crate::LiveError;
use crate::device::Device;
use crate::error::Context;
use crate::forwarding::{Files, ForwardingLoop, LoopHandler, block_signals};
use crate::plan::{Bottleneck, MTU};
use crate::privileges::{self, InvokingUser, require_single_thread};
use crate::stats::{Sample, Summary};
use interfaces::{Interface, Interfaces};

/// What is to be bridged, and how.
#[derive(Clone, Debug)]
pub struct Bridge {
    /// The interfaces' names; up leads from the first to the second.
    pub between: [String; 2],
    /// What packets cross.
    pub bottleneck: Bottleneck,
    /// Names of interfaces that are taken though the machine's default route leads through
    /// them; each is there twice.
    pub even_default_route: Vec<String>,
    /// What is written meanwhile.
    pub files: Files,
    /// When it ends by itself.
    pub duration: Option<Nanos>,
}

/// Who is told how a bridge goes.
pub trait BridgeObserver {
    /// Both interfaces are there, and packets cross from now on.
    fn started(&mut self, warnings: &[Warning], user: &InvokingUser);
    /// Both directions, ten times a second.
    fn sampled(&mut self, samples: &[Sample; 2]);
}

/// What may not be as its user thinks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// The machine answers on an interface itself.
    Addresses(String, Vec<IpAddr>),
    /// Packets are put together before they are seen.
    ReceiveOffloads(String, Vec<&'static str>),
    /// The other end of a veth may send what a device would cut.
    Veth(String),
    /// Packets may be longer than what crosses.
    Mtu(String, u32),
    /// Nothing is there at the other end.
    NoCarrier(String),
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Addresses(name, addresses) => {
                let addresses: Vec<String> = addresses.iter().map(IpAddr::to_string).collect();
                write!(
                    f,
                    "{name} has the address {}: this machine answers there itself, and what it \
                     sends does not cross the bottleneck; ip address flush dev {name}",
                    addresses.join(", ")
                )
            }
            Warning::ReceiveOffloads(name, by) => write!(
                f,
                "{name} puts packets together ({}), and what is longer than {MTU} bytes is \
                 dropped; ethtool -K {name} {} off",
                by.join(", "),
                by.join(" off ")
            ),
            Warning::Veth(name) => write!(
                f,
                "{name} is a veth: turn offloads off at its other end, or what is longer than \
                 {MTU} bytes is dropped; there: ethtool -K INTERFACE tso off gso off gro off"
            ),
            Warning::Mtu(name, mtu) => write!(
                f,
                "{name} takes packets of {mtu} bytes, and what is longer than {MTU} is dropped; \
                 ip link set {name} mtu {MTU}, and the same at the hosts"
            ),
            Warning::NoCarrier(name) => write!(f, "{name} has no carrier: nothing is connected"),
        }
    }
}

impl Bridge {
    /// Lets packets cross until the time is over or a signal comes.
    ///
    /// The process gives up privileges for good. It must have one thread.
    pub fn run(&self, observer: &mut dyn BridgeObserver) -> Result<Summary, LiveError> {
        require_single_thread()?;
        let here = Interfaces::here().context("asking for interfaces")?;
        let [first, second] = self.usable_interfaces(&here)?;
        let warnings: Vec<Warning> = [first, second].into_iter().flat_map(warnings).collect();
        let devices = [
            Device::on(&first.name, first.index)?,
            Device::on(&second.name, second.index)?,
        ];
        let user = InvokingUser::of_this_process();
        user.switch_to().context("giving up privileges")?;
        let forwarding = ForwardingLoop::new(&self.bottleneck, devices, &self.files)?;
        let signals = block_signals().context("listening for signals")?;
        privileges::drop_capabilities().context("giving up privileges")?;
        observer.started(&warnings, &user);
        let until = self.duration.unwrap_or(Nanos::NEVER);
        let ended = forwarding.run(until, &signals, &mut UntilSignalled(observer))?;
        Ok(ended.summary)
    }

    /// Both interfaces, if a bridge can stand on them.
    fn usable_interfaces<'a>(&self, here: &'a Interfaces) -> Result<[&'a Interface; 2], LiveError> {
        let [first, second] = &self.between;
        let first = self.usable_interface(here, first)?;
        let second = self.usable_interface(here, second)?;
        if first.index == second.index {
            return Err(unusable(
                first,
                "is given twice",
                "a bridge is between two interfaces",
            ));
        }
        if Interfaces::are_joined(first, second) {
            let problem = format!("and {} are joined already", second.name);
            let help = "packets would go round between them for ever";
            return Err(unusable(first, problem, help));
        }
        Ok([first, second])
    }

    fn usable_interface<'a>(
        &self,
        here: &'a Interfaces,
        name: &str,
    ) -> Result<&'a Interface, LiveError> {
        let interface = here.find(name).ok_or_else(|| LiveError::NoInterface {
            name: name.to_string(),
            nearest: nearest(name, here.names()).map(str::to_string),
            known: here.names().map(str::to_string).collect(),
        })?;
        if !interface.is_ethernet {
            let help = "packets of Ethernet can cross, no others";
            return Err(unusable(interface, "is no interface of Ethernet", help));
        }
        if let Some(master) = here.master(interface) {
            let help = format!("take it out first: ip link set {name} nomaster");
            return Err(unusable(interface, format!("belongs to {master}"), help));
        }
        let said = self.even_default_route.iter().filter(|said| *said == name);
        if here.carries_default_route(interface) && said.count() < 2 {
            let problem = "carries the default route: a bridge may cut this machine off";
            let flag = format!("--even-default-route {name}");
            let help = format!("if that is meant, say so twice: {flag} {flag}");
            return Err(unusable(interface, problem, help));
        }
        if !interface.is_up {
            return Err(unusable(
                interface,
                "is down",
                format!("ip link set {name} up"),
            ));
        }
        Ok(interface)
    }
}

fn unusable(
    interface: &Interface,
    problem: impl Into<String>,
    help: impl Into<String>,
) -> LiveError {
    LiveError::Interface {
        name: interface.name.clone(),
        problem: problem.into(),
        help: help.into(),
    }
}

fn warnings(interface: &Interface) -> Vec<Warning> {
    let name = || interface.name.clone();
    let merging = offloads::merging(&interface.name);
    let found = [
        (!interface.has_carrier).then(|| Warning::NoCarrier(name())),
        (!interface.addresses.is_empty())
            .then(|| Warning::Addresses(name(), interface.addresses.clone())),
        (interface.mtu > MTU).then(|| Warning::Mtu(name(), interface.mtu)),
        (!merging.is_empty()).then(|| Warning::ReceiveOffloads(name(), merging)),
        (interface.kind == "veth").then(|| Warning::Veth(name())),
    ];
    found.into_iter().flatten().collect()
}

/// A bridge ends with the first signal, and that is no failure.
struct UntilSignalled<'a>(&'a mut dyn BridgeObserver);

impl LoopHandler for UntilSignalled<'_> {
    fn signalled(&mut self, signal: &signalfd_siginfo) -> Option<i32> {
        let ends = signal.ssi_signo as i32 != nix::libc::SIGCHLD;
        ends.then_some(0)
    }

    fn sampled(&mut self, samples: &[Sample; 2]) {
        self.0.sampled(samples);
    }
}
