//! One queue's scheme in Python: an object of the class, called with the interpreter attached.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::resume_unwind;
use std::sync::Arc;

use earlydrop::aqm::{Aqm, Backlog, DropReason, Ticker, Verdict};
use earlydrop::packet::PacketInfo;
use earlydrop::random::Pcg32;
use earlydrop::registry::{Kind, Value};
use earlydrop::units::{BitsPerSec, Nanos};
use earlydrop_lab::run::{CellName, cell_under_way};
use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

use crate::judging::{Answer, PacketView, QueueView, Random, secs};
use crate::scheme::{Config, Definition};

/// The calls that a class may define.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Hook {
    Arrival,
    Accepted,
    Refused,
    Departure,
    Empty,
    Idle,
    Tick,
    LinkRate,
    Probes,
}

impl Hook {
    pub(crate) const ALL: [Hook; 9] = [
        Hook::Arrival,
        Hook::Accepted,
        Hook::Refused,
        Hook::Departure,
        Hook::Empty,
        Hook::Idle,
        Hook::Tick,
        Hook::LinkRate,
        Hook::Probes,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Hook::Arrival => "on_arrival",
            Hook::Accepted => "on_accepted",
            Hook::Refused => "on_refused",
            Hook::Departure => "on_departure",
            Hook::Empty => "on_empty",
            Hook::Idle => "on_idle",
            Hook::Tick => "on_tick",
            Hook::LinkRate => "on_link_rate",
            Hook::Probes => "probes",
        }
    }
}

/// One queue's scheme.
pub(crate) struct PythonAqm {
    definition: &'static Definition,
    config: Arc<Config>,
    /// Made at the first call: each queue has an instance of its own.
    instance: Option<Instance>,
    /// Calls `on_tick`.
    ticker: Option<Ticker>,
}

/// An object of the class, with what is called at packets.
pub(crate) struct Instance {
    object: Py<PyAny>,
    random: Py<Random>,
    on_arrival: Option<Py<PyAny>>,
    on_departure: Option<Py<PyAny>>,
}

/// A failed call, as the payload of the panic that ends the cell.
pub(crate) struct SchemeFailure {
    scheme: &'static str,
    call: &'static str,
    time: Nanos,
    /// Where it failed, in runs of scenarios.
    cell: Option<CellName>,
    error: PyErr,
}

impl SchemeFailure {
    /// The exception for Python: `SchemeError`, raised from the class's own exception.
    pub(crate) fn into_error(self, py: Python<'_>) -> PyErr {
        let SchemeFailure {
            scheme,
            call,
            time,
            cell,
            error,
        } = self;
        if !error.is_instance_of::<PyException>(py) {
            // Ctrl-C, or an exit.
            return error;
        }
        let made = || -> PyResult<PyErr> {
            let class = py
                .import("earlydrop.errors")?
                .getattr(intern!(py, "SchemeError"))?;
            let cause = error.to_string();
            let (seed, point) = cell.map_or((None, Vec::new()), |c| (Some(c.seed), c.point));
            let point: BTreeMap<String, String> = point.into_iter().collect();
            let made = class.call1((scheme, call, secs(time), cause, seed, point))?;
            Ok(PyErr::from_value(made))
        };
        match made() {
            Ok(made) => {
                made.set_cause(py, Some(error));
                made
            }
            Err(other) => other,
        }
    }
}

/// Continues a panic, or returns the exception of a scheme of Python's that ended a run.
pub(crate) fn error_of_panic(payload: Box<dyn Any + Send>) -> PyErr {
    match payload.downcast::<SchemeFailure>() {
        Ok(failure) => Python::attach(|py| failure.into_error(py)),
        Err(other) => resume_unwind(other),
    }
}

impl PythonAqm {
    pub(crate) fn new(definition: &'static Definition, config: Arc<Config>) -> PythonAqm {
        PythonAqm {
            definition,
            config,
            instance: None,
            ticker: None,
        }
    }

