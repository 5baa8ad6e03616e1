//! A paper's figures as its `figures.toml` describes them.

use earlydrop_lab::document::{Entries, Key, Node, Place, Problem, Problems};

use super::fields::FIGURES;
use crate::claims::{Selector, id_matches};
use crate::toml_file::{NameRef, name_ref, name_refs, open_table, read_file, require, texts};

/// A paper's figures and a description of the paper: one `figures.toml`.
#[derive(Clone, Debug, Default)]
pub struct FigureFile {
    /// What the paper proposes, in two sentences.
    pub proposes: String,
    /// The claims that belong to no figure: ids, or what ids begin with.
    pub text: Vec<NameRef>,
    /// Figures and tables in the paper's order.
    pub figures: Vec<FigureSpec>,
    /// The file's name and text, for messages.
    file: (String, String),
}

/// Swept fields with a value each, as written.
pub type Coordinates = Vec<(NameRef, String)>;

/// A figure or table of the paper.
#[derive(Clone, Debug)]
pub struct FigureSpec {
    /// The id in addresses and names of files: "sfred-nlred.F19-20".
    pub id: String,
    /// The number in the paper: "Figures 19 and 20".
    pub number: String,
    /// The caption, in our words.
    pub caption: String,
    /// The claims about it: ids, or what ids begin with.
    pub claims: Vec<NameRef>,
    /// What the paper does not print and how we chose it; may be empty.
    pub not_printed: String,
    /// Why it is not drawn; empty where it is.
    pub left_out: String,
    /// The panels.
    pub panels: Vec<PanelSpec>,
}

/// A panel of a figure.
#[derive(Clone, Debug)]
pub struct PanelSpec {
    /// The title.
    pub title: String,
    /// The experiment that it shows.
    pub experiment: NameRef,
    /// The values of swept fields that it is restricted to.
    pub at: Coordinates,
    /// The horizontal axis.
    pub x: AxisSpec,
    /// The vertical axis.
    pub y: AxisSpec,
    /// The kind, with what it draws.
    pub kind: PanelKind,
    /// Horizontal lines to compare with: names, and values in the axis's unit.
    pub lines: Vec<(String, f64)>,
}

/// The kind of a panel.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the kinds are those of `reference/claims.md`")]
pub enum PanelKind {
    Sweep(Vec<CurveSpec>),
    Time(Vec<CurveSpec>),
    Bars {
        curves: Vec<CurveSpec>,
        groups: Vec<(String, NameRef)>,
    },
    Distribution(Vec<CurveSpec>),
    DropFunction(Vec<CurveSpec>),
    Table {
        rows: Vec<(String, Coordinates)>,
        columns: Vec<ColumnSpec>,
    },
}

/// An axis.
#[derive(Clone, Debug)]
pub struct AxisSpec {
    /// The swept field; empty where there is none.
    pub field: NameRef,
    /// The quantity that is shown.
    pub measure: Option<Measure>,
    /// The label; where it is empty, the quantity's name.
    pub label: String,
    /// The unit.
    pub unit: String,
    /// The factor that samples are multiplied by.
    pub times: f64,
    /// The axis reaches down to this at least.
    pub low: Option<f64>,
    /// The axis reaches up to this at least.
    pub high: Option<f64>,
    /// Whether the axis is logarithmic.
    pub log: bool,
    /// The ticks; chosen automatically where there are none.
    pub ticks: Vec<f64>,
}

/// A measured quantity, with the place in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// The quantity.
    pub selector: Selector,
    /// The place in the file.
    pub place: Place,
}

