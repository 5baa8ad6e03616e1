//! The interfaces of a network namespace, and which of them lead out of the machine.

use std::collections::BTreeSet;
use std::io;
use std::net::IpAddr;

use nix::libc;

use crate::netlink::{GET_ADDRESS, GET_LINK, GET_ROUTE, Routing, attributes};

// Attributes: linux/if_link.h, linux/if_addr.h, linux/rtnetlink.h.
const LINK_NAME: u16 = 3;
const LINK_MTU: u16 = 4;
const LINK_LOWER: u16 = 5;
const LINK_MASTER: u16 = 10;
const LINK_INFO: u16 = 18;
const LINK_NAMESPACE: u16 = 37;
/// `IFF_LOWER_UP` of linux/if.h, for `IFF_RUNNING` says it late.
const LOWER_UP: libc::c_int = 1 << 16;
const INFO_KIND: u16 = 1;
const ADDRESS_ADDRESS: u16 = 1;
const ADDRESS_LOCAL: u16 = 2;
const ROUTE_OUT: u16 = 4;
const ROUTE_MULTIPATH: u16 = 9;

/// An interface as the kernel describes it.
#[derive(Clone, Debug, Default)]
pub(super) struct Interface {
    pub(super) index: u32,
    pub(super) name: String,
    pub(super) is_ethernet: bool,
    pub(super) is_up: bool,
    pub(super) has_carrier: bool,
    pub(super) mtu: u32,
    /// "veth", "vlan", ...; empty for a device of hardware.
    pub(super) kind: String,
    /// The bridge or the like that it belongs to.
    master: Option<u32>,
    /// What it stands on, or a veth's other end, in the same namespace.
    lower: Option<u32>,
    /// Those that other hosts could use: none of a link only.
    pub(super) addresses: Vec<IpAddr>,
}

/// All interfaces of a namespace.
#[derive(Clone, Debug)]
pub(super) struct Interfaces {
    list: Vec<Interface>,
    /// Those with a default route.
    outward: BTreeSet<u32>,
}

impl Interfaces {
    /// Those of the namespace that this thread is in.
    pub(super) fn here() -> io::Result<Interfaces> {
        let routing = Routing::open()?;
        let links = routing.list(GET_LINK)?;
        let mut list: Vec<Interface> = links.iter().filter_map(|body| interface(body)).collect();
        for body in routing.list(GET_ADDRESS)? {
            if let Some((index, address)) = address(&body)
                && let Some(owner) = list.iter_mut().find(|one| one.index == index)
            {
                owner.addresses.push(address);
            }
        }
        let routes = routing.list(GET_ROUTE)?;
        let outward = routes.iter().flat_map(|body| default_route(body)).collect();
        Ok(Interfaces { list, outward })
    }

    pub(super) fn find(&self, name: &str) -> Option<&Interface> {
        self.list.iter().find(|one| one.name == name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|one| one.name.as_str())
    }

    /// The name of what an interface belongs to.
    pub(super) fn master(&self, of: &Interface) -> Option<&str> {
        let master = self.list.iter().find(|one| Some(one.index) == of.master)?;
        Some(&master.name)
    }

    /// Whether one of them stands on the other, or is its other end.
    pub(super) fn are_joined(one: &Interface, other: &Interface) -> bool {
        one.lower == Some(other.index) || other.lower == Some(one.index)
    }

    /// Whether the machine's way out is this interface, or leads through it: by a bridge that
    /// it belongs to, a virtual network that stands on it.
    pub(super) fn carries_default_route(&self, interface: &Interface) -> bool {
        let mut reached = self.outward.clone();
        loop {
            let before = reached.len();
            for one in &self.list {
                if one.master.is_some_and(|master| reached.contains(&master)) {
                    reached.insert(one.index);
                }
                if let (Some(lower), true) = (one.lower, reached.contains(&one.index)) {
                    reached.insert(lower);
                }
            }
            if reached.len() == before {
                return reached.contains(&interface.index);
            }
        }
    }
}

