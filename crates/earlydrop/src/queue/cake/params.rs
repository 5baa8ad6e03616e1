//! The parameters of CAKE's queue.

use alloc::boxed::Box;

use crate::packet::Hosts;
use crate::queue::Limit;
use crate::units::BitsPerSec;

/// The parameters of a [`CakeQueue`](super::CakeQueue), explained in
/// [`cake`](crate::schemes::cake).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CakeParams {
    /// The capacity of all sub-queues together.
    pub limit: Limit,
    /// The limit in bytes counts buffer memory instead of bytes on the wire.
    pub buffer_memory: bool,
    /// Sub-queues in each tin: a multiple of `ways`.
    pub queues: u32,
    /// Sub-queues in which a flow may be: a set of the hash.
    pub ways: u32,
    /// The tins.
    pub diffserv: Diffserv,
    /// A class is an IP precedence, 8 times less than its DSCP.
    pub class_is_precedence: bool,
    /// What has a sub-queue of its own, and what shares the link evenly.
    pub isolation: Isolation,
    /// Which packets come from one host, and go to one.
    pub hosts: HostGroups,
    /// What a packet of a size costs on the link.
    pub framing: Framing,
    /// Which acknowledgments are dropped because a later one waits.
    pub ack_filter: AckFilter,
    /// The rate that tins, targets and quanta follow; `None` in CAKE's unlimited mode.
    pub rate: Option<BitsPerSec>,
    /// `rate` follows the link's.
    pub follows_link: bool,
    /// Bytes of a flow's turn on its own; by default by the tin's rate.
    pub quantum: Option<u32>,
}

/// How traffic classes are mapped to tins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diffserv {
    /// One tin.
    BestEffort,
    /// A tin for each of the eight IP precedences.
    Precedence,
    /// Bulk, best effort, voice.
    Three,
    /// Bulk, best effort, video, voice.
    Four,
    /// Eight classes from background traffic to network control.
    Eight,
}

impl Diffserv {
    /// The number of tins.
    pub fn tins(self) -> usize {
        match self {
            Diffserv::BestEffort => 1,
            Diffserv::Three => 3,
            Diffserv::Four => 4,
            Diffserv::Precedence | Diffserv::Eight => 8,
        }
    }

    /// The tin of a DSCP (Linux sch_cake.c, `cake_select_tin`; RFC 4594, RFC 8622).
    pub fn tin_of(self, dscp: u8) -> usize {
        let dscp = dscp & 63;
        match self {
            Diffserv::BestEffort => 0,
            Diffserv::Precedence => usize::from(dscp >> 3),
            Diffserv::Three => match dscp {
                1 | 8 => 1,
                4 | 44 | 46 | 48 | 56 => 2,
                _ => 0,
            },
            Diffserv::Four => match dscp {
                1 | 8 => 1,
                4 | 16 | 18 | 20 | 22 | 24 | 26 | 28 | 30 | 34 | 36 | 38 => 2,
                32 | 40 | 44 | 46 | 48 | 56 => 3,
                _ => 0,
            },
            Diffserv::Eight => match dscp {
                1 => 0,
                2 | 8 | 10 | 12 | 14 => 1,
                24 | 26 | 28 | 30 | 34 | 36 | 38 => 3,
                4 | 18 | 20 | 22 => 4,
                16 => 5,
                32 | 40 | 44 | 46 => 6,
                48 | 56 => 7,
                _ => 2,
            },
        }
    }

    /// The rate of a tin, in bytes a second, up to which it is served before those below it, out
    /// of `rate`; and the bytes of its turn in unlimited mode (`cake_config_diffserv4` and others).
    pub fn tin(self, tin: usize, rate: u64) -> (u64, i64) {
        let shifted = |shift: u32, quantum: i64| (rate >> shift, quantum >> shift);
        match self {
            Diffserv::BestEffort => (rate, 65_535),
            Diffserv::Three => shifted([0, 4, 2][tin], 1024),
            Diffserv::Four => shifted([0, 4, 1, 2][tin], 1024),
            Diffserv::Precedence | Diffserv::Eight => {
                let next = |(rate, quantum): (u64, i64)| (rate * 7 / 8, quantum * 7 / 8);
                let (rate, quantum) = (0..tin).fold((rate, 256), |before, _| next(before));
                (rate, quantum.max(1))
            }
        }
    }
}

/// What has a sub-queue of its own, and what shares the link evenly.
///
/// With flows and hosts, hosts share the link evenly and the flows of each its share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Isolation {
    /// Flows.
    pub flows: bool,
    /// Source hosts.
    pub sources: bool,
    /// Destination hosts.
    pub destinations: bool,
}

