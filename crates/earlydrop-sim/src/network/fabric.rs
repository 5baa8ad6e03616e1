//! Networks of data centres: leaf-spine and fat tree.

use super::{Link, LinkId, Network, Node};

/// Switches between hosts, with several shortest routes between most of them.
///
/// ```
/// use earlydrop_sim::network::{Fabric, FabricLinks, Link};
/// let link = Link::new("10 Gbps".parse()?, "1 us".parse()?);
/// let port = link.clone().queue("step:threshold=65".parse()?);
/// let fabric = Fabric::leaf_spine(9, 4, 16, &FabricLinks::equal(link, port));
/// assert_eq!(fabric.hosts.len(), 144);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fabric {
    /// The network, for a [`Run`](crate::Run), with [multipath](Network::multipath).
    pub network: Network,
    /// The hosts, those of one switch after the other.
    pub hosts: Vec<Node>,
    /// The links from switches to hosts, in the order of the hosts.
    pub to_hosts: Vec<LinkId>,
    /// The switches.
    pub switches: Vec<Node>,
}

/// The links of a [`Fabric`].
#[derive(Clone, Debug)]
pub struct FabricLinks {
    /// From a host to its switch.
    pub from_host: Link,
    /// From a switch to a host.
    pub to_host: Link,
    /// Between two switches, in each direction.
    pub between_switches: Link,
}

impl FabricLinks {
    /// Links of one rate: `from_host`, and `port` at all switches.
    pub fn equal(from_host: Link, port: Link) -> FabricLinks {
        FabricLinks {
            from_host,
            to_host: port.clone(),
            between_switches: port,
        }
    }
}

impl Fabric {
    fn new() -> Fabric {
        let mut network = Network::new();
        network.multipath = true;
        Fabric {
            network,
            hosts: Vec::new(),
            to_hosts: Vec::new(),
            switches: Vec::new(),
        }
    }

    /// `leaves` switches with `hosts` each, and a link from each of them to each of `spines`
    /// switches. Hosts are called "host 0", ..., switches "leaf 0", ... and "spine 0", ...
    pub fn leaf_spine(leaves: u32, spines: u32, hosts: u32, links: &FabricLinks) -> Fabric {
        let mut fabric = Fabric::new();
        let mut nodes = |kind: &str, count: u32| -> Vec<Node> {
            let node = |index| fabric.network.node(format!("{kind} {index}"));
            (0..count).map(node).collect()
        };
        let (spines, leaves) = (nodes("spine", spines), nodes("leaf", leaves));
        fabric.switches = [&spines[..], &leaves[..]].concat();
        for leaf in leaves {
            fabric.add_hosts(leaf, hosts, links);
            fabric.join(leaf, &spines, links);
        }
        fabric
    }

    /// A fat tree of switches with `ports` ports each, an even number k (Al-Fares et al., SIGCOMM
    /// 2008): k pods of k/2 edge and k/2 aggregation switches, (k/2)^2 core switches, k^3/4 hosts.
    /// Switches are called "core 0", "aggregation POD.0" and "edge POD.0".
    pub fn fat_tree(ports: u32, links: &FabricLinks) -> Fabric {
        let half = ports / 2;
        let mut fabric = Fabric::new();
        let core = |index| format!("core {index}");
        let cores: Vec<Node> = (0..half * half)
            .map(|index| fabric.network.node(core(index)))
            .collect();
        fabric.switches.clone_from(&cores);
        for pod in 0..ports {
            let mut aggregations = Vec::with_capacity(half as usize);
            for index in 0..half {
                let name = format!("aggregation {pod}.{index}");
                let switch = fabric.network.node(name);
                let first = (index * half) as usize;
                fabric.join(switch, &cores[first..first + half as usize], links);
                aggregations.push(switch);
                fabric.switches.push(switch);
            }
            for index in 0..half {
                let edge = fabric.network.node(format!("edge {pod}.{index}"));
                fabric.add_hosts(edge, half, links);
                fabric.join(edge, &aggregations, links);
                fabric.switches.push(edge);
            }
        }
        fabric
    }

    fn add_hosts(&mut self, switch: Node, count: u32, links: &FabricLinks) {
        for _ in 0..count {
            let host = self.network.node(format!("host {}", self.hosts.len()));
            self.network.link(host, switch, links.from_host.clone());
            let down = self.network.link(switch, host, links.to_host.clone());
            self.hosts.push(host);
            self.to_hosts.push(down);
        }
    }

    fn join(&mut self, switch: Node, others: &[Node], links: &FabricLinks) {
        for other in others {
            let link = links.between_switches.clone();
            self.network.duplex(switch, *other, link);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use earlydrop::units::{BitsPerSec, Nanos};

    use super::super::Routes;
    use super::*;

    fn links() -> FabricLinks {
        let link = Link::new(BitsPerSec::from_mbps(1000), Nanos::ZERO);
        FabricLinks::equal(link.clone(), link)
    }

    /// The lengths of the routes between two hosts, and how many different ones 1000 hashes find.
    fn routes(fabric: &Fabric, from: usize, to: usize) -> (HashSet<usize>, usize) {
        let mut routes = Routes::new(&fabric.network);
        let (from, to) = (fabric.hosts[from], fabric.hosts[to]);
        let found: HashSet<_> = (0..1000)
            .map(|path| routes.find_path(from, to, path).unwrap())
            .collect();
        (found.iter().map(Vec::len).collect(), found.len())
    }

    #[test]
    fn a_leaf_spine_has_a_route_over_each_spine() {
        let fabric = Fabric::leaf_spine(9, 4, 16, &links());
        assert_eq!(fabric.hosts.len(), 144);
        assert_eq!(fabric.network.nodes(), 144 + 9 + 4);
        assert_eq!(fabric.network.links().len(), 2 * (144 + 36));
        assert_eq!(routes(&fabric, 0, 15), ([2].into(), 1));
        assert_eq!(routes(&fabric, 0, 16), ([4].into(), 4));
    }

    /// How many shortest routes there are, all different and of this many links.
    fn all_routes(fabric: &Fabric, from: usize, to: usize, links: usize) -> usize {
        let (from, to) = (fabric.hosts[from], fabric.hosts[to]);
        let found = Routes::new(&fabric.network).find_all(from, to, 1000);
        assert!(found.iter().all(|route| route.len() == links));
        found.iter().collect::<HashSet<_>>().len()
    }

    #[test]
    fn all_shortest_routes_are_found_once() {
        let leaf_spine = Fabric::leaf_spine(9, 4, 16, &links());
        assert_eq!(all_routes(&leaf_spine, 0, 15, 2), 1);
        assert_eq!(all_routes(&leaf_spine, 0, 16, 4), 4);
        let fat_tree = Fabric::fat_tree(8, &links());
        assert_eq!(all_routes(&fat_tree, 0, 4, 4), 4);
        assert_eq!(all_routes(&fat_tree, 0, 127, 6), 16);
        assert_eq!(leaf_spine.switches.len(), 13);
        assert_eq!(fat_tree.switches.len(), 80);
    }

    #[test]
    fn a_fat_tree_has_a_route_over_each_core() {
        let fabric = Fabric::fat_tree(8, &links());
        assert_eq!(fabric.hosts.len(), 128);
        assert_eq!(fabric.network.nodes(), 128 + 80);
        // In a rack, in a pod over each aggregation switch, and over each core switch.
        assert_eq!(routes(&fabric, 0, 1), ([2].into(), 1));
        assert_eq!(routes(&fabric, 0, 4), ([4].into(), 4));
        assert_eq!(routes(&fabric, 0, 127), ([6].into(), 16));
    }
}
