//! Every key that a `claims.toml` may have. `docs/reference/claims.md` describes them.

use earlydrop::registry::Kind;
use earlydrop_lab::document::{Field, Section, Shape};

use crate::toml_file::{LIST, NAME, NUMBER, PLACES, WORDS, field};

/// The whole file.
pub(super) static CLAIMS: Section = Section {
    name: "claims.toml",
    meaning: "a paper and its claims",
    fields: &[
        field("paper", NAME, "", "the paper's key"),
        field("name", WORDS, "", "its name by author and scheme"),
        field("title", WORDS, "", "its title"),
        field("authors", WORDS, "", "its authors"),
        field("year", WORDS, "", "the year of publication"),
        field("summary", WORDS, "", "what it proposes, in a line"),
        field(
            "wrong",
            Shape::Open("a table of schemes with a wrong scheme for each"),
            "",
            "what is run in place of each scheme, to show that claims can fail",
        ),
        field("claims", Shape::List(&CLAIM), "", "the claims"),
    ],
};

static CLAIM: Section = Section {
    name: "claims",
    meaning: "a claim",
    fields: &[
        field("id", NAME, "", "the paper's key, the figure, a letter"),
        field("beside", NAME, "", "the claim that is counted instead"),
        field("figure", WORDS, "", "the figure or table it is about"),
        field("claim", WORDS, "", "the statement, in our words"),
        field("experiment", NAME, "", "the scenario file"),
        field("metric", NAME, "utilisation", "what is measured"),
        field("test", Shape::Open("a table"), "", "how it is decided"),
        field(
            "wrong",
            NAME,
            "",
            "the scheme to run instead, to show that it can fail",
        ),
        field(
            "printed",
            Shape::One(Kind::Flag),
            "false",
            "it is a number of a table",
        ),
        field(
            "added",
            Shape::One(Kind::Flag),
            "false",
            "it was found on a second reading",
        ),
    ],
};

const KIND: Field = field("kind", NAME, "", "the kind of test");
const SCHEME: Field = field("scheme", NAME, "", "the scheme it is about");
const SCHEMES: Field = field("schemes", LIST, "", "the schemes that are equal");
const THAN: Field = field("than", LIST, "", "the schemes to compare with");
const TOLERANCE: Field = field("tolerance", NUMBER, "auto", "relative, above zero");
const OVER: Field = field("over", NAME, "", "the swept field it runs along");
const WITH: Field = field(
    "with",
    NAME,
    "",
    "the swept field that the minimum moves with",
);
const FROM: Field = field("from", NAME, "", "the value it starts from");
const TO: Field = field("to", NAME, "", "the value it ends at");
const LOW: Field = field("low", NUMBER, "auto", "the lower bound");
const HIGH: Field = field("high", NUMBER, "auto", "the upper bound");
const VALUE: Field = field("value", NUMBER, "auto", "the value to come to");
const MISSING: Field = field("missing", WORDS, "", "what it would take");
const AT: Field = field(
    "at",
    PLACES,
    "",
    "values of swept fields it is restricted to",
);
const DIRECTION: Field = field(
    "direction",
    Shape::One(Kind::Choice(&[
        ("up", "to larger values"),
        ("down", "to smaller values"),
    ])),
    "up",
    "where the minimum moves",
);

/// The kinds of tests, each a section with the keys that it takes.
pub(super) static TESTS: [Section; 17] = [
    test("less", &[KIND, SCHEME, THAN, AT]),
    test("more", &[KIND, SCHEME, THAN, AT]),
    test("not-less", &[KIND, SCHEME, THAN, TOLERANCE, AT]),
    test("not-more", &[KIND, SCHEME, THAN, TOLERANCE, AT]),
    test("range-less", &[KIND, SCHEME, THAN, OVER, AT]),
    test("minimum-inside", &[KIND, SCHEME, OVER, AT]),
    test("minimum-moves", &[KIND, SCHEME, OVER, WITH, DIRECTION]),
    test("proportional", &[KIND, SCHEME, OVER, TOLERANCE, AT]),
    test("spread-less", &[KIND, SCHEME, THAN, AT]),
    test("spread-more", &[KIND, SCHEME, THAN, AT]),
    test("grows", &[KIND, SCHEME, OVER, FROM, TO, AT]),
    test("falls", &[KIND, SCHEME, OVER, FROM, TO, AT]),
    test("between", &[KIND, SCHEME, LOW, HIGH, AT]),
    test("equal", &[KIND, SCHEMES, TOLERANCE, AT]),
    test("value", &[KIND, SCHEME, VALUE, TOLERANCE, AT]),
    test("nearer", &[KIND, SCHEME, THAN, VALUE, AT]),
    test("undecidable", &[KIND, MISSING]),
];

const fn test(name: &'static str, fields: &'static [Field]) -> Section {
    Section {
        name,
        meaning: "a test",
        fields,
    }
}