/// `ifinfomsg`: family, its padding, a type of two bytes, index, flags, and what has changed.
fn interface(body: &[u8]) -> Option<Interface> {
    let flags = number(body.get(8..)?)? as libc::c_int;
    let mut found = Interface {
        index: number(body.get(4..)?)?,
        is_ethernet: body.get(2..4)? == libc::ARPHRD_ETHER.to_ne_bytes(),
        is_up: flags & libc::IFF_UP != 0,
        has_carrier: flags & LOWER_UP != 0,
        ..Interface::default()
    };
    let mut is_elsewhere = false;
    for (kind, value) in attributes(body, 16) {
        match kind {
            LINK_NAME => found.name = text(value),
            LINK_MTU => found.mtu = number(value)?,
            LINK_MASTER => found.master = number(value),
            LINK_LOWER => found.lower = number(value),
            LINK_NAMESPACE => is_elsewhere = true,
            LINK_INFO => {
                let mut info = attributes(value, 0);
                let kind = info.find(|(kind, _)| *kind == INFO_KIND);
                found.kind = kind.map_or(String::new(), |(_, kind)| text(kind));
            }
            _ => {}
        }
    }
    if is_elsewhere {
        found.lower = None;
    }
    Some(found)
}

/// `ifaddrmsg`: family, prefix, flags, scope, index.
fn address(body: &[u8]) -> Option<(u32, IpAddr)> {
    let index = number(body.get(4..)?)?;
    if *body.get(3)? == libc::RT_SCOPE_LINK {
        return None;
    }
    let find = |wanted| attributes(body, 8).find(|(kind, _)| *kind == wanted);
    let (_, value) = find(ADDRESS_LOCAL).or_else(|| find(ADDRESS_ADDRESS))?;
    let address = match value.len() {
        4 => IpAddr::from(*value.first_chunk::<4>()?),
        _ => IpAddr::from(*value.first_chunk::<16>()?),
    };
    Some((index, address))
}

/// Where a route leads, if it takes everything, or half of everything, of its family:
/// `rtmsg` has the prefix's length at 1, the type at 7.
fn default_route(body: &[u8]) -> Vec<u32> {
    let (Some(prefix), Some(kind)) = (body.get(1), body.get(7)) else {
        return Vec::new();
    };
    if *prefix > 1 || *kind != libc::RTN_UNICAST {
        return Vec::new();
    }
    let leads = |(kind, value)| match kind {
        ROUTE_OUT => number(value).into_iter().collect(),
        ROUTE_MULTIPATH => next_hops(value),
        _ => Vec::new(),
    };
    attributes(body, 12).flat_map(leads).collect()
}

/// `rtnexthop`, one after the other: a length of two bytes, flags, hops, index, attributes.
fn next_hops(mut rest: &[u8]) -> Vec<u32> {
    let mut found = Vec::new();
    while let (Some(length), Some(index)) = (rest.first_chunk(), rest.get(4..).and_then(number)) {
        found.push(index);
        let length = usize::from(u16::from_ne_bytes(*length)).next_multiple_of(4);
        rest = rest.get(length.max(8)..).unwrap_or_default();
    }
    found
}

fn number(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_ne_bytes(*bytes.first_chunk()?))
}

/// Up to the zero at its end.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0);
    String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An interface that belongs to, or stands on, another.
    fn one(index: u32, master: Option<u32>, lower: Option<u32>) -> Interface {
        Interface {
            index,
            name: format!("eth{index}"),
            master,
            lower,
            ..Interface::default()
        }
    }

    #[test]
    fn a_way_out_leads_through_what_it_stands_on() {
        // A bridge, 4, of 1 and 2; a virtual network, 5, on the bridge; 3 has no part in it.
        let list = vec![
            one(1, Some(4), None),
            one(2, Some(4), None),
            one(3, None, None),
            one(4, None, None),
            one(5, None, Some(4)),
        ];
        let with = |outward: &[u32]| {
            let outward = outward.iter().copied().collect();
            let here = Interfaces {
                list: list.clone(),
                outward,
            };
            let carries = here
                .list
                .iter()
                .filter(|one| here.carries_default_route(one));
            carries.map(|one| one.index).collect::<Vec<_>>()
        };
        assert!(with(&[]).is_empty());
        assert_eq!(with(&[3]), [3]);
        assert_eq!(with(&[5]), [1, 2, 4, 5]);
        assert_eq!(with(&[4]), [1, 2, 4]);
        assert_eq!(with(&[1]), [1], "not what belongs to the same bridge");
    }

    #[test]
    fn every_next_hop_of_a_route_is_found() {
        let hop = |index: u32, attribute: &[u8]| {
            let mut hop = (8 + attribute.len() as u16).to_ne_bytes().to_vec();
            hop.extend([0, 0]);
            hop.extend(index.to_ne_bytes());
            [hop, attribute.to_vec()].concat()
        };
        let gateway = [8_u16.to_ne_bytes(), 5_u16.to_ne_bytes(), [10, 0], [0, 1]].concat();
        assert_eq!(next_hops(&[hop(7, &gateway), hop(9, &[])].concat()), [7, 9]);
        assert!(next_hops(&[0; 7]).is_empty());
    }
}
