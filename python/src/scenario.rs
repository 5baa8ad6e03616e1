//! Scenarios: text, files and dictionaries with changes, checked as the command checks them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use earlydrop_lab::budget::Limits;
use earlydrop_lab::document::{Content, Key, Node, Place};
use earlydrop_lab::plan::{Plan, ShortName, Source, TraceFiles};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::errors::{scenario_error, source_error, value_error};
use crate::scheme::{INTERPRETER, SchemeClass, registry};

/// A scenario with its changes.
#[pyclass(frozen, module = "earlydrop._lib")]
pub(crate) struct Scenario {
    pub(crate) source: Source,
    /// Made once: a sweep may have thousands of points.
    plan: OnceLock<Plan>,
}

impl Scenario {
    pub(crate) fn new(source: Source) -> Scenario {
        Scenario {
            source,
            plan: OnceLock::new(),
        }
    }

    pub(crate) fn plan(&self) -> PyResult<&Plan> {
        if let Some(plan) = self.plan.get() {
            return Ok(plan);
        }
        let plan = self.source.plan().map_err(scenario_error)?;
        Ok(self.plan.get_or_init(|| plan))
    }
}

#[pymethods]
impl Scenario {
    /// The scenario of `compare` without a file.
    #[staticmethod]
    fn built_in() -> PyResult<Scenario> {
        let source = Source::built_in().map_err(scenario_error)?;
        Ok(Scenario::new(source))
    }

    /// A scenario file. Recorded links are found relative to its folder.
    #[staticmethod]
    fn open(path: PathBuf) -> PyResult<Scenario> {
        let source = Source::open(&path).map_err(source_error)?;
        Ok(Scenario::new(source))
    }

    /// A scenario from its text; `folder` is where recorded links are found.
    #[staticmethod]
    fn from_toml(text: &str, name: &str, folder: PathBuf) -> PyResult<Scenario> {
        let source = Source::new(name, text, folder).map_err(scenario_error)?;
        Ok(Scenario::new(source))
    }

    /// A scenario from a dictionary with the fields of a file. Messages name the path of a value.
    #[staticmethod]
    fn from_dict(fields: &Bound<'_, PyDict>, folder: PathBuf) -> PyResult<Scenario> {
        let tree = table(fields, "")?;
        let source = Source::of_tree("scenario", tree, folder).map_err(scenario_error)?;
        Ok(Scenario::new(source))
    }

    /// A scenario as [`files`](Scenario::files) describes it, in another process.
    #[staticmethod]
    fn from_files(
        name: &str,
        text: &str,
        recordings: BTreeMap<String, String>,
    ) -> PyResult<Scenario> {
        let source = Source::new(name, text, TraceFiles::Memory(recordings));
        let source = source.map_err(scenario_error)?.with_limits(Limits::NONE);
        Ok(Scenario::new(source))
    }

    /// All that makes the scenario: its name, its text as run, and the recorded links by name.
    fn files(&self) -> PyResult<Files> {
        let plan = self.plan()?;
        let recordings = plan.recordings.iter();
        let recordings = recordings.map(|one| (one.stored_name.clone(), one.text.to_string()));
        Ok((self.source.name.clone(), plan.toml(), recordings.collect()))
    }

    /// The scenario, which may name the built-in schemes and these.
    fn with_schemes(&self, own: Vec<PyRef<'_, SchemeClass>>) -> Scenario {
        let source = self.source.clone().with_registry(registry(&own));
        let source = source.with_thread_scope(INTERPRETER);
        Scenario::new(source)
    }

    /// The scenario with these changes: short names (`link`, `rtt`, ...), fields by their paths,
    /// named schemes, and limits of resources.
    #[pyo3(signature = (options, fields, schemes=None, limits=None))]
    fn changed(
        &self,
        options: Vec<(String, String)>,
        fields: Vec<(String, String)>,
        schemes: Option<Vec<(String, String)>>,
        limits: Option<&str>,
    ) -> PyResult<Scenario> {
        let mut source = self.source.clone();
        if let Some(schemes) = schemes {
            source.set_variants(&[]);
            for (label, spec) in schemes {
                source.add_scheme(&label, &spec);
            }
        }
        for (name, value) in options {
            let known = ShortName::ALL.iter().find(|(known, _)| *known == name);
            let Some((_, short)) = known else {
                return Err(PyTypeError::new_err(format!(
                    "no option is called {name:?}"
                )));
            };
            source.change_short(*short, &value, &format!("{name}={value}"));
        }
        for (path, value) in fields {
            source.change(&path, &value, &format!("{path}={value}"));
        }
        let limits = limits.map(|text| text.parse::<Limits>().map_err(value_error));
        if let Some(limits) = limits.transpose()? {
            source = source.with_limits(limits);
        }
        Ok(Scenario::new(source))
    }

