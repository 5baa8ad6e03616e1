//! A paper's figures as its `figures.toml` describes them. `docs/reference/claims.md` describes
//! every key.

use earlydrop_lab::document::{Place, Problem, Problems};
use serde::{Deserialize, Deserializer};
use serde_spanned::Spanned;

use super::inheritance::with_panels;
use crate::claims::{Selector, SelectorError, id_matches};
use crate::toml_file::{NameRef, TomlFile, pairs, positive};

/// A paper's figures and a description of the paper: one `figures.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FigureFile {
    /// What the paper proposes, in two sentences.
    pub proposes: String,
    /// The claims that belong to no figure: ids, or what ids begin with.
    pub text: Vec<NameRef>,
    /// Figures and tables in the paper's order.
    pub figures: Vec<FigureSpec>,
    /// The file's name and text, for messages.
    #[serde(skip)]
    file: (String, String),
}

/// Swept fields with a value each, as written.
pub type Coordinates = Vec<(NameRef, String)>;

/// A figure or table of the paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureSpec {
    /// The id in addresses and names of files: "sfred-nlred.F19-20".
    pub id: String,
    /// The number in the paper: "Figures 19 and 20".
    pub number: String,
    /// The caption, in our words.
    pub caption: String,
    /// The claims about it: ids, or what ids begin with.
    #[serde(default)]
    pub claims: Vec<NameRef>,
    /// What the paper does not print and how we chose it; may be empty.
    #[serde(default)]
    pub not_printed: String,
    /// Why it is not drawn; empty where it is.
    #[serde(default)]
    pub left_out: String,
    /// The panels.
    #[serde(default)]
    pub panels: Vec<PanelSpec>,
}

/// A panel of a figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PanelSpec {
    /// The title.
    #[serde(default)]
    pub title: String,
    /// What is drawn.
    pub kind: PanelKind,
    /// The experiment that it shows.
    pub experiment: NameRef,
    /// The values of swept fields that it is restricted to.
    #[serde(default, deserialize_with = "coordinates")]
    pub at: Coordinates,
    /// The horizontal axis.
    #[serde(default)]
    pub x: AxisSpec,
    /// The vertical axis.
    #[serde(default)]
    pub y: AxisSpec,
    #[serde(default)]
    curves: Vec<CurveSpec>,
    /// Horizontal lines to compare with.
    #[serde(default)]
    pub lines: Vec<LevelSpec>,
    /// The groups of flows that bars stand for.
    #[serde(default)]
    pub groups: Vec<GroupSpec>,
    /// The rows of a table.
    #[serde(default)]
    pub rows: Vec<RowSpec>,
    /// The columns of a table.
    #[serde(default)]
    pub columns: Vec<ColumnSpec>,
}

/// The kind of a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename = "kind of panel", rename_all = "kebab-case")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the kinds are those of `reference/claims.md`")]
pub enum PanelKind {
    Sweep,
    Time,
    Bars,
    Distribution,
    DropFunction,
    Table,
}

/// A horizontal line to compare with.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelSpec {
    /// The name.
    pub name: String,
    /// The value in the axis's unit.
    pub value: f64,
}

/// A group of flows.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupSpec {
    /// The name in the paper.
    pub name: String,
    /// The name in the scenario.
    pub group: NameRef,
}

/// A row of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowSpec {
    /// The heading.
    pub name: String,
    /// Values of swept fields.
    #[serde(default, deserialize_with = "coordinates")]
    pub at: Coordinates,
}

/// An axis.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AxisSpec {
    /// The swept field; empty where there is none.
    #[serde(rename = "axis")]
    pub field: NameRef,
    /// The quantity that is shown.
    pub measure: Option<Measure>,
    /// The label; where it is empty, the quantity's name.
    pub label: String,
    /// The unit.
    pub unit: String,
    /// The factor that samples are multiplied by.
    #[serde(deserialize_with = "positive")]
    pub times: f64,
    /// The axis reaches down to this at least.
    pub low: Option<f64>,
    /// The axis reaches up to this at least.
    pub high: Option<f64>,
    /// Whether the axis is logarithmic.
    #[serde(rename = "scale", deserialize_with = "is_log")]
    pub log: bool,
    /// The ticks; chosen automatically where there are none.
    pub ticks: Vec<f64>,
}

/// A measured quantity, with the place in the file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Spanned<String>")]
pub struct Measure {
    /// The quantity.
    pub selector: Selector,
    /// The place in the file.
    pub place: Place,
}

