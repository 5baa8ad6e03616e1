//! A copy of a fair queue, on which a call is tried.

use alloc::boxed::Box;

use super::{FairQueue, SharingRules, SubQueue};
use crate::aqm::Aqm;
use crate::packet::Packet;
use crate::queue::{Buffer, Shadow};

impl<P: Packet, A: Aqm + Clone, const RULES: bool> FairQueue<P, A, RULES> {
    /// A copy in which schemes that judge alike hold the places of these, and shadows those of
    /// the packets.
    pub(crate) fn shadow<B>(&self, aqm: impl Fn(&A) -> B) -> FairQueue<Shadow, B, RULES> {
        let sub_queue = |one: &SubQueue<A>| one.under(aqm(&one.aqm));
        let bypassing = self.bypassing.as_ref();
        FairQueue {
            sub_queues: self.sub_queues.iter().map(sub_queue).collect(),
            lists: self.lists,
            pool: self.pool.map(Shadow::of),
            sharing: self.sharing,
            bypassing: bypassing.map(|(packet, arrived)| (Shadow::of(packet), *arrived)),
            packets: self.packets,
            bytes: self.bytes,
            memory: self.memory,
            salt: self.salt,
            pristine: self
                .pristine
                .as_ref()
                .map(|pristine| Box::new(aqm(pristine))),
            rehash: self.rehash,
            started: self.started,
            paused: self.paused,
            protected: self.protected,
            random: self.random.clone(),
            counters: self.counters.clone(),
        }
    }

    /// The rules that apply.
    pub(crate) fn sharing_rules(&self) -> SharingRules {
        self.rules()
    }

    /// The sub-queue that packets like this one go to, with the packets and bytes that it holds.
    pub(crate) fn sub_queue(&self, packet: &impl Packet) -> (u32, u32, u64) {
        let index = self.place(packet.flow(), packet.class());
        let chain = &self.sub_queues[index as usize].chain;
        (index, chain.packets(), chain.bytes())
    }

    /// The number of sub-queues.
    pub(crate) fn sub_queues(&self) -> usize {
        self.sub_queues.len()
    }

    /// The buffer as an arrival of `size` bytes finds it.
    pub(crate) fn buffer(&self, size: u32) -> Buffer {
        Buffer {
            packets: self.packets,
            bytes: self.counted_bytes(),
            limit: self.sharing.limit,
            size: self.memory_of(size),
        }
    }
}
