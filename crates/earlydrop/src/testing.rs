//! Helpers of the unit tests.

use alloc::boxed::Box;

use crate::packet::{Ecn, FlowKey, Packet, PacketInfo};
use crate::queue::AnyQueue;
use crate::red::{Curve, Red, Shape};
use crate::registry::{Descriptor, LIMIT, LinkFacts, Plan, Settings, Spec};
use crate::schemes;
use crate::schemes::droptail::DropTail;
use crate::units::{BitsPerSec, Nanos};

/// A scheme that is not built in.
pub(crate) static TEST_SCHEME: Descriptor = Descriptor::new(
    "test-scheme",
    "drop-tail by another name",
    "the unit tests",
    &[&[LIMIT]],
    |settings| Ok(Plan::custom(DropTail, settings.limit())),
);

/// A packet of 1,000 bytes unless a test sets another size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TestPacket {
    pub(crate) flow: u64,
    pub(crate) size: u32,
    pub(crate) ecn: Ecn,
}

impl Packet for TestPacket {
    fn size(&self) -> u32 {
        self.size
    }
    fn flow(&self) -> FlowKey {
        FlowKey(self.flow)
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

pub(crate) fn packet(flow: u64) -> TestPacket {
    TestPacket {
        flow,
        size: 1000,
        ecn: Ecn::NotCapable,
    }
}

/// [`packet`] of `flow` as a scheme sees it.
pub(crate) fn info(flow: u64, arrived: Nanos) -> PacketInfo {
    PacketInfo::of(&packet(flow), arrived)
}

pub(crate) fn mbps(mbps: u64) -> BitsPerSec {
    BitsPerSec::from_mbps(mbps)
}

/// The queue that `spec` describes, in front of a link of `rate`, seeded by 1.
pub(crate) fn queue(spec: &str, rate: BitsPerSec) -> AnyQueue<TestPacket> {
    let spec: Spec = spec.parse().unwrap();
    spec.plan(&LinkFacts::at(rate)).unwrap().queue(1)
}

/// The values of `spec` in front of a link of 10 Mbps.
pub(crate) fn settings(spec: &str) -> Settings {
    let spec: Spec = spec.parse().unwrap();
    spec.settings(&LinkFacts::at(mbps(10))).unwrap()
}

/// The drop curve of a scheme of the RED family.
pub(crate) fn curve(spec: &str) -> Box<dyn Fn(f64) -> f64> {
    let settings = settings(spec);
    let curve = Red::from_settings(&settings).unwrap().curve().clone();
    Box::new(move |avg| curve.probability(avg))
}

/// RED's curve with these thresholds and max_p.
pub(crate) fn red_curve(min: f64, max: f64, max_p: f64) -> Curve {
    let shape = Shape {
        min,
        max,
        strength: max_p,
        frozen_above_max: false,
    };
    Curve::new(&schemes::red::CURVE, shape)
}
