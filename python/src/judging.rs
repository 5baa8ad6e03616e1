//! What a scheme written in Python sees of a packet and its queue, and how it answers.

use std::sync::{Mutex, MutexGuard, PoisonError};

use earlydrop::aqm::Backlog;
use earlydrop::packet::PacketInfo;
use earlydrop::random::Pcg32;
use earlydrop::units::Nanos;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// A time in seconds: the nearest number, so that 3.75 s are 3.75.
pub(crate) fn secs(time: Nanos) -> f64 {
    time.0 as f64 / 1e9
}

/// What is to happen to a packet.
#[pyclass(
    eq,
    frozen,
    hash,
    from_py_object,
    name = "Verdict",
    module = "earlydrop",
    rename_all = "SCREAMING_SNAKE_CASE"
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Answer {
    /// Passes unchanged.
    Keep,
    /// Is dropped.
    Drop,
    /// Passes with an ECN mark; only for a packet whose `ecn` is true.
    Mark,
    /// Is marked where its sender understands marks, and dropped otherwise (RFC 3168).
    Signal,
}

/// A packet as a scheme sees it.
#[pyclass(frozen, name = "Packet", module = "earlydrop")]
pub(crate) struct PacketView {
    info: PacketInfo,
    now: Nanos,
}

impl PacketView {
    pub(crate) fn new(info: &PacketInfo, now: Nanos) -> PacketView {
        PacketView { info: *info, now }
    }
}

#[pymethods]
impl PacketView {
    /// The length on the wire, in bytes.
    #[getter]
    fn size(&self) -> u32 {
        self.info.size
    }

    /// The flow it belongs to.
    #[getter]
    fn flow(&self) -> u64 {
        self.info.flow.0
    }

    /// Whether it may be marked instead of dropped.
    #[getter]
    fn ecn(&self) -> bool {
        self.info.ecn.is_capable()
    }

    /// The two ECN bits on the wire: 0 not capable, 1 ECT(1), 2 ECT(0), 3 CE.
    #[getter]
    fn codepoint(&self) -> u8 {
        self.info.ecn as u8
    }

    /// The time of this call, in seconds of simulated time.
    #[getter]
    fn now(&self) -> f64 {
        secs(self.now)
    }

    /// When it arrived at the queue, in seconds of simulated time.
    #[getter]
    fn arrived(&self) -> f64 {
        secs(self.info.arrived)
    }

    /// How long it has waited, in seconds; 0 on arrival.
    #[getter]
    fn sojourn(&self) -> f64 {
        secs(self.now.since(self.info.arrived))
    }

    fn __repr__(&self) -> String {
        let PacketInfo { size, flow, .. } = self.info;
        format!("<Packet of flow {}: {size} bytes>", flow.0)
    }
}

/// A queue as its scheme sees it, at the time of the call.
#[pyclass(frozen, name = "Backlog", module = "earlydrop")]
pub(crate) struct QueueView {
    packets: u32,
    bytes: u64,
    head_age: Nanos,
}

impl QueueView {
    pub(crate) fn new(queue: &(impl Backlog + ?Sized), now: Nanos) -> QueueView {
        QueueView {
            packets: queue.packets(),
            bytes: queue.bytes(),
            head_age: queue.head_arrival().map_or(Nanos::ZERO, |at| now.since(at)),
        }
    }
}

#[pymethods]
impl QueueView {
    /// The packets that wait, without the one being judged and the one being sent.
    #[getter]
    fn packets(&self) -> u32 {
        self.packets
    }

    /// The bytes that wait.
    #[getter]
    fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How long the packet at the head has waited, in seconds; 0 when the queue is empty.
    #[getter]
    fn head_age(&self) -> f64 {
        secs(self.head_age)
    }

    fn __len__(&self) -> usize {
        self.packets as usize
    }

    fn __repr__(&self) -> String {
        format!("<Backlog: {} packets, {} bytes>", self.packets, self.bytes)
    }
}

/// The queue's own random numbers, during a call.
#[pyclass(frozen, module = "earlydrop")]
#[derive(Default)]
pub(crate) struct Random {
    /// The queue's generator while a call runs.
    lent: Mutex<Option<Pcg32>>,
}

impl Random {
    fn lent(&self) -> MutexGuard<'_, Option<Pcg32>> {
        self.lent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn lend(&self, random: &Pcg32) {
        *self.lent() = Some(random.clone());
    }

    pub(crate) fn take_back(&self, random: &mut Pcg32) {
        if let Some(lent) = self.lent().take() {
            *random = lent;
        }
    }

    fn draw<T>(&self, draw: impl FnOnce(&mut Pcg32) -> T) -> PyResult<T> {
        match self.lent().as_mut() {
            Some(random) => Ok(draw(random)),
            None => Err(PyRuntimeError::new_err(
                "random is the queue's generator: draw from it during the call only",
            )),
        }
    }
}

#[pymethods]
impl Random {
    /// A number from 0 up to, and without, 1.
    fn __call__(&self) -> PyResult<f64> {
        self.draw(Pcg32::uniform)
    }

    /// Whether something of this probability happens.
    fn chance(&self, probability: f64) -> PyResult<bool> {
        self.draw(|random| random.chance(probability))
    }

    /// A whole number from 0 up to, and without, `bound`.
    fn below(&self, bound: u32) -> PyResult<u32> {
        self.draw(|random| random.below(bound))
    }
}
