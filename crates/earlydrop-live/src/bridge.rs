//! A bridge: a bottleneck between two existing interfaces. What arrives at one leaves at the
//! other.
//!
//! ```text
//! hosts -- first interface --> queue, rate, delay, loss --> second interface -- hosts
//! ```
//!
//! # What is forwarded
//! Every Ethernet frame, unchanged but for ECN marks: addresses and VLAN tags are kept, so hosts
//! see each other as if connected by a cable. The scheme sees the IPv4 or IPv6 packet in the
//! frame, behind up to two tags. The length of a packet is the one in its IP header, so the rate
//! counts IP bytes.
//!
//! ARP, IPv6 neighbour discovery and all other non-IP frames bypass the queue: they are sent
//! before the packets that wait, and take their time on the link. The scheme neither sees nor
//! drops them. A lost ARP request would stop an experiment until it is repeated.
//!
//! # Effects on the machine
//! Both interfaces are in promiscuous mode while this process lives. Nothing else: the machine's
//! own network stack still sees the frames, too.
//!
//! # Interfaces that change
//! An interface belongs to one bridge at a time; a second bridge is refused. While an interface is
//! down, packets for it are refused by the kernel and counted; when it is up again, the bridge goes
//! on. The bridge ends, with its summary, when an interface vanishes.

mod claim;
mod interfaces;
mod offloads;

#[cfg(any(test, fuzzing))]
pub(crate) use interfaces::carriers;

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
use claim::Claim;
use interfaces::{Interface, Interfaces};

/// Parameters of a bridge.
#[derive(Clone, Debug)]
pub struct Bridge {
    /// Names of the interfaces; up leads from the first to the second.
    pub between: [String; 2],
    /// The bottleneck between the interfaces.
    pub bottleneck: Bottleneck,
    /// Interfaces to use although the machine's default route leads through them. Each must be
    /// listed twice.
    pub even_default_route: Vec<String>,
    /// Files to write while packets are forwarded.
    pub files: Files,
    /// Duration after which the bridge ends; `None` waits for a signal.
    pub duration: Option<Nanos>,
}

/// Receives the events of a bridge.
pub trait BridgeObserver {
    /// Both sockets are open, and packets are forwarded from now on.
    fn started(&mut self, warnings: &[Warning], user: &InvokingUser);
    /// Samples of both directions, ten times a second.
    fn sampled(&mut self, samples: &[Sample; 2]);
    /// An interface of the bridge has changed.
    fn changed(&mut self, interface: &str, change: Change);
}

/// A change of an interface while packets are forwarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// It has gone down; the bridge waits for it.
    Down,
    /// It is up again; the bridge goes on.
    UpAgain,
}

/// The end of a bridge.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BridgeOutcome {
    /// Counters and lateness of the whole bridge.
    pub summary: Summary,
    /// The interface that has vanished, if that ended the bridge.
    pub vanished: Option<String>,
}

/// A property of an interface that may distort an experiment; its text names the command that
/// changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// The machine itself has addresses on the interface.
    Addresses(String, Vec<IpAddr>),
    /// Receive offloads (GRO, LRO) merge packets before they are read.
    ReceiveOffloads(String, Vec<&'static str>),
    /// A veth, whose peer may send GSO packets that nobody has cut.
    Veth(String),
    /// The interface's MTU is larger than the bridge's.
    Mtu(String, u32),
    /// The interface has no carrier.
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
                "{name} merges received packets ({}), and packets longer than {MTU} bytes are \
                 dropped; ethtool -K {name} {} off",
                by.join(", "),
                by.join(" off ")
            ),
            Warning::Veth(name) => write!(
                f,
                "{name} is a veth: turn offloads off at its other end, or packets longer than \
                 {MTU} bytes are dropped; there: ethtool -K INTERFACE tso off gso off gro off"
            ),
            Warning::Mtu(name, mtu) => write!(
                f,
                "{name} has an MTU of {mtu} bytes, and packets longer than {MTU} are dropped; \
                 ip link set {name} mtu {MTU}, and the same at the hosts"
            ),
            Warning::NoCarrier(name) => write!(f, "{name} has no carrier: nothing is connected"),
        }
    }
}