/// What a packet of a size costs on the link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Framing {
    /// Bytes added to each packet.
    pub overhead: i32,
    /// The least bytes of a packet with its overhead.
    pub least: u32,
    /// How the link cuts packets into cells or blocks.
    pub cells: Cells,
}

/// How a link cuts packets into cells or blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cells {
    /// Not at all.
    #[default]
    None,
    /// ATM: cells of 53 bytes with 48 of the packet.
    Atm,
    /// PTM: a byte more for each 64.
    Ptm,
}

impl Framing {
    /// The bytes that a packet of `size` costs (`cake_calc_overhead`).
    pub fn cost(&self, size: u32) -> u32 {
        let framed = i64::from(size) + i64::from(self.overhead);
        let framed = framed.max(i64::from(self.least)).max(0) as u32;
        match self.cells {
            Cells::None => framed,
            Cells::Atm => framed.div_ceil(48) * 53,
            Cells::Ptm => framed + framed.div_ceil(64),
        }
    }
}

/// Which acknowledgments are dropped because a later one of their flow has joined their queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AckFilter {
    /// None.
    #[default]
    Off,
    /// The older of two that it replaces.
    On,
    /// Also a single one right before it.
    Aggressive,
}

/// Groups of hosts by their numbers: the first so many are one host, and so on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostGroups {
    /// For source hosts: the number after the last of each group.
    pub sources: Box<[u64]>,
    /// For destination hosts.
    pub destinations: Box<[u64]>,
}

impl HostGroups {
    /// The hosts of a packet.
    pub fn of(&self, hosts: Hosts) -> Hosts {
        let group = |ends: &[u64], host: u64| match ends.partition_point(|end| *end <= host) {
            group if group < ends.len() => ends[group] - 1,
            _ => host,
        };
        Hosts {
            source: group(&self.sources, hosts.source),
            destination: group(&self.destinations, hosts.destination),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_costs_its_cells() {
        let framing = |overhead, least, cells| Framing {
            overhead,
            least,
            cells,
        };
        assert_eq!(framing(0, 0, Cells::None).cost(1514), 1514);
        assert_eq!(framing(-14, 64, Cells::None).cost(60), 64);
        // 40 + 8 bytes fill a cell, one more needs two.
        assert_eq!(framing(8, 0, Cells::Atm).cost(40), 53);
        assert_eq!(framing(9, 0, Cells::Atm).cost(40), 106);
        assert_eq!(framing(0, 0, Cells::Atm).cost(1500), 32 * 53);
        assert_eq!(framing(0, 0, Cells::Ptm).cost(64), 65);
        assert_eq!(framing(0, 0, Cells::Ptm).cost(65), 67);
        assert_eq!(framing(-64, 0, Cells::None).cost(10), 0);
    }

    #[test]
    fn dscps_go_to_the_tins_that_linux_has() {
        for (diffserv, of) in [
            // CS0, LE, CS1, AF41, CS4, EF, CS6.
            (Diffserv::BestEffort, [0, 0, 0, 0, 0, 0, 0]),
            (Diffserv::Precedence, [0, 0, 1, 4, 4, 5, 6]),
            (Diffserv::Three, [0, 1, 1, 0, 0, 2, 2]),
            (Diffserv::Four, [0, 1, 1, 2, 3, 3, 3]),
            (Diffserv::Eight, [2, 0, 1, 3, 6, 6, 7]),
        ] {
            let got = [0, 1, 8, 34, 32, 46, 48].map(|dscp| diffserv.tin_of(dscp));
            assert_eq!(got, of, "{diffserv:?}");
            assert!((0..=255).all(|dscp| diffserv.tin_of(dscp) < diffserv.tins()));
        }
    }

    #[test]
    fn tins_have_shares_of_the_rate() {
        assert_eq!(Diffserv::Four.tin(1, 1_600_000), (100_000, 64));
        assert_eq!(Diffserv::Eight.tin(2, 64_000), (49_000, 196));
    }

    #[test]
    fn hosts_are_grouped_by_their_numbers() {
        let groups = HostGroups {
            sources: [100, 101].into(),
            destinations: [].into(),
        };
        let source = |host| {
            groups
                .of(Hosts {
                    source: host,
                    destination: host,
                })
                .source
        };
        assert_eq!(source(0), source(99));
        assert_ne!(source(99), source(100));
        assert_ne!(source(100), source(101));
        assert_ne!(source(101), source(102));
    }
}
