//! A paper's figures as they are written in its `figures.toml`.

use super::fields::FIGURES;
use crate::claims::Selector;
use earlydrop_lab::document::{Content, Entries, Node, Place, Problem, Problems};

/// A paper's figures, and what is said of the paper.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// What the paper proposes, in two sentences.
    pub proposes: String,
    /// Claims that belong to no figure: ids, or what ids begin with.
    pub text: Vec<Named>,
    /// Figures and tables in the paper's order.
    pub figures: Vec<Figure>,
    /// The file's name and text, for what is wrong with it.
    file: (String, String),
}

/// Something named, with where.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Where it is written.
    pub place: Place,
}

/// Values of axes, as written.
pub type At = Vec<(Named, String)>;

/// A figure or a table of the paper.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its name in addresses and files: "sfred-nlred.F19-20".
    pub id: String,
    /// What it is called in the paper: "Figures 19 and 20".
    pub number: String,
    /// What it shows, in our words.
    pub caption: String,
    /// Its claims: ids, or what ids begin with.
    pub claims: Vec<Named>,
    /// What the paper does not say, and how it was chosen; may be empty.
    pub not_printed: String,
    /// Why it is not drawn; empty where it is.
    pub left_out: String,
    /// Its parts.
    pub panels: Vec<Panel>,
}

/// A part of a figure.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What stands above it.
    pub title: String,
    /// The scenario that shows it.
    pub experiment: Named,
    /// Values of axes it is restricted to.
    pub at: At,
    /// The axis along the foot.
    pub x: Axis,
    /// The upright axis.
    pub y: Axis,
    /// What is drawn.
    pub kind: Kind,
    /// Values to compare with: names, and values in the unit shown.
    pub lines: Vec<(String, f64)>,
}

/// What is drawn.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the kinds are those of `reference/claims.md`")]
pub enum Kind {
    Sweep(Vec<Curve>),
    Time(Vec<Curve>),
    Bars {
        curves: Vec<Curve>,
        groups: Vec<(String, Named)>,
    },
    Distribution(Vec<Curve>),
    DropFunction(Vec<Curve>),
    Table {
        rows: Vec<(String, At)>,
        columns: Vec<Column>,
    },
}

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The field that was swept; empty where none was.
    pub field: Named,
    /// What is shown along it.
    pub measure: Option<Measure>,
    /// What stands beside it; empty: chosen by what is shown.
    pub label: String,
    /// Its unit.
    pub unit: String,
    /// What was sampled over time is multiplied by this.
    pub times: f64,
    /// It reaches down to this at least.
    pub low: Option<f64>,
    /// It reaches up to this at least.
    pub high: Option<f64>,
    /// Whether equal factors are equally long.
    pub log: bool,
    /// The numbers to write; chosen where there are none.
    pub ticks: Vec<f64>,
}

/// What is measured, with where it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// What is measured.
    pub selector: Selector,
    /// Where it is written.
    pub place: Place,
}

/// A curve.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Its name in the paper; `{}` stands for the value of `each`.
    pub name: String,
    /// The scheme.
    pub scheme: Named,
    /// Where, beside the panel's own `at`.
    pub at: At,
    /// One for each value of this axis; empty: one only.
    pub each: Named,
    /// What is shown, if not what the axis says.
    pub measure: Option<Measure>,
    /// What was sampled over time.
    pub series: Named,
    /// It is shown as a share of the sum of these series; none: as it is.
    pub over: Vec<Named>,
    /// Of what it was sampled; empty: the watched link.
    pub source: Named,
    /// Whose transfers.
    pub group: Named,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// What stands above it.
    pub name: String,
    /// What stands above it and those like it.
    pub under: String,
    /// The scheme.
    pub scheme: Named,
    /// What is measured.
    pub measure: Measure,
    /// Ours are multiplied by this,
    pub times: f64,
    /// and divided by the value of this axis, where there is one.
    pub per: Named,
    /// As printed, one for each row; empty where nothing was.
    pub printed: Vec<String>,
}

