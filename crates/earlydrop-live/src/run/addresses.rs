//! Who has which address: each flow one at either end, all flows of one kind of TCP within
//! one prefix, so that a route can say what holds for them.
//!
//! ```text
//! near end   10.(64 + kind).hi.lo       far end   10.(128 + kind).hi.lo
//! ```
//!
//! where `hi.lo` counts the kind's flows. The addresses lie in namespaces of the program's
//! own; whatever the machine itself uses does not matter.

use std::net::Ipv4Addr;

use earlydrop_sim::traffic::{Flow, Traffic};

use crate::error::Unsupported;

/// The first byte of all addresses.
const NETWORK: u8 = 10;
/// The second byte of the near end's, but for the kind.
const NEAR: u8 = 64;
/// The second byte of the far end's, but for the kind.
const FAR: u8 = 128;
/// Kinds of TCP, datagrams among them.
const KINDS: usize = 64;
/// Flows of one kind.
const FLOWS: usize = 1 << 16;

/// Which addresses flows have.
#[derive(Clone, Debug)]
pub(crate) struct AddressPlan {
    /// For each kind, its flows in order.
    kinds: Vec<Vec<u32>>,
    /// For each flow, its kind and its place there.
    places: Vec<(u8, u16)>,
}

impl AddressPlan {
    /// Gives each flow its addresses.
    pub(crate) fn new(flows: &[Flow]) -> Result<AddressPlan, Unsupported> {
        let mut kinds: Vec<Vec<u32>> = Vec::new();
        let mut places = Vec::with_capacity(flows.len());
        for (number, flow) in flows.iter().enumerate() {
            let alike = |members: &Vec<u32>| same_rules(&flows[members[0] as usize], flow);
            let kind = kinds.iter().position(alike).unwrap_or_else(|| {
                kinds.push(Vec::new());
                kinds.len() - 1
            });
            let too_many = |message: String, most: usize| Unsupported {
                flow: Some(number),
                message,
                help: format!("at most {most}"),
            };
            if kind >= KINDS {
                let message = format!("more than {KINDS} kinds of TCP");
                return Err(too_many(message, KINDS));
            }
            let place = kinds[kind].len();
            if place >= FLOWS {
                let message = format!("more than {FLOWS} flows of one kind");
                return Err(too_many(message, FLOWS));
            }
            places.push((kind as u8, place as u16));
            kinds[kind].push(number as u32);
        }
        Ok(AddressPlan { kinds, places })
    }

    /// One flow of each kind, by whose rules all of it go.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = u32> {
        self.kinds.iter().map(|members| members[0])
    }

    /// The prefix of 16 bits of a kind at the near end, and at the far one.
    pub(crate) fn prefixes(kind: u8) -> [Ipv4Addr; 2] {
        [NEAR, FAR].map(|end| Ipv4Addr::new(NETWORK, end + kind, 0, 0))
    }

    /// A flow's address at the near end, and at the far one.
    pub(crate) fn addresses(&self, flow: u32) -> [Ipv4Addr; 2] {
        let (kind, place) = self.places[flow as usize];
        let [hi, lo] = place.to_be_bytes();
        [NEAR, FAR].map(|end| Ipv4Addr::new(NETWORK, end + kind, hi, lo))
    }

    /// Whose a packet of IPv4 is, by its source, which is at either end.
    pub(crate) fn flow(&self, packet: &[u8]) -> Option<u32> {
        self.flow_at(*packet.get(12..)?.first_chunk()?)
    }

    /// Whose this address is.
    pub(crate) fn flow_at(&self, address: [u8; 4]) -> Option<u32> {
        let [NETWORK, end, hi, lo] = address else {
            return None;
        };
        let kind = self.kinds.get(usize::from(end) % KINDS)?;
        kind.get(usize::from(u16::from_be_bytes([hi, lo]))).copied()
    }
}

/// Whether two flows' TCP has the same rules; datagrams have none.
fn same_rules(one: &Flow, other: &Flow) -> bool {
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