/// A curve.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurveSpec {
    /// The name in the paper; `{}` stands for the value of `each`.
    pub name: String,
    /// The scheme.
    pub scheme: NameRef,
    /// The scheme whose values are subtracted, seed by seed; empty: none.
    #[serde(default)]
    pub minus: NameRef,
    /// Values of swept fields, which come before the panel's.
    #[serde(default, deserialize_with = "coordinates")]
    pub at: Coordinates,
    /// The swept field for each value of which there is a curve; empty: a single curve.
    #[serde(default)]
    pub each: NameRef,
    /// The quantity, if not that of the axis.
    #[serde(default)]
    pub measure: Option<Measure>,
    /// The series.
    #[serde(default)]
    pub series: NameRef,
    /// The series of whose sum it is shown as a share; none: as it is.
    #[serde(default)]
    pub over: Vec<NameRef>,
    /// The link that was sampled; empty: the watched link.
    #[serde(default)]
    pub source: NameRef,
    /// The group of flows whose transfers are shown.
    #[serde(default)]
    pub group: NameRef,
}

/// A column of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnSpec {
    /// The heading.
    #[serde(default)]
    pub name: String,
    /// The heading above several columns.
    #[serde(default)]
    pub under: String,
    /// The scheme.
    pub scheme: NameRef,
    /// The quantity.
    pub measure: Measure,
    /// The factor that our values are multiplied by.
    #[serde(default = "one", deserialize_with = "positive")]
    pub times: f64,
    /// The swept field whose value our values are divided by; empty: none.
    #[serde(default)]
    pub per: NameRef,
    /// The printed numbers, one for each row; empty texts where none is printed.
    #[serde(default)]
    pub printed: Vec<String>,
}

impl FigureFile {
    /// Reads a `figures.toml`; `name` is the file's name in messages.
    pub fn parse(name: &str, text: &str) -> Result<FigureFile, Problems> {
        let file = TomlFile { name, text };
        let mut tree = file.tree()?;
        file.refuse(with_panels(&mut tree))?;
        let mut figures: FigureFile = file.read_tree(&tree)?;
        let panels = figures.figures.iter_mut();
        panels
            .flat_map(|figure| &mut figure.panels)
            .for_each(PanelSpec::place_missing);
        let panels = figures.figures.iter().flat_map(|figure| &figure.panels);
        file.refuse(panels.flat_map(PanelSpec::uneven_columns).collect())?;
        figures.file = (name.to_string(), text.to_string());
        Ok(figures)
    }

    /// Fails with these problems, if there are any, and the file's name and text.
    pub(crate) fn refuse(&self, list: Vec<Problem>) -> Result<(), Problems> {
        let (name, text) = (&self.file.0, &self.file.1);
        TomlFile { name, text }.refuse(list)
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
        all.extend(self.rows.iter().map(|row| &row.at));
        all
    }

    /// Gives names that are missing the place of their panel, or of their curve's scheme.
    fn place_missing(&mut self) {
        self.x.field.place_at(&self.experiment.place);
        for curve in &mut self.curves {
            curve.series.place_at(&curve.scheme.place);
            curve.group.place_at(&curve.scheme.place);
        }
    }

    /// A problem for each column of a table that has not a printed number for each row.
    fn uneven_columns(&self) -> Vec<Problem> {
        let rows = self.rows.len();
        let problem = |column: &ColumnSpec| {
            let count = column.printed.len();
            let message = format!("{count} numbers for {rows} rows");
            let place = &column.measure.place;
            (count != rows).then(|| Problem::new(place, message, "one for each row"))
        };
        self.columns.iter().filter_map(problem).collect()
    }

    /// The curves; none in a table.
    pub(crate) fn curves(&self) -> &[CurveSpec] {
        match self.kind {
            PanelKind::Table => &[],
            _ => &self.curves,
        }
    }
}

impl Default for AxisSpec {
    fn default() -> AxisSpec {
        AxisSpec {
            field: NameRef::default(),
            measure: None,
            label: String::new(),
            unit: String::new(),
            times: one(),
            low: None,
            high: None,
            log: false,
            ticks: Vec::new(),
        }
    }
}

fn one() -> f64 {
    1.0
}

fn is_log<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    #[derive(Deserialize)]
    #[serde(rename = "scale", rename_all = "kebab-case")]
    enum Scale {
        Linear,
        Log,
    }
    Ok(matches!(Scale::deserialize(deserializer)?, Scale::Log))
}

impl TryFrom<Spanned<String>> for Measure {
    type Error = SelectorError;

    fn try_from(text: Spanned<String>) -> Result<Measure, SelectorError> {
        Ok(Measure {
            selector: text.get_ref().parse()?,
            place: Place::File(text.span()),
        })
    }
}

/// Values of swept fields, each with the place of its value.
fn coordinates<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Coordinates, D::Error> {
    let pairs = pairs::<D, Spanned<String>>(deserializer)?.into_iter();
    let coordinate = |(name, value): (String, Spanned<String>)| {
        let place = Place::File(value.span());
        (NameRef { name, place }, value.into_inner())
    };
    Ok(pairs.map(coordinate).collect())
}