    /// Checks it at every point of its sweep, and returns what it is: title, description, labels,
    /// swept fields, points, seeds, number of runs, warnings and text as run.
    fn check<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        describe(py, self.plan()?)
    }
}

/// A scenario's name, its text as run, and the recorded links by name.
type Files = (String, String, Vec<(String, String)>);

/// What a plan is, for Python.
pub(crate) fn describe<'py>(py: Python<'py>, plan: &Plan) -> PyResult<Bound<'py, PyDict>> {
    let scenario = plan.scenario();
    let about = PyDict::new(py);
    about.set_item("title", &scenario.title)?;
    about.set_item("about", &scenario.about)?;
    about.set_item("schemes", plan.labels())?;
    let axes = plan
        .axes
        .iter()
        .map(|axis| (axis.field.clone(), axis.texts()));
    about.set_item("axes", axes.collect::<Vec<_>>())?;
    let groups = scenario.groups.iter();
    let groups = groups.map(|group| (group.name.to_string(), group.is_tcp()));
    about.set_item("groups", groups.collect::<Vec<_>>())?;
    about.set_item("points", plan.points.len())?;
    about.set_item("seeds", plan.seeds.clone())?;
    about.set_item("runs", plan.cell_count())?;
    about.set_item("warnings", plan.warnings())?;
    about.set_item("toml", plan.toml())?;
    about.set_item("duration", scenario.duration.as_secs_f64())?;
    about.set_item("warm_up", scenario.warm_up.as_secs_f64())?;
    Ok(about)
}

/// A table of a document from a dictionary; `path` leads to it.
fn table(fields: &Bound<'_, PyDict>, path: &str) -> PyResult<Node> {
    let mut entries = Vec::new();
    for (name, value) in fields {
        let Ok(name) = name.extract::<String>() else {
            let text = format!(
                "{}: names of fields are str, not {}",
                at(path),
                name.get_type()
            );
            return Err(PyTypeError::new_err(text));
        };
        let inner = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        let place = place(&inner);
        entries.push((Key { name, place }, node(&value, &inner)?));
    }
    Ok(Node {
        content: Content::Table(entries),
        place: place(path),
    })
}

/// A value of a document.
fn node(value: &Bound<'_, PyAny>, path: &str) -> PyResult<Node> {
    let items = |items: Vec<Bound<'_, PyAny>>| -> PyResult<Content> {
        let nodes = items.iter().map(|item| node(item, path));
        Ok(Content::List(nodes.collect::<PyResult<_>>()?))
    };
    let content = if let Ok(fields) = value.cast::<PyDict>() {
        return table(fields, path);
    } else if let Ok(list) = value.cast::<PyList>() {
        items(list.iter().collect())?
    } else if let Ok(list) = value.cast::<PyTuple>() {
        items(list.iter().collect())?
    } else if value.is_instance_of::<PyBool>() {
        Content::Flag(value.extract()?)
    } else if value.is_instance_of::<PyString>() {
        Content::Text(value.extract()?)
    } else if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
        Content::Number(value.str()?.to_string())
    } else if let Ok(plain) = value.call_method0("item") {
        // A number of numpy.
        return node(&plain, path);
    } else {
        let kind = value.get_type();
        let text = format!(
            "{}: a value is str, int, float, bool, list or dict, not {kind}",
            at(path)
        );
        return Err(PyTypeError::new_err(text));
    };
    Ok(Node {
        content,
        place: place(path),
    })
}

fn place(path: &str) -> Place {
    Place::Argument(at(path).into())
}

fn at(path: &str) -> &str {
    if path.is_empty() { "scenario" } else { path }
}
