//! Scenarios: text, files and dictionaries with changes, checked as the command checks them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use earlydrop::registry::Kind;
use earlydrop_lab::budget::Limits;
use earlydrop_lab::document::{Content, Key, Node, Place, lacks_unit};
use earlydrop_lab::plan::{Plan, ShortName, Source, TraceFiles};
use earlydrop_lab::sweep::Axis;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::errors::{scenario_error, source_error, value_error};
use crate::scheme::{INTERPRETER, SchemeClass, registry};
use crate::units;

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
    /// swept fields with their values, named schemes, and limits of resources.
    #[pyo3(signature = (options, fields, sweep, schemes=None, limits=None))]
    fn changed(
        &self,
        options: Vec<(String, Bound<'_, PyAny>)>,
        fields: Vec<(String, Bound<'_, PyAny>)>,
        sweep: Vec<(String, Bound<'_, PyAny>)>,
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
            change_option(&mut source, &name, &value)?;
        }
        for (path, value) in fields {
            change_field(&mut source, &path, &value)?;
        }
        for (field, values) in sweep {
            let path = match short_name(&field) {
                Some(short) => swept_path(&source, &field, short)?,
                None => field,
            };
            sweep_field(&mut source, &path, &values)?;
        }
        let problems = units::without_unit(&source);
        if !problems.is_empty() {
            return Err(scenario_error(source.problems(problems)));
        }
        let limits = limits.map(|text| text.parse::<Limits>().map_err(value_error));
        if let Some(limits) = limits.transpose()? {
            source = source.with_limits(limits);
        }
        Ok(Scenario::new(source))
    }

    /// A value of a field as the scenario has it: a number in base units with its unit.
    fn written(&self, path: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
        written(units::kind_at(&self.source, path), value)
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

/// The field that a short name changes.
fn short_name(name: &str) -> Option<ShortName> {
    let mut known = ShortName::ALL.iter();
    known.find(|(known, _)| *known == name).map(|(_, s)| *s)
}

/// The field that is swept by a short name.
fn swept_path(source: &Source, name: &str, short: ShortName) -> PyResult<String> {
    units::path_of(source, short).ok_or_else(|| {
        let group = units::groups_with_tcp(source).next();
        let tcp = group.map_or("tcp".to_string(), |group| format!("flows.{group}.tcp"));
        let help = match short {
            ShortName::Schemes => "a list of schemes is schemes=[...]".to_string(),
            ShortName::Ecn => format!("nearest: sweep={{\"{tcp}.ecn\": [...]}}"),
            _ => format!("nearest: sweep={{\"{tcp}.control\": [...]}}"),
        };
        value_error(format!("{name}: a sweep changes one field; {help}"))
    })
}

/// Changes what a short name stands for; a list of values sweeps it.
fn change_option(source: &mut Source, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(short) = short_name(name) else {
        let text = format!("no option is called {name:?}");
        return Err(PyTypeError::new_err(text));
    };
    let path = units::path_of(source, short);
    if value.is_instance_of::<PyList>() && short != ShortName::Seeds {
        let path = swept_path(source, name, short)?;
        return sweep_field(source, &path, value);
    }
    let field = match short {
        ShortName::Tcp => Some("tcp.control"),
        ShortName::Ecn => Some("tcp.ecn"),
        _ => path.as_deref(),
    };
    let kind = field.and_then(|path| units::kind_at(source, path));
    let text = written(kind, value)?;
    source.change_short(short, &text, &format!("{name}={text}"));
    Ok(())
}

/// Changes a field by its path.
fn change_field(source: &mut Source, path: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let kind = units::kind_at(source, path);
    if kind.is_some() && value.is_instance_of::<PyList>() {
        return Err(value_error(format!(
            "set={{\"{path}\": [...]}}: a list of values is swept: sweep={{\"{path}\": [...]}}"
        )));
    }
    let text = written(kind, value)?;
    if let Some(kind) = kind.filter(|kind| lacks_unit(kind, &text)) {
        let unit = units::with_unit(kind, &text);
        let text = format!("{path}={text}: the text has no unit; nearest: \"{unit}\"");
        return Err(value_error(text));
    }
    source.change(path, &text, &format!("{path}={text}"));
    Ok(())
}

/// Sweeps a field over a list of values.
fn sweep_field(source: &mut Source, path: &str, values: &Bound<'_, PyAny>) -> PyResult<()> {
    let Ok(list) = values.cast::<PyList>() else {
        let text = format!("sweep: {path}: allowed: a list or an array of values, not {values}");
        return Err(value_error(text));
    };
    if list.is_empty() {
        return Err(value_error(format!(
            "sweep: {path}: allowed: at least one value"
        )));
    }
    let kind = units::kind_at(source, path);
    let node = |value: Bound<'_, PyAny>| {
        let text = written(kind, &value)?;
        Ok(Node::argument(&text, &format!("{path}={text}")))
    };
    let values = list.iter().map(node).collect::<PyResult<Vec<Node>>>()?;
    // A scenario without a sweep begins one.
    if source.tree().at(&["sweep"]).is_none() {
        source.set("sweep", "{}", "sweep");
    }
    source.sweep(Axis::new(path, values));
    Ok(())
}

/// A value of a scheme's parameter as its text has it: a number in base units with its unit.
#[pyfunction]
pub(crate) fn parameter_text(
    scheme: &str,
    name: &str,
    value: &Bound<'_, PyAny>,
) -> PyResult<String> {
    let parameter = earlydrop::registry::find(scheme).and_then(|found| found.parameter(name));
    written(parameter.map(|parameter| &parameter.kind), value)
}

/// A value of `earlydrop/values.py` as the text of an argument.
fn written(kind: Option<&Kind>, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(list) = value.cast::<PyList>() {
        let items = list.iter().map(|item| {
            let text = written(kind, &item)?;
            let is_text = item.is_instance_of::<PyString>() || text.parse::<f64>().is_err();
            Ok(if is_text { format!("{text:?}") } else { text })
        });
        return Ok(format!(
            "[{}]",
            items.collect::<PyResult<Vec<_>>>()?.join(", ")
        ));
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(flag.is_true().to_string());
    }
    let text = value.str()?.to_string();
    let is_number = value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>();
    Ok(match kind {
        Some(kind) if is_number => units::with_unit(kind, &text),
        Some(kind) => units::in_small_letters(kind, text),
        None => text,
    })
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
        number(path, value.str()?.to_string())
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

/// A number of a field, in base units.
fn number(path: &str, number: String) -> Content {
    let path = path.strip_prefix("sweep.").unwrap_or(path);
    match units::kind_of_field(path) {
        Some(kind) if lacks_unit(kind, &number) => Content::Text(units::with_unit(kind, &number)),
        _ => Content::Number(number),
    }
}

fn place(path: &str) -> Place {
    Place::Argument(at(path).into())
}

fn at(path: &str) -> &str {
    if path.is_empty() { "scenario" } else { path }
}
