//! A scheme written in Python: a class that judges packets inside the simulator.
//!
//! `earlydrop/python_scheme.py` has the base class and reads its parameters; here each queue has an
//! instance of the class, which is called with the interpreter attached.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use earlydrop::registry::{
    ConfigError, Descriptor, Kind, LIMIT, LinkFacts, Parameter, Plan, Probe, Range, Registry,
    Settings, Value,
};
use earlydrop_lab::plan::ThreadScope;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors::value_error;
use crate::python_aqm::{Hook, PythonAqm};

/// A class of a scheme, for scenarios that name it.
#[pyclass(frozen, module = "earlydrop._lib")]
pub(crate) struct SchemeClass {
    definition: &'static Definition,
}

/// A class and what its scheme is for the registry. Lives as long as the process, as descriptors
/// do: a class takes a few hundred bytes, once.
pub(crate) struct Definition {
    pub(crate) descriptor: &'static Descriptor,
    pub(crate) class: Py<PyAny>,
    pub(crate) hooks: Vec<Hook>,
    /// The names of the probes that the descriptor lists.
    pub(crate) probes: Vec<&'static str>,
}

/// The definitions by the addresses of their descriptors.
static DEFINITIONS: RwLock<Option<HashMap<usize, &'static Definition>>> = RwLock::new(None);

fn address(descriptor: &'static Descriptor) -> usize {
    std::ptr::from_ref(descriptor) as usize
}

fn definition_of(descriptor: &'static Descriptor) -> Option<&'static Definition> {
    let known = DEFINITIONS.read().unwrap_or_else(PoisonError::into_inner);
    known.as_ref()?.get(&address(descriptor)).copied()
}

fn leak(text: &str) -> &'static str {
    Box::leak(text.to_string().into_boxed_str())
}

/// A parameter as `earlydrop/python_scheme.py` describes it.
#[derive(FromPyObject)]
pub(crate) struct Described {
    name: String,
    meaning: String,
    /// "whole", "number", "flag", "text", "choice", "time", "rate", "bytes" or "length".
    kind: String,
    default: String,
    low: Option<f64>,
    high: Option<f64>,
    unit: String,
    choices: Vec<String>,
}

impl Described {
    fn parameter(&self) -> PyResult<Parameter> {
        let low = self.low.unwrap_or(f64::NEG_INFINITY);
        let range = Range {
            low,
            high: self.high.unwrap_or(f64::INFINITY),
            with_low: low.is_finite(),
            with_high: self.high.is_some(),
        };
        let not_negative = Range {
            low: low.max(0.0),
            with_low: true,
            ..range
        };
        let kind = match &*self.kind {
            "whole" => Kind::Count(range, leak(&self.unit)),
            "number" => Kind::Number(range, leak(&self.unit)),
            "flag" => Kind::Flag,
            "text" => Kind::Text("text without commas"),
            "choice" => {
                let named = self.choices.iter().map(|name| (leak(name), ""));
                Kind::Choice(Vec::leak(named.collect()))
            }
            "time" => Kind::Time(not_negative),
            "rate" => Kind::Rate(not_negative),
            "bytes" => Kind::Bytes(not_negative),
            "length" => Kind::Length(not_negative),
            other => {
                let text = format!("{}: no kind of parameter is called {other}", self.name);
                return Err(PyTypeError::new_err(text));
            }
        };
        // "auto", as scenarios set for the built-in schemes, is the class's default.
        let kind = match kind {
            Kind::Flag | Kind::Text(_) | Kind::Choice(_) => kind,
            number => Kind::OrAuto(Box::leak(Box::new(number))),
        };
        let parameter = Parameter::new(leak(&self.name), leak(&self.meaning), kind);
        Ok(parameter.with_default(leak(&self.default), "its class"))
    }
}

