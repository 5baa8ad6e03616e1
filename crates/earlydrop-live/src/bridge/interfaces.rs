//! The interfaces of a network namespace, and which of them carry its default route.

use std::collections::BTreeSet;
use std::io;
use std::net::IpAddr;

use nix::libc;

use crate::netlink::{GET_ADDRESS, GET_LINK, GET_ROUTE, Routing, attributes};

// Attribute types: linux/if_link.h, linux/if_addr.h, linux/rtnetlink.h.
const LINK_NAME: u16 = 3;
const LINK_MTU: u16 = 4;
const LINK_LOWER: u16 = 5;
const LINK_MASTER: u16 = 10;
const LINK_INFO: u16 = 18;
const LINK_NAMESPACE: u16 = 37;
/// `IFF_LOWER_UP` of linux/if.h; `IFF_RUNNING` follows it with a delay.
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
    /// Kind of a virtual interface ("veth", "vlan"); empty for hardware.
    pub(super) kind: String,
    /// Index of the bridge or bond that it belongs to.
    master: Option<u32>,
    /// Index of the interface below it, or of a veth's peer, in the same namespace.
    lower: Option<u32>,
    /// Addresses, without those of link scope.
    pub(super) addresses: Vec<IpAddr>,
}

/// All interfaces of a namespace.
#[derive(Clone, Debug)]
pub(super) struct Interfaces {
    list: Vec<Interface>,
    /// Indices of interfaces with a default route.
    default_routes: BTreeSet<u32>,
}

impl Interfaces {
    /// Lists the interfaces of this thread's namespace.
    pub(super) fn here() -> io::Result<Interfaces> {
        let routing = Routing::open()?;
        let links = routing.list(GET_LINK)?;
        let addresses = routing.list(GET_ADDRESS)?;
        let routes = routing.list(GET_ROUTE)?;
        Ok(Interfaces::parse(&links, &addresses, &routes))
    }

    /// Parses the bodies of the messages about links, addresses and routes. What cannot be read
    /// is left out.
    fn parse(links: &[Vec<u8>], addresses: &[Vec<u8>], routes: &[Vec<u8>]) -> Interfaces {
        let mut list: Vec<Interface> = links.iter().filter_map(|body| interface(body)).collect();
        for (index, address) in addresses.iter().filter_map(|body| address(body)) {
            if let Some(interface) = list.iter_mut().find(|one| one.index == index) {
                interface.addresses.push(address);
            }
        }
        let default_routes = routes.iter().flat_map(|body| default_route(body)).collect();
        Interfaces {
            list,
            default_routes,
        }
    }

    pub(super) fn find(&self, name: &str) -> Option<&Interface> {
        self.list.iter().find(|one| one.name == name)
    }

    pub(super) fn with_index(&self, index: u32) -> Option<&Interface> {
        self.list.iter().find(|one| one.index == index)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|one| one.name.as_str())
    }

    /// Name of the bridge or bond that an interface belongs to.
    pub(super) fn master(&self, of: &Interface) -> Option<&str> {
        let master = self.list.iter().find(|one| Some(one.index) == of.master)?;
        Some(&master.name)
    }

    /// Whether one is above the other, or its veth peer.
    pub(super) fn are_connected(one: &Interface, other: &Interface) -> bool {
        one.lower == Some(other.index) || other.lower == Some(one.index)
    }

    /// Whether the default route leads out of this interface, directly or through a bridge it
    /// belongs to or a VLAN on top of it.
    pub(super) fn carries_default_route(&self, interface: &Interface) -> bool {
        let mut carriers = self.default_routes.clone();
        loop {
            let before = carriers.len();
            for one in &self.list {
                if one.master.is_some_and(|master| carriers.contains(&master)) {
                    carriers.insert(one.index);
                }
                if let (Some(lower), true) = (one.lower, carriers.contains(&one.index)) {
                    carriers.insert(lower);
                }
            }
            if carriers.len() == before {
                return carriers.contains(&interface.index);
            }
        }
    }
}

/// Parses `ifinfomsg`: family, padding, a type of two bytes, index, flags, change mask.
fn interface(body: &[u8]) -> Option<Interface> {
    let flags = number(body.get(8..)?)? as libc::c_int;
    let mut result = Interface {
        index: number(body.get(4..)?)?,
        is_ethernet: body.get(2..4)? == libc::ARPHRD_ETHER.to_ne_bytes(),
        is_up: flags & libc::IFF_UP != 0,
        has_carrier: flags & LOWER_UP != 0,
        ..Interface::default()
    };
    let mut is_elsewhere = false;
    for (kind, value) in attributes(body, 16) {
        match kind {
            LINK_NAME => result.name = text(value),
            LINK_MTU => result.mtu = number(value)?,
            LINK_MASTER => result.master = number(value),
            LINK_LOWER => result.lower = number(value),
            LINK_NAMESPACE => is_elsewhere = true,
            LINK_INFO => {
                let mut info = attributes(value, 0);
                let kind = info.find(|(kind, _)| *kind == INFO_KIND);
                result.kind = kind.map_or(String::new(), |(_, kind)| text(kind));
            }
            _ => {}
        }
    }
    if is_elsewhere {
        result.lower = None;
    }
    Some(result)
}

/// Parses `ifaddrmsg`: family, prefix length, flags, scope, index.
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

/// Output interfaces of a route that covers all or half of its family. `rtmsg` has the prefix
/// length at offset 1, the type at 7.
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

/// Parses consecutive `rtnexthop`: a length of two bytes, flags, hops, index, attributes.
fn next_hops(mut rest: &[u8]) -> Vec<u32> {
    let mut result = Vec::new();
    while let (Some(length), Some(index)) = (rest.first_chunk(), rest.get(4..).and_then(number)) {
        result.push(index);
        let length = usize::from(u16::from_ne_bytes(*length)).next_multiple_of(4);
        rest = rest.get(length.max(8)..).unwrap_or_default();
    }
    result
}

fn number(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_ne_bytes(*bytes.first_chunk()?))
}

/// Parses a string that ends with a zero byte.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0);
    String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())]).into_owned()
}

/// The default routes of whatever these bytes say about links, addresses and routes: the
/// number of interfaces that carry one.
#[cfg(any(test, fuzzing))]
pub(crate) fn carriers(bytes: &[u8]) -> usize {
    let mut bodies = Vec::new();
    let _ = crate::netlink::add_bodies(bytes, &mut bodies);
    // One byte of each body says which request it answers.
    let of = |request| {
        let is_one = |body: &&Vec<u8>| body.first().is_some_and(|byte| byte % 4 == request);
        bodies.iter().filter(is_one).cloned().collect::<Vec<_>>()
    };
    let here = Interfaces::parse(&[of(0), of(3)].concat(), &of(1), &of(2));
    let carriers = here.list.iter().filter(|one| {
        let _ = here.master(one);
        here.carries_default_route(one)
    });
    carriers.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An interface with a master, or above another.
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
    fn a_default_route_leads_through_lower_interfaces_and_bridge_ports() {
        // 4 is a bridge of 1 and 2; 5 is a VLAN on the bridge; 3 is separate.
        let list = vec![
            one(1, Some(4), None),
            one(2, Some(4), None),
            one(3, None, None),
            one(4, None, None),
            one(5, None, Some(4)),
        ];
        let with = |default_routes: &[u32]| {
            let default_routes = default_routes.iter().copied().collect();
            let here = Interfaces {
                list: list.clone(),
                default_routes,
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
        assert_eq!(with(&[1]), [1], "not the other port of the bridge");
    }

    #[test]
    fn every_next_hop_of_a_route_is_parsed() {
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
