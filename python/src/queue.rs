//! A queue that Python drives with packets and a clock of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};

use earlydrop::aqm::DropReason;
use earlydrop::packet::{Ecn, FlowKey, Packet};
use earlydrop::queue::{AnyQueue, Outcome, QueueDiscipline};
use earlydrop::registry::{Kind, LinkFacts, Plan, Range, Value};
use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_lab::document::parse_one;
use earlydrop_sim::link::QueuedLink;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::{run_error, value_error};
use crate::judging::secs;
use crate::python_aqm::error_of_panic;
use crate::scheme::{SchemeClass, cause_of, registry};
use crate::units::needs_units;

/// What became of a packet, as `earlydrop/driven.py` numbers it.
const KEPT: u8 = 0;
const MARKED: u8 = 1;
const DROPPED: u8 = 2;

fn fate_of_drop(reason: DropReason) -> u8 {
    DROPPED + reason as u8
}

/// A packet in the queue.
struct QueuedPacket {
    size: u32,
    flow: u64,
    ecn: Ecn,
    marked: bool,
    /// Its number in the order of arrival.
    number: u64,
    object: Option<Py<PyAny>>,
}

impl Clone for QueuedPacket {
    /// The packet with the same object.
    fn clone(&self) -> QueuedPacket {
        let object = self.object.as_ref();
        QueuedPacket {
            object: object.map(|object| Python::attach(|py| object.clone_ref(py))),
            ..*self
        }
    }
}

impl Packet for QueuedPacket {
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
        (self.ecn, self.marked) = (Ecn::Ce, true);
    }
}

/// A packet that has left a queue to be sent.
#[pyclass(frozen, name = "Departure", module = "earlydrop")]
pub(crate) struct Departed {
    queued: QueuedPacket,
    arrived: Nanos,
    now: Nanos,
}

#[pymethods]
impl Departed {
    /// The object that was given with it.
    #[getter]
    fn packet(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.queued
            .object
            .as_ref()
            .map(|object| object.clone_ref(py))
    }

    /// The length on the wire, in bytes.
    #[getter]
    fn size(&self) -> u32 {
        self.queued.size
    }

    /// The flow it belongs to.
    #[getter]
    fn flow(&self) -> u64 {
        self.queued.flow
    }

    /// Whether the queue has marked it.
    #[getter]
    fn marked(&self) -> bool {
        self.queued.marked
    }

    /// When it arrived, in seconds.
    #[getter]
    fn arrived(&self) -> f64 {
        secs(self.arrived)
    }

    /// How long it has waited, in seconds.
    #[getter]
    fn sojourn(&self) -> f64 {
        secs(self.now.since(self.arrived))
    }

    fn __repr__(&self) -> String {
        let (flow, size) = (self.queued.flow, self.queued.size);
        format!("<Departure of flow {flow}: {size} bytes>")
    }
}

/// A packet's object, if it came with one, and its fate.
type Lost = (Option<Py<PyAny>>, u8);

/// A queue under any scheme.
#[pyclass(module = "earlydrop._lib")]
pub(crate) struct Queue {
    plan: Plan,
    spec: String,
    rate: BitsPerSec,
    seed: u64,
    queue: AnyQueue<QueuedPacket>,
    now: Nanos,
    arrivals: u64,
    /// Packets dropped after they were accepted, since they were asked for.
    lost: Vec<Lost>,
    /// A call of the scheme has failed: the queue's state is not known.
    failed: bool,
}

impl Queue {
    /// The time of a call, which must not run backwards.
    fn at(&self, now: f64) -> PyResult<Nanos> {
        if self.failed {
            return Err(run_error(
                "a call of the scheme has failed, so the state of this queue is not known",
            ));
        }
        let at = seconds("now", now)?;
        if at < self.now {
            let last = secs(self.now);
            return Err(value_error(format!(
                "now={now}: time runs backwards; the last call was at {last} s"
            )));
        }
        Ok(at)
    }

    /// Runs what calls the scheme, and takes its failure.
    fn guarded<T>(&mut self, run: impl FnOnce(&mut Queue) -> T) -> PyResult<T> {
        catch_unwind(AssertUnwindSafe(|| run(self))).map_err(|panic| {
            self.failed = true;
            error_of_panic(panic)
        })
    }
}

/// A moment in seconds as the queue's clock counts.
fn seconds(name: &str, value: f64) -> PyResult<Nanos> {
    let allowed = 0.0..=9e9;
    if !allowed.contains(&value) {
        return Err(value_error(format!(
            "{name}={value}: allowed: seconds from 0 to 9e9"
        )));
    }
    Ok(Nanos::from_secs_f64(value))
}

fn codepoint(bits: u8) -> PyResult<Ecn> {
    match bits {
        0..=3 => Ok(Ecn::from_bits(bits)),
        _ => Err(value_error(format!(
            "ecn={bits}: allowed: True, False, or the codepoint: 0 (not capable), 1 (ECT(1)), \
             2 (ECT(0)), 3 (CE)"
        ))),
    }
}