impl Figures {
    /// Reads a file of figures.
    pub fn parse(name: &str, text: &str) -> Result<Figures, Problems> {
        let wrong = |list| Problems {
            name: name.to_string(),
            text: text.to_string(),
            list,
        };
        let tree = Node::parse(text).map_err(wrong)?;
        let mut problems = Vec::new();
        let entries = Entries::read(&tree, &FIGURES, &mut problems);
        let figures = entries.list("figures").iter();
        let figures = Figures {
            proposes: entries.text("proposes"),
            text: names(&entries, "text"),
            figures: figures.map(|entry| figure(entry, &mut problems)).collect(),
            file: (name.to_string(), text.to_string()),
        };
        match problems.is_empty() {
            true => Ok(figures),
            false => Err(wrong(problems)),
        }
    }

    /// What is wrong, told with the file's name and its lines.
    pub(super) fn problems(&self, list: Vec<Problem>) -> Result<(), Problems> {
        let (name, text) = self.file.clone();
        match list.is_empty() {
            true => Ok(()),
            false => Err(Problems { name, text, list }),
        }
    }

    /// The experiments that its figures need.
    pub fn experiments(&self) -> impl Iterator<Item = &str> {
        let panels = self.figures.iter().flat_map(|figure| &figure.panels);
        panels.map(|panel| panel.experiment.name.as_str())
    }

    /// Values of axes that its figures name for an experiment.
    pub fn named_values(&self, experiment: &str) -> Vec<String> {
        let panels = self.figures.iter().flat_map(|figure| &figure.panels);
        let panels = panels.filter(|panel| panel.experiment.name == experiment);
        let all = panels.flat_map(Panel::ats).flatten();
        all.map(|(_, value)| value.clone()).collect()
    }
}

impl Figure {
    /// Whether a claim belongs to it.
    pub fn has(&self, claim: &str) -> bool {
        has(&self.claims, claim)
    }
}

/// Whether one of these names is a claim's, or what its id begins with.
pub(super) fn has(names: &[Named], claim: &str) -> bool {
    let mut names = names.iter();
    names.any(|named| crate::catalogue::is_called(claim, &named.name))
}

impl Panel {
    /// Every place that it, its curves or its rows name.
    pub(super) fn ats(&self) -> Vec<&At> {
        let of_curves = self.curves().iter().map(|curve| &curve.at);
        let mut all: Vec<&At> = [&self.at].into_iter().chain(of_curves).collect();
        if let Kind::Table { rows, .. } = &self.kind {
            all.extend(rows.iter().map(|(_, at)| at));
        }
        all
    }

    /// Its curves; none in a table.
    pub(super) fn curves(&self) -> &[Curve] {
        match &self.kind {
            Kind::Sweep(curves)
            | Kind::Time(curves)
            | Kind::Bars { curves, .. }
            | Kind::Distribution(curves)
            | Kind::DropFunction(curves) => curves,
            Kind::Table { .. } => &[],
        }
    }
}

fn figure(entries: &Entries, problems: &mut Vec<Problem>) -> Figure {
    for name in ["id", "number", "caption"] {
        needs(entries, name, problems);
    }
    let is_single = entries.list("panels").is_empty();
    let panels = match is_single {
        true => panel(entries, entries, problems).into_iter().collect(),
        false => {
            let panels = entries.list("panels").iter();
            let panels = panels.filter_map(|own| panel(own, entries, problems));
            panels.collect::<Vec<Panel>>()
        }
    };
    if panels.is_empty() && !entries.has("left_out") {
        let help = "give it a `kind`, or say in `left_out` why it is not drawn";
        problems.push(Problem::new(entries.place(), "nothing is drawn", help));
    }
    Figure {
        id: entries.text("id"),
        number: entries.text("number"),
        caption: entries.text("caption"),
        claims: names(entries, "claims"),
        not_printed: entries.text("not_printed"),
        left_out: entries.text("left_out"),
        panels,
    }
}

fn needs(entries: &Entries, name: &str, problems: &mut Vec<Problem>) {
    if !entries.has(name) {
        let message = format!("`{name}` is missing");
        problems.push(Problem::new(entries.place(), message, ""));
    }
}

