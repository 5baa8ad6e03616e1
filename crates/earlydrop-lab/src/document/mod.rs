//! Reading of TOML documents against a description of their fields, with errors that name the
//! place and the nearest valid value.
//!
//! ```text
//! text --Node::parse--> Node --Entries::read(Section)--> Entries, Problems
//! ```
//!
//! A [`Node`] is the tree of values, each with the place where it was written. A [`Section`]
//! describes a table and its fields. [`Entries`] are the values of a table, parsed and within
//! their ranges. Nothing here knows of scenarios: [`crate::scenario`] has their sections.

mod entries;
mod node;
mod problem;
mod relative;
mod section;

pub use entries::{Entries, Item, Placed};
pub use node::{Content, Key, MAX_DEPTH, Node};
pub use problem::{Place, Problem, Problems, control_characters, suggestion, too_long, unfit_name};
pub use relative::Relative;
pub use section::{
    Field, SENTENCES, Section, Shape, base_unit, lacks_unit, parse_one, parse_one_like,
    parse_spread,
};
pub(crate) use section::{allowed, law_prefix};