/// A value of an argument by its kind; the error says what is allowed.
fn argument(name: &str, kind: &Kind, text: &str) -> PyResult<Value> {
    parse_one(kind, text).map_err(|nearest| {
        let nearest = nearest.map_or(String::new(), |nearest| format!("; nearest: {nearest}"));
        let allowed = kind.allowed();
        value_error(format!("{name}={text}: allowed: {allowed}{nearest}"))
    })
}

#[pymethods]
impl Queue {
    #[new]
    fn new(
        spec: &str,
        rate: &str,
        mean_packet: u64,
        seed: u64,
        own: Vec<PyRef<'_, SchemeClass>>,
    ) -> PyResult<Queue> {
        let rate = match argument("rate", &Kind::Rate(Range::POSITIVE), rate)? {
            Value::Rate(rate) => rate,
            _ => BitsPerSec(0),
        };
        let link = LinkFacts {
            rate,
            mean_packet: Bytes(mean_packet),
        };
        let read = registry(&own).parse(spec);
        if let Ok(spec) = &read {
            needs_units(spec)?;
        }
        let plan = read.and_then(|spec| spec.plan(&link));
        let plan = plan.map_err(|error| {
            let text = error.to_string();
            let error = value_error(&text);
            Python::attach(|py| error.set_cause(py, cause_of(&text)));
            error
        })?;
        let mut queue = Queue {
            queue: plan.queue(seed),
            spec: spec.to_string(),
            plan,
            rate,
            seed,
            now: Nanos::ZERO,
            arrivals: 0,
            lost: Vec::new(),
            failed: false,
        };
        // Periodic updates count from time zero.
        queue.guarded(|this| this.queue.poll(Nanos::ZERO))?;
        Ok(queue)
    }

    /// The fate of a packet that arrives: its number.
    fn enqueue(
        &mut self,
        now: f64,
        size: u32,
        flow: u64,
        ecn: u8,
        packet: Option<Py<PyAny>>,
    ) -> PyResult<u8> {
        let at = self.at(now)?;
        let number = self.arrivals;
        let queued = QueuedPacket {
            size,
            flow,
            ecn: codepoint(ecn)?,
            marked: false,
            number,
            object: packet,
        };
        let outcome = self.guarded(|this| {
            let lost = &mut this.lost;
            this.queue
                .enqueue_with(at, queued, &mut |queued: QueuedPacket, reason| {
                    if queued.number != number {
                        lost.push((queued.object, fate_of_drop(reason)));
                    }
                })
        })?;
        (self.now, self.arrivals) = (at, number + 1);
        Ok(match outcome {
            Outcome::Queued => KEPT,
            Outcome::Marked => MARKED,
            Outcome::Dropped(reason) => fate_of_drop(reason),
        })
    }

    /// The next packet to send.
    fn dequeue(&mut self, now: f64) -> PyResult<Option<Departed>> {
        let at = self.at(now)?;
        let departure = self.guarded(|this| {
            let lost = &mut this.lost;
            this.queue
                .dequeue_with(at, &mut |queued: QueuedPacket, reason| {
                    lost.push((queued.object, fate_of_drop(reason)));
                })
        })?;
        self.now = at;
        Ok(departure.map(|departure| Departed {
            queued: departure.packet,
            arrived: departure.arrived,
            now: at,
        }))
    }

    /// The packets that were dropped after they had been accepted, since the last call.
    fn take_lost(&mut self) -> Vec<Lost> {
        std::mem::take(&mut self.lost)
    }

    /// The packets that wait.
    #[getter]
    fn packets(&self) -> u32 {
        self.queue.packets()
    }

    /// The bytes that wait.
    #[getter]
    fn bytes(&self) -> u64 {
        self.queue.bytes()
    }

    /// The time of the last call, in seconds.
    #[getter]
    fn now(&self) -> f64 {
        secs(self.now)
    }

