//! Every key that a `figures.toml` may have. `docs/reference/claims.md` describes them.

use earlydrop::registry::{Kind, Range};
use earlydrop_lab::document::{Field, Section, Shape};

use crate::toml_file::{LIST, NAME, NUMBER, PLACES, WORDS, field};

const FACTOR: Shape = Shape::One(Kind::Number(Range::POSITIVE, "a factor"));

/// The whole file.
pub(super) static FIGURES: Section = Section {
    name: "figures.toml",
    meaning: "how a paper's figures are drawn again",
    fields: &[
        field(
            "proposes",
            WORDS,
            "",
            "what the paper proposes, in two sentences",
        ),
        field("text", LIST, "", "claims that belong to no figure"),
        field(
            "figures",
            Shape::List(&FIGURE),
            "",
            "figures and tables, in the paper's order",
        ),
    ],
};

const KINDS: Kind = Kind::Choice(&[
    ("none", "nothing"),
    ("sweep", "a metric along a swept axis"),
    ("time", "a series over time"),
    ("bars", "a metric of groups of flows"),
    ("distribution", "how long transfers take"),
    ("drop-function", "drop probability against average queue"),
    ("table", "printed numbers with ours"),
]);

static FIGURE: Section = Section {
    name: "figures",
    meaning: "a figure or a table",
    fields: &[
        field("id", NAME, "", "its name in addresses and files"),
        field("number", WORDS, "", "what it is called in the paper"),
        field("caption", WORDS, "", "what it shows, in our words"),
        field("claims", LIST, "", "the claims that belong to it"),
        field(
            "not_printed",
            WORDS,
            "",
            "what the paper does not print and how we chose it",
        ),
        field("left_out", WORDS, "", "why it is not drawn"),
        field("panels", Shape::List(&PANEL), "", "its panels"),
        TITLE,
        KIND,
        EXPERIMENT,
        AT,
        X,
        Y,
        CURVES,
        LINES,
        GROUPS,
        ROWS,
        COLUMNS,
    ],
};

static PANEL: Section = Section {
    name: "panels",
    meaning: "a panel of a figure",
    fields: &[
        TITLE, KIND, EXPERIMENT, AT, X, Y, CURVES, LINES, GROUPS, ROWS, COLUMNS,
    ],
};

const TITLE: Field = field("title", WORDS, "", "its title");
const KIND: Field = field("kind", Shape::One(KINDS), "none", "what is drawn");
const EXPERIMENT: Field = field("experiment", NAME, "", "the scenario that shows it");
const AT: Field = field("at", PLACES, "", "values of axes it is restricted to");
const X: Field = field("x", Shape::Table(&AXIS), "", "the horizontal axis");
const Y: Field = field("y", Shape::Table(&AXIS), "", "the vertical axis");
const CURVES: Field = field("curves", Shape::List(&CURVE), "", "the curves");
const LINES: Field = field("lines", Shape::List(&LEVEL), "", "values to compare with");
const GROUPS: Field = field("groups", Shape::List(&GROUP), "", "groups of flows");
const ROWS: Field = field("rows", Shape::List(&ROW), "", "a table's rows");
const COLUMNS: Field = field("columns", Shape::List(&COLUMN), "", "a table's columns");

static AXIS: Section = Section {
    name: "axis",
    meaning: "an axis",
    fields: &[
        field("axis", NAME, "", "the swept field"),
        field("measure", NAME, "", "the measured quantity"),
        field("label", WORDS, "", "its label"),
        field("unit", WORDS, "", "its unit"),
        field(
            "times",
            FACTOR,
            "1",
            "the factor that samples are multiplied by",
        ),
        field("low", NUMBER, "auto", "it reaches down to this"),
        field("high", NUMBER, "auto", "it reaches up to this"),
        field("ticks", LIST, "", "the numbers to write"),
        field(
            "scale",
            Shape::One(Kind::Choice(&[
                ("linear", "linear"),
                ("log", "logarithmic"),
            ])),
            "linear",
            "linear or logarithmic",
        ),
    ],
};

static CURVE: Section = Section {
    name: "curves",
    meaning: "a curve",
    fields: &[
        field("name", WORDS, "", "its name in the paper"),
        field("scheme", NAME, "", "the scheme"),
        field(
            "minus",
            NAME,
            "",
            "the scheme whose values are subtracted, seed by seed",
        ),
        field("at", PLACES, "", "where"),
        field("each", NAME, "", "one for each value of this axis"),
        field(
            "measure",
            NAME,
            "",
            "the measured quantity, if not the axis's",
        ),
        field("series", NAME, "", "the series"),
        field(
            "over",
            LIST,
            "",
            "series whose sum it is shown as a share of",
        ),
        field("source", NAME, "", "the link that was sampled"),
        field(
            "group",
            NAME,
            "",
            "the group of flows whose transfers are shown",
        ),
    ],
};

static LEVEL: Section = Section {
    name: "lines",
    meaning: "a value to compare with",
    fields: &[
        field("name", WORDS, "", "its name"),
        field("value", NUMBER, "0", "the value, in the unit shown"),
    ],
};

static GROUP: Section = Section {
    name: "groups",
    meaning: "a group of flows",
    fields: &[
        field("name", WORDS, "", "its name in the paper"),
        field("group", NAME, "", "its name in the scenario"),
    ],
};

static ROW: Section = Section {
    name: "rows",
    meaning: "a row of a table",
    fields: &[
        field("name", WORDS, "", "its heading"),
        field("at", PLACES, "", "where"),
    ],
};

static COLUMN: Section = Section {
    name: "columns",
    meaning: "a column of a table",
    fields: &[
        field("name", WORDS, "", "its heading"),
        field("under", WORDS, "", "a heading above several"),
        field("scheme", NAME, "", "the scheme"),
        field("measure", NAME, "", "the measured quantity"),
        field(
            "times",
            FACTOR,
            "1",
            "the factor that our values are multiplied by",
        ),
        field(
            "per",
            NAME,
            "",
            "the swept field whose value they are divided by",
        ),
        field("printed", LIST, "", "as printed, one for each row"),
    ],
};