    fn has(&self, hook: Hook) -> bool {
        self.definition.hooks.contains(&hook)
    }

    /// Ends the cell. No panic of Rust's: nothing is printed, and the threads' owner raises it.
    fn fail(&self, call: &'static str, time: Nanos, error: PyErr) -> ! {
        resume_unwind(Box::new(SchemeFailure {
            scheme: self.definition.descriptor.name,
            call,
            time,
            cell: cell_under_way(),
            error,
        }))
    }

    /// An instance with these parameters.
    pub(crate) fn instantiate(&self, py: Python<'_>) -> PyResult<(Instance, Option<Ticker>)> {
        let parameters = PyDict::new(py);
        for (name, value) in &self.config.values {
            match value {
                Value::Number(whole) if self.is_whole(name) => {
                    parameters.set_item(name, *whole as i64)?;
                }
                Value::Number(number) => parameters.set_item(name, number)?,
                Value::Flag(flag) => parameters.set_item(name, flag)?,
                Value::Time(time) => parameters.set_item(name, secs(*time))?,
                Value::Rate(rate) => parameters.set_item(name, rate.0 as f64)?,
                Value::Bytes(size) => parameters.set_item(name, size.0)?,
                Value::Choice(name_of_choice) => parameters.set_item(name, name_of_choice)?,
                other => parameters.set_item(name, other.to_string())?,
            }
        }
        let link = &self.config.link;
        let class = self.definition.class.bind(py);
        let facts = (link.rate.0 as f64, link.mean_packet.0);
        let object = class.call_method1(intern!(py, "_of_queue"), (parameters, facts))?;
        let ticker = match self.has(Hook::Tick) {
            true => Some(ticker(&object)?),
            false => None,
        };
        Ok((self.holding(py, object)?, ticker))
    }

    fn is_whole(&self, name: &str) -> bool {
        let parameter = self.definition.descriptor.parameter(name);
        parameter.is_some_and(|parameter| match parameter.kind {
            Kind::OrAuto(kind) => matches!(kind, Kind::Count(..)),
            _ => false,
        })
    }

    fn holding(&self, py: Python<'_>, object: Bound<'_, PyAny>) -> PyResult<Instance> {
        let method = |hook: Hook| -> PyResult<Option<Py<PyAny>>> {
            match self.has(hook) {
                true => Ok(Some(object.getattr(hook.name())?.unbind())),
                false => Ok(None),
            }
        };
        Ok(Instance {
            on_arrival: method(Hook::Arrival)?,
            on_departure: method(Hook::Departure)?,
            random: Py::new(py, Random::default())?,
            object: object.unbind(),
        })
    }

    /// The instance, made at the first call.
    fn ready(&mut self, py: Python<'_>, now: Nanos) -> &Instance {
        if self.instance.is_none() {
            match self.instantiate(py) {
                Ok((instance, ticker)) => {
                    self.instance = Some(instance);
                    self.ticker = self.ticker.take().or(ticker);
                }
                Err(error) => self.fail("start", now, error),
            }
        }
        match &self.instance {
            Some(instance) => instance,
            None => unreachable!("it has just been made"),
        }
    }

    /// Asks for a verdict.
    fn judge(
        &mut self,
        hook: Hook,
        now: Nanos,
        packet: &PacketInfo,
        queue: &dyn Backlog,
        random: &mut Pcg32,
    ) -> Verdict {
        let judged = Python::attach(|py| -> PyResult<Verdict> {
            let instance = self.ready(py, now);
            let method = match hook {
                Hook::Departure => &instance.on_departure,
                _ => &instance.on_arrival,
            };
            let Some(method) = method else {
                return Ok(Verdict::Keep);
            };
            let draws = instance.random.bind(py);
            draws.get().lend(random);
            let view = PacketView::new(packet, now);
            let answer = method
                .bind(py)
                .call1((view, QueueView::new(queue, now), draws));
            draws.get().take_back(random);
            verdict(&answer?, packet, hook)
        });
        judged.unwrap_or_else(|error| self.fail(hook.name(), now, error))
    }