/// A curve.
#[derive(Clone, Debug)]
pub struct CurveSpec {
    /// The name in the paper; `{}` stands for the value of `each`.
    pub name: String,
    /// The scheme.
    pub scheme: NameRef,
    /// The scheme whose values are subtracted, seed by seed; empty: none.
    pub minus: NameRef,
    /// Values of swept fields, which come before the panel's.
    pub at: Coordinates,
    /// The swept field for each value of which there is a curve; empty: a single curve.
    pub each: NameRef,
    /// The quantity, if not that of the axis.
    pub measure: Option<Measure>,
    /// The series.
    pub series: NameRef,
    /// The series of whose sum it is shown as a share; none: as it is.
    pub over: Vec<NameRef>,
    /// The link that was sampled; empty: the watched link.
    pub source: NameRef,
    /// The group of flows whose transfers are shown.
    pub group: NameRef,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct ColumnSpec {
    /// The heading.
    pub name: String,
    /// The heading above several columns.
    pub under: String,
    /// The scheme.
    pub scheme: NameRef,
    /// The quantity.
    pub measure: Measure,
    /// The factor that our values are multiplied by.
    pub times: f64,
    /// The swept field whose value our values are divided by; empty: none.
    pub per: NameRef,
    /// The printed numbers, one for each row; empty texts where none is printed.
    pub printed: Vec<String>,
}

impl FigureFile {
    /// Reads a `figures.toml`; `name` is the file's name in messages.
    pub fn parse(name: &str, text: &str) -> Result<FigureFile, Problems> {
        read_file(name, text, &FIGURES, |entries, problems| {
            let figures = entries.list("figures").iter();
            let figures = figures.map(|entry| figure(entry, problems));
            FigureFile {
                figures: figures.collect(),
                proposes: entries.text("proposes"),
                text: name_refs(entries, "text", problems),
                file: (name.to_string(), text.to_string()),
            }
        })
    }

    /// Fails with these problems, if there are any, and the file's name and text.
    pub(crate) fn refuse(&self, list: Vec<Problem>) -> Result<(), Problems> {
        let (name, text) = self.file.clone();
        match list.is_empty() {
            true => Ok(()),
            false => Err(Problems { name, text, list }),
        }
    }

    /// The experiments that the figures show.
    pub fn experiments(&self) -> impl Iterator<Item = &str> {
        let panels = self.figures.iter().flat_map(|figure| &figure.panels);
        panels.map(|panel| panel.experiment.name.as_str())
    }

    /// Values of an experiment's swept fields that the figures name.
    pub fn named_values(&self, experiment: &str) -> Vec<String> {
        let panels = self.figures.iter().flat_map(|figure| &figure.panels);
        let panels = panels.filter(|panel| panel.experiment.name == experiment);
        let all = panels.flat_map(PanelSpec::all_coordinates).flatten();
        all.map(|(_, value)| value.clone()).collect()
    }
}

impl FigureSpec {
    /// Whether a claim belongs to it.
    pub fn has(&self, claim: &str) -> bool {
        any_matches(&self.claims, claim)
    }
}

/// Whether one of these names is a claim's id or begins it.
pub(crate) fn any_matches(names: &[NameRef], claim: &str) -> bool {
    names.iter().any(|one| id_matches(claim, &one.name))
}

impl PanelSpec {
    /// The coordinates of the panel, its curves and its rows.
    pub(crate) fn all_coordinates(&self) -> Vec<&Coordinates> {
        let of_curves = self.curves().iter().map(|curve| &curve.at);
        let mut all: Vec<&Coordinates> = [&self.at].into_iter().chain(of_curves).collect();
        if let PanelKind::Table { rows, .. } = &self.kind {
            all.extend(rows.iter().map(|(_, at)| at));
        }
        all
    }

