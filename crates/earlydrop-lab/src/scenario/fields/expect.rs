//! The fields of `[[expect]]`.

use earlydrop::registry::{Kind, Range};

use super::kinds::{NAME, one};
use crate::document::{Field, SENTENCES, Section, Shape};

/// What a scenario is expected to show.
pub(crate) static EXPECT: Section = Section {
    name: "expect",
    meaning: "An expectation, which a run judges: a number of each of the schemes `of` is less than, more than, or equal to that of others, or to a value. Every comparison, of a scheme at a point, must show it for the expectation to hold.",
    fields: &[
        one(
            "says",
            Kind::Text(SENTENCES),
            "",
            "the expectation in a sentence, for all schemes together",
        ),
        one(
            "asks",
            Kind::Text(SENTENCES),
            "",
            "instead of `says`, a question that each scheme by itself is answered: yes, no, or undecided",
        ),
        one(
            "metric",
            Kind::Text("a metric's name"),
            "",
            "the number: \"delay_p99\", \"completion_p95\"",
        ),
        one(
            "group",
            NAME,
            "",
            "the group of flows whose number it is; without one, that of the link and all flows together",
        ),
        one(
            "beside",
            NAME,
            "",
            "another group: the number is the goodput of a flow of `group` over that of a flow of this one",
        ),
        Field::new(
            "of",
            Shape::Open("a list of schemes' labels"),
            "",
            "the schemes that it is about; without a list, all",
        ),
        one(
            "is",
            Kind::Choice(&[
                (
                    "less",
                    "their number is smaller than `than`, or than `times` as much",
                ),
                ("more", "it is larger"),
                ("equal", "it is the same to `within`"),
            ]),
            "less",
            "how the number compares",
        ),
        Field::new(
            "than",
            Shape::Open("the labels of schemes, or a value such as \"20 ms\", \"1%\" or 0.5"),
            "",
            "with what it is compared; without it, with all schemes that are not in `of`",
        ),
        one(
            "times",
            Kind::Number(Range::closed(1e-6, 1e6), "factor"),
            "1",
            "a factor: less than half as much is `times = 0.5`",
        ),
        one(
            "within",
            Kind::Number(Range::closed(0.0, 10.0), "share"),
            "0.05",
            "the share by which equal numbers may differ",
        )
        .when("is", &["equal"]),
        Field::new(
            "at",
            Shape::Open("a table of swept fields with a value or a list of values of each"),
            "",
            "the points of the sweep that it is about; without one, all",
        ),
    ],
};
