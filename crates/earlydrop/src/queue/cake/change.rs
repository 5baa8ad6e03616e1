//! Tins: how they are built, changed while in use, and copied to try a call.

use super::{CakeParams, CakeQueue, DecayingAqm, Flow, Isolation, Shadow, Tin};
use crate::aqm::start_among;
use crate::packet::{Packet, PacketInfo};
use crate::queue::Buffer;
use crate::queue::pool::Chain;
use crate::units::{BitsPerSec, Nanos};

/// The least rate of a tin in bytes a second, so that time goes on.
const LEAST_RATE: u64 = 64;

impl<A> Tin<A> {
    /// The rate of the tin.
    pub(super) fn bits_per_sec(&self) -> BitsPerSec {
        BitsPerSec(self.rate.saturating_mul(8))
    }
}

impl<P: Packet, A: DecayingAqm + Clone> CakeQueue<P, A> {
    /// Empty tins, as the parameters have them.
    pub(super) fn build_tins(&mut self, aqm: &A) {
        let numbers = 0..self.params.diffserv.tins();
        let tin = |_| {
            Tin::new(
                (0..self.params.queues)
                    .map(|_| Flow::new(aqm.clone()))
                    .collect(),
            )
        };
        self.tins = numbers.map(tin).collect();
        self.current = 0;
        self.set_rates();
        if self.params.rate.is_some() {
            for tin in &mut self.tins {
                let rate = tin.bits_per_sec();
                for flow in &mut tin.flows {
                    flow.aqm.on_link_rate(Nanos::ZERO, rate);
                }
            }
        }
    }

    /// Sets the rate, the quantum and the weight of each tin (`cake_set_rate`).
    pub(super) fn set_rates(&mut self) {
        let params = &self.params;
        for (number, tin) in self.tins.iter_mut().enumerate() {
            let rate = params.rate.map_or(0, |rate| rate.0 / 8);
            let (rate, weight) = params.diffserv.tin(number, rate);
            let by_rate = match params.rate {
                Some(_) => (rate >> 12).clamp(300, 1514) as u32,
                None => 1514,
            };
            tin.rate = match params.rate {
                Some(_) => rate.max(LEAST_RATE),
                None => 0,
            };
            tin.quantum = params.quantum.unwrap_or(by_rate);
            tin.weight = weight;
        }
    }

    /// Changes to the parameters of `params` and to those of `aqm`, a new scheme that
    /// [continues](crate::aqm::Aqm::continue_from) from the present ones, from the next packet on.
    /// Packets that wait stay. Where flows, hosts or classes are told apart in another way, packets
    /// move to their new sub-queues, and schemes start afresh among them.
    pub fn change(&mut self, now: Nanos, aqm: &A, params: CakeParams) {
        self.pool.resize(params.limit);
        let places = |params: &CakeParams| {
            let sizes = (params.queues, params.ways, params.diffserv);
            let keys = (
                params.isolation,
                params.class_is_precedence,
                params.hosts.clone(),
            );
            (sizes, keys)
        };
        let stays = places(&params) == places(&self.params);
        let was_shaped = self.params.rate.is_some();
        self.params = params;
        if stays {
            self.set_rates();
            self.succeed(now, aqm);
            if was_shaped != self.params.rate.is_some() {
                for tin in &mut self.tins {
                    (tin.deficit, tin.next_at) = (0, now);
                }
            }
        } else {
            self.reseat(aqm);
        }
        self.memory = match self.params.buffer_memory {
            true => self
                .waiting()
                .map(|packet| self.memory_of(packet.size))
                .sum(),
            false => 0,
        };
    }

    /// Puts new schemes into the places of the old.
    fn succeed(&mut self, now: Nanos, aqm: &A) {
        let is_shaped = self.params.rate.is_some();
        for tin in &mut self.tins {
            let mut aqm = aqm.clone();
            if is_shaped {
                aqm.on_link_rate(now, tin.bits_per_sec());
            }
            for flow in &mut tin.flows {
                let old = core::mem::replace(&mut flow.aqm, aqm.clone());
                flow.aqm
                    .continue_from(now, old, &mut self.pool.infos(&flow.chain));
            }
        }
    }

    /// Builds the tins anew and puts the packets that wait into them, a flow's in their order.
    fn reseat(&mut self, aqm: &A) {
        let mut all = Chain::EMPTY;
        for tin in &mut self.tins {
            let places: alloc::vec::Vec<u32> = tin.listed().collect();
            for index in places {
                let chain = core::mem::replace(&mut tin.flow(index).chain, Chain::EMPTY);
                self.pool.append(&mut all, chain);
            }
        }
        self.build_tins(aqm);
        while let Some((packet, arrived)) = self.pool.pop(&mut all) {
            let (tin, index) = self.reserve(&packet);
            self.tins[tin].bytes += u64::from(packet.size());
            let flow = self.tins[tin].flow(index);
            self.pool.push(&mut flow.chain, packet, arrived);
            if self.tins[tin].activate(index, self.params.isolation) {
                let turn = self.turn_of(tin, index);
                self.tins[tin].flow(index).deficit = turn;
            }
        }
        for flow in self.tins.iter_mut().flat_map(|tin| &mut tin.flows) {
            start_among(&mut flow.aqm, &mut self.pool.infos(&flow.chain));
        }
    }

    /// The packets that wait.
    fn waiting(&self) -> impl Iterator<Item = PacketInfo> + '_ {
        let flows = self.tins.iter().flat_map(|tin| &tin.flows);
        flows.flat_map(|flow| self.pool.infos(&flow.chain))
    }

    /// A copy in which schemes that judge alike hold the places of these, and shadows those of
    /// the packets.
    pub(crate) fn shadow<B>(&self, aqm: impl Fn(&A) -> B) -> CakeQueue<Shadow, B> {
        CakeQueue {
            params: self.params.clone(),
            tins: self.tins.iter().map(|tin| tin.map(&aqm)).collect(),
            pool: self.pool.map(Shadow::of),
            current: self.current,
            packets: self.packets,
            bytes: self.bytes,
            memory: self.memory,
            salt: self.salt,
            random: self.random.clone(),
            filtered: self.filtered,
            counters: self.counters.clone(),
        }
    }

    /// The tin and sub-queue that a packet would join, with the packets in it, the bulk flows of
    /// its busier host, and the number of sub-queues.
    pub(crate) fn place_of(&self, packet: &impl Packet) -> Place {
        let (tin, hashes) = self.hashes_of(packet);
        let mut copy = self.tins[tin].map(|_| ());
        let isolation = self.params.isolation;
        let index = match isolation == Isolation::default() {
            true => 0,
            false => copy.reserve(hashes, isolation, self.params.ways),
        };
        Place {
            tin,
            index,
            packets: copy.flow(index).chain.packets(),
            bytes: copy.flow(index).chain.bytes(),
            host_load: copy.host_load(index, isolation),
            queues: self.params.queues,
        }
    }

    /// The buffer as an arrival of `size` bytes finds it.
    pub(crate) fn buffer(&self, size: u32) -> Buffer {
        Buffer {
            packets: self.packets,
            bytes: self.counted_bytes(),
            limit: self.params.limit,
            size: self.memory_of(size),
        }
    }
}

/// Where a packet would wait.
pub(crate) struct Place {
    pub(crate) tin: usize,
    pub(crate) index: u32,
    pub(crate) packets: u32,
    pub(crate) bytes: u64,
    pub(crate) host_load: u32,
    pub(crate) queues: u32,
}