#[pymethods]
impl SchemeClass {
    /// A class called `name` in scenarios, with what it takes, which calls it defines and what it
    /// shows.
    #[new]
    fn new(
        class: Bound<'_, PyAny>,
        name: &str,
        summary: &str,
        parameters: Vec<Described>,
        hooks: Vec<String>,
        probes: Vec<String>,
    ) -> PyResult<SchemeClass> {
        let mut listed = vec![LIMIT];
        for described in &parameters {
            let parameter = described.parameter()?;
            parameter
                .read(parameter.name, parameter.default)
                .map_err(|error| value_error(format!("the default of {error}")))?;
            listed.push(parameter);
        }
        let source = leak(&class.getattr("__module__")?.to_string());
        let listed: &'static [Parameter] = Vec::leak(listed);
        let groups: &'static [&'static [Parameter]] = Vec::leak(vec![listed]);
        let probes: Vec<&'static str> = probes.iter().map(|name| leak(name)).collect();
        let shown = probes.iter().map(|name| Probe { name, meaning: "" });
        let shown: &'static [Probe] = Vec::leak(shown.collect());
        let descriptor = Descriptor::new(leak(name), leak(summary), source, groups, plan);
        let descriptor: &'static Descriptor = Box::leak(Box::new(descriptor.with_probes(shown)));
        let has = |hook: &Hook| hooks.iter().any(|name| name == hook.name());
        let definition: &'static Definition = Box::leak(Box::new(Definition {
            descriptor,
            class: class.unbind(),
            hooks: Hook::ALL.into_iter().filter(has).collect(),
            probes,
        }));
        let mut known = DEFINITIONS.write().unwrap_or_else(PoisonError::into_inner);
        let known = known.get_or_insert_default();
        known.insert(address(descriptor), definition);
        Ok(SchemeClass { definition })
    }
}

/// The built-in schemes and these.
pub(crate) fn registry(own: &[PyRef<'_, SchemeClass>]) -> Registry {
    let all = own.iter().map(|class| class.definition.descriptor);
    all.fold(Registry::built_in(), Registry::with)
}

/// Gives each thread that runs cells a state of the interpreter's: without one, every call of a
/// scheme would make it anew, which takes several microseconds.
pub(crate) const INTERPRETER: ThreadScope = |work| Python::attach(|py| py.detach(work));

/// The parameters of a queue's scheme, and its link.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) values: Vec<(&'static str, Value)>,
    pub(crate) link: LinkFacts,
}

/// Makes the plan of a queue. An instance is made at once, so that parameters which the class
/// refuses are errors of the scenario.
fn plan(settings: &Settings) -> Result<Plan, ConfigError> {
    let refuse = |error: String| settings.contradiction("limit", error, "nothing was run");
    let Some(definition) = definition_of(settings.descriptor()) else {
        return Err(refuse("its class is not known".to_string()));
    };
    let parameters = settings.descriptor().parameters();
    let own = parameters.filter(|parameter| parameter.name != LIMIT.name);
    let link = settings.link();
    let values = own.map(|parameter| {
        let value = match settings.value(parameter.name) {
            Value::Auto => parameter.kind.read(parameter.default),
            value => Ok(value.clone()),
        };
        let value = match value {
            Ok(Value::Length(length)) => {
                Value::Number(length.in_packets(link.mean_packet, link.rate.0 as f64))
            }
            // A default that cannot be read was refused with its class.
            value => value.unwrap_or(Value::Auto),
        };
        (parameter.name, value)
    });
    let config = Config {
        values: values.collect(),
        link,
    };
    let aqm = PythonAqm::new(definition, Arc::new(config));
    Python::attach(|py| match aqm.instantiate(py) {
        Ok(_) => Ok(()),
        Err(error) => {
            let text = format!("{}: {error}", described_call(definition, "start"));
            LAST_CAUSE.replace(Some(error));
            Err(refuse(text))
        }
    })?;
    Ok(Plan::custom(aqm, settings.limit()))
}

thread_local! {
    /// The exception behind the last error of a plan in this thread.
    static LAST_CAUSE: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// The exception of a class that made an error of a plan with this text, if one did.
pub(crate) fn cause_of(text: &str) -> Option<PyErr> {
    let cause = LAST_CAUSE.take()?;
    text.contains(&cause.to_string()).then_some(cause)
}

fn described_call(definition: &Definition, call: &str) -> String {
    Python::attach(|py| {
        let name = definition.class.bind(py).getattr("__qualname__");
        let name = name.map_or_else(|_| definition.descriptor.name.into(), |n| n.to_string());
        format!("{name}.{call}()")
    })
}