/// A panel, which takes from its figure what it does not say itself; `None` where nothing
/// is drawn.
fn panel(own: &Entries, figure: &Entries, problems: &mut Vec<Problem>) -> Option<Panel> {
    let entries = &own.over(figure);
    let axis_of = |name: &str| own.table(name).over(&figure.table(name));
    let kind = entries.choice("kind");
    if kind == "none" {
        return None;
    }
    needs(entries, "experiment", problems);
    let curves = entries.list("curves").iter();
    let curves: Vec<Curve> = curves.map(|entry| curve(entry, problems)).collect();
    let kind = match kind {
        "sweep" => Kind::Sweep(curves),
        "time" => Kind::Time(curves),
        "bars" => {
            let groups = entries.list("groups").iter();
            let groups = groups.map(|entry| (entry.text("name"), named(entry, "group")));
            Kind::Bars {
                curves,
                groups: groups.collect(),
            }
        }
        "distribution" => Kind::Distribution(curves),
        "drop-function" => Kind::DropFunction(curves),
        _ => table(entries, problems),
    };
    let lines = entries.list("lines").iter();
    Some(Panel {
        title: entries.text("title"),
        experiment: named(entries, "experiment"),
        at: at(entries, problems),
        x: axis(&axis_of("x"), problems),
        y: axis(&axis_of("y"), problems),
        kind,
        lines: lines
            .map(|line| (line.text("name"), line.number("value")))
            .collect(),
    })
}

fn table(entries: &Entries, problems: &mut Vec<Problem>) -> Kind {
    let rows = entries.list("rows").iter();
    let rows = rows.map(|row| (row.text("name"), at(row, problems)));
    let rows: Vec<(String, At)> = rows.collect();
    let columns = entries.list("columns").iter();
    let columns = columns.filter_map(|entry| {
        let printed = texts(entry, "printed");
        if printed.len() != rows.len() {
            let message = format!("{} numbers for {} rows", printed.len(), rows.len());
            let place = entry.place_of("printed");
            problems.push(Problem::new(place, message, "one for each row"));
        }
        needs(entry, "measure", problems);
        Some(Column {
            name: entry.text("name"),
            under: entry.text("under"),
            scheme: named(entry, "scheme"),
            measure: measure(entry, problems)?,
            times: entry.number("times"),
            per: named(entry, "per"),
            printed,
        })
    });
    let columns = columns.collect();
    Kind::Table { rows, columns }
}

fn curve(entries: &Entries, problems: &mut Vec<Problem>) -> Curve {
    needs(entries, "name", problems);
    needs(entries, "scheme", problems);
    Curve {
        name: entries.text("name"),
        scheme: named(entries, "scheme"),
        at: at(entries, problems),
        each: named(entries, "each"),
        measure: measure(entries, problems),
        series: named(entries, "series"),
        over: names(entries, "over"),
        source: named(entries, "source"),
        group: named(entries, "group"),
    }
}

fn axis(entries: &Entries, problems: &mut Vec<Problem>) -> Axis {
    let ticks = texts(entries, "ticks");
    Axis {
        field: named(entries, "axis"),
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
    match text.parse() {
        Ok(selector) => Some(Measure { selector, place }),
        Err(message) => {
            problems.push(Problem::new(&place, message, ""));
            None
        }
    }
}

fn named(entries: &Entries, name: &str) -> Named {
    Named {
        name: entries.text(name),
        place: entries.place_of(name).clone(),
    }
}

fn items<'a>(entries: &'a Entries, name: &str) -> &'a [Node] {
    match entries.open(name).map(|node| &node.content) {
        Some(Content::List(items)) => items,
        _ => &[],
    }
}

fn names(entries: &Entries, name: &str) -> Vec<Named> {
    let named = |node: &Node| {
        Some(Named {
            name: node.text()?,
            place: node.place.clone(),
        })
    };
    items(entries, name).iter().filter_map(named).collect()
}

fn texts(entries: &Entries, name: &str) -> Vec<String> {
    items(entries, name).iter().filter_map(Node::text).collect()
}

fn at(entries: &Entries, problems: &mut Vec<Problem>) -> At {
    let Some(node) = entries.open("at") else {
        return At::new();
    };
    let Content::Table(given) = &node.content else {
        let message = format!("`at` is {}", node.kind());
        let help = "allowed: a table, as in { \"flows.ftp.count\" = 100 }";
        problems.push(Problem::new(&node.place, message, help));
        return At::new();
    };
    let entry = |(key, node): &(earlydrop_lab::document::Key, Node)| {
        let named = Named {
            name: key.name.clone(),
            place: node.place.clone(),
        };
        Some((named, node.text()?))
    };
    given.iter().filter_map(entry).collect()
}