    /// Calls a method without an answer.
    fn call<A>(&mut self, hook: Hook, now: Nanos, arguments: A)
    where
        A: for<'py> pyo3::call::PyCallArgs<'py>,
    {
        if !self.has(hook) {
            return;
        }
        let called = Python::attach(|py| -> PyResult<()> {
            let object = self.ready(py, now).object.bind(py);
            object.call_method1(hook.name(), arguments)?;
            Ok(())
        });
        called.unwrap_or_else(|error| self.fail(hook.name(), now, error));
    }
}

/// What calls `on_tick` of an object every `interval` seconds.
fn ticker(object: &Bound<'_, PyAny>) -> PyResult<Ticker> {
    let interval = object.getattr("interval").ok();
    let seconds = interval.and_then(|value| value.extract::<f64>().ok());
    // Each update that is due is called: with a shorter interval a run would hardly advance.
    match seconds {
        Some(seconds) if seconds >= 1e-6 && seconds.is_finite() => {
            Ok(Ticker::every(Nanos::from_secs_f64(seconds)))
        }
        _ => Err(PyValueError::new_err(
            "on_tick is called every `interval` seconds: set it to a number of at least 1e-6",
        )),
    }
}

/// What the answer of `on_arrival` or `on_departure` means.
fn verdict(answer: &Bound<'_, PyAny>, packet: &PacketInfo, hook: Hook) -> PyResult<Verdict> {
    let drop = Verdict::Drop(match hook {
        Hook::Departure => DropReason::Dequeue,
        _ => DropReason::Early,
    });
    if let Ok(flag) = answer.cast::<PyBool>() {
        return Ok(if flag.is_true() { drop } else { Verdict::Keep });
    }
    if let Ok(answer) = answer.cast::<Answer>() {
        return match *answer.get() {
            Answer::Keep => Ok(Verdict::Keep),
            Answer::Drop => Ok(drop),
            Answer::Signal if packet.ecn.is_capable() => Ok(Verdict::Mark),
            Answer::Signal => Ok(drop),
            Answer::Mark if packet.ecn.is_capable() => Ok(Verdict::Mark),
            Answer::Mark => Err(PyValueError::new_err(
                "Verdict.MARK for a packet that is not ECN-capable (packet.ecn is False); \
                 Verdict.SIGNAL marks what can be marked and drops the rest",
            )),
        };
    }
    // A bool of numpy.
    if let Ok(flag) = answer.extract::<bool>() {
        return Ok(if flag { drop } else { Verdict::Keep });
    }
    let hint = match answer.is_none() {
        true => " (is a `return` missing?)",
        false => "",
    };
    Err(PyTypeError::new_err(format!(
        "returned {}{hint}; allowed: True (drop), False (keep), or one of earlydrop.Verdict",
        answer.repr()?
    )))
}

impl Clone for PythonAqm {
    /// Before the first packet, a queue of its own; later, a deep copy of the state.
    fn clone(&self) -> PythonAqm {
        let instance = self.instance.as_ref().map(|instance| {
            let copied = Python::attach(|py| -> PyResult<Instance> {
                let copy = py.import("copy")?.getattr("deepcopy")?;
                self.holding(py, copy.call1((&instance.object,))?)
            });
            copied.unwrap_or_else(|error| self.fail("__deepcopy__", Nanos::ZERO, error))
        });
        PythonAqm {
            definition: self.definition,
            config: self.config.clone(),
            instance,
            ticker: self.ticker.clone(),
        }
    }
}

