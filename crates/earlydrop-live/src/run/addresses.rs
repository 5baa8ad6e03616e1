//! The address plan of a run: each flow has one address at either end. All flows with the same
//! TCP profile, a *kind*, share a prefix, so that a route can set their TCP.
//!
//! ```text
//! near end   10.(64 + kind).hi.lo       far end   10.(128 + kind).hi.lo
//! ```
//!
//! `hi.lo` counts the flows of the kind. The addresses exist only in the run's namespaces, so
//! they cannot collide with the machine's.

use std::net::Ipv4Addr;

use earlydrop_sim::traffic::{Flow, Traffic};

use crate::error::Unsupported;

/// First byte of all addresses.
const NETWORK: u8 = 10;
/// Second byte at the near end, plus the kind.
const NEAR: u8 = 64;
/// Second byte at the far end, plus the kind.
const FAR: u8 = 128;
/// Most kinds: TCP profiles, and one for datagrams.
const KINDS: usize = 64;
/// Most flows of one kind.
const FLOWS: usize = 1 << 16;

/// The addresses of all flows.
#[derive(Clone, Debug)]
pub(crate) struct AddressPlan {
    /// For each kind, its flows in order.
    kinds: Vec<Vec<u32>>,
    /// For each flow, its kind and its position there.
    positions: Vec<(u8, u16)>,
}

impl AddressPlan {
    /// Assigns addresses to flows.
    pub(crate) fn new(flows: &[Flow]) -> Result<AddressPlan, Unsupported> {
        let mut kinds: Vec<Vec<u32>> = Vec::new();
        let mut positions = Vec::with_capacity(flows.len());
        for (number, flow) in flows.iter().enumerate() {
            let has_profile = |members: &Vec<u32>| same_profile(&flows[members[0] as usize], flow);
            let kind = kinds.iter().position(has_profile).unwrap_or_else(|| {
                kinds.push(Vec::new());
                kinds.len() - 1
            });
            let too_many = |message: String, most: usize| Unsupported {
                flow: Some(number),
                message,
                help: format!("at most {most}"),
            };
            if kind >= KINDS {
                let message = format!("more than {KINDS} TCP profiles");
                return Err(too_many(message, KINDS));
            }
            let position = kinds[kind].len();
            if position >= FLOWS {
                let message = format!("more than {FLOWS} flows with one TCP profile");
                return Err(too_many(message, FLOWS));
            }
            positions.push((kind as u8, position as u16));
            kinds[kind].push(number as u32);
        }
        Ok(AddressPlan { kinds, positions })
    }

    /// One flow of each kind, whose profile is that of all.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = u32> {
        self.kinds.iter().map(|members| members[0])
    }

    /// The /16 prefixes of a kind: near end, far end.
    pub(crate) fn prefixes(kind: u8) -> [Ipv4Addr; 2] {
        [NEAR, FAR].map(|end| Ipv4Addr::new(NETWORK, end + kind, 0, 0))
    }

    /// A flow's addresses: near end, far end.
    pub(crate) fn addresses(&self, flow: u32) -> [Ipv4Addr; 2] {
        let (kind, position) = self.positions[flow as usize];
        let [hi, lo] = position.to_be_bytes();
        [NEAR, FAR].map(|end| Ipv4Addr::new(NETWORK, end + kind, hi, lo))
    }

    /// The flow of an IPv4 packet, by its source address.
    pub(crate) fn flow(&self, packet: &[u8]) -> Option<u32> {
        self.flow_at(*packet.get(12..)?.first_chunk()?)
    }

    /// The flow of an address.
    pub(crate) fn flow_at(&self, address: [u8; 4]) -> Option<u32> {
        let [NETWORK, end, hi, lo] = address else {
            return None;
        };
        let kind = self.kinds.get(usize::from(end) % KINDS)?;
        kind.get(usize::from(u16::from_be_bytes([hi, lo]))).copied()
    }
}

/// Whether two flows have the same TCP profile; all datagram flows do.
fn same_profile(one: &Flow, other: &Flow) -> bool {
    match (&one.traffic, &other.traffic) {
        (Traffic::Tcp { profile: one, .. }, Traffic::Tcp { profile: other, .. }) => one == other,
        (Traffic::Datagrams { .. }, Traffic::Datagrams { .. }) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use earlydrop_sim::network::Node;
    use earlydrop_sim::tcp::{Algorithm, Profile};

    #[test]
    fn a_packet_from_either_end_tells_whose_it_is() {
        let (a, b) = (Node(0), Node(1));
        let profiles = [Algorithm::Reno, Algorithm::Cubic].map(|a| Profile::modern(a).into());
        let flows: Vec<Flow> = (0..600)
            .map(|number| Flow::bulk(a, b, &profiles[number % 2]))
            .collect();
        let addresses = AddressPlan::new(&flows).expect("two kinds");
        for flow in 0..600 {
            for address in addresses.addresses(flow) {
                let mut packet = [0; 20];
                packet[12..16].copy_from_slice(&address.octets());
                assert_eq!(addresses.flow(&packet), Some(flow), "{address}");
            }
        }
        assert_eq!(addresses.kinds().collect::<Vec<_>>(), [0, 1]);
        assert_eq!(addresses.flow(&[0; 20]), None);
    }
}