    /// The curves; none in a table.
    pub(crate) fn curves(&self) -> &[CurveSpec] {
        match &self.kind {
            PanelKind::Sweep(curves)
            | PanelKind::Time(curves)
            | PanelKind::Bars { curves, .. }
            | PanelKind::Distribution(curves)
            | PanelKind::DropFunction(curves) => curves,
            PanelKind::Table { .. } => &[],
        }
    }
}

fn figure(entries: &Entries, problems: &mut Vec<Problem>) -> FigureSpec {
    require(entries, &["id", "number", "caption"], problems);
    let is_single = entries.list("panels").is_empty();
    let panels = match is_single {
        true => panel(entries, entries, problems).into_iter().collect(),
        false => {
            let panels = entries.list("panels").iter();
            let panels = panels.filter_map(|own| panel(own, entries, problems));
            panels.collect::<Vec<PanelSpec>>()
        }
    };
    if panels.is_empty() && !entries.has("left_out") {
        let help = "give it a `kind`, or say in `left_out` why it is not drawn";
        problems.push(Problem::new(entries.place(), "nothing is drawn", help));
    }
    FigureSpec {
        id: entries.text("id"),
        number: entries.text("number"),
        caption: entries.text("caption"),
        claims: name_refs(entries, "claims", problems),
        not_printed: entries.text("not_printed"),
        left_out: entries.text("left_out"),
        panels,
    }
}

/// Reads a panel, which takes from its figure what it does not give itself; `None` where
/// nothing is drawn.
fn panel(own: &Entries, figure: &Entries, problems: &mut Vec<Problem>) -> Option<PanelSpec> {
    let entries = &own.over(figure);
    let axis_of = |name: &str| own.table(name).over(&figure.table(name));
    let kind = entries.choice("kind");
    if kind == "none" {
        return None;
    }
    require(entries, &["experiment"], problems);
    let curves = entries.list("curves").iter();
    let curves: Vec<CurveSpec> = curves.map(|entry| curve(entry, problems)).collect();
    let kind = match kind {
        "sweep" => PanelKind::Sweep(curves),
        "time" => PanelKind::Time(curves),
        "bars" => {
            let groups = entries.list("groups").iter();
            let groups = groups.map(|entry| (entry.text("name"), name_ref(entry, "group")));
            PanelKind::Bars {
                curves,
                groups: groups.collect(),
            }
        }
        "distribution" => PanelKind::Distribution(curves),
        "drop-function" => PanelKind::DropFunction(curves),
        _ => table(entries, problems),
    };
    let lines = entries.list("lines").iter();
    Some(PanelSpec {
        title: entries.text("title"),
        experiment: name_ref(entries, "experiment"),
        at: coordinates(entries, problems),
        x: axis(&axis_of("x"), problems),
        y: axis(&axis_of("y"), problems),
        kind,
        lines: lines
            .map(|line| (line.text("name"), line.number("value")))
            .collect(),
    })
}

fn table(entries: &Entries, problems: &mut Vec<Problem>) -> PanelKind {
    let rows = entries.list("rows").iter();
    let rows = rows.map(|row| (row.text("name"), coordinates(row, problems)));
    let rows: Vec<(String, Coordinates)> = rows.collect();
    let columns = entries.list("columns").iter();
    let columns = columns.filter_map(|entry| {
        let printed = texts(entry, "printed", problems);
        if printed.len() != rows.len() {
            let message = format!("{} numbers for {} rows", printed.len(), rows.len());
            let place = entry.place_of("printed");
            problems.push(Problem::new(place, message, "one for each row"));
        }
        require(entry, &["measure"], problems);
        Some(ColumnSpec {
            name: entry.text("name"),
            under: entry.text("under"),
            scheme: name_ref(entry, "scheme"),
            measure: measure(entry, problems)?,
            times: entry.number("times"),
            per: name_ref(entry, "per"),
            printed,
        })
    });
    let columns = columns.collect();
    PanelKind::Table { rows, columns }
}

fn curve(entries: &Entries, problems: &mut Vec<Problem>) -> CurveSpec {
    require(entries, &["name", "scheme"], problems);
    CurveSpec {
        name: entries.text("name"),
        scheme: name_ref(entries, "scheme"),
        minus: name_ref(entries, "minus"),
        at: coordinates(entries, problems),
        each: name_ref(entries, "each"),
        measure: measure(entries, problems),
        series: name_ref(entries, "series"),
        over: name_refs(entries, "over", problems),
        source: name_ref(entries, "source"),
        group: name_ref(entries, "group"),
    }
}

fn axis(entries: &Entries, problems: &mut Vec<Problem>) -> AxisSpec {
    let ticks = texts(entries, "ticks", problems);
    AxisSpec {
        field: name_ref(entries, "axis"),
        measure: measure(entries, problems),
        label: entries.text("label"),
        unit: entries.text("unit"),
        times: entries.number("times"),
        low: entries.number_or_auto("low"),
        high: entries.number_or_auto("high"),
        log: entries.choice("scale") == "log",
        ticks: ticks.iter().filter_map(|text| text.parse().ok()).collect(),
    }
}

fn measure(entries: &Entries, problems: &mut Vec<Problem>) -> Option<Measure> {
    let text = entries.text("measure");
    let place = entries.place_of("measure").clone();
    if text.is_empty() {
        return None;
    }
    match text.parse::<Selector>() {
        Ok(selector) => Some(Measure { selector, place }),
        Err(error) => {
            problems.push(Problem::new(&place, format!("{error}"), ""));
            None
        }
    }
}

/// Values of swept fields, each a single one.
fn coordinates(entries: &Entries, problems: &mut Vec<Problem>) -> Coordinates {
    let given = open_table(entries, "at", "{ \"flows.ftp.count\" = 100 }", problems);
    let value = |(key, node): &(Key, Node)| {
        let field = NameRef {
            name: key.name.clone(),
            place: node.place.clone(),
        };
        Some((field, node.text()?))
    };
    given.iter().filter_map(value).collect()
}