impl fmt::Debug for PythonAqm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PythonAqm")
            .field("scheme", &self.definition.descriptor.name)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl Aqm for PythonAqm {
    fn on_arrival<Q: Backlog>(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Verdict {
        match self.has(Hook::Arrival) {
            true => self.judge(Hook::Arrival, now, packet, queue, random),
            false => Verdict::Keep,
        }
    }

    fn on_accepted(&mut self, now: Nanos, packet: &PacketInfo) {
        self.call(Hook::Accepted, now, (PacketView::new(packet, now),));
    }

    fn on_refused(&mut self, now: Nanos, packet: &PacketInfo) {
        self.call(Hook::Refused, now, (PacketView::new(packet, now),));
    }

    fn on_departure<Q: Backlog>(
        &mut self,
        now: Nanos,
        packet: &PacketInfo,
        queue: &Q,
        random: &mut Pcg32,
    ) -> Verdict {
        match self.has(Hook::Departure) {
            true => self.judge(Hook::Departure, now, packet, queue, random),
            false => Verdict::Keep,
        }
    }

    fn on_empty(&mut self, now: Nanos) {
        self.call(Hook::Empty, now, (secs(now),));
    }

    fn on_idle(&mut self, now: Nanos) {
        self.call(Hook::Idle, now, (secs(now),));
    }

    fn poll<Q: Backlog>(&mut self, now: Nanos, queue: &Q) {
        if !self.has(Hook::Tick) {
            return;
        }
        if self.ticker.is_none() {
            Python::attach(|py| {
                self.ready(py, now);
            });
        }
        let Some(mut ticker) = self.ticker.take() else {
            return;
        };
        if ticker.is_due(now) {
            ticker.catch_up(now, |tick| {
                let arguments = (secs(tick), QueueView::new(queue, tick));
                self.call(Hook::Tick, tick, arguments);
                true
            });
        }
        self.ticker = Some(ticker);
    }

    fn next_deadline(&self) -> Option<Nanos> {
        self.ticker.as_ref().and_then(Ticker::next)
    }

    fn on_link_rate(&mut self, now: Nanos, rate: BitsPerSec) {
        let set = Python::attach(|py| -> PyResult<()> {
            let object = self.ready(py, now).object.bind(py);
            object.call_method1(intern!(py, "_set_link_rate"), (rate.0 as f64,))?;
            Ok(())
        });
        set.unwrap_or_else(|error| self.fail("on_link_rate", now, error));
        self.call(Hook::LinkRate, now, (rate.0 as f64,));
    }

    fn probes(&self, show: &mut dyn FnMut(&'static str, f64)) {
        if !self.has(Hook::Probes) {
            return;
        }
        let values = Python::attach(|py| -> PyResult<Vec<f64>> {
            let made = match &self.instance {
                Some(instance) => instance.object.clone_ref(py),
                None => self.instantiate(py)?.0.object,
            };
            let shown = made.bind(py).call_method0(Hook::Probes.name())?;
            self.probe_values(&shown)
        });
        match values {
            Ok(values) => {
                for (name, value) in self.definition.probes.iter().zip(values) {
                    show(name, value);
                }
            }
            Err(error) => self.fail(Hook::Probes.name(), Nanos::ZERO, error),
        }
    }
}

impl PythonAqm {
    /// The values that `probes` returned, in the order of the names it had for a new queue.
    fn probe_values(&self, shown: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
        let names = &self.definition.probes;
        let wrong = || {
            let expected = names.join(", ");
            let text = match shown.repr() {
                Ok(shown) => format!(
                    "returned {shown}; allowed: a dict of numbers by the same names at all \
                     times: {expected}"
                ),
                Err(_) => format!("allowed: a dict of numbers by these names: {expected}"),
            };
            PyTypeError::new_err(text)
        };
        let shown = shown.cast::<PyDict>().map_err(|_| wrong())?;
        if shown.len() != names.len() {
            return Err(wrong());
        }
        let value = |name: &&str| -> PyResult<f64> {
            let value = shown.get_item(name)?.ok_or_else(wrong)?;
            value.extract().map_err(|_| wrong())
        };
        names.iter().map(value).collect()
    }
}