impl Bridge {
    /// Forwards packets until the duration is over, a signal arrives, or an interface vanishes.
    ///
    /// The process gives up privileges for good. It must have one thread.
    pub fn run(&self, observer: &mut dyn BridgeObserver) -> Result<BridgeOutcome, LiveError> {
        require_single_thread()?;
        let here = Interfaces::here().context("listing the interfaces")?;
        let [first, second] = self.usable_interfaces(&here)?;
        let warnings: Vec<Warning> = [first, second].into_iter().flat_map(warnings).collect();
        let _claims = [Claim::on(first)?, Claim::on(second)?];
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
        let mut handler = BridgeHandler {
            observer,
            ends: [first, second].map(End::of),
            vanished: None,
        };
        let ended = forwarding.run(until, &signals, &mut handler)?;
        Ok(BridgeOutcome {
            summary: ended.summary,
            vanished: handler.vanished,
        })
    }

    /// Finds both interfaces and checks that a bridge can use them.
    fn usable_interfaces<'a>(&self, here: &'a Interfaces) -> Result<[&'a Interface; 2], LiveError> {
        let [first, second] = &self.between;
        let first = self.usable_interface(here, first)?;
        let second = self.usable_interface(here, second)?;
        if first.index == second.index {
            return Err(unusable(
                first,
                "is given twice",
                "a bridge needs two interfaces",
            ));
        }
        if Interfaces::are_connected(first, second) {
            let problem = format!("and {} are connected already", second.name);
            let help = "packets would loop between them";
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
            let help = "only Ethernet frames can be forwarded";
            return Err(unusable(interface, "is no Ethernet interface", help));
        }
        if let Some(master) = here.master(interface) {
            let help = format!("remove it first: ip link set {name} nomaster");
            return Err(unusable(interface, format!("belongs to {master}"), help));
        }
        let given = self
            .even_default_route
            .iter()
            .filter(|given| *given == name);
        if here.carries_default_route(interface) && given.count() < 2 {
            let problem = "carries the default route: a bridge may cut this machine off";
            let flag = format!("--even-default-route {name}");
            let help = format!("if you mean it, say so twice: {flag} {flag}");
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
    let enabled = offloads::receive_offloads(&interface.name);
    let warnings = [
        (!interface.has_carrier).then(|| Warning::NoCarrier(name())),
        (!interface.addresses.is_empty())
            .then(|| Warning::Addresses(name(), interface.addresses.clone())),
        (interface.mtu > MTU).then(|| Warning::Mtu(name(), interface.mtu)),
        (!enabled.is_empty()).then(|| Warning::ReceiveOffloads(name(), enabled)),
        (interface.kind == "veth").then(|| Warning::Veth(name())),
    ];
    warnings.into_iter().flatten().collect()
}

/// Ends the loop at the first signal, or when an interface vanishes.
struct BridgeHandler<'a> {
    observer: &'a mut dyn BridgeObserver,
    ends: [End; 2],
    vanished: Option<String>,
}

/// An interface of a bridge while packets are forwarded.
struct End {
    index: u32,
    name: String,
    is_down: bool,
}

impl End {
    fn of(interface: &Interface) -> End {
        End {
            index: interface.index,
            name: interface.name.clone(),
            is_down: false,
        }
    }
}

impl LoopHandler for BridgeHandler<'_> {
    fn signalled(&mut self, signal: &signalfd_siginfo) -> Option<i32> {
        let ends = signal.ssi_signo as i32 != nix::libc::SIGCHLD;
        ends.then_some(0)
    }

    fn sampled(&mut self, samples: &[Sample; 2]) {
        self.observer.sampled(samples);
    }

    fn went_down(&mut self, devices: [bool; 2]) -> Result<Option<i32>, LiveError> {
        for (end, went_down) in self.ends.iter_mut().zip(devices) {
            if went_down && !end.is_down {
                end.is_down = true;
                self.observer.changed(&end.name, Change::Down);
            }
        }
        if !self.ends.iter().any(|end| end.is_down) {
            return Ok(None);
        }
        // Another interface of the same name has another index.
        let here = Interfaces::here().context("listing the interfaces")?;
        for end in self.ends.iter_mut().filter(|end| end.is_down) {
            match here.with_index(end.index) {
                Some(interface) if interface.is_up => {
                    end.is_down = false;
                    self.observer.changed(&end.name, Change::UpAgain);
                }
                Some(_) => {}
                None => {
                    self.vanished = Some(end.name.clone());
                    return Ok(Some(1));
                }
            }
        }
        Ok(None)
    }
}
