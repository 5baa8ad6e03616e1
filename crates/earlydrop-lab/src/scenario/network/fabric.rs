//! Networks of data centres, as a file describes them: leaf-spine and fat tree.

use earlydrop::units::{Bytes, Nanos};
use earlydrop_sim::network::{Fabric, FabricLinks};

use super::{Around, BuiltNetwork, LinkSpec};

/// A leaf-spine or a fat tree.
#[derive(Clone, Debug)]
pub(super) struct FabricSpec {
    pub(super) size: FabricSize,
    /// From a host to its switch.
    pub(super) host: LinkSpec,
    /// From a switch to a host.
    pub(super) port: LinkSpec,
    /// Between switches.
    pub(super) uplink: LinkSpec,
}

/// How many switches there are.
#[derive(Clone, Copy, Debug)]
pub(super) enum FabricSize {
    LeafSpine {
        leaves: u32,
        spines: u32,
        hosts: u32,
    },
    /// With so many ports at each switch.
    FatTree(u32),
}

impl FabricSpec {
    /// The base round-trip time of a full packet between hosts that are farthest apart: each link
    /// stores it and forwards it; its acknowledgment is taken for small.
    pub(super) fn rtt(&self, packet: Bytes) -> Nanos {
        let between_switches = match self.size {
            FabricSize::LeafSpine { .. } => 2,
            FabricSize::FatTree(_) => 4,
        };
        let delay = self.port.delay.unwrap_or_default().0;
        let time = |link: &LinkSpec| link.rate.transmission_time(packet).0;
        let sent = 2 * time(&self.port) + between_switches * time(&self.uplink);
        Nanos(2 * (2 + between_switches) * delay + sent)
    }
}

/// The simulator's network of a fabric, with the compared scheme at every port of a switch.
pub(super) fn build_fabric(fabric: &FabricSpec, around: &Around<'_>) -> BuiltNetwork {
    let links = FabricLinks {
        from_host: fabric.host.build(around, Nanos::ZERO),
        between_switches: fabric.uplink.build(around, Nanos::ZERO),
        to_host: fabric.port.build(around, Nanos::ZERO),
    };
    let built = match fabric.size {
        FabricSize::LeafSpine {
            leaves,
            spines,
            hosts,
        } => Fabric::leaf_spine(leaves, spines, hosts, &links),
        FabricSize::FatTree(ports) => Fabric::fat_tree(ports, &links),
    };
    let hosts = built.hosts.iter();
    let places = hosts.map(|host| (built.network.name(*host).to_string(), *host));
    BuiltNetwork {
        places: places.collect(),
        hosts: built.hosts.clone(),
        chain: None,
        watched: built.to_hosts[0],
        bottlenecks: Vec::new(),
        rate: fabric.port.rate,
        network: built.network,
    }
}