    /// The state of the scheme by name, brought up to `now` where it is given.
    #[pyo3(signature = (now=None))]
    fn probes<'py>(&mut self, py: Python<'py>, now: Option<f64>) -> PyResult<Bound<'py, PyDict>> {
        let at = now.map(|now| self.at(now)).transpose()?;
        let mut list = Vec::new();
        self.guarded(|this| {
            if let Some(at) = at {
                this.queue.poll(at);
                this.now = at;
            }
            this.queue
                .probes(&mut |name, value| list.push((name, value)));
        })?;
        let probes = PyDict::new(py);
        for (name, value) in list {
            probes.set_item(name, value)?;
        }
        Ok(probes)
    }

    /// Packets and bytes by what became of them.
    fn counters(&self) -> Vec<(&'static str, u64, u64)> {
        let counters = self.queue.counters();
        let all = [
            ("arrived", counters.arrived),
            ("departed", counters.departed),
            ("marked", counters.marked),
        ];
        let dropped = DropReason::ALL.map(|reason| (reason.name(), counters.dropped_for(reason)));
        let all = all.into_iter().chain(dropped);
        all.map(|(name, tally)| (name, tally.packets, tally.bytes))
            .collect()
    }

    /// Sends these packets through a new queue of this kind and a link of its rate. Returns what
    /// became of each, and when its transmission began: NaN for those that were dropped.
    fn replay<'py>(
        &self,
        py: Python<'py>,
        times: &[u8],
        sizes: &[u8],
        flows: &[u8],
        ecn: &[u8],
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let arrivals = arrivals(times, sizes, flows, ecn)?;
        let (plan, rate, seed) = (&self.plan, self.rate, self.seed);
        let replayed = py.detach(|| {
            catch_unwind(AssertUnwindSafe(|| {
                Replay::new(plan, rate, seed, arrivals.len()).run(arrivals)
            }))
        });
        let (fates, began) = replayed.map_err(error_of_panic)?;
        let began: Vec<u8> = began.iter().flat_map(|time| time.to_ne_bytes()).collect();
        Ok((PyBytes::new(py, &fates), PyBytes::new(py, &began)))
    }

    /// A queue in the same state, whose packets carry the same objects.
    fn copied(&mut self, py: Python<'_>) -> PyResult<Queue> {
        let queue = self.guarded(|this| this.queue.clone())?;
        let lost = self.lost.iter().map(|(object, fate)| {
            let object = object.as_ref().map(|object| object.clone_ref(py));
            (object, *fate)
        });
        Ok(Queue {
            plan: self.plan.clone(),
            spec: self.spec.clone(),
            queue,
            lost: lost.collect(),
            ..*self
        })
    }

    /// Whether no packet has arrived yet.
    #[getter]
    fn is_new(&self) -> bool {
        self.arrivals == 0 && self.now == Nanos::ZERO
    }

    fn __repr__(&self) -> String {
        let (packets, bytes) = (self.queue.packets(), self.queue.bytes());
        format!(
            "<Queue {} at {}: {packets} packets, {bytes} bytes>",
            self.spec, self.rate
        )
    }
}

/// The arrivals of columns as numpy holds them: 64-bit floating-point, unsigned whole numbers of
/// 32 and of 64 bits, and bytes.
fn arrivals(
    times: &[u8],
    sizes: &[u8],
    flows: &[u8],
    ecn: &[u8],
) -> PyResult<Vec<(Nanos, QueuedPacket)>> {
    let times = times
        .as_chunks()
        .0
        .iter()
        .map(|one| f64::from_ne_bytes(*one));
    let sizes = sizes
        .as_chunks()
        .0
        .iter()
        .map(|one| u32::from_ne_bytes(*one));
    let flows = flows
        .as_chunks()
        .0
        .iter()
        .map(|one| u64::from_ne_bytes(*one));
    let mut last = Nanos::ZERO;
    let mut list = Vec::with_capacity(ecn.len());
    for (index, (((time, size), flow), ecn)) in times.zip(sizes).zip(flows).zip(ecn).enumerate() {
        let at = seconds(&format!("times[{index}]"), time)?;
        if at < last {
            return Err(value_error(format!(
                "times[{index}]={time}: allowed: times in order; the one before is {} s",
                secs(last)
            )));
        }
        last = at;
        let queued = QueuedPacket {
            size,
            flow,
            ecn: codepoint(*ecn)?,
            marked: false,
            number: index as u64,
            object: None,
        };
        list.push((at, queued));
    }
    Ok(list)
}

/// Recorded packets on their way through a queue and a link.
struct Replay {
    link: QueuedLink<QueuedPacket>,
    fates: Vec<u8>,
    began: Vec<f64>,
}

impl Replay {
    fn new(plan: &Plan, rate: BitsPerSec, seed: u64, packets: usize) -> Replay {
        let mut queue = plan.queue(seed);
        queue.poll(Nanos::ZERO);
        Replay {
            link: QueuedLink::new(queue, rate, Nanos::ZERO, None),
            fates: vec![KEPT; packets],
            began: vec![f64::NAN; packets],
        }
    }

    /// As in the simulator, a transmission that begins at the moment of an arrival comes first.
    fn run(mut self, arrivals: Vec<(Nanos, QueuedPacket)>) -> (Vec<u8>, Vec<f64>) {
        for (at, queued) in arrivals {
            self.transmit_until(at);
            let fates = &mut self.fates;
            let mut lost =
                |queued: QueuedPacket, reason| fates[queued.number as usize] = fate_of_drop(reason);
            self.link.enqueue(at, queued, &mut lost);
        }
        // `NEVER` is when an idle link transmits.
        self.transmit_until(Nanos(Nanos::NEVER.0 - 1));
        (self.fates, self.began)
    }

    fn transmit_until(&mut self, end: Nanos) {
        while self.link.next_transmission() <= end {
            let begins = self.link.next_transmission();
            let fates = &mut self.fates;
            let mut lost =
                |queued: QueuedPacket, reason| fates[queued.number as usize] = fate_of_drop(reason);
            let Some(sent) = self.link.transmit(&mut lost) else {
                continue;
            };
            let number = sent.packet.number as usize;
            self.began[number] = secs(begins);
            if sent.packet.marked {
                self.fates[number] = MARKED;
            }
        }
    }
}
